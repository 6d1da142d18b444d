// The main function of every test program; the module is named after the program. A test cannot get its main function
// from BOOST_TEST_MODULE, because the precompiled header has already included Boost.Test.
//
// Several tests may share one executable: each of them is a suite, and a link to the executable (wtool_tests of
// tests/CMakeLists.txt). If the executable is started through a link, it has only the cases of the suite of that name.
#include <boost/test/tree/traverse.hpp>
#include <boost/test/tree/visitor.hpp>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

namespace {

namespace unit_test = boost::unit_test;

// The members of a suite itself, not those of the suites in it.
class DirectMembers : public unit_test::test_tree_visitor {
 public:
  explicit DirectMembers(const unit_test::test_suite& suite) : suite_(suite) {
    unit_test::traverse_test_tree(suite, *this, true);
  }
  const std::vector<unit_test::test_unit_id>& ids() const { return ids_; }

 private:
  bool visit(const unit_test::test_unit& unit) override {
    if (unit.p_id == suite_.p_id) return true;
    ids_.push_back(unit.p_id);
    return false;
  }

  const unit_test::test_suite& suite_;
  std::vector<unit_test::test_unit_id> ids_;
};

void keep_suite(const std::string& name) {
  unit_test::test_suite& all = unit_test::framework::master_test_suite();
  const unit_test::test_unit_id wanted = all.get(name);
  if (wanted == unit_test::INV_TEST_UNIT_ID) return;
  auto& suite = unit_test::framework::get<unit_test::test_suite>(wanted);
  const DirectMembers members(suite), others(all);
  for (const unit_test::test_unit_id id : others.ids()) all.remove(id);
  for (const unit_test::test_unit_id id : members.ids()) {
    suite.remove(id);
    all.add(&unit_test::framework::get(id, unit_test::TUT_ANY));
  }
}

bool name_the_module() {
  auto& all = unit_test::framework::master_test_suite();
  std::string name = all.argc > 0 ? all.argv[0] : "tests";
  name.erase(0, name.rfind('/') + 1);
  all.p_name.value = name;
  keep_suite(name);
  return true;
}

}  // namespace

int main(int argc, char** argv) { return boost::unit_test::unit_test_main(name_the_module, argc, argv); }
