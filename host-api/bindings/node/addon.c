/* The native part of the package: wtool/tool.h for JavaScript, in five functions. Only index.js uses it, and adds a convenient interface.
 *
 *   load(path) -> {handle, tools}          opens a library and reads its descriptors
 *   start(handle, config, receive)         init, and all tools with this configuration
 *   call(handle, tool, arguments, deadline_ms, wants_output) -> number    runs a call on a thread of its own
 *   cancel(handle, number, now, reason)
 *   close(handle)                          stops the running calls, waits for them, and ends the plugin
 *
 * receive(number, "output", stream, bytes) and receive(number, "end", status, result, error) are called on the JavaScript thread, in order.
 *
 * Threads: a call has a thread of its own rather than one of libuv's pool. Long commands would soon take all four threads of that pool,
 * which the program needs to read files and look up names. The threads talk to JavaScript through one threadsafe function, whose queue
 * has no bound. `queued` bounds the output instead: above MOST_QUEUED the sink waits, and the command with it. end() sets `ending` first,
 * so that no call's thread waits for the JavaScript thread while the JavaScript thread waits for the call. All members of a call except
 * `queued` belong to the JavaScript thread, which joins the call's thread before it frees the call. */
#include <dlfcn.h>
#include <node_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wtool/tool.h>

#define MOST_QUEUED (1u << 20) /* bytes of one call that JavaScript has not taken yet */
#define STACK_SIZE (1u << 20)

struct plugin;

struct call {
  struct plugin* plugin;
  const wtool_tool* tool;
  wtool_call* handle;
  pthread_t thread;
  uint32_t number;
  size_t queued; /* guarded by the plugin's mutex */
  struct call* next;
};

/* Lives until the process ends: messages that are still on their way may refer to it. */
struct plugin {
  void* library;
  const wtool_entry* entry;
  wtool_host host;
  const wtool_tool** tools;
  uint32_t n_tools; /* how many of `tools` exist */
  napi_threadsafe_function to_js;
  struct call* calls;
  uint32_t last_number;
  bool started;
  pthread_mutex_t mutex;
  pthread_cond_t changed; /* signalled when `queued` of a call or `ending` changes */
  bool ending;            /* guarded by the mutex */
};

struct message {
  uint32_t number;
  bool is_end;
  int32_t status;  /* of an end */
  uint32_t stream; /* of an output */
  char* bytes;     /* output or result; NULL: none */
  size_t size;
  char* error; /* NULL: none */
  size_t error_size;
};

/* ---- Small helpers. */

static wtool_view view(const char* text) {
  wtool_view v = {text, strlen(text)};
  return v;
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

/* NULL: `from` is empty, or no memory is left. */
static char* copy_of(wtool_view from) {
  char* copy = from.size == 0 ? NULL : malloc(from.size);
  if (copy != NULL) memcpy(copy, from.data, from.size);
  return copy;
}

static napi_value fail(napi_env env, const char* what, const char* which, wtool_view why) {
  char text[2048];
  snprintf(text, sizeof text, "%s %s%s%.*s", what, which, why.size == 0 ? "" : ": ",
           (int)(why.size < 1500 ? why.size : 1500), why.size == 0 ? "" : why.data);
  napi_throw_error(env, "WTOOL_PLUGIN", text);
  return NULL;
}

/* A copy with a NUL at its end, for the caller to free. NULL with an exception: the value is not a string, or no memory is left. */
static char* text_of(napi_env env, napi_value value, size_t* size) {
  char* text = NULL;
  *size = 0;
  if (napi_get_value_string_utf8(env, value, NULL, 0, size) != napi_ok) {
    napi_throw_type_error(env, "WTOOL_PLUGIN", "a string was expected");
    return NULL;
  }
  text = malloc(*size + 1);
  if (text == NULL || napi_get_value_string_utf8(env, value, text, *size + 1, size) != napi_ok) {
    napi_throw_error(env, "WTOOL_PLUGIN", "out of memory");
    free(text);
    return NULL;
  }
  return text;
}

static struct plugin* plugin_of(napi_env env, napi_value value) {
  void* plugin = NULL;
  if (napi_get_value_external(env, value, &plugin) != napi_ok) {
    napi_throw_type_error(env, "WTOOL_PLUGIN", "a handle was expected");
  }
  return plugin;
}

static struct call* call_of(struct plugin* plugin, uint32_t number) {
  struct call* call = plugin->calls;
  while (call != NULL && call->number != number) call = call->next;
  return call;
}

/* ---- On the thread of a call. */

static void post(struct plugin* plugin, struct message* message) {
  if (napi_call_threadsafe_function(plugin->to_js, message, napi_tsfn_nonblocking) == napi_ok) return;
  free(message->bytes);
  free(message->error);
  free(message);
}

static int32_t on_event(void* context, const wtool_event* event) {
  struct call* call = context;
  struct plugin* plugin = call->plugin;
  struct message* message;
  bool ending;
  if (event->kind != WTOOL_EVENT_STDOUT && event->kind != WTOOL_EVENT_STDERR) return 0;
  if (event->payload.size == 0) return 0;
  pthread_mutex_lock(&plugin->mutex);
  while (call->queued > MOST_QUEUED && !plugin->ending) pthread_cond_wait(&plugin->changed, &plugin->mutex);
  ending = plugin->ending;
  if (!ending) call->queued += event->payload.size;
  pthread_mutex_unlock(&plugin->mutex);
  if (ending) return 1;
  message = calloc(1, sizeof *message);
  if (message == NULL) return 1;
  message->number = call->number;
  message->stream = event->kind;
  message->bytes = copy_of(event->payload);
  message->size = event->payload.size;
  if (message->bytes == NULL) {
    free(message);
    return 1;
  }
  post(plugin, message);
  return 0;
}

static void* run(void* context) {
  struct call* call = context;
  wtool_blob result = empty_blob();
  wtool_blob error = empty_blob();
  const wtool_status status = call->tool->call_run(call->handle, &result, &error);
  struct message* message = calloc(1, sizeof *message);
  if (message != NULL) { /* NULL: the end is not reported. Node dies before memory is that scarce. */
    message->number = call->number;
    message->is_end = true;
    message->status = status;
    message->bytes = copy_of(result.bytes);
    message->size = message->bytes == NULL ? 0 : result.bytes.size;
    message->error = copy_of(error.bytes);
    message->error_size = message->error == NULL ? 0 : error.bytes.size;
  }
  release(&result);
  release(&error);
  if (message != NULL) post(call->plugin, message);
  return NULL;
}

/* ---- On the JavaScript thread. */

/* Frees the call, whose thread has ended or is about to end. */
static void forget(struct plugin* plugin, struct call* call) {
  struct call** at = &plugin->calls;
  while (*at != call) at = &(*at)->next;
  *at = call->next;
  pthread_join(call->thread, NULL);
  call->tool->call_free(call->handle);
  free(call);
}

static napi_value text_value(napi_env env, const char* bytes, size_t size) {
  napi_value value;
  if (bytes == NULL || napi_create_string_utf8(env, bytes, size, &value) != napi_ok) napi_get_null(env, &value);
  return value;
}

static void receive(napi_env env, napi_value function, void* context, void* data) {
  struct plugin* plugin = context;
  struct message* message = data;
  struct call* call = call_of(plugin, message->number);
  if (message->is_end && call != NULL) {
    forget(plugin, call);
    if (env != NULL && plugin->calls == NULL && plugin->started) napi_unref_threadsafe_function(env, plugin->to_js);
  } else if (call != NULL) {
    pthread_mutex_lock(&plugin->mutex);
    call->queued -= message->size;
    pthread_cond_broadcast(&plugin->changed);
    pthread_mutex_unlock(&plugin->mutex);
  }
  if (env != NULL && function != NULL) {
    napi_value arguments[5], undefined, thrown;
    size_t count = 4;
    napi_get_undefined(env, &undefined);
    napi_create_uint32(env, message->number, &arguments[0]);
    napi_create_string_utf8(env, message->is_end ? "end" : "output", NAPI_AUTO_LENGTH, &arguments[1]);
    if (message->is_end) {
      napi_create_int32(env, message->status, &arguments[2]);
      arguments[3] = text_value(env, message->bytes, message->size);
      arguments[4] = text_value(env, message->error, message->error_size);
      count = 5;
    } else {
      napi_create_string_utf8(env, message->stream == WTOOL_EVENT_STDOUT ? "stdout" : "stderr", NAPI_AUTO_LENGTH,
                              &arguments[2]);
      if (napi_create_buffer_copy(env, message->size, message->bytes, NULL, &arguments[3]) != napi_ok) {
        napi_get_null(env, &arguments[3]);
      }
    }
    if (napi_call_function(env, undefined, function, count, arguments, NULL) == napi_pending_exception &&
        napi_get_and_clear_last_exception(env, &thrown) == napi_ok) {
      napi_fatal_exception(env, thrown);
    }
  }
  free(message->bytes);
  free(message->error);
  free(message);
}

static bool is_complete(const wtool_tool* tool) {
  return tool != NULL && WTOOL_HAS_FN(tool, destroy) && tool->call_new != NULL && tool->call_run != NULL &&
         tool->call_cancel != NULL && tool->call_free != NULL;
}

static void end_tools(struct plugin* plugin) {
  while (plugin->n_tools > 0) {
    const wtool_tool* tool = plugin->tools[--plugin->n_tools];
    if (tool != NULL) tool->destroy(tool);
  }
  free(plugin->tools);
  plugin->tools = NULL;
  plugin->entry->deinit();
}

/* Ends all calls, and then the plugin. The messages of these calls are still delivered if JavaScript continues to run. */
static void end(struct plugin* plugin) {
  struct call* call;
  if (!plugin->started) return;
  plugin->started = false;
  pthread_mutex_lock(&plugin->mutex);
  plugin->ending = true;
  pthread_cond_broadcast(&plugin->changed);
  pthread_mutex_unlock(&plugin->mutex);
  for (call = plugin->calls; call != NULL; call = call->next) {
    call->tool->call_cancel(call->handle, WTOOL_CANCEL_NOW, view("the plugin was closed"));
  }
  while (plugin->calls != NULL) forget(plugin, plugin->calls);
  end_tools(plugin);
}

/* Called, for instance, when a worker thread is terminated. The JavaScript of the worker then no longer runs. */
static void end_of_environment(void* context) { end(context); }

static const void* no_extension(const wtool_host* host, const char* id) {
  (void)host;
  (void)id;
  return NULL;
}

/* ---- What JavaScript calls. */

static bool set_text(napi_env env, napi_value object, const char* key, wtool_view text) {
  napi_value value;
  return napi_create_string_utf8(env, text.size == 0 ? "" : text.data, text.size, &value) == napi_ok &&
         napi_set_named_property(env, object, key, value) == napi_ok;
}

/* The descriptors of the tools, as an array. NULL with an exception: one of them cannot be read. */
static napi_value read_tools(napi_env env, const wtool_entry* entry) {
  napi_value tools;
  uint32_t i;
  napi_create_array(env, &tools);
  for (i = 0; i < entry->tool_count(); i++) {
    const wtool_descriptor* from = entry->tool_at(i);
    napi_value tool, hints;
    if (from == NULL || !WTOOL_HAS(from, output_schema)) {
      return fail(env, "a descriptor", "is missing or too small", view(""));
    }
    napi_create_object(env, &tool);
    if (!set_text(env, tool, "id", from->id) || !set_text(env, tool, "title", from->title) ||
        !set_text(env, tool, "version", from->version) || !set_text(env, tool, "description", from->description) ||
        !set_text(env, tool, "inputSchema", from->input_schema) ||
        !set_text(env, tool, "outputSchema", from->output_schema)) {
      return fail(env, "a descriptor", "has a text that JavaScript cannot hold", view(""));
    }
    napi_create_uint32(env, from->hints, &hints);
    napi_set_named_property(env, tool, "hints", hints);
    napi_set_element(env, tools, i, tool);
  }
  return tools;
}

/* Undoes what load() has done so far. The plugin has not been initialised. */
static void unload(struct plugin* plugin) {
  if (plugin->library != NULL) dlclose(plugin->library);
  pthread_cond_destroy(&plugin->changed);
  pthread_mutex_destroy(&plugin->mutex);
  free(plugin);
}

static napi_value load(napi_env env, napi_callback_info info) {
  napi_value argument, answer, tools, handle;
  size_t count = 1, size;
  char* path;
  struct plugin* plugin;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  path = text_of(env, argument, &size);
  if (path == NULL) return NULL;
  plugin = calloc(1, sizeof *plugin);
  if (plugin == NULL) abort();
  pthread_mutex_init(&plugin->mutex, NULL);
  pthread_cond_init(&plugin->changed, NULL);
  plugin->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  free(path);
  if (plugin->library == NULL) {
    const char* why = dlerror();
    unload(plugin);
    return fail(env, "it is not a library that can be loaded", "here", view(why != NULL ? why : ""));
  }
  plugin->entry = dlsym(plugin->library, WTOOL_ENTRY_SYMBOL);
  if (plugin->entry == NULL || plugin->entry->abi_major != WTOOL_ABI_MAJOR || !WTOOL_HAS_FN(plugin->entry, tool_new) ||
      plugin->entry->init == NULL || plugin->entry->deinit == NULL || plugin->entry->tool_count == NULL ||
      plugin->entry->tool_at == NULL) {
    unload(plugin);
    return fail(env, "it has no complete entry", WTOOL_ENTRY_SYMBOL, view("not a plugin for this version of wtool"));
  }
  tools = read_tools(env, plugin->entry);
  if (tools == NULL) {
    unload(plugin);
    return NULL;
  }
  napi_create_object(env, &answer);
  napi_create_external(env, plugin, NULL, NULL, &handle);
  napi_set_named_property(env, answer, "handle", handle);
  napi_set_named_property(env, answer, "tools", tools);
  return answer;
}

static napi_value start(napi_env env, napi_callback_info info) {
  napi_value arguments[3], name;
  size_t count = 3, size;
  struct plugin* plugin;
  char* config;
  wtool_blob error = empty_blob();
  uint32_t i, n;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  plugin = plugin_of(env, arguments[0]);
  if (plugin == NULL) return NULL;
  config = text_of(env, arguments[1], &size);
  if (config == NULL) return NULL;
  n = plugin->entry->tool_count();
  plugin->tools = calloc(n + 1, sizeof *plugin->tools);
  if (plugin->tools == NULL) abort();
  plugin->host.struct_size = sizeof plugin->host;
  plugin->host.abi_minor = WTOOL_ABI_MINOR;
  plugin->host.name = view("wtool-node");
  plugin->host.version = view("0.1.0");
  plugin->host.get_extension = no_extension;
  if (plugin->entry->init(&plugin->host, &error) != WTOOL_OK) {
    fail(env, "it could not be", "initialised", error.bytes);
    release(&error);
    free(config);
    free(plugin->tools);
    plugin->tools = NULL;
    return NULL;
  }
  for (i = 0; i < n; i++) {
    const wtool_descriptor* descriptor = plugin->entry->tool_at(i);
    const wtool_view text = {config, size};
    const wtool_status status = plugin->entry->tool_new(descriptor->id, text, &plugin->tools[i], &error);
    plugin->n_tools = i + 1;
    if (status == WTOOL_OK && is_complete(plugin->tools[i])) continue;
    if (status == WTOOL_OK) plugin->tools[i] = NULL; /* A tool that lacks functions cannot be destroyed. */
    fail(env, "a tool cannot be", "made", error.bytes);
    release(&error);
    free(config);
    end_tools(plugin);
    return NULL;
  }
  free(config);
  napi_create_string_utf8(env, "wtool", NAPI_AUTO_LENGTH, &name);
  if (napi_create_threadsafe_function(env, arguments[2], NULL, name, 0, 1, NULL, NULL, plugin, receive,
                                      &plugin->to_js) != napi_ok) {
    end_tools(plugin);
    return fail(env, "the threads of calls cannot reach", "JavaScript", view(""));
  }
  /* The function keeps the process alive only while calls run. */
  napi_unref_threadsafe_function(env, plugin->to_js);
  /* Added after the threadsafe function: hooks run in reverse order, and the calls must end while the function still exists. */
  napi_add_env_cleanup_hook(env, end_of_environment, plugin);
  plugin->started = true;
  return NULL;
}

static napi_value start_call(napi_env env, napi_callback_info info) {
  napi_value arguments[5], number;
  size_t count = 5, size;
  struct plugin* plugin;
  struct call* call;
  uint32_t index = 0;
  int64_t deadline_ms = 0;
  bool wants_output = false;
  char* text;
  wtool_request request;
  wtool_blob error = empty_blob();
  pthread_attr_t attributes;
  int failed;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  plugin = plugin_of(env, arguments[0]);
  if (plugin == NULL) return NULL;
  if (!plugin->started) return fail(env, "the plugin", "was closed", view(""));
  napi_get_value_uint32(env, arguments[1], &index);
  napi_get_value_int64(env, arguments[3], &deadline_ms);
  napi_get_value_bool(env, arguments[4], &wants_output);
  if (index >= plugin->n_tools) return fail(env, "there is no", "such tool", view(""));
  text = text_of(env, arguments[2], &size);
  if (text == NULL) return NULL;
  call = calloc(1, sizeof *call);
  if (call == NULL) abort();
  call->plugin = plugin;
  call->tool = plugin->tools[index];
  call->number = ++plugin->last_number;
  memset(&request, 0, sizeof request);
  request.struct_size = sizeof request;
  request.arguments.data = text;
  request.arguments.size = size;
  request.deadline_ms = (uint64_t)deadline_ms;
  request.sink_ctx = call;
  request.on_event = wants_output ? on_event : NULL;
  failed = call->tool->call_new(call->tool, &request, &call->handle, &error);
  free(text);
  if (failed) {
    fail(env, "the call", "could not be made", error.bytes);
    release(&error);
    free(call);
    return NULL;
  }
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_SIZE);
  failed = pthread_create(&call->thread, &attributes, run, call);
  pthread_attr_destroy(&attributes);
  if (failed) {
    call->tool->call_free(call->handle);
    free(call);
    return fail(env, "the call has no", "thread", view(strerror(failed)));
  }
  if (plugin->calls == NULL) napi_ref_threadsafe_function(env, plugin->to_js);
  call->next = plugin->calls;
  plugin->calls = call;
  napi_create_uint32(env, call->number, &number);
  return number;
}

static napi_value cancel(napi_env env, napi_callback_info info) {
  napi_value arguments[4];
  size_t count = 4, size;
  struct plugin* plugin;
  struct call* call;
  uint32_t number = 0;
  bool now = false;
  char* reason;
  napi_get_cb_info(env, info, &count, arguments, NULL, NULL);
  plugin = plugin_of(env, arguments[0]);
  if (plugin == NULL) return NULL;
  napi_get_value_uint32(env, arguments[1], &number);
  napi_get_value_bool(env, arguments[2], &now);
  reason = text_of(env, arguments[3], &size);
  if (reason == NULL) return NULL;
  call = call_of(plugin, number);
  if (call != NULL) {
    const wtool_view words = {reason, size};
    call->tool->call_cancel(call->handle, now ? WTOOL_CANCEL_NOW : WTOOL_CANCEL_GRACEFUL, words);
  }
  free(reason);
  return NULL;
}

static napi_value close_plugin(napi_env env, napi_callback_info info) {
  napi_value argument;
  size_t count = 1;
  struct plugin* plugin;
  napi_get_cb_info(env, info, &count, &argument, NULL, NULL);
  plugin = plugin_of(env, argument);
  if (plugin == NULL || !plugin->started) return NULL;
  napi_remove_env_cleanup_hook(env, end_of_environment, plugin);
  end(plugin);
  napi_release_threadsafe_function(plugin->to_js, napi_tsfn_release);
  return NULL;
}

NAPI_MODULE_INIT() {
  static const struct {
    const char* name;
    napi_callback function;
  } all[] = {{"load", load}, {"start", start}, {"call", start_call}, {"cancel", cancel}, {"close", close_plugin}};
  size_t i;
  for (i = 0; i < sizeof all / sizeof all[0]; i++) {
    napi_value function;
    napi_create_function(env, all[i].name, NAPI_AUTO_LENGTH, all[i].function, NULL, &function);
    napi_set_named_property(env, exports, all[i].name, function);
  }
  return exports;
}
