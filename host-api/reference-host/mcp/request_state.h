// The `requestState` of the protocol: a call that must ask first ends with a question and a state, and the client
// repeats the call with the answer and that state.
//
//   std::string state = states.issue(tool, arguments, fingerprint);      // the call ends with a question
//   auto question = states.redeem(state, tool, arguments, why);          // the call comes back with the answer
//
// - A state is an identifier that cannot be guessed. Its data is kept here, so a client can neither read nor change it.
// - A state is valid once, for a limited time, for the same tool and the same arguments.
// - At most `max_count` states are kept; a new one replaces the oldest.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mcp/call.h"

namespace wtool::host::mcp {

// 64 random hexadecimal digits. Throws std::system_error if the kernel provides no random bytes.
std::string new_identifier();

// Any thread may call any member.
class RequestStates {
 public:
  static constexpr std::chrono::milliseconds default_lifetime{600'000};
  static constexpr std::size_t max_count = 1000;

  explicit RequestStates(std::chrono::milliseconds lifetime = default_lifetime) : lifetime_(lifetime) {}

  // `arguments` is the JSON text of an object with sorted keys; `fingerprint` is the question's. Throws
  // std::system_error if the kernel provides no random bytes.
  std::string issue(std::string_view tool, std::string_view arguments, std::string_view fingerprint,
                    std::string_view continues = {}, std::vector<ClientCall::Given> unused = {});

  struct Redeemed {
    std::string fingerprint;  // of the question
    std::string continues;    // what the tool keeps until the question is answered
    // Answers that earlier calls have brought, and that the tool has not used yet.
    std::vector<ClientCall::Given> unused;
  };
  // Nothing: the state is not valid here, and `why` is a sentence with the reason. A call of another tool, or with
  // other arguments, does not use the state up.
  std::optional<Redeemed> redeem(const std::string& state, std::string_view tool, std::string_view arguments,
                                 std::string& why);

 private:
  struct Pending {
    std::string tool;
    std::string arguments_hash;
    Redeemed redeemed;
    std::chrono::steady_clock::time_point expires;
  };

  const std::chrono::milliseconds lifetime_;
  std::mutex mutex_;
  std::unordered_map<std::string, Pending> pending_;
};

}  // namespace wtool::host::mcp
