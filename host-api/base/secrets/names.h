// Names whose values are secret. Pure functions.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace wtool::secrets {

bool equal_ignoring_case(std::string_view a, std::string_view b);
bool is_any_of(std::initializer_list<std::string_view> words, std::string_view text);  // ignores case

// True for names of variables and fields: *TOKEN*, *SECRET*, *PASSWORD*, *API_KEY*, ... in any case.
bool is_secret_name(std::string_view name);

// True for names of options whose values are secret: --pass-word, --pwd, -storepass, --ApiKey. Only the letters of the
// name are compared. `name` is passed without its leading dashes.
bool is_secret_option(std::string_view name);

// True for options that only say something about a secret and take no value: --show-token, --no-password.
bool is_flag_about_secret(std::string_view name);

// True for query parameters of URLs whose values are secret: ?key=, &sig=, &X-Amz-Signature=.
bool is_secret_parameter(std::string_view name);

}  // namespace wtool::secrets
