// The configuration files of clients: JSON with comments, TOML and YAML. A server is added and removed, and the rest of
// the text stays.
#include "mcp/client_config.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

namespace wtool::host::mcp {

using Argv = std::vector<std::string>;

static const ClientServer our_server{"shell", {"/bin/wtool", "mcp"}};

// The text with the server. Checks that the server can be read back, and that removing it gives `without`.
static std::string added(ClientFormat format, const std::string& text, const std::string& without) {
  std::string problem;
  const auto with = add_server(format, text, our_server, problem);
  BOOST_REQUIRE_MESSAGE(with, problem);
  BOOST_TEST((server_argv(format, *with, "shell", problem) == our_server.argv), *with);
  BOOST_TEST(remove_server(format, *with, "shell", problem).value_or(problem) == without);
  return *with;
}

static std::string refused(ClientFormat format, const std::string& text) {
  std::string problem;
  BOOST_TEST(!add_server(format, text, our_server, problem), text);
  std::string again;
  BOOST_TEST(!remove_server(format, text, "shell", again), text);
  BOOST_TEST(again == problem);
  return problem;
}

BOOST_AUTO_TEST_SUITE(mcp_clients)

BOOST_AUTO_TEST_CASE(json_keeps_lists_comments_and_last_commas) {
  const std::string text =
      "{\n  // [ a comment {\n  \"list\": [[1, \"]\"], {\"a\": [2]}],\n  \"mcpServers\": {\n    \"other\": {\"args\": "
      "[\"x\"], },\n  },\n}\n";
  const std::string with = added(ClientFormat::servers, text, text);
  BOOST_TEST(with.find("// [ a comment {") != std::string::npos, with);
  std::string problem;
  BOOST_TEST((server_argv(ClientFormat::servers, with, "other", problem) == Argv{""}));
  BOOST_TEST((server_argv(ClientFormat::servers, with, "nobody", problem) == Argv{}));
  BOOST_TEST(problem == "");
}

BOOST_AUTO_TEST_CASE(json_that_is_not_understood_is_refused_with_the_reason) {
  for (const char* text :
       {"{\"a\": [}", "[1]", "{\"a\": 1", "{\"mcpServers\": 5}", "{\"mcpServers\": {}, \"mcpServers\": {}}"}) {
    std::string problem;
    BOOST_TEST(!add_server(ClientFormat::servers, text, our_server, problem), text);
    BOOST_TEST(!problem.empty(), text);
  }
}

BOOST_AUTO_TEST_CASE(yaml_lists_may_begin_in_the_column_of_their_key) {
  const std::string text =
      "extensions:\n  other:\n    cmd: x\n    args:\n    - a\n    - b\n  last:\n    cmd: y\n\n# the end\ntail:\n- 1\n";
  const std::string with = added(ClientFormat::goose_yaml, text, text);
  std::string problem;
  BOOST_TEST((server_argv(ClientFormat::goose_yaml, with, "other", problem) == Argv{"x", "a", "b"}));
  const auto without = remove_server(ClientFormat::goose_yaml, with, "other", problem);
  BOOST_REQUIRE_MESSAGE(without, problem);
  BOOST_TEST(without->find("- b") == std::string::npos, *without);
  BOOST_TEST((server_argv(ClientFormat::goose_yaml, *without, "last", problem) == Argv{"y"}));
  BOOST_TEST(without->find("tail:\n- 1\n") != std::string::npos, *without);
}

BOOST_AUTO_TEST_CASE(a_command_that_changed_is_replaced_in_its_lines) {
  const std::string text =
      "extensions:\n  shell:\n    args:\n    - old\n    cmd: /old/wtool\n    enabled: false\nother: 1\n";
  std::string problem;
  const auto with = add_server(ClientFormat::goose_yaml, text, our_server, problem);
  BOOST_REQUIRE_MESSAGE(with, problem);
  BOOST_TEST(*with ==
             "extensions:\n  shell:\n    args: [\"mcp\"]\n    cmd: \"/bin/wtool\"\n    enabled: false\nother: 1\n");
}

BOOST_AUTO_TEST_CASE(a_name_that_yaml_reads_as_no_string_is_quoted) {
  for (const std::string name : {"123", "1e3", "-5", "true", "No", "y", "null", "shell", "a1", "_1"}) {
    std::string problem;
    const auto with = add_server(ClientFormat::goose_yaml, "", {name, our_server.argv}, problem);
    BOOST_REQUIRE_MESSAGE(with, problem);
    const bool is_plain = name == "shell" || name == "a1" || name == "_1";
    const std::string written = is_plain ? name : '"' + name + '"';
    BOOST_TEST(with->starts_with("extensions:\n  " + written + ":\n    name: " + written + "\n"), *with);
    BOOST_TEST((server_argv(ClientFormat::goose_yaml, *with, name, problem) == our_server.argv));
    BOOST_TEST(remove_server(ClientFormat::goose_yaml, *with, name, problem).value_or(problem) == "extensions:\n");
  }
}

BOOST_AUTO_TEST_CASE(yaml_that_is_not_understood_is_refused_with_the_reason) {
  BOOST_TEST(refused(ClientFormat::goose_yaml, "- a\n- b\n") == "it is not a mapping");
  BOOST_TEST(refused(ClientFormat::goose_yaml, "a: 1\n---\nb: 2\n") == "it has several documents");
  BOOST_TEST(refused(ClientFormat::goose_yaml, "a: [1\n").starts_with("it is not YAML: "));
  BOOST_TEST(refused(ClientFormat::goose_yaml, "extensions:\n  a: 1\nextensions:\n  b: 2\n") ==
             "the key \"extensions\" occurs twice");
}

BOOST_AUTO_TEST_CASE(toml_keeps_other_tables_and_refuses_what_it_does_not_understand) {
  const std::string text =
      "model = \"x\" # [a comment]\n\n[mcp_servers.other]\ncommand = 'y'\nargs = [\"a\",\n  \"b\"]\n\n[tail]\nb = 1\n";
  const std::string with = added(ClientFormat::codex_toml, text, text);
  BOOST_TEST(with.starts_with(text.substr(0, text.find("[tail]"))), with);
  std::string problem;
  BOOST_TEST((server_argv(ClientFormat::codex_toml, with, "other", problem) == Argv{"y", "a", "b"}));
  for (const char* wrong : {"= 1\n", "[]\n", "[a.]\n", "a. = 1\n", "[mcp_servers.\"x\n", "a = \"\"\"\n"}) {
    problem.clear();
    BOOST_TEST(!add_server(ClientFormat::codex_toml, wrong, our_server, problem), wrong);
    BOOST_TEST(!problem.empty(), wrong);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host::mcp
