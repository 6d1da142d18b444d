/* A plugin of version 1.0: it is compiled with the headers beside it, whatever today's are. Its one tool, frozen_echo, answers
 * with its arguments and with what the request had, sends an event of each kind, and opens a span.
 *
 *   -DLONGER    its structs are larger than those of 1.0, as a newer plugin's are: what is unknown is poison
 *   -DSHORTER   its entry is too small for 1.0, so that no host may use it */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wtool/ext/log.h>
#include <wtool/tool.h>

#define VIEW(text) \
  { (text), sizeof(text) - 1 }

#ifdef LONGER
#define AFTER char unknown[64];
#define POISON \
  { '\x5a', '\x5a', '\x5a', '\x5a' }
#define END , POISON
#else
#define AFTER
#define END
#endif

struct wtool_call {
  char* arguments;
  size_t size;
  uint64_t parent_span;
  void* sink_ctx;
  int32_t (*on_event)(void*, const wtool_event*);
  uint64_t events;
  int ran, cancelled, has_trace, has_limits;
};

static const struct {
  wtool_descriptor known;
  AFTER
} descriptor = {{.struct_size = sizeof descriptor,
                 .hints = WTOOL_HINT_READ_ONLY | WTOOL_HINT_IDEMPOTENT | WTOOL_HINT_LIMITS,
                 .id = VIEW("frozen_echo"),
                 .title = VIEW("Echo"),
                 .version = VIEW("1.0.0"),
                 .description = VIEW("Answers with its arguments."),
                 .input_schema = VIEW("{\"type\":\"object\",\"additionalProperties\":true}"),
                 .output_schema = VIEW("{\"type\":\"object\"}")} END};

static const wtool_host* the_host = NULL;

static void release(wtool_blob* self) {
  free(self->owner);
  self->owner = NULL;
  self->bytes.data = NULL;
  self->bytes.size = 0;
  self->release = NULL;
}

static wtool_status fill(wtool_blob* out, char* text) {
  if (text == NULL) return WTOOL_E_RESOURCE;
  out->reserved = 0;
  out->bytes.data = text;
  out->bytes.size = strlen(text);
  out->owner = text;
  out->release = release;
  return WTOOL_OK;
}

static wtool_status fail(wtool_status status, wtool_blob* error, const char* why) {
  if (error != NULL && WTOOL_HAS(error, release)) fill(error, strdup(why));
  return status;
}

/* As far as this plugin cares. */
static int is_object(const char* text, size_t size) {
  while (size > 0 && strchr(" \t\r\n", *text) != NULL) ++text, --size;
  while (size > 0 && strchr(" \t\r\n", text[size - 1]) != NULL) --size;
  for (size_t i = 0; i < size; ++i) {
    if (text[i] == 0 || (unsigned char)text[i] > 126) return 0; /* NUL, or not ASCII */
  }
  return size >= 2 && text[0] == '{' && text[size - 1] == '}';
}

static wtool_status call_new(const wtool_tool* tool, const wtool_request* request, wtool_call** out,
                             wtool_blob* error) {
  wtool_call* call;
  if (tool == NULL || request == NULL || out == NULL || !WTOOL_HAS(request, arguments)) {
    return fail(WTOOL_E_INVALID_ARGUMENT, error,
                "call_new needs a tool, a request with arguments and a place for the call");
  }
  call = calloc(1, sizeof *call);
  if (call == NULL) return WTOOL_E_RESOURCE;
  call->size = request->arguments.size;
  call->arguments = calloc(1, call->size + 1);
  if (call->arguments == NULL) return free(call), WTOOL_E_RESOURCE;
  memcpy(call->arguments, request->arguments.data == NULL ? "" : request->arguments.data, call->size);
  if (WTOOL_HAS(request, traceparent)) call->has_trace = request->traceparent.size != 0;
  if (WTOOL_HAS(request, parent_span)) call->parent_span = request->parent_span;
  if (WTOOL_HAS(request, on_event)) {
    call->sink_ctx = request->sink_ctx;
    call->on_event = request->on_event;
  }
  if (WTOOL_HAS(request, limits)) call->has_limits = request->limits.size != 0;
  *out = call;
  return WTOOL_OK;
}

static void tell(wtool_call* call, uint32_t kind, const char* text) {
  struct {
    wtool_event known;
    AFTER
  } event = {{.struct_size = sizeof event, .kind = kind, .seq = ++call->events, .payload = {text, strlen(text)}} END};
  if (call->on_event != NULL) call->on_event(call->sink_ctx, &event.known);
}

static wtool_status call_run(wtool_call* call, wtool_blob* result, wtool_blob* error) {
  const wtool_host_log* log =
      the_host == NULL || the_host->get_extension == NULL ? NULL : the_host->get_extension(the_host, WTOOL_EXT_LOG);
  char* text;
  uint64_t span;
  if (call == NULL || result == NULL || !WTOOL_HAS(result, release)) {
    return fail(WTOOL_E_INVALID_ARGUMENT, error, "call_run needs a call and a blob");
  }
  if (call->ran) return fail(WTOOL_E_INVALID_ARGUMENT, error, "this call was run already");
  call->ran = 1;
  if (call->cancelled) {
    fill(result, strdup("{\"content\":[],\"is_error\":true,\"metadata\":{}}"));
    return WTOOL_E_CANCELLED;
  }
  span = log == NULL ? 0 : log->span_open(the_host, call->parent_span, (wtool_view)VIEW("frozen"), NULL, 0);
  tell(call, WTOOL_EVENT_STATE, "{\"state\":\"queued\"}");
  tell(call, WTOOL_EVENT_STATE, "{\"state\":\"started\",\"argv\":[],\"pid\":1}");
  tell(call, WTOOL_EVENT_STDOUT, "frozen output\n");
  tell(call, WTOOL_EVENT_STDERR, "frozen errors\n");
  tell(call, 4711, "a kind of a later version");
  tell(call, WTOOL_EVENT_STATE, "{\"state\":\"a state of a later version\"}");
  tell(call, WTOOL_EVENT_STATE, "{\"state\":\"ended\"}");
  if (log != NULL) log->span_close(the_host, span);
  text = malloc(256);
  if (text == NULL) return WTOOL_E_RESOURCE;
  snprintf(text, 256,
           "{\"content\":[{\"type\":\"text\",\"text\":\"frozen answer\"}],\"is_error\":%s,\"metadata\":{\"size\":%zu,"
           "\"trace\":%s,\"span\":%s,\"limits\":%s}}",
           is_object(call->arguments, call->size) ? "false" : "true", call->size, call->has_trace ? "true" : "false",
           call->parent_span != 0 ? "true" : "false", call->has_limits ? "true" : "false");
  return fill(result, text);
}

static void call_cancel(wtool_call* call, uint32_t how, wtool_view reason) {
  (void)how, (void)reason;
  if (call != NULL) call->cancelled = 1;
}

static void call_free(wtool_call* call) {
  if (call == NULL) return;
  free(call->arguments);
  free(call);
}

static const void* get_extension(const wtool_tool* tool, const char* id) {
  (void)tool, (void)id;
  return NULL;
}

static void destroy(const wtool_tool* tool) { (void)tool; }

static struct {
  wtool_tool known;
  AFTER
} the_tool = {{.struct_size = sizeof the_tool,
               .descriptor = &descriptor.known,
               .call_new = call_new,
               .call_run = call_run,
               .call_cancel = call_cancel,
               .call_free = call_free,
               .get_extension = get_extension,
               .destroy = destroy} END};

static wtool_status init(const wtool_host* host, wtool_blob* error) {
  if (host == NULL || !WTOOL_HAS(host, get_extension))
    return fail(WTOOL_E_INVALID_ARGUMENT, error, "init needs a host of 1.0");
  if (the_host != NULL) return fail(WTOOL_E_BUSY, error, "init was called twice");
  the_host = host;
  return WTOOL_OK;
}

static void deinit(void) { the_host = NULL; }

static uint32_t tool_count(void) { return 1; }

static const wtool_descriptor* tool_at(uint32_t index) { return index == 0 ? &descriptor.known : NULL; }

static wtool_status tool_new(wtool_view id, wtool_view config, const wtool_tool** out, wtool_blob* error) {
  if (config.size != 0 && !is_object(config.data, config.size)) {
    return fail(WTOOL_E_INVALID_ARGUMENT, error, "the configuration is no JSON object");
  }
  if (out == NULL || the_host == NULL)
    return fail(WTOOL_E_INVALID_ARGUMENT, error, "tool_new needs a place, after init");
  if (id.size != 11 || memcmp(id.data, "frozen_echo", 11) != 0)
    return fail(WTOOL_E_UNSUPPORTED, error, "there is no such tool");
  *out = &the_tool.known;
  return WTOOL_OK;
}

#ifdef LONGER
/* The header declares the entry with the size of 1.0, so the larger one has the symbol by its assembler name. */
struct longer_entry {
  wtool_entry known;
  AFTER
};
__attribute__((visibility("default"))) extern const struct longer_entry longer __asm__("wtool_entry_v1");
const struct longer_entry longer = {{.struct_size = sizeof longer,
#else
const wtool_entry wtool_entry_v1 = {
#ifdef SHORTER
    .struct_size = offsetof(wtool_entry, tool_new),
#else
    .struct_size = sizeof wtool_entry_v1,
#endif
#endif
                                     .abi_major = WTOOL_ABI_MAJOR,
                                     .abi_minor = WTOOL_ABI_MINOR,
                                     .plugin_name = VIEW("frozen_tools"),
                                     .plugin_version = VIEW("1.0.0"),
                                     .init = init,
                                     .deinit = deinit,
                                     .tool_count = tool_count,
                                     .tool_at = tool_at,
                                     .tool_new = tool_new
#ifdef LONGER
                                    },
                                    POISON
#endif
};
