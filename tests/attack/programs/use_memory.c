/* Uses memory where a monitor might not look for it.
 *
 * Usage: use_memory HOW MEGABYTES [TIMES]
 *   without-main-thread  in a thread, after the main thread has ended
 *   hidden-shared        in shared memory of a process that others may not look into
 *   vfork                in one process, which starts /bin/true by vfork TIMES times
 *   vfork-in-thread      the same, but a thread other than the main one starts the programs, slowly */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t size;

static void fill(int flags) {
  char* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) exit(2);
  memset(memory, 1, size);
}

static void* fill_and_wait(void* nothing) {
  fill(MAP_PRIVATE);
  sleep(5);
  printf("filled\n");
  exit(0);
  return nothing;
}

// How many microseconds a child waits before exec, while it shares its parent's memory.
static useconds_t shared_for;

static void start_true(void) {
  const pid_t child = vfork();
  if (child == 0) {
    if (shared_for > 0) usleep(shared_for);
    execl("/bin/true", "true", (char*)NULL);
    _exit(1);
  }
  waitpid(child, NULL, 0);
}

static int times = 1;

static void* start_many(void* nothing) {
  for (int i = times; i > 0; --i) start_true();
  return nothing;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  size = (size_t)atol(words[2]) << 20;
  if (count > 3) times = atoi(words[3]);
  if (strcmp(words[1], "without-main-thread") == 0) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, fill_and_wait, NULL) != 0) return 2;
    pthread_exit(NULL);
  }
  if (strcmp(words[1], "hidden-shared") == 0) {
    prctl(PR_SET_DUMPABLE, 0);
    fill(MAP_SHARED);
    sleep(5);
  }
  if (strcmp(words[1], "vfork") == 0) {
    fill(MAP_PRIVATE);
    start_many(NULL);
  }
  if (strcmp(words[1], "vfork-in-thread") == 0) {
    fill(MAP_PRIVATE);
    shared_for = 20000;
    pthread_t thread;
    if (pthread_create(&thread, NULL, start_many, NULL) != 0) return 2;
    pthread_join(thread, NULL);
  }
  printf("filled\n");
  return 0;
}
