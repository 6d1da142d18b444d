// Live output: events come in order, with all the bytes, on the thread that runs the call, and none after call_run has
// returned.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <thread>

#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(events_test)

using namespace wtool::test;

namespace {

struct Recorded {
  std::vector<Event> events;
  std::vector<std::thread::id> threads;
  Answer answer;

  std::string stream(std::uint32_t kind) const {
    std::string bytes;
    for (const auto& event : events) {
      if (event.kind == kind) bytes += event.payload;
    }
    return bytes;
  }
};

Recorded record(const ToolUnderTest& tool, const std::string& command) {
  Recorded all;
  all.answer = tool.shell(command, {.on_event = [&](const Event& event) {
                            all.events.push_back(event);
                            all.threads.push_back(std::this_thread::get_id());
                            return 0;
                          }});
  return all;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(events_hold_the_bytes_of_each_stream, ShellTool) {
  const Recorded all = record(tool, "echo one; echo two >&2; echo three");
  BOOST_TEST(all.stream(WTOOL_EVENT_STDOUT) == "one\nthree\n");
  BOOST_TEST(all.stream(WTOOL_EVENT_STDERR) == "two\n");
}

BOOST_FIXTURE_TEST_CASE(events_are_numbered_and_in_time_order_on_the_run_thread, ShellTool) {
  const Recorded all = record(tool, "for i in 1 2 3 4 5; do echo $i; echo $i >&2; sleep 0.01; done");
  BOOST_REQUIRE(!all.events.empty());
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < all.events.size(); ++i) {
    BOOST_TEST(all.events[i].seq == i + 1);
    BOOST_TEST(all.events[i].mono_ns >= before);
    BOOST_TEST((all.threads[i] == std::this_thread::get_id()));
    before = all.events[i].mono_ns;
  }
}

BOOST_FIXTURE_TEST_CASE(events_come_while_the_command_runs, ShellTool) {
  RunningCall call(tool,
                   marked("echo first; while [ ! -e '" + scratch.path() + "/go' ]; do sleep 0.01; done; echo second"));
  BOOST_TEST(call.wait_for_output("first"));  // The command cannot have ended: it waits for the file.
  scratch.file("go", "");
  BOOST_TEST(call.wait().out() == "first\nsecond\n");
}

BOOST_FIXTURE_TEST_CASE(events_carry_more_than_the_result_keeps, ShellTool) {
  const ToolUnderTest small(plugin, Json::parse(R"({"output":{"bytes":4096}})"));
  const Recorded all = record(small, "seq 1 50000");
  const std::string bytes = all.stream(WTOOL_EVENT_STDOUT);
  BOOST_TEST(bytes.size() == 288'894u);
  BOOST_TEST((all.answer.metadata().at("stdout_bytes") == Json(288'894)));
  BOOST_TEST((bytes.find("\n25000\n") != std::string::npos));
}

BOOST_FIXTURE_TEST_CASE(events_carry_raw_bytes, ShellTool) {
  const Recorded all = record(tool, "printf 'a\\000b\\377c'");
  BOOST_TEST((all.stream(WTOOL_EVENT_STDOUT) == std::string("a\0b\xff"
                                                            "c",
                                                            5)));
}

BOOST_FIXTURE_TEST_CASE(events_are_of_known_kinds_and_those_that_are_not_output_hold_json, ShellTool) {
  const Recorded all = record(tool, "echo hi; echo ho >&2");
  for (const auto& event : all.events) {
    if (event.kind == WTOOL_EVENT_STDOUT || event.kind == WTOOL_EVENT_STDERR) {
      BOOST_TEST(!event.payload.empty());
    } else {
      BOOST_TEST(event.kind == WTOOL_EVENT_STATE);
      BOOST_TEST(Json::parse(event.payload).is_object());
    }
  }
}

namespace {

// The states of a call, as JSON, in order. On a cluster, a call may be reported as queued twice, the second time for a
// node. The second report is left out.
std::vector<Json> states_of(const Recorded& all) {
  std::vector<Json> states;
  for (const auto& event : all.events) {
    if (event.kind != WTOOL_EVENT_STATE) continue;
    const Json state = Json::parse(event.payload);
    if (state.value("reason", "") == "node" && !states.empty() && states.back().at("state") == "queued") continue;
    states.push_back(state);
  }
  return states;
}

std::string names_of(const std::vector<Json>& states) {
  std::string names;
  for (const Json& state : states) names += (names.empty() ? "" : " ") + state.at("state").get<std::string>();
  return names;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_command_is_queued_started_and_ended_around_its_output, ShellTool) {
  const Recorded all = record(tool, "echo $$; exit 3");
  const std::vector<Json> states = states_of(all);
  BOOST_REQUIRE(names_of(states) == "queued started ended");
  if (!states[1].contains("node")) {
    BOOST_TEST(std::to_string(states[1].at("pid").get<int>()) + "\n" == all.stream(WTOOL_EVENT_STDOUT));
  }
  BOOST_TEST((states[1].at("argv") == Json{"/bin/sh", "-c", "echo $$; exit 3"}), states[1].dump());
  std::string kinds;
  for (const auto& event : all.events) kinds += event.kind == WTOOL_EVENT_STATE ? "state " : "output ";
  BOOST_TEST(kinds.ends_with("state state output state "), kinds);
}

BOOST_FIXTURE_TEST_CASE(a_command_that_cannot_start_is_never_started, ShellTool) {
  const ToolUnderTest broken(plugin, {{"shell", {{"program", "/no/such/shell"}}}});
  BOOST_TEST(names_of(states_of(record(broken, "echo hi; true"))) == "queued ended");
}

BOOST_FIXTURE_TEST_CASE(a_command_that_is_stopped_says_why, ShellTool) {
  Recorded all;
  const auto keep = [&](const Event& event) {
    all.events.push_back(event);
    return 0;
  };
  // Long enough that the command has begun, also on a busy machine.
  tool.run(marked("sleep 61"), {.deadline_ms = static_cast<std::uint64_t>(within(1000).count()), .on_event = keep});
  std::vector<Json> states = states_of(all);
  BOOST_REQUIRE(names_of(states) == "queued started stopping ended");
  BOOST_TEST((states[2].at("reason") == Json("timeout")));
  all.events.clear();
  tool.run(marked("echo ready; sleep 61"), {.on_event = [&](const Event& event) {
             keep(event);
             return event.kind == WTOOL_EVENT_STDOUT ? 1 : 0;
           }});
  states = states_of(all);
  BOOST_REQUIRE(names_of(states) == "queued started stopping ended");
  BOOST_TEST((states[2].at("reason") == Json("cancelled")));
}

BOOST_FIXTURE_TEST_CASE(a_sink_that_refuses_a_state_stops_the_command, ShellTool) {
  for (const char* refused : {"queued", "started"}) {
    const Answer answer = tool.run(marked("sleep 61"), {.on_event = [&](const Event& event) {
                                     return event.payload.find(refused) != std::string::npos ? 1 : 0;
                                   }});
    BOOST_TEST(answer.status == WTOOL_E_CANCELLED);
    BOOST_TEST(answer.took.count() < within(4000).count());
  }
}

BOOST_FIXTURE_TEST_CASE(secrets_in_the_arguments_of_a_command_are_masked_in_its_state, ShellTool) {
  const Recorded all = record(tool, "true; GITHUB_TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyz echo");
  for (const Json& state : states_of(all)) BOOST_TEST(state.dump().find("ghp_0123") == std::string::npos, state.dump());
}

BOOST_FIXTURE_TEST_CASE(refused_parameters_make_no_output_events, ShellTool) {
  std::vector<std::uint32_t> kinds;
  tool.run({{"command", ""}}, {.on_event = [&](const Event& event) {
             kinds.push_back(event.kind);
             return 0;
           }});
  for (const auto kind : kinds) BOOST_TEST((kind != WTOOL_EVENT_STDOUT && kind != WTOOL_EVENT_STDERR));
}

BOOST_FIXTURE_TEST_CASE(no_event_comes_after_the_call_has_returned, ShellTool) {
  std::atomic<bool> returned{false};
  std::atomic<int> late{0};
  for (int i = 0; i < repeats(20); ++i) {
    returned = false;
    const CallOptions options{.deadline_ms = 100 + static_cast<std::uint64_t>(i), .on_event = [&](const Event&) {
                                if (returned) ++late;
                                return 0;
                              }};
    tool.run(marked("(while :; do echo noise; done) & while :; do echo more; done"), options);
    returned = true;
    tool.shell("true");  // Leaves time for late events, which must not come.
  }
  BOOST_TEST(late == 0);
}

BOOST_FIXTURE_TEST_CASE(a_sink_that_blocks_holds_the_command_back_and_nothing_is_lost, ShellTool) {
  std::uint64_t bytes = 0;
  bool waited = false;
  const Answer answer =
      tool.shell("head -c 20000000 /dev/zero", {.on_event = [&](const Event& event) {
                   if (event.kind == WTOOL_EVENT_STDOUT && !waited) {
                     waited = true;
                     std::this_thread::sleep_for(std::chrono::milliseconds(300));  // Keeps the sink blocked.
                   }
                   if (event.kind == WTOOL_EVENT_STDOUT) bytes += event.payload.size();
                   return 0;
                 }});
  BOOST_TEST(waited);
  BOOST_TEST((answer.metadata().at("stdout_bytes") == Json(20'000'000)));
  BOOST_TEST(bytes == 20'000'000u);
}

BOOST_FIXTURE_TEST_CASE(a_timeout_counts_while_the_sink_blocks, ShellTool) {
  const Answer answer =
      tool.run(marked("echo hi; sleep 61"), {.deadline_ms = 200, .on_event = [](const Event& event) {
                                               if (event.kind == WTOOL_EVENT_STDOUT)
                                                 std::this_thread::sleep_for(std::chrono::milliseconds(400));
                                               return 0;
                                             }});
  BOOST_TEST(answer.code() == "timed_out");
  BOOST_TEST(answer.took.count() < within(3000).count());
}

// The sink returns only when no process of the command is left, so somebody else must end them.
BOOST_FIXTURE_TEST_CASE(a_timeout_ends_the_processes_while_the_sink_blocks, ShellTool) {
  bool gone = false;
  const Answer answer =
      tool.run(marked("echo hi; (setsid sleep 61 &); sleep 61"),
               {.deadline_ms = static_cast<std::uint64_t>(within(2000).count()), .on_event = [&](const Event& event) {
                  if (event.kind != WTOOL_EVENT_STDOUT || gone) return 0;
                  gone = wait_until([&] { return mark.bearers().empty(); }, within(30'000));
                  return 0;
                }});
  BOOST_TEST(gone, mark.description());
  BOOST_TEST(answer.code() == "timed_out");
}

// The sink returns after the deadline, and the command has ended before.
BOOST_FIXTURE_TEST_CASE(a_command_that_ended_in_time_is_not_late_because_the_sink_blocks, ShellTool) {
  const std::pair<std::string, std::string> cases[] = {{"echo hi", ""},
                                                       {"echo hi; exit 3", "exit_nonzero"},
                                                       {"echo hi; kill -SEGV $$", "killed_by_signal"},
                                                       {"echo hi; sleep 61 & exit 0", ""}};
  const std::chrono::milliseconds deadline = within(1000);
  for (const auto& [command, code] : cases) {
    const auto begun = std::chrono::steady_clock::now();
    const Answer answer =
        tool.run(marked(command),
                 {.deadline_ms = static_cast<std::uint64_t>(deadline.count()), .on_event = [&](const Event& event) {
                    if (event.kind == WTOOL_EVENT_STDOUT)
                      std::this_thread::sleep_until(begun + deadline + std::chrono::milliseconds(50));
                    return 0;
                  }});
    BOOST_TEST(answer.code() == code, command << ": " << answer.raw << answer.error);
  }
}

BOOST_FIXTURE_TEST_CASE(a_cancellation_ends_the_processes_while_the_sink_blocks, ShellTool) {
  for (const std::uint32_t how : {WTOOL_CANCEL_GRACEFUL, WTOOL_CANCEL_NOW}) {
    std::atomic<bool> inside = false;
    bool gone = false;
    RunningCall call(tool, marked("echo hi; (setsid sleep 61 &); sleep 61"), {.on_event = [&](const Event& event) {
                       if (event.kind != WTOOL_EVENT_STDOUT || inside.exchange(true)) return 0;
                       gone = wait_until([&] { return mark.bearers().empty(); }, within(30'000));
                       return 0;
                     }});
    BOOST_REQUIRE(wait_until([&] { return inside.load(); }, within(30'000)));
    call.cancel(how, "enough");
    const Answer answer = call.wait();
    BOOST_TEST(gone, mark.description());
    BOOST_TEST(answer.code() == "aborted");
    BOOST_TEST(answer.text() == "Command aborted: enough");
  }
}

BOOST_FIXTURE_TEST_CASE(many_lines_come_in_few_events_and_no_line_is_lost, ShellTool) {
  const Recorded all = record(tool, "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done");
  std::string expected;
  for (int i = 0; i < 20'000; ++i) expected += "line " + std::to_string(i) + "\n";
  BOOST_TEST((all.stream(WTOOL_EVENT_STDOUT) == expected));
  BOOST_TEST(all.events.size() < 2000U);
}

BOOST_FIXTURE_TEST_CASE(many_lines_on_both_streams_come_in_few_events_each_in_order, ShellTool) {
  const Recorded all = record(tool, "i=0; while [ $i -lt 10000 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done");
  std::string out;
  std::string err;
  for (int i = 0; i < 10'000; ++i) {
    out += "o" + std::to_string(i) + "\n";
    err += "e" + std::to_string(i) + "\n";
  }
  BOOST_TEST((all.stream(WTOOL_EVENT_STDOUT) == out));
  BOOST_TEST((all.stream(WTOOL_EVENT_STDERR) == err));
  BOOST_TEST(all.events.size() < 2000U);
}

// Only a timer can deliver the question: all output before it was just delivered, and the command writes nothing more.
BOOST_FIXTURE_TEST_CASE(a_question_without_line_end_comes_while_the_command_waits, ShellTool) {
  RunningCall call(
      tool, marked("seq 1 1000; printf 'Continue? '; while [ ! -e '" + scratch.path() + "/go' ]; do sleep 0.01; done"),
      {.deadline_ms = 30'000, .on_event = {}});
  BOOST_TEST(call.wait_for_output("Continue? "));
  scratch.file("go", "");
  BOOST_TEST(call.wait().exit_code() == 0);
}

BOOST_FIXTURE_TEST_CASE(what_was_gathered_comes_before_a_stopped_call_returns, ShellTool) {
  std::string got;
  const CallOptions options{.deadline_ms = 500, .on_event = [&](const Event& event) {
                              if (event.kind == WTOOL_EVENT_STDOUT) got += event.payload;
                              return 0;
                            }};
  const ToolUnderTest hasty(plugin, Json::parse(R"({"limits":{"grace_seconds":0.1}})"));
  const Answer answer = hasty.run(marked("trap '' TERM; while :; do echo line; done"), options);
  BOOST_TEST(answer.code() == "timed_out");
  BOOST_TEST((answer.metadata().at("stdout_bytes") == Json(got.size())));
}

BOOST_FIXTURE_TEST_CASE(what_was_gathered_comes_though_somebody_else_holds_the_pipe_open, ShellTool) {
  std::string got;
  RunningCall call(tool, marked("while :; do echo line; done"), {.on_event = [&](const Event& event) {
                     if (event.kind == WTOOL_EVENT_STDOUT) got += event.payload;
                     return 0;
                   }});
  BOOST_REQUIRE(call.wait_for_output("line"));
  const auto shell = mark.bearers();
  BOOST_REQUIRE(shell.size() == 1U);
  const int held = open(("/proc/" + std::to_string(shell.front()) + "/fd/1").c_str(), O_WRONLY | O_CLOEXEC);
  BOOST_REQUIRE(held >= 0);
  call.cancel(WTOOL_CANCEL_NOW, "test");
  const Answer answer = call.wait();
  close(held);
  BOOST_TEST((answer.metadata().at("stdout_bytes") == Json(got.size())));
}

BOOST_FIXTURE_TEST_CASE(a_receiver_can_stop_the_command_at_a_gathered_event, ShellTool) {
  const CallOptions options{.deadline_ms = 30'000, .on_event = [](const Event& event) {
                              return event.payload.find("enough") != std::string::npos ? 1 : 0;
                            }};
  const Answer answer = tool.run(marked("echo first; seq 1 100; echo enough; sleep 61"), options);
  BOOST_TEST(answer.code() == "aborted");
}

BOOST_AUTO_TEST_SUITE_END()
