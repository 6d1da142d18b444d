#include "runner/subworkflow.h"

#include <atomic>

#include "runner/branch.h"
#include "runner/child_stop.h"
#include "workflow/check/checker.h"
#include "workflow/model/parameters.h"

namespace wtool::host::workflow {
namespace {

// The stop of what `finally` leads to: it runs although the run has been stopped, and ends only at a request that comes
// after that, or that is firmer.
class LateStop {
 public:
  explicit LateStop(Stop& parent) : before_(parent.requested()) {
    subscription_ = parent.subscribe([this](const StopRequest& request) {
      if (!before_ || request.how != before_->how) own_.request(request.how, request.reason);
    });
  }
  LateStop(const LateStop&) = delete;
  LateStop& operator=(const LateStop&) = delete;

  Stop& stop() { return own_; }

 private:
  const std::optional<StopRequest> before_;
  Stop own_;
  Stop::Subscription subscription_;  // ends first
};

std::string title_of(const Frame& frame) {
  return frame.workflow.name.empty() ? frame.source.name() : frame.workflow.name;
}

// "a, which runs b, which runs a"; empty: `workflow` is not under way.
std::string cycle(const Frame& frame, const Workflow& workflow) {
  std::string chain;
  for (const Frame* at = &frame; at != nullptr; at = at->parent) {
    chain = title_of(*at) + (chain.empty() ? "" : ", which runs " + chain);
    if (&at->workflow == &workflow) return chain + ", which runs " + title_of(*at);
  }
  return "";
}

// Its elements may hold commas, so that a list is not handed over as text.
bool takes_list(const Workflow& workflow, const std::string& name) {
  for (const Parameter& parameter : workflow.parameters) {
    if (parameter.name == name) return parameter.type == Parameter::Type::list;
  }
  return false;
}

}  // namespace

PathEnd run_frame(const Frame& frame, const std::string& branch, Variables& variables, Stop& stop) {
  PathEnd end = Branch(frame, branch, variables, stop).go(frame.workflow.start);
  const std::size_t handler = frame.workflow.index_of(frame.workflow.on_failure.name);
  // What comes at last has its own steps, also where the limit of them has ended the run.
  frame.entered = 0;
  if (end.kind == PathEnd::Kind::failed && handler != no_state) {
    // Nobody has repaired anything: the run stays failed, for its first reason.
    const PathEnd handled = Branch(frame, branch + "/0:on failure", variables, stop).go(handler);
    if (handled.kind == PathEnd::Kind::aborted) end = handled;
  }
  if (frame.finally == no_state || frame.finally_entered) return end;
  frame.entered = 0;
  LateStop late(stop);
  PathEnd last = Branch(frame, branch + "/0:finally", variables, late.stop()).go(frame.finally);
  if (end.kind == PathEnd::Kind::ended && last.kind != PathEnd::Kind::ended) {
    last.reason = "the workflow came to its end, but the states of `finally` did not: " + last.reason;
    return last;
  }
  return end;
}

OtherEnd run_other_workflow(const Step& step, const Frame& frame, const std::string& name,
                            const std::map<std::string, expressions::Value>& arguments, Stop& stop) {
  OtherEnd made;
  const RunWorld& world = frame.run.request().world;
  if (!world.workflow) {
    made.mistake = "other workflows cannot be run here";
    return made;
  }
  const std::optional<OtherWorkflow> other = world.workflow(name, frame.source.name(), made.mistake);
  if (!other) return made;
  if (const std::string chain = cycle(frame, *other->workflow); !chain.empty()) {
    made.mistake = "the workflows run each other without an end: " + chain;
    return made;
  }
  if (frame.depth + 1 >= deepest_workflows) {
    made.mistake = "more than " + std::to_string(deepest_workflows) + " workflows within each other";
    return made;
  }
  std::vector<std::string> given;
  std::map<std::string, expressions::Value> lists;
  for (const auto& [key, value] : arguments) {
    if (value.as_list() != nullptr && takes_list(*other->workflow, key)) {
      lists.emplace(key, value);
    } else {
      given.push_back(key + "=" + expressions::to_text(value));
    }
  }
  std::vector<std::string> errors;
  auto inputs = resolve_inputs(*other->workflow, given, names_read(*other->workflow), errors, lists);
  if (!errors.empty()) {
    made.mistake = "the workflow " + expressions::quoted_for_message(name) + " cannot be run so: " + errors.front();
    return made;
  }
  for (const Parameter& parameter : other->workflow->parameters) {
    const auto found = inputs.find(parameter.name);
    if (parameter.secret && found != inputs.end()) frame.run.hide(expressions::to_text(found->second));
  }
  // A parameter without a type keeps what it was given: a list stays one.
  for (const auto& [key, value] : arguments) {
    const auto found = inputs.find(key);
    if (found != inputs.end() && found->second.as_text() != nullptr) found->second = value;
  }

  const Frame inner(frame.run, *other->workflow, *other->source, &frame);
  Variables variables(*other->workflow, std::move(inputs));
  const std::string branch = step.branch + "/" + std::to_string(step.sequence) + ":" + name;
  const PathEnd end = run_frame(inner, branch, variables, stop);
  made.abort = end.by_action;
  made.fatal = end.fatal;
  made.refused = end.refused;
  if (end.last) made.outcome = end.last->outcome;
  if (!end.refused && is_refusal(made.outcome)) made.outcome.error.clear();
  made.outcome.aborted = end.kind == PathEnd::Kind::aborted;
  made.outcome.is_error = end.kind != PathEnd::Kind::ended;
  if (made.outcome.is_error) {
    if (made.outcome.exit_code == 0) made.outcome.exit_code = made.outcome.aborted ? 130 : 1;
    made.outcome.message = end.reason;
  } else {
    const expressions::Value* result = variables.find("result");
    made.outcome = Outcome{};
    made.outcome.standard_output = expressions::to_text(*result);
    const WholeOutput* whole = variables.result_whole();
    if (whole != nullptr && (whole->cut || whole->lossy)) made.outcome.whole_output = *whole;
    made.outcome.message = "Workflow completed";
  }
  expressions::Map map;
  map.fields.insert(variables.variables().begin(), variables.variables().end());
  made.outcome.variables = expressions::Value(std::move(map));
  return made;
}

}  // namespace wtool::host::workflow
