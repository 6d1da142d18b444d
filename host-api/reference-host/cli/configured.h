// What a program gets from its configuration, in the form in which the runs and checks of workflows need it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "audit/append.h"
#include "cache/step_cache.h"
#include "cli/context.h"
#include "cli/output_files.h"
#include "runner/prompts.h"
#include "servers/catalog.h"
#include "workflow/check/checker.h"

namespace wtool::host {

// The configuration of this program. Nothing: the reason is on standard error.
std::optional<Config> loaded_config(Context& context);

// The prompts that the configuration names, for runs in `directory`. nullptr: the reason is on standard error.
std::unique_ptr<runner::Prompts> configured_prompts(const Config& config, const std::string& directory);

// The servers that the configuration names, with what is pinned for them in `directory`.
servers::Catalog configured_servers(const Config& config, const std::string& directory);

// A function that asks a shell which commands the shell cannot read. If no shell is named, the function asks the
// configured shell.
workflow::ShellReader configured_shell(const Config& config);

// How much of the outputs of a run may be kept.
OutputLimits configured_output_limits(const Config& config);

// The audit trail. If its file is empty, no trail is configured.
audit::AppendOptions configured_trail(const Config& config);

// What the work of every step depends on because the configuration says so, as a hash.
std::string configured_work(const Config& config);

// The size of the store of results.
cache::StepCache::Options configured_cache(const Config& config);

// Lets a check find mistakes in prompts. `prompts` must outlive the context.
void look_for_prompts(const runner::Prompts& prompts, workflow::CheckContext& check_context);

}  // namespace wtool::host
