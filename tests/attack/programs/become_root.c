/* Set to the user root, becomes that for good: nobody else may signal it. Sleeps then; ends by itself after a minute. */
#include <unistd.h>

int main(void) {
  alarm(60);
  if (setuid(0) != 0) return 1;
  for (;;) pause();
}
