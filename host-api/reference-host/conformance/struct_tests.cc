// Tests of the structs and pointers of a call: NULL, sizes of other versions, a request that is gone, extensions.
#include <sys/mman.h>

#include <cstddef>
#include <cstring>

#include "base/json_reader.h"
#include "conformance/guarded.h"
#include "conformance/ready_tool.h"

namespace wtool::host::conformance {

using nlohmann::json;

void test_null(Trial& trial) {
  ReadyTool ready(trial);
  if (!ready) return;
  const wtool_tool& tool = ready.tool();
  const wtool_request request = make_request(trial.tool.arguments);
  wtool_call* made = nullptr;
  const auto refused = [&](const std::string& doing, const std::function<wtool_status(wtool_blob*)>& act) {
    trial.report.step("null", "in " + doing);
    TestBlob error;
    must_be_invalid(trial, act(error.out()), "null", doing);
  };
  refused("call_new without a tool", [&](wtool_blob* error) { return tool.call_new(nullptr, &request, &made, error); });
  refused("call_new without a request", [&](wtool_blob* error) { return tool.call_new(&tool, nullptr, &made, error); });
  refused("call_new without an out", [&](wtool_blob* error) { return tool.call_new(&tool, &request, nullptr, error); });
  if (made != nullptr) trial.report.finding("outputs", "call_new failed, but made a call");
  TestBlob result;
  refused("call_run without a call", [&](wtool_blob* error) { return tool.call_run(nullptr, result.out(), error); });
  if (wtool_call* unheard = new_call(trial, tool, request, "null", "a call")) {
    refused("call_run without a result", [&](wtool_blob* error) { return tool.call_run(unheard, nullptr, error); });
    trial.report.step("call-free", "in call_free of a call that has not run");
    tool.call_free(unheard);
  }
  trial.report.step("null", "in call_cancel of NULL");
  tool.call_cancel(nullptr, WTOOL_CANCEL_NOW, view("a test"));
  trial.report.step("null", "in call_free of NULL");
  tool.call_free(nullptr);
  trial.report.step("null", "in destroy of NULL");
  tool.destroy(nullptr);
  ready.end();
}

void test_small_request(Trial& trial) {
  ReadyTool ready(trial);
  if (!ready) return;
  const wtool_tool& tool = ready.tool();
  const wtool_request model = make_request(trial.tool.arguments);
  for (const std::size_t size :
       {std::size_t{8}, std::size_t{16}, offsetof(wtool_request, call_id), offsetof(wtool_request, traceparent),
        offsetof(wtool_request, parent_span), offsetof(wtool_request, deadline_ms), offsetof(wtool_request, sink_ctx),
        offsetof(wtool_request, on_event), offsetof(wtool_request, limits)}) {
    const std::string doing = "a call whose request has the struct_size " + std::to_string(size);
    const bool enough = size >= offsetof(wtool_request, call_id);
    Guarded<wtool_request> small(model, static_cast<std::uint32_t>(size));
    trial.report.step("size-small", "in call_new of " + doing);
    wtool_call* made = nullptr;
    TestBlob error;
    const wtool_status status = tool.call_new(&tool, small.get(), &made, error.out());
    if (!enough || status != WTOOL_OK) must_be_invalid(trial, status, "size-small", "call_new of " + doing);
    if (status != WTOOL_OK || made == nullptr) continue;
    TestBlob result;
    trial.report.step("size-small", "in call_run of " + doing);
    const wtool_status ran = tool.call_run(made, result.out(), error.out());
    if (enough && ran != WTOOL_OK) trial.report.finding("size-small", doing + " returned " + status_name(ran));
    tool.call_free(made);
  }
  ready.end();
}

void test_small_blob(Trial& trial) {
  ReadyTool ready(trial);
  if (!ready) return;
  const wtool_tool& tool = ready.tool();
  const wtool_request request = make_request(trial.tool.arguments);
  const wtool_blob empty{};
  for (const std::uint32_t size : {8U, 24U, 32U}) {
    const std::string doing = "with a blob of struct_size " + std::to_string(size);
    Guarded<wtool_blob> result(empty, size);
    if (wtool_call* made = new_call(trial, tool, request, "size-small", "a call")) {
      trial.report.step("size-small", "in call_run " + doing);
      TestBlob why;
      must_be_invalid(trial, tool.call_run(made, result.get(), why.out()), "size-small", "call_run " + doing);
      if (result.differs_from(empty)) trial.report.finding("size-small", "call_run " + doing + " wrote to the blob");
      trial.report.step("call-free", "in call_free of a call that has not run");
      tool.call_free(made);
    }
    Guarded<wtool_blob> error(empty, size);
    trial.report.step("size-small", "in tool_new " + doing + " as its error");
    const wtool_tool* none = nullptr;
    ready.entry().tool_new(view("no_such_tool_is_here"), view(""), &none, error.get());
    if (error.differs_from(empty)) {
      trial.report.finding("size-small", "tool_new " + doing + " as its error wrote to the blob");
    }
  }
  ready.end();
}

void test_large_structs(Trial& trial) {
  ReadyTool ready(trial);
  if (!ready) return;
  const wtool_tool& tool = ready.tool();
  Enlarged<wtool_request> request(make_request(trial.tool.arguments));
  Enlarged<wtool_blob> result(wtool_blob{});
  if (wtool_call* made = new_call(trial, tool, *request.get(), "size-large", "a call with a larger request")) {
    trial.report.step("size-large", "in call_run with a larger blob");
    const wtool_status status = tool.call_run(made, result.get(), nullptr);
    if (status != WTOOL_OK || result.get()->release == nullptr) {
      trial.report.finding("size-large", "call_run with a larger blob returned " + status_name(status));
    } else {
      result.get()->release(result.get());
    }
    tool.call_free(made);
  }
  if (request.unknown_was_changed() || result.unknown_was_changed()) {
    trial.report.finding("size-large", "the plugin wrote into a part of a struct that version 1.0 does not define");
  }
  ready.end();
}

void test_copied_request(Trial& trial) {
  ReadyTool ready(trial);
  if (!ready) return;
  const std::string& arguments = trial.tool.arguments;
  const std::size_t size = sizeof(wtool_request) + arguments.size() + 16;
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* request = static_cast<wtool_request*>(memory);
  char* texts = static_cast<char*>(memory) + sizeof(wtool_request);
  std::memcpy(texts, arguments.data(), arguments.size());
  std::memcpy(texts + arguments.size(), "check-1", 7);
  *request = make_request({texts, arguments.size()});
  request->call_id = view({texts + arguments.size(), 7});
  if (wtool_call* made = new_call(trial, ready.tool(), *request, "request-copied", "a call")) {
    ::munmap(memory, size);
    TestBlob result;
    trial.report.step("request-copied", "in call_run after the request was freed");
    const wtool_status status = ready.tool().call_run(made, result.out(), nullptr);
    if (status != WTOOL_OK)
      trial.report.finding("request-copied",
                           "a call whose request was freed before it ran returned " + status_name(status));
    ready.tool().call_free(made);
  }
  ready.end();
}

void test_extensions(Trial& trial) {
  ReadyTool ready(trial);
  if (!ready) return;
  const wtool_tool& tool = ready.tool();
  for (const char* id : {"no.such.extension/1", "wtool.explain/999", "", static_cast<const char*>(nullptr)}) {
    const std::string name = id == nullptr ? "NULL" : in_quotes(id);
    trial.report.step("extension-unknown", "in get_extension of " + name);
    if (tool.get_extension(&tool, id) != nullptr) {
      trial.report.finding("extension-unknown", "get_extension of " + name + " is not NULL");
    }
  }
  if (const wtool_tool_explain* extension = explain_of(tool)) {
    const wtool_request request = make_request(trial.tool.arguments);
    TestBlob result;
    TestBlob error;
    trial.report.step("explain", "in explain");
    const wtool_status status = extension->explain(&tool, &request, result.out(), error.out());
    read_error(trial.report, *error.out(), "explain");
    const json answer = parse_json(result.text());
    const json verdict = answer.is_object() ? answer.value("verdict", json()) : json();
    if (status != WTOOL_OK || (verdict != "allow" && verdict != "ask" && verdict != "deny")) {
      trial.report.finding("explain", "explain returned " + status_name(status) + " and " + in_quotes(result.text()));
    }
  }
  ready.end();
}

}  // namespace wtool::host::conformance
