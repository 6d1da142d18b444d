// The encodings in which programs print a secret: base64, URLs and HTML. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wtool::secrets {

std::string base64(std::string_view bytes);

// Appends the texts to search for in a text that may contain `value` in one of these encodings. The base64 of a value
// depends on the bytes around the value. Only the part that does not depend on them is appended: the base64 of
// `user:VALUE`, and that of VALUE and a newline, contain this part. A short form would match by accident, so a form has
// at least eight characters. A form may be appended more than once: a secret may have thousands of forms, so looking
// for duplicates here would be slow, and the callers sort the forms and remove duplicates anyway.
void append_encoded(std::string_view value, std::vector<std::string>& forms);

}  // namespace wtool::secrets
