#include "workflow/outcome.h"

#include <nlohmann/json.hpp>

#include "expressions/json_value.h"
#include "loader/tool_caller.h"

namespace wtool::host::workflow {
namespace {

using expressions::Value;
using nlohmann::json;

std::string text_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string content_text(const json& result) {
  std::string text;
  const auto content = result.find("content");
  if (content == result.end() || !content->is_array()) return text;
  for (const json& part : *content) {
    if (!part.is_object() || text_at(part, "type") != "text") continue;
    if (!text.empty()) text += '\n';
    text += text_at(part, "text");
  }
  return text;
}

}  // namespace

const std::vector<std::string>& outcome_fields() {
  static const std::vector<std::string> fields = {
      "stdout", "stderr", "content",  "exit_code",   "is_error",  "success", "failure",     "message",
      "error",  "json",   "metadata", "duration_ms", "variables", "matrix",  "stdout_file", "stderr_file"};
  return fields;
}

Outcome to_outcome(const ToolOutcome& call) {
  Outcome outcome;
  if (call.kind == ToolOutcome::Kind::not_made || !call.result.is_object()) {
    outcome.is_error = true;
    outcome.exit_code = 1;
    outcome.message = call.error.empty() ? "the tool gave no result" : call.error;
    outcome.standard_error = outcome.message;
    return outcome;
  }
  outcome.aborted = call.kind == ToolOutcome::Kind::cancelled;
  const json& result = call.result;
  const auto flag = result.find("is_error");
  outcome.is_error = outcome.aborted || (flag != result.end() && flag->is_boolean() && flag->get<bool>());
  outcome.message = content_text(result);
  outcome.exit_code = outcome.is_error ? 1 : 0;
  const auto found = result.find("metadata");
  static const json nothing = json::object();
  const json& metadata = found != result.end() && found->is_object() ? *found : nothing;
  const bool partial = metadata.contains("partial_stdout");
  if (const auto code = metadata.find("exit_code"); code != metadata.end() && code->is_number_integer()) {
    outcome.exit_code = code->get<std::int64_t>();
  } else if (outcome.aborted) {
    outcome.exit_code = 130;
  } else if (metadata.contains("timeout_seconds") && partial) {
    outcome.exit_code = 124;
  }
  outcome.standard_output = text_at(metadata, partial ? "partial_stdout" : "stdout");
  outcome.standard_error = text_at(metadata, partial ? "partial_stderr" : "stderr");
  if (!partial && !metadata.contains("stdout")) outcome.standard_output = outcome.message;
  if (const auto error = metadata.find("error"); error != metadata.end() && error->is_object()) {
    outcome.error = text_at(*error, "code");
  }
  if (auto value = expressions::from_json(metadata)) outcome.metadata = std::move(*value);
  return outcome;
}

Value to_value(const Outcome& outcome) {
  expressions::Map map;
  std::string text = outcome.standard_output;
  text.erase(text.find_last_not_of('\n') + 1);
  map.text = std::move(text);
  map.fields.emplace("stdout", Value(outcome.standard_output));
  map.fields.emplace("stderr", Value(outcome.standard_error));
  map.fields.emplace("exit_code", Value(outcome.exit_code));
  map.fields.emplace("is_error", Value(outcome.is_error));
  map.fields.emplace("success", Value(!outcome.is_error));
  map.fields.emplace("failure", Value(outcome.is_error));
  map.fields.emplace("message", Value(outcome.message));
  map.fields.emplace("content", Value(*map.text));
  map.fields.emplace("error", Value(outcome.error));
  map.fields.emplace("duration_ms", Value(outcome.duration_ms));
  map.fields.emplace("metadata", outcome.metadata);
  map.fields.emplace("stdout_file", Value(outcome.standard_output_file));
  map.fields.emplace("stderr_file", Value(outcome.standard_error_file));
  if (!outcome.variables.is_null()) map.fields.emplace("variables", outcome.variables);
  if (!outcome.matrix.is_null()) map.fields.emplace("matrix", outcome.matrix);
  if (auto json = expressions::parse_json(outcome.standard_output)) map.fields.emplace("json", std::move(*json));
  return Value(std::move(map));
}

}  // namespace wtool::host::workflow
