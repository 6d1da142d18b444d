#include "engine/sandbox/filter.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <vector>

#include "engine/sandbox/filter_program.h"

namespace wtool::engine {

namespace {

// All system calls up to this number have been reviewed (the table in docs/guide/sandbox.md). A newer call fails as on
// a kernel that does not have it, and programs are prepared for that.
constexpr std::uint32_t newest_known_call = 470;  // listns, Linux 6.19

// Calls that need a capability which the warden drops (drop_capabilities: clock, modules, reboot, swap, quota, host
// name, ports) are listed only if a mistake in dropping it would open the sandbox. A longer list would make each start
// slower.
//
// A custodian may be in the filter, too (warden/protocol.h). So the filter must not refuse a call that a custodian
// needs, unless the custodian stays out of the filter for every command for which it needs the call. filter_test.cc
// lists these calls.
//
// Calls are listed by name, and also by number if they are newer than some versions of libseccomp. From 424 on, a call
// has the same number on every architecture.
constexpr int unknown_number = -1;
struct SystemCall {
  const char* name;
  int number = unknown_number;
};
constexpr SystemCall refused[] = {
    // other processes
    {"ptrace"},
    {"process_vm_readv"},
    {"process_vm_writev"},
    {"pidfd_getfd"},
    {"kcmp"},
    {"process_madvise"},
    {"process_mrelease"},
    // calls that would bypass this filter, or that open files without their names
    {"io_uring_setup"},
    {"io_uring_enter"},
    {"io_uring_register"},
    {"open_by_handle_at"},
    {"fanotify_init"},
    // keys of the user, which are in no folder
    {"add_key"},
    {"request_key"},
    {"keyctl"},
    // mounts and namespaces
    {"mount"},
    {"umount"},
    {"umount2"},
    {"pivot_root"},
    {"chroot"},
    {"move_mount"},
    {"open_tree"},
    {"open_tree_attr", 467},
    {"fsopen"},
    {"fsconfig"},
    {"fsmount"},
    {"fspick"},
    {"mount_setattr"},
    {"setns"},
    // parts of the kernel that had many flaws
    {"bpf"},
    {"perf_event_open"},
    {"userfaultfd"},
    // the kernel's messages
    {"syslog"}};

// Objects that all processes of a user share outside of any folder: shared memory, semaphores and message queues of
// System V, and POSIX message queues. For POSIX queues, the calls that take a descriptor are also listed, because a
// queue can be opened as a file where the mqueue file system is mounted.
constexpr SystemCall shared_objects[] = {
    {"shmget"},  {"shmat"},     {"shmctl"},       {"semget"},          {"semop"},    {"semtimedop"},
    {"semctl"},  {"msgget"},    {"msgsnd"},       {"msgrcv"},          {"msgctl"},   {"ipc"},
    {"mq_open"}, {"mq_unlink"}, {"mq_timedsend"}, {"mq_timedreceive"}, {"mq_notify"}};

// Calls that change the process or thread that an argument names; 0 names the calling one. A filter cannot tell the
// command's own processes and threads from others, so it allows only 0.
struct ChangeOfProcess {
  const char* name;
  unsigned argument;
};
constexpr ChangeOfProcess changes_of_process[] = {
    {"sched_setparam", 0}, {"sched_setscheduler", 0}, {"sched_setattr", 0}, {"sched_setaffinity", 0},
    {"migrate_pages", 0},  {"move_pages", 0},         {"setpriority", 1},   {"ioprio_set", 1}};
// ioprio_set's constant for one process, which the C library lacks. Its other constants name a group, or all processes
// of a user.
constexpr std::uint32_t ioprio_who_process = 1;

// The flags of clone and unshare for new namespaces. The one for a time namespace works only with unshare, because
// clone has its exit signal in the same bits.
constexpr std::uint32_t namespace_flags =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr std::uint32_t time_namespace_flag = 0x80;

// The ioctl requests that put characters into a terminal as if somebody had typed them; TIOCLINUX does so on virtual
// consoles.
constexpr std::uint32_t typing_requests[] = {TIOCSTI, TIOCLINUX};

// F_SETDELEG of Linux 6.19, for C libraries that lack it: a lease that a folder can have, too.
constexpr std::uint32_t set_delegation = 1024 + 16;

class FilterBuilder {
 public:
  void refuse(int error, SystemCall call, const std::vector<ArgumentTest>& tests = {}) {
    int number = ::seccomp_syscall_resolve_name(call.name);
    if (number == __NR_SCMP_ERROR) number = call.number;
    if (number == unknown_number) {
      missing_ = call.name;    // A call without a number would be allowed.
    } else if (number >= 0) {  // Negative: this architecture does not have the call.
      program_.refuse(static_cast<std::uint32_t>(number), error, tests);
    }
  }

  // Empty, with `error`, on failure.
  std::string build(std::string& error) const {
    if (!missing_.empty()) {
      error = "libseccomp does not support the system call " + missing_ + "; use a newer version";
      return {};
    }
    std::string program = program_.assemble(::seccomp_arch_native(), newest_known_call);
    if (program.empty()) error = "it has a jump that is too long for the kernel";
    return program;
  }

 private:
  FilterProgram program_;
  std::string missing_;
};

// Tests of an argument. All but not_null look only at the argument's lower half, since the kernel uses only that half
// of the arguments that they test.
ArgumentTest is(unsigned argument, std::uint32_t value) { return {argument, ArgumentTest::Kind::is, value}; }
ArgumentTest is_not(unsigned argument, std::uint32_t value) { return {argument, ArgumentTest::Kind::is_not, value}; }
ArgumentTest has_any(unsigned argument, std::uint32_t flags) { return {argument, ArgumentTest::Kind::has_any, flags}; }
ArgumentTest not_null(unsigned argument) { return {argument, ArgumentTest::Kind::not_null}; }

// An open that truncates, even though it is only for reading (0) or for ioctl (3).
ArgumentTest truncates_as(unsigned argument, std::uint32_t mode) {
  return {argument, ArgumentTest::Kind::masked, mode | O_TRUNC, O_ACCMODE | O_TRUNC};
}

}  // namespace

std::string make_filter(const FilterOptions& options, std::string& error) {
  FilterBuilder builder;
  for (const SystemCall& call : refused) builder.refuse(EPERM, call);
  builder.refuse(EPERM, {"clone"}, {has_any(0, namespace_flags)});
  builder.refuse(EPERM, {"unshare"}, {has_any(0, namespace_flags | time_namespace_flag)});
  // clone3 has its flags in memory, where a filter cannot look. After ENOSYS the C library falls back to clone.
  builder.refuse(ENOSYS, {"clone3"});
  for (const std::uint32_t request : typing_requests) {
    builder.refuse(EPERM, {"ioctl"}, {is(1, request)});
  }
  for (const ChangeOfProcess& change : changes_of_process) {
    builder.refuse(EPERM, {change.name}, {is_not(change.argument, 0)});
  }
  // A lease needs no right to write. While a command has one, each program outside that opens the file waits, usually
  // 45 s, or fails. Network file systems refuse leases with the same error.
  for (const char* name : {"fcntl", "fcntl64"}) {
    builder.refuse(EINVAL, {name}, {is(1, F_SETLEASE), is_not(2, F_UNLCK)});
    builder.refuse(EINVAL, {name}, {is(1, set_delegation)});
  }
  builder.refuse(EPERM, {"setpriority"}, {is_not(0, PRIO_PROCESS)});
  builder.refuse(EPERM, {"ioprio_set"}, {is_not(0, ioprio_who_process)});
  // Setting a limit can end another process, or keep it from opening files. Reading limits is harmless: they are in
  // /proc.
  builder.refuse(EPERM, {"prlimit64"}, {is_not(0, 0), not_null(2)});
  if (!options.ipc) {
    for (const SystemCall& call : shared_objects) builder.refuse(EPERM, call);
  }
  if (!options.network) {
    // socket(2) documents EACCES for a kind of socket that a process may not create, so programs expect this error.
    for (const char* name : {"socket", "socketpair"}) builder.refuse(EACCES, {name}, {is_not(0, AF_UNIX)});
  }
  if (options.refuse_truncate) {
    builder.refuse(EPERM, {"truncate"});
    for (const std::uint32_t mode : {0, 3}) {
      builder.refuse(EPERM, {"open"}, {truncates_as(1, mode)});
      builder.refuse(EPERM, {"openat"}, {truncates_as(2, mode)});
    }
    builder.refuse(ENOSYS, {"openat2"});
  }
  std::string program = builder.build(error);
  if (program.empty()) error = "the sandbox's filter of system calls cannot be made: " + error;
  return program;
}

}  // namespace wtool::engine
