// The functions, methods and operators (operators.cc) of expressions: their names, and what they return.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "expressions/budget.h"
#include "expressions/pattern.h"
#include "expressions/value.h"

namespace wtool::host::expressions {

// What is wrong with a call of this function or method, in a sentence. Empty: the function or method exists and takes
// this number of arguments (a method's object does not count).
std::string check_function(std::string_view name, std::size_t arguments);
std::string check_method(std::string_view name, std::size_t arguments);

// True for exists, exists_one, all, filter and map, which bind a variable to each element of a list.
bool is_macro(std::string_view name);

// Why a call has no result. `of_argument`: the argument is wrong, and not the value whose method was called.
struct CallMistake {
  std::string message;
  bool of_argument = false;
};

// `pattern` is the compiled argument of matches() if that argument is a literal. If it is null, the call compiles the
// argument.
std::variant<Value, CallMistake> call_function(std::string_view name, std::span<const Value> arguments,
                                               const Pattern* pattern, Budget& budget);
std::variant<Value, CallMistake> call_method(std::string_view name, const Value& object,
                                             std::span<const Value> arguments, const Pattern* pattern, Budget& budget);

// ---- The operators between two values. Each returns the result, or a sentence that says why there is no result.

// == and != compare values of the same type (lists and maps element by element), and any value with null. < <= > >=
// compare numbers with numbers and texts with texts. An int and a double are compared as doubles.
std::variant<bool, std::string> compare(std::string_view operation, const Value& left, const Value& right,
                                        Budget& budget);

// + - * / % on two ints or two doubles; + also joins texts and lists.
std::variant<Value, std::string> calculate(char operation, const Value& left, const Value& right, Budget& budget);

// True if `wanted` is an element of a list or a key of a map.
std::variant<bool, std::string> is_in(const Value& wanted, const Value& container, Budget& budget);

}  // namespace wtool::host::expressions
