// What a host orders a pilot to run, and what the pilot answers, as bytes: the arguments and the result of the tool
// engine_run. They are CBOR, because paths, arguments and variables are bytes and need not be text.
//
// Output is not part of the answer: it comes as events while the command runs. The sandbox and the limits come from the
// configuration, which the pilot also gets; only the call's own limits are part of the order (Order::limits).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/outcome.h"
#include "engine/sandbox/report.h"

namespace wtool::cluster {

struct Order {
  std::vector<std::string> paths{}, arguments{}, variables{};  // as in engine::Command
  std::string shell{};
  std::string directory{};  // a path
  std::optional<std::string> standard_input{};
  std::chrono::milliseconds grace{0};
  std::chrono::milliseconds time_limit{0};  // from the start on the node; 0: no limit
  std::size_t capture_bytes = 0;  // how much of standard error is kept for a sandbox, which searches it for refusals
  bool merged = false;
  bool keep = false;
  bool lifts_network = false;
  bool tells_start = false;  // the host wants to know when the command has started
  std::string limits{};      // only of this call (configuration/call_limits.h); empty: none
  bool in_session = false;
  std::string session{};      // the id of the session on the node; empty: it has none yet
  bool ends_session = false;  // nothing is run: the session is closed, and all that it keeps is ended within `grace`
};

struct OrderAnswer {
  std::variant<engine::CommandOutcome, engine::SandboxRefusal> result{};
  std::optional<engine::SandboxReport> report{};  // if a sandbox is configured
  bool kept = false;                              // The session keeps processes of this command.
  std::string session{};
};

std::string to_bytes(const Order& order);
std::string to_bytes(const OrderAnswer& answer);
// Nothing: the bytes are not a valid message.
std::optional<Order> read_order(std::string_view bytes);
std::optional<OrderAnswer> read_answer(std::string_view bytes);

// True for the names of variables that belong to a node and its job: those of Slurm, and those that name devices. A
// command gets the node's values of these variables, not the host's.
bool is_of_node(std::string_view name);

}  // namespace wtool::cluster
