// The plan of a workflow: what a run would do, as far as that is known before the run. Also the functions that make and
// show plans. Secrets are masked in a plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runner/executor.h"
#include "runner/secrets.h"
#include "workflow/check/checker.h"
#include "workflow/model/model.h"

namespace wtool::host::planning {

// The states of a workflow in the order in which a reader follows them: breadth first from the start, the branches of a
// fork one after the other, and then the states after their join. After all these, the states to which failures lead,
// and finally the states of `finally`.
enum class PlanPart { main, on_failure, finally };

struct WalkedState {
  std::size_t state = workflow::no_state;
  PlanPart part = PlanPart::main;
  std::vector<std::string> branches;  // the branches around it, outermost first, each named by its first state
};

// Lists each state once. Hidden states are left out, but the states after them are not.
std::vector<WalkedState> walk_states(const workflow::Workflow& workflow);

// A call of a tool. An action with a matrix has a call for each combination, or a single call if the combinations are
// not known.
struct PlannedCommand {
  enum class Verdict { allow, ask, deny, unknown };
  std::string combination;  // the values of the matrix, as JSON; empty outside of a matrix
  std::string text;         // the command; for tools other than shell_execute, the name and the arguments
  Verdict verdict = Verdict::unknown;
  std::string reason;  // of the verdict; may be empty
  // Only for a step that may be skipped: whether it would be skipped with the files as they are now. If not, why it
  // would run.
  std::optional<bool> up_to_date{};
  std::string why_it_runs{};
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
  std::string action;  // in words; empty: it has no action
  std::vector<PlannedCommand> commands;
  std::vector<std::pair<std::string, std::string>> details;  // the action's options: names and values
  std::vector<PlannedExit> exits;
  std::shared_ptr<const Plan> runs;  // the plan of the workflow that it runs; nullptr: it runs none, or see `remark`
  std::string remark;                // about the workflow that it runs, or its matrix; may be empty
};

// What the run would request from Slurm: at most `nodes` jobs, each with one node for `slots` calls at the same time.
struct PlannedCluster {
  std::string slot{};                                        // the class; empty: none
  std::int64_t nodes = 0, slots = 0, cpus = 0, minutes = 0;  // cpus: for each slot; minutes: of a job
  std::string sbatch{};                                      // the command line that submits one job
  std::string problem{};                                     // why the other members are not known; else empty
};

struct Plan {
  std::string name;
  std::string file;
  std::vector<std::pair<std::string, std::string>> inputs;
  std::string on_failure;  // a state; empty: none
  std::string finally;
  std::string budget{};                     // of its prompts, in words; empty: none
  std::string concurrency{};                // the lock that each of its runs holds; empty: none
  std::optional<std::int64_t> max_steps{};  // nothing: the usual limit
  bool fail_fast = true;                    // a branch that fails ends the others
  std::vector<PlannedState> states;
  std::vector<PlannedCluster> cluster{};  // for each class of jobs that a step may need
};

struct PlanCounts {
  std::size_t states = 0;
  std::size_t commands = 0;
  std::size_t allowed = 0;
  std::size_t asked = 0;
  std::size_t refused = 0;
  std::size_t unknown = 0;
  std::size_t up_to_date = 0;
};

// Counts what is in the plan and in the plans of all workflows that it runs.
PlanCounts count(const Plan& plan);

// plan_text() is for people; plan_json() is a JSON object. Both texts end with a newline.
std::string plan_text(const Plan& plan);
std::string plan_json(const Plan& plan);

// ---- planner.cc: makes the plan of a workflow that was checked. Nothing runs, nobody is asked, and nothing is
// written.

// How many plans of called workflows are shown at most. A called workflow is planned once for each place (on, slot,
// limits) and each set of known inputs.
inline constexpr std::size_t max_plans = 200;

struct PlanServices {
  // Like RunServices::workflow.
  std::function<std::optional<runner::OtherWorkflow>(const std::string& name, const std::string& from,
                                                     std::string& error)>
      workflow;
  // The command that would get a prompt; no file is made for the prompt (Prompts::preview).
  std::function<runner::PreparedPrompt(const std::string& prompt, bool is_inline, const std::string& from,
                                       const expressions::Scope& values, const runner::PromptAddition* addition)>
      prompt;
  // Like CheckContext::prompt_sets.
  std::function<std::set<std::string, std::less<>>(const std::string& prompt, bool is_inline, const std::string& from)>
      prompt_sets;
  // Like the members of RunServices with these names.
  cache::StepCache* cache = nullptr;
  runner::Explain explain;
  std::function<runner::ConfigurationState()> configuration;
  // The policy's verdict on a call of the tool.
  std::function<workflow::CommandVerdict(const std::string& tool, const nlohmann::json& arguments)> verdict;
};

Plan plan_workflow(const workflow::Workflow& workflow, const workflow::Source& source,
                   std::map<std::string, expressions::Value> inputs, const PlanServices& services);

}  // namespace wtool::host::planning
