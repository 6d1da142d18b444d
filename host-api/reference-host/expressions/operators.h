// What the operators between two values give. Types are not mixed: without a result, a sentence says why.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "expressions/budget.h"
#include "expressions/value.h"

namespace wtool::host::expressions {

// == and != compare values of one type, lists and maps element by element, and anything with null; < <= > >= compare
// numbers with numbers and texts with texts. An int and a double are compared as doubles.
std::variant<bool, std::string> compare(std::string_view operation, const Value& left, const Value& right,
                                        Budget& budget);

// + - * / % on two ints or two doubles; + also joins texts and lists.
std::variant<Value, std::string> calculate(char operation, const Value& left, const Value& right, Budget& budget);

// Whether `wanted` is an element of a list or a key of a map.
std::variant<bool, std::string> is_in(const Value& wanted, const Value& container, Budget& budget);

}  // namespace wtool::host::expressions
