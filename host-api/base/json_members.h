// Members of a JSON object that somebody else wrote: one of another type than it should have counts as missing.
#pragma once

#include <string>

#include "base/json.h"

namespace wtool {

// Empty: there is no such member, it is no text, or this is no object. `Json` is nlohmann's json or ordered_json.
template <class Json>
std::string text_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->template get<std::string>() : std::string();
}

// The same for an object in the object.
template <class Json>
Json object_member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? *found : Json::object();
}

}  // namespace wtool
