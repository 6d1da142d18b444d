// What a host and a pilot say to each other over one TCP connection, a slot of the pilot.
//
// The protocol, in full:
// - Where the key is handed out by munge (munge.h), a pilot that does not have it begins with an introduction of 48 bytes, and the host
//   answers with a credential.
// - Handshake (noise.h): 48 bytes of the pilot, 48 bytes of the host. Then records in both directions, each with two bytes of
//   length, most significant first, and as many bytes that the Noise cipher of that direction has sealed (at most 65,535).
// - A record opens to a byte 0 (the message continues in the next record) or 1 (it ends here), and a piece of a message. A
//   message is at most `largest_message` bytes; its first byte is its type.
// - Anything else closes the connection: a length below a tag's, a record that does not open, a message that is too large.
// - Pilot to host: `hello` first, a JSON object; then for each call `started`, events, logs, beats, and `result` or `failure`;
//   `leaving` when it takes no more calls. A call that has got `leaving` and not `started` was not begun.
// - Host to pilot: `call`, then `cancel` and `taken`, in which it says how many bytes of events and logs it has taken in all
//   calls of the connection, each with what it costs (`cost`). The pilot begins no message when `window` bytes more than that
//   are on their way. The receiver's buffer has room for them, so the sender never waits for room; and the answers of the
//   kernel prove that the other machine is there, also while the host's reader pauses.
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

// Both sides must have the same: a pilot says its own in `hello`.
inline constexpr int protocol_version = 2;
inline constexpr std::size_t largest_message = std::size_t{256} << 20;
inline constexpr std::size_t largest_hello = 4096;
inline constexpr std::size_t window = 128 << 10;
inline constexpr std::size_t largest_event = 32 << 10;
// Below this size, a result need not wait until the host has taken all events.
inline constexpr std::size_t small_result = 16 << 10;
// The kernel doubles it, for its own part. Where net.core.rmem_max permits less than this, it is at least 208 KiB on Linux
// as it comes, doubled as well: enough for the window, one more event and a small result.
inline constexpr int receive_buffer = 512 << 10;
// A small message takes more room than its text: its record, and the kernel's part for each packet.
constexpr std::size_t cost(std::size_t text) { return text + 128; }

// The pilot ends its calls when it has not heard from the host's machine for this long. The host gives up a pilot
// later, so that what the pilot ran is dead before the host tries again.
inline constexpr std::chrono::seconds pilot_patience{8};
inline constexpr std::chrono::seconds host_patience{15};
inline constexpr std::chrono::seconds beat_every{1};

// The tool that a host has a pilot run. The plugin has it in a host with this extension alone, whose value is any pointer but
// NULL.
inline constexpr const char* pilot_extension = "wtool.pilot/1";
inline constexpr std::string_view run_tool = "engine_run";

enum class Type : char {
  hello = 'H',
  started = 'S',
  standard_output = 'O',
  standard_error = 'E',
  log = 'L',
  beat = 'B',
  result = 'R',   // one byte of status, then the result
  failure = 'F',  // one byte of status, then a sentence
  leaving = 'Q',
  call = 'C',    // JSON text of an object, a byte 0, the arguments
  cancel = 'X',  // one byte of how, then the reason
  taken = 'T',   // eight bytes of the count, then one that is 1 in answer to a beat
};

struct Message {
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

  // The socket need not be blocking. Nothing is sent or received yet. Without `introduce`, introductions are not taken.
  Channel(Descriptor socket, Side side, const Key& key, Introduce introduce = {});
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  int descriptor() const { return socket_.get(); }
  State state() const { return state_; }

  // The pilot's first move.
  bool begin();
  // Reads what the socket has, without waiting. False when that closes the channel.
  bool take_in();
  // The next message that has arrived in full.
  std::optional<Message> next();
  // Waits at most `limit` for a message. Nothing: none came, or the channel is closed.
  std::optional<Message> wait(std::chrono::milliseconds limit);

  // Waits while the other side takes nothing, for at most host_patience. False: nothing can be sent any more; what the other
  // side has sent can still be read.
  bool send(Type type, std::string_view text);
  // Any thread: both sides see the end. The descriptor stays open until the object ends.
  void close();

 private:
  bool read_handshake();
  bool read_record();
  bool write(std::string_view bytes);

  Descriptor socket_;
  const Side side_;
  std::optional<Handshake> handshake_;
  Introduce introduce_;  // empty once it was used
  std::optional<Cipher> receive_;
  std::atomic<State> state_{State::begun};
  std::string raw_;       // received, not yet opened
  std::size_t used_ = 0;  // how many bytes of raw_ have been opened
  std::string partial_;
  std::optional<Message> whole_;
  bool greeted_ = false;

  std::mutex sending_;
  std::optional<Cipher> send_;
  bool broken_ = false;  // a record may have been sent in part
};

// Lets the kernel find out that the other machine is gone, whatever the program at either end is busy with, and gives it the
// room for a window that this needs.
void watch_other_machine(int socket, std::chrono::seconds patience);

}  // namespace wtool::pilot
