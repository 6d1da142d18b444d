// Tries to take the processor and the disk from other processes, by changing their priority, scheduler and processors.
//
// Usage: turns_of PROCESS...   (numbers)
// Prints "changed PROCESS CALL" for each call that was not refused, and at the end "done".
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void report(const char* process, const char* call, long result) {
  if (result >= 0) printf("changed %s %s\n", process, call);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const int pid = atoi(argv[i]);
    if (pid <= 1) continue;
    const struct sched_param none = {0};
    struct {
      uint32_t size, policy;
      uint64_t flags;
      int32_t nice;
      uint32_t priority;
      uint64_t runtime, deadline, period;
    } attributes = {48, SCHED_IDLE, 0, 0, 0, 0, 0, 0};
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    report(argv[i], "setpriority", setpriority(PRIO_PROCESS, (id_t)pid, 19));
    report(argv[i], "setpriority of a group", setpriority(PRIO_PGRP, (id_t)pid, 19));
    report(argv[i], "ioprio_set", syscall(SYS_ioprio_set, 1, pid, 3 << 13));
    report(argv[i], "ioprio_set of a group", syscall(SYS_ioprio_set, 2, pid, 3 << 13));
    report(argv[i], "sched_setparam", sched_setparam(pid, &none));
    report(argv[i], "sched_setscheduler", sched_setscheduler(pid, SCHED_IDLE, &none));
    report(argv[i], "sched_setattr", syscall(SYS_sched_setattr, pid, &attributes, 0));
    report(argv[i], "sched_setaffinity", sched_setaffinity(pid, sizeof first, &first));
  }
  puts("done");
  return 0;
}
