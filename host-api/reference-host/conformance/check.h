// Checks a plugin against the rules of the C interface, with each test in a process of its own.
//
//   const CheckReport report = check({.plugin = "hello_tools.so"});
//   std::cout << as_text(report);
//
// The calls are real: a tool is called a few hundred times with the arguments that the report names.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace wtool::host::conformance {

struct CheckOptions {
  std::string plugin{};                     // a path
  std::string tool{};                       // the only tool to check; empty: all tools
  std::string arguments{};                  // for the calls; empty: see arguments.h
  std::vector<std::string> tests{};         // the only tests to run, with the tests that they need; empty: all tests
  std::string configuration{};              // of its tools, JSON text of an object; empty: {}
  std::chrono::milliseconds limit{10'000};  // for each test
};

struct Finding {
  std::string rule{};  // its id, as in rules.h
  std::string test{};
  std::string tool{};  // empty: it is about the plugin as a whole
  std::string text{};  // a sentence with the value that was seen
};

struct RanTest {
  enum class Outcome { good, finding, skipped };
  std::string test{};
  std::string tool{};
  Outcome outcome = Outcome::good;
  std::string why{};  // why it was skipped, in whole or in part
};

struct CheckedTool {
  std::string id{};
  std::string arguments{};  // with which it was called; empty: it was not called
  std::string from{};       // where they come from, or why none were found
};

struct CheckReport {
  std::string plugin{};    // the absolute path
  std::string unusable{};  // why nothing could be checked; the members below then mean nothing
  bool loaded = false;     // the library could be opened
  std::string name{};
  std::string version{};
  std::vector<CheckedTool> tools{};
  std::vector<RanTest> tests{};
  std::vector<Finding> findings{};  // at most one for each rule and tool
};

// Call this while the program has only one thread. Throws std::system_error if no processes can be made.
CheckReport check(const CheckOptions& options);

// The names of the tests.
std::vector<std::string> test_names();

// ---- report.cc

std::string as_text(const CheckReport& report);
// The report as the JSON text of an object.
std::string as_json(const CheckReport& report);
// Lists of all tests and rules.
std::string list_as_text();
std::string list_as_json();

}  // namespace wtool::host::conformance
