#include "base/json.h"

NLOHMANN_JSON_NAMESPACE_BEGIN

template class basic_json<>;

NLOHMANN_JSON_NAMESPACE_END

namespace wtool {

std::string dumped(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace wtool
