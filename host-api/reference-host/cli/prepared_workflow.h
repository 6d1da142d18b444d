// A workflow file that has been read and checked, with all that a run needs: the workflows that it runs, its prompts,
// and the tools. Also makes a run of it, with a journal.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "audit/append.h"
#include "base/stop.h"
#include "cache/step_cache.h"
#include "cli/context.h"
#include "cli/output_files.h"
#include "journal/journal.h"
#include "journal/run_record.h"
#include "loader/tool_caller.h"
#include "loader/toolbox.h"
#include "runner/prompts.h"
#include "runner/secrets.h"
#include "servers/catalog.h"
#include "workflow/check/checker.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"
#include "workflow/parse/library.h"

namespace wtool::host {

// The folders of workflows that the user and the machine have for all projects: wtool/workflows in the user's
// configuration folder, and /etc/wtool/workflows. The user's folder comes first.
std::vector<std::string> shared_workflow_folders();

// The file that a person means by `wanted`: a file of this name, or the workflow that another workflow in `directory`
// would call by this name. A path, or a name that ends with .md, is returned even if no such file exists. Empty: there
// is no such workflow, or it cannot be read; `error` says why.
std::string workflow_file(const std::string& wanted, const std::string& directory, std::string& error);

// The configuration of this program. Nothing: the reason is on standard error.
std::optional<Config> loaded_config(Context& context);

// The prompts that the configuration names, for runs in `directory`. nullptr: the reason is on standard error.
std::unique_ptr<runner::Prompts> configured_prompts(const Config& config, const std::string& directory);

// The servers that the configuration names, with what is pinned for them in `directory`.
servers::Catalog configured_servers(const Config& config, const std::string& directory);

// Why the tool cannot be called at the place; empty: it can. For the tool of a server, the place is where the server's
// command runs.
std::string place_problem(Toolbox& toolbox, const servers::Catalog& servers, const workflow::Placement& place,
                          const std::string& tool);

// A function that asks a shell which commands the shell cannot read. If no shell is named, the function asks the
// configured shell.
workflow::ShellReader configured_shell(const Config& config);

// Lets a check find mistakes in prompts. `prompts` must outlive the context.
void look_for_prompts(const runner::Prompts& prompts, workflow::CheckContext& check_context);

// What all workflows of a program share: the directory of their runs, the tools, and what the configuration says.
struct WorkflowSetup {
  // nullptr: the reason is on standard error.
  static std::shared_ptr<const WorkflowSetup> make(Context& context);

  std::string directory;
  Toolbox* tools = nullptr;
  WorkflowConfig* config = nullptr;
  Tracing* tracing = nullptr;
  workflow::ShellReader shell{};
  std::unique_ptr<runner::Prompts> prompts{};
  servers::Catalog servers{};
  OutputLimits output_limits{};
  audit::AppendOptions trail{};
  workflow::EnvironmentSource environment{};
  cache::StepCache::Options cache{};
};

class PreparedWorkflow {
 public:
  // `given` are the names of the given parameters. nullptr: the reason is on standard error, and the exit status is
  // exit_unusable.
  static std::unique_ptr<PreparedWorkflow> open(Context& context, const std::string& file,
                                                const std::vector<std::string>& given);
  // The same for a source that has already been read, with no names in `given`. `was_not` is for the message about a
  // mistake, such as "served" for "the workflow was not served".
  static std::unique_ptr<PreparedWorkflow> open(std::shared_ptr<const WorkflowSetup> setup, workflow::Source source,
                                                const std::string& was_not);

  const workflow::Source& source() const { return source_; }
  const workflow::Workflow& workflow() const { return workflow_; }
  Toolbox& tools() const { return *setup_->tools; }
  Tracing& tracing() const { return *setup_->tracing; }
  // The directory of the run.
  const std::string& directory() const { return setup_->directory; }
  // The title, the name or the file: the first of these that exists.
  std::string shown_name() const;
  // The services of the run that need only the workflow and the configuration; run_journaled() adds the others. This
  // object must outlive the run.
  runner::RunServices services();
  // A copy that shares all that was read, so that a part of a served workflow can run.
  std::unique_ptr<PreparedWorkflow> copy() const;
  // Cuts the workflow to the part that is to run. Returns why that cannot be done; empty: it was cut.
  std::string cut_to(const runner::RunPart& part);
  // How much of the outputs may be kept.
  OutputLimits output_limits() const { return setup_->output_limits; }
  // The configured audit trail.
  const audit::AppendOptions& trail() const { return setup_->trail; }
  // Where the results of steps are kept, and what the work of every step depends on.
  cache::StepCache::Options cache_options() const { return setup_->cache; }
  // The classes of jobs that its steps, and the steps of workflows that it runs, may need on a cluster. An empty name
  // means jobs without a class. An empty set: nothing runs on a cluster.
  const std::set<std::string>& slots() const { return slots_; }
  // The configured MCP servers.
  const servers::Catalog& servers() const { return setup_->servers; }
  // The prompts. A plan shows the commands that get them.
  const runner::Prompts& prompts() const { return *setup_->prompts; }

 private:
  PreparedWorkflow() = default;
  bool check(const std::vector<std::string>& given, const std::string& was_not);
  void expect_places(const workflow::Workflow& workflow);

  std::shared_ptr<const WorkflowSetup> setup_;
  workflow::Source source_;
  workflow::Workflow workflow_;
  std::set<std::string> slots_;
  std::shared_ptr<workflow::Library> library_;
};

// ---- What the policy says about a call that is not made: the verdict of `wtool call TOOL --explain`, for plan and
// lint.

// The policy's verdict on the call. A missing or unknown verdict never counts as allowed.
workflow::CommandVerdict explained(Toolbox& toolbox, const servers::Catalog& servers, const std::string& tool,
                                   const nlohmann::json& arguments);

// What the tool says that the call would do. Nothing: the tool gave no explanation; `why` says why.
std::optional<Explanation> explanation_of(Toolbox& toolbox, const servers::Catalog& servers, const CallPlace& place,
                                          const std::string& tool, const nlohmann::json& arguments, std::string& why);

// True if the policy allows even a command line that cannot be parsed, which means that it has no rule about commands.
bool allows_any_command(Toolbox& toolbox);

// One run of a prepared workflow with everything around it: its journal, its whole outputs, and the masking of its
// secrets. Shared by `wtool run` and `wtool mcp --workflows`.
struct JournaledRun {
  std::map<std::string, expressions::Value> inputs;
  std::unique_ptr<journal::Journal> journal;  // nullptr: none is kept
  const runner::PastRun* past = nullptr;      // what the earlier run did, if this one resumes it
  runner::RunSettings settings{};
  // As in RunServices.
  std::function<std::optional<bool>(const std::string& question, Stop& stop)> confirm;
  std::function<bool()> skips_finally{};                                                           // as in RunServices
  runner::Approve approve{};                                                                       // as in RunServices
  std::function<bool(const runner::Step& step, const std::string& what, Stop& stop)> may_begin{};  // as in RunServices
};

// Blocks until the run is over. `shown` gets no secrets, and the returned report contains none. The file
// .swissarmyhammer/.abort stops the run.
runner::RunReport run_journaled(PreparedWorkflow& prepared, ToolCaller& tools, JournaledRun run,
                                runner::Secrets& secrets, Stop& stop, runner::RunObserver& shown);

// The options of a journal whose notices go to standard error.
journal::Journal::Options journal_options(const runner::Secrets& secrets);

// A sentence for each input of the run whose value the journal does not contain, because it is or contains a secret;
// inputs in `given` are skipped. `option` is as for resolve_inputs.
std::vector<std::string> lost_inputs(const journal::RunRecord& run, const std::set<std::string>& given,
                                     const std::string& option);

// What to say if the file has changed since the run last continued; empty: it has not.
std::string changed_since(const workflow::Source& source, const journal::RunRecord& run);

}  // namespace wtool::host
