// Opening plugins good and bad, finding them, and calling their tools.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <wtool/cpp/host.hpp>

#include <boost/test/unit_test.hpp>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/edit_distance.h"
#include "loader/plugin.h"
#include "loader/toolbox.h"
#include "support/text.h"
#include "tracing/tracing.h"

using wtool::test::holds;

namespace wtool::host {

BOOST_AUTO_TEST_SUITE(host_loader_test)

using nlohmann::json;
using Kind = ToolOutcome::Kind;

static std::string built(const std::string& name) { return std::string(HOST_TEST_PLUGINS) + '/' + name + ".so"; }

// Tracing into a file that can be read back.
struct Log {
  Log()
      : descriptor(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)),
        tracing(everything(), LogFormat::text, descriptor) {
    BOOST_REQUIRE(descriptor >= 0);
  }
  ~Log() { ::close(descriptor); }
  static LogFilter everything() { return LogFilter(LogLevel::trace); }
  std::string text() const {
    std::string all(1 << 16, '\0');
    const ssize_t size = ::pread(descriptor, all.data(), all.size(), 0);
    all.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return all;
  }
  int descriptor;
  Tracing tracing;
};

static std::string refused(const std::string& path) {
  Log log;
  std::string error;
  const auto plugin = Plugin::open(path, log.tracing, error);
  BOOST_TEST_REQUIRE(!plugin);
  BOOST_TEST(holds(error, path), error);
  return error;
}

// A plugin that is opened, started and configured.
struct Opened {
  explicit Opened(const std::string& name = "good", const std::string& config = "{}") {
    plugin = Plugin::open(built(name), log.tracing, error);
    if (plugin) toolbox = Toolbox::open(*plugin, config, error);
    BOOST_REQUIRE_MESSAGE(toolbox, error);
  }
  Log log;
  std::string error;
  std::unique_ptr<Plugin> plugin;
  std::unique_ptr<Toolbox> toolbox;
  Stop stop;
};

struct Folder {
  Folder() {
    char name[] = "/tmp/wtool-loader-XXXXXX";
    BOOST_REQUIRE(::mkdtemp(name) != nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
    return path / name;
  }
  std::filesystem::path path;
};

BOOST_AUTO_TEST_SUITE(places)

BOOST_AUTO_TEST_CASE(a_call_for_another_place_is_not_made_here_instead) {
  Opened opened;
  Toolbox& toolbox = *opened.toolbox;
  BOOST_TEST(toolbox.own_place() == "local");
  BOOST_TEST(toolbox.place_problem({.on = "local"}, "echo") == "");
  BOOST_TEST(holds(toolbox.place_problem({.on = "cluster"}, "echo"), "cannot be placed on \"cluster\" here"));
  BOOST_TEST(holds(toolbox.place_problem({.on = "local"}, "none"), "the tool none cannot be called there"));
  const auto call = [&](const char* on) {
    return toolbox.call_at({.on = on}, "echo", json::object(), opened.stop, nullptr, nullptr);
  };
  BOOST_TEST((call("local").kind == Kind::finished));
  toolbox.set_other([](std::string& error) -> Plugin* { return error = "it was not built", nullptr; });
  BOOST_TEST(toolbox.place_problem({.on = "cluster"}, "echo") == "it was not built");
  BOOST_TEST(toolbox.make_expected() == "");
  toolbox.expect({.on = "local"}, "echo");
  BOOST_TEST(toolbox.make_expected() == "");
  toolbox.expect({.on = "cluster"}, "echo");
  BOOST_TEST(toolbox.make_expected() == "it was not built");
  const ToolOutcome outcome = call("cluster");
  BOOST_TEST((outcome.kind == Kind::not_made));
  BOOST_TEST(outcome.error == "it was not built");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(opening)

BOOST_AUTO_TEST_CASE(descriptors_can_be_read_before_the_plugin_is_initialised) {
  Log log;
  std::string error;
  const auto plugin = Plugin::open(built("good"), log.tracing, error);
  BOOST_REQUIRE_MESSAGE(plugin, error);
  BOOST_TEST_REQUIRE(plugin->tools().size() == 2u);
  BOOST_TEST(plugin->tools()[0].id == "echo");
  BOOST_TEST(plugin->tools()[0].description == "Answers with its arguments.\nA second line.");
  BOOST_TEST(plugin->tools()[0].hints == (WTOOL_HINT_READ_ONLY | WTOOL_HINT_IDEMPOTENT));
  BOOST_TEST(plugin->tools()[1].output_schema.empty());
  BOOST_TEST(!holds(log.text(), "init"));
}

BOOST_AUTO_TEST_CASE(a_path_without_a_slash_is_a_file_here_and_no_system_library) {
  Log log;
  std::string error;
  BOOST_TEST(!Plugin::open("libc.so.6", log.tracing, error));
  BOOST_TEST(holds(error, "there is no such file"));
  BOOST_TEST(holds(error, std::filesystem::current_path().string() + "/libc.so.6"));
}

BOOST_AUTO_TEST_CASE(a_file_that_is_not_a_library_is_refused_with_the_reason) {
  const Folder folder;
  BOOST_TEST(holds(refused(folder.path / "none.so"), "there is no such file"));
  BOOST_TEST(holds(refused(folder.path), "it is a directory"));
  BOOST_TEST(holds(refused(folder.write("text.so", "hello, this is text and not a library at all\n")),
                   "not a library that can be loaded"));
  BOOST_TEST(holds(refused(folder.write("empty.so", "")), "not a library that can be loaded"));
  BOOST_TEST(holds(refused("/dev/null"), "not a regular file"));
}

BOOST_AUTO_TEST_CASE(a_library_that_was_copied_in_part_is_refused_and_does_not_end_the_program) {
  const Folder folder;
  const std::string part = folder.path / "part.so";
  std::filesystem::copy_file(built("good"), part);
  for (const int size : {8192, 4096, 1000}) {
    std::filesystem::resize_file(part, size);
    BOOST_TEST(holds(refused(part), "it is cut off: it has " + std::to_string(size) + " bytes, but needs "));
  }
  std::filesystem::resize_file(part, 100);
  BOOST_TEST(holds(refused(part), "not a library that can be loaded"));
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_read_is_not_an_empty_one) {
  const Folder folder;
  std::string error;
  BOOST_TEST(plugin_files(folder.path, error).empty());
  BOOST_TEST(holds(error, "of --plugin has no *.so"));
  // Without a descriptor for the folder nobody can read it, not even root.
  rlimit usual{};
  BOOST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &usual) == 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = usual.rlim_max};
  BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const bool is_empty = plugin_files(folder.path, error).empty();
  BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &usual) == 0);
  BOOST_TEST(is_empty);
  BOOST_TEST(holds(error, "of --plugin cannot be read: Too many open files"), error);
}

BOOST_AUTO_TEST_CASE(a_library_without_the_symbol_is_not_a_plugin) {
  BOOST_TEST(holds(refused(built("no_symbol")), "it has no symbol wtool_entry_v1, so it is not a plugin"));
  BOOST_TEST(holds(refused(built("other_symbol")), "it has no symbol wtool_entry_v1; it has version 3"));
}

BOOST_AUTO_TEST_CASE(a_wrong_version_or_size_of_the_entry_is_named) {
  BOOST_TEST(holds(refused(built("wrong_major")), "says version 7 of the interface, but this host has version 1"));
  BOOST_TEST(holds(refused(built("small_entry")), "struct_size is 40, but version 1.0 has"));
  BOOST_TEST(holds(refused(built("tiny_entry")), "struct_size is 4, too small for the version of the interface"));
}

BOOST_AUTO_TEST_CASE(a_wrong_descriptor_is_named_by_its_number) {
  BOOST_TEST(holds(refused(built("small_descriptor")), "tool number 0 is wrong: its struct_size is 32"));
  BOOST_TEST(holds(refused(built("twice_the_same")), "tool number 1 is wrong: its id \"echo\" occurs twice"));
  BOOST_TEST(holds(refused(built("bad_id")), "its id \"Wait!\" must have"));
  BOOST_TEST(holds(refused(built("bad_schema")), "the input schema of echo is not a JSON object"));
}

BOOST_AUTO_TEST_CASE(a_plugin_or_a_tool_that_lacks_a_function_is_refused) {
  for (int function = 1; function <= 10; ++function) {
    const std::string path = built("without_" + std::to_string(function));
    if (function <= 5) {
      BOOST_TEST(holds(refused(path), "lacks one of init, deinit, tool_count, tool_at and tool_new"));
      continue;
    }
    Log log;
    std::string error;
    const auto plugin = Plugin::open(path, log.tracing, error);
    BOOST_REQUIRE_MESSAGE(plugin, error);
    BOOST_TEST(!Toolbox::open(*plugin, "{}", error));
    BOOST_TEST(holds(error, "the tool echo of " + path + " lacks functions of version 1.0"), error);
    // The last one has nothing that would end it.
    if (function < 10) BOOST_TEST(holds(log.text(), "destroy"));
  }
}

BOOST_AUTO_TEST_CASE(the_id_of_a_tool_may_have_digits) {
  const Opened opened("digits");
  BOOST_TEST(opened.toolbox->has_tool("0_9_az"));
}

BOOST_AUTO_TEST_CASE(a_failed_init_gives_its_reason_and_no_deinit_follows) {
  Log log;
  std::string error;
  const auto plugin = Plugin::open(built("init_fails"), log.tracing, error);
  BOOST_REQUIRE_MESSAGE(plugin, error);
  BOOST_TEST(!Toolbox::open(*plugin, "{}", error));
  BOOST_TEST(holds(error, built("init_fails")));
  BOOST_TEST(holds(error, "could not be initialised: the moon is not full"));
}

BOOST_AUTO_TEST_CASE(a_configuration_that_the_plugin_refuses_is_reported_with_the_tool) {
  Log log;
  std::string error;
  const auto plugin = Plugin::open(built("good"), log.tracing, error);
  BOOST_TEST(!Toolbox::open(*plugin, std::string(1001, ' '), error));
  BOOST_TEST(
      holds(error, "the tool echo cannot be made: the configuration is too long for this test (invalid argument)"));
}

BOOST_AUTO_TEST_CASE(tools_end_before_the_plugin_does_and_it_can_be_opened_again) {
  for (int round = 0; round < 2; ++round) {
    Opened opened;
    opened.toolbox.reset();
    opened.plugin.reset();
    const std::string text = opened.log.text();
    BOOST_TEST(text.find("init") < text.find("destroy"));
    BOOST_TEST(text.rfind("destroy") < text.find("deinit"));
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(finding)

BOOST_AUTO_TEST_CASE(beside_the_program_wins_over_the_search_path) {
  const Folder folder;
  const std::string beside = folder.write("lib/wtool/shell_tools.so", "");
  const std::string other = folder.write("other/shell_tools.so", "");
  std::string error;
  BOOST_TEST(find_plugin(folder.path / "bin/wtool", folder.path / "other", error) == beside);
  std::filesystem::remove(beside);
  BOOST_TEST(find_plugin(folder.path / "bin/wtool", folder.path / "other", error) == other);
}

BOOST_AUTO_TEST_CASE(folders_of_the_search_path_are_looked_at_in_order) {
  const Folder folder;
  const std::string only = folder.write("two/mine.so", "");
  folder.write("two/readme.txt", "");
  folder.write("three/shell_tools.so", "");
  std::string error;
  const std::string path =
      (folder.path / "one").string() + "::" + (folder.path / "two").string() + ':' + (folder.path / "three").string();
  BOOST_TEST(find_plugin("", path, error) == only);
  const std::string usual = folder.write("two/shell_tools.so", "");
  BOOST_TEST(find_plugin("", path, error) == usual);
}

BOOST_AUTO_TEST_CASE(several_libraries_without_the_usual_name_are_an_error) {
  const Folder folder;
  folder.write("a.so", "");
  folder.write("b.so", "");
  std::string error;
  BOOST_TEST(find_plugin("", folder.path, error).empty());
  BOOST_TEST(holds(error, "--plugin"));
  BOOST_TEST(holds(error, "/a.so"));
  BOOST_TEST(holds(error, "/b.so"));
}

BOOST_AUTO_TEST_CASE(a_missing_plugin_lists_the_places_searched) {
  std::string error;
  BOOST_TEST(find_plugin("/nowhere/bin/wtool", "/x:/y", error).empty());
  BOOST_TEST(holds(error, "/nowhere/lib/wtool/shell_tools.so"));
  BOOST_TEST(holds(error, "/x/*.so"));
  BOOST_TEST(holds(error, "/y/*.so"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(calling)

BOOST_AUTO_TEST_CASE(arguments_go_in_and_the_envelope_comes_out_with_the_configuration) {
  Opened opened("good", R"({"limits":{"timeout_max":5}})");
  BOOST_TEST(opened.toolbox->has_tool("echo"));
  BOOST_TEST(!opened.toolbox->has_tool("ech"));
  const ToolOutcome outcome = opened.toolbox->call("echo", {{"text", "ä\n"}}, opened.stop, {});
  BOOST_TEST_REQUIRE((outcome.kind == Kind::finished), outcome.error);
  BOOST_TEST(outcome.result["is_error"] == false);
  BOOST_TEST(outcome.result["metadata"]["arguments"] == json({{"text", "ä\n"}}));
  BOOST_TEST(outcome.result["metadata"]["config"]["limits"]["timeout_max"] == 5);
}

BOOST_AUTO_TEST_CASE(live_output_comes_in_order_on_the_calling_thread) {
  Opened opened;
  std::string heard;
  const auto here = std::this_thread::get_id();
  const auto sink = [&](OutputStream stream, std::string_view bytes) {
    BOOST_TEST((std::this_thread::get_id() == here));
    heard += stream == OutputStream::standard_output ? "1:" : "2:";
    heard += bytes;
  };
  opened.toolbox->call("echo", json::object(), opened.stop, sink);
  BOOST_TEST(heard == "1:out\n2:err\n");
}

BOOST_AUTO_TEST_CASE(states_come_apart_from_output_and_unknown_events_are_ignored) {
  Opened opened;
  std::vector<std::string> heard;
  opened.toolbox->call_at(
      {}, "echo", json::object(), opened.stop, [&](OutputStream, std::string_view bytes) { heard.emplace_back(bytes); },
      [&](const CallState& state) { heard.push_back(state.state + " " + std::to_string(state.pid)); });
  BOOST_TEST(heard == (std::vector<std::string>{"started 4711", "out\n", "err\n"}), boost::test_tools::per_element());
  heard.clear();
  opened.toolbox->call_at({}, "echo", json::object(), opened.stop, nullptr,
                          [&](const CallState& state) { heard.push_back(state.state); });
  BOOST_TEST(heard == std::vector<std::string>{"started"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_unknown_tool_is_named_with_the_known_ones) {
  Opened opened;
  const ToolOutcome outcome = opened.toolbox->call("ehco", json::object(), opened.stop, {});
  BOOST_TEST((outcome.kind == Kind::not_made));
  BOOST_TEST(outcome.error == "there is no tool \"ehco\"; did you mean 'echo'? The tools are echo, wait");
}

BOOST_AUTO_TEST_CASE(arguments_that_are_not_json_reach_the_plugin_unchanged) {
  Opened opened;
  const OrderedOutcome outcome = opened.toolbox->call_text("echo", "not json \xff", opened.stop, {});
  BOOST_TEST((outcome.kind == Kind::finished));
  BOOST_TEST(outcome.is_error);
  BOOST_TEST(outcome.result.at("metadata").at("bytes") == 10);
}

BOOST_AUTO_TEST_CASE(arguments_that_are_not_utf8_cannot_be_json) {
  Opened opened;
  const ToolOutcome outcome = opened.toolbox->call("echo", {{"text", "\xff"}}, opened.stop, {});
  BOOST_TEST((outcome.kind == Kind::not_made));
  BOOST_TEST(outcome.error == R"(the argument text of echo is not valid UTF-8: \xff)");
  BOOST_TEST(opened.toolbox->call("echo", {{"list", {"\xff"}}}, opened.stop, {}).error ==
             "an argument of echo contains a text that is not valid UTF-8");
}

BOOST_AUTO_TEST_CASE(a_call_that_the_plugin_cannot_make_gives_the_reason) {
  Opened opened;
  const OrderedOutcome outcome = opened.toolbox->call_text("echo", "refuse", opened.stop, {});
  BOOST_TEST((outcome.kind == Kind::not_made));
  BOOST_TEST(outcome.error ==
             "the call of echo could not be made: this test refuses (out of memory, descriptors or threads)");
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_not_an_envelope_is_a_defect_of_the_plugin) {
  for (const char* name : {"no_json", "no_is_error"}) {
    Opened opened(name);
    const ToolOutcome outcome = opened.toolbox->call("echo", json::object(), opened.stop, {});
    BOOST_TEST((outcome.kind == Kind::not_made));
    BOOST_TEST(holds(outcome.error, "this is a defect of the plugin"), outcome.error);
  }
}

BOOST_AUTO_TEST_CASE(a_stop_from_another_thread_reaches_the_running_call) {
  Opened opened;
  std::thread other;
  const auto sink = [&](OutputStream, std::string_view bytes) {
    if (bytes == "waiting\n") other = std::thread([&] { opened.stop.request(StopHow::graceful, "enough"); });
  };
  const ToolOutcome outcome = opened.toolbox->call("wait", json::object(), opened.stop, sink);
  other.join();
  BOOST_TEST((outcome.kind == Kind::cancelled));
  BOOST_TEST(outcome.result["metadata"]["how"] == 1);
  BOOST_TEST(outcome.result["metadata"]["reason"] == "enough");
}

BOOST_AUTO_TEST_CASE(now_overrides_graceful_and_the_first_reason_is_kept) {
  Opened opened;
  const auto sink = [&](OutputStream, std::string_view bytes) {
    if (bytes == "waiting\n") opened.stop.request(StopHow::graceful, "first");
    if (bytes == "not yet\n") opened.stop.request(StopHow::now, "second");
  };
  const ToolOutcome outcome = opened.toolbox->call("wait", {{"stubborn", true}}, opened.stop, sink);
  BOOST_TEST((outcome.kind == Kind::cancelled));
  BOOST_TEST(outcome.result["metadata"]["how"] == 2);
  BOOST_TEST(outcome.result["metadata"]["reason"] == "first");
}

BOOST_AUTO_TEST_CASE(a_stop_from_before_the_call_is_not_forgotten) {
  Opened opened;
  opened.stop.request(StopHow::now, "earlier");
  const ToolOutcome outcome = opened.toolbox->call("wait", {{"stubborn", true}}, opened.stop, {});
  BOOST_TEST((outcome.kind == Kind::cancelled));
  BOOST_TEST(outcome.result["metadata"]["reason"] == "earlier");
}

BOOST_AUTO_TEST_CASE(an_exception_of_the_sink_stops_the_call_and_comes_out_afterwards) {
  Opened opened;
  const auto sink = [](OutputStream, std::string_view) { throw std::runtime_error("the sink broke"); };
  BOOST_CHECK_THROW(opened.toolbox->call("wait", json::object(), opened.stop, sink), std::runtime_error);
}

BOOST_AUTO_TEST_CASE(several_calls_at_once_are_all_stopped_by_one_request) {
  constexpr int count = 8;
  Opened opened;
  std::mutex mutex;
  std::condition_variable changed;
  int waiting = 0;
  const auto sink = [&](OutputStream, std::string_view) {
    const std::lock_guard lock(mutex);
    ++waiting;
    changed.notify_all();
  };
  std::vector<ToolOutcome> outcomes(count);
  std::vector<std::thread> threads;
  for (ToolOutcome& outcome : outcomes) {
    threads.emplace_back([&] { outcome = opened.toolbox->call("wait", json::object(), opened.stop, sink); });
  }
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return waiting == count; });
  }
  opened.stop.request(StopHow::graceful, "all of you");
  for (std::thread& thread : threads) thread.join();
  for (const ToolOutcome& outcome : outcomes) BOOST_TEST((outcome.kind == Kind::cancelled));
}

BOOST_AUTO_TEST_CASE(a_call_is_logged_in_the_span_that_it_is_given) {
  Opened opened;
  const CallPlace place{.span = {"step", {{"state", "A \"b\""}}}};
  opened.toolbox->call_at(place, "echo", json::object(), opened.stop, {}, nullptr);
  BOOST_TEST(holds(opened.log.text(), R"( INFO step{state="A \"b\""}:call{tool=echo}: test_plugin::call: running)"),
             opened.log.text());
  BOOST_TEST(opened.log.tracing.open_spans() == 0u);
}

BOOST_AUTO_TEST_CASE(a_call_with_limits_is_refused_by_a_tool_without_them) {
  Opened opened;
  const CallPlace place{.limits = R"({"network":"deny"})"};
  const ToolOutcome outcome = opened.toolbox->call_at(place, "echo", json::object(), opened.stop, {}, nullptr);
  BOOST_TEST((outcome.kind == Kind::not_made));
  BOOST_TEST(holds(outcome.error, "the tool echo does not support limits of a call"), outcome.error);
  BOOST_TEST(!holds(opened.log.text(), "call{"));
  BOOST_TEST(holds(opened.toolbox->place_problem(place, "echo"), "does not support limits"));
}

BOOST_AUTO_TEST_CASE(the_log_of_the_plugin_reaches_the_tracing_with_its_span_and_fields) {
  Opened opened;
  opened.toolbox->call("echo", json::object(), opened.stop, {});
  BOOST_TEST(holds(opened.log.text(), " INFO call{tool=echo}: test_plugin::call: running answer=42\n"));
  BOOST_TEST(opened.log.tracing.open_spans() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(blobs)

namespace {

int released = 0;

Blob filled_with(const char* text) {
  Blob blob;
  wtool_blob* const out = blob.out();
  out->bytes = view(text);
  out->release = [](wtool_blob* self) noexcept {
    ++released;
    self->release = nullptr;
  };
  return blob;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_a_plugin_has_given_is_released_once_however_it_is_moved) {
  released = 0;
  {
    Blob first = filled_with("first");
    Blob moved = std::move(first);
    BOOST_TEST(!first.filled());  // NOLINT(bugprone-use-after-move)
    BOOST_TEST(moved.text() == "first");
    BOOST_TEST(released == 0);
    moved = filled_with("second");
    BOOST_TEST(moved.text() == "second");
    BOOST_TEST(released == 1);
    moved = std::move(*&moved);
    BOOST_TEST(moved.text() == "second");
    BOOST_TEST(moved.out()->release == nullptr);
    BOOST_TEST(released == 2);
    moved = filled_with("third");
  }
  BOOST_TEST(released == 3);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host
