// The host's tracing: takes records and spans from the plugin (through loader/services) and from the host itself. It
// writes one line for each record to a descriptor or a writer: text for people, or JSON for programs.
//
// - A record that the filter drops costs one look-up.
// - A line is one write(2), unless the descriptor accepts only a part of it; lines of several threads do not mix.
// - One observer may receive the records, too, from a level that may differ from the filter's.
// - A record cannot break the line or control a terminal: control characters are escaped, JSON is re-written.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wtool::host {

// ---- Which records are kept: a default level, and levels for targets, as in `info,shell_tools=debug,a::b=off`.
//
// - The longest target that matches decides; a target matches itself and what is below it (`a` matches `a::b`, not
//   `ab`). If two directives have the same target, the later one applies.
// - Without a default level in the text, the built-in one applies.

// The numbers are those of wtool.log/1; off is above them all.
enum class LogLevel : std::uint8_t { trace = 1, debug = 2, info = 3, warn = 4, error = 5, off = 6 };

// The name of the level: "TRACE" ... "ERROR", "OFF".
std::string_view level_name(LogLevel level);

class LogFilter {
 public:
  explicit LogFilter(LogLevel everything) : everything_(everything) {}

  // Sets the levels. False: `error` names the wrong directive and what is allowed, and the filter has not changed.
  bool parse(std::string_view directives, std::string& error);

  bool enabled(LogLevel level, std::string_view target) const;

 private:
  LogLevel everything_;
  std::vector<std::pair<std::string, LogLevel>> targets_;  // the longest first
};

// A named value. `json` is the text of one JSON value; text that is not JSON counts as a string.
struct LogField {
  std::string_view key;
  std::string_view json;
};

struct LogRecord {
  LogLevel level = LogLevel::info;
  std::uint64_t unix_ns = 0;  // nanoseconds since 1970, UTC; 0: now
  std::string_view target;    // the part of the program that logs, such as "wtool::workflow"
  std::string_view message;
  std::span<const LogField> fields = {};
  std::uint64_t span = 0;  // from open_span, or 0
};

// What the formats need to know about a span. Even after a span was closed, this object lives as long as any child of
// the span.
struct LogSpan {
  std::string name;
  std::vector<std::pair<std::string, std::string>> fields;  // key and compact JSON, in the order given
  std::shared_ptr<const LogSpan> parent;
};

enum class LogFormat { text, json };

// `name` is "text" or "json". False: it is neither, and `error` names it and the allowed values.
bool parse_log_format(std::string_view name, LogFormat& format, std::string& error);

// Any thread may call any member.
class Tracing {
 public:
  // Called with each line, with its newline. Never by two threads at the same time.
  using Writer = std::function<void(std::string_view)>;
  Tracing(LogFilter filter, LogFormat format, Writer writer);
  // Borrows the descriptor.
  Tracing(LogFilter filter, LogFormat format, int descriptor);
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  bool enabled(LogLevel level, std::string_view target) const {
    return level >= observed_from_.load(std::memory_order_relaxed) || filter_.enabled(level, target);
  }

  // From now on, `observer` gets every record of at least the level `from`, whatever the filter says. An empty observer
  // ends this. When observe() returns, the earlier observer no longer runs and is not called again. An observer must
  // not call this object.
  using Observer = std::function<void(const LogRecord&, const LogSpan*)>;
  void observe(LogLevel from, Observer observer);

  // While the returned object lives, `mask` is applied to the message of each record, and to the values of the record's
  // fields and of its spans' fields. `mask` must not call this Tracing. The returned object must not outlive this
  // Tracing.
  using Mask = std::function<std::string(std::string_view)>;
  std::shared_ptr<const void> hide(Mask mask);

  // Writes the record if it is enabled. If the descriptor cannot be written, the line is lost, because there is no
  // other way to report that.
  void emit(const LogRecord& record);

  // For the host's own records: with the current time, and without a span.
  void log(LogLevel level, std::string_view target, std::string_view message) {
    if (enabled(level, target)) emit({.level = level, .target = target, .message = message});
  }

  // Opens a span under `parent` (0 or unknown: none) and returns its number, never 0.
  std::uint64_t open_span(std::uint64_t parent, std::string_view name, std::span<const LogField> fields);
  void close_span(std::uint64_t span);
  std::size_t open_spans() const;

 private:
  struct Masked;
  std::shared_ptr<const LogSpan> find(std::uint64_t span) const;
  void write(const LogRecord& record, const std::shared_ptr<const LogSpan>& span);

  const LogFilter filter_;
  const LogFormat format_;
  const Writer writer_;
  mutable std::mutex spans_mutex_;
  std::map<std::uint64_t, std::shared_ptr<const LogSpan>> spans_;
  std::uint64_t last_span_ = 0;
  std::mutex write_mutex_;
  std::atomic<LogLevel> observed_from_{LogLevel::off};
  std::shared_mutex observer_mutex_;
  Observer observer_;
  std::shared_mutex masks_mutex_;
  std::list<Mask> masks_;
};

// ---- Pure functions: a record as one line, newline included.

// 2026-01-02T03:04:05.678Z  INFO call{tool=shell_execute}: shell_tools::call: the message key=value
// The outermost span comes first, and spans are joined by colons; without a span, the target follows the level. Text
// values with only letters, digits and a few harmless signs are written bare, others as JSON.
std::string text_line(const LogRecord& record, const LogSpan* span);

// {"timestamp", "level", "target", "message", "fields": {}, "span": {"name", fields...}, "spans": [outermost, ...]}
// "span" and "spans" exist only within a span.
std::string json_line(const LogRecord& record, const LogSpan* span);

// The text of one JSON value, compact and valid UTF-8; text that is not JSON becomes a JSON string.
std::string compact_json(std::string_view json);

}  // namespace wtool::host
