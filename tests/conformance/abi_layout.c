/* The layout of every struct of the interface, frozen as numbers for 64-bit systems (x86-64 and arm64 agree). Nothing
 * here runs: the test is that this file compiles, as C and, through abi_layout.cc, as C++.
 *
 * A line here is never changed. A field that is appended in a later version gets a line of its own, and the sizes of
 * version 1.0 stay as FIRST_SIZE: a host or plugin of that version allocates exactly that much. */
#include <stddef.h>
#include <wtool/ext/approval.h>
#include <wtool/ext/explain.h>
#include <wtool/ext/log.h>
#include <wtool/tool.h>

#ifdef __cplusplus
#define CHECK(condition, text) static_assert(condition, text)
#else
#define CHECK(condition, text) _Static_assert(condition, text)
#endif

#define AT(type, member, offset) CHECK(offsetof(type, member) == (offset), #type "." #member " has moved")
/* For structs that never grow. */
#define SIZE(type, size) CHECK(sizeof(type) == (size), "the size of " #type " has changed")
/* For structs that may grow at their end: their size in version 1.0 is the minimum. */
#define FIRST_SIZE(type, size) CHECK(sizeof(type) >= (size), #type " has shrunk")

CHECK(sizeof(void*) == 8, "this table is for 64-bit systems");
CHECK(sizeof(size_t) == 8, "this table is for 64-bit systems");
CHECK(sizeof(wtool_status) == 4, "wtool_status has changed");

AT(wtool_view, data, 0);
AT(wtool_view, size, 8);
SIZE(wtool_view, 16);

AT(wtool_blob, struct_size, 0);
AT(wtool_blob, reserved, 4);
AT(wtool_blob, bytes, 8);
AT(wtool_blob, owner, 24);
AT(wtool_blob, release, 32);
FIRST_SIZE(wtool_blob, 40);

AT(wtool_host, struct_size, 0);
AT(wtool_host, abi_minor, 4);
AT(wtool_host, ctx, 8);
AT(wtool_host, name, 16);
AT(wtool_host, version, 32);
AT(wtool_host, get_extension, 48);
FIRST_SIZE(wtool_host, 56);

AT(wtool_descriptor, struct_size, 0);
AT(wtool_descriptor, hints, 4);
AT(wtool_descriptor, id, 8);
AT(wtool_descriptor, title, 24);
AT(wtool_descriptor, version, 40);
AT(wtool_descriptor, description, 56);
AT(wtool_descriptor, input_schema, 72);
AT(wtool_descriptor, output_schema, 88);
FIRST_SIZE(wtool_descriptor, 104);

AT(wtool_event, struct_size, 0);
AT(wtool_event, kind, 4);
AT(wtool_event, seq, 8);
AT(wtool_event, mono_ns, 16);
AT(wtool_event, payload, 24);
FIRST_SIZE(wtool_event, 40);

AT(wtool_request, struct_size, 0);
AT(wtool_request, flags, 4);
AT(wtool_request, arguments, 8);
AT(wtool_request, call_id, 24);
AT(wtool_request, traceparent, 40);
AT(wtool_request, parent_span, 56);
AT(wtool_request, deadline_ms, 64);
AT(wtool_request, sink_ctx, 72);
AT(wtool_request, on_event, 80);
AT(wtool_request, limits, 88);
FIRST_SIZE(wtool_request, 104);

AT(wtool_tool, struct_size, 0);
AT(wtool_tool, reserved, 4);
AT(wtool_tool, descriptor, 8);
AT(wtool_tool, self, 16);
AT(wtool_tool, call_new, 24);
AT(wtool_tool, call_run, 32);
AT(wtool_tool, call_cancel, 40);
AT(wtool_tool, call_free, 48);
AT(wtool_tool, get_extension, 56);
AT(wtool_tool, destroy, 64);
FIRST_SIZE(wtool_tool, 72);

AT(wtool_entry, struct_size, 0);
AT(wtool_entry, abi_major, 4);
AT(wtool_entry, abi_minor, 8);
AT(wtool_entry, flags, 12);
AT(wtool_entry, plugin_name, 16);
AT(wtool_entry, plugin_version, 32);
AT(wtool_entry, init, 48);
AT(wtool_entry, deinit, 56);
AT(wtool_entry, tool_count, 64);
AT(wtool_entry, tool_at, 72);
AT(wtool_entry, tool_new, 80);
FIRST_SIZE(wtool_entry, 88);

AT(wtool_field, key, 0);
AT(wtool_field, json, 16);
SIZE(wtool_field, 32);

AT(wtool_log_record, struct_size, 0);
AT(wtool_log_record, level, 4);
AT(wtool_log_record, unix_ns, 8);
AT(wtool_log_record, target, 16);
AT(wtool_log_record, message, 32);
AT(wtool_log_record, file, 48);
AT(wtool_log_record, line, 64);
AT(wtool_log_record, n_fields, 68);
AT(wtool_log_record, fields, 72);
AT(wtool_log_record, span, 80);
FIRST_SIZE(wtool_log_record, 88);

AT(wtool_host_log, struct_size, 0);
AT(wtool_host_log, reserved, 4);
AT(wtool_host_log, enabled, 8);
AT(wtool_host_log, emit, 16);
AT(wtool_host_log, span_open, 24);
AT(wtool_host_log, span_close, 32);
FIRST_SIZE(wtool_host_log, 40);

AT(wtool_approval_question, struct_size, 0);
AT(wtool_approval_question, reserved, 4);
AT(wtool_approval_question, id, 8);
AT(wtool_approval_question, tool, 16);
AT(wtool_approval_question, call_id, 32);
AT(wtool_approval_question, subject, 48);
AT(wtool_approval_question, reason, 64);
AT(wtool_approval_question, fingerprint, 80);
FIRST_SIZE(wtool_approval_question, 96);

AT(wtool_host_approval, struct_size, 0);
AT(wtool_host_approval, reserved, 4);
AT(wtool_host_approval, ask, 8);
AT(wtool_host_approval, withdraw, 16);
FIRST_SIZE(wtool_host_approval, 24);

AT(wtool_tool_explain, struct_size, 0);
AT(wtool_tool_explain, reserved, 4);
AT(wtool_tool_explain, explain, 8);
FIRST_SIZE(wtool_tool_explain, 16);

/* Constants are as much a promise as offsets are. */
CHECK(WTOOL_ABI_MAJOR == 1u, "a new major is a new symbol");
CHECK(WTOOL_OK == 0 && WTOOL_E_INVALID_ARGUMENT == 1 && WTOOL_E_UNSUPPORTED == 2 && WTOOL_E_CANCELLED == 3 &&
          WTOOL_E_BUSY == 4 && WTOOL_E_RESOURCE == 5 && WTOOL_E_INTERNAL == 6,
      "a status has changed");
CHECK(WTOOL_EVENT_STDOUT == 1u && WTOOL_EVENT_STDERR == 2u && WTOOL_EVENT_STATE == 3u, "an event kind has changed");
CHECK(WTOOL_CANCEL_GRACEFUL == 1u && WTOOL_CANCEL_NOW == 2u, "a strength of cancelling has changed");
CHECK(WTOOL_HINT_READ_ONLY == 1u && WTOOL_HINT_DESTRUCTIVE == 2u && WTOOL_HINT_IDEMPOTENT == 4u &&
          WTOOL_HINT_OPEN_WORLD == 8u && WTOOL_HINT_LIMITS == 16u,
      "a hint has changed");
CHECK(WTOOL_LOG_TRACE == 1u && WTOOL_LOG_DEBUG == 2u && WTOOL_LOG_INFO == 3u && WTOOL_LOG_WARN == 4u &&
          WTOOL_LOG_ERROR == 5u,
      "a log level has changed");
CHECK(WTOOL_APPROVAL_UNAVAILABLE == 0u && WTOOL_APPROVAL_YES == 1u && WTOOL_APPROVAL_NO == 2u &&
          WTOOL_APPROVAL_ALWAYS == 3u && WTOOL_APPROVAL_NEVER == 4u && WTOOL_APPROVAL_DEFERRED == 5u &&
          WTOOL_APPROVAL_EXPIRED == 6u,
      "an answer has changed");
