// What a tool has answered, in the protocol's words; and how long texts are cut.
#include "base/utf8.h"
#include "mcp/results.h"

#include <wtool/tool.h>

#include <boost/test/unit_test.hpp>
#include <string>

#include "tracing/escape.h"

namespace wtool::host::mcp {

using nlohmann::ordered_json;

static const ToolDescription shell{.id = "shell",
                                   .title = "Shell",
                                   .version = "1",
                                   .description = "Runs",
                                   .input_schema = R"({"type":"object"})",
                                   .output_schema = R"({"type":"object","required":["success"]})",
                                   .hints = WTOOL_HINT_DESTRUCTIVE | WTOOL_HINT_OPEN_WORLD};

static TextOutcome answered(const ordered_json& content, const ordered_json& metadata, bool is_error = false) {
  const ordered_json envelope{{"content", content}, {"is_error", is_error}, {"metadata", metadata}};
  return {.kind = ToolOutcome::Kind::finished, .result = envelope.dump(), .is_error = is_error, .error = {}};
}

static ordered_json text(const std::string& words) { return {{"type", "text"}, {"text", words}}; }

static bool has(const std::string& all, std::string_view part) { return all.find(part) != std::string::npos; }

BOOST_AUTO_TEST_SUITE(mcp_results)

BOOST_AUTO_TEST_CASE(a_short_text_is_whole) {
  BOOST_TEST(cut("", 10).empty());
  BOOST_TEST(cut("0123456789", 10) == "0123456789");
}

BOOST_AUTO_TEST_CASE(a_long_text_keeps_both_ends_and_says_what_is_missing) {
  BOOST_TEST(cut("01234567890123456789", 10) == "01234\n[... 10 bytes left out ...]\n56789");
  BOOST_TEST(cut("0123\n567890123456789", 10) == "0123\n[... 10 bytes left out ...]\n56789");
  BOOST_TEST(cut("01234567890123456789", 10, 1000) == "01234\n[... 990 bytes left out ...]\n56789");
}

BOOST_AUTO_TEST_CASE(no_character_is_cut_in_two) {
  const std::string text = "aä漢😀ö漢😀aä漢😀ö漢😀";
  for (std::size_t most = 0; most < text.size(); ++most) {
    const std::string kept = cut(text, most);
    BOOST_TEST(is_utf8(kept), most);
    BOOST_TEST(kept.size() <= most + 40);
  }
}

BOOST_AUTO_TEST_CASE(a_tool_has_all_four_hints) {
  const ordered_json tool = tool_object(shell);
  BOOST_TEST((tool.at("annotations") == ordered_json{{"title", "Shell"},
                                                     {"readOnlyHint", false},
                                                     {"destructiveHint", true},
                                                     {"idempotentHint", false},
                                                     {"openWorldHint", true}}));
  BOOST_TEST(tool.at("outputSchema").is_object());
  ToolDescription other = shell;
  other.output_schema.clear();
  BOOST_TEST(!tool_object(other).contains("outputSchema"));
}

BOOST_AUTO_TEST_CASE(metadata_is_structured_and_stands_in_the_text_too) {
  const ordered_json metadata{{"success", true}, {"stdout", "hi\n"}};
  const ordered_json result = call_result(shell, answered(ordered_json::array({text("done")}), metadata), 1024);
  BOOST_TEST((result.at("structuredContent") == metadata));
  BOOST_TEST((result.at("isError") == false));
  BOOST_TEST((result.at("content") == ordered_json::array({text("done"), text(metadata.dump())})));
}

BOOST_AUTO_TEST_CASE(a_text_that_is_the_metadata_is_there_once) {
  const ordered_json metadata{{"success", true}, {"stdout", std::string(5000, 'x')}};
  const ordered_json result =
      call_result(shell, answered(ordered_json::array({text(metadata.dump(2))}), metadata), 1024);
  BOOST_TEST(result.at("content").size() == 1);
  BOOST_TEST(has(result.at("content")[0].at("text").get<std::string>(), "left out"));
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
                                          1024);
  const ordered_json& cut_data = result.at("structuredContent");
  BOOST_TEST(has(cut_data.at("stdout").get<std::string>(), "[... 998976 bytes left out ...]"));
  BOOST_TEST(has(cut_data.at("partial_stdout").get<std::string>(), "left out"));
  BOOST_TEST((cut_data.at("stdout_truncated") == true));
  BOOST_TEST((cut_data.at("truncated") == true));
  BOOST_TEST((cut_data.at("stderr_truncated") == false));
  BOOST_TEST((cut_data.at("stderr") == "short"));
  BOOST_TEST(result.at("content")[0].at("text").get<std::string>().size() < 7000);
}

BOOST_AUTO_TEST_CASE(the_output_of_execute_run_is_cut_wherever_it_stands) {
  ToolDescription run = shell;
  run.output_schema = R"({"type":"object","required":["ok"]})";
  const std::string much(10'000, 'x');
  const auto structured = [&](const ordered_json& metadata) {
    return call_result(run, answered(ordered_json::array({text(metadata.dump())}), metadata), 1024);
  };
  const ordered_json good = structured({{"ok", true}, {"value", {{"output", much}}}});
  BOOST_TEST(has(good.at("structuredContent").at("value").at("output").get<std::string>(), "[... 8976 bytes left out"));
  BOOST_TEST(good.at("content").size() == 1U);
  const ordered_json failed = structured({{"ok", false}, {"error", "e"}, {"output", much}});
  BOOST_TEST(failed.at("structuredContent").at("output").get<std::string>().size() < 1200U);
}

BOOST_AUTO_TEST_CASE(what_is_not_as_the_schema_says_is_not_structured) {
  const ordered_json result =
      call_result(shell, answered(ordered_json::array({text("no")}), {{"error", {{"code", "c"}}}}, true), 1024);
  BOOST_TEST(!result.contains("structuredContent"));
  BOOST_TEST((result.at("isError") == true));
  BOOST_TEST(result.at("content").size() == 2);
  ToolDescription other = shell;
  other.output_schema = R"({"type":"object"})";
  BOOST_TEST(call_result(other, answered({}, {{"error", 1}}, true), 1024).contains("structuredContent"));
}

BOOST_AUTO_TEST_CASE(a_call_that_was_not_made_is_an_error_with_its_reason) {
  const ordered_json result =
      call_result(shell, {.kind = ToolOutcome::Kind::not_made, .result = {}, .is_error = false, .error = "why"}, 1024);
  BOOST_TEST((result == ordered_json{{"content", ordered_json::array({text("why")})}, {"isError", true}}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host::mcp
