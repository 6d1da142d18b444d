// wtool show RUN [--json] [--output STATE]: what an earlier run did, or does now.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output.h"
#include "cli/past.h"
#include "reporting/run_json.h"
#include "reporting/run_text.h"

namespace wtool::host {

namespace {

struct ShowOptions {
  std::string run;
  std::string output_of;
  bool json = false;
};

// The standard output of the last visit of a state, byte for byte.
int show_output(const workflow::RunRecord& run, const std::string& state) {
  const workflow::StepRecord* last = nullptr;
  for (const workflow::StepRecord& step : run.steps) {
    if (step.state == state && !step.hidden) last = &step;
  }
  if (last == nullptr) {
    complain("the run " + run.run + " was never in the state \"" + state + "\"; `wtool show " + run.run +
             "` lists its states");
    return exit_unusable;
  }
  if (last->status == workflow::Step::Status::running) {
    complain("the state \"" + state + "\" has not ended, so its output is not kept yet");
    return exit_unusable;
  }
  if (last->end.secret) {
    complain("the output of the state \"" + state + "\" is secret, and was not kept");
    return exit_unusable;
  }
  return print(last->end.outcome.standard_output) ? exit_ok : exit_unusable;
}

int show(const ShowOptions& options) {
  const auto past = read_past_run(options.run);
  if (!past) return exit_unusable;
  if (!options.output_of.empty()) return show_output(past->run, options.output_of);
  const std::string text =
      options.json ? workflow::run_json(past->run, workflow::status_text(past->run, past->being_written), true) + "\n"
                   : workflow::run_text(past->run, past->being_written);
  return print(text) ? exit_ok : exit_unusable;
}

}  // namespace

void add_show(CLI::App& app, Context& context) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command = app.add_subcommand("show", "Show what a run did: its states, times, outputs");
  command->add_option("RUN", options->run, "The run: its id, the beginning of it, or last")->required();
  CLI::Option* json = command->add_flag("--json", options->json, "Everything, as a JSON object");
  command->add_option("--output", options->output_of, "Only the standard output of the last visit of that state")
      ->type_name("STATE")
      ->excludes(json);
  command->footer(
      "Examples:\n"
      "  wtool show last\n"
      "  wtool show 20261121-2315 --output Build > build.log");
  command->callback([&context, options] { context.command = [options] { return show(*options); }; });
}

}  // namespace wtool::host
