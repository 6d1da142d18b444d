#include "cli/detach.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/descriptor.h"
#include "base/files.h"
#include "cli/context.h"
#include "cli/workflow_run.h"
#include "journal/runs_folder.h"

namespace wtool::host {

namespace {

constexpr std::size_t max_shown_before = std::size_t{1} << 20;

// What the run's process printed before the run began. It is collected in a file in memory: if the run's process
// inherited the output of the process that the user started, that output would stay open until the run ends.
std::string shown_before(int file) {
  std::string text;
  if (::lseek(file, 0, SEEK_SET) == 0) read_all(file, max_shown_before, text);
  return text;
}

int failed_to_detach(const char* what) {
  complain(std::string("the run cannot be detached: ") + what + ": " + ::strerror(errno));
  return exit_unusable;
}

int exit_status_of_process(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return exit_unusable;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Runs in the process that the user started.
int wait_for_the_beginning(pid_t process, const Descriptor& reports, const Descriptor& early) {
  std::string run;
  read_all(reports.get(), 4096, run);
  // A run that has not sent its id has not begun.
  const int status = run.empty() ? exit_status_of_process(process) : exit_ok;
  const std::string said = shown_before(early.get());
  write_all(STDERR_FILENO, said);
  // With a limit of the size of files, the messages cannot be kept.
  if (run.empty() && said.empty()) {
    complain("the run has not begun: its process ended with status " + std::to_string(status) +
             ", and its messages were lost; `wtool run` without --detach shows them");
  }
  if (run.empty()) return status == exit_ok ? exit_unusable : status;
  const std::string commands = "`wtool attach " + run + "` shows it, `wtool stop " + run + "` ends it";
  if (!print(run + '\n')) {
    complain("the run " + run + " has begun all the same: " + commands);
    return exit_unwritten;
  }
  if (::isatty(STDERR_FILENO) == 1) {
    complain("the run continues without this terminal: " + commands);
  }
  return exit_ok;
}

}  // namespace

bool is_regular_file(const Descriptor& opened) {
  struct stat status {};
  return ::fstat(opened.get(), &status) == 0 && S_ISREG(status.st_mode);
}

std::optional<int> detach(int& report) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failed_to_detach("pipe2");
  Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const Descriptor early(::memfd_create("wtool-detached", MFD_CLOEXEC));
  if (!early) return failed_to_detach("no descriptor is left");
  const pid_t process = ::fork();
  if (process < 0) return failed_to_detach("fork");
  if (process > 0) {
    writing.reset();
    return wait_for_the_beginning(process, reading, early);
  }
  // Standard input may contain the value of a variable, so it is replaced only when the run begins.
  if (::setsid() < 0 || ::dup2(early.get(), STDOUT_FILENO) < 0 || ::dup2(early.get(), STDERR_FILENO) < 0) {
    return failed_to_detach("setsid or dup2");
  }
  report = writing.release();
  return std::nullopt;
}

bool begin_detached(int report, const journal::Journal* journal) {
  if (journal == nullptr) {
    complain("a detached run needs its journal: without a journal, nobody could find or end the run");
    return false;
  }
  std::string why = journal->write_problem();
  if (!why.empty()) {
    complain("a detached run needs its journal, but " + journal->file() + " cannot be written: " + why);
    return false;
  }
  const std::string path = journal::log_file(journal->file());
  // A FIFO in the place of the log would block the run until somebody reads it.
  const Descriptor log = open_without_links(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, 0600, why);
  if (log && !is_regular_file(log)) why = "it is not a file";
  if (!why.empty() || !log) {
    complain("cannot write " + path + ": " + why);
    return false;
  }
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nothing || ::dup2(nothing.get(), STDIN_FILENO) < 0) {
    complain(std::string("standard input cannot be replaced by /dev/null: ") + ::strerror(errno));
    return false;
  }
  // Until this process ends, this lock says that more may be shown. No other process inherits it. Without it, `wtool
  // attach` returns as soon as the journal is complete.
  Descriptor locked = open_without_links(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC, 0600, why);
  if (locked && journal::lock_journal(locked.get())) (void)locked.release();
  write_all(log.get(), shown_before(STDERR_FILENO));
  if (::dup2(log.get(), STDOUT_FILENO) < 0 || ::dup2(log.get(), STDERR_FILENO) < 0) {
    complain("the output cannot be sent to " + path + ": " + ::strerror(errno));
    return false;
  }
  if (const int failed = write_all(report, journal->run()).error; failed != 0) {
    complain(std::string("the run's id cannot be sent to the waiting wtool process: ") + ::strerror(failed));
    return false;
  }
  return true;
}

}  // namespace wtool::host
