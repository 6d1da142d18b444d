#include "mcp/log_notifications.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/json.h"
#include "mcp/call.h"
#include "mcp/message.h"
#include "tracing/tracing.h"

namespace wtool::host::mcp {

namespace {

// The levels of syslog, each with our least level of the same severity. We have none above error.
constexpr std::array<std::pair<std::string_view, LogLevel>, 8> levels{{{"debug", LogLevel::trace},
                                                                       {"info", LogLevel::info},
                                                                       {"notice", LogLevel::warn},
                                                                       {"warning", LogLevel::warn},
                                                                       {"error", LogLevel::error},
                                                                       {"critical", LogLevel::off},
                                                                       {"alert", LogLevel::off},
                                                                       {"emergency", LogLevel::off}}};

std::string_view protocol_name(LogLevel level) {
  switch (level) {
    case LogLevel::trace:
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warn:
      return "warning";
    default:
      return "error";
  }
}

std::string log_line(const LogRecord& record, const LogSpan* span) {
  std::string data = json_line(record, span);
  data.pop_back();  // without its newline
  std::string params = R"({"level":")";
  params.append(protocol_name(record.level)).append(R"(","logger":)");
  params.append(dumped(nlohmann::json(record.target))).append(R"(,"data":)").append(data);
  return notification_line("notifications/message", params + '}');
}

}  // namespace

LogNotifications::LogNotifications(Tracing& tracing, Output& output) : tracing_(tracing), output_(output) {}

LogNotifications::~LogNotifications() { tracing_.observe(LogLevel::off, {}); }

bool LogNotifications::parse_level(std::string_view name, LogLevel& level) {
  const auto found = std::find_if(levels.begin(), levels.end(), [&](const auto& known) { return known.first == name; });
  if (found == levels.end()) return false;
  level = found->second;
  return true;
}

void LogNotifications::send_from(LogLevel level) {
  all_from_.store(level);
  observe();
}

void LogNotifications::send_for_calls_from(LogLevel level) {
  if (level >= calls_from_) return;
  calls_from_ = level;
  observe();
}

void LogNotifications::observe() {
  tracing_.observe(std::min(all_from_.load(), calls_from_), [this](const LogRecord& record, const LogSpan* span) {
    const ClientCall* call = Calls::current();
    const bool is_wanted = record.level >= all_from_.load() || (call != nullptr && record.level >= call->logs_from);
    if (is_wanted) output_.send_notification(log_line(record, span));
  });
}

}  // namespace wtool::host::mcp
