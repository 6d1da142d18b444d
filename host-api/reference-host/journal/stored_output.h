// The outputs of a step as an earlier run has kept them: in its journal, or whole in a file beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "journal/run_record.h"

namespace wtool::host::journal {

// Whether the step is one combination of a matrix: a step below the one of its state.
bool is_combination(const RunRecord& run, const StepRecord& step);

// The last visit of that state, in that branch if one is given. The steps of a matrix count as their state, and its
// combinations only if their branch is given. Null: no such visit.
const StepRecord* last_visit_of(const RunRecord& run, const std::string& state, const std::string& branch = "");

struct StoredOutput {
  std::string file;    // with every byte that the command wrote; empty: `text` is what there is
  std::string text;    // what the journal has
  bool whole = true;   // nothing is missing or replaced
  std::string notice;  // what people should know: why it is not whole
};

StoredOutput stored_output(const runner::Outcome& outcome, bool is_error_stream, bool masked);

// Whether the file is there with the bytes that were written to it. Empty; or what is wrong with it.
std::string file_problem(const runner::WholeOutput& whole);

}  // namespace wtool::host::journal
