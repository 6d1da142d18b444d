// A run as OTLP/JSON, the form in which OpenTelemetry's collectors take traces and logs over HTTP: a span for the run,
// and one below it for each step.
//
// Ids come from the run's id and the places of its steps, so they are the same in every report, even after the run was
// resumed. Numbers of 64 bits are texts, ids are hexadecimal, and enumerations are numbers, as OTLP/JSON requires.
#include <string>
#include <unordered_map>

#include "base/json.h"
#include "base/sha256.h"
#include "report/formats.h"
#include "report/text.h"
#include "workflow/actions/action_type.h"

namespace wtool::host::report {
namespace {

using journal::RunLogRecord;
using journal::RunRecord;
using journal::StepPlace;
using journal::StepRecord;
using nlohmann::ordered_json;
using runner::RunReport;
using runner::Step;

constexpr std::size_t trace_id_size = 32;  // hexadecimal digits
constexpr std::size_t span_id_size = 16;
constexpr std::size_t max_otlp_text = 16 * 1024;  // bytes of a text

constexpr int span_kind_internal = 1;
constexpr int status_ok = 1;
constexpr int status_error = 2;
constexpr int severity_info = 9;
constexpr int severity_warn = 13;
constexpr int severity_error = 17;

// OTLP treats an id of only zeros as missing.
std::string id_of(const std::string& what, std::size_t size) {
  std::string id = sha256(what).substr(0, size);
  if (id.find_first_not_of('0') == std::string::npos) id.back() = '1';
  return id;
}

std::string trace_id(const RunRecord& run) {
  return id_of("trace\n" + run.run + '\n' + run.host + '\n' + run.directory + '\n' + run.file, trace_id_size);
}

std::string root_span_id(const RunRecord& run) { return id_of("run\n" + run.run, span_id_size); }

std::string span_id(const RunRecord& run, const StepPlace& place) {
  return id_of("step\n" + run.run + '\n' + place.branch + '#' + std::to_string(place.sequence), span_id_size);
}

std::string nanoseconds(journal::Moment at) {
  return std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count());
}

journal::Moment end_of_step(const StepRecord& step) {
  return step.began + std::chrono::duration_cast<journal::Moment::duration>(step.took);
}

class Attributes {
 public:
  void text(const char* name, const std::string& value) {
    if (!value.empty()) add(name, {{"stringValue", bounded_text(value, max_otlp_text)}});
  }
  void number(const char* name, std::int64_t value) { add(name, {{"intValue", std::to_string(value)}}); }
  void flag(const char* name, bool value) {
    if (value) add(name, {{"boolValue", true}});
  }
  ordered_json take() { return std::move(list_); }

 private:
  void add(const char* name, ordered_json value) { list_.push_back({{"key", name}, {"value", std::move(value)}}); }

  ordered_json list_ = ordered_json::array();
};

ordered_json resource(const RunRecord& run) {
  Attributes attributes;
  attributes.text("service.name", "wtool");
  attributes.text("host.name", run.host);
  if (run.pid > 0) attributes.number("process.pid", run.pid);
  return {{"attributes", attributes.take()}};
}

ordered_json otlp_status(bool is_error, const std::string& message) {
  ordered_json status{{"code", is_error ? status_error : status_ok}};
  if (is_error && !message.empty()) status["message"] = bounded_text(message, max_otlp_text);
  return status;
}

ordered_json span_of_run(const RunRecord& run) {
  Attributes attributes;
  attributes.text("wtool.run.id", run.run);
  attributes.text("wtool.run.status", report::status_text(run, false));
  attributes.number("wtool.run.resumed", run.resumed);
  attributes.text("wtool.workflow.file", run.file);
  attributes.text("wtool.workflow.sha256", run.sha256());
  // The span lasts from the first start of the run to the end of its last part, including the time between the parts.
  journal::Moment end = run.began + std::chrono::duration_cast<journal::Moment::duration>(run.took);
  for (const StepRecord& step : run.steps) end = std::max(end, end_of_step(step));
  ordered_json span{{"traceId", trace_id(run)},
                    {"spanId", root_span_id(run)},
                    {"name", run.name.empty() ? run.file : run.name},
                    {"kind", span_kind_internal},
                    {"startTimeUnixNano", nanoseconds(run.began)},
                    {"endTimeUnixNano", nanoseconds(end)},
                    {"attributes", attributes.take()}};
  // A run that waits for an answer has not failed.
  if (run.status != RunReport::Status::suspended) {
    span["status"] = otlp_status(run.status != RunReport::Status::completed,
                                 run.status ? run.reason : "the process of the run ended before the run did");
  }
  return span;
}

class Spans {
 public:
  explicit Spans(const RunRecord& run) : run_(run) {
    for (const StepRecord& step : run.steps) known_.emplace(span_id(run, step.place), &step);
  }

  ordered_json of(const StepRecord& step) const {
    Attributes attributes;
    attributes.text("wtool.state", step.state);
    attributes.text("wtool.action", step.action);
    attributes.text("wtool.workflow", step.workflow);
    attributes.text("wtool.branch", step.place.branch);
    attributes.number("wtool.sequence", static_cast<std::int64_t>(step.place.sequence));
    attributes.text("wtool.status", waits(run_, step) ? journal::waiting_word : journal::status_word(step));
    attributes.number("wtool.exit_code", step.exit_code);
    attributes.number("wtool.tries", step.tries);
    attributes.text("wtool.command", step.end.command);
    attributes.text("wtool.error", step.end.outcome.error);
    attributes.text("wtool.node", step.node);
    attributes.flag("wtool.unfinished", step.status == Step::Status::running);
    ordered_json span{{"traceId", trace_id(run_)},
                      {"spanId", span_id(run_, step.place)},
                      {"parentSpanId", parent(step)},
                      {"name", step.state},
                      {"kind", span_kind_internal},
                      {"startTimeUnixNano", nanoseconds(step.began)},
                      {"endTimeUnixNano", nanoseconds(end_of_step(step))},
                      {"attributes", attributes.take()}};
    if (step.status == Step::Status::succeeded) span["status"] = otlp_status(false, "");
    if (step.status == Step::Status::failed) span["status"] = otlp_status(true, step.end.message());
    return span;
  }

 private:
  std::string parent(const StepRecord& step) const {
    const auto above = journal::parent_of(step.place.branch);
    if (!above) return root_span_id(run_);
    std::string id = span_id(run_, *above);
    return known_.contains(id) ? id : root_span_id(run_);
  }

  const RunRecord& run_;
  std::unordered_map<std::string, const StepRecord*> known_;
};

class Logs {
 public:
  explicit Logs(const RunRecord& run) : run_(run) {
    for (const StepRecord& step : run.steps) by_number_[step.number] = &step;
  }

  void add(const RunLogRecord& log) {
    using Level = workflow::LogAction::Level;
    const auto found = by_number_.find(log.step);
    const int severity = log.level == Level::info      ? severity_info
                         : log.level == Level::warning ? severity_warn
                                                       : severity_error;
    add(log.at, severity, log.text, log.step == 0 || found == by_number_.end() ? nullptr : found->second, "");
  }
  void add_outputs(const StepRecord& step) {
    const runner::Outcome& outcome = step.end.outcome;
    const workflow::ActionType* type = workflow::type_named(step.action);
    if (type == nullptr || !type->is_one_call || !outcome.matrix.is_null() || step.end.secret) return;
    add(end_of_step(step), severity_info, outcome.standard_output, &step, "stdout");
    add(end_of_step(step), severity_info, outcome.standard_error, &step, "stderr");
  }
  ordered_json take() { return std::move(records_); }

 private:
  void add(journal::Moment at, int severity, const std::string& text, const StepRecord* step, const char* stream) {
    if (text.empty()) return;
    Attributes attributes;
    attributes.text("log.iostream", stream);
    if (step != nullptr) attributes.text("wtool.state", step->state);
    records_.push_back({{"timeUnixNano", nanoseconds(at)},
                        {"severityNumber", severity},
                        {"severityText", severity == severity_info   ? "INFO"
                                         : severity == severity_warn ? "WARN"
                                                                     : "ERROR"},
                        {"body", {{"stringValue", bounded_text(text, max_otlp_text)}}},
                        {"attributes", attributes.take()},
                        {"traceId", trace_id(run_)},
                        {"spanId", step == nullptr ? root_span_id(run_) : span_id(run_, step->place)}});
  }

  const RunRecord& run_;
  std::unordered_map<std::uint64_t, const StepRecord*> by_number_;
  ordered_json records_ = ordered_json::array();
};

ordered_json scope() { return {{"name", "wtool"}}; }

std::string one_line(const ordered_json& request) { return dumped(request) + '\n'; }

}  // namespace

std::string otlp_traces(const RunRecord& run) {
  ordered_json list = ordered_json::array({span_of_run(run)});
  const Spans spans(run);
  for (const StepRecord& step : run.steps) {
    if (!step.hidden) list.push_back(spans.of(step));
  }
  ordered_json scoped = ordered_json::array();
  scoped.push_back({{"scope", scope()}, {"spans", std::move(list)}});
  ordered_json resources = ordered_json::array();
  resources.push_back({{"resource", resource(run)}, {"scopeSpans", std::move(scoped)}});
  return one_line({{"resourceSpans", std::move(resources)}});
}

std::string otlp_logs(const RunRecord& run) {
  Logs logs(run);
  for (const RunLogRecord& log : run.logs) logs.add(log);
  for (const StepRecord& step : run.steps) logs.add_outputs(step);
  ordered_json scoped = ordered_json::array();
  scoped.push_back({{"scope", scope()}, {"logRecords", logs.take()}});
  ordered_json resources = ordered_json::array();
  resources.push_back({{"resource", resource(run)}, {"scopeLogs", std::move(scoped)}});
  return one_line({{"resourceLogs", std::move(resources)}});
}

}  // namespace wtool::host::report
