#include <dlfcn.h>
#include <stdio.h>
#include <wtool/tool.h>

#define VIEW(literal) ((wtool_view){literal, sizeof(literal) - 1})

static const void* no_extension(const wtool_host* host, const char* id) { return (void)host, (void)id, NULL; }

int main(int count, char** words) {
  void* library = count == 2 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  const wtool_entry* entry = library != NULL ? dlsym(library, WTOOL_ENTRY_SYMBOL) : NULL;
  const wtool_host host = {.struct_size = sizeof host,
                           .abi_minor = WTOOL_ABI_MINOR,
                           .name = VIEW("timeout"),
                           .version = VIEW("1.0.0"),
                           .get_extension = no_extension};
  const wtool_request request = {
      .struct_size = sizeof request,
      .arguments = VIEW("{\"command\": \"sleep 600 & setsid sleep 600 & echo started; sleep 600\", \"timeout\": 1}")};
  wtool_blob result = {.struct_size = sizeof result};
  const wtool_tool* tool;
  wtool_call* call;
  if (entry == NULL || entry->abi_major != WTOOL_ABI_MAJOR || entry->init(&host, NULL) != WTOOL_OK) return 2;
  if (entry->tool_new(VIEW("shell_execute"), VIEW("{}"), &tool, NULL) == WTOOL_OK) {
    if (tool->call_new(tool, &request, &call, NULL) == WTOOL_OK) {
      if (tool->call_run(call, &result, NULL) == WTOOL_OK) {
        fwrite(result.bytes.data, 1, result.bytes.size, stdout); /* timed_out, started; all three are dead now */
        result.release(&result);
      }
      tool->call_free(call);
    }
    tool->destroy(tool);
  }
  entry->deinit();
  return 0;
}
