#include "base/config/schema.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/config/keys.h"
#include "base/json_reader.h"
#include "base/json_schema.h"
#include "base/text.h"

namespace wtool {

namespace {

using nlohmann::ordered_json;

constexpr const char* variable_pattern = "^[A-Za-z_][A-Za-z0-9_]*$";
constexpr const char* class_pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$";  // is_class_name()

// A value that is read as the text that it is written as: `true` and 5 are texts there.
ordered_json scalar() { return {{"type", {"string", "number", "boolean"}}}; }

// A home folder cannot be written as ~.
ordered_json location() { return {{"type", "string"}, {"minLength", 1}, {"not", {{"pattern", "^~(/|$)"}}}}; }

ordered_json list_of(ordered_json element) { return {{"type", "array"}, {"items", std::move(element)}}; }

ordered_json mapping(const char* names, ordered_json values) {
  return {{"type", "object"}, {"propertyNames", {{"pattern", names}}}, {"additionalProperties", std::move(values)}};
}

ordered_json object_of(ordered_json properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
}

std::string capitalised(std::string text) {
  text.front() = upper(text.front());
  return text;
}

ordered_json number(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? ordered_json(whole) : ordered_json(value);
}

ordered_json number_in_range(const ConfigKey& key) {
  return {{"type", key.type == KeyType::integer ? "integer" : "number"},
          {"minimum", number(key.least)},
          {"maximum", number(key.most)}};
}

ordered_json number_schema(const ConfigKey& key) {
  std::vector<ordered_json> ways{number_in_range(key)};
  if (key.or_none && key.least > 0) ways.push_back({{"const", 0}});
  if (!key.choices.empty()) ways.push_back({{"enum", choices_of(key)}});
  return ways.size() == 1 ? ways.front() : ordered_json{{"anyOf", ways}};
}

ordered_json class_schema(std::string_view section);

ordered_json server_object() {
  ordered_json properties = ordered_json::object();
  for (const std::string_view name : server_keys()) properties[std::string(name)] = server_key_schema(name);
  ordered_json made = object_of(std::move(properties));
  made["required"] = ordered_json::array({"command"});
  return made;
}

ordered_json value_schema(const ConfigKey& key) {
  switch (key.type) {
    case KeyType::program: {
      ordered_json made = location();
      made["pattern"] = "/";
      return made;
    }
    case KeyType::boolean:
      return {{"type", "boolean"}};
    case KeyType::integer:
    case KeyType::number:
      return number_schema(key);
    case KeyType::choice:
      return {{"enum", choices_of(key)}};
    case KeyType::path:
      return location();
    case KeyType::text:
      return {{"type", "string"}, {"minLength", 1}};
    case KeyType::paths:
      return list_of(location());
    case KeyType::paths_or_default:
      return {{"anyOf", {ordered_json{{"const", "default"}}, list_of(location())}}};
    case KeyType::names:
      return {{"anyOf", {ordered_json{{"enum", choices_of(key)}}, list_of({{"type", "string"}})}}};
    case KeyType::entries:
    case KeyType::programs:
    case KeyType::patterns:
      return list_of(scalar());
    case KeyType::variables:
      return mapping(variable_pattern, scalar());
    case KeyType::classes:
      return mapping(class_pattern, class_schema(key.section));
    case KeyType::servers:
      break;
  }
  return mapping(class_pattern, server_object());
}

ordered_json key_schema(const ConfigKey& key) {
  ordered_json made = value_schema(key);
  // An editor shows the description while a person types.
  made["description"] = capitalised(wanted_value(key));
  // Which values the section `sandbox` has depends on whether it is there.
  ordered_json built_in = parse_ordered_json(key.built_in);
  if (!built_in.is_null() && key.section != "sandbox") made["default"] = std::move(built_in);
  return made;
}

ordered_json class_schema(std::string_view section) {
  ordered_json properties = ordered_json::object();
  for (const ConfigKey& key : config_keys()) {
    if (key.section == section && is_for_class(key)) properties[std::string(key.name)] = value_schema(key);
  }
  return object_of(std::move(properties));
}

}  // namespace

ordered_json config_schema() {
  ordered_json sections = ordered_json::object();
  std::vector<std::string> lockable;
  for (const ConfigKey& key : config_keys()) {
    const std::string section(key.section);
    if (key.name.empty()) {
      sections[section] = key_schema(key);
    } else {
      if (!sections.contains(section)) {
        sections[section] = object_of(ordered_json::object());
        sections[section]["type"] = ordered_json::array({"object", "null"});  // a section may be empty
        lockable.push_back(section);
      }
      sections[section]["properties"][std::string(key.name)] = key_schema(key);
    }
    lockable.push_back(full_name(key));
  }
  sections["lock"] = list_of({{"enum", lockable}});
  sections["lock"]["type"] = ordered_json::array({"array", "null"});
  sections["lock"]["description"] = "Sections and keys that a later layer may only tighten";
  ordered_json made = {{"$schema", newest_schema},
                       {"title", "The configuration of wtool (wtool.yaml)"},
                       {"type", ordered_json::array({"object", "null"})},
                       {"properties", std::move(sections)},
                       {"additionalProperties", false}};
  return made;
}

}  // namespace wtool
