/* Leaves a daemon behind that traces this process, so that only the daemon learns of the death of this process. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <unistd.h>

int main(void) {
  const pid_t traced = getpid();
  int ready[2];
  if (pipe(ready) != 0) return 2;
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  if (fork() == 0) {
    setsid();
    alarm(60);
    ptrace(PTRACE_SEIZE, traced, NULL, NULL);
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte;
  return read(ready[0], &byte, 1) == 1 ? 0 : 2;
}
