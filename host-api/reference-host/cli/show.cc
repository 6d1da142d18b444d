// wtool show [RUN] [--json] [--output STATE [--stderr] [--try N] [--branch B]]: shows what a run did, or has done so far.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/load_run.h"
#include "cli/table.h"
#include "cli/whole_number.h"
#include "journal/journal_reader.h"
#include "report/formats.h"

namespace wtool::host {

namespace {

struct ShowRunOptions {
  std::string run = "last";
  std::string output_of;
  std::string branch;
  int wanted_try = 0;  // 0: the last one
  bool error_stream = false;
  bool json = false;
};

// The outcome that the options select: of a step, or of one of its tries. Null: the reason is on standard error.
const runner::Outcome* wanted_outcome(const journal::RunRecord& run, const journal::StepRecord& step, int wanted) {
  if (wanted == 0 || wanted == step.tries) return &step.end.outcome;
  const auto index = static_cast<std::size_t>(wanted - 1);
  if (index < step.earlier_tries.size()) return &step.earlier_tries[index];
  complain("the state \"" + step.state + "\" had " + std::to_string(step.tries) +
           (step.tries == 1 ? " try" : " tries") + " in the run " + run.run + ", and the output of try " +
           std::to_string(wanted) + " is not kept");
  return nullptr;
}

// False: the reason is on standard error.
bool print_file(const std::string& file, std::uint64_t bytes) {
  bool printed = true;
  const std::string why =
      read_written(file, bytes, [&printed](std::string_view piece) { return printed = print(piece); });
  if (!why.empty()) complain("the file " + file + " " + why);
  return printed && why.empty();
}

// Prints the output of the last visit of a state byte for byte, or the part of it that was kept.
int show_output(const journal::RunRecord& run, bool being_written, const ShowRunOptions& options) {
  const std::string& state = options.output_of;
  const journal::StepRecord* last = journal::last_visit_of(run, state, options.branch);
  if (last == nullptr) {
    complain(journal::never_in(run, state, options.branch));
    return exit_unusable;
  }
  if (last->status == runner::Step::Status::running) {
    complain("the state \"" + state + "\" has not ended, so its output " +
             (being_written ? "is not kept yet" : "was not kept: the run was ended before it"));
    return exit_unusable;
  }
  if (last->end.secret) {
    complain("the output of the state \"" + state + "\" is secret, and was not kept");
    return exit_unusable;
  }
  const runner::Outcome* outcome = wanted_outcome(run, *last, options.wanted_try);
  if (outcome == nullptr) return exit_unusable;
  const journal::JournaledOutput stored = journal::stored_output(*outcome, options.error_stream, last->masked);
  if (!stored.notice.empty()) complain("the output of the state \"" + state + "\" is not whole: " + stored.notice);
  if (!(stored.file.empty() ? print(stored.text) : print_file(stored.file, stored.bytes))) return exit_unusable;
  return stored.whole ? exit_ok : exit_failed;
}

int show(const ShowRunOptions& options) {
  const auto past = read_past_run(options.run);
  if (!past) return exit_unusable;
  if (!options.output_of.empty()) return show_output(past->run, past->being_written, options);
  const std::string text =
      options.json ? report::run_json(past->run, report::status_text(past->run, past->being_written), true) + "\n"
                   : report::run_text(past->run, past->being_written, output_is_terminal());
  return print(text) ? exit_ok : exit_unusable;
}

}  // namespace

void add_show(CLI::App& app, Context& context) {
  auto options = std::make_shared<ShowRunOptions>();
  CLI::App* command = app.add_subcommand("show", "Show what a run did: its states, times, outputs");
  command->add_option("RUN", options->run, "The run's id, the beginning of the id, or `last`, which is the default");
  CLI::Option* json = command->add_flag("--json", options->json, "Everything, as a JSON object");
  CLI::Option* output =
      command->add_option("--output", options->output_of, "Only the standard output of the last visit of that state")
          ->type_name("STATE")
          ->excludes(json);
  command->add_flag("--stderr", options->error_stream, "With --output: standard error instead")->needs(output);
  command->add_option("--try", options->wanted_try, "With --output: what try N wrote, if the state was tried again")
      ->type_name("N")
      ->transform(whole_number(1, 1000000))
      ->needs(output);
  command->add_option("--branch", options->branch, "With --output: the last visit in that branch, such as /5:2")
      ->type_name("BRANCH")
      ->needs(output);
  command->footer(
      "An output is printed whole, byte for byte. If a part of it was not kept, the rest is printed, with the reason\n"
      "on standard error, and the exit status is 1.\n"
      "\n"
      "Examples:\n"
      "  wtool show\n"
      "  wtool show 20261121-2315 --output Build > build.log");
  command->callback([&context, options] { context.command = [options] { return show(*options); }; });
}

}  // namespace wtool::host
