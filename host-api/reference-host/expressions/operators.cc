#include "expressions/calls.h"

#include <compare>
#include <optional>

namespace wtool::host::expressions {
namespace {

bool is_number(const Value& value) { return value.as_int() != nullptr || value.as_double() != nullptr; }

double as_double(const Value& number) {
  return number.as_int() != nullptr ? static_cast<double>(*number.as_int()) : *number.as_double();
}

std::partial_ordering order_numbers(const Value& left, const Value& right) {
  const std::int64_t* a = left.as_int();
  const std::int64_t* b = right.as_int();
  if (a != nullptr && b != nullptr) return *a <=> *b;
  return as_double(left) <=> as_double(right);
}

// The order of two numbers or two texts. Nothing: the values are neither two numbers nor two texts.
std::optional<std::partial_ordering> order(const Value& left, const Value& right) {
  if (is_number(left) && is_number(right)) return order_numbers(left, right);
  const std::string* a = left.as_text();
  const std::string* b = right.as_text();
  if (a != nullptr && b != nullptr) return *a <=> *b;
  return std::nullopt;
}

std::string not_comparable(std::string_view operation, const Value& left, const Value& right) {
  const bool text_and_number =
      (left.as_text() != nullptr && is_number(right)) || (right.as_text() != nullptr && is_number(left));
  return described(left) + " and " + described(right) + " cannot be compared with " + std::string(operation) +
         (text_and_number ? "; int(...) converts a text to a number" : "");
}

std::variant<bool, std::string> equal(std::string_view operation, const Value& left, const Value& right,
                                      Budget& budget);

std::variant<bool, std::string> equal_lists(std::string_view operation, const List& left, const List& right,
                                            Budget& budget) {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    auto same = equal(operation, left[i], right[i], budget);
    if (!std::holds_alternative<bool>(same) || !std::get<bool>(same)) return same;
  }
  return true;
}

std::variant<bool, std::string> equal_maps(std::string_view operation, const Map& left, const Map& right,
                                           Budget& budget) {
  if (left.fields.size() != right.fields.size()) return false;
  for (const auto& [key, value] : left.fields) {
    if (!budget.spend_text(key.size())) return budget.message();
    const auto other = right.fields.find(key);
    if (other == right.fields.end()) return false;
    auto same = equal(operation, value, other->second, budget);
    if (!std::holds_alternative<bool>(same) || !std::get<bool>(same)) return same;
  }
  return true;
}

std::variant<bool, std::string> equal(std::string_view operation, const Value& left, const Value& right,
                                      Budget& budget) {
  const std::string* text = left.as_text();
  if (!budget.spend_text(text == nullptr ? 0 : text->size())) return budget.message();
  if (const auto ordered = order(left, right)) return *ordered == 0;
  if (left.as_bool() != nullptr && right.as_bool() != nullptr) return *left.as_bool() == *right.as_bool();
  if (left.is_null() || right.is_null()) return left.is_null() && right.is_null();
  // A map that has a text form is compared only with texts.
  if (left.as_text() == nullptr && right.as_text() == nullptr) {
    if (left.as_list() != nullptr && right.as_list() != nullptr) {
      return equal_lists(operation, *left.as_list(), *right.as_list(), budget);
    }
    if (left.as_map() != nullptr && right.as_map() != nullptr) {
      return equal_maps(operation, *left.as_map(), *right.as_map(), budget);
    }
  }
  return not_comparable(operation, left, right);
}

std::variant<Value, std::string> calculate_ints(char operation, std::int64_t left, std::int64_t right) {
  const std::string written = std::to_string(left) + " " + operation + " " + std::to_string(right);
  if ((operation == '/' || operation == '%') && right == 0) return written + " divides by zero";
  std::int64_t result = 0;
  bool overflow = false;
  switch (operation) {
    case '+':
      overflow = __builtin_add_overflow(left, right, &result);
      break;
    case '-':
      overflow = __builtin_sub_overflow(left, right, &result);
      break;
    case '*':
      overflow = __builtin_mul_overflow(left, right, &result);
      break;
    default:
      overflow = left == INT64_MIN && right == -1;
      if (!overflow) result = operation == '/' ? left / right : left % right;
  }
  if (overflow) return written + " does not fit into 64 bits";
  return Value(result);
}

std::variant<Value, std::string> join(const Value& left, const Value& right, Budget& budget) {
  // Joining copies both lists, so every join is charged.
  if (!budget.spend_value(left) || !budget.spend_value(right)) return budget.message();
  List joined = *left.as_list();
  joined.insert(joined.end(), right.as_list()->begin(), right.as_list()->end());
  return Value(std::move(joined));
}

}  // namespace

std::variant<bool, std::string> compare(std::string_view operation, const Value& left, const Value& right,
                                        Budget& budget) {
  if (operation == "==" || operation == "!=") {
    auto same = equal(operation, left, right, budget);
    if (const bool* truth = std::get_if<bool>(&same)) return *truth == (operation == "==");
    return same;
  }
  const std::string* text = left.as_text();
  if (!budget.spend_text(text == nullptr ? 0 : text->size())) return budget.message();
  const auto ordered = order(left, right);
  if (!ordered) return not_comparable(operation, left, right);
  if (operation == "<") return *ordered < 0;
  if (operation == "<=") return *ordered <= 0;
  if (operation == ">") return *ordered > 0;
  return *ordered >= 0;
}

std::variant<Value, std::string> calculate(char operation, const Value& left, const Value& right, Budget& budget) {
  if (left.as_int() != nullptr && right.as_int() != nullptr) {
    return calculate_ints(operation, *left.as_int(), *right.as_int());
  }
  if (left.as_double() != nullptr && right.as_double() != nullptr && operation != '%') {
    const double a = *left.as_double();
    const double b = *right.as_double();
    return Value(operation == '+' ? a + b : operation == '-' ? a - b : operation == '*' ? a * b : a / b);
  }
  const std::string* a = left.as_text();
  const std::string* b = right.as_text();
  if (operation == '+' && a != nullptr && b != nullptr) {
    if (!budget.spend_text(a->size() + b->size())) return budget.message();
    return Value(*a + *b);
  }
  if (operation == '+' && a == nullptr && b == nullptr && left.as_list() != nullptr && right.as_list() != nullptr) {
    return join(left, right, budget);
  }
  std::string hint;
  if (operation == '%' && is_number(left) && is_number(right)) {
    hint = "; % needs two ints";
  } else if (is_number(left) && is_number(right)) {
    hint = "; double(...) makes a double from an int";
  } else if (operation == '+' && (a != nullptr || b != nullptr)) {
    hint = "; string(...) makes a text from a value, and int(...) a number from a text";
  } else if (a != nullptr || b != nullptr) {
    hint = "; int(...) converts a text to a number";
  }
  return described(left) + " and " + described(right) + " cannot be combined with " + operation + hint;
}

std::variant<bool, std::string> is_in(const Value& wanted, const Value& container, Budget& budget) {
  if (const List* list = container.as_list()) {
    // An element that is equal takes precedence over one that cannot be compared.
    std::variant<bool, std::string> found = false;
    for (const Value& element : *list) {
      auto same = equal("==", wanted, element, budget);
      if (budget.exhausted()) return same;
      const bool* truth = std::get_if<bool>(&same);
      if (truth != nullptr && *truth) return true;
      if (truth == nullptr && std::holds_alternative<bool>(found)) found = std::move(same);
    }
    return found;
  }
  if (const Map* map = container.as_map(); map != nullptr && !map->text) {
    const std::string* key = wanted.as_text();
    if (key == nullptr) return "the keys of a map are strings, but got " + described(wanted);
    return map->fields.contains(*key);
  }
  return "'in' needs a list or a map after it, but got " + described(container) +
         (container.as_text() != nullptr ? "; to look for a part of a text, use .contains(...)" : "");
}

}  // namespace wtool::host::expressions
