#include "journal/journal.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/files.h"
#include "journal/journal_reader.h"
#include "journal/observers.h"
#include "journal/record.h"
#include "journal/runs_folder.h"
#include "workflow/actions/action_type.h"

namespace wtool::host::journal {
namespace {

namespace fs = std::filesystem;
using runner::Outcome;
using runner::RunStart;
using runner::Step;
using runner::StepEnd;
using std::chrono::system_clock;

constexpr std::size_t batch = 64UL * 1024;            // the most bytes that wait while the journal can be written
constexpr std::size_t max_kept = 64UL * 1024 * 1024;  // the most bytes that wait while it cannot be written
// How much write_problem() writes: more than most first records have, and at least one block.
constexpr std::size_t tried_bytes = 4096;

std::string reason_of(int number) { return ::strerror(number); }

// The process that last began or resumed the run, as `, PID N`; empty: the journal cannot be read.
std::string pid_in(const std::string& file) {
  std::string error;
  const auto content = read_journal(file, error);
  return content ? ", PID " + std::to_string(content->run.pid) : "";
}

// Whether the step's action does something outside of this process, or may take long.
bool calls_something(const Step& step) {
  const auto& action = step.of().action;
  return action && type_of(action->kind).calls_something;
}

// The steps of that workflow make calls, and not this step.
bool runs_workflow(const Step& step) {
  return std::holds_alternative<workflow::WorkflowAction>(step.of().action->kind);
}

void ignore_all_in(const Descriptor& folder) {
  const Descriptor file(::openat(folder.get(), ".gitignore", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file) (void)!::write(file.get(), "*\n", 2);
}

}  // namespace

bool lock_journal(int descriptor) {
  for (int tries = 0; tries < 50; ++tries) {
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
  }
  return false;
}

Journal::Journal(Descriptor descriptor, std::string file, std::string run, Options options)
    : descriptor_(std::move(descriptor)), file_(std::move(file)), run_(std::move(run)), options_(std::move(options)) {}

Descriptor make_runs_folder(const std::string& directory, std::string& error) {
  bool made = false;
  std::string why;
  // The folder is private, because it contains outputs. If it already exists, it keeps its mode.
  Descriptor folder = make_folder_without_links(directory, std::string(runs_folder), 0700, made, why);
  if (!folder) error = "cannot create the folder " + (fs::path(directory) / runs_folder).string() + ": " + why;
  // Runs do not belong in a repository. If this fails, they merely show up in `git status`.
  if (made) ignore_all_in(folder);
  return folder;
}

std::unique_ptr<Journal> Journal::create(const std::string& directory, Options options, std::string& error) {
  std::error_code failed;
  const Descriptor folder = make_runs_folder(directory, error);
  if (!folder) return nullptr;
  for (auto at = system_clock::now();; at += std::chrono::microseconds(16)) {
    const std::string run = run_id(at);
    const std::string file = journal_file(directory, run);
    const std::string name = fs::path(file).filename().string();
    Descriptor descriptor(::openat(folder.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
    if (!descriptor && errno == EEXIST) continue;
    if (!descriptor || !lock_journal(descriptor.get())) {
      error = "cannot make the file " + file + ": " + reason_of(errno);
      return nullptr;
    }
    std::unique_ptr<Journal> journal(new Journal(std::move(descriptor), file, run, std::move(options)));
    journal->directory_ = fs::absolute(directory, failed).string();
    return journal;
  }
}

std::unique_ptr<Journal> Journal::reopen(const std::string& file, Options options, std::string& error) {
  std::string why;
  const fs::path path(file);
  const std::string directory = path.parent_path().parent_path().parent_path().string();
  bool made = false;
  const Descriptor folder = make_folder_without_links(directory, std::string(runs_folder), 0700, made, why);
  Descriptor descriptor(
      folder ? ::openat(folder.get(), path.filename().c_str(), O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW) : -1);
  if (folder && !descriptor) why = reason_of(errno);
  if (!descriptor) {
    error = "cannot open " + file + ": " + why;
    return nullptr;
  }
  if (!lock_journal(descriptor.get())) {
    const int number = errno;
    error = number == EWOULDBLOCK ? "the run " + path.stem().string() + " is still running" + pid_in(file) +
                                        "; `wtool attach` shows it, and `wtool stop` ends it"
                                  : "cannot lock " + file + ": " + reason_of(number);
    return nullptr;
  }
  return std::unique_ptr<Journal>(
      new Journal(std::move(descriptor), file, fs::path(file).stem().string(), std::move(options)));
}

Journal::~Journal() {
  {
    const std::lock_guard lock(mutex_);
    flush();
  }
  // A run that could not begin, or whose records could not be written, leaves nothing behind. The path may by now lead
  // to another file.
  struct stat own {};
  struct stat named {};
  if (::fstat(descriptor_.get(), &own) != 0 || !S_ISREG(own.st_mode) || own.st_size != 0) return;
  if (::lstat(file_.c_str(), &named) != 0 || named.st_dev != own.st_dev || named.st_ino != own.st_ino) return;
  ::unlink(file_.c_str());
}

std::string Journal::go_on_at(std::uint64_t whole_bytes, std::optional<StepPlace> from) {
  from_ = std::move(from);
  struct stat now {};
  if (::fstat(descriptor_.get(), &now) != 0) return "cannot examine " + file_ + ": " + reason_of(errno);
  bytes_ = std::min(static_cast<std::uint64_t>(now.st_size), whole_bytes);
  // Only a regular file can have a torn end.
  if (!S_ISREG(now.st_mode) || static_cast<std::uint64_t>(now.st_size) <= whole_bytes) return {};
  if (::ftruncate(descriptor_.get(), static_cast<off_t>(whole_bytes)) == 0) return {};
  return "cannot cut the torn line off the end of " + file_ + ": " + reason_of(errno);
}

bool Journal::is_up_to_date() const {
  const std::lock_guard lock(mutex_);
  return !failing_ && !given_up_;
}

std::string Journal::write_problem() const {
  struct stat before {};
  if (::fstat(descriptor_.get(), &before) != 0) return reason_of(errno);
  // Whoever reads the file meanwhile ignores an end without a newline.
  const auto [done, number] = write_all(descriptor_.get(), std::string(tried_bytes, ' '));
  if (done > 0 && ::ftruncate(descriptor_.get(), before.st_size) != 0) return reason_of(errno);
  return number == 0 ? "" : reason_of(number);
}

template <class Append>
void Journal::take(Write write, Append append) {
  std::string notice;
  {
    const std::lock_guard lock(mutex_);
    if (given_up_) return;
    const bool at_once = write == Write::at_once || (write == Write::at_once_during_calls && !calling_.empty());
    append(pending_, system_clock::now());
    // A single record may exceed the limit even though the journal can be written, so a write is tried first.
    if (pending_.size() > max_kept) notice = flush();
    if (pending_.size() > max_kept) {
      given_up_ = true;
      pending_ = {};
      notice = file_ +
               " could not be written for so long that more than 64 MiB are missing: the run continues without a " +
               "journal, and cannot be resumed from here on";
    } else if (!pending_.empty() && (at_once || pending_.size() >= std::max(batch, next_attempt_))) {
      notice = flush();
    }
  }
  if (!notice.empty() && options_.notice) options_.notice(notice);
}

std::string Journal::flush() {
  const auto [done, number] = write_all(descriptor_.get(), pending_);
  pending_.erase(0, done);
  bytes_ += done;
  const bool failed_before = std::exchange(failing_, number != 0);
  next_attempt_ = failing_ ? pending_.size() + batch : 0;
  if (failing_ && !failed_before) {
    return "the journal " + file_ + " cannot be written: " + reason_of(number) +
           "; the run continues, but can be resumed from here only if the journal can be written again before the run "
           "ends";
  }
  if (!failing_ && failed_before) return "the journal " + file_ + " can be written again; no record is missing";
  return {};
}

void Journal::run_started(const RunStart& start) {
  root_ = start.workflow;
  take(Write::at_once, [&](std::string& out, Moment at) {
    const RunStart shown = masks() ? masked(start, *options_.secrets) : start;
    if (start.resumed) {
      append_run_resumed(out, at, shown, from_ ? &*from_ : nullptr);
    } else {
      append_run_started(out, at, shown, directory_);
    }
  });
}

void Journal::state_entered(const Step& step) {
  // Steps kept from the earlier run are already in the file.
  if (step.replayed) return;
  // If the step may be up to date, its record waits until work_begins(), unless another step's call runs.
  const Write write = !calls_something(step)    ? Write::later
                      : may_be_up_to_date(step) ? Write::at_once_during_calls
                                                : Write::at_once;
  take(write, [&](std::string& out, Moment at) {
    append_state_started(out, at, step, root_);
    if (write == Write::at_once && !runs_workflow(step)) calling_.insert(step.number);
  });
}

void Journal::workflow_begun(const Step& step, const RunStart& start) {
  const RunStart shown = masks() ? masked(start, *options_.secrets) : start;
  take(Write::later, [&](std::string& out, Moment at) { append_workflow_started(out, at, step, root_, shown); });
}

void Journal::work_begins(const Step& step) {
  // Appends nothing: only what waits in memory is written.
  take(Write::at_once, [&](std::string&, Moment) { calling_.insert(step.number); });
}

void Journal::call_state(const Step& step, const CallState& state) {
  if (state.node.empty()) return;
  take(Write::at_once, [&](std::string& out, Moment at) { append_node(out, at, step, root_, state); });
}

void Journal::logged(const Step& step, workflow::LogAction::Level level, std::string_view text) {
  if (step.replayed) return;
  take(Write::later, [&](std::string& out, Moment at) {
    append_log(out, at, step, root_, level, masks() ? options_.secrets->masked(text) : std::string(text));
  });
}

void Journal::service(const Step& step, const runner::ServiceEvent& event) {
  take(Write::at_once, [&](std::string& out, Moment at) {
    append_service(out, at, step, root_, masks() ? masked(event, *options_.secrets) : event);
  });
}

void Journal::retrying(const Step& step, const Outcome& outcome, std::chrono::milliseconds wait) {
  bool changed = false;
  const Outcome shown = masks() ? masked(outcome, *options_.secrets, changed) : outcome;
  take(Write::at_once, [&](std::string& out, Moment at) { append_retry(out, at, step, root_, shown, wait); });
}

void Journal::used(const Step& step, const runner::Usage& usage) {
  // Written immediately: a call is counted before it begins, so that a budget holds even if wtool is killed.
  take(Write::at_once, [&](std::string& out, Moment at) { append_usage(out, at, step, root_, usage); });
}

void Journal::state_ended(const Step& step, const StepEnd& end) {
  if (step.replayed) return;
  bool changed = false;
  // Large outputs are searched for secrets before the lock is taken, so that other threads need not wait.
  std::optional<StepEnd> safe;
  if (masks()) safe = masked(end, *options_.secrets, changed);
  const Write write = !calls_something(step) ? Write::later
                      : step.up_to_date      ? Write::at_once_during_calls
                                             : Write::at_once;
  take(write, [&](std::string& out, Moment at) {
    append_state_ended(out, at, step, root_, safe ? *safe : end, changed);
    calling_.erase(step.number);
  });
}

void Journal::past_forgotten(const std::vector<runner::StepPlace>& kept) {
  take(Write::later, [&](std::string& out, Moment at) { append_past_forgotten(out, at, kept); });
}

void Journal::branches_forgotten(const std::string& beginning) {
  take(Write::later, [&](std::string& out, Moment at) { append_branches_forgotten(out, at, beginning); });
}

void Journal::noticed(std::string_view text) {
  // The record waits in memory: the notice may be this journal's own, about a write that has failed.
  take(Write::later, [&](std::string& out, Moment at) {
    append_notice(out, at, masks() ? options_.secrets->masked(text) : std::string(text));
  });
}

void Journal::run_ended(const runner::RunReport& report) {
  take(Write::at_once, [&](std::string& out, Moment at) {
    append_run_ended(out, at, masks() ? masked(report, *options_.secrets) : report);
  });
  std::string notice;
  {
    const std::lock_guard lock(mutex_);
    if (given_up_) {
      notice = "the journal " + file_ +
               " ends before the run did, so the run can be resumed only from where the journal ends";
    } else if (failing_) {
      notice = "the journal " + file_ +
               " still cannot be written; its end is missing, and the run can be resumed only " +
               "from where the journal ends";
    } else if (struct stat now{}; ::fstat(descriptor_.get(), &now) == 0) {
      if (now.st_nlink == 0) {
        notice = "the journal " + file_ + " was deleted during the run, so the run can be neither shown nor resumed";
      } else if (S_ISREG(now.st_mode) && static_cast<std::uint64_t>(now.st_size) < bytes_) {
        notice = "another process has removed records from the journal " + file_ +
                 " during the run, so the run cannot be resumed, and what is shown about it is not complete";
      }
    }
  }
  if (!notice.empty() && options_.notice) options_.notice(notice);
}

}  // namespace wtool::host::journal
