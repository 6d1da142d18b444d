// Where the workflows that another workflow runs are found, and workflows that run one another in a circle.
#include "workflow/parse/library.h"

#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

#include "reading.h"

namespace library_test {

using namespace wtool::test;
using namespace wtool::host::workflow;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("library_test." + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_ / ".git");
  }
  ~Folder() { fs::remove_all(path_); }

  std::string add(const std::string& file, const std::string& action) const {
    const fs::path path = path_ / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << one_action(action);
    return path.string();
  }
  std::string operator/(const std::string& file) const { return (path_ / file).string(); }

 private:
  fs::path path_;
};

std::string problems(Library& library, const std::string& file) {
  std::string error;
  const Source source = load_source(file, error);
  Diagnostics diagnostics;
  const Workflow workflow = parse_workflow(source, diagnostics);
  CheckContext around;
  around.file = file;
  around.library = &library;
  check_workflow(workflow, {}, around, diagnostics);
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics.sorted()) out += diagnostic.message + "\n";
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(workflows_are_found_beside_the_file_and_up_to_the_repository) {
  const Folder folder;
  const std::string caller = folder.add("sub/caller.md", "Log \"x\"");
  folder.add("sub/a.md", "Log \"beside\"");
  folder.add("workflows/a.md", "Log \"far\"");
  folder.add(".swissarmyhammer/workflows/issue/b.md", "Log \"b\"");
  folder.add("sub/deep/workflows/c", "Log \"c\"");
  fs::create_directories(folder / "sub/deep");
  Library library(folder / "sub/deep");
  std::string error;
  BOOST_REQUIRE(library.find("a", caller, error) != nullptr);
  BOOST_TEST(library.find("a", caller, error)->source.name() == folder / "sub/a.md");
  BOOST_TEST(library.find("a", folder / "x.md", error)->source.name() == folder / "workflows/a.md");
  BOOST_TEST(library.find("issue/b", caller, error) != nullptr);
  BOOST_TEST(library.find("c", caller, error) != nullptr);
  BOOST_TEST(library.find("a", caller, error) == library.find("a", caller, error));
  BOOST_TEST(library.find("none", caller, error) == nullptr);
  BOOST_TEST(error.find("there is no workflow \"none\"; it would be a file none.md beside this one") == 0U, error);
  for (const char* name : {"", "../sub/a", "/etc/passwd"}) {
    BOOST_TEST(library.find(name, caller, error) == nullptr);
    BOOST_TEST(error.find("is not the name of a workflow") != std::string::npos, error);
  }
}

BOOST_AUTO_TEST_CASE(a_name_that_is_not_found_is_compared_with_those_that_are_there) {
  const Folder folder;
  const std::string caller = folder.add("sub/caller.md", "Log \"x\"");
  folder.add("sub/cleaner.mermaid", "Log \"c\"");
  folder.add("workflows/issue/review.md", "Log \"r\"");
  Library library(folder / "");
  const auto message = [&](const std::string& name) {
    std::string error;
    BOOST_TEST(library.find(name, caller, error) == nullptr);
    return error.substr(0, error.find(" would be a file"));
  };
  BOOST_TEST(message("clener") == "there is no workflow \"clener\"; did you mean 'cleaner'? It");
  BOOST_TEST(message("issue/reveiw") == "there is no workflow \"issue/reveiw\"; did you mean 'issue/review'? It");
  // Nobody means the workflow that asks.
  BOOST_TEST(message("caler") == "there is no workflow \"caler\"; it");
}

BOOST_AUTO_TEST_CASE(workflows_that_run_each_other_in_a_circle_are_reported_with_the_chain) {
  const Folder folder;
  const std::string first = folder.add("first.md", "Run workflow \"second\"");
  folder.add("second.md", "Delegate to \"third\"");
  folder.add("third.md", "Run workflow \"first\"");
  const std::string selfish = folder.add("selfish.md", "Run workflow \"selfish\"");
  Library library(folder / "");
  BOOST_TEST(problems(library, first) == "workflows run one another in a circle: first -> second -> third -> first\n");
  BOOST_TEST(problems(library, selfish) == "workflows run one another in a circle: selfish -> selfish\n");
}

BOOST_AUTO_TEST_CASE(very_long_chains_are_refused) {
  const Folder folder;
  for (int i = 0; i < 150; ++i) {
    folder.add("w" + std::to_string(i) + ".md", "Run workflow \"w" + std::to_string(i + 1) + "\"");
  }
  Library library(folder / "");
  BOOST_TEST(problems(library, folder / "w0.md") ==
             "workflows run one another deeper than 100 levels, down to 'w100'\n");
}

BOOST_AUTO_TEST_CASE(the_parameters_of_a_workflow_that_is_run_are_checked) {
  const Folder folder;
  const std::string caller = folder.add("caller.md", "Run workflow \"callee\" with taget=\"x\"");
  std::ofstream(folder / "callee.md") << workflow_text("[*] --> A\nA --> [*]\n", "",
                                                       "parameters:\n  - name: target\n    required: true\n");
  Library library(folder / "");
  BOOST_TEST(problems(library, caller) ==
             "the workflow 'callee' needs the parameter 'target'; give it as target=\"value\"\n"
             "the workflow 'callee' has no parameter 'taget'; did you mean 'target'?\n");
}

BOOST_AUTO_TEST_CASE(a_lock_inside_the_same_lock_is_an_error) {
  const Folder folder;
  const std::string outer = folder.add("outer.md", "Run workflow \"middle\" lock=\"db\"");
  const std::string other = folder.add("other.md", "Run workflow \"middle\" lock=\"web\"");
  folder.add("middle.md", "Run workflow \"inner\"");
  folder.add("inner.md", "Shell \"true\" lock=\"db\"");
  Library library(folder / "");
  BOOST_TEST(problems(library, outer) == "this step holds the lock \"db\" while 'A' of " + (folder / "inner.md") +
                                             " waits for it, and that step runs inside of this one; take the lock in "
                                             "only one of them\n");
  BOOST_TEST(problems(library, other) == "");
}

}  // namespace library_test
