// Members of a JSON object that somebody else wrote: a member of the wrong type is treated as missing.
#pragma once

#include <string>

#include "base/json.h"

namespace wtool {

// Empty: the member is missing or not a text, or `object` is not an object. `Json` is nlohmann's json or ordered_json.
template <class Json>
std::string text_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->template get<std::string>() : std::string();
}

// The same for a member that is an object.
template <class Json>
Json object_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? *found : Json::object();
}

}  // namespace wtool
