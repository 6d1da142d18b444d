// wtool logs [RUN [STATE]] [--stderr] [--follow]: prints what the steps of a run wrote and logged, from its journal.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/interrupts.h"
#include "journal/journal_reader.h"
#include "journal/runs_folder.h"
#include "report/text.h"
#include "runner/waiting.h"
#include "terminal/text.h"

namespace wtool::host {

namespace {

constexpr std::size_t max_shown = 64UL * 1024 * 1024;  // bytes of a stream
constexpr auto look_again = std::chrono::milliseconds(200);

struct LogsOptions {
  std::string run = "last";
  std::string state;
  bool errors_only = false;  // --stderr
  bool follow = false;
};

std::string words(const std::string& text) { return cleaned_for_terminal(text, false); }

std::string marked(const std::vector<OutputLine>& lines) {
  std::string shown;
  for (const OutputLine& line : lines) shown += (line.is_error_stream ? "    ! " : "    | ") + line.text + "\n";
  return shown;
}

// One stream of a step, from the file that has all of it; if there is no such file, from the journal.
std::string lines_of(const journal::StepRecord& step, bool is_error_stream) {
  const journal::JournaledOutput stored = journal::stored_output(step.end.outcome, is_error_stream, step.masked);
  StepOutput output;
  std::string shown;
  if (stored.file.empty()) {
    shown = marked(output.add(is_error_stream, stored.text));
  } else {
    const std::string why = read_written(stored.file, stored.bytes, [&](std::string_view piece) {
      shown += marked(output.add(is_error_stream, piece));
      return shown.size() < max_shown;
    });
    if (shown.size() >= max_shown) {
      return shown + "    ... the rest is left out; `wtool show` with --output prints all of it\n";
    }
    if (!why.empty()) return shown + "    (the file " + words(stored.file + " " + why) + ")\n";
  }
  shown += marked(output.finish());
  return shown + (stored.notice.empty() ? "" : "    (" + words(stored.notice) + ")\n");
}

// Reports each event once, in the order in which the events happened.
class Teller {
 public:
  explicit Teller(const LogsOptions& options) : options_(options) {}

  // The text for all that is new in the run.
  std::string news(const journal::RunRecord& run) {
    names_ = report::combination_names(run);
    std::vector<std::pair<std::uint64_t, std::string>> news;  // by their places in the journal
    for (const journal::StepRecord& step : run.steps) {
      if (step.status == runner::Step::Status::running || !is_wanted(step) || !told_.insert(step.number).second)
        continue;
      if (std::string text = text_of(step); !text.empty()) news.emplace_back(step.line, std::move(text));
    }
    for (; logs_told_ < run.logs.size(); ++logs_told_) {
      const journal::RunLogRecord& log = run.logs[logs_told_];
      if (std::string text = text_of(log, run); !text.empty()) news.emplace_back(log.line, std::move(text));
    }
    std::stable_sort(news.begin(), news.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string all;
    for (const auto& [at, text] : news) all += text;
    return all;
  }

 private:
  bool is_wanted(const journal::StepRecord& step) const {
    return !step.hidden && (options_.state.empty() || step.state == options_.state);
  }

  std::string label(const journal::StepRecord& step) const {
    return report::step_label(step.place.branch, step.state, names_);
  }

  std::string text_of(const journal::StepRecord& step) const {
    // Only steps that make calls are shown. A step that groups other steps only repeats their outputs.
    if (step.action != "shell" && step.action != "tool" && step.action != "prompt") return {};
    if (!step.end.outcome.matrix.is_null()) return {};
    std::string output = options_.errors_only ? "" : lines_of(step, false);
    output += lines_of(step, true);
    const bool failed = step.status != runner::Step::Status::succeeded;
    if (output.empty() && (options_.errors_only || (!failed && !step.end.secret))) return {};
    const char* const word = failed ? journal::word(step.status) : step.up_to_date ? "up to date" : "ok";
    std::string title = "  " + std::string(word) + " " + label(step) + "  " + duration_text(step.took);
    if (step.end.secret) title += "  its output is secret, and was not kept";
    return title + "\n" + output;
  }

  std::string text_of(const journal::RunLogRecord& log, const journal::RunRecord& run) const {
    if (options_.errors_only) return {};
    const auto its = std::find_if(run.steps.begin(), run.steps.end(),
                                  [&](const journal::StepRecord& step) { return step.number == log.step; });
    if (log.step == 0) return options_.state.empty() ? "    notice: " + words(log.text) + "\n" : std::string();
    if (its == run.steps.end() || !is_wanted(*its)) return {};
    const std::string level =
        log.level == workflow::LogAction::Level::info ? "" : std::string(journal::word(log.level)) + ": ";
    return "    " + label(*its) + ": " + level + words(log.text) + "\n";
  }

  const LogsOptions& options_;
  report::CombinationNames names_;
  std::set<std::uint64_t> told_;
  std::size_t logs_told_ = 0;
};

bool was_in(const journal::RunRecord& run, const std::string& state) {
  return std::any_of(run.steps.begin(), run.steps.end(),
                     [&](const journal::StepRecord& step) { return step.state == state && !step.hidden; });
}

// A hint if the last run has a state of the name that was taken for a run; else empty.
std::string is_a_state(const std::string& word) {
  std::string ignored;
  const std::string last = journal::find_run(".", "last", ignored);
  if (last.empty()) return "";
  const auto content = journal::read_journal(journal::journal_file(".", last), ignored);
  if (!content || !was_in(content->run, word)) return "";
  return "; `wtool logs last " + word + "` shows the state of this name";
}

int logs(const LogsOptions& options) {
  std::string error;
  const std::string id = journal::find_run(".", options.run, error);
  const std::string file = id.empty() ? "" : journal::journal_file(".", id);
  if (id.empty()) {
    complain(error + is_a_state(options.run));
    return exit_unusable;
  }
  Stop stop;
  const Interrupts interrupts(stop);
  Teller teller(options);
  while (!stop.requested()) {
    // Checked before the journal is read: if the run ends in between, --follow reads the journal once more.
    const bool being_written = journal::is_being_written(file);
    const auto began = std::chrono::steady_clock::now();
    const auto content = journal::read_journal(file, error);
    if (!content && !being_written) {
      complain(error);
      return exit_unusable;
    }
    if (content) {
      if (!print(teller.news(content->run))) return exit_unusable;
      if (!options.state.empty() && !was_in(content->run, options.state) && !(options.follow && being_written)) {
        complain(journal::never_in(content->run, options.state));
        return exit_unusable;
      }
      if (!content->damage.empty() && !being_written) {
        complain("the journal is damaged, so only a part of it is shown: " + content->damage);
      }
    }
    if (!being_written) return exit_ok;
    if (!options.follow) {
      complain(
          "the run has not ended; the output of a step is in the journal once the step has ended; --follow waits for "
          "it");
      return exit_ok;
    }
    // The larger the journal, the less often it is read.
    const auto now = std::chrono::steady_clock::now();
    runner::wait_until(now + std::max<std::chrono::steady_clock::duration>(look_again, 5 * (now - began)), stop);
  }
  return interrupts.exit_status();
}

}  // namespace

int follow_logs(const std::string& run) {
  return logs({.run = run, .state = {}, .errors_only = false, .follow = true});
}

void add_logs(CLI::App& app, Context& context) {
  auto options = std::make_shared<LogsOptions>();
  CLI::App* command = app.add_subcommand("logs", "Show what the steps of a run wrote and logged, from its journal");
  command->add_option("RUN", options->run, "The run's id, the beginning of the id, or `last`, which is the default");
  command->add_option("STATE", options->state, "Only the visits of that state");
  command->add_flag("--stderr", options->errors_only, "Only what went to standard error");
  command->add_flag("-f,--follow", options->follow, "Also print what the run writes from now on, until it has ended");
  command->footer(
      "Each step that failed or wrote something is a line with its outputs below it: `|` marks standard output, `!`\n"
      "standard error.\n"
      "`wtool show RUN --output STATE` prints an output byte for byte.\n"
      "\n"
      "Examples:\n"
      "  wtool logs\n"
      "  wtool logs last Build --stderr\n"
      "  wtool logs last --follow");
  command->callback([&context, options] { context.command = [options] { return logs(*options); }; });
}

}  // namespace wtool::host
