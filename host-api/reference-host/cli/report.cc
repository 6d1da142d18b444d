// wtool report RUN [--junit FILE] [--html FILE]: reports of an earlier run.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/load_run.h"

namespace wtool::host {

namespace {

struct ReportOptions {
  std::string run;
  std::string junit;
  std::string html;
};

int write_report(const ReportOptions& options) {
  if (options.junit.empty() && options.html.empty()) {
    complain("name a file with --junit FILE or --html FILE; `wtool show` prints a run");
    return exit_unusable;
  }
  const auto past = read_past_run(options.run);
  if (!past) return exit_unusable;
  std::string why;
  std::optional<workflow::Workflow> drawn;
  if (!options.html.empty()) {
    drawn = workflow_of_run(past->run, why);
    if (!drawn) complain("the page is without the diagram: " + why);
  }
  return write_reports(past->run, drawn ? &*drawn : nullptr, resolve_links_above(options.junit),
                       resolve_links_above(options.html))
             ? exit_ok
             : exit_unusable;
}

}  // namespace

void add_report(CLI::App& app, Context& context) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand("report", "Write reports of an earlier run: JUnit XML, an HTML page");
  command->add_option("RUN", options->run, "The run: its id, the beginning of it, or last")->required();
  command->add_option("--junit", options->junit, "JUnit XML; - is standard output")->type_name("FILE");
  command->add_option("--html", options->html, "One HTML page; - is standard output")->type_name("FILE");
  command->footer(
      "Example:\n"
      "  wtool report last --junit junit.xml --html run.html");
  command->callback([&context, options] { context.command = [options] { return write_report(*options); }; });
}

}  // namespace wtool::host
