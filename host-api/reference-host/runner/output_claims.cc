#include "runner/output_claims.h"

#include <algorithm>
#include <utility>

namespace wtool::host::runner {
namespace {

using Claim = OutputClaims::Claim;

void mark(Claim& claim, const std::string& output, const Claim& other) {
  if (!claim.conflict.empty()) return;
  claim.conflict = "its output '" + output + "' is also an output of " + other.step + ", which ran at the same time";
}

}  // namespace

void OutputClaims::Held::take(OutputClaims& claims, Claim claim, Stop& stop) {
  release();
  if (claim.outputs.patterns.empty()) return;
  bool stopped = false;
  const auto subscription = stop.subscribe([&](const StopRequest&) {
    const std::lock_guard lock(claims.mutex_);
    stopped = true;
    claims.released_.notify_all();
  });
  std::unique_lock lock(claims.mutex_);
  claims.released_.wait(lock, [&] {
    return stopped || std::none_of(claims.claims_.begin(), claims.claims_.end(), [&](const Claim& other) {
             return other.is_exclusive && !shared_output(claim.outputs, other.outputs).empty();
           });
  });
  for (Claim& other : claims.claims_) {
    const std::string output = shared_output(claim.outputs, other.outputs);
    if (output.empty()) continue;
    mark(claim, output, other);
    mark(other, shared_output(other.outputs, claim.outputs), claim);
  }
  claims.claims_.push_front(std::move(claim));
  claim_ = claims.claims_.begin();
  claims_ = &claims;
}

void OutputClaims::Held::share() {
  if (claims_ == nullptr) return;
  const std::lock_guard lock(claims_->mutex_);
  claim_->is_exclusive = false;
  claims_->released_.notify_all();
}

void OutputClaims::Held::release() {
  if (claims_ == nullptr) return;
  OutputClaims& claims = *std::exchange(claims_, nullptr);
  const std::lock_guard lock(claims.mutex_);
  claims.claims_.erase(claim_);
  claims.released_.notify_all();
}

std::string OutputClaims::Held::conflict() const {
  if (claims_ == nullptr) return {};
  const std::lock_guard lock(claims_->mutex_);
  return claim_->conflict;
}

std::string OutputClaims::Held::begin_keeping() {
  if (claims_ == nullptr) return {};
  const std::lock_guard lock(claims_->mutex_);
  claim_->is_exclusive = claim_->conflict.empty();
  return claim_->conflict;
}

}  // namespace wtool::host::runner
