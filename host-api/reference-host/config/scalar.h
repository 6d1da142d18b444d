// The type of a YAML scalar, by the core schema of YAML 1.2: `yes` is text, `0x10` is 16, `1e3` is a float.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace wtool::host {

// `tag` is what yaml-cpp gives: "!" for a quoted scalar, "?" or "" for a plain one, or the tag in the file. False where
// the tag is not in the core schema, or the text does not fit it; `error` says which. An integer beyond 64 bits becomes
// a float, as in JSON. .inf and .nan, which JSON does not have, are errors.
bool parse_scalar(const std::string& text, const std::string& tag, nlohmann::json& value, std::string& error);

}  // namespace wtool::host
