// A scratch folder in which workflows are run by the built program.
#pragma once

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "support/shell_tool.h"
#include "support/text.h"

namespace wtool::test {

inline const std::string wtool_path = WTOOL_TEST_PROGRAM;

// The words, run as a user whom the modes of files bind: as nobody if the test itself runs as root.
inline std::vector<std::string> as_ordinary_user(const std::vector<std::string>& words) {
  std::vector<std::string> argv{"/usr/bin/env", "HOME=/nonexistent"};
  if (::geteuid() == 0) argv.insert(argv.end(), {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"});
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

// For tests with as_ordinary_user(): whether that user may run the program at all.
inline boost::test_tools::assertion_result an_ordinary_user_may_run_wtool(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result result(run(as_ordinary_user({"test", "-x", wtool_path})).exit_code == 0);
  result.message() << "an ordinary user may not run " << wtool_path << ": nothing is tested";
  return result;
}

struct Place {
  Mark mark;
  ScratchFolder scratch;

  std::string workflow(const std::string& diagram, const std::string& actions) const {
    return scratch.file("workflow.md",
                        "---\ntitle: A test\ndescription: for a test\n---\n\n# A test\n\n```mermaid\n"
                        "stateDiagram-v2\n" +
                            diagram + "```\n\n## Actions\n\n" + actions);
  }
  ProgramOptions here() const {
    ProgramOptions options;
    options.directory = scratch.path();
    options.set["WTOOL_TEST_MARK"] = mark.text();
    return options;
  }
  Finished run_workflow(const std::string& file, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> argv{wtool_path, "run", file};
    argv.insert(argv.end(), more.begin(), more.end());
    return run(argv, here());
  }
  // Runs `wtool` with these arguments.
  Finished wtool(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), wtool_path);
    return run(arguments, here());
  }
  bool there(const std::string& name) const { return std::filesystem::exists(scratch.path() + "/" + name); }
  std::string file(const std::string& name) const { return content_of(scratch.path() + "/" + name); }
};

}  // namespace wtool::test
