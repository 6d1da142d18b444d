#include "journal/journal_reader.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/files.h"
#include "journal/record.h"
#include "journal/runs_folder.h"
#include "runner/run_part.h"
#include "runner/step_place.h"

namespace wtool::host::journal {
namespace {

using runner::Outcome;

constexpr std::size_t piece_size = 256UL * 1024;
constexpr std::size_t looked_at_end = 64UL * 1024;
// How the record of a resumption begins (record.h).
constexpr std::string_view resumption = R"({"v":1,"type":"run_resumed")";

// A file that is open for reading.
class JournalInput {
 public:
  // Without O_NONBLOCK, opening a FIFO to which nobody writes would block forever.
  explicit JournalInput(const std::string& path)
      : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  int get() const { return file_.get(); }

  // Why the file cannot be read as a journal; empty: it can be read.
  std::string trouble() const {
    if (!file_) return "cannot open " + path_ + ": " + ::strerror(errno);
    struct stat about {};
    if (::fstat(file_.get(), &about) != 0) return "cannot examine " + path_ + ": " + ::strerror(errno);
    return S_ISREG(about.st_mode) ? "" : path_ + " is not a journal: it is not a regular file";
  }

  // Appends at most `most` bytes to `to`, and returns how many it has appended. 0: the file ends here, or reading has
  // failed and `error` says why.
  std::size_t read_more(std::string& to, std::size_t most, std::string& error) const {
    const std::size_t before = to.size();
    to.resize(before + most);
    ssize_t count;
    do {
      count = ::read(file_.get(), to.data() + before, most);
    } while (count < 0 && errno == EINTR);
    if (count < 0) error = "cannot read " + path_ + ": " + ::strerror(errno);
    to.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    return to.size() - before;
  }

 private:
  const std::string& path_;
  const Descriptor file_;
};

// Reads a file line by line. Needs memory only for the longest line, which has no limit: the record of a matrix repeats
// the outputs of all combinations, and a run must not be lost because they are large.
class JournalLines {
 public:
  explicit JournalLines(const JournalInput& input) : input_(input) {}

  // Finds the next whole line, which is valid until the next call. False: no whole line follows; rest() and error()
  // say what follows instead.
  bool next(std::string_view& line) {
    std::size_t searched = used_;
    for (;;) {
      const std::size_t newline = buffer_.find('\n', searched);
      if (newline != std::string::npos) {
        line = std::string_view(buffer_).substr(used_, newline - used_);
        whole_ += line.size() + 1;
        used_ = newline + 1;
        return true;
      }
      buffer_.erase(0, used_);
      used_ = 0;
      searched = buffer_.size();
      if (input_.read_more(buffer_, piece_size, error_) == 0) return false;
    }
  }
  std::uint64_t whole_bytes() const { return whole_; }
  // How many bytes follow the last whole line.
  std::size_t rest() const { return buffer_.size() - used_; }
  const std::string& error() const { return error_; }

 private:
  const JournalInput& input_;
  std::string buffer_;
  std::size_t used_ = 0;
  std::uint64_t whole_ = 0;
  std::string error_;
};

void locate(Outcome& outcome, const std::string& folder) {
  for (runner::WholeOutput* whole : {&outcome.whole_output, &outcome.whole_error}) {
    // wtool never writes a name with a folder in it, so such a name is not trusted.
    if (whole->file.find('/') != std::string::npos) whole->file.clear();
    if (!whole->file.empty()) whole->file = folder + "/" + whole->file;
  }
}

// The copy is beside the journal, even after both were moved.
void locate(runner::KeptFile& kept, const std::string& folder) {
  kept.copy = folder + "/" + kept.copy.substr(kept.copy.rfind('/') + 1);
  struct stat status {};
  if (::lstat(kept.copy.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) kept.copy.clear();
}

void locate_outputs(RunRecord& run, const std::string& journal) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(journal, failed).lexically_normal();
  const std::string folder = outputs_folder(failed ? journal : absolute.string());
  for (StepRecord& step : run.steps) {
    locate(step.end.outcome, folder);
    for (Outcome& outcome : step.earlier_tries) locate(outcome, folder);
    for (runner::KeptFile& kept : step.kept_files) locate(kept, folder);
  }
}

bool is_completed_until(const RunRecord& run) {
  return run.status == runner::RunReport::Status::completed && !run.settings.part.until.empty();
}

// Earlier versions recorded that a run has completed even if its path ended before it came to the state of --until. Needs
// all steps of the run.
void find_missed_until(RunRecord& run) {
  const std::string& until = run.settings.part.until;
  if (!is_completed_until(run) || came_to(run, until, "") || came_to(run, until, runner::finally_branch)) return;
  run.status = runner::RunReport::Status::failed;
  run.missed_until = true;
  run.reason = runner::missed_until(until);
}

std::string place_in(const std::string& file, std::uint64_t line) { return file + ":" + std::to_string(line) + ": "; }

}  // namespace

std::optional<JournalContent> read_journal(const std::string& file, std::string& error, std::optional<Moment> runs_at) {
  const JournalInput input(file);
  error = input.trouble();
  if (!error.empty()) return std::nullopt;
  JournalContent content;
  RecordReader reader;
  JournalLines lines(input);
  std::string_view line;
  std::uint64_t number = 0;
  while (lines.next(line)) {
    ++number;
    const std::string wrong = reader.take(line);
    if (wrong.empty()) continue;
    if (reader.newer()) {
      error = place_in(file, number) + wrong;
      return std::nullopt;
    }
    if (!reader.begun()) {
      error = file + " is not the journal of a run: line " + std::to_string(number) + ": ";
      error += wrong;
      return std::nullopt;
    }
    if (content.damage.empty()) content.damage = place_in(file, number) + wrong;
  }
  error = lines.error();
  if (!error.empty()) return std::nullopt;
  if (!reader.begun()) {
    error = file + (lines.rest() > 0 ? " is not the journal of a run: its first line has no end"
                                     : " is empty: the run ended before any record was written");
    return std::nullopt;
  }
  content.whole_bytes = lines.whole_bytes();
  content.run = reader.finish(runs_at);
  find_missed_until(content.run);
  locate_outputs(content.run, file);
  if (lines.rest() > 0) {
    content.notices.push_back("the last line of " + file + " is torn (" + std::to_string(lines.rest()) +
                              " bytes without a newline), because the program that wrote it was killed, or the disk "
                              "was full; the line is ignored");
  }
  return content;
}

std::optional<RunRecord> read_journal_ends(const std::string& file, std::string& error, std::optional<Moment> runs_at) {
  const JournalInput input(file);
  error = input.trouble();
  if (!error.empty()) return std::nullopt;
  RecordReader reader;
  JournalLines lines(input);
  std::string_view line;
  if (!lines.next(line)) {
    error = !lines.error().empty() ? lines.error() : file + " has no whole line";
    return std::nullopt;
  }
  if (const std::string wrong = reader.take(line); !wrong.empty()) {
    error = file + " is not a readable journal: line 1: " + wrong;
    return std::nullopt;
  }
  struct stat about {};
  if (::fstat(input.get(), &about) != 0) {
    error = "cannot examine " + file + ": " + ::strerror(errno);
    return std::nullopt;
  }
  const auto size = static_cast<std::uint64_t>(about.st_size);
  std::string before;  // the record before `line`: before a resumption, it shows how long the earlier part took
  while (lines.next(line)) {
    const bool is_near_end = lines.whole_bytes() + looked_at_end > size;
    if (line.starts_with(resumption) || is_near_end) {
      if (!before.empty()) reader.take(std::exchange(before, {}));
      reader.take(line);
    } else {
      before = line;
    }
  }
  RunRecord run = reader.finish(runs_at);
  // Whether it came to the state of --until may be told in the middle of the journal.
  std::string ignored;
  if (is_completed_until(run)) {
    if (auto content = read_journal(file, ignored, runs_at)) run = std::move(content->run);
  }
  run.steps.clear();
  run.logs.clear();
  return run;
}

bool is_being_written(const std::string& file) {
  const JournalInput input(file);
  if (input.get() < 0 || ::flock(input.get(), LOCK_SH | LOCK_NB) == 0) return false;
  return errno == EWOULDBLOCK;
}

std::optional<Moment> running_now(const std::string& file) {
  return is_being_written(file) ? std::optional(std::chrono::system_clock::now()) : std::nullopt;
}

}  // namespace wtool::host::journal
