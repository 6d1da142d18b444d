#include "cluster/engine_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <stdexcept>

#include "base/descriptor.h"
#include "base/environment_snapshot.h"
#include "base/pilot/channel.h"
#include "cluster/order.h"
#include "configuration/call_limits.h"
#include "policy/environment.h"
#include "sessions/sessions.h"

namespace wtool::cluster {

namespace {

// Adds the variables of this node and its job that the host's rules let a command inherit.
void add_own_variables(const policy::EnvironmentRules& rules, const EnvironmentSnapshot& node,
                       std::vector<std::string>& variables) {
  if (rules.inherit != policy::EnvironmentRules::Inherit::all) return;
  for (const char* const* each = node.variables(); *each != nullptr; ++each) {
    const std::string_view variable = *each, name = variable.substr(0, variable.find('='));
    if (!is_of_node(name) || name.size() == variable.size()) continue;
    const auto matches = [&](const std::string& pattern) { return policy::matches_pattern(pattern, name); };
    if (std::any_of(rules.deny.begin(), rules.deny.end(), matches)) continue;
    const std::string_view head = variable.substr(0, name.size() + 1);
    const auto is_set = [&](const std::string& other) { return other.starts_with(head); };
    if (std::none_of(variables.begin(), variables.end(), is_set)) variables.emplace_back(variable);
  }
}

// Finds the session on this node that belongs to the host's session. Makes it if this node has no such session yet.
std::shared_ptr<Session> session_of(const Order& order, Sessions& sessions) {
  std::shared_ptr<Session> session = sessions.find(order.session);
  return session ? session
                 : sessions.create({{}, "pilot", {}, order.directory, {}, {}}, std::numeric_limits<std::size_t>::max());
}

class EngineRun : public tools::PreparedCall {
 public:
  explicit EngineRun(std::string_view arguments) : order_(read_order(arguments)) {}

  tools::ToolResult run(CallContext& context) override {
    if (!order_)
      throw std::invalid_argument("the host's order is not understood; host and pilot must have the same version");
    return {to_bytes(order_->ends_session ? end_session(context) : run_command(context)), false};
  }

  std::string explain(const Configuration&, const Sessions&) const override {
    return R"({"verdict": "allow", "reason": "another host has judged it", "rule": "engine_run"})";
  }

 private:
  OrderAnswer end_session(CallContext& context) const {
    engine::CommandOutcome outcome;
    outcome.termination = engine::Exited{0};
    // An empty id means that no command of the session began here.
    const bool known = context.sessions.close(order_->session, order_->grace, outcome.unkillable);
    if (!known && !order_->session.empty()) {
      throw std::invalid_argument("there is no session " + order_->session + " here");
    }
    return {.result = std::move(outcome)};
  }

  OrderAnswer run_command(CallContext& context) {
    std::shared_ptr<const Configuration> held = context.kept_configuration;
    if (std::string problem; !order_->limits.empty() && !(held = tightened(*held, order_->limits, problem))) {
      throw std::invalid_argument(problem);
    }
    const Configuration& configuration = *held;
    OrderAnswer answer;
    std::shared_ptr<Session> session;
    if (order_->in_session) {
      session = session_of(*order_, context.sessions);
      answer.session = session->details().id;
    }
    const Descriptor directory(::open(order_->directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!directory) {
      engine::CommandOutcome outcome;
      outcome.termination = engine::NotStarted{engine::NotStarted::Stage::directory, errno, {}};
      answer.result = std::move(outcome);
      return answer;
    }
    add_own_variables(configuration.environment, *node_environment_, order_->variables);
    engine::Command command;
    command.paths = std::move(order_->paths);
    command.arguments = std::move(order_->arguments);
    command.variables = std::move(order_->variables);
    command.shell = order_->shell;
    command.directory = directory.get();
    if (order_->standard_input) command.standard_input = *order_->standard_input;

    engine::RunOptions options;
    if (session) {
      options.scope = session->scope();
      options.keep = order_->keep && session->background().has_room();
    }
    using Clock = std::chrono::steady_clock;
    if (order_->time_limit.count() > 0) options.deadline = Clock::now() + order_->time_limit;
    options.grace = order_->grace;
    // The host captures the output. On this node, only a sandbox reads standard error.
    options.capture_bytes = configuration.confinement ? std::max<std::size_t>(order_->capture_bytes, 4096) : 4096;
    options.limits = configuration.limits;
    // The message of a start wakes this thread once more, which takes time from a short command.
    if (order_->tells_start) options.state = context.state;
    options.merged = order_->merged;
    options.lifts_network = order_->lifts_network;
    options.spill_directory = configuration.spill_directory.get();  // The sandbox ignores changes in this folder.
    options.name = context.call_id;
    engine::SandboxReport report;
    answer.result = context.runner->run(command, order_->directory, configuration.confinement.get(), options,
                                        context.cancellation, context.sink, report);
    if (configuration.confinement) answer.report = std::move(report);
    auto* outcome = std::get_if<engine::CommandOutcome>(&answer.result);
    if (outcome != nullptr && outcome->kept) {
      session->background().keep(outcome->kept);
      answer.kept = true;
    }
    return answer;
  }

  std::optional<Order> order_;
  std::shared_ptr<const EnvironmentSnapshot> node_environment_ = snapshot_environment();
};

}  // namespace

const tools::Tool& engine_run() {
  static const tools::Tool tool{{pilot::run_tool, "Run what another host has judged", "1.0.0",
                                 "Only for pilots: arguments and result are a host's bytes.", "{}", "{}"},
                                tools::prepare<EngineRun>};
  return tool;
}

}  // namespace wtool::cluster
