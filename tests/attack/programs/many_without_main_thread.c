/* Starts COUNT processes whose main threads end while another thread waits.
 *
 * Usage: many_without_main_thread COUNT [daemon]   (daemon: each in a session of its own, and this process ends) */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void* wait_for_long(void* nothing) {
  sleep(60);
  exit(0);
  return nothing;
}

int main(int count, char** words) {
  if (count < 2) return 2;
  const int daemons = count > 2;
  int ready[2];
  if (pipe(ready) != 0) return 2;
  for (int i = atoi(words[1]); i > 0; --i) {
    if (fork() != 0) continue;
    pthread_t thread;
    if (daemons) setsid();
    if (pthread_create(&thread, NULL, wait_for_long, NULL) != 0 || write(ready[1], "x", 1) != 1) _exit(1);
    pthread_exit(NULL);
  }
  char byte;
  for (int i = atoi(words[1]); i > 0; --i) {
    if (read(ready[0], &byte, 1) != 1) return 2;
  }
  printf("started\n");
  fflush(stdout);
  if (!daemons) sleep(3);
  return 0;
}
