// Values and times as the JSON of records: appended to a line, and read back.
//
// A value survives being written and read: ints stay ints and doubles doubles, and a map with a text form keeps both
// its fields and its text. What JSON cannot express is written as an object in which one name begins with `$`:
//   {"$text": "...", "fields": {...}}   a map with a text form
//   {"$double": "nan"}                  a double that is not a finite number
//   {"$map": {...}}                     a map that itself has a name beginning with `$`
//   {"$withheld": "why", "file": "...", "bytes": 1}
//                                       a value that is kept in that file; without `file`, it cannot be read at all
// If the text of a map was cut, the object with `$text` also has `withheld`, the reason.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "expressions/value.h"

namespace wtool::host::journal {

using Moment = std::chrono::system_clock::time_point;

void append_json_number(std::string& out, std::int64_t number);
void append_json_value(std::string& out, const expressions::Value& value);
// RFC 3339, UTC, with milliseconds and quotes: "2026-11-21T23:15:02.123Z".
void append_json_time(std::string& out, Moment at);

// Reads a value that append_json_value() has written. Nothing: append_json_value() does not write such JSON, or the
// JSON is nested too deeply.
std::optional<expressions::Value> value_from_json(const nlohmann::json& json);
// Reads a time that append_json_time() has written, without its quotes. Nothing: the text is not such a time.
std::optional<Moment> time_from_text(std::string_view text);

}  // namespace wtool::host::journal
