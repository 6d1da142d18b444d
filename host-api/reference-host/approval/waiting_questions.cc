#include "approval/waiting_questions.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>
#include <vector>

#include "approval/once.h"
#include "approval/question_folder.h"
#include "base/hex.h"
#include "base/json.h"
#include "base/json_members.h"
#include "base/json_reader.h"
#include "base/pidfd.h"
#include "base/time_text.h"

namespace wtool::host {

namespace {

using nlohmann::json;

// A question may be withdrawn before it gets to ask(). This many such withdrawals are remembered, so that ask() can
// refuse the question immediately. There is a limit, because most of these questions never get to ask(); if it is
// reached, the oldest withdrawal is forgotten.
constexpr std::size_t max_withdrawn_early = 1024;
constexpr std::size_t max_left = 1000;
constexpr std::size_t max_peers = 16;
constexpr std::size_t max_line = 4096;
constexpr int accept_again_ms = 100;  // after a connection could not be accepted
constexpr std::size_t max_unread = std::size_t{64} << 20;

constexpr std::array<std::pair<std::string_view, Approval>, 4> answers{
    {{"yes", Approval::yes}, {"no", Approval::no}, {"always", Approval::always}, {"never", Approval::never}}};

}  // namespace

struct WaitingQuestions::Peer {
  Descriptor socket;
  pid_t number = 0;
  Descriptor process;  // a pidfd
  std::string nonce;
  std::string in;
  std::string out;
  std::set<std::string> shown;
  bool is_over = false;  // close the connection once `out` has been sent
  bool is_gone = false;

  void say(const json& what) { out += dumped(what) + '\n'; }
  void refuse(const std::string& why) {
    say({{"refused", why}});
    is_over = true;
  }
  // Why this process must not answer; empty: it may.
  std::string problem() const {
    if (!process) return "there is no way to tell who answers: the process has ended, or the kernel has no pidfds";
    std::string why = peer_problem(number);
    if (why.empty() && has_ended(process)) why = "the process that answers has ended";
    return why;
  }
  void flush() {
    while (!out.empty()) {
      const ssize_t sent = ::send(socket.get(), out.data(), out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) {
        is_gone = is_gone || errno != EAGAIN || out.size() > max_unread;
        return;
      }
      out.erase(0, static_cast<std::size_t>(sent));
    }
    is_gone = is_gone || is_over;
  }
};

WaitingQuestions::WaitingQuestions(std::chrono::seconds within, Tell tell) : within_(within), tell_(std::move(tell)) {}

WaitingQuestions::~WaitingQuestions() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
    wake_.signal();
  }
  if (server_.joinable()) server_.join();
  if (!name_.empty()) ::unlinkat(folder_.get(), name_.c_str(), 0);
}

// Makes the socket and starts the thread that serves it, unless that was done before.
bool WaitingQuestions::start(std::string& why) {
  if (server_.joinable()) return true;
  why = "there is no folder for the socket: set HOME or XDG_RUNTIME_DIR";
  for (const std::string& path : question_folders()) {
    folder_ = open_question_folder(path, true, why);
    if (folder_) break;
  }
  const auto fail = [&](const std::string& what) {
    why = "nobody can be asked, since the socket for `wtool approve` cannot be created: " + what;
    listening_.reset();
    return false;
  };
  if (!folder_) return fail(std::string(why));
  question_sockets(folder_);  // removes sockets that dead processes have left
  const std::string name = std::to_string(::getpid()) + ".sock";
  // The socket gets its name only once it listens; before that, it would look like one that was left over.
  const std::string before = '.' + name;
  ::unlinkat(folder_.get(), before.c_str(), 0);
  listening_ = Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!wake_) wake_ = WakeUp();
  const sockaddr_un address = socket_address(folder_, before);
  const int on = 1;
  if (!listening_ || !wake_ || ::setsockopt(listening_.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 ||
      ::bind(listening_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return fail(::strerror(errno));
  }
  if (::fchmodat(folder_.get(), before.c_str(), 0600, 0) != 0 || ::listen(listening_.get(), max_peers) != 0 ||
      ::renameat(folder_.get(), before.c_str(), folder_.get(), name.c_str()) != 0) {
    const std::string what = ::strerror(errno);
    ::unlinkat(folder_.get(), before.c_str(), 0);
    return fail(what);
  }
  name_ = name;
  try {
    server_ = std::thread([this] { serve(); });
  } catch (const std::system_error& error) {
    return fail(error.what());
  }
  return true;
}

std::string WaitingQuestions::next_id() { return std::to_string(::getpid()) + '-' + std::to_string(++asked_); }

// Drops the expired questions of suspended runs.
void WaitingQuestions::drop_late() {
  const auto now = std::chrono::system_clock::now();
  std::erase_if(waiting_, [&](const auto& one) { return !one.second.run.empty() && one.second.until <= now; });
}

void WaitingQuestions::leave(const std::string& run, const Question& question, const std::string& client) {
  std::string problem;
  std::unique_lock lock(mutex_);
  drop_late();
  if (ending_ || waiting_.size() >= max_left) return;
  if (!start(problem)) {
    lock.unlock();
    return tell_(problem);
  }
  waiting_.emplace(
      next_id(),
      Waiting{.question = question, .client = client, .until = std::chrono::system_clock::now() + within_, .run = run});
  wake_.signal();
}

std::optional<Approval> WaitingQuestions::take(const std::string& run, const std::string& fingerprint) {
  const std::lock_guard lock(mutex_);
  drop_late();
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& one) {
    const Waiting& waiting = one.second;
    return waiting.run == run && waiting.answer && waiting.question.fingerprint == fingerprint;
  });
  if (run.empty() || fingerprint.empty() || found == waiting_.end()) return std::nullopt;
  const Approval answer = *found->second.answer;
  waiting_.erase(found);
  return answer;
}

void WaitingQuestions::continues(const std::string& run) {
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](const auto& one) { return one.second.run == run && !one.second.answer; });
  wake_.signal();
}

Approval WaitingQuestions::ask(const Question& question, const std::string& client, const Tell& how,
                               std::optional<Clock::time_point> by) {
  std::string problem;
  std::unique_lock lock(mutex_);
  if (std::erase(withdrawn_, question.id) > 0 || ending_) return Approval::unavailable;
  if (!start(problem)) {
    lock.unlock();
    tell_(problem);
    return Approval::unavailable;
  }
  const std::string id = next_id();
  const auto now = Clock::now();
  const auto due = std::min(now + within_, std::max(now, by.value_or(Clock::time_point::max())));
  Waiting& waiting = waiting_[id];  // an element of a map stays where it is
  waiting.question = question;
  waiting.client = client;
  waiting.until = std::chrono::system_clock::now() + std::chrono::floor<std::chrono::seconds>(due - now);
  wake_.signal();
  const std::string until = utc_text(waiting.until, "%H:%M:%S UTC");
  lock.unlock();
  tell_("a question waits for you until " + until + ": run `wtool approve " + id + "` in another terminal");
  if (how) how("run `wtool approve " + id + "` in another terminal, until " + until);
  lock.lock();
  changed_.wait_until(lock, due, [&] { return waiting.answer || waiting.withdrawn || ending_; });
  const Approval answer = waiting.answer                   ? *waiting.answer
                          : (waiting.withdrawn || ending_) ? Approval::unavailable
                                                           : Approval::expired;
  waiting_.erase(id);
  wake_.signal();
  return answer;
}

void WaitingQuestions::withdraw(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  for (auto& [name, waiting] : waiting_) {
    if (!waiting.run.empty() || waiting.question.id != id) continue;
    waiting.withdrawn = true;
    return changed_.notify_all();
  }
  if (withdrawn_.size() == max_withdrawn_early) withdrawn_.pop_front();
  withdrawn_.push_back(id);
}

std::string WaitingQuestions::description(const std::string& id, const Waiting& waiting) const {
  const auto until = std::chrono::duration_cast<std::chrono::seconds>(waiting.until.time_since_epoch()).count();
  return dumped(json{{"asks",
                      {{"id", id},
                       {"tool", waiting.question.tool},
                       {"subject", waiting.question.subject},
                       {"reason", waiting.question.reason},
                       {"client", waiting.client},
                       {"run", waiting.run},
                       {"until", until}}}}) +
         '\n';
}

// Returns what is wrong with the answer; empty: it was accepted.
std::string WaitingQuestions::settle(const std::string& id, std::string_view answer) {
  const auto known = std::find_if(answers.begin(), answers.end(), [&](const auto& one) { return one.first == answer; });
  if (known == answers.end()) return "the answer must be yes, no, always or never";
  drop_late();
  const auto found = waiting_.find(id);
  if (found == waiting_.end() || found->second.answer || found->second.withdrawn) {
    return "the question " + id + " no longer waits";
  }
  const bool is_kept = known->second == Approval::always || known->second == Approval::never;
  if (is_kept && takes_only_yes_or_no(found->second.question)) {
    return "the answer to this question must be yes or no, because no answer to it is kept";
  }
  found->second.answer = known->second;
  changed_.notify_all();
  return {};
}

void WaitingQuestions::serve() {
  std::vector<pollfd> polled;
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (ending_) break;
    }
    for (Peer& peer : peers_) {
      show_changes(peer);
      peer.flush();
    }
    peers_.remove_if([](const Peer& peer) { return peer.is_gone; });
    // A waiting connection that could not be accepted keeps the socket readable, so the socket is not polled for a
    // moment.
    const bool pauses = std::exchange(cannot_accept_, false);
    polled.assign({{wake_.descriptor(), POLLIN, 0}, {pauses ? -1 : listening_.get(), POLLIN, 0}});
    for (const Peer& peer : peers_) {
      polled.push_back({peer.socket.get(), static_cast<short>(POLLIN | (peer.out.empty() ? 0 : POLLOUT)), 0});
    }
    if (::poll(polled.data(), polled.size(), pauses ? accept_again_ms : -1) < 0 && errno != EINTR) break;
    if (polled[0].revents != 0) wake_.clear();
    std::size_t next = 2;
    for (Peer& peer : peers_) {
      if ((polled[next++].revents & ~POLLOUT) == 0) continue;
      // Whoever has its answer taken may leave, so it learns first of the questions that have come.
      show_changes(peer);
      if (!take_from(peer)) peer.is_gone = true;
    }
    if (polled[1].revents != 0) accept_peer();
  }
  peers_.clear();
}

void WaitingQuestions::accept_peer() {
  Descriptor socket(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  cannot_accept_ = !socket && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
  if (!socket || peers_.size() >= max_peers) return;
  peers_.emplace_back();
  peers_.back().socket = std::move(socket);
  greet(peers_.back());
}

void WaitingQuestions::greet(Peer& peer) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(peer.socket.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return peer.refuse(std::string("there is no way to tell who answers: ") + ::strerror(errno));
  }
  if (credentials.uid != ::geteuid()) {
    return peer.refuse("the questions belong to another user (uid " + std::to_string(::geteuid()) + ')');
  }
  peer.number = credentials.pid;
  if (peer.number > 0) peer.process = open_process(peer.number);
  if (const std::string why = peer.problem(); !why.empty()) return peer.refuse(why);
  peer.nonce = random_hex(16);
  if (peer.nonce.empty()) return peer.refuse("the kernel provides no random bytes");
  peer.say({{"nonce", peer.nonce}});
  show_changes(peer);
  peer.say({{"ready", true}});
}

void WaitingQuestions::show_changes(Peer& peer) {
  if (peer.nonce.empty() || peer.is_over) return;
  const std::lock_guard lock(mutex_);
  drop_late();
  for (auto shown = peer.shown.begin(); shown != peer.shown.end();) {
    const auto found = waiting_.find(*shown);
    if (found != waiting_.end() && !found->second.answer) {
      ++shown;
      continue;
    }
    peer.say({{"over", *shown}});
    shown = peer.shown.erase(shown);
  }
  for (const auto& [id, waiting] : waiting_) {
    if (!waiting.answer && peer.shown.insert(id).second) peer.out += description(id, waiting);
  }
}

// Receives bytes from the peer, and handles the lines that are now complete. False: the connection is over.
bool WaitingQuestions::take_from(Peer& peer) {
  std::array<char, max_line> bytes;
  iovec part{bytes.data(), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t size = ::recvmsg(peer.socket.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  if (size == 0) return false;
  if (peer.is_over) return true;
  // One recvmsg() returns the bytes of only one sender.
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  ucred sender{};
  if (header != nullptr && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_CREDENTIALS) {
    ::memcpy(&sender, CMSG_DATA(header), sizeof sender);
  }
  if (sender.pid != peer.number || sender.uid != ::geteuid()) {
    peer.refuse("another process, not the one that connected, sent the answer");
    return true;
  }
  peer.in.append(bytes.data(), static_cast<std::size_t>(size));
  std::size_t end = 0;
  while (!peer.is_over && (end = peer.in.find('\n')) != std::string::npos) {
    take_line(peer, peer.in.substr(0, end));
    peer.in.erase(0, end + 1);
  }
  if (peer.in.size() > max_line) peer.refuse("the line is too long");
  return true;
}

void WaitingQuestions::take_line(Peer& peer, const std::string& line) {
  const json said = parse_json(line);
  if (!said.is_object() || text_member(said, "nonce") != peer.nonce) {
    return peer.refuse("a line must be a JSON object with the nonce of this connection");
  }
  if (const std::string why = peer.problem(); !why.empty()) return peer.refuse(why);
  const std::string id = text_member(said, "id");
  std::string problem;
  {
    const std::lock_guard lock(mutex_);
    problem = settle(id, text_member(said, "answer"));
  }
  json reply{{"id", id}};
  if (problem.empty()) {
    reply["taken"] = true;
  } else {
    reply["problem"] = problem;
  }
  peer.say(reply);
}

}  // namespace wtool::host
