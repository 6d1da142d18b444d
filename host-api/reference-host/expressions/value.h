// What conditions compare and templates insert: null, bool, int, double, string, list, map. Immutable, cheap to copy
// even when large, and safe to read from several threads at the same time.
//
// A map may also have a text form. A step's outcome is such a map: `build.exit_code` reads a field of it, and `build`
// alone is what the step printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace wtool::host::expressions {

class Value;
using List = std::vector<Value>;
struct Map;
struct Withheld;

class Value {
 public:
  Value() = default;  // null
  explicit Value(bool value) : data_(value) {}
  explicit Value(std::int64_t value) : data_(value) {}
  explicit Value(double value) : data_(value) {}
  explicit Value(std::string value);
  explicit Value(std::string_view value) : Value(std::string(value)) {}
  explicit Value(const char* value) : Value(std::string(value)) {}
  explicit Value(List value);
  explicit Value(Map value);
  explicit Value(Withheld value);

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  const bool* as_bool() const { return std::get_if<bool>(&data_); }
  const std::int64_t* as_int() const { return std::get_if<std::int64_t>(&data_); }
  const double* as_double() const { return std::get_if<double>(&data_); }
  const List* as_list() const;
  const Map* as_map() const;
  // Set if the value, or the text form of a map, is not in memory in full; else nullptr.
  const Withheld* as_withheld() const;
  // The text of a string, or of a map that has a text form; else nullptr. Lives as long as the value does.
  const std::string* as_text() const;

  // "null", "bool", "int", "double", "string", "list" or "map"; a map that has a text form is a "string". For a
  // withheld value, words for a message.
  std::string_view type_name() const;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::shared_ptr<const std::string>,
               std::shared_ptr<const List>, std::shared_ptr<const Map>, std::shared_ptr<const Withheld>>
      data_;
};

struct Map {
  std::map<std::string, Value, std::less<>> fields;
  std::optional<std::string> text;
  // Set if `text` is only a part of the whole text. The fields can then be read, but not the text.
  std::shared_ptr<const Withheld> text_withheld{};
};

// Replaces a value that is not in memory in full, such as the text of an output that was cut. Reading it is an error
// with the reason `why`, unless `read` can fetch the value.
struct Withheld {
  std::string why;
  // Returns the value, or why it cannot be read. Any thread may call it.
  std::function<std::variant<Value, std::string>()> read{};
  std::string file{};       // the file that `read` reads; empty without `read`
  std::uint64_t bytes = 0;  // the size of that file
};

// The field of a map; nullptr: it has no such field, or `value` is null or not a map.
const Value* field_of(const Value* value, std::string_view name);

// The value itself. For a withheld value: the value that Withheld::read fetches, or a sentence that says why it cannot be
// read.
std::variant<Value, std::string> readable(const Value& value);

// Why a list or a map cannot be written as text: a value within it is withheld. Empty: it can be written.
std::string withheld_within(const Value& value);

// What a template inserts: texts unchanged, numbers and bools as expressions write them, null as an empty text, lists
// and maps as JSON.
std::string to_text(const Value& value);

// The value as JSON text. A map that has a text form becomes a JSON string.
std::string to_json(const Value& value);

// `"abc"` for messages: quoted, on one line, shortened.
std::string quoted_for_message(std::string_view text);

// `the int 3`, `the string "abc"`, `a list`: a value for messages.
std::string described(const Value& value);

// ---- JSON as values, so that templates and conditions can read the fields of what a tool or a program returns.

// JSON that is nested more deeply than this is treated as text, because code that walks through a value recurses.
inline constexpr int max_json_depth = 100;

// What JSON means depends on who wrote it: the journal writes some values as objects of a special form.
struct JsonReading {
  int max_depth = max_json_depth;
  // Reads an object at `depth`, which may have a special form. nullptr: no object has a special form.
  std::optional<Value> (*read_object)(const nlohmann::json& object, int depth) = nullptr;
};

// Numbers that do not fit into 64 bits become doubles. Nothing: the value is nested too deeply.
std::optional<Value> from_json(const nlohmann::json& json);
// The same for a value that is nested at the depth `depth`.
std::optional<Value> from_json(const nlohmann::json& json, const JsonReading& reading, int depth);
// The value of a JSON text. A whole number that does not fit into 64 bits becomes a string of its digits, so that none is
// lost. Nothing: the text is not JSON, or is nested too deeply.
std::optional<Value> from_json_text(std::string_view text);
// The fields of an object that is nested at the depth `depth`.
std::optional<Map> map_from_json(const nlohmann::json& object, const JsonReading& reading, int depth);

// The value of a text that is a JSON object or list, perhaps with blanks around it. Nothing: the text is not JSON of
// this kind, or is nested too deeply.
std::optional<Value> parse_json_value(std::string_view text);

// The JSON value for messages: on one line, shortened. All but numbers, booleans and null are quoted.
std::string quoted_json(const nlohmann::json& json);

// One sentence for people: why parse_json_value() returns nothing for this text.
std::string why_not_json(std::string_view text);

}  // namespace wtool::host::expressions
