// Tries to lower the limits of other processes, as prlimit(1) does: each limit to 0, after which a process cannot open
// a file or start a process, and is killed when it next uses processor time.
//
// Usage: limits_of PROCESS...   (a number; "custodian", the parent; or "warden", the parent's parent)
// Prints "changed PROCESS RESOURCE" for each limit that it could change, and at the end "done".
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int parent_of(int pid) {
  char path[64];
  char line[256];
  int parent = 0;
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  FILE* file = fopen(path, "re");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) sscanf(line, "PPid: %d", &parent);
  if (file != NULL) fclose(file);
  return parent;
}

static int process_of(const char* word) {
  if (strcmp(word, "custodian") == 0) return getppid();
  if (strcmp(word, "warden") == 0) return parent_of(getppid());
  return atoi(word);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const int pid = process_of(argv[i]);
    if (pid <= 1) continue;
    for (int resource = 0; resource < RLIM_NLIMITS; ++resource) {
      const struct rlimit none = {0, 0};
      if (prlimit(pid, (enum __rlimit_resource)resource, &none, NULL) == 0)
        printf("changed %s %d\n", argv[i], resource);
    }
  }
  puts("done");
  return 0;
}
