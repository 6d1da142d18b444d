// wtool run WORKFLOW.md [--var NAME=VALUE]...: reads, checks and runs a workflow. Progress goes to standard error, the
// summary to standard output.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <climits>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/interrupts.h"
#include "cli/output.h"
#include "reporting/progress.h"
#include "reporting/summary.h"
#include "runner/abort_watcher.h"
#include "runner/executor.h"
#include "workflow/called_workflows.h"
#include "workflow/checker.h"
#include "workflow/parameters.h"
#include "workflow/parser.h"

namespace wtool::host {

namespace {

constexpr int exit_aborted = 130;

struct RunOptions {
  std::string file;
  std::vector<std::string> variables;
};

std::vector<std::string> names_of(const std::vector<std::string>& variables) {
  std::vector<std::string> names;
  for (const std::string& variable : variables) names.push_back(variable.substr(0, variable.find('=')));
  return names;
}

std::string shown_name(const workflow::Workflow& workflow, const std::string& file) {
  if (!workflow.title.empty()) return workflow.title;
  return workflow.name.empty() ? file : workflow.name;
}

int exit_status(const workflow::RunReport& report, const Interrupts& interrupts) {
  switch (report.status) {
    case workflow::RunReport::Status::completed:
      return exit_ok;
    case workflow::RunReport::Status::failed:
      return exit_failed;
    case workflow::RunReport::Status::aborted:
      break;
  }
  return interrupts.signal() != 0 ? interrupts.exit_status() : exit_aborted;
}

std::string working_directory() {
  std::error_code ignored;
  return std::filesystem::current_path(ignored).string();
}

// Checks the workflow and those that it runs; of these, what is wrong is printed. How many of them have errors.
std::size_t check(const workflow::Workflow& parsed, const RunOptions& options, const Toolbox* toolbox,
                  workflow::Library& library, workflow::Findings& findings) {
  workflow::Surroundings around;
  around.tools = toolbox;
  around.file = options.file;
  around.library = &library;
  around.must_exist = true;
  workflow::check_workflow(parsed, names_of(options.variables), around, findings);
  std::size_t bad = 0;
  for (const workflow::CalledWorkflow& called : workflow::check_called_workflows(parsed, around)) {
    write_all(STDERR_FILENO,
              called.entry->findings.text(called.entry->source) + called.findings.text(called.entry->source));
    if (!called.entry->findings.empty() || !called.findings.empty()) ++bad;
  }
  return bad;
}

int run(Context& context, const RunOptions& options) {
  std::string error;
  const workflow::Source source = workflow::load_source(options.file, error);
  if (!error.empty()) {
    complain(error);
    return exit_unusable;
  }
  workflow::Findings findings;
  const workflow::Workflow parsed = workflow::parse_workflow(source, findings);
  // What does not even parse is not worth a plugin, and its other findings would only mislead.
  Toolbox* toolbox = nullptr;
  if (findings.empty()) {
    toolbox = context.toolbox();
    if (toolbox == nullptr) return exit_unusable;
  }
  workflow::Library library(working_directory());
  if (const std::size_t called = check(parsed, options, toolbox, library, findings); called > 0) {
    write_all(STDERR_FILENO, findings.text(source));
    complain(options.file + ": the workflow was not run: " + std::to_string(called) +
             (called == 1 ? " workflow that it runs has errors" : " workflows that it runs have errors"));
    return exit_unusable;
  }
  // Warnings forbid nothing.
  write_all(STDERR_FILENO, findings.text(source));
  if (!findings.empty()) {
    complain(options.file + ": the workflow was not run: " + std::to_string(findings.size()) +
             (findings.size() == 1 ? " error" : " errors"));
    return exit_unusable;
  }
  std::vector<std::string> errors;
  auto inputs = workflow::resolve_inputs(parsed, options.variables, workflow::names_read(parsed), errors);
  for (const std::string& message : errors) complain(options.file + ": " + message);
  if (!errors.empty()) return exit_unusable;

  char directory[PATH_MAX];
  if (::getcwd(directory, sizeof directory) == nullptr) {
    complain(std::string("the working directory cannot be found: ") + ::strerror(errno));
    return exit_unusable;
  }
  Stop stop;
  const Interrupts interrupts(stop);
  const workflow::AbortWatcher watcher(directory, stop);
  if (!watcher.error().empty()) complain("the abort file has no effect in this run: " + watcher.error());
  workflow::RunReport report;
  {
    workflow::Progress progress(STDERR_FILENO, workflow::ProgressStyle::of(STDERR_FILENO));
    report = workflow::run_workflow({parsed, source, std::move(inputs), *toolbox, stop, progress});
  }
  const bool shown = print(workflow::summary_text(parsed, report, shown_name(parsed, options.file)));
  const int status = exit_status(report, interrupts);
  return shown || status != exit_ok ? status : exit_unusable;
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a workflow: markdown with a mermaid state diagram");
  command->add_option("WORKFLOW", options->file, "The workflow file")->required();
  command
      ->add_option("--var,--set", options->variables,
                   "A parameter of the workflow, as NAME=VALUE; may be given several times")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->take_all();
  command->footer(
      "Progress goes to standard error, a summary to standard output. Exit status: 0 completed, 1 failed, 2 the\n"
      "workflow or the usage is invalid (nothing was run), 130 aborted. Ctrl-C stops the running step gracefully, a\n"
      "second one now; so does a file .swissarmyhammer/.abort that appears here during the run, with its text as the\n"
      "reason.\n"
      "\n"
      "Examples:\n"
      "  wtool run workflows/repository-report.md\n"
      "  wtool run release.md --var version=1.2.0 --var dry_run=true");
  command->callback([&context, options] { context.command = [&context, options] { return run(context, *options); }; });
}

}  // namespace wtool::host
