/* What the benchmark lets commands do: floods, process trees, and processes that do not want to end.
 *
 *   write BYTES [both]    writes that much text on standard output, in pieces of 64 KiB; `both`: on each output in turn
 *   pause                 one process that obeys SIGTERM
 *   deaf                  one process that ignores SIGTERM
 *   wide N [deaf]         N processes: one, and N - 1 children of it
 *   deep N [deaf]         N processes, each the child of the one before, and each executed again, as in nested shells
 *   forked N [deaf]       the same with only fork. All of them share their memory's bookkeeping (the kernel's anon_vma
 *                         chains), so the kernel itself takes seconds to make such a tree, and a long time to free it.
 *   daemon                a process with a daemon beside it (a double fork, and a session of its own)
 *   reforker              a process with a child that forks and exits, whose child forks and exits, and so on
 *   stamp                 writes when main() began and when it ends (CLOCK_MONOTONIC, nanoseconds), and the id of its
 *                         parent
 *
 * All but `write` and `stamp` write "ready" on standard output as soon as everything that they start is there, and then
 * stay until they are ended. Each process ends after five minutes at the latest, even if the process that started it is
 * gone. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { piece_size = 64 * 1024, longest_life_s = 300 };

static void fail(const char* what) {
  fprintf(stderr, "bench_command: %s: %s\n", what, strerror(errno));
  _exit(1);
}

static void say_ready(void) {
  if (write(STDOUT_FILENO, "ready\n", 6) != 6) fail("write");
}

/* A child does not inherit its parent's alarm, so each process sets its own. */
static void stay(void) {
  alarm(longest_life_s);
  for (;;) pause();
}

static pid_t fork_or_fail(void) {
  const pid_t child = fork();
  if (child < 0) fail("fork");
  return child;
}

static void write_text(long long bytes, int both) {
  static char piece[piece_size];
  for (int i = 0; i < piece_size; ++i) piece[i] = i % 64 == 63 ? '\n' : (char)('0' + i % 10);
  int stream = STDOUT_FILENO;
  while (bytes > 0) {
    const size_t wanted = bytes < piece_size ? (size_t)bytes : piece_size;
    const ssize_t done = write(stream, piece, wanted);
    if (done <= 0) fail("write");
    bytes -= done;
    if (both) stream = stream == STDOUT_FILENO ? STDERR_FILENO : STDOUT_FILENO;
  }
}

static void grow_wide(long count) {
  for (long i = 1; i < count; ++i) {
    if (fork_or_fail() == 0) stay();
  }
  say_ready();
  stay();
}

/* Each level executes the program again, as nested shells and makes do. With only fork, a process a thousand forks deep
 * would share its memory's bookkeeping with a thousand others, and the kernel would take seconds to make such a tree
 * and to free it. */
static void grow_deep(char* program, long count, char* variant) {
  if (count > 1) {
    char rest[24];
    snprintf(rest, sizeof rest, "%ld", count - 1);
    char mode[] = "deep";
    char* const argv[] = {program, mode, rest, variant, NULL};
    const pid_t child = vfork();
    if (child == 0) {
      execv(program, argv);
      _exit(127);
    }
    if (child < 0) fail("vfork");
  } else {
    say_ready();
  }
  stay();
}

static void grow_forked(long count) {
  for (long i = 1; i < count; ++i) {
    if (fork_or_fail() != 0) stay();
  }
  say_ready();
  stay();
}

static void start_daemon(void) {
  const pid_t between = fork_or_fail();
  if (between == 0) {
    setsid();
    if (fork_or_fail() != 0) _exit(0);
    say_ready();
    const int nothing = open("/dev/null", O_RDWR);
    for (int stream = 0; stream < 3; ++stream) dup2(nothing, stream);
    stay();
  }
  waitpid(between, NULL, 0);
  stay();
}

static void start_reforker(void) {
  if (fork_or_fail() != 0) stay();
  const time_t end = time(NULL) + longest_life_s;
  say_ready();
  while (time(NULL) < end) {
    if (fork_or_fail() != 0) _exit(0);
  }
  _exit(0);
}

static long long now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void write_stamp(long long began) {
  char text[80];
  const int length = snprintf(text, sizeof text, "%lld %lld %d\n", began, now_ns(), (int)getppid());
  if (write(STDOUT_FILENO, text, (size_t)length) != length) fail("write");
}

int main(int argc, char** argv) {
  const long long began = now_ns();
  const char* const what = argc > 1 ? argv[1] : "";
  const long long count = argc > 2 ? atoll(argv[2]) : 0;
  const char* const variant = argc > 3 ? argv[3] : "";
  if (strcmp(variant, "deaf") == 0 || strcmp(what, "deaf") == 0) signal(SIGTERM, SIG_IGN);
  if (strcmp(what, "write") == 0) {
    write_text(count, strcmp(variant, "both") == 0);
  } else if (strcmp(what, "pause") == 0 || strcmp(what, "deaf") == 0) {
    say_ready();
    stay();
  } else if (strcmp(what, "wide") == 0) {
    grow_wide((long)count);
  } else if (strcmp(what, "deep") == 0) {
    grow_deep(argv[0], (long)count, argc > 3 ? argv[3] : NULL);
  } else if (strcmp(what, "forked") == 0) {
    grow_forked((long)count);
  } else if (strcmp(what, "daemon") == 0) {
    start_daemon();
  } else if (strcmp(what, "reforker") == 0) {
    start_reforker();
  } else if (strcmp(what, "stamp") == 0) {
    write_stamp(began);
  } else {
    fprintf(stderr,
            "usage: bench_command write|pause|deaf|wide|deep|forked|daemon|reforker|stamp ... (see its source)\n");
    return 2;
  }
  return 0;
}
