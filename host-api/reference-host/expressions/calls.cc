#include "expressions/calls.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/edit_distance.h"
#include "base/text.h"
#include "expressions/path.h"

namespace wtool::host::expressions {
namespace {

using CallResult = std::variant<Value, CallMistake>;

struct Callable {
  std::string_view name;
  std::size_t arguments;
};
constexpr std::array functions = {Callable{"size", 1},   Callable{"int", 1},  Callable{"double", 1},
                                  Callable{"string", 1}, Callable{"bool", 1}, Callable{"type", 1},
                                  Callable{"matches", 2}};
constexpr std::array methods = {Callable{"startsWith", 1}, Callable{"endsWith", 1}, Callable{"contains", 1},
                                Callable{"includes", 1},   Callable{"matches", 1},  Callable{"size", 0}};
constexpr std::array<std::string_view, 5> macros = {"exists", "exists_one", "all", "filter", "map"};

// The cost of a pattern that each call must compile: compiling takes long even for a short text such as (a{100}){10}.
constexpr std::size_t steps_to_compile = 200;
constexpr std::size_t steps_to_fail = 100'000;
constexpr std::size_t steps_to_compile_instruction = 4;
constexpr std::size_t instructions_of_a_step = 32;  // an instruction takes about 5 ns

std::string check(std::span<const Callable> known, std::string_view kind, std::string_view name,
                  std::size_t arguments) {
  std::vector<std::string> names;
  for (const Callable& callable : known) {
    if (callable.name == name) {
      if (callable.arguments == arguments) return "";
      return "'" + std::string(name) + "' takes " + std::to_string(callable.arguments) + " argument(s), not " +
             std::to_string(arguments);
    }
    names.emplace_back(callable.name);
  }
  if (kind == "method") names.insert(names.end(), macros.begin(), macros.end());
  if (kind == "function") names.emplace_back("has");
  const std::string one(kind);
  return "there is no " + one + " '" + std::string(name) + "'" + known_names(name, one + 's', names);
}

CallResult size(const Value& value, Budget& budget) {
  const std::string* text = value.as_text();
  if (!budget.spend_text(text == nullptr ? 0 : text->size())) return CallMistake{budget.message()};
  auto counted = size_of(value);
  if (auto* why = std::get_if<std::string>(&counted)) return CallMistake{std::move(*why)};
  return std::get<Value>(std::move(counted));
}

template <class Number>
std::optional<Value> number_of(const std::string& text) {
  Number number{};
  if (!read_number(text, number)) return std::nullopt;
  return Value(number);
}

std::optional<Value> to_int(const Value& value) {
  if (const std::string* text = value.as_text()) return number_of<std::int64_t>(*text);
  if (value.as_int() != nullptr) return value;
  const double* number = value.as_double();
  // Beyond these bounds the conversion is undefined.
  if (number == nullptr || !(*number > -0x1p63 && *number < 0x1p63)) return std::nullopt;
  return Value(static_cast<std::int64_t>(*number));
}

std::optional<Value> to_double(const Value& value) {
  if (const std::string* text = value.as_text()) return number_of<double>(*text);
  if (value.as_double() != nullptr) return value;
  if (value.as_int() == nullptr) return std::nullopt;
  return Value(static_cast<double>(*value.as_int()));
}

std::optional<Value> to_bool(const Value& value) {
  if (value.as_bool() != nullptr) return value;
  const std::string* text = value.as_text();
  if (text == nullptr) return std::nullopt;
  if (is_one_of(*text, {"true", "True", "TRUE", "t", "1"})) return Value(true);
  if (is_one_of(*text, {"false", "False", "FALSE", "f", "0"})) return Value(false);
  return std::nullopt;
}

CallResult convert(std::string_view to, const Value& value) {
  const std::optional<Value> made = to == "int" ? to_int(value) : to == "double" ? to_double(value) : to_bool(value);
  if (made) return *made;
  const std::string wanted = to == "bool" ? "bool" : "number";
  return CallMistake{std::string(to) + "() cannot make a " + wanted + " from " + described(value)};
}

CallResult matches(const std::string& text, const Value& wanted, const Pattern* pattern, Budget& budget) {
  std::shared_ptr<const Pattern> compiled;
  if (pattern == nullptr) {
    const std::string* written = wanted.as_text();
    if (written == nullptr) return CallMistake{"'matches' needs a string, but got " + described(wanted), true};
    if (!budget.spend(steps_to_compile + written->size())) return CallMistake{budget.message()};
    auto made = Pattern::compile(*written);
    if (auto* why = std::get_if<std::string>(&made)) {
      if (!budget.spend(steps_to_fail)) return CallMistake{budget.message()};
      return CallMistake{*why + Pattern::hint_for_expressions, true};
    }
    compiled = std::get<std::shared_ptr<const Pattern>>(std::move(made));
    pattern = compiled.get();
    if (!budget.spend(pattern->size() * steps_to_compile_instruction)) return CallMistake{budget.message()};
  }
  // Charges the worst case: some patterns need all their instructions for each byte.
  if (!budget.spend(1 + text.size() * pattern->size() / instructions_of_a_step)) {
    return CallMistake{"the text has " + std::to_string(text.size()) +
                       " bytes, which is too much for this pattern: " + budget.message()};
  }
  return Value(pattern->is_in(text));
}

}  // namespace

std::string check_function(std::string_view name, std::size_t arguments) {
  return check(functions, "function", name, arguments);
}

std::string check_method(std::string_view name, std::size_t arguments) {
  return check(methods, "method", name, arguments);
}

bool is_macro(std::string_view name) { return std::find(macros.begin(), macros.end(), name) != macros.end(); }

CallResult call_function(std::string_view name, std::span<const Value> arguments, const Pattern* pattern,
                         Budget& budget) {
  const Value& value = arguments[0];
  if (name == "size") return size(value, budget);
  if (name == "type") return Value(value.type_name());
  if (name == "matches") {
    if (value.as_text() == nullptr) return CallMistake{"'matches' needs a string, but got " + described(value)};
    return matches(*value.as_text(), arguments[1], pattern, budget);
  }
  if (name == "string") {
    if (!budget.spend_value(value)) return CallMistake{budget.message()};
    if (std::string why = withheld_within(value); !why.empty()) return CallMistake{std::move(why)};
    return Value(to_text(value));
  }
  return convert(name, value);
}

CallResult call_method(std::string_view name, const Value& object, std::span<const Value> arguments,
                       const Pattern* pattern, Budget& budget) {
  if (name == "size") return size(object, budget);
  const Value& wanted = arguments[0];
  const std::string* text = object.as_text();
  if (name == "includes" && text == nullptr && object.as_list() != nullptr) {
    auto found = is_in(wanted, object, budget);
    if (auto* why = std::get_if<std::string>(&found)) return CallMistake{std::move(*why)};
    return Value(std::get<bool>(found));
  }
  if (text == nullptr) {
    return CallMistake{
        "'" + std::string(name) + "' needs a string" + (name == "includes" ? " or a list" : "") +
        " before the '.', but got " + described(object) +
        (name == "contains" && object.as_list() != nullptr ? "; to look for an element of a list, use includes" : "")};
  }
  if (name == "matches") return matches(*text, wanted, pattern, budget);
  const std::string* part = wanted.as_text();
  if (part == nullptr) {
    return CallMistake{"'" + std::string(name) + "' needs a string, but got " + described(wanted), true};
  }
  if (!budget.spend_text(text->size() + part->size())) return CallMistake{budget.message()};
  if (name == "startsWith") return Value(text->starts_with(*part));
  if (name == "endsWith") return Value(text->ends_with(*part));
  // memmem() is linear even in the worst case; find() is not.
  return Value(::memmem(text->data(), text->size(), part->data(), part->size()) != nullptr);
}

}  // namespace wtool::host::expressions
