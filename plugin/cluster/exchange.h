// One order on a slot, from its start to the pilot's answer, on the thread of the caller.
//
// - Only the connection counts. When it ends or stays silent, the pilot ends the command by itself before this side
//   gives up (base/pilot/channel.h).
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
  // Borrows the slot. `span` is the span of its log records.
  Exchange(Slot& slot, std::uint64_t span) : slot_(slot), span_(span) {}

  struct Request {
    const std::string& configuration;  // of the tool on the node
    std::string_view call_id;
    std::string order;  // order.h
    bool hold = false;  // the slot stays with this host's session after the answer; its pilot is not idle
  };
  // Sends the order, and does not wait for the answer.
  void send(const Request& request);

  enum class End {
    answered,   // `text` is the answer,
    refused,    // or a sentence: the pilot has begun nothing,
    failed,     // or a sentence: it has begun the command, and ended it,
    not_begun,  // or nothing was begun: another slot may take it,
    lost        // or it may have been begun, and the sentence says how it was lost.
  };
  struct Listener {
    std::function<void(engine::Stream, std::string_view)> output{};
    std::function<void()> started{};
  };
  // `cancellation` may be NULL.
  End await(engine::Cancellation* cancellation, const Listener& listener, std::string& text);

 private:
  bool pass_on(const pilot::ChannelMessage& message, const Listener& listener) const;
  void pass_on_log(const std::string& text) const;

  Slot& slot_;
  const std::uint64_t span_;
  bool gone_ = false;                       // the connection ended before anything was sent
  Clock::time_point heard_ = Clock::now();  // when the pilot last gave a sign of life
};

// Gives up a slot whose connection has ended or is silent. When this returns, nothing that ran there is alive, so the
// caller may try again. Returns a sentence for the message.
std::string lose(Pool& pool, Slot slot, const std::string& why, std::uint64_t span);

}  // namespace wtool::cluster
