// Where a step of a run stands: its branch, and its place there (runner/run_observer.h says how branches are named).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wtool::host::workflow {

struct StepPlace {
  std::string branch;
  std::uint64_t sequence = 0;

  bool operator==(const StepPlace&) const = default;
};

// The step that a branch runs below, or beside; nothing: it is the main path.
std::optional<StepPlace> parent_of(std::string_view branch);

// What follows the last `:` of a branch: the state that it began with, the workflow, the number of a combination.
std::string_view branch_name(std::string_view branch);

// Whether what happened at `place` comes from what happened at `from`: the step itself and all later ones of its
// branch, whatever ran below those, and in each branch above, the step that leads down and all later ones. What ran
// beside it does not.
bool follows(const StepPlace& from, const StepPlace& place);

}  // namespace wtool::host::workflow
