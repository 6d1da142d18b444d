// Timeouts, the host's deadline, and what happens to background processes when the command itself has ended.
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <utility>

#include "support/asking_host.h"
#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(timeout_test)

using namespace wtool::test;

BOOST_FIXTURE_TEST_CASE(a_timeout_answers_in_time_with_the_output_so_far, ShellTool) {
  tool.shell("true");  // The first call also starts the warden.
  Json arguments = marked("printf a; sleep 60");
  arguments["timeout"] = 1;
  const Answer answer = tool.run(arguments);
  BOOST_TEST(answer.text() == "Command timed out after 1 seconds");
  BOOST_TEST(answer.metadata().at("partial_stdout").get<std::string>() == "a");
  BOOST_TEST(answer.took.count() >= 1000);
  BOOST_TEST(answer.took.count() < within(1500).count());
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(the_default_timeout_is_the_configured_one, ShellTool) {
  const ToolUnderTest hasty(plugin, Json::parse(R"({"limits":{"timeout_default":1}})"));
  const Answer answer = hasty.run(marked("sleep 60"));
  BOOST_TEST(answer.code() == "timed_out");
  BOOST_TEST((answer.metadata().at("timeout_seconds") == Json(1)));
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(the_hosts_deadline_ends_a_call_as_a_timeout_does, ShellTool) {
  const Answer answer = tool.run(marked("printf a; sleep 60"), {.deadline_ms = 1500});
  BOOST_TEST(answer.status == WTOOL_OK);
  BOOST_TEST(answer.is_error());
  BOOST_TEST(answer.code() == "timed_out");
  BOOST_TEST(answer.metadata().at("partial_stdout").get<std::string>() == "a");
  BOOST_TEST(answer.took.count() >= 1500);
  BOOST_TEST(answer.took.count() < within(1000).count());
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(the_shorter_of_timeout_and_deadline_wins, ShellTool) {
  const Answer answer = tool.run({{"command", "sleep 60"}, {"timeout", 1}}, {.deadline_ms = 60'000});
  BOOST_TEST(answer.text() == "Command timed out after 1 seconds");
}

BOOST_FIXTURE_TEST_CASE(a_deadline_that_is_not_reached_changes_nothing, ShellTool) {
  BOOST_TEST(tool.shell("echo hi", {.deadline_ms = 60'000}).out() == "hi\n");
}

BOOST_FIXTURE_TEST_CASE(a_command_that_handles_the_termination_signal_may_still_speak, ShellTool) {
  const Answer answer = tool.run(marked("trap 'echo goodbye; exit 0' TERM; echo ready; while :; do sleep 0.05; done"),
                                 {.deadline_ms = 2000});
  BOOST_TEST(answer.code() == "timed_out");
  BOOST_TEST(answer.metadata().at("partial_stdout").get<std::string>() == "ready\ngoodbye\n");
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_command_that_ignores_the_termination_signal_ends_after_the_grace_period, ShellTool) {
  const ToolUnderTest patient(plugin, Json::parse(R"({"limits":{"grace_seconds":1}})"));
  const Answer answer = patient.run(marked("trap '' TERM; echo ready; sleep 61"), {.deadline_ms = 1500});
  BOOST_TEST(answer.code() == "timed_out");
  BOOST_TEST(answer.took.count() >= 2500);
  BOOST_TEST(answer.took.count() < within(2300).count());
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_stopped_command_is_ended, ShellTool) {
  const Answer answer = tool.run(marked("echo ready; kill -STOP $$; echo never"), {.deadline_ms = 300});
  BOOST_TEST(answer.code() == "timed_out");
  BOOST_TEST(answer.took.count() < within(1500).count());
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_background_process_ends_with_its_command_and_is_reported, ShellTool) {
  tool.shell("true");
  const Answer answer = tool.run(marked("sleep 30 & echo hi"));
  BOOST_TEST(answer.out() == "hi\n");
  BOOST_TEST(!answer.is_error());
  BOOST_TEST(answer.took.count() < within(500).count());
  BOOST_TEST((answer.metadata().at("background_processes_ended") == Json(1)));
  BOOST_TEST((answer.metadata().at("background_processes") == Json::array({"sleep"})));
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_timeout_after_the_commands_own_end_does_not_count, ShellTool) {
  // The background process holds the output, so the call ends some time after the command. The deadline comes
  // between these ends, unless the machine is so busy that the command itself needs longer.
  constexpr int deadline_ms = 150;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const Answer answer = tool.run(marked("sleep 61 & exit 3"), {.deadline_ms = deadline_ms});
    BOOST_TEST(mark.bearers().empty(), mark.description());
    if (answer.code() == "timed_out" || answer.took.count() < deadline_ms) continue;
    BOOST_TEST(answer.exit_code() == 3, answer.raw);
    return;
  }
  BOOST_ERROR("no command ended before its deadline");
}

BOOST_FIXTURE_TEST_CASE(background_processes_of_a_failing_command_are_reported_too, ShellTool) {
  const Answer answer = tool.run(marked("sleep 30 & sleep 30 & setsid sleep 30 & sleep 0.2; exit 3"));
  BOOST_TEST(answer.exit_code() == 3);
  BOOST_TEST((answer.metadata().at("background_processes_ended") == Json(3)), answer.raw);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_background_process_without_the_output_pipe_ends_too, ShellTool) {
  const Answer answer = tool.run(marked("setsid sleep 30 </dev/null >/dev/null 2>&1 & echo hi"));
  BOOST_TEST(answer.out() == "hi\n");
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_background_process_that_soon_ends_by_itself_may_finish_its_line, ShellTool) {
  // The background process closes its output an instant before it is dead. Nobody ended it, so nothing is reported. It
  // waits for the end of the command, because a fixed time may be too short on a busy machine. It starts no program,
  // because a start may take too long on such a machine.
  const std::string pipe = scratch.path() + "/held_by_the_command";
  BOOST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (int i = 0; i < repeats(100); ++i) {
    const Answer answer = tool.run(marked("(read line; echo late) < " + pipe + " & exec 3> " + pipe + "; echo hi"));
    BOOST_TEST(answer.out() == "hi\nlate\n");
    BOOST_TEST(!answer.metadata().contains("background_processes_ended"), answer.raw);
  }
}

BOOST_FIXTURE_TEST_CASE(what_was_written_before_the_end_is_all_there, ShellTool) {
  for (int i = 0; i < repeats(50); ++i) {
    // A child of the shell writes more than a pipe has room for, and the command ends immediately afterwards.
    const Answer answer = tool.shell("head -c 300000 /dev/zero | tr '\\0' x; echo end");
    BOOST_TEST((answer.metadata().at("stdout_bytes") == Json(300'004)));
  }
}

BOOST_FIXTURE_TEST_CASE(no_background_process_is_reported_if_none_existed, ShellTool) {
  for (const char* command : {"true", "sleep 0.01 & wait", "echo a | cat", "(sleep 0.01)"}) {
    BOOST_TEST(!tool.shell(command).metadata().contains("background_processes_ended"), command);
  }
}

// The time that a person takes does not count towards the command's timeout, but the host's limit holds for the call.
BOOST_AUTO_TEST_CASE(a_call_that_waits_for_a_person_ends_at_the_hosts_deadline) {
  AskingHost host;
  host.waits = true;
  Plugin asking(host.get());
  const ScratchFolder scratch;
  scratch.file("npm", "#!/bin/sh\n", 0755);
  const Json config{{"commands", {{"ask", {"echo"}}, {"path", {scratch.path(), "/usr/bin", "/bin"}}}},
                    {"execute_run", {{"root", scratch.path()}}}};
  const CallOptions short_time{.deadline_ms = static_cast<std::uint64_t>(within(2000).count())};
  for (const auto& [name, command] : {std::pair("shell_execute", "echo hi"), std::pair("execute_run", "npm test")}) {
    BOOST_TEST_CONTEXT(name) {
      const std::size_t asked = host.questions().size();
      const Answer answer = ToolUnderTest(asking, config, name).run({{"command", command}}, short_time);
      BOOST_TEST(host.questions().size() == asked + 1);
      BOOST_TEST(answer.status == WTOOL_OK);
      BOOST_TEST(answer.text().find("Command timed out") != std::string::npos, answer.raw);
    }
  }
  for (const std::uint32_t late : {WTOOL_APPROVAL_YES, WTOOL_APPROVAL_NO}) {
    host.late_answer = late;
    const Answer answer = ToolUnderTest(asking, config).run({{"command", "echo hi"}}, short_time);
    BOOST_TEST(answer.status == WTOOL_OK);
    BOOST_TEST(answer.code() == "timed_out", answer.raw);
  }
}

BOOST_AUTO_TEST_SUITE_END()
