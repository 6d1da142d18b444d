// Text with placeholders and tags.
//
// Placeholders: `${name}`, `${a.b}`, `${a.b[0]}`, `{{ name }}`, `{{ a.b | filter: "argument" | filter }}`.
//
// - `$${` means a literal `${`. In `${...}`, anything but a plain dotted name (`${x:-y}`, `${#x}`) is left unchanged:
//   it belongs to the shell. `${x[0]}`, an element of a shell array, belongs to the shell, too; after a dot, `[0]` and
//   `["key"]` belong to the template.
// - `{{` opens a placeholder only when a name or a quoted text follows, so `{{.Names}}` is left unchanged; a literal
//   `{{` before a name is written `{{ "{{" }}`.
// - The filters are those of filters.h.
//
// Tags: {% if %} {% elsif %} {% else %} {% endif %}, {% unless %}, {% for x in list %} {% else %} {% endfor %},
// {% comment %}, {% raw %}. Their tests and lists are expressions (expression.h). `{%` followed by any other word is
// left unchanged. `{%-` and `{{-` remove the blanks and newlines before them, `-%}` and `-}}` those after them.
//
// A prompt (Dialect::prompt) may use more of Liquid: {% assign %}, {% capture %}, {% case %} {% when %}, {% cycle %},
// {% break %}, {% continue %}, {% render %}, {% include %}; loops over (1..n), with limit, offset and reversed;
// variables as arguments of filters. In a prompt, an unknown tag is a mistake. Rendered text is never parsed again: a
// value cannot become a tag.
//
// Nothing here depends on the syntax of shells. The code that renders a command decides what is safe to insert.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "expressions/expression.h"
#include "expressions/filters.h"
#include "expressions/value.h"

namespace wtool::host::expressions {

inline constexpr std::size_t max_tags_depth = 20;  // tags inside tags

enum class Dialect { workflow, prompt };

struct Placeholder {
  std::size_t offset = 0;  // of its first character, in the text that was parsed
  std::string source;      // as it was written
  std::string name;        // empty if `literal` is set
  std::vector<PathStep> path;
  std::optional<Value> literal;
  std::vector<Filter> filters;

  bool has(Filter::Kind kind) const;
};
// A value in the tags of a prompt: `"text"`, `3`, `true`, `nil`, or a path, with filters where they are allowed.
using Operand = Placeholder;

struct TemplatePiece;
using Body = std::vector<TemplatePiece>;

// One branch of an `if`.
struct TemplateBranch {
  std::optional<Expression> test;  // nothing: else
  bool wanted = true;              // the branch is used if the test has this result; false for unless
  Body body;
};

struct TemplateChoice {
  std::vector<TemplateBranch> branches;
};

struct Loop {
  std::size_t offset = 0;  // of its tag
  std::string variable;
  Expression list;
  std::size_t list_offset = 0;
  std::vector<Filter> filters;  // of the list
  Body body;
  Body otherwise;  // used if the list is empty
  // The following members are only for prompts.
  std::optional<std::pair<Operand, Operand>> range;  // (first..last), instead of `list`
  std::optional<Operand> path;                       // the list, instead of `list`, if options follow it
  std::optional<Operand> limit;
  std::optional<Operand> offset_in_list;
  bool reversed = false;
};

// {% assign variable = value %}
struct Assign {
  std::string variable;
  Operand value;
};

// {% capture variable %} body {% endcapture %}
struct CaptureTag {
  std::size_t offset = 0;
  std::string variable;
  Body body;
};

// {% case subject %} {% when value, value %} body {% else %} body {% endcase %}
struct When {
  std::vector<Operand> values;  // empty: else
  Body body;
};
struct Case {
  Operand subject;
  std::vector<When> parts;
};

// {% cycle "group": value, value %}
struct Cycle {
  std::size_t offset = 0;
  std::optional<Operand> group;
  std::string written;  // distinguishes the cycles without a group
  std::vector<Operand> values;
};

// {% break %} or {% continue %}
struct Jump {
  bool leaves = false;  // true: break; false: continue
};

// {% render name, key: value %}, {% include name with value as variable %}, {% render name for list as variable %}
struct Inclusion {
  std::size_t offset = 0;
  bool isolated = false;  // render: the included prompt can read only the values that it is given
  Operand name;
  std::vector<std::pair<std::string, Operand>> arguments;
  std::optional<Operand> value;  // after `with` or `for`
  bool for_each = false;
  std::string variable;  // after `as`; empty: the last part of the name
};

struct TemplatePiece {
  std::variant<std::string, Placeholder, TemplateChoice, Loop, Assign, CaptureTag, Case, Cycle, Jump, Inclusion> what;
};

struct Template {
  // texts[0] placeholders[0] texts[1] ... texts[n]: always one text more than placeholders. With tags, the text has
  // every branch and the body of every loop once, so it can be checked before any value is known.
  std::vector<std::string> texts;
  std::vector<Placeholder> placeholders;
  // The same text with its tags. nullptr: it has no tags.
  std::shared_ptr<const Body> tagged;

  bool has_tags() const { return tagged != nullptr; }
};

// The template, or all errors of the text (at most the first 100). Takes linear time.
std::variant<Template, std::vector<ExpressionError>> parse_template(std::string_view text,
                                                                    Dialect dialect = Dialect::workflow);

// The variables that a template reads, without its loop variables and those that it assigns. `optional` is set if the
// variable has a default or is only tested.
std::vector<NameUse> names_used(const Template& parsed);

// The variables that the tags of a prompt assign and, with `in_loops`, those of its loops.
std::vector<std::string> names_made(const Template& parsed, bool in_loops);
// The tags with which a prompt includes another prompt by a name in quotes.
std::vector<const Inclusion*> inclusions(const Template& parsed);
// The variable that gets the value after `with` or `for`: {% render "parts/person.md" with ada %} sets `person`.
std::string variable_of(const Inclusion& inclusion, const std::string& name);

// The value of a placeholder after its filters (except shell_quote and raw, which are for the renderer).
std::variant<Value, ExpressionError> resolve(const Placeholder& placeholder, const Scope& scope);

struct ResolvedValue {
  const Placeholder* placeholder = nullptr;  // of the template
  std::string text;
};

// A template after its tags have been evaluated: texts[0] values[0] texts[1] ... texts[n]. The template must be of
// Dialect::workflow; render_prompt (template_renderer.h) renders a prompt.
struct Expanded {
  std::vector<std::string> texts;
  std::vector<ResolvedValue> values;
};
std::variant<Expanded, ExpressionError> expand(const Template& parsed, const Scope& scope);

// The text with every placeholder replaced by its value; only the filter shell_quote quotes a value. The template must
// be of Dialect::workflow.
std::variant<std::string, ExpressionError> render_text(const Template& parsed, const Scope& scope);

}  // namespace wtool::host::expressions
