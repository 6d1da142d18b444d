// A host for execute_command: its environment sets no variable of the tool, and its current directory is a scratch
// folder with the folders of the specification's examples and a program `npm` that records where it ran.
#pragma once

#include <yaml-cpp/yaml.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "support/host_variable.h"
#include "support/shell_tool.h"
#include "support/text.h"

namespace wtool::test {

struct ExecuteCommand {
  ScratchFolder scratch;
  const std::string monorepo = folder("home/user/repos/monorepo");
  const std::string frontend = folder("home/user/repos/monorepo/frontend");
  const std::string programs = folder("programs");
  const std::string trace = scratch.path() + "/trace";
  const std::string npm = program("npm", "pwd >> '" + trace + "'; echo 10.2.3");

  const HostVariable path{"PATH", programs + ":" + ::getenv("PATH")};
  const HostVariable no_commands{"ALLOWED_COMMANDS", std::nullopt};
  const HostVariable no_roots{"ALLOWED_CWD_ROOTS", std::nullopt};
  Plugin plugin;
  const std::filesystem::path before = std::filesystem::current_path();

  ExecuteCommand() { std::filesystem::current_path(scratch.path()); }
  ~ExecuteCommand() { std::filesystem::current_path(before); }

  std::string folder(const std::string& name) const {
    std::filesystem::create_directories(scratch.path() + '/' + name);
    return scratch.path() + '/' + name;
  }
  std::string program(const std::string& name, const std::string& script) const {
    return scratch.file("programs/" + name, "#!/bin/sh\n" + script + "\n", 0755);
  }

  struct Given {
    std::optional<std::string> commands{}, roots{};
    Json config = Json::object();
  };
  // If `arguments` is a text, it is the command.
  Answer call(const Given& given, const Json& arguments) {
    const HostVariable commands("ALLOWED_COMMANDS", given.commands), roots("ALLOWED_CWD_ROOTS", given.roots);
    return ToolUnderTest(plugin, given.config, "execute_command")
        .run(arguments.is_string() ? Json{{"command", arguments}} : arguments);
  }
  Answer npm_in(const Given& given, const std::string& cwd) {
    return call(given, Json{{"command", "npm -v"}, {"cwd", cwd}});
  }

  // The folders in which npm ran, each with a newline.
  std::string ran_in() const {
    std::ostringstream content;
    content << std::ifstream(trace).rdbuf();
    return content.str();
  }
};

// Checks a result: its text is YAML with the three keys, and its metadata say the same.
inline void check_result(const Answer& answer, int exit_code, const std::string& out) {
  BOOST_TEST_CONTEXT(answer.raw.substr(0, 1000)) {
    BOOST_TEST(!answer.is_error());
    const YAML::Node yaml = YAML::Load(answer.text());
    BOOST_TEST(yaml.size() == 3U);
    BOOST_TEST(yaml["exit_code"].as<int>() == exit_code);
    BOOST_TEST((yaml["stdout"].as<std::string>() == out));
    BOOST_TEST(answer.exit_code() == exit_code);
    BOOST_TEST((answer.out() == out));
    BOOST_TEST((yaml["stderr"].as<std::string>() == answer.err()));
    BOOST_TEST(!answer.metadata().contains("error"));
  }
}

// Checks an error of the tool. Its text is the message of the error, and contains each of `parts`.
inline void check_error(const Answer& answer, const std::string& code, const std::vector<std::string>& parts) {
  BOOST_TEST_CONTEXT(answer.raw.substr(0, 1000)) {
    BOOST_TEST(answer.status == WTOOL_OK);
    BOOST_REQUIRE(answer.result.is_object());
    BOOST_TEST(answer.is_error());
    BOOST_TEST(answer.code() == code);
    for (const std::string& part : parts) BOOST_TEST(holds(answer.text(), part), "no '" << part << "'");
    BOOST_TEST(holds(answer.text(), answer.metadata().at("error").at("message").get<std::string>()));
  }
}

}  // namespace wtool::test
