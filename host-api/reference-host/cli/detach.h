// `wtool run --detach`: the run continues in a process with a session of its own, without a terminal.
//
//   if (const auto status = detach(flags.detached)) return *status;   // the program that was called
//   ...                                                               // the run, until it has its journal:
//   begin_detached(flags.detached, journal);
//   Beginning begun(flags.detached);                                  // an observer, after the journal
//
// What the run shows goes to the file RUN.log beside its journal. If the run cannot begin, the program that was called
// shows the reason, and ends with the exit status of the run's process.
#pragma once

#include <optional>
#include <string>

#include "base/descriptor.h"
#include "journal/journal.h"
#include "runner/run_observer.h"

namespace wtool::host {

// Call it before any thread is started. In the program that was called, waits until the run has begun or failed to
// begin, and returns the exit status. In the process of the run, returns nothing, and sets `report` for
// begin_detached().
std::optional<int> detach(int& report);

// Reports to the program that was called that the run has begun. By then, the journal names the process of the run, so
// `wtool stop` and `wtool attach` can find it. Does nothing if nobody waits (`report` is negative).
class Beginning final : public runner::RunObserver {
 public:
  explicit Beginning(int report) : report_(report) {}
  void run_started(const runner::RunStart& /*start*/) override { report_.reset(); }

 private:
  Descriptor report_;
};

// Redirects the output of this process to the log, and sends the run's id to the waiting wtool process, which
// the user started. False: the run must not begin; the reason is on standard error.
bool begin_detached(int report, const journal::Journal* journal);

bool is_regular_file(const Descriptor& opened);

// The path of the log of a detached run. `journal` is the path of its journal.
std::string detached_log(const std::string& journal);

}  // namespace wtool::host
