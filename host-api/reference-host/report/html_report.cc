#include "report/formats.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>
#include <tuple>

#include "base/text.h"
#include "base/time_text.h"
#include "report/drawing.h"
#include "report/failed_steps.h"
#include "report/text.h"
#include "report/times.h"
#include "terminal/text.h"

namespace wtool::host::report {
namespace {

using journal::Moment;
using journal::RunLogRecord;
using journal::RunRecord;
using journal::StepRecord;
using runner::Step;
using workflow::Workflow;

// The steps of a run, in the order of its workflow.
using OrderedSteps = std::vector<const StepRecord*>;

constexpr std::size_t max_page_output = 64UL * 1024;   // bytes of each text of a step
constexpr std::size_t max_outputs = 16 * 1024 * 1024;  // bytes of all texts together
constexpr std::size_t max_page_steps = 5'000;
constexpr std::size_t max_failures = 50;  // that are listed at the top

constexpr const char* style = R"(
body { background: var(--back); color: var(--text); font: 15px/1.45 system-ui, sans-serif; margin: 2em auto;
  max-width: 72em; padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
.badge { color: var(--back); border-radius: 4px; padding: 1px 8px; font-size: 0.7em; vertical-align: middle; }
.faint { color: var(--faint); } .reason { border-left: 4px solid var(--failed); padding-left: 0.8em; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: 3px 8px; vertical-align: top;
  border-bottom: 1px solid var(--line); } td:not(:first-child) { white-space: nowrap; }
.steps { overflow-x: auto; } .steps table { table-layout: fixed; min-width: 46em; } .steps td:nth-child(n) { overflow-wrap: anywhere; white-space: normal; }
.steps .continued td { border-bottom: none; }
.status { width: 12em; } .time { width: 5em; } .bars { width: 26%; }
.bar { height: 0.8em; margin-top: 0.35em; border-radius: 2px; min-width: 2px; }
pre { background: var(--box); padding: 0.6em; overflow-x: auto; margin: 0.3em 0; max-height: 30em; }
summary { cursor: pointer; color: var(--faint); } .diagram { overflow-x: auto; }
.diagram svg { display: block; margin: 0 auto; } .diagram a { text-decoration: none; }
tr:target, tr:target.continued + tr { background: var(--box); }
.badge.succeeded, .badge.completed, .bar.succeeded { background: var(--succeeded); }
.badge.failed, .bar.failed { background: var(--failed); } .badge.aborted, .bar.aborted { background: var(--aborted); }
.badge.running, .badge.interrupted, .badge.suspended, .bar.running { background: var(--running); }
td.succeeded { color: var(--succeeded); } td.failed { color: var(--failed); } td.aborted { color: var(--aborted); }
td.running { color: var(--running); }
.bar.passed { background: var(--line); } td.passed { color: var(--faint); }
@media print { h2 { break-after: avoid; } tr, .diagram { break-inside: avoid; } .continued { break-after: avoid; } .diagram svg { max-height: 21cm; }
  .steps, .diagram { overflow: visible; } .steps table { min-width: 0; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: none; } }
)";

std::string element(const char* tag, const std::string& text, const std::string& classes = "") {
  return std::string("<") + tag + (classes.empty() ? "" : " class=\"" + classes + "\"") + ">" + markup_text(text) +
         "</" + tag + ">";
}

std::string shown_time(Moment at) { return utc_text(at, "%Y-%m-%d %H:%M:%S UTC"); }

std::string head(const RunRecord& run, bool being_written) {
  const std::string status = status_text(run, being_written);
  const std::string name = run.name.empty() ? run.file : run.name;
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n" +
      element("title", name + ": " + status + part_text(run)) + "\n<style>" + diagram_css() + style +
      "</style>\n</head>\n<body>\n<main>\n<h1>" + markup_text(name) + " " +
      element("span", status + part_text(run), "badge " + status) + "</h1>\n";
  std::string facts = shown_time(run.began) + ", " + time_of_run(run, being_written);
  if (!run.file.empty()) facts = run.file + ", " + facts;
  if (!run.run.empty()) facts = "Run " + run.run + " of " + facts;
  if (run.resumed > 0)
    facts += run.resumed == 1 ? ", resumed once" : ", resumed " + std::to_string(run.resumed) + " times";
  out += element("p", facts, "faint") + "\n";
  if (const runner::Usage used = journal::total_usage(run); used.any()) {
    out += element("p", "Prompts: " + usage_text(used), "faint") + "\n";
  }
  if (!run.reason.empty()) out += element("p", run.reason, "reason") + "\n";
  return out;
}

std::string inputs(const RunRecord& run) {
  if (run.inputs.empty() && run.secret_inputs.empty()) return {};
  std::string out = "<h2>Inputs</h2>\n<table>\n<tr><th scope=\"col\">Name</th><th scope=\"col\">Value</th></tr>\n";
  for (const auto& [name, value] : run.inputs) {
    out += "<tr>" + element("td", name) + element("td", bounded_text(expressions::to_text(value), 4096)) + "</tr>\n";
  }
  for (const std::string& name : run.secret_inputs) {
    out += "<tr>" + element("td", name) + element("td", "secret", "faint") + "</tr>\n";
  }
  return out + "</table>\n";
}

// The outputs of steps. Those of a failed step are shown open. All others are closed until somebody opens them.
class Details {
 public:
  std::string of(const char* title, const std::string& text, bool open, const runner::WholeOutput& whole = {}) {
    if (is_blank(text)) return {};
    std::string shown = bounded_output(text, whole, std::min(max_page_output, room_));
    room_ -= std::min(room_, shown.size());
    return std::string(open ? "<details open=\"open\"><summary>" : "<details><summary>") + title + ", " +
           counted(static_cast<std::int64_t>(whole.cut ? whole.bytes : text.size()), "byte") +
           (whole.cut ? ", cut" : "") + "</summary><pre>" + markup_text(shown) + "</pre></details>";
  }

 private:
  std::size_t room_ = max_outputs;
};

// From the beginning of the first step to the end of the last one.
struct TimeSpan {
  Moment begin = Moment::max();
  Moment end = Moment::min();
  double part(Moment::duration time) const {
    const double all = std::chrono::duration<double>(end - begin).count();
    const double of = std::chrono::duration<double>(time).count();
    return all > 0 ? std::clamp(100 * of / all, 0.0, 100.0) : 0;
  }
};

Moment end_of(const StepRecord& step) { return step.began + std::chrono::duration_cast<Moment::duration>(step.took); }

TimeSpan span_of(const RunRecord& run) {
  TimeSpan span;
  for (const StepRecord& step : run.steps) {
    if (step.replayed) continue;
    span.begin = std::min(span.begin, step.began);
    span.end = std::max(span.end, end_of(step));
  }
  return span;
}

std::string bar(const StepRecord& step, const TimeSpan& span) {
  // The time of a replayed step was spent in the earlier part of the run.
  if (step.replayed) return {};
  const double left = span.part(step.began - span.begin);
  const double width = std::min(span.part(end_of(step) - step.began), 100 - left);
  char text[160];
  std::snprintf(text, sizeof text, "<div class=\"bar %s\" style=\"margin-left:%.2f%%;width:%.2f%%\"></div>",
                status_word(step), left, width);
  return text;
}

std::string step_status(const RunRecord& run, const StepRecord& step) {
  std::string text = step.status == Step::Status::running ? "not ended"
                     : journal::waits(run, step)          ? "waits"
                                                          : status_word(step);
  if (text == "passed") text = "-";
  if (step.status == Step::Status::failed) text += " (" + ending_of(step) + ")";
  if (step.tries > 1) text += ", " + std::to_string(step.tries) + " tries";
  if (step.replayed) text += ", kept";
  if (step.up_to_date) text += ", up to date";
  return text;
}

// What came after the failure of a step, for people.
const char* failure_title(const StepRecord& step) {
  if (!step.end.transitioned) return "Failed";
  return ended_the_run(step.place.branch, step.end) ? "Failed, and the workflow ended there"
                                                    : "Failed, and the workflow continued";
}

// The failed steps with this title, each with a link to its row.
std::string failures(const OrderedSteps& ordered, const CombinationNames& names, std::string_view title) {
  std::string items;
  std::size_t count = 0;
  for (const StepRecord* const one : ordered) {
    const StepRecord& step = *one;
    if (step.status != Step::Status::failed || step.hidden || failure_title(step) != title) continue;
    if (++count > max_failures) continue;
    items += "<li><a href=\"#step-" + std::to_string(step.number) + "\">" +
             markup_text(step_label(step.place.branch, step.state, names)) + "</a> " +
             element("span", ending_of(step) + ", " + duration_text(step.took), "faint") + "</li>\n";
  }
  if (count > max_failures)
    items += element("li", "... and " + std::to_string(count - max_failures) + " more", "faint") + "\n";
  return items.empty() ? "" : "<h2>" + std::string(title) + "</h2>\n<ul>\n" + items + "</ul>\n";
}

// By the step that entered a composite state: its hidden end, which has no row, if that did not succeed.
std::map<const StepRecord*, const StepRecord*> ends_of_composites(const RunRecord& run) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, const StepRecord*> last;
  std::map<const StepRecord*, const StepRecord*> ends;
  for (const StepRecord& step : run.steps) {
    if (!step.hidden) {
      last.insert_or_assign({step.place.branch, step.workflow, step.state}, &step);
      continue;
    }
    const auto entry = last.find({step.place.branch, step.workflow, composite_of(step.state)});
    if (step.status != Step::Status::succeeded && entry != last.end()) ends.insert_or_assign(entry->second, &step);
  }
  return ends;
}

std::string steps(const RunRecord& run, const OrderedSteps& ordered, const CombinationNames& names) {
  const TimeSpan span = span_of(run);
  Details details;
  std::multimap<std::uint64_t, const RunLogRecord*> logs;
  for (const RunLogRecord& log : run.logs) logs.emplace(log.step, &log);
  std::string out =
      "<h2>Steps</h2>\n<div class=\"steps\">\n<table>\n<thead><tr><th scope=\"col\">State</th>"
      "<th scope=\"col\" class=\"status\">Status</th><th scope=\"col\" class=\"time\">Time</th>"
      "<th scope=\"col\" class=\"bars\">When</th></tr></thead>\n";
  const std::map<const StepRecord*, const StepRecord*> ends = ends_of_composites(run);
  std::size_t shown = 0;
  for (const StepRecord* const one : ordered) {
    const StepRecord& step = *one;
    if (step.hidden || ++shown > max_page_steps) continue;
    const auto end = ends.find(&step);
    const StepRecord& told = end == ends.end() ? step : *end->second;  // says how the state ended
    std::string row = "<td>" + markup_text(step_label(step.place.branch, step.state, names));
    if (!step.workflow.empty()) row += " " + element("span", "in " + step.workflow, "faint");
    if (!step.node.empty()) row += " " + element("span", "on " + step.node, "faint");
    row += "</td>" + element("td", step_status(run, told), status_word(told)) +
           element("td", is_time_known(step) ? duration_text(step.took) : "") + "<td class=\"bars\">" +
           bar(step, span) + "</td></tr>\n";
    const runner::Outcome& outcome = step.end.outcome;
    const bool failed = step.status == Step::Status::failed;
    const auto [first, last] = logs.equal_range(step.number);
    // The output of a Log is its text, which is shown below.
    const bool is_log = step.number != 0 && step.action == "log" && first != last;
    std::string outputs = details.of("command", step.end.command, failed);
    if (!is_log) outputs += details.of("stdout", outcome.standard_output, failed, outcome.whole_output);
    outputs += details.of("stderr", outcome.standard_error, failed, outcome.whole_error);
    if (outcome.is_error || failed) outputs += details.of("message", step.end.message(), failed);
    for (const runner::KeptFile& file : step.kept_files) {
      const std::string size = counted(static_cast<std::int64_t>(file.bytes), "byte");
      const std::string where = file.copy.empty() ? "the copy is gone" : file.copy;
      outputs += element("div", "kept: " + file.path + ", " + size + ", " + where, "faint");
    }
    for (auto log = first; step.number != 0 && log != last; ++log) {
      outputs += element("div", bounded_text(log->second->text, 4096), "faint");
    }
    out += "<tr id=\"step-" + std::to_string(step.number) + (outputs.empty() ? "\">" : "\" class=\"continued\">") + row;
    // Outputs have the whole width of the page.
    if (!outputs.empty()) out += "<tr><td colspan=\"4\">" + outputs + "</td></tr>\n";
  }
  out += "</table>\n</div>\n";
  if (shown > max_page_steps)
    out += element("p", "... and " + std::to_string(shown - max_page_steps) + " more steps", "faint");
  return out;
}

std::string notices(const RunRecord& run) {
  std::string items;
  for (const RunLogRecord& log : run.logs) {
    if (log.step == 0) items += element("li", log.text) + "\n";
  }
  return items.empty() ? "" : "<h2>Notices</h2>\n<ul>\n" + items + "</ul>\n";
}

std::string diagram(const RunRecord& run, const Workflow* workflow) {
  if (workflow == nullptr) {
    return element("p", "The diagram is left out: the workflow is no longer there as it was run.", "faint") + "\n";
  }
  const Drawing drawing = drawing_of(*workflow, &run);
  if (const std::string why = problem_of_size(drawing); !why.empty()) {
    return element("p", "The diagram is left out: " + why + ".", "faint") + "\n";
  }
  return "<h2>Diagram</h2>\n<div class=\"diagram\">\n" + diagram_svg(*workflow, &run) + "</div>\n";
}

}  // namespace

std::string html_report(const RunRecord& run, const Workflow* workflow, bool being_written) {
  const CombinationNames names = combination_names(run);
  const OrderedSteps ordered = journal::in_workflow_order(run);
  return head(run, being_written) + failures(ordered, names, "Failed") +
         failures(ordered, names, "Failed, and the workflow continued") +
         failures(ordered, names, "Failed, and the workflow ended there") + diagram(run, workflow) +
         steps(run, ordered, names) + notices(run) + inputs(run) + "</main>\n</body>\n</html>\n";
}

}  // namespace wtool::host::report
