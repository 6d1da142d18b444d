/* Attacks the two keepers of a command: its parent, the custodian, and the custodian's parent, the warden.
 *
 * Usage: attack_keepers ACTION TARGET ENDING
 *   ACTION  stop, stop-loop (by a daemon); nofile, nproc, cpu, as, data, fsize, stack (the limit becomes 0);
 *           nofile-8 (the limit becomes 8); nice, ionice, idle, affinity; kill (SIGKILL); none
 *   TARGET  custodian, warden, both
 *   ENDING  exit: with status 0; hang: for a minute
 * First it leaves a daemon behind, in a session of its own. All its processes end after a minute at most. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t parent_of(pid_t process) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  FILE* file = fopen(path, "r");
  if (file == NULL) return -1;
  const size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = 0;
  const char* end = strrchr(text, ')');
  int parent = -1;
  if (end == NULL || sscanf(end + 2, "%*c %d", &parent) != 1) return -1;
  return parent;
}

static pid_t targets[2];
static int target_count = 0;

static void stop_all(void) {
  for (int i = 0; i < target_count; ++i) kill(targets[i], SIGSTOP);
}

static void limit_all(enum __rlimit_resource resource, rlim_t value) {
  const struct rlimit limit = {value, value};
  for (int i = 0; i < target_count; ++i) prlimit(targets[i], resource, &limit, NULL);
}

/* Starts a daemon that sleeps, or one that stops the targets again and again. */
static void start_daemon(int stops) {
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    alarm(60);
    signal(SIGTERM, SIG_IGN);
    for (;;) {
      if (stops) stop_all();
      usleep(stops ? 50 : 100000);
    }
  }
  wait(NULL);
}

int main(int count, char** words) {
  if (count != 4) return 2;
  const char* action = words[1];
  const pid_t custodian = getppid(), warden = parent_of(custodian);
  if (custodian <= 1 || warden <= 1) return 2;
  if (strcmp(words[2], "warden") != 0) targets[target_count++] = custodian;
  if (strcmp(words[2], "custodian") != 0) targets[target_count++] = warden;

  start_daemon(0);
  if (strcmp(action, "stop") == 0) stop_all();
  if (strcmp(action, "stop-loop") == 0) start_daemon(1);
  if (strcmp(action, "nofile") == 0) limit_all(RLIMIT_NOFILE, 0);
  if (strcmp(action, "nofile-8") == 0) limit_all(RLIMIT_NOFILE, 8);
  if (strcmp(action, "nproc") == 0) limit_all(RLIMIT_NPROC, 0);
  if (strcmp(action, "cpu") == 0) limit_all(RLIMIT_CPU, 0);
  if (strcmp(action, "as") == 0) limit_all(RLIMIT_AS, 0);
  if (strcmp(action, "data") == 0) limit_all(RLIMIT_DATA, 0);
  if (strcmp(action, "fsize") == 0) limit_all(RLIMIT_FSIZE, 0);
  if (strcmp(action, "stack") == 0) limit_all(RLIMIT_STACK, 0);
  for (int i = 0; i < target_count; ++i) {
    if (strcmp(action, "kill") == 0) kill(targets[i], SIGKILL);
    const struct sched_param no_priority = {0};
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    if (strcmp(action, "nice") == 0) setpriority(PRIO_PROCESS, (id_t)targets[i], 19);
    if (strcmp(action, "ionice") == 0) syscall(SYS_ioprio_set, 1, targets[i], 3 << 13); /* process; idle */
    if (strcmp(action, "idle") == 0) sched_setscheduler(targets[i], SCHED_IDLE, &no_priority);
    if (strcmp(action, "affinity") == 0) sched_setaffinity(targets[i], sizeof first, &first);
  }
  printf("ready\n");
  fflush(stdout);
  if (strcmp(words[3], "hang") == 0) sleep(60);
  return 0;
}
