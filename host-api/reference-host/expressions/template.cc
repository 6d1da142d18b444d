#include "expressions/template.h"

#include "base/shell_quote.h"
#include "expressions/path.h"
#include "expressions/template_renderer.h"

namespace wtool::host::expressions {

std::variant<Value, ExpressionError> resolve(const Placeholder& placeholder, const Scope& scope, Budget& budget) {
  Value value;
  std::optional<std::string> missing;
  if (placeholder.literal) {
    value = *placeholder.literal;
  } else {
    auto found = follow_path(placeholder.name, placeholder.path, scope, !placeholder.has(Filter::Kind::fallback));
    if (auto* mistake = std::get_if<PathMistake>(&found)) {
      const bool is_undefined = scope.find(placeholder.name) == nullptr;
      missing = is_undefined ? std::move(mistake->why) : placeholder.source + ": " + mistake->why;
      if (mistake->withheld) return ExpressionError{placeholder.offset, *missing};
    } else {
      value = std::get<Value>(std::move(found));
    }
  }
  for (const Filter& filter : placeholder.filters) {
    if (missing && filter.kind != Filter::Kind::fallback) continue;
    auto filtered = apply(filter, missing ? Value() : value, scope, budget);
    if (auto* why = std::get_if<std::string>(&filtered)) {
      return ExpressionError{placeholder.offset, placeholder.source + ": " + *why};
    }
    value = std::get<Value>(std::move(filtered));
    missing.reset();
  }
  if (missing) return ExpressionError{placeholder.offset, *missing};
  return value;
}

std::variant<Value, ExpressionError> resolve(const Placeholder& placeholder, const Scope& scope) {
  Budget budget(max_template_steps);
  return resolve(placeholder, scope, budget);
}

std::variant<Expanded, ExpressionError> expand(const Template& parsed, const Scope& scope) {
  return TemplateRenderer().run(parsed, scope);
}

std::string joined(const Expanded& expanded) {
  std::string out = expanded.texts[0];
  for (std::size_t i = 0; i < expanded.values.size(); ++i) {
    const ResolvedValue& value = expanded.values[i];
    out += value.placeholder->has(Filter::Kind::shell_quote) ? shell_quoted(value.text) : value.text;
    out += expanded.texts[i + 1];
  }
  return out;
}

std::variant<std::string, ExpressionError> render_text(const Template& parsed, const Scope& scope) {
  auto expanded = expand(parsed, scope);
  if (auto* error = std::get_if<ExpressionError>(&expanded)) return std::move(*error);
  return joined(std::get<Expanded>(expanded));
}

std::variant<std::string, ExpressionError> render_prompt(const Partial& prompt, const Scope& values,
                                                         Partials& partials) {
  auto expanded = TemplateRenderer(&partials).run(prompt, values);
  if (auto* error = std::get_if<ExpressionError>(&expanded)) return std::move(*error);
  return joined(std::get<Expanded>(expanded));
}

}  // namespace wtool::host::expressions
