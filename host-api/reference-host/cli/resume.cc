// wtool resume RUN [--from STATE]: goes on with a run that failed, was aborted, or was killed.
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/workflow_run.h"

namespace wtool::host {
namespace {

struct ResumeOptions {
  std::string run;
  std::string from;
  RunWishes wishes;
};

int resume(Context& context, const ResumeOptions& options) {
  char directory[PATH_MAX];
  if (::getcwd(directory, sizeof directory) == nullptr) {
    complain(std::string("the working directory cannot be found: ") + ::strerror(errno));
    return exit_unusable;
  }
  return resume_run(context, {directory, options.run, options.from}, options.wishes);
}

}  // namespace

void add_resume(CLI::App& app, Context& context) {
  auto options = std::make_shared<ResumeOptions>();
  CLI::App* command = app.add_subcommand("resume", "Go on with a run where it failed, was aborted or was killed");
  command->add_option("RUN", options->run, "The run, the beginning of its id, or last; `wtool runs` lists them")
      ->required();
  command->add_option("--from", options->from, "Runs again from the last visit of this state on")->type_name("STATE");
  add_run_options(*command, options->wishes);
  command->footer(
      "What is completed is not run again: its outputs come from the journal in .wtool/runs. Secrets are not in it, "
      "and\n"
      "are given again with --var; so are parameters that are to change. Exit status as that of `wtool run`.\n"
      "\n"
      "Examples:\n"
      "  wtool resume last\n"
      "  wtool resume 20261121-231502 --from Test");
  command->callback(
      [&context, options] { context.command = [&context, options] { return resume(context, *options); }; });
}

}  // namespace wtool::host
