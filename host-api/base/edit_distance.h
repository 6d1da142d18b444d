// "Did you mean ...?" for names that do not exist.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace wtool {

// The candidate that takes the fewest edits to reach (insert, delete, replace, or swap neighbours), if that is at most
// a third of its length (at least 1); otherwise empty. Borrowed from `candidates`.
std::string_view nearest(std::string_view name, std::span<const std::string> candidates);

// "a, b, c"
std::string joined(std::span<const std::string> words);

}  // namespace wtool
