#include "report/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "journal/runs_folder.h"
#include "runner/approval.h"
#include "terminal/asking.h"
#include "terminal/text.h"
#include "workflow/actions/action_type.h"

namespace wtool::host::report {
namespace {

using runner::Outcome;
using runner::Step;
using runner::StepEnd;
using workflow::LogAction;

constexpr auto refresh = std::chrono::milliseconds(100);
constexpr std::size_t max_live_line = 1024;  // bytes of output kept for a live line
constexpr std::size_t max_live_lines = 8;
constexpr const char* green = "32";
constexpr const char* red = "31";
constexpr const char* yellow = "33";
constexpr const char* grey = "2";

// A state without an action gets no line: the run only passes through it.
bool is_shown(const Step& step) { return step.of().action.has_value(); }

template <class Kind>
bool does(const Step& step) {
  return std::holds_alternative<Kind>(step.of().action->kind);
}

// Steps that take no time get a line only when they end.
bool takes_time(const Step& step) { return type_of(step.of().action->kind).calls_something; }

// Whether the step's tool may report no output while it runs, so that its output is shown only at the end.
bool gives_only_at_its_end(const Step& step) {
  return does<workflow::ToolAction>(step) || does<workflow::PromptAction>(step);
}

std::size_t lines_of(std::string_view text) {
  const auto newlines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return newlines + (text.empty() || text.back() == '\n' ? 0 : 1);
}

std::string on_node(const std::string& node) { return node.empty() ? "" : "  on " + cleaned_for_terminal(node, false); }

}  // namespace

ProgressStyle ProgressStyle::of(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || *term == '\0' || std::string_view(term) == "dumb";
  ProgressStyle style;
  style.live = ::isatty(descriptor) == 1 && !dumb;
  style.colour = style.live && (no_color == nullptr || *no_color == '\0');
  style.output = style.live ? OutputStyle::none : OutputStyle::group;
  return style;
}

Progress::Progress(Terminal& terminal, ProgressStyle style) : terminal_(terminal), style_(style) {
  if (style_.live && !quiet()) ticker_ = std::thread([this] { tick(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    if (style_.live) terminal_.show("", {});
  }
  over_.notify_all();
  if (ticker_.joinable()) ticker_.join();
}

void Progress::tick() {
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, refresh, [this] { return ended_; })) {
    if (!running_.empty()) terminal_.show("", live_lines());
  }
}

std::string Progress::coloured(const char* code, const std::string& text) const {
  return style_.colour ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
}

LiveLine Progress::live_line(const Running& running, std::size_t columns) const {
  const std::string time = duration_text(std::chrono::steady_clock::now() - running.began);
  std::string where = running.waits ? "  waits for a node" : on_node(running.node);
  if (style_.detail == Detail::verbose && running.pid != 0) where += "  process " + std::to_string(running.pid);
  if (!running.stops.empty()) where = running.stops;
  const std::string shown = cut_to_width("  > " + running.label + "  " + time + where, columns);
  const std::size_t used = display_width(shown);
  const std::string output =
      cleaned_for_terminal(running.partial_line.empty() ? running.last_line : running.partial_line, false);
  if (output.empty() || used + 4 >= columns) return {shown, used};
  const std::string cut = cut_to_width(output, columns - used - 2);
  return {shown + "  " + coloured(grey, cut), used + 2 + display_width(cut)};
}

std::vector<LiveLine> Progress::live_lines() const {
  if (!style_.live || quiet() || ended_) return {};
  const TerminalSize size = terminal_.size();
  const std::size_t columns = size.columns - 1;
  const std::size_t room = std::clamp<std::size_t>(size.rows - 1, 1, max_live_lines);
  const std::size_t shown = running_.size() <= room ? running_.size() : room - 1;
  std::vector<LiveLine> lines;
  for (auto running = running_.begin(); lines.size() < shown; ++running) {
    lines.push_back(live_line(running->second, columns));
  }
  for (auto one = services_.begin(); one != services_.end() && lines.size() < room; ++one) {
    const std::string time = duration_text(std::chrono::steady_clock::now() - one->second.began);
    const std::string text = cut_to_width("  = " + one->second.label + "  " + time + "  service", columns);
    lines.push_back({coloured(grey, text), display_width(text)});
  }
  if (shown < running_.size()) {
    const std::size_t more = running_.size() - shown;
    const std::string text = cut_to_width(
        "  " + (shown > 0 ? "and " + std::to_string(more) + " more" : std::to_string(more) + " steps run"), columns);
    lines.push_back({text, display_width(text)});
  }
  return lines;
}

void Progress::put(const std::string& lines) {
  if (!style_.live) {
    if (!lines.empty()) terminal_.write(lines);
    return;
  }
  // A step that has just begun gets no line yet: most steps end before anybody could read it.
  terminal_.show(lines, running_.size() > 1 ? live_lines() : std::vector<LiveLine>{});
}

void Progress::print_lines(const std::string& mark, const std::string& text, const char* colour) {
  const std::string clean = cleaned_for_terminal(text, true);
  std::string lines;
  for (std::size_t begin = 0; begin <= clean.size();) {
    const std::size_t end = std::min(clean.find('\n', begin), clean.size());
    const std::string line = mark + clean.substr(begin, end - begin);
    lines += "    " + (colour != nullptr ? coloured(colour, line) : line) + "\n";
    begin = end + 1;
  }
  put(lines);
}

std::string Progress::shown(const Running& running, const std::vector<OutputLine>& lines) const {
  std::string text;
  for (const OutputLine& line : lines) {
    const std::string mark = line.is_error_stream ? " ! " : " | ";
    text += (style_.output == OutputStyle::prefixed ? running.label + coloured(grey, mark) : "") + line.text + "\n";
  }
  return text;
}

std::string Progress::group_of(Running& running) const {
  if (style_.output != OutputStyle::group) return shown(running, running.output.finish());
  running.kept.add(running.output.finish());
  std::string text;
  if (const std::size_t count = running.kept.left_out(); count > 0) {
    text += "    ... " + counted(count, "earlier line") + " left out" +
            (run_.empty() ? "" : "; `wtool logs " + run_ + "` shows all that is in the journal") + "\n";
  }
  for (const OutputLine& line : running.kept.lines()) {
    text += "    " + coloured(grey, line.is_error_stream ? "!" : "|") + " " + line.text + "\n";
  }
  running.kept = {};
  return text;
}

void Progress::run_started(const runner::RunStart& start) {
  const std::lock_guard lock(mutex_);
  run_ = cleaned_for_terminal(start.run, false);
  if (run_.empty() || quiet()) return;
  put(cleaned_for_terminal(start.name, false) + ": run " + run_ + (start.resumed ? " resumed" : "") + ", journal " +
      std::string(journal::runs_folder) + "/" + run_ + std::string(journal::journal_suffix) + "\n");
}

void Progress::combination_begun(const std::string& branch, const expressions::Value& values) {
  const std::lock_guard lock(mutex_);
  combinations_.insert_or_assign(branch, combination_name(values));
}

void Progress::state_entered(const Step& step) {
  if (!is_shown(step) || step.replayed) return;
  const std::lock_guard lock(mutex_);
  Running& running = running_[step.number];
  running.label = step_label(step, combinations_);
  running.began = step.began;
  // The thread that enters a state also asks the state's questions.
  set_asking_state(running.label);
  // A whole matrix makes no call; its combinations do.
  const bool is_matrix = step.of().action->options.matrix && !combinations_.contains(step.branch);
  if (takes_time(step) && (is_matrix || !may_be_up_to_date(step))) put_beginning(running);
}

void Progress::work_begins(const Step& step) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(step.number);
  if (found != running_.end()) put_beginning(found->second);
}

void Progress::put_beginning(Running& running) {
  if (!style_.live && !quiet() && !std::exchange(running.has_line, true)) put("  > " + running.label + "\n");
}

void Progress::call_state(const Step& step, const CallState& state) {
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(step.number);
  if (found == running_.end()) return;
  found->second.waits = state.waits_for_node();
  if (!state.node.empty()) found->second.node = state.node;
  if (state.state == "stopping")
    found->second.stops = "  is being stopped" + (state.reason.empty() ? "" : ": " + state.reason);
  if (state.state == "started") found->second.pid = state.pid;
  if (state.state != "ended") return;
  found->second.stops.clear();
  found->second.pid = 0;
}

void Progress::follow_last_line(Running& running, std::string_view bytes) const {
  // Only the end of the bytes can become the last line. A carriage return starts the line over, as on a terminal.
  if (bytes.size() > 2 * max_live_line) {
    bytes.remove_prefix(bytes.size() - 2 * max_live_line);
    running.partial_line.clear();
  }
  for (const char c : bytes) {
    if (c == '\n' || c == '\r') {
      if (!running.partial_line.empty()) running.last_line = std::move(running.partial_line);
      running.partial_line.clear();
    } else if (running.partial_line.size() < max_live_line) {
      running.partial_line += c;
    }
  }
}

void Progress::output(const Step& step, bool is_error_stream, std::string_view bytes) {
  if (bytes.empty()) return;
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(step.number);
  if (found == running_.end()) return;
  Running& running = found->second;
  running.wrote = true;
  if (is_error_stream) {
    running.error_lines += static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
    running.open_error_line = bytes.back() != '\n';
  }
  if (style_.live) follow_last_line(running, bytes);
  if (style_.output == OutputStyle::none || quiet()) return;
  std::vector<OutputLine> lines = running.output.add(is_error_stream, bytes);
  if (lines.empty()) return;
  if (style_.output == OutputStyle::group) return running.kept.add(std::move(lines));
  put(shown(running, lines));
}

void Progress::logged(const Step& step, LogAction::Level level, std::string_view text) {
  if (quiet() && level == LogAction::Level::info) return;
  const char* mark = level == LogAction::Level::warning ? "warning: "
                     : level == LogAction::Level::error ? "error: "
                                                        : "";
  const char* colour = level == LogAction::Level::warning ? yellow : level == LogAction::Level::error ? red : nullptr;
  const std::lock_guard lock(mutex_);
  print_lines((step.branch.empty() ? "" : step_label(step, combinations_) + ": ") + mark, std::string(text), colour);
}

void Progress::service(const Step& step, const runner::ServiceEvent& event) {
  using Kind = runner::ServiceEvent::Kind;
  const std::lock_guard lock(mutex_);
  const std::string label = step_label(step, combinations_);
  const std::string why =
      gives_secrets(step) ? "" : "  " + cut_to_width(cleaned_for_terminal(event.message, false), 200);
  const auto service = services_.extract(step.number);
  if (event.kind == Kind::ready) {
    services_.insert_or_assign(step.number, RunningService{label, std::chrono::steady_clock::now()});
    return;
  }
  // If a service could not be started, the line of its step says so.
  if (event.kind == Kind::restarting) {
    put("  " + coloured(yellow, "again") + " " + label + why + "\n");
  } else if (event.kind == Kind::ended && !service.empty() && event.failed) {
    put("  " + coloured(red, "failed") + " " + label + why + "\n");
  } else if (event.kind == Kind::ended && !service.empty() && !quiet()) {
    const auto ran = std::chrono::steady_clock::now() - service.mapped().began;
    put("  " + coloured(grey, "ended") + " " + label + "  " + coloured(grey, duration_text(ran)) + why + "\n");
  }
}

void Progress::retrying(const Step& step, const Outcome& outcome, std::chrono::milliseconds wait) {
  std::string why = outcome.message;
  if (why.empty() || gives_secrets(step)) why = "exit code " + std::to_string(outcome.exit_code);
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(step.number);
  std::string output;
  if (found != running_.end()) {
    output = group_of(found->second);
    found->second.error_lines = 0;
    found->second.open_error_line = found->second.wrote = false;
  }
  if (quiet()) return;
  put("  " + coloured(yellow, "again") + " " + step_label(step, combinations_) + "  in " + duration_text(wait) +
      ", because try " + std::to_string(step.tries) +
      " failed: " + cut_to_width(cleaned_for_terminal(why, false), 200) + "\n" + output);
}

void Progress::noticed(std::string_view text) {
  const std::lock_guard lock(mutex_);
  print_lines("notice: ", std::string(text), yellow);
}

std::string Progress::end_line(const Step& step, const StepEnd& end, const Running& running) const {
  const std::string label = step_label(step, combinations_);
  const std::string time = "  " + coloured(grey, duration_text(step.took) + on_node(running.node));
  if (step.status == Step::Status::succeeded) {
    if (step.replayed) return "  " + coloured(grey, "kept") + " " + label + time + "\n";
    // If outputs are not shown, the lines on standard error are counted, so that nobody misses the warnings of a
    // command that succeeds.
    std::size_t complaints = running.error_lines + (running.open_error_line ? 1 : 0);
    if (complaints == 0 && gives_only_at_its_end(step)) complaints = lines_of(end.outcome.standard_error);
    const bool counts = style_.output == OutputStyle::none && complaints > 0 && !end.secret;
    if (step.up_to_date) return "  " + coloured(grey, "up to date") + " " + label + time + "\n";
    return "  " + coloured(green, "ok") + " " + label + time +
           (counts ? ", " + counted(complaints, "line") + " on stderr" : "") + "\n";
  }
  const std::string word = end.outcome.error == runner::approval_pending ? "waits"
                           : step.status == Step::Status::aborted        ? "aborted"
                                                                         : "failed";
  const std::string message = end.secret ? "its results are secret" : end.message();
  const std::string why = cut_to_width(cleaned_for_terminal(message, false), 200);
  return "  " + (step.replayed ? coloured(grey, "kept") + " " : "") + coloured(red, word) + " " + label + time +
         (why.empty() ? "" : "  " + why) + "\n";
}

void Progress::state_ended(const Step& step, const StepEnd& end) {
  const std::lock_guard lock(mutex_);
  Running running;
  if (auto ended = running_.extract(step.number)) running = std::move(ended.mapped());
  const bool succeeded = step.status == Step::Status::succeeded;
  if (!is_shown(step) || (succeeded && (quiet() || does<LogAction>(step)))) {
    if (style_.live && running_.empty()) terminal_.show("", {});
    return;
  }
  std::string text = end_line(step, end, running);
  if (style_.detail == Detail::verbose && !end.command.empty() && !step.replayed) {
    std::string command = cleaned_for_terminal(end.command, true);
    replace_all(command, "\n", "\n      ");
    text += "    $ " + command + "\n";
  }
  if (style_.output != OutputStyle::none && !quiet() && !step.replayed && !end.secret) {
    if (!running.wrote && gives_only_at_its_end(step)) {
      for (const bool is_error_stream : {false, true}) {
        const Outcome& outcome = end.outcome;
        std::vector<OutputLine> lines =
            running.output.add(is_error_stream, is_error_stream ? outcome.standard_error : outcome.standard_output);
        if (style_.output == OutputStyle::group)
          running.kept.add(std::move(lines));
        else
          text += shown(running, lines);
      }
    }
    // A group comes after the line about the end of its step. In the other styles, the rest of the output comes before
    // that line.
    const std::string rest = group_of(running);
    text = style_.output == OutputStyle::group ? text + rest : rest + text;
  }
  put(text);
}

void Progress::run_ended(const runner::RunReport&) {
  const std::lock_guard lock(mutex_);
  running_.clear();
  services_.clear();
  if (style_.live) terminal_.show("", {});
}

}  // namespace wtool::host::report
