// Reaching into a value: the field of a map, the element of a list. Where there is none, a sentence says why.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "expressions/value.h"

namespace wtool::host::expressions {

std::variant<Value, std::string> field_of(const Value& value, std::string_view name);

// Counted from 0.
std::variant<Value, std::string> element_of(const Value& value, std::size_t index);

}  // namespace wtool::host::expressions
