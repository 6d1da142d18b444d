/* A plugin that is nothing like a shell: `clock_now` tells the time, `file_watch` waits until a file changes. Plain C, no
 * library but libc. An example of how little a plugin needs; `wtool check` finds nothing in it.
 *
 * Each call contains its own arguments, so any number of calls may run at the same time. A watch sleeps in poll on two
 * descriptors: inotify's, and an eventfd that call_cancel writes to. Nothing is shared, so nothing is locked. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include <wtool/tool.h>

#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }
enum { longest_path = 1000, longest_wait_ms = 60000 };

static const wtool_descriptor descriptors[] = {
    {.struct_size = sizeof(wtool_descriptor),
     .hints = WTOOL_HINT_READ_ONLY,
     .id = TEXT("clock_now"),
     .title = TEXT("Tell the time"),
     .version = TEXT("1.0.0"),
     .description = TEXT("Tells the time, in seconds since 1970 and in words, as UTC."),
     .input_schema = TEXT("{\"type\":\"object\",\"additionalProperties\":false,\"examples\":[{}]}"),
     .output_schema = TEXT("{\"type\":\"object\",\"properties\":{\"seconds\":{\"type\":\"integer\"},"
                           "\"utc\":{\"type\":\"string\"}}}")},
    {.struct_size = sizeof(wtool_descriptor),
     .hints = WTOOL_HINT_READ_ONLY,
     .id = TEXT("file_watch"),
     .title = TEXT("Wait until a file changes"),
     .version = TEXT("1.0.0"),
     .description = TEXT("Waits until a file or the list of a folder changes, or the time is up."),
     .input_schema =
         TEXT("{\"type\":\"object\",\"properties\":{\"wait_ms\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":60000},"
              "\"path\":{\"type\":\"string\",\"pattern\":\"^[A-Za-z0-9_./-]+$\",\"maxLength\":1000}},"
              "\"required\":[\"wait_ms\",\"path\"],\"additionalProperties\":false,"
              "\"examples\":[{\"wait_ms\":5,\"path\":\"/\"}]}"),
     .output_schema = TEXT("{\"type\":\"object\",\"properties\":{\"changed\":{\"type\":\"boolean\"}}}")},
};
enum { tool_total = sizeof descriptors / sizeof *descriptors };

struct wtool_call {
  int watches; /* 0: it answers with the time */
  int valid;
  int ran;
  int cancel; /* an eventfd */
  long wait_ms;
  char path[longest_path + 1];
  void* sink_ctx;
  int32_t (*on_event)(void*, const wtool_event*) WTOOL_NOEXCEPT;
};

static int started;
static const wtool_tool tools[tool_total];

static void release(wtool_blob* self) WTOOL_NOEXCEPT {
  free(self->owner);
  self->release = NULL;
}

__attribute__((format(printf, 2, 3))) static wtool_status fill(wtool_blob* out, const char* format, ...) {
  char* text = NULL;
  va_list values;
  va_start(values, format);
  const int size = vasprintf(&text, format, values);
  va_end(values);
  if (size < 0) return WTOOL_E_RESOURCE;
  out->bytes = (wtool_view){text, (size_t)size};
  out->owner = text;
  out->release = release;
  return WTOOL_OK;
}

static wtool_status fail(wtool_blob* error, wtool_status status, const char* sentence) {
  if (error != NULL && WTOOL_HAS(error, release)) fill(error, "%s", sentence);
  return status;
}

static wtool_status init(const wtool_host* host, wtool_blob* error) WTOOL_NOEXCEPT {
  if (host == NULL || !WTOOL_HAS(host, get_extension))
    return fail(error, WTOOL_E_INVALID_ARGUMENT, "The host is too small.");
  if (started) return fail(error, WTOOL_E_INVALID_ARGUMENT, "The plugin is initialised already.");
  started = 1;
  return WTOOL_OK;
}

static void deinit(void) WTOOL_NOEXCEPT { started = 0; }

static uint32_t tool_count(void) WTOOL_NOEXCEPT { return tool_total; }

static const wtool_descriptor* tool_at(uint32_t index) WTOOL_NOEXCEPT {
  return index < tool_total ? &descriptors[index] : NULL;
}

static wtool_status tool_new(wtool_view id, wtool_view config, const wtool_tool** out,
                             wtool_blob* error) WTOOL_NOEXCEPT {
  if (out == NULL || !started)
    return fail(error, WTOOL_E_INVALID_ARGUMENT, "init comes first, and there must be an out.");
  for (int i = 0; i < tool_total; ++i) {
    const wtool_view name = descriptors[i].id;
    if (id.size != name.size || memcmp(id.data, name.data, id.size) != 0) continue;
    if (config.size != 0 && (config.size != 2 || memcmp(config.data, "{}", 2) != 0)) {
      return fail(error, WTOOL_E_INVALID_ARGUMENT, "These tools have no configuration.");
    }
    *out = &tools[i];
    return WTOOL_OK;
  }
  return fail(error, WTOOL_E_UNSUPPORTED, "There is no such tool.");
}

/* ---- Reading arguments: an object with the few members that a tool has. */

static void skip_blanks(const char** at) { *at += strspn(*at, " \t\r\n"); }

static int take(const char** at, const char* token) {
  skip_blanks(at);
  if (strncmp(*at, token, strlen(token)) != 0) return 0;
  *at += strlen(token);
  return 1;
}

static int read_member(wtool_call* call, const char** at, int* has) {
  if (take(at, "\"wait_ms\"") && take(at, ":")) {
    char* end = NULL;
    skip_blanks(at);
    if (**at < '0' || **at > '9') return 0;
    call->wait_ms = strtol(*at, &end, 10);
    *at = end;
    *has |= 1;
    return call->wait_ms <= longest_wait_ms;
  }
  if (!take(at, "\"path\"") || !take(at, ":") || !take(at, "\"")) return 0;
  const size_t size = strspn(*at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-");
  if (size == 0 || size > longest_path || (*at)[size] != '"') return 0;
  memcpy(call->path, *at, size);
  call->path[size] = '\0';
  *at += size + 1;
  *has |= 2;
  return 1;
}

static int read_arguments(wtool_call* call, wtool_view arguments) {
  int has = 0;
  char text[2 * longest_path];
  if (arguments.size >= sizeof text) return 0;
  memcpy(text, arguments.size == 0 ? "" : arguments.data, arguments.size);
  text[arguments.size] = '\0';
  const char* at = text;
  if (!take(&at, "{")) return 0;
  if (call->watches) {
    do {
      if (!read_member(call, &at, &has)) return 0;
    } while (take(&at, ","));
  }
  if (!take(&at, "}")) return 0;
  skip_blanks(&at);
  return at == text + arguments.size && has == (call->watches ? 3 : 0);
}

/* ---- Calls. */

static wtool_status call_new(const wtool_tool* tool, const wtool_request* request, wtool_call** out,
                             wtool_blob* error) WTOOL_NOEXCEPT {
  if (tool == NULL || request == NULL || out == NULL || !WTOOL_HAS(request, arguments)) {
    return fail(error, WTOOL_E_INVALID_ARGUMENT, "A pointer is NULL, or the request is too small.");
  }
  wtool_call* call = calloc(1, sizeof *call);
  const int cancel = call == NULL ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (cancel < 0) {
    free(call);
    return fail(error, WTOOL_E_RESOURCE, "Memory or descriptors are out.");
  }
  call->cancel = cancel;
  call->watches = tool == &tools[1];
  call->valid = read_arguments(call, request->arguments);
  if (WTOOL_HAS(request, on_event)) {
    call->sink_ctx = request->sink_ctx;
    call->on_event = request->on_event;
  }
  *out = call;
  return WTOOL_OK;
}

static int is_cancelled(const wtool_call* call) {
  struct pollfd asked = {call->cancel, POLLIN, 0};
  return poll(&asked, 1, 0) > 0;
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Sends the host an event: a change can no longer be missed. Non-zero: the host wants the call to stop. */
static int tell(const wtool_call* call) {
  wtool_event event = {.struct_size = sizeof event, .kind = WTOOL_EVENT_STDOUT, .seq = 1, .mono_ns = now_ns()};
  event.payload = (wtool_view)TEXT("watching\n");
  return call->on_event != NULL && call->on_event(call->sink_ctx, &event) != 0;
}

enum watched { unchanged, changed, unwatchable };

static enum watched watch(const wtool_call* call) {
  const uint32_t mask = IN_ALL_EVENTS & ~(uint32_t)(IN_ACCESS | IN_OPEN | IN_CLOSE);
  const int changes = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  enum watched seen = changes < 0 || inotify_add_watch(changes, call->path, mask) < 0 ? unwatchable : unchanged;
  const uint64_t end = now_ns() + (uint64_t)call->wait_ms * 1000000u;
  int over = seen == unwatchable || tell(call);
  for (uint64_t now = now_ns(); !over && now < end; now = now_ns()) {
    struct pollfd either[] = {{changes, POLLIN, 0}, {call->cancel, POLLIN, 0}};
    if (poll(either, 2, (int)((end - now) / 1000000u) + 1) <= 0) continue; /* the time is up, or a signal came */
    if (either[0].revents != 0) seen = changed;
    over = 1;
  }
  if (changes >= 0) close(changes);
  return seen;
}

static wtool_status run(const wtool_call* call, wtool_blob* result) {
  static const char* const words[] = {"It has not changed.", "It has changed.", "It cannot be watched."};
  static const char* const metadata[] = {"\"changed\":false", "\"changed\":true", ""};
  static const char form[] = "{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],\"is_error\":%s,\"metadata\":{%s}}";
  if (!call->valid) return fill(result, form, "The arguments are not valid by the schema.", "true", "");
  if (is_cancelled(call)) return fill(result, form, "The call was cancelled.", "true", "");
  if (call->watches) {
    const enum watched seen = watch(call);
    return fill(result, form, words[seen], seen == unwatchable ? "true" : "false", metadata[seen]);
  }
  char utc[40];
  char values[100];
  struct tm parts;
  const time_t seconds = time(NULL);
  strftime(utc, sizeof utc, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &parts));
  snprintf(values, sizeof values, "\"seconds\":%lld,\"utc\":\"%s\"", (long long)seconds, utc);
  return fill(result, form, utc, "false", values);
}

static wtool_status call_run(wtool_call* call, wtool_blob* result, wtool_blob* error) WTOOL_NOEXCEPT {
  if (call == NULL || result == NULL || !WTOOL_HAS(result, release) || call->ran++ != 0) {
    return fail(error, WTOOL_E_INVALID_ARGUMENT, "There is no call or room for a result, or the call has run.");
  }
  const wtool_status status = run(call, result);
  return status == WTOOL_OK && is_cancelled(call) ? WTOOL_E_CANCELLED : status;
}

static void call_cancel(wtool_call* call, uint32_t how, wtool_view reason) WTOOL_NOEXCEPT {
  (void)how, (void)reason;
  const uint64_t one = 1;
  if (call != NULL && write(call->cancel, &one, sizeof one) < 0) return; /* it is full, so the watch already wakes up */
}

static void call_free(wtool_call* call) WTOOL_NOEXCEPT {
  if (call == NULL) return;
  close(call->cancel);
  free(call);
}

static const void* get_extension(const wtool_tool* tool, const char* id) WTOOL_NOEXCEPT {
  (void)tool, (void)id;
  return NULL;
}

static void destroy(const wtool_tool* tool) WTOOL_NOEXCEPT { (void)tool; }

#define TOOL(number)                                                                                                   \
  {                                                                                                                    \
    .struct_size = sizeof(wtool_tool), .descriptor = &descriptors[number], .call_new = call_new, .call_run = call_run, \
    .call_cancel = call_cancel, .call_free = call_free, .get_extension = get_extension, .destroy = destroy             \
  }
static const wtool_tool tools[tool_total] = {TOOL(0), TOOL(1)};

const wtool_entry wtool_entry_v1 = {.struct_size = sizeof(wtool_entry),
                                    .abi_major = WTOOL_ABI_MAJOR,
                                    .abi_minor = WTOOL_ABI_MINOR,
                                    .plugin_name = TEXT("clock_tools"),
                                    .plugin_version = TEXT("1.0.0"),
                                    .init = init,
                                    .deinit = deinit,
                                    .tool_count = tool_count,
                                    .tool_at = tool_at,
                                    .tool_new = tool_new};
