#include "tracing/tracing.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "tracing/escape.h"
#include "tracing/format.h"

namespace wtool::host {

namespace {

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

bool parse_log_format(std::string_view name, LogFormat& format, std::string& error) {
  if (name == "text") {
    format = LogFormat::text;
  } else if (name == "json") {
    format = LogFormat::json;
  } else {
    error = "the log format \"" + escaped(name) + "\" does not exist; there are text and json";
    return false;
  }
  return true;
}

Tracing::Tracing(LogFilter filter, LogFormat format, Writer writer)
    : filter_(std::move(filter)), format_(format), writer_(std::move(writer)) {}

Tracing::Tracing(LogFilter filter, LogFormat format, int descriptor)
    : Tracing(std::move(filter), format, [descriptor](std::string_view line) { write_all(descriptor, line); }) {}

void Tracing::observe(LogLevel from, Observer observer) {
  const std::unique_lock lock(observer_mutex_);
  observed_from_.store(observer ? from : LogLevel::off, std::memory_order_relaxed);
  observer_ = std::move(observer);
}

void Tracing::emit(const LogRecord& record) {
  if (!enabled(record.level, record.target)) return;
  LogRecord timed = record;
  if (timed.unix_ns == 0) timed.unix_ns = now_ns();
  const std::shared_ptr<const LogSpan> span = find(record.span);
  if (record.level >= observed_from_.load(std::memory_order_relaxed)) {
    const std::shared_lock lock(observer_mutex_);
    if (observer_) observer_(timed, span.get());
  }
  if (!filter_.enabled(record.level, record.target)) return;
  const std::string line = format_ == LogFormat::json ? json_line(timed, span.get()) : text_line(timed, span.get());

  const std::lock_guard lock(write_mutex_);
  writer_(line);
}

std::uint64_t Tracing::open_span(std::uint64_t parent, std::string_view name, std::span<const LogField> fields) {
  auto span = std::make_shared<LogSpan>();
  span->name = name;
  for (const LogField& field : fields) span->fields.emplace_back(field.key, compact_json(field.json));
  span->parent = find(parent);
  const std::lock_guard lock(spans_mutex_);
  spans_.emplace(++last_span_, std::move(span));
  return last_span_;
}

void Tracing::close_span(std::uint64_t span) {
  const std::lock_guard lock(spans_mutex_);
  spans_.erase(span);
}

std::size_t Tracing::open_spans() const {
  const std::lock_guard lock(spans_mutex_);
  return spans_.size();
}

std::shared_ptr<const LogSpan> Tracing::find(std::uint64_t span) const {
  if (span == 0) return nullptr;
  const std::lock_guard lock(spans_mutex_);
  const auto found = spans_.find(span);
  return found == spans_.end() ? nullptr : found->second;
}

}  // namespace wtool::host
