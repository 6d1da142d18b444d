// The processes that a command left behind and that are kept alive on purpose, such as a session's servers.
//
// Contract:
// - Their custodian stays with them, discards their output, and ends them when the host or the warden is gone, as every
//   custodian does.
// - The destructor of a KeptTree returns only after the processes have ended, could not be killed, or were lost with
//   their node.
//
// Only one thread at a time may use an object.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/cancellation.h"
#include "engine/outcome.h"
#include "engine/warden_client.h"

namespace wtool::engine {

class KeptTree {
 public:
  virtual ~KeptTree() = default;

  // True if any of the processes may be left, and their custodian lives. Never waits.
  virtual bool alive() = 0;

  // True if the custodian has died. wait_end() then makes sure that the processes are dead, too, which may take seconds.
  virtual bool is_lost() const { return false; }

  // Asks the custodian to end the processes: SIGTERM, and after `grace` SIGKILL for those that remain. Does not wait.
  virtual void request_end(std::chrono::milliseconds grace) = 0;

  // Waits for the end of all processes. Returns those that could not be killed. If a cluster node was lost, none are
  // counted, although some may be alive. When `patience` is over, the grace period is cut short, except on a cluster node;
  // nullptr: it is never cut short.
  virtual ProcessesLeft wait_end(const Patience* patience) = 0;
};

// A kept tree on this machine.
class LocalKeptTree final : public KeptTree {
 public:
  // `call` is the call's number in the messages to the custodian, and `began` is the time at which the call's command
  // started. The client must outlive this object. The constructor takes over the custodian, unless the constructor
  // throws.
  LocalKeptTree(WardenClient& client, Custodian& custodian, std::uint64_t call,
                std::chrono::steady_clock::time_point began)
      : client_(client), custodian_(std::move(custodian)), call_(call), began_(began) {}
  LocalKeptTree(const LocalKeptTree&) = delete;
  LocalKeptTree& operator=(const LocalKeptTree&) = delete;
  ~LocalKeptTree() override;

  bool alive() override;
  bool is_lost() const override { return lost_ && !over_; }
  void request_end(std::chrono::milliseconds grace) override;
  ProcessesLeft wait_end(const Patience* patience) override;

 private:
  void hear();
  void give_up();

  WardenClient& client_;
  Custodian custodian_;
  const std::uint64_t call_;
  const std::chrono::steady_clock::time_point began_;
  bool over_ = false;
  bool lost_ = false;                                 // the custodian is gone; its tree is being ended by the warden
  std::chrono::steady_clock::time_point deadline_{};  // the latest time of the end, once the end was requested
  ProcessesLeft unkillable_;
};

}  // namespace wtool::engine
