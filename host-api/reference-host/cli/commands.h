// The subcommands, one file each. They describe themselves to CLI11; see context.h for what they must do.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace wtool::host {

class Context;
struct GlobalOptions;

// Adds --on local|cluster, for commands that call tools.
void add_on_option(CLI::App& command, GlobalOptions& options);

// `wtool complete WORD...`, for completion in shells (complete.cc). Its words belong to other subcommands, so CLI11
// cannot parse them. Returns the exit status.
int complete(const CLI::App& app, Context& context, std::vector<std::string> words);

// Returns the subcommand of this name. nullptr: no subcommand has this name (complete.cc).
const CLI::App* subcommand(const CLI::App& command, const std::string& name);

// Runs `wtool logs RUN --follow`, and returns the exit status.
int follow_logs(const std::string& run);

void add_agent(CLI::App& app, Context& context);
void add_approve(CLI::App& app, Context& context);
void add_attach(CLI::App& app, Context& context);
void add_audit(CLI::App& app, Context& context);
void add_cache(CLI::App& app, Context& context);
void add_call(CLI::App& app, Context& context);
void add_check(CLI::App& app, Context& context);
void add_cluster(CLI::App& app, Context& context);
void add_completion(CLI::App& app, Context& context);
void add_config(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);
void add_graph(CLI::App& app, Context& context);
void add_init(CLI::App& app, Context& context);
void add_lint(CLI::App& app, Context& context);
void add_list(CLI::App& app, Context& context);
void add_logs(CLI::App& app, Context& context);
void add_mcp(CLI::App& app, Context& context);
void add_plan(CLI::App& app, Context& context);
void add_report(CLI::App& app, Context& context);
void add_run(CLI::App& app, Context& context);
void add_resume(CLI::App& app, Context& context);
void add_runs(CLI::App& app, Context& context);
void add_servers(CLI::App& app, Context& context);
void add_show(CLI::App& app, Context& context);
void add_stop(CLI::App& app, Context& context);
void add_tools(CLI::App& app, Context& context);
void add_watch(CLI::App& app, Context& context);

}  // namespace wtool::host
