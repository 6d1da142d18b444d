// What to write instead of something that a judged line must not contain. Pure functions.
#pragma once

#include <string_view>

namespace wtool::policy {

// The hint for a construct whose result is known only when the line runs. `what` is the clause that describes it:
// "there is a here-string".
std::string_view hint_for(std::string_view what);

// The hint for a builtin that is refused, by its name.
std::string_view hint_for_builtin(std::string_view name);

}  // namespace wtool::policy
