/* A set-user-ID program of root: it becomes root for good, so that nobody else may signal it. Prints "root" and
 * sleeps; ends by itself after a minute. */
#include <unistd.h>

int main(void) {
  alarm(60);
  if (setuid(0) != 0 || write(1, "root\n", 5) != 5) return 1;
  for (;;) pause();
}
