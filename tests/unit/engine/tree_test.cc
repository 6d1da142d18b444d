// system/process_tree.h, on this test's own children.
#include "system/process_tree.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <set>
#include <string>

namespace tree_test {

using namespace wtool;

namespace {

// A child that waits to be killed, with `below` more processes of its kind below it, each the child of the one before.
pid_t make_chain(int below, int ready) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  if (below > 0) make_chain(below - 1, ready);
  (void)!::write(ready, "x", 1);
  for (;;) ::pause();
}

struct Family {
  explicit Family(int size) {
    int ends[2];
    BOOST_REQUIRE(::pipe(ends) == 0);
    eldest = make_chain(size - 1, ends[1]);
    char byte;
    for (int i = 0; i < size; ++i) BOOST_REQUIRE(::read(ends[0], &byte, 1) == 1);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Family() {
    ProcessTree tree(::getpid());
    do {
      tree.collect();
      tree.kill();
    } while (::wait(nullptr) > 0);
  }
  pid_t eldest;
};

// The number of read(2) calls that this process has made; 0: the kernel does not count them.
std::uint64_t reads_so_far() {
  std::ifstream counts("/proc/self/io");
  std::string name;
  std::uint64_t count = 0;
  while (counts >> name >> count) {
    if (name == "syscr:") return count;
  }
  return 0;
}

// The last process of a chain.
pid_t youngest_of(pid_t eldest) {
  ProcessTree tree(eldest);
  BOOST_REQUIRE(tree.collect());
  return tree.members().back().process;
}

// Forks a child with the process id `number`, if this user may choose one; otherwise -1 with errno.
pid_t fork_with_number(pid_t number) {
  clone_args arguments{};
  arguments.exit_signal = SIGCHLD;
  arguments.set_tid = reinterpret_cast<std::uintptr_t>(&number);
  arguments.set_tid_size = 1;
  return static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

// A process of ours with a child that has the process id `wanted` and sends back each byte that it gets.
struct Stranger {
  explicit Stranger(pid_t wanted) {
    int ends[2];
    BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    socket = Descriptor(ends[0]);
    Descriptor theirs(ends[1]);
    parent = ::fork();
    if (parent != 0) return;
    socket.reset();
    const pid_t child = fork_with_number(wanted);
    if (child == 0) {
      for (char byte; ::read(theirs.get(), &byte, 1) == 1;) (void)!::write(theirs.get(), &byte, 1);
      ::_exit(0);
    }
    theirs.reset();
    ::waitpid(child, nullptr, 0);
    ::_exit(0);
  }
  ~Stranger() {
    socket.reset();
    ::waitpid(parent, nullptr, 0);
  }

  // False once the child has been killed, even if it has not died yet: it gets no further than its read.
  bool answers() const {
    char byte = 'x';
    return ::send(socket.get(), &byte, 1, MSG_NOSIGNAL) == 1 && ::read(socket.get(), &byte, 1) == 1;
  }

  Descriptor socket;
  pid_t parent;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tree)

BOOST_AUTO_TEST_CASE(a_chain_is_collected_parents_first) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // This process can then wait for the orphans of the chain.
  const Family family(5);
  ProcessTree tree(::getpid());
  BOOST_TEST(tree.collect());
  BOOST_TEST(tree.members().size() == 5U);
  BOOST_TEST(tree.members().front().process == family.eldest);
  BOOST_TEST(tree.members().front().parent == ::getpid());
}

// This is how a tree is found on a kernel without the files that list children.
BOOST_AUTO_TEST_CASE(a_tree_is_found_among_all_processes_parents_first) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Family family(5), another(3);
  ProcessTree tree(::getpid());
  BOOST_TEST(tree.collect_from_all());
  BOOST_TEST(tree.members().size() == 8U);
  std::set<pid_t> before{::getpid()};
  for (const ProcessTree::Member& member : tree.members()) {
    BOOST_TEST(before.contains(member.parent));
    BOOST_TEST(before.insert(member.process).second);
  }
  ProcessTree below(family.eldest);
  BOOST_TEST(below.collect_from_all());
  BOOST_TEST(below.members().size() == 4U);
}

// A pass for each member would take minutes where thousands of processes run.
BOOST_AUTO_TEST_CASE(a_deep_tree_is_found_among_all_processes_in_a_few_passes) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto reads_for = [](ProcessTree& tree) {
    const std::uint64_t before = reads_so_far();
    BOOST_TEST(tree.collect_from_all());
    return reads_so_far() - before;
  };
  const Family family(40);
  ProcessTree whole(::getpid()), none(youngest_of(family.eldest));
  const std::uint64_t once = reads_for(none);
  const std::uint64_t all = reads_for(whole);
  if (reads_so_far() == 0) {
    BOOST_TEST_MESSAGE("the kernel does not count a process's reads: nothing is tested");
    return;
  }
  BOOST_TEST(none.empty());
  BOOST_TEST(whole.members().size() == 40U);
  // Two passes are enough, or a few more if the kernel has begun again with low process numbers. The bound leaves room
  // for other processes that start and end meanwhile.
  BOOST_TEST(all < 10 * once);
}

BOOST_AUTO_TEST_CASE(the_tree_below_another_process_is_seen_and_killed) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Family family(5);
  ProcessTree tree(family.eldest);
  BOOST_TEST(tree.collect());
  BOOST_TEST(tree.members().size() == 4U);
  NamedProcess names[max_named];
  BOOST_TEST(tree.name_living(names) == 4U);
  tree.kill();
  for (const ProcessTree::Member& member : tree.members()) {
    while (tree.collect() && tree.name_living(names) > 0U) ::sched_yield();
    BOOST_TEST(member.process != family.eldest);
  }
  BOOST_TEST(::kill(family.eldest, 0) == 0);
}

// A keeper that kills in rounds must not pause while a tree still grows.
BOOST_AUTO_TEST_CASE(a_pass_that_kills_somebody_new_says_so) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Family family(3);
  ProcessTree tree(::getpid());
  BOOST_TEST(tree.collect());
  BOOST_TEST(tree.kill());
  // The dead stay in the tree until somebody waits for them.
  BOOST_TEST(!tree.kill());
  const Family another(1);
  BOOST_TEST(tree.collect());
  BOOST_TEST(tree.kill());
}

BOOST_AUTO_TEST_CASE(children_in_a_spared_session_are_left_out_with_all_below) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Family spared(3);
  const pid_t other = ::fork();
  if (other == 0) {
    ::setsid();
    for (;;) ::pause();
  }
  ProcessTree tree(::getpid(), ::getsid(0));
  // Until the child has a session of its own, it is spared as well.
  while (tree.collect() && tree.empty()) ::sched_yield();
  BOOST_TEST(tree.members().size() == 1U);
  BOOST_TEST(tree.members().front().process == other);
}

BOOST_AUTO_TEST_CASE(a_stranger_that_got_the_number_of_a_member_is_left_alone) {
  int ends[2];
  BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const pid_t eldest = ::fork();
  if (eldest == 0) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) ::pause();
    }
    (void)!::write(ends[1], &child, sizeof child);
    ::waitpid(child, nullptr, 0);  // From here on the number is free.
    (void)!::write(ends[1], &child, sizeof child);
    for (;;) ::pause();
  }
  pid_t member = 0;
  BOOST_REQUIRE(::read(ends[0], &member, sizeof member) == sizeof member);
  ProcessTree tree(eldest);
  BOOST_TEST(tree.collect());
  BOOST_REQUIRE(tree.members().size() == 1U);
  BOOST_REQUIRE(tree.members().front().process == member);
  ::kill(member, SIGKILL);
  BOOST_REQUIRE(::read(ends[0], &member, sizeof member) == sizeof member);
  {
    const Stranger stranger(member);
    if (stranger.answers()) {
      tree.kill();
      BOOST_TEST(stranger.answers());
    } else {
      BOOST_TEST_MESSAGE("this user may not choose the number of a process: nothing is tested");
    }
  }
  ::kill(eldest, SIGKILL);
  ::waitpid(eldest, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

// A command may set its keeper's limit of descriptors to 0.
BOOST_AUTO_TEST_CASE(without_descriptors_its_own_children_are_seen_and_killed) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Family family(3);
  ProcessTree tree(::getpid());
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{0, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  int killed = 0;
  bool seen = true;
  while (killed < 3 && seen) {
    seen = tree.collect() && !tree.empty();
    tree.kill();
    if (::wait(nullptr) > 0) ++killed;
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
  BOOST_TEST(seen);
  BOOST_TEST(killed == 3);
}

BOOST_AUTO_TEST_CASE(zombies_are_not_counted_as_living) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  BOOST_REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
  ProcessTree tree(::getpid());
  BOOST_TEST(tree.collect());
  NamedProcess names[max_named];
  BOOST_TEST(tree.members().size() == 1U);
  BOOST_TEST(tree.name_living(names) == 0U);
  ::waitpid(child, nullptr, 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace tree_test
