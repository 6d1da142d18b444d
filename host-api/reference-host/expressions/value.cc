#include "expressions/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/json.h"
#include "base/json_reader.h"
#include "base/json_text.h"
#include "base/raw_json.h"
#include "base/text.h"
#include "base/utf8.h"

namespace wtool::host::expressions {
namespace {

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end.ptr};
}

void append_json(std::string& out, const Value& value) {
  if (const std::string* text = value.as_text()) return append_json_string(out, *text);
  // This text is not used: callers check withheld_within() first.
  if (value.as_withheld() != nullptr && value.as_map() == nullptr) {
    return append_json_string(out, value.as_withheld()->why);
  }
  if (const List* list = value.as_list()) {
    out += '[';
    const char* separator = "";
    for (const Value& item : *list) {
      out += separator;
      append_json(out, item);
      separator = ",";
    }
    out += ']';
  } else if (const Map* map = value.as_map()) {
    out += '{';
    const char* separator = "";
    for (const auto& [name, item] : map->fields) {
      out += separator;
      append_json_string(out, name);
      out += ':';
      append_json(out, item);
      separator = ",";
    }
    out += '}';
  } else if (value.is_null() || (value.as_double() != nullptr && !std::isfinite(*value.as_double()))) {
    out += "null";
  } else {
    out += to_text(value);
  }
}

}  // namespace

// Many texts are empty, and share one string.
Value::Value(std::string value) {
  static const auto empty = std::make_shared<const std::string>();
  data_ = value.empty() ? empty : std::make_shared<const std::string>(std::move(value));
}
Value::Value(List value) : data_(std::make_shared<const List>(std::move(value))) {}
Value::Value(Map value) : data_(std::make_shared<const Map>(std::move(value))) {}
Value::Value(Withheld value) : data_(std::make_shared<const Withheld>(std::move(value))) {}

const List* Value::as_list() const {
  const auto* list = std::get_if<std::shared_ptr<const List>>(&data_);
  return list == nullptr ? nullptr : list->get();
}

const Map* Value::as_map() const {
  const auto* map = std::get_if<std::shared_ptr<const Map>>(&data_);
  return map == nullptr ? nullptr : map->get();
}

const Withheld* Value::as_withheld() const {
  if (const auto* withheld = std::get_if<std::shared_ptr<const Withheld>>(&data_)) return withheld->get();
  const Map* map = as_map();
  return map == nullptr ? nullptr : map->text_withheld.get();
}

const std::string* Value::as_text() const {
  if (const auto* text = std::get_if<std::shared_ptr<const std::string>>(&data_)) return text->get();
  const Map* map = as_map();
  return map != nullptr && map->text ? &*map->text : nullptr;
}

std::string_view Value::type_name() const {
  if (as_text() != nullptr) return "string";
  static constexpr std::string_view names[] = {"null",   "bool", "int", "double",
                                               "string", "list", "map", "value that is not in memory"};
  return names[data_.index()];
}

std::string to_text(const Value& value) {
  if (const std::string* text = value.as_text()) return *text;
  if (const bool* truth = value.as_bool()) return *truth ? "true" : "false";
  if (const std::int64_t* number = value.as_int()) return std::to_string(*number);
  if (const double* number = value.as_double()) return number_text(*number);
  if (value.is_null()) return "";
  return to_json(value);
}

std::string to_json(const Value& value) {
  std::string out;
  append_json(out, value);
  return out;
}

std::variant<Value, std::string> readable(const Value& value) {
  const Withheld* withheld = value.as_withheld();
  if (withheld == nullptr) return value;
  if (withheld->read) return withheld->read();
  return withheld->why;
}

std::string withheld_within(const Value& value) {
  if (const Withheld* withheld = value.as_withheld()) return withheld->read ? "" : withheld->why;
  if (const List* list = value.as_list()) {
    for (const Value& item : *list) {
      if (std::string why = withheld_within(item); !why.empty()) return why;
    }
  } else if (const Map* map = value.as_map(); map != nullptr && !map->text) {
    for (const auto& [name, item] : map->fields) {
      if (std::string why = withheld_within(item); !why.empty()) return why;
    }
  }
  return "";
}

std::string quoted_for_message(std::string_view text) {
  static constexpr std::size_t longest = 60;
  std::string shown(text.substr(0, cut_before(text, longest)));
  if (shown.size() < text.size()) shown += "...";
  std::string out;
  append_json_string(out, shown);
  return out;
}

std::string described(const Value& value) {
  if (const std::string* text = value.as_text()) return "the string " + quoted_for_message(*text);
  if (value.is_null()) return "null";
  if (value.as_withheld() != nullptr) return "a " + std::string(value.type_name());
  if (value.as_list() != nullptr || value.as_map() != nullptr) return "a " + std::string(value.type_name());
  return "the " + std::string(value.type_name()) + " " + to_text(value);
}

// ---- JSON as values.

namespace {

using nlohmann::json;

}  // namespace

std::optional<Map> map_from_json(const json& object, const JsonReading& reading, int depth) {
  Map map;
  for (const auto& [key, one] : object.items()) {
    auto value = from_json(one, reading, depth + 1);
    if (!value) return std::nullopt;
    map.fields.insert_or_assign(key, std::move(*value));
  }
  return map;
}

std::optional<Value> from_json(const json& from, const JsonReading& reading, int depth) {
  if (depth > reading.max_depth) return std::nullopt;
  switch (from.type()) {
    case json::value_t::boolean:
      return Value(from.get<bool>());
    case json::value_t::number_integer:
      return Value(from.get<std::int64_t>());
    case json::value_t::number_unsigned: {
      const auto number = from.get<std::uint64_t>();
      return number <= INT64_MAX ? Value(static_cast<std::int64_t>(number)) : Value(static_cast<double>(number));
    }
    case json::value_t::number_float:
      return Value(from.get<double>());
    case json::value_t::string:
      return Value(from.get_ref<const std::string&>());
    case json::value_t::array: {
      List list;
      for (const json& one : from) {
        auto value = from_json(one, reading, depth + 1);
        if (!value) return std::nullopt;
        list.push_back(std::move(*value));
      }
      return Value(std::move(list));
    }
    case json::value_t::object: {
      if (reading.read_object != nullptr) return reading.read_object(from, depth);
      auto map = map_from_json(from, reading, depth);
      return map ? std::optional(Value(std::move(*map))) : std::nullopt;
    }
    default:
      return Value();
  }
}

std::optional<Value> from_json(const json& json) { return from_json(json, JsonReading(), 0); }

namespace {

bool is_whole_number(std::string_view number) { return number.find_first_of(".eE") == std::string_view::npos; }

// Reads the value at the cursor, which is nested at the depth `depth`. False: it is not JSON, or nested too deeply.
bool read_value(JsonCursor& cursor, int depth, Value& value) {
  const RawJson::Type type = cursor.type();
  const bool has_values = type == RawJson::Type::object || type == RawJson::Type::array;
  if (has_values && depth == max_json_depth) return false;
  switch (type) {
    case RawJson::Type::object: {
      Map map;
      const bool read = cursor.object(
          [&](std::string_view name) { return read_value(cursor, depth + 1, map.fields[without_json_escapes(name)]); });
      if (read) value = Value(std::move(map));
      return read;
    }
    case RawJson::Type::array: {
      List list;
      const bool read = cursor.array([&] { return read_value(cursor, depth + 1, list.emplace_back()); });
      if (read) value = Value(std::move(list));
      return read;
    }
    default: {
      RawJson simple;
      if (!cursor.value(simple)) return false;
      if (auto text = simple.text()) {
        value = Value(std::move(*text));
      } else if (const auto boolean = simple.boolean()) {
        value = Value(*boolean);
      } else if (const auto integer = simple.integer<std::int64_t>()) {
        value = Value(*integer);
      } else if (simple.type() == RawJson::Type::number) {
        value = is_whole_number(simple.raw()) ? Value(simple.raw()) : Value(*simple.number());
      } else {
        value = Value();
      }
      return true;
    }
  }
}

}  // namespace

std::optional<Value> from_json_text(std::string_view text) {
  JsonCursor cursor(text);
  Value value;
  if (!read_value(cursor, 0, value) || !cursor.is_at_end()) return std::nullopt;
  return value;
}

const Value* field_of(const Value* value, std::string_view name) {
  const Map* map = value == nullptr ? nullptr : value->as_map();
  if (map == nullptr) return nullptr;
  const auto found = map->fields.find(name);
  return found == map->fields.end() ? nullptr : &found->second;
}

std::string quoted_json(const json& json) {
  if (json.is_string()) return quoted_for_message(json.get_ref<const std::string&>());
  return json.is_primitive() ? dumped(json) : quoted_for_message(dumped(json));
}

std::optional<Value> parse_json_value(std::string_view text) {
  // Most output is not JSON, as its first and last characters show.
  const std::string_view inside = trimmed(text);
  const bool could_be =
      (inside.starts_with('{') && inside.ends_with('}')) || (inside.starts_with('[') && inside.ends_with(']'));
  return could_be ? from_json_text(inside) : std::nullopt;
}

std::string why_not_json(std::string_view text) {
  if (!nests_deeper(text, max_json_depth)) {
    try {
      const json parsed = parse_json_or_throw(text);
    } catch (const json::out_of_range& error) {
      // Python writes and reads numbers that are too large for a double, so its users regard the text as JSON. The
      // message must say what is wrong.
      const std::string_view what = error.what();
      const std::size_t begin = std::min(what.find('\''), what.size());
      return "the output is JSON with a number that is too large for a double: " + std::string(what.substr(begin)) +
             "; write it as a string";
    } catch (const json::exception&) {
    }
  }
  return "the output is not JSON: " + quoted_for_message(text);
}

}  // namespace wtool::host::expressions
