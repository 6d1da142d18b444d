// Replaces any program: appends one record of its words and of its standard input to the file $WTOOL_PROBE_FILE, and
// exits with $WTOOL_PROBE_STATUS. Every text is written as its length, a colon, and its bytes.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char record[1 << 20];
static size_t size;

static void add(const char* text, size_t length) {
  if (length > sizeof record - size - 32) exit(99);
  size += (size_t)sprintf(record + size, "%zu:", length);
  memcpy(record + size, text, length);
  size += length;
}

int main(int argc, char** argv) {
  static char input[1 << 16];
  size_t got = 0;
  for (ssize_t count; (count = read(0, input + got, sizeof input - got)) > 0;) got += (size_t)count;
  size = (size_t)sprintf(record, "%d;", argc);
  for (int i = 0; i < argc; ++i) add(argv[i], strlen(argv[i]));
  add(input, got);
  const char* path = getenv("WTOOL_PROBE_FILE");
  const char* status = getenv("WTOOL_PROBE_STATUS");
  const int file = path != NULL ? open(path, O_WRONLY | O_APPEND) : -1;
  if (file < 0 || write(file, record, size) != (ssize_t)size) return 99;
  return status != NULL ? atoi(status) : 0;
}
