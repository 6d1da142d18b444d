// The plugin's side of custody: the warden, started at the first call, and the pool of custodians.
//
// Contract:
// - A custodian is taken for one call and given back, or buried when anything about it is in doubt.
// - The pool grows when none is idle; what is idle beyond `max_idle` is retired.
// - When this object ends, all custodians and the warden have ended.
// Any thread may call any member.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/outcome.h"
#include "engine/warden_process.h"
#include "system/descriptor.h"
#include "warden/protocol.h"

namespace wtool::engine {

// A custodian that serves one caller. Move-only through its socket.
struct Custodian {
  Descriptor socket;
  std::uint64_t number = 0;
  std::shared_ptr<WardenProcess> warden;
};

// After the grace of an end, a custodian kills for 5 s. One that has not reported by then is itself in trouble.
constexpr std::chrono::milliseconds report_slack{7000};
// How long what is swept away, or is to stop now, has for SIGTERM.
constexpr std::chrono::milliseconds short_grace{50};

// Asks the custodian to end its call: SIGTERM, and SIGKILL for what is left after `grace`. Does not wait; one that is
// gone is heard of otherwise.
void send_end(const Custodian& custodian, std::uint64_t call, std::chrono::milliseconds grace);

// The first of `count` processes, as a message names them.
std::vector<ProcessName> names_of(const warden::NamedProcess* named, std::size_t count);

// What a burial found.
struct Buried {
  bool certain = false;  // The warden answered: all is dead but what is named.
  std::uint32_t left = 0;
  std::vector<ProcessName> leaving;
};

class Custody {
 public:
  explicit Custody(std::string warden_path) : warden_path_(std::move(warden_path)) {}
  Custody(const Custody&) = delete;
  Custody& operator=(const Custody&) = delete;
  ~Custody();

  // A custodian for one call; false with `error` when there is none to be had.
  bool acquire(Custodian& custodian, CustodyError& error);

  // Gives a custodian back that has reported its call and is idle.
  void release(Custodian custodian);

  // Ends a custodian, and all processes that it had. Waits for it: some milliseconds, and some seconds at most.
  Buried bury(Custodian custodian);

  const std::string& warden_path() const { return warden_path_; }

 private:
  static constexpr std::size_t max_idle = 32;

  bool ensure_warden(CustodyError& error);
  void forget_warden();

  const std::string warden_path_;
  std::mutex mutex_;
  std::shared_ptr<WardenProcess> warden_;
  std::vector<Custodian> idle_;  // The last in is the first out: its memory is the warmest.
  std::uint64_t next_number_ = 1;
};

}  // namespace wtool::engine
