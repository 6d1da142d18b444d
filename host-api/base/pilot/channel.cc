#include "base/pilot/channel.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/calm_poll.h"
#include "base/pilot/munge.h"

namespace wtool::pilot {

namespace {

// A message is cut into pieces of this size, and one system call writes `pieces_at_once` of them: that saves system
// calls, and the sealed bytes are still in the processor's cache when the kernel copies them.
constexpr std::size_t max_piece = 32 << 10;
constexpr std::size_t pieces_at_once = 2;
// The most bytes that a record has besides its piece: its length, its byte 0 or 1, a type and a tag.
constexpr std::size_t around_piece = 2 + 1 + 1 + tag_size;
// How many bytes one system call receives: at first, and under heavy traffic. Both sizes have room for a message of a
// handshake, and the larger one has room for a record.
constexpr std::size_t least_room = 16 << 10;
constexpr std::size_t max_room = 256 << 10;

int milliseconds(std::chrono::milliseconds time) { return static_cast<int>(std::max<std::int64_t>(0, time.count())); }

}  // namespace

Channel::Channel(Descriptor socket, Side side, const Key& key, Introduce introduce)
    : socket_(std::move(socket)), side_(side), handshake_(std::in_place, key), introduce_(std::move(introduce)) {}

Channel::~Channel() = default;

bool Channel::begin(Suite suite) { return write(handshake_->begin(suite)) || fail(); }

bool Channel::take_in() {
  if (state_ == State::closed) return false;
  // Only one message is kept here; what follows stays in the socket, so that a peer cannot fill the memory.
  while (!whole_) {
    const bool more = state_ == State::begun ? read_handshake() : read_record();
    if (state_ == State::closed) return false;
    if (more) continue;
    make_room();
    const std::size_t room = raw_.size() - filled_;
    const ssize_t n = ::recv(socket_.get(), raw_.data() + filled_, room, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (n <= 0) return fail();
    filled_ += static_cast<std::size_t>(n);
    flooded_ = static_cast<std::size_t>(n) == room;
  }
  return true;
}

// After this call, raw_ always has room: the unread bytes are part of one record, and max_room is more than the largest
// record.
void Channel::make_room() {
  if (used_ > 0 && raw_.size() - filled_ < raw_.size() / 2) {
    std::copy(raw_.data() + used_, raw_.data() + filled_, raw_.data());
    filled_ -= std::exchange(used_, 0);
  }
  if (used_ == filled_) used_ = filled_ = 0;
  if (flooded_ || raw_.empty()) raw_.resize(std::clamp(raw_.size() * 4, least_room, max_room));
  flooded_ = false;
}

// True: progress was made, and there may be more to do.
bool Channel::read_handshake() {
  if (unread().size() < handshake_size) return false;
  const std::string_view message = unread().substr(0, handshake_size);
  if (introduce_ && is_introduction(message)) {
    const std::string credential = std::exchange(introduce_, nullptr)(message);
    used_ += handshake_size;
    if (credential.empty() || !write(credential)) return fail();
    return true;
  }
  std::string to_send;
  std::optional<Ciphers> ciphers =
      side_ == Side::host ? handshake_->answer(message, to_send) : handshake_->finish(message);
  used_ += handshake_size;
  if (!ciphers || !write(to_send)) return fail();
  handshake_.reset();
  const std::scoped_lock lock(sending_);
  send_ = ciphers->send;
  receive_ = ciphers->receive;
  state_ = State::open;
  return true;
}

bool Channel::read_record() {
  const std::string_view raw = unread();
  if (raw.size() < 2) return false;
  const std::size_t size =
      static_cast<std::size_t>(static_cast<unsigned char>(raw[0])) << 8 | static_cast<unsigned char>(raw[1]);
  if (size <= tag_size) return fail();
  if (raw.size() < 2 + size) return false;
  if (!receive_->open_in_place(raw_.data() + used_ + 2, size)) return fail();
  std::string_view piece = raw.substr(3, size - tag_size - 1);
  const bool last = raw[2] == 1;
  used_ += 2 + size;
  // The first message that a host receives is the pilot's `hello`, which is short.
  const std::size_t limit = side_ == Side::host && !greeted_ ? max_hello : max_message;
  if ((!last && raw[2] != 0) || partial_.size() + (type_ ? 1 : 0) + piece.size() > limit) return fail();
  if (!type_ && !piece.empty()) {
    type_ = static_cast<Type>(piece.front());
    piece.remove_prefix(1);
    if (!last) partial_.reserve(pieces_at_once * max_piece);
  }
  partial_.append(piece);
  if (!last) return true;
  if (!type_) return fail();
  greeted_ = true;
  whole_ = ChannelMessage{*std::exchange(type_, std::nullopt), std::move(partial_)};
  partial_ = {};
  return true;
}

std::optional<ChannelMessage> Channel::next() {
  if (!whole_) take_in();
  return std::exchange(whole_, std::nullopt);
}

std::optional<ChannelMessage> Channel::wait(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  for (;;) {
    if (std::optional<ChannelMessage> message = next()) return message;
    if (state_ == State::closed) return std::nullopt;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return std::nullopt;
    pollfd ready{socket_.get(), POLLIN, 0};
    calm_poll(&ready, 1, milliseconds(left));
  }
}

// Returns where the record ends.
char* Channel::put_record(char* to, std::string_view head, std::string_view piece) {
  char* const text = to + 2;
  const auto size =
      static_cast<std::size_t>(std::copy(piece.begin(), piece.end(), std::copy(head.begin(), head.end(), text)) - text);
  send_->seal_in_place(text, size);
  to[0] = static_cast<char>((size + tag_size) >> 8);
  to[1] = static_cast<char>((size + tag_size) & 0xff);
  return text + size + tag_size;
}

bool Channel::send(Type type, std::string_view text) {
  const std::scoped_lock lock(sending_);
  if (text.size() >= max_message || state_ != State::open || broken_) return false;
  constexpr std::size_t most = pieces_at_once * max_piece;
  const std::size_t room = held_.size() + std::min(text.size(), most) + pieces_at_once * around_piece;
  const std::unique_ptr<char[]> buffer(new char[room]);  // NOLINT: make_unique would clear it first.
  char* end = std::copy(held_.begin(), held_.end(), buffer.get());
  held_.clear();
  bool first = true;
  do {
    for (std::size_t i = 0; i < pieces_at_once && (first || !text.empty()); ++i) {
      const std::string_view piece = text.substr(0, max_piece);
      text.remove_prefix(piece.size());
      const char head[2] = {text.empty() ? '\1' : '\0', static_cast<char>(type)};
      end = put_record(end, {head, std::exchange(first, false) ? 2U : 1U}, piece);
    }
    if (!write({buffer.get(), end})) {
      broken_ = true;
      return false;
    }
    end = buffer.get();
  } while (!text.empty());
  return true;
}

bool Channel::send_with_next(Type type, std::string_view text) {
  const std::scoped_lock lock(sending_);
  if (text.size() > max_piece || state_ != State::open || broken_) return false;
  const std::size_t before = held_.size();
  held_.resize(before + text.size() + around_piece);
  const char head[2] = {'\1', static_cast<char>(type)};
  put_record(held_.data() + before, {head, 2}, text);
  return true;
}

bool Channel::flush() {
  const std::scoped_lock lock(sending_);
  if (broken_) return false;
  if (!write(std::exchange(held_, {}))) broken_ = true;
  return !broken_;
}

void Channel::rest() {
  if (used_ != filled_) return;
  used_ = filled_ = 0;
  flooded_ = false;
  raw_ = {};
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
      if (calm_poll(&ready, 1, milliseconds(host_patience)) == 0) return false;
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

bool Channel::fail() {
  close();
  return false;
}

void watch_other_machine(int socket, std::chrono::seconds patience) {
  const auto set = [socket](int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value);
  };
  const int seconds = static_cast<int>(patience.count());
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, std::max(1, seconds / 4));
  set(IPPROTO_TCP, TCP_KEEPINTVL, std::max(1, seconds / 4));
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, seconds * 1000);
}

// By default, the kernel begins with a buffer of 64 KiB, and enlarges it as the program reads. A full buffer closes the
// TCP window, and a window that stays closed ends the connection, as if the other machine were gone.
void make_room_for_window(int socket) {
  ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
}

std::size_t window_of(int socket) {
  int given = 0;
  socklen_t size = sizeof given;
  if (::getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &given, &size) != 0) given = 0;
  return std::clamp(static_cast<std::size_t>(given) / 4, smallest_window, max_window);
}

}  // namespace wtool::pilot
