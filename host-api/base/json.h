// nlohmann's JSON library, compiled once. Include this instead of <nlohmann/json.hpp>: the classes are declared as
// instantiated in json.cc and ordered_json.cc. Otherwise, each file that uses them would compile its own parser and
// serializer, which takes longer than everything else in the file. For the same reason, texts are parsed by
// json_reader.h.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

NLOHMANN_JSON_NAMESPACE_BEGIN

extern template class basic_json<>;
extern template class basic_json<ordered_map>;

NLOHMANN_JSON_NAMESPACE_END

namespace wtool {

// The JSON text of a value: on one line or, with an `indent` of 0 or more columns, with a line for each member. Bytes
// that are not UTF-8 become U+FFFD, so nothing is thrown. The form with several lines is for people, so no character in
// it controls a terminal or changes the writing direction (base/escape.h): such characters are escaped.
std::string dumped(const nlohmann::json& value, int indent = -1);
std::string dumped(const nlohmann::ordered_json& value, int indent = -1);
// Appends the same to `out`, on one line.
void append_dumped(std::string& out, const nlohmann::ordered_json& value);
// The same on one line, with every character beyond ASCII escaped: \u00e9.
std::string dumped_as_ascii(const nlohmann::json& value);
// The beginning of such a text, for a message: at most 60 characters, and "... (N bytes)" if there are more. Secrets are
// masked where a text has been cut in this form.
std::string excerpt(const nlohmann::json& value);

}  // namespace wtool
