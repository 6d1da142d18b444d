// What a terminal session has on a node of the cluster.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cluster/exchange.h"
#include "cluster/pool.h"
#include "engine/kept_tree.h"
#include "engine/run.h"

namespace wtool::cluster {

// The session's slot, and the node's own session, which keeps the processes that outlive their commands. One thread at a
// time may use it.
class RemoteSession final : public engine::SessionHold, public engine::KeptTree {
 public:
  RemoteSession(std::shared_ptr<Pool> pool, std::string configuration)
      : pool_(std::move(pool)), configuration_(std::move(configuration)) {}
  RemoteSession(const RemoteSession&) = delete;
  RemoteSession& operator=(const RemoteSession&) = delete;
  // Ends what the session has on the node.
  ~RemoteSession() override;

  Pool& pool() { return *pool_; }
  const std::string& id() const { return id_; }

  // Takes the slot for a command, which gives it back with keep(). A slot without a channel: the session has no slot,
  // or its connection has ended.
  Slot take();
  // `id` is the id of the session on the node; empty: unchanged.
  void keep(Slot slot, std::string id, bool kept);
  // Call this when the node is gone, and everything that was kept there is gone with it.
  void forget();

  bool alive() override { return keeps_ && pool_->is_parked(parked_); }
  void request_end(std::chrono::milliseconds grace) override;
  engine::ProcessesLeft wait_end(const engine::Patience* patience) override;

 private:
  const std::shared_ptr<Pool> pool_;
  const std::string configuration_;
  std::uint64_t parked_ = 0;  // the number of the slot in the pool; 0: none
  std::string id_;            // of the session on the node
  bool keeps_ = false;
  Slot slot_;                       // set while the session is being ended
  std::optional<Exchange> ending_;  // the exchange that ends the session
};

}  // namespace wtool::cluster
