// The tool execute_command: runs one program with its arguments, without a shell, and answers in YAML. The host's
// environment says which programs may run (ALLOWED_COMMANDS) and where (ALLOWED_CWD_ROOTS), and is read again for each
// call.
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <variant>

#include "base/environment_snapshot.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/yaml_text.h"
#include "policy/directories.h"
#include "policy/name_list.h"
#include "policy/operators.h"
#include "policy/programs/names.h"
#include "tools/parameters.h"
#include "tools/result.h"
#include "tools/tool.h"

namespace wtool::tools {

namespace {

constexpr std::size_t max_shown = 200;  // bytes of a program in a message

constexpr std::string_view execute_command_input_schema = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "command": {"type": "string", "minLength": 1,
      "description": "A program and its arguments, for example \"npm run build\" or \"grep -n 'two words' notes.txt\". Quotes and backslashes mean what they mean to a shell; operators such as &&, | and > are refused."},
    "cwd": {"type": "string", "minLength": 1,
      "description": "Directory to run it in, absolute or relative to the current directory of the host, which is the default."}
  },
  "required": ["command"],
  "additionalProperties": false
})";

constexpr std::string_view execute_command_output_schema = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "exit_code": {"type": "integer", "minimum": 0, "maximum": 255},
    "stdout": {"type": "string"},
    "stderr": {"type": "string"},
    "signal": {"type": "string"},
    "partial_stdout": {"type": "string"},
    "partial_stderr": {"type": "string"},
    "stdout_truncated": {"type": "boolean"},
    "stderr_truncated": {"type": "boolean"},
    "error": {"type": "object",
      "properties": {"code": {"type": "string"}, "message": {"type": "string"}, "hint": {"type": "string"}},
      "required": ["code", "message", "hint"]}
  }
})";

constexpr std::string_view execute_command_description =
    "Runs one program with its arguments and returns exit_code, stdout and stderr as YAML. This tool is ONLY for "
    "non-interactive commands: interactive commands (editors, pagers, prompts for input) are not supported, because "
    "there is no terminal and standard input is empty. No shell is involved: operators such as &&, | and >, variables "
    "and wildcards are refused. Only programs that the host lists in ALLOWED_COMMANDS run. Name the directory with "
    "cwd.";

constexpr std::string_view not_found_note =
    ". Note: This tool does not support interactive commands. Ensure the command is non-interactive and the executable "
    "exists.";

// Empty: the host has not set the variable.
std::string variable(const EnvironmentSnapshot& host, const char* name) {
  const char* const value = host.find(name);
  return value != nullptr ? value : "";
}

policy::Verdict deny(std::string reason, std::string rule, std::string hint) {
  policy::Verdict verdict;
  verdict.decision = policy::Decision::deny;
  verdict.reason = std::move(reason);
  verdict.rule = std::move(rule);
  verdict.hint = std::move(hint);
  return verdict;
}

policy::Verdict refuse_construct(const policy::Construct& construct) {
  return deny("Command refused: it has " + construct.what + " at byte " + std::to_string(construct.at.begin) +
                  "; this tool runs one program without a shell, and does not support shell operators",
              "execute_command: no shell",
              construct.what == "the keyword time"
                  ? "write 'time' in quotes for the program of that name, or leave it out"
                  : "make a separate call for each program, name the directory as cwd, and put literal text in "
                    "single quotes");
}

// Judges only the command's first word.
std::optional<policy::Verdict> judge_program(const std::string& program, const policy::Programs& programs,
                                             const EnvironmentSnapshot& host) {
  const policy::NameList allowed(policy::comma_separated(variable(host, "ALLOWED_COMMANDS")));
  if (allowed.allows(program, programs)) return std::nullopt;
  if (allowed.empty()) {
    return deny("Command not allowed: " + clipped(program, max_shown) +
                    ". ALLOWED_COMMANDS is unset or empty, so nothing may run",
                "ALLOWED_COMMANDS",
                "set ALLOWED_COMMANDS in the host's environment to the names of programs, separated by commas, or to * "
                "for all");
  }
  return deny("Command not allowed: " + clipped(program, max_shown) + " is not in ALLOWED_COMMANDS", "ALLOWED_COMMANDS",
              "the allowed programs are " + allowed.shown());
}

policy::Verdict root_problem(std::string what) {
  policy::Verdict verdict =
      deny("Configuration problem: ALLOWED_CWD_ROOTS " + std::move(what), "ALLOWED_CWD_ROOTS",
           "correct ALLOWED_CWD_ROOTS in the host's environment; until then no call may name a cwd");
  verdict.code = "configuration_invalid";
  return verdict;
}

// `directory` is the resolved `cwd` of the caller.
std::optional<policy::Verdict> judge_directory(const std::string& directory, const EnvironmentSnapshot& host) {
  const std::string configured = variable(host, "ALLOWED_CWD_ROOTS");
  const std::vector<std::string> given = policy::comma_separated(configured);
  if (given.empty()) {
    if (configured.find(',') == std::string::npos) return std::nullopt;
    return root_problem("names no folder");
  }
  std::vector<std::string> roots;
  for (const std::string& root : given) {
    char real[PATH_MAX];
    // Relative roots start from the host's working directory, as a relative cwd does.
    if (::realpath(root.c_str(), real) == nullptr) {
      return root_problem("has " + root + ", which cannot be resolved: " + std::strerror(errno));
    }
    roots.emplace_back(real);
  }
  if (policy::is_within_any(directory, roots)) return std::nullopt;
  return deny("cwd not allowed: " + directory + " is outside of ALLOWED_CWD_ROOTS", "ALLOWED_CWD_ROOTS",
              "the allowed folders, with all that is below them, are: " + joined(given));
}

std::optional<policy::Verdict> judge_terminal(const std::vector<std::string>& words) {
  if (!policy::needs_terminal(words)) return std::nullopt;
  return deny("Interactive command: " + clipped(words.front(), max_shown) + " is made for a person at a terminal" +
                  std::string(not_found_note),
              "execute_command: no terminal",
              "use a program that needs no person: cat for a pager, sed or a script for an editor, ps for a monitor");
}

class ExecuteCommandCall : public CommandCall {
 public:
  explicit ExecuteCommandCall(std::string_view arguments) {
    Parameters parameters(arguments);
    const std::string command = parameters.required_text("command");
    request_.directory = parameters.optional_text("cwd");
    request_.directory_parameter = "cwd";
    parameters.end({"command", "cwd"});
    problem_ = parameters.problem();
    if (problem_.empty()) take(command);
  }

  ToolResult run(CallContext& context) override {
    if (!problem_.empty()) return refusal(problem_);
    return answer(request_, execute_call(request_, context), {yaml_result, std::string(not_found_note)});
  }

 private:
  void take(const std::string& command) {
    auto read = policy::only_words(command);
    if (auto* construct = std::get_if<policy::Construct>(&read)) {
      // The refusal is left to the policy, so that the attempt is recorded.
      request_.line = command;
      request_.tool_rules = [verdict = refuse_construct(*construct)](const std::string&, const policy::Programs&) {
        return verdict;
      };
      return;
    }
    auto& words = std::get<std::vector<std::string>>(read);
    if (words.empty() || words.front().empty()) {
      problem_ = "command: got " + std::string(words.empty() ? "nothing but blank space" : "an empty word in front") +
                 "; allowed is a program and its arguments";
      return;
    }
    request_.tool_rules = [words, placed = request_.directory.has_value(), host = request_.host_environment](
                              const std::string& directory, const policy::Programs& programs) {
      auto refusal = judge_program(words.front(), programs, *host);
      if (!refusal && placed) refusal = judge_directory(directory, *host);
      if (!refusal) refusal = judge_terminal(words);
      return refusal.value_or(policy::Verdict());
    };
    set_words(request_, std::move(words));
  }
};

}  // namespace

Tool execute_command() {
  return with_limits({{"execute_command", "Execute one program", "1.0.0", execute_command_description,
                       execute_command_input_schema, execute_command_output_schema},
                      prepare<ExecuteCommandCall>});
}

}  // namespace wtool::tools
