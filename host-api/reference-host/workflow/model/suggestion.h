// "Did you mean ...?" for words of a workflow.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wtool::host::workflow {

// `; did you mean 'NAME'?`, or nothing if no known word is similar. Only the first 2,000 are compared, so that many
// mistakes in a large file stay affordable.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

// The name that did_you_mean() has put into a message; empty if it has none.
std::string suggested_in(std::string_view message);

}  // namespace wtool::host::workflow
