#include "expressions/expression.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "expressions/calls.h"
#include "expressions/lexer.h"

namespace wtool::host::expressions {
namespace {

using NodePointer = std::unique_ptr<const Node>;

// Whether the node is a name, or a field or an element of a name. Such a node may have no value.
bool is_path(const Node& node) {
  if (node.kind == Node::Kind::name) return true;
  return (node.kind == Node::Kind::field || node.kind == Node::Kind::index) && is_path(*node.operands[0]);
}

class Parser : private TokenReader {
 public:
  Parser(std::vector<Token> tokens, bool in_tag) : TokenReader(std::move(tokens)), in_tag_(in_tag) {}

  std::variant<TagExpression, ExpressionError> run(TagUse use) {
    if (!in_tag_ && (sees_word("if") || sees_word("when") || sees_word("else") || sees_word("elif")) && is_followed()) {
      const Token& word = current();
      return ExpressionError{
          word.offset,
          "a condition is written without " + quoted_for_message(word.text) + "; write only what follows it" +
              (word.text == "else" || word.text == "elif" ? ". Exits are tried in their order; the last exit may have "
                                                            "the label \"default\""
                                                          : "")};
    }
    if (!in_tag_ && sees_word("not") && is_followed()) {
      return ExpressionError{current().offset, "\"not\" is written ! here, as in !success"};
    }
    NodePointer root = parse_conditional();
    if (use == TagUse::test) root = tested(std::move(root));
    if (!failed() && current().kind != Token::Kind::end) unexpected();
    if (failed()) return *error();
    return TagExpression{{std::move(root), std::move(names_)}, current().offset};
  }

 private:
  bool sees_tag_word(std::string_view word) const { return in_tag_ && sees_word(word); }

  // --- nodes ---

  NodePointer make(Node node) {
    for (const NodePointer& operand : node.operands) {
      if (operand) node.height = std::max(node.height, operand->height + 1);
    }
    if (node.height > max_expression_depth) too_deep(node.offset);
    return std::make_unique<const Node>(std::move(node));
  }
  template <class... Operands>
  NodePointer make(Node::Kind kind, const Token& token, Operands... operands) {
    Node node;
    node.kind = kind;
    node.offset = token.offset;
    node.text = std::string(token.text);
    (node.operands.push_back(std::move(operands)), ...);
    return make(std::move(node));
  }
  void too_deep(std::size_t offset) {
    fail(offset, "the expression is nested too deeply; at most " + std::to_string(max_expression_depth) +
                     " levels are allowed");
  }
  bool enter(std::size_t offset) {
    if (++depth_ > max_expression_depth) too_deep(offset);
    return !failed();
  }

  // Parses one level deeper: inside brackets, or after a sign that may be repeated.
  template <class Parse>
  NodePointer nested(std::size_t offset, Parse parse) {
    if (!enter(offset)) return nullptr;
    NodePointer node = (this->*parse)();
    --depth_;
    return node;
  }
  NodePointer nested(std::size_t offset) { return nested(offset, &Parser::parse_conditional); }

  // In a template's tag, a test asks whether a value is truthy; the value need not be a bool.
  NodePointer tested(NodePointer node) {
    if (!in_tag_ || failed()) return node;
    const Node* root = node.get();
    if (is_path(*root)) {
      while (root->kind != Node::Kind::name) root = root->operands[0].get();
      for (NameUse& name : names_) name.optional = name.optional || name.offset == root->offset;
    }
    Node test;
    test.kind = Node::Kind::truth;
    test.offset = node->offset;
    test.operands.push_back(std::move(node));
    return make(std::move(test));
  }

  // --- operators, from those that bind least ---

  NodePointer parse_conditional() {
    NodePointer condition = parse_or();
    if (failed() || !sees("?")) return condition;
    const Token& symbol = next();
    condition = tested(std::move(condition));
    NodePointer chosen = nested(symbol.offset, &Parser::parse_or);
    if (!failed() && !take(":")) {
      fail(current().offset, "a ':' is missing here, with the value to use if the test before '?' is false");
    }
    if (failed()) return nullptr;
    NodePointer other = nested(symbol.offset);
    return make(Node::Kind::conditional, symbol, std::move(condition), std::move(chosen), std::move(other));
  }

  NodePointer parse_or() {
    NodePointer left = parse_and();
    while (!failed() && (sees("||") || sees_tag_word("or"))) {
      const Token& symbol = next();
      left = tested(std::move(left));
      NodePointer right = tested(parse_and());
      left = make(Node::Kind::or_, symbol, std::move(left), std::move(right));
    }
    return left;
  }

  NodePointer parse_and() {
    NodePointer left = parse_not();
    while (!failed() && (sees("&&") || sees_tag_word("and"))) {
      const Token& symbol = next();
      left = tested(std::move(left));
      NodePointer right = tested(parse_not());
      left = make(Node::Kind::and_, symbol, std::move(left), std::move(right));
    }
    return left;
  }

  NodePointer parse_not() {
    if (!sees_tag_word("not")) return parse_relation();
    const Token& symbol = next();
    return make(Node::Kind::not_, symbol, tested(nested(symbol.offset, &Parser::parse_not)));
  }

  bool sees_comparison() const {
    return sees("==") || sees("!=") || sees("<") || sees("<=") || sees(">") || sees(">=");
  }

  NodePointer parse_relation() {
    NodePointer left = parse_sum();
    while (!failed() && (sees_comparison() || sees_word("in") || sees_tag_word("contains"))) {
      const Token& symbol = next();
      const bool contains = symbol.text == "contains";
      const Node::Kind kind = contains              ? Node::Kind::method
                              : symbol.text == "in" ? Node::Kind::membership
                                                    : Node::Kind::comparison;
      Node node;
      node.kind = kind;
      node.offset = symbol.offset;
      node.text = contains ? "includes" : std::string(symbol.text);
      node.operands.push_back(std::move(left));
      node.operands.push_back(parse_sum());
      left = make(std::move(node));
    }
    return left;
  }

  NodePointer parse_sum() {
    NodePointer left = parse_product();
    while (!failed() && (sees("+") || sees("-"))) {
      const Token& symbol = next();
      left = make(Node::Kind::arithmetic, symbol, std::move(left), parse_product());
    }
    return left;
  }

  NodePointer parse_product() {
    NodePointer left = parse_unary();
    while (!failed() && (sees("*") || sees("/") || sees("%"))) {
      const Token& symbol = next();
      left = make(Node::Kind::arithmetic, symbol, std::move(left), parse_unary());
    }
    return left;
  }

  NodePointer parse_unary() {
    if (!sees("!") && !sees("-")) return parse_member();
    const Token& symbol = next();
    if (symbol.text == "-" && current().only_negative) {
      Node number;
      number.offset = symbol.offset;
      number.value = next().value;
      return make(std::move(number));
    }
    NodePointer operand = nested(symbol.offset, &Parser::parse_unary);
    if (symbol.text == "-") return make(Node::Kind::negate, symbol, std::move(operand));
    return make(Node::Kind::not_, symbol, tested(std::move(operand)));
  }

  // --- members ---

  NodePointer parse_member() {
    NodePointer value = parse_primary();
    while (!failed() && (sees(".") || sees("["))) {
      value = sees("[") ? parse_index(std::move(value)) : parse_dot(std::move(value));
    }
    return value;
  }

  NodePointer parse_index(NodePointer value) {
    const Token& bracket = next();
    NodePointer index = nested(bracket.offset);
    if (!failed() && !take("]")) fail(bracket.offset, "this '[' is never closed");
    return make(Node::Kind::index, bracket, std::move(value), std::move(index));
  }

  NodePointer parse_dot(NodePointer value) {
    take(".");
    const Token& name = current();
    if (name.kind != Token::Kind::name) {
      fail(name.offset, "the name of a field or method is expected after '.'");
      return nullptr;
    }
    next();
    if (sees("(")) return parse_method(std::move(value), name);
    if (value->kind == Node::Kind::name && !names_.empty() && names_.back().offset == value->offset) {
      names_.back().field = std::string(name.text);
    }
    return make(Node::Kind::field, name, std::move(value));
  }

  NodePointer parse_method(NodePointer value, const Token& name) {
    Node node;
    node.kind = is_macro(name.text) ? Node::Kind::macro : Node::Kind::method;
    node.offset = name.offset;
    node.text = std::string(name.text);
    node.operands.push_back(std::move(value));
    if (node.kind == Node::Kind::macro) {
      parse_macro(node);
    } else {
      parse_arguments(node);
      const std::string why = failed() ? "" : check_method(node.text, node.operands.size() - 1);
      if (!why.empty()) fail(node.offset, why);
      if (node.text == "matches") compile_pattern(node);
    }
    return make(std::move(node));
  }

  // `(` arguments `)`
  void parse_arguments(Node& node) {
    next();
    while (!failed() && !sees(")")) {
      node.operands.push_back(nested(node.offset));
      if (!take(",")) break;
    }
    if (!failed() && !take(")")) fail(current().offset, "a ')' is missing here");
  }

  // `(variable, expression)`, or `(variable, test, expression)` for map.
  void parse_macro(Node& node) {
    next();
    const Token& variable = current();
    node.variable = std::string(variable.text);
    if (variable.kind == Token::Kind::name) next();
    if (variable.kind != Token::Kind::name || !sees(",")) {
      return fail(variable.offset,
                  "'" + node.text + "' takes a name and an expression: list." + node.text + "(x, x > 1)");
    }
    bound_.push_back(node.variable);
    while (!failed() && take(",")) node.operands.push_back(nested(node.offset));
    bound_.pop_back();
    if (!failed() && !take(")")) fail(current().offset, "a ')' is missing here");
    const std::size_t given = node.operands.size();
    if (given != 2 && !(given == 3 && node.text == "map")) {
      fail(node.offset, "'" + node.text + "' takes 2 argument(s), not " + std::to_string(given));
    }
  }

  // --- primaries ---

  NodePointer parse_primary() {
    const Token& token = current();
    Node node;
    node.offset = token.offset;
    if (token.kind == Token::Kind::literal) {
      next();
      if (token.only_negative)
        fail(token.offset, "the number " + std::string(token.text) + " does not fit into 64 bits");
      node.value = token.value;
      return make(std::move(node));
    }
    if (token.kind == Token::Kind::name && token.text != "in") {
      next();
      return sees("(") ? parse_function(token) : parse_name(token);
    }
    if (take("(")) {
      NodePointer inner = nested(token.offset);
      if (!failed() && !take(")")) fail(token.offset, "this '(' is never closed");
      return inner;
    }
    if (sees("[")) return parse_list();
    if (sees("{")) return parse_map();
    unexpected();
    return nullptr;
  }

  NodePointer parse_name(const Token& token) {
    if (std::find(bound_.begin(), bound_.end(), token.text) == bound_.end()) {
      names_.push_back({std::string(token.text), "", token.offset});
    }
    return make(Node::Kind::name, token);
  }

  NodePointer parse_function(const Token& name) {
    Node node;
    node.kind = Node::Kind::function;
    node.offset = name.offset;
    node.text = std::string(name.text);
    const std::size_t first_name = names_.size();
    parse_arguments(node);
    if (failed()) return nullptr;
    if (node.text == "has") return has(std::move(node), first_name);
    const std::string why = check_function(node.text, node.operands.size());
    if (!why.empty()) fail(node.offset, why);
    if (node.text == "matches") compile_pattern(node);
    return make(std::move(node));
  }

  NodePointer has(Node node, std::size_t first_name) {
    const Node* wanted = node.operands.size() == 1 ? node.operands[0].get() : nullptr;
    const bool by_key = wanted != nullptr && wanted->kind == Node::Kind::index &&
                        wanted->operands[1]->kind == Node::Kind::literal &&
                        wanted->operands[1]->value.as_text() != nullptr;
    if (wanted == nullptr || (wanted->kind != Node::Kind::field && !by_key)) {
      fail(node.offset, "has(...) takes one field, as in has(build.json) or has(headers[\"content-type\"])");
      return nullptr;
    }
    for (std::size_t i = first_name; i < names_.size(); ++i) names_[i].optional = true;
    node.kind = Node::Kind::has;
    return make(std::move(node));
  }

  // Compiles the pattern once for all evaluations, so mistakes are found before the first evaluation.
  void compile_pattern(Node& node) {
    if (failed() || node.operands.size() != 2 || node.operands[1]->kind != Node::Kind::literal) return;
    const std::string* text = node.operands[1]->value.as_text();
    if (text == nullptr) return;
    auto compiled = Pattern::compile(*text);
    if (auto* why = std::get_if<std::string>(&compiled))
      return fail(node.operands[1]->offset, *why + Pattern::hint_for_expressions);
    node.pattern = std::get<std::shared_ptr<const Pattern>>(std::move(compiled));
  }

  NodePointer parse_list() {
    const Token& bracket = next();
    Node node;
    node.kind = Node::Kind::list;
    node.offset = bracket.offset;
    while (!failed() && !sees("]")) {
      node.operands.push_back(nested(bracket.offset));
      if (!take(",")) break;
    }
    if (!failed() && !take("]")) fail(bracket.offset, "this '[' is never closed");
    return make(std::move(node));
  }

  NodePointer parse_map() {
    const Token& brace = next();
    Node node;
    node.kind = Node::Kind::map;
    node.offset = brace.offset;
    while (!failed() && !sees("}")) {
      const Token& key = current();
      const std::string* text = key.kind == Token::Kind::literal ? key.value.as_text() : nullptr;
      if (text == nullptr) {
        fail(key.offset, key.kind == Token::Kind::end
                             ? "the expression ends inside a map; a '}' is missing"
                             : "the keys of a map are texts in quotes, not " + quoted_for_message(key.text));
        break;
      }
      if (std::find(node.keys.begin(), node.keys.end(), *text) != node.keys.end()) {
        fail(key.offset, "the key " + quoted_for_message(*text) + " occurs twice in this map");
      }
      node.keys.push_back(*text);
      next();
      if (!failed() && !take(":")) fail(current().offset, "a ':' is missing here, between a key and its value");
      if (failed()) break;
      node.operands.push_back(nested(brace.offset));
      if (!take(",")) break;
    }
    if (!failed() && !take("}")) fail(brace.offset, "this '{' is never closed");
    return make(std::move(node));
  }

  bool in_tag_;
  std::size_t depth_ = 0;
  std::vector<NameUse> names_;
  std::vector<std::string> bound_;  // the variables of the enclosing macros
};

ExpressionError too_long(std::size_t offset, std::size_t bytes) {
  return {offset, "the expression is " + std::to_string(bytes) + " bytes long; at most " +
                      std::to_string(max_expression) + " are allowed"};
}

}  // namespace

std::variant<Expression, ExpressionError> parse_expression(std::string_view text) {
  if (text.size() > max_expression) return too_long(0, text.size());
  auto tokens = tokenize(text);
  if (auto* error = std::get_if<ExpressionError>(&tokens)) return std::move(*error);
  auto parsed = Parser(std::move(std::get<std::vector<Token>>(tokens)), false).run(TagUse::value);
  if (auto* error = std::get_if<ExpressionError>(&parsed)) return std::move(*error);
  return std::get<TagExpression>(std::move(parsed)).expression;
}

std::variant<TagExpression, ExpressionError> parse_tag_expression(std::string_view text, std::size_t begin,
                                                                  TagUse use) {
  auto tokens = tokenize_in_tag(text, begin);
  if (auto* error = std::get_if<ExpressionError>(&tokens)) return std::move(*error);
  auto& found = std::get<std::vector<Token>>(tokens);
  if (found.back().offset - begin > max_expression) return too_long(begin, found.back().offset - begin);
  return Parser(std::move(found), true).run(use);
}

}  // namespace wtool::host::expressions
