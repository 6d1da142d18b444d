#include "expressions/path.h"

#include "expressions/access.h"

namespace wtool::host::expressions {
namespace {

std::variant<Value, std::string> one_step(const Value& value, const PathStep& step, const Scope& scope) {
  if (step.index) return element_of(value, *step.index);
  if (!step.is_variable) return field_of(value, step.name);
  const Value* key = scope.find(step.name);
  if (key == nullptr) return scope.why_not(step.name);
  if (const std::string* name = key->as_text()) return field_of(value, *name);
  const std::int64_t* index = key->as_int();
  if (index != nullptr && *index >= 0) return element_of(value, static_cast<std::size_t>(*index));
  return "an index is a whole number from 0, or a string, and not " + described(*key);
}

}  // namespace

std::variant<Value, PathMistake> follow_path(const std::string& name, const std::vector<PathStep>& steps,
                                             const Scope& scope) {
  const Value* found = scope.find(name);
  if (found == nullptr) return PathMistake{scope.why_not(name)};
  Value value = *found;
  for (const PathStep& step : steps) {
    auto next = one_step(value, step, scope);
    if (auto* why = std::get_if<std::string>(&next)) return PathMistake{std::move(*why)};
    value = std::get<Value>(std::move(next));
    if (value.as_withheld() == nullptr || value.as_map() != nullptr) continue;
    auto read = readable(value);
    if (auto* why = std::get_if<std::string>(&read)) return PathMistake{std::move(*why), true};
    value = std::get<Value>(std::move(read));
  }
  if (value.as_withheld() != nullptr) return PathMistake{value.as_withheld()->why, true};
  return value;
}

}  // namespace wtool::host::expressions
