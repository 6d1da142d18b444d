// What a run of a workflow would do, as far as that is known before it. Plain data; secrets are masked in it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "planning/walk.h"
#include "workflow/model/model.h"

namespace wtool::host::planning {

// A call of a tool. An action with a matrix has one for each combination, as far as those are known.
struct PlannedCommand {
  enum class Verdict { allow, ask, deny, unknown };
  std::string combination;  // of the matrix, as JSON; empty outside of a matrix
  std::string text;         // the command; of another tool than shell_execute its name and arguments
  Verdict verdict = Verdict::unknown;
  std::string reason;  // of the verdict; may be empty
};

struct PlannedExit {
  std::string condition;  // `success`, `exit_code == 0`, `always`, `otherwise`
  std::string to;         // [*]: the end
};

struct Plan;

struct PlannedState {
  std::string id;
  std::string description;
  workflow::State::Kind kind = workflow::State::Kind::plain;
  PlanPart part = PlanPart::main;
  std::vector<std::string> branches;
  std::string action;  // in words; empty: it has none
  std::vector<PlannedCommand> commands;
  std::vector<std::pair<std::string, std::string>> details;  // what the options of the action say, by their names
  std::vector<PlannedExit> exits;
  std::shared_ptr<const Plan> runs;  // the workflow that it runs; null: none, or its plan stands elsewhere
  std::string remark;                // about that
};

struct Plan {
  std::string name;
  std::string file;
  std::vector<std::pair<std::string, std::string>> inputs;
  std::string on_failure;  // a state; empty: none
  std::string finally;
  std::vector<PlannedState> states;
};

struct PlanCounts {
  std::size_t states = 0;
  std::size_t commands = 0;
  std::size_t allowed = 0;
  std::size_t asked = 0;
  std::size_t refused = 0;
  std::size_t unknown = 0;
};

// With all workflows that it runs.
PlanCounts count(const Plan& plan);

// For people, and as a JSON object; each ends with a newline.
std::string plan_text(const Plan& plan);
std::string plan_json(const Plan& plan);

}  // namespace wtool::host::planning
