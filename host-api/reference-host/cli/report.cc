// wtool report [RUN] [--junit FILE] [--html FILE] [--github] [--otlp FOLDER]: writes reports of an earlier run.
#include <fcntl.h>
#include <string.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/descriptor.h"
#include "base/environment.h"
#include "base/files.h"
#include "base/paths.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/load_run.h"
#include "journal/runs_folder.h"
#include "report/formats.h"
#include "workflow/model/source.h"

namespace wtool::host {

namespace {

struct ReportOptions {
  std::string run = "last";
  std::string junit;
  std::string html;
  bool github = false;
  std::string otlp;  // a folder
};

// The file's path relative to the repository, as GitHub names it.
std::string file_in_repository(const journal::RunRecord& run) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path file = fs::weakly_canonical(fs::path(run.directory) / run.file, failed);
  const std::string workspace = environment_folder("GITHUB_WORKSPACE");
  if (failed || workspace.empty()) return run.file;
  const fs::path root = fs::weakly_canonical(workspace, failed);
  return is_within(file.string(), root.string()) ? file.lexically_relative(root).string() : run.file;
}

// The lines of the states; empty if the file has changed since the run, because its lines would be wrong.
report::StateLines lines_of_states(const journal::RunRecord& run) {
  report::StateLines lines;
  std::string why;
  const auto drawn = workflow_of_run(run, why);
  if (!drawn) return lines;
  const workflow::Source source =
      workflow::load_source((std::filesystem::path(run.directory) / run.file).string(), why);
  for (const workflow::State& state : drawn->states) {
    lines[state.id] = source.position(state.action ? state.action->offset : state.offset).line;
  }
  return lines;
}

// Appends the page to the summary of the GitHub job, if there is one. False: the reason is on standard error.
bool add_to_summary(const std::string& page) {
  const char* const named = std::getenv("GITHUB_STEP_SUMMARY");
  if (named == nullptr || *named == '\0') return true;
  const std::string file = resolve_links_above(named);
  std::string why;
  const Descriptor opened = open_without_links(file, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, 0666, why);
  if (opened) {
    if (const int failed = write_all(opened.get(), page).error; failed != 0) why = ::strerror(failed);
  }
  if (!why.empty()) complain("cannot write " + file + " (GITHUB_STEP_SUMMARY): " + why);
  return why.empty();
}

bool write_otlp(const std::string& folder, const journal::RunRecord& run) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    complain("cannot create the folder " + folder + ": " + failed.message());
    return false;
  }
  const std::string base = resolve_links_above(folder + "/traces.json");
  const bool traced = write_report(base, report::otlp_traces(run));
  return write_report(resolve_links_above(folder + "/logs.json"), report::otlp_logs(run)) && traced;
}

int write_report(const ReportOptions& options) {
  if (options.junit.empty() && options.html.empty() && !options.github && options.otlp.empty()) {
    complain("choose what to write: --junit FILE, --html FILE, --github or --otlp FOLDER; `wtool show` prints a run");
    return exit_unusable;
  }
  const std::vector<std::string> files = {options.junit, options.html};
  if (to_standard_output(files) + (options.github ? 1 : 0) > 1) {
    complain(
        "only one of --junit, --html and --github can write to standard output (--github always does); name a file for "
        "the others");
    return exit_unusable;
  }
  const auto past = read_past_run(options.run);
  if (!past) return exit_unusable;
  const std::string workflow = (std::filesystem::path(past->run.directory) / past->run.file).string();
  const std::string journal = journal::journal_file(".", past->run.run);
  for (const std::string& file : files) {
    if (is_the_workflow(file, workflow) || overwrites(file, journal, "the journal of the run")) return exit_unusable;
  }
  if (!are_apart(files)) return exit_unusable;
  if (past->being_written) complain("the run has not ended yet: what is written shows it up to now");
  std::string why;
  std::optional<workflow::Workflow> drawn;
  if (!options.html.empty()) {
    drawn = workflow_of_run(past->run, why);
    if (!drawn) complain("the page is written without the diagram: " + why);
  }
  bool done = write_reports(past->run, drawn ? &*drawn : nullptr, resolve_links_above(options.junit),
                            resolve_links_above(options.html), past->being_written);
  if (options.github) {
    done = print(report::github_commands(past->run, file_in_repository(past->run), lines_of_states(past->run))) && done;
    done = add_to_summary(report::github_page(past->run)) && done;
  }
  if (!options.otlp.empty()) done = write_otlp(options.otlp, past->run) && done;
  return done ? exit_ok : exit_unusable;
}

}  // namespace

void add_report(CLI::App& app, Context& context) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand(
      "report", "Write reports of an earlier run: JUnit XML, an HTML page, for GitHub, for OpenTelemetry");
  command->add_option("RUN", options->run, "The run's id, the beginning of the id, or `last`, which is the default");
  command->add_option("--junit", options->junit, "JUnit XML; - is standard output")->type_name("FILE");
  command->add_option("--html", options->html, "One HTML page; - is standard output")->type_name("FILE");
  command->add_flag("--github", options->github,
                    "Annotations for GitHub Actions on standard output, and a page in the file $GITHUB_STEP_SUMMARY");
  command->add_option("--otlp", options->otlp, "OTLP/JSON for OpenTelemetry: traces.json and logs.json in this folder")
      ->type_name("FOLDER");
  command->footer(
      "Examples:\n"
      "  wtool report last --junit junit.xml --html run.html\n"
      "  wtool report last --github\n"
      "  wtool report last --otlp telemetry");
  command->callback([&context, options] { context.command = [options] { return write_report(*options); }; });
}

}  // namespace wtool::host
