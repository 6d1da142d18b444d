#include "cli/run_policy.h"

namespace wtool::host {

std::optional<PolicyPreset> confine(Context& context, const runner::RunPolicy& policy, std::string& error) {
  using Kind = PolicyPreset::Kind;
  if (policy.name != "project" && policy.name != "read-only") {
    error = "this wtool does not know the policy " + policy.name;
    return std::nullopt;
  }
  auto preset = policy_preset({.kind = policy.name == "project" ? Kind::project : Kind::read_only,
                               .root = policy.root,
                               .network = policy.network,
                               .trusts_last_file = !context.options.config.empty()},
                              error);
  if (preset) context.config_files().add_policy(*preset);
  return preset;
}

}  // namespace wtool::host
