// Gathers a command's output, so that many small writes do not cause as many calls to the receiver of live output.
//
// Contract:
// - The first bytes of a stream are delivered immediately, so that a prompt is seen as soon as it is written. The same
//   holds for bytes that come at least 20 ms after the stream's last delivery. Bytes that come sooner are gathered
//   until the 20 ms have passed, or until there are 64 KiB.
// - Nothing is lost, and each stream keeps its order. Between the streams, batches are delivered in the order of their
//   first bytes.
// - A batch may begin and end at any byte, which wtool/tool.h allows for events. It has at most 64 KiB; a read of 64
//   KiB or more is delivered directly, without a copy.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace wtool::engine {

enum class Stream { standard_output, standard_error };

// Receives the command's output, on the thread that runs the command, in order within each stream. Returns false to
// stop the command gracefully. A sink that blocks makes the command wait.
using OutputSink = std::function<bool(Stream, std::string_view)>;

class EventBatch {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::milliseconds interval{20};
  static constexpr std::size_t most = 64UL * 1024;

  // The sink must outlive this object; it may be empty.
  explicit EventBatch(const OutputSink& sink) : sink_(sink) {}

  // True if there is a receiver. Without a receiver, add nothing.
  bool wanted() const { return static_cast<bool>(sink_); }

  // The following functions deliver what is due. They return false if the receiver wants the command stopped.
  bool add(Stream stream, std::string_view bytes, Clock::time_point now);
  // Delivers what has waited long enough.
  bool deliver_due(Clock::time_point now);
  // Delivers the remaining bytes of a stream that has ended, or of both streams.
  bool end(Stream stream, Clock::time_point now);
  bool end(Clock::time_point now);

  // When deliver_due must be called next. Nothing: no bytes are waiting.
  std::optional<Clock::time_point> next_due() const;

 private:
  struct Waiting {
    std::string bytes;
    std::uint64_t order = 0;  // lower in the batch that began first
    Clock::time_point due{};  // from this time on, bytes are delivered immediately
  };

  Waiting& of(Stream stream) { return waiting_[static_cast<std::size_t>(stream)]; }
  bool deliver(Stream stream, std::string_view bytes, Clock::time_point now);
  bool deliver_waiting(Stream stream, Clock::time_point now);

  const OutputSink& sink_;
  std::array<Waiting, 2> waiting_;
  std::uint64_t last_order_ = 0;
};

}  // namespace wtool::engine
