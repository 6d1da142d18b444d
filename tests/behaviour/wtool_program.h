// The built program `wtool`, for tests of its commands.
#pragma once

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "support/shell_tool.h"

namespace wtool::test::cli {

inline const std::string wtool_path = WTOOL_TEST_PROGRAM;

inline Finished wtool_with(std::vector<std::string> arguments, const ProgramOptions& options = {}) {
  arguments.insert(arguments.begin(), wtool_path);
  return run(arguments, options);
}

inline Finished call(const std::string& arguments, const ProgramOptions& options = {}) {
  return wtool_with({"call", "shell_execute", arguments}, options);
}

// Standard output must be the result and nothing else.
inline Json result_of(const Finished& finished) {
  BOOST_TEST_CONTEXT("standard output: " << finished.out << "\nstandard error: " << finished.err) {
    BOOST_REQUIRE(Json::accept(finished.out));
  }
  return Json::parse(finished.out);
}

// A folder for files, and a mark by which the test finds processes.
struct Place {
  Mark mark;
  ScratchFolder scratch;

  std::string marked(const std::string& command) const { return "export " + mark.assignment() + "; " + command; }
};

}  // namespace wtool::test::cli
