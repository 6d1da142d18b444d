// JSON as values: what a tool or a program answers, to be read field by field.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "expressions/value.h"

namespace wtool::host::expressions {

// Deeper JSON is taken for text: whatever walks through a value recurses.
inline constexpr int max_json_depth = 100;

// Numbers that fit into no 64 bits become doubles. Nothing: it is nested too deeply.
std::optional<Value> from_json(const nlohmann::json& json);

// The value of a text that is a JSON object or list, blanks around it allowed; nothing: it is not JSON.
std::optional<Value> parse_json(std::string_view text);

// The JSON text for messages: quoted, on one line, shortened.
std::string quoted_json(const nlohmann::json& json);

// One sentence for people: why parse_json() gives nothing for this text.
std::string why_not_json(std::string_view text);

}  // namespace wtool::host::expressions
