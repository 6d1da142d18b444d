#include "journal/stored_output.h"

#include <sys/stat.h>

#include <fstream>

#include "base/sha256.h"

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
  struct stat about {};
  if (::stat(whole.file.c_str(), &about) != 0) return "the file " + whole.file + " is gone";
  std::ifstream in(whole.file, std::ios::binary);
  Sha256 digest;
  std::string piece(256UL * 1024, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
    digest.add(std::string_view(piece).substr(0, static_cast<std::size_t>(in.gcount())));
  }
  if (static_cast<std::uint64_t>(about.st_size) == whole.bytes && digest.finish() == whole.sha256) return "";
  return "the file " + whole.file + " is not what the step wrote";
}

StoredOutput stored_output(const runner::Outcome& outcome, bool is_error_stream, bool masked) {
  const WholeOutput& whole = is_error_stream ? outcome.whole_error : outcome.whole_output;
  StoredOutput stored;
  stored.text = is_error_stream ? outcome.standard_error : outcome.standard_output;
  if (!masked && !whole.file.empty()) {
    const std::string problem = file_problem(whole);
    if (problem.empty()) {
      stored.file = whole.file;
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
  if (stored.notice.empty()) stored.notice = whole.trouble.empty() ? "the whole of it was not kept" : whole.trouble;
  stored.notice = (whole.cut ? "the command wrote " + std::to_string(whole.bytes) +
                                   " bytes, and here are only the first and the last ones of them: "
                             : "bytes that are not UTF-8 are replaced here: ") +
                  stored.notice;
  return stored;
}

}  // namespace wtool::host::journal
