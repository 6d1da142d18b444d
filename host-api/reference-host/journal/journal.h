// Writes the journal of a run: .wtool/runs/RUN.jsonl, from which the run can be shown, and resumed where it was ended.
//
// What an action has done beyond this process is in the file before the next one begins: records are written before an
// action that calls something starts, and when it has ended. Records of other states wait in memory until then, so that
// thousands of them cost nothing; a run that is killed goes its way through them again.
//
// While a journal cannot be written (a full disk), the run goes on and says so; what is missing stays in memory and is
// tried again, so that nothing is lost when there is space again. The file is locked as long as this object lives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "journal/run_record.h"
#include "runner/run_observer.h"
#include "runner/secrets.h"

namespace wtool::host::journal {

// All members of the observer: any thread.
class Journal final : public runner::RunObserver {
 public:
  // Told what people should know, from whatever thread writes.
  using Notice = std::function<void(const std::string&)>;

  struct Options {
    // What is to be replaced in the records. The journal does that itself and must not stand behind a Masking: it
    // remembers which steps did not give what is written, and those are run again when the run is resumed. Null:
    // nothing.
    const runner::Secrets* secrets = nullptr;
    Notice notice = nullptr;
  };

  // A new one, for a run that is started in the directory. Null: `error` says why, and the run goes on without.
  static std::unique_ptr<Journal> create(const std::string& directory, Options options, std::string& error);
  // That of an earlier run, to be gone on with. Null: `error` says why not, such as that somebody else writes it.
  static std::unique_ptr<Journal> reopen(const std::string& file, Options options, std::string& error);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal() override;

  // Of the run: for RunStart.
  const std::string& run() const { return run_; }
  const std::string& file() const { return file_; }

  // Before a run goes on: cuts off what is behind the last whole line, and remembers what --from has dropped. Empty, or
  // why that failed.
  std::string go_on_at(std::uint64_t whole_bytes, std::optional<StepPlace> from);

  void run_started(const runner::RunStart& start) override;
  void state_entered(const runner::Step& step) override;
  void logged(const runner::Step& step, workflow::LogAction::Level level, std::string_view text) override;
  void retrying(const runner::Step& step, const runner::Outcome& outcome, std::chrono::milliseconds wait) override;
  void state_ended(const runner::Step& step, const runner::StepEnd& end) override;
  void noticed(std::string_view text) override;
  void run_ended(const runner::RunReport& report) override;

 private:
  Journal(Descriptor descriptor, std::string file, std::string run, Options options);

  // Takes a record in, through a function that appends it; `at_once`: everything is written now.
  template <class Append>
  void take(bool at_once, Append append);
  // With mutex_ held. Gives a notice to be told afterwards, or nothing.
  std::string flush();
  bool masks() const { return options_.secrets != nullptr && !options_.secrets->empty(); }

  const Descriptor descriptor_;
  const std::string file_;
  const std::string run_;
  const Options options_;
  std::string directory_;          // that the run was started in
  std::optional<StepPlace> from_;  // see go_on_at
  const workflow::Workflow* root_ = nullptr;

  std::mutex mutex_;
  std::string pending_;           // what is not written yet; whole lines, but for the rest of one at the beginning
  std::size_t next_attempt_ = 0;  // of a size of pending_ from which on it is tried again
  bool failing_ = false;          // the last attempt failed
  bool given_up_ = false;         // more was missing than may be kept: nothing is written any more
};

}  // namespace wtool::host::journal
