#include "journal/runs_folder.h"

#include <fcntl.h>
#include <string.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "base/descriptor.h"
#include "base/edit_distance.h"
#include "base/files.h"
#include "base/time_text.h"
#include "journal/journal.h"
#include "journal/journal_reader.h"

namespace wtool::host::journal {

namespace fs = std::filesystem;

std::string run_id(Moment at) {
  using namespace std::chrono;
  const auto second = floor<seconds>(at);
  char text[16];
  // Four hexadecimal digits can number 65,536 parts of a second.
  const auto fraction = duration_cast<microseconds>(at - second).count() * 65536 / 1'000'000;
  std::snprintf(text, sizeof text, "-%04x", static_cast<unsigned>(fraction));
  return utc_text(at, "%Y%m%d-%H%M%S") + text;
}

std::string journal_file(std::string_view directory, std::string_view run) {
  return (fs::path(directory) / runs_folder / (std::string(run) + std::string(journal_suffix))).string();
}

std::string outputs_folder(const std::string& journal) {
  return fs::path(journal).replace_extension(".outputs").string();
}

std::string log_file(const std::string& journal) { return fs::path(journal).replace_extension(".log").string(); }

std::vector<std::string> list_runs(const std::string& directory, std::string& error) {
  std::vector<std::string> runs;
  const fs::path folder = fs::path(directory) / runs_folder;
  std::error_code failed;
  fs::directory_iterator entries(folder, failed);
  for (const fs::directory_iterator end; !failed && entries != end; entries.increment(failed)) {
    const fs::path& file = entries->path();
    // Other files may have been put there, such as a copy or the output of `jq`.
    const std::string name = file.stem().string();
    if (file.extension() == journal_suffix && is_run_id(name)) runs.push_back(name);
  }
  if (failed && failed != std::errc::no_such_file_or_directory) {
    error = "cannot read the folder " + folder.string() + ": " + failed.message();
  }
  std::sort(runs.begin(), runs.end(), std::greater<>());
  return runs;
}

std::string runs_above(const std::string& directory) {
  std::error_code failed;
  fs::path at = fs::canonical(directory, failed);
  while (!failed && at != at.parent_path()) {
    at = at.parent_path();
    std::string ignored;
    if (!list_runs(at.string(), ignored).empty()) return at.string();
  }
  return {};
}

std::string find_run(const std::string& directory, const std::string& wanted, std::string& error) {
  error.clear();
  const std::vector<std::string> runs = list_runs(directory, error);
  if (!error.empty()) return {};
  if (runs.empty()) {
    error = "there is no run below " + (fs::path(directory) / runs_folder).string() +
            "; the journal of a run is in the directory in which the run was started";
    if (const std::string above = runs_above(directory); !above.empty()) error += ", and " + above + " has runs";
    return {};
  }
  if (wanted == "last") {
    // Skips empty journals: they were left by processes that were killed before their runs had started.
    const auto last = std::find_if(runs.begin(), runs.end(), [&](const std::string& run) {
      const std::string file = journal_file(directory, run);
      std::error_code failed;
      return !fs::is_empty(file, failed) || is_being_written(file);
    });
    return last != runs.end() ? *last : runs.front();
  }
  std::vector<std::string> found;
  for (const std::string& run : runs) {
    if (run == wanted) return run;
    if (!wanted.empty() && run.starts_with(wanted)) found.push_back(run);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    error = "there is no run \"" + wanted + "\"" +
            question_then(did_you_mean(wanted, {"last"}), "`wtool runs` lists all runs");
    return {};
  }
  error = "\"" + wanted + "\" is the beginning of the ids of " + std::to_string(found.size()) + " runs:";
  for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 3); ++i) error += ' ' + found[i];
  error += found.size() > 3 ? " ...; give more of the id" : "; give more of the id";
  return {};
}

bool is_run_id(std::string_view name) {
  constexpr std::string_view form = "dddddddd-dddddd-xxxx";
  return name.size() == form.size() && std::equal(name.begin(), name.end(), form.begin(), [](char c, char kind) {
           const bool is_digit = c >= '0' && c <= '9';
           return kind == '-' ? c == '-' : is_digit || (kind == 'x' && c >= 'a' && c <= 'f');
         });
}

Removal remove_run(const std::string& directory, const std::string& run) {
  if (!is_run_id(run)) return {"its name is not that of a run"};
  std::string why;
  const Descriptor folder =
      open_without_links((fs::path(directory) / runs_folder).string(), O_PATH | O_DIRECTORY, 0, why);
  if (!folder) return {"its folder cannot be opened: " + why, true};
  const std::string name = run + std::string(journal_suffix);
  const Descriptor journal(
      ::openat(folder.get(), name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!journal) return {"its journal cannot be opened: " + std::string(::strerror(errno)), true};
  // Until the descriptor is closed, the lock keeps the run from being resumed.
  if (!lock_journal(journal.get())) {
    if (errno == EWOULDBLOCK) return {"it is running"};
    return {"its journal cannot be locked: " + std::string(::strerror(errno)), true};
  }
  const auto record = read_journal_ends(journal_file(directory, run), why, std::nullopt);
  if (record && record->status == runner::RunReport::Status::suspended) {
    return {"it is suspended, and `wtool approve` continues it"};
  }
  const fs::path here = "/proc/self/fd/" + std::to_string(folder.get());
  for (const std::string& path : {outputs_folder(name), log_file(name), name}) {
    std::error_code failed;
    fs::remove_all(here / path, failed);  // removes a link, and not its target
    if (failed) return {path + " cannot be removed: " + failed.message(), true};
  }
  return {};
}

}  // namespace wtool::host::journal
