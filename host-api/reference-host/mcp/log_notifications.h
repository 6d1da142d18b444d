// Sends log records of the host's tracing to the client, as notifications/message.
//
// Nothing is sent before a client sets a level. Records that the client does not read in time are dropped.
#pragma once

#include <atomic>
#include <string_view>

#include "mcp/output.h"
#include "tracing/tracing.h"

namespace wtool::host::mcp {

// One thread, but for the records.
class LogNotifications {
 public:
  LogNotifications(Tracing& tracing, Output& output);
  LogNotifications(const LogNotifications&) = delete;
  LogNotifications& operator=(const LogNotifications&) = delete;
  ~LogNotifications();

  // Translates one of the protocol's eight levels, from which on a client wants records; false for any other name.
  static bool parse_level(std::string_view name, LogLevel& level);

  // From this level on, whatever it is about.
  void send_from(LogLevel level);

  // Also what a call wants that is about it; `level` is the least that one of them does.
  void send_for_calls_from(LogLevel level);

 private:
  void observe();

  Tracing& tracing_;
  Output& output_;
  std::atomic<LogLevel> all_from_{LogLevel::off};
  LogLevel calls_from_ = LogLevel::off;
};

}  // namespace wtool::host::mcp
