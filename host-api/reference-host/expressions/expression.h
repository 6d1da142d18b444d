// A parsed expression: a tree of nodes, and the names that it reads.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

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
    has,          // has( operands[0] ), a field, or an index with a literal text
    macro,        // operands[0] . text ( variable, operands[1]... )
    truth         // operands[0], where a test of a template asks whether there is anything
  };
  Kind kind = Kind::literal;
  std::size_t offset = 0;  // where errors about it point
  std::size_t height = 1;
  Value value;
  std::string text;
  std::string variable;
  std::vector<std::string> keys;
  std::vector<std::unique_ptr<const Node>> operands;
  std::shared_ptr<const Pattern> pattern;  // of matches, where the expression itself has it
};

// A variable that an expression or a template reads, with the first field taken of it, if any. For checks before a run.
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

}  // namespace wtool::host::expressions
