/* A plugin for the tests of the host, in plain C. Two tools:
 *
 *   echo  sends a state, an event that no host knows, and "out" and "err" as live output; then answers with the number of argument bytes, the arguments and its
 *         configuration. If the arguments do not begin like an object, it answers null for them and sets is_error.
 *         With "command" in its arguments, it asks a person instead, and answers with what the person said
 *   wait  sends "waiting" as live output, and ends when it is cancelled. With "stubborn" in its arguments, it ends only
 *         when it is cancelled now; with "never", it never ends
 *
 * The macros below change the plugin: a host must refuse it, or must not believe its answer, or its tools have other
 * names.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wtool/ext/approval.h>
#include <wtool/ext/explain.h>
#include <wtool/ext/log.h>
#include <wtool/tool.h>

#ifndef TEST_MAJOR
#define TEST_MAJOR WTOOL_ABI_MAJOR
#endif
#ifndef TEST_ENTRY_SIZE
#define TEST_ENTRY_SIZE sizeof(wtool_entry)
#endif
#ifndef TEST_DESCRIPTOR_SIZE
#define TEST_DESCRIPTOR_SIZE sizeof(wtool_descriptor)
#endif
#ifndef TEST_FIRST_ID
#define TEST_FIRST_ID "echo"
#endif
#ifndef TEST_SECOND_ID
#define TEST_SECOND_ID "wait"
#endif
#ifndef TEST_SCHEMA
#define TEST_SCHEMA "{\"type\": \"object\"}"
#endif
#ifndef TEST_WITHOUT
#define TEST_WITHOUT 0 /* the number of a function that the entry (1 to 5) or each tool (6 to 10) lacks */
#endif
#ifndef TEST_INIT_STATUS
#define TEST_INIT_STATUS WTOOL_OK
#endif

#define TEXT(literal) \
  { (literal), sizeof(literal) - 1 }

static const wtool_host* the_host;
static wtool_tool* undestroyed; /* a tool without the function destroy */
static const wtool_host_log* the_log;
static const wtool_host_approval* the_approval;

struct wtool_call {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  uint32_t how; /* 0: not cancelled */
  char reason[100];
  int waits;
  char* arguments;
  const char* config;
  wtool_request request;
};

static void release(wtool_blob* blob) {
  free(blob->owner);
  blob->owner = NULL;
  blob->release = NULL;
}

static void fill(wtool_blob* blob, const char* text) {
  if (blob == NULL) return;
  char* copy = strdup(text);
  blob->owner = copy;
  blob->bytes.data = copy;
  blob->bytes.size = strlen(copy);
  blob->release = release;
}

static void say(const char* message, uint64_t span) {
  if (the_log == NULL) return;
  const wtool_view target = TEXT("test_plugin::call");
  if (!the_log->enabled(the_host, WTOOL_LOG_INFO, target)) return;
  const wtool_field field = {TEXT("answer"), TEXT("42")};
  const wtool_log_record record = {
      .struct_size = sizeof record,
      .level = WTOOL_LOG_INFO,
      .target = target,
      .message = {message, strlen(message)},
      .fields = &field,
      .n_fields = 1,
      .span = span,
  };
  the_log->emit(the_host, &record);
}

static int32_t event(wtool_call* call, uint32_t kind, const char* text, uint64_t seq) {
  if (call->request.on_event == NULL) return 0;
  const wtool_event one = {.struct_size = sizeof one, .kind = kind, .seq = seq, .payload = {text, strlen(text)}};
  return call->request.on_event(call->request.sink_ctx, &one);
}

static wtool_status call_new(const wtool_tool* tool, const wtool_request* request, wtool_call** out,
                             wtool_blob* error) {
  if (request->arguments.size == 6 && memcmp(request->arguments.data, "refuse", 6) == 0) {
    fill(error, "this test refuses");
    return WTOOL_E_RESOURCE;
  }
  wtool_call* call = calloc(1, sizeof *call);
  pthread_mutex_init(&call->mutex, NULL);
  pthread_cond_init(&call->changed, NULL);
  call->waits = strcmp(tool->descriptor->id.data, TEST_FIRST_ID) != 0;
  call->arguments = calloc(1, request->arguments.size + 1);
  memcpy(call->arguments, request->arguments.data, request->arguments.size);
  call->config = tool->self;
  call->request = *request;
  *out = call;
  return WTOOL_OK;
}

/* Asks with the arguments as the subject; the question's number is the call's address. */
static uint32_t ask(const wtool_call* call) {
  const wtool_approval_question question = {
      .struct_size = sizeof question,
      .id = (uint64_t)(uintptr_t)call,
      .tool = TEXT("echo"),
      .subject = call->request.arguments,
      .reason = TEXT("this test asks"),
  };
  return the_approval == NULL ? WTOOL_APPROVAL_UNAVAILABLE : the_approval->ask(the_host, &question);
}

static wtool_status run_ask(wtool_call* call, wtool_blob* result) {
  char text[200];
  const uint32_t answer = ask(call);
  snprintf(text, sizeof text, "{\"content\":[],\"is_error\":%s,\"metadata\":{\"answer\":%u,\"how\":%u}}",
           answer == WTOOL_APPROVAL_YES ? "false" : "true", (unsigned)answer, (unsigned)call->how);
  fill(result, text);
  return call->how != 0 ? WTOOL_E_CANCELLED : WTOOL_OK;
}

static wtool_status run_echo(wtool_call* call, wtool_blob* result) {
  if (strstr(call->arguments, "\"command\"") != NULL) return run_ask(call, result);
  event(call, WTOOL_EVENT_STATE, "{\"state\":\"started\",\"pid\":4711,\"more\":[]}", 1);
  event(call, 4711, "unknown\n", 2);
  event(call, WTOOL_EVENT_STDOUT, "out\n", 3);
  event(call, WTOOL_EVENT_STDERR, "err\n", 4);
  const int object = call->arguments[0] == '{';
  const size_t room = strlen(call->arguments) + strlen(call->config) + 300;
  char* text = malloc(room);
#ifdef TEST_ANSWER
  (void)object;
  snprintf(text, room, "%s", TEST_ANSWER);
#else
  snprintf(text, room,
           "{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],\"is_error\":%s,"
           "\"metadata\":{\"bytes\":%zu,\"arguments\":%s,\"config\":%s}}",
           object ? "echoed" : "invalid_parameters", object ? "false" : "true", call->request.arguments.size,
           object ? call->arguments : "null", call->config);
#endif
  fill(result, text);
  free(text);
  return WTOOL_OK;
}

static wtool_status run_wait(wtool_call* call, wtool_blob* result) {
  uint32_t enough = strstr(call->arguments, "stubborn") != NULL ? WTOOL_CANCEL_NOW : WTOOL_CANCEL_GRACEFUL;
  if (strstr(call->arguments, "never") != NULL) enough = UINT32_MAX;
  if (event(call, WTOOL_EVENT_STDOUT, "waiting\n", 1) != 0) {
    fill(result, "{\"content\":[],\"is_error\":true,\"metadata\":{\"how\":0,\"reason\":\"the sink said so\"}}");
    return WTOOL_E_CANCELLED;
  }
  pthread_mutex_lock(&call->mutex);
  for (uint32_t seen = 0; call->how < enough;) {
    if (call->how != seen) {
      seen = call->how;
      pthread_mutex_unlock(&call->mutex); /* The sink may cancel, which locks. */
      event(call, WTOOL_EVENT_STDERR, seen == WTOOL_CANCEL_NOW ? "still not\n" : "not yet\n", 2);
      pthread_mutex_lock(&call->mutex);
      continue;
    }
    pthread_cond_wait(&call->changed, &call->mutex);
  }
  char text[300];
  snprintf(text, sizeof text, "{\"content\":[],\"is_error\":true,\"metadata\":{\"how\":%u,\"reason\":\"%s\"}}",
           (unsigned)call->how, call->reason);
  pthread_mutex_unlock(&call->mutex);
  fill(result, text);
  return WTOOL_E_CANCELLED;
}

static wtool_status call_run(wtool_call* call, wtool_blob* result, wtool_blob* error) {
  (void)error;
  const wtool_field field = {TEXT("tool"), TEXT("\"echo\"")};
  const wtool_view name = TEXT("call");
  const uint64_t span = the_log == NULL ? 0 : the_log->span_open(the_host, call->request.parent_span, name, &field, 1);
  say("running", span);
  const wtool_status status = call->waits ? run_wait(call, result) : run_echo(call, result);
  if (the_log != NULL) the_log->span_close(the_host, span);
  return status;
}

static void call_cancel(wtool_call* call, uint32_t how, wtool_view reason) {
  pthread_mutex_lock(&call->mutex);
  if (call->how == 0) {
    snprintf(call->reason, sizeof call->reason, "%.*s", (int)reason.size, reason.data);
  }
  if (how > call->how) call->how = how;
  if (the_approval != NULL) the_approval->withdraw(the_host, (uint64_t)(uintptr_t)call);
  pthread_cond_broadcast(&call->changed);
  pthread_mutex_unlock(&call->mutex);
}

static void call_free(wtool_call* call) {
  if (call == NULL) return;
  pthread_cond_destroy(&call->changed);
  pthread_mutex_destroy(&call->mutex);
  free(call->arguments);
  free(call);
}

/* The arguments name the answer: allow, ask, deny, a verdict that does not exist, or no explanation at all. `once` is
 * allowed the first time, and denied from then on. */
static wtool_status explain(const wtool_tool* tool, const wtool_request* request, wtool_blob* result,
                            wtool_blob* error) {
  (void)tool;
  char text[300] = "[]";
  const char* known[] = {"allow", "ask", "deny", "perhaps"};
  char arguments[200];
  snprintf(arguments, sizeof arguments, "%.*s", (int)request->arguments.size, request->arguments.data);
  if (strstr(arguments, "fail") != NULL) {
    fill(error, "this test does not explain");
    return WTOOL_E_INTERNAL;
  }
  if (strstr(arguments, "once") != NULL) {
    static int times;
    snprintf(text, sizeof text, "{\"verdict\":\"%s\",\"reason\":\"because\"}", times++ == 0 ? "allow" : "deny");
  }
  for (int i = 0; i < 4; ++i) {
    if (strstr(arguments, known[i]) == NULL) continue;
    snprintf(text, sizeof text, "{\"verdict\":\"%s\",\"reason\":\"because\",\"arguments\":%s}", known[i], arguments);
  }
  fill(result, text);
  return WTOOL_OK;
}

static const void* extension(const wtool_tool* tool, const char* id) {
  static const wtool_tool_explain explaining = {.struct_size = sizeof explaining, .explain = explain};
  return strcmp(id, WTOOL_EXT_EXPLAIN) == 0 && strcmp(tool->descriptor->id.data, TEST_FIRST_ID) == 0 ? &explaining
                                                                                                     : NULL;
}

static void destroy(const wtool_tool* tool) {
  say("destroy", 0);
  free(tool->self);
  free((void*)tool);
}

static const wtool_descriptor tools[] = {
    {
        .struct_size = TEST_DESCRIPTOR_SIZE,
        .hints = WTOOL_HINT_READ_ONLY | WTOOL_HINT_IDEMPOTENT,
        .id = TEXT(TEST_FIRST_ID),
        .title = TEXT("Say it again"),
        .version = TEXT("1.2.3"),
        .description = TEXT("Answers with its arguments.\nA second line."),
        .input_schema = TEXT(TEST_SCHEMA),
        .output_schema = TEXT("{\"type\": \"object\", \"required\": [\"bytes\"]}"),
    },
    {
        .struct_size = sizeof(wtool_descriptor),
        .id = TEXT(TEST_SECOND_ID),
        .title = TEXT("Wait"),
        .version = TEXT("1.0.0"),
        .description = TEXT("Waits until it is cancelled."),
        .input_schema = TEXT("{}"),
    },
};

static uint32_t tool_count(void) { return sizeof tools / sizeof tools[0]; }

static const wtool_descriptor* tool_at(uint32_t index) { return index < tool_count() ? &tools[index] : NULL; }

static wtool_status tool_new(wtool_view id, wtool_view config, const wtool_tool** out, wtool_blob* error) {
  if (config.size > 1000) {
    fill(error, "the configuration is too long for this test");
    return WTOOL_E_INVALID_ARGUMENT;
  }
  wtool_tool* tool = calloc(1, sizeof *tool);
  tool->struct_size = sizeof *tool;
  for (uint32_t i = 0; i < tool_count(); ++i) {
    if (tools[i].id.size == id.size && memcmp(tools[i].id.data, id.data, id.size) == 0) tool->descriptor = &tools[i];
  }
  char* text = calloc(1, config.size + 3);
  memcpy(text, config.size == 0 ? "{}" : config.data, config.size == 0 ? 2 : config.size);
  tool->self = text;
  tool->call_new = call_new;
  tool->call_run = call_run;
  tool->call_cancel = call_cancel;
  tool->call_free = call_free;
  tool->get_extension = extension;
  tool->destroy = destroy;
  if (TEST_WITHOUT == 6) tool->call_new = NULL;
  if (TEST_WITHOUT == 7) tool->call_run = NULL;
  if (TEST_WITHOUT == 8) tool->call_cancel = NULL;
  if (TEST_WITHOUT == 9) tool->call_free = NULL;
  if (TEST_WITHOUT == 10) {
    tool->destroy = NULL;
    undestroyed = tool;
  }
  *out = tool;
  return WTOOL_OK;
}

static wtool_status init(const wtool_host* host, wtool_blob* error) {
  if (TEST_INIT_STATUS != WTOOL_OK) {
    fill(error, "the moon is not full");
    return TEST_INIT_STATUS;
  }
  the_host = host;
  the_log = host->get_extension(host, WTOOL_EXT_LOG);
  the_approval = host->get_extension(host, WTOOL_EXT_APPROVAL);
  if (host->get_extension(host, "wtool.nonsense/7") != NULL) {
    fill(error, "the host claims to have an extension that nobody has");
    return WTOOL_E_INTERNAL;
  }
  say("init", 0);
  return WTOOL_OK;
}

static void deinit(void) {
  say("deinit", 0);
  the_host = NULL;
  the_log = NULL;
  if (undestroyed != NULL) destroy(undestroyed);
}

WTOOL_EXPORT const wtool_entry wtool_entry_v1 = {
    .struct_size = TEST_ENTRY_SIZE,
    .abi_major = TEST_MAJOR,
    .abi_minor = WTOOL_ABI_MINOR,
    .plugin_name = TEXT("test_plugin"),
    .plugin_version = TEXT("1.0.0"),
    .init = TEST_WITHOUT == 1 ? NULL : init,
    .deinit = TEST_WITHOUT == 2 ? NULL : deinit,
    .tool_count = TEST_WITHOUT == 3 ? NULL : tool_count,
    .tool_at = TEST_WITHOUT == 4 ? NULL : tool_at,
    .tool_new = TEST_WITHOUT == 5 ? NULL : tool_new,
};
