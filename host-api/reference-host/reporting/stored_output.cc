#include "reporting/stored_output.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "base/sha256.h"
#include "reporting/display.h"
#include "reporting/markup.h"

namespace wtool::host::workflow {
namespace {

// A combination of a matrix is a step below the one of its state.
bool is_combination(const RunRecord& run, const StepRecord& step) {
  const auto above = parent_of(step.place.branch);
  if (!above) return false;
  for (const StepRecord& other : run.steps) {
    if (other.place == *above) return other.state == step.state && other.workflow == step.workflow;
  }
  return false;
}

void add_cut_lines(std::vector<std::string>& lines, const std::string& state, const WholeOutput& output,
                   const WholeOutput& error, const std::string& run) {
  for (const bool is_error_stream : {false, true}) {
    const WholeOutput& whole = is_error_stream ? error : output;
    if (!whole.cut) continue;
    std::string line = state + ": only a part of the " + std::to_string(whole.bytes) + " bytes of standard " +
                       (is_error_stream ? "error" : "output") + " was kept as text";
    if (!whole.file.empty() && !run.empty()) {
      line += "; all: wtool show " + run + " --output '" + state + "'" + (is_error_stream ? " --stderr" : "");
    } else if (!whole.trouble.empty()) {
      line += "; " + whole.trouble;
    }
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
}

}  // namespace

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

StoredOutput stored_output(const Outcome& outcome, bool is_error_stream, bool masked) {
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

std::vector<std::string> cut_lines(const std::vector<Step>& steps, const std::string& run) {
  std::vector<std::string> lines;
  for (const Step& step : steps) {
    if (!step.cut) continue;
    const auto above = parent_of(step.branch);
    const bool combination = above && std::any_of(steps.begin(), steps.end(), [&](const Step& other) {
                               return other.branch == above->branch && other.sequence == above->sequence &&
                                      other.workflow == step.workflow && other.state == step.state;
                             });
    if (!combination) add_cut_lines(lines, step.of().id, step.cut->first, step.cut->second, run);
  }
  return lines;
}

std::vector<std::string> cut_lines(const RunRecord& run) {
  std::vector<std::string> lines;
  for (const StepRecord& step : run.steps) {
    const Outcome& outcome = step.end.outcome;
    if (step.end.secret || !(outcome.whole_output.cut || outcome.whole_error.cut) || is_combination(run, step))
      continue;
    add_cut_lines(lines, step.state, outcome.whole_output, outcome.whole_error, run.run);
  }
  return lines;
}

void append_cut_lines(std::string& out, const std::vector<std::string>& lines) {
  constexpr std::size_t most = 10;
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) {
    out += (i == 0 ? "\n  Cut outputs:\n    " : "    ") + cleaned_for_terminal(lines[i], false) + "\n";
  }
  if (lines.size() > most) out += "    ... and " + std::to_string(lines.size() - most) + " more\n";
}

std::string bounded_output(const std::string& text, const WholeOutput& whole, std::size_t most) {
  if (!whole.cut) return bounded_text(text, most);
  std::string end = text;
  if (end.size() > most) {
    const std::string bounded = bounded_text(text, most);
    end = bounded.substr(bounded.find('\n') + 1);
  }
  return "[the output has " + std::to_string(whole.bytes) + " bytes and was cut; this is the end of it]\n" + end;
}

}  // namespace wtool::host::workflow
