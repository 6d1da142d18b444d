// Chooses the arguments with which the tests call a tool.
#pragma once

#include <string>

#include "base/json.h"

namespace wtool::host::conformance {

struct ChosenArguments {
  std::string text{};  // JSON text of an object; empty: none were found
  std::string from{};  // where they come from, or why none were found
};

// Takes `given` if it is not empty; otherwise the first valid one of the schema's `examples`; otherwise the least
// instance of the schema.
ChosenArguments choose_arguments(const std::string& given, const nlohmann::json& input_schema);

}  // namespace wtool::host::conformance
