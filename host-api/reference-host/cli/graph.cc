// wtool graph FILE [RUN] [--format mermaid|dot|svg|png] [--output FILE]: draws the diagram of a workflow; with RUN, its
// states are coloured by how they ended in that run.
#include "cli/workflow_list.h"
#include "report/drawing.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/load_run.h"

namespace wtool::host {

namespace {

struct GraphOptions {
  std::string file;
  std::string run;
  std::string format;  // empty: that of the output file's name, or else mermaid
  std::string output = "-";
};

// The format that the file's name stands for; empty: the name stands for none.
std::string format_of(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  if (extension == ".svg" || extension == ".png" || extension == ".dot") return extension.substr(1);
  return extension == ".mmd" ? "mermaid" : "";
}

// Sets the format. False: the reason is on standard error.
bool choose_format(GraphOptions& options) {
  const std::string named = format_of(options.output);
  if (options.format.empty()) options.format = named.empty() ? "mermaid" : named;
  if (named.empty() || named == options.format) return true;
  complain("--output " + options.output + " is the name of a file in the format " + named + ", but --format says " +
           options.format + "; change one of them");
  return false;
}

int graph(GraphOptions options) {
  if (!choose_format(options)) return exit_unusable;
  if (options.format == "png" && options.output == "-" && ::isatty(STDOUT_FILENO) == 1) {
    complain("a picture cannot be shown on a terminal; name a file with --output FILE");
    return exit_unusable;
  }
  std::error_code ignored;
  std::string error;
  const std::string file = workflow_file(options.file, std::filesystem::current_path(ignored).string(), error);
  if (file.empty()) {
    complain(error);
    return exit_unusable;
  }
  if (is_the_workflow(options.output, file)) return exit_unusable;
  if (file == workflow::standard_input && !options.run.empty()) {
    complain("a workflow from standard input has no runs; name its file, or leave out RUN");
    return exit_unusable;
  }
  const auto parsed = read_workflow(file);
  if (!parsed) return exit_unusable;
  std::optional<PastRunFile> past;
  if (!options.run.empty()) {
    past = read_past_run_of(file, options.run);
    if (!past) return exit_unusable;
    std::string changed;
    workflow_of_run(past->run, changed);
    if (!changed.empty()) complain("the diagram may differ from that of the run: " + changed);
  }
  const report::Drawing drawing = report::drawing_of(*parsed, past ? &past->run : nullptr);
  if (const std::string why = report::problem_of_size(drawing); options.format == "svg" && !why.empty()) {
    complain("the diagram is too large for a picture: " + why +
             "; use --format dot or --format mermaid, whose text other programs can draw");
    return exit_unusable;
  }
  std::string text;
  if (options.format == "mermaid") {
    text = report::mermaid_text(drawing);
  } else if (options.format == "svg") {
    text = report::diagram_svg(*parsed, past ? &past->run : nullptr, true);
  } else {
    text = report::dot_text(drawing, parsed->name.empty() ? file : parsed->name);
  }
  if (options.format == "png") {
    text = report::drawn_by_dot(text, options.format, error);
    if (!error.empty()) {
      complain(error);
      return exit_unusable;
    }
  }
  return write_report(resolve_links_above(options.output), text) ? exit_ok : exit_unusable;
}

}  // namespace

void add_graph(CLI::App& app, Context& context) {
  auto options = std::make_shared<GraphOptions>();
  CLI::App* command = app.add_subcommand("graph", "Draw the diagram of a workflow, with the states of a run coloured");
  command
      ->add_option("WORKFLOW", options->file,
                   "The workflow file, the name of one that `wtool list` shows, or - for standard input")
      ->required();
  command->add_option("RUN", options->run, "A run of that file: the run's id, the beginning of the id, or `last`");
  command
      ->add_option(
          "--format", options->format,
          "mermaid, dot, svg, or png, which needs Graphviz (default: that of the output file's name, else mermaid)")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"mermaid", "dot", "svg", "png"}));
  command->add_option("--output", options->output, "A file; default: standard output")->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  wtool graph release.md\n"
      "  wtool graph release.md last --format svg --output release.svg");
  command->callback([&context, options] { context.command = [options] { return graph(*options); }; });
}

}  // namespace wtool::host
