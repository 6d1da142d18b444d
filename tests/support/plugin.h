// The plugin as a host uses it: opened with dlopen, and used only through the C interface.
//
// - Plugin opens the library and calls init; its destructor calls deinit and dlclose.
// - ToolUnderTest is one tool with one configuration; run() makes a call on the calling thread.
// - RunningCall makes a call on another thread, so that a test can watch and cancel it.
//
// Failures here throw std::runtime_error, because the test cannot continue.
#pragma once

#include <wtool/tool.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace wtool::test {

using Json = nlohmann::json;

class Plugin {
 public:
  // `host` must outlive this object. NULL means a host without extensions.
  explicit Plugin(const wtool_host* host = nullptr);
  ~Plugin();
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  const wtool_entry& entry() const { return *entry_; }

 private:
  wtool_host plain_host_{};
  void* library_ = nullptr;
  const wtool_entry* entry_ = nullptr;
};

// An event of a call, copied.
struct Event {
  std::uint32_t kind = 0;
  std::uint64_t seq = 0;
  std::uint64_t mono_ns = 0;
  std::string payload;
};

// What a call gave back.
struct Answer {
  wtool_status status = WTOOL_OK;
  std::string raw;    // the result's bytes as they came; empty where there was none
  Json result;        // the same parsed; null where there was none
  std::string error;  // of call_new or call_run
  std::chrono::milliseconds took{};

  const Json& metadata() const { return result.at("metadata"); }
  bool is_error() const { return result.at("is_error").get<bool>(); }
  std::string text() const { return result.at("content").at(0).at("text").get<std::string>(); }
  std::string out() const { return metadata().at("stdout").get<std::string>(); }
  std::string err() const { return metadata().at("stderr").get<std::string>(); }
  int exit_code() const { return metadata().at("exit_code").get<int>(); }
  // The code of metadata.error; empty without an error.
  std::string code() const;
};

// What a call gets besides its arguments. Zero and empty mean: not given.
struct CallOptions {
  std::uint64_t deadline_ms = 0;
  std::string call_id{};
  std::uint64_t parent_span = 0;
  std::string traceparent{};
  std::string limits{};
  // Called on the thread inside call_run. A result other than 0 asks the call to stop.
  std::function<int(const Event&)> on_event{};
};

class ToolUnderTest {
 public:
  explicit ToolUnderTest(Plugin& plugin, const Json& config = Json::object(), std::string_view id = "shell_execute");
  ~ToolUnderTest();
  ToolUnderTest(const ToolUnderTest&) = delete;
  ToolUnderTest& operator=(const ToolUnderTest&) = delete;

  const wtool_tool& get() const { return *tool_; }

  // May be called on any thread.
  Answer run(const Json& arguments, const CallOptions& options = {}) const;
  // The same with any bytes as the arguments, JSON or not.
  Answer run_text(std::string_view arguments, const CallOptions& options = {}) const;
  // shell_execute {"command": command}.
  Answer shell(std::string_view command, const CallOptions& options = {}) const;
  // What the call would do (wtool.explain/1).
  Json explain(const Json& arguments) const;

 private:
  const wtool_tool* tool_ = nullptr;
};

// A call on its own thread. The tool must outlive it; its destructor waits for the end of the call.
class RunningCall {
 public:
  RunningCall(const ToolUnderTest& tool, const Json& arguments, const CallOptions& options = {});
  ~RunningCall();
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

  // Waits until the command's standard output contains `text`, or the call is over. Returns whether it contains the
  // text.
  bool wait_for_output(std::string_view text);
  void cancel(std::uint32_t how, std::string_view reason);
  bool is_over();
  // Waits for the end of the call.
  Answer wait();
  // The call itself, for what the class does not offer. Valid as long as this object.
  wtool_call* raw() const { return call_; }
  const wtool_tool& tool() const { return *tool_; }

 private:
  const wtool_tool* tool_;
  wtool_call* call_ = nullptr;
  std::function<int(const Event&)> forward_;
  std::function<int(const Event&)> watch_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string output_;
  bool over_ = false;
  Answer answer_;
  std::thread thread_;
};

}  // namespace wtool::test
