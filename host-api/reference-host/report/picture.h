// What the picture of a workflow shows: scenes of items and arrows. A composite state is an item that contains a scene;
// states that no path from the start reaches (`finally`, the states for failures) have separate scenes.
// drawing_svg.cc draws the picture; drawing.h has the flat form that other notations need.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "journal/run_record.h"
#include "workflow/model/model.h"

namespace wtool::host::report {

struct Picture {
  enum class Shape { start, end, state, choice, fork, join, composite };
  // `from` and `to` are indexes of items of the same scene.
  struct Arrow {
    std::size_t from = 0;
    std::size_t to = 0;
    std::string label;  // the condition as written; may be empty
    std::uint64_t taken = 0;
  };
  struct Scene;
  struct Item {
    Shape shape = Shape::state;
    std::string id;
    std::string description;                     // may be empty
    std::optional<runner::Step::Status> status;  // how its last visit ended; running: it has not ended
    bool waits = false;                          // for an approval; the status is then `aborted`
    bool acts = true;                            // it has an action; without one, a success is shown as `passed`
    std::uint64_t visits = 0;
    std::uint64_t last_step = 0;  // its number; 0: no visit
    std::chrono::steady_clock::duration took{};
    std::size_t scene = 0;  // the index of the scene that a composite state contains
  };
  struct Scene {
    std::string caption;  // "finally", "on failure", "not reached"; empty for the others
    std::vector<Item> items;
    std::vector<Arrow> arrows;
  };
  std::vector<Scene> scenes;       // a composite state's scene comes after the scene around it
  std::vector<std::size_t> apart;  // scenes that are drawn below the main scene, scenes[0]
  bool of_run = false;
};

// `run`: the run whose steps in this workflow are shown; nullptr: no steps are shown.
Picture picture_of(const workflow::Workflow& workflow, const journal::RunRecord* run);

}  // namespace wtool::host::report
