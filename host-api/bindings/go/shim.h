/* What Go cannot do itself: call function pointers, and fill structs that contain pointers to Go's memory, which only C
 * may fill. The rules are those of wtool/tool.h. */
#ifndef WTOOL_GO_SHIM_H
#define WTOOL_GO_SHIM_H

#include <wtool/tool.h>

/* A status and what the function returned with it. shim_release() releases both blobs. */
typedef struct shim_answer {
  wtool_status status;
  wtool_call* call;
  const wtool_tool* tool;
  wtool_blob result;
  wtool_blob error;
} shim_answer;

/* The entry of a library. NULL: *problem says why, and is valid until this thread calls the dynamic loader again. */
const wtool_entry* shim_open(const char* path, const char** problem);

uint32_t shim_tool_count(const wtool_entry* entry);
const wtool_descriptor* shim_tool_at(const wtool_entry* entry, uint32_t index);
shim_answer shim_init(const wtool_entry* entry);
void shim_deinit(const wtool_entry* entry);
/* WTOOL_E_UNSUPPORTED: the tool lacks functions. */
shim_answer shim_tool_new(const wtool_entry* entry, wtool_view id, const char* config, size_t size);
void shim_destroy(const wtool_tool* tool);

/* `sink` is a handle of Go (cgo.Handle); 0: no output is wanted. */
shim_answer shim_call_new(const wtool_tool* tool, const char* arguments, size_t size, uint64_t deadline_ms,
                          uintptr_t sink);
shim_answer shim_call_run(const wtool_tool* tool, wtool_call* call);
void shim_call_cancel(const wtool_tool* tool, wtool_call* call, uint32_t how, const char* reason, size_t size);
void shim_call_free(const wtool_tool* tool, wtool_call* call);

void shim_release(shim_answer answer);

#endif
