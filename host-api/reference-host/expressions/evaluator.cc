#include "expressions/evaluator.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace wtool::host::expressions {
namespace {

using Outcome = std::variant<Value, ExpressionError>;

ExpressionError error_at(const Node& node, std::string message) { return {node.offset, std::move(message)}; }

const Value* value_in(const Outcome& outcome) { return std::get_if<Value>(&outcome); }

std::string described(const Value& value) {
  if (const std::string* text = value.as_text()) return "the string " + quoted_for_message(*text);
  if (value.is_null()) return "null";
  if (value.as_list() != nullptr || value.as_map() != nullptr) return "a " + std::string(value.type_name());
  return "the " + std::string(value.type_name()) + " " + to_text(value);
}

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
  return count;
}

std::optional<double> as_number(const Value& value) {
  if (value.as_int() != nullptr) return static_cast<double>(*value.as_int());
  if (value.as_double() != nullptr) return *value.as_double();
  return std::nullopt;
}

template <class T>
bool holds(std::string_view operation, const T& left, const T& right) {
  if (operation == "==") return left == right;
  if (operation == "!=") return !(left == right);
  if (operation == "<") return left < right;
  if (operation == "<=") return left <= right;
  if (operation == ">") return left > right;
  return left >= right;
}

class Evaluator {
 public:
  explicit Evaluator(const Scope& scope) : scope_(scope) {}

  Outcome run(const Node& node) const {
    switch (node.kind) {
      case Node::Kind::literal:
        return node.value;
      case Node::Kind::name:
        return name(node);
      case Node::Kind::field:
        return field(node);
      case Node::Kind::index:
        return index(node);
      case Node::Kind::method:
        return method(node);
      case Node::Kind::function:
        return function(node);
      case Node::Kind::not_:
        return negation(node);
      case Node::Kind::negate:
        return minus(node);
      case Node::Kind::and_:
        return decide(node, false);
      case Node::Kind::or_:
        return decide(node, true);
      case Node::Kind::comparison:
        return compare(node);
    }
    return error_at(node, "internal: an unknown kind of node");
  }

 private:
  Outcome name(const Node& node) const {
    if (const Value* value = scope_.find(node.text)) return *value;
    return error_at(node, scope_.why_not(node.text));
  }

  Outcome field(const Node& node) const {
    Outcome object = run(*node.operands[0]);
    const Value* value = value_in(object);
    if (value == nullptr) return object;
    auto found = field_of(*value, node.text);
    if (auto* why = std::get_if<std::string>(&found)) return error_at(node, std::move(*why));
    return std::get<Value>(std::move(found));
  }

  Outcome index(const Node& node) const {
    Outcome object = run(*node.operands[0]);
    const Value* value = value_in(object);
    if (value == nullptr) return object;
    Outcome at = run(*node.operands[1]);
    const Value* key = value_in(at);
    if (key == nullptr) return at;
    std::variant<Value, std::string> found = std::string();
    if (const std::int64_t* number = key->as_int(); number != nullptr && *number >= 0) {
      found = element_of(*value, static_cast<std::size_t>(*number));
    } else if (const std::string* name = key->as_text()) {
      found = field_of(*value, *name);
    } else {
      return error_at(*node.operands[1], "an index is a whole number from 0, or a string, and not " + described(*key));
    }
    if (auto* why = std::get_if<std::string>(&found)) return error_at(node, std::move(*why));
    return std::get<Value>(std::move(found));
  }

  Outcome negation(const Node& node) const {
    Outcome operand = run(*node.operands[0]);
    const Value* value = value_in(operand);
    if (value == nullptr) return operand;
    if (const bool* truth = value->as_bool()) return Value(!*truth);
    return error_at(node, "'!' needs a bool, and got " + described(*value));
  }

  Outcome minus(const Node& node) const {
    Outcome operand = run(*node.operands[0]);
    const Value* value = value_in(operand);
    if (value == nullptr) return operand;
    if (const double* number = value->as_double()) return Value(-*number);
    if (const std::int64_t* number = value->as_int()) {
      if (*number != std::numeric_limits<std::int64_t>::min()) return Value(-*number);
      return error_at(node, "the negative of " + std::to_string(*number) + " does not fit into 64 bits");
    }
    return error_at(node, "'-' needs a number, and got " + described(*value));
  }

  // `decisive` is the operand that makes the other one irrelevant.
  Outcome decide(const Node& node, bool decisive) const {
    for (const auto& operand : node.operands) {
      Outcome outcome = run(*operand);
      const Value* value = value_in(outcome);
      if (value == nullptr) return outcome;
      const bool* truth = value->as_bool();
      if (truth == nullptr) {
        return error_at(*operand, "'" + node.text + "' needs bools, and got " + described(*value));
      }
      if (*truth == decisive) return Value(decisive);
    }
    return Value(!decisive);
  }

  Outcome compare(const Node& node) const {
    Outcome first = run(*node.operands[0]);
    const Value* left = value_in(first);
    if (left == nullptr) return first;
    Outcome second = run(*node.operands[1]);
    const Value* right = value_in(second);
    if (right == nullptr) return second;
    const bool equality = node.text == "==" || node.text == "!=";
    if (left->as_text() != nullptr && right->as_text() != nullptr) {
      return Value(holds(node.text, *left->as_text(), *right->as_text()));
    }
    if (left->as_int() != nullptr && right->as_int() != nullptr) {
      return Value(holds(node.text, *left->as_int(), *right->as_int()));
    }
    if (const auto a = as_number(*left), b = as_number(*right); a && b) return Value(holds(node.text, *a, *b));
    if (equality && left->as_bool() != nullptr && right->as_bool() != nullptr) {
      return Value(holds(node.text, *left->as_bool(), *right->as_bool()));
    }
    if (equality && (left->is_null() || right->is_null())) {
      return Value((left->is_null() && right->is_null()) == (node.text == "=="));
    }
    std::string hint;
    const bool text_and_number =
        (left->as_text() != nullptr && as_number(*right)) || (right->as_text() != nullptr && as_number(*left));
    if (text_and_number) hint = "; int(...) makes a number of a text";
    return error_at(node,
                    described(*left) + " and " + described(*right) + " cannot be compared with " + node.text + hint);
  }

  Outcome method(const Node& node) const {
    Outcome object = run(*node.operands[0]);
    const Value* value = value_in(object);
    if (value == nullptr) return object;
    if (node.text == "size") return size(node, *value);
    const std::string* text = value->as_text();
    if (text == nullptr)
      return error_at(node, node.text + " needs a string before the '.', and got " + described(*value));
    Outcome argument = run(*node.operands[1]);
    const Value* wanted = value_in(argument);
    if (wanted == nullptr) return argument;
    const std::string* part = wanted->as_text();
    if (part == nullptr)
      return error_at(*node.operands[1], node.text + " needs a string, and got " + described(*wanted));
    if (node.text == "startsWith") return Value(text->starts_with(*part));
    if (node.text == "endsWith") return Value(text->ends_with(*part));
    return Value(text->find(*part) != std::string::npos);
  }

  Outcome function(const Node& node) const {
    Outcome argument = run(*node.operands[0]);
    const Value* value = value_in(argument);
    if (value == nullptr) return argument;
    if (node.text == "size") return size(node, *value);
    if (node.text == "string") return Value(to_text(*value));
    return to_number(node, *value);
  }

  static Outcome size(const Node& node, const Value& value) {
    std::size_t count = 0;
    if (const std::string* text = value.as_text()) {
      count = characters(*text);
    } else if (const List* list = value.as_list()) {
      count = list->size();
    } else if (const Map* map = value.as_map()) {
      count = map->fields.size();
    } else {
      return error_at(node, "size needs a string, a list or a map, and got " + described(value));
    }
    return Value(static_cast<std::int64_t>(count));
  }

  static Outcome to_number(const Node& node, const Value& value) {
    const bool whole = node.text == "int";
    if (const std::string* text = value.as_text()) {
      const char* end = text->data() + text->size();
      if (whole) {
        std::int64_t number = 0;
        const auto parsed = std::from_chars(text->data(), end, number);
        if (parsed.ec == std::errc() && parsed.ptr == end) return Value(number);
      } else {
        double number = 0;
        const auto parsed = std::from_chars(text->data(), end, number);
        if (parsed.ec == std::errc() && parsed.ptr == end) return Value(number);
      }
    } else if (const std::int64_t* number = value.as_int()) {
      return whole ? Value(*number) : Value(static_cast<double>(*number));
    } else if (const double* fraction = value.as_double()) {
      if (!whole) return value;
      // Beyond these bounds the conversion is undefined.
      if (*fraction > -9.2e18 && *fraction < 9.2e18) return Value(static_cast<std::int64_t>(*fraction));
    }
    return error_at(node, node.text + "() cannot make a number of " + described(value));
  }

  const Scope& scope_;
};

}  // namespace

std::variant<Value, ExpressionError> evaluate(const Expression& expression, const Scope& scope) {
  return Evaluator(scope).run(*expression.root);
}

std::variant<Value, std::string> field_of(const Value& value, std::string_view name) {
  const Map* map = value.as_map();
  if (map == nullptr) return described(value) + " has no field '" + std::string(name) + "'";
  const auto found = map->fields.find(name);
  if (found != map->fields.end()) return found->second;
  if (map->text && name == "json") return "the output is no JSON: " + quoted_for_message(*map->text);
  constexpr std::size_t most = 20;
  std::string known;
  std::size_t count = 0;
  for (const auto& [field, unused] : map->fields) {
    if (++count <= most) known += (known.empty() ? "" : ", ") + field;
  }
  if (count > most) known += ", and " + std::to_string(count - most) + " more";
  return "there is no field '" + std::string(name) + "'; there are " + (known.empty() ? "none" : known);
}

std::variant<Value, std::string> element_of(const Value& value, std::size_t index) {
  const List* list = value.as_list();
  if (list == nullptr) return described(value) + " is no list, and has no element " + std::to_string(index);
  if (index < list->size()) return (*list)[index];
  return "there is no element " + std::to_string(index) + "; the list has " + std::to_string(list->size());
}

}  // namespace wtool::host::expressions
