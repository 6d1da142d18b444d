#include "journal/journal_reader.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/sha256.h"
#include "journal/record.h"
#include "journal/runs_folder.h"
#include "runner/approval.h"

namespace wtool::host::journal {
namespace {

using runner::Outcome;
using runner::PastRun;
using runner::PastStep;
using runner::Step;

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

namespace {

// If the step is a combination of a matrix: the values of the combination. Otherwise nullptr.
const expressions::Value* combination_of(const StepRecord& step) {
  if (step.place.sequence != 1) return nullptr;
  for (const auto& [name, value] : step.end.assigned) {
    if (name == "matrix") return &value;
  }
  return nullptr;
}

// Notes the forks that had a failed branch, but whose join let the path continue.
void judge_forks(const RunRecord& run, PastRun& past) {
  std::unordered_map<std::string, std::uint64_t> farthest;  // by branch: its last step that transitioned
  for (const StepRecord& step : run.steps) {
    std::uint64_t& sequence = farthest[step.place.branch];
    if (step.end.transitioned) sequence = std::max(sequence, step.place.sequence);
  }
  for (const StepRecord& step : run.steps) {
    if (step.status != Step::Status::failed || step.end.transitioned) continue;
    std::vector<StepPlace> forks;
    for (auto above = parent_of(step.place.branch); above; above = parent_of(above->branch)) {
      forks.push_back(*above);
      if (farthest[above->branch] <= above->sequence) continue;
      for (const StepPlace& fork : forks) past.judge(fork);
      break;
    }
  }
}

bool is_over(const PastRun& past, const StepPlace& place) {
  for (auto above = parent_of(place.branch); above; above = parent_of(above->branch)) {
    if (past.is_judged(*above)) return true;
  }
  return false;
}

}  // namespace

PastRun past_of(const RunRecord& run) {
  PastRun past;
  for (const auto& [branch, values] : run.dropped_combinations) past.note_combination(branch, values);
  judge_forks(run, past);
  std::size_t order = 0;
  for (const StepRecord& step : run.steps) {
    if (const expressions::Value* values = combination_of(step)) past.note_combination(step.place.branch, *values);
    if (step.call) past.note_call(step.place, *step.call);
    if (step.status == Step::Status::running || !(step.end.transitioned || is_over(past, step.place))) continue;
    // An answer may have come since.
    if (step.end.outcome.error == runner::approval_pending) {
      past.note_waiting(step.place);
      continue;
    }
    PastStep ended{step.state, step.status, step.tries,
                   step.took,  step.end,    known_action(step.action, step.action_sha256),
                   order++};
    if (step.lost) {
      past.note_outdated(step.place, "the output of '" + step.state + "' was lost");
    }
    if (step.end.secret || step.masked || step.lost || step.lost_inside) {
      past.hide(step.place, std::move(ended));
    } else {
      past.add(step.place, std::move(ended));
    }
  }
  for (const auto& [place, usage] : run.usage) past.add_usage(place, usage);
  return past;
}

std::optional<StepPlace> last_visit(const RunRecord& run, const std::string& state) {
  // A combination of a matrix has the name of its state, but it is only a part of the visit.
  const auto found = std::find_if(run.steps.rbegin(), run.steps.rend(), [&](const StepRecord& step) {
    return step.state == state && !step.hidden && !is_combination(run, step);
  });
  return found == run.steps.rend() ? std::nullopt : std::optional(found->place);
}

void drop_from(RunRecord& run, const StepPlace& from) {
  std::erase_if(run.steps, [&](const StepRecord& step) {
    if (!follows(from, step.place)) return false;
    for (const runner::MadeFile& file : step.made_files) run.dropped_files.insert(file.path);
    if (const expressions::Value* values = combination_of(step)) {
      run.dropped_combinations.insert_or_assign(step.place.branch, *values);
    }
    return true;
  });
}

using runner::WholeOutput;

bool is_combination(const RunRecord& run, const StepRecord& step) {
  const auto above = parent_of(step.place.branch);
  if (!above) return false;
  for (const StepRecord& other : run.steps) {
    if (other.place == *above) return other.state == step.state && other.workflow == step.workflow;
  }
  return false;
}

const StepRecord* last_visit_of(const RunRecord& run, const std::string& state, const std::string& branch) {
  const StepRecord* last = nullptr;
  for (const StepRecord& step : run.steps) {
    if (step.state != state || step.hidden) continue;
    if (branch.empty() ? !is_combination(run, step) : step.place.branch == branch) last = &step;
  }
  return last;
}

std::string file_problem(const WholeOutput& whole) {
  Sha256 digest;
  const std::string why = read_written(whole.file, whole.bytes, [&digest](std::string_view piece) {
    digest.add(piece);
    return true;
  });
  if (!why.empty()) return "the file " + whole.file + " " + why;
  if (digest.finish() == whole.sha256) return "";
  return "the file " + whole.file + " no longer contains what the step wrote";
}

JournaledOutput stored_output(const runner::Outcome& outcome, bool is_error_stream, bool masked) {
  const WholeOutput& whole = is_error_stream ? outcome.whole_error : outcome.whole_output;
  JournaledOutput stored;
  stored.text = is_error_stream ? outcome.standard_error : outcome.standard_output;
  if (!masked && !whole.file.empty()) {
    const std::string problem = file_problem(whole);
    if (problem.empty()) {
      stored.file = whole.file;
      stored.bytes = whole.bytes;
      return stored;
    }
    stored.notice = problem;
  }
  if (masked) stored.notice = "secrets in it were replaced by ***";
  if (!whole.cut && !whole.lossy) {
    stored.whole = !masked;
    if (!masked) stored.notice.clear();
    return stored;
  }
  stored.whole = false;
  if (stored.notice.empty()) stored.notice = whole.trouble.empty() ? "the whole output was not kept" : whole.trouble;
  stored.notice = (whole.cut ? "the command wrote " + std::to_string(whole.bytes) +
                                   " bytes, but only the first and the last bytes are shown here: "
                             : "bytes that are not UTF-8 are replaced here: ") +
                  stored.notice;
  return stored;
}

}  // namespace wtool::host::journal
