#include "workflow/check/tool_argument_checks.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/edit_distance.h"
#include "expressions/template.h"
#include "workflow/model/suggestion.h"

namespace wtool::host::workflow {
namespace {

using nlohmann::json;

// What a text becomes when its template is filled in: any value where it is nothing but one placeholder.
bool may_be_anything(const json& value) {
  if (!value.is_string()) return false;
  const auto parsed = expressions::parse_template(value.get_ref<const std::string&>());
  const auto* made = std::get_if<expressions::Template>(&parsed);
  if (made == nullptr || made->has_tags()) return true;
  return made->placeholders.size() == 1 && made->texts[0].empty() && made->texts[1].empty();
}

bool has_type(const json& value, const std::string& type) {
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  return type != "null" || value.is_null();
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

}  // namespace

void check_tool_arguments(const ToolAction& action, const std::string& schema, Findings& findings) {
  const json described = json::parse(schema, nullptr, false);
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
  std::vector<std::string> meant;  // what names that are not known were probably to be
  for (const auto& [name, value] : action.arguments->items()) {
    const auto property = properties->find(name);
    if (property == properties->end()) {
      if (!is_closed) continue;
      const std::string hint = did_you_mean(name, known);
      meant.push_back(suggested_in(hint));
      findings.add(place(name), "the tool " + action.tool + " has no parameter '" + name + "'" + hint + "; it takes " +
                                    joined(known));
      continue;
    }
    const std::vector<std::string> types = types_of(*property);
    const bool fits =
        types.empty() || may_be_anything(value) ||
        std::any_of(types.begin(), types.end(), [&given = value](const auto& type) { return has_type(given, type); });
    if (fits) continue;
    std::string wanted;
    for (const std::string& type : types) wanted += (wanted.empty() ? "" : " or ") + name_of_type(type);
    findings.add(place(name),
                 "the parameter '" + name + "' of the tool " + action.tool + " is " + wanted + ", and not " +
                     expressions::quoted_for_message(value.dump(-1, ' ', false, json::error_handler_t::replace)));
  }
  const auto required = described.find("required");
  if (required == described.end() || !required->is_array()) return;
  for (const json& one : *required) {
    if (!one.is_string()) continue;
    const auto& name = one.get_ref<const std::string&>();
    if (action.arguments->contains(name) || std::find(meant.begin(), meant.end(), name) != meant.end()) continue;
    findings.add(action.arguments_offset,
                 "the tool " + action.tool + " needs the parameter '" + name + "', which is missing here");
  }
}

}  // namespace wtool::host::workflow
