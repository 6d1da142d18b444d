// Access to parts of a value: the field of a map, the element of a list, the number of elements. Where a value has no
// such part, a sentence says why.
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

// The characters of a text, the elements of a list or the fields of a map, as an int.
std::variant<Value, std::string> size_of(const Value& value);

}  // namespace wtool::host::expressions
