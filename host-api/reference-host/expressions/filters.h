// The filters of templates: `{{ name | filter: argument, argument }}`.
//
//   default: "x" or 5    replaces a missing or empty value
//   upcase downcase capitalize trim strip slugify    of a text; letters beyond ASCII stay unchanged
//   replace: "a", "b"    a text with each "a" replaced by "b"
//   lines, split: ","    a list of a text's parts
//   join: ", "           a text of a list's elements
//   first last size      of a list; `size` also of a text or a map
//   plus: 1, minus: 1, times: 2   of a number, or a text that is a number
//   json                 the value as JSON text
//   shell_quote raw      for the code that renders a command
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "expressions/budget.h"
#include "expressions/path.h"
#include "expressions/value.h"

namespace wtool::host::expressions {

struct Filter {
  enum class Kind {
    fallback,  // default
    upcase,
    downcase,
    capitalize,
    trim,
    slugify,
    replace,
    lines,
    split,
    join,
    first,
    last,
    size,
    plus,
    minus,
    times,
    json,
    shell_quote,
    raw
  };
  Kind kind = Kind::raw;
  std::vector<Value> arguments;
  // The arguments that are variables, with their positions. Only prompts have such arguments. The other arguments are
  // in `arguments`.
  std::vector<std::pair<std::size_t, Path>> variables;
};

// A filter as written, before it is known whether it exists.
struct WrittenFilter {
  std::string name;
  std::vector<Value> arguments;
  std::vector<std::pair<std::size_t, Path>> variables;
};

// The filter that `written` describes, or a sentence that says what is wrong.
std::variant<Filter, std::string> make_filter(WrittenFilter written);

// The value after the filter, or why the filter cannot be applied. A missing value is passed as null, and only to
// `default`. shell_quote and raw change nothing here. `scope` has the values of the arguments that are variables.
std::variant<Value, std::string> apply(const Filter& filter, const Value& value, const Scope& scope, Budget& budget);

// The value as a number, if it is a number or a text that is one (outputs of commands are texts). Nothing: it is
// neither.
std::optional<Value> number_in(const Value& value);

}  // namespace wtool::host::expressions
