// Separate from json.cc, because each of the two files takes long to compile.
#include "base/json.h"
#include "base/json_line.h"

NLOHMANN_JSON_NAMESPACE_BEGIN

template class basic_json<ordered_map>;

NLOHMANN_JSON_NAMESPACE_END

namespace wtool {

void append_dumped(std::string& out, const nlohmann::ordered_json& value) { append_json_value(out, value); }

std::string dumped(const nlohmann::ordered_json& value, int indent) {
  if (indent >= 0) {
    return with_controls_escaped(value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }
  std::string line;
  append_json_value(line, value);
  return line;
}

}  // namespace wtool
