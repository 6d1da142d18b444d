#include "engine/sandbox/filter.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "system/descriptor.h"

namespace wtool::engine {

namespace {

// What needs a capability that the warden takes away (drop_capabilities: clock, modules, reboot, swap, quota, host
// name, ports) stands here only where a mistake there would open the sandbox: each number more makes every start
// slower.
//
// By name: the library knows which of them an architecture has, and Debian's headers need not know the newest.
constexpr const char* refused[] = {
    // other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp",
    // what would go around this filter, or leads to files without their names
    "io_uring_setup", "io_uring_enter", "io_uring_register", "open_by_handle_at", "fanotify_init",
    // keys of the user, which belong to no folder
    "add_key", "request_key", "keyctl",
    // mounts and namespaces
    "mount", "umount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "open_tree_attr", "fsopen",
    "fsconfig", "fsmount", "fspick", "mount_setattr", "setns",
    // the kernel's weak places
    "bpf", "perf_event_open", "userfaultfd",
    // the kernel's messages
    "syslog"};

// The flags of clone and unshare for new namespaces. From cgroup on, they stand above all others but CLONE_IO, which
// hardly any program knows: one comparison for six of them. 0x80 (a time namespace) is unshare's alone, since it stands
// where clone has its signal.
constexpr std::uint64_t first_high_namespace_flag = CLONE_NEWCGROUP;
constexpr std::uint64_t time_namespace_flag = 0x80;
static_assert(CLONE_NEWCGROUP < CLONE_NEWUTS && CLONE_NEWCGROUP < CLONE_NEWIPC && CLONE_NEWCGROUP < CLONE_NEWUSER &&
              CLONE_NEWCGROUP < CLONE_NEWPID && CLONE_NEWCGROUP < CLONE_NEWNET && CLONE_NEWCGROUP > CLONE_CHILD_SETTID);

// Which puts characters into a terminal as if somebody typed them there; and its like for the virtual consoles.
constexpr std::uint64_t typing_requests[] = {TIOCSTI, TIOCLINUX};
constexpr std::uint64_t low_half = 0xffffffff;  // of an argument: the kernel looks at no more of these

class Builder {
 public:
  Builder() : context_(::seccomp_init(SCMP_ACT_ALLOW), &::seccomp_release) {
    error_ = context_ ? 0 : ENOMEM;
    // A program of another architecture (32 bit) has other numbers: none of these rules would hold for it.
    keep(::seccomp_attr_set(context_.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
    // The warden decides about no_new_privs.
    keep(::seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_NNP, 0));
    // A tree instead of a list: taking it into force costs half as much (the kernel runs it for every number then).
    keep(::seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2));
  }

  template <typename... Conditions>
  void refuse(int error, const char* name, Conditions... conditions) {
    const int number = ::seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR) return;  // This library does not know it; nor does any program of its time.
    const int result = ::seccomp_rule_add(context_.get(), SCMP_ACT_ERRNO(static_cast<unsigned>(error)), number,
                                          sizeof...(conditions), conditions...);
    if (number >= 0) keep(result);  // A negative one is not of this architecture.
  }

  // The program, or nothing and error().
  std::string build() {
    const Descriptor file(::memfd_create("filter", MFD_CLOEXEC));
    if (!file) keep(-errno);
    if (error_ == 0) keep(::seccomp_export_bpf(context_.get(), file.get()));
    struct stat status {};
    if (error_ != 0 || ::fstat(file.get(), &status) != 0) return {};
    std::string program(static_cast<std::size_t>(status.st_size), '\0');
    if (::pread(file.get(), program.data(), program.size(), 0) != status.st_size) keep(-EIO);
    return error_ == 0 ? program : std::string();
  }

  int error() const { return error_; }

 private:
  void keep(int result) {
    if (error_ == 0 && result < 0) error_ = -result;
  }

  std::unique_ptr<void, decltype(&::seccomp_release)> context_;
  int error_ = 0;
};

scmp_arg_cmp has_flag(unsigned argument, std::uint64_t flag) { return {argument, SCMP_CMP_MASKED_EQ, flag, flag}; }

// Truncates, though it opens for reading (0) or for ioctl (3) alone.
scmp_arg_cmp truncates_as(unsigned argument, std::uint64_t mode) {
  return {argument, SCMP_CMP_MASKED_EQ, O_ACCMODE | O_TRUNC, mode | O_TRUNC};
}

}  // namespace

std::string make_filter(const FilterOptions& options, std::string& error) {
  Builder builder;
  for (const char* name : refused) builder.refuse(EPERM, name);
  for (const char* name : {"clone", "unshare"}) {
    builder.refuse(EPERM, name, scmp_arg_cmp{0, SCMP_CMP_GE, first_high_namespace_flag, 0});
    builder.refuse(EPERM, name, has_flag(0, CLONE_NEWNS));
  }
  builder.refuse(EPERM, "unshare", has_flag(0, time_namespace_flag));
  // Its flags stand in memory, where a filter cannot look; with this answer the C library takes clone instead.
  builder.refuse(ENOSYS, "clone3");
  for (const std::uint64_t request : typing_requests) {
    builder.refuse(EPERM, "ioctl", scmp_arg_cmp{1, SCMP_CMP_MASKED_EQ, low_half, request});
  }
  // EACCES is what socket(2) documents for a kind of socket that one may not have, so programs expect it.
  if (!options.network) builder.refuse(EACCES, "socket", scmp_arg_cmp{0, SCMP_CMP_NE, AF_UNIX, 0});
  if (options.refuse_truncate) {
    builder.refuse(EPERM, "truncate");
    for (const std::uint64_t mode : {0, 3}) {
      builder.refuse(EPERM, "open", truncates_as(1, mode));
      builder.refuse(EPERM, "openat", truncates_as(2, mode));
    }
    builder.refuse(ENOSYS, "openat2");
  }
  std::string program = builder.build();
  if (program.empty()) {
    error = std::string("the sandbox's filter of system calls cannot be made: ") + std::strerror(builder.error());
  }
  return program;
}

}  // namespace wtool::engine
