#include "cluster/remote_session.h"

#include <utility>
#include <variant>

#include "cluster/order.h"

namespace wtool::cluster {

RemoteSession::~RemoteSession() {
  try {
    RemoteSession::wait_end(nullptr);
  } catch (...) {  // No memory is left. The connection ends with this object, and the pilot ends with the connection.
  }
}

Slot RemoteSession::take() {
  Slot slot = pool_->unpark(std::exchange(parked_, 0));
  if (slot.channel && slot.leaving) pool_->lost(std::exchange(slot, {}));
  if (!slot.channel) forget();
  return slot;
}

void RemoteSession::keep(Slot slot, std::string id, bool kept) {
  parked_ = pool_->park(std::move(slot));
  if (!id.empty()) id_ = std::move(id);
  keeps_ = keeps_ || kept;
}

void RemoteSession::forget() {
  id_.clear();
  keeps_ = false;
}

void RemoteSession::request_end(std::chrono::milliseconds grace) {
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

engine::ProcessesLeft RemoteSession::wait_end(const engine::Patience* /*patience*/) {
  request_end(engine::short_grace);
  if (!ending_) return {};
  std::string text;
  const Exchange::End end = ending_->await(nullptr, {}, text);
  ending_.reset();
  forget();
  const std::optional<OrderAnswer> answer = end == Exchange::End::answered ? read_answer(text) : std::nullopt;
  const auto* outcome = answer ? std::get_if<engine::CommandOutcome>(&answer->result) : nullptr;
  if (outcome != nullptr) {
    pool_->give_back(std::move(slot_));
    return outcome->unkillable;
  }
  // The processes that the session kept may still be alive, so its node is given up.
  if (end == Exchange::End::answered) text = "it sent something that is not a result";
  lose(*pool_, std::move(slot_), text.empty() ? "its pilot had ended" : text, 0);
  return {};
}

}  // namespace wtool::cluster
