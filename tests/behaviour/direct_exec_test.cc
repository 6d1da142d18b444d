// A simple command is executed without a shell, and no one can see a difference: every row of a table gives the same
// result with shell.direct_exec on and off.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <set>
#include <sstream>

#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(direct_exec_test)

using namespace wtool::test;

namespace {

std::set<std::string> set_of_lines(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.insert(line);
  return lines;
}

// The lines that only one of the two texts has, whatever their order.
std::string differing_lines(const std::string& one, const std::string& other) {
  const auto first = set_of_lines(one);
  const auto second = set_of_lines(other);
  std::string all;
  for (const auto& line : first) {
    if (second.count(line) == 0) all += "direct only: " + line + "\n";
  }
  for (const auto& line : second) {
    if (first.count(line) == 0) all += "shell only: " + line + "\n";
  }
  return all;
}

struct BothWays : ShellTool {
  ToolUnderTest direct{plugin, Json::parse(R"({"shell":{"direct_exec":true}})")};
  ToolUnderTest by_shell{plugin, Json::parse(R"({"shell":{"direct_exec":false}})")};

  BothWays() {
    // The files that the rows of the table use, all in one folder, which is their working directory.
    scratch.file("wtool-greet", "#!/bin/sh\necho \"greet $0 $#: $*\"\n", 0755);
    scratch.file("no-first-line", "echo \"plain $0 $#: $*\"\n", 0755);
    scratch.file("empty", "", 0755);
    scratch.file("not-executable", "echo never\n", 0644);
    scratch.file("bad-interpreter", "#!/no/such/interpreter\n", 0755);
    scratch.file("binary-nonsense",
                 std::string("\x7f"
                             "ELF\0\0\0nonsense",
                             15),
                 0755);
    scratch.file("first/tool", "echo never\n", 0644);
    scratch.file("second/tool", "#!/bin/sh\necho second $0\n", 0755);
    scratch.file("third/tool", "#!/bin/sh\necho third\n", 0755);
    mkdir((scratch.path() + "/fourth").c_str(), 0755);
    mkdir((scratch.path() + "/fourth/tool").c_str(), 0755);
    if (symlink("nowhere", (scratch.path() + "/dangling").c_str()) != 0) std::abort();
    if (symlink("wtool-greet", (scratch.path() + "/linked").c_str()) != 0) std::abort();
    if (symlink("loop", (scratch.path() + "/loop").c_str()) != 0) std::abort();
  }

  // `same_message`: standard error must also be the same. False where the shell puts its own name before the message.
  void check(const std::string& command, Json environment = Json::object(), bool same_message = true) {
    environment["WTOOL_TEST_MARK"] = mark.text();
    const Json arguments{
        {"command", command}, {"working_directory", scratch.path()}, {"environment", environment}, {"timeout", 20}};
    const Answer one = direct.run(arguments);
    const Answer other = by_shell.run(arguments);
    BOOST_TEST_CONTEXT(command << " with " << environment << "\n  direct   " << one.raw << "\n  by shell "
                               << other.raw) {
      BOOST_TEST(one.status == other.status);
      BOOST_REQUIRE(one.metadata().contains("exit_code"));
      BOOST_REQUIRE(other.metadata().contains("exit_code"));
      BOOST_TEST(one.is_error() == other.is_error());
      BOOST_TEST(one.exit_code() == other.exit_code());
      BOOST_TEST(one.out() == other.out());
      if (same_message) {
        BOOST_TEST(one.err() == other.err());
        BOOST_TEST(one.text() == other.text());
        BOOST_TEST(one.code() == other.code());
      }
    }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(words_are_the_same_words, BothWays) {
  for (const char* command : {
           "printf [%s] a b c",
           "printf '[%s]' 'a b' \"c d\" e\\ f",
           "printf [%s] ''",
           "printf [%s] \"\"",
           "printf [%s] a''b\"c\"",
           "printf [%s] 'a\\b'",
           "printf [%s] \"a\\\\b\"",
           "printf [%s] \"a\\b\"",
           "printf [%s] a\\\\b",
           "printf [%s] \"a'b\" 'a\"b'",
           "  printf   [%s]   a  ",
           "\tprintf\t[%s]\ta",
           "printf [%s] a\n",
           "\nprintf [%s] a",
           "printf [%s] \\\n a",
           "printf [%s] a#b",
           "printf [%s] a # comment",
           "printf [%s] '#' \\#",
           "/usr/bin/printf [%s] 漢字 ä",
           "printf %s 'line\nline'",
           "/bin/echo -n -e a",
           "printf [%s] a=b",
           "printf [%s] -- -x",
           "printf [%s] {a,b}",
           "printf [%s] [a]",
           "printf [%s] ]",
           "printf [%s] %",
           "printf [%s] a:b,c.d/e@f+g",
           "printf [%s] ~",
           "printf [%s] a~",
           "printf [%s] ~root",
           "printf [%s] *",
           "printf [%s] '*'",
           "printf [%s] first/*",
           "printf [%s] ?mpty",
           "printf [%s] $HOME",
           "printf [%s] '$HOME'",
           "printf [%s] \\$HOME",
           "printf [%s] \"$HOME\"",
           "printf [%s] `echo a`",
           "printf [%s] $(echo a)",
           "printf [%s] !",
           "printf [%s] a!b",
           "printf [%s] ^",
           "printf [%s] a;printf b",
           "printf a&&printf b",
           "printf a|cat",
           "printf a>file; cat file",
           "printf [%s] a\\;b",
           "printf [%s] a\\&b",
           "printf [%s] 'unterminated",
           "printf [%s] \"unterminated",
           "printf [%s] \\",
           "printf [%s] (",
           "printf [%s] <",
           "A=1 printenv A",
           "A=1",
           "=a",
           "A=1 B=2 printenv A B",
           "printf [%s] 1 2>&1",
           "printf [%s] $'a'",
           "printf [%s] \"\\$a\"",
           "printf [%s] \"a\nb\"",
           "printf [%s] a\\\nb",
           "printf [%s] 'a\\\nb'",
           "printf [%s] \"a\\\nb\"",
           "printf [%s] \r",
       }) {
    check(command);
  }
}

BOOST_FIXTURE_TEST_CASE(builtins_and_keywords_are_the_shells, BothWays) {
  for (const char* command : {"echo -n a",
                              "echo 'a\\nb'",
                              "echo -e 'a\\nb'",
                              "true",
                              "false",
                              "test a = b",
                              "[ a = a ]",
                              "[ a = b ]",
                              "pwd",
                              "cd first",
                              "exit 3",
                              "exit",
                              ":",
                              ". ./wtool-greet",
                              "eval printf a",
                              "exec printf a",
                              "kill -l 9",
                              "type printf",
                              "umask",
                              "ulimit -c",
                              "export A=1",
                              "set -e",
                              "shift",
                              "trap",
                              "unset A",
                              "wait",
                              "times",
                              "alias",
                              "command printf a",
                              "getopts a b",
                              "hash",
                              "readonly",
                              "return 3",
                              "break",
                              "continue",
                              "local a",
                              "read a",
                              "jobs",
                              "bg",
                              "fg",
                              "if",
                              "then",
                              "for",
                              "while",
                              "do",
                              "done",
                              "case",
                              "esac",
                              "{",
                              "}",
                              "!",
                              "! true",
                              "{ true; }",
                              "(true)",
                              "if true; then printf a; fi",
                              "fi",
                              "else",
                              "in",

                              "function",
                              "select",
                              "[[ a ]]",
                              "let a=1",
                              "source script",
                              "printf",
                              "'true'",
                              "\\true",
                              "'if'",
                              "\\exit 3",
                              "'exit' 3",
                              "\"cd\" first",
                              "e'xit' 4"}) {
    check(command);
  }
}

BOOST_FIXTURE_TEST_CASE(exit_codes_are_the_same, BothWays) {
  for (const char* command :
       {"sh -c 'exit 7'", "sh -c 'exit 255'", "ls /nonexistent", "grep x /dev/null", "sleep 0", "env -i env"}) {
    check(command);
  }
}

BOOST_FIXTURE_TEST_CASE(death_by_a_signal_gives_the_same_exit_code, BothWays) {
  // The one difference: a shell in between exits with 128+n itself, and writes the signal's name. After direct
  // execution, the signal itself is reported.
  for (const char* command : {"sh -c 'kill -9 $$'", "sh -c 'kill -TERM $$'", "sh -c 'kill -SEGV $$'"}) {
    check(command, {}, false);
    BOOST_TEST(direct.shell(command).metadata().contains("signal"));
  }
}

BOOST_FIXTURE_TEST_CASE(programs_are_found_in_the_same_way, BothWays) {
  for (const char* command : {"./wtool-greet a b", "./no-first-line a b", "./linked a", "./empty", "no-such-program-x",
                              "./no-such-program-x", "/no/such/dir/program", "wtool-greet", "no-first-line"}) {
    check(command, {}, false);
  }
  check("./wtool-greet 'a b'");
  check("./no-first-line 'a b'");
  check("./empty");
}

BOOST_FIXTURE_TEST_CASE(programs_that_cannot_be_executed_fail_in_the_same_way, BothWays) {
  for (const char* command : {"./not-executable", "./first", "./", "/", ".", "./dangling", "./wtool-greet/below",
                              "./bad-interpreter", "/dev/null", "''", "\"\"", "' '", "./first/"}) {
    check(command, {}, false);
  }
}

BOOST_FIXTURE_TEST_CASE(what_shells_answer_differently_fails_in_both_ways, BothWays) {
  // Shells differ here in the exit code, 126 or 127. Both ways must fail with one of the two.
  const std::string system = ":/usr/bin:/bin";
  const struct {
    const char* command;
    std::string path;
  } rows[] = {{"./binary-nonsense", "/usr/bin"},
              {"./loop", "/usr/bin"},
              {"..", "/usr/bin"},
              {"tool", scratch.path() + "/first" + system},    // found, but not executable
              {"tool", scratch.path() + "/fourth" + system}};  // found, but a folder
  for (const auto& row : rows) {
    const Json arguments{
        {"command", row.command}, {"working_directory", scratch.path()}, {"environment", {{"PATH", row.path}}}};
    for (const ToolUnderTest* each : {&direct, &by_shell}) {
      const Answer answer = each->run(arguments);
      BOOST_TEST_CONTEXT(answer.raw) {
        BOOST_TEST(answer.is_error());
        BOOST_TEST((answer.metadata().value("exit_code", 0) == 126 || answer.metadata().value("exit_code", 0) == 127));
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(the_path_is_searched_in_the_same_way, BothWays) {
  const std::string here = scratch.path();
  const std::string system = ":/usr/bin:/bin";
  for (const std::string& path : {
           here + "/first:" + here + "/second" + system,       // not executable, then found
           here + "/fourth:" + here + "/second" + system,      // a folder, then found
           here + "/missing:" + here + "/third" + system,      // nothing, then found
           here + "/wtool-greet:" + here + "/third" + system,  // a file instead of a folder
           "second" + system,
           "./second" + system,
           "../nowhere:second" + system,  // relative to the working directory
           ":" + here + "/third" + system,
           here + "/missing:" + system,
           here + "/missing::/usr/bin:/bin",
           std::string(""),
           std::string("/no/such/folder"),
           here + "/second/" + system,
           here + "//second" + system,
       }) {
    check("tool", {{"PATH", path}}, false);
    check("wtool-greet", {{"PATH", path}}, false);
    check("./wtool-greet", {{"PATH", path}}, false);
    check("ls -d /", {{"PATH", path}}, false);
  }
}

BOOST_FIXTURE_TEST_CASE(a_command_sees_itself_in_the_same_way, BothWays) {
  check("head -c 100 /proc/self/cmdline");
  check("/bin/cat /proc/self/cmdline");
  check("cat /proc/self/comm");
  check("readlink /proc/self/cwd");
  check("readlink /proc/self/fd/0");
  check("readlink /proc/self/exe");
  check("ls /proc/self/fd");
  check("grep -E '^(SigPnd|SigBlk|SigIgn|SigCgt|Shd|Umask|NoNewPrivs|Seccomp|Cap|CoreDumping|THP)' /proc/self/status");
  check("cat /proc/self/limits");
  check("cat /proc/self/oom_score_adj");
  check("nice");
}

BOOST_FIXTURE_TEST_CASE(the_environment_is_the_same, BothWays) {
  for (const Json& environment : {Json::object(), Json{{"A", "1"}, {"B", " $x 'y' \n"}}, Json{{"PWD", "/wrong"}},
                                  Json{{"OLDPWD", "/old"}}, Json{{"PATH", "/usr/bin:/bin"}}, Json{{"SHLVL", "7"}},
                                  Json{{"PS1", "x"}}, Json{{"_", "underscore"}}, Json{{"HOME", ""}}}) {
    const Json arguments{{"command", "env"}, {"working_directory", scratch.path()}, {"environment", environment}};
    BOOST_TEST_CONTEXT(environment) {
      BOOST_TEST(differing_lines(direct.run(arguments).out(), by_shell.run(arguments).out()) == "");
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_variable_that_the_host_does_not_have_is_not_made_up, BothWays) {
  const char* pwd = getenv("PWD");
  const std::string before = pwd == nullptr ? "" : pwd;
  unsetenv("PWD");
  const Json arguments{{"command", "env"}, {"working_directory", scratch.path()}};
  BOOST_TEST(differing_lines(direct.run(arguments).out(), by_shell.run(arguments).out()) == "");
  if (pwd != nullptr) setenv("PWD", before.c_str(), 1);
}

BOOST_FIXTURE_TEST_CASE(a_simple_command_is_really_executed_without_a_shell, BothWays) {
  // The comparisons of this file mean something only if direct execution involves no shell. The command's parent is its
  // custodian then.
  const std::string show_parent = "sh -c 'cat /proc/$PPID/comm; :'";
  BOOST_TEST(by_shell.shell(show_parent + "; :").out() == "sh\n");
  BOOST_TEST(direct.shell(show_parent).out() != "sh\n");
}

BOOST_AUTO_TEST_SUITE_END()
