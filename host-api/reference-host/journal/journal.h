// Writes the journal of a run: .wtool/runs/RUN.jsonl. With it, the run can be shown, and resumed where it ended.
//
// What a call has done is in the file before the next action begins. The records of an action that calls something are
// written before the call, and when it has ended. Other records wait in memory until the next such write, so that
// thousands of them cost little: those of states that call nothing and, while no call runs, those of steps that are up
// to date. If the run is killed before that write, a resumed run goes through these states again.
//
//   const auto journal = Journal::create(directory, {.secrets = &secrets, .notice = print}, error);
//   if (journal == nullptr) print("this run keeps no journal: " + error);
//   Observers all({journal.get(), &shown});  // observers.h; nullptr is left out
//   ...                                      // a run with this observer, whose id is journal->run()
//
// While a journal cannot be written (because the disk is full, say), the run continues, and a notice reports the
// problem. Records stay in memory, and are written together with later ones if there is space again. If more than 64
// MiB wait, they are dropped, and the run continues without a journal. The file is locked as long as this object lives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "journal/run_record.h"
#include "runner/run_observer.h"
#include "runner/secrets.h"

namespace wtool::host::journal {

// Takes the lock that the writer of a journal holds. Tries again for a while, because is_being_written() in another
// process holds it for a moment. False: errno says why; EWOULDBLOCK if the journal is being written.
bool lock_journal(int descriptor);

// Makes the folder for the runs that are started in `directory`, unless it exists, and opens it. An invalid descriptor:
// `error` says why.
Descriptor make_runs_folder(const std::string& directory, std::string& error);

// Any thread may report an event to it.
class Journal final : public runner::RunObserver {
 public:
  // Called with messages for people, on any thread that writes.
  using Notice = std::function<void(const std::string&)>;

  struct Options {
    // The secrets to mask in the records. The journal masks them itself, and must not get its events through a Masking:
    // it marks the steps whose outputs were masked, because these steps run again when the run is resumed. nullptr: no
    // secrets.
    const runner::Secrets* secrets = nullptr;
    Notice notice = nullptr;
  };

  // A new journal, for a run that starts in the directory. nullptr: `error` says why; the run continues without one.
  static std::unique_ptr<Journal> create(const std::string& directory, Options options, std::string& error);
  // The journal of an earlier run, to continue it. nullptr: `error` says why, such as that another process writes it.
  static std::unique_ptr<Journal> reopen(const std::string& file, Options options, std::string& error);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  // Removes the file if it has no record: the run has not begun.
  ~Journal() override;

  // The id of the run, for RunStart, and the path of the journal.
  const std::string& run() const { return run_; }
  const std::string& file() const { return file_; }

  // Whether the file has all records that it must have by now. False: the last write has failed, or records were
  // dropped.
  bool is_up_to_date() const;

  // Tests whether a record can be written. Call it before the run begins. Returns why not; empty: it can.
  std::string write_problem() const;

  // Call it before a run is resumed. Cuts off a torn last line, and remembers `from`, the first step that --from has
  // dropped, for the record of the resumption. Returns why the line cannot be cut off; empty: no such problem.
  std::string go_on_at(std::uint64_t whole_bytes, std::optional<StepPlace> from);

  void run_started(const runner::RunStart& start) override;
  void state_entered(const runner::Step& step) override;
  void workflow_begun(const runner::Step& step, const runner::RunStart& start) override;
  void work_begins(const runner::Step& step) override;
  void call_state(const runner::Step& step, const CallState& state) override;
  void logged(const runner::Step& step, workflow::LogAction::Level level, std::string_view text) override;
  void service(const runner::Step& step, const runner::ServiceEvent& event) override;
  void retrying(const runner::Step& step, const runner::Outcome& outcome, std::chrono::milliseconds wait) override;
  void used(const runner::Step& step, const runner::Usage& usage) override;
  void state_ended(const runner::Step& step, const runner::StepEnd& end) override;
  void past_forgotten(const std::vector<runner::StepPlace>& kept) override;
  void branches_forgotten(const std::string& beginning) override;
  void noticed(std::string_view text) override;
  void run_ended(const runner::RunReport& report) override;

 private:
  Journal(Descriptor descriptor, std::string file, std::string run, Options options);

  // When everything that is pending is written.
  enum class Write { later, at_once, at_once_during_calls };
  // Adds a record with `append`, which is called with mutex_ held.
  template <class Append>
  void take(Write write, Append append);
  // Writes what is pending. Call it with mutex_ held. Returns a notice, which the caller passes on after it has
  // released the mutex; empty: there is nothing to report.
  std::string flush();
  bool masks() const { return options_.secrets != nullptr && !options_.secrets->empty(); }

  const Descriptor descriptor_;
  const std::string file_;
  const std::string run_;
  const Options options_;
  std::string directory_;          // in which the run was started
  std::optional<StepPlace> from_;  // see go_on_at
  const workflow::Workflow* root_ = nullptr;

  mutable std::mutex mutex_;
  std::string pending_;  // what is not written yet: whole lines, except that the first may be the rest of one
  // The steps that call something now. Their calls may take long, so until they end, the records of steps that are up
  // to date do not wait.
  std::set<std::uint64_t> calling_;
  std::size_t next_attempt_ = 0;  // the size of pending_ at which writing is tried again
  bool failing_ = false;          // the last attempt failed
  std::uint64_t bytes_ = 0;       // the size of the file, unless another process changes it
  bool given_up_ = false;         // pending_ became too large: it was dropped, and nothing more is written
};

}  // namespace wtool::host::journal
