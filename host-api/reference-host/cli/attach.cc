// wtool attach RUN: shows a run while it runs, and returns the exit status of the run. Ctrl-C ends only this command.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/detach.h"
#include "cli/interrupts.h"
#include "cli/table.h"
#include "cli/workflow_run.h"
#include "journal/journal_reader.h"
#include "journal/runs_folder.h"
#include "report/formats.h"
#include "runner/waiting.h"
#include "terminal/text.h"

namespace wtool::host {

namespace {

constexpr auto look_at_log_again = std::chrono::milliseconds(100);

// Prints what is appended to a file, in whole lines. If `is_last` is true, also prints an unfinished line.
class LogTail {
 public:
  explicit LogTail(const std::string& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {}

  bool is_there() const { return static_cast<bool>(file_); }
  bool is_file() const { return is_regular_file(file_); }

  // Prints the lines that are new since the last call. False: standard output cannot be written.
  bool print_news(bool is_last) {
    std::string piece(1 << 16, '\0');
    for (ssize_t got = 0; (got = ::read(file_.get(), piece.data(), piece.size())) > 0;) {
      rest_.append(piece, 0, static_cast<std::size_t>(got));
      const std::size_t end = rest_.rfind('\n');
      if (end == std::string::npos) continue;
      if (!show(std::string_view(rest_).substr(0, end + 1))) return false;
      rest_.erase(0, end + 1);
    }
    if (!is_last || rest_.empty()) return true;
    const bool shown = show(rest_);
    rest_.clear();
    return shown;
  }

 private:
  static bool show(std::string_view text) {
    return print(output_is_terminal() ? cleaned_for_terminal(std::string(text), true) : std::string(text));
  }

  Descriptor file_;
  std::string rest_;
};

// The exit status of a run that has ended. `says_it`: also reports to the person how the run ended.
int end_of(const std::string& id, const std::string& file, bool says_it) {
  std::string error;
  const auto run = journal::read_journal_ends(file, error);
  if (!run) {
    complain(error);
    return exit_unusable;
  }
  if (!run->status) {
    complain("the process of the run " + id + " ended before the run did; `wtool resume " + id + "` continues it");
  } else if (says_it) {
    const std::string status = report::status_text(*run, false);
    complain("the run " + id + ": " + status + (run->reason.empty() ? "" : ": " + run->reason));
  }
  return exit_status_of(*run);
}

int attach(const std::string& wanted) {
  std::string error;
  const std::string id = journal::find_run(".", wanted, error);
  if (id.empty()) {
    complain(error);
    return exit_unusable;
  }
  const std::string file = journal::journal_file(".", id);
  LogTail log(journal::log_file(file));
  if (!log.is_there()) {
    // The run was started without --detach, so it shows its progress elsewhere. Here, its logs are shown.
    const int status = follow_logs(id);
    return status == exit_ok ? end_of(id, file, true) : status;
  }
  if (!log.is_file()) {
    complain(journal::log_file(file) + " is not a file; `wtool logs " + id + "` shows what the steps of the run wrote");
    return exit_unusable;
  }
  Stop stop;
  const Interrupts interrupts(stop);
  while (!stop.requested()) {
    // Checked before the log is read, so that the last round reads everything that the run showed. The journal ends
    // before the process has shown how the run ended, and has written its reports.
    const bool is_last = !journal::is_being_written(file) && !journal::is_being_written(journal::log_file(file));
    if (!log.print_news(is_last)) return exit_unusable;
    if (is_last) return end_of(id, file, false);
    runner::wait_until(std::chrono::steady_clock::now() + look_at_log_again, stop);
  }
  if (journal::is_being_written(file)) complain("the run " + id + " continues; `wtool stop " + id + "` ends it");
  return interrupts.exit_status();
}

}  // namespace

void add_attach(CLI::App& app, Context& context) {
  auto run = std::make_shared<std::string>("last");
  CLI::App* command = app.add_subcommand("attach", "Show a run while it runs, until it ends");
  command->add_option("RUN", *run, "The run's id, the beginning of the id, or `last`, which is the default");
  command->footer(
      "For a run started with --detach, prints everything that the run shows; for any other run, what its steps write\n"
      "and log. The exit status is that of the run, or 130 if the run was aborted; a report that could not be written\n"
      "does not change it. Ctrl-C ends only this command; `wtool stop RUN` ends the run.\n"
      "\n"
      "Examples:\n"
      "  wtool attach\n"
      "  wtool attach \"$(wtool run nightly.md --detach)\"");
  command->callback([&context, run] { context.command = [run] { return attach(*run); }; });
}

}  // namespace wtool::host
