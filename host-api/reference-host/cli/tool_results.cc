#include "cli/tool_results.h"

#include <chrono>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "journal/run_record.h"
#include "mcp/results.h"
#include "report/formats.h"

namespace wtool::host {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t max_states = 100;
constexpr std::size_t max_notices = 20;
constexpr std::size_t max_failed_output = 2000;  // bytes of a stream of a step that failed

// Whether `branch` is the main path of the run: neither in a branch of a fork nor within another step. The states of
// `finally` tidy up after the path, and what they write is not its result.
bool is_on_the_main_path(const std::string& branch) { return branch.empty() || branch == runner::on_failure_branch; }

bool has_output(const report::FailedStep& step) {
  return !is_blank(step.standard_output) || !is_blank(step.standard_error);
}

void append(std::string& text, std::string_view output) {
  text += output;
  if (!text.empty() && text.back() != '\n') text += '\n';
}

ordered_json failed_json(const report::FailedStep& step) {
  ordered_json json{{"state", step.label}, {"exit_code", step.exit_code}, {"message", step.message}};
  if (!step.hint.empty()) json["hint"] = step.hint;
  if (!is_blank(step.standard_output)) json["stdout"] = mcp::cut(step.standard_output, max_failed_output);
  if (!is_blank(step.standard_error)) json["stderr"] = mcp::cut(step.standard_error, max_failed_output);
  return json;
}

}  // namespace

void WorkflowToolResult::combination_begun(const std::string& branch, const expressions::Value& values) {
  const std::lock_guard lock(mutex_);
  combinations_.insert_or_assign(branch, report::combination_name(values));
}

void WorkflowToolResult::state_ended(const runner::Step& step, const runner::StepEnd& end) {
  if (!step.of().action || step.of().hidden) return;
  const std::lock_guard lock(mutex_);
  ++steps_;
  const bool waits = waiting_.waits(step, end);
  const std::string label = report::step_label(step, combinations_);
  if (states_.contains(label) || states_.size() < max_states) {
    states_[label] = waits ? journal::waiting_word : journal::word(step.status);
  } else {
    ++states_left_out_;
  }
  const bool is_shown = step.status == runner::Step::Status::succeeded && !end.secret && !runner::gives_secrets(step);
  if (is_shown && is_on_the_main_path(step.branch) && !is_blank(end.outcome.standard_output)) {
    output_ = end.outcome.standard_output;
  }
}

void WorkflowToolResult::noticed(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (notices_.size() < max_notices) notices_.emplace_back(text);
}

ordered_json WorkflowToolResult::of(const runner::RunReport& report, const runner::RunPart& part,
                                    const report::FailedSteps& failed, const std::string& run,
                                    std::vector<std::string> notices, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  notices.insert(notices.end(), notices_.begin(), notices_.end());
  const bool is_completed = report.status == runner::RunReport::Status::completed;
  const std::string& reason = report.reason;
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(report.took).count();
  const std::string output = mcp::cut(output_, most);
  ordered_json structure{{"status", journal::word(report.status)}};
  if (!reason.empty()) structure["reason"] = reason;
  if (!part.until.empty()) structure["until"] = part.until;
  if (!part.only.empty()) structure["only"] = part.only;
  if (!run.empty()) structure["run"] = run;
  structure["ms"] = took;
  if (!output.empty()) structure["output"] = output;
  structure["states"] = states_;
  if (states_left_out_ > 0) structure["states_left_out"] = states_left_out_;

  std::string text;
  append(text, output);
  for (const report::FailedStep& step : failed.all().steps) {
    // A run that was stopped has the output of its last steps only here.
    if (step.aborted && (report.status != runner::RunReport::Status::aborted || !has_output(step))) continue;
    structure[step.aborted ? "stopped" : "failed"].push_back(failed_json(step));
    text += '[' + step.label + ": " + step.message + (step.hint.empty() ? "" : "; " + step.hint) + "]\n";
    if (!is_blank(step.standard_output)) append(text, mcp::cut(step.standard_output, max_failed_output));
    if (is_blank(step.standard_error)) continue;
    text += "[stderr]\n";
    append(text, mcp::cut(step.standard_error, max_failed_output));
  }
  if (!notices.empty()) structure["notices"] = notices;
  for (const std::string& notice : notices) text += '[' + notice + "]\n";
  text += '[' + std::string(journal::word(report.status)) + report::part_text(part) + ", " + counted(steps_, "step") +
          ", " + std::to_string(took) + " ms";
  if (!reason.empty()) text += ": " + reason;
  if (is_completed && !part.is_whole()) text += "; the rest of the workflow was not run";
  if (report.status == runner::RunReport::Status::suspended) {
    text += "; `wtool approve " + run + "` in a person's terminal answers and continues it";
  } else if (!is_completed && !report.missed_until && !run.empty())
    text += "; \"resume\": \"" + run + "\" continues it";
  text += ']';
  ordered_json result = mcp::text_result(std::move(text), !is_completed);
  result["structuredContent"] = std::move(structure);
  return result;
}

}  // namespace wtool::host
