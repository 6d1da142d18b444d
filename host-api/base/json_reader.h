// JSON that somebody else wrote: read strictly, and shown back in messages.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace wtool {

// Parses a JSON object. If the text is not JSON, is nested too deeply, is not an object, or has a key twice, `problem`
// becomes a sentence that says so, with the position in bytes if it is known. (A key that occurs twice would lose one
// of its two values.)
nlohmann::json parse_json_object(std::string_view text, std::string& problem);

// A key that an object in this JSON has twice, in the form of show_json(); empty: no object has a key twice.
std::string repeated_key(std::string_view text);

// Parse JSON of any type. If the text is not JSON, the value's is_discarded() is true. A NUL is refused, because the
// library mistakes it for the end of the text and ignores what follows. The second function keeps the order of the
// keys.
nlohmann::json parse_json(std::string_view text);
nlohmann::ordered_json parse_ordered_json(std::string_view text);

// The same, but throw nlohmann::json::exception if the text is not JSON: for texts that are known to be JSON, or whose
// mistakes the caller reports.
nlohmann::json parse_json_or_throw(std::string_view text);
nlohmann::ordered_json parse_ordered_json_or_throw(std::string_view text);

// True if arrays and objects of a text, which need not be JSON, are nested deeper than `levels`. Takes linear time;
// call this before a parser that recurses.
bool nests_deeper(std::string_view text, std::size_t levels);

// A value as JSON text for a message. If the text is longer than 60 bytes, only its beginning, followed by its size.
std::string show_json(const nlohmann::json& value);

// The type of a value, and its size in bytes as JSON text: for values that no message may show.
std::string describe_json(const nlohmann::json& value);

}  // namespace wtool
