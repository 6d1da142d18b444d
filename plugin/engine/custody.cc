#include "engine/custody.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "warden/protocol.h"

namespace wtool::engine {

namespace {

// The warden answers a burial within 5 s, whatever will not die; a little more, and it is not well itself.
constexpr int burial_timeout_ms = 7'000;
// A custodian kills for at most 5 s, too.
constexpr int farewell_timeout_ms = 8'000;

void send_header(int socket, warden::Kind kind) {
  const warden::Header header{kind, 0, 0};
  warden::send_message(socket, &header, sizeof header);
}

}  // namespace

void send_end(const Custodian& custodian, std::uint64_t call, std::chrono::milliseconds grace) {
  const warden::End end{{warden::Kind::end, 0, call}, static_cast<std::uint32_t>(grace.count()), 0};
  warden::send_message(custodian.socket.get(), &end, sizeof end);
  // The command may have stopped its keepers (SIGSTOP). The warden, going on, sets the custodian going.
  custodian.warden->wake();
}

std::vector<ProcessName> names_of(const warden::NamedProcess* named, std::size_t count) {
  std::vector<ProcessName> names;
  for (std::size_t i = 0; i < std::min(count, warden::max_named); ++i) names.push_back({named[i].pid, named[i].name});
  return names;
}

Custody::~Custody() {
  const std::lock_guard lock(mutex_);
  if (!warden_ || !warden_->serves_us()) return;  // After a fork, the warden is the parent's.
  for (const Custodian& custodian : idle_) send_header(custodian.socket.get(), warden::Kind::retire);
  send_header(warden_->control(), warden::Kind::retire);
  if (warden_->wait_end(farewell_timeout_ms)) return;
  warden_->wake();
  if (!warden_->wait_end(farewell_timeout_ms)) warden_->kill();
}

bool Custody::ensure_warden(CustodyError& error) {
  if (warden_ && warden_->serves_us() && warden_->alive()) return true;
  forget_warden();
  warden_ = WardenProcess::start(warden_path_, error);
  return warden_ != nullptr;
}

void Custody::forget_warden() {
  idle_.clear();
  warden_.reset();
}

bool Custody::acquire(Custodian& custodian, CustodyError& error) {
  const std::lock_guard lock(mutex_);
  if (!ensure_warden(error)) return false;
  if (!idle_.empty()) {
    custodian = std::move(idle_.back());
    idle_.pop_back();
    return true;
  }
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    error = {errno, std::string("no socket can be made for another command: ") + std::strerror(errno)};
    return false;
  }
  Descriptor ours(pair[0]);
  const Descriptor theirs(pair[1]);
  const warden::Recruit recruit{{warden::Kind::recruit, 0, 0}, next_number_};
  const int sent = theirs.get();
  if (!warden::send_message(warden_->control(), &recruit, sizeof recruit, &sent, 1)) {
    error = {errno, std::string("the warden cannot be reached: ") + std::strerror(errno)};
    return false;
  }
  warden_->wake();  // A command may have stopped it.
  custodian = {std::move(ours), next_number_++, warden_};
  return true;
}

void Custody::release(Custodian custodian) {
  const std::lock_guard lock(mutex_);
  if (custodian.warden == warden_ && idle_.size() < max_idle) {
    idle_.push_back(std::move(custodian));
  } else {
    send_header(custodian.socket.get(), warden::Kind::retire);
  }
}

Buried Custody::bury(Custodian custodian) {
  Buried result;
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return result;
  const Descriptor ours(pair[0]);
  Descriptor theirs(pair[1]);
  custodian.warden->wake();
  const warden::Bury bury{{warden::Kind::bury, 0, 0}, custodian.number};
  const int sent = theirs.get();
  const bool asked = warden::send_message(custodian.warden->control(), &bury, sizeof bury, &sent, 1);
  theirs.reset();  // So that a warden that dies closes the only other end.
  if (!asked) return result;
  pollfd watched{ours.get(), POLLIN, 0};
  while (::poll(&watched, 1, burial_timeout_ms) < 0 && errno == EINTR) {
  }
  warden::Buried buried{};
  if (watched.revents == 0) {
    // It does not answer at all. Its death makes every custodian end what it has.
    custodian.warden->kill();
    return result;
  }
  if (warden::receive_message(ours.get(), &buried, sizeof buried).size != sizeof buried) return result;
  result.certain = true;
  result.left = buried.left_count;
  result.leaving = names_of(buried.left, buried.left_count);
  return result;
}

}  // namespace wtool::engine
