// The tool execute_run: runs one command without a shell. A command that can reach only the project's files and history
// runs immediately, any other only after a person has approved it. docs/guide/execute-run.md describes the tool.
#include <cerrno>
#include <cstring>

#include "base/json.h"
#include "base/signal_name.h"
#include "policy/commands_file.h"
#include "policy/covenant.h"
#include "tools/parameters.h"
#include "tools/result.h"
#include "tools/tool.h"

namespace wtool::tools {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view input_schema = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "command": {"type": "string", "minLength": 1,
      "description": "One command with its arguments, for example \"grep -rn TODO src\"."},
    "cwd": {"type": "string", "minLength": 1,
      "description": "Directory to run it in. Default: the current directory of the host."}
  },
  "required": ["command"],
  "additionalProperties": false
})";

constexpr std::string_view output_schema = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "ok": {"type": "boolean"},
    "value": {"type": "object", "properties": {"output": {"type": "string"}}, "required": ["output"],
      "additionalProperties": false},
    "error": {"type": "string"},
    "output": {"type": "string"}
  },
  "required": ["ok"],
  "additionalProperties": false,
  "if": {"properties": {"ok": {"const": true}}},
  "then": {"required": ["value"]},
  "else": {"required": ["error"]}
})";

constexpr std::string_view description =
    "Runs one command without a shell and returns its output. ls, cat, head, tail, wc, grep, find, pwd, echo, mkdir, "
    "touch, cp, mv, rm (not -r) and reading subcommands of git run at once, in the project; a person is asked about "
    "other commands. Unknown flags are refused. No pipes, redirections, variables or globs.";

// If a command that has ended wrote more than this, the call fails. A command that never ends is stopped by its
// timeout, however much it writes.
constexpr std::size_t max_output = 10UL << 20;

constexpr std::string_view added = "[Added to .clada/commands.json]";

// The text of the result is the metadata as JSON.
ToolResult answer(Json metadata) {
  std::string text = dumped(metadata);
  const bool ok = metadata["ok"].get<bool>();
  return {envelope(std::move(text), !ok, std::move(metadata)), false};
}

ToolResult failure(const std::string& error, std::optional<std::string> output = std::nullopt) {
  Json metadata{{"ok", false}, {"error", error}};
  if (output) metadata["output"] = *std::move(output);
  return answer(std::move(metadata));
}

// Turns the way in which a command ended into a result.
class Ending {
 public:
  // `note` precedes the output and says whether a permanent answer has been kept. It may be empty.
  Ending(const CallResult& result, engine::CommandOutcome& outcome, std::string note)
      : result_(result), outcome_(outcome), note_(std::move(note)) {}

  ToolResult operator()(const engine::Exited& how) {
    if (outcome_.standard_output.bytes > max_output) return fail("Output too large");
    if (how.status == 0) return answer({{"ok", true}, {"value", {{"output", output()}}}});
    return failure("Command failed with exit code " + std::to_string(how.status), output());
  }
  ToolResult operator()(const engine::Signalled& how) {
    return failure("Command killed by " + signal_name(how.signal), output());
  }
  ToolResult operator()(const engine::TimedOut&) { return fail("Command timed out"); }
  ToolResult operator()(const engine::Cancelled& how) {
    ToolResult ended = fail(aborted_text(how));
    ended.cancelled = true;
    return ended;
  }
  ToolResult operator()(const engine::Exhausted& how) {
    return failure("Command used more than " + how.key() + " allows", output());
  }
  ToolResult operator()(const engine::NotStarted& how) {
    using Stage = engine::NotStarted::Stage;
    if (how.stage == Stage::directory) return fail("Invalid working directory: " + result_.directory);
    std::string reason = how.detail.empty() ? std::strerror(how.error) : how.detail;
    if (how.stage == Stage::exec) {
      if (is_not_found(how)) reason = "command not found";
      if (how.error == EACCES) reason = "permission denied";
    }
    return fail("Command failed: " + result_.program + ": " + reason);
  }
  ToolResult operator()(const engine::Lost& how) { return fail("Command lost: " + how.detail); }
  ToolResult operator()(const engine::NodeLost& how) { return fail("Command lost: " + how.detail); }
  ToolResult operator()(const engine::NoNode& how) { return fail("Command failed: " + how.detail); }

 private:
  std::string output() { return note_ + outcome_.standard_output.text; }

  // A failure without output; only the note is shown.
  ToolResult fail(const std::string& error) {
    return note_.empty() ? failure(error) : failure(error, std::move(note_));
  }

  const CallResult& result_;
  engine::CommandOutcome& outcome_;
  std::string note_;
};

class ExecuteRunCall : public CommandCall {
 public:
  ExecuteRunCall(std::string_view arguments, const Configuration& configuration) {
    Parameters parameters(arguments);
    const std::string line = parameters.required_text("command");
    request_.directory = parameters.optional_text("cwd");
    parameters.end({"command", "cwd"});
    problem_ = parameters.problem();
    if (!problem_.empty()) return;

    // Only the host chooses the project: a caller that could name a different one would set its own bounds.
    const auto here = policy::open_directory("");
    const auto* const directory = std::get_if<policy::Directory>(&here);
    const std::string root =
        policy::project_root(configuration.execute_run_root, directory != nullptr ? directory->path : "/");
    const auto command = std::make_shared<const policy::CovenantCommand>(line, root, configuration.files_in_force);
    // A person is asked about the line as it was written, and the answer is kept for exactly this text. That is safe,
    // because the same text always becomes the same words.
    request_.line = command->line();
    request_.words = command->words();
    request_.executed = command->executed();
    request_.tool_environment = command->environment();
    request_.tool_rules = [command](const std::string& where, const policy::Programs& programs) {
      return command->judge(where, programs);
    };
    request_.tool_answers = std::make_shared<const policy::CommandsFile>(root);
    request_.output_bytes = max_output;
    request_.merged_output = true;
  }

  ToolResult run(CallContext& context) override {
    if (!problem_.empty()) return failure("Invalid parameters: " + problem_);
    CallResult result = execute_call(request_, context);
    if (const auto* error = std::get_if<CallError>(&result.outcome)) return refused(*error, result);
    auto& outcome = std::get<engine::CommandOutcome>(result.outcome);
    const engine::Termination termination = outcome.termination;
    return std::visit(Ending(result, outcome, note(result, "always", "\n")), termination);
  }

 private:
  // A text that says whether the permanent answer `answer` was kept. Empty: this call got a different answer or none,
  // or the question did not come from the rules of execute_run.
  static std::string note(const CallResult& result, std::string_view answer, const char* end) {
    if (!result.approval || result.approval->answer != answer || result.verdict.rule != policy::covenant_rule)
      return {};
    const std::string& not_kept = result.approval->not_kept;
    return (not_kept.empty() ? std::string(added) : "[Not added to .clada/commands.json: " + not_kept + ']') + end;
  }

  ToolResult refused(const CallError& error, const CallResult& result) const {
    if (error.code == "working_directory_invalid") {
      return failure("Invalid working directory: " + request_.directory.value_or("."));
    }
    if (!result.approval) return failure(error.message);
    const std::string& given = result.approval->answer;
    const std::string denied = "Command not approved: ";
    if (given.starts_with("never") && error.message.starts_with(denied)) {
      const std::string kept = note(result, "never", "");
      return failure("Command blocked: " + error.message.substr(denied.size()) + (kept.empty() ? "" : '\n' + kept));
    }
    if (given == "unavailable") {
      return failure(denied + request_.line + " (nobody could be asked; " + result.verdict.hint + ")");
    }
    if (given == "expired") {
      return failure(denied + request_.line +
                     " (nobody answered in time; make the same call again when a person is there to answer)");
    }
    if (given == "deferred") {
      return failure(denied + request_.line +
                     " (the answer is still pending; make the same call again once the answer has arrived)");
    }
    return failure(error.message);
  }
};

}  // namespace

Tool execute_run() {
  return with_limits(
      {{"execute_run", "Run a command of the project", "1.0.0", description, input_schema, output_schema},
       prepare<ExecuteRunCall>});
}

}  // namespace wtool::tools
