// A path from a name to a value, such as `build.json.items[0].name`, and access to the parts of a value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "expressions/expression.h"
#include "expressions/value.h"

namespace wtool::host::expressions {

// One step into a value: `.name`, `["name"]`, `[index]`, or (in a prompt) `[variable]`.
struct PathStep {
  std::string name;
  std::optional<std::size_t> index;
  bool is_variable = false;  // `name` is a variable whose value is the key or the index
};

struct Path {
  std::string name;
  std::vector<PathStep> steps;
};

struct PathMistake {
  std::string why;
  bool withheld = false;  // the value exists, but is not in memory in full; no default may replace it
};

// The value at the end of the path. Without `wants_reason`, a mistake may lack its reason, which takes time to find. If
// the value is withheld, the reason is always there.
std::variant<Value, PathMistake> follow_path(const std::string& name, const std::vector<PathStep>& steps,
                                             const Scope& scope, bool wants_reason = true);

// ---- Access to parts of a value: the field of a map, the element of a list, the number of elements. If a value has no
// such part, the result is a sentence that says why.

std::variant<Value, std::string> field_of(const Value& value, std::string_view name);

// The element at `index`, counted from 0.
std::variant<Value, std::string> element_of(const Value& value, std::size_t index);

// The number of characters of a text, of elements of a list or of fields of a map, as an int.
std::variant<Value, std::string> size_of(const Value& value);

}  // namespace wtool::host::expressions
