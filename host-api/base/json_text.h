// A text as a JSON string, appended to a line that grows.
//
// nlohmann's library writes all other JSON. A record of a journal must cost about a microsecond, and by the library it costs
// ten: it copies each text into a value first (docs/decisions/0026-rooms.md).
#pragma once

#include <string>
#include <string_view>

namespace wtool {

// Appends the text with its quotes. Each byte that is not UTF-8 becomes U+FFFD, so that the line is always JSON.
void append_json_string(std::string& out, std::string_view text);

}  // namespace wtool
