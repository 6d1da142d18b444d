// A Boost.Process v2 launcher for the warden, which must not appear to be a process of the host.
//
// Contract:
// - The process is not a child of the caller: it causes no SIGCHLD, and wait(-1) never returns it. It has its own
//   session, so that the terminal's Ctrl-C does not reach it. It starts with default signal dispositions and an empty
//   signal mask.
// - Initialisers of the library (process_stdio, process_environment, process_start_dir) work as with the library's own
//   launchers.
// - Nothing is allocated between the clone and the exec.
//
// Hazards:
// - It derives from posix::default_launcher on purpose: the initialisers overload on that type, and for a launcher of
//   another type they would compile and silently do nothing.
// - The library's own launchers cannot be used, because each starts a child of the caller. Besides, the fork launcher
//   is slow in a large host, and its child runs the host's exit handlers if exec fails; the vfork launcher tears down
//   its parent's reactor.
#pragma once

#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/process/v2/posix/default_launcher.hpp>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/descriptor.h"

#ifdef __SANITIZE_THREAD__
// The thread sanitizer's clone() treats every clone as a fork, and would from then on treat this process as the forked
// child.
extern "C" int __clone(int (*)(void*), void*, int, void*, ...) noexcept;
#define WTOOL_CLONE __clone
#else
#define WTOOL_CLONE ::clone
#endif

namespace wtool::engine {

class DetachedLauncher : public boost::process::v2::posix::default_launcher {
 public:
  using Error = boost::process::v2::error_code;
  using Path = boost::process::v2::filesystem::path;

  // Starts `executable` and returns its process number, or -1 with `error`. The number may be reused once the process
  // has ended, since nobody here can wait for it; take_handle() returns a pidfd, which stays valid.
  template <typename Arguments, typename... Initialisers>
  int operator()(Error& error, const Path& executable, Arguments&& arguments, Initialisers&&... initialisers) {
    namespace detail = boost::process::v2::posix::detail;
    const char* const* argv = build_argv_(executable, arguments);
    error = detail::on_setup(*this, executable, argv, initialisers...);
    if (error) return -1;
    auto become = [&]() noexcept {
      const Error failed = detail::on_exec_setup(*this, executable, argv, initialisers...);
      if (failed) return failed.value();
      ::execve(executable.c_str(), const_cast<char* const*>(argv), const_cast<char* const*>(env));
      return errno;
    };
    LaunchPlan plan{[](void* body) { return (*static_cast<decltype(become)*>(body))(); }, &become, nullptr, -1, -1, 0};
    detach(plan);
    handle_ = Descriptor(plan.handle);
    if (plan.error != 0) {
      error.assign(plan.error, boost::system::system_category());
      detail::on_error(*this, executable, argv, error, initialisers...);
      return -1;
    }
    detail::on_success(*this, executable, argv, initialisers...);
    return plan.process;
  }

  // A pidfd of the process that was started last.
  Descriptor take_handle() { return std::move(handle_); }

 private:
  struct LaunchPlan {
    int (*become)(void*);  // Returns only if it failed, with an errno.
    void* body;
    char* inner_stack;
    volatile int process;
    int handle;
    volatile int error;
  };

  Descriptor handle_;

  static constexpr std::size_t stack_size = 128UL * 1024;

  static void detach(LaunchPlan& plan) {
    void* stacks =
        ::mmap(nullptr, 2 * stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stacks == MAP_FAILED) {
      plan.error = errno;
      return;
    }
    char* const outer_stack = static_cast<char*>(stacks) + stack_size;
    plan.inner_stack = outer_stack + stack_size;
    // None of the host's signal handlers may run in the children, which share its memory.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    // CLONE_FILES: shares the host's descriptors, so that the pidfd that the child opens is also open in the host.
    // Exit signal 0: the host gets no signal, and only a wait with __WALL or __WCLONE sees the child.
    const int intermediate = WTOOL_CLONE(&run_intermediate, outer_stack, CLONE_VM | CLONE_VFORK | CLONE_FILES, &plan);
    if (intermediate < 0) plan.error = errno;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (intermediate > 0) {
      while (::waitpid(intermediate, nullptr, __WALL) < 0 && errno == EINTR) {
      }
    }
    ::munmap(stacks, 2 * stack_size);
  }

  // ---- Fence: the two functions below run in children that share all memory with the host, whose other threads keep
  // running. System calls and _exit only: no malloc, no locks, no stdio. Sanitizers are off: the address sanitizer
  // would clean up the stack of the host's thread before _exit, and the thread sanitizer would attribute the child's
  // accesses to that thread.

  __attribute__((no_sanitize("address", "thread"))) static int run_intermediate(void* argument) {
    LaunchPlan& plan = *static_cast<LaunchPlan*>(argument);
    // Resets every disposition, including those of the C library's two internal signals, because an ignored signal
    // stays ignored across exec.
    struct {
      unsigned long words[4];
    } default_action{};
    for (int signal = 1; signal <= 64; ++signal) {
      ::syscall(SYS_rt_sigaction, signal, &default_action, nullptr, 8UL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    ::setsid();
    const int process = WTOOL_CLONE(&run_process, plan.inner_stack, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD,
                                    &plan, &plan.handle);
    if (process < 0) plan.error = errno;
    plan.process = process;
    ::_exit(0);  // Makes the process an orphan.
  }

  __attribute__((no_sanitize("address", "thread"))) static int run_process(void* argument) {
    LaunchPlan& plan = *static_cast<LaunchPlan*>(argument);
    plan.error = plan.become(plan.body);
    ::_exit(127);
  }

  // ---- End of the fence.
};

}  // namespace wtool::engine

#undef WTOOL_CLONE
