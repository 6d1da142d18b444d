/* A host of version 1.0: it is compiled with the headers beside it, whatever today's are, and calls shell_execute of today's
 * plugin. It uses all that 1.0 has: states, output, limits, a trace, a cancellation, the log and the explanation.
 *
 * Usage: host PLUGIN [longer|shorter]
 *   longer    its structs are larger than those of 1.0, as a newer host's are: what is unknown is poison
 *   shorter   its requests end after their arguments; everything behind is poison */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wtool/ext/approval.h>
#include <wtool/ext/explain.h>
#include <wtool/ext/log.h>
#include <wtool/tool.h>

static int failed = 0;

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "frozen host 1.0: %s\n", what);
  failed = 1;
}

static wtool_view view(const char* text) {
  wtool_view made = {text, strlen(text)};
  return made;
}

static int holds(wtool_view text, const char* part) {
  const size_t size = strlen(part);
  for (size_t i = 0; i + size <= text.size; ++i) {
    if (memcmp(text.data + i, part, size) == 0) return 1;
  }
  return 0;
}

enum { POISON = 0xa5, UNKNOWN = 64 };

/* A struct with what a newer version might append to it. */
#define ROOM(type)                    \
  union {                             \
    type known;                       \
    char all[sizeof(type) + UNKNOWN]; \
  }

static int longer = 0, shorter = 0;

static uint32_t size_of(size_t known) { return (uint32_t)(longer ? known + UNKNOWN : known); }

static int is_poison(const char* bytes, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if ((unsigned char)bytes[i] != POISON) return 0;
  }
  return 1;
}

/* ---- What the host offers. */

static unsigned records = 0, spans = 0;

static int32_t enabled(const wtool_host* host, uint32_t level, wtool_view target) {
  (void)host, (void)target;
  return level >= WTOOL_LOG_INFO;
}

static void emit(const wtool_host* host, const wtool_log_record* record) {
  (void)host;
  check(WTOOL_HAS(record, span), "a log record is smaller than that of 1.0");
  ++records;
}

static uint64_t span_open(const wtool_host* host, uint64_t parent, wtool_view name, const wtool_field* fields,
                          uint32_t count) {
  (void)host, (void)name, (void)fields, (void)count;
  check(shorter || parent == 42, "a span is not under the request's");
  return ++spans;
}

static void span_close(const wtool_host* host, uint64_t span) { (void)host, (void)span; }

static const wtool_host_log log_extension = {sizeof(wtool_host_log), 0, enabled, emit, span_open, span_close};

static const void* get_extension(const wtool_host* host, const char* id) {
  (void)host;
  return strcmp(id, WTOOL_EXT_LOG) == 0 ? &log_extension : NULL;
}

/* ---- Calls. */

struct seen {
  const wtool_tool* tool;
  wtool_call* call;
  uint64_t last;
  int queued, started, stopping, ended, output;
};

static int32_t on_event(void* context, const wtool_event* event) {
  struct seen* seen = context;
  check(WTOOL_HAS(event, payload), "an event is smaller than that of 1.0");
  check(event->seq == seen->last + 1, "events are not counted");
  seen->last = event->seq;
  if (event->kind == WTOOL_EVENT_STATE) {
    seen->queued += holds(event->payload, "\"state\":\"queued\"");
    seen->started += holds(event->payload, "\"state\":\"started\"") && holds(event->payload, "\"pid\":");
    seen->stopping += holds(event->payload, "\"state\":\"stopping\"");
    seen->ended += holds(event->payload, "\"state\":\"ended\"");
  }
  if (event->kind == WTOOL_EVENT_STDOUT && holds(event->payload, "ready")) {
    ++seen->output;
    seen->tool->call_cancel(seen->call, WTOOL_CANCEL_GRACEFUL, view("enough"));
  }
  return 0;
}

static wtool_status run(const wtool_tool* tool, const wtool_request* request, struct seen* seen, const char* part) {
  ROOM(wtool_blob) result;
  wtool_status status;
  memset(&result, POISON, sizeof result);
  memset(&result.known, 0, sizeof result.known);
  result.known.struct_size = size_of(sizeof result.known);
  seen->tool = tool;
  status = tool->call_new(tool, request, &seen->call, NULL);
  check(status == WTOOL_OK, "call_new failed");
  if (status != WTOOL_OK) return status;
  status = tool->call_run(seen->call, &result.known, NULL);
  check(result.known.release != NULL, "call_run filled no result");
  if (result.known.release != NULL) {
    check(holds(result.known.bytes, part), part);
    result.known.release(&result.known);
    check(result.known.release == NULL, "release left itself set");
  }
  check(is_poison(result.all + sizeof(wtool_blob), UNKNOWN), "a part of a blob was written that 1.0 does not know");
  tool->call_free(seen->call);
  return status;
}

static void make_calls(const wtool_tool* tool) {
  ROOM(wtool_request) request;
  struct seen seen = {0};
  wtool_blob answer = {sizeof answer, 0, {NULL, 0}, NULL, NULL};
  memset(&request, POISON, sizeof request);
  if (!shorter) memset(&request.known, 0, sizeof request.known);
  request.known.flags = 0;
  request.known.struct_size = shorter ? offsetof(wtool_request, call_id) : size_of(sizeof request.known);
  request.known.arguments = view("{\"command\": \"echo hi $TRACEPARENT\"}");
  if (shorter) {
    check(run(tool, &request.known, &seen, "hi") == WTOOL_OK, "a short request does not run");
    check(seen.last == 0, "a request without a sink got events");
    return;
  }
  request.known.call_id = view("frozen-1");
  request.known.traceparent = view("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  request.known.parent_span = 42;
  request.known.sink_ctx = &seen;
  request.known.on_event = on_event;
  request.known.limits = view("{\"processes\": 20}");
  check(run(tool, &request.known, &seen, "00-0af7651916cd43dd8448eb211c80319c-") == WTOOL_OK, "a call does not run");
  check(seen.queued == 1 && seen.started == 1 && seen.ended == 1 && seen.stopping == 0, "a state is missing");
  check(spans == 1 && records > 0, "nothing was logged");

  memset(&seen, 0, sizeof seen);
  request.known.arguments = view("{\"command\": \"echo ready; sleep 61\"}");
  check(run(tool, &request.known, &seen, "enough") == WTOOL_E_CANCELLED, "a call is not cancelled");
  check(seen.output == 1 && seen.stopping == 1 && seen.ended == 1, "a cancelled call was not seen to stop");

  request.known.limits = view("{\"no_such_key\": 1}");
  check(tool->call_new(tool, &request.known, &seen.call, NULL) == WTOOL_E_INVALID_ARGUMENT,
        "wrong limits are not refused");
  request.known.limits = view("");
  {
    const wtool_tool_explain* explain = tool->get_extension(tool, WTOOL_EXT_EXPLAIN);
    check(explain != NULL && WTOOL_HAS_FN(explain, explain), "there is no explanation");
    if (explain == NULL) return;
    check(explain->explain(tool, &request.known, &answer, NULL) == WTOOL_OK, "explain failed");
    check(holds(answer.bytes, "\"verdict\""), "an explanation has no verdict");
    if (answer.release != NULL) answer.release(&answer);
  }
}

int main(int count, char** words) {
  ROOM(wtool_host) host;
  const wtool_tool* tool = NULL;
  const wtool_entry* entry;
  void* library;
  if (count < 2) return 2;
  longer = count > 2 && strcmp(words[2], "longer") == 0;
  shorter = count > 2 && strcmp(words[2], "shorter") == 0;
  library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  entry = library == NULL ? NULL : dlsym(library, WTOOL_ENTRY_SYMBOL);
  if (entry == NULL) {
    fprintf(stderr, "frozen host 1.0: %s\n", dlerror());
    return 1;
  }
  check(WTOOL_HAS(entry, tool_new) && entry->abi_major == WTOOL_ABI_MAJOR, "the entry is not of 1.0");
  check(entry->tool_count() > 0 && WTOOL_HAS(entry->tool_at(0), output_schema), "a descriptor is not of 1.0");
  memset(&host, POISON, sizeof host);
  memset(&host.known, 0, sizeof host.known);
  host.known.struct_size = size_of(sizeof host.known);
  host.known.abi_minor = WTOOL_ABI_MINOR;
  host.known.name = view("frozen");
  host.known.version = view("1.0.0");
  host.known.get_extension = get_extension;
  check(entry->init(&host.known, NULL) == WTOOL_OK, "init failed");
  check(entry->tool_new(view("shell_execute"), view(""), &tool, NULL) == WTOOL_OK && tool != NULL, "tool_new failed");
  if (tool != NULL) {
    check(WTOOL_HAS(tool, destroy), "a tool is not of 1.0");
    check((tool->descriptor->hints & WTOOL_HINT_LIMITS) != 0, "the tool holds no limits");
    make_calls(tool);
    tool->destroy(tool);
  }
  entry->deinit();
  check(is_poison(host.all + sizeof(wtool_host), UNKNOWN), "a part of the host was written that 1.0 does not know");
  return failed;
}
