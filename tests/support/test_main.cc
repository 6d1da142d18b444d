// The main function of every test program; the module is named after the program. It is a separate file because the
// precompiled header includes Boost.Test before a test's own BOOST_TEST_MODULE could make it define one.
#include <boost/test/unit_test.hpp>
#include <string>

int main(int argc, char** argv) {
  const auto name_the_module = [] {
    const auto& arguments = boost::unit_test::framework::master_test_suite();
    std::string name = arguments.argc > 0 ? arguments.argv[0] : "tests";
    name.erase(0, name.rfind('/') + 1);
    boost::unit_test::framework::master_test_suite().p_name.value = name;
    return true;
  };
  return boost::unit_test::unit_test_main(name_the_module, argc, argv);
}
