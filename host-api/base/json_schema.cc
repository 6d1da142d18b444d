#include "base/json_schema.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/re2_options.h"
#include "base/text.h"
#include "base/utf8.h"

namespace wtool {

namespace {

using nlohmann::json;

constexpr int max_depth = 64;
constexpr std::size_t max_made = 10'000;         // characters of a text that Maker makes
constexpr std::size_t max_judgements = 100'000;  // calls of SchemaChecker::judge() for one value

// The place of the member or element `key` inside the value at `place`.
std::string below(std::string place, std::string_view key) {
  place.append("/").append(key);
  return place;
}

bool is_type(const json& value) {
  return value.is_string() && is_one_of(value.get_ref<const std::string&>(),
                                        {"null", "boolean", "object", "array", "number", "string", "integer"});
}

// A long double holds each number of JSON exactly.
long double number_of(const json& value) {
  if (value.is_number_unsigned()) return static_cast<long double>(value.get<std::uint64_t>());
  if (value.is_number_integer()) return static_cast<long double>(value.get<std::int64_t>());
  return static_cast<long double>(value.get<double>());
}

int order_of(const auto& one, const auto& other) { return one < other ? -1 : other < one ? 1 : 0; }

// Negative, 0 or positive: a total order. Values are equal if JSON Schema treats them as equal, such as 1 and 1.0.
int compared(const json& one, const json& other) {
  if (one.is_number() && other.is_number()) return order_of(number_of(one), number_of(other));
  if (one.type() != other.type()) return order_of(static_cast<int>(one.type()), static_cast<int>(other.type()));
  if (one.is_string()) return one.get_ref<const std::string&>().compare(other.get_ref<const std::string&>());
  if (one.is_boolean()) return order_of(one.get<bool>(), other.get<bool>());
  if (!one.is_structured()) return 0;
  if (one.size() != other.size()) return order_of(one.size(), other.size());
  for (auto at = one.begin(), of_other = other.begin(); at != one.end(); ++at, ++of_other) {
    const int keys = one.is_object() ? at.key().compare(of_other.key()) : 0;
    if (keys != 0) return keys;
    if (const int values = compared(*at, *of_other); values != 0) return values;
  }
  return 0;
}

// Sorts instead of comparing all pairs, because an answer may be a list of any length.
bool is_unique(const json& list) {
  std::vector<const json*> items;
  for (const json& item : list) items.push_back(&item);
  std::sort(items.begin(), items.end(), [](const json* one, const json* other) { return compared(*one, *other) < 0; });
  return std::adjacent_find(items.begin(), items.end(), [](const json* one, const json* other) {
           return compared(*one, *other) == 0;
         }) == items.end();
}

// The part of `root` to which a reference within it points; nullptr: there is no such part.
const json* referred(const json& root, const std::string& reference) {
  if (reference == "#") return &root;
  if (!reference.starts_with("#/")) return nullptr;
  try {
    const json::json_pointer pointer(reference.substr(1));
    return root.contains(pointer) ? &root.at(pointer) : nullptr;
  } catch (const json::exception&) {
    return nullptr;
  }
}

// ---- Is a schema well-formed?

// True if the schema says that it is of draft 7 or 2019-09. There, `items` may be a list of schemas for the first items,
// and `additionalItems` is for the others; later, these are `prefixItems` and `items`.
bool is_of_older_draft(const json& schema) {
  const auto draft = schema.is_object() ? schema.find("$schema") : schema.end();
  return schema.is_object() && draft != schema.end() && draft->is_string() &&
         is_one_of(draft->get_ref<const std::string&>(),
                   {"http://json-schema.org/draft-07/schema", "http://json-schema.org/draft-07/schema#",
                    "https://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema#",
                    "https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2019-09/schema#"});
}

class SchemaReader {
 public:
  explicit SchemaReader(const json& root) : root_(root), older_(is_of_older_draft(root)) {}

  std::string read(const json& schema, const std::string& place, int depth = 0) const {
    if (depth > max_depth) return place + " is nested deeper than " + std::to_string(max_depth) + " schemas";
    if (schema.is_boolean()) return {};
    if (!schema.is_object()) return place + " is " + excerpt(schema) + ", which is not a schema";
    for (const auto& [key, value] : schema.items()) {
      if (std::string mistake = read_keyword(key, value, below(place, key), depth); !mistake.empty()) return mistake;
    }
    return {};
  }

 private:
  std::string read_all(const json& list, const std::string& place, int depth) const {
    for (const auto& [key, value] : list.items()) {
      if (std::string mistake = read(value, below(place, key), depth + 1); !mistake.empty()) return mistake;
    }
    return {};
  }

  std::string read_keyword(const std::string& key, const json& value, const std::string& place, int depth) const {
    const auto wrong = [&](const char* what) { return place + " is " + excerpt(value) + ", which is not " + what; };
    if (key == "type") {
      const bool good = is_type(value) || (value.is_array() && !value.empty() && is_unique(value) &&
                                           std::all_of(value.begin(), value.end(), is_type));
      return good ? std::string{} : wrong("a type");
    }
    if (is_one_of(key, {"properties", "patternProperties", "$defs", "dependentSchemas"})) {
      return value.is_object() ? read_all(value, place, depth) : wrong("an object of schemas");
    }
    if (older_ && key == "items" && value.is_array()) return read_all(value, place, depth);
    if (is_one_of(key, {"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
                        "unevaluatedItems", "unevaluatedProperties"}) ||
        (older_ && key == "additionalItems")) {
      return read(value, place, depth + 1);
    }
    if (is_one_of(key, {"allOf", "anyOf", "oneOf", "prefixItems"})) {
      return value.is_array() && !value.empty() ? read_all(value, place, depth) : wrong("a list of schemas");
    }
    if (key == "required") {
      const bool good = value.is_array() && is_unique(value) &&
                        std::all_of(value.begin(), value.end(), [](const json& name) { return name.is_string(); });
      return good ? std::string{} : wrong("a list of different names");
    }
    if (key == "enum" || key == "examples") return value.is_array() ? std::string{} : wrong("a list");
    if (is_one_of(key, {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})) {
      return value.is_number() ? std::string{} : wrong("a number");
    }
    if (key == "multipleOf") return value.is_number() && value > 0 ? std::string{} : wrong("a number above 0");
    if (is_one_of(key, {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
                        "minContains", "maxContains"})) {
      return value.is_number_integer() && value >= 0 ? std::string{} : wrong("an integer of 0 or more");
    }
    if (is_one_of(key, {"uniqueItems", "deprecated", "readOnly", "writeOnly"})) {
      return value.is_boolean() ? std::string{} : wrong("a boolean");
    }
    if (is_one_of(key, {"pattern", "title", "description", "format", "$id", "$comment", "$anchor"})) {
      return value.is_string() ? std::string{} : wrong("a text");
    }
    if (key == "$schema") {
      const bool known = value == newest_schema || value == newest_schema + std::string("#") || older_;
      return known ? std::string{} : wrong("the URI of a JSON Schema of draft 7, 2019-09 or 2020-12");
    }
    if (key == "$ref") {
      if (!value.is_string()) return wrong("a reference");
      const auto& reference = value.get_ref<const std::string&>();
      const bool within = reference == "#" || reference.starts_with("#/");
      const json* const part = within ? referred(root_, reference) : nullptr;
      if (part == nullptr) return within ? wrong("a part of this schema") : std::string{};
      // The part may be in a place where no keyword expects a schema, so it is read here.
      return read_.insert(part).second ? read(*part, reference, depth + 1) : std::string{};
    }
    return {};
  }

  const json& root_;
  const bool older_;
  mutable std::set<const json*> read_{};  // the parts that were read because a reference points to them
};

// ---- Is a value valid?

bool is_pattern(const std::string& pattern) { return re2::RE2(pattern, re2_options()).ok(); }

bool matches(const std::string& text, const std::string& pattern) {
  const re2::RE2 compiled(pattern, re2_options());
  return !compiled.ok() || re2::RE2::PartialMatch(text, compiled);  // not ok: a pattern that RE2 does not support
}

class SchemaChecker {
 public:
  explicit SchemaChecker(const json& root) : root_(root), older_(is_of_older_draft(root)) {}

  std::string judge(const json& value, const json& schema, const std::string& place, int depth = 0) const {
    if (depth > max_depth) return place + " is nested too deeply for this schema, or the schema refers to itself";
    if (++judgements_ > max_judgements) return place + " takes too long to compare with this schema";
    if (schema.is_boolean()) return schema.get<bool>() ? std::string{} : place + " must not be there";
    for (const auto& part : {&SchemaChecker::general, &SchemaChecker::number, &SchemaChecker::text,
                             &SchemaChecker::list, &SchemaChecker::object, &SchemaChecker::composed}) {
      if (std::string mistake = (this->*part)(value, schema, place, depth); !mistake.empty()) return mistake;
    }
    return {};
  }

 private:
  bool is_valid(const json& value, const json& schema, int depth) const {
    return judge(value, schema, "", depth + 1).empty();
  }

  std::string general(const json& value, const json& schema, const std::string& place, int) const {
    if (const auto type = schema.find("type"); type != schema.end()) {
      const json types = type->is_array() ? *type : json::array({*type});
      const auto fits = [&](const json& one) { return has_json_type(value, one.get_ref<const std::string&>()); };
      if (std::none_of(types.begin(), types.end(), fits)) {
        return place + " is " + excerpt(value) + ", but its type must be " + excerpt(*type);
      }
    }
    if (const auto known = schema.find("const"); known != schema.end() && *known != value) {
      return place + " is " + excerpt(value) + ", but must be " + excerpt(*known);
    }
    if (const auto list = schema.find("enum");
        list != schema.end() && std::find(list->begin(), list->end(), value) == list->end()) {
      return place + " is " + excerpt(value) + ", but must be one of " + excerpt(*list);
    }
    return {};
  }

  std::string number(const json& value, const json& schema, const std::string& place, int) const {
    if (!value.is_number()) return {};
    const auto breaks = [&](const char* key, auto&& broken) {
      const auto limit = schema.find(key);
      return limit != schema.end() && broken(*limit)
                 ? place + " is " + excerpt(value) + ", but its " + key + " is " + excerpt(*limit)
                 : std::string{};
    };
    for (std::string mistake : {breaks("minimum", [&](const json& l) { return value < l; }),
                                breaks("maximum", [&](const json& l) { return value > l; }),
                                breaks("exclusiveMinimum", [&](const json& l) { return value <= l; }),
                                breaks("exclusiveMaximum", [&](const json& l) { return value >= l; }),
                                breaks("multipleOf", [&](const json& l) {
                                  // A double cannot represent all large integers, but a long double can.
                                  if (value.is_number_integer() && l.is_number_integer()) {
                                    return std::fmod(value.get<long double>(), l.get<long double>()) != 0;
                                  }
                                  const double times = value.get<double>() / l.get<double>();
                                  return std::abs(times - std::round(times)) > 1e-9;
                                })}) {
      if (!mistake.empty()) return mistake;
    }
    return {};
  }

  // Compares a count with the keywords for its minimum and its maximum.
  static std::string count_mistake(std::size_t count, const json& schema, const char* least, const char* most,
                                   const std::string& place) {
    if (const auto limit = schema.find(least); limit != schema.end() && count < limit->get<std::size_t>()) {
      return place + " has the size " + std::to_string(count) + ", but its " + least + " is " + excerpt(*limit);
    }
    if (const auto limit = schema.find(most); limit != schema.end() && count > limit->get<std::size_t>()) {
      return place + " has the size " + std::to_string(count) + ", but its " + most + " is " + excerpt(*limit);
    }
    return {};
  }

  std::string text(const json& value, const json& schema, const std::string& place, int) const {
    if (!value.is_string()) return {};
    const auto& content = value.get_ref<const std::string&>();
    if (std::string mistake = count_mistake(character_count(content), schema, "minLength", "maxLength", place);
        !mistake.empty()) {
      return mistake;
    }
    const auto pattern = schema.find("pattern");
    return pattern != schema.end() && !matches(content, pattern->get_ref<const std::string&>())
               ? place + " is " + excerpt(value) + ", which does not match " + excerpt(*pattern)
               : std::string{};
  }

  std::string list(const json& value, const json& schema, const std::string& place, int depth) const {
    if (!value.is_array()) return {};
    if (std::string mistake = count_mistake(value.size(), schema, "minItems", "maxItems", place); !mistake.empty()) {
      return mistake;
    }
    if (schema.value("uniqueItems", false) && !is_unique(value)) return place + " has an item twice";
    const bool listed = older_ && schema.contains("items") && schema["items"].is_array();
    const char* const of_others = listed ? "additionalItems" : "items";
    const json first = schema.value(listed ? "items" : "prefixItems", json::array());
    for (std::size_t i = 0; i < value.size(); ++i) {
      const json* of_item = i < first.size() ? &first[i] : schema.contains(of_others) ? &schema[of_others] : nullptr;
      if (of_item == nullptr) continue;
      if (std::string mistake = judge(value[i], *of_item, below(place, std::to_string(i)), depth + 1);
          !mistake.empty()) {
        return mistake;
      }
    }
    if (const auto wanted = schema.find("contains"); wanted != schema.end()) {
      const auto fits = [&](const json& item) { return is_valid(item, *wanted, depth); };
      const auto count = static_cast<std::size_t>(std::count_if(value.begin(), value.end(), fits));
      if (count < schema.value("minContains", std::size_t{1})) {
        return place + " has too few items that match \"contains\"";
      }
      if (count > schema.value("maxContains", value.size()))
        return place + " has too many items that match \"contains\"";
    }
    return {};
  }

  std::string object(const json& value, const json& schema, const std::string& place, int depth) const {
    if (!value.is_object()) return {};
    if (std::string mistake = count_mistake(value.size(), schema, "minProperties", "maxProperties", place);
        !mistake.empty()) {
      return mistake;
    }
    for (const json& name : schema.value("required", json::array())) {
      if (!value.contains(name.get_ref<const std::string&>())) return place + " has no " + excerpt(name);
    }
    const json properties = schema.value("properties", json::object());
    const json patterns = schema.value("patternProperties", json::object());
    for (const auto& item : value.items()) {
      const std::string& key = item.key();
      const json& member = item.value();
      if (const auto names = schema.find("propertyNames"); names != schema.end()) {
        if (std::string mistake = judge(key, *names, place + "/(the name " + excerpt(key) + ')', depth + 1);
            !mistake.empty()) {
          return mistake;
        }
      }
      bool known = false;
      const auto judge_member = [&](const json& by) {
        known = true;
        return judge(member, by, below(place, key), depth + 1);
      };
      std::string mistake;
      if (properties.contains(key)) mistake = judge_member(properties[key]);
      for (const auto& [pattern, by] : patterns.items()) {
        if (mistake.empty() && matches(key, pattern)) mistake = judge_member(by);
      }
      if (mistake.empty() && !known && schema.contains("additionalProperties")) {
        mistake = judge_member(schema["additionalProperties"]);
      }
      if (!mistake.empty()) return mistake;
    }
    return {};
  }

  std::string composed(const json& value, const json& schema, const std::string& place, int depth) const {
    if (const auto reference = schema.find("$ref"); reference != schema.end()) {
      const json* part = referred(root_, reference->get_ref<const std::string&>());
      if (part != nullptr) {
        if (std::string mistake = judge(value, *part, place, depth + 1); !mistake.empty()) return mistake;
      }
    }
    const auto valid = [&](const json& by) { return is_valid(value, by, depth); };
    for (const json& by : schema.value("allOf", json::array())) {
      if (std::string mistake = judge(value, by, place, depth + 1); !mistake.empty()) return mistake;
    }
    if (const auto any = schema.find("anyOf"); any != schema.end() && std::none_of(any->begin(), any->end(), valid)) {
      return place + " is " + excerpt(value) + ", which matches no schema of \"anyOf\"";
    }
    if (const auto one = schema.find("oneOf");
        one != schema.end() && std::count_if(one->begin(), one->end(), valid) != 1) {
      return place + " is " + excerpt(value) + ", which must match exactly one schema of \"oneOf\", but does not";
    }
    if (const auto no = schema.find("not"); no != schema.end() && valid(*no)) {
      return place + " is " + excerpt(value) + ", which \"not\" excludes";
    }
    if (const auto condition = schema.find("if"); condition != schema.end()) {
      const auto follows = schema.find(valid(*condition) ? "then" : "else");
      if (follows != schema.end()) return judge(value, *follows, place, depth + 1);
    }
    return {};
  }

  const json& root_;
  const bool older_;
  mutable std::size_t judgements_ = 0;
};

// ---- Which keywords are not evaluated?

std::string find_unjudged(const json& schema, const std::string& place) {
  if (!schema.is_object()) return {};
  for (const auto& [key, value] : schema.items()) {
    std::string at = below(place, key);  // not const, so that it can be returned without a copy
    if (is_one_of(key, {"unevaluatedItems", "unevaluatedProperties", "format", "dependentSchemas", "dependentRequired",
                        "dependencies", "$dynamicRef", "$recursiveRef", "contentSchema"})) {
      return at;
    }
    if (key == "pattern" && value.is_string() && !is_pattern(value.get_ref<const std::string&>())) return at;
    if (key == "$ref" && value.is_string() && value != "#" && !value.get_ref<const std::string&>().starts_with("#/")) {
      return at;
    }
    const bool is_map = is_one_of(key, {"properties", "patternProperties", "$defs", "definitions"});
    if (is_map || (key == "items" && value.is_array()) || is_one_of(key, {"allOf", "anyOf", "oneOf", "prefixItems"})) {
      for (const auto& [name, part] : value.items()) {
        std::string at_part = below(at, name);
        if (key == "patternProperties" && !is_pattern(name)) return at_part;
        if (std::string found = find_unjudged(part, at_part); !found.empty()) return found;
      }
    } else if (is_one_of(key, {"items", "additionalItems", "additionalProperties", "not", "if", "then", "else",
                               "contains", "propertyNames"})) {
      if (std::string found = find_unjudged(value, at); !found.empty()) return found;
    }
  }
  return {};
}

// ---- The least value.

class Maker {
 public:
  explicit Maker(const json& root) : root_(root) {}

  std::optional<json> make(const json& schema, int depth = 0) const {
    if (depth > max_depth) return std::nullopt;
    if (schema.is_boolean()) return schema.get<bool>() ? std::optional<json>(nullptr) : std::nullopt;
    for (const char* key : {"const", "default"}) {
      if (schema.contains(key)) return schema[key];
    }
    for (const char* key : {"examples", "enum"}) {
      if (schema.contains(key) && !schema[key].empty()) return schema[key].front();
    }
    if (schema.contains("$ref")) {
      const json* part = referred(root_, schema["$ref"].get<std::string>());
      return part == nullptr ? std::nullopt : make(*part, depth + 1);
    }
    for (const char* key : {"oneOf", "anyOf", "allOf"}) {
      if (!schema.contains("type") && schema.contains(key)) return make(schema[key].front(), depth + 1);
    }
    const json types = schema.value("type", json("object"));
    const std::string type = types.is_array() ? types.front().get<std::string>() : types.get<std::string>();
    if (type == "null") return json(nullptr);
    if (type == "boolean") return json(false);
    if (type == "string") return json(std::string(std::min(schema.value("minLength", std::size_t{0}), max_made), 'a'));
    if (type == "integer" || type == "number") return number(schema);
    if (type == "array") return list(schema, depth);
    return object(schema, depth);
  }

 private:
  static json number(const json& schema) {
    json value = schema.value("minimum", json(0));
    if (schema.contains("exclusiveMinimum")) value = std::floor(schema["exclusiveMinimum"].get<double>()) + 1;
    if (schema.contains("maximum") && value > schema["maximum"]) value = schema["maximum"];
    if (!value.is_number_float()) return value;
    constexpr double past_int64 = 9223372036854775808.0;
    const auto made = value.get<double>();
    const bool is_whole = std::abs(made) < past_int64 && std::trunc(made) == made;
    return is_whole ? json(static_cast<std::int64_t>(made)) : value;
  }

  std::optional<json> list(const json& schema, int depth) const {
    json value = json::array();
    const bool listed = schema.contains("items") && schema["items"].is_array();  // of an older draft
    const json first = schema.value(listed ? "items" : "prefixItems", json::array());
    const json others = schema.value(listed ? "additionalItems" : "items", json(true));
    for (std::size_t i = 0; i < std::min<std::size_t>(schema.value("minItems", std::size_t{0}), 100); ++i) {
      const json& by = i < first.size() ? first[i] : others;
      const auto item = make(by, depth + 1);
      if (!item) return std::nullopt;
      value.push_back(*item);
    }
    return value;
  }

  std::optional<json> object(const json& schema, int depth) const {
    json value = json::object();
    for (const json& name : schema.value("required", json::array())) {
      const auto& key = name.get_ref<const std::string&>();
      const json properties = schema.value("properties", json::object());
      const auto member = make(properties.value(key, json(true)), depth + 1);
      if (!member) return std::nullopt;
      value[key] = *member;
    }
    return value;
  }

  const json& root_;
};

// The type of a part may be declared in several places, so all of them are looked at.
class IntegerMaker {
 public:
  explicit IntegerMaker(const json& root) : root_(root) {}

  const std::string& too_large() const { return too_large_; }

  void make(json& value, const json& schema, int depth) const {
    // A schema may refer to itself in many ways.
    if (!schema.is_object() || depth > max_depth || ++looks_ > max_judgements) return;
    const auto each = [&](const char* key, const auto& use) {
      if (const auto found = schema.find(key); found != schema.end()) use(*found);
    };
    each("$ref", [&](const json& reference) {
      const json* const part = reference.is_string() ? referred(root_, reference.get<std::string>()) : nullptr;
      if (part != nullptr) make(value, *part, depth + 1);
    });
    for (const char* key : {"allOf", "anyOf", "oneOf"}) {
      each(key, [&](const json& parts) {
        for (const json& part : parts) make(value, part, depth + 1);
      });
    }
    if (value.is_number_float() || value.is_number_unsigned()) {
      each("type", [&](const json& type) { number(value, type); });
    } else if (value.is_object()) {
      each("properties", [&](const json& properties) {
        for (const auto& [name, part] : properties.items()) {
          if (const auto field = value.find(name); field != value.end()) make(*field, part, depth + 1);
        }
      });
      each("additionalProperties", [&](const json& part) {
        const json named = schema.value("properties", json::object());
        for (auto& [name, field] : value.items()) {
          if (!named.contains(name)) make(field, part, depth + 1);
        }
      });
    } else if (value.is_array()) {
      const json first = schema.value("prefixItems", json::array());
      for (std::size_t i = 0; i < std::min(first.size(), value.size()); ++i) make(value[i], first[i], depth + 1);
      each("items", [&](const json& part) {
        for (std::size_t i = first.size(); i < value.size(); ++i) make(value[i], part, depth + 1);
      });
    }
  }

 private:
  void number(json& value, const json& type) const {
    const auto is = [&](const char* name) {
      return type == name || (type.is_array() && std::find(type.begin(), type.end(), name) != type.end());
    };
    constexpr double limit = 9223372036854775808.0;  // 2^63
    if (!is("integer") || is("number")) return;
    if (value.is_number_unsigned()) {
      if (value.get<std::uint64_t>() > std::uint64_t{INT64_MAX}) too_large_ = value.dump();
      return;
    }
    const auto written = value.get<double>();
    if (std::trunc(written) != written) return;
    // -(2^63 + 1) is read as -2^63, too.
    if (written > -limit && written < limit) {
      value = static_cast<std::int64_t>(written);
    } else {
      too_large_ = value.dump();
    }
  }

  const json& root_;
  mutable std::string too_large_;
  mutable std::size_t looks_ = 0;
};

}  // namespace

std::string schema_mistake(const json& schema) { return SchemaReader(schema).read(schema, "#"); }

std::string instance_mistake(const json& value, const json& schema) {
  std::string mistake = SchemaChecker(schema).judge(value, schema, "#");
  // Only the value itself has this place: the place of everything inside it begins with "#/".
  if (mistake.starts_with("# ")) mistake.replace(0, 1, "the value");
  return mistake;
}

std::string make_integers(json& value, const json& schema) {
  const IntegerMaker maker(schema);
  maker.make(value, schema, 0);
  return maker.too_large();
}

std::string unjudged_part(const json& schema) { return find_unjudged(schema, "#"); }

std::optional<json> least_instance(const json& schema) {
  const auto value = Maker(schema).make(schema);
  return value && instance_mistake(*value, schema).empty() ? value : std::nullopt;
}

bool has_json_type(const json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  if (type != "integer") return true;
  return value.is_number_integer() ||
         (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>());
}

}  // namespace wtool
