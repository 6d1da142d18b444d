#include "report/picture.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "workflow/model/edges.h"

namespace wtool::host::report {
namespace {

using journal::StepRecord;
using workflow::no_state;
using workflow::State;
using workflow::Transition;
using workflow::Workflow;

constexpr std::size_t none = static_cast<std::size_t>(-1);

class Builder {
 public:
  Builder(const Workflow& workflow, const journal::RunRecord* run)
      : states_(workflow.states), workflow_(workflow), edges_(workflow::edges_of(workflow)) {
    picture_.of_run = run != nullptr;
    if (run != nullptr) count(*run);
  }

  Picture build() {
    picture_.scenes.emplace_back();
    find_apart();
    item_of_.assign(states_.size(), none);
    scene_of_.assign(states_.size(), none);
    // The scene of a composite state is identified by the hidden half of that state.
    inner_scene_.assign(states_.size(), none);
    start_ = add_item(0, {Picture::Shape::start, "", "", {}, false, true, 0, 0, {}, 0});
    for (std::size_t i = 0; i < states_.size(); ++i) place(i);
    if (workflow_.start != no_state) {
      const bool begun = visits_.contains(states_[workflow_.start].id);
      add_arrow(0, start_, workflow_.start, "", begun ? 1 : 0);
    }
    for (std::size_t i = 0; i < states_.size(); ++i) add_exits(i);
    drop_unused_start();
    return std::move(picture_);
  }

 private:
  struct Visits {
    const StepRecord* last = nullptr;
    bool waits = false;
    std::uint64_t count = 0;
    std::chrono::steady_clock::duration took{};
    std::map<std::string, std::uint64_t> next;
  };

  void count(const journal::RunRecord& run) {
    runner::ByPlace<const StepRecord*> by_place;
    for (const StepRecord& step : run.steps) {
      if (!step.workflow.empty()) continue;
      by_place.emplace(step.place, &step);
      // A combination of a matrix is a part of a visit of its state, and is not counted itself.
      if (const auto above = journal::parent_of(step.place.branch)) {
        const auto its = by_place.find(*above);
        if (its != by_place.end() && its->second->state == step.state) continue;
      }
      Visits& visits = visits_[step.state];
      visits.last = &step;
      visits.waits = journal::waits(run, step);
      ++visits.count;
      visits.took += step.took;
      for (const std::string& next : step.end.next) ++visits.next[next];
    }
  }

  bool is_entry(std::size_t state) const { return states_[state].other_half != no_state && !states_[state].hidden; }

  // The hidden half of the composite state that directly contains `state`; no_state: it is in none.
  std::size_t around(std::size_t state) const {
    if (states_[state].hidden && states_[state].other_half != no_state) return state;
    return is_entry(state) ? states_[state].other_half : states_[state].around;
  }
  // `hidden` is the hidden half of a composite state. Returns the hidden half of the composite state around it;
  // no_state: no composite state is around it.
  std::size_t around_composite(std::size_t hidden) const {
    return states_[hidden].around == hidden ? no_state : states_[hidden].around;
  }

  // States are drawn apart if no path from the start reaches them, and no path from them reaches a state of the main
  // scene.
  void find_apart() {
    workflow::StateMarks main(states_.size());
    const std::vector<std::size_t> from_start = workflow::mark_reached({workflow_.start}, edges_, main);
    main = workflow::reached_from(from_start, workflow::reversed(edges_));
    apart_scene_.assign(states_.size(), 0);
    mark_apart(workflow_.index_of(workflow_.on_failure.name), "on failure", main);
    mark_apart(workflow_.index_of(workflow_.finally.name), "finally", main);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (around(i) == no_state) mark_apart(i, "not reached", main);
    }
  }

  void mark_apart(std::size_t root, const std::string& caption, workflow::StateMarks& seen) {
    if (root == no_state || seen[root]) return;
    std::size_t scene = none;
    for (const std::size_t other : picture_.apart) {
      if (picture_.scenes[other].caption == caption) scene = other;
    }
    if (scene == none) {
      scene = picture_.scenes.size();
      picture_.apart.push_back(scene);
      picture_.scenes.emplace_back().caption = caption;
    }
    for (const std::size_t state : workflow::mark_reached({root}, edges_, seen)) apart_scene_[state] = scene;
  }

  std::size_t add_item(std::size_t scene, Picture::Item item) {
    picture_.scenes[scene].items.push_back(std::move(item));
    return picture_.scenes[scene].items.size() - 1;
  }

  // The scene of the composite state with this hidden half. The scene and its item are made when they are first needed.
  std::size_t scene_inside(std::size_t hidden) {
    if (inner_scene_[hidden] != none) return inner_scene_[hidden];
    const std::size_t outer = around_composite(hidden);
    const std::size_t entry = states_[hidden].other_half;
    const std::size_t outer_scene = outer == no_state ? apart_scene_[entry] : scene_inside(outer);
    const std::size_t inner = picture_.scenes.size();
    picture_.scenes.emplace_back();
    Picture::Item item;
    item.shape = Picture::Shape::composite;
    item.id = states_[entry].id;
    item.description = states_[entry].description;
    item.acts = false;
    item.scene = inner;
    const auto ended = visits_.find(states_[hidden].id);
    const auto begun = visits_.find(states_[entry].id);
    if (begun != visits_.end()) item.visits = begun->second.count;
    if (ended != visits_.end()) item.status = ended->second.last->status;
    inner_scene_[hidden] = inner;
    composite_[hidden] = {outer_scene, add_item(outer_scene, std::move(item))};
    return inner;
  }

  void place(std::size_t index) {
    const State& state = states_[index];
    const std::size_t container = around(index);
    const std::size_t scene = container == no_state ? apart_scene_[index] : scene_inside(container);
    Picture::Item item;
    item.id = state.hidden ? "" : state.id;
    item.description = state.hidden ? "" : state.description;
    switch (state.kind) {
      case State::Kind::plain:
        item.shape = state.hidden                       ? Picture::Shape::end
                     : is_entry(index) && !state.action ? Picture::Shape::start
                                                        : Picture::Shape::state;
        break;
      case State::Kind::choice:
        item.shape = state.hidden ? Picture::Shape::end : Picture::Shape::choice;
        break;
      case State::Kind::fork:
        item.shape = Picture::Shape::fork;
        break;
      case State::Kind::join:
        item.shape = Picture::Shape::join;
        break;
    }
    if (is_entry(index) && !state.action) item.id.clear();
    const auto visits = visits_.find(state.id);
    if (visits != visits_.end() && !item.id.empty()) {
      item.status = visits->second.last->status;
      item.waits = visits->second.waits;
      item.acts = !visits->second.last->action.empty();
      item.visits = visits->second.count;
      item.last_step = visits->second.last->number;
      item.took = visits->second.took;
    }
    scene_of_[index] = scene;
    item_of_[index] = add_item(scene, std::move(item));
  }

  std::uint64_t taken(std::size_t from, std::size_t to) const {
    const auto visits = visits_.find(states_[from].id);
    if (visits == visits_.end()) return 0;
    const auto& next = visits->second.next;
    const auto found =
        next.find(to == no_state || (states_[to].hidden && !next.contains(states_[to].id)) ? "[*]" : states_[to].id);
    return found == next.end() ? 0 : found->second;
  }

  void add_exits(std::size_t index) {
    const State& state = states_[index];
    // The hidden half's exits leave the composite state as a whole.
    const auto [scene, item] = state.hidden && state.other_half != no_state
                                   ? composite_.at(index)
                                   : std::pair(scene_of_[index], item_of_[index]);
    for (const Transition& exit : state.exits)
      add_arrow(scene, item, exit.target, exit.label, taken(index, exit.target), index);
    if (!state.action || state.action->options.on_failure.name.empty()) return;
    const std::size_t target = workflow_.index_of(state.action->options.on_failure.name);
    if (target != no_state) add_arrow(scene, item, target, "failure", taken(index, target), index);
  }

  // The scene and the item at which an arrow from `source` to `target` ends. If `target` is the entry of a composite
  // state, the arrow ends at the composite state as a whole, unless `source` is this entry itself.
  std::pair<std::size_t, std::size_t> place_of_target(std::size_t target, std::size_t source) {
    if (is_entry(target) && target != source) {
      scene_inside(states_[target].other_half);
      return composite_.at(states_[target].other_half);
    }
    return {scene_of_[target], item_of_[target]};
  }

  std::size_t outer_of(std::size_t scene) const {
    for (const auto& [hidden, place] : composite_) {
      if (inner_scene_[hidden] == scene) return hidden;
    }
    return no_state;
  }

  void add_arrow(std::size_t scene, std::size_t item, std::size_t target, std::string label, std::uint64_t count,
                 std::size_t source = no_state) {
    if (target == no_state) {
      while (outer_of(scene) != no_state) std::tie(scene, item) = composite_.at(outer_of(scene));
      join(scene, item, end_of(scene), std::move(label), count);
      return;
    }
    auto [target_scene, target_item] = place_of_target(target, source);
    // Both ends are moved to outer scenes until they are in the same scene, the deeper end first.
    std::size_t target_depth = depth(target_scene);
    std::size_t own_depth = depth(scene);
    while (scene != target_scene && (own_depth > 0 || target_depth > 0)) {
      if (own_depth >= target_depth) {
        std::tie(scene, item) = composite_.at(outer_of(scene));
        --own_depth;
      } else {
        std::tie(target_scene, target_item) = composite_.at(outer_of(target_scene));
        --target_depth;
      }
    }
    if (scene == target_scene) join(scene, item, target_item, std::move(label), count);
  }

  std::size_t depth(std::size_t scene) const {
    std::size_t count = 0;
    for (std::size_t hidden = outer_of(scene); hidden != no_state; hidden = outer_of(composite_.at(hidden).first))
      ++count;
    return count;
  }

  void join(std::size_t scene, std::size_t from, std::size_t to, std::string label, std::uint64_t count) {
    picture_.scenes[scene].arrows.push_back({from, to, std::move(label), count});
  }

  std::size_t end_of(std::size_t scene) {
    const auto found = ends_.find(scene);
    if (found != ends_.end()) return found->second;
    return ends_[scene] = add_item(scene, {Picture::Shape::end, "", "", {}, false, true, 0, 0, {}, 0});
  }

  // A workflow without a start, which is an error, has no dot for the start.
  void drop_unused_start() {
    Picture::Scene& main = picture_.scenes.front();
    if (workflow_.start == no_state && main.items.size() == 1) main.items.clear();
  }

  const std::vector<State>& states_;
  const Workflow& workflow_;
  const workflow::StateEdges edges_;
  Picture picture_;
  std::size_t start_ = 0;
  std::vector<std::size_t> apart_scene_;  // by state: the scene if it is drawn apart, else 0
  std::vector<std::size_t> item_of_;
  std::vector<std::size_t> scene_of_;
  std::vector<std::size_t> inner_scene_;
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> composite_;  // scene and item, by the hidden half
  std::map<std::size_t, std::size_t> ends_;
  std::unordered_map<std::string, Visits> visits_;
};

}  // namespace

Picture picture_of(const Workflow& workflow, const journal::RunRecord* run) { return Builder(workflow, run).build(); }

}  // namespace wtool::host::report
