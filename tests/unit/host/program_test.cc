// The program `wtool` with the tests' own plugin: what it prints where, and what its exit status is.
#include <signal.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.h"
#include "support/text.h"

using wtool::test::holds;

namespace wtool::host {

using nlohmann::json;

static std::string built(const std::string& name) { return std::string(HOST_TEST_PLUGINS) + '/' + name + ".so"; }

// The arguments, with the good plugin before them.
static std::vector<std::string> with_plugin(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"--plugin", built("good")});
  return arguments;
}

static Finished wtool(std::vector<std::string> arguments, const Program::Options& options = {}) {
  return run_program(with_plugin(std::move(arguments)), options);
}

static std::string write(const std::string& name, const std::string& text) {
  const std::string path = program_folder() + '/' + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

BOOST_AUTO_TEST_SUITE(call)

BOOST_AUTO_TEST_CASE(only_the_result_is_on_standard_output) {
  const Finished finished = wtool({"call", "echo", R"({"a": [1]})"});
  BOOST_TEST(finished.status == 0, finished.err);
  BOOST_TEST(finished.err == "");
  BOOST_TEST(finished.out == R"({
  "content": [
    {
      "type": "text",
      "text": "echoed"
    }
  ],
  "is_error": false,
  "metadata": {
    "bytes": 10,
    "arguments": {
      "a": [
        1
      ]
    },
    "config": {}
  }
}
)");
}

BOOST_AUTO_TEST_CASE(a_plugin_without_a_cluster_does_not_run_calls_here_instead) {
  const Finished finished = wtool({"call", "--on", "cluster", "echo"});
  BOOST_TEST(finished.status == 2);
  BOOST_TEST(finished.out == "");
  BOOST_TEST(holds(finished.err, "--on cluster needs the plugin cluster_tools"), finished.err);
}

BOOST_AUTO_TEST_CASE(arguments_come_from_the_word_standard_input_a_file_or_are_empty) {
  const auto arguments = [](const Finished& finished) { return json::parse(finished.out)["metadata"]["arguments"]; };
  BOOST_TEST(arguments(wtool({"call", "echo"})) == json::object());
  BOOST_TEST(arguments(wtool({"call", "echo", "-"}, {.input = R"({"from": "stdin"})"})) == json({{"from", "stdin"}}));
  const std::string file = write("arguments.json", "{\"from\": \"file\"}\n");
  BOOST_TEST(arguments(wtool({"call", "echo", "@" + file})) == json({{"from", "file"}}));
  BOOST_TEST(arguments(wtool({"call", "echo", "@arguments.json"})) == json({{"from", "file"}}));
}

BOOST_AUTO_TEST_CASE(arguments_that_are_not_an_object_are_passed_on_unchanged) {
  for (const char* text : {"", "[1, 2]", "\"x\"", "[", " "}) {
    const Finished finished = wtool({"call", "echo", text});
    BOOST_TEST(finished.status == 1, text << ": " << finished.err);
    BOOST_TEST(json::parse(finished.out)["metadata"]["bytes"] == std::string(text).size(), text);
  }
  const Finished negative = wtool({"call", "echo", "--", "-5"});
  BOOST_TEST(negative.status == 1, negative.err);
}

BOOST_AUTO_TEST_CASE(a_word_that_names_no_parameter_makes_no_call) {
  for (const char* text : {"hello", "null", "5", "/option", "a b=c", "%x"}) {
    const Finished finished = wtool({"call", "echo", text});
    BOOST_TEST(finished.status == 2, text << ": " << finished.err);
    BOOST_TEST(finished.out == "");
  }
}

BOOST_AUTO_TEST_CASE(arguments_that_cannot_be_read_are_an_error_with_their_name) {
  Finished finished = wtool({"call", "echo", "@none.json"});
  BOOST_TEST(finished.status == 2);
  BOOST_TEST(finished.out == "");
  BOOST_TEST(finished.err == "wtool: cannot read none.json: No such file or directory\n");
  finished = wtool({"call", "echo", "@"});
  BOOST_TEST(finished.status == 2);
  BOOST_TEST(holds(finished.err, "must be followed by the name of a file"));
  finished = wtool({"call", "echo", "@/dev/zero"});
  BOOST_TEST(finished.status == 2);
  BOOST_TEST(holds(finished.err, "16777216 bytes"));
}

BOOST_AUTO_TEST_CASE(an_unknown_tool_is_wrong_usage) {
  const Finished finished = wtool({"call", "ecko"});
  BOOST_TEST(finished.status == 2);
  BOOST_TEST(finished.out == "");
  BOOST_TEST(finished.err == "wtool: there is no tool \"ecko\"; did you mean 'echo'? The tools are echo, wait\n");
}

BOOST_AUTO_TEST_CASE(live_output_goes_to_standard_error_only_when_it_is_asked_for) {
  BOOST_TEST(wtool({"call", "echo"}).err == "");
  const Finished finished = wtool({"call", "echo", "--stream"});
  BOOST_TEST(finished.err == "out\nerr\n");
  BOOST_TEST(json::parse(finished.out)["is_error"] == false);
}

BOOST_AUTO_TEST_CASE(ctrl_c_cancels_gracefully_prints_the_result_and_exits_with_130) {
  Program program(with_plugin({"call", "wait", "--stream"}), {});
  BOOST_TEST_REQUIRE(program.wait_for_error_text("waiting"));
  program.signal(SIGINT);
  const Finished finished = program.finish();
  BOOST_TEST(finished.status == 130, finished.err);
  const json result = json::parse(finished.out);
  BOOST_TEST(result["metadata"]["how"] == 1);
  BOOST_TEST(result["metadata"]["reason"] == "interrupted by Ctrl-C");
}

BOOST_AUTO_TEST_CASE(a_second_signal_says_now) {
  Program program(with_plugin({"call", "wait", "{\"stubborn\": 1}", "--stream"}), {});
  BOOST_TEST_REQUIRE(program.wait_for_error_text("waiting"));
  program.signal(SIGTERM);
  BOOST_TEST_REQUIRE(program.wait_for_error_text("not yet"));
  program.signal(SIGINT);
  const Finished finished = program.finish();
  BOOST_TEST(finished.status == 128 + SIGTERM);
  BOOST_TEST(json::parse(finished.out)["metadata"]["how"] == 2);
}

BOOST_AUTO_TEST_CASE(a_third_signal_ends_the_program_whatever_the_tool_does) {
  Program program(with_plugin({"call", "wait", "{\"never\": 1}", "--stream"}), {});
  BOOST_TEST_REQUIRE(program.wait_for_error_text("waiting"));
  program.signal(SIGINT);
  BOOST_TEST_REQUIRE(program.wait_for_error_text("not yet"));
  program.signal(SIGINT);
  BOOST_TEST_REQUIRE(program.wait_for_error_text("still not"));
  program.signal(SIGINT);
  BOOST_TEST(program.finish().status == 128 + SIGINT);
}

BOOST_AUTO_TEST_CASE(the_plugin_is_ended_in_order_and_its_log_is_on_standard_error) {
  const Finished finished = wtool({"call", "echo", "--log", "info"});
  BOOST_TEST(finished.status == 0);
  BOOST_TEST(json::parse(finished.out)["is_error"] == false);
  BOOST_TEST(holds(finished.err, " INFO call{tool=echo}: test_plugin::call: running answer=42\n"));
  BOOST_TEST(finished.err.rfind("destroy") < finished.err.find("deinit"));
}

BOOST_AUTO_TEST_CASE(a_standard_output_that_cannot_be_written_to_is_an_error) {
  for (const auto& arguments : {std::vector<std::string>{"call", "echo"}, {"tools"}, {"--version"}, {"--help"}}) {
    const Finished full = wtool(arguments, {.out_file = "/dev/full"});
    BOOST_TEST(full.status == 2);
    BOOST_TEST(full.err == "wtool: cannot write to standard output: No space left on device\n");
    const Finished closed = wtool(arguments, {.close_out = true});
    BOOST_TEST(closed.status == 2);
    BOOST_TEST(closed.err == "wtool: cannot write to standard output: Broken pipe\n");
    const Finished none = wtool(arguments, {.no_out = true});
    BOOST_TEST(none.status == 2);
    BOOST_TEST(none.err == "wtool: cannot write to standard output: Bad file descriptor\n");
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(options)

BOOST_AUTO_TEST_CASE(options_of_every_command_may_come_before_or_after_it) {
  const std::string config = write("options.yaml", "limits: {timeout_max: 7}\n");
  for (const auto& arguments : {std::vector<std::string>{"--plugin", built("good"), "--config", config, "--log", "info",
                                                         "--log-format", "json", "call", "echo"},
                                {"call", "--plugin", built("good"), "echo", "--config=" + config, "--log", "info", "{}",
                                 "--log-format", "json"}}) {
    const Finished finished = run_program(arguments);
    BOOST_TEST_REQUIRE(finished.status == 0, finished.err);
    BOOST_TEST(json::parse(finished.out)["metadata"]["config"]["limits"]["timeout_max"] == 7);
    BOOST_TEST(json::parse(finished.err.substr(0, finished.err.find('\n')))["target"] == "test_plugin::call");
  }
}

BOOST_AUTO_TEST_CASE(the_environment_sets_the_filter_and_the_option_overrides_it) {
  BOOST_TEST(holds(wtool({"call", "echo"}, {.environment = {{"WTOOL_LOG", "test_plugin=info"}}}).err, "running"));
  BOOST_TEST(wtool({"call", "echo", "--log", "off"}, {.environment = {{"WTOOL_LOG", "trace"}}}).err == "");
  const Finished finished = wtool({"call", "echo"}, {.environment = {{"WTOOL_LOG", "loud"}}});
  BOOST_TEST(finished.status == 2);
  BOOST_TEST(holds(finished.err, "wtool: WTOOL_LOG: the log filter has \"loud\""));
}

BOOST_AUTO_TEST_CASE(wrong_usage_exits_with_2_and_says_what_is_allowed) {
  for (const auto& [arguments, text] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{}, "a command is missing\n  commands: tools, call"},
           {{"tool"}, "there is no command \"tool\"; did you mean 'tools'?"},
           {{"call"}, "TOOL"},
           {{"call", "echo", "--strem"},
            "there is no option --strem; did you mean '--stream'?\n  options: --help, --stdin, --limits, --stream, "
            "--explain, --raw, --on, --directory, "
            "--plugin"},
           {{"call", "echo", "--dry-run"}, "no option --dry-run; `--explain` shows what the call would do"},
           {{"tools", "--dry-run"}, "no option --dry-run; `wtool plan WORKFLOW` shows what a run would do"},
           {{"call", "echo", "{}", "more"}, "\"more\" is one word too many"},
           {{"tools", "--jsn"}, "did you mean '--json'?"},
           {{"tools", "--plugin"}, "--plugin"},
           {{"tools", "--config="}, "--config"},
           {{"tools", "--log", ""}, "--log"},
           {{"tools", "--log", "loud"}, "off, error, warn, info, debug and trace"},
           {{"tools", "--log-format", "xml"}, "text and json"},
       }) {
    const Finished finished = wtool(arguments);
    BOOST_TEST(finished.status == 2, text);
    BOOST_TEST(finished.out == "");
    BOOST_TEST(holds(finished.err, text), finished.err);
  }
}

BOOST_AUTO_TEST_CASE(help_and_version_go_to_standard_output) {
  BOOST_TEST(holds(run_program({"--version"}).out, "wtool 0."));
  for (const auto& arguments : {std::vector<std::string>{"--help"}, {"call", "--help"}, {"tools", "-h"}}) {
    const Finished finished = run_program(arguments);
    BOOST_TEST(finished.status == 0);
    BOOST_TEST(finished.err == "");
    BOOST_TEST(holds(finished.out, "Examples:"));
    BOOST_TEST(holds(finished.out, "--log-format"), finished.out);
  }
}

BOOST_AUTO_TEST_CASE(a_wrong_configuration_is_reported_with_its_place) {
  const std::string config = write("wrong.yaml", "limits:\n  timeout_max: 0\n");
  for (const auto& arguments :
       {std::vector<std::string>{"call", "echo", "--config", config}, {"tools", "--config", config}}) {
    const Finished finished = wtool(arguments);
    BOOST_TEST(finished.status == 2);
    BOOST_TEST(finished.out == "");
    BOOST_TEST(holds(finished.err, "wrong.yaml:2:16: limits.timeout_max must be"));
  }
}

BOOST_AUTO_TEST_CASE(a_plugin_is_found_in_the_search_path_and_a_bad_one_is_named) {
  const std::string folder = program_folder() + "/plugins";
  std::filesystem::create_directory(folder);
  std::filesystem::copy_file(built("good"), folder + "/mine.so", std::filesystem::copy_options::overwrite_existing);
  const std::string program = std::string(WTOOL_TEST_PROGRAM);
  // The search path decides only if no plugin is beside the program.
  const std::string beside = program.substr(0, program.rfind("/bin/")) + "/lib/wtool/shell_tools.so";
  if (!std::filesystem::exists(beside)) {
    BOOST_TEST(holds(run_program({"tools"}, {.environment = {{"WTOOL_PLUGIN_PATH", folder}}}).out, "echo"));
    const Finished none = run_program({"tools"});
    BOOST_TEST(none.status == 2);
    BOOST_TEST(holds(none.err, beside));
  }
  const Finished bad = run_program({"tools", "--plugin", built("no_symbol")});
  BOOST_TEST(bad.status == 2);
  BOOST_TEST(holds(bad.err, "no_symbol.so cannot be used: it has no symbol wtool_entry_v1"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(tools)

BOOST_AUTO_TEST_CASE(the_table_has_a_line_for_each_tool) {
  BOOST_TEST(wtool({"tools"}).out ==
             "TOOL  TITLE         DESCRIPTION\n"
             "echo  Say it again  Answers with its arguments.\n"
             "wait  Wait          Waits until it is cancelled.\n");
}

BOOST_AUTO_TEST_CASE(json_has_everything) {
  const json tools = json::parse(wtool({"tools", "--json"}).out);
  BOOST_TEST_REQUIRE(tools.size() == 2u);
  BOOST_TEST(tools[0] == json::parse(R"({"id": "echo", "title": "Say it again", "version": "1.2.3",
    "description": "Answers with its arguments.\nA second line.",
    "hints": {"read_only": true, "destructive": false, "idempotent": true, "open_world": false},
    "input_schema": {"type": "object"}, "output_schema": {"type": "object", "required": ["bytes"]}})"));
  BOOST_TEST(tools[1]["output_schema"].is_null());
}

BOOST_AUTO_TEST_CASE(listing_does_not_initialise_the_plugin) {
  BOOST_TEST(run_program({"tools", "--plugin", built("init_fails")}).status == 0);
  const Finished finished = run_program({"call", "echo", "--plugin", built("init_fails")});
  BOOST_TEST(finished.status == 2);
  BOOST_TEST(holds(finished.err, "could not be initialised: the moon is not full"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host
