#include "engine/event_batch.h"

#include <algorithm>

namespace wtool::engine {

namespace {

Stream other(Stream stream) {
  return stream == Stream::standard_output ? Stream::standard_error : Stream::standard_output;
}

}  // namespace

bool EventBatch::add(Stream stream, std::string_view bytes, Clock::time_point now) {
  Waiting& waiting = of(stream);
  bool content = true;
  if (waiting.bytes.size() + bytes.size() > most) content = deliver_waiting(stream, now);
  if (waiting.bytes.empty() && (bytes.size() >= most || now >= waiting.due)) {
    content &= deliver_waiting(other(stream), now);
    return deliver(stream, bytes, now) && content;
  }
  if (waiting.bytes.empty()) {
    waiting.bytes.reserve(most);
    waiting.order = ++last_order_;
  }
  waiting.bytes.append(bytes);
  if (waiting.bytes.size() == most || now >= waiting.due) content &= deliver_waiting(stream, now);
  return content;
}

bool EventBatch::deliver_due(Clock::time_point now) {
  bool content = true;
  for (const Stream stream : {Stream::standard_output, Stream::standard_error}) {
    if (now >= of(stream).due) content &= deliver_waiting(stream, now);
  }
  return content;
}

bool EventBatch::end(Stream stream, Clock::time_point now) { return deliver_waiting(stream, now); }

bool EventBatch::end(Clock::time_point now) {
  const bool content = deliver_waiting(Stream::standard_output, now);
  return deliver_waiting(Stream::standard_error, now) && content;
}

std::optional<EventBatch::Clock::time_point> EventBatch::next_due() const {
  std::optional<Clock::time_point> next;
  for (const Waiting& waiting : waiting_) {
    if (!waiting.bytes.empty() && (!next || waiting.due < *next)) next = waiting.due;
  }
  return next;
}

bool EventBatch::deliver(Stream stream, std::string_view bytes, Clock::time_point now) {
  of(stream).due = now + interval;
  return sink_(stream, bytes);
}

// Delivers the stream's batch. If the other stream's batch began earlier, that one is delivered first.
bool EventBatch::deliver_waiting(Stream stream, Clock::time_point now) {
  Waiting& waiting = of(stream);
  if (waiting.bytes.empty()) return true;
  Waiting& before = of(other(stream));
  bool content = true;
  if (!before.bytes.empty() && before.order < waiting.order) {
    content = deliver(other(stream), before.bytes, now);
    before.bytes.clear();
  }
  content &= deliver(stream, waiting.bytes, now);
  waiting.bytes.clear();
  return content;
}

}  // namespace wtool::engine
