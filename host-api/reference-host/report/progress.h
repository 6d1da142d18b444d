// Shows a run as it happens, on standard error. A terminal has a line for each running step (state, time, the last line
// of output), updated in place below the lines of finished steps. Without a terminal, there are only plain lines. If
// wanted, what the steps write is shown, too.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "report/text.h"
#include "runner/run_observer.h"
#include "terminal/terminal.h"
#include "terminal/text.h"

namespace wtool::host::report {

// How the outputs of steps are shown.
enum class OutputStyle {
  none,      // only the number of lines that a successful step wrote to standard error
  group,     // the output of each step together, when the step has ended
  stream,    // each line as it comes
  prefixed,  // like `stream`, with the step's name before each line
};

enum class Detail {
  quiet,  // only failures, warnings and notices
  usual,
  verbose,  // commands, too
};

struct ProgressStyle {
  bool live = false;  // a terminal that can move its cursor
  bool colour = false;
  OutputStyle output = OutputStyle::none;
  Detail detail = Detail::usual;
  // The style for the descriptor. On a terminal that is not dumb, progress is live, and coloured unless NO_COLOR is set
  // and not empty. On anything else, outputs are shown in groups.
  static ProgressStyle of(int descriptor);
};

// Any thread may call any member.
class Progress final : public runner::RunObserver {
 public:
  // `terminal` must outlive this object.
  Progress(Terminal& terminal, ProgressStyle style);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() override;

  void run_started(const runner::RunStart& start) override;
  void combination_begun(const std::string& branch, const expressions::Value& values) override;
  void state_entered(const runner::Step& step) override;
  void work_begins(const runner::Step& step) override;
  void call_state(const runner::Step& step, const CallState& state) override;
  void output(const runner::Step& step, bool is_error_stream, std::string_view bytes) override;
  void logged(const runner::Step& step, workflow::LogAction::Level level, std::string_view text) override;
  void service(const runner::Step& step, const runner::ServiceEvent& event) override;
  void retrying(const runner::Step& step, const runner::Outcome& outcome, std::chrono::milliseconds wait) override;
  void state_ended(const runner::Step& step, const runner::StepEnd& end) override;
  void noticed(std::string_view text) override;
  void run_ended(const runner::RunReport& report) override;

 private:
  struct Running {
    std::string label;
    std::chrono::steady_clock::time_point began;
    std::string last_line;     // of the output, complete
    std::string partial_line;  // what came after it; bounded
    std::string node;          // the node of a cluster on which its call runs
    bool waits = false;        // for a node
    std::int64_t pid = 0;      // of its command's main process; 0: not known
    std::string stops{};       // shown while its command is being stopped; otherwise empty
    StepOutput output;
    KeptLines kept;
    bool has_line = false;        // the line about its beginning was written
    bool wrote = false;           // there was some output
    std::size_t error_lines = 0;  // complete lines on standard error
    bool open_error_line = false;
  };

  bool quiet() const { return style_.detail == Detail::quiet; }
  void tick();
  // The caller of these functions holds mutex_.
  void put(const std::string& lines);
  void put_beginning(Running& running);
  void print_lines(const std::string& mark, const std::string& text, const char* colour);
  std::string shown(const Running& running, const std::vector<OutputLine>& lines) const;
  std::string group_of(Running& running) const;
  void follow_last_line(Running& running, std::string_view bytes) const;
  std::vector<LiveLine> live_lines() const;
  LiveLine live_line(const Running& running, std::size_t columns) const;
  std::string coloured(const char* code, const std::string& text) const;
  std::string end_line(const runner::Step& step, const runner::StepEnd& end, const Running& running) const;

  Terminal& terminal_;
  const ProgressStyle style_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool ended_ = false;
  std::string run_;
  CombinationNames combinations_;
  std::map<std::uint64_t, Running> running_;  // by the number of the step
  struct RunningService {
    std::string label;
    std::chrono::steady_clock::time_point began;
  };
  std::map<std::uint64_t, RunningService> services_;  // the services that are ready, by the number of the step
  std::thread ticker_;                                // only if live and not quiet
};

}  // namespace wtool::host::report
