#include "conformance/arguments.h"

#include "base/json_schema.h"

namespace wtool::host::conformance {

using nlohmann::json;

ChosenArguments choose_arguments(const std::string& given, const json& input_schema) {
  if (!given.empty()) return {given, "--arguments"};
  const json examples = input_schema.value("examples", json::array());
  for (const json& example : examples) {
    if (example.is_object() && instance_mistake(example, input_schema).empty()) {
      return {example.dump(), "an example in its input schema"};
    }
  }
  const auto least = least_instance(input_schema);
  if (least && least->is_object()) return {least->dump(), "the smallest arguments that its input schema allows"};
  return {"", "its input schema has no example, and no arguments could be made from it; give them with --arguments"};
}

}  // namespace wtool::host::conformance
