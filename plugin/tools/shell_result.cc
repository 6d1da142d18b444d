
#include <algorithm>
#include <cmath>
#include <csignal>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/signal_name.h"
#include "base/text.h"
#include "base/utf8.h"
#include "tools/result.h"

namespace wtool::tools {

namespace {

using Json = nlohmann::ordered_json;

// Adds the sandbox's report. If the sandbox refused something, the error's hint begins with the refusal.
void add_sandbox(const std::optional<engine::SandboxReport>& report, Json& metadata) {
  if (!report) return;
  // A command can make any number of files and repositories, so only the first ones are named.
  static constexpr std::size_t most = 100;
  const auto texts = [](const std::vector<std::string>& list) {
    Json array = Json::array();
    for (std::size_t i = 0; i < std::min(list.size(), most); ++i) array.push_back(to_utf8(list[i]));
    return array;
  };
  Json& sandbox = metadata["sandbox"];
  sandbox["enforced"] = texts(report->enforced);
  sandbox["not_enforced"] = texts(report->not_enforced);
  if (!report->lifted.empty()) sandbox["lifted"] = texts(report->lifted);
  if (!report->refused.empty()) sandbox["refused"] = texts(report->refused);
  if (!report->protected_changed.empty()) metadata["protected_changed"] = texts(report->protected_changed);
  const std::size_t changed = report->protected_changed.size() + report->protected_left_out;
  if (changed > std::min(report->protected_changed.size(), most)) metadata["protected_changed_count"] = changed;
  if (report->put_aside.size() > most) metadata["put_aside_count"] = report->put_aside.size();
  for (std::size_t i = 0; i < std::min(report->put_aside.size(), most); ++i) {
    const engine::PutAside& aside = report->put_aside[i];
    Json entry{{"path", to_utf8(aside.path)}};
    if (aside.error.empty()) {
      entry["to"] = to_utf8(aside.to);
    } else {
      entry["error"] = aside.error;
    }
    metadata["put_aside"].push_back(std::move(entry));
  }
  if (report->refused.empty() || !metadata.contains("error")) return;
  std::string hint = "the sandbox refused " + to_utf8(report->refused.front());
  const std::string other = metadata["error"]["hint"];
  if (!other.empty()) hint += "; " + other;
  metadata["error"]["hint"] = hint;
}

// Makes the result of a command that reached the engine: one function for each way in which it can end.
class Format {
 public:
  Format(const CommandRequest& request, CallResult& result, engine::CommandOutcome& outcome, const Wording& wording)
      : request_(request), result_(result), outcome_(outcome), wording_(wording) {
    metadata_.get_ref<Json::object_t&>().reserve(24);  // a vector, which is slow to grow because its members are moved
    metadata_["command"] = request.line;
  }

  ToolResult operator()(const engine::Exited& how) {
    finish("exit_code", how.status);
    if (wording_.ended) return ended(how.status);
    if (how.status == 0) {
      add_sandbox(result_.sandbox, metadata_);
      return {envelope("Command executed successfully", false, std::move(metadata_)), false};
    }
    const std::string text = "Command failed with exit code " + std::to_string(how.status);
    return fail({"exit_nonzero", text, hint_for(how.status)}, text);
  }

  ToolResult operator()(const engine::Signalled& how) {
    const std::string name = signal_name(how.signal);
    finish("exit_code", 128 + how.signal);
    metadata_["signal"] = name;
    if (wording_.ended) return ended(128 + how.signal);
    const std::string text = "Command killed by " + name;
    return fail({"killed_by_signal", text, "it was ended by a signal that the tool did not send"}, text);
  }

  ToolResult operator()(const engine::TimedOut& how) {
    const auto limit = result_.time_limit.count();
    const Json seconds = limit % 1000 == 0 ? Json(limit / 1000) : Json(static_cast<double>(limit) / 1000);
    metadata_["timeout_seconds"] = seconds;
    finish_partial();
    const std::string text = "Command timed out after " + seconds.dump() + " seconds";
    return fail({"timed_out", text, what_was_ended(how.begun) + "; a larger timeout, or less to do, may help"}, text);
  }

  ToolResult operator()(const engine::Cancelled& how) {
    finish_partial();
    const std::string text = aborted_text(how);
    ToolResult answer = fail({"aborted", text, what_was_ended(how.begun)}, text);
    answer.cancelled = true;
    return answer;
  }

  ToolResult operator()(const engine::Exhausted& how) {
    const std::string key = how.key();
    const std::uint64_t value = engine::value_of(result_.limits, how.limit);
    // CPU time is the only limit that is measured in fractions.
    const Json used = how.limit == engine::LimitName::cpu_seconds ? Json(std::round(how.used * 1000) / 1000)
                                                                  : Json(static_cast<std::uint64_t>(how.used));
    metadata_["limit"] = {{"name", engine::to_text(how.limit)}, {"value", value}, {"used", used}};
    if (how.status) {
      finish("exit_code", *how.status);
    } else {
      finish_partial();
    }
    const std::string text = "Command ended: " + what_it_used(how, used.dump(), value) + ", and " + key +
                             (how.setter.empty() ? " is " : " allows a call ") + std::to_string(value);
    return fail({"resource_exhausted", text,
                 "make the command use less, or " + how.way_out() +
                     "; the command and everything that it had started were ended"},
                text);
  }

  ToolResult operator()(const engine::NotStarted& how) {
    CallError error = not_started(how, result_, request_.directory_parameter);
    if (error.code == "command_not_found") {
      finish("exit_code", 127);
      error.message += wording_.not_found_note;
    } else if (error.code == "permission_denied") {
      finish("exit_code", 126);
    } else {
      metadata_["working_directory"] = result_.directory;
    }
    return fail(error, error.message);
  }

  ToolResult operator()(const engine::Lost& how) {
    finish_partial();
    const std::string text = "Command lost: " + how.detail;
    return fail({"engine_lost", text, how.hint}, text);
  }

  ToolResult operator()(const engine::NodeLost& how) {
    finish_partial();
    return fail({"node_lost", how.detail, "what the command had done until then remains; run it again"}, how.detail);
  }

  ToolResult operator()(const engine::NoNode& how) {
    metadata_["working_directory"] = result_.directory;
    return fail(no_node(how), how.detail);
  }

 private:
  static std::string what_it_used(const engine::Exhausted& how, const std::string& used, std::uint64_t value) {
    // Polling notices a limit only after it was exceeded; a cgroup stops the use at the limit.
    const bool held = how.used <= static_cast<double>(value);
    switch (how.limit) {
      case engine::LimitName::cpu_seconds:
        return "it used " + used + " seconds of CPU time";
      case engine::LimitName::memory_bytes:
        return (held ? "it wanted more than " : "it used ") + used + " bytes of memory";
      case engine::LimitName::processes:
        return held ? "it wanted more than " + used + " processes and threads at the same time"
                    : "it had " + used + " processes at the same time";
      case engine::LimitName::open_files:
        return "it needed more open files";
      case engine::LimitName::file_bytes:
        return "it wrote a file larger than it may";
    }
    return {};
  }

  // Empty: the outputs, which the caller has, say all that is known.
  std::string hint_for(int status) const {
    std::string hint;
    if (status == 126) hint = "shells answer 126 when a file was found that may not be executed; stderr names it";
    if (status == 127) hint = "shells answer 127 when a program was not found; stderr names it";
    // The kernel reports these limits only to the program. If the program's output has the kernel's words, one of the
    // limits may be the cause; so it may if the status is that of a shell whose program died of the limit's signal.
    // Anybody may print these words or exit with this status, so they are no more than a hint.
    const auto add_limit = [&](engine::LimitName limit, int signal, const std::vector<std::string_view>& errors) {
      const std::uint64_t value = engine::value_of(result_.limits, limit);
      const bool as_shell = signal != 0 && status == 128 + signal;
      if (value == 0 || (!as_shell && !shows_one_of(errors))) return;
      const engine::Exhausted setter{limit, 0, {}, {}, engine::is_of_call(result_.limits, limit)};
      hint += std::string(hint.empty() ? "" : "; ") + setter.key() + " was " + std::to_string(value);
      if (as_shell) {
        hint +=
            ", and shells answer " + std::to_string(status) + " when " + signal_name(signal) + " has ended a program";
      }
    };
    add_limit(engine::LimitName::open_files, 0, {"too many open files", "no file descriptors available"});
    add_limit(engine::LimitName::file_bytes, SIGXFSZ, {"file too large"});
    add_limit(engine::LimitName::cpu_seconds, SIGXCPU, {});
    return hint;
  }

  // Whether the captured outputs contain one of the texts, which are in lower case. Call it after finish().
  bool shows_one_of(const std::vector<std::string_view>& texts) const {
    const auto in = [&](const char* output) {
      const std::string text = lowered(metadata_.at(output).get_ref<const std::string&>());
      return std::any_of(texts.begin(), texts.end(), [&](std::string_view one) { return text.find(one) != text.npos; });
    };
    return in("stderr") || in("stdout");
  }

  // Adds the keys of a command that ended, in the order in which the specification shows them.
  void finish(const char* status_key, int status) {
    metadata_[status_key] = status;
    metadata_["stdout"] = std::move(outcome_.standard_output.text);
    metadata_["stderr"] = std::move(outcome_.standard_error.text);
    metadata_["execution_time_ms"] = outcome_.duration.count();
    metadata_["working_directory"] = result_.directory;
    add_details();
  }

  void finish_partial() {
    metadata_["partial_stdout"] = std::move(outcome_.standard_output.text);
    metadata_["partial_stderr"] = std::move(outcome_.standard_error.text);
    metadata_["working_directory"] = result_.directory;
    add_details();
  }

  void add_details() {
    metadata_["stdout_bytes"] = outcome_.standard_output.bytes;
    metadata_["stderr_bytes"] = outcome_.standard_error.bytes;
    metadata_["stdout_truncated"] = outcome_.standard_output.truncated;
    metadata_["stderr_truncated"] = outcome_.standard_error.truncated;
    const bool lossy = outcome_.standard_output.lossy || outcome_.standard_error.lossy;
    metadata_["encoding"] = lossy ? "utf-8, invalid bytes replaced" : "utf-8";
    add_resources();
    add_output_file();
    if (!result_.audit_error.empty()) metadata_["audit_error"] = result_.audit_error;
    if (!outcome_.node.empty() && !wording_.ended) metadata_["node"] = outcome_.node;
    if (outcome_.background_count > 0) {
      metadata_[outcome_.kept ? "background_processes_kept" : "background_processes_ended"] = outcome_.background_count;
      for (const auto& process : outcome_.background_names)
        metadata_["background_processes"].push_back(to_text(process.name));
    }
    if (!result_.not_kept_because.empty()) metadata_["background_processes_ended_because"] = result_.not_kept_because;
    add_processes_left(outcome_.unkillable, "processes_left", "processes_left_count", metadata_);
  }

  void add_resources() {
    if (outcome_.resources) {
      const engine::Resources& used = *outcome_.resources;
      const auto ms = [](std::chrono::microseconds time) { return static_cast<double>(time.count()) / 1000; };
      metadata_["resources"] = {{"user_cpu_ms", ms(used.user)},
                                {"system_cpu_ms", ms(used.system)},
                                {"peak_memory_bytes", used.peak_memory_kib * 1024},
                                {"processes", used.processes},
                                {"stdout_bytes", outcome_.standard_output.bytes},
                                {"stderr_bytes", outcome_.standard_error.bytes}};
    }
    using engine::LimitName;
    const auto limit = [&](LimitName name, const char* enforced_by) {
      const std::uint64_t value = engine::value_of(result_.limits, name);
      if (value == 0) return;
      metadata_["limits"][engine::to_text(name)] = {{"value", value}, {"enforced_by", enforced_by}};
    };
    limit(LimitName::cpu_seconds, "watch, rlimit");
    const char* const holder = outcome_.in_cgroup ? "cgroup" : "watch";
    limit(LimitName::memory_bytes, holder);
    limit(LimitName::processes, holder);
    limit(LimitName::open_files, "rlimit");
    limit(LimitName::file_bytes, "rlimit");
  }

  void add_output_file() {
    const engine::WholeOutputFile& file = outcome_.output_file;
    if (!file.path.empty()) {
      metadata_["output_file"] = file.path;
      metadata_["output_file_bytes"] = file.bytes;
      if (!file.error.empty()) metadata_["output_file_complete"] = false;
    }
    if (!file.error.empty()) metadata_["output_file_error"] = file.error;
  }

  // A process can give itself any name, even one that is not UTF-8.
  static std::string to_text(const std::string& name) { return to_utf8(name); }

  ToolResult fail(const CallError& error, const std::string& text) {
    metadata_["error"] = error_object(error);
    add_sandbox(result_.sandbox, metadata_);
    return {envelope(text, true, std::move(metadata_)), false};
  }

  // The result of a command that ended by itself, for tools that do not treat its exit code as an error.
  ToolResult ended(int exit_code) {
    std::string text = wording_.ended(exit_code, metadata_["stdout"].get_ref<const std::string&>(),
                                      metadata_["stderr"].get_ref<const std::string&>());
    add_sandbox(result_.sandbox, metadata_);
    return {envelope(std::move(text), false, std::move(metadata_)), false};
  }

  const CommandRequest& request_;
  CallResult& result_;
  engine::CommandOutcome& outcome_;
  const Wording& wording_;
  Json metadata_ = Json::object();
};

}  // namespace

ToolResult refusal(const std::string& problem) {
  const CallError error{"invalid_parameters", problem, "correct the parameter and call again; nothing was run"};
  return {envelope("Invalid parameters: " + problem, true, {{"error", error_object(error)}}), false};
}

ToolResult answer(const CommandRequest& request, CallResult result, const Wording& wording) {
  if (const auto* error = std::get_if<CallError>(&result.outcome)) {
    Json metadata{{"command", request.line}};
    if (request.directory) metadata[request.directory_parameter] = *request.directory;
    metadata["error"] = error_object(*error);
    if (result.verdict.decision != policy::Decision::allow) metadata["policy"] = policy_object(result.verdict);
    if (!result.audit_error.empty()) metadata["audit_error"] = result.audit_error;
    add_sandbox(result.sandbox, metadata);
    return {envelope(error->message, true, std::move(metadata)), false};
  }
  auto& outcome = std::get<engine::CommandOutcome>(result.outcome);
  return std::visit(Format(request, result, outcome, wording), engine::Termination(outcome.termination));
}

}  // namespace wtool::tools
