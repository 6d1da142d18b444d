// policy/covenant.h: how a command of execute_run is classified by its words, and which words run for it.
#include "policy/covenant.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <random>
#include <thread>

#include "policy/covenant/line.h"
#include "policy/covenant/repository.h"
#include "policy/tools_allow.h"
#include "policy/words.h"
#include "support/program.h"

namespace covenant_test {

using namespace wtool::policy;
using namespace wtool::policy::covenant;

namespace {

Reading read(const std::string& line) {
  Line words = read_line(line);
  return words.refusal.empty() ? read_command(words.words) : Reading::refuse(words.refusal);
}

// A path to `folder` that takes long to follow, so that much can happen between two system calls that follow it.
std::string long_way(const std::string& folder) {
  std::string path = folder;
  while (path.size() < 3900) path += "/.";
  return path;
}

// Calls `look` for two seconds, while `file` is a FIFO again and again. True if no call waits for a writer.
bool looks_without_waiting(const std::string& file, const std::function<void()>& look) {
  const std::string pipe = file + ".pipe";
  if (::mkfifo(pipe.c_str(), 0600) != 0) return false;
  std::atomic<bool> looked{false};
  std::thread looking([&] {
    const auto enough = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::chrono::steady_clock::now() < enough) look();
    looked.store(true);
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!looked.load() && std::chrono::steady_clock::now() < end) {
    ::renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, pipe.c_str(), RENAME_EXCHANGE);
  }
  const bool in_time = looked.load();
  for (const std::string& name : {file, pipe}) {
    // Lets a call that waits for a writer go on.
    const int writer = in_time ? -1 : ::open(name.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    struct stat status {};
    if (::stat(name.c_str(), &status) == 0 && S_ISFIFO(status.st_mode)) ::unlink(name.c_str());
    if (writer >= 0) ::close(writer);
  }
  looking.join();
  return in_time;
}

struct Row {
  const char* line;
  const char* message;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(covenant_words)

BOOST_AUTO_TEST_CASE(what_is_in_quotes_is_text_except_expansions_in_double_quotes) {
  for (const char* line :
       {"echo 'a|b;c&d$e`f*?[g]{h}~(i)<j>'", "echo \"a|b;c&d*?[g]{h}~(i)<j>\"", "echo \\$HOME \\* a\\;b",
        "echo \"\\$HOME\"", "find . '(' -name a ')'", "find . ! -name a", "git show HEAD~1", "git show main..x a=b a#b",
        "echo \\ #b ' '#c", "echo a\\\nb", "echo 'two\nlines'"}) {
    BOOST_TEST(read_line(line).refusal == "", line);
  }
  for (const char* line :
       {"echo \"$HOME\"", "echo \"`id`\"", "echo \"a$\"", "echo ~", "echo ~/x", "echo {a,b}", "a=b ls", "echo # x",
        "ls\nls", "! ls", "echo 2>&1", "ls &>x", "[ -f x ]", "echo $'a'", "time ls"}) {
    BOOST_TEST(read_line(line).refusal == operators_refused, line);
  }
  for (const char* line : {"", "'", "\"", "echo 'a", "echo \"a\\\"", "echo a\\", "echo \"a'"}) {
    BOOST_TEST(read_line(line).refusal == syntax_refused, line);
  }
}

BOOST_AUTO_TEST_CASE(the_first_mistake_is_reported) {
  BOOST_TEST(read_line("echo a | 'b").refusal == operators_refused);
  BOOST_TEST(read_line("echo 'a | b").refusal == syntax_refused);
}

BOOST_AUTO_TEST_CASE(spaces_and_newlines_around_a_line_are_not_part_of_it) {
  BOOST_TEST(trimmed(" \n npm test \n") == "npm test");
  BOOST_TEST(trimmed("  ") == "");
  BOOST_TEST(read_line(trimmed("echo a\\ ")).words.back() == "a ");
}

BOOST_AUTO_TEST_CASE(messages_of_flags_numbers_and_counts) {
  const std::vector<Row> rows = {
      {"ls -lZ", "Unknown flag: -Z"},
      {"ls --all=x", "Unknown flag: --all=x"},
      {"ls --al", "Unknown flag: --al"},
      {"head -n", "Invalid number for flag: n"},
      {"head -nx f", "Invalid number for flag: n"},
      {"head --lines=x f", "Invalid number for flag: lines"},
      {"head -n 1k f", "Invalid number for flag: n"},
      {"grep -A -1 x f", "Invalid number for flag: A"},
      {"grep -e", "Missing value for flag: e"},
      {"grep -n", "grep requires pattern"},
      {"grep x", "grep requires at least 1 path"},
      {"cat", "cat requires at least 1 path"},
      {"cp a", "cp requires exactly 2 paths"},
      {"cp a b c", "cp requires exactly 2 paths"},
      {"mv a b c", "mv requires exactly 2 paths"},
      {"mkdir", "mkdir requires at least 1 path"},
      {"rm -f", "rm requires at least 1 path"},
      {"pwd x", "pwd requires exactly 0 paths"},
      {"tail -f x", "Unknown flag: -f"},
      {"find . -maxdepth x", "Invalid number for flag: maxdepth"},
      {"find . -name", "Missing value for flag: name"},
      {"find . -name a b", "Unknown flag: b"},
      {"git", "git requires subcommand"},
      {"git --version", "Unknown flag: --version"},
      {"git log -n x", "Invalid number for flag: n"},
      {"git status --foo", "Unknown flag: --foo"},
      {"git blame -- f --output=x", "Unknown flag: --output=x"},
      {"git lg", "Git subcommand not allowed: lg"},
  };
  for (const Row& row : rows) BOOST_TEST(read(row.line).refusal == row.message, row.line);
}

BOOST_AUTO_TEST_CASE(the_executed_command_has_flags_first_and_paths_after_dashes) {
  const std::vector<Row> rows = {
      {"ls src -la", "ls -l -a -- src"},
      {"head -5 f", "head -n5 -- f"},
      {"head -n -5 f", "head -n-5 -- f"},
      {"head --lines 5 f", "head --lines=5 -- f"},
      {"grep -in -m5 x f g", "grep -i -n -m5 --regexp=x -- f g"},
      {"grep f -e -x", "grep -e-x -- f"},
      {"grep -r -- -x", "grep -r -n --regexp=-x --"},
      {"grep -rn x src", "grep -r -n --regexp=x -- src"},
      {"cat -- -n", "cat -- -n"},
      {"cp -- -r -t", "cp -- -r -t"},
  };
  for (const Row& row : rows) BOOST_TEST(written_out(read(row.line).executed) == row.message, row.line);
}

BOOST_AUTO_TEST_CASE(git_keeps_the_place_of_dashes_and_gets_its_hardening_first) {
  const std::string log = written_out(read("git log -5 main -- src").executed);
  BOOST_TEST(
      log.starts_with("git --no-pager --no-optional-locks -c core.fsmonitor=false -c core.hooksPath=/dev/null "));
  BOOST_TEST(
      log.ends_with(" log --no-ext-diff --no-textconv --ignore-submodules=dirty --submodule=short -n5 main -- src"));
  const std::string diff = written_out(read("git diff HEAD --").executed);
  BOOST_TEST(diff.ends_with(" HEAD --"));
  BOOST_TEST(diff.find(" -c diff.autoRefreshIndex=false ") != diff.npos);  // --no-optional-locks is not enough here.
}

BOOST_AUTO_TEST_CASE(whatever_the_line_is_what_is_accepted_means_the_same_words_to_every_reader) {
  const std::vector<std::string> pieces = {
      "ls", "head", "grep", "git",     "log", "find", "cp",   "rm", " ",   " ",   " ",    "-n", "-",  "--", "5", "'",
      "\"", "\\",   "\n",   "$",       "|",   "=",    "x",    "..", "/",   "-e",  "-r",   "#",  "~",  "{",  "}", "!",
      "(",  "\t",   "\xff", "--lines", "*",   "-5",   "show", "<<", "-la", "a=b", "time", "if", "[[", "&"};
  std::minstd_rand random(1);
  int accepted = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string line;
    for (std::size_t left = 1 + random() % 9; left > 0; --left) line += pieces[random() % pieces.size()];
    const Line words = read_line(line);
    BOOST_REQUIRE(words.refusal.empty() != words.words.empty());
    if (!words.refusal.empty()) continue;
    ++accepted;
    BOOST_REQUIRE(read_line(written_out(words.words)).words == words.words);
    const Reading reading = read_command(words.words);
    BOOST_REQUIRE((reading.refusal.empty() == (reading.tier != Tier::refused)));
    // If the words that run are read again, the words stay the same.
    if (reading.tier != Tier::immediate || reading.git || reading.executed.empty()) continue;
    BOOST_REQUIRE_MESSAGE(read_command(reading.executed).executed == reading.executed, line);
  }
  BOOST_TEST(accepted > 1000);
}

BOOST_AUTO_TEST_CASE(tiers) {
  for (const char* line : {"echo -x --y", "ls", "rm a", "git status", "git branch -vv", "git remote -v", "git tag -l",
                           "git --no-pager log"}) {
    BOOST_TEST((read(line).tier == Tier::immediate), line);
  }
  for (const char* line : {"npm test", "rm -r a", "rm -Rf a", "rm --recursive a", "git commit", "git branch x",
                           "git branch -D x", "git tag x", "/bin/ls", "./ls", "sed -i s/a/b/ f", "ln a b", "env ls"}) {
    BOOST_TEST((read(line).tier == Tier::ask), line);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(covenant_project)

BOOST_AUTO_TEST_CASE(the_project_is_the_nearest_folder_with_a_repository_or_answers_or_the_directory_itself) {
  const wtool::test::ScratchFolder scratch;
  const std::string deep = scratch.path() + "/a/b/c";
  std::filesystem::create_directories(deep);
  BOOST_TEST(project_root("", deep) == deep);
  std::filesystem::create_directories(scratch.path() + "/a/.clada");
  BOOST_TEST(project_root("", deep) == scratch.path() + "/a");
  std::filesystem::create_directories(scratch.path() + "/a/b/.git");
  BOOST_TEST(project_root("", deep) == scratch.path() + "/a/b");
  BOOST_TEST(project_root("/", deep) == "/");
  std::filesystem::create_symlink(deep, scratch.path() + "/link");
  BOOST_TEST(project_root(scratch.path() + "/link", "/") == deep);
}

// Git takes blanks for a part of the path, so another folder than one without them is the repository.
BOOST_AUTO_TEST_CASE(files_that_name_a_repository_are_read_as_git_reads_them) {
  const wtool::test::ScratchFolder scratch;
  const std::string sub = scratch.path() + "/sub";
  const auto put = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(scratch.path() + '/' + name).parent_path());
    scratch.file(name, text);
  };
  const std::string filters = "[filter \"x\"]\nclean = ./x\n";
  put("sub/g/config", "[core]\n");
  for (const char* evil : {"sub/ g/config", "sub/  g/config", "sub/g /config", "sub/g\t/config", "sub/\tg/config"}) {
    put(evil, filters);
  }
  for (const char* fine : {"gitdir: g", "gitdir: g\n", "gitdir: g\r\n", "gitdir: g\n\r\n"}) {
    put("sub/.git", fine);
    BOOST_TEST(!may_filter(sub, sub), fine);
  }
  for (const char* evil : {"gitdir:  g\n", "gitdir:   g\n", "gitdir: g \n", "gitdir: g\t\n", "gitdir: \tg\n",
                           "gitdir:g\n", "GITDIR: g\n", " gitdir: g\n", "gitdir: \n", "g\n", "", "\n"}) {
    put("sub/.git", evil);
    BOOST_TEST(may_filter(sub, sub), evil);
  }
  put("sub/.git", std::string("gitdir: g\0x\n", 12));
  BOOST_TEST(may_filter(sub, sub));

  put("sub/.git", "gitdir: w\n");
  put("sub/w/ ../g/config", filters);
  for (const auto& [common, filtered] :
       {std::pair("../g\n", false), std::pair("../g", false), std::pair("../ g\n", true), std::pair("../g \n", true),
        std::pair(" ../g\n", true), std::pair("\n", true)}) {
    put("sub/w/commondir", common);
    BOOST_TEST(may_filter(sub, sub) == filtered, common);
  }
}

// Some versions of git use such a folder even with safe.bareRepository=explicit.
BOOST_AUTO_TEST_CASE(the_configuration_of_a_repository_around_the_folder_itself_counts) {
  const wtool::test::ScratchFolder scratch;
  const std::string modules = scratch.path() + "/.git/modules/m";
  const std::string worktree = scratch.path() + "/.git/worktrees/w";
  for (const std::string& folder : {scratch.path() + "/.git", modules}) {
    std::filesystem::create_directories(folder + "/objects/ab");
    std::filesystem::create_directories(folder + "/refs");
  }
  std::filesystem::create_directories(worktree);
  scratch.file(".git/HEAD", "ref: refs/heads/main\n");
  scratch.file(".git/config", "[core]\n");
  scratch.file(".git/modules/m/HEAD", "ref: refs/heads/main\n");
  scratch.file(".git/modules/m/config", "[core]\n");
  BOOST_TEST(!may_filter(modules, "/"));
  scratch.file(".git/modules/m/config", "[filter \"x\"]\nclean = ./x\n");
  BOOST_TEST(may_filter(modules, "/"));
  BOOST_TEST(may_filter(modules + "/objects/ab", "/"));
  BOOST_TEST(!may_filter(scratch.path(), "/"));
  scratch.file(".git/worktrees/w/HEAD", "ref: refs/heads/main\n");
  scratch.file(".git/worktrees/w/commondir", "../..\n");
  BOOST_TEST(!may_filter(worktree, "/"));
  scratch.file(".git/worktrees/w/commondir", "../../modules/m\n");
  BOOST_TEST(may_filter(worktree, "/"));
}

BOOST_AUTO_TEST_CASE(a_fifo_that_a_command_puts_in_place_of_a_file_is_not_waited_for) {
  const wtool::test::ScratchFolder scratch;
  std::filesystem::create_directories(scratch.path() + "/.git");
  scratch.file(".git/config", "[core]\n");
  BOOST_TEST(!may_filter(scratch.path(), "/"));
  const std::string way = long_way(scratch.path());
  BOOST_TEST(looks_without_waiting(scratch.path() + "/.git/config", [&] { may_filter(way, way); }));
  const std::string allow = scratch.file("tools-allow.json", "[\"echo\"]");
  const std::string allow_by_way = way + "/tools-allow.json";
  const Programs programs(std::nullopt, "/usr/bin:/bin", {});
  BOOST_TEST(looks_without_waiting(allow, [&] { judge_by_tools_allow({"echo"}, allow_by_way, programs); }));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace covenant_test
