#include "base/pilot/channel.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "base/pilot/munge.h"

namespace wtool::pilot {

namespace {

constexpr std::size_t max_record = 65535;
constexpr std::size_t max_piece = max_record - tag_size - 1;

int milliseconds(std::chrono::milliseconds time) { return static_cast<int>(std::max<std::int64_t>(0, time.count())); }

}  // namespace

Channel::Channel(Descriptor socket, Side side, const Key& key, Introduce introduce)
    : socket_(std::move(socket)), side_(side), handshake_(std::in_place, key), introduce_(std::move(introduce)) {}

Channel::~Channel() = default;

bool Channel::begin() { return write(handshake_->begin()) || (close(), false); }

bool Channel::take_in() {
  if (state_ == State::closed) return false;
  // Only one message is held; what follows stays in the socket, so that a peer cannot fill the memory.
  while (!whole_) {
    const bool more = state_ == State::begun ? read_handshake() : read_record();
    if (state_ == State::closed) return false;
    if (more) continue;
    char buffer[65536];
    const ssize_t n = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (n <= 0) return close(), false;
    raw_.erase(0, used_);
    used_ = 0;
    raw_.append(buffer, static_cast<std::size_t>(n));
  }
  return true;
}

// Returns true if it made progress and may be able to make more.
bool Channel::read_handshake() {
  if (raw_.size() - used_ < handshake_size) return false;
  const std::string_view message = std::string_view(raw_).substr(used_, handshake_size);
  if (introduce_ && is_introduction(message)) {
    const std::string credential = std::exchange(introduce_, nullptr)(message);
    used_ += handshake_size;
    if (credential.empty() || !write(credential)) return close(), false;
    return true;
  }
  std::string to_send;
  std::optional<Ciphers> ciphers =
      side_ == Side::host ? handshake_->answer(message, to_send) : handshake_->finish(message);
  used_ += handshake_size;
  if (!ciphers || !write(to_send)) return close(), false;
  handshake_.reset();
  const std::scoped_lock lock(sending_);
  send_ = ciphers->send;
  receive_ = ciphers->receive;
  state_ = State::open;
  return true;
}

bool Channel::read_record() {
  const std::string_view raw = std::string_view(raw_).substr(used_);
  if (raw.size() < 2) return false;
  const std::size_t size =
      static_cast<std::size_t>(static_cast<unsigned char>(raw[0])) << 8 | static_cast<unsigned char>(raw[1]);
  if (size <= tag_size) return close(), false;
  if (raw.size() < 2 + size) return false;
  const std::optional<std::string> piece = receive_->open(raw.substr(2, size));
  used_ += 2 + size;
  // The first message only proves that its sender knew the key at some time: it can be a replay.
  const std::size_t limit = side_ == Side::host && !greeted_ ? max_hello : max_message;
  if (!piece || (piece->front() != 0 && piece->front() != 1) || partial_.size() + piece->size() - 1 > limit) {
    return close(), false;
  }
  partial_.append(*piece, 1);
  if (piece->front() == 0) return true;
  if (partial_.empty()) return close(), false;
  greeted_ = true;
  whole_ = Message{static_cast<Type>(partial_.front()), partial_.substr(1)};
  partial_.clear();
  return true;
}

std::optional<Message> Channel::next() {
  if (!whole_) take_in();
  return std::exchange(whole_, std::nullopt);
}

std::optional<Message> Channel::wait(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  for (;;) {
    if (std::optional<Message> message = next()) return message;
    if (state_ == State::closed) return std::nullopt;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return std::nullopt;
    pollfd ready{socket_.get(), POLLIN, 0};
    ::poll(&ready, 1, milliseconds(left));
  }
}

bool Channel::send(Type type, std::string_view text) {
  const std::scoped_lock lock(sending_);
  if (text.size() >= max_message || state_ != State::open || broken_) return false;
  bool first = true;
  do {
    const std::size_t size = std::min(text.size(), max_piece - (first ? 1U : 0U));
    std::string piece(1, size == text.size() ? '\1' : '\0');
    if (std::exchange(first, false)) piece += static_cast<char>(type);
    piece += text.substr(0, size);
    text.remove_prefix(size);
    const std::string sealed = send_->seal(piece);
    std::string record{static_cast<char>(sealed.size() >> 8), static_cast<char>(sealed.size() & 0xff)};
    if (!write(record += sealed)) return broken_ = true, false;
  } while (!text.empty());
  return true;
}

bool Channel::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      pollfd ready{socket_.get(), POLLOUT, 0};
      if (::poll(&ready, 1, milliseconds(host_patience)) == 0) return false;
    } else {
      return false;
    }
  }
  return true;
}

void Channel::close() {
  state_ = State::closed;
  ::shutdown(socket_.get(), SHUT_RDWR);
}

void watch_other_machine(int socket, std::chrono::seconds patience) {
  const auto set = [socket](int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value);
  };
  const int seconds = static_cast<int>(patience.count());
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  // Otherwise the kernel begins with 64 KiB and grows the buffer as the program reads. A TCP window that stays closed
  // would end the connection, as if the machine were gone.
  set(SOL_SOCKET, SO_RCVBUF, receive_buffer);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, std::max(1, seconds / 4));
  set(IPPROTO_TCP, TCP_KEEPINTVL, std::max(1, seconds / 4));
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, seconds * 1000);
}

}  // namespace wtool::pilot
