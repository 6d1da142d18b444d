#include "mcp/request_state.h"

#include <errno.h>

#include <algorithm>
#include <system_error>

#include "base/hex.h"
#include "base/sha256.h"

namespace wtool::host::mcp {

namespace {

using std::chrono::steady_clock;

}  // namespace

std::string new_identifier() {
  std::string text = random_hex(32);
  if (text.empty()) throw std::system_error(errno, std::generic_category(), "getrandom");
  return text;
}

std::string RequestStates::issue(std::string_view tool, std::string_view arguments, std::string_view fingerprint,
                                 std::string_view continues, std::vector<ClientCall::Given> unused) {
  std::string state = new_identifier();
  const auto now = steady_clock::now();
  const std::lock_guard lock(mutex_);
  std::erase_if(pending_, [&](const auto& entry) { return entry.second.expires <= now; });
  if (pending_.size() >= max_count) {
    pending_.erase(std::min_element(pending_.begin(), pending_.end(),
                                    [](const auto& a, const auto& b) { return a.second.expires < b.second.expires; }));
  }
  pending_.emplace(state, Pending{std::string(tool),
                                  sha256(arguments),
                                  {std::string(fingerprint), std::string(continues), std::move(unused)},
                                  now + lifetime_});
  return state;
}

std::optional<RequestStates::Redeemed> RequestStates::redeem(const std::string& state, std::string_view tool,
                                                             std::string_view arguments, std::string& why) {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(state);
  if (found == pending_.end() || found->second.expires <= steady_clock::now()) {
    why =
        "the requestState is unknown: this server did not issue it, or it has expired or was used before; "
        "make the call again without it";
    return std::nullopt;
  }
  if (found->second.tool != tool || found->second.arguments_hash != sha256(arguments)) {
    why = "the requestState belongs to a call of another tool or with other arguments";
    return std::nullopt;
  }
  Redeemed redeemed = std::move(found->second.redeemed);
  pending_.erase(found);
  return redeemed;
}

}  // namespace wtool::host::mcp
