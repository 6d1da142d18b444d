// What a diagram has besides states and arrows: conditions on the arrows, and composite states.
//
// A composite state is `state A { [*] --> B ... }`. While the diagram is read, `Composites` records which composite
// states are open; at the end of the diagram, it makes two plain states of each (see State::hidden in model.h).
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// Reads the label of a transition: always, default, success, failure, or an expression. Sets kind and condition of a
// transition whose label and label_offset are set. A condition that is not understood is reported, but the transition
// is kept.
void read_condition(Transition& transition, Diagnostics& diagnostics);

inline constexpr std::size_t max_composite_depth = 50;

class Composites {
 public:
  Composites(Workflow& workflow, Diagnostics& diagnostics) : workflow_(workflow), diagnostics_(diagnostics) {}

  // Handles a line `state A {`, which is at `offset`. Adds the hidden state of A (see State::hidden).
  void open(std::size_t state, std::size_t offset);
  // Handles a line `}` (close) or `--` (divide). False: there is no block to close or divide.
  bool close();
  bool divide(std::size_t offset);

  bool inside() const { return !open_.empty(); }
  // Handles a line `[*] --> target` inside of a composite state.
  void start(std::size_t target, std::size_t offset);
  // Notes that the state is declared or described here, is the start, or has an exit: it belongs to the innermost open
  // composite state, unless it already belongs to one, or contains the place: an arrow may lead from a state back to the
  // composite state around it. The target of an arrow may stand anywhere.
  void stands_here(std::size_t state);
  // The target of an arrow to `[*]`: the end of the innermost composite state; no_state: the end of the diagram.
  std::size_t end() const;

  // Makes two plain states of each composite state. Call it after the last line.
  void finish();

 private:
  struct Region {
    std::size_t start = no_state;
    std::size_t offset = 0;
  };
  struct Composite {
    std::size_t state = no_state;
    std::size_t hidden = no_state;
    std::size_t offset = 0;
    std::vector<Region> regions;
  };

  bool is_inside(std::size_t state) const;
  void flatten(const Composite& composite);

  Workflow& workflow_;
  Diagnostics& diagnostics_;
  std::vector<Composite> all_;
  std::unordered_set<std::size_t> states_;
  std::vector<std::size_t> open_;  // indices into all_, outermost first
  std::size_t too_deep_ = 0;       // the number of open blocks that are nested too deeply
};

}  // namespace wtool::host::workflow
