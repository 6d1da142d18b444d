#include "engine/kept_tree.h"

#include <poll.h>

#include <algorithm>

#include "warden/protocol.h"

namespace wtool::engine {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

}  // namespace

LocalKeptTree::~LocalKeptTree() { LocalKeptTree::wait_end(nullptr); }

bool LocalKeptTree::alive() {
  while (!over_ && !lost_ && has_event(custodian_.socket.get(), POLLIN)) hear();
  return !over_ && !lost_;
}

void LocalKeptTree::request_end(milliseconds grace) {
  if (over_ || lost_) return;
  const auto deadline = Clock::now() + grace + report_slack;
  deadline_ = deadline_ == Clock::time_point{} ? deadline : std::min(deadline_, deadline);
  custodian_.send_end(call_, grace);
}

ProcessesLeft LocalKeptTree::wait_end(const Patience* patience) {
  if (!over_ && deadline_ == Clock::time_point{}) request_end(short_grace);
  while (!over_) {
    if (patience != nullptr && patience->over()) {
      request_end(short_grace);
      patience = nullptr;
    }
    const auto left = std::chrono::ceil<milliseconds>(deadline_ - Clock::now());
    if (left.count() <= 0 || lost_) {
      give_up();
    } else if (patience != nullptr ? patience->await(custodian_.socket.get(), POLLIN, left)
                                   : has_event(custodian_.socket.get(), POLLIN, left)) {
      hear();
    }
  }
  return unkillable_;
}

// Takes one message from the custodian, or notes its death.
void LocalKeptTree::hear() {
  warden::Report report{};
  const warden::Received received = custodian_.receive(report);
  if (received.size < static_cast<ssize_t>(sizeof(warden::Header))) {
    lost_ = true;
    return;
  }
  if (report.header.kind != warden::Kind::report || report.header.call != call_) return;
  over_ = true;
  unkillable_ = {report.unkillable_count, names_of(report.unkillable, report.unkillable_count)};
  client_.take_back(std::move(custodian_), report);
}

void LocalKeptTree::give_up() {
  over_ = true;
  unkillable_ = client_.kill_tree(std::move(custodian_), call_, began_).unkillable;
}

}  // namespace wtool::engine
