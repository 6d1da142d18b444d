// The protocol between a host and a pilot over one TCP connection, which is a slot of the pilot.
//
// The protocol in detail:
// - Where munge hands out the key (munge.h), a pilot that does not have the key begins with an introduction of 48
//   bytes, and the host answers with a credential.
// - Handshake (noise.h): 48 bytes from the pilot, then 48 bytes from the host. Records follow in both directions. Each
//   has two bytes of length, most significant first, and then that many bytes (at most 65,535), sealed by the Noise
//   cipher of its direction.
// - An opened record has one byte, 0 (the message continues in the next record) or 1 (it ends here), and then a piece
//   of a message. A message has at most `max_message` bytes; its first byte is its type.
// - Any violation closes the connection: a length below that of a tag, a record that does not open, or a message that
//   is too large.
// - The pilot sends `hello` first, a JSON object. For each call it sends `started`, `running` if the call's program
//   could be started, events, logs, heartbeats (`beat`), and `result` or `failure`. It sends `leaving` when it accepts
//   no more calls. A call that was answered by `leaving`, without `started`, was not begun.
// - The host sends `call`, then `cancel` and `taken`. `taken` says how many bytes of events and logs the host has taken
//   in all calls of the connection, each message counted as cost() says. The pilot begins no event or log message while
//   the bytes that it has sent and the host has not taken reach the limit that the call names (`window`). The
//   receiver's buffer has room for that many bytes, so the sender never waits for room; and the acknowledgements of the
//   kernel prove that the other machine is there, even while the host's reader pauses.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/pilot/noise.h"

namespace wtool::pilot {

// Both sides must have the same version: a pilot names its own in `hello`.
inline constexpr int protocol_version = 4;
inline constexpr std::size_t max_message = std::size_t{256} << 20;
inline constexpr std::size_t max_hello = 4096;
// The host's buffer has room for the smallest window, whatever size the kernel permits. A window larger than max_window
// would gain nothing.
inline constexpr std::size_t smallest_window = 128 << 10;
inline constexpr std::size_t max_window = 512 << 10;
// An event is at most this large, and at most a quarter of the window.
inline constexpr std::size_t max_event = 64 << 10;
// Below this size, a result need not wait until the host has taken all events.
inline constexpr std::size_t small_result = 16 << 10;
// The kernel limits this size to net.core.rmem_max, and doubles the result, for its own use. Linux's default limit of
// 208 KiB is enough for the smallest window, one more event and a small result.
inline constexpr int receive_buffer = 1 << 20;
// A message takes more room than its text, because of its record and of what the kernel adds to each packet.
constexpr std::size_t cost(std::size_t text) { return text + 128; }

// The pilot ends its calls when it has received nothing from the host's machine for this long. The host waits longer
// before it gives up on a pilot, so that the pilot's commands are dead before the host tries them again.
inline constexpr std::chrono::seconds pilot_patience{8};
inline constexpr std::chrono::seconds host_patience{15};
inline constexpr std::chrono::seconds beat_every{1};

// The tool by which a pilot runs a host's commands. The plugin has the tool only in a host that offers this extension,
// whose value may be any pointer except NULL.
inline constexpr const char* pilot_extension = "wtool.pilot/1";
inline constexpr std::string_view run_tool = "engine_run";

enum class Type : char {
  hello = 'H',
  started = 'S',  // the pilot has begun the call
  running = 'P',  // the command's program is running
  standard_output = 'O',
  standard_error = 'E',
  log = 'L',
  beat = 'B',
  result = 'R',   // one byte of status, then the result
  failure = 'F',  // one byte of status, then a sentence
  leaving = 'Q',
  call = 'C',    // JSON text of an object, a byte 0, the arguments
  cancel = 'X',  // one byte that says how, then the reason
  taken = 'T',   // eight bytes with the count, then a byte: 1 if it answers a heartbeat
};

struct ChannelMessage {
  Type type{};
  std::string text;
};

// One end of a connection. One thread receives; any may send.
class Channel {
 public:
  enum class Side { pilot, host };
  enum class State { begun, open, closed };

  // What the host sends to a pilot that introduces itself; empty: nothing, and the connection is closed.
  using Introduce = std::function<std::string(std::string_view introduction)>;

  // The socket may be non-blocking. Nothing is sent or received yet. Without `introduce`, introductions are refused.
  Channel(Descriptor socket, Side side, const Key& key, Introduce introduce = {});
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  int descriptor() const { return socket_.get(); }
  State state() const { return state_; }

  // The pilot begins the handshake. False: the channel is closed.
  bool begin(Suite suite = Suite::chacha);
  // Reads what the socket has, without waiting. False: the channel is closed.
  bool take_in();
  // Returns the next message, once all of it has arrived. Nothing: no whole message has arrived yet.
  std::optional<ChannelMessage> next();
  // Waits at most `limit` for a message. Nothing: none came, or the channel is closed.
  std::optional<ChannelMessage> wait(std::chrono::milliseconds limit);

  // Waits for at most host_patience while the other side reads nothing. False: nothing more can be sent, but what the
  // other side has sent can still be read.
  bool send(Type type, std::string_view text);
  // Holds a short text back, to send it in one packet with the next message. flush() sends it without waiting
  // for a next message.
  bool send_with_next(Type type, std::string_view text);
  bool flush();
  // Frees memory that is needed only under heavy traffic. Call this when the connection has nothing to do.
  void rest();
  // Any thread may call this. Both sides then find the channel closed; the descriptor stays open until the object ends.
  void close();

 private:
  std::string_view unread() const { return std::string_view(raw_).substr(used_, filled_ - used_); }
  void make_room();
  bool read_handshake();
  bool read_record();
  // Closes the channel. Returns false, which its callers return, too.
  bool fail();
  bool write(std::string_view bytes);
  char* put_record(char* to, std::string_view head, std::string_view piece);

  Descriptor socket_;
  const Side side_;
  std::optional<Handshake> handshake_;
  Introduce introduce_;  // empty after its first use
  std::optional<Cipher> receive_;
  std::atomic<State> state_{State::begun};
  std::string raw_;           // holds the received bytes from used_ to filled_
  std::size_t used_ = 0;      // how many bytes of raw_ have been opened
  std::size_t filled_ = 0;    // how many have been received
  bool flooded_ = false;      // the last read filled the buffer
  std::optional<Type> type_;  // of a message that has arrived in part
  std::string partial_;       // the text of that message so far
  std::optional<ChannelMessage> whole_;
  bool greeted_ = false;

  std::mutex sending_;
  std::optional<Cipher> send_;
  std::string held_;     // records that are sent with the next message
  bool broken_ = false;  // a record may have been sent in part
};

// Makes the kernel notice that the other machine is gone, even while the programs at both ends are busy.
void watch_other_machine(int socket, std::chrono::seconds patience);

// Call this for a socket before it listens, so that the connections that it accepts have room for a window.
void make_room_for_window(int socket);
// The window for which a connection has room.
std::size_t window_of(int socket);

}  // namespace wtool::pilot
