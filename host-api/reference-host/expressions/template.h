// Text with placeholders: `${name}`, `${a.b}`, `${a.b[0]}`, `{{ name }}`, `{{ a.b | filter: "argument" | filter }}`.
//
// - `$${` stands for a literal `${`. In `${...}` anything but a plain dotted name (`${x:-y}`, `${#x}`) is left as it
//   is: it belongs to the shell. So does `${x[0]}`, an array's element; behind a dot, `[0]` and `["key"]` are ours.
// - `{{` opens a placeholder only when a name or a quoted text follows, so `{{.Names}}` is left as it is; a literal
// `{{`
//   before a name is written `{{ "{{" }}`.
// - Filters: default: "text" (when there is no value, or an empty one), trim, json, shell_quote, raw.
//
// This file knows no shell. What is safe to insert into a command is decided by whoever renders one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "expressions/evaluator.h"
#include "expressions/value.h"

namespace wtool::host::expressions {

struct Filter {
  enum class Kind { fallback, trim, json, shell_quote, raw };
  Kind kind = Kind::raw;
  std::string argument;  // of fallback
};

// One step into a value: `.name`, `["name"]`, or `[index]`.
struct PathStep {
  std::string name;
  std::optional<std::size_t> index;
};

struct Placeholder {
  std::size_t offset = 0;  // of its first character, in the text that was parsed
  std::string source;      // as it was written
  std::string name;        // empty where `literal` is set
  std::vector<PathStep> path;
  std::optional<std::string> literal;
  std::vector<Filter> filters;

  bool has(Filter::Kind kind) const;
};

struct Template {
  // texts[0] placeholders[0] texts[1] ... texts[n]: always one text more than placeholders.
  std::vector<std::string> texts;
  std::vector<Placeholder> placeholders;
};

// All errors of a text at once. Linear.
std::variant<Template, std::vector<ExpressionError>> parse_template(std::string_view text);

// The value of a placeholder after its filters (shell_quote and raw excepted: those are for the renderer).
std::variant<Value, ExpressionError> resolve(const Placeholder& placeholder, const Scope& scope);

// The text with every placeholder replaced by its value, without any quoting but that of shell_quote.
std::variant<std::string, ExpressionError> render_text(const Template& parsed, const Scope& scope);

// 'text' as one word of a POSIX shell.
std::string shell_quoted(std::string_view text);

}  // namespace wtool::host::expressions
