#include "base/json.h"

#include "base/json_line.h"

NLOHMANN_JSON_NAMESPACE_BEGIN

template class basic_json<>;

NLOHMANN_JSON_NAMESPACE_END

namespace wtool {

std::string dumped(const nlohmann::json& value, int indent) {
  if (indent >= 0) return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
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
