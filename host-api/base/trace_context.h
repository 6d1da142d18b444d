// W3C trace context: the text `00-TRACE-PARENT-FLAGS` by which a call, and what it runs, belong to a caller's trace.
#pragma once

#include <string>
#include <string_view>

namespace wtool {

// True if the text is a traceparent of version 00, or of a later version that begins like version 00.
bool is_traceparent(std::string_view text);

// The traceparent for work that is started within `traceparent`: the same trace and flags, with a new random parent id.
// Empty: the text is not a traceparent. Any thread may call this.
std::string child_of_trace(std::string_view traceparent);

// The traceparent in this process's variable TRACEPARENT. Empty: it is not set, or not valid.
std::string trace_of_process();

}  // namespace wtool
