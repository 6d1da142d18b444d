// Runs a workflow file from the command line: what `wtool run` and `wtool resume` have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "expressions/value.h"
#include "report/progress.h"

namespace wtool::host {

// Exit statuses of runs, beside exit_ok, exit_failed and exit_unusable.
inline constexpr int exit_refused = 3;
inline constexpr int exit_unwritten = 4;  // completed, but a report, the events or the summary could not be written
inline constexpr int exit_aborted = 130;

struct RunFlags {
  std::vector<std::string> variables;  // NAME=VALUE
  std::size_t max_parallel = 0;        // 0: no limit
  bool fail_fast = false;              // --fail-fast
  bool no_fail_fast = false;           // --no-fail-fast
  bool force = false;                  // also runs the steps that are up to date
  bool yes = false;
  bool verbose = false;
  bool quiet = false;
  std::optional<report::OutputStyle> output;
  bool no_journal = false;
  std::string events;  // files; empty: none
  std::string junit;
  std::string html;
};

void add_run_options(CLI::App& command, RunFlags& flags);

// The run to continue.
struct Resumed {
  std::string run;   // its id, the beginning of it, or `last`; below the working directory
  std::string from;  // a state; empty: where it ended
};

// Reads, checks and runs the file, or what is resumed. Returns the exit status.
int run_file(Context& context, const std::string& file, const RunFlags& flags);
int resume_run(Context& context, const Resumed& wanted, const RunFlags& flags);

}  // namespace wtool::host
