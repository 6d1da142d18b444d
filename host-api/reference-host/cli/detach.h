// `wtool run --detach`: the run continues in a process with a session of its own, without a terminal.
//
//   if (const auto status = detach(flags.detached)) return *status;   // in the process that the user started
//   ...                                                               // in the run's process, until it has a journal:
//   begin_detached(flags.detached, journal);
//   Beginning begun(flags.detached);                                  // an observer, after the journal
//
// What the run shows goes to the file RUN.log beside its journal. If the run cannot begin, the process that the user
// started shows the reason, and ends with the exit status of the run's process.
#pragma once

#include <optional>
#include <string>

#include "base/descriptor.h"
#include "journal/journal.h"
#include "runner/run_observer.h"

namespace wtool::host {

// Forks the run's process. Call it before any thread is started. In the process that the user started, waits until the
// run has begun or failed to begin, and returns the exit status. In the run's process, returns nothing, and sets
// `report` for begin_detached().
std::optional<int> detach(int& report);

// Reports to the process that the user started that the run has begun. By then, the journal names the run's process, so
// `wtool stop` and `wtool attach` can find it. Does nothing if the run is not detached (`report` is negative).
class Beginning final : public runner::RunObserver {
 public:
  explicit Beginning(int report) : report_(report) {}
  void run_started(const runner::RunStart& /*start*/) override { report_.reset(); }

 private:
  Descriptor report_;
};

// Redirects the output of the run's process to the log, and sends the run's id to the process that the user started.
// False: the run must not begin; the reason is on standard error.
bool begin_detached(int report, const journal::Journal* journal);

bool is_regular_file(const Descriptor& opened);

}  // namespace wtool::host
