// What a step of a workflow may use: a limit applies to the step's whole tree and for everything inside it; plan shows
// it, the journal has it, a resumed run keeps it, and lint finds mistakes in it. Also the trace that a run belongs to.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(step_limits_test)

using namespace wtool::test;

namespace {

struct Limited : Place {
  Finished wtool(std::vector<std::string> arguments, const std::string& trace = {}) const {
    arguments.insert(arguments.begin(), wtool_path);
    ProgramOptions options = here();
    if (!trace.empty()) options.set["TRACEPARENT"] = trace;
    return run(arguments, options);
  }
  // All journals here, one after the other.
  std::string journals() const {
    std::string text;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path())) {
      if (entry.path().extension() == ".jsonl") text += content_of(entry.path());
    }
    return text;
  }
};

constexpr const char* two_steps = "[*] --> A\nA --> B\nB --> [*]\n";
constexpr const char* callers_trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(step_limits, Limited)

BOOST_AUTO_TEST_CASE(a_step_is_held_with_all_that_it_starts_and_the_next_one_is_not) {
  const std::string file_ =
      workflow(two_steps,
               "- A: Shell \"sh -c 'touch one' || echo refused >&2; true\" sandbox=\"read-only\"\n"
               "- B: Shell \"touch two; ls\"\n");
  const Finished ran = run_workflow(file_);
  BOOST_TEST(ran.exit_code == 0, ran.out << ran.err);
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/one"));
  BOOST_TEST(std::filesystem::exists(scratch.path() + "/two"));
}

BOOST_AUTO_TEST_CASE(a_step_that_uses_more_than_it_may_fails) {
  const std::string file_ = workflow("[*] --> A\nA --> [*]\n", "- A: Shell \"while :; do :; done\" cpu=1s\n");
  const Finished ran = run_workflow(file_);
  BOOST_TEST(ran.exit_code == 1, ran.out << ran.err);
  BOOST_TEST(holds(ran.out + ran.err, "the call's limit cpu_seconds is 1"), ran.out << ran.err);
  BOOST_TEST(holds(ran.out, "raise this limit of the call (in a workflow: that of the step)"), ran.out);
  BOOST_TEST(!holds(ran.out + ran.err, "configuration"), ran.out << ran.err);
}

BOOST_AUTO_TEST_CASE(what_a_workflow_may_use_holds_for_the_workflow_that_a_step_runs) {
  scratch.file("inner.md",
               "---\ntitle: Inner\n---\n```mermaid\nstateDiagram-v2\n[*] --> I\nI --> [*]\n```\n## Actions\n"
               "- I: Shell \"touch inner\"\n");
  const std::string file_ =
      workflow("[*] --> A\nA --> [*]\n", "- A: Run workflow \"inner.md\" sandbox=\"read-only\"\n");
  BOOST_TEST(run_workflow(file_).exit_code == 1);
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/inner"));
}

BOOST_AUTO_TEST_CASE(plan_and_journal_have_the_limits_and_a_resumed_run_keeps_them) {
  const std::string file_ =
      workflow(two_steps,
               "- A: Shell \"true\"\n- B: Shell \"test -e go && { touch made || echo held >held; }; test -e go\" "
               "sandbox=\"read-only\" memory=512M processes=20\n");
  const Finished planned = wtool({"plan", file_});
  for (const char* part : {"sandbox: read-only", "memory: 512 MiB", "processes: 20"}) {
    BOOST_TEST(holds(planned.out, part), planned.out << planned.err);
  }
  BOOST_TEST(run_workflow(file_).exit_code == 1);
  BOOST_TEST(holds(journals(), R"("limits":{"sandbox":"read-only","memory_bytes":536870912,"processes":20})"),
             journals());
  scratch.file("go", "");
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/made"));
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/held"));
}

BOOST_AUTO_TEST_CASE(lint_finds_a_tool_that_holds_no_limits) {
  const std::string file_ = workflow("[*] --> A\nA --> [*]\n", "- A: Call tool \"pty_list\" with {} network=deny\n");
  const Finished linted = wtool({"lint", file_});
  BOOST_TEST(holds(linted.out + linted.err, "the tool pty_list does not support limits"), linted.out << linted.err);
}

BOOST_AUTO_TEST_CASE(the_commands_of_a_run_belong_to_the_trace_that_it_was_started_in) {
  const std::string file_ = workflow("[*] --> A\nA --> [*]\n", "- A: Shell \"echo .$TRACEPARENT > trace\"\n");
  BOOST_TEST(wtool({"run", file_}, callers_trace).exit_code == 0);
  BOOST_TEST(holds(file("trace"), ".00-0af7651916cd43dd8448eb211c80319c-"), file("trace"));
  BOOST_TEST(!holds(file("trace"), "b7ad6b7169203331"), file("trace"));
}

BOOST_AUTO_TEST_CASE(what_a_command_logs_is_in_the_span_of_its_step) {
  const std::string file_ = workflow("[*] --> A\nA --> [*]\n", "- A: Shell \"true\"\n");
  const Finished ran = wtool({"--log", "info", "run", file_});
  BOOST_TEST(holds(ran.err, "state=A}:call{tool=shell_execute"), ran.err);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
