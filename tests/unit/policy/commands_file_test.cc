// policy/commands_file.h: answers that several processes give at the same time are all kept.
#include "policy/commands_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "policy/answers_file.h"
#include "support/program.h"

namespace commands_file_test {

using namespace wtool::policy;
using wtool::Descriptor;
using wtool::test::ScratchFolder;

namespace {

struct Kept {
  ScratchFolder scratch;
  const CommandsFile commands{scratch.path()};

  nlohmann::json read() const { return nlohmann::json::parse(std::ifstream(scratch.path() + "/.clada/commands.json")); }
  Remembered known(const std::string& command, const std::string& directory) const {
    return std::get<Remembered>(commands.look_up({command, directory, {}}));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(commands_file, Kept)

BOOST_AUTO_TEST_CASE(several_processes_that_answer_at_once_lose_nothing) {
  constexpr int processes = 4, each = 20;
  pid_t children[processes];
  for (int process = 0; process < processes; ++process) {
    children[process] = ::fork();
    if (children[process] != 0) continue;
    for (int i = 0; i < each; ++i) {
      const std::string command = std::to_string(process) + ' ' + std::to_string(i);
      if (!commands.remember({command, scratch.path(), {}}, i % 2 == 0).empty()) ::_exit(1);
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = -1;
    BOOST_TEST(::waitpid(child, &status, 0) == child);
    BOOST_TEST(status == 0);
  }
  BOOST_TEST(read().at("allowed").size() == static_cast<std::size_t>(processes * each / 2));
  BOOST_TEST(read().at("blocked").size() == static_cast<std::size_t>(processes * each / 2));
}

BOOST_AUTO_TEST_CASE(a_lock_that_somebody_keeps_is_an_error_and_no_hang) {
  const AnswersFile file{
      .path = scratch.path() + "/answers.json", .noun = "the file", .lock_wait = std::chrono::milliseconds(20)};
  std::string error;
  Descriptor first = lock_answers(file, error);
  BOOST_TEST(static_cast<bool>(first));
  BOOST_TEST(!lock_answers(file, error));
  BOOST_TEST((error.find("cannot be locked") != std::string::npos));
  first.reset();
  BOOST_TEST(static_cast<bool>(lock_answers(file, error)));
}

BOOST_AUTO_TEST_CASE(a_link_in_the_path_is_not_followed_where_links_are_forbidden) {
  namespace fs = std::filesystem;
  fs::create_directory(scratch.path() + "/outside");
  fs::create_symlink(scratch.path() + "/outside", scratch.path() + "/link");
  for (const char* name : {"/link/answers.json", "/link/deeper/answers.json"}) {
    const AnswersFile file{.path = scratch.path() + name, .noun = "the file", .links = Links::none};
    std::string text, error;
    BOOST_TEST(!read_answers(file, text, error));
    BOOST_TEST(!lock_answers(file, error));
    BOOST_TEST(replace_answers(file, "{}") != "");
  }
  BOOST_TEST(fs::is_empty(scratch.path() + "/outside"));
}

BOOST_AUTO_TEST_CASE(an_answer_replaces_the_one_before) {
  const Subject subject{"npm test", scratch.path(), {}};
  for (const bool always : {true, true, false, true}) BOOST_TEST(commands.remember(subject, always) == "");
  BOOST_TEST(read() == nlohmann::json::parse(R"({"allowed": ["npm test"], "blocked": []})"));
}

BOOST_AUTO_TEST_CASE(blocked_wins_over_allowed_and_counts_everywhere) {
  std::filesystem::create_directories(scratch.path() + "/.clada");
  scratch.file(".clada/commands.json", R"({"allowed": ["a", "b"], "blocked": ["b"]})");
  BOOST_TEST((known("a", scratch.path()) == Remembered::always));
  BOOST_TEST((known("a", scratch.path() + "/below") == Remembered::always));
  BOOST_TEST((known("a", scratch.path() + "-evil") == Remembered::nothing));
  BOOST_TEST((known("b", scratch.path()) == Remembered::never));
  BOOST_TEST((known("b", "/") == Remembered::never));
  BOOST_TEST((known("A", scratch.path()) == Remembered::nothing));
}

BOOST_AUTO_TEST_CASE(keys_may_be_missing_and_the_file_empty) {
  std::filesystem::create_directories(scratch.path() + "/.clada");
  for (const char* text : {"", "{}", R"({"blocked": []})", R"({"allowed": null})"}) {
    scratch.file(".clada/commands.json", text);
    BOOST_TEST((known("a", scratch.path()) == Remembered::nothing), text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace commands_file_test
