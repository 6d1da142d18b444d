// The workflows of a folder as tools of `wtool mcp --workflows DIR`.
//
//   const auto workflows = WorkflowTools::open(context, "workflows", {"shell_execute"}, elicitation, 32768);
//   if (workflows) settings.tools = workflows->tools();
//
// - A workflow is served if its front matter says `tool: true`, it passes the check of `wtool run`, and no other tool
//   has its name. For any other file that says `tool: true`, the reason is on standard error. If two workflows have the
//   same name, neither is served, because it would be unclear which one runs.
// - The text that was read at the start is what runs, whatever happens to the file, because a person has reviewed that
//   text. Nor can a command in the sandbox change the file for the next start.
// - A call is a run as `wtool run` makes it, in the working directory, with a journal. The argument `resume` continues
//   a run of the same workflow that has not completed.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/context.h"
#include "cli/prepared_workflow.h"
#include "mcp/elicitation.h"
#include "mcp/server_tools.h"
#include "runner/run_observer.h"

namespace wtool::host {

class WorkflowTools {
 public:
  // `taken`: names of other tools. `output_bytes`: how much of an output a result keeps. nullptr: the folder cannot be
  // read, or nothing in it can be served; the reason is on standard error. `elicitation` must outlive the calls.
  // `policy` is that of the server.
  static std::unique_ptr<WorkflowTools> open(Context& context, const std::string& folder,
                                             const std::vector<std::string>& taken, mcp::Elicitation& elicitation,
                                             std::size_t output_bytes, runner::RunPolicy policy);

  // This object must outlive the calls of the tools.
  mcp::ServerTools tools();

 private:
  struct Served {
    ToolDescription description;
    std::unique_ptr<PreparedWorkflow> workflow;
  };

  WorkflowTools(Toolbox& toolbox, mcp::Elicitation& elicitation, std::size_t output_bytes, runner::RunPolicy policy)
      : toolbox_(toolbox), elicitation_(elicitation), output_bytes_(output_bytes), policy_(std::move(policy)) {}
  void add(const std::shared_ptr<const WorkflowSetup>& setup, workflow::Source source);
  void drop_taken_names(const std::vector<std::string>& taken);
  nlohmann::ordered_json answer(const Served& served, mcp::ClientCall& call, mcp::CallProgress::Reports& reports) const;

  Toolbox& toolbox_;
  mcp::Elicitation& elicitation_;
  const std::size_t output_bytes_;
  const runner::RunPolicy policy_;  // of the server, for the journals of its runs
  std::vector<Served> served_;      // by file name
};

}  // namespace wtool::host
