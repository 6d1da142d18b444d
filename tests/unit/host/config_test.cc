// The configuration file: what is accepted and passed on, and what is refused, with its place.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/config/config.h"
#include "base/config/keys.h"
#include "config/files.h"
#include "support/text.h"

using wtool::test::holds;

namespace wtool::host {

using nlohmann::json;

static json accepted(const std::string& text) {
  std::string error;
  const auto config = parse_config(text, "wtool.yaml", "/etc/wtool", error);
  BOOST_REQUIRE_MESSAGE(config, error);
  return json::parse(*config);
}

static std::string refused(const std::string& text) {
  std::string error;
  const auto config = parse_config(text, "wtool.yaml", "/etc/wtool", error);
  BOOST_TEST_REQUIRE(!config.has_value(), text << " was accepted as " << config.value_or(""));
  return error;
}

// The configuration without a user's file: from the file `named`, or from wtool.yaml in the current directory.
static std::optional<std::string> load(const std::string& named, std::string& error) {
  return ConfigFiles(named, "").load(error);
}

// A new folder that is the current directory, for as long as the object lives.
struct Folder {
  Folder() : before(std::filesystem::current_path()) {
    char name[] = "/tmp/wtool-config-XXXXXX";
    BOOST_REQUIRE(::mkdtemp(name) != nullptr);
    path = name;
    std::filesystem::current_path(path);
  }
  ~Folder() {
    std::filesystem::current_path(before);
    std::filesystem::remove_all(path);
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }
  std::filesystem::path before;
  std::filesystem::path path;
};

BOOST_AUTO_TEST_SUITE(config)

BOOST_AUTO_TEST_CASE(every_supported_key_is_handed_on_with_its_type) {
  const json config = accepted(
      "# comment\n"
      "shell: {program: /bin/bash, direct_exec: false}\n"
      "limits:\n"
      "  timeout_default: 60\n"
      "  timeout_max: 0x100\n"
      "  grace_seconds: 0.25\n"
      "output: {bytes: 4096}\n");
  BOOST_TEST(config == json::parse(R"({"shell": {"program": "/bin/bash", "direct_exec": false},
    "limits": {"timeout_default": 60, "timeout_max": 256, "grace_seconds": 0.25}, "output": {"bytes": 4096}})"));
  BOOST_TEST(config["limits"]["timeout_max"].is_number_integer());
}

BOOST_AUTO_TEST_CASE(limits_and_spill_are_handed_on) {
  BOOST_TEST(accepted("limits: {cpu_seconds: 5, memory_bytes: 1048576, processes: 0, open_files: 64, file_bytes: 1}\n"
                      "output: {spill: when_cut, directory: out/, max_bytes: 2000000}\n") ==
             json::parse(R"({"limits": {"cpu_seconds": 5, "memory_bytes": 1048576, "processes": 0, "open_files": 64,
    "file_bytes": 1}, "output": {"spill": "when_cut", "directory": "/etc/wtool/out", "max_bytes": 2000000}})"));
  BOOST_TEST(refused("limits: {memory_bytes: 4096}\n") ==
             "wtool.yaml:1:24: limits.memory_bytes must be a whole number, 1048576 to 9007199254740992 bytes, or 0 for "
             "no limit, but is 4096");
  BOOST_TEST(refused("output: {spill: sometimes}\n") ==
             "wtool.yaml:1:17: output.spill must be never, when_cut or always, but is \"sometimes\"");
  BOOST_TEST(holds(refused("output: {directory: [a]}\n"), "output.directory must be a single value, but is a list"));
}

BOOST_AUTO_TEST_CASE(the_presence_of_a_sandbox_section_is_handed_on_with_its_writable_folder) {
  for (const char* text : {"sandbox:\n", "sandbox: {}\n"}) {
    BOOST_TEST(accepted(text) == json::parse(R"({"sandbox": {"write": ["/etc/wtool"]}})"), text);
  }
  BOOST_TEST(
      accepted("sandbox: {read: [/usr, ..], write: [], protect: [.git/hooks], network: deny, required: true}\n") ==
      json::parse(R"({"sandbox": {"read": ["/usr", "/etc"], "write": [], "protect": [".git/hooks"],
    "network": "deny", "required": true}})"));
  BOOST_TEST(holds(refused("sandbox: {read: /}\n"), "sandbox.read must be a list of paths"));
  BOOST_TEST(holds(refused("sandbox: {write: [\"\"]}\n"),
                   "sandbox.write must be a list of paths, such as [., /tmp], but is \"\""));
  for (const char* names : {"all", "[../x]", "[a//b]", "[/etc]", "[\"\"]"}) {
    BOOST_TEST(
        holds(refused("sandbox: {protect: " + std::string(names) + "}\n"), "must be default or none, or a list"));
  }
}

BOOST_AUTO_TEST_CASE(what_is_for_the_host_alone_is_checked_and_not_handed_on) {
  BOOST_TEST(accepted("mcp: {output_bytes: 1024, max_calls: 256, message_bytes: 65536}\n") == json::object());
  BOOST_TEST(accepted("mcp: {max_calls: 1}\nsessions: {max: 2}\n") == json::parse(R"({"sessions": {"max": 2}})"));
  BOOST_TEST(refused("mcp: {max_calls: 257}\n") ==
             "wtool.yaml:1:18: mcp.max_calls must be a whole number, 1 to 256 calls, but is 257");
  BOOST_TEST(holds(refused("mcp: {calls: 3}\n"), "unknown key mcp.calls"));
}

BOOST_AUTO_TEST_CASE(json_is_accepted_too) {
  BOOST_TEST(accepted("{\n\t\"limits\": {\"timeout_default\": 5},\n\t\"shell\": {\"program\": \"\\/bin\\/sh\"}\n}\n") ==
             json::parse(R"({"limits": {"timeout_default": 5}, "shell": {"program": "/bin/sh"}})"));
}

BOOST_AUTO_TEST_CASE(nothing_is_an_empty_configuration) {
  for (const char* text : {"", "\n", "# only a comment\n", "---\n", "~\n", "{}", "limits:\n", "limits: {}\n"}) {
    BOOST_TEST(accepted(text) == json::object(), text);
  }
}

BOOST_AUTO_TEST_CASE(the_bounds_themselves_are_allowed_and_what_is_beyond_is_not) {
  struct Row {
    const char* key;
    const char* name;
    const char* good[2];
    const char* bad[2];
  };
  for (const Row& row : {Row{"limits", "timeout_max", {"1", "1800"}, {"0", "1801"}},
                         Row{"limits", "timeout_default", {"1", "1800"}, {"0", "1801"}},
                         Row{"limits", "grace_seconds", {"0", "60.0"}, {"-0.1", "60.1"}},
                         Row{"output", "bytes", {"4096", "67108864"}, {"4095", "67108865"}}}) {
    const auto text = [&](const char* value) { return std::string(row.key) + ": {" + row.name + ": " + value + "}"; };
    for (const char* value : row.good) accepted(text(value));
    for (const char* value : row.bad) {
      const std::string error = refused(text(value));
      BOOST_TEST(holds(error, std::string(row.key) + '.' + row.name), error);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_maximum_may_be_unlimited) {
  BOOST_TEST(accepted("limits: {timeout_max: none}") == json::parse(R"({"limits":{"timeout_max":"none"}})"));
  BOOST_TEST(holds(refused("limits: {timeout_max: never}"), "1 to 1800 seconds, or none, but is \"never\""));
  BOOST_TEST(holds(refused("limits: {timeout_default: none}"), "1 to 1800 seconds, but is \"none\""));
}

BOOST_AUTO_TEST_CASE(an_error_names_file_line_column_value_and_what_is_allowed) {
  BOOST_TEST(refused("limits:\n  timeout_max: 1801\n") ==
             "wtool.yaml:2:16: limits.timeout_max must be a whole number, 1 to 1800 seconds, or none, but is 1801");
  BOOST_TEST(refused("shell:\n  direct_exec: yes\n") ==
             "wtool.yaml:2:16: shell.direct_exec must be true or false, but is \"yes\"");
  BOOST_TEST(refused("output:\n  bytes: \"5000\"\n") ==
             "wtool.yaml:2:10: output.bytes must be a whole number, 4096 to 67108864 bytes, but is \"5000\"");
}

BOOST_AUTO_TEST_CASE(an_unknown_key_is_an_error_that_suggests_the_nearest) {
  const std::string error = refused("shell: {}\nlimit:\n  timeout_max: 3\n");
  BOOST_TEST(error ==
             "wtool.yaml:2:1: unknown key limit; did you mean 'limits'? The keys are shell, commands, directories, "
             "environment, limits, output, cache, background, sandbox, audit, sessions, pty, execute_run, cluster, "
             "mcp, mcp_servers, prompts, lock");
  BOOST_TEST(holds(refused("limits:\n  timeout_mx: 3\n"),
                   "wtool.yaml:2:3: unknown key limits.timeout_mx; did you mean "
                   "'limits.timeout_max'?"));
  BOOST_TEST(!holds(refused("zzzzzz: 1\n"), "did you mean"));
  BOOST_TEST(holds(refused("Shell: {}\n"), "unknown key Shell"));
}

BOOST_AUTO_TEST_CASE(programs_are_names_without_paths_and_arguments) {
  BOOST_TEST(
      accepted(
          "commands: {interactive: [python3, true, \"*\"]}\npty: {max: 2, idle_seconds: 60}\nmcp: {pty: true}\n") ==
      json::parse(R"({"commands": {"interactive": ["python3", "true", "*"]}, "pty": {"max": 2, "idle_seconds": 60}})"));
  for (const char* odd : {"[bin/sh]", "[/bin/sh]", "[\"sh -i\"]", "[\"$x\"]", "[\"\"]", "sh"}) {
    BOOST_TEST(
        holds(refused(std::string("commands: {interactive: ") + odd + "}\n"), "must be a list of names of programs"),
        odd);
  }
}

BOOST_AUTO_TEST_CASE(a_key_at_the_top_level_has_a_value) {
  BOOST_TEST(accepted("background: keep\nsessions: {max: 3, tools_allow: t.json}\nexecute_run: {root: /srv}\n") ==
             json::parse(R"({"background": "keep", "sessions": {"max": 3, "tools_allow": "/etc/wtool/t.json"},
    "execute_run": {"root": "/srv"}})"));
  BOOST_TEST(refused("shell: {}\nbackground: {}\n") ==
             "wtool.yaml:2:13: background must be a single value, but is a mapping");
  BOOST_TEST(refused("background: no\n") == "wtool.yaml:1:13: background must be keep or end, but is \"no\"");
}

BOOST_AUTO_TEST_CASE(a_key_that_is_there_twice_is_an_error_at_the_second) {
  BOOST_TEST(refused("shell: {}\nlimits: {}\nshell: {}\n") == "wtool.yaml:3:1: the key shell occurs twice");
  BOOST_TEST(refused("limits:\n  timeout_max: 5\n  \"timeout_max\": 5\n") ==
             "wtool.yaml:3:3: the key limits.timeout_max occurs twice");
}

BOOST_AUTO_TEST_CASE(what_is_not_a_mapping_is_reported_as_such) {
  for (const char* text : {"[1]", "5", "hello", "\"\"", "- a\n"}) {
    BOOST_TEST(holds(refused(text), "wtool.yaml:1:1: the configuration must be a mapping"), text);
  }
  BOOST_TEST(holds(refused("limits: 5"), "wtool.yaml:1:9: limits must be a mapping"));
  BOOST_TEST(holds(refused("limits: [a]"), "limits must be a mapping of keys to values, but is a list"));
  BOOST_TEST(holds(refused("limits: {timeout_max: [5]}"), "limits.timeout_max must be a single value, but is a list"));
  BOOST_TEST(holds(refused("limits: {timeout_max: }"), "but is null"));
  BOOST_TEST(holds(refused("? [a]\n: 1\n"), "a key must be a name"));
}

BOOST_AUTO_TEST_CASE(what_is_not_yaml_is_an_error_with_its_place) {
  BOOST_TEST(holds(refused("limits:\n  timeout_max: 5\n bad\n"), "wtool.yaml:"));
  BOOST_TEST(holds(refused("limits: {timeout_max: 5\n"), "this is not YAML"));
  BOOST_TEST(
      holds(refused("shell:\n  program: \"/bin/sh\n"), "wtool.yaml:2:12: this is not YAML: this quote is not closed"));
  BOOST_TEST(holds(refused("limits: *nowhere\n"), "wtool.yaml:1:"));
  BOOST_TEST(holds(refused("shell: {}\n--- {}\n"), "second document"));
  // The library finds one empty document after another here, without an end.
  BOOST_TEST(!refused(",22c-mmands:\n  a22ueot}: 0, nosandbox").empty());
  BOOST_TEST(holds(refused("shell: {}\n# \x04\nlimits: 7\n"), "wtool.yaml:2:3: there is a control character (\\x04)"));
  BOOST_TEST(holds(refused("shell: {}\n# \xff\n"), "wtool.yaml:2: this line is not valid UTF-8"));
}

BOOST_AUTO_TEST_CASE(all_mistakes_are_reported_at_once) {
  const std::string error = refused("foo: 1\nlimits:\n  timeout_max: x\n  grace_seconds: true\n");
  BOOST_TEST(holds(error, "wtool.yaml:1:1:"));
  BOOST_TEST(holds(error, "\nwtool.yaml:3:16:"));
  BOOST_TEST(holds(error, "\nwtool.yaml:4:18:"));
}

BOOST_AUTO_TEST_CASE(scalars_have_the_types_of_yaml_1_2) {
  // grace_seconds accepts any number, so it shows which texts are read as numbers.
  const auto grace = [](const std::string& text) {
    return accepted("limits: {grace_seconds: " + text + "}")["limits"]["grace_seconds"];
  };
  BOOST_TEST(grace("+7") == 7);
  BOOST_TEST(grace("0o17") == 15);
  BOOST_TEST(grace("017") == 17);
  BOOST_TEST(grace("1e1") == 10.0);
  BOOST_TEST(grace("+1.5e+1") == 15.0);
  BOOST_TEST(grace(".5") == 0.5);
  BOOST_TEST(grace("5.") == 5.0);
  for (const char* text : {"'5'", "!!str 5", "1_0", "5s", "0x", "0b1", "1:30", "e5", ".", "++5", "5e", "~", "TRUE"}) {
    BOOST_TEST(holds(refused("limits: {grace_seconds: " + std::string(text) + "}"), "must be a number"), text);
  }
  for (const char* text : {".inf", "-.INF", ".nan", "!!float 5", "!local 5"})
    refused("limits: {grace_seconds: " + std::string(text) + "}");
  BOOST_TEST(holds(refused("limits: {grace_seconds: 1e999}"), "must be a number"));
  BOOST_TEST(accepted("environment: {set: {COMMIT: 12e4567}}")["environment"]["set"]["COMMIT"] == "12e4567");
  BOOST_TEST(holds(refused("limits: {timeout_max: 99999999999999999999999}"), "must be a whole number"));
  BOOST_TEST(holds(refused("limits: {timeout_max: 5.0}"), "must be a whole number"));
}

BOOST_AUTO_TEST_CASE(a_relative_program_is_relative_to_the_file_and_a_bare_name_is_refused) {
  BOOST_TEST(accepted("shell: {program: ../sh}")["shell"]["program"] == "/etc/sh");
  BOOST_TEST(accepted("shell: {program: /bin//./sh}")["shell"]["program"] == "/bin/sh");
  BOOST_TEST(holds(refused("shell: {program: bash}"), "must be the path of a program"));
  BOOST_TEST(holds(refused("shell: {program: ''}"), "must be the path of a program"));
  BOOST_TEST(holds(refused("shell: {program: 5}"), "must be the path of a program"));
  BOOST_TEST(holds(refused("shell: {program: \"/bin/sh\\0x\"}"), "NUL"));
}

BOOST_AUTO_TEST_CASE(a_default_timeout_above_the_largest_is_refused) {
  BOOST_TEST(refused("limits:\n  timeout_max: 10\n  timeout_default: 11\n") ==
             "wtool.yaml:3:20: limits.timeout_default must not be above limits.timeout_max, which is 10 seconds");
  accepted("limits: {timeout_max: 10, timeout_default: 10}");
}

BOOST_AUTO_TEST_CASE(aliases_work_and_bombs_of_them_cost_nothing) {
  BOOST_TEST(accepted("limits: &l {timeout_max: 7}\n")["limits"]["timeout_max"] == 7);
  BOOST_TEST(accepted("limits: {timeout_default: &a 7, timeout_max: *a}\n")["limits"]["timeout_max"] == 7);
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += 'a' + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int n = 0; n < 9; ++n) bomb += ", " + last;
    bomb += "]\n";
  }
  BOOST_TEST(holds(refused(bomb), "unknown key a0"));
  BOOST_TEST(holds(refused("limits: &l\n  timeout_max: *l\n"), "wtool.yaml:"));
}

BOOST_AUTO_TEST_CASE(deep_nesting_is_an_error_and_not_a_crash) {
  BOOST_TEST(refused(std::string(500'000, '[')) == "wtool.yaml: the file is nested too deeply");
  refused(std::string(500'000, '{'));
  std::string nested;
  for (int i = 0; i < 1000; ++i) nested += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  refused(nested);
}

BOOST_AUTO_TEST_CASE(more_than_a_mebibyte_is_refused) {
  BOOST_TEST(holds(refused(std::string(config_size_limit + 1, '#')), "more than 1048576 bytes"));
  BOOST_TEST(accepted(std::string(config_size_limit, '#')) == json::object());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(config_files)

BOOST_AUTO_TEST_CASE(a_named_file_that_is_missing_or_a_directory_is_an_error_with_its_name) {
  const Folder folder;
  std::string error;
  BOOST_TEST(!load("none.yaml", error));
  BOOST_TEST(error == "cannot read none.yaml: No such file or directory");
  BOOST_TEST(!load(folder.path.string(), error));
  BOOST_TEST(holds(error, "Is a directory"));
}

BOOST_AUTO_TEST_CASE(the_file_of_the_current_directory_counts_by_default) {
  const Folder folder;
  std::string error;
  BOOST_TEST(load("", error).value_or(error) == "{}");
  folder.write("wtool.yaml", "limits: {timeout_max: 9}\nshell: {program: ./sh}\n");
  folder.write("other.yaml", "limits: {timeout_max: 8}\n");
  const json config = json::parse(load("", error).value_or("null"));
  BOOST_TEST(config["limits"]["timeout_max"] == 9);
  BOOST_TEST(config["shell"]["program"] == (std::filesystem::current_path() / "sh").string());
  BOOST_TEST(json::parse(load("other.yaml", error).value_or("null"))["limits"]["timeout_max"] == 8);
}

BOOST_AUTO_TEST_CASE(the_files_in_force_are_those_that_were_read) {
  const Folder folder;
  std::string error;
  folder.write("policy.json", "{}");
  const std::string here = std::filesystem::current_path().string();
  ConfigFiles files("policy.json", "");
  BOOST_TEST(files.load(error).has_value());
  BOOST_TEST(files.paths_in_force() == std::vector<std::string>{here + "/policy.json"},
             boost::test_tools::per_element());
  // A file cannot set this key itself.
  folder.write("policy.json", "in_force: {configuration: []}");
  BOOST_TEST(!load("policy.json", error));
}

BOOST_AUTO_TEST_CASE(a_default_file_that_is_a_pipe_is_refused_without_waiting) {
  const Folder folder;
  BOOST_REQUIRE(::mkfifo("wtool.yaml", 0600) == 0);
  std::string error;
  BOOST_TEST(!load("", error));
  BOOST_TEST(holds(error, "not a regular file"));
}

BOOST_AUTO_TEST_CASE(reading_stops_at_the_limit_of_what_never_ends) {
  std::string error;
  BOOST_TEST(!read_file("/dev/zero", 1000, error));
  BOOST_TEST(error == "/dev/zero has more than the 1000 bytes that are allowed");
}

BOOST_AUTO_TEST_CASE(a_program_by_a_relative_path_is_the_one_below_the_files_folder) {
  std::string error;
  const auto config =
      parse_config("commands: {allow: [./build.sh, \"tools/lint --fix *\", ls]}", "wtool.yaml", "/site", error);
  BOOST_REQUIRE_MESSAGE(config, error);
  BOOST_TEST(nlohmann::json::parse(*config).at("commands").at("allow") ==
             (nlohmann::json{"/site/build.sh", "/site/tools/lint --fix *", "ls"}));
  BOOST_TEST(!parse_config("commands: {allow: [./build.sh]}", "wtool.yaml", "/my site", error));
  BOOST_TEST(error.find("no entry may contain") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host
