// system/process_tree.h, on this test's own children.
#include "system/process_tree.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>

using namespace wtool;

namespace {

// A child that waits to be killed, in front of `below` more of its kind, each the child of the one before.
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

}  // namespace

BOOST_AUTO_TEST_SUITE(tree)

BOOST_AUTO_TEST_CASE(a_chain_is_collected_parents_first) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // So that the chain's orphans can be waited for.
  const Family family(5);
  ProcessTree tree(::getpid());
  BOOST_TEST(tree.collect());
  BOOST_TEST(tree.members().size() == 5U);
  BOOST_TEST(tree.members().front().process == family.eldest);
  BOOST_TEST(tree.members().front().parent == ::getpid());
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

// A command may take the limit of descriptors away from its keeper.
BOOST_AUTO_TEST_CASE(without_descriptors_the_own_children_are_seen_and_killed) {
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
