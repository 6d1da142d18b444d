// wtool run WORKFLOW.md [--var NAME=VALUE]...: reads, checks and runs a workflow. Progress goes to standard error, the
// summary to standard output.
// wtool resume RUN [--from STATE]: continues a run that failed, was aborted, or was killed.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/detach.h"
#include "cli/lint.h"
#include "cli/not_empty.h"
#include "cli/workflow_list.h"
#include "cli/workflow_run.h"

namespace wtool::host {
namespace {

struct RunCommandOptions {
  std::string file;
  RunFlags flags;
  bool detach = false;
  std::string from;
  bool strict = false;
  bool only_plans = false;
  bool json = false;  // of the plan
};

int run_or_plan(Context& context, RunCommandOptions& options) {
  std::string file = options.file;
  if (file.empty()) {
    std::error_code failed;
    int ended = exit_unusable;
    auto chosen = choose_workflow(std::filesystem::current_path(failed).string(), ended);
    if (!chosen) return ended;
    file = std::move(*chosen);
  }
  if (options.detach) {
    if (const auto status = detach(options.flags.detached)) return *status;
  }
  if (options.strict && !passes_strict_lint(context, file, options.flags.variables.names())) return exit_unusable;
  if (!options.from.empty()) return run_from(context, file, options.from, options.flags);
  if (!options.only_plans) return run_file(context, file, options.flags).status;
  return plan_file(context, file, options.flags.variables, options.flags.part, {options.json, options.flags.force});
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  auto options = std::make_shared<RunCommandOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a workflow: markdown with a mermaid state diagram");
  command
      ->add_option("WORKFLOW", options->file,
                   "The workflow file, the name of one that `wtool list` shows, or - for standard input\n(default: on "
                   "a terminal, you choose one)")
      ->check(not_empty());
  add_run_options(*command, options->flags);
  add_env_file_option(*command, context.options);
  add_on_option(*command, context.options);
  auto* from = command->add_option(
      "--from", options->from,
      "Continue the newest run of this workflow from that run's last visit of this state, with what was\n"
      "recorded before that visit");
  from->type_name("STATE")->check(not_empty());
  command->add_flag("--strict", options->strict,
                    "Check the workflow first, as `wtool lint --strict` does, and run nothing if there is a warning");
  auto* unkept = command->add_flag("--no-journal", options->flags.no_journal,
                                   "Keep no journal in .wtool/runs: the run can neither be shown nor resumed");
  auto* dry = command->add_flag("-n,--dry-run", options->only_plans,
                                "Show what the run would do, as `wtool plan` does, and run nothing");
  command->add_flag("--json", options->json, "With --dry-run: print one JSON object")->needs(dry);
  unkept->excludes(from);
  dry->excludes(from);
  for (const char* written : {"--events", "--junit", "--html"}) dry->excludes(command->get_option(written));
  command
      ->add_flag(
          "--detach", options->detach,
          "Return as soon as the run has begun, and print the id: `wtool attach` shows the run, `wtool stop` ends it")
      ->excludes(unkept)
      ->excludes(dry);
  command->footer(
      "Progress goes to standard error, a summary to standard output. Exit status: 0 completed, 1 failed, 2 the\n"
      "workflow or the usage is invalid (nothing was run), 3 failed because a command was refused, 4 completed but a\n"
      "report could not be written, 5 suspended: `wtool approve RUN` answers and continues it, 130 aborted (143 by\n"
      "SIGTERM, 129 by SIGHUP).\n"
      "Ctrl-C stops the running steps gracefully; a second Ctrl-C kills them. A file .swissarmyhammer/.abort that\n"
      "appears here during the run does the same as one Ctrl-C, with its text as the reason. `finally` states still\n"
      "run.\n"
      "\n"
      "Examples:\n"
      "  wtool run workflows/repository-report.md\n"
      "  wtool run release.md --var version=1.2.0 --var-file token=token.txt\n"
      "  wtool run checks.md --max-parallel 4 --junit checks.xml --events events.jsonl\n"
      "  wtool run nightly.md --detach");
  command->callback([&context, options] {
    context.shows_results = true;
    context.command = [&context, options] { return run_or_plan(context, *options); };
  });
}

// ---- resume

namespace {

struct ResumeOptions {
  Resumed resumed;
  RunFlags flags;
  bool detach = false;
};

}  // namespace

void add_resume(CLI::App& app, Context& context) {
  auto options = std::make_shared<ResumeOptions>();
  CLI::App* command = app.add_subcommand("resume", "Continue a run where it failed, was aborted or was killed");
  command
      ->add_option("RUN", options->resumed.run,
                   "The run's id, the beginning of the id, or `last`; `wtool runs` lists the runs")
      ->required();
  command->add_option("--from", options->resumed.from, "Run everything again, from the last visit of this state on")
      ->type_name("STATE");
  add_run_options(*command, options->flags);
  command->get_option("--max-parallel")
      ->description("At most N calls run at the same time (default: as in the run so far)");
  command->get_option("--fail-fast")
      ->description("A branch that fails ends the others (default: as in the run so far)");
  add_env_file_option(*command, context.options);
  add_on_option(*command, context.options);
  command->add_flag("--detach", options->detach, "Return as soon as the run has begun, as `wtool run --detach` does");
  command->footer(
      "Completed steps are not run again: their outputs come from the journal in .wtool/runs. --until, --only,\n"
      "--fail-fast, --no-fail-fast, --force and --max-parallel of the run still apply, unless others are given\n"
      "(a --force cannot be taken back; --max-parallel 10000 lifts a limit). If the action of a step has been\n"
      "changed in the file, that step and all later ones run again. Secrets, and inputs that contained a secret, are\n"
      "not in the journal; give them again with --var-file or --var-env, or answer when you are asked on a terminal.\n"
      "To change a parameter, give it with --var; from the first step that reads it, every step runs again. The exit\n"
      "status is that of `wtool run`.\n"
      "\n"
      "Examples:\n"
      "  wtool resume last\n"
      "  wtool resume 20261121-231502 --from Test");
  command->callback([&context, options] {
    context.shows_results = true;
    context.command = [&context, options] {
      if (options->detach) {
        if (const auto status = detach(options->flags.detached)) return *status;
      }
      return resume_run(context, options->resumed, options->flags);
    };
  });
}

}  // namespace wtool::host
