// A run for GitHub Actions: workflow commands, which become annotations, and the page of the step.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "report/failed_steps.h"
#include "report/formats.h"
#include "report/text.h"
#include "report/times.h"
#include "runner/approval.h"
#include "terminal/text.h"

namespace wtool::host::report {
namespace {

using journal::RunLogRecord;
using journal::RunRecord;
using journal::StepRecord;
using runner::RunReport;
using runner::Step;

// GitHub shows at most this many annotations of each kind for a step of a job, and silently drops the others.
constexpr std::size_t max_annotations = 10;
constexpr std::size_t max_annotation = 4000;         // bytes of a message
constexpr std::size_t max_github_rows = 500;         // of the table
constexpr std::size_t max_github_output = 8 * 1024;  // bytes of each output of a failed step
// GitHub accepts at most 1 MiB for a step.
constexpr std::size_t max_page = 900 * 1024;
constexpr std::size_t max_table = max_page / 2;
constexpr std::size_t max_name = 1024;    // bytes of a name of a state, a workflow or a combination
constexpr std::size_t max_reason = 8192;  // bytes

// The text as one line, so that no line of it can become a workflow command of its own.
std::string command_text(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : text) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\r') {
      out += "%0D";
    } else if (c == '\n') {
      out += "%0A";
    } else if (is_property && c == ':') {
      out += "%3A";
    } else if (is_property && c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

std::string safe(const std::string& text) { return cleaned_for_terminal(bounded_text(text, max_annotation), true); }

class Commands {
 public:
  enum class Kind { error, warning, notice };

  Commands(std::string file, const StateLines& lines) : file_(std::move(file)), lines_(lines) {}

  // `state`: a state of the workflow that was started; empty: none.
  void add(Kind kind, const std::string& title, const std::string& message, const std::string& state = {}) {
    std::size_t& count = counts_[static_cast<std::size_t>(kind)];
    if (++count > max_annotations) return;
    out_ += std::string("::") + word(kind) + " ";
    const auto place = lines_.find(state);
    if (!state.empty() && place != lines_.end()) {
      out_ += "file=" + command_text(file_, true) + ",line=" + std::to_string(place->second) + ",";
    }
    out_ += "title=" + command_text(cleaned_for_terminal(title, false), true) +
            "::" + command_text(safe(message), false) + "\n";
  }
  // The commands, with a line about those that GitHub would not show.
  std::string text(const std::string& run) {
    std::size_t left_out = 0;
    for (const std::size_t count : counts_) left_out += count > max_annotations ? count - max_annotations : 0;
    if (left_out == 0) return out_;
    return out_ + std::to_string(left_out) + " more annotations are left out; wtool show " +
           cleaned_for_terminal(run, false) + " shows everything\n";
  }

 private:
  static const char* word(Kind kind) {
    return kind == Kind::error ? "error" : kind == Kind::warning ? "warning" : "notice";
  }

  const std::string file_;
  const StateLines& lines_;
  std::string out_;
  std::size_t counts_[3] = {0, 0, 0};
};

std::string state_of_main(const RunRecord& run, const CombinationNames& names, const FailedStep& failed) {
  for (const StepRecord& step : run.steps) {
    if (step.workflow.empty() && step_label(step.place.branch, step.state, names) == failed.label) return step.state;
  }
  return {};
}

std::string message_of(const FailedStep& step) {
  std::string text = step.message.empty() ? "exit code " + std::to_string(step.exit_code) : step.message;
  if (!step.hint.empty()) text += "; " + step.hint;
  const std::string& output = step.standard_error.empty() ? step.standard_output : step.standard_error;
  if (output.find_first_not_of(" \n") != std::string::npos) text += "\n" + output;
  return text;
}

// Text for the page, in which neither HTML nor Markdown has a meaning: the end of `text`, at most `most` bytes of it.
std::string page_text(const std::string& text, std::size_t most = max_name) {
  std::string out;
  for (const char c : markup_text(cleaned_for_terminal(bounded_text(text, most), false))) {
    const bool in_entity = c == '#' && out.ends_with('&');  // as in `&#39;`
    if (!in_entity && std::string_view("\\`*_{}[]()#+-.!|~@:").find(c) != std::string_view::npos) {
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
    } else {
      out += c;
    }
  }
  return out;
}

// The lines of the text, shown as they are.
std::string page_lines(const std::string& text) {
  std::string out = "<pre>";
  for (const char c : markup_text(bounded_text(text, max_github_output))) {
    // An empty line ends a block of HTML in Markdown.
    if (c == '\n') {
      out += "&#10;";
    } else {
      out += c;
    }
  }
  return out + "</pre>\n";
}

std::string word_of_step(const RunRecord& run, const StepRecord& step) {
  if (step.status == Step::Status::running) return "not ended";
  if (journal::waits(run, step)) return "waits";
  std::string word = journal::status_word(step);
  if (step.tries > 1) word += " (" + std::to_string(step.tries) + " tries)";
  if (step.replayed) word += ", kept";
  return word;
}

const char* mark_of(const StepRecord& step) {
  switch (step.status) {
    case Step::Status::succeeded:
      return "✅";
    case Step::Status::failed:
      return "❌";
    case Step::Status::aborted:
    case Step::Status::running:
      break;
  }
  return "⏹";
}

}  // namespace

std::string github_commands(const RunRecord& run, const std::string& file, const StateLines& lines) {
  Commands commands(file, lines);
  const FailedList failed = failed_in(run);
  const CombinationNames names = combination_names(run);
  const bool is_completed = run.status == RunReport::Status::completed;
  const bool is_suspended = run.status == RunReport::Status::suspended;
  const std::string name = run.name.empty() ? run.file : run.name;
  std::size_t told = 0;
  for (const FailedStep& step : failed.steps) {
    if (step.aborted) continue;
    // If the path of the run came to its end, the workflow has handled the failure.
    const bool handled = is_completed || run.missed_until || step.handled;
    commands.add(handled ? Commands::Kind::warning : Commands::Kind::error, name + ": " + step.label, message_of(step),
                 state_of_main(run, names, step));
    told += handled ? 0 : 1;
  }
  if (is_suspended) {
    commands.add(Commands::Kind::warning, name + ": suspended",
                 run.reason + "\nwtool approve " + run.run + " continues it");
  } else if (!is_completed && (told == 0 || run.status == RunReport::Status::aborted)) {
    commands.add(Commands::Kind::error, name + ": " + status_text(run, false),
                 run.reason.empty() ? "the run has not ended" : run.reason);
  }
  for (const RunLogRecord& log : run.logs) {
    if (log.level == workflow::LogAction::Level::info) continue;
    const bool is_notice = log.step == 0;
    const Commands::Kind kind = is_notice                                        ? Commands::Kind::notice
                                : log.level == workflow::LogAction::Level::error ? Commands::Kind::error
                                                                                 : Commands::Kind::warning;
    commands.add(kind, name, log.text);
  }
  return commands.text(run.run);
}

std::string github_page(const RunRecord& run) {
  std::string out = "## " + page_text(run.name.empty() ? run.file : run.name) + ": " +
                    page_text(status_text(run, false) + part_text(run)) + " in " + page_text(time_of_run(run, false)) +
                    "\n\n";
  if (!run.reason.empty()) out += page_text(run.reason, max_reason) + "\n\n";
  out += "| | Step | Status | Time |\n|---|---|---|---|\n";
  const CombinationNames names = combination_names(run);
  std::size_t rows = 0;
  std::size_t left_out = 0;
  for (const StepRecord& step : run.steps) {
    if (step.hidden || step.action.empty()) continue;
    if (rows == max_github_rows || out.size() > max_table) {
      ++left_out;
      continue;
    }
    ++rows;
    out += std::string("| ") + mark_of(step) + " | " + page_text(step_label(step.place.branch, step.state, names)) +
           " | " + page_text(word_of_step(run, step)) + " | " +
           (is_time_known(step) ? page_text(duration_text(step.took)) : "") + " |\n";
  }
  if (left_out > 0) out += "\n... and " + std::to_string(left_out) + " more steps\n";
  const FailedList failed = failed_in(run);
  for (const FailedStep& step : failed.steps) {
    if (step.aborted) continue;
    std::string part =
        "\n<details" + std::string(run.status == RunReport::Status::completed || step.handled ? "" : " open") +
        "><summary>" + page_text(step.label) + ": " + page_text(step.message, max_reason) + "</summary>\n\n";
    if (!step.command.empty()) part += page_lines("$ " + step.command);
    if (!step.standard_output.empty()) part += page_lines(step.standard_output);
    if (!step.standard_error.empty()) part += page_lines(step.standard_error);
    part += "\n</details>\n";
    if (out.size() + part.size() > max_page) return out + "\n... and more failed steps, for which there is no room\n";
    out += part;
  }
  return out;
}

}  // namespace wtool::host::report
