/* Tries to change the text at its standard input, in the way that the argument names, or to run it. Prints "changed" or
 * "refused", and then the text from its beginning. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const int seal_exec = 0x20; /* F_SEAL_EXEC */

static int reopened(void) {
  fchmod(0, 0600);
  return open("/proc/self/fd/0", O_RDWR);
}

static int map_of(int fd) {
  char* text = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (text == MAP_FAILED) return -1;
  text[0] = 'X';
  return 0;
}

static int attempt(const char* what) {
  if (strcmp(what, "write") == 0) return pwrite(0, "X", 1, 0) == 1 ? 0 : -1;
  if (strcmp(what, "reopen") == 0) return pwrite(reopened(), "X", 1, 0) == 1 ? 0 : -1;
  if (strcmp(what, "truncate") == 0) return ftruncate(0, 0);
  if (strcmp(what, "grow") == 0) return ftruncate(reopened(), 1 << 20);
  if (strcmp(what, "map") == 0) return map_of(0);
  if (strcmp(what, "map_reopened") == 0) return map_of(reopened());
  if (strcmp(what, "unseal") == 0) return fcntl(0, F_ADD_SEALS, F_SEAL_FUTURE_WRITE);
  if (strcmp(what, "execute") == 0) {
    /* Before Linux 6.3, no seal prevents the owner from making the text executable, so this is tried only where the
     * seal exists. */
    if ((fcntl(0, F_GET_SEALS) & seal_exec) != 0) fchmod(0, 0700);
    execl("/proc/self/fd/0", "x", (char*)NULL);
    return -1;
  }
  return 0;
}

int main(int count, char** arguments) {
  if (count < 2) return 2;
  printf("%s\n", attempt(arguments[1]) == 0 ? "changed" : "refused");
  fflush(stdout);
  lseek(0, 0, SEEK_SET);
  char text[4096];
  const ssize_t size = read(0, text, sizeof text);
  return size > 0 && write(1, text, (size_t)size) == size ? 0 : 1;
}
