#include "cluster/client_programs.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <wtool/tool.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <memory>
#include <thread>

#include "base/blocked_signals.h"
#include "base/calm_poll.h"
#include "base/descriptor.h"
#include "base/environment_snapshot.h"
#include "base/lasting.h"
#include "base/slurm_variables.h"
#include "base/text.h"
#include "base/wake_up.h"
#include "engine/run.h"

namespace wtool::cluster {

namespace {

engine::WardenClient* custody = nullptr;

// While this object exists, the command is ended as soon as the descriptor `cancel` becomes readable.
class CancelWatch {
 public:
  CancelWatch(engine::Cancellation& cancellation, int cancel) {
    if (cancel < 0 || !over_) return;
    const BlockedSignals blocked;  // the host's signals are not for the new thread
    try {
      thread_ = std::thread([&cancellation, cancel, over = over_.descriptor()] {
        pollfd ready[2] = {{cancel, POLLIN, 0}, {over, POLLIN, 0}};
        while (calm_poll(ready, 2, -1) < 0) {
        }
        if (ready[1].revents != 0) return;
        cancellation.request(engine::Cancellation::Mode::now, "the call that needs it was cancelled");
      });
    } catch (...) {  // Without the thread, the command ends when its time is up.
    }
  }
  ~CancelWatch() {
    if (!thread_.joinable()) return;
    over_.signal();
    thread_.join();
  }
  CancelWatch(const CancelWatch&) = delete;
  CancelWatch& operator=(const CancelWatch&) = delete;

 private:
  WakeUp over_;
  std::thread thread_;
};

}  // namespace

const std::string& local_plugin_path() {
  static const auto& path = lasting<std::string>([] {
    Dl_info here{};
    if (::dladdr(&wtool_entry_v1, &here) == 0 || here.dli_fname == nullptr) return std::string();
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(here.dli_fname, nullptr), &std::free);
    return std::string(real ? real.get() : here.dli_fname);
  }());
  return path;
}

void set_client_custody(engine::WardenClient* client) { custody = client; }

Said run_here(const std::string& line, int seconds, int cancel) try {
  if (custody == nullptr) return {.why = "the client programs of Slurm cannot be run now"};
  const Descriptor directory(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return {.why = "the working directory cannot be opened"};
  engine::Command command;
  command.paths = {"/bin/sh"};
  command.arguments = {"/bin/sh", "-c", line};
  const auto environment = latest_environment();
  for (const char* const* each = environment->variables(); *each != nullptr; ++each) {
    const std::string_view variable(*each);
    const bool kept = std::any_of(variables_kept_from_slurm.begin(), variables_kept_from_slurm.end(),
                                  [&](std::string_view name) { return variable.starts_with(name); });
    if (!kept) command.variables.emplace_back(variable);
  }
  command.shell = "/bin/sh";
  command.directory = directory.get();
  engine::RunOptions options;
  options.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  engine::Cancellation cancellation;
  engine::CommandOutcome outcome;
  {
    const CancelWatch watch(cancellation, cancel);
    outcome = engine::run(*custody, command, options, cancellation, {});
  }
  Said said;
  said.cancelled = std::holds_alternative<engine::Cancelled>(outcome.termination);
  const auto* exited = std::get_if<engine::Exited>(&outcome.termination);
  said.done = exited != nullptr && exited->status == 0;
  said.out = std::move(outcome.standard_output.text);
  if (said.done) return said;
  said.why = std::string(trimmed(outcome.standard_error.text));
  if (said.why.empty()) {
    said.why = line.substr(0, line.find(' ')) + ' ' + engine::in_words(outcome.termination);
    const auto* timed_out = std::get_if<engine::TimedOut>(&outcome.termination);
    if (timed_out != nullptr && timed_out->begun) said.why += " after " + std::to_string(seconds) + " seconds";
  }
  return said;
} catch (const std::exception& error) {  // Descriptors or memory have run out.
  return {.why = line.substr(0, line.find(' ')) + " could not be run: " + error.what()};
}

}  // namespace wtool::cluster
