// Parses and evaluates conditions such as `exit_code == 0 && !log.contains("error")`. A parsed condition is a tree of
// nodes, with a list of the names that it reads. The language is a subset of CEL, with CEL's precedence.
//
//   auto parsed = parse_expression("exit_code == 0");
//   if (auto* expression = std::get_if<Expression>(&parsed)) auto value = evaluate(*expression, scope);
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "expressions/budget.h"
#include "expressions/lexer.h"
#include "expressions/pattern.h"
#include "expressions/value.h"

namespace wtool::host::expressions {

struct Node {
  enum class Kind {
    literal,      // value
    name,         // text
    field,        // operands[0] . text
    index,        // operands[0] [ operands[1] ]
    method,       // operands[0] . text ( operands[1]... )
    function,     // text ( operands... )
    not_,         // ! operands[0]
    negate,       // - operands[0]
    and_,         // operands[0] && operands[1]
    or_,          // operands[0] || operands[1]
    comparison,   // operands[0] text operands[1]
    membership,   // operands[0] in operands[1]
    arithmetic,   // operands[0] text operands[1]
    conditional,  // operands[0] ? operands[1] : operands[2]
    list,         // [ operands... ]
    map,          // { keys[0]: operands[0], ... }
    has,          // has( operands[0] ): a field, or an index that is a literal text
    macro,        // operands[0] . text ( variable, operands[1]... )
    truth         // in a test of a template: whether operands[0] is truthy
  };
  Kind kind = Kind::literal;
  std::size_t offset = 0;  // where errors about the node are reported
  std::size_t height = 1;
  Value value;
  std::string text;
  std::string variable;
  std::vector<std::string> keys;
  std::vector<std::unique_ptr<const Node>> operands;
  std::shared_ptr<const Pattern> pattern;  // the compiled pattern of matches(), if the expression has it as a literal
};

// A variable that an expression or a template reads, with the first field read from it, if any. For checks before a
// run.
struct NameUse {
  std::string name;
  std::string field;
  std::size_t offset = 0;
  bool optional = false;  // it need not have a value
};

struct Expression {
  std::shared_ptr<const Node> root;
  std::vector<NameUse> names;  // without the variables of macros
};

// ---- parser.cc: parses an expression.
//
//   expression = or [ "?" or ":" expression ]
//   or         = and { "||" and }
//   and        = relation { "&&" relation }
//   relation   = sum { ("==" | "!=" | "<" | "<=" | ">" | ">=" | "in") sum }
//   sum        = product { ("+" | "-") product }
//   product    = unary { ("*" | "/" | "%") unary }
//   unary      = ("!" | "-") unary | member
//   member     = primary { "." name [ "(" arguments ")" ] | "[" expression "]" }
//   primary    = literal | name | name "(" arguments ")" | "(" expression ")" | "[" list "]" | "{" map "}"
//
// In the tags of a template, the words `and`, `or` and `not` may replace the signs (`not` negates a whole relation),
// `a contains b` means a.includes(b), and a test may be of any type, not only bool: see Node::Kind::truth.
//
// A text may have up to `max_expression` bytes, and a tree up to `max_expression_depth` levels, so neither parsing nor
// evaluating can overflow the stack.

inline constexpr std::size_t max_expression_depth = 200;

std::variant<Expression, ExpressionError> parse_expression(std::string_view text);

struct TagExpression {
  Expression expression;
  std::size_t end = 0;  // the offset of the `%}`, `-%}` or `|` that ended the expression
};

// What the expression is for. test: whether its value is truthy. value: the value itself, such as a list.
enum class TagUse { test, value };

// Parses the expression that begins at `begin`. All offsets are offsets in `text`.
std::variant<TagExpression, ExpressionError> parse_tag_expression(std::string_view text, std::size_t begin, TagUse use);

// ---- evaluator.cc: evaluates a parsed expression. A mismatch of types is an error, never silently false; `&&` and
// `||` need only the operand that decides, and ignore errors in the other one. A budget bounds time and memory.

// Where names get their values.
class Scope {
 public:
  virtual ~Scope() = default;
  // The value, valid until the scope changes; nullptr: the name is not known.
  virtual const Value* find(std::string_view name) const = 0;
  // One sentence for the message when find() has returned nullptr.
  virtual std::string why_not(std::string_view name) const = 0;
};

std::variant<Value, ExpressionError> evaluate(const Expression& expression, const Scope& scope);

// The same, for several evaluations that share a budget.
std::variant<Value, ExpressionError> evaluate(const Expression& expression, const Scope& scope, Budget& budget);

}  // namespace wtool::host::expressions
