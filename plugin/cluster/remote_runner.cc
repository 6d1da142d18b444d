#include "cluster/remote_runner.h"

#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "audit/tracing.h"
#include "cluster/exchange.h"
#include "cluster/order.h"
#include "cluster/submission.h"
#include "engine/kept_tree.h"
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

// What a session has on a node: its slot, and the node's session, which keeps the processes that outlive their
// commands.
class RemoteSession final : public engine::SessionHold, public engine::KeptTree {
 public:
  RemoteSession(std::shared_ptr<Pool> pool, std::string configuration)
      : pool_(std::move(pool)), configuration_(std::move(configuration)) {}
  RemoteSession(const RemoteSession&) = delete;
  RemoteSession& operator=(const RemoteSession&) = delete;
  ~RemoteSession() override {
    try {
      RemoteSession::wait_end(nullptr);
    } catch (...) {  // No memory is left. The connection ends with this object, and the pilot ends with the connection.
    }
  }

  Pool& pool() { return *pool_; }
  const std::string& id() const { return id_; }

  // Takes the slot for a command, which gives it back with keep(). A slot without a channel: the session has no slot,
  // or its connection has ended.
  Slot take() {
    Slot slot = pool_->unpark(std::exchange(parked_, 0));
    if (slot.channel && slot.leaving) pool_->lost(std::exchange(slot, {}));
    if (!slot.channel) forget();
    return slot;
  }
  // `id` is the id of the session on the node; empty: unchanged.
  void keep(Slot slot, std::string id, bool kept) {
    parked_ = pool_->park(std::move(slot));
    if (!id.empty()) id_ = std::move(id);
    keeps_ = keeps_ || kept;
  }
  // Call this when the node is gone, and everything that was kept there is gone with it.
  void forget() {
    id_.clear();
    keeps_ = false;
  }

  bool alive() override { return keeps_ && pool_->is_parked(parked_); }

  void request_end(milliseconds grace) override {
    if (ending_) return;
    Order order;
    order.ends_session = true;
    order.session = id_;
    order.grace = grace;
    const Exchange::Request request{.configuration = configuration_, .call_id = "session", .order = to_bytes(order)};
    slot_ = pool_->unpark(std::exchange(parked_, 0));
    if (!slot_.channel) return forget();
    ending_.emplace(slot_, 0);
    if (!slot_.leaving) ending_->send(request);  // a leaving pilot ends everything by itself
  }

  engine::ProcessesLeft wait_end(const engine::Patience* /*patience*/) override {
    request_end(engine::short_grace);
    if (!ending_) return {};
    std::string text;
    const Exchange::End end = ending_->await(nullptr, {}, text);
    ending_.reset();
    forget();
    const std::optional<OrderAnswer> answer = end == Exchange::End::answered ? read_answer(text) : std::nullopt;
    const auto* outcome = answer ? std::get_if<CommandOutcome>(&answer->result) : nullptr;
    if (outcome != nullptr) {
      pool_->give_back(std::move(slot_));
      return outcome->unkillable;
    }
    // The processes that the session kept may still be alive, so its node is given up.
    if (end == Exchange::End::answered) text = "it sent something that is not a result";
    lose(*pool_, std::move(slot_), text.empty() ? "its pilot had ended" : text, 0);
    return {};
  }

 private:
  const std::shared_ptr<Pool> pool_;
  const std::string configuration_;
  std::uint64_t parked_ = 0;  // the number of the slot in the pool; 0: none
  std::string id_;            // of the session on the node
  bool keeps_ = false;
  Slot slot_;                       // set while the session is being ended
  std::optional<Exchange> ending_;  // the exchange that ends the session
};

// The variables to send. Those that describe a node and its job (is_of_node) are left out if this host merely inherited
// them.
std::vector<std::string> sent_variables(const std::vector<std::string>& variables) {
  std::vector<std::string> sent;
  for (const std::string& variable : variables) {
    const std::string name = variable.substr(0, variable.find('='));
    const char* const own = is_of_node(name) ? ::getenv(name.c_str()) : nullptr;
    if (own == nullptr || variable.substr(name.size() + 1) != own) sent.push_back(variable);
  }
  return sent;
}

Order order_of(const engine::Command& command, const std::string& directory, const engine::RunOptions& options) {
  Order order;
  order.paths = command.paths;
  order.arguments = command.arguments;
  order.variables = sent_variables(command.variables);
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

}  // namespace

std::string RemoteRunner::explained(std::string explanation) const {
  return with_submission(explanation, pool_->options(), pool_->authentication());
}

std::variant<CommandOutcome, engine::SandboxRefusal> RemoteRunner::run(
    const engine::Command& command, const std::string& directory, engine::Sandbox*, const engine::RunOptions& options,
    Cancellation& cancellation, const engine::OutputSink& sink, engine::SandboxReport& report) {
  CommandOutcome ended;
  if (options.terminal != nullptr) {
    ended.termination =
        engine::NotStarted{engine::NotStarted::Stage::custody, 0, "terminals are not available on a cluster yet"};
    return ended;
  }
  std::shared_ptr<RemoteSession> session;
  if (options.hold != nullptr) {
    if (!*options.hold) *options.hold = std::make_shared<RemoteSession>(pool_, configuration_);
    session = std::dynamic_pointer_cast<RemoteSession>(*options.hold);
  }
  Pool& pool = session ? session->pool() : *pool_;
  auto wait_until = Clock::now() + pool.options().wait;
  if (options.latest) wait_until = std::min(wait_until, *options.latest);
  engine::ReceivedOutput received(options, sink);
  const auto check_receiver = [&](bool content) {
    if (!content) cancellation.request(Cancellation::Mode::graceful, "the receiver of the output asked to stop");
  };
  const auto receive = [&](engine::Stream stream, std::string_view bytes) {
    check_receiver(received.add(stream, bytes));
  };
  using State = engine::CommandState;
  const auto tell = [&](const State& state) {
    if (options.state) check_receiver(options.state(state));
  };
  const auto is_cancelled = [&] { return cancellation.mode() != Cancellation::Mode::none; };
  Order order = order_of(command, directory, options);
  auto sent = Clock::now();
  const auto end = [&](engine::Termination how) {
    ended.termination = std::move(how);
    received.finish(ended);
    if (!ended.node.empty()) ended.duration = std::chrono::duration_cast<milliseconds>(Clock::now() - sent);
    return std::move(ended);
  };
  for (;;) {
    if (is_cancelled()) return end(engine::Cancelled{cancellation.reason(), false});
    std::string text;
    TakenSlot slot(pool, session ? session->take() : Slot{});
    if (!slot->channel) tell({.name = State::Name::queued, .reason = "node"});
    if (!slot->channel) {
      Refusal refusal;
      *slot = pool.take(cancellation.descriptor(), wait_until, refusal, {time_left(options), options.time_limit_named});
      if (!slot->channel && !is_cancelled()) return end(no_node(std::move(refusal)));
    }
    if (!slot->channel) continue;
    const std::string node = slot->node, job = slot->job;
    audit::log(audit::Level::debug, "cluster_tools::call", "the command goes to a node",
               {audit::field("node", node), audit::field("job", job)}, options.span);
    order.time_limit = time_left(options);
    if (session) order.session = session->id();
    Exchange exchange(*slot, options.span);
    sent = Clock::now();
    exchange.send({configuration_, options.name, to_bytes(order), session != nullptr});
    Exchange::End how = exchange.await(
        &cancellation, {receive, [&] { tell({.name = State::Name::started, .node = node, .job = job}); }}, text);
    std::optional<OrderAnswer> answer;
    if (how == Exchange::End::answered && !(answer = read_answer(text))) {
      how = Exchange::End::lost;
      text = "it sent something that is not a result";
    }
    if (session && (how == Exchange::End::not_begun || how == Exchange::End::lost)) session->forget();
    if (how == Exchange::End::not_begun) {
      pool.lost(slot.release());
      continue;
    }
    ended.node = node;
    ended.job = job;
    const auto give_back = [&](std::string id, bool kept) {
      if (session) {
        session->keep(slot.release(), std::move(id), kept);
      } else {
        pool.give_back(slot.release());
      }
    };
    if (how == Exchange::End::refused) {
      give_back({}, false);
      return end(engine::NotStarted{engine::NotStarted::Stage::custody, 0,
                                    "the node " + node + " refused the command: " + text});
    }
    if (how == Exchange::End::failed) {
      give_back({}, false);
      return end(engine::Lost{"the node " + node + " could not finish the command: " + text,
                              "the command may or may not have run; check before you call again"});
    }
    if (how == Exchange::End::lost) {
      std::string message = lose(pool, slot.release(), text, options.span);
      if (is_cancelled()) return end(engine::Cancelled{cancellation.reason()});
      return end(engine::NodeLost{std::move(message)});
    }
    give_back(answer->session, answer->kept);
    if (answer->report) report = std::move(*answer->report);
    if (auto* refusal = std::get_if<engine::SandboxRefusal>(&answer->result)) return std::move(*refusal);
    CommandOutcome outcome = std::get<CommandOutcome>(std::move(answer->result));
    outcome.node = node;
    outcome.job = job;
    if (answer->kept) outcome.kept = session;
    received.finish(outcome);
    if (const auto* not_started = std::get_if<engine::NotStarted>(&outcome.termination);
        not_started != nullptr && not_started->stage == engine::NotStarted::Stage::directory) {
      // This host could open the folder, so the node lacks it.
      outcome.termination =
          engine::NoNode{"The node " + node + " does not have the folder " + directory +
                             " of this machine: " + std::generic_category().message(not_started->error),
                         true};
    }
    if (auto* exhausted = std::get_if<engine::Exhausted>(&outcome.termination)) {
      exhausted->of_call = engine::is_of_call(options.limits, exhausted->limit);
      if (exhausted->limit == engine::LimitName::memory_bytes &&
          options.limits.memory_bytes == call_memory(pool.options())) {
        exhausted->setter = "cluster.memory";
      }
    }
    if (const auto* cancelled = std::get_if<engine::Cancelled>(&outcome.termination)) {
      // If nobody on this host cancelled the command, its pilot did.
      outcome.termination =
          is_cancelled() ? engine::Termination(engine::Cancelled{cancellation.reason(), cancelled->begun})
                         : engine::NodeLost{title_of(node, job) +
                                            (cancelled->begun ? " was taken away while the command ran; the command "
                                                                "was ended there: "
                                                              : " was taken away before the command began: ") +
                                            cancelled->reason};
    }
    return outcome;
  }
}

}  // namespace wtool::cluster
