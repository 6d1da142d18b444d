#include "warden/sandbox_child.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/open_resolving.h"

namespace wtool::warden {

namespace {

// The headers of the build may be older than these calls. The numbers are the same on every architecture.
constexpr long sys_open_tree = 428;
constexpr long sys_move_mount = 429;
constexpr long sys_mount_setattr = 442;

constexpr unsigned capability_perfmon = 38;
constexpr unsigned capability_bpf = 39;
constexpr unsigned capability_checkpoint_restore = 40;

constexpr unsigned open_tree_clone = 1;
constexpr unsigned move_mount_from_and_to_descriptors = 0x04 | 0x40;
struct MountAttributes {
  std::uint64_t set, clear, propagation, user_namespace;
};
constexpr std::uint64_t mount_read_only = 1;

// ---- Fence: from here to the end of enter_sandbox, the code runs in a vfork child. System calls only.

int write_map(const char* path, const char* text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const auto size = static_cast<ssize_t>(std::strlen(text));
  const int error = ::write(file, text, static_cast<std::size_t>(size)) == size ? 0 : errno;
  ::close(file);
  return error;
}

// The child keeps its user and group in the new namespace, in which it may mount.
int map_user(const SandboxPlan& plan) {
  // If the child were not dumpable, root would own its files in /proc. Making it dumpable is safe, because it shares no
  // memory.
  ::prctl(PR_SET_DUMPABLE, 1);
  int error = write_map("/proc/self/setgroups", "deny");
  if (error == 0) error = write_map("/proc/self/uid_map", plan.user_map);
  if (error == 0) error = write_map("/proc/self/gid_map", plan.group_map);
  return error;
}

// Binds the file or folder, with everything mounted below it, onto itself. Works by descriptor and follows no link, so
// that nobody can replace the file meanwhile.
int bind_onto_itself(const char* path, bool read_only) {
  const int place = open_resolving(AT_FDCWD, path, O_PATH, RESOLVE_NO_SYMLINKS);
  if (place < 0) return errno;
  int error = 0;
  const auto tree =
      static_cast<int>(::syscall(sys_open_tree, place, "", AT_EMPTY_PATH | AT_RECURSIVE | open_tree_clone | O_CLOEXEC));
  if (tree < 0) error = errno;
  if (error == 0 && read_only) {
    // Sets only this attribute and keeps the others of the mount, because a user namespace may not remove any of them.
    MountAttributes attributes{mount_read_only, 0, 0, 0};
    if (::syscall(sys_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes) != 0) {
      error = errno;
    }
  }
  if (error == 0 && ::syscall(sys_move_mount, tree, "", place, "", move_mount_from_and_to_descriptors) != 0) {
    error = errno;
  }
  if (tree >= 0) ::close(tree);
  ::close(place);
  return error;
}

SpawnFailure protect_paths(const SandboxPlan& plan) {
  if (plan.user_namespace) {
    if (const int error = map_user(plan); error != 0) return {Stage::namespaces, error};
  } else if (::unshare(CLONE_NEWNS) != 0) {
    return {Stage::namespaces, errno};
  }
  // This must come first; otherwise, every bind would also be visible outside the namespace.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return {Stage::namespaces, errno};
  for (std::size_t i = 0; i < plan.bind_count; ++i) {
    const int error = bind_onto_itself(plan.binds[i] + 1, plan.binds[i][0] == bind_read_only);
    // This kernel or system does not allow such a bind.
    if (error == ENOSYS || error == EPERM) return {Stage::namespaces, error};
    if (error != 0) return {Stage::binds, error};
  }
  struct stat outside {};
  struct stat inside {};
  if (::chdir(plan.directory_path) != 0 || ::fstat(plan.directory, &outside) != 0 || ::stat(".", &inside) != 0) {
    return {Stage::directory, errno};
  }
  if (outside.st_dev != inside.st_dev || outside.st_ino != inside.st_ino) return {Stage::directory, ESTALE};
  return {};
}

// The capabilities with which root could do more than ignore the permissions of files and the owners of processes. With
// perfmon or sys_admin, root could read the environment of any process, which Landlock does not prevent. With sys_nice,
// root could starve the keepers; with other capabilities, it could access disks and memory directly. Programs that are
// executed later do not get these capabilities back, because of no_new_privs.
constexpr unsigned dropped_capabilities[] = {
    CAP_DAC_READ_SEARCH, CAP_LINUX_IMMUTABLE, CAP_NET_ADMIN,     CAP_SYS_MODULE,
    CAP_SYS_RAWIO,       CAP_SYS_CHROOT,      CAP_SYS_PTRACE,    CAP_SYS_PACCT,
    CAP_SYS_ADMIN,       CAP_SYS_BOOT,        CAP_SYS_NICE,      CAP_SYS_TIME,
    CAP_SYS_TTY_CONFIG,  CAP_MKNOD,           CAP_AUDIT_CONTROL, CAP_MAC_OVERRIDE,
    CAP_MAC_ADMIN,       CAP_SYSLOG,          CAP_WAKE_ALARM,    CAP_BLOCK_SUSPEND,
    CAP_AUDIT_READ,      capability_perfmon,  capability_bpf,    capability_checkpoint_restore};

bool drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3]{};
  if (::syscall(SYS_capget, &header, sets) != 0) return false;
  if ((sets[0].permitted | sets[1].permitted) == 0) return true;
  for (const unsigned capability : dropped_capabilities) {
    __user_cap_data_struct& set = sets[capability / 32];
    const std::uint32_t kept = ~(1U << capability % 32);
    set.effective &= kept;
    set.permitted &= kept;
    set.inheritable &= kept;
  }
  return ::syscall(SYS_capset, &header, sets) == 0;
}

}  // namespace

int enter_filter(sock_filter* filter, unsigned short size) {
  sock_fprog program{size, filter};
  // Without no_new_privs, the kernel accepts a filter only from a privileged process.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &program) == 0 ? 0 : errno;
}

SpawnFailure enter_sandbox(const SandboxPlan& plan) {
  if (plan.bind_count > 0) {
    const SpawnFailure failure = protect_paths(plan);
    if (failure.stage != Stage::none) return failure;
  }
  // No program may gain rights by being executed. Without no_new_privs, the kernel accepts the ruleset and the filter
  // only from a privileged process.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return {Stage::sandbox, errno};
  if (!drop_capabilities()) return {Stage::sandbox, errno};
  if (plan.ruleset >= 0 && ::syscall(sys_landlock_restrict_self, plan.ruleset, 0U) != 0) {
    return {Stage::sandbox, errno};
  }
  if (plan.filter_size > 0) {
    if (const int error = enter_filter(plan.filter, plan.filter_size); error != 0) return {Stage::sandbox, error};
  }
  return {};
}

// ---- End of the fence.

bool SandboxMessage::lay_out(const char* bytes, std::size_t size) {
  plan_ = {};
  texts_.clear();
  if (size == 0) return true;
  SandboxPart part;
  if (size < sizeof part) return false;
  std::memcpy(&part, bytes, sizeof part);
  bytes += sizeof part;
  size -= sizeof part;
  if (part.filter > BPF_MAXINSNS || part.filter * sizeof(sock_filter) > size || part.binds > size) return false;
  filter_.resize(part.filter);
  if (part.filter > 0) std::memcpy(filter_.data(), bytes, part.filter * sizeof(sock_filter));
  bytes += part.filter * sizeof(sock_filter);
  size -= part.filter * sizeof(sock_filter);
  if (size == 0 || bytes[size - 1] != '\0') return false;
  for (const char* const end = bytes + size; bytes < end; bytes += std::strlen(bytes) + 1) texts_.push_back(bytes);
  if (texts_.size() != std::size_t{part.binds} + 1) return false;
  plan_.filter = filter_.data();
  plan_.filter_size = static_cast<unsigned short>(part.filter);
  plan_.binds = texts_.data();
  plan_.bind_count = part.binds;
  plan_.directory_path = texts_.back();
  return true;
}

SandboxPlan& SandboxMessage::plan(int ruleset, int directory) {
  plan_.ruleset = ruleset;
  plan_.directory = directory;
  return plan_;
}

bool needs_user_namespace(const SandboxPlan& plan) {
  if (plan.bind_count == 0) return false;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3]{};
  return ::syscall(SYS_capget, &header, data) != 0 || (data[0].effective & (1U << CAP_SYS_ADMIN)) == 0;
}

pid_t spawn_in_user_namespace(SandboxPlan& plan, int cgroup, void (*body)(const void*, volatile SpawnFailure&),
                              const void* argument, SpawnFailure& failure) {
  // The child's memory is a copy, so it reports a failure through a shared page.
  void* const page = ::mmap(nullptr, sizeof(SpawnFailure), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) {
    failure = {Stage::fork, errno};
    return -1;
  }
  volatile SpawnFailure& shared = *new (page) SpawnFailure;
  plan.user_namespace = true;
  std::snprintf(plan.user_map, sizeof plan.user_map, "%u %u 1", ::geteuid(), ::geteuid());
  std::snprintf(plan.group_map, sizeof plan.group_map, "%u %u 1", ::getegid(), ::getegid());
  constexpr unsigned long flags = CLONE_VFORK | CLONE_NEWUSER | CLONE_NEWNS;
  pid_t child = -1;
  if (cgroup >= 0) {
    clone_args arguments{};
    arguments.flags = flags | CLONE_INTO_CGROUP;
    arguments.exit_signal = SIGCHLD;
    arguments.cgroup = static_cast<std::uint64_t>(cgroup);
    child = static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
    if (child < 0) failure.cgroup_error = errno;
  }
  if (child < 0) child = static_cast<pid_t>(::syscall(SYS_clone, flags | SIGCHLD, 0UL, 0UL, 0UL, 0UL));
  if (child == 0) body(argument, shared);
  if (child < 0) {
    failure = {errno == EAGAIN || errno == ENOMEM ? Stage::fork : Stage::namespaces, errno};
  } else {
    failure.stage = shared.stage;
    failure.error = shared.error;
    if (failure.stage != Stage::none) {
      while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
      }
      child = -1;
    }
  }
  ::munmap(page, sizeof(SpawnFailure));
  return child;
}

}  // namespace wtool::warden
