// Which values a key may have, and the messages for other ones.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "config/keys.h"

namespace wtool::host {

// Checks a value, and makes a relative path one below `folder`. Empty if the value is valid; otherwise the end of a
// sentence that begins with the key: "must be ...".
std::string check_value(const ConfigKey& key, const std::string& folder, nlohmann::json& value);

// The same of one element of a list, for the types that are lists.
bool is_list(KeyType type);
std::string check_element(const ConfigKey& key, const std::string& folder, nlohmann::json& value);

// What a variable may be called.
bool is_variable_name(std::string_view name);

// "a, b or c"
std::string alternatives(const std::vector<std::string>& words);

// Text of the file for an error: escaped, and cut where it is long.
std::string shown_text(std::string_view text);

// A value for an error, as JSON.
std::string shown(const nlohmann::json& value);

// ---- The type of a YAML scalar, by the core schema of YAML 1.2: `yes` is text, `0x10` is 16, `1e3` is a float.

// `tag` is what yaml-cpp gives: "!" for a quoted scalar, "?" or "" for a plain one, or the tag in the file. False where
// the tag is not in the core schema, or the text does not fit it; `error` says which. An integer beyond 64 bits becomes
// a float, as in JSON. .inf and .nan, which JSON does not have, are errors.
bool parse_scalar(const std::string& text, const std::string& tag, nlohmann::json& value, std::string& error);

}  // namespace wtool::host
