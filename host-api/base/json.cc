#include "base/json.h"

#include <cstdio>
#include <string_view>

#include "base/escape.h"
#include "base/json_line.h"
#include "base/utf8.h"

NLOHMANN_JSON_NAMESPACE_BEGIN

template class basic_json<>;

NLOHMANN_JSON_NAMESPACE_END

namespace wtool {

std::string with_controls_escaped(std::string json) {
  // The first bytes of all such characters in UTF-8. Most texts have none of these bytes.
  constexpr std::string_view first_bytes = "\x7f\xc2\xd8\xe2";
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = json.find_first_of(first_bytes); at != std::string::npos;
       at = json.find_first_of(first_bytes, at)) {
    const Character next = first_character(std::string_view(json).substr(at));
    if (is_control(next.code_point)) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(next.code_point));
      out.append(json, copied, at - copied).append(escape);
      copied = at + next.length;
    }
    at += next.length;
  }
  return copied == 0 ? json : out.append(json, copied);
}

std::string dumped(const nlohmann::json& value, int indent) {
  if (indent >= 0) {
    return with_controls_escaped(value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  std::string line;
  append_json_value(line, value);
  return line;
}

std::string dumped_as_ascii(const nlohmann::json& value) {
  return value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string excerpt(const nlohmann::json& value) {
  std::string text = dumped_as_ascii(value);
  if (text.size() <= 60) return text;
  return text.substr(0, 60) + "... (" + std::to_string(text.size()) + " bytes)";
}

}  // namespace wtool
