// A test in a process of its own: whatever the plugin does there, the check continues.
//
//   const ChildEnd end = run_in_child([](Reporter& reporter) { ... }, limit, patience);
//
// - The child is a fork, which sends its reports through a pipe. Its standard input is empty, and what is written to
//   its standard output and standard error is kept.
// - After `limit` the child is killed. When the child has ended, all processes that remain of its tree are killed, too.
//   None of them can escape, because the check is a subreaper. Processes that this program had before are left alone.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace wtool::host::conformance {

// The child's side. Any thread may call any member.
class Reporter {
 public:
  explicit Reporter(int descriptor) : descriptor_(descriptor) {}

  // From here on, a crash, a hang or an exit breaks `rule`; `doing` says what the plugin was asked for: "in deinit".
  void step(std::string_view rule, std::string_view doing);
  // Reports that the plugin breaks `rule`; `text` is a sentence with the value that was seen.
  void finding(std::string_view rule, const std::string& text);
  // Reports that the test, or a part of it, is skipped, and why.
  void skip(const std::string& why);
  // Reports a fact that later tests, or the report, need.
  void fact(const std::string& name, nlohmann::json value);
  // Reports that the test has come to its end. A test needs to call this only if it then ends its process itself.
  void end();

 private:
  void send(const nlohmann::json& message);
  int descriptor_;
};

struct ChildReport {
  std::string kind;  // "finding", "skip" or "fact"
  std::string name;  // the rule, or the name of the fact
  nlohmann::json value;
};

struct ChildEnd {
  bool ended = false;  // the test came to its end
  std::vector<ChildReport> reports;
  std::string rule;               // of the last step
  std::string doing;              // the last step
  std::string death;              // how the process ended, if the test did not come to its end: "died of signal 11"
  std::string output;             // what was written to its standard output and standard error, at most 4 KiB
  std::vector<std::string> left;  // processes that outlived the test: "sleep (4711)"
};

// Call this while the program has only one thread. Throws std::system_error if no process can be made.
// `patience`: how long processes that the test left may take to end by themselves.
ChildEnd run_in_child(const std::function<void(Reporter&)>& test, std::chrono::milliseconds limit,
                      std::chrono::milliseconds patience);

// True if this process has a child, alive or not reaped.
bool has_children();

}  // namespace wtool::host::conformance
