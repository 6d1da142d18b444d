// The tests of `wtool check`, each a function that runs in a process of its own.
//
// If a test does not end normally, that is a finding for the rule of its last step. Tests run in stages. If a test of
// the stage load, describe or start ends early, or finds that nothing later can work, all later tests are skipped. If a
// test of the stage call does so, only the later tests of the same tool are skipped.
#pragma once

#include <span>

#include "conformance/subject.h"

namespace wtool::host::conformance {

enum class TestStage {
  load,      // only the file
  describe,  // the descriptors
  start,     // init, tool_new, destroy, deinit
  plugin,    // whatever concerns the plugin as a whole
  call,      // one call of a tool; the tests of the next stage need it to work
  tool,      // whatever concerns one tool
};

struct Test {
  const char* name;
  const char* what;  // for --list
  TestStage stage;
  void (*run)(Trial& trial);
};

// All tests, in the order in which they run.
std::span<const Test> tests();

// ---- entry_tests.cc: the library, its descriptors, its life.
void test_load(Trial& trial);
void test_describe(Trial& trial);
void test_start(Trial& trial);
void test_order(Trial& trial);
void test_hosts(Trial& trial);
void test_unknown_tool(Trial& trial);
void test_configuration(Trial& trial);
void test_control_threads(Trial& trial);

// ---- call_tests.cc: the course of a call of one tool.
void test_call(Trial& trial);
void test_events(Trial& trial);
void test_refusing_sink(Trial& trial);
void test_cancel_before(Trial& trial);
void test_cancel_during(Trial& trial);
void test_cancel_waits(Trial& trial);
void test_cancel_after(Trial& trial);
void test_run_twice(Trial& trial);
void test_free_unrun(Trial& trial);
void test_threads(Trial& trial);
void test_stack(Trial& trial);

// ---- struct_tests.cc: the structs and pointers of a call.
void test_null(Trial& trial);
void test_small_request(Trial& trial);
void test_small_blob(Trial& trial);
void test_large_structs(Trial& trial);
void test_copied_request(Trial& trial);
void test_extensions(Trial& trial);

// ---- argument_tests.cc: the arguments of a call.
void test_wrong_arguments(Trial& trial);
void test_garbage_arguments(Trial& trial);

// ---- guest_tests.cc: what the plugin leaves behind in the host.
void test_guest(Trial& trial);
void test_repeated_calls(Trial& trial);
void test_memory(Trial& trial);
void test_exit(Trial& trial);
void test_exit_early(Trial& trial);
void test_unload(Trial& trial);

}  // namespace wtool::host::conformance
