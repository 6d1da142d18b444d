// The filter of system calls: its answer to each call, and whether docs/guide/sandbox.md says the same. The test runs
// the program as the kernel does, so it can try any call with any arguments.
#include "engine/sandbox/filter.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace filter_test {

using namespace wtool::engine;

namespace {

using Arguments = std::array<std::uint64_t, 6>;

constexpr std::uint32_t allow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kill_process = SECCOMP_RET_KILL_PROCESS;
constexpr std::uint32_t fails_with(int error) { return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error); }

// System calls that older versions of libseccomp do not know. From 424 on, the numbers are the same on every
// architecture.
const std::map<std::string, int> newer = {
    {"cachestat", 451},         {"fchmodat2", 452},        {"map_shadow_stack", 453},
    {"futex_wake", 454},        {"futex_wait", 455},       {"futex_requeue", 456},
    {"statmount", 457},         {"listmount", 458},        {"lsm_get_self_attr", 459},
    {"lsm_set_self_attr", 460}, {"lsm_list_modules", 461}, {"mseal", 462},
    {"setxattrat", 463},        {"getxattrat", 464},       {"listxattrat", 465},
    {"removexattrat", 466},     {"open_tree_attr", 467},   {"file_getattr", 468},
    {"file_setattr", 469},      {"listns", 470},
#ifdef __x86_64__
    {"uretprobe", 335},         {"uprobe", 336},
#endif
};
constexpr int newest = 470;

int number_of(const std::string& name) {
  if (const auto found = newer.find(name); found != newer.end()) return found->second;
  return seccomp_syscall_resolve_name(name.c_str());
}

class Filter {
 public:
  explicit Filter(const FilterOptions& options) {
    std::string error;
    const std::string bytes = make_filter(options, error);
    BOOST_REQUIRE_MESSAGE(!bytes.empty(), error);
    program_.resize(bytes.size() / sizeof(sock_filter));
    std::memcpy(program_.data(), bytes.data(), bytes.size());
  }

  // The answer of the program to this call.
  std::uint32_t operator()(seccomp_data call) const {
    std::uint32_t accumulator = 0;
    for (std::size_t at = 0; at < program_.size(); ++at) {
      const sock_filter& one = program_[at];
      switch (one.code) {
        case BPF_LD | BPF_W | BPF_ABS:
          std::memcpy(&accumulator, reinterpret_cast<const char*>(&call) + one.k, sizeof accumulator);
          break;
        case BPF_ALU | BPF_AND | BPF_K:
          accumulator &= one.k;
          break;
        case BPF_JMP | BPF_JEQ | BPF_K:
          at += accumulator == one.k ? one.jt : one.jf;
          break;
        case BPF_JMP | BPF_JGE | BPF_K:
          at += accumulator >= one.k ? one.jt : one.jf;
          break;
        case BPF_JMP | BPF_JSET | BPF_K:
          at += (accumulator & one.k) != 0 ? one.jt : one.jf;
          break;
        case BPF_RET | BPF_K:
          return one.k;
        default:
          BOOST_FAIL("this instruction is not known to the test: " << one.code);
      }
    }
    BOOST_FAIL("the program has no end");
    return 0;
  }

  std::uint32_t operator()(int number, const Arguments& arguments = {}) const {
    seccomp_data call{number, seccomp_arch_native(), 0, {}};
    std::copy(arguments.begin(), arguments.end(), call.args);
    return (*this)(call);
  }

  std::uint32_t operator()(const char* name, const Arguments& arguments = {}) const {
    return (*this)(number_of(name), arguments);
  }

  // allowed: the program allows the call with at least one set of arguments. refused: it refuses at least one.
  struct Says {
    bool allowed = false;
    bool refused = false;
  };
  Says says_of(int number) const {
    Says says;
    for (const std::uint64_t first : values) {
      for (const std::uint64_t second : values) {
        for (const std::uint64_t third : values) {
          ((*this)(number, {first, second, third}) == allow ? says.allowed : says.refused) = true;
        }
      }
    }
    return says;
  }

 private:
  static constexpr std::uint64_t values[] = {0, 1, 2, 3, 4242, F_SETLEASE, TIOCSTI, CLONE_NEWUSER, 1ULL << 32, ~0ULL};

  std::vector<sock_filter> program_;
};

// A row of the table in docs/guide/sandbox.md: its first column, and the names of system calls in its second one.
struct Row {
  std::string held_by;
  std::vector<std::string> calls;
};

std::vector<Row> table() {
  std::ifstream page(WTOOL_TEST_SOURCE_DIR "/docs/guide/sandbox.md");
  std::vector<Row> rows;
  bool found = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) found = line == "## Every system call";
    if (!found || !line.starts_with("| ") || line.starts_with("| held by")) continue;
    const std::size_t border = line.find(" | ");
    BOOST_REQUIRE_MESSAGE(border != std::string::npos, line);
    Row row{line.substr(2, border - 2), {}};
    for (std::size_t open = border; (open = line.find('`', open)) != std::string::npos;) {
      const std::size_t close = line.find('`', open + 1);
      const std::string name = line.substr(open + 1, close - open - 1);
      row.calls.push_back(name);
      open = close + 1;
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(filter)

BOOST_AUTO_TEST_CASE(the_guide_says_what_the_filter_does_with_each_call) {
  const Filter closed({.network = false});
  const Filter open({.network = true, .ipc = true});
  for (const Row& row : table()) {
    for (const std::string& name : row.calls) {
      BOOST_TEST_CONTEXT(row.held_by << ": " << name) {
        const int number = number_of(name);
        BOOST_TEST(number != __NR_SCMP_ERROR);
        if (number < 0) continue;  // not on this architecture
        const Filter::Says by_default = closed.says_of(number);
        const Filter::Says by_configuration = open.says_of(number);
        if (row.held_by == "refused") {
          BOOST_TEST(!by_default.allowed);
          BOOST_TEST(!by_configuration.allowed);
        } else if (row.held_by == "arguments: `ipc: deny`") {
          BOOST_TEST(!by_default.allowed);
          BOOST_TEST(!by_configuration.refused);
        } else if (row.held_by == "arguments: `network: deny`") {
          BOOST_TEST((by_default.allowed && by_default.refused));
          BOOST_TEST(!by_configuration.refused);
        } else if (row.held_by.starts_with("arguments:")) {
          BOOST_TEST((by_default.allowed && by_default.refused));
          BOOST_TEST((by_configuration.allowed && by_configuration.refused));
        } else {
          BOOST_TEST(!by_default.refused);
          BOOST_TEST(!by_configuration.refused);
        }
      }
    }
  }
}

#ifdef __x86_64__
BOOST_AUTO_TEST_CASE(the_guide_has_every_call_once) {
  std::map<int, std::string> of_kernel;
  for (const auto& [name, number] : newer) of_kernel[number] = name;
  for (int number = 0; number <= newest; ++number) {
    char* const name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86_64, number);
    if (name != nullptr) of_kernel[number] = name;
    std::free(name);
  }
  std::set<std::string> in_guide;
  for (const Row& row : table()) {
    for (const std::string& name : row.calls) BOOST_TEST(in_guide.insert(name).second, name << " is there twice");
  }
  for (const auto& [number, name] : of_kernel) {
    BOOST_TEST(in_guide.erase(name) == 1U, name << " (" << number << ") is missing");
  }
  for (const std::string& name : in_guide) BOOST_TEST(false, name << " is no system call");
  // If the library supports newer calls, the table must be checked against them.
  for (int number = newest + 1; number < newest + 100; ++number) {
    char* const name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86_64, number);
    BOOST_TEST(name == nullptr, (name == nullptr ? "" : name) << " is newer than the table");
    std::free(name);
  }
}

BOOST_AUTO_TEST_CASE(numbers_of_x32_end_the_program) {
  const Filter filter({});
  BOOST_TEST(filter(0x40000000) == kill_process);
  BOOST_TEST(filter(0x40000000 | number_of("read")) == kill_process);
  BOOST_TEST(filter(0x40000000 | number_of("ptrace")) == kill_process);
  BOOST_TEST(filter(0x7fffffff) == kill_process);
  BOOST_TEST(filter(-2) == kill_process);
}
#endif

BOOST_AUTO_TEST_CASE(another_architecture_ends_the_program) {
  const Filter filter({});
  for (const std::uint32_t architecture : {SCMP_ARCH_X86, SCMP_ARCH_ARM, 0}) {
    for (const int number : {0, 20, newest, newest + 1, 0x40000000}) {
      BOOST_TEST(filter(seccomp_data{number, architecture, 0, {}}) == kill_process);
    }
  }
}

BOOST_AUTO_TEST_CASE(calls_that_nobody_has_reviewed_do_not_exist) {
  const Filter filter({});
  BOOST_TEST(filter(newest) == allow);
  for (const int number : {newest + 1, 600, 0x3fffffff, -1}) BOOST_TEST(filter(number) == fails_with(ENOSYS));
}

BOOST_AUTO_TEST_CASE(limits_of_other_processes_can_be_read_but_not_changed) {
  const Filter filter({});
  constexpr std::uint64_t pointer = 0x7fff12340000;
  BOOST_TEST(filter("prlimit64", {0, RLIMIT_CPU, pointer, 0}) == allow);
  BOOST_TEST(filter("prlimit64", {4242, RLIMIT_CPU, 0, pointer}) == allow);
  BOOST_TEST(filter("prlimit64", {4242, RLIMIT_CPU, pointer, 0}) == fails_with(EPERM));
  BOOST_TEST(filter("prlimit64", {4242, RLIMIT_CPU, 0x7f0000000000, 0}) == fails_with(EPERM));
  // The kernel looks only at the lower half of the number.
  BOOST_TEST(filter("prlimit64", {(1ULL << 32) | 4242, RLIMIT_CPU, pointer, 0}) == fails_with(EPERM));
  BOOST_TEST(filter("setrlimit", {RLIMIT_CPU, pointer}) == allow);
}

BOOST_AUTO_TEST_CASE(priorities_and_schedulers_change_only_for_the_calling_process) {
  const Filter filter({});
  constexpr int who_process = 1;  // of ioprio_set
  BOOST_TEST(filter("setpriority", {PRIO_PROCESS, 0, 5}) == allow);
  BOOST_TEST(filter("ioprio_set", {who_process, 0, 0}) == allow);
  for (const std::uint64_t pid : {std::uint64_t{4242}, std::uint64_t{static_cast<std::uint32_t>(-1)}}) {
    BOOST_TEST(filter("setpriority", {PRIO_PROCESS, pid, 5}) == fails_with(EPERM));
    BOOST_TEST(filter("ioprio_set", {who_process, pid, 0}) == fails_with(EPERM));
    for (const char* name : {"sched_setparam", "sched_setscheduler", "sched_setattr", "sched_setaffinity"}) {
      BOOST_TEST(filter(name, {0, 1, 1}) == allow, name);
      BOOST_TEST(filter(name, {pid, 1, 1}) == fails_with(EPERM), name);
    }
  }
  for (const std::uint64_t which :
       {std::uint64_t{PRIO_PGRP}, std::uint64_t{PRIO_USER}, std::uint64_t{1} << 32 | PRIO_USER}) {
    BOOST_TEST(filter("setpriority", {which, 0, 5}) == fails_with(EPERM));
  }
  for (const std::uint64_t which : {2, 3}) BOOST_TEST(filter("ioprio_set", {which, 0, 0}) == fails_with(EPERM));
}

BOOST_AUTO_TEST_CASE(each_flag_of_a_namespace_is_refused) {
  const Filter filter({});
  for (const std::uint64_t flag :
       {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET}) {
    BOOST_TEST(filter("unshare", {flag | CLONE_FILES}) == fails_with(EPERM));
    BOOST_TEST(filter("clone", {flag | CLONE_VM | SIGCHLD}) == fails_with(EPERM));
    BOOST_TEST(filter("clone", {flag | (1ULL << 40)}) == fails_with(EPERM));
  }
  BOOST_TEST(filter("unshare", {0x80}) == fails_with(EPERM));  // a time namespace
  BOOST_TEST(filter("unshare", {CLONE_FILES | CLONE_FS | CLONE_SYSVSEM}) == allow);
  // These make a thread, a vfork child, and a process that shares its parent's I/O context.
  BOOST_TEST(filter("clone", {CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                              CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID}) == allow);
  BOOST_TEST(filter("clone", {CLONE_VM | CLONE_VFORK | SIGCHLD}) == allow);
  BOOST_TEST(filter("clone", {CLONE_IO | SIGCHLD}) == allow);
}

// What custodian.cc, spawn.cc, process_tree.cc, resource_monitor.cc and own_state.cc call while they are in a filter.
BOOST_AUTO_TEST_CASE(a_custodian_can_work_in_every_filter) {
  for (const bool network : {false, true}) {
    for (const bool refuse_truncate : {false, true}) {
      const Filter filter({.network = network, .refuse_truncate = refuse_truncate});
      std::istringstream names(
          "recvmsg sendmsg epoll_wait epoll_ctl signalfd4 rt_sigprocmask rt_sigtimedwait wait4 kill "
          "pidfd_open pidfd_send_signal pread64 getdents64 getsid getpgid nanosleep clock_nanosleep mmap "
          "munmap brk sched_getaffinity sched_getscheduler getpriority ioprio_get vfork setsid dup2 dup3 "
          "fchdir close_range capget capset seccomp landlock_restrict_self execve exit_group");
      for (std::string name; names >> name;) {
        if (number_of(name) >= 0) BOOST_TEST(filter(name.c_str()) == allow, name);
      }
      BOOST_TEST(filter("openat", {0, 0, O_RDONLY | O_CLOEXEC}) == allow);
      BOOST_TEST(filter("openat", {0, 0, O_WRONLY | O_CLOEXEC}) == allow);
      BOOST_TEST(filter("clone", {CLONE_VM | CLONE_VFORK | SIGCHLD}) == allow);
      BOOST_TEST(filter("setpriority", {PRIO_PROCESS, 0, 0}) == allow);
      BOOST_TEST(filter("sched_setaffinity", {0, 128}) == allow);
      BOOST_TEST(filter("prlimit64", {0, RLIMIT_NOFILE, 4242}) == allow);
      BOOST_TEST(filter("ioctl", {0, TIOCSCTTY}) == allow);
      BOOST_TEST(filter("prctl", {22}) == allow);
    }
  }
}

BOOST_AUTO_TEST_CASE(nothing_is_typed_into_a_terminal) {
  const Filter filter({});
  for (const std::uint64_t request :
       {std::uint64_t{TIOCSTI}, std::uint64_t{TIOCLINUX}, std::uint64_t{1} << 32 | TIOCSTI}) {
    BOOST_TEST(filter("ioctl", {0, request}) == fails_with(EPERM));
  }
  BOOST_TEST(filter("ioctl", {0, TCGETS}) == allow);
}

BOOST_AUTO_TEST_CASE(no_lease_makes_programs_outside_wait) {
  const Filter filter({});
  constexpr std::uint64_t set_delegation = 1024 + 16;
  for (const std::uint64_t kind : {F_RDLCK, F_WRLCK}) {
    BOOST_TEST(filter("fcntl", {0, F_SETLEASE, kind}) == fails_with(EINVAL));
    BOOST_TEST(filter("fcntl", {0, std::uint64_t{1} << 32 | F_SETLEASE, kind}) == fails_with(EINVAL));
  }
  BOOST_TEST(filter("fcntl", {0, set_delegation, 4242}) == fails_with(EINVAL));
  BOOST_TEST(filter("fcntl", {0, F_SETLEASE, F_UNLCK}) == allow);
  for (const std::uint64_t command : {F_GETLEASE, F_DUPFD, F_DUPFD_CLOEXEC, F_SETFL, F_SETLK, F_SETOWN, F_SETPIPE_SZ}) {
    BOOST_TEST(filter("fcntl", {0, command, 1}) == allow);
  }
}

BOOST_AUTO_TEST_CASE(without_a_network_there_are_unix_sockets_alone) {
  const Filter filter({.network = false});
  for (const char* name : {"socket", "socketpair"}) {
    BOOST_TEST(filter(name, {AF_UNIX, SOCK_STREAM}) == allow);
    for (const std::uint64_t family : {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_VSOCK, AF_ALG, AF_TIPC}) {
      BOOST_TEST(filter(name, {family, SOCK_STREAM}) == fails_with(EACCES));
    }
  }
}

BOOST_AUTO_TEST_CASE(opening_for_reading_does_not_truncate_where_landlock_does_not_hold_it) {
  const Filter filter({.refuse_truncate = true});
  const auto opened = [&](std::uint64_t flags) { return filter("openat", {0, 0, flags}); };
  BOOST_TEST(opened(O_RDONLY | O_TRUNC) == fails_with(EPERM));
  BOOST_TEST(opened(3 | O_TRUNC) == fails_with(EPERM));
  BOOST_TEST(opened(O_RDONLY) == allow);
  BOOST_TEST(opened(O_WRONLY | O_TRUNC | O_CREAT) == allow);
  BOOST_TEST(opened(O_RDWR | O_TRUNC) == allow);
  BOOST_TEST(filter("truncate") == fails_with(EPERM));
  BOOST_TEST(filter("openat2") == fails_with(ENOSYS));
  BOOST_TEST(Filter({})("truncate") == allow);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace filter_test
