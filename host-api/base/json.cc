#include "base/json.h"

NLOHMANN_JSON_NAMESPACE_BEGIN

template class basic_json<>;

NLOHMANN_JSON_NAMESPACE_END
