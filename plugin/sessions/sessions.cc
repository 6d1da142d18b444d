#include "sessions/sessions.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>
#include <vector>

#include "base/blocked_signals.h"
#include "base/hex.h"
#include "base/time_text.h"

namespace wtool {

namespace {

// Waits for the end of the processes on a thread of its own, so that no command waits for it. If no thread can be
// started, the library waits in get() instead.
std::future<engine::ProcessesLeft> end_elsewhere(const std::shared_ptr<engine::KeptTree>& tree) {
  const BlockedSignals blocked;  // the host's signals are not for this thread
  return std::async([tree] { return tree->wait_end(nullptr); });
}

}  // namespace

bool Background::has_room() {
  const std::lock_guard lock(mutex_);
  forget_dead();
  return trees_.size() + ending_.size() < max_commands;
}

void Background::keep(std::shared_ptr<engine::KeptTree> tree) {
  const std::lock_guard lock(mutex_);
  forget_dead();
  // A runner may use one object for everything that a session keeps, so the tree may already be in the list.
  if (std::find(trees_.begin(), trees_.end(), tree) == trees_.end()) trees_.push_back(std::move(tree));
}

void Background::request_end(std::chrono::milliseconds grace) {
  const std::lock_guard lock(mutex_);
  for (const auto& tree : trees_) tree->request_end(grace);
}

engine::ProcessesLeft Background::end(std::chrono::milliseconds grace, const engine::Patience* patience) {
  std::vector<std::shared_ptr<engine::KeptTree>> trees;
  std::vector<std::future<engine::ProcessesLeft>> ending;
  engine::ProcessesLeft unkillable;
  {
    const std::lock_guard lock(mutex_);
    trees.swap(trees_);
    ending.swap(ending_);
    std::swap(unkillable, left_);
  }
  // All are asked to end before the first wait, so that their grace periods do not add up.
  for (const auto& tree : trees) tree->request_end(grace);
  for (const auto& tree : trees) unkillable.add(tree->wait_end(patience));
  for (auto& one : ending) unkillable.add(one.get());
  return unkillable;
}

void Background::forget_dead() {
  const auto first_dead =
      std::stable_partition(trees_.begin(), trees_.end(), [](const auto& tree) { return tree->alive(); });
  const std::vector<std::shared_ptr<engine::KeptTree>> dead(first_dead, trees_.end());
  trees_.erase(first_dead, trees_.end());
  for (const auto& tree : dead) {
    if (tree->is_lost()) {
      ending_.push_back(end_elsewhere(tree));
    } else {
      left_.add(tree->wait_end(nullptr));  // the tree is over, so this returns at once
    }
  }
  std::erase_if(ending_, [this](auto& one) {
    if (one.wait_for(std::chrono::seconds(0)) == std::future_status::timeout) return false;
    left_.add(one.get());
    return true;
  });
}

Session::State Session::state() const {
  const std::lock_guard lock(mutex_);
  if (closed_) return State::completed;
  return running_ ? State::running : last_;
}

std::uint64_t Session::commands() const {
  const std::lock_guard lock(mutex_);
  return commands_;
}

Session::Begin Session::begin(std::function<void(std::string_view reason)> abort) {
  const std::lock_guard lock(mutex_);
  if (closed_) return Begin::closed;
  if (running_) return Begin::busy;
  running_ = true;
  abort_ = std::move(abort);
  return Begin::begun;
}

void Session::end(Ending ending) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !aborting_; });
  running_ = false;
  abort_ = nullptr;
  if (ending == Ending::succeeded || ending == Ending::failed) ++commands_;
  if (ending != Ending::refused) last_ = ending == Ending::succeeded ? State::idle : State::failed;
  // Notifies under the lock, because a waiter may be the last owner of this object and destroy it.
  changed_.notify_all();
}

engine::ProcessesLeft Session::close(std::chrono::milliseconds grace, const engine::Patience* patience) {
  {
    std::unique_lock lock(mutex_);
    const auto abort = abort_;
    closed_ = true;
    if (abort) {
      aborting_ = true;
      // Called without the lock, because `abort` may reach the host, which may ask for the status of this very session.
      lock.unlock();
      abort("its session is being closed");
      lock.lock();
      aborting_ = false;
      changed_.notify_all();
    }
    changed_.wait(lock, [this] { return !running_; });
  }
  engine::ProcessesLeft unkillable = background_.end(grace, patience);
  hold_.reset();
  return unkillable;
}

namespace {

// How long processes have after SIGTERM when the plugin itself ends.
constexpr std::chrono::milliseconds last_grace{250};

// 128 bits in hexadecimal, which nobody can guess: knowing a session's id is enough to run commands in it.
std::string unguessable() {
  std::string text = random_hex(16);
  if (text.empty()) throw std::system_error(errno, std::generic_category(), "getrandom");
  return text;
}

}  // namespace

Sessions::~Sessions() {
  // All are asked to end before the first wait, so that their grace periods do not add up.
  for (auto& [id, session] : all_) session->background().request_end(last_grace);
  background_.request_end(last_grace);
  ptys_.end();
  for (auto& [id, session] : all_) {
    const auto unkillable = session->close(last_grace);
    if (session->on_plugin_shutdown) session->on_plugin_shutdown(unkillable);
  }
  background_.end(last_grace);
}

std::shared_ptr<Session> Sessions::create(SessionDetails details, std::size_t most) {
  details.created = std::chrono::system_clock::now();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(details.created.time_since_epoch()).count();
  details.id = "term-" + details.task + '-' + std::to_string(ms) + '-' + unguessable();
  const std::lock_guard lock(mutex_);
  if (all_.size() + closing_.size() >= most) return nullptr;
  auto session = std::make_shared<Session>(std::move(details));
  all_.emplace(session->details().id, session);
  return session;
}

std::shared_ptr<Session> Sessions::find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  for (const auto* sessions : {&all_, &closing_}) {
    if (const auto found = sessions->find(id); found != sessions->end()) return found->second;
  }
  return nullptr;
}

bool Sessions::close(std::string_view id, std::chrono::milliseconds grace, engine::ProcessesLeft& unkillable,
                     const engine::Patience* patience) {
  std::shared_ptr<Session> session;
  {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(id);
    if (found == all_.end()) return false;
    session = found->second;
    closing_.insert(all_.extract(found));
  }
  unkillable = session->close(grace, patience);
  const std::lock_guard lock(mutex_);
  closing_.erase(session->details().id);
  return true;
}

std::string to_iso_text(std::chrono::system_clock::time_point time) { return utc_text(time, "%Y-%m-%dT%H:%M:%SZ"); }

}  // namespace wtool
