#include "runner/run.h"

#include <algorithm>
#include <utility>

#include "runner/secrets.h"
#include "runner/services.h"

namespace wtool::host::runner {

namespace {

// Bounds the memory of a run that loops millions of times.
constexpr std::uint64_t max_steps_kept = 1'000'000;

// Members of a tool's metadata that say how the call went, and not what it has found. If their words were secrets, later
// steps would have the same ones.
bool is_about_the_call(std::string_view name) {
  constexpr std::string_view names[] = {"command",
                                        "working_directory",
                                        "workingDirectory",
                                        "resources",
                                        "sandbox",
                                        "limits",
                                        "limit",
                                        "error",
                                        "message",
                                        "hint",
                                        "signal",
                                        "encoding",
                                        "policy",
                                        "node",
                                        "put_aside",
                                        "put_aside_count",
                                        "protected_changed",
                                        "protected_changed_count",
                                        "status",
                                        "shell",
                                        "warning"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names) || name.starts_with("background") ||
         name.starts_with("processes");
}

}  // namespace

Step::Status status_of(const Outcome& outcome) {
  if (outcome.aborted) return Step::Status::aborted;
  return outcome.is_error ? Step::Status::failed : Step::Status::succeeded;
}

Run::Run(const RunRequest& request)
    : request_(request),
      stop_(request.stop),
      semaphore_(request.settings.max_parallel),
      has_past_(request.past != nullptr),
      services_(std::make_unique<Services>(*this)) {}

Run::~Run() = default;

Step Run::begin_step(const WorkflowInvocation& invocation, std::size_t state, const StepPlace& place) {
  Step step;
  step.workflow = &invocation.workflow;
  step.secret = invocation.secret;
  step.state = state;
  step.branch = place.branch;
  step.sequence = place.sequence;
  step.began = std::chrono::steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    step.number = ++begun_;
    if (begun_ <= max_steps_kept) steps_.push_back(step);
  }
  return step;
}

void Run::end_step(Step& step, const StepEnd& end) {
  if (const Outcome& outcome = end.outcome; !end.secret && (outcome.whole_output.cut || outcome.whole_error.cut)) {
    step.cut = std::make_shared<const std::pair<WholeOutput, WholeOutput>>(outcome.whole_output, outcome.whole_error);
  }
  {
    const std::lock_guard lock(mutex_);
    if (step.number <= steps_.size()) steps_[step.number - 1] = step;
  }
  observer().state_ended(step, end);
}

namespace {

const std::string of_other_workflow = "the workflow differs from that of the run that is resumed: ";

std::string named(const std::vector<std::string>& states) {
  std::string text;
  for (const std::string& state : states) text += (text.empty() ? "'" : ", '") + state + "'";
  return text;
}

}  // namespace

void Run::compare_ways(const Step& step, const std::vector<std::string>& now) {
  if (!has_past_in(step.branch) || is_in_last_states(step.branch)) return;
  const PastRun& past = *request_.past;
  const PastStep* const ended = past.find_ended(step.place());
  if (ended == nullptr || ended->state != step.of().id) return;
  const std::vector<std::string>& before = ended->end.next;
  // Journals of the first version do not say where a step led to.
  if (before == now || (ended->end.transitioned && before.empty())) return;
  // If only a part of the workflow runs (RunPart), its last step leads to the end. That is no change of the workflow.
  const std::vector<std::string> end{"[*]"};
  if (now == end && !request_.settings.part.is_whole()) return;
  if (before == end && past.goes_on_after(step.place())) return;
  std::optional<StepPlace> at = step.place();
  while (at && !past.goes_on_after(*at)) at = parent_of(at->branch);
  if (!at) return;
  const auto way = [](const std::vector<std::string>& states) {
    return states.empty() ? std::string("ended its branch") : "led to " + named(states);
  };
  forget_past(of_other_workflow + "in the earlier run, the step '" + step.of().id + "' " + way(before) +
              ", but now, it has " + way(now));
}

const PastStep* Run::past(const StepPlace& place, const workflow::State& state,
                          const std::function<std::string()>& changed_call) {
  if (!has_past_in(place.branch)) return nullptr;
  // The states of `on failure` and `finally` run again, because this run may have recreated what they removed in the
  // earlier run.
  if (is_in_last_states(place.branch)) return nullptr;
  const PastStep* const ended = request_.past->find_ended(place);
  // A step that runs a workflow has steps inside it, which may have ended although it has not.
  const bool has_inner = state.action && std::holds_alternative<workflow::WorkflowAction>(state.action->kind);
  if (ended == nullptr && !has_inner) return nullptr;
  if (const std::string* const parameter = request_.past->changed_parameter(place)) {
    forget_past("the parameter '" + *parameter + "', which '" + state.id +
                "' reads, has another value than in the run that is resumed");
    return nullptr;
  }
  if (ended != nullptr && ended->state != state.id) {
    forget_past(of_other_workflow + "at this point, the earlier run was in '" + ended->state +
                "', but this run comes to '" + state.id + "'");
    return nullptr;
  }
  if (ended != nullptr && ended->is_of_other_action(state)) {
    forget_past(of_other_workflow + "the action of '" + state.id + "' has been changed");
    return nullptr;
  }
  if (const std::string why = has_inner ? changed_call() : ""; !why.empty()) {
    forget_past(why);
    return nullptr;
  }
  if (ended == nullptr) return nullptr;
  // Around the step may be a fork, which has no action: its branches decide for themselves.
  if (const std::string* const why = state.action ? request_.past->outdated(place) : nullptr) {
    forget_past(*why);
    return nullptr;
  }
  const PastStep* const kept = request_.past->find(place);
  if (kept == nullptr) return nullptr;
  // In another branch, forget_past() may have been called meanwhile.
  const std::lock_guard lock(mutex_);
  if (!has_past()) return nullptr;
  kept_.push_back(place);
  return kept;
}

bool Run::past_is_judged(const StepPlace& place) const {
  return has_past_in(place.branch) && !is_in_last_states(place.branch) && request_.past->is_judged(place);
}

bool Run::past_ended_before(const StepPlace& place) const {
  return has_past_in(place.branch) && request_.past->find_ended(place) == nullptr && !request_.past->was_waiting(place);
}

void Run::forget_past(const std::string& why) {
  {
    // The record comes before any step that runs now because of it, also in another branch.
    const std::lock_guard lock(mutex_);
    if (!has_past()) return;
    observer().past_forgotten(kept_);
    has_past_ = false;
  }
  observer().noticed(why + "; from here on, every step is run");
}

void Run::forget_branches(std::string beginning) {
  if (!has_past()) return;
  const std::lock_guard lock(mutex_);
  observer().branches_forgotten(beginning);
  forgotten_.push_back(std::move(beginning));
}

bool Run::has_past_in(const std::string& branch) const {
  if (!has_past()) return false;
  const std::lock_guard lock(mutex_);
  return std::none_of(forgotten_.begin(), forgotten_.end(),
                      [&](const std::string& beginning) { return (branch + '/').starts_with(beginning); });
}

void Run::entered(const std::string& state, const std::string& branch) {
  const std::string& until = request_.settings.part.until;
  if (!until.empty() && state == until && (branch.empty() || branch == finally_branch)) came_to_until_ = true;
}

bool Run::repeats_steps(const std::string& branch) const { return request_.past != nullptr && !has_past_in(branch); }

void Run::hide(const std::string& value) {
  if (request_.secrets != nullptr) request_.secrets->add(value);
}

void Run::hide(const expressions::Value& value, std::size_t shortest) {
  if (const expressions::Map* map = value.as_map()) {
    for (const auto& [name, field] : map->fields) hide(field, shortest);
  } else if (const expressions::List* list = value.as_list()) {
    for (const expressions::Value& item : *list) hide(item, shortest);
  } else if (value.as_text() != nullptr || value.as_int() != nullptr || value.as_double() != nullptr) {
    if (std::string text = expressions::to_text(value); text.size() >= shortest) hide(text);
  }
}

void Run::hide(const Step& step, const Outcome& outcome) {
  // In a workflow that is secret as a whole, a short output such as "ok" is no secret by itself.
  const std::size_t shortest = is_secret_itself(step) ? 0 : Secrets::shortest_part;
  for (const std::string* text : {&outcome.standard_output, &outcome.standard_error}) {
    if (text->size() >= shortest) hide(*text);
    if (const auto json = expressions::parse_json_value(*text)) hide(*json, Secrets::shortest_part);
  }
  hide(outcome.answer, shortest);
  const expressions::Map* metadata = outcome.metadata.as_map();
  if (metadata == nullptr || !std::holds_alternative<workflow::ToolAction>(step.of().action->kind)) return;
  for (const auto& [name, value] : metadata->fields) {
    if (!is_about_the_call(name)) hide(value, Secrets::shortest_part);
  }
}

std::vector<Step> Run::take_steps() {
  const std::lock_guard lock(mutex_);
  // Kept steps take no time, so the first branch comes to its end before the next one begins. In a report, they have the
  // order that they had in the earlier run. Steps that are not kept stay where they are, so that a step that contains
  // kept steps comes before them.
  const auto order_of = [this](const Step& step) { return request_.past->find(step.place())->order; };
  const auto is_kept = [](const Step& step) { return step.replayed; };
  for (auto begin = steps_.begin(); begin != steps_.end();) {
    begin = std::find_if(begin, steps_.end(), is_kept);
    const auto end = std::find_if_not(begin, steps_.end(), is_kept);
    std::stable_sort(begin, end, [&](const Step& one, const Step& other) { return order_of(one) < order_of(other); });
    begin = end;
  }
  return std::move(steps_);
}

}  // namespace wtool::host::runner
