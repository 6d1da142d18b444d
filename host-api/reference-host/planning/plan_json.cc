#include "base/json.h"
#include "planning/plan.h"

namespace wtool::host::planning {
namespace {

using nlohmann::ordered_json;
using workflow::State;

const char* verdict_name(PlannedCommand::Verdict verdict) {
  switch (verdict) {
    case PlannedCommand::Verdict::allow:
      return "allow";
    case PlannedCommand::Verdict::ask:
      return "ask";
    case PlannedCommand::Verdict::deny:
      return "deny";
    case PlannedCommand::Verdict::unknown:
      break;
  }
  return "unknown";
}

const char* kind_name(State::Kind kind) {
  switch (kind) {
    case State::Kind::choice:
      return "choice";
    case State::Kind::fork:
      return "fork";
    case State::Kind::join:
      return "join";
    case State::Kind::plain:
      break;
  }
  return "plain";
}

const char* part_name(PlanPart part) {
  return part == PlanPart::main ? "main" : part == PlanPart::finally ? "finally" : "on_failure";
}

ordered_json object_of(const Plan& plan);

ordered_json object_of(const PlannedState& state) {
  ordered_json commands = ordered_json::array();
  for (const PlannedCommand& command : state.commands) {
    ordered_json entry = {
        {"command", command.text}, {"verdict", verdict_name(command.verdict)}, {"reason", command.reason}};
    if (!command.combination.empty()) entry["matrix"] = command.combination;
    if (command.up_to_date) {
      entry["up_to_date"] = *command.up_to_date;
      if (!*command.up_to_date) entry["why_it_runs"] = command.why_it_runs;
    }
    commands.push_back(std::move(entry));
  }
  ordered_json exits = ordered_json::array();
  for (const PlannedExit& exit : state.exits) exits.push_back({{"condition", exit.condition}, {"to", exit.to}});
  ordered_json details = ordered_json::array();
  for (const auto& [name, value] : state.details) details.push_back({{"name", name}, {"value", value}});
  ordered_json made = {{"state", state.id},
                       {"kind", kind_name(state.kind)},
                       {"part", part_name(state.part)},
                       {"branches", state.branches},
                       {"description", state.description},
                       {"action", state.action},
                       {"options", details},
                       {"commands", commands},
                       {"exits", exits},
                       {"remark", state.remark}};
  made["workflow"] = state.runs ? object_of(*state.runs) : ordered_json();
  return made;
}

ordered_json object_of(const Plan& plan) {
  ordered_json inputs = ordered_json::object();
  for (const auto& [name, value] : plan.inputs) inputs[name] = value;
  ordered_json states = ordered_json::array();
  for (const PlannedState& state : plan.states) states.push_back(object_of(state));
  ordered_json made = {{"name", plan.name},
                       {"file", plan.file},
                       {"inputs", inputs},
                       {"on_failure", plan.on_failure},
                       {"finally", plan.finally},
                       {"budget", plan.budget},
                       {"concurrency", plan.concurrency},
                       {"max_steps", nullptr},
                       {"fail_fast", plan.fail_fast}};
  if (plan.max_steps) made["max_steps"] = *plan.max_steps;
  made["states"] = std::move(states);
  return made;
}

}  // namespace

std::string plan_json(const Plan& plan) {
  ordered_json made = object_of(plan);
  for (const PlannedCluster& cluster : plan.cluster) {
    made["cluster"].push_back(cluster.problem.empty()
                                  ? ordered_json{{"slot", cluster.slot},
                                                 {"nodes", cluster.nodes},
                                                 {"slots", cluster.slots},
                                                 {"cpus", cluster.cpus},
                                                 {"minutes", cluster.minutes},
                                                 {"sbatch", cluster.sbatch}}
                                  : ordered_json{{"slot", cluster.slot}, {"problem", cluster.problem}});
  }
  const PlanCounts counts = count(plan);
  made["counts"] = {
      {"states", counts.states}, {"commands", counts.commands}, {"allow", counts.allowed},        {"ask", counts.asked},
      {"deny", counts.refused},  {"unknown", counts.unknown},   {"up_to_date", counts.up_to_date}};
  return dumped(made, 2) + '\n';
}

}  // namespace wtool::host::planning
