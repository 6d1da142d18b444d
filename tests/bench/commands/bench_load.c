/* Measures how long a host waits for the plugin: from dlopen until all descriptors have been read, in a process that
 * has so far loaded only the C library. Prints nanoseconds. Usage: bench_load PLUGIN.so */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
#include <wtool/tool.h>

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Every byte is touched, as by a host that lists the tools. */
static size_t read_text(wtool_view text) {
  size_t found = 0;
  for (size_t i = 0; i < text.size; ++i) found += text.data[i] != 0;
  return found;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: bench_load PLUGIN.so\n");
    return 2;
  }
  const long long began = now();
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  const wtool_entry* const entry = library != NULL ? (const wtool_entry*)dlsym(library, WTOOL_ENTRY_SYMBOL) : NULL;
  if (entry == NULL) {
    fprintf(stderr, "bench_load: %s\n", dlerror());
    return 1;
  }
  size_t bytes = 0;
  for (uint32_t i = 0; i < entry->tool_count(); ++i) {
    const wtool_descriptor* const tool = entry->tool_at(i);
    bytes += read_text(tool->description) + read_text(tool->input_schema) + read_text(tool->output_schema);
  }
  const long long ended = now();
  if (bytes == 0) {
    fprintf(stderr, "bench_load: %s describes no tool\n", argv[1]);
    return 1;
  }
  printf("%lld\n", ended - began);
  return 0;
}
