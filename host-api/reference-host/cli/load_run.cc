#include "cli/load_run.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/sha256.h"
#include "cli/context.h"
#include "journal/journal_reader.h"
#include "journal/runs_folder.h"
#include "report/formats.h"
#include "workflow/parse/parser.h"

namespace wtool::host {

std::optional<PastRunFile> read_past_run(const std::string& wanted) {
  std::string error;
  const std::string id = journal::find_run(".", wanted, error);
  if (id.empty()) {
    complain(error);
    return std::nullopt;
  }
  const std::string file = journal::journal_file(".", id);
  PastRunFile past;
  const auto runs_at = journal::running_now(file);
  past.being_written = runs_at.has_value();
  auto content = journal::read_journal(file, error, runs_at);
  if (!content) {
    complain(error);
    return std::nullopt;
  }
  // While the journal is being written, its last line may be incomplete. That is not a mistake.
  for (const std::string& notice : content->notices) {
    if (!past.being_written) complain(notice);
  }
  if (!content->damage.empty()) complain("the journal is damaged, so only a part of it is shown: " + content->damage);
  past.run = std::move(content->run);
  return past;
}

namespace {

// A run's journal is below the directory in which the run was started. The caller has found the journal below the
// working directory, so file names of the run are relative to the working directory.
bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code failed;
  return !one.empty() &&
         std::filesystem::weakly_canonical(one, failed) == std::filesystem::weakly_canonical(other, failed);
}

}  // namespace

bool is_run_of(const journal::RunRecord& run, const std::string& wanted, const std::string& file) {
  return run.name == wanted || run.file == wanted || std::filesystem::path(run.file).stem() == wanted ||
         (!file.empty() && is_same_file(run.file, file));
}

std::vector<std::string> runs_of_file(const std::string& directory, const std::string& file, std::string& error) {
  std::vector<std::string> runs = journal::list_runs(directory, error);
  std::erase_if(runs, [&](const std::string& run) {
    std::string ignored;
    const auto ends = journal::read_journal_ends(journal::journal_file(directory, run), ignored);
    return !ends || !is_same_file(ends->file, file);
  });
  if (runs.empty() && error.empty()) {
    error = "no run of " + file + " is kept here; `wtool runs` lists the runs and their files";
  }
  return runs;
}

std::string run_of_file(const std::string& directory, const std::string& file, const std::string& wanted,
                        std::string& error) {
  const auto file_of = [&](const std::string& run, std::string& why) {
    const auto ends = journal::read_journal_ends(journal::journal_file(directory, run), why);
    return ends ? ends->file : "";
  };
  if (wanted == "last") {
    for (const std::string& run : journal::list_runs(directory, error)) {
      std::string ignored;
      if (is_same_file(file_of(run, ignored), file)) return run;
    }
    if (error.empty()) error = "no run of " + file + " is kept here; `wtool runs` lists the runs and their files";
    return {};
  }
  std::string run = journal::find_run(directory, wanted, error);
  if (run.empty()) return {};
  const std::string its_file = file_of(run, error);
  if (is_same_file(its_file, file)) return run;
  if (error.empty()) {
    error = "the run " + run + " is a run of " + its_file + ", not of " + file +
            "; `wtool runs` lists the runs and their files";
  }
  return {};
}

std::optional<PastRunFile> read_past_run_of(const std::string& file, const std::string& wanted) {
  std::string error;
  const std::string run = run_of_file(".", file, wanted, error);
  if (!run.empty()) return read_past_run(run);
  complain(error);
  return std::nullopt;
}

std::optional<workflow::Workflow> read_workflow(const std::string& file) {
  std::string error;
  const workflow::Source source = workflow::load_given_source(file, error);
  if (!error.empty()) {
    complain(error);
    return std::nullopt;
  }
  workflow::Diagnostics diagnostics;
  workflow::Workflow parsed = workflow::parse_workflow(source, diagnostics);
  if (diagnostics.empty()) return parsed;
  write_all(STDERR_FILENO, diagnostics.with_lines(source));
  // A diagram can be drawn whatever is wrong with the actions.
  if (parsed.states.empty() || parsed.start == workflow::no_state || parsed.diagram_unread) return std::nullopt;
  return parsed;
}

bool has_workflow_file(const journal::RunRecord& run) {
  if (run.file != workflow::standard_input) return true;
  complain("the run " + run.run +
           " cannot be continued, because its workflow was read from standard input; save the workflow in a file, and "
           "run that file");
  return false;
}

std::optional<workflow::Workflow> workflow_of_run(const journal::RunRecord& run, std::string& why) {
  if (run.file == workflow::standard_input) {
    why = "the workflow was read from standard input";
    return std::nullopt;
  }
  const std::filesystem::path path = std::filesystem::path(run.directory) / run.file;
  std::string error;
  const workflow::Source source = workflow::load_source(path.string(), error);
  workflow::Diagnostics diagnostics;
  if (!error.empty()) {
    why = error;
  } else if (sha256(source.text()) != run.sha256()) {
    why = run.file + " has changed since it ran";
  } else {
    workflow::Workflow parsed = workflow::parse_workflow(source, diagnostics);
    if (diagnostics.empty()) return parsed;
    why = run.file + " cannot be read";
  }
  return std::nullopt;
}

bool overwrites(const std::string& file, const std::string& other, const std::string& what) {
  std::error_code failed;
  if (file.empty() || file == "-" || !std::filesystem::equivalent(file, other, failed)) return false;
  complain(file + " is " + what + " itself, and would be overwritten; name another file");
  return true;
}

std::size_t to_standard_output(const std::vector<std::string>& files) {
  return static_cast<std::size_t>(std::count(files.begin(), files.end(), "-"));
}

bool are_apart(const std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  std::set<fs::path> seen;
  for (const std::string& file : files) {
    std::error_code failed;
    if (file.empty() || file == "-" || fs::is_other(file, failed)) continue;  // devices and pipes take several texts
    const fs::path path = fs::weakly_canonical(fs::absolute(file, failed), failed);
    if (failed || seen.insert(path).second) continue;
    complain("two reports would be written to " + file + ", and one would be lost; name another file for one of them");
    return false;
  }
  return true;
}

namespace {

bool say_unwritable(const std::string& file, const std::string& why) {
  if (!why.empty()) complain("cannot write " + file + ": " + why);
  return why.empty();
}

// Returns 0 or an errno. If the disk is full, the file keeps what it contained. The file is not replaced by a new one,
// because that would lose its owner, its mode and its other names.
int replace_content(int file, std::string_view text) {
  struct stat status {};
  if (::fstat(file, &status) != 0) return errno;
  if (!S_ISREG(status.st_mode)) return write_all(file, text).error;
  // Some file systems cannot reserve space, and fail with other errors. The text is then written without a reservation.
  if (::fallocate(file, 0, 0, static_cast<off_t>(text.size())) != 0) {
    const int failed = errno;
    const bool full = failed == ENOSPC || failed == EDQUOT || failed == EFBIG;
    // Some of the space may have been added.
    if (full && ::ftruncate(file, status.st_size) != 0) return errno;
    if (full) return failed;
  }
  const Written written = write_all(file, text);
  // What is left of a longer text would make the file unreadable, also after an error.
  if (::ftruncate(file, static_cast<off_t>(written.bytes)) != 0 && written.error == 0) return errno;
  return written.error;
}

}  // namespace

bool can_write_report(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::path folder = fs::absolute(file, failed).lexically_normal().parent_path();
  // Missing folders below the directory of the run are made when the report is written.
  const std::string here = fs::current_path(failed).string();
  const bool is_missing = !fs::exists(fs::symlink_status(folder, failed)) && is_within(folder.string(), here);
  while (is_missing && !fs::exists(fs::symlink_status(folder, failed))) folder = folder.parent_path();
  const fs::file_type type = fs::symlink_status(file, failed).type();
  // Opening a pipe or a device could block, or have an effect of its own.
  if (fs::is_other(fs::file_status(type))) return true;
  std::string why;
  if (type != fs::file_type::not_found) {
    open_without_links(file, O_WRONLY | O_NONBLOCK, 0, why);
    return say_unwritable(file, why);
  }
  // Another run may be about to make this file, so the file is not made here, not even for a moment.
  const Descriptor above =
      open_without_links((is_missing ? folder : fs::path(file).parent_path()) / ".", O_PATH | O_DIRECTORY, 0, why);
  if (above && ::faccessat(above.get(), ".", W_OK | X_OK, AT_EACCESS) != 0) why = ::strerror(errno);
  return say_unwritable(file, why);
}

namespace {

// Makes a missing folder below the directory of the run, and those above it. No link is followed, so that a command
// cannot lead the report elsewhere.
Descriptor made_folder(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::string why;  // if there is no folder in the end, the file cannot be opened, and that says why
  Descriptor opened = open_without_links(folder / ".", O_PATH | O_DIRECTORY, 0, why);
  if (opened || fs::exists(fs::symlink_status(folder, failed))) return opened;
  if (!is_within(folder.string(), fs::current_path(failed).string())) return opened;
  const Descriptor above = made_folder(folder.parent_path());
  if (!above || (::mkdirat(above.get(), folder.filename().c_str(), 0777) != 0 && errno != EEXIST)) return {};
  return open_without_links(folder / ".", O_PATH | O_DIRECTORY, 0, why);
}

}  // namespace

bool write_report(const std::string& file, std::string_view text) {
  if (file == "-") return print(text);
  std::string why;
  std::error_code failure;
  made_folder(std::filesystem::absolute(file, failure).lexically_normal().parent_path());
  // A command may have put a FIFO there, which would wait for a reader.
  Descriptor opened = open_without_links(file, O_WRONLY | O_CREAT | O_NONBLOCK, 0666, why);
  int failed = opened ? replace_content(opened.get(), text) : 0;
  // Some file systems report a lack of space only here.
  if (opened && ::close(opened.release()) != 0 && failed == 0) failed = errno;
  if (failed != 0) why = ::strerror(failed);
  return say_unwritable(file, why);
}

bool write_reports(const journal::RunRecord& run, const workflow::Workflow* workflow, const std::string& junit,
                   const std::string& html, bool being_written) {
  const bool junit_done = junit.empty() || write_report(junit, report::junit_xml(run));
  const bool html_done = html.empty() || write_report(html, report::html_report(run, workflow, being_written));
  return junit_done && html_done;
}

}  // namespace wtool::host
