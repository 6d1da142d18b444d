// Passes the plugin's log records from Boost.Log to the host's own tracing.
//
// - The process has one Boost.Log core, which the host may also use. So our records carry the channel `channel`, only
//   our own sink is filtered, and nothing else in the core is changed.
// - The sink is synchronous. An asynchronous one would start a thread that the host does not expect, and would deadlock
//   while the library is being unloaded.
// - Values of environment variables are never logged; callers pass only their names.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::audit {

// The levels of the host's tracing, with the numbers of its extension.
enum class Level : std::uint32_t { trace = 1, debug = 2, info = 3, warn = 4, error = 5 };

constexpr const char* channel = "wtool.shell_tools";

struct Field {
  std::string key;
  std::string json;  // one JSON value
};
using Fields = std::vector<Field>;

// Fields from plain values. Text is quoted as JSON, with U+FFFD for bytes that are not UTF-8.
Field field(std::string key, std::string_view text);
Field field(std::string key, std::int64_t number);

struct Record {
  Level level;
  std::string_view target;
  std::string_view message;
  const Fields& fields;
  std::uint64_t span;
  std::uint64_t unix_ns;
};

// The host's tracing. Any thread may call any member. A member must not call back into this module.
class HostTracing {
 public:
  virtual ~HostTracing() = default;
  virtual bool enabled(Level level, std::string_view target) const = 0;
  virtual void emit(const Record& record) = 0;
  virtual std::uint64_t open_span(std::uint64_t parent, std::string_view name, const Fields& fields) = 0;
  virtual void close_span(std::uint64_t span) = 0;
};

// Sends records to `host` until detach(). Nobody may log while either function runs.
void attach(std::shared_ptr<HostTracing> host);
void detach();
// The same without a lock, for a forked child: another thread of the parent may have held the lock of Boost.Log. The
// sink stays, but gets no more records.
void forget();

// True while a host receives spans and records; check this before making fields for a span.
bool attached();

// A span in the host's tracing, closed when this object ends. Without a host, its number is 0.
class Span {
 public:
  Span(std::uint64_t parent, std::string_view name, const Fields& fields);
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  ~Span();
  std::uint64_t number() const { return number_; }

 private:
  std::uint64_t number_ = 0;
};

// True when a record would be kept; check this before making costly fields. Any thread may call this.
bool enabled(Level level, std::string_view target);

// Logs one record. Any thread may call this.
void log(Level level, std::string_view target, std::string_view message, Fields fields, std::uint64_t span);

}  // namespace wtool::audit
