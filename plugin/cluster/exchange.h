// Carries out one order on a slot, on the thread of the caller: sends the order, and handles what the pilot sends up to
// its answer.
//
// - Only the connection shows whether the other side is alive. When it ends or stays silent, the pilot ends the command
//   by itself before this host gives up (base/pilot/channel.h).
// - The pilot's log records become log records of the host, with the pilot's node.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cluster/pool.h"
#include "engine/cancellation.h"
#include "engine/event_batch.h"

namespace wtool::cluster {

class Exchange {
 public:
  // Borrows the slot. `span` is the span of log records about this exchange.
  Exchange(Slot& slot, std::uint64_t span) : slot_(slot), span_(span) {}

  struct Request {
    const std::string& configuration;  // of the tool on the node
    std::string_view call_id;
    std::string order;  // order.h
    bool hold = false;  // true: the slot stays with this host's session after the answer, so the pilot stays busy
  };
  // Sends the order, and does not wait for the answer.
  void send(const Request& request);

  enum class End {
    answered,   // `text` is the pilot's answer
    refused,    // the pilot has begun nothing; `text` says why
    failed,     // the call failed on the pilot, and the command may or may not have run; `text` says why
    not_begun,  // nothing was begun, so the order may be sent to another slot
    lost        // the command may have been begun; `text` says how the pilot was lost
  };
  struct Listener {
    std::function<void(engine::Stream, std::string_view)> output{};
    std::function<void()> started{};
  };
  // `cancellation` may be nullptr.
  End await(engine::Cancellation* cancellation, const Listener& listener, std::string& text);

 private:
  bool pass_on(const pilot::ChannelMessage& message, const Listener& listener) const;
  void pass_on_log(const std::string& text) const;

  Slot& slot_;
  const std::uint64_t span_;
  bool gone_ = false;                       // the connection ended before anything was sent
  Clock::time_point heard_ = Clock::now();  // when the pilot last gave a sign of life
};

// "The node n1 (job 7)", or "The node n1" if its pilot is not a job.
std::string title_of(const std::string& node, const std::string& job);

// Gives up a slot whose connection has ended or is silent, ends its job, and waits for the pilot's warden. When this
// returns, the commands of the slot have ended, unless the job could not be ended, or the pilot is not a job and hangs.
// Returns a sentence for the message; if the job could not be ended, the sentence says so.
std::string lose(Pool& pool, Slot slot, const std::string& why, std::uint64_t span);

}  // namespace wtool::cluster
