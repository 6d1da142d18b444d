#include "base/json.h"
#include "base/json_reader.h"
#include "report/formats.h"

#include "base/time_text.h"

namespace wtool::host::report {
namespace {

using journal::StepRecord;
using nlohmann::ordered_json;

double milliseconds(std::chrono::steady_clock::duration took) {
  return std::chrono::duration<double, std::milli>(took).count();
}

ordered_json value_json(const expressions::Value& value) { return parse_ordered_json(expressions::to_json(value)); }

void add_whole(ordered_json& out, const std::string& stream, const runner::WholeOutput& whole) {
  if (whole.cut || whole.lossy) out[stream + "_bytes"] = whole.bytes;
  if (whole.cut) out[stream + "_cut"] = true;
  if (!whole.file.empty()) out[stream + "_file"] = whole.file;
}

ordered_json step_json(const journal::RunRecord& run, const StepRecord& step, bool is_interrupted) {
  const runner::Outcome& outcome = step.end.outcome;
  ordered_json out = {{"step", step.number}, {"branch", step.place.branch}, {"seq", step.place.sequence}};
  if (!step.workflow.empty()) out["workflow"] = step.workflow;
  out["state"] = step.state;
  if (!step.action.empty()) out["action"] = step.action;
  out["status"] = waits(run, step) ? journal::waiting_word : status_word(step);
  out["began"] = iso_time(step.began);
  // Nothing says how long the step ran before its run was killed.
  if (is_interrupted && step.status == runner::Step::Status::running) {
    out["interrupted"] = true;
  } else {
    out["ms"] = milliseconds(step.took);
  }
  out["exit_code"] = step.exit_code;
  out["tries"] = step.tries;
  if (!step.node.empty()) out["node"] = step.node;
  if (step.replayed) out["kept"] = true;
  if (step.up_to_date) out["up_to_date"] = true;
  if (step.end.secret) out["secret"] = true;
  if (step.masked) out["masked"] = true;
  if (!step.end.command.empty()) out["command"] = step.end.command;
  if (!step.end.message().empty()) out["message"] = step.end.message();
  if (!outcome.error.empty()) out["error"] = outcome.error;
  out["stdout"] = outcome.standard_output;
  out["stderr"] = outcome.standard_error;
  add_whole(out, "stdout", outcome.whole_output);
  add_whole(out, "stderr", outcome.whole_error);
  if (!outcome.metadata.is_null()) out["metadata"] = value_json(outcome.metadata);
  for (const auto& [name, value] : step.end.assigned) out["set"][name] = value_json(value);
  for (const runner::KeptFile& file : step.kept_files) {
    ordered_json kept = {{"path", file.path}, {"copy", file.copy}, {"bytes", file.bytes}};
    if (file.copy.empty()) kept["copy"] = nullptr;
    out["kept_files"].push_back(std::move(kept));
  }
  out["next"] = step.end.next;
  return out;
}

}  // namespace

std::string run_json(const journal::RunRecord& run, const std::string& status, bool steps) {
  ordered_json out = {{"run", run.run},
                      {"name", run.name},
                      {"file", run.file},
                      {"status", status},
                      {"began", iso_time(run.began)},
                      {"ms", milliseconds(run.took)},
                      {"resumed", run.resumed}};
  const runner::RunPart& part = run.settings.part;
  if (!part.until.empty()) out["until"] = part.until;
  if (!part.until.empty() && (status == "completed" || run.missed_until)) out["until_reached"] = !run.missed_until;
  if (!part.only.empty()) out["only"] = part.only;
  if (!run.reason.empty()) out["reason"] = run.reason;
  if (run.refused) out["refused"] = true;
  if (const runner::Usage used = total_usage(run); used.any()) {
    out["usage"] = {{"calls", used.calls}, {"tokens", used.tokens}, {"cost", used.cost}, {"ms", used.time.count()}};
  }
  if (steps) {
    out["inputs"] = ordered_json::object();
    for (const auto& [name, value] : run.inputs) out["inputs"][name] = value_json(value);
    out["secret_inputs"] = run.secret_inputs;
    if (!run.masked_inputs.empty()) out["masked_inputs"] = run.masked_inputs;
    out["steps"] = ordered_json::array();
    for (const StepRecord& step : run.steps) out["steps"].push_back(step_json(run, step, status == interrupted_word));
    out["logs"] = ordered_json::array();
    for (const journal::RunLogRecord& log : run.logs) {
      out["logs"].push_back(
          {{"time", iso_time(log.at)}, {"step", log.step}, {"level", journal::word(log.level)}, {"text", log.text}});
    }
  }
  return dumped(out, 2);
}

}  // namespace wtool::host::report
