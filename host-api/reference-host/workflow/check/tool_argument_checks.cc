#include "base/json.h"
#include "workflow/check/checks.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "base/edit_distance.h"
#include "base/json_reader.h"
#include "base/json_schema.h"
#include "base/utf8.h"
#include "expressions/template.h"
#include "expressions/value.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {
namespace {

using nlohmann::json;

// Whether `value` is a text whose template may become a value of any type, as a single placeholder may. (A template
// with tags becomes a text. An invalid one is reported elsewhere.)
bool may_be_anything(const json& value) {
  if (!value.is_string()) return false;
  const auto parsed = expressions::parse_template(value.get_ref<const std::string&>());
  const auto* made = std::get_if<expressions::Template>(&parsed);
  if (made == nullptr) return true;
  return !made->has_tags() && made->placeholders.size() == 1 && made->texts[0].empty() && made->texts[1].empty();
}

std::string name_of_type(const std::string& type) {
  if (type == "string") return "a text";
  if (type == "integer") return "a whole number";
  if (type == "number") return "a number";
  if (type == "boolean") return "true or false";
  if (type == "array") return "a list";
  return type == "object" ? "an object {...}" : type;
}

// The types that a property may have; empty: any.
std::vector<std::string> types_of(const json& property) {
  const auto found = property.is_object() ? property.find("type") : property.end();
  if (!property.is_object() || found == property.end()) return {};
  if (found->is_string()) return {found->get<std::string>()};
  std::vector<std::string> types;
  if (!found->is_array()) return {};
  for (const json& one : *found) {
    if (one.is_string()) types.push_back(one.get<std::string>());
  }
  return types;
}

// What the text is in every run. Nothing: it has placeholders or tags.
std::optional<std::string> known_text(const std::string& text) {
  const auto parsed = expressions::parse_template(text);
  const auto* made = std::get_if<expressions::Template>(&parsed);
  if (made == nullptr || !made->placeholders.empty() || made->has_tags()) return std::nullopt;
  return made->texts[0];
}

// The limit of the schema that the value breaks, in words; empty: it breaks none. Types are checked elsewhere.
std::string broken_limit(const json& schema, const json& value) {
  const auto number = [&](const char* key) -> std::optional<double> {
    const auto found = schema.find(key);
    return found != schema.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
  };
  const auto written = [&](const char* key) { return schema.at(key).dump(); };
  if (value.is_number()) {
    if (const auto least = number("minimum"); least && value.get<double>() < *least) {
      return "at least " + written("minimum");
    }
    if (const auto most = number("maximum"); most && value.get<double>() > *most) {
      return "at most " + written("maximum");
    }
  }
  if (const auto text = value.is_string() ? known_text(value.get_ref<const std::string&>()) : std::nullopt) {
    const auto length = static_cast<double>(character_count(*text));
    if (const auto least = number("minLength"); least && length < *least) {
      return *least == 1 ? "a text that is not empty" : "at least " + written("minLength") + " characters long";
    }
    if (const auto most = number("maxLength"); most && length > *most) {
      return "at most " + written("maxLength") + " characters long";
    }
  }
  return "";
}

// What the value must be, in words; empty: the value is right, or not known before a run.
std::string mistake_in(const json& schema, const json& value) {
  if (!schema.is_object() || may_be_anything(value)) return "";
  const std::vector<std::string> types = types_of(schema);
  if (types.empty() ||
      std::any_of(types.begin(), types.end(), [&value](const auto& type) { return has_json_type(value, type); })) {
    return broken_limit(schema, value);
  }
  std::string wanted;
  for (const std::string& type : types) wanted += (wanted.empty() ? "" : " or ") + name_of_type(type);
  return wanted;
}

}  // namespace

void check_tool_arguments(const ToolAction& action, const std::string& schema, std::optional<std::int64_t> timeout_max,
                          Diagnostics& diagnostics) {
  const json described = parse_json(schema);
  if (!action.arguments || !described.is_object()) return;
  const auto properties = described.find("properties");
  if (properties == described.end() || !properties->is_object()) return;
  const auto place = [&](const std::string& name) {
    const auto found = action.argument_places.find(name);
    return found == action.argument_places.end() ? action.arguments_offset : found->second;
  };
  std::vector<std::string> known;
  for (const auto& [name, property] : properties->items()) known.push_back(name);
  const auto more = described.find("additionalProperties");
  const bool is_closed = more != described.end() && more->is_boolean() && !more->get<bool>();
  std::vector<std::string> meant;  // what the unknown names were probably meant to be
  for (const auto& [name, value] : action.arguments->items()) {
    const auto property = properties->find(name);
    if (property == properties->end()) {
      if (!is_closed) continue;
      const std::string others = known_names(name, "parameters", known);
      meant.push_back(suggested_in(others));
      diagnostics.add(place(name), "the tool " + action.tool + " has no parameter '" + name + "'" + others);
      continue;
    }
    // A text for standard input may contain anything, so no message shows it.
    const bool is_hidden = action.tool == shell_tool && name == "stdin";
    const auto tell = [&, offset = place(name)](const std::string& path, const json& wrong, const std::string& wanted) {
      if (wanted.empty()) return;
      diagnostics.add(offset, "the parameter '" + path + "' of the tool " + action.tool + " must be " + wanted +
                                  ", not " + (is_hidden ? describe_json(wrong) : expressions::quoted_json(wrong)));
    };
    json own = *property;
    // The schema has the maximum for calls that are not from a workflow. A workflow has the configured maximum.
    if (action.tool == shell_tool && name == "timeout") {
      own.erase("maximum");
      if (timeout_max) own["maximum"] = *timeout_max;
    }
    tell(name, value, mistake_in(own, value));
    const auto each = property->is_object() ? property->find("additionalProperties") : property->end();
    if (!value.is_object() || each == property->end()) continue;
    for (const auto& [key, one] : value.items()) tell(name + "." + key, one, mistake_in(*each, one));
  }
  const auto required = described.find("required");
  if (required == described.end() || !required->is_array()) return;
  for (const json& one : *required) {
    if (!one.is_string()) continue;
    const auto& name = one.get_ref<const std::string&>();
    if (action.arguments->contains(name) || std::find(meant.begin(), meant.end(), name) != meant.end()) continue;
    diagnostics.add(action.arguments_offset,
                    "the tool " + action.tool + " needs the parameter '" + name + "', which is missing here");
  }
}

void check_timeout(const TemplateText& timeout, std::int64_t longest, Diagnostics& diagnostics) {
  std::string ignored;
  const auto wanted =
      is_literal(timeout) ? timeout_value(timeout.written.text(), ignored) : std::optional<std::chrono::milliseconds>();
  if (!wanted || *wanted <= std::chrono::seconds(longest)) return;
  diagnostics.add(timeout.written.locate(0), "this timeout is longer than limits.timeout_max, which is " +
                                                 std::to_string(longest) +
                                                 " seconds; write at most timeout=" + std::to_string(longest));
}

}  // namespace wtool::host::workflow
