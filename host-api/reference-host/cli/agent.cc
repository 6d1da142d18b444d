// wtool agent --ticket FILE: the pilot on one node of a cluster. People do not call it: the plugin cluster_tools
// submits it to Slurm.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/context.h"
#include "loader/plugin.h"

#ifdef WTOOL_WITH_CLUSTER
#include <filesystem>

#include "agent/agent.h"
#endif

namespace wtool::host {

namespace {

#ifdef WTOOL_WITH_CLUSTER
int serve(Context& context, const std::string& file) {
  std::string error;
  const auto ticket = pilot::read_ticket(file, error);
  if (!ticket) {
    complain(error);
    return exit_unusable;
  }
  // Slurm starts the job in another directory if the host's working directory does not exist on this node.
  std::error_code failed;
  std::filesystem::current_path(ticket->directory, failed);
  std::string problem;
  if (failed) {
    problem =
        "the host's working directory " + ticket->directory + " cannot be entered on this node: " + failed.message();
  } else if (!ticket->token.empty() && !std::filesystem::exists(ticket->token, failed)) {
    problem = "the working directory " + ticket->directory + " of this node is not the host's: it has no file " +
              ticket->token;
  }
  context.options.on = "cluster";
  Plugin* plugin = context.plugin();
  return plugin == nullptr ? exit_unusable : run_agent(*ticket, *plugin, problem);
}
#else
int serve(Context&, const std::string&) {
  complain("this wtool was built without libsodium, and so without support for clusters");
  return exit_unusable;
}
#endif

}  // namespace

void add_on_option(CLI::App& command, GlobalOptions& options) {
  command
      .add_option("--on", options.on,
                  "Where commands run: local (default), or cluster, that is, on the nodes that Slurm allocates")
      ->type_name("WHERE")
      ->check(CLI::IsMember({"local", "cluster"}));
}

void add_agent(CLI::App& app, Context& context) {
  auto ticket = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("agent", "Run calls for a host, as its pilot on a node of a cluster");
  command->add_option("--ticket", *ticket, "The file in which the host has written its address and the key")
      ->type_name("FILE")
      ->required();
  command->footer(
      "Not for people: `--on cluster` submits this command to Slurm, once for each node. It runs calls until its host\n"
      "is gone, its job ends, or no call has come for a while.\n"
      "\n"
      "Example:\n"
      "  wtool agent --ticket .wtool/cluster/pilots-x1Yz2A/ticket");
  command->callback([&context, ticket] { context.command = [&context, ticket] { return serve(context, *ticket); }; });
}

}  // namespace wtool::host
