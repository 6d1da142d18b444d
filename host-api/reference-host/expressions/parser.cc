#include "expressions/parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace wtool::host::expressions {
namespace {

using NodePointer = std::unique_ptr<const Node>;

struct Callable {
  std::string_view name;
  std::size_t arguments;
};
constexpr std::array functions = {Callable{"size", 1}, Callable{"int", 1}, Callable{"double", 1},
                                  Callable{"string", 1}};
constexpr std::array methods = {Callable{"startsWith", 1}, Callable{"endsWith", 1}, Callable{"contains", 1},
                                Callable{"size", 0}};
constexpr std::array<std::string_view, 7> later = {"matches", "includes", "has", "all", "exists", "map", "filter"};

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  std::variant<Expression, ExpressionError> run() {
    NodePointer root = parse_or();
    if (!error_ && current().kind != Token::Kind::end) unexpected();
    if (error_) return *error_;
    return Expression{std::move(root), std::move(names_)};
  }

 private:
  const Token& current() const { return tokens_[at_]; }
  bool sees(std::string_view symbol) const { return current().kind == Token::Kind::symbol && current().text == symbol; }
  bool take(std::string_view symbol) {
    if (!sees(symbol)) return false;
    ++at_;
    return true;
  }
  void fail(std::size_t offset, std::string message) {
    if (!error_) error_ = ExpressionError{offset, std::move(message)};
  }
  void unexpected() {
    const Token& token = current();
    if (token.kind == Token::Kind::end) return fail(token.offset, "the expression ends where a value is expected");
    if (token.kind == Token::Kind::name && token.text == "in") return fail(token.offset, "'in' is not supported yet");
    if (token.text == ")") return fail(token.offset, "this ')' closes nothing");
    fail(token.offset, quoted_for_message(token.text) +
                           " is not expected here; between two values stands one of == != "
                           "< <= > >= && ||");
  }

  NodePointer make(Node node) {
    for (const NodePointer& operand : node.operands) {
      if (operand) node.height = std::max(node.height, operand->height + 1);
    }
    if (node.height > deepest_expression) {
      fail(node.offset, "the expression is nested too deeply; at most " + std::to_string(deepest_expression) +
                            " levels are allowed");
    }
    return std::make_unique<const Node>(std::move(node));
  }
  NodePointer binary(Node::Kind kind, const Token& symbol, NodePointer left, NodePointer right) {
    Node node;
    node.kind = kind;
    node.offset = symbol.offset;
    node.text = std::string(symbol.text);
    node.operands.push_back(std::move(left));
    node.operands.push_back(std::move(right));
    return make(std::move(node));
  }

  NodePointer parse_or() {
    NodePointer left = parse_and();
    while (!error_ && sees("||")) {
      const Token& symbol = tokens_[at_++];
      left = binary(Node::Kind::or_, symbol, std::move(left), parse_and());
    }
    return left;
  }

  NodePointer parse_and() {
    NodePointer left = parse_comparison();
    while (!error_ && sees("&&")) {
      const Token& symbol = tokens_[at_++];
      left = binary(Node::Kind::and_, symbol, std::move(left), parse_comparison());
    }
    return left;
  }

  NodePointer parse_comparison() {
    NodePointer left = parse_unary();
    while (!error_ && (sees("==") || sees("!=") || sees("<") || sees("<=") || sees(">") || sees(">="))) {
      const Token& symbol = tokens_[at_++];
      left = binary(Node::Kind::comparison, symbol, std::move(left), parse_unary());
    }
    return left;
  }

  NodePointer parse_unary() {
    if (!sees("!") && !sees("-")) return parse_member();
    const Token& symbol = tokens_[at_++];
    if (!enter(symbol.offset)) return nullptr;
    Node node;
    node.kind = symbol.text == "!" ? Node::Kind::not_ : Node::Kind::negate;
    node.offset = symbol.offset;
    node.operands.push_back(parse_unary());
    --depth_;
    return make(std::move(node));
  }

  NodePointer parse_member() {
    NodePointer value = parse_primary();
    while (!error_ && (sees(".") || sees("["))) {
      if (sees("[")) {
        value = parse_index(std::move(value));
        continue;
      }
      take(".");
      const Token& name = current();
      if (name.kind != Token::Kind::name) {
        fail(name.offset, "after '.' the name of a field or method is expected");
        return nullptr;
      }
      ++at_;
      Node node;
      node.offset = name.offset;
      node.text = std::string(name.text);
      if (sees("(")) {
        node.kind = Node::Kind::method;
        node.operands.push_back(std::move(value));
        parse_arguments(node, methods, "method");
      } else {
        node.kind = Node::Kind::field;
        if (value->kind == Node::Kind::name && !names_.empty() && names_.back().offset == value->offset) {
          names_.back().field = node.text;
        }
        node.operands.push_back(std::move(value));
      }
      value = make(std::move(node));
    }
    return value;
  }

  NodePointer parse_index(NodePointer value) {
    const Token& bracket = tokens_[at_++];
    Node node;
    node.kind = Node::Kind::index;
    node.offset = bracket.offset;
    node.operands.push_back(std::move(value));
    if (!enter(bracket.offset)) return nullptr;
    node.operands.push_back(parse_or());
    --depth_;
    if (!error_ && !take("]")) fail(bracket.offset, "this '[' is never closed");
    return make(std::move(node));
  }

  template <std::size_t size>
  void parse_arguments(Node& node, const std::array<Callable, size>& known, const char* kind) {
    ++at_;  // the parenthesis
    const std::size_t before = node.operands.size();
    if (!sees(")")) {
      do {
        if (!enter(node.offset)) return;
        node.operands.push_back(parse_or());
        --depth_;
      } while (!error_ && take(","));
    }
    if (!error_ && !take(")")) fail(current().offset, "a ')' is missing here");
    if (error_) return;
    const std::size_t given = node.operands.size() - before;
    std::string allowed;
    for (const Callable& callable : known) {
      if (callable.name == node.text) {
        if (callable.arguments == given) return;
        return fail(node.offset, node.text + " takes " + std::to_string(callable.arguments) + " argument(s), not " +
                                     std::to_string(given));
      }
      allowed += (allowed.empty() ? "" : ", ") + std::string(callable.name);
    }
    if (std::find(later.begin(), later.end(), node.text) != later.end()) {
      return fail(node.offset, "'" + node.text + "' is not supported yet");
    }
    fail(node.offset, "there is no " + std::string(kind) + " '" + node.text + "'; there are " + allowed);
  }

  NodePointer parse_primary() {
    const Token& token = current();
    Node node;
    node.offset = token.offset;
    if (token.kind == Token::Kind::literal) {
      ++at_;
      node.value = token.value;
      return make(std::move(node));
    }
    if (token.kind == Token::Kind::name && token.text != "in") {
      ++at_;
      node.text = std::string(token.text);
      if (sees("(")) {
        node.kind = Node::Kind::function;
        parse_arguments(node, functions, "function");
      } else {
        node.kind = Node::Kind::name;
        names_.push_back({node.text, "", node.offset});
      }
      return make(std::move(node));
    }
    if (take("(")) {
      if (!enter(token.offset)) return nullptr;
      NodePointer inner = parse_or();
      --depth_;
      if (!error_ && !take(")")) fail(token.offset, "this '(' is never closed");
      return inner;
    }
    unexpected();
    return nullptr;
  }

  bool enter(std::size_t offset) {
    if (++depth_ <= deepest_expression) return true;
    fail(offset,
         "the expression is nested too deeply; at most " + std::to_string(deepest_expression) + " levels are allowed");
    return false;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::vector<NameUse> names_;
  std::optional<ExpressionError> error_;
};

}  // namespace

std::variant<Expression, ExpressionError> parse_expression(std::string_view text) {
  if (text.size() > longest_expression) {
    return ExpressionError{0, "the expression is " + std::to_string(text.size()) + " bytes long; at most " +
                                  std::to_string(longest_expression) + " are allowed"};
  }
  auto tokens = tokenize(text);
  if (auto* error = std::get_if<ExpressionError>(&tokens)) return std::move(*error);
  return Parser(std::move(std::get<std::vector<Token>>(tokens))).run();
}

}  // namespace wtool::host::expressions
