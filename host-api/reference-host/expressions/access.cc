#include "expressions/access.h"

#include "expressions/json_value.h"

namespace wtool::host::expressions {

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
  constexpr std::size_t most = 20;
  std::string known;
  std::size_t count = 0;
  for (const auto& [field, unused] : map->fields) {
    if (++count <= most) known += (known.empty() ? "" : ", ") + field;
  }
  if (count > most) known += ", and " + std::to_string(count - most) + " more";
  return "there is no field '" + std::string(name) + "'; there are " + (known.empty() ? "none" : known);
}

std::variant<Value, std::string> element_of(const Value& value, std::size_t index) {
  const List* list = value.as_list();
  if (list == nullptr) return described(value) + " is not a list, and has no element " + std::to_string(index);
  if (index < list->size()) return (*list)[index];
  return "there is no element " + std::to_string(index) + "; the list has " + std::to_string(list->size());
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
    return "size needs a string, a list or a map, and got " + described(value);
  }
  return Value(static_cast<std::int64_t>(count));
}

}  // namespace wtool::host::expressions
