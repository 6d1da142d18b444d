#include "warden/spawn.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "warden/own_state.h"

namespace wtool::warden {

namespace {

// ---- Fence: from here to the end of run_child, the code runs in a vfork child. The child shares all memory with its
// parent, which is suspended meanwhile. System calls and _exit only: no malloc, no locks, no stdio, no return from the
// function that called vfork.

[[noreturn]] void fail(volatile SpawnFailure& failure, Stage stage, int error) {
  failure.stage = stage;
  failure.error = error;
  ::_exit(127);
}

// Tries the paths as a shell does with PATH: skips missing files, and executes the first file that can be executed. If
// no file can be executed, returns the error of the last file that is not missing; ENOENT if all are missing.
int execute(const SpawnPlan& plan) {
  int remembered = ENOENT;
  for (char* const* path = plan.paths; *path != nullptr; ++path) {
    ::execve(*path, plan.arguments, plan.variables);
    if (errno == ENOEXEC) {
      // A script without "#!": the shell runs it. The shell's path takes the spare element, and the script's path
      // replaces argv[0] (POSIX, exec).
      char** shifted = plan.arguments - 1;
      char* const first = plan.arguments[0];
      shifted[0] = plan.shell;
      shifted[1] = *path;
      ::execve(plan.shell, shifted, plan.variables);
      plan.arguments[0] = first;
    }
    if (errno != ENOENT && errno != ENOTDIR) remembered = errno;
  }
  return remembered;
}

// Lowers a limit of this process. A limit that is already lower stays.
bool reduce_limit(__rlimit_resource resource, rlim_t soft, rlim_t hard) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return false;
  if (hard < limit.rlim_max) limit.rlim_max = hard;
  if (soft < limit.rlim_cur) limit.rlim_cur = soft;
  return ::setrlimit(resource, &limit) == 0;
}

bool apply(const ProtocolLimits& limits) {
  // The kernel leaves out processors that this process may not use; if none remain, the process stays where it is.
  for (const std::uint64_t part : limits.processors) {
    if (part == 0) continue;
    ::syscall(SYS_sched_setaffinity, 0, sizeof limits.processors, limits.processors);
    break;
  }
  // The resource monitor is exact. The kernel counts CPU time in ticks, and its figure can be 25 % too high on a busy
  // machine. So the kernel's limit is set higher, as a fallback. The hard limit is one second higher than the soft
  // limit, so that a program can handle SIGXCPU.
  const rlim_t seconds = limits.cpu_seconds + limits.cpu_seconds / 2 + 1;
  if (limits.cpu_seconds != 0 && !reduce_limit(RLIMIT_CPU, seconds, seconds + 1)) return false;
  if (limits.file_bytes != 0 && !reduce_limit(RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes)) return false;
  return limits.open_files == 0 || reduce_limit(RLIMIT_NOFILE, limits.open_files, limits.open_files);
}

[[noreturn, gnu::noinline]] void run_child(const SpawnPlan& plan, volatile SpawnFailure& failure) {
  // The command gets a session of its own: it can prompt only on its own terminal, if it has one, and no other
  // terminal's Ctrl-C reaches it.
  if (::setsid() < 0) fail(failure, Stage::setup, errno);
  if (!return_to_usual_priority()) fail(failure, Stage::setup, errno);
  // If custodian and warden are both killed at the same time, at least the command itself dies with them.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // All the descriptors are above 2, so no dup2 overwrites the source of another.
  if (::dup2(plan.standard_input, 0) < 0 || ::dup2(plan.standard_output, 1) < 0 || ::dup2(plan.standard_error, 2) < 0) {
    fail(failure, Stage::setup, errno);
  }
  if (plan.has_terminal && ::ioctl(0, TIOCSCTTY, 0) < 0) fail(failure, Stage::setup, errno);
  if (::fchdir(plan.directory) < 0) fail(failure, Stage::directory, errno);
  if (plan.sandbox != nullptr) {
    // A sandbox refuses nothing that follows, except perhaps exec itself.
    const SpawnFailure refused = enter_sandbox(*plan.sandbox);
    if (refused.stage != Stage::none) fail(failure, refused.stage, refused.error);
  }
  // Every descriptor above 2 is already close-on-exec; this call helps if a later change forgets the flag.
  ::syscall(SYS_close_range, 3U, ~0U, 0U);
  // The custodian blocks SIGCHLD, and a mask survives exec. All dispositions are the defaults: the warden was
  // started with them, and neither it nor a custodian ever changes one.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // The limits are set last before exec, since they could make the steps above fail.
  if (!apply(plan.limits)) fail(failure, Stage::setup, errno);
  const int error = execute(plan);
  fail(failure, Stage::exec, error);
}

// vfork, with the child in plan.cgroup from its start; the C library has no function for this. Moving the child there
// later would wait until all processors have passed a quiescent state (RCU), which takes many times as long as the rest
// of a start. Returns the child's number, or -errno.
//
// The system call is made in place, because parent and child continue on one stack: a function around it would return
// twice, and the first return would overwrite what the second needs. After the call, this function does nothing that
// needs the stack, and run_child must not be inlined into it.
[[gnu::noinline]] long vfork_into_cgroup([[maybe_unused]] const SpawnPlan& plan,
                                         [[maybe_unused]] volatile SpawnFailure& failure) {
#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(__SANITIZE_ADDRESS__)
  clone_args arguments{};
  arguments.flags = CLONE_VM | CLONE_VFORK | CLONE_INTO_CGROUP;
  arguments.exit_signal = SIGCHLD;
  arguments.cgroup = static_cast<std::uint64_t>(plan.cgroup);
#if defined(__x86_64__)
  long child = SYS_clone3;
  asm volatile("syscall" : "+a"(child) : "D"(&arguments), "S"(sizeof arguments) : "rcx", "r11", "memory");
#else
  register long number asm("x8") = SYS_clone3;
  register long child asm("x0") = reinterpret_cast<long>(&arguments);
  register long size asm("x1") = sizeof arguments;
  asm volatile("svc 0" : "+r"(child) : "r"(number), "r"(size) : "memory");
#endif
  if (child == 0) run_child(plan, failure);
  return child;
#else
  return -ENOSYS;  // The address sanitizer would have to be told about the second use of the stack.
#endif
}

// ---- End of the fence.

}  // namespace

pid_t spawn(const SpawnPlan& plan, SpawnFailure& failure) {
  if (plan.sandbox != nullptr && needs_user_namespace(*plan.sandbox)) {
    return spawn_in_user_namespace(
        *plan.sandbox, plan.cgroup,
        [](const void* all, volatile SpawnFailure& shared) { run_child(*static_cast<const SpawnPlan*>(all), shared); },
        &plan, failure);
  }
  volatile SpawnFailure shared{};
  pid_t child = -1;
  if (plan.cgroup >= 0) {
    const long started = vfork_into_cgroup(plan, shared);
    child = started > 0 ? static_cast<pid_t>(started) : -1;
    failure.cgroup_error = started > 0 ? 0 : static_cast<int>(-started);
  }
  if (child < 0) child = ::vfork();
  if (child == 0) run_child(plan, shared);
  if (child < 0) {
    failure.stage = Stage::fork;
    failure.error = errno;
    return -1;
  }
  // The child has exec'd or exited by now, since vfork has returned.
  failure.stage = shared.stage;
  failure.error = shared.error;
  if (failure.stage == Stage::none) return child;
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return -1;
}

}  // namespace wtool::warden
