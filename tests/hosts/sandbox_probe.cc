// Makes one system call that a sandbox may refuse, and prints the result: "ok", or the errno's name.
//
// Usage: sandbox_probe CALL [ARGUMENT]...   (see the table at the end of this file)
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

namespace {

char** arguments;

const char* path(int i) { return arguments[i]; }
int number(int i) { return std::atoi(arguments[i]); }

long on_internet(int type, int (*call)(int, const sockaddr*, socklen_t)) {
  const int fd = socket(AF_INET, type, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(number(0)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return fd < 0 ? -1 : call(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

// Makes the call with the address of a socket: its path or, if the path begins with '@', an abstract name.
long on_unix(int (*call)(int, const sockaddr*, socklen_t)) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path(0), sizeof address.sun_path - 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path(0)));
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  return fd < 0 ? -1 : call(fd, reinterpret_cast<const sockaddr*>(&address), size);
}

// Makes a child process with these new namespaces. The child does nothing.
long clone_into(unsigned long flags) {
  const long child = syscall(SYS_clone, flags | SIGCHLD, 0UL, 0UL, 0UL, 0UL);
  if (child == 0) _exit(0);
  if (child > 0) waitpid(static_cast<pid_t>(child), nullptr, 0);
  return child;
}

long clone3_child() {
  struct {
    std::uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
  } how{0, 0, 0, 0, SIGCHLD, 0, 0, 0};
  const long child = syscall(SYS_clone3, &how, sizeof how);
  if (child == 0) _exit(0);
  if (child > 0) waitpid(static_cast<pid_t>(child), nullptr, 0);
  return child;
}

// Makes a system call as 32-bit programs do, for which the calls have other numbers.
long foreign_getpid() {
#ifdef __x86_64__
  long result = 20;
  __asm__ volatile("int $0x80" : "+a"(result) : : "r8", "r9", "r10", "r11", "memory");
  return result;
#else
  errno = ENOTSUP;
  return -1;
#endif
}

// Makes files through a link, while a child switches that link between two folders, until each folder has been reached
// often enough, by success or refusal.
long race_links() {
  const std::string link = std::string(path(0)) + "/link";
  const std::string next = std::string(path(0)) + "/next";
  if (symlink(path(1), link.c_str()) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    for (int turn = 0;; ++turn) {
      if (symlink(turn % 2 == 0 ? path(2) : path(1), next.c_str()) != 0) _exit(1);
      if (rename(next.c_str(), link.c_str()) != 0) _exit(1);
    }
  }
  int made = 0;
  int refused = 0;
  for (int i = 0; i < 1'000'000 && (made < 500 || refused < 500); ++i) {
    const int fd = open((link + "/made").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    ++(fd >= 0 ? made : refused);
    if (fd >= 0) close(fd);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return 0;
}

const std::map<std::string, std::function<long()>> calls = {
    {"create", [] { return long{open(path(0), O_WRONLY | O_CREAT | O_EXCL, 0644)}; }},
    {"write", [] { return long{open(path(0), O_WRONLY)}; }},
    {"read", [] { return long{open(path(0), O_RDONLY)}; }},
    {"open-truncating", [] { return long{open(path(0), O_RDONLY | O_TRUNC)}; }},
    {"open-neither-truncating", [] { return long{open(path(0), 3 | O_TRUNC)}; }},
    {"truncate", [] { return long{truncate(path(0), 0)}; }},
    {"mkdir", [] { return long{mkdir(path(0), 0755)}; }},
    {"rmdir", [] { return long{rmdir(path(0))}; }},
    {"unlink", [] { return long{unlink(path(0))}; }},
    {"link", [] { return long{link(path(0), path(1))}; }},
    {"symlink", [] { return long{symlink(path(0), path(1))}; }},
    {"rename", [] { return long{rename(path(0), path(1))}; }},
    {"exchange", [] { return syscall(SYS_renameat2, AT_FDCWD, path(0), AT_FDCWD, path(1), 2U); }},
    {"fifo", [] { return long{mkfifo(path(0), 0644)}; }},
    {"block-device", [] { return long{mknod(path(0), S_IFBLK | 0644, makedev(7, 0))}; }},
    {"chmod", [] { return long{chmod(path(0), 0600)}; }},
    {"race-links", race_links},
    {"tcp-connect", [] { return on_internet(SOCK_STREAM, connect); }},
    {"tcp-bind", [] { return on_internet(SOCK_STREAM, bind); }},
    {"udp-connect", [] { return on_internet(SOCK_DGRAM, connect); }},
    {"raw-socket", [] { return long{socket(AF_PACKET, SOCK_RAW, 0)}; }},
    {"netlink", [] { return long{socket(AF_NETLINK, SOCK_RAW, 0)}; }},
    {"unix-connect", [] { return on_unix(connect); }},
    {"unix-bind", [] { return on_unix(bind); }},
    {"unix-pair",
     [] {
       int pair[2];
       return long{socketpair(AF_UNIX, SOCK_STREAM, 0, pair)};
     }},
    {"kill", [] { return long{kill(number(0), number(1))}; }},
    {"trace-me", [] { return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }},
    {"read-memory",
     [] {
       char byte = 0;
       iovec local{&byte, 1};
       iovec remote{&byte, 1};
       return long{process_vm_readv(number(0), &local, 1, &remote, 1, 0)};
     }},
    {"mount", [] { return long{mount("none", path(0), "tmpfs", 0, nullptr)}; }},
    {"bind-mount", [] { return long{mount(path(0), path(0), nullptr, MS_BIND, nullptr)}; }},
    {"remount", [] { return long{mount(nullptr, path(0), nullptr, MS_REMOUNT | MS_BIND, nullptr)}; }},
    {"unmount", [] { return long{umount2(path(0), MNT_DETACH)}; }},
    {"open-tree", [] { return syscall(428, AT_FDCWD, path(0), 1U); }},
    {"change-root", [] { return long{chroot(path(0))}; }},
    {"enter-namespace", [] { return syscall(SYS_setns, open(path(0), O_RDONLY), 0); }},
    {"unshare-mounts", [] { return long{unshare(CLONE_NEWNS)}; }},
    {"unshare-user", [] { return long{unshare(CLONE_NEWUSER)}; }},
    {"unshare-files", [] { return long{unshare(CLONE_FILES)}; }},
    {"clone-user", [] { return clone_into(CLONE_NEWUSER); }},
    {"clone-network", [] { return clone_into(CLONE_NEWNET); }},
    {"clone", [] { return clone_into(0); }},
    {"clone3", clone3_child},
    {"io_uring", [] { return syscall(425, 1U, nullptr); }},
    {"key", [] { return syscall(SYS_keyctl, 0, -3, 0); }},
    {"bpf", [] { return syscall(SYS_bpf, 0, nullptr, 0); }},
    {"userfaultfd", [] { return syscall(SYS_userfaultfd, 1); }},
    {"type-into-terminal", [] { return long{ioctl(0, TIOCSTI, "x")}; }},
    {"type-with-high-bits", [] { return syscall(SYS_ioctl, 0, (1UL << 32) | TIOCSTI, "x"); }},
    {"foreign-call", foreign_getpid},
};

}  // namespace

int main(int argc, char** argv) {
  const auto found = argc > 1 ? calls.find(argv[1]) : calls.end();
  if (found == calls.end()) return 2;
  arguments = argv + 2;
  errno = 0;
  std::puts(found->second() >= 0 ? "ok" : strerrorname_np(errno));
  return 0;
}
