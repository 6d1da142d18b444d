#include "expressions/expression.h"

#include <limits>
#include <optional>
#include <utility>

#include "expressions/calls.h"
#include "expressions/path.h"

namespace wtool::host::expressions {
namespace {

using Outcome = std::variant<Value, ExpressionError>;

ExpressionError error_at(const Node& node, std::string message) { return {node.offset, std::move(message)}; }

const Value* value_in(const Outcome& outcome) { return std::get_if<Value>(&outcome); }

template <class T>
Outcome outcome_of(const Node& node, std::variant<T, std::string> result) {
  if (auto* why = std::get_if<std::string>(&result)) return error_at(node, std::move(*why));
  return Value(std::get<T>(std::move(result)));
}

// Whether the value is falsy: a test in a template treats it as false.
bool is_nothing(const Value& value) {
  if (const bool* truth = value.as_bool()) return !*truth;
  if (const std::string* text = value.as_text()) return text->empty();
  if (const List* list = value.as_list()) return list->empty();
  if (const Map* map = value.as_map()) return map->fields.empty();
  return value.is_null();
}

class Evaluator {
 public:
  Evaluator(const Scope& scope, Budget& budget) : scope_(scope), budget_(budget) {}

  Outcome run(const Node& node) {
    Outcome outcome = run_any(node);
    const Value* value = value_in(outcome);
    if (value == nullptr || value->as_withheld() == nullptr) return outcome;
    return outcome_of_readable(node, *value);
  }

 private:
  static Outcome outcome_of_readable(const Node& node, const Value& value) {
    auto read = readable(value);
    if (auto* why = std::get_if<std::string>(&read)) return error_at(node, std::move(*why));
    return std::get<Value>(std::move(read));
  }

  // Whether the value itself is withheld, not only the text of a map.
  static bool is_elsewhere(const Outcome& outcome) {
    const Value* value = value_in(outcome);
    return value != nullptr && value->as_map() == nullptr && value->as_withheld() != nullptr;
  }

  // Evaluates the node. The result may be a withheld value. run() then reads the value, and base() leaves the withheld
  // text of a map unread, because it needs only the fields.
  Outcome run_any(const Node& node) {
    if (!budget_.spend()) return error_at(node, budget_.message());
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
      case Node::Kind::function:
        return call(node);
      case Node::Kind::not_:
        return negation(node);
      case Node::Kind::negate:
        return minus(node);
      case Node::Kind::and_:
        return decide(node, false);
      case Node::Kind::or_:
        return decide(node, true);
      case Node::Kind::comparison:
      case Node::Kind::membership:
      case Node::Kind::arithmetic:
        return binary(node);
      case Node::Kind::conditional:
        return conditional(node);
      case Node::Kind::list:
        return list(node);
      case Node::Kind::map:
        return map(node);
      case Node::Kind::has:
        return has(node);
      case Node::Kind::macro:
        return macro(node);
      case Node::Kind::truth:
        return truth(node);
    }
    return error_at(node, "internal: an unknown kind of node");
  }

  // --- names, fields and elements ---

  const Value* find(std::string_view name) const {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->first == name) return &local->second;
    }
    return scope_.find(name);
  }

  Outcome name(const Node& node) const {
    if (const Value* value = find(node.text)) return *value;
    return error_at(node, scope_.why_not(node.text));
  }

  // The value before a '.' or '['. If it is a map whose text is withheld, its fields can still be read.
  Outcome base(const Node& node) {
    Outcome outcome = run_any(node);
    return is_elsewhere(outcome) ? outcome_of_readable(node, *value_in(outcome)) : outcome;
  }

  Outcome field(const Node& node) {
    Outcome object = base(*node.operands[0]);
    const Value* value = value_in(object);
    if (value == nullptr) return object;
    return outcome_of(node, field_of(*value, node.text));
  }

  Outcome index(const Node& node) {
    Outcome object = base(*node.operands[0]);
    const Value* value = value_in(object);
    if (value == nullptr) return object;
    return element(node, *value);
  }

  Outcome element(const Node& node, const Value& value) {
    Outcome at = run(*node.operands[1]);
    const Value* key = value_in(at);
    if (key == nullptr) return at;
    if (const std::int64_t* number = key->as_int(); number != nullptr && *number >= 0) {
      return outcome_of(node, element_of(value, static_cast<std::size_t>(*number)));
    }
    if (const std::string* name = key->as_text()) return outcome_of(node, field_of(value, *name));
    return error_at(*node.operands[1], "an index is a whole number from 0, or a string, not " + described(*key));
  }

  // The value of a name, of a field or of an element. Nothing: it has no value.
  std::optional<Outcome> find_path(const Node& node) {
    if (node.kind == Node::Kind::name) {
      const Value* found = find(node.text);
      return found == nullptr ? std::nullopt : std::optional<Outcome>(*found);
    }
    if (node.kind != Node::Kind::field && node.kind != Node::Kind::index) return run(node);
    if (!budget_.spend()) return error_at(node, budget_.message());
    auto object = find_path(*node.operands[0]);
    if (!object) return std::nullopt;
    if (is_elsewhere(*object)) object = outcome_of_readable(node, *value_in(*object));
    const Value* value = value_in(*object);
    if (value == nullptr) return object;
    if (node.kind == Node::Kind::field) {
      // field_of() would spend time on a message that is not used.
      if (const Map* map = value->as_map(); map != nullptr && !map->fields.contains(node.text)) return std::nullopt;
      auto found = field_of(*value, node.text);
      if (std::holds_alternative<std::string>(found)) return std::nullopt;
      return std::get<Value>(std::move(found));
    }
    Outcome found = element(node, *value);
    // An error at a place other than this node's is a mistake in the index, and not a missing element.
    if (const auto* error = std::get_if<ExpressionError>(&found);
        error != nullptr && error->offset == node.offset && !budget_.exhausted()) {
      return std::nullopt;
    }
    return found;
  }

  Outcome has(const Node& node) {
    const Node& wanted = *node.operands[0];
    auto object = find_path(*wanted.operands[0]);
    if (!object) return Value(false);
    if (is_elsewhere(*object)) object = outcome_of_readable(wanted, *value_in(*object));
    const Value* value = value_in(*object);
    if (value == nullptr) return *object;
    const Map* map = value->as_map();
    if (map == nullptr) return error_at(wanted, described(*value) + " has no fields");
    const bool by_key = wanted.kind == Node::Kind::index;
    return Value(map->fields.contains(by_key ? *wanted.operands[1]->value.as_text() : wanted.text));
  }

  Outcome truth(const Node& node) {
    const auto found = find_path(*node.operands[0]);
    if (!found) return Value(false);
    const Value* value = value_in(*found);
    if (value == nullptr) return *found;
    return Value(!is_nothing(*value));
  }

  // --- operators ---

  Outcome negation(const Node& node) {
    Outcome operand = run(*node.operands[0]);
    const Value* value = value_in(operand);
    if (value == nullptr) return operand;
    if (const bool* truth = value->as_bool()) return Value(!*truth);
    return error_at(node, "'" + node.text + "' needs a bool, but got " + described(*value));
  }

  Outcome minus(const Node& node) {
    Outcome operand = run(*node.operands[0]);
    const Value* value = value_in(operand);
    if (value == nullptr) return operand;
    if (const double* number = value->as_double()) return Value(-*number);
    if (const std::int64_t* number = value->as_int()) {
      if (*number != std::numeric_limits<std::int64_t>::min()) return Value(-*number);
      return error_at(node, "the negative of " + std::to_string(*number) + " does not fit into 64 bits");
    }
    return error_at(node, "'-' needs a number, but got " + described(*value));
  }

  // If one operand has the value `decisive`, so has the result, even if the other operand cannot be evaluated. An
  // operand that is evaluated, but not to a bool, is a mistake. If the operand before it could not be evaluated, that
  // mistake is reported instead.
  Outcome decide(const Node& node, bool decisive) {
    std::optional<ExpressionError> failed;
    for (const auto& operand : node.operands) {
      Outcome outcome = run(*operand);
      const Value* value = value_in(outcome);
      if (value == nullptr) {
        if (budget_.exhausted()) return outcome;
        if (!failed) failed = std::get<ExpressionError>(std::move(outcome));
        continue;
      }
      const bool* truth = value->as_bool();
      if (truth == nullptr) {
        return failed ? *failed : error_at(*operand, "'" + node.text + "' needs bools, but got " + described(*value));
      }
      if (*truth == decisive) return Value(decisive);
    }
    if (failed) return std::move(*failed);
    return Value(!decisive);
  }

  Outcome binary(const Node& node) {
    Outcome first = run(*node.operands[0]);
    const Value* left = value_in(first);
    if (left == nullptr) return first;
    Outcome second = run(*node.operands[1]);
    const Value* right = value_in(second);
    if (right == nullptr) return second;
    if (node.kind == Node::Kind::comparison) return outcome_of(node, compare(node.text, *left, *right, budget_));
    if (node.kind == Node::Kind::membership) return outcome_of(node, is_in(*left, *right, budget_));
    return outcome_of(node, calculate(node.text[0], *left, *right, budget_));
  }

  Outcome conditional(const Node& node) {
    Outcome test = run(*node.operands[0]);
    const Value* value = value_in(test);
    if (value == nullptr) return test;
    const bool* truth = value->as_bool();
    if (truth == nullptr) {
      return error_at(*node.operands[0], "a bool is needed before '?', but this is " + described(*value));
    }
    return run(*node.operands[*truth ? 1 : 2]);
  }

  // --- lists and maps ---

  Outcome made(const Node& node, Value value) {
    if (!budget_.spend_value(value)) return error_at(node, budget_.message());
    return value;
  }

  Outcome list(const Node& node) {
    List values;
    for (const auto& operand : node.operands) {
      Outcome outcome = run(*operand);
      if (value_in(outcome) == nullptr) return outcome;
      values.push_back(std::get<Value>(std::move(outcome)));
    }
    return made(node, Value(std::move(values)));
  }

  Outcome map(const Node& node) {
    Map values;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      Outcome outcome = run(*node.operands[i]);
      if (value_in(outcome) == nullptr) return outcome;
      values.fields.emplace(node.keys[i], std::get<Value>(std::move(outcome)));
    }
    return made(node, Value(std::move(values)));
  }

  Outcome call(const Node& node) {
    std::vector<Value> values;
    for (const auto& operand : node.operands) {
      Outcome outcome = run(*operand);
      if (value_in(outcome) == nullptr) return outcome;
      values.push_back(std::get<Value>(std::move(outcome)));
    }
    const std::span<const Value> all(values);
    auto result = node.kind == Node::Kind::function
                      ? call_function(node.text, all, node.pattern.get(), budget_)
                      : call_method(node.text, all[0], all.subspan(1), node.pattern.get(), budget_);
    if (auto* value = std::get_if<Value>(&result)) return std::move(*value);
    auto& mistake = std::get<CallMistake>(result);
    const Node& to_blame = mistake.of_argument ? *node.operands.back() : node;
    return error_at(to_blame, std::move(mistake.message));
  }

  Outcome macro(const Node& node) {
    Outcome object = run(*node.operands[0]);
    const Value* value = value_in(object);
    if (value == nullptr) return object;
    const List* elements = value->as_list();
    if (elements == nullptr) return error_at(node, node.text + " goes through a list, but got " + described(*value));
    locals_.emplace_back(node.variable, Value());
    Outcome result = node.text == "exists" || node.text == "all" ? quantify(node, *elements) : select(node, *elements);
    locals_.pop_back();
    return result;
  }

  // Evaluates the test for one element, which the caller has assigned to the variable.
  std::variant<bool, ExpressionError> test(const Node& node) {
    const Node& predicate = *node.operands[1];
    Outcome outcome = run(predicate);
    const Value* value = value_in(outcome);
    if (value == nullptr) return std::get<ExpressionError>(std::move(outcome));
    if (const bool* truth = value->as_bool()) return *truth;
    return error_at(predicate, node.text + " needs a bool for each element, but got " + described(*value));
  }

  // Evaluates `exists` like || and `all` like &&, over all elements.
  Outcome quantify(const Node& node, const List& elements) {
    const bool decisive = node.text == "exists";
    std::optional<ExpressionError> failed;
    for (const Value& element : elements) {
      locals_.back().second = element;
      auto tested = test(node);
      if (const bool* truth = std::get_if<bool>(&tested)) {
        if (*truth == decisive) return Value(decisive);
        continue;
      }
      if (!failed) failed = std::get<ExpressionError>(std::move(tested));
      if (budget_.exhausted()) break;
    }
    if (failed) return std::move(*failed);
    return Value(!decisive);
  }

  // Evaluates filter, map and exists_one.
  Outcome select(const Node& node, const List& elements) {
    const bool tests = node.text != "map" || node.operands.size() == 3;
    List selected;
    for (const Value& element : elements) {
      locals_.back().second = element;
      if (tests) {
        auto tested = test(node);
        if (auto* error = std::get_if<ExpressionError>(&tested)) return std::move(*error);
        if (!std::get<bool>(tested)) continue;
      }
      if (node.text != "map") {
        selected.push_back(element);
        continue;
      }
      Outcome outcome = run(*node.operands.back());
      if (value_in(outcome) == nullptr) return outcome;
      selected.push_back(std::get<Value>(std::move(outcome)));
    }
    if (node.text == "exists_one") return Value(selected.size() == 1);
    return made(node, Value(std::move(selected)));
  }

  const Scope& scope_;
  Budget& budget_;
  std::vector<std::pair<std::string_view, Value>> locals_;  // the variables of the macros that are being evaluated
};

}  // namespace

std::variant<Value, ExpressionError> evaluate(const Expression& expression, const Scope& scope, Budget& budget) {
  return Evaluator(scope, budget).run(*expression.root);
}

std::variant<Value, ExpressionError> evaluate(const Expression& expression, const Scope& scope) {
  Budget budget;
  return evaluate(expression, scope, budget);
}

}  // namespace wtool::host::expressions
