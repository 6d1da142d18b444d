#include "expressions/path.h"

#include "base/edit_distance.h"
#include "base/utf8.h"
#include "expressions/value.h"

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
  return "an index is a whole number from 0, or a string, not " + described(*key);
}

// Names only the first fields, since an expression may make this mistake many times.
std::string no_field(const Map& map, std::string_view name) {
  constexpr std::size_t most = 20;
  std::vector<std::string> known;
  for (const auto& [field, unused] : map.fields) {
    if (known.size() == most) break;
    known.push_back(field);
  }
  const std::size_t others = map.fields.size() - known.size();
  return "there is no field '" + std::string(name) + "'" + known_names(name, "fields", known) +
         (others == 0 ? "" : ", and " + std::to_string(others) + " more");
}

}  // namespace

std::variant<Value, PathMistake> follow_path(const std::string& name, const std::vector<PathStep>& steps,
                                             const Scope& scope, bool wants_reason) {
  const Value* found = scope.find(name);
  if (found == nullptr) return PathMistake{wants_reason ? scope.why_not(name) : ""};
  Value value = *found;
  for (const PathStep& step : steps) {
    if (!wants_reason && !step.index && !step.is_variable) {
      if (const Map* map = value.as_map(); map != nullptr && !map->fields.contains(step.name)) return PathMistake{};
    }
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

std::variant<Value, std::string> field_of(const Value& value, std::string_view name) {
  const Map* map = value.as_map();
  if (const List* list = value.as_list()) {
    if (name == "size") return size_of(value);
    if (name == "first" || name == "last") {
      if (list->empty()) return "an empty list has no " + std::string(name) + " element";
      return name == "first" ? list->front() : list->back();
    }
  }
  if (map == nullptr && value.as_text() != nullptr && name == "size") return size_of(value);
  if (map == nullptr) return described(value) + " has no field '" + std::string(name) + "'";
  const auto found = map->fields.find(name);
  if (found != map->fields.end()) return found->second;
  if (map->text && name == "json") return why_not_json(*map->text);
  return no_field(*map, name);
}

std::variant<Value, std::string> element_of(const Value& value, std::size_t index) {
  const List* list = value.as_list();
  if (list == nullptr) return described(value) + " is not a list, and has no element " + std::to_string(index);
  if (index < list->size()) return (*list)[index];
  return "there is no element " + std::to_string(index) + "; the size of the list is " + std::to_string(list->size());
}

std::variant<Value, std::string> size_of(const Value& value) {
  std::size_t count = 0;
  if (const std::string* text = value.as_text()) {
    count = character_count(*text);
  } else if (const List* list = value.as_list()) {
    count = list->size();
  } else if (const Map* map = value.as_map()) {
    count = map->fields.size();
  } else {
    return "'size' needs a string, a list or a map, but got " + described(value);
  }
  return Value(static_cast<std::int64_t>(count));
}

}  // namespace wtool::host::expressions
