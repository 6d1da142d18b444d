// Texts that several reports use: labels for steps, which may run at the same time, and texts for XML and HTML.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "journal/run_record.h"
#include "runner/outcome.h"
#include "runner/run_observer.h"

namespace wtool::host::report {

// The names of the combinations of matrices, by their branches.
using CombinationNames = std::map<std::string, std::string>;

// The values of a combination, as in `(amd64, debug)`. Safe for a terminal, and short.
std::string combination_name(const expressions::Value& values);

// The names of all combinations of the run whose values are known.
CombinationNames combination_names(const journal::RunRecord& run);

// The id of the composite state to whose end a hidden state belongs.
std::string_view composite_of(std::string_view hidden);

// How a failed step ended: `exit code 2`, or `was not run` if it was refused.
std::string ending_of(const journal::StepRecord& step);

// The name of the step's state, preceded by the branches in which the step runs, if there are any: `TaskA / Test`,
// `deploy / Upload`, `Build (amd64, debug)` for a combination of a matrix, `[2] Build` if its values are unknown. Safe
// for a terminal.
std::string step_label(const runner::Step& step, const CombinationNames& combinations = {});
std::string step_label(const std::string& branch, const std::string& state, const CombinationNames& combinations = {});

// ---- Text for XML and HTML, between tags and in attributes.

// Valid UTF-8 without escape sequences and characters that XML does not allow, with `& < > " '` escaped. Newlines stay;
// tabs become blanks.
std::string markup_text(std::string_view text);

// The end of a long text, at most `most` bytes of it, below a line that says what is missing.
std::string bounded_text(std::string_view text, std::size_t most);

// The end of an output for a report: at most `most` bytes, below a line that says what is missing.
std::string bounded_output(const std::string& text, const runner::WholeOutput& whole, std::size_t most);

}  // namespace wtool::host::report
