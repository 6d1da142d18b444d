// A configuration that changes while a toolbox is in use: real files, a plugin of the tests' own.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "config/files.h"
#include "loader/plugin.h"
#include "loader/toolbox.h"
#include "support/program.h"
#include "support/text.h"
#include "tracing/tracing.h"

using wtool::test::holds;

namespace wtool::host {

BOOST_AUTO_TEST_SUITE(host_reload_test)

using nlohmann::json;
using Kind = ToolOutcome::Kind;

// A toolbox whose configuration comes from two files: project.yaml, and a user's wtool.yaml.
struct Running {
  explicit Running(const std::string& project) : tracing(LogFilter(LogLevel::error), LogFormat::text, STDERR_FILENO) {
    write(project);
    files = std::make_unique<ConfigFiles>(scratch.path() + "/project.yaml", scratch.path() + "/user");
    std::string error;
    plugin = Plugin::open(std::string(HOST_TEST_PLUGINS) + "/good.so", tracing, error);
    BOOST_REQUIRE_MESSAGE(plugin, error);
    toolbox = Toolbox::open(*plugin, *files, error);
    BOOST_REQUIRE_MESSAGE(toolbox, error);
  }
  void write(const std::string& text) const { scratch.file("project.yaml", text); }
  ToolOutcome call() { return toolbox->call("echo", json::object(), stop, {}); }
  // The configuration that a call was made with, with the names of its files.
  json whole_config() {
    const ToolOutcome outcome = call();
    BOOST_REQUIRE_MESSAGE(outcome.kind == Kind::finished && outcome.result["is_error"] == false,
                          outcome.error << outcome.result);
    return outcome.result["metadata"]["config"];
  }
  json config() {
    json config = whole_config();
    config.erase("in_force");
    return config;
  }
  // The answer to a call that is refused.
  std::string refused() {
    const ToolOutcome outcome = call();
    BOOST_TEST_REQUIRE((outcome.kind == Kind::finished), outcome.error);
    BOOST_TEST(outcome.result["is_error"] == true);
    const json& error = outcome.result["metadata"]["error"];
    BOOST_TEST(error["code"] == "configuration_invalid");
    BOOST_TEST(!error["hint"].get<std::string>().empty());
    BOOST_TEST(error["message"] == outcome.result["content"][0]["text"]);
    return error["message"];
  }
  test::ScratchFolder scratch;
  Tracing tracing;
  std::unique_ptr<ConfigFiles> files;
  std::unique_ptr<Plugin> plugin;
  std::unique_ptr<Toolbox> toolbox;
  Stop stop;
};

BOOST_AUTO_TEST_SUITE(reload)

BOOST_AUTO_TEST_CASE(a_change_between_two_calls_is_picked_up) {
  Running running("limits: {timeout_max: 5}\n");
  BOOST_TEST(running.config() == json::parse(R"({"limits":{"timeout_max":5}})"));
  // The file changes again immediately and keeps its length. File times are too coarse to show such a change.
  for (int i = 1; i < 10; ++i) {
    running.write("limits: {timeout_max: " + std::to_string(i) + "}\n");
    BOOST_TEST(running.config()["limits"]["timeout_max"] == i);
  }
  running.write("");
  BOOST_TEST(running.config() == json::object());
}

BOOST_AUTO_TEST_CASE(the_plugin_learns_which_files_the_configuration_is_from) {
  Running running("limits: {timeout_max: 5}\n");
  const json project{running.scratch.path() + "/project.yaml"};
  BOOST_TEST(running.whole_config()["in_force"]["configuration"] == project);
  running.scratch.file("user/wtool.yaml", "output: {bytes: 5000}\n");
  BOOST_TEST(running.whole_config()["in_force"]["configuration"].size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_layer_that_appears_or_vanishes_is_picked_up) {
  Running running("limits: {timeout_max: 5}\n");
  running.scratch.file("user/wtool.yaml", "output: {bytes: 5000}\n");
  BOOST_TEST(running.config() == json::parse(R"({"limits":{"timeout_max":5},"output":{"bytes":5000}})"));
  std::filesystem::remove(running.scratch.path() + "/user/wtool.yaml");
  BOOST_TEST(running.config() == json::parse(R"({"limits":{"timeout_max":5}})"));
}

// A command in the sandbox could otherwise widen it by making a file that did not exist.
BOOST_AUTO_TEST_CASE(with_a_sandbox_a_layer_that_appears_is_not_used) {
  for (const char* made : {"sandbox: {read: [/]}\n", "this: is: not YAML\n"}) {
    Running running("sandbox: {read: [/usr]}\n");
    const json before = running.config();
    running.scratch.file("user/wtool.yaml", made);
    BOOST_TEST(running.config() == before);
    std::filesystem::remove(running.scratch.path() + "/user/wtool.yaml");
    std::filesystem::create_symlink("/none", running.scratch.path() + "/user/wtool.yaml");
    BOOST_TEST(running.config() == before);
    // What existed at the start is still read again.
    running.write("sandbox: {read: [/usr, /etc]}\n");
    BOOST_TEST(running.config() != before);
  }
}

BOOST_AUTO_TEST_CASE(a_layer_that_has_brought_the_sandbox_is_read_again) {
  Running running("limits: {timeout_max: 5}\n");
  running.config();
  running.scratch.file("user/wtool.yaml", "sandbox: {read: [/usr]}\n");
  BOOST_TEST(running.config().contains("sandbox"));
  running.scratch.file("user/wtool.yaml", "sandbox: {read: [/usr]}\ncommands: {deny: [rm]}\n");
  for (int i = 0; i < 2; ++i) {
    const json config = running.config();
    BOOST_TEST(config.contains("sandbox"));
    BOOST_TEST(config.contains("commands"));
  }
}

BOOST_AUTO_TEST_CASE(with_a_sandbox_a_layer_that_vanishes_does_not_come_back) {
  Running running("sandbox: {read: [/usr]}\n");
  running.scratch.file("user/wtool.yaml", "");
  const json before = running.config();
  std::filesystem::remove(running.scratch.path() + "/user/wtool.yaml");
  BOOST_TEST(running.config() == before);
  running.scratch.file("user/wtool.yaml", "sandbox: {read: [/]}\n");
  BOOST_TEST(running.config() == before);
}

BOOST_AUTO_TEST_CASE(a_broken_file_refuses_calls_until_it_is_fixed) {
  Running running("limits: {timeout_max: 5}\n");
  running.write("limits: {timeout_max: 5\n");
  BOOST_TEST(holds(running.refused(), "project.yaml:"));
  BOOST_TEST(holds(running.refused(), "this is not YAML"));
  running.write("limits: {timeout_maxx: 5}\n");
  BOOST_TEST(holds(running.refused(), "did you mean 'limits.timeout_max'?"));
  running.write("limits: {timeout_max: 5}\n");
  BOOST_TEST(running.config()["limits"]["timeout_max"] == 5);
}

BOOST_AUTO_TEST_CASE(a_file_that_was_named_and_vanishes_refuses_calls) {
  Running running("limits: {timeout_max: 5}\n");
  std::filesystem::remove(running.scratch.path() + "/project.yaml");
  BOOST_TEST(holds(running.refused(), "project.yaml: No such file or directory"));
  running.write("limits: {timeout_max: 6}\n");
  BOOST_TEST(running.config()["limits"]["timeout_max"] == 6);
}

BOOST_AUTO_TEST_CASE(what_loosens_a_lock_refuses_calls) {
  Running running("limits: {timeout_max: 5}\n");
  running.scratch.file("user/wtool.yaml", "limits: {timeout_max: 4}\nlock: [limits]\n");
  BOOST_TEST(holds(running.refused(), "limits.timeout_max is locked by "));
}

BOOST_AUTO_TEST_CASE(what_the_plugin_refuses_refuses_calls) {
  // The plugin of the test accepts no more than 1000 bytes.
  Running running("");
  running.write("environment: {set: {LONG: " + std::string(1000, 'x') + "}}\n");
  for (int i = 0; i < 3; ++i) BOOST_TEST(holds(running.refused(), "the configuration is too long for this test"));
  running.write("limits: {timeout_max: 7}\n");
  BOOST_TEST(running.config()["limits"]["timeout_max"] == 7);
}

BOOST_AUTO_TEST_CASE(a_broken_file_at_the_start_makes_no_toolbox) {
  const test::ScratchFolder scratch;
  ConfigFiles files(scratch.file("a.yaml", "x: 1\n"), "");
  Tracing tracing(LogFilter(LogLevel::error), LogFormat::text, STDERR_FILENO);
  std::string error;
  const auto plugin = Plugin::open(std::string(HOST_TEST_PLUGINS) + "/good.so", tracing, error);
  BOOST_TEST(!Toolbox::open(*plugin, files, error));
  BOOST_TEST(holds(error, "unknown key x"));
}

// A call of "wait" on its own thread. The constructor returns once the call waits.
struct Waiting {
  explicit Waiting(Running& running) {
    thread = std::thread([&] {
      outcome = running.toolbox->call("wait", json::object(), stop, [this](OutputStream, std::string_view) {
        const std::lock_guard lock(mutex);
        begun = true;
        changed.notify_all();
      });
    });
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return begun; });
  }
  void end() {
    stop.request(StopHow::graceful, "enough");
    thread.join();
  }
  Stop stop;
  ToolOutcome outcome;
  std::mutex mutex;
  std::condition_variable changed;
  bool begun = false;
  std::thread thread;
};

BOOST_AUTO_TEST_CASE(a_call_after_a_change_has_the_new_configuration_once_the_others_are_over) {
  Running running("limits: {timeout_max: 5}\n");
  Waiting waiting(running);
  // Without a change, the calls run at the same time.
  BOOST_TEST(running.config()["limits"]["timeout_max"] == 5);
  running.write("limits: {timeout_max: 6}\n");
  json config;
  std::thread later([&] { config = running.config(); });
  waiting.end();
  later.join();
  BOOST_TEST(config["limits"]["timeout_max"] == 6);
  BOOST_TEST((waiting.outcome.kind == Kind::cancelled));
}

BOOST_AUTO_TEST_CASE(a_call_that_waits_for_others_can_be_stopped) {
  Running running("limits: {timeout_max: 5}\n");
  Waiting waiting(running);
  running.write("limits: {timeout_max: 6}\n");
  ToolOutcome outcome;
  std::thread later([&] { outcome = running.call(); });
  running.stop.request(StopHow::graceful, "never mind");
  later.join();
  BOOST_TEST((outcome.kind == Kind::not_made));
  BOOST_TEST(holds(outcome.error, "the configuration has changed"));
  waiting.end();
}

BOOST_AUTO_TEST_CASE(a_broken_file_refuses_calls_while_others_run_and_leaves_those_alone) {
  Running running("limits: {timeout_max: 5}\n");
  Waiting waiting(running);
  running.write("limits: [\n");
  running.refused();
  running.write("limits: {timeout_max: 5}\n");
  BOOST_TEST(running.config()["limits"]["timeout_max"] == 5);
  waiting.end();
  BOOST_TEST((waiting.outcome.kind == Kind::cancelled));
}

BOOST_AUTO_TEST_CASE(many_calls_while_the_file_changes_each_have_a_whole_configuration) {
  Running running("limits: {timeout_max: 1, timeout_default: 1}\n");
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  std::atomic<int> odd{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (!done) {
        Stop stop;
        const ToolOutcome outcome = running.toolbox->call("echo", json::object(), stop, {});
        const json& metadata = outcome.result["metadata"];
        if (!metadata.contains("config")) {
          // The file was read while it was being written.
          if (metadata["error"]["code"] != "configuration_invalid") ++odd;
        } else if (metadata["config"].contains("limits") &&
                   metadata["config"]["limits"]["timeout_max"] != metadata["config"]["limits"]["timeout_default"]) {
          ++odd;
        }
      }
    });
  }
  for (int i = 2; i < 50; ++i) {
    const std::string number = std::to_string(i);
    running.write("limits: {timeout_max: " + number + ", timeout_default: " + number + "}\n");
    running.config();
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(odd == 0);
  BOOST_TEST(running.config()["limits"]["timeout_max"] == 49);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(explaining)

BOOST_AUTO_TEST_CASE(a_tool_explains_itself_or_it_is_said_that_it_does_not) {
  Running running("");
  std::string error;
  const auto explain = [&](std::string_view tool, std::string_view arguments) {
    error.clear();
    const auto explained = running.toolbox->explain(tool, arguments, running.stop, error);
    return explained ? explained->json() : "";
  };
  BOOST_TEST(json::parse(explain("echo", R"({"a":"deny"})")) ==
             json::parse(R"({"verdict":"deny","reason":"because","arguments":{"a":"deny"}})"));
  BOOST_TEST(explain("wait", "{}") == "");
  BOOST_TEST(error == "the tool wait cannot explain what a call would do: it has no extension wtool.explain/1");
  BOOST_TEST(explain("ehco", "{}") == "");
  BOOST_TEST(holds(error, "did you mean 'echo'?"));
  BOOST_TEST(explain("echo", "{}") == "");
  BOOST_TEST(holds(error, "this is a defect of the plugin"));
  BOOST_TEST(explain("echo", "fail") == "");
  BOOST_TEST(error ==
             "the call of echo could not be explained: this test does not explain (an internal error of the plugin)");
  running.write("x: 1\n");
  BOOST_TEST(explain("echo", "\"allow\"") == "");
  BOOST_TEST(holds(error, "unknown key x"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host
