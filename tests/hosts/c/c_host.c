/* A host in plain C11: it loads a plugin, lists its tools, makes a call and reads the result, and cancels another call
 * from a second thread. It uses only <wtool/tool.h> and the C library.
 *
 * Usage: c_host PLUGIN.so
 * Exit status: 0 if everything was as it should be; else 1, and standard error says what was not. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wtool/tool.h>

static int failures = 0;

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "c_host: %s\n", what);
  failures++;
}

static wtool_view view(const char* text) {
  wtool_view v = {text, strlen(text)};
  return v;
}

static int is(wtool_view v, const char* text) { return v.size == strlen(text) && memcmp(v.data, text, v.size) == 0; }

/* True if the bytes contain the text. */
static int holds(wtool_view v, const char* text) {
  const size_t length = strlen(text);
  size_t i;
  for (i = 0; i + length <= v.size; i++) {
    if (memcmp(v.data + i, text, length) == 0) return 1;
  }
  return 0;
}

static wtool_blob empty_blob(void) {
  wtool_blob blob;
  memset(&blob, 0, sizeof blob);
  blob.struct_size = sizeof blob;
  return blob;
}

static void release(wtool_blob* blob) {
  if (blob->release != NULL) blob->release(blob);
}

static const void* no_extension(const wtool_host* host, const char* id) {
  (void)host;
  (void)id;
  return NULL;
}

/* What the sink of the cancelled call shares with the second thread. */
struct watch {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int ready;
  uint64_t last_seq;
  int in_order;
};

static int32_t on_event(void* context, const wtool_event* event) {
  struct watch* watch = context;
  pthread_mutex_lock(&watch->mutex);
  if (event->seq != watch->last_seq + 1) watch->in_order = 0;
  watch->last_seq = event->seq;
  if (event->kind == WTOOL_EVENT_STDOUT && holds(event->payload, "ready")) {
    watch->ready = 1;
    pthread_cond_broadcast(&watch->changed);
  }
  pthread_mutex_unlock(&watch->mutex);
  return 0;
}

struct canceller {
  const wtool_tool* tool;
  wtool_call* call;
  struct watch* watch;
};

static void* cancel_when_ready(void* context) {
  struct canceller* self = context;
  pthread_mutex_lock(&self->watch->mutex);
  while (!self->watch->ready) pthread_cond_wait(&self->watch->changed, &self->watch->mutex);
  pthread_mutex_unlock(&self->watch->mutex);
  self->tool->call_cancel(self->call, WTOOL_CANCEL_GRACEFUL, view("a second thread said so"));
  return NULL;
}

static void make_a_call(const wtool_tool* tool) {
  wtool_request request;
  wtool_call* call = NULL;
  wtool_blob result = empty_blob();
  wtool_blob error = empty_blob();
  memset(&request, 0, sizeof request);
  request.struct_size = sizeof request;
  request.arguments = view("{\"command\":\"echo hi\"}");
  check(tool->call_new(tool, &request, &call, &error) == WTOOL_OK && call != NULL, "call_new failed");
  if (call == NULL) return;
  check(tool->call_run(call, &result, &error) == WTOOL_OK, "call_run failed");
  check(result.release != NULL, "call_run filled no result");
  check(holds(result.bytes, "\"is_error\":false") || holds(result.bytes, "\"is_error\": false"),
        "is_error is not false");
  check(holds(result.bytes, "hi\\n"), "the output is not in the result");
  printf("%.*s\n", (int)result.bytes.size, result.bytes.data);
  release(&result);
  check(result.release == NULL, "release left itself set");
  release(&error);
  tool->call_free(call);
}

static void cancel_a_call(const wtool_tool* tool) {
  struct watch watch = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 1};
  struct canceller canceller;
  pthread_t thread;
  wtool_request request;
  wtool_call* call = NULL;
  wtool_blob result = empty_blob();
  memset(&request, 0, sizeof request);
  request.struct_size = sizeof request;
  request.arguments = view("{\"command\":\"echo ready; sleep 61\"}");
  request.sink_ctx = &watch;
  request.on_event = on_event;
  check(tool->call_new(tool, &request, &call, NULL) == WTOOL_OK && call != NULL, "call_new failed");
  if (call == NULL) return;
  canceller.tool = tool;
  canceller.call = call;
  canceller.watch = &watch;
  if (pthread_create(&thread, NULL, cancel_when_ready, &canceller) != 0) abort();
  check(tool->call_run(call, &result, NULL) == WTOOL_E_CANCELLED, "call_run did not say that it was cancelled");
  check(watch.ready, "the output did not come while the command ran");
  check(watch.in_order, "events came out of order");
  if (!watch.ready) on_event(&watch, &(wtool_event){.kind = WTOOL_EVENT_STDOUT, .payload = view("ready")});
  pthread_join(thread, NULL);
  check(holds(result.bytes, "Command aborted: a second thread said so"), "the reason is not in the result");
  check(holds(result.bytes, "ready\\n"), "the partial output is not in the result");
  printf("%.*s\n", (int)result.bytes.size, result.bytes.data);
  release(&result);
  tool->call_free(call);
}

int main(int argc, char** argv) {
  const wtool_entry* entry;
  const wtool_tool* tool = NULL;
  wtool_blob error = empty_blob();
  wtool_host host;
  void* library;
  uint32_t i;
  int found = 0;
  if (argc != 2) {
    fprintf(stderr, "usage: c_host PLUGIN.so\n");
    return 2;
  }
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "c_host: %s\n", dlerror());
    return 1;
  }
  entry = dlsym(library, WTOOL_ENTRY_SYMBOL);
  if (entry == NULL || entry->abi_major != WTOOL_ABI_MAJOR) {
    fprintf(stderr, "c_host: no entry of this version\n");
    return 1;
  }
  /* The tools can be read before init. */
  for (i = 0; i < entry->tool_count(); i++) {
    const wtool_descriptor* descriptor = entry->tool_at(i);
    check(descriptor != NULL, "tool_at gave nothing below tool_count");
    if (descriptor == NULL) continue;
    printf("%.*s: %.*s\n", (int)descriptor->id.size, descriptor->id.data, (int)descriptor->title.size,
           descriptor->title.data);
    if (is(descriptor->id, "shell_execute")) found = 1;
  }
  check(found, "there is no shell_execute");
  check(entry->tool_at(entry->tool_count()) == NULL, "tool_at gave something at tool_count");

  memset(&host, 0, sizeof host);
  host.struct_size = sizeof host;
  host.abi_minor = WTOOL_ABI_MINOR;
  host.name = view("c_host");
  host.version = view("1");
  host.get_extension = no_extension;
  check(entry->init(&host, &error) == WTOOL_OK, "init failed");
  check(entry->tool_new(view("no_such_tool"), view(""), &tool, &error) == WTOOL_E_UNSUPPORTED,
        "an unknown tool was not unsupported");
  check(tool == NULL, "a failed tool_new touched its output");
  release(&error);
  check(entry->tool_new(view("shell_execute"), view(""), &tool, &error) == WTOOL_OK, "tool_new failed");
  if (tool != NULL) {
    make_a_call(tool);
    cancel_a_call(tool);
    tool->destroy(tool);
  }
  release(&error);
  entry->deinit();
  dlclose(library);
  return failures == 0 ? 0 : 1;
}
