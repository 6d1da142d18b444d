// The type of a YAML scalar, by the core schema of YAML 1.2: `yes` is text, `0x10` is 16, `1e3` is a float.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace wtool::host {

// `tag` is as yaml-cpp gives it: "!" for a quoted scalar, "?" or "" for a plain one, or what the file says. False: the
// tag is none of the core schema, or the text does not fit it; `error` says which.
// An integer beyond 64 bits becomes a float, as in JSON. .inf and .nan, which JSON does not have, are errors.
bool parse_scalar(const std::string& text, const std::string& tag, nlohmann::json& value, std::string& error);

}  // namespace wtool::host
