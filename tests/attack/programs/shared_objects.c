// Uses objects that all processes of a user share and that belong to no folder: the IPC objects of System V, and the
// message queues of POSIX.
//
// Usage: shared_objects use KEY MEMORY SEMAPHORES MESSAGES QUEUE
//          Uses existing objects, given by key, numbers and the queue's name: writes into the memory,
//          raises a semaphore, takes messages away, and removes the queue. Prints "CALL ok" or "CALL ERRNO" for each
//          call.
//        shared_objects make KEY
//          Makes a shared memory segment with this key, and leaves it behind.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

static void report(const char* call, long result) {
  printf("%s %s\n", call, result >= 0 ? "ok" : strerrorname_np(errno));
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const key_t key = (key_t)strtol(argv[2], NULL, 0);
  if (strcmp(argv[1], "make") == 0) {
    report("shmget", shmget(key, 4096, IPC_CREAT | 0600));
    return 0;
  }
  if (argc < 7) return 2;
  report("shmget", shmget(key, 0, 0));
  report("semget", semget(key, 0, 0));
  report("msgget", msgget(key, 0));
  void* const memory = shmat(atoi(argv[3]), NULL, 0);
  report("shmat", memory == (void*)-1 ? -1 : 0);
  if (memory != (void*)-1) memcpy(memory, "taken", 6);
  struct sembuf up = {0, 1, IPC_NOWAIT};
  report("semop", semop(atoi(argv[4]), &up, 1));
  struct {
    long type;
    char text[16];
  } message;
  report("msgrcv", msgrcv(atoi(argv[5]), &message, sizeof message.text, 0, IPC_NOWAIT | MSG_NOERROR));
  // Uses the kernel's calls, because the C library reports some errors differently. They want names without the slash.
  const long queue = syscall(SYS_mq_open, argv[6] + 1, O_RDWR | O_NONBLOCK, 0, NULL);
  report("mq_open", queue);
  // The next calls are tried even if mq_open failed: where the file system of the queues is mounted, a queue can be
  // opened as a file.
  char text[8192];
  report("mq_timedreceive", syscall(SYS_mq_timedreceive, queue, text, sizeof text, NULL, NULL));
  report("mq_timedsend", syscall(SYS_mq_timedsend, queue, "x", 1, 0, NULL));
  report("mq_unlink", syscall(SYS_mq_unlink, argv[6] + 1));
  return 0;
}
