// wtool watch WORKFLOW [--on PATTERN]...: runs a workflow, and runs it again each time files have changed.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/file_watcher.h"
#include "cli/given_variables.h"
#include "cli/interrupts.h"
#include "cli/workflow_list.h"
#include "cli/workflow_run.h"
#include "terminal/text.h"

namespace wtool::host {
namespace {

using std::chrono::milliseconds;

// An editor's save or a checkout changes several files, so a run begins when nothing has changed for this long.
constexpr milliseconds quiet_time{100};
constexpr milliseconds max_settling{2000};
// The first pause before the next run if runs themselves keep changing what is watched; each pause is twice the one
// before.
constexpr milliseconds first_rest{1000};
constexpr milliseconds max_rest{60'000};

struct WatchOptions {
  std::string file;
  std::vector<std::string> patterns;
  RunFlags flags;
};

// "a.c", "a.c and 3 more".
std::string names_in_words(const std::set<std::string>& names) {
  std::string text = cleaned_for_terminal(*names.begin(), false);
  if (names.size() > 1) text += " and " + std::to_string(names.size() - 1) + " more";
  return text;
}

// Whether every run can read the values again: standard input and pipes can be read only once.
bool can_read_again(const GivenVariables& given) {
  for (const std::string& entry : given.files) {
    const std::size_t equals = entry.find('=');
    const std::string from = equals == std::string::npos ? "" : entry.substr(equals + 1);
    std::error_code failed;
    // The run itself reports a missing file, or a word that is not NAME=FILE.
    const auto type = std::filesystem::status(from, failed).type();
    using std::filesystem::file_type;
    if (from != "-" && (type == file_type::regular || type == file_type::not_found || type == file_type::none))
      continue;
    complain("--var-file " + cleaned_for_terminal(entry, false) +
             " can be read only once, and a watch runs the workflow again and again; name a file");
    return false;
  }
  return true;
}

class Watch {
 public:
  Watch(Context& context, const WatchOptions& options) : context_(context), options_(options) {}

  int run() {
    const std::string folder = working_directory();
    if (folder.empty()) return exit_unusable;
    if (!can_read_again(options_.flags.variables)) return exit_unusable;
    std::string why;
    const std::string file = workflow_file(options_.file, folder, why);
    if (file.empty()) {
      complain(why);
      return exit_unusable;
    }
    // The run reports the missing file. It would be useless to wait for the file: most likely, its name is misspelt.
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return run_file(context_, options_.file, options_.flags).status;
    if (!can_write_files(options_.flags, file)) return exit_unusable;
    std::optional<FileWatcher::Wanted> wanted = wanted_files(file);
    if (!wanted) return exit_unusable;
    FileWatcher watcher(folder, *std::move(wanted));
    for (const std::string& pattern : watcher.error().empty() ? watcher.unmatched() : std::set<std::string>()) {
      complain("watch: no file matches --on '" + cleaned_for_terminal(pattern, false) + "' yet");
    }
    return run_after_changes(watcher);
  }

 private:
  // The files to watch, besides the workflow `file`. Nothing: a pattern is wrong; the reason is on standard error.
  std::optional<FileWatcher::Wanted> wanted_files(const std::string& file) const {
    std::error_code failed;
    FileWatcher::Wanted wanted;
    for (const std::string& pattern : options_.patterns) {
      const bool excludes = pattern.starts_with('!');
      (excludes ? wanted.excluded : wanted.patterns).push_back(pattern.substr(excludes ? 1 : 0));
    }
    for (const std::string& given : options_.patterns) {
      const std::string pattern = given.substr(given.starts_with('!') ? 1 : 0);
      const std::filesystem::path path(pattern);
      if (pattern.empty() || path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end()) {
        complain("--on must name files below the working directory, such as 'src/**', not \"" +
                 cleaned_for_terminal(given, false) + "\"");
        return std::nullopt;
      }
    }
    // As in `inputs`, a `!` takes something from what the others name.
    if (wanted.patterns.empty() && !wanted.excluded.empty()) {
      complain("--on '!" + cleaned_for_terminal(wanted.excluded.front(), false) +
               "' only excludes files; name the files to watch as well, such as --on '**'");
      return std::nullopt;
    }
    if (wanted.patterns.empty()) wanted.patterns.emplace_back("**");
    wanted.also = std::filesystem::weakly_canonical(file, failed).string();
    for (const std::string& own : options_.flags.files()) {
      if (!own.empty()) wanted.not_these.insert(std::filesystem::weakly_canonical(own, failed).string());
    }
    return wanted;
  }

  // Runs the workflow whenever files have changed, until a signal comes or the files cannot be watched.
  int run_after_changes(FileWatcher& watcher) {
    for (bool is_first = true;; is_first = false) {
      if (!watcher.error().empty()) {
        complain(watcher.error());
        return exit_unusable;
      }
      if (const std::set<std::string> unreadable = watcher.take_unreadable(); !unreadable.empty()) {
        complain("watch: changes in folders that cannot be read are not noticed: " + names_in_words(unreadable));
      }
      // Changes from here on may come too late for this run, so they cause another run.
      watcher.take();
      const FileRunEnd end = run_file(context_, options_.file, options_.flags);
      // A later change of the workflow may have made an option wrong, and another change may mend that.
      if (is_first && end.misused) return end.status;
      if (end.signal != 0) return 128 + end.signal;
      int signal = 0;
      const std::set<std::string> changed = wait_for_changes(watcher, signal);
      if (signal != 0) return 128 + signal;
      if (!changed.empty()) say(names_in_words(changed) + " changed");
    }
  }

  // What has changed since the last run began. Waits for a change if nothing has, and rests if each run changes the same
  // files.
  std::set<std::string> wait_for_changes(FileWatcher& watcher, int& signal) {
    Stop stop;
    const Interrupts interrupts(stop, &signal);
    std::set<std::string> changed = watcher.take();
    // The same files changing during each run suggests that the run itself changes them, since a person seldom does.
    busy_ = changed.empty() ? 0 : changed == before_ ? busy_ + 1 : 1;
    before_ = changed;
    if (changed.empty() && watcher.error().empty()) {
      say("waiting for changes; Ctrl-C ends it");
      while (changed.empty() && watcher.error().empty() && watcher.wait(milliseconds(-1), stop))
        changed = watcher.take();
    } else if (busy_ > 1 && !rest(busy_, watcher, changed, stop)) {
      busy_ = 0;
    }
    settle(watcher, changed, stop);
    return changed;
  }

  void say(const std::string& text) const {
    if (!options_.flags.quiet) complain("watch: " + text);
  }

  // Waits before the next run. False: files changed meanwhile. No run has changed them, because none was running.
  static bool rest(int busy, FileWatcher& watcher, std::set<std::string>& changed, Stop& stop) {
    const milliseconds time = std::min<milliseconds>(first_rest * (1LL << std::min(busy - 2, 20)), max_rest);
    complain("watch: the same files change whenever the workflow runs (" + names_in_words(changed) +
             "); the next run begins in " + workflow::duration_words(time) +
             ", or as soon as files change again. Let --on name only what the workflow reads");
    const auto until = std::chrono::steady_clock::now() + time;
    while (true) {
      const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
      if (left <= milliseconds(0) || !watcher.wait(left, stop)) return true;
      const std::set<std::string> more = watcher.take();
      if (!watcher.error().empty()) return true;
      if (more.empty()) continue;
      changed.insert(more.begin(), more.end());
      return false;
    }
  }

  static void settle(FileWatcher& watcher, std::set<std::string>& changed, Stop& stop) {
    const auto until = std::chrono::steady_clock::now() + max_settling;
    while (std::chrono::steady_clock::now() < until && watcher.wait(quiet_time, stop)) changed.merge(watcher.take());
  }

  Context& context_;
  const WatchOptions& options_;
  std::set<std::string> before_;  // what had changed when the last run ended
  int busy_ = 0;                  // how many runs in a row have changed the same files
};

}  // namespace

void add_watch(CLI::App& app, Context& context) {
  auto options = std::make_shared<WatchOptions>();
  CLI::App* command = app.add_subcommand("watch", "Run a workflow, and run it again whenever files change");
  command->add_option("WORKFLOW", options->file, "The workflow file, or the name of one that `wtool list` shows")
      ->required();
  add_repeated_option(
      *command, "--on", options->patterns, "PATTERN",
      "What is watched, below the working directory: a pattern with *, ? and ** (any number of\nfolders); "
      "may be given several times (default: everything). The workflow file is always watched");
  add_run_options(*command, options->flags);
  command->add_flag("--no-journal", options->flags.no_journal,
                    "Keep no journal in .wtool/runs: the runs can neither be shown nor resumed");
  command->footer(
      "A change during a run causes another run after it. Files in .git and .wtool are not watched. If each run\n"
      "changes watched files itself, the pause before the next run grows, to a minute at most.\n"
      "Ctrl-C stops a run as with `wtool run`, and ends the watch.\n"
      "\n"
      "Examples:\n"
      "  wtool watch checks.md\n"
      "  wtool watch checks.md --on 'src/**' --on 'tests/*.py'");
  command->callback([&context, options] {
    context.shows_results = true;
    context.command = [&context, options] {
      if (options->file != workflow::standard_input) return Watch(context, *options).run();
      complain("a workflow from standard input can be run only once; name its file");
      return exit_unusable;
    };
  });
}

}  // namespace wtool::host
