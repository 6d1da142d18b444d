#include "runner/past_run.h"

namespace wtool::host::runner {

bool must_be_given_again(const workflow::Parameter& parameter, const expressions::Value& value) {
  if (!parameter.secret) return false;
  return !parameter.fallback || expressions::to_json(*parameter.fallback) != expressions::to_json(value);
}

std::set<std::string> PastInputs::changed(const workflow::Workflow& workflow,
                                          const std::map<std::string, expressions::Value>& now) const {
  const auto is_unknown = [this](const std::string& name) {
    return std::find(unknown.begin(), unknown.end(), name) != unknown.end();
  };
  std::set<std::string> changed;
  for (const auto& [name, value] : values) {
    if (is_unknown(name)) continue;
    const auto found = now.find(name);
    if (found == now.end() || expressions::to_json(found->second) != expressions::to_json(value)) changed.insert(name);
  }
  // An input that the earlier run did not have is new. The journal names no secret that has its default.
  for (const auto& [name, value] : now) {
    if (values.contains(name) || is_unknown(name)) continue;
    const auto declared = std::find_if(workflow.parameters.begin(), workflow.parameters.end(),
                                       [&wanted = name](const auto& one) { return one.name == wanted; });
    const bool is_secret = declared != workflow.parameters.end() && declared->secret;
    if (!is_secret || must_be_given_again(*declared, value)) changed.insert(name);
  }
  return changed;
}

}  // namespace wtool::host::runner
