// Objects that are never destroyed. A host may call exit() while other threads are inside calls. Static objects with
// destructors would then be destroyed under these threads, and what they end or wait for would hold up the exit. So
// static objects of the plugin whose destructors do anything are made with this function:
//
//   static const auto& names = lasting<std::vector<std::string>>(list_names());
#pragma once

#include <utility>

namespace wtool {

template <typename T, typename... Arguments>
T& lasting(Arguments&&... arguments) {
  return *new T(std::forward<Arguments>(arguments)...);
}

}  // namespace wtool
