// The plugin under test, inside the process of one test: loaded, initialised and called as the rules say. Each step is
// reported to the parent before it is taken.
#pragma once

#include <sys/types.h>
#include <wtool/tool.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>
#include <wtool/cpp/host.hpp>

#include "base/json.h"
#include "conformance/child.h"

namespace wtool::host::conformance {

// What the parent process has read from a tool's descriptor.
struct ToolFacts {
  std::string id{};
  std::uint32_t hints = 0;
  nlohmann::json input_schema{};
  nlohmann::json output_schema{};  // null: the tool has none
  std::string arguments{};         // with which it is called; empty: none were found
};

// One test, as its function sees it.
struct Trial {
  Reporter& report;
  std::string path;                    // of the plugin, absolute
  std::string configuration;           // of its tools; empty: {}
  std::chrono::milliseconds patience;  // how long to wait for what must happen soon; much shorter than the test's limit
  std::vector<std::string> ids{};
  ToolFacts tool{};  // for a test of one tool
};

std::string status_name(wtool_status status);

// Text for a message: escaped, and at most 100 characters.
std::string in_quotes(std::string_view text);

// True if a view has a size, but no bytes.
bool is_hollow(wtool_view v);

// The text that a function put into `error`, checked by the rule "error". Empty: there is no text.
std::string read_error(Reporter& report, wtool_blob& error, std::string_view of);

// A blob of the caller: all zero, except struct_size. Its destructor releases it.
class TestBlob {
 public:
  TestBlob();
  ~TestBlob();
  TestBlob(const TestBlob&) = delete;
  TestBlob& operator=(const TestBlob&) = delete;
  wtool_blob* out() { return &blob_; }
  bool filled() const { return blob_.release != nullptr; }
  bool untouched() const;
  std::string_view text() const { return wtool::text(blob_.bytes); }
  // Releases the blob now. False: the blob's release function did not set `release` to NULL.
  bool release();

 private:
  wtool_blob blob_{};
  wtool_blob before_{};
};

// A loaded library. The destructor does not unload it; only test_unload() does.
class PluginLibrary {
 public:
  explicit PluginLibrary(Trial& trial);
  const wtool_entry* entry() const { return entry_; }
  void* handle() const { return handle_; }

 private:
  void* handle_ = nullptr;
  const wtool_entry* entry_ = nullptr;
};

// The host that a test plays; it offers no extensions.
wtool_host plain_host();

// The library, initialised. A failure is a finding, and good() is then false.
class Started : public PluginLibrary {
 public:
  explicit Started(Trial& trial);
  bool good() const { return good_; }
  void end();  // deinit

 private:
  Trial& trial_;
  wtool_host host_ = plain_host();
  bool good_ = false;
};

// A tool made with the configuration of the trial. A failure is a finding, and good() is then false.
class MadeTool {
 public:
  MadeTool(Trial& trial, const PluginLibrary& library, const std::string& id);
  bool good() const { return tool_ != nullptr; }
  const wtool_tool& operator*() const { return *tool_; }
  const wtool_tool* operator->() const { return tool_; }
  const wtool_tool* get() const { return tool_; }
  void end();  // destroy

 private:
  Trial& trial_;
  const wtool_tool* tool_ = nullptr;
};

struct SeenEvent {
  std::uint64_t seq = 0;
  pid_t thread = 0;
};

struct CallOutcome {
  wtool_status made = WTOOL_OK;
  wtool_status ran = WTOOL_OK;
  bool filled = false;
  std::string result{};
  std::string error{};
  std::vector<SeenEvent> events{};
  pid_t thread = 0;
};

// How a call is made.
struct CallPlan {
  std::string_view arguments;
  std::string_view rule = "call-run";  // the rule that a crash or a hang of the plugin breaks
  std::string_view doing = "a call";   // for the message
  bool quiet = false;                  // reports no steps: for threads and many calls
  bool sink = true;
  std::function<void(wtool_call*)> before_run{};            // between call_new and call_run
  std::function<void(wtool_call*)> after_run{};             // between call_run and call_free
  std::function<int(wtool_call*, std::size_t)> on_event{};  // gets the number of the event; empty: no event is refused
};

// Makes a call, runs it and frees it. Reports only what breaks the rules of these steps; the caller checks the outcome.
CallOutcome call(Trial& trial, const wtool_tool& tool, const CallPlan& plan);

// What is wrong with the envelope of a result; empty: nothing.
std::string envelope_mistake(const std::string& result, nlohmann::json& envelope);

}  // namespace wtool::host::conformance
