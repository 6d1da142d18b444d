#include "cli/named_arguments.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/edit_distance.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "base/utf8.h"

namespace wtool::host {

namespace {

using nlohmann::json;

constexpr auto no_position = std::string_view::npos;

bool is_name_character(char c) { return is_word_character(c) || c == '-' || c == '.'; }

struct NamedArgument {
  std::string name;   // as it was written, for messages
  std::string key;    // the name up to its first dot, if it is split there
  std::string inner;  // the rest of the name after that dot; empty: not split
  std::string value;
  bool is_json = false;
};

// The place of the = that ends the name. Nothing: the word has none of the forms.
std::optional<std::size_t> end_of_name(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == no_position) return std::nullopt;
  const std::string_view name = word.substr(0, equals > 0 && word[equals - 1] == ':' ? equals - 1 : equals);
  if (name.empty() || name.front() == '.' || name.front() == '-' || name.back() == '.') return std::nullopt;
  if (!std::all_of(name.begin(), name.end(), is_name_character)) return std::nullopt;
  return equals;
}

// `own`: the names that the schema lists. A listed name may contain a dot, and is then not split.
NamedArgument split(const std::string& word, std::size_t equals, const std::vector<std::string>& own) {
  NamedArgument argument;
  argument.is_json = word[equals - 1] == ':';
  argument.name = word.substr(0, argument.is_json ? equals - 1 : equals);
  argument.value = word.substr(equals + 1);
  const std::size_t dot = argument.name.find('.');
  const bool is_whole = dot == std::string::npos || std::find(own.begin(), own.end(), argument.name) != own.end();
  argument.key = argument.name.substr(0, is_whole ? std::string::npos : dot);
  if (!is_whole) argument.inner = argument.name.substr(dot + 1);
  return argument;
}

// The part of the schema at `key`; null: the schema does not have it.
json part(const json& schema, const char* key) {
  const auto found = schema.is_object() ? schema.find(key) : schema.end();
  return found == schema.end() ? json() : *found;
}

// Whether the schema allows values of the type. Schemas of tools may contain anything; if one states no type, it allows
// text.
bool takes(const json& schema, std::string_view type) {
  const json stated = part(schema, "type");
  if (stated.is_string()) return stated.get_ref<const std::string&>() == type;
  if (!stated.is_array()) return type == "string";
  return std::any_of(stated.begin(), stated.end(), [&](const json& one) { return one == type; });
}

std::string stated_type(const json& schema) {
  const json stated = part(schema, "type");
  if (stated.is_string()) return stated.get<std::string>();
  std::string all;
  for (const json& one : stated) all += (all.empty() ? "" : " or ") + (one.is_string() ? one.get<std::string>() : "");
  return all;
}

// Parses JSON text of any value as strictly as the arguments of a call. Returns a discarded value if the text is not
// JSON.
json parsed_value(const std::string& text) {
  std::string problem;
  json holder = parse_json_object("{\"value\":" + text + '}', problem);
  if (!problem.empty() || holder.size() != 1) return json(json::value_t::discarded);
  return std::move(holder["value"]);
}

// The value in NAME=VALUE, with a type that the schema of NAME allows. Nothing: `error` says what is allowed.
std::optional<json> typed(const NamedArgument& argument, const json& schema, std::string& error) {
  if (takes(schema, "string")) return argument.value;
  json value = parsed_value(argument.value);
  const bool fits = (value.is_number() && (takes(schema, "integer") || takes(schema, "number"))) ||
                    (value.is_boolean() && takes(schema, "boolean")) || (value.is_null() && takes(schema, "null")) ||
                    (value.is_object() && takes(schema, "object")) || (value.is_array() && takes(schema, "array"));
  if (fits) return value;
  error = argument.name + ": got " + show_json(argument.value) + "; it takes a value of type " + stated_type(schema) +
          (takes(schema, "object") ? ", or one key of it: " + argument.name + ".KEY=VALUE" : "");
  return std::nullopt;
}

// Builds the object with the arguments of one call.
class ArgumentsBuilder {
 public:
  ArgumentsBuilder(const json& schema, std::string& error) : schema_(schema), error_(error) {
    const json properties = part(schema, "properties");
    for (auto it = properties.begin(); properties.is_object() && it != properties.end(); ++it)
      names_.push_back(it.key());
  }

  const std::vector<std::string>& names() const { return names_; }

  bool add(const NamedArgument& argument) {
    const json schema = schema_of(argument.key);
    if (schema.is_discarded()) return false;
    std::optional<json> value;
    if (argument.is_json) {
      value = parsed_value(argument.value);
      if (value->is_discarded()) {
        return fail(argument.name + ": " + show_json(argument.value) +
                    " is not JSON, or has a key twice; for text, use " + argument.name + "=VALUE");
      }
    }
    if (!argument.inner.empty()) return add_inner(argument, schema, std::move(value));
    const bool is_element = !argument.is_json && takes(schema, "array") && !takes(schema, "string");
    if (is_element) return add_element(argument, schema);
    if (!value) value = typed(argument, schema, error_);
    if (!value) return false;
    if (object_.contains(argument.key)) return twice(argument);
    object_[argument.key] = std::move(*value);
    return true;
  }

  std::string text() const { return object_.dump(); }

 private:
  // Returns a discarded value if the tool has no parameter of this name; `error_` then says so.
  json schema_of(const std::string& key) {
    const json properties = part(schema_, "properties");
    if (json known = part(properties, key.c_str()); !known.is_null()) return known;
    const json others = part(schema_, "additionalProperties");
    if (others.is_object()) return others;
    if (others != false) return json::object();
    error_ = "there is no parameter " + show_json(key) + known_names(key, "parameters", names_);
    return json(json::value_t::discarded);
  }

  bool add_inner(const NamedArgument& argument, const json& schema, std::optional<json> value) {
    if (!takes(schema, "object")) {
      const std::string type = stated_type(schema);
      return fail(argument.name + ": " + argument.key + " is " + (type.empty() ? "text" : "of type " + type) +
                  " and has no keys");
    }
    json inner = part(part(schema, "properties"), argument.inner.c_str());
    if (inner.is_null()) inner = part(schema, "additionalProperties");
    if (!value) value = typed(argument, inner, error_);
    if (!value) return false;
    json& object = object_[argument.key];
    if (object.is_null()) object = json::object();
    if (!object.is_object() || object.contains(argument.inner)) return twice(argument);
    object[argument.inner] = std::move(*value);
    return true;
  }

  bool add_element(const NamedArgument& argument, const json& schema) {
    std::optional<json> value = typed(argument, part(schema, "items"), error_);
    if (!value) return false;
    const auto before = object_.find(argument.key);
    const bool is_list = std::find(lists_.begin(), lists_.end(), argument.key) != lists_.end();
    if (before != object_.end() && !is_list) return twice(argument);
    if (!is_list) lists_.push_back(argument.key);
    object_[argument.key].push_back(std::move(*value));
    return true;
  }

  bool twice(const NamedArgument& argument) { return fail(argument.name + " is given twice"); }

  bool fail(std::string text) {
    error_ = std::move(text);
    return false;
  }

  const json& schema_;
  std::string& error_;
  std::vector<std::string> names_;
  json object_ = json::object();
  std::vector<std::string> lists_;  // lists that were given element by element
};

}  // namespace

bool is_named_argument(std::string_view word) { return end_of_name(word).has_value(); }

std::string only_required_parameter(std::string_view schema) {
  const json required = part(parse_json(schema), "required");
  const bool is_one = required.is_array() && required.size() == 1 && required.front().is_string();
  return is_one ? required.front().get<std::string>() : "";
}

std::optional<std::string> object_of_named_arguments(std::span<const std::string> words, std::string_view schema,
                                                     std::string& error) {
  const json parsed = parse_json(schema);
  ArgumentsBuilder object(parsed, error);
  for (const std::string& word : words) {
    if (const std::size_t whole = valid_utf8_prefix(word); whole < word.size()) {
      error = "byte " + std::to_string(whole) + " of an argument is not UTF-8, and a call takes text";
      return std::nullopt;
    }
    const std::optional<std::size_t> equals = end_of_name(word);
    if (!equals) {
      error = show_json(word) +
              " does not have the form NAME=VALUE or NAME:=JSON; a value with blanks needs quotes, as in "
              "command='ls -l'";
      return std::nullopt;
    }
    if (!object.add(split(word, *equals, object.names()))) return std::nullopt;
  }
  return object.text();
}

}  // namespace wtool::host
