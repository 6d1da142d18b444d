// Sends log records of the host's tracing to the client, as notifications/message.
//
// Nothing is sent before a client sets a level. Records that the client does not read in time are dropped.
#pragma once

#include <atomic>
#include <string_view>

#include "mcp/output.h"
#include "tracing/tracing.h"

namespace wtool::host::mcp {

// Only one thread may use an object of this class. Records may come from any thread.
class LogNotifications {
 public:
  LogNotifications(Tracing& tracing, Output& output);
  LogNotifications(const LogNotifications&) = delete;
  LogNotifications& operator=(const LogNotifications&) = delete;
  ~LogNotifications();

  // Translates the name of one of the protocol's eight levels. False: the protocol has no such level.
  static bool parse_level(std::string_view name, LogLevel& level);

  // Sends all records of this level and above.
  void send_from(LogLevel level);

  // Also sends records about a call if that call wants them; `level` is the least level that any such call wants.
  void send_for_calls_from(LogLevel level);

 private:
  void observe();

  Tracing& tracing_;
  Output& output_;
  std::atomic<LogLevel> all_from_{LogLevel::off};
  LogLevel calls_from_ = LogLevel::off;
};

}  // namespace wtool::host::mcp
