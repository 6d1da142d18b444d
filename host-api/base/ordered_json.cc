// Separate from json.cc, because each of the two files takes long to compile.
#include "base/json.h"

NLOHMANN_JSON_NAMESPACE_BEGIN

template class basic_json<ordered_map>;

NLOHMANN_JSON_NAMESPACE_END

namespace wtool {

std::string dumped(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace wtool
