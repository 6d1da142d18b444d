// Appends a text to a line as a JSON string.
//
// All other JSON is written by nlohmann's library. A record of a journal may take about one microsecond to write, but
// the library would take ten, because it first copies each text into a value (docs/decisions/0026-rooms.md).
#pragma once

#include <string>
#include <string_view>

namespace wtool {

// Appends the text with its quotes. Each byte that is not UTF-8 becomes U+FFFD, so that the line is always JSON.
void append_json_string(std::string& out, std::string_view text);

}  // namespace wtool
