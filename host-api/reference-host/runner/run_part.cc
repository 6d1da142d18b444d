#include "runner/run_part.h"

#include <vector>

#include "base/edit_distance.h"
#include "runner/steps.h"
#include "workflow/model/edges.h"
#include "workflow/model/forks.h"

namespace wtool::host::runner {
namespace {

using workflow::no_state;
using workflow::State;
using workflow::Transition;
using workflow::Workflow;

// The fork that has the state on one of its branches; no_state: none.
std::size_t fork_around(const Workflow& workflow, std::size_t state) {
  const workflow::StateEdges edges = workflow::edges_of(workflow);
  for (std::size_t fork = 0; fork < workflow.states.size(); ++fork) {
    if (workflow.states[fork].kind != State::Kind::fork) continue;
    const std::size_t join = workflow::join_of(workflow, workflow.states[fork]);
    std::vector<std::size_t> begun;
    for (const Transition& exit : workflow.states[fork].exits) {
      if (exit.target != join) begun.push_back(exit.target);
    }
    if (workflow::reached_from(begun, edges, join)[state]) return fork;
  }
  return no_state;
}

// Lets nothing inside of the composite state lead out of it except through its end, with a failure as with a success.
void close(Workflow& workflow, std::size_t end) {
  const auto belongs = [&](std::size_t state) {
    return state == end || state == workflow.states[end].other_half || is_inside(workflow, state, end);
  };
  for (std::size_t i = 0; i < workflow.states.size(); ++i) {
    State& state = workflow.states[i];
    if (!belongs(i) || i == end) continue;
    for (Transition& exit : state.exits) {
      if (exit.target == no_state || belongs(exit.target)) continue;
      exit.target = end;
      exit.always = false;
    }
    if (!state.action) continue;
    const std::size_t handler = workflow.index_of(state.action->options.on_failure.name);
    if (handler != no_state && !belongs(handler)) state.action->options.on_failure = {};
  }
}

}  // namespace

std::string missed_until(const std::string& until) {
  return "the run ended without reaching " + until + ", which --until names";
}

std::string cut_to(Workflow& workflow, const RunPart& part) {
  if (part.is_whole()) return "";
  const std::string option = part.only.empty() ? "--until " : "--only ";
  const std::string& id = part.only.empty() ? part.until : part.only;
  const std::size_t found = workflow.index_of(id);
  if (found == no_state || workflow.states[found].hidden) {
    std::vector<std::string> known;
    for (const State& state : workflow.states) {
      if (!state.hidden) known.push_back(state.id);
    }
    return option + id + ": the workflow has no state of that name" + did_you_mean(id, known);
  }
  const std::size_t last = workflow.states[found].other_half == no_state ? found : workflow.states[found].other_half;
  if (!part.only.empty() && last == found && !workflow.states[found].action) {
    return option + id + ": this state has no action, so nothing would run; name a state with an action";
  }
  if (last == found && workflow.states[found].kind == State::Kind::fork) {
    return option + id + ": this state only starts branches; name their join, or a state before it";
  }
  if (part.only.empty()) {
    if (const std::size_t fork = fork_around(workflow, last); fork != no_state) {
      return option + id + ": this state is on a branch of '" + workflow.states[fork].id +
             "', and the other branches would have no end; name the join of the branches, or use --only";
    }
  } else {
    workflow.start = found;
    workflow.on_failure = {};
    workflow.finally = {};
  }
  State& state = workflow.states[last];
  Transition end;
  end.offset = state.offset;
  // The exit of a composite state must not ask how the last action ended: its failure may have been handled inside. A
  // plain exit to the end takes no failure that is still unhandled.
  end.kind =
      state.action || state.kind == State::Kind::join ? Transition::Kind::success : Transition::Kind::unconditional;
  state.exits = {end};
  state.ends_part = true;
  if (last != found) close(workflow, last);
  if (workflow.states[found].action) workflow.states[found].action->options.on_failure = {};
  return "";
}

}  // namespace wtool::host::runner
