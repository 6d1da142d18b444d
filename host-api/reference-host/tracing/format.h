// A record as one line, newline included. Pure.
#pragma once

#include <string>

#include "tracing/tracing.h"

namespace wtool::host {

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
