// A name and what is reached from it: `build.json.items[0].name`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "expressions/evaluator.h"
#include "expressions/value.h"

namespace wtool::host::expressions {

// One step into a value: `.name`, `["name"]`, `[index]`, or (in a prompt) `[variable]`.
struct PathStep {
  std::string name;
  std::optional<std::size_t> index;
  bool is_variable = false;  // `name` is a variable that holds the key or the index
};

struct Path {
  std::string name;
  std::vector<PathStep> steps;
};

struct PathMistake {
  std::string why;
  bool withheld = false;  // the value is there, but not here in full: no default may stand in for it
};

// The value that the path leads to.
std::variant<Value, PathMistake> follow_path(const std::string& name, const std::vector<PathStep>& steps,
                                             const Scope& scope);

}  // namespace wtool::host::expressions
