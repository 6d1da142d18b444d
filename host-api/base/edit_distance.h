// "Did you mean ...?" for names that do not exist.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace wtool {

// The candidate that `name` becomes by the fewest edits (insert, delete, replace, or swap neighbours). Empty: every
// candidate takes more than one edit, and more than a third of its length. The text belongs to `candidates`.
std::string_view nearest(std::string_view name, std::span<const std::string> candidates);

// "a, b, c"
std::string joined(std::span<const std::string> words);

}  // namespace wtool
