#include "cli/run_policy.h"

#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/paths.h"
#include "journal/journal.h"

namespace wtool::host {

namespace {

// What gives commands more than they have: runs that wait for an approval, settings, and answers of a person.
constexpr const char* own_names[] = {".wtool", "wtool.yaml", ".clada", "tools-allow.json"};

// Holds wtool's own names against commands. The sandbox holds only what exists. So the folders are made of the journals
// of runs, one of which could seem to wait for an approval, and of the answers to questions of execute_run. If they
// cannot be made, commands cannot make them either. In the root, the sandbox knows the names. Runs have their journals
// where the server was started, which may be a folder below.
void hold_own_names(Context& context, const std::string& root) {
  std::error_code failed;
  const std::string here = std::filesystem::current_path(failed).string();
  std::string ignored;
  bool made = false;
  (void)journal::make_runs_folder(root, ignored);
  (void)make_folder_without_links(root, ".clada", 0755, made, ignored);
  if (failed || here == root || !is_within(here, root)) return;
  (void)journal::make_runs_folder(here, ignored);
  std::vector<std::string> held;
  for (std::filesystem::path at = here; at != root && at != at.parent_path(); at = at.parent_path()) {
    for (const char* name : own_names) held.push_back((at / name).string());
  }
  context.config_files().add_in_force(held);
}

}  // namespace

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
  if (!preset) return preset;
  context.config_files().add_policy(*preset);
  if (policy.name == "project") hold_own_names(context, policy.root);
  return preset;
}

}  // namespace wtool::host
