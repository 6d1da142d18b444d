// The plugin's messages through wtool.log/1: a span for each call, a record when a command starts, and never the value
// of an environment variable.
#include <wtool/ext/log.h>

#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <wtool/cpp/plugin.hpp>

#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(log_test)

using namespace wtool::test;

namespace {

struct Record {
  std::uint32_t level;
  std::uint64_t unix_ns;
  std::string target;
  std::string message;
  std::map<std::string, Json> fields;
  std::uint64_t span;
};

struct Span {
  std::uint64_t parent;
  std::string name;
  std::map<std::string, Json> fields;
  bool open;
};

std::map<std::string, Json> fields_of(const wtool_field* fields, std::uint32_t count) {
  std::map<std::string, Json> all;
  for (std::uint32_t i = 0; i < count; ++i) {
    all[std::string(wtool::text(fields[i].key))] = Json::parse(wtool::text(fields[i].json));
  }
  return all;
}

// A host that keeps all log records.
class LoggingHost {
 public:
  LoggingHost() {
    host_.struct_size = sizeof(host_);
    host_.ctx = this;
    host_.name = wtool::view("test");
    host_.version = wtool::view("1");
    host_.get_extension = [](const wtool_host* host, const char* id) noexcept -> const void* {
      return std::strcmp(id, WTOOL_EXT_LOG) == 0 ? &self(host).log_ : nullptr;
    };
    log_.struct_size = sizeof(log_);
    log_.enabled = [](const wtool_host* host, std::uint32_t level, wtool_view) noexcept -> std::int32_t {
      return level >= self(host).lowest;
    };
    log_.emit = [](const wtool_host* host, const wtool_log_record* record) noexcept {
      const std::lock_guard lock(self(host).mutex);
      self(host).records.push_back({record->level, record->unix_ns, std::string(wtool::text(record->target)),
                                    std::string(wtool::text(record->message)),
                                    fields_of(record->fields, record->n_fields), record->span});
    };
    log_.span_open = [](const wtool_host* host, std::uint64_t parent, wtool_view name, const wtool_field* fields,
                        std::uint32_t count) noexcept -> std::uint64_t {
      const std::lock_guard lock(self(host).mutex);
      self(host).spans.push_back({parent, std::string(wtool::text(name)), fields_of(fields, count), true});
      return self(host).spans.size();
    };
    log_.span_close = [](const wtool_host* host, std::uint64_t span) noexcept {
      const std::lock_guard lock(self(host).mutex);
      if (span != 0) self(host).spans.at(span - 1).open = false;
    };
  }
  const wtool_host* get() const { return &host_; }
  // All records, as one text.
  std::string everything() const {
    std::string all;
    for (const auto& record : records) {
      all += record.message + "\n";
      for (const auto& [key, value] : record.fields) all += key + "=" + value.dump() + "\n";
    }
    for (const auto& span : spans) {
      for (const auto& [key, value] : span.fields) all += key + "=" + value.dump() + "\n";
    }
    return all;
  }

  std::atomic<std::uint32_t> lowest{WTOOL_LOG_TRACE};
  std::mutex mutex;
  std::vector<Record> records;
  std::vector<Span> spans;

 private:
  static LoggingHost& self(const wtool_host* host) { return *static_cast<LoggingHost*>(host->ctx); }
  wtool_host host_{};
  wtool_host_log log_{};
};

struct Logged {
  LoggingHost host;
  Plugin plugin{host.get()};
  ToolUnderTest tool{plugin};
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(each_call_is_a_span_that_is_closed_again, Logged) {
  tool.run({{"command", "echo hi"}, {"working_directory", "/"}}, {.call_id = "call-7", .parent_span = 42});
  BOOST_REQUIRE(host.spans.size() == 1u);
  const Span& span = host.spans.front();
  BOOST_TEST(span.parent == 42u);
  BOOST_TEST(!span.open);
  BOOST_TEST((span.fields.at("tool") == Json("shell_execute")));
  BOOST_TEST((span.fields.at("call_id") == Json("call-7")));
  BOOST_TEST((span.fields.at("directory") == Json("/")));
  BOOST_TEST(span.fields.count("program") == 1u);
}

namespace {

constexpr const char* callers_trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_command_belongs_to_the_trace_of_its_caller_with_the_call_as_its_parent, Logged) {
  const std::string got = tool.shell("echo $TRACEPARENT", {.traceparent = callers_trace}).out();
  BOOST_TEST(got.starts_with("00-0af7651916cd43dd8448eb211c80319c-"), got);
  BOOST_TEST(got.find("b7ad6b7169203331") == std::string::npos, got);
  BOOST_REQUIRE(host.spans.size() == 1u);
  BOOST_TEST((host.spans.front().fields.at("traceparent").get<std::string>() + "\n" == got));
}

BOOST_FIXTURE_TEST_CASE(a_variable_of_the_caller_wins_over_its_trace_and_a_denied_one_is_not_set, Logged) {
  const Json own{{"command", "echo $TRACEPARENT"}, {"environment", {{"TRACEPARENT", "mine"}}}};
  BOOST_TEST(tool.run(own, {.traceparent = callers_trace}).out() == "mine\n");
  const ToolUnderTest denying(plugin, {{"environment", {{"deny", {"TRACE*"}}}}});
  BOOST_TEST(denying.shell("echo .$TRACEPARENT", {.traceparent = callers_trace}).out() == ".\n");
}

BOOST_FIXTURE_TEST_CASE(what_is_not_a_trace_is_ignored_and_logged, Logged) {
  host.records.clear();
  BOOST_TEST(tool.shell("echo .$TRACEPARENT", {.traceparent = "00-1-2-3"}).out() == ".\n");
  const auto told = std::find_if(host.records.begin(), host.records.end(), [](const Record& record) {
    return record.message.find("an invalid traceparent") != std::string::npos;
  });
  BOOST_REQUIRE((told != host.records.end()));
  BOOST_TEST(told->level == WTOOL_LOG_WARN);
  BOOST_TEST((told->fields.at("traceparent") == Json("00-1-2-3")));
}

BOOST_FIXTURE_TEST_CASE(the_audit_trail_has_the_trace_of_a_call_in_each_of_its_lines, Logged) {
  const ScratchFolder folder;
  const ToolUnderTest audited(plugin, {{"audit", {{"file", folder.path() + "/trail"}}}});
  const std::string got = audited.shell("echo $TRACEPARENT", {.traceparent = callers_trace}).out();
  const std::string lines = tool.run({{"command", "cat trail"}, {"working_directory", folder.path()}}).out();
  const std::string written = R"("traceparent":")" + got.substr(0, got.size() - 1) + '"';
  BOOST_TEST(lines.find(written) != std::string::npos, lines);
  BOOST_TEST(lines.find(written) != lines.rfind(written), lines);
}

BOOST_FIXTURE_TEST_CASE(the_audit_trail_has_the_trace_of_a_call_that_opens_a_session_and_of_a_refused_one, Logged) {
  const ScratchFolder folder;
  const ToolUnderTest opening(plugin, {{"audit", {{"file", folder.path() + "/trail"}}}}, "terminal_create_session");
  const Json arguments{{"taskId", "t"}, {"agentId", "a"}, {"workingDirectory", folder.path()}};
  opening.run(arguments, {.traceparent = callers_trace});
  opening.run({{"taskId", "t"}, {"wrong", 1}}, {.traceparent = callers_trace});
  const std::string lines = tool.run({{"command", "cat trail"}, {"working_directory", folder.path()}}).out();
  const std::string trace = R"("traceparent":"00-0af7651916cd43dd8448eb211c80319c-)";
  for (const std::string event : {R"("event":"open")", R"("event":"refusal")"}) {
    const std::size_t at = lines.find(event);
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, lines);
    BOOST_TEST((lines.find(trace, at) < lines.find('\n', at)), lines);
  }
}

BOOST_FIXTURE_TEST_CASE(every_command_is_logged_at_info_when_it_starts_with_its_time, Logged) {
  const auto now = [] {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count());
  };
  for (const char* command : {"echo hi", "true", "no-such-program-x", "exit 3"}) {
    host.records.clear();
    const std::uint64_t before = now();
    tool.shell(command);
    const std::uint64_t after = now();
    int told = 0;
    for (const auto& record : host.records) {
      const auto field = record.fields.find("command");
      if (record.level != WTOOL_LOG_INFO || field == record.fields.end() || field->second != Json(command)) continue;
      ++told;
      BOOST_TEST(record.span != 0u);
      BOOST_TEST(record.unix_ns >= before);
      BOOST_TEST(record.unix_ns <= after);
      BOOST_TEST(!record.target.empty());
    }
    BOOST_TEST(told == 1, command);
  }
}

// The lines that docs/guide/operations.md tells people to watch for.
BOOST_FIXTURE_TEST_CASE(the_end_of_each_command_is_logged_at_the_level_that_the_guide_says, Logged) {
  const auto is_told = [&](std::uint32_t level, const std::string& message) {
    const bool told = std::any_of(host.records.begin(), host.records.end(), [&](const Record& record) {
      return record.level == level && record.message.starts_with(message);
    });
    BOOST_TEST(told, message << " is not in:\n" << host.everything());
  };
  const auto is_logged = [&](const ToolUnderTest& used, const Json& arguments, const CallOptions& options,
                             std::uint32_t level, const std::string& message) {
    host.records.clear();
    used.run(arguments, options);
    is_told(level, message);
  };
  const ScratchFolder scratch;
  const auto shell = [&](const std::string& command) {
    return Json{{"command", command}, {"working_directory", scratch.path()}};
  };
  const ToolUnderTest limited(plugin, {{"limits", {{"file_bytes", 100'000}}}});
  const ToolUnderTest guarded(plugin, {{"commands", {{"deny", {"sleep"}}}}});
  is_logged(tool, shell("true"), {}, WTOOL_LOG_INFO, "command starts");
  is_logged(tool, shell("exit 3"), {}, WTOOL_LOG_INFO, "command exited with 3");
  is_logged(tool, shell("kill -9 $$"), {}, WTOOL_LOG_WARN, "command was killed by SIGKILL");
  is_logged(tool, shell("sleep 61"), {.deadline_ms = 50}, WTOOL_LOG_WARN, "command timed out");
  is_logged(limited, shell("exec head -c 200000 /dev/zero > large"), {}, WTOOL_LOG_WARN,
            "command passed limits.file_bytes");
  is_logged(tool, shell("kill -9 $PPID; sleep 61"), {}, WTOOL_LOG_ERROR, "command was lost: ");
  is_logged(guarded, shell("sleep 61"), {}, WTOOL_LOG_WARN, "Command refused: ");
  {
    RunningCall call(tool, shell("echo ready; sleep 61"));
    BOOST_TEST(call.wait_for_output("ready"));
    call.cancel(WTOOL_CANCEL_NOW, "enough");
  }
  is_told(WTOOL_LOG_INFO, "command aborted");
}

BOOST_FIXTURE_TEST_CASE(records_are_sent_while_the_command_runs, Logged) {
  bool told = false;
  tool.shell("echo hi", {.on_event = [&](const Event&) {
               const std::lock_guard lock(host.mutex);
               told = !host.records.empty();
               return 0;
             }});
  BOOST_TEST(told);
}

BOOST_FIXTURE_TEST_CASE(values_of_environment_variables_are_never_logged, Logged) {
  setenv("WTOOL_TEST_INHERITED", "first-secret", 1);
  for (const char* command : {"true", "echo \"$TOKEN\" >/dev/null", "no-such-program-x", "printenv TOKEN"}) {
    tool.run({{"command", command}, {"environment", {{"TOKEN", "second-secret"}}}});
  }
  tool.run({{"command", "true"}, {"environment", {{"TOKEN", "third-secret\n"}, {"1WRONG", "fourth-secret"}}}});
  tool.run({{"command", "true"}, {"environment", "TOKEN=fifth"}});
  unsetenv("WTOOL_TEST_INHERITED");
  const std::string all = host.everything();
  BOOST_TEST(all.find("-secret") == std::string::npos, all);
  BOOST_TEST(!all.empty());
}

BOOST_FIXTURE_TEST_CASE(levels_that_the_host_does_not_want_are_not_sent, Logged) {
  host.lowest = WTOOL_LOG_ERROR;
  tool.shell("echo hi");
  tool.shell("exit 3");
  for (const auto& record : host.records) BOOST_TEST(record.level == WTOOL_LOG_ERROR);
}

BOOST_FIXTURE_TEST_CASE(spans_of_calls_that_are_refused_cancelled_or_timed_out_are_closed_too, Logged) {
  tool.run({{"command", ""}});
  tool.shell("sleep 61", {.deadline_ms = 50});
  tool.run({{"command", "true"}, {"working_directory", "/no/such/folder"}});
  {
    RunningCall call(tool, Json{{"command", "echo ready; sleep 61"}});
    call.wait_for_output("ready");
    call.cancel(WTOOL_CANCEL_NOW, "enough");
  }
  for (const auto& span : host.spans) BOOST_TEST(!span.open);
}

BOOST_FIXTURE_TEST_CASE(concurrent_calls_are_distinguished_by_their_spans, Logged) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back(
        [this, t] { tool.shell("exit " + std::to_string(t), {.call_id = "call-" + std::to_string(t)}); });
  }
  for (auto& thread : threads) thread.join();
  for (int t = 0; t < 8; ++t) {
    int told = 0;
    for (const auto& record : host.records) {
      const auto field = record.fields.find("command");
      if (field == record.fields.end() || field->second != Json("exit " + std::to_string(t))) continue;
      ++told;
      BOOST_TEST((host.spans.at(record.span - 1).fields.at("call_id") == Json("call-" + std::to_string(t))));
    }
    BOOST_TEST(told >= 1);
  }
}

BOOST_FIXTURE_TEST_CASE(records_of_a_sessions_commands_name_session_task_and_agent, Logged) {
  const ScratchFolder scratch;
  const Json config{{"sessions", {{"tools_allow", scratch.file("tools-allow.json", R"(["echo"])")}}}};
  const auto call = [&](const std::string& name, const Json& arguments) {
    return ToolUnderTest(plugin, config, "terminal_" + name).run(arguments).metadata();
  };
  const std::string folder = scratch.path() + "/work";
  std::filesystem::create_directory(folder);
  const std::string id =
      call("create_session", {{"taskId", "TASK-001"}, {"agentId", "agent-1"}, {"workingDirectory", folder}})
          .at("sessionId");
  host.records.clear();
  const auto execute = [&](const char* program) {
    return call("execute_command", {{"sessionId", id}, {"command", program}}).at("success").get<bool>();
  };
  BOOST_TEST(execute("echo"));
  BOOST_TEST(!execute("rm"));
  std::filesystem::remove(folder);
  BOOST_TEST(!execute("echo"));
  const std::map<std::string, Json> labels{{"session", id}, {"task", "TASK-001"}, {"agent", "agent-1"}};
  for (const auto& record : host.records) {
    std::map<std::string, Json> told = record.fields;
    if (record.span != 0) told.merge(std::map<std::string, Json>(host.spans.at(record.span - 1).fields));
    BOOST_TEST_CONTEXT(record.message) {
      for (const auto& [key, value] : labels) BOOST_TEST((told.count(key) == 1 && told[key] == value), key);
    }
  }
  // The first command has at least a start and an end, and each of the other two has a refusal.
  BOOST_TEST(host.records.size() >= 4U);
}

BOOST_AUTO_TEST_CASE(a_host_that_fills_in_only_some_functions_is_served) {
  static wtool_host_log partial{};
  partial.struct_size = sizeof(partial);
  partial.emit = [](const wtool_host*, const wtool_log_record*) noexcept {};
  wtool_host host{};
  host.struct_size = sizeof(host);
  host.get_extension = [](const wtool_host*, const char* id) noexcept -> const void* {
    return std::strcmp(id, WTOOL_EXT_LOG) == 0 ? &partial : nullptr;
  };
  for (const std::uint32_t size :
       {std::uint32_t{8}, std::uint32_t{16}, std::uint32_t{24}, static_cast<std::uint32_t>(sizeof(partial))}) {
    partial.struct_size = size;
    Plugin plugin(&host);
    const ToolUnderTest tool(plugin);
    BOOST_TEST(tool.shell("echo hi").out() == "hi\n");
  }
}

BOOST_AUTO_TEST_SUITE_END()
