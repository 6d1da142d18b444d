// A workflow file that has been read and checked, with all that a run needs: the workflows that it runs, its prompts,
// and the tools.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "audit/append.h"
#include "cache/step_cache.h"
#include "cli/context.h"
#include "cli/output_files.h"
#include "loader/toolbox.h"
#include "runner/executor.h"
#include "runner/prompts.h"
#include "servers/catalog.h"
#include "workflow/check/checker.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"
#include "workflow/parse/library.h"

namespace wtool::host {

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
  std::shared_ptr<const Config> first_config{};  // as it was before `config` loaded it
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
  // The audit trail that is configured now.
  audit::AppendOptions trail() const;
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
  // The configuration in force, which may change during a run.
  WorkflowConfig::InForce in_force() const;
  bool check(const std::vector<std::string>& given, const std::string& was_not);
  void expect_places(const workflow::Workflow& workflow);

  std::shared_ptr<const WorkflowSetup> setup_;
  workflow::Source source_;
  workflow::Workflow workflow_;
  std::set<std::string> slots_;
  std::shared_ptr<workflow::Library> library_;
};

}  // namespace wtool::host
