#include <algorithm>

#include "base/json.h"
#include "base/json_reader.h"
#include "base/json_text.h"
#include "base/sha256.h"
#include "base/temporary_path.h"
#include "call/approval.h"
#include "policy/approvals.h"
#include "policy/programs.h"
#include "policy/programs/names.h"
#include "policy/words.h"
#include "tools/result.h"
#include "tools/tool.h"

namespace wtool::tools {

namespace {

using Json = nlohmann::ordered_json;

// The text of a JSON object that grows member by member. Most of an explanation is texts, and a tree of them would take
// four times as long (docs/decisions/0036-steps-that-are-up-to-date.md).
class ObjectText {
 public:
  // Bytes that are not UTF-8 become U+FFFD.
  void add(std::string_view name, std::string_view text) { append_json_string(key(name), text); }
  template <class Texts>
  void add_all(std::string_view name, const Texts& texts) {
    std::string& out = key(name);
    const char* separator = "[";
    for (const std::string_view text : texts) {
      out += separator;
      append_json_string(out, text);
      separator = ",";
    }
    out += texts.empty() ? "[]" : "]";
  }
  void add_json(std::string_view name, const Json& value) { append_dumped(key(name), value); }

  // At least one member must have been added.
  std::string finish() && { return std::move(text_) + '}'; }

 private:
  // Appends the name of a member. The caller appends its value.
  std::string& key(std::string_view name) {
    text_.append(text_.empty() ? "{\"" : ",\"").append(name).append("\":");
    return text_;
  }

  std::string text_;
};

std::vector<std::string_view> names_of(const std::vector<std::string>& variables) {
  std::vector<std::string_view> names;
  names.reserve(variables.size());
  for (const std::string_view variable : variables) names.push_back(variable.substr(0, variable.find('=')));
  std::sort(names.begin(), names.end());
  return names;
}

Json limits_of(const CommandRequest& request, const Configuration& configuration) {
  using engine::LimitName;
  const auto timeout = request.timeout.value_or(configuration.timeout_default).count();
  Json limits{{"timeout", timeout % 1000 == 0 ? Json(timeout / 1000) : Json(static_cast<double>(timeout) / 1000)}};
  for (const LimitName name : {LimitName::cpu_seconds, LimitName::memory_bytes, LimitName::processes,
                               LimitName::open_files, LimitName::file_bytes}) {
    const std::uint64_t value = engine::value_of(configuration.limits, name);
    if (value != 0) limits[engine::to_text(name)] = value;
  }
  return limits;
}

Json sandbox_of(const Configuration& configuration) {
  if (!configuration.sandbox) return nullptr;
  const engine::SandboxPolicy& sandbox = *configuration.sandbox;
  std::vector<std::string> protect = sandbox.protect;
  if (sandbox.repositories) protect.insert(protect.begin(), engine::repositories_name);
  std::vector<std::string> read = sandbox.held ? sandbox.held->read : sandbox.read;
  // An explanation must not depend on the process that the host happens to be.
  std::erase_if(read, is_guarded_folder);
  Json shown = {{"read", read},
                {"write", sandbox.held ? sandbox.held->write : sandbox.write},
                {"protect", protect},
                {"put_aside", sandbox.put_aside},
                {"network", sandbox.network ? "allow" : "deny"},
                {"ipc", sandbox.ipc ? "allow" : "deny"},
                {"required", sandbox.required}};
  if (sandbox.held) shown["list"] = sandbox.held->list;
  return shown;
}

// Changes a verdict of "ask" to what a remembered answer says. Returns the answer, `always` or `never`; empty: there is
// none, or the answers cannot be read, which denies the call.
std::string apply_remembered(const CommandRequest& request, const CommandPlan& plan, const Configuration& configuration,
                             policy::Verdict& verdict) {
  std::string why_not;
  const auto known = remembered_answers(request, plan, configuration, why_not)->look_up(plan.subject(request));
  if (const auto* problem = std::get_if<std::string>(&known)) {
    verdict.decision = policy::Decision::deny;
    verdict.reason = *problem;
    return {};
  }
  const auto remembered = std::get<policy::Remembered>(known);
  if (remembered == policy::Remembered::nothing) return {};
  const bool always = remembered == policy::Remembered::always;
  verdict.decision = always ? policy::Decision::allow : policy::Decision::deny;
  return always ? "always" : "never";
}

// Adds what the policy says: verdict, reason, rule, and the part of the line that it is about.
void add_policy(const policy::Verdict& verdict, ObjectText& text) {
  text.add("verdict", policy::to_text(verdict.decision));
  text.add("reason", verdict.reason);
  text.add("rule", verdict.rule);
  if (verdict.word.empty()) return;
  text.add("word", verdict.word);
  text.add_json("range", {verdict.at.begin, verdict.at.end});
}

// The line's programs that are not in the database of programs: any of them may run anything.
std::vector<std::string> unknown_programs(const std::string& line) {
  std::vector<std::string> unknown;
  for (const policy::SimpleCommand& command : policy::parse(line).commands) {
    if (command.words.empty() || !command.words.front().literal) continue;
    const std::string_view name = policy::base_name(command.words.front().text);
    if (!policy::is_known_program(policy::known_name(name)) && !policy::is_shell_word(name)) {
      unknown.emplace_back(name);
    }
  }
  return unknown;
}

}  // namespace

Json policy_object(const policy::Verdict& verdict) {
  ObjectText text;
  add_policy(verdict, text);
  return parse_ordered_json(std::move(text).finish());
}

std::string explanation(const CommandRequest& request, const Configuration& configuration) {
  const CommandPlan plan = make_plan(request, configuration);
  policy::Verdict verdict = plan.verdict;
  std::string remembered;
  if (!plan.error && verdict.decision == policy::Decision::ask) {
    remembered = apply_remembered(request, plan, configuration, verdict);
  }
  ObjectText text;
  add_policy(verdict, text);
  if (!verdict.hint.empty()) text.add("hint", verdict.hint);
  if (plan.lifts_network) text.add_all("lifts", std::vector<std::string_view>{"network"});
  if (plan.error) {
    text.add("error", plan.error->code);
    return std::move(text).finish();
  }
  if (!remembered.empty()) text.add("remembered", remembered);
  text.add("command", request.line);
  if (const auto unknown = unknown_programs(request.line); !unknown.empty()) text.add_all("unknown_programs", unknown);
  if (plan.through_shell) {
    text.add("shell", plan.command.arguments.front());
    text.add("script", plan.command.arguments.back());
  }
  text.add_all("argv", plan.command.arguments);
  text.add("directory", plan.directory.path);
  text.add_all("environment_names", names_of(plan.command.variables));
  if (request.standard_input) {
    text.add_json("stdin_bytes", request.standard_input->size());
    text.add("stdin_sha256", sha256(*request.standard_input));
  }
  text.add_json("limits", limits_of(request, configuration));
  text.add_json("sandbox", sandbox_of(configuration));
  return std::move(text).finish();
}

std::string CommandCall::explain(const Configuration& configuration, const Sessions&) const {
  return problem_.empty() ? explanation(request_, configuration) : explanation(problem_);
}

std::string explanation(const std::string& problem) {
  return dumped(Json{{"verdict", "deny"},
                     {"reason", "Invalid parameters: " + problem},
                     {"rule", "parameters"},
                     {"hint", "correct the parameter and call again"},
                     {"error", "invalid_parameters"}});
}

}  // namespace wtool::tools
