#include "call/approval.h"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/blocked_signals.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "policy/approvals.h"

namespace wtool {

namespace {

using Json = nlohmann::ordered_json;

// How many bytes of a text are shown to a person. More would push the command off the screen.
constexpr std::size_t shown_input = 4096;

// How many bytes of a variable's value are shown.
constexpr std::size_t shown_value = 256;

// The variables that the call sets, with their values. What looks like a secret is masked before the value is cut,
// because a part of a secret does not look like one.
Json describe_variables(const CommandRequest& request, const secrets::Masker& masker) {
  Json variables = Json::object();
  for (const auto& [name, value] : request.environment) {
    std::string shown = secrets::is_secret_name(name) ? std::string(secrets::mask) : masker.masked(value);
    if (shown.size() > shown_value) {
      shown.resize(valid_utf8_prefix(std::string_view(shown).substr(0, shown_value)));
      shown += "... (" + std::to_string(value.size()) + " bytes)";
    }
    variables[name] = std::move(shown);
  }
  return variables;
}

Json describe_input(const std::string& text) {
  Json input{{"bytes", text.size()}, {"sha256", sha256(text)}};
  const bool is_whole = text.size() <= shown_input;
  input["text"] = is_whole ? text : text.substr(0, valid_utf8_prefix(std::string_view(text).substr(0, shown_input)));
  input["cut"] = !is_whole;
  return input;
}

std::string describe(const CommandRequest& request, const CommandPlan& plan) {
  Json subject{{"command", plan.asked_line(request)}, {"directory", plan.directory.path}};
  Json names = Json::array();
  for (const auto& [name, value] : request.environment) names.push_back(name);
  subject["environment_names"] = std::move(names);
  if (!request.environment.empty()) subject["environment"] = describe_variables(request, plan.masker(request));
  if (request.standard_input) subject["stdin"] = describe_input(*request.standard_input);
  if (plan.lifts_network) subject["lifts"] = {"network"};
  if (request.interactive) subject["interactive"] = true;
  subject["rule"] = plan.verdict.rule;
  subject["word"] = plan.verdict.word;
  if (!plan.verdict.hint.empty()) subject["hint"] = plan.verdict.hint;
  return dumped(subject);
}

CallError not_approved(const CommandRequest& request, const std::string& why) {
  return {"approval_denied", "Command not approved: " + request.line, why};
}

// The file of approvals to use for this plan. Empty: no file can be used, and if one is configured, `why_not` says why.
// A file that the command itself could write does not prove what a person wants.
std::string approvals_file(const CommandPlan& plan, const Configuration& configuration, std::string& why_not) {
  const std::string& file = configuration.commands.approvals;
  if (file.empty()) return {};
  std::string real = policy::resolve_path("/", file);
  std::vector<std::string> writable = policy::canonical_roots(configuration.directories.roots);
  writable.push_back(plan.directory.path);
  if (configuration.sandbox) {
    const std::vector<std::string> by_sandbox = policy::canonical_roots(configuration.sandbox->write);
    writable.insert(writable.end(), by_sandbox.begin(), by_sandbox.end());
  }
  // Both the resolved and the given name are checked: a command could have made the given one a link to another place.
  const bool is_theirs = policy::is_within_any(real, writable) || policy::is_within_any(file, writable);
  if (!is_theirs) return real;
  why_not =
      "the file of approvals, " + real +
      ", is in the command's own directory, in directories.roots or in sandbox.write, where a command could approve "
      "itself";
  return {};
}

}  // namespace

ApprovalReply AskerUntil::ask(const ApprovalQuestion& question) {
  std::mutex mutex;
  std::condition_variable changed;
  bool answered = false;
  std::thread timer;
  try {
    const BlockedSignals blocked;  // the host's signals are not for this thread
    timer = std::thread([&] {
      std::unique_lock lock(mutex);
      if (changed.wait_until(lock, latest_, [&] { return answered; })) return;
      lock.unlock();  // the host withdraws the question, and may take its time
      abort_(time_is_over);
    });
  } catch (const std::system_error&) {
    return ApprovalReply::unavailable;  // Nothing would end the question.
  }
  const auto end = [&] {
    {
      const std::lock_guard lock(mutex);
      answered = true;
    }
    changed.notify_all();
    timer.join();
  };
  try {
    const ApprovalReply reply = asker_.ask(question);
    end();
    return reply;
  } catch (...) {
    end();
    throw;
  }
}

std::shared_ptr<const policy::RememberedAnswers> remembered_answers(const CommandRequest& request,
                                                                    const CommandPlan& plan,
                                                                    const Configuration& configuration,
                                                                    std::string& why_not) {
  if (plan.asked_by_tool_rules && request.tool_answers) return request.tool_answers;
  return std::make_shared<policy::Approvals>(approvals_file(plan, configuration, why_not));
}

CallApproval resolve_approval(const CommandRequest& request, const CommandPlan& plan,
                              const Configuration& configuration, std::string_view tool, std::string_view call_id,
                              ApprovalAsker* approver) {
  CallApproval approval;
  const policy::Subject subject = plan.subject(request);
  approval.fingerprint = policy::fingerprint(subject);
  const auto kept = remembered_answers(request, plan, configuration, approval.not_kept);
  const auto known = kept->look_up(subject);
  if (const auto* problem = std::get_if<std::string>(&known)) {
    approval.answer = "unreadable";
    approval.refusal = CallError{"configuration_invalid", *problem, "no command runs until the file is fixed"};
    return approval;
  }
  const std::string where = " in " + kept->file();
  if (std::get<policy::Remembered>(known) == policy::Remembered::never) {
    approval.answer = "never (remembered)";
    approval.refusal = not_approved(request, "the answer was \"never\"; it is kept" + where);
    return approval;
  }
  if (std::get<policy::Remembered>(known) == policy::Remembered::always) {
    approval.answer = "always (remembered)";
    return approval;
  }

  const ApprovalReply reply = approver == nullptr
                                  ? ApprovalReply::unavailable
                                  : approver->ask({std::string(tool), std::string(call_id), describe(request, plan),
                                                   plan.verdict.reason, approval.fingerprint});
  const auto keep = [&](bool always) {
    if (approval.not_kept.empty()) approval.not_kept = kept->remember(subject, always);
  };
  switch (reply) {
    case ApprovalReply::yes:
      approval.answer = "yes";
      break;
    case ApprovalReply::always:
      approval.answer = "always";
      keep(true);
      break;
    case ApprovalReply::no:
      approval.answer = "no";
      approval.refusal = not_approved(request, "the answer was \"no\", for this one call");
      break;
    case ApprovalReply::never:
      approval.answer = "never";
      keep(false);
      approval.refusal =
          not_approved(request, approval.not_kept.empty() ? "the answer was \"never\"; it is kept" + where
                                                          : "the answer was \"never\"");
      break;
    case ApprovalReply::deferred:
      approval.answer = "deferred";
      approval.refusal = CallError{"approval_unavailable", "The approval is still pending: " + plan.verdict.reason,
                                   "make the same call again when the host has the answer"};
      break;
    case ApprovalReply::expired:
      approval.answer = "expired";
      approval.refusal = CallError{"approval_unavailable", "Nobody answered in time: " + plan.verdict.reason,
                                   "make the same call again when a person is there to answer" +
                                       (plan.verdict.hint.empty() ? "" : "; " + plan.verdict.hint)};
      break;
    case ApprovalReply::unavailable:
      approval.answer = "unavailable";
      approval.refusal = CallError{"approval_unavailable", "Nobody could be asked: " + plan.verdict.reason,
                                   "run it where a person can answer, such as a terminal; or " + plan.verdict.hint};
      break;
  }
  return approval;
}

}  // namespace wtool
