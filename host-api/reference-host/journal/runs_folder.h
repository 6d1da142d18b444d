// The folder .wtool/runs below the directory in which runs are started: one journal for each run, RUN.jsonl.
//
// RUN is made of the time (UTC) down to a fraction of a second, so names sort by time: 20261121-231502-3f9a.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "journal/json_value.h"

namespace wtool::host::journal {

// This path is relative to the directory in which runs are started.
inline constexpr std::string_view runs_folder = ".wtool/runs";
inline constexpr std::string_view journal_suffix = ".jsonl";

std::string run_id(Moment at);

std::string journal_file(std::string_view directory, std::string_view run);

// The folder beside the journal with the whole outputs of its run.
std::string outputs_folder(const std::string& journal);

// The file beside the journal with what a detached run shows.
std::string log_file(const std::string& journal);

// All runs that were started in the directory, the newest first; empty if its folder for runs is missing. `error` says
// why that folder cannot be read.
std::vector<std::string> list_runs(const std::string& directory, std::string& error);

// Of the folders above the directory, the nearest one in which runs were started; empty: no run was started in them.
std::string runs_above(const std::string& directory);

// The run that `wanted` names: its id, a unique beginning of it, or `last`. Empty: `error` says what to do.
std::string find_run(const std::string& directory, const std::string& wanted, std::string& error);

// Whether run_id() makes such names.
bool is_run_id(std::string_view name);

struct Removal {
  std::string why{};    // why the run stays, as the end of a sentence; empty: it is removed
  bool failed = false;  // it is over, but could not be removed
};
// Removes a run's whole outputs, its log and its journal; the journal last, so that the run is still listed if something
// stays. A run that is being written, or that is suspended, stays. Follows no link below `directory`.
Removal remove_run(const std::string& directory, const std::string& run);

}  // namespace wtool::host::journal
