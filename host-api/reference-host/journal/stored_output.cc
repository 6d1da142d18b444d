#include <string>
#include <string_view>

#include "base/files.h"
#include "base/sha256.h"
#include "journal/journal_reader.h"

namespace wtool::host::journal {

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
