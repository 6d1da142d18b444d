// What to write instead of what a judged line may not have. Pure.
#pragma once

#include <string_view>

namespace wtool::policy {

// Of a construct that is known only when it runs; `what` is what is said of it: "there is a here-string".
std::string_view hint_for(std::string_view what);

// Of a builtin that is refused, by its name.
std::string_view hint_for_builtin(std::string_view name);

}  // namespace wtool::policy
