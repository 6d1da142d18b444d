#include "cluster/remote_runner.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "audit/tracing.h"
#include "base/environment_snapshot.h"
#include "cluster/exchange.h"
#include "cluster/order.h"
#include "cluster/remote_session.h"
#include "cluster/submission.h"
#include "engine/received_output.h"

namespace wtool::cluster {

namespace {

using engine::Cancellation;
using engine::CommandOutcome;
using std::chrono::milliseconds;

// Owns a slot. A slot that has not been released at the end, for example because of an exception, is given up as lost.
class TakenSlot {
 public:
  TakenSlot(Pool& pool, Slot slot) : pool_(pool), slot_(std::move(slot)) {}
  TakenSlot(const TakenSlot&) = delete;
  TakenSlot& operator=(const TakenSlot&) = delete;
  ~TakenSlot() {
    if (slot_.channel) pool_.lost(std::move(slot_));
  }

  Slot& operator*() { return slot_; }
  Slot* operator->() { return &slot_; }
  Slot release() { return std::move(slot_); }

 private:
  Pool& pool_;
  Slot slot_;
};

// The variables to send. Those that describe a node and its job (is_of_node) are left out if this host merely inherited
// them, which is what `host`, its environment, tells.
std::vector<std::string> sent_variables(const std::vector<std::string>& variables, const EnvironmentSnapshot* host) {
  std::vector<std::string> sent;
  for (const std::string& variable : variables) {
    const std::string name = variable.substr(0, variable.find('='));
    const char* const own = host != nullptr && is_of_node(name) ? host->find(name) : nullptr;
    if (own == nullptr || variable.substr(name.size() + 1) != own) sent.push_back(variable);
  }
  return sent;
}

Order order_of(const engine::Command& command, const std::string& directory, const engine::RunOptions& options) {
  Order order;
  order.paths = command.paths;
  order.arguments = command.arguments;
  order.variables = sent_variables(command.variables, options.host_environment);
  order.shell = command.shell;
  order.directory = directory;
  if (command.standard_input) order.standard_input = std::string(*command.standard_input);
  order.grace = options.grace;
  order.capture_bytes = options.capture_bytes;
  order.merged = options.merged;
  order.keep = options.keep && options.hold != nullptr;
  order.lifts_network = options.lifts_network;
  order.tells_start = static_cast<bool>(options.state);
  order.limits = options.call_limits;
  order.in_session = options.hold != nullptr;
  return order;
}

engine::NoNode no_node(Refusal refusal) {
  const bool unshared = refusal.reason == Refusal::Reason::unshared;
  return {(unshared ? "The nodes do not have the folders of this machine: " : "No node was available: ") +
              std::move(refusal.why),
          unshared};
}

// How much time the command would have left if it started now.
milliseconds time_left(const engine::RunOptions& options) {
  milliseconds left = options.time_limit.value_or(milliseconds(0));
  if (options.latest) {
    const auto rest = std::max(milliseconds(1), std::chrono::ceil<milliseconds>(*options.latest - Clock::now()));
    left = left.count() == 0 ? rest : std::min(left, rest);
  }
  return left;
}

using Result = std::variant<CommandOutcome, engine::SandboxRefusal>;

// One command, from the choice of a node to its outcome. Borrows everything except the pool.
class RemoteCall {
 public:
  RemoteCall(std::shared_ptr<Pool> pool, const std::string& configuration, const engine::Command& command,
             const std::string& directory, const engine::RunOptions& options, Cancellation& cancellation,
             const engine::OutputSink& sink, engine::SandboxReport& report)
      : session_(session_of(options, pool, configuration)),
        kept_pool_(std::move(pool)),
        pool_(session_ ? session_->pool() : *kept_pool_),
        configuration_(configuration),
        directory_(directory),
        options_(options),
        cancellation_(cancellation),
        report_(report),
        received_(options, sink),
        order_(order_of(command, directory, options)) {}

  // Sends the command to nodes until one begins it.
  Result run() {
    auto wait_until = Clock::now() + pool_.options().wait;
    if (options_.latest) wait_until = std::min(wait_until, *options_.latest);
    for (;;) {
      if (is_cancelled()) return end(engine::Cancelled{cancellation_.reason(), false});
      TakenSlot slot(pool_, session_ ? session_->take() : Slot{});
      if (!slot->channel) {
        tell({.name = State::Name::queued, .reason = "node"});
        Refusal refusal;
        *slot = pool_.take(cancellation_.descriptor(), wait_until, refusal,
                           {time_left(options_), options_.time_limit_named});
        if (!slot->channel && !is_cancelled()) return end(no_node(std::move(refusal)));
      }
      if (!slot->channel) continue;
      if (std::optional<Result> result = run_on(slot)) return *std::move(result);
    }
  }

 private:
  using State = engine::CommandState;

  // The session of the command, which is made if it does not exist yet; nullptr: the command is not in a session.
  static std::shared_ptr<RemoteSession> session_of(const engine::RunOptions& options, const std::shared_ptr<Pool>& pool,
                                                   const std::string& configuration) {
    if (options.hold == nullptr) return nullptr;
    if (!*options.hold) *options.hold = std::make_shared<RemoteSession>(pool, configuration);
    return std::dynamic_pointer_cast<RemoteSession>(*options.hold);
  }

  // Nothing: the node's pilot did not begin the command, and the slot is given up.
  std::optional<Result> run_on(TakenSlot& slot) {
    const std::string node = slot->node, job = slot->job;
    audit::log(audit::Level::debug, "cluster_tools::call", "the command goes to a node",
               {audit::field("node", node), audit::field("job", job)}, options_.span);
    order_.time_limit = time_left(options_);
    if (session_) order_.session = session_->id();
    Exchange exchange(*slot, options_.span);
    sent_ = Clock::now();
    exchange.send({configuration_, options_.name, to_bytes(order_), session_ != nullptr});
    std::string text;
    Exchange::End how = exchange.await(
        &cancellation_,
        {[&](engine::Stream stream, std::string_view bytes) { check_receiver(received_.add(stream, bytes)); },
         [&] { tell({.name = State::Name::started, .node = node, .job = job}); }},
        text);
    std::optional<OrderAnswer> answer;
    if (how == Exchange::End::answered && !(answer = read_answer(text))) {
      how = Exchange::End::lost;
      text = "it sent something that is not a result";
    }
    if (session_ && (how == Exchange::End::not_begun || how == Exchange::End::lost)) session_->forget();
    if (how == Exchange::End::not_begun) {
      pool_.lost(slot.release());
      return std::nullopt;
    }
    node_ = node;
    job_ = job;
    switch (how) {
      case Exchange::End::refused:
        give_back(slot, {}, false);
        return end(engine::NotStarted{engine::NotStarted::Stage::custody, 0,
                                      "the node " + node + " refused the command: " + text});
      case Exchange::End::failed:
        give_back(slot, {}, false);
        return end(engine::Lost{"the node " + node + " could not finish the command: " + text,
                                "the command may or may not have run; check before you call again"});
      case Exchange::End::lost: {
        std::string message = lose(pool_, slot.release(), text, options_.span);
        if (is_cancelled()) return end(engine::Cancelled{cancellation_.reason()});
        return end(engine::NodeLost{std::move(message)});
      }
      case Exchange::End::answered:
      case Exchange::End::not_begun:
        break;
    }
    give_back(slot, answer->session, answer->kept);
    return result_of(*std::move(answer));
  }

  void give_back(TakenSlot& slot, std::string id, bool kept) {
    if (session_) {
      session_->keep(slot.release(), std::move(id), kept);
    } else {
      pool_.give_back(slot.release());
    }
  }

  Result result_of(OrderAnswer answer) {
    if (answer.report) report_ = std::move(*answer.report);
    if (auto* refusal = std::get_if<engine::SandboxRefusal>(&answer.result)) return std::move(*refusal);
    CommandOutcome outcome = std::get<CommandOutcome>(std::move(answer.result));
    outcome.node = node_;
    outcome.job = job_;
    if (answer.kept) outcome.kept = session_;
    received_.finish(outcome);
    seen_from_here(outcome.termination);
    return outcome;
  }

  // Changes what the node's engine says about the end of the command to what it means on this host.
  void seen_from_here(engine::Termination& termination) const {
    if (const auto* not_started = std::get_if<engine::NotStarted>(&termination);
        not_started != nullptr && not_started->stage == engine::NotStarted::Stage::directory) {
      // This host could open the folder, so the node lacks it.
      termination = engine::NoNode{"The node " + node_ + " does not have the folder " + directory_ +
                                       " of this machine: " + std::generic_category().message(not_started->error),
                                   true};
    } else if (auto* exhausted = std::get_if<engine::Exhausted>(&termination)) {
      exhausted->of_call = engine::is_of_call(options_.limits, exhausted->limit);
      if (exhausted->limit == engine::LimitName::memory_bytes &&
          options_.limits.memory_bytes == call_memory(pool_.options())) {
        exhausted->setter = "cluster.memory";
      }
    } else if (const auto* cancelled = std::get_if<engine::Cancelled>(&termination)) {
      // If nobody on this host cancelled the command, its pilot did.
      termination = is_cancelled()
                        ? engine::Termination(engine::Cancelled{cancellation_.reason(), cancelled->begun})
                        : engine::NodeLost{title_of(node_, job_) +
                                           (cancelled->begun ? " was taken away while the command ran; the command "
                                                               "was ended there: "
                                                             : " was taken away before the command began: ") +
                                           cancelled->reason};
    }
  }

  // The outcome of a command for which no node has sent a result.
  CommandOutcome end(engine::Termination how) {
    CommandOutcome outcome;
    outcome.termination = std::move(how);
    outcome.node = node_;
    outcome.job = job_;
    received_.finish(outcome);
    if (!node_.empty()) outcome.duration = std::chrono::duration_cast<milliseconds>(Clock::now() - sent_);
    return outcome;
  }

  bool is_cancelled() const { return cancellation_.mode() != Cancellation::Mode::none; }
  void check_receiver(bool content) {
    if (!content) cancellation_.request(Cancellation::Mode::graceful, "the receiver of the output asked to stop");
  }
  void tell(const State& state) {
    if (options_.state) check_receiver(options_.state(state));
  }

  const std::shared_ptr<RemoteSession> session_;
  const std::shared_ptr<Pool> kept_pool_;
  Pool& pool_;
  const std::string& configuration_;
  const std::string& directory_;
  const engine::RunOptions& options_;
  Cancellation& cancellation_;
  engine::SandboxReport& report_;
  engine::ReceivedOutput received_;
  Order order_;
  Clock::time_point sent_ = Clock::now();
  std::string node_, job_;  // of the node that has begun the command, or may have; empty: none yet
};

}  // namespace

std::string RemoteRunner::explained(std::string explanation) const {
  return with_submission(explanation, pool_->options(), pool_->authentication());
}

std::variant<CommandOutcome, engine::SandboxRefusal> RemoteRunner::run(
    const engine::Command& command, const std::string& directory, engine::Sandbox*, const engine::RunOptions& options,
    Cancellation& cancellation, const engine::OutputSink& sink, engine::SandboxReport& report) {
  if (options.terminal != nullptr) {
    CommandOutcome ended;
    ended.termination =
        engine::NotStarted{engine::NotStarted::Stage::custody, 0, "terminals are not available on a cluster yet"};
    return ended;
  }
  return RemoteCall(pool_, configuration_, command, directory, options, cancellation, sink, report).run();
}

}  // namespace wtool::cluster
