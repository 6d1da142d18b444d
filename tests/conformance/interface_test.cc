// What every host may rely on in the C interface: descriptors before init, sizes that both sides respect, pointers that
// may be NULL, outputs that a failure leaves unchanged, and calls that run once.
#include <dlfcn.h>

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <vector>
#include <wtool/cpp/host.hpp>

#include "base/utf8.h"
#include "support/shell_tool.h"

using namespace wtool::test;
using wtool::Blob;
using wtool::text;
using wtool::view;

namespace {

// The entry of a library that is loaded but not initialised.
struct Loaded {
  void* library = dlopen(WTOOL_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  const wtool_entry* entry = nullptr;
  wtool_host host{};

  Loaded() {
    BOOST_REQUIRE_MESSAGE(library != nullptr, dlerror());
    entry = static_cast<const wtool_entry*>(dlsym(library, WTOOL_ENTRY_SYMBOL));
    BOOST_REQUIRE(entry != nullptr);
    host.struct_size = sizeof(host);
    host.abi_minor = WTOOL_ABI_MINOR;
    host.name = view("test");
    host.version = view("1");
    host.get_extension = [](const wtool_host*, const char*) noexcept -> const void* { return nullptr; };
  }
  ~Loaded() { dlclose(library); }
};

wtool_request request_for(std::string_view arguments) { return wtool::make_request(arguments); }

// "1.2.3", and perhaps more after it.
bool is_semantic_version(std::string_view version) {
  int major = -1;
  int minor = -1;
  int patch = -1;
  return std::sscanf(std::string(version).c_str(), "%d.%d.%d", &major, &minor, &patch) == 3 && major >= 0 &&
         minor >= 0 && patch >= 0;
}

const char* const hello = R"({"command":"echo hi"})";

}  // namespace

BOOST_FIXTURE_TEST_CASE(the_entry_says_its_version_and_size, Loaded) {
  BOOST_TEST(entry->struct_size >= 88u);
  BOOST_TEST(entry->abi_major == WTOOL_ABI_MAJOR);
  BOOST_TEST(entry->abi_minor == WTOOL_ABI_MINOR);
  BOOST_TEST(entry->flags == 0u);
  BOOST_TEST(text(entry->plugin_name) == "shell_tools");
  BOOST_TEST(is_semantic_version(text(entry->plugin_version)));
}

BOOST_FIXTURE_TEST_CASE(tools_are_described_before_init, Loaded) {
  BOOST_REQUIRE(entry->tool_count() >= 1u);
  std::set<std::string> ids;
  for (std::uint32_t i = 0; i < entry->tool_count(); ++i) {
    const wtool_descriptor* descriptor = entry->tool_at(i);
    BOOST_REQUIRE(descriptor != nullptr);
    BOOST_TEST(descriptor->struct_size >= 104u);
    const std::string id(text(descriptor->id));
    BOOST_TEST_CONTEXT(id) {
      BOOST_TEST(!id.empty());
      BOOST_TEST(id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos);
      BOOST_TEST(ids.insert(id).second);
      BOOST_TEST(!text(descriptor->title).empty());
      BOOST_TEST(!text(descriptor->description).empty());
      BOOST_TEST(is_semantic_version(text(descriptor->version)));
      BOOST_TEST(Json::parse(text(descriptor->input_schema)).at("type").get<std::string>() == "object");
      BOOST_TEST((text(descriptor->output_schema).empty() || Json::parse(text(descriptor->output_schema)).is_object()));
      BOOST_TEST((descriptor->hints & ~31u) == 0u);
      // The descriptor is the same each time, and at the same place: it is static data.
      BOOST_TEST(entry->tool_at(i) == descriptor);
    }
  }
  BOOST_TEST(ids.count("shell_execute") == 1u);
  BOOST_TEST(entry->tool_at(entry->tool_count()) == nullptr);
  BOOST_TEST(entry->tool_at(0xffffffffu) == nullptr);
}

BOOST_FIXTURE_TEST_CASE(a_value_of_a_type_that_the_input_schema_does_not_allow_is_refused_by_name, ShellTool) {
  const std::map<std::string, Json> samples{
      {"string", "5"},        {"boolean", true}, {"null", nullptr}, {"array", Json::array({1})},
      {"object", {{"a", 1}}}, {"integer", 5},    {"number", 1.5}};
  for (std::uint32_t i = 0; i < plugin.entry().tool_count(); ++i) {
    const wtool_descriptor& descriptor = *plugin.entry().tool_at(i);
    const Json schema = Json::parse(text(descriptor.input_schema));
    BOOST_TEST((schema.at("additionalProperties") == Json(false)), text(descriptor.id));
    const ToolUnderTest any(plugin, Json::object(), text(descriptor.id));
    for (const auto& [name, rules] : schema.at("properties").items()) {
      BOOST_REQUIRE(rules.at("type").is_string());
      const std::string type = rules.at("type");
      for (const auto& [other, sample] : samples) {
        if (other == type || (other == "integer" && type == "number")) continue;
        const Answer answer = any.run({{name, sample}});
        BOOST_TEST((answer.is_error() && answer.raw.find(name) != std::string::npos &&
                    answer.raw.find(": got") != std::string::npos),
                   text(descriptor.id) << " " << name << " " << other << " " << answer.raw);
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(what_the_output_schema_promises_a_result_holds, ShellTool) {
  const Json schema = Json::parse(text(tool.get().descriptor->output_schema));
  for (const char* command : {"echo hi", "exit 3", "no-such-program-x", "sleep 30 & kill -9 $$"}) {
    const Answer answer = tool.shell(command);
    for (const auto& item : answer.metadata().items()) {
      BOOST_TEST(schema.at("properties").contains(item.key()), item.key() << " is not in the schema");
    }
  }
}

BOOST_FIXTURE_TEST_CASE(init_refuses_an_invalid_host, Loaded) {
  Blob error;
  BOOST_TEST(entry->init(nullptr, error.out()) == WTOOL_E_INVALID_ARGUMENT);
  BOOST_TEST(!error.text().empty());
  host.struct_size = 16;
  BOOST_TEST(entry->init(&host, error.out()) == WTOOL_E_INVALID_ARGUMENT);
  BOOST_TEST(entry->init(&host, nullptr) == WTOOL_E_INVALID_ARGUMENT);
}

BOOST_FIXTURE_TEST_CASE(init_again_after_deinit, Loaded) {
  for (int i = 0; i < 5; ++i) {
    BOOST_REQUIRE(entry->init(&host, nullptr) == WTOOL_OK);
    BOOST_TEST(entry->init(&host, nullptr) != WTOOL_OK);  // init works only once before deinit
    const wtool_tool* tool = nullptr;
    BOOST_REQUIRE(entry->tool_new(view("shell_execute"), view(""), &tool, nullptr) == WTOOL_OK);
    {
      wtool::Call call(*tool, request_for(hello));
      BOOST_TEST(call.run() == WTOOL_OK);
    }
    tool->destroy(tool);
    entry->deinit();
  }
}

BOOST_FIXTURE_TEST_CASE(tools_are_made_only_between_init_and_deinit, Loaded) {
  const wtool_tool* tool = nullptr;
  BOOST_TEST(entry->tool_new(view("shell_execute"), view(""), &tool, nullptr) != WTOOL_OK);
  BOOST_REQUIRE(entry->init(&host, nullptr) == WTOOL_OK);
  entry->deinit();
  BOOST_TEST(entry->tool_new(view("shell_execute"), view(""), &tool, nullptr) != WTOOL_OK);
  BOOST_TEST(tool == nullptr);
}

BOOST_FIXTURE_TEST_CASE(a_tool_that_does_not_exist_is_unsupported, ShellTool) {
  for (const std::string_view id : {"no_such_tool", "", "shell_execut", "shell_execute2"}) {
    const wtool_tool* made = nullptr;
    Blob error;
    BOOST_TEST(plugin.entry().tool_new(view(id), view(""), &made, error.out()) == WTOOL_E_UNSUPPORTED);
    BOOST_TEST(made == nullptr);
    BOOST_TEST(error.filled());
  }
  const wtool_tool* made = nullptr;
  BOOST_TEST(plugin.entry().tool_new({nullptr, 0}, {nullptr, 0}, &made, nullptr) == WTOOL_E_UNSUPPORTED);
  BOOST_TEST(plugin.entry().tool_new(view("shell_execute"), view(""), nullptr, nullptr) == WTOOL_E_INVALID_ARGUMENT);
}

BOOST_FIXTURE_TEST_CASE(a_configuration_that_is_not_valid_is_refused_with_its_reason, ShellTool) {
  const struct {
    const char* config;
    const char* named;
  } rows[] = {
      {"nonsense", ""},
      {"[]", "object"},
      {"5", "object"},
      {R"({"no_such_key":1})", "no_such_key"},
      {R"({"limits":{"no_such_limit":1}})", "no_such_limit"},
      {R"({"limits":[]})", "limits"},
      {R"({"limits":{"timeout_default":0}})", "timeout_default"},
      {R"({"limits":{"timeout_default":"x"}})", "timeout_default"},
      {R"({"limits":{"timeout_max":-1}})", "timeout_max"},
      {R"({"limits":{"grace_seconds":-1}})", "grace_seconds"},
      {R"({"limits":{"timeout_default":100,"timeout_max":50}})", "timeout_default"},
      {R"({"output":{"bytes":-1}})", "bytes"},
      {R"({"output":{"bytes":"many"}})", "bytes"},
      {R"({"shell":{"program":5}})", "program"},
      {R"({"shell":{"program":""}})", "program"},
      {R"({"shell":{"direct_exec":"yes"}})", "direct_exec"},
  };
  for (const auto& row : rows) {
    const wtool_tool* made = nullptr;
    Blob error;
    BOOST_TEST_CONTEXT(row.config) {
      BOOST_TEST(plugin.entry().tool_new(view("shell_execute"), view(row.config), &made, error.out()) ==
                 WTOOL_E_INVALID_ARGUMENT);
      BOOST_TEST(made == nullptr);
      BOOST_TEST(error.text().find(row.named) != std::string_view::npos, error.text());
      BOOST_TEST(!error.text().empty());
    }
  }
  for (const char* config : {"", "{}", R"({"limits":{}})",
                             R"({"shell":{"program":"/bin/sh","direct_exec":true},)"
                             R"("limits":{"timeout_default":300,"timeout_max":1800,)"
                             R"("grace_seconds":2},"output":{"bytes":1048576}})"}) {
    const wtool_tool* made = nullptr;
    Blob error;
    BOOST_TEST(plugin.entry().tool_new(view("shell_execute"), view(config), &made, error.out()) == WTOOL_OK,
               error.text());
    if (made != nullptr) made->destroy(made);
  }
}

BOOST_FIXTURE_TEST_CASE(null_pointers_are_refused_or_allowed_as_documented, ShellTool) {
  const wtool_tool& t = tool.get();
  wtool_request request = request_for(hello);
  wtool_call* call = nullptr;
  BOOST_TEST(t.call_new(nullptr, &request, &call, nullptr) == WTOOL_E_INVALID_ARGUMENT);
  BOOST_TEST(t.call_new(&t, nullptr, &call, nullptr) == WTOOL_E_INVALID_ARGUMENT);
  BOOST_TEST(t.call_new(&t, &request, nullptr, nullptr) == WTOOL_E_INVALID_ARGUMENT);
  BOOST_TEST(call == nullptr);
  Blob result;
  BOOST_TEST(t.call_run(nullptr, result.out(), nullptr) == WTOOL_E_INVALID_ARGUMENT);
  t.call_cancel(nullptr, WTOOL_CANCEL_NOW, view("x"));
  t.call_free(nullptr);
  t.destroy(nullptr);
  BOOST_TEST(t.get_extension(&t, "no.such.extension/1") == nullptr);
  BOOST_TEST(t.get_extension(&t, "") == nullptr);
  BOOST_TEST(t.get_extension(&t, nullptr) == nullptr);

  BOOST_REQUIRE(t.call_new(&t, &request, &call, nullptr) == WTOOL_OK);
  BOOST_TEST(t.call_run(call, nullptr, nullptr) == WTOOL_E_INVALID_ARGUMENT);
  t.call_free(call);
}

BOOST_FIXTURE_TEST_CASE(a_call_runs_once, ShellTool) {
  const wtool_tool& t = tool.get();
  wtool_request request = request_for(hello);
  wtool_call* call = nullptr;
  BOOST_REQUIRE(t.call_new(&t, &request, &call, nullptr) == WTOOL_OK);
  Blob first;
  BOOST_TEST(t.call_run(call, first.out(), nullptr) == WTOOL_OK);
  wtool_blob second;
  std::memset(&second, 0x5a, sizeof second);
  second.struct_size = sizeof second;
  const wtool_blob before = second;
  Blob error;
  BOOST_TEST(t.call_run(call, &second, error.out()) == WTOOL_E_INVALID_ARGUMENT);
  BOOST_TEST(std::memcmp(&before, &second, sizeof second) == 0);
  BOOST_TEST(!error.text().empty());
  t.call_free(call);
  // The host's copy of the result stays valid when the call is gone.
  BOOST_TEST(Json::parse(first.text()).at("metadata").at("stdout").get<std::string>() == "hi\n");
}

BOOST_FIXTURE_TEST_CASE(a_call_that_is_cancelled_before_it_runs_does_nothing_whatever_its_tool, ShellTool) {
  const ToolUnderTest sessions(plugin, Json::object(), "terminal_create_session");
  wtool_request request = request_for(R"({"taskId":"t","agentId":"a"})");
  wtool_call* call = nullptr;
  BOOST_REQUIRE(sessions.get().call_new(&sessions.get(), &request, &call, nullptr) == WTOOL_OK);
  sessions.get().call_cancel(call, WTOOL_CANCEL_GRACEFUL, view("enough"));
  Blob result;
  BOOST_TEST(sessions.get().call_run(call, result.out(), nullptr) == WTOOL_E_CANCELLED);
  sessions.get().call_free(call);
  const Json answer = Json::parse(result.text());
  BOOST_TEST(answer.at("is_error") == true);
  BOOST_TEST(answer.at("metadata").at("error").at("code") == "aborted");
  BOOST_TEST(answer.dump().find("enough") != std::string::npos);
  BOOST_TEST(answer.dump().find("sessionId") == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(what_follows_a_nul_is_not_left_out, ShellTool) {
  const ToolUnderTest sessions(plugin, Json::object(), "terminal_create_session");
  for (const std::string& rest : {std::string("\0", 1), std::string("\0{}", 3), std::string("\0 x", 3)}) {
    const Answer answer = sessions.run_text(R"({"taskId":"t","agentId":"a"})" + rest);
    BOOST_TEST((answer.status == WTOOL_OK && answer.is_error()), answer.raw);
    BOOST_TEST(answer.raw.find("byte 29 is NUL") != std::string::npos, answer.raw);
  }
}

BOOST_FIXTURE_TEST_CASE(errors_are_utf8_whatever_they_are_about, ShellTool) {
  const wtool_tool* made = nullptr;
  Blob unknown;
  BOOST_TEST(plugin.entry().tool_new(view("\xff"), view(""), &made, unknown.out()) == WTOOL_E_UNSUPPORTED);
  BOOST_TEST(wtool::is_utf8(unknown.text()));
  Blob wrong;
  BOOST_TEST(plugin.entry().tool_new(view("shell_execute"), view("\xff"), &made, wrong.out()) ==
             WTOOL_E_INVALID_ARGUMENT);
  BOOST_TEST(wtool::is_utf8(wrong.text()));
}

BOOST_FIXTURE_TEST_CASE(a_request_of_an_older_host_is_read_no_further_than_its_size, ShellTool) {
  // Everything after struct_size bytes is garbage. A plugin that used a pointer there would crash.
  for (const std::size_t size :
       {offsetof(wtool_request, call_id), offsetof(wtool_request, traceparent), offsetof(wtool_request, deadline_ms),
        offsetof(wtool_request, sink_ctx), offsetof(wtool_request, on_event), offsetof(wtool_request, limits)}) {
    std::vector<unsigned char> memory(sizeof(wtool_request), 0xA5);
    auto* request = reinterpret_cast<wtool_request*>(memory.data());
    const wtool_request model = request_for(hello);
    std::memcpy(memory.data(), &model, size);
    request->struct_size = static_cast<std::uint32_t>(size);
    wtool_call* call = nullptr;
    Blob error;
    BOOST_TEST_CONTEXT(size) {
      BOOST_REQUIRE(tool.get().call_new(&tool.get(), request, &call, error.out()) == WTOOL_OK);
      Blob result;
      BOOST_TEST(tool.get().call_run(call, result.out(), nullptr) == WTOOL_OK);
      BOOST_TEST(result.text().find("hi") != std::string_view::npos);
      tool.get().call_free(call);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_request_too_small_to_hold_arguments_is_refused, ShellTool) {
  wtool_request request = request_for(hello);
  for (const std::uint32_t size : {0u, 4u, 8u, 23u}) {
    request.struct_size = size;
    wtool_call* call = nullptr;
    BOOST_TEST(tool.get().call_new(&tool.get(), &request, &call, nullptr) == WTOOL_E_INVALID_ARGUMENT);
    BOOST_TEST(call == nullptr);
  }
}

BOOST_FIXTURE_TEST_CASE(a_request_of_a_newer_host_is_read_as_far_as_it_is_known, ShellTool) {
  struct {
    wtool_request known;
    unsigned char unknown[64];
  } newer;
  std::memset(&newer, 0xA5, sizeof newer);
  newer.known = request_for(hello);
  newer.known.struct_size = sizeof newer;
  wtool_call* call = nullptr;
  BOOST_REQUIRE(tool.get().call_new(&tool.get(), &newer.known, &call, nullptr) == WTOOL_OK);
  Blob result;
  BOOST_TEST(tool.get().call_run(call, result.out(), nullptr) == WTOOL_OK);
  tool.get().call_free(call);
}

BOOST_FIXTURE_TEST_CASE(a_blob_that_is_too_small_is_left_alone, ShellTool) {
  for (const std::uint32_t size : {0u, 8u, 24u, 39u}) {
    wtool_request request = request_for(hello);
    wtool_call* call = nullptr;
    BOOST_REQUIRE(tool.get().call_new(&tool.get(), &request, &call, nullptr) == WTOOL_OK);
    wtool_blob result;
    std::memset(&result, 0x5a, sizeof result);
    result.struct_size = size;
    const wtool_blob before = result;
    BOOST_TEST(tool.get().call_run(call, &result, nullptr) == WTOOL_E_INVALID_ARGUMENT);
    BOOST_TEST(std::memcmp(&before, &result, sizeof result) == 0);
    tool.get().call_free(call);
  }
}

BOOST_FIXTURE_TEST_CASE(arguments_are_copied_when_the_call_is_made, ShellTool) {
  std::string arguments = hello;
  wtool_request request = request_for(arguments);
  std::string id = "call-1";
  request.call_id = view(id);
  wtool_call* call = nullptr;
  BOOST_REQUIRE(tool.get().call_new(&tool.get(), &request, &call, nullptr) == WTOOL_OK);
  arguments.assign(arguments.size(), 'x');
  id.assign(id.size(), 'x');
  std::memset(static_cast<void*>(&request), 0xA5, sizeof request);
  Blob result;
  BOOST_TEST(tool.get().call_run(call, result.out(), nullptr) == WTOOL_OK);
  BOOST_TEST(result.text().find("hi") != std::string_view::npos);
  tool.get().call_free(call);
}

BOOST_FIXTURE_TEST_CASE(arguments_that_are_too_long_are_refused_not_swallowed, ShellTool) {
  const std::string arguments = R"({"command":"true )" + std::string(17u << 20, ' ') + R"("})";
  const Answer answer = tool.run_text(arguments);
  BOOST_TEST((answer.status != WTOOL_OK || answer.is_error()));
}

BOOST_FIXTURE_TEST_CASE(a_blob_releases_itself_once, ShellTool) {
  wtool_request request = request_for(hello);
  wtool_call* call = nullptr;
  BOOST_REQUIRE(tool.get().call_new(&tool.get(), &request, &call, nullptr) == WTOOL_OK);
  wtool_blob result{};
  result.struct_size = sizeof result;
  BOOST_REQUIRE(tool.get().call_run(call, &result, nullptr) == WTOOL_OK);
  tool.get().call_free(call);
  BOOST_REQUIRE(result.release != nullptr);
  wtool_blob moved = result;  // Copying moves it.
  moved.release(&moved);
  BOOST_TEST(moved.release == nullptr);
}

BOOST_FIXTURE_TEST_CASE(a_deadline_of_any_size_is_taken, ShellTool) {
  for (const std::uint64_t deadline : {std::uint64_t{1} << 40, std::uint64_t{1} << 62, ~std::uint64_t{0}}) {
    BOOST_TEST(tool.shell("echo hi", {.deadline_ms = deadline}).out() == "hi\n");
  }
}
