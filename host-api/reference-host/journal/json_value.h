// Values and times as the JSON of records, appended to a line that grows; and read back.
//
// A value survives the way there and back: ints stay ints and doubles doubles, and a map that stands for a text keeps
// both. What JSON has no form for is an object of one name that begins with `$`:
//   {"$text": "...", "fields": {...}}   a map that stands for a text
//   {"$double": "nan"}                  a double that is no number
//   {"$map": {...}}                     a map with a name that begins with `$` itself
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

// Nothing: it is none that append_json_value makes, or nested too deeply to be walked through.
std::optional<expressions::Value> value_from_json(const nlohmann::json& json);
// Nothing: it is none that append_json_time makes (the quotes are gone).
std::optional<Moment> time_from_text(std::string_view text);

// How many bytes at the end may be the beginning of a character whose rest is still to come.
std::size_t unfinished_character(std::string_view text);

}  // namespace wtool::host::journal
