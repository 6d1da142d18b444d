// The tool shell_execute: one shell command with a time limit, its output and exit code as a structured result.
#include "tools/parameters.h"
#include "tools/result.h"
#include "tools/tool.h"

namespace wtool::tools {

namespace {

constexpr std::string_view shell_input_schema = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "command": {"type": "string", "minLength": 1,
      "description": "Shell command, for example \"cargo test 2>&1 | tail -n 20\". Its standard input is empty."},
    "working_directory": {"type": "string", "minLength": 1,
      "description": "Directory to run it in. Default: that of the host."},
    "timeout": {"type": "integer", "minimum": 1, "maximum": 1800, "default": 300,
      "description": "Seconds until it and all that it started are ended."},
    "environment": {"type": "object", "additionalProperties": {"type": "string"},
      "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
      "description": "Variables to add."}
  },
  "required": ["command"],
  "additionalProperties": false
})";

constexpr std::string_view shell_output_schema = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "command": {"type": "string"},
    "exit_code": {"type": "integer", "minimum": 0, "maximum": 255},
    "stdout": {"type": "string"},
    "stderr": {"type": "string"},
    "execution_time_ms": {"type": "integer", "minimum": 0},
    "working_directory": {"type": "string"},
    "timeout_seconds": {"type": "number"},
    "partial_stdout": {"type": "string"},
    "partial_stderr": {"type": "string"},
    "signal": {"type": "string"},
    "stdout_bytes": {"type": "integer", "minimum": 0},
    "stderr_bytes": {"type": "integer", "minimum": 0},
    "stdout_truncated": {"type": "boolean"},
    "stderr_truncated": {"type": "boolean"},
    "output_file": {"type": "string"},
    "output_file_bytes": {"type": "integer", "minimum": 1},
    "output_file_complete": {"const": false},
    "output_file_error": {"type": "string"},
    "encoding": {"type": "string"},
    "resources": {"type": "object",
      "properties": {"user_cpu_ms": {"type": "number"}, "system_cpu_ms": {"type": "number"},
        "peak_memory_bytes": {"type": "integer"}, "processes": {"type": "integer"},
        "stdout_bytes": {"type": "integer"}, "stderr_bytes": {"type": "integer"}}},
    "limits": {"type": "object", "additionalProperties": {"type": "object",
      "properties": {"value": {"type": "integer"}, "enforced_by": {"type": "string"}}}},
    "limit": {"type": "object",
      "properties": {"name": {"type": "string"}, "value": {"type": "integer"}, "used": {"type": "number"}}},
    "background_processes_ended": {"type": "integer", "minimum": 1},
    "background_processes_ended_because": {"type": "string"},
    "background_processes_kept": {"type": "integer", "minimum": 1},
    "background_processes": {"type": "array", "items": {"type": "string"}},
    "processes_left_count": {"type": "integer", "minimum": 1},
    "processes_left": {"type": "array", "items": {"type": "object",
      "properties": {"pid": {"type": "integer"}, "name": {"type": "string"}}, "required": ["pid", "name"]}},
    "sandbox": {"type": "object",
      "properties": {"enforced": {"type": "array", "items": {"type": "string"}},
        "not_enforced": {"type": "array", "items": {"type": "string"}},
        "lifted": {"type": "array", "items": {"type": "string"}},
        "refused": {"type": "array", "items": {"type": "string"}}}, "required": ["enforced", "not_enforced"]},
    "protected_changed": {"type": "array", "items": {"type": "string"}},
    "protected_changed_count": {"type": "integer", "minimum": 1},
    "put_aside": {"type": "array", "items": {"type": "object",
      "properties": {"path": {"type": "string"}, "to": {"type": "string"}, "error": {"type": "string"}}, "required": ["path"]}},
    "put_aside_count": {"type": "integer", "minimum": 1},
    "policy": {"type": "object",
      "properties": {"verdict": {"enum": ["allow", "ask", "deny"]}, "reason": {"type": "string"}, "rule": {"type": "string"},
        "word": {"type": "string"}, "range": {"type": "array", "items": {"type": "integer"}}},
      "required": ["verdict", "reason", "rule"]},
    "audit_error": {"type": "string"},
    "node": {"type": "string"},
    "error": {"type": "object",
      "properties": {"code": {"type": "string"}, "message": {"type": "string"}, "hint": {"type": "string"}},
      "required": ["code", "message"]}
  }
})";

constexpr std::string_view shell_description =
    "Runs a shell command (/bin/sh) and returns its output and exit code. There is no terminal: use the "
    "options that keep programs from asking. Background processes end with the command: start a server and use it in "
    "one command. Long output keeps its beginning and its end.";

// The most bytes that the parameter `stdin` may have. Longer input belongs in a file.
constexpr std::size_t max_input = 1024UL * 1024;

class ShellExecuteCall : public CommandCall {
 public:
  ShellExecuteCall(std::string_view arguments, const Configuration& configuration) {
    Parameters parameters(arguments);
    request_.line = parameters.required_text("command");
    request_.expands = true;
    request_.directory = parameters.optional_text("working_directory");
    request_.timeout = parameters.seconds("timeout", configuration.timeout_max, configuration.timeout_fractions);
    request_.environment = parameters.variables("environment");
    if (configuration.takes_stdin) {
      request_.standard_input = parameters.content(
          "stdin", max_input, "give it in parts, with several calls that append to a file (cat >> FILE)");
      parameters.end({"command", "working_directory", "timeout", "environment", "stdin"});
    } else {
      parameters.end({"command", "working_directory", "timeout", "environment"});
    }
    problem_ = parameters.problem();
  }

  ToolResult run(CallContext& context) override {
    if (!problem_.empty()) return refusal(problem_);
    return answer(request_, execute_call(request_, context));
  }
};

}  // namespace

Tool shell_execute() {
  return with_limits({{"shell_execute", "Execute a shell command", "1.0.0", shell_description, shell_input_schema,
                       shell_output_schema},
                      prepare<ShellExecuteCall>});
}

}  // namespace wtool::tools
