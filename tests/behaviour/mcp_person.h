// A person with a home folder and a project, and servers that this person starts (`wtool mcp`) under its policies.
#pragma once

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/mcp_client.h"
#include "support/sandboxed.h"
#include "support/text.h"

namespace wtool::test::mcp_person {

namespace fs = std::filesystem;
using Json = nlohmann::json;

inline boost::test_tools::assertion_result can_sandbox(boost::unit_test::test_unit_id) { return has_landlock(4); }

// A person with a home folder and a project.
class Person {
 public:
  Person() {
    std::string name = fs::current_path().string() + "/home-XXXXXX";
    BOOST_REQUIRE(::mkdtemp(name.data()) != nullptr);
    home_ = name;
    fs::create_directories(home_ + "/.ssh");
    write(home_ + "/.ssh/id", "the key\n");
    write(home_ + "/.gitconfig", "[user]\n\tname = nobody\n");
    fs::create_directories(project() + "/src");
    BOOST_REQUIRE(run({"/usr/bin/env", "git", "init", "-q", project()}, in(home_)).exit_code == 0);
  }
  ~Person() { fs::remove_all(home_); }
  Person(const Person&) = delete;
  Person& operator=(const Person&) = delete;

  const std::string& home() const { return home_; }
  std::string project() const { return home_ + "/app"; }
  std::string audit() const { return home_ + "/.local/state/wtool/mcp-audit.jsonl"; }
  ProgramOptions in(const std::string& directory) const {
    return {.directory = directory,
            .set = {{"HOME", home_}, {"XDG_CONFIG_HOME", home_ + "/.config"}, {"A_TOKEN", "a secret"}},
            .unset = {"XDG_STATE_HOME", "ALLOWED_COMMANDS"}};
  }
  static void write(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

 private:
  std::string home_;
};

struct Server : McpClient {
  Server(const Person& person, std::vector<std::string> more, const std::string& directory)
      : McpClient(std::move(more), person.in(directory)), started(initialize()) {}
  Server(const Person& person, std::vector<std::string> more) : Server(person, std::move(more), person.project()) {}

  std::string text(const std::string& command) { return run(command).at("content").at(0).at("text"); }
  std::string instructions() const { return started.at("result").at("instructions"); }
  std::set<std::string> listed() {
    std::set<std::string> names;
    const Json list = ask("tools/list");
    for (const Json& tool : list.at("result").at("tools")) names.insert(tool.at("name"));
    return names;
  }

  const Json started;
};

inline const std::vector<std::string> by_default{"--policy", "project"};

inline Finished refused(const Person& person, const std::string& directory, std::vector<std::string> more = {}) {
  std::vector<std::string> argv{WTOOL_TEST_PROGRAM, "mcp"};
  argv.insert(argv.end(), more.begin(), more.end());
  const Finished finished = run(argv, person.in(directory));
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(finished.out.empty());
  return finished;
}

}  // namespace wtool::test::mcp_person
