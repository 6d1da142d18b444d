// wtool resume RUN [--from STATE]: continues a run that failed, was aborted, or was killed.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/workflow_run.h"

namespace wtool::host {
namespace {

struct ResumeOptions {
  Resumed resumed;
  RunFlags flags;
};

}  // namespace

void add_resume(CLI::App& app, Context& context) {
  auto options = std::make_shared<ResumeOptions>();
  CLI::App* command = app.add_subcommand("resume", "Continue a run where it failed, was aborted or was killed");
  command->add_option("RUN", options->resumed.run, "The run, the beginning of its id, or last; `wtool runs` lists them")
      ->required();
  command->add_option("--from", options->resumed.from, "Runs again from the last visit of this state on")
      ->type_name("STATE");
  add_run_options(*command, options->flags);
  add_on_option(*command, context.options);
  command->footer(
      "What is completed is not run again: its outputs come from the journal in .wtool/runs. Secrets, and inputs\n"
      "that held one, are not in it: give them again with --var, or answer when you are asked on a terminal. Give\n"
      "parameters that are to change with --var, too. The exit status is that of `wtool run`.\n"
      "\n"
      "Examples:\n"
      "  wtool resume last\n"
      "  wtool resume 20261121-231502 --from Test");
  command->callback([&context, options] {
    context.shows_results = true;
    context.command = [&context, options] { return resume_run(context, options->resumed, options->flags); };
  });
}

}  // namespace wtool::host
