// Gathers what a command writes for the receiver of live output, so that many small writes do not make as many calls.
//
// Contract:
// - The first bytes of a stream go out at once, and so do bytes for which 20 ms have passed since the stream's last
//   delivery: a prompt is seen when it comes. What comes sooner is gathered until then, or until it is 64 KiB.
// - Nothing is lost, and within a stream the order stays. Between the streams, batches go out in the order in which
//   their first bytes came.
// - Bytes are cut anywhere, as wtool/tool.h says of events. A batch has at most 64 KiB; what one read brought that is
//   more than that goes out as it is, without a copy.
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

// Gets what the command writes, on the thread that runs it, in order within a stream. False: stop the command
// gracefully. A sink that blocks makes the command wait.
using OutputSink = std::function<bool(Stream, std::string_view)>;

class EventBatch {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::chrono::milliseconds interval{20};
  static constexpr std::size_t most = 64UL * 1024;

  // The sink outlives this object; an empty one is none.
  explicit EventBatch(const OutputSink& sink) : sink_(sink) {}

  // Whether there is a receiver at all. Without one, nothing is to be added.
  bool wanted() const { return static_cast<bool>(sink_); }

  // These deliver what is to be delivered, and say whether the receiver was content; false wants the command stopped.
  bool add(Stream stream, std::string_view bytes, Clock::time_point now);
  // Delivers what has waited long enough.
  bool deliver_due(Clock::time_point now);
  // Delivers what is there of a stream that has ended, or of both.
  bool end(Stream stream, Clock::time_point now);
  bool end(Clock::time_point now);

  // When deliver_due is to be called next; nothing while nothing waits.
  std::optional<Clock::time_point> next_due() const;

 private:
  struct Waiting {
    std::string bytes;
    std::uint64_t order = 0;  // of its first byte
    Clock::time_point due{};  // from here on, bytes go out at once
  };

  Waiting& of(Stream stream) { return waiting_[static_cast<std::size_t>(stream)]; }
  bool deliver(Stream stream, std::string_view bytes, Clock::time_point now);
  bool deliver_waiting(Stream stream, Clock::time_point now);

  const OutputSink& sink_;
  std::array<Waiting, 2> waiting_;
  std::uint64_t last_order_ = 0;
};

}  // namespace wtool::engine
