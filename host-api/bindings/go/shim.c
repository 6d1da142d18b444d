#include "shim.h"

#include <dlfcn.h>
#include <string.h>

#include "_cgo_export.h"

static shim_answer empty(void) {
  shim_answer answer;
  memset(&answer, 0, sizeof answer);
  answer.result.struct_size = sizeof answer.result;
  answer.error.struct_size = sizeof answer.error;
  return answer;
}

static const void* no_extension(const wtool_host* host, const char* id) {
  (void)host;
  (void)id;
  return NULL;
}

/* Constant, so that it can be the host of every plugin. */
static const wtool_host host = {sizeof(wtool_host), WTOOL_ABI_MINOR, NULL, {"wtool-go", 8}, {"0.1.0", 5}, no_extension};

static int32_t on_event(void* sink, const wtool_event* event) {
  if (event->kind != WTOOL_EVENT_STDOUT && event->kind != WTOOL_EVENT_STDERR) return 0;
  return wtoolTakeOutput((uintptr_t)sink, event->kind, (void*)event->payload.data, event->payload.size);
}

const wtool_entry* shim_open(const char* path, const char** problem) {
  const wtool_entry* entry;
  /* Never closed: the entry is used until the process ends. */
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    *problem = dlerror();
    return NULL;
  }
  entry = dlsym(library, WTOOL_ENTRY_SYMBOL);
  if (entry == NULL || entry->abi_major != WTOOL_ABI_MAJOR || !WTOOL_HAS_FN(entry, tool_new) || entry->init == NULL ||
      entry->deinit == NULL || entry->tool_count == NULL || entry->tool_at == NULL) {
    *problem = "it has no complete entry " WTOOL_ENTRY_SYMBOL ", so it is not a plugin for this version of wtool";
    return NULL;
  }
  return entry;
}

uint32_t shim_tool_count(const wtool_entry* entry) { return entry->tool_count(); }

const wtool_descriptor* shim_tool_at(const wtool_entry* entry, uint32_t index) {
  const wtool_descriptor* descriptor = entry->tool_at(index);
  return descriptor != NULL && WTOOL_HAS(descriptor, output_schema) ? descriptor : NULL;
}

shim_answer shim_init(const wtool_entry* entry) {
  shim_answer answer = empty();
  answer.status = entry->init(&host, &answer.error);
  return answer;
}

void shim_deinit(const wtool_entry* entry) { entry->deinit(); }

shim_answer shim_tool_new(const wtool_entry* entry, wtool_view id, const char* config, size_t size) {
  shim_answer answer = empty();
  const wtool_view text = {config, size};
  answer.status = entry->tool_new(id, text, &answer.tool, &answer.error);
  if (answer.status == WTOOL_OK &&
      (answer.tool == NULL || !WTOOL_HAS_FN(answer.tool, destroy) || answer.tool->call_new == NULL ||
       answer.tool->call_run == NULL || answer.tool->call_cancel == NULL || answer.tool->call_free == NULL)) {
    answer.status = WTOOL_E_UNSUPPORTED;
  }
  return answer;
}

void shim_destroy(const wtool_tool* tool) { tool->destroy(tool); }

shim_answer shim_call_new(const wtool_tool* tool, const char* arguments, size_t size, uint64_t deadline_ms,
                          uintptr_t sink) {
  shim_answer answer = empty();
  wtool_request request;
  memset(&request, 0, sizeof request);
  request.struct_size = sizeof request;
  request.arguments.data = arguments;
  request.arguments.size = size;
  request.deadline_ms = deadline_ms;
  request.sink_ctx = (void*)sink;
  request.on_event = sink != 0 ? on_event : NULL;
  answer.status = tool->call_new(tool, &request, &answer.call, &answer.error);
  return answer;
}

shim_answer shim_call_run(const wtool_tool* tool, wtool_call* call) {
  shim_answer answer = empty();
  answer.status = tool->call_run(call, &answer.result, &answer.error);
  return answer;
}

void shim_call_cancel(const wtool_tool* tool, wtool_call* call, uint32_t how, const char* reason, size_t size) {
  const wtool_view words = {reason, size};
  tool->call_cancel(call, how, words);
}

void shim_call_free(const wtool_tool* tool, wtool_call* call) { tool->call_free(call); }

void shim_release(shim_answer answer) {
  if (answer.result.release != NULL) answer.result.release(&answer.result);
  if (answer.error.release != NULL) answer.error.release(&answer.error);
}
