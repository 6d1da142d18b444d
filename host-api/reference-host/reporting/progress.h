// Shows a run as it happens, on standard error: on a terminal a line for each running step that is updated in place
// (state, time, the last line of output) below the lines of what is done; elsewhere plain lines.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "runner/run_observer.h"

namespace wtool::host::workflow {

struct ProgressStyle {
  bool live = false;  // a terminal that can move its cursor
  bool colour = false;
  // For the descriptor: live on a terminal that is not dumb; coloured unless NO_COLOR is set to something.
  static ProgressStyle of(int descriptor);
};

// All members: any thread.
class Progress final : public RunObserver {
 public:
  // `descriptor` must stay open while this object lives.
  Progress(int descriptor, ProgressStyle style);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() override;

  void state_entered(const Step& step) override;
  void output(const Step& step, bool is_error_stream, std::string_view bytes) override;
  void logged(const Step& step, LogAction::Level level, std::string_view text) override;
  void retrying(const Step& step, const Outcome& outcome, std::chrono::milliseconds wait) override;
  void state_ended(const Step& step, const StepEnd& end) override;
  void noticed(std::string_view text) override;
  void run_ended(const RunReport& report) override;

 private:
  struct Running {
    std::string label;
    std::chrono::steady_clock::time_point began;
    std::string last_line;     // of the output, complete
    std::string partial_line;  // what came behind it; bounded
  };

  void tick();
  // With mutex_ held:
  void print_line(const std::string& line);
  void print_lines(const std::string& mark, const std::string& text, const char* colour);
  std::string live_lines();
  std::string live_line(const Running& running, std::size_t columns) const;
  std::string erasure();
  std::string coloured(const char* code, const std::string& text) const;

  int descriptor_;
  ProgressStyle style_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool ended_ = false;
  std::size_t drawn_ = 0;                     // live lines on the screen; the cursor stands in the last one
  std::map<std::uint64_t, Running> running_;  // by the number of the step
  std::thread ticker_;                        // only where live
};

}  // namespace wtool::host::workflow
