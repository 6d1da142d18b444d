// Writes each record of a run immediately, for a program that follows the run.
//
// Unlike a journal, the file also has the output of running commands, piece by piece, and the steps that a resumed run
// has kept (`"replayed":true`). The events must come through a Masking.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.h"
#include "journal/journal.h"
#include "journal/json_value.h"
#include "journal/run_record.h"
#include "runner/run_observer.h"

namespace wtool::host::journal {

// Any thread may call any member.
class EventsFile final : public runner::RunObserver {
 public:
  // `file` is made or replaced; `-` is standard output, and a pipe or a device is allowed, too. `notice` is called
  // once, when the file can no longer be written. nullptr: `error` says why the file cannot be opened.
  static std::unique_ptr<EventsFile> open(const std::string& file, Journal::Notice notice, std::string& error);
  EventsFile(const EventsFile&) = delete;
  EventsFile& operator=(const EventsFile&) = delete;

  // True if some records could not be written.
  bool failed() const { return failed_; }

  void run_started(const runner::RunStart& start) override;
  void state_entered(const runner::Step& step) override;
  void workflow_begun(const runner::Step& step, const runner::RunStart& start) override;
  void call_state(const runner::Step& step, const CallState& state) override;
  void output(const runner::Step& step, bool is_error_stream, std::string_view bytes) override;
  void logged(const runner::Step& step, workflow::LogAction::Level level, std::string_view text) override;
  void service(const runner::Step& step, const runner::ServiceEvent& event) override;
  void retrying(const runner::Step& step, const runner::Outcome& outcome, std::chrono::milliseconds wait) override;
  void used(const runner::Step& step, const runner::Usage& usage) override;
  void state_ended(const runner::Step& step, const runner::StepEnd& end) override;
  void noticed(std::string_view text) override;
  void run_ended(const runner::RunReport& report) override;

 private:
  EventsFile(Descriptor descriptor, std::string name, Journal::Notice notice);
  template <class Append>
  void write(Append append);
  // Appends the bytes of a character that was never completed. Call it with mutex_ held.
  void append_rest(std::string& out, Moment at, const runner::Step& step);

  const Descriptor descriptor_;
  const std::string name_;
  const Journal::Notice notice_;
  const workflow::Workflow* root_ = nullptr;
  std::mutex mutex_;
  std::string line_;
  bool failed_ = false;
  WaitingSteps waiting_;
  std::map<std::pair<std::uint64_t, bool>, std::string> unfinished_;  // incomplete characters, by step and stream
};

}  // namespace wtool::host::journal
