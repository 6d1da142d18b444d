// warden/tree.h, on this test's own children.
#include "warden/tree.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <csignal>

using namespace wtool::warden;

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
    std::vector<pid_t> all;
    collect_tree(all, {});
    kill_members(all);
    while (::wait(nullptr) > 0) {
    }
  }
  pid_t eldest;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(tree)

BOOST_AUTO_TEST_CASE(a_chain_is_collected_parents_first) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // So that the chain's orphans can be waited for.
  const Family family(5);
  std::vector<pid_t> members;
  collect_tree(members, {});
  BOOST_TEST(members.size() == 5U);
  BOOST_TEST(members.front() == family.eldest);
}

BOOST_AUTO_TEST_CASE(a_spared_child_is_left_out_with_all_below) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Family spared(3);
  const Family other(2);
  std::vector<pid_t> members;
  collect_tree(members, {spared.eldest});
  BOOST_TEST(members.size() == 2U);
  BOOST_TEST(members.front() == other.eldest);
}

BOOST_AUTO_TEST_CASE(zombies_are_not_counted_as_living) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  BOOST_REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) == 0);
  std::vector<pid_t> members;
  collect_tree(members, {});
  NamedProcess names[max_named];
  BOOST_TEST(std::count(members.begin(), members.end(), child) == 1);
  BOOST_TEST(name_living(members, names) == 0U);
  ::waitpid(child, nullptr, 0);
}

BOOST_AUTO_TEST_SUITE_END()
