// What a tool has answered, in the protocol's words; and how texts that are too long are cut.
#include "base/utf8.h"
#include "mcp/results.h"

#include <wtool/tool.h>
#include <yaml-cpp/yaml.h>

#include <boost/test/unit_test.hpp>
#include <string>

#include "base/escape.h"
#include "base/yaml_text.h"
#include "support/text.h"

using wtool::test::holds;

namespace wtool::host::mcp {

using nlohmann::ordered_json;

static const ToolDescription shell{.id = "shell",
                                   .title = "Shell",
                                   .version = "1",
                                   .description = "Runs",
                                   .input_schema = R"({"type":"object"})",
                                   .output_schema = R"({"type":"object","required":["success"]})",
                                   .hints = WTOOL_HINT_DESTRUCTIVE | WTOOL_HINT_OPEN_WORLD};

static OrderedOutcome answered(const ordered_json& content, const ordered_json& metadata, bool is_error = false) {
  const ordered_json envelope{{"content", content}, {"is_error", is_error}, {"metadata", metadata}};
  // The host parses the envelope from text, where a count becomes an unsigned number. Here, it would be a signed one.
  const ordered_json read = ordered_json::parse(envelope.dump());
  return {.kind = ToolOutcome::Kind::finished, .result = read, .is_error = is_error, .error = {}};
}

static ordered_json text(const std::string& words) { return {{"type", "text"}, {"text", words}}; }

static const ResultSettings limits{.output_bytes = 1024, .style = ResultStyle::both};

BOOST_AUTO_TEST_SUITE(mcp_results)

BOOST_AUTO_TEST_CASE(a_short_text_is_whole) {
  BOOST_TEST(cut("", 10).empty());
  BOOST_TEST(cut("0123456789", 10) == "0123456789");
}

BOOST_AUTO_TEST_CASE(a_long_text_keeps_both_ends_and_says_what_is_missing) {
  BOOST_TEST(cut("01234567890123456789", 10) == "01234\n[... 10 bytes left out ...]\n56789");
  BOOST_TEST(cut("0123\n567890123456789", 10) == "0123\n[... 10 bytes left out ...]\n56789");
  BOOST_TEST(cut("01234567890123456789", 10, 1000) == "01234\n[... 990 bytes left out ...]\n56789");
  // Five bytes that are not UTF-8: each takes three bytes in the text.
  const std::string mark = "\xEF\xBF\xBD";
  BOOST_TEST(cut(mark + mark + mark + mark + mark, 6, 5, true) == mark + "\n[... 3 bytes left out ...]\n" + mark);
}

BOOST_AUTO_TEST_CASE(no_character_is_cut_in_two) {
  const std::string text = "aä漢😀ö漢😀aä漢😀ö漢😀";
  for (std::size_t most = 0; most < text.size(); ++most) {
    const std::string kept = cut(text, most);
    BOOST_TEST(is_utf8(kept), most);
    BOOST_TEST(kept.size() <= most + 40);
  }
}

BOOST_AUTO_TEST_CASE(a_tool_has_the_hints_that_differ_from_the_protocols_defaults) {
  const ordered_json tool = tool_object(shell, true);
  BOOST_TEST(tool.at("title") == "Shell");
  BOOST_TEST(!tool.contains("annotations"));
  BOOST_TEST((tool.at("outputSchema") == ordered_json{{"type", "object"}, {"required", {"success"}}}));
  BOOST_TEST(!tool_object(shell, false).contains("outputSchema"));
  ToolDescription other = shell;
  other.output_schema.clear();
  other.hints = WTOOL_HINT_IDEMPOTENT;
  BOOST_TEST(!tool_object(other, true).contains("outputSchema"));
  BOOST_TEST((tool_object(other, true).at("annotations") ==
              ordered_json{{"destructiveHint", false}, {"idempotentHint", true}, {"openWorldHint", false}}));
}

BOOST_AUTO_TEST_CASE(metadata_is_in_the_structured_content_and_in_the_text) {
  const ordered_json metadata{{"success", true}, {"stdout", "hi\n"}};
  const ordered_json result = call_result(shell, answered(ordered_json::array({text("done")}), metadata), limits);
  BOOST_TEST((result.at("structuredContent") == metadata));
  BOOST_TEST((result.at("isError") == false));
  BOOST_TEST((result.at("content") == ordered_json::array({text("done"), text(metadata.dump())})));
}

BOOST_AUTO_TEST_CASE(where_results_are_text_the_metadata_is_not_repeated_as_structure) {
  const ordered_json metadata{{"success", true}, {"stdout", "hi\n"}};
  const ordered_json result = call_result(shell, answered(ordered_json::array({text(metadata.dump())}), metadata),
                                          {.output_bytes = 1024, .style = ResultStyle::text});
  BOOST_TEST((result == ordered_json{{"content", ordered_json::array({text(metadata.dump())})}, {"isError", false}}));
}

BOOST_AUTO_TEST_CASE(a_text_that_is_the_metadata_is_there_once) {
  const ordered_json metadata{{"success", true}, {"stdout", std::string(5000, 'x')}};
  const ordered_json result =
      call_result(shell, answered(ordered_json::array({text(metadata.dump(2))}), metadata), limits);
  BOOST_TEST(result.at("content").size() == 1);
  BOOST_TEST(holds(result.at("content")[0].at("text").get<std::string>(), "left out"));
}

BOOST_AUTO_TEST_CASE(streams_are_cut_and_their_flags_say_so) {
  const std::string much(10'000, 'x');
  const ordered_json result = call_result(shell,
                                          answered(ordered_json::array({text(much)}), {{"success", true},
                                                                                       {"stdout", much},
                                                                                       {"stderr", "short"},
                                                                                       {"partial_stdout", much},
                                                                                       {"stdout_truncated", false},
                                                                                       {"stderr_truncated", false},
                                                                                       {"stdout_bytes", 1'000'000},
                                                                                       {"truncated", false}}),
                                          limits);
  const ordered_json& cut_data = result.at("structuredContent");
  BOOST_TEST(holds(cut_data.at("stdout").get<std::string>(), "[... 998976 bytes left out ...]"));
  BOOST_TEST(holds(cut_data.at("partial_stdout").get<std::string>(), "left out"));
  BOOST_TEST((cut_data.at("stdout_truncated") == true));
  BOOST_TEST((cut_data.at("truncated") == true));
  BOOST_TEST((cut_data.at("stderr_truncated") == false));
  BOOST_TEST((cut_data.at("stderr") == "short"));
  BOOST_TEST(result.at("content")[0].at("text").get<std::string>().size() < 7000);
}

BOOST_AUTO_TEST_CASE(an_output_of_a_session_that_is_cut_is_flagged_and_warned_of) {
  const auto cut_one = [](ordered_json metadata) {
    metadata["success"] = true;
    return call_result(shell, answered(ordered_json::array({text(metadata.dump())}), metadata), limits)
        .at("structuredContent");
  };
  const ordered_json both =
      cut_one({{"stdout", std::string(10'000, 'x')}, {"stderr", std::string(5'000, 'y')}, {"duration", 1}});
  BOOST_TEST((both.at("truncated") == true));
  BOOST_TEST(
      both.at("warning") ==
      "stdout had 10000 bytes, and only 1024 of them are shown: its beginning and its end; stderr had 5000 bytes, "
      "and only 1024 of them are shown: its beginning and its end");
  BOOST_TEST(both.at("stdoutBytes") == 10000);
  BOOST_TEST(both.at("stderrBytes") == 5000);
  // The tool has cut the stream, too: it knows how much there was, but not how much is shown now.
  const auto warned = [](const char* shown) {
    return std::string("x; stdout had 9000000 bytes, and only ") + shown +
           " of them are shown: its beginning and its end";
  };
  const ordered_json earlier = cut_one({{"stdout", std::string(10'000, 'x')},
                                        {"truncated", true},
                                        {"warning", warned("1048576")},
                                        {"stdoutBytes", 9'000'000}});
  BOOST_TEST(earlier.at("warning") == warned("1024"));
  BOOST_TEST(holds(earlier.at("stdout").get<std::string>(), "[... 8998976 bytes left out ...]"));
  BOOST_TEST(!cut_one({{"stdout", "short"}}).contains("truncated"));
}

BOOST_AUTO_TEST_CASE(the_output_of_execute_run_is_cut_wherever_it_is) {
  ToolDescription run = shell;
  run.output_schema = R"({"type":"object","required":["ok"]})";
  const std::string much(10'000, 'x');
  const auto structured = [&](const ordered_json& metadata) {
    return call_result(run, answered(ordered_json::array({text(metadata.dump())}), metadata), limits);
  };
  const ordered_json good = structured({{"ok", true}, {"value", {{"output", much}}}});
  BOOST_TEST(
      holds(good.at("structuredContent").at("value").at("output").get<std::string>(), "[... 8976 bytes left out"));
  BOOST_TEST(good.at("content").size() == 1U);
  const ordered_json failed = structured({{"ok", false}, {"error", "e"}, {"output", much}});
  BOOST_TEST(failed.at("structuredContent").at("output").get<std::string>().size() < 1200U);
}

BOOST_AUTO_TEST_CASE(what_another_tool_does_not_show_of_an_output_can_be_read) {
  OutputStore store(1 << 20);
  const auto output = store.open();
  const std::string much(5000, 'x');
  output->add(OutputStream::standard_output, much);
  const auto last_block = [&](const ordered_json& metadata, bool has_tool = true) {
    const ordered_json result = call_result(
        shell, answered(ordered_json::array({text(metadata.dump())}), metadata),
        {.output_bytes = 1024, .style = ResultStyle::text, .has_output_read = has_tool}, [] { return 7; },
        output.get());
    return result.at("content").back().at("text").get<std::string>();
  };
  const std::string whole = "[the whole output: output_read {\"output\":7}]";
  BOOST_TEST(last_block({{"ok", true}, {"value", {{"output", much}}}}) == whole);
  BOOST_TEST(last_block({{"ok", false}, {"error", "e"}, {"output", much}}) == whole);
  BOOST_TEST(last_block({{"success", true}, {"stdout", much}}) == whole);
  BOOST_TEST(last_block({{"ok", false}, {"error", "Command timed out"}}) == whole);
  BOOST_TEST(!holds(last_block({{"success", true}, {"stdout", "short"}}), "output_read"));
  BOOST_TEST(!holds(last_block({{"success", true}, {"stdout", much}}, false), "output_read"));
  output->add(OutputStream::standard_error, "why");
  BOOST_TEST(last_block({{"success", true}, {"stdout", much}}) ==
             "[the whole output: output_read {\"output\":7} and {\"output\":7,\"stream\":\"stderr\"}]");
}

BOOST_AUTO_TEST_CASE(the_text_of_execute_command_stays_yaml_when_it_is_cut) {
  ToolDescription tool = shell;
  tool.id = "execute_command";
  std::string lines;
  for (int i = 0; i < 5000; ++i) lines += "a\n";
  const auto text_for = [&](const std::string& out) {
    const ordered_json metadata{{"exit_code", 3},
                                {"stdout", out},
                                {"stderr", "why\n"},
                                {"stdout_bytes", out.size()},
                                {"stdout_truncated", false},
                                {"encoding", "utf-8"}};
    const std::string yaml = yaml_result(3, out, "why\n");
    return call_result(tool, answered(ordered_json::array({text(yaml)}), metadata), limits)
        .at("content")[0]
        .at("text")
        .get<std::string>();
  };
  BOOST_TEST(text_for("short\n") == yaml_result(3, "short\n", "why\n"));
  for (const std::string& out : {lines, std::string(10'000, '\x1b')}) {
    const YAML::Node node = YAML::Load(text_for(out));
    BOOST_TEST(node["exit_code"].as<int>() == 3);
    BOOST_TEST(node["stderr"].as<std::string>() == "why\n");
    BOOST_TEST(node["stdout"].as<std::string>() == cut(out, limits.output_bytes));
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_as_the_schema_says_is_not_structured) {
  const ordered_json result =
      call_result(shell, answered(ordered_json::array({text("no")}), {{"error", {{"code", "c"}}}}, true), limits);
  BOOST_TEST(!result.contains("structuredContent"));
  BOOST_TEST((result.at("isError") == true));
  BOOST_TEST(result.at("content").size() == 2);
  ToolDescription other = shell;
  other.output_schema = R"({"type":"object"})";
  BOOST_TEST(call_result(other, answered({}, {{"error", 1}}, true), limits).contains("structuredContent"));
}

namespace {

ToolDescription shell_execute() {
  ToolDescription tool = shell;
  tool.id = "shell_execute";
  tool.output_schema = R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"})";
  return tool;
}

std::string shell_text(ordered_json metadata, bool is_error = false) {
  metadata["command"] = "the command";
  const ordered_json result =
      call_result(shell_execute(), answered(ordered_json::array({text("a sentence")}), metadata, is_error),
                  {.output_bytes = 1024, .style = ResultStyle::text});
  BOOST_TEST(!result.contains("structuredContent"));
  BOOST_TEST(result.at("content").size() == 1U);
  return result.at("content")[0].at("text");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_result_names_the_option_that_opens_the_network) {
  const std::string option = "unless the person starts this server with --network";
  const auto text_of = [](const char* refused, bool network_is_option) {
    const ordered_json metadata{{"exit_code", 1}, {"sandbox", {{"refused", {refused}}}}};
    return call_result(shell_execute(), answered(ordered_json::array({text("a sentence")}), metadata, true),
                       {.output_bytes = 1024, .network_is_option = network_is_option})
        .at("content")[0]
        .at("text")
        .get<std::string>();
  };
  const char* const by_configuration = "network access (sandbox.network is deny)";
  BOOST_TEST(text_of(by_configuration, true).find(option) != std::string::npos);
  for (const std::string& other : {text_of(by_configuration, false), text_of("a read outside /r: /x", true),
                                   text_of("network access (the call's limit network is deny)", true)}) {
    BOOST_TEST(other.find(option) == std::string::npos, other);
  }
}

BOOST_AUTO_TEST_CASE(a_command_result_is_its_output_and_a_last_line) {
  BOOST_TEST(shell_text({{"exit_code", 0}, {"stdout", "hi\n"}, {"stderr", ""}, {"execution_time_ms", 3}}) ==
             "hi\n[exit 0, 3 ms]");
  BOOST_TEST(shell_text({{"exit_code", 0}, {"stdout", ""}, {"stderr", ""}, {"execution_time_ms", 3}}) ==
             "[exit 0, 3 ms]");
  BOOST_TEST(shell_text({{"exit_code", 2},
                         {"stdout", "no end"},
                         {"stderr", "why\n"},
                         {"execution_time_ms", 3},
                         {"error", {{"code", "exit_nonzero"}, {"message", "Command failed"}, {"hint", ""}}}},
                        true) == "no end\n[stderr]\nwhy\n[exit 2, 3 ms]");
}

BOOST_AUTO_TEST_CASE(a_command_that_did_not_end_by_itself_says_how_it_ended) {
  BOOST_TEST(shell_text({{"partial_stdout", "so far\n"},
                         {"partial_stderr", ""},
                         {"error", {{"code", "timed_out"}, {"message", "Command timed out"}, {"hint", "do less"}}}},
                        true) == "so far\n[Command timed out; do less]");
  BOOST_TEST(shell_text({{"error", {{"code", "policy_denied"}, {"message", "No"}, {"hint", "use ls"}}}}, true) ==
             "[No; use ls]");
}

BOOST_AUTO_TEST_CASE(the_last_line_says_what_a_model_cannot_see_in_the_output) {
  const std::string said =
      shell_text({{"exit_code", 0},
                  {"stdout", std::string(5000, 'x')},
                  {"stdout_bytes", 70000},
                  {"stdout_truncated", true},
                  {"output_file", "/tmp/all"},
                  {"background_processes_ended", 1},
                  {"background_processes", {"sleep"}},
                  {"protected_changed", {"/r/.envrc"}},
                  {"put_aside", {{{"path", "/r/.git"}, {"to", "/r/x"}}}},
                  {"processes_left_count", 23},
                  {"processes_left", {{{"pid", 7}, {"name", "dd"}}}},
                  {"sandbox", {{"refused", {"a read outside /r: /x"}}, {"not_enforced", {"network: none"}}}},
                  {"encoding", "utf-8, invalid bytes replaced"},
                  {"audit_error", "the trail is full"}});
  for (const char* part :
       {"[... 68976 bytes left out ...]", "stdout had 70000 bytes", "all output is in /tmp/all",
        "ended with the command: sleep", "/r/.envrc", "/r/.git", "\"dd\"} and 22 more", "refused a read outside /r: /x",
        "network: none", "invalid bytes replaced", "the trail is full"}) {
    BOOST_TEST(holds(said, part), part << " in " << said.substr(1000));
  }
}

BOOST_AUTO_TEST_CASE(the_last_line_says_why_background_processes_were_not_kept) {
  BOOST_TEST(shell_text({{"exit_code", 0},
                         {"background_processes_ended", 1},
                         {"background_processes", {"sleep"}},
                         {"background_processes_ended_because", "64 are kept already"}}) ==
             "[exit 0; ended with the command: sleep; they were not left running, because 64 are kept already]");
}

BOOST_AUTO_TEST_CASE(a_result_that_was_cut_says_how_to_read_the_rest) {
  const auto last_line = [](ordered_json metadata, bool has_tool = true) {
    metadata["exit_code"] = 0;
    const ordered_json result =
        call_result(shell_execute(), answered(ordered_json::array({text("a sentence")}), metadata),
                    {.output_bytes = 1024, .style = ResultStyle::text, .has_output_read = has_tool}, [] { return 7; });
    const std::string all = result.at("content")[0].at("text");
    return all.substr(all.rfind('['));
  };
  const std::string much(5000, 'x');
  const ordered_json cut_one{{"stdout", much}, {"stdout_truncated", false}, {"encoding", "utf-8"}};
  BOOST_TEST(holds(last_line(cut_one), "; the rest: output_read {\"output\":7,\"offset\":512}]"), last_line(cut_one));
  BOOST_TEST(!holds(last_line(cut_one, false), "output_read"));
  BOOST_TEST(!holds(last_line({{"stdout", "short"}, {"stdout_truncated", false}}), "output_read"));
  BOOST_TEST(holds(last_line({{"partial_stderr", much}, {"stderr_truncated", false}, {"encoding", "utf-8"}}),
                   "output_read {\"output\":7,\"stream\":\"stderr\",\"offset\":512}"));
  // The replacement for an invalid byte is three bytes long.
  BOOST_TEST(
      holds(last_line({{"stdout", much}, {"stdout_truncated", false}, {"encoding", "utf-8, invalid bytes replaced"}}),
            "\"offset\":170}"));
}

BOOST_AUTO_TEST_CASE(of_an_output_with_nul_bytes_the_text_has_the_beginning_and_says_how_to_read_the_rest) {
  std::string binary(5000, 'x');
  binary[4000] = '\0';
  const auto result = [&](const std::string& out, ResultStyle style, bool has_tool = true) {
    const ordered_json metadata{{"exit_code", 0},
                                {"stdout", out},
                                {"stderr", "why\n"},
                                {"stdout_truncated", false},
                                {"stdout_bytes", out.size()},
                                {"encoding", "utf-8"}};
    return call_result(shell_execute(), answered(ordered_json::array({text("a sentence")}), metadata),
                       {.output_bytes = 16384, .style = style, .has_output_read = has_tool}, [] { return 7; });
  };
  const auto words = [](const ordered_json& one) { return one.at("content")[0].at("text").get<std::string>(); };
  BOOST_TEST(words(result(binary, ResultStyle::text)) ==
             std::string(512, 'x') +
                 "\n[... 4488 bytes left out ...]\n[stderr]\nwhy\n[exit 0; stdout is binary and had 5000 bytes; "
                 "the rest: output_read {\"output\":7,\"offset\":512}]");
  // Nothing is left out that nothing could show, and structured results stay whole.
  BOOST_TEST(holds(words(result(binary, ResultStyle::text, false)), binary));
  BOOST_TEST((result(binary, ResultStyle::structured).at("structuredContent").at("stdout") == binary));
  BOOST_TEST((result(binary, ResultStyle::both).at("structuredContent").at("stdout") == binary));
  const std::string names("a\0b\0", 4);
  BOOST_TEST(words(result(names, ResultStyle::text)) == names + "\n[stderr]\nwhy\n[exit 0]");
}

BOOST_AUTO_TEST_CASE(the_name_of_a_stream_chooses_the_member_for_its_rest) {
  const auto structured = [](ordered_json metadata) {
    metadata["exit_code"] = 0;
    return call_result(shell_execute(), answered(ordered_json::array({text("a sentence")}), metadata),
                       {.output_bytes = 1024, .style = ResultStyle::structured, .has_output_read = true},
                       [] { return 7; })
        .at("structuredContent");
  };
  const ordered_json rest_of_out{{"output", 7}, {"offset", 512}};
  const ordered_json rest_of_err{{"output", 7}, {"stream", "stderr"}, {"offset", 512}};
  ordered_json metadata{{"stdout", std::string(5000, 'x')},
                        {"stderr", std::string(5000, 'y')},
                        {"stdout_truncated", false},
                        {"stderr_truncated", false},
                        {"encoding", "utf-8"}};
  const ordered_json both = structured(metadata);
  BOOST_TEST((both.at("output_read") == rest_of_out));
  BOOST_TEST((both.at("output_read_stderr") == rest_of_err));
  metadata["stdout"] = "short";
  const ordered_json errors = structured(metadata);
  BOOST_TEST((errors.at("output_read_stderr") == rest_of_err));
  BOOST_TEST(!errors.contains("output_read"));
}

BOOST_AUTO_TEST_CASE(structured_results_leave_out_what_goes_without_saying) {
  const ordered_json sandbox{{"enforced", {"network: none"}}, {"not_enforced", ordered_json::array()}};
  const ordered_json metadata{{"command", "the command"}, {"exit_code", 0},
                              {"stdout", "hi\n"},         {"stderr", ""},
                              {"stdout_bytes", 3},        {"stdout_truncated", false},
                              {"encoding", "utf-8"},      {"resources", {{"processes", 1}}},
                              {"sandbox", sandbox},       {"working_directory", "/r"},
                              {"execution_time_ms", 3}};
  const ordered_json expected{{"exit_code", 0}, {"stdout", "hi\n"}, {"execution_time_ms", 3}};
  for (const ResultStyle style : {ResultStyle::structured, ResultStyle::both}) {
    const ordered_json result =
        call_result(shell_execute(), answered(ordered_json::array({text("a sentence")}), metadata),
                    {.output_bytes = 1024, .style = style});
    BOOST_TEST((result.at("structuredContent") == expected), result.dump());
    BOOST_TEST(result.at("content")[0].at("text") ==
               (style == ResultStyle::both ? "hi\n[exit 0, 3 ms]" : expected.dump()));
  }
}

BOOST_AUTO_TEST_CASE(structured_results_show_what_the_sandbox_refused_and_hints_that_say_something) {
  const auto structured = [](const ordered_json& metadata) {
    return call_result(shell_execute(), answered(ordered_json::array(), metadata, true),
                       {.output_bytes = 1024, .style = ResultStyle::structured})
        .at("structuredContent");
  };
  const ordered_json refused{
      {"enforced", {"network: none"}}, {"not_enforced", ordered_json::array()}, {"refused", {"x"}}};
  BOOST_TEST((structured({{"sandbox", refused}}).at("sandbox") == refused));
  const ordered_json gap{{"enforced", ordered_json::array()}, {"not_enforced", {"network: none"}}};
  BOOST_TEST((structured({{"sandbox", gap}}).at("sandbox") == gap));
  const auto error = [](const char* hint) { return ordered_json{{"code", "c"}, {"message", "m"}, {"hint", hint}}; };
  BOOST_TEST((structured({{"error", error("do")}}).at("error") == error("do")));
  BOOST_TEST((structured({{"error", error("")}}).at("error") == ordered_json{{"code", "c"}, {"message", "m"}}));
}

BOOST_AUTO_TEST_CASE(an_output_that_is_shown_whole_has_lost_nothing_even_if_it_could_not_be_kept) {
  OutputStore full(0);
  const auto output = full.open();
  output->add(OutputStream::standard_output, "hi\n");
  BOOST_TEST(output->size(OutputStream::standard_output).lost() == 3U);
  const auto result = [&](bool is_cut) {
    return call_result(
               shell_execute(), answered(ordered_json::array(), {{"stdout", "hi\n"}, {"stdout_truncated", is_cut}}),
               {.output_bytes = 1024, .style = ResultStyle::structured, .has_output_read = true}, [] { return 1; },
               output.get())
        .at("structuredContent");
  };
  BOOST_TEST(!result(false).contains("lost_bytes"));
  BOOST_TEST(result(true).at("lost_bytes") == 3);
}

BOOST_AUTO_TEST_CASE(a_call_that_was_not_made_is_an_error_with_its_reason) {
  const ordered_json result = call_result(
      shell, {.kind = ToolOutcome::Kind::not_made, .result = {}, .is_error = false, .error = "why"}, limits);
  BOOST_TEST((result == ordered_json{{"content", ordered_json::array({text("why")})}, {"isError", true}}));
}

BOOST_AUTO_TEST_CASE(a_number_must_be_whole_and_not_below_the_least) {
  BOOST_TEST(number_problem("wait", 0U, 0U) == "");
  BOOST_TEST(number_problem("wait", 5U, 5U) == "");
  BOOST_TEST(number_problem("wait", 4U, 5U) == "wait must be a whole number from 5, but is 4");
  BOOST_TEST(number_problem("wait", -1, 0U) == "wait must be a whole number from 0, but is -1");
  BOOST_TEST(number_problem("wait", 1.5, 0U) == "wait must be a whole number from 0, but is 1.5");
  BOOST_TEST(number_problem("offset", "x", 0U) == "offset must be a whole number from 0, but is \"x\"");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host::mcp
