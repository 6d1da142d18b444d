// Where a step of a run is, and how the branches of a run are named.
//
// The place of a step is its branch and its number in that branch. The main path is the branch "". What a step starts
// (the branches of a fork, the combinations of a matrix, another workflow) has branches of its own, whose names are
// made from the place of the step, `BRANCH/SEQUENCE:NAME`:
//
//   /3:TaskA            the path of TaskA, begun by the third step of the main path, a fork
//   /3:TaskA/2:deploy   the workflow `deploy`, run by the second step of that path
//   /5:2                the second combination of a matrix
//   /0:on failure       the path of `on failure`, which belongs to no step; nor does /0:finally
//
// The names depend only on the workflow and the outcomes, so they identify the steps of an earlier run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace wtool::host::runner {

struct StepPlace {
  std::string branch;
  std::uint64_t sequence = 0;  // in its branch, from 1

  bool operator==(const StepPlace&) const = default;
};

struct StepPlaceHash {
  std::size_t operator()(const StepPlace& place) const noexcept {
    return std::hash<std::string>()(place.branch) * 31 + std::hash<std::uint64_t>()(place.sequence);
  }
};

template <class Value>
using ByPlace = std::unordered_map<StepPlace, Value, StepPlaceHash>;
using Places = std::unordered_set<StepPlace, StepPlaceHash>;

// The place as one text, `BRANCH/SEQUENCE`.
std::string place_name(const StepPlace& place);

// How the names of all branches begin that the step at the place has begun, and of the branches below them:
// `BRANCH/SEQUENCE:`.
std::string beginning_inside(const StepPlace& place);

// The branch of this name that the step at the place begins.
std::string branch_inside(const StepPlace& place, std::string_view name);

// True if a step in the branch `inner` is inside of the step at `outer`: in one of its branches, or in a composite state
// or a workflow that it runs.
bool is_inside(std::string_view inner, const StepPlace& outer);

// The place of the step that began the branch, which is a part of the branch's name. Nothing: the branch is the main
// path.
std::optional<StepPlace> parent_of(std::string_view branch);

// True if `inner` is the branch `outer`, or a branch that a step on it has begun, however deep.
bool is_on_or_below(std::string_view inner, std::string_view outer);

// What the names of the paths of `on failure` and `finally` add to that of their workflow's main path, and how both
// begin.
inline constexpr const char* on_failure_branch = "/0:on failure";
inline constexpr const char* finally_branch = "/0:finally";
inline constexpr const char* last_states_beginning = "/0:";

// True for the paths of `on failure` and `finally`, and for what runs inside their steps.
inline bool is_in_last_states(std::string_view branch) {
  return branch.find(last_states_beginning) != std::string_view::npos;
}

}  // namespace wtool::host::runner
