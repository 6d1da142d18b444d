#include "report/drawing.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/text.h"

namespace wtool::host::report {
namespace {

using journal::StepRecord;
using workflow::no_state;
using workflow::State;
using workflow::Transition;
using workflow::Workflow;

class Drawer {
 public:
  explicit Drawer(const Workflow& workflow) : workflow_(workflow), node_of_(workflow.states.size(), no_state) {}

  Drawing draw() {
    drawing_.nodes.push_back({Drawing::Shape::start, "", "", {}});
    for (std::size_t i = 0; i < workflow_.states.size(); ++i) {
      if (!passed_over(i)) add_state(i);
    }
    if (workflow_.start != no_state) add_edge(0, workflow_.start, "");
    for (std::size_t i = 0; i < workflow_.states.size(); ++i) {
      if (node_of_[i] == no_state) continue;
      for (const Transition& exit : workflow_.states[i].exits) add_edge(node_of_[i], exit.target, exit.label);
      const auto& action = workflow_.states[i].action;
      if (!action || action->options.on_failure.name.empty()) continue;
      const std::size_t target = workflow_.index_of(action->options.on_failure.name);
      if (target != no_state) add_edge(node_of_[i], target, "failure");
    }
    return std::move(drawing_);
  }

 private:
  bool passed_over(std::size_t index) const {
    const State& state = workflow_.states[index];
    return state.hidden && state.kind == State::Kind::plain && state.exits.size() == 1 &&
           state.exits[0].kind == Transition::Kind::unconditional && state.exits[0].target != index;
  }

  void add_state(std::size_t index) {
    const State& state = workflow_.states[index];
    Drawing::Node node;
    node.id = state.hidden ? name_for(state.id) : state.id;
    if (!state.hidden) node.description = state.description;
    switch (state.kind) {
      case State::Kind::plain:
        node.shape = state.hidden ? Drawing::Shape::choice : Drawing::Shape::state;
        break;
      case State::Kind::choice:
        node.shape = Drawing::Shape::choice;
        break;
      case State::Kind::fork:
        node.shape = Drawing::Shape::fork;
        break;
      case State::Kind::join:
        node.shape = Drawing::Shape::join;
        break;
    }
    node_of_[index] = drawing_.nodes.size();
    drawing_.nodes.push_back(std::move(node));
  }

  // A name of characters that every notation of diagrams accepts.
  std::string name_for(const std::string& id) {
    std::string name;
    for (const char c : id) {
      if (is_word_character(c)) name += c;
    }
    name += "_end";
    while (workflow_.find(name) != nullptr || made_.contains(name)) name += '_';
    made_.insert(name);
    return name;
  }

  void add_edge(std::size_t from, std::size_t target, const std::string& label) {
    for (std::size_t passed = 0; target != no_state && passed_over(target); ++passed) {
      // Cannot happen for a workflow from a file: the exits of its hidden states never form a cycle.
      if (passed > workflow_.states.size()) return;
      target = workflow_.states[target].exits[0].target;
    }
    drawing_.edges.push_back({from, target == no_state ? end() : node_of_[target], label});
  }

  std::size_t end() {
    if (end_ == no_state) {
      end_ = drawing_.nodes.size();
      drawing_.nodes.push_back({Drawing::Shape::end, "", "", {}});
    }
    return end_;
  }

  const Workflow& workflow_;
  Drawing drawing_;
  std::vector<std::size_t> node_of_;  // by state
  std::size_t end_ = no_state;
  std::set<std::string> made_;
};

}  // namespace

Drawing drawing_of(const Workflow& workflow, const journal::RunRecord* run) {
  Drawing drawing = Drawer(workflow).draw();
  if (run == nullptr) return drawing;
  std::unordered_map<std::string, const StepRecord*> last;
  for (const StepRecord& step : run->steps) {
    if (step.workflow.empty()) last[step.state] = &step;
  }
  for (Drawing::Node& node : drawing.nodes) {
    const auto found = node.id.empty() ? last.end() : last.find(node.id);
    if (found == last.end()) continue;
    node.status = found->second->status;
    node.waits = journal::waits(*run, *found->second);
    node.acts = !found->second->action.empty();
  }
  return drawing;
}

}  // namespace wtool::host::report
