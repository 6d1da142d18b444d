// Cancelling a call: before, during and after it; gracefully and now; from any thread and from the sink.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <thread>
#include <wtool/cpp/host.hpp>

#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(cancel_test)

using namespace wtool::test;

namespace {

const char* const deaf = "trap '' TERM; echo ready; while :; do sleep 0.05; done";
const char* const polite = "trap 'echo goodbye; exit 0' TERM; echo ready; while :; do sleep 0.05; done";

void check_aborted(const Answer& answer, const std::string& reason) {
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.status == WTOOL_E_CANCELLED);
    BOOST_REQUIRE(answer.result.is_object());
    BOOST_TEST(answer.is_error());
    BOOST_TEST(answer.text() == "Command aborted: " + reason);
    BOOST_TEST(answer.code() == "aborted");
    for (const char* key : {"command", "partial_stdout", "partial_stderr", "working_directory"}) {
      BOOST_TEST(answer.metadata().at(key).is_string());
    }
  }
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(cancelled_before_it_runs_a_call_starts_nothing, ShellTool) {
  const std::string trace = scratch.path() + "/ran";
  const std::string arguments = Json{{"command", "touch " + trace}}.dump();
  for (const std::uint32_t how : {WTOOL_CANCEL_GRACEFUL, WTOOL_CANCEL_NOW}) {
    wtool::Call call(tool.get(), wtool::make_request(arguments));
    BOOST_REQUIRE(call.status() == WTOOL_OK);
    call.cancel(how, "too late");
    BOOST_TEST(call.run() == WTOOL_E_CANCELLED);
    const Json result = Json::parse(call.result());
    BOOST_TEST(result.at("content").at(0).at("text").get<std::string>() == "Command aborted: too late");
    BOOST_TEST(result.at("metadata").at("error").at("code").get<std::string>() == "aborted");
    BOOST_TEST(!std::filesystem::exists(trace));
  }
}

BOOST_FIXTURE_TEST_CASE(cancelling_gracefully_lets_the_command_say_goodbye, ShellTool) {
  RunningCall call(tool, marked(polite));
  BOOST_REQUIRE(call.wait_for_output("ready"));
  call.cancel(WTOOL_CANCEL_GRACEFUL, "enough");
  const Answer answer = call.wait();
  check_aborted(answer, "enough");
  BOOST_TEST(answer.metadata().at("partial_stdout").get<std::string>() == "ready\ngoodbye\n");
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_deaf_command_is_killed_after_the_grace_period, ShellTool) {
  const ToolUnderTest patient(plugin, Json::parse(R"({"limits":{"grace_seconds":1}})"));
  RunningCall call(patient, marked(deaf));
  BOOST_REQUIRE(call.wait_for_output("ready"));
  const auto began = std::chrono::steady_clock::now();
  call.cancel(WTOOL_CANCEL_GRACEFUL, "enough");
  check_aborted(call.wait(), "enough");
  BOOST_TEST((std::chrono::steady_clock::now() - began >= std::chrono::seconds(1)));
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(cancelling_now_does_not_wait_for_the_grace_period, ShellTool) {
  const ToolUnderTest patient(plugin, Json::parse(R"({"limits":{"grace_seconds":60}})"));
  RunningCall call(patient, marked(deaf));
  BOOST_REQUIRE(call.wait_for_output("ready"));
  const auto began = std::chrono::steady_clock::now();
  call.cancel(WTOOL_CANCEL_NOW, "at once");
  check_aborted(call.wait(), "at once");
  BOOST_TEST((std::chrono::steady_clock::now() - began < within(1000)));
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(now_overrides_graceful_and_the_first_reason_is_kept, ShellTool) {
  const ToolUnderTest patient(plugin, Json::parse(R"({"limits":{"grace_seconds":60}})"));
  RunningCall call(patient, marked(deaf));
  BOOST_REQUIRE(call.wait_for_output("ready"));
  call.cancel(WTOOL_CANCEL_GRACEFUL, "first");
  call.cancel(WTOOL_CANCEL_GRACEFUL, "second");
  const auto began = std::chrono::steady_clock::now();
  call.cancel(WTOOL_CANCEL_NOW, "third");
  call.cancel(WTOOL_CANCEL_GRACEFUL, "fourth");
  check_aborted(call.wait(), "first");
  BOOST_TEST((std::chrono::steady_clock::now() - began < within(2000)));
}

BOOST_FIXTURE_TEST_CASE(a_strength_that_does_not_exist_is_taken_as_now, ShellTool) {
  const ToolUnderTest patient(plugin, Json::parse(R"({"limits":{"grace_seconds":60}})"));
  for (const std::uint32_t how : {0u, 3u, 0xffffffffu}) {
    RunningCall call(patient, marked(deaf));
    BOOST_REQUIRE(call.wait_for_output("ready"));
    const auto began = std::chrono::steady_clock::now();
    call.cancel(how, "odd");
    check_aborted(call.wait(), "odd");
    BOOST_TEST((std::chrono::steady_clock::now() - began < within(2000)));
  }
}

BOOST_FIXTURE_TEST_CASE(cancelling_after_the_end_changes_nothing, ShellTool) {
  RunningCall call(tool, marked("echo hi"));
  const Answer answer = call.wait();
  call.cancel(WTOOL_CANCEL_GRACEFUL, "late");
  call.cancel(WTOOL_CANCEL_NOW, "later");
  BOOST_TEST(answer.status == WTOOL_OK);
  BOOST_TEST(answer.out() == "hi\n");
  BOOST_TEST(tool.shell("echo next").out() == "next\n");
}

BOOST_FIXTURE_TEST_CASE(a_reason_may_be_any_bytes, ShellTool) {
  for (const std::string& reason :
       {std::string(), std::string("a\xff\0b", 4), std::string("\"}\n"), std::string(100'000, 'r')}) {
    RunningCall call(tool, marked("echo ready; sleep 61"));
    BOOST_REQUIRE(call.wait_for_output("ready"));
    call.cancel(WTOOL_CANCEL_NOW, reason);
    const Answer answer = call.wait();  // Throws if the result is not valid JSON in valid UTF-8.
    BOOST_TEST(answer.status == WTOOL_E_CANCELLED);
    BOOST_TEST(answer.text().rfind("Command aborted", 0) == 0u);
  }
  RunningCall call(tool, marked("sleep 61"));
  call.tool().call_cancel(call.raw(), WTOOL_CANCEL_NOW, {nullptr, 0});
  BOOST_TEST(call.wait().status == WTOOL_E_CANCELLED);
}

BOOST_FIXTURE_TEST_CASE(a_sink_that_returns_non_zero_stops_the_call, ShellTool) {
  const Answer answer =
      tool.run(marked(polite), {.on_event = [](const Event& event) {
                 return event.kind == WTOOL_EVENT_STDOUT && event.payload.find("ready") != std::string::npos ? 1 : 0;
               }});
  BOOST_TEST(answer.status == WTOOL_E_CANCELLED);
  BOOST_TEST(answer.code() == "aborted");
  BOOST_TEST(answer.metadata().at("partial_stdout").get<std::string>() == "ready\ngoodbye\n");
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_sink_that_always_returns_non_zero_stops_the_call_at_once, ShellTool) {
  const Answer answer = tool.run(marked("echo ready; sleep 61"), {.on_event = [](const Event&) { return -1; }});
  BOOST_TEST(answer.status == WTOOL_E_CANCELLED);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_sink_may_cancel_its_own_call, ShellTool) {
  RunningCall* self = nullptr;
  std::mutex ready;
  ready.lock();
  RunningCall call(tool, marked("echo ready; sleep 61"), {.on_event = [&](const Event& event) {
                     if (event.kind == WTOOL_EVENT_STDOUT) {
                       const std::lock_guard wait_for_self(ready);
                       self->cancel(WTOOL_CANCEL_NOW, "from the sink");
                     }
                     return 0;
                   }});
  self = &call;
  ready.unlock();
  check_aborted(call.wait(), "from the sink");
}

BOOST_FIXTURE_TEST_CASE(many_threads_may_cancel_at_once, ShellTool) {
  for (int i = 0; i < repeats(20); ++i) {
    RunningCall call(tool, marked("echo ready; sleep 61"));
    BOOST_REQUIRE(call.wait_for_output("ready"));
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        call.cancel(t % 2 == 0 ? WTOOL_CANCEL_GRACEFUL : WTOOL_CANCEL_NOW, "thread " + std::to_string(t));
      });
    }
    for (auto& thread : threads) thread.join();
    const Answer answer = call.wait();
    BOOST_TEST(answer.status == WTOOL_E_CANCELLED);
    BOOST_TEST(answer.text().rfind("Command aborted: thread ", 0) == 0u);
  }
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_cancel_that_races_with_the_end_gives_one_result_or_the_other, ShellTool) {
  int finished = 0;
  int aborted = 0;
  for (int i = 0; i < repeats(100); ++i) {
    RunningCall call(tool, marked("echo hi; sleep 0.00" + std::to_string(i % 10)));
    if (i % 3 != 0) call.wait_for_output("hi");
    call.cancel(i % 2 == 0 ? WTOOL_CANCEL_GRACEFUL : WTOOL_CANCEL_NOW, "race");
    const Answer answer = call.wait();
    if (answer.status == WTOOL_OK) {
      ++finished;
      BOOST_TEST(answer.out() == "hi\n");
      BOOST_TEST(answer.exit_code() == 0);
    } else {
      ++aborted;
      check_aborted(answer, "race");
    }
  }
  BOOST_TEST(mark.bearers().empty(), mark.description());
  BOOST_TEST_MESSAGE(finished << " finished, " << aborted << " aborted");
}

BOOST_FIXTURE_TEST_CASE(a_cancelled_call_leaves_nothing_whatever_it_started, ShellTool) {
  RunningCall call(tool, marked("setsid sh -c 'sleep 61' & (setsid sleep 61 &); echo ready; sleep 61"));
  BOOST_REQUIRE(call.wait_for_output("ready"));
  call.cancel(WTOOL_CANCEL_GRACEFUL, "enough");
  check_aborted(call.wait(), "enough");
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_SUITE_END()
