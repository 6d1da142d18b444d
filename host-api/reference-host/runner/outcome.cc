#include "runner/outcome.h"

#include <memory>
#include <mutex>

#include "base/files.h"
#include "base/json.h"
#include "base/json_members.h"
#include "base/utf8.h"
#include "expressions/value.h"
#include "loader/tool_caller.h"

namespace wtool::host::runner {
namespace {

using expressions::Value;
using nlohmann::json;

std::string content_text(const json& result) {
  std::string text;
  const auto content = result.find("content");
  if (content == result.end() || !content->is_array()) return text;
  for (const json& part : *content) {
    if (!part.is_object() || text_member(part, "type") != "text") continue;
    if (!text.empty()) text += '\n';
    text += text_member(part, "text");
  }
  return text;
}

bool flag_at(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

WholeOutput whole_at(const json& metadata, const std::string& stream) {
  WholeOutput whole;
  if (const auto bytes = metadata.find(stream + "_bytes"); bytes != metadata.end() && bytes->is_number_unsigned()) {
    whole.bytes = bytes->get<std::uint64_t>();
  }
  whole.streamed = metadata.contains(stream) || metadata.contains("partial_" + stream);
  // Some tools do not say which of the two streams was cut.
  whole.cut = flag_at(metadata, (stream + "_truncated").c_str()) || (whole.streamed && flag_at(metadata, "truncated"));
  return whole;
}

// The text is what the command wrote, byte for byte. A workflow reads no other text.
bool is_exact(const WholeOutput& whole) { return !whole.cut && !whole.lossy; }

std::string why_withheld(const WholeOutput& whole, const std::string& stream) {
  const std::string what = whole.cut ? "this output was cut: the command wrote " + std::to_string(whole.bytes) +
                                           " bytes, which is more than is kept as text (output.bytes)"
                                     : "this output has bytes that are not UTF-8, so it cannot be used as text";
  if (!whole.file.empty())
    return what + "; the whole output is in the file " + whole.file + ", the field " + stream + "_file";
  return what + "; " + (whole.trouble.empty() ? "the whole output was not kept" : whole.trouble);
}

Value text_value(const WholeOutput& whole, const std::string& stream, const std::string& text) {
  return is_exact(whole) ? Value(text) : Value(expressions::Withheld{why_withheld(whole, stream)});
}

Value no_file(const std::string& stream) {
  return Value(
      expressions::Withheld{"this output has no file: files are written only if the text of the workflow "
                            "that runs the state mentions " +
                            stream + "_file"});
}

Value file_value(const WholeOutput& whole, const std::string& stream) {
  if (!whole.file.empty()) return Value(whole.file);
  if (!whole.trouble.empty()) return Value(expressions::Withheld{whole.trouble});
  // Most outputs have no file, so the two values are made once.
  static const Value no_files[] = {no_file("stdout"), no_file("stderr")};
  return no_files[stream == "stdout" ? 0 : 1];
}

// The tool repeats the outputs in its metadata, so an output whose text is not exact is withheld there, too.
Value metadata_value(const Outcome& outcome) {
  const expressions::Map* map = outcome.metadata.as_map();
  if (map == nullptr || (is_exact(outcome.whole_output) && is_exact(outcome.whole_error))) return outcome.metadata;
  expressions::Map shown = *map;
  for (const auto& [whole, stream] : {std::pair(&outcome.whole_output, std::string("stdout")),
                                      std::pair(&outcome.whole_error, std::string("stderr"))}) {
    if (is_exact(*whole)) continue;
    for (const std::string& name : {stream, "partial_" + stream}) {
      const auto found = shown.fields.find(name);
      if (found != shown.fields.end()) found->second = text_value(*whole, stream, "");
    }
  }
  return Value(std::move(shown));
}

bool looks_like_json(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && (text[first] == '{' || text[first] == '[');
}

// The output as a value, if it is JSON. Nothing: the output is not JSON.
std::optional<Value> json_value(const Outcome& outcome) {
  const WholeOutput& whole = outcome.whole_output;
  if (is_exact(whole)) return expressions::parse_json_value(outcome.standard_output);
  if (!looks_like_json(outcome.standard_output)) return std::nullopt;
  // JSON is always UTF-8, so the file of an output that is only lossy has no JSON.
  if (whole.file.empty() || !whole.cut) return Value(expressions::Withheld{why_withheld(whole, "stdout")});
  if (whole.bytes <= whole.json_limit) return Value(json_of_file(whole.file, whole.bytes));
  return Value(expressions::Withheld{"this output has " + std::to_string(whole.bytes) +
                                     " bytes, but JSON is read from at most " + std::to_string(whole.json_limit) +
                                     " (output.json_bytes); the whole output is in the file " + whole.file +
                                     ", the field stdout_file"});
}

std::variant<Value, std::string> read_json_file(const std::string& file, std::uint64_t bytes) {
  std::string content;
  if (const std::string why = read_written(file, bytes, content); !why.empty()) {
    return "this output was cut, and the file " + file + " with the whole output " + why;
  }
  auto value = expressions::parse_json_value(content);
  if (!value) return "the output in the file " + file + " is not JSON: " + expressions::quoted_for_message(content);
  return std::move(*value);
}

}  // namespace

expressions::Withheld json_of_file(const std::string& file, std::uint64_t bytes) {
  struct Cache {
    std::once_flag read;
    std::variant<Value, std::string> value;
  };
  expressions::Withheld withheld;
  withheld.file = file;
  withheld.bytes = bytes;
  withheld.why = "this output was cut; its JSON is in the file " + file;
  withheld.read = [cache = std::make_shared<Cache>(), file, bytes] {
    std::call_once(cache->read, [&] { cache->value = read_json_file(file, bytes); });
    return cache->value;
  };
  return withheld;
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
  outcome.whole_output = whole_at(metadata, "stdout");
  outcome.whole_error = whole_at(metadata, "stderr");
  outcome.standard_output = text_member(metadata, partial ? "partial_stdout" : "stdout");
  outcome.standard_error = text_member(metadata, partial ? "partial_stderr" : "stderr");
  // The tool does not say in which of the two streams it has replaced bytes.
  const bool replaced = text_member(metadata, "encoding").find("replaced") != std::string::npos;
  const auto is_lossy = [&](const std::string& text) {
    return replaced && text.find(replacement_character) != std::string::npos;
  };
  outcome.whole_output.lossy = is_lossy(outcome.standard_output);
  outcome.whole_error.lossy = is_lossy(outcome.standard_error);
  if (const auto error = metadata.find("error"); error != metadata.end() && error->is_object()) {
    outcome.error = text_member(*error, "code");
  }
  // With the code of an error, the text says what is wrong: the command has written nothing.
  if (!partial && !metadata.contains("stdout") && outcome.error.empty()) outcome.standard_output = outcome.message;
  if (auto value = expressions::from_json(metadata)) outcome.metadata = std::move(*value);
  return outcome;
}

bool is_refusal(const Outcome& outcome) {
  return outcome.error == "policy_denied" || outcome.error == "approval_denied" ||
         outcome.error == "approval_unavailable" || outcome.error == "approval_expired";
}

bool was_not_run(const Outcome& outcome) {
  static constexpr std::string_view codes[] = {"invalid_parameters",
                                               "working_directory_invalid",
                                               "command_not_found",
                                               "permission_denied",
                                               "no_node",
                                               "configuration_invalid",
                                               "spawn_failed"};
  return is_refusal(outcome) || std::find(std::begin(codes), std::end(codes), outcome.error) != std::end(codes);
}

Value to_value(const Outcome& outcome) {
  expressions::Map map;
  std::string text = outcome.standard_output;
  text.erase(text.find_last_not_of('\n') + 1);
  map.text = std::move(text);
  const WholeOutput& whole = outcome.whole_output;
  // A workflow cannot read the text of a cut output, so megabytes of it need not be kept.
  constexpr std::size_t kept_of_cut_text = 4096;
  if (whole.cut) map.text->resize(cut_before(*map.text, kept_of_cut_text));
  if (!is_exact(whole)) {
    map.text_withheld = std::make_shared<const expressions::Withheld>(*text_value(whole, "stdout", "").as_withheld());
  }
  map.fields.emplace("stdout", text_value(whole, "stdout", outcome.standard_output));
  map.fields.emplace("stderr", text_value(outcome.whole_error, "stderr", outcome.standard_error));
  map.fields.emplace("exit_code", Value(outcome.exit_code));
  map.fields.emplace("is_error", Value(outcome.is_error));
  map.fields.emplace("success", Value(!outcome.is_error));
  map.fields.emplace("failure", Value(outcome.is_error));
  map.fields.emplace("message", Value(outcome.message));
  map.fields.emplace("content", text_value(whole, "stdout", *map.text));
  map.fields.emplace("error", Value(outcome.error));
  map.fields.emplace("duration_ms", Value(outcome.duration_ms));
  map.fields.emplace("metadata", metadata_value(outcome));
  map.fields.emplace("stdout_file", file_value(whole, "stdout"));
  map.fields.emplace("stderr_file", file_value(outcome.whole_error, "stderr"));
  if (!outcome.variables.is_null()) map.fields.emplace("variables", outcome.variables);
  if (!outcome.matrix.is_null()) map.fields.emplace("matrix", outcome.matrix);
  if (outcome.answer.is_null()) {
    if (auto parsed = json_value(outcome)) map.fields.emplace("json", std::move(*parsed));
    return Value(std::move(map));
  }
  map.fields.emplace("json", outcome.answer);
  // The fields of the answer never replace the outcome's own fields.
  if (const expressions::Map* answer = outcome.answer.as_map()) {
    for (const auto& [name, value] : answer->fields) map.fields.emplace(name, value);
  }
  return Value(std::move(map));
}

struct OutcomeValue::Shared {
  std::once_flag once;
  Outcome outcome;
  Value value;

  void make_value() {
    std::call_once(once, [this] {
      value = to_value(outcome);
      outcome = {};
    });
  }
};

OutcomeValue::OutcomeValue(const Outcome& outcome) : shared_(std::make_shared<Shared>()) {
  shared_->outcome = outcome;
  // The value keeps much less of an output that was cut than the outcome does.
  if (outcome.whole_output.cut || outcome.whole_error.cut) shared_->make_value();
}

const Value& OutcomeValue::get() const {
  shared_->make_value();
  return shared_->value;
}

}  // namespace wtool::host::runner
