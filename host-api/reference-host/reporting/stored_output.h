// The outputs of a step as an earlier run has kept them: in its journal, or whole in a file beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reporting/run_record.h"

namespace wtool::host::workflow {

// The last visit of that state, in that branch where one is given. The steps of a matrix count as their state, and its
// combinations only where their branch is given. Null: there was none.
const StepRecord* last_visit_of(const RunRecord& run, const std::string& state, const std::string& branch = "");

struct StoredOutput {
  std::string file;    // with every byte that the command wrote; empty: `text` is what there is
  std::string text;    // what the journal has
  bool whole = true;   // nothing is missing or replaced
  std::string notice;  // what people should know: why it is not whole
};

StoredOutput stored_output(const Outcome& outcome, bool is_error_stream, bool masked);

// Whether the file is there with the bytes that were written to it. Empty; or what is wrong with it.
std::string file_problem(const WholeOutput& whole);

// What to tell people where the text of an output is not all that a command wrote: one line for each stream of a step,
// with the command that prints all of it. `run` may be empty: then there is none.

// The lines of all steps of a run, each once; those of a matrix are told of its state, and not of its combinations.
std::vector<std::string> cut_lines(const std::vector<Step>& steps, const std::string& run);
std::vector<std::string> cut_lines(const RunRecord& run);

// The same as a part of a summary for people, safe for a terminal; of many lines only the first.
void append_cut_lines(std::string& out, const std::vector<std::string>& lines);

// The end of an output for a report: at most so many bytes, below a line that says what is missing.
std::string bounded_output(const std::string& text, const WholeOutput& whole, std::size_t most);

}  // namespace wtool::host::workflow
