// W3C trace context: the text `00-TRACE-PARENT-FLAGS` by which a call, and what it runs, belong to a caller's trace.
#pragma once

#include <string>
#include <string_view>

namespace wtool {

// Whether it is a traceparent: of version 00, or of a later one that begins as 00 does.
bool is_traceparent(std::string_view text);

// For what a caller of this traceparent starts: the same trace and flags, and a parent of its own, made at random. Empty:
// the text is no traceparent. Any thread.
std::string child_of_trace(std::string_view traceparent);

// What this process was started with, as its variable TRACEPARENT. Empty: nothing, or no traceparent.
std::string trace_of_process();

}  // namespace wtool
