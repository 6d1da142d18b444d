#include "tracing/tracing.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <vector>

#include "base/escape.h"
#include "base/files.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "base/time_text.h"

namespace wtool::host {

namespace {

constexpr std::array<std::string_view, 6> names{"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF"};

std::optional<LogLevel> parse_level(std::string_view text) {
  const auto same = [](char a, char b) { return upper(a) == b; };
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::equal(text.begin(), text.end(), names[i].begin(), names[i].end(), same)) {
      return static_cast<LogLevel>(i + 1);
    }
  }
  return std::nullopt;
}

bool is_target(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return is_word_character(c) || c == ':' || c == '.' || c == '-'; });
}

bool matches(std::string_view directive, std::string_view target) {
  return target.starts_with(directive) &&
         (target.size() == directive.size() || target.substr(directive.size()).starts_with("::"));
}

}  // namespace

std::string_view level_name(LogLevel level) {
  const auto index = static_cast<std::size_t>(level) - 1;
  return index < names.size() ? names[index] : names.back();
}

bool LogFilter::parse(std::string_view directives, std::string& error) {
  LogFilter next = *this;
  for (bool more = true; more;) {
    const auto comma = directives.find(',');
    more = comma != std::string_view::npos;
    const std::string_view directive = trimmed(directives.substr(0, comma), " \t");
    if (more) directives.remove_prefix(comma + 1);

    const auto equals = directive.find('=');
    const bool for_target = equals != std::string_view::npos;
    const std::string_view target = for_target ? trimmed(directive.substr(0, equals), " \t") : std::string_view{};
    const auto level = parse_level(for_target ? trimmed(directive.substr(equals + 1), " \t") : directive);
    if (!level || (for_target && !is_target(target))) {
      error = "the log filter has \"" + escaped(directive) +
              "\", which is neither a level nor TARGET=LEVEL; the levels are off, error, warn, info, debug and trace, "
              "and several directives are separated by commas, as in \"info,shell_tools::call=debug\"";
      return false;
    }
    if (!for_target) {
      next.everything_ = *level;
      continue;
    }
    std::erase_if(next.targets_, [&](const auto& known) { return known.first == target; });
    next.targets_.emplace_back(target, *level);
  }
  std::stable_sort(next.targets_.begin(), next.targets_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  *this = std::move(next);
  return true;
}

bool LogFilter::enabled(LogLevel level, std::string_view target) const {
  for (const auto& [directive, least] : targets_) {
    if (matches(directive, target)) return level >= least && level < LogLevel::off;
  }
  return level >= everything_ && level < LogLevel::off;
}

// ---- Where records go.

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
    error = "the log format \"" + escaped(name) + "\" does not exist; the formats are text and json";
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

// A copy of a record and its spans, to which all masks were applied.
struct Tracing::Masked {
  Masked(const LogRecord& from, const std::shared_ptr<const LogSpan>& its_span, const std::list<Mask>& masks)
      : record(from), span(copy(its_span, masks)), message(masked(from.message, masks)) {
    values.reserve(from.fields.size());
    for (const LogField& field : from.fields) {
      values.push_back(masked(field.json, masks));
      fields.push_back({field.key, values.back()});
    }
    record.message = message;
    record.fields = fields;
  }
  Masked(const Masked&) = delete;
  Masked& operator=(const Masked&) = delete;

  static std::string masked(std::string_view text, const std::list<Mask>& masks) {
    std::string out(text);
    for (const Mask& mask : masks) out = mask(out);
    return out;
  }
  static std::shared_ptr<const LogSpan> copy(const std::shared_ptr<const LogSpan>& from, const std::list<Mask>& masks) {
    if (from == nullptr) return nullptr;
    auto made = std::make_shared<LogSpan>();
    made->name = from->name;
    for (const auto& [key, json] : from->fields) made->fields.emplace_back(key, compact_json(masked(json, masks)));
    made->parent = copy(from->parent, masks);
    return made;
  }

  LogRecord record;
  std::shared_ptr<const LogSpan> span;

 private:
  std::string message;
  std::vector<std::string> values;
  std::vector<LogField> fields;
};

std::shared_ptr<const void> Tracing::hide(Mask mask) {
  std::unique_lock lock(masks_mutex_);
  const auto place = masks_.insert(masks_.end(), std::move(mask));
  lock.unlock();  // If the pointer cannot be made, the function below is called, which takes the lock.
  return {&*place, [this, place](const void*) {
            const std::unique_lock removing(masks_mutex_);
            masks_.erase(place);
          }};
}

void Tracing::emit(const LogRecord& record) {
  if (!enabled(record.level, record.target)) return;
  std::optional<Masked> masked;
  {
    const std::shared_lock lock(masks_mutex_);
    if (!masks_.empty()) masked.emplace(record, find(record.span), masks_);
  }
  // Writes without the lock, because a write may block, and hide() must not wait for that.
  if (masked) return write(masked->record, masked->span);
  write(record, find(record.span));
}

void Tracing::write(const LogRecord& record, const std::shared_ptr<const LogSpan>& span) {
  LogRecord timed = record;
  if (timed.unix_ns == 0) timed.unix_ns = now_ns();
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

// ---- A record as one line.

namespace {

using nlohmann::ordered_json;

std::chrono::system_clock::time_point time_of(const LogRecord& record) {
  return std::chrono::system_clock::time_point(std::chrono::nanoseconds(record.unix_ns));
}

// The spans from the outermost one to `span`.
std::vector<const LogSpan*> path(const LogSpan* span) {
  std::vector<const LogSpan*> spans;
  for (; span != nullptr; span = span->parent.get()) spans.push_back(span);
  std::reverse(spans.begin(), spans.end());
  return spans;
}

bool is_plain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter_or_digit(c) || std::string_view("_-./:+@%").find(c) != std::string_view::npos;
  });
}

// `json` is compact. A string of plain characters loses its quotes.
void append_value(std::string& line, std::string_view json) {
  if (json.size() > 2 && json.front() == '"' && is_plain(json.substr(1, json.size() - 2))) {
    line += json.substr(1, json.size() - 2);
  } else {
    append_escaped(line, json);
  }
}

ordered_json value_of(std::string_view json) {
  ordered_json value = parse_ordered_json(json);
  if (value.is_discarded()) value = std::string(json);
  return value;
}

ordered_json span_object(const LogSpan& span) {
  ordered_json object{{"name", span.name}};
  for (const auto& [key, json] : span.fields) object[key] = value_of(json);
  return object;
}

}  // namespace

std::string compact_json(std::string_view json) { return dumped(value_of(json)); }

std::string text_line(const LogRecord& record, const LogSpan* span) {
  std::string line = iso_time(time_of(record)) + ' ';
  const std::string_view level = level_name(record.level);
  line.append(5 - level.size(), ' ');
  line += level;
  line += ' ';
  for (const LogSpan* at : path(span)) {
    append_escaped(line, at->name);
    if (!at->fields.empty()) {
      char before = '{';
      for (const auto& [key, json] : at->fields) {
        line += before;
        append_escaped(line, key);
        line += '=';
        append_value(line, json);
        before = ' ';
      }
      line += '}';
    }
    line += ':';
  }
  if (span != nullptr) line += ' ';
  append_escaped(line, record.target);
  line += ": ";
  append_escaped(line, record.message);
  for (const LogField& field : record.fields) {
    line += ' ';
    append_escaped(line, field.key);
    line += '=';
    append_value(line, compact_json(field.json));
  }
  line += '\n';
  return line;
}

std::string json_line(const LogRecord& record, const LogSpan* span) {
  ordered_json line{{"timestamp", iso_time(time_of(record))},
                    {"level", level_name(record.level)},
                    {"target", record.target},
                    {"message", record.message},
                    {"fields", ordered_json::object()}};
  for (const LogField& field : record.fields) line["fields"][std::string(field.key)] = value_of(field.json);
  if (span != nullptr) {
    line["span"] = span_object(*span);
    line["spans"] = ordered_json::array();
    for (const LogSpan* at : path(span)) line["spans"].push_back(span_object(*at));
  }
  return dumped(line) + '\n';
}

}  // namespace wtool::host
