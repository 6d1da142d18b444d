#include "audit/tracing.h"

#include <boost/log/core.hpp>
#include <boost/log/expressions.hpp>
#include <boost/log/sinks/basic_sink_backend.hpp>
#include <boost/log/sinks/sync_frontend.hpp>
#include <boost/log/sources/record_ostream.hpp>
#include <boost/log/sources/severity_channel_logger.hpp>
#include <boost/log/utility/manipulators/add_value.hpp>
#include <boost/smart_ptr/make_shared_object.hpp>
#include <chrono>

#include "base/json_text.h"
#include "base/lasting.h"

namespace wtool::audit {

namespace {

namespace log_lib = boost::log;

// What a record carries besides Boost.Log's Severity, Channel and Message.
struct Attachment {
  std::string target;
  Fields fields;
  std::uint64_t span = 0;
  std::uint64_t unix_ns = 0;
  // The host that the record is for: a process may have several plugins that are built from this code, and a forked
  // child has the sinks of its parent.
  const void* host = nullptr;
};

// Set only by attach and detach. Nobody logs while they run.
auto& host_tracing = lasting<std::shared_ptr<HostTracing>>();

BOOST_LOG_ATTRIBUTE_KEYWORD(severity_attribute, "Severity", Level)
BOOST_LOG_ATTRIBUTE_KEYWORD(channel_attribute, "Channel", std::string)
BOOST_LOG_ATTRIBUTE_KEYWORD(message_attribute, "Message", std::string)
BOOST_LOG_ATTRIBUTE_KEYWORD(attachment_attribute, "ShellTools", Attachment)

class HostBackend : public log_lib::sinks::basic_sink_backend<log_lib::sinks::synchronized_feeding> {
 public:
  explicit HostBackend(std::shared_ptr<HostTracing> host) : host_(std::move(host)) {}

  void consume(const log_lib::record_view& view) {
    const auto severity = view[severity_attribute];
    const auto message = view[message_attribute];
    const auto attachment = view[attachment_attribute];
    if (!severity || !attachment || attachment->host != host_.get()) return;
    host_->emit({severity.get(), attachment->target, message ? std::string_view(message.get()) : std::string_view(),
                 attachment->fields, attachment->span, attachment->unix_ns});
  }

 private:
  const std::shared_ptr<HostTracing> host_;
};

using Sink = log_lib::sinks::synchronous_sink<HostBackend>;

auto& host_sink = lasting<boost::shared_ptr<Sink>>();  // like host_tracing, set only by attach and detach

std::uint64_t now_unix_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

}  // namespace

Field field(std::string key, std::string_view text) {
  Field made{std::move(key), {}};
  append_json_string(made.json, text);
  return made;
}

Field field(std::string key, std::int64_t number) { return {std::move(key), std::to_string(number)}; }

void forget() {
  host_sink.reset();
  host_tracing.reset();
}

void attach(std::shared_ptr<HostTracing> host) {
  detach();
  if (!host) return;
  host_tracing = std::move(host);
  host_sink = boost::make_shared<Sink>(boost::make_shared<HostBackend>(host_tracing));
  host_sink->set_filter(channel_attribute == channel);
  // The library drops its core in exit(), while other threads may still log.
  static const auto& core = lasting<log_lib::core_ptr>(log_lib::core::get());
  core->add_sink(host_sink);
}

void detach() {
  if (host_sink) log_lib::core::get()->remove_sink(host_sink);
  forget();
}

bool attached() { return host_tracing != nullptr; }

Span::Span(std::uint64_t parent, std::string_view name, const Fields& fields) {
  if (host_tracing) number_ = host_tracing->open_span(parent, name, fields);
}

Span::~Span() {
  if (number_ != 0 && host_tracing) host_tracing->close_span(number_);
}

bool enabled(Level level, std::string_view target) { return host_tracing && host_tracing->enabled(level, target); }

void log(Level level, std::string_view target, std::string_view message, Fields fields, std::uint64_t span) {
  if (!enabled(level, target)) return;
  log_lib::sources::severity_channel_logger<Level> logger(log_lib::keywords::channel = std::string(channel));
  Attachment attachment{std::string(target), std::move(fields), span, now_unix_ns(), host_tracing.get()};
  log_lib::record record = logger.open_record(log_lib::keywords::severity = level);
  if (!record) return;
  log_lib::record_ostream stream(record);
  stream << log_lib::add_value(attachment_attribute, std::move(attachment)) << message;
  stream.flush();
  logger.push_record(std::move(record));
}

}  // namespace wtool::audit
