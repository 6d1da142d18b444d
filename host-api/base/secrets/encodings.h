// The encodings in which programs print a secret: base64, URLs and HTML. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wtool::secrets {

std::string base64(std::string_view bytes);

// Appends what to look for in a text that may contain `value` in one of these encodings. In base64, that is what is the
// same whatever is before and after the value: the base64 of `user:VALUE`, and that of VALUE and a newline, contain it.
// A short form would match by accident, so a form has at least eight characters. A form may be appended more than once:
// a secret may have thousands of lines, and the callers sort the forms anyway.
void append_encoded(std::string_view value, std::vector<std::string>& forms);

}  // namespace wtool::secrets
