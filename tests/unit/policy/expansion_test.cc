// policy/expansion.h: which words a line has once its globs, $HOME, $PWD and $? are known, and when they stay unknown.
#include "policy/expansion.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "policy/directories.h"
#include "policy/judge.h"
#include "support/program.h"

namespace expansion_test {

using namespace wtool::policy;
using wtool::test::ScratchFolder;

namespace {

struct Project {
  ScratchFolder folder;
  const std::string path = folder.path();
  CommandRules commands;
  DirectoryRules directories;
  EnvironmentRules environment;
  std::string home = "/home/me";

  Project() {
    commands.allow = {{"ls", "cat", "rm", "find", "wc", "echo", "printf", "test", "touch", "cd", "set", "export",
                       "grep", "pwd", "time", "make", "npm", "exit"}};
    std::filesystem::create_directories(path + "/src/deep");
    for (const char* name :
         {"a.md", "b.md", ".hidden.md", "x y.txt", "src/m.c", "src/n.c", "src/n.h", "src/deep/z.c"}) {
      folder.file(name, "");
    }
  }

  LineJudgement judge(std::string_view line) const {
    const Programs programs(std::nullopt, "/usr/bin:/bin", {});
    return wtool::policy::judge(line, {commands, directories, programs, canonical_roots(directories.roots), path, true,
                                       &environment, true, home});
  }
  // What would run; or "refused: " and why.
  std::string runs(std::string_view line) const {
    const LineJudgement judgement = judge(line);
    if (judgement.verdict.decision != Decision::allow) return "refused: " + judgement.verdict.reason;
    std::string text = regenerate(judgement.script.value());
    for (std::size_t at; (at = text.find(path)) != std::string::npos;) text.replace(at, path.size(), "DIR");
    return text;
  }
  bool is_refused(std::string_view line, std::string_view why) const {
    const std::string text = runs(line);
    BOOST_TEST_CONTEXT(line << ": " << text) {
      BOOST_TEST(text.starts_with("refused: "));
      BOOST_TEST(text.find(why) != std::string::npos);
      BOOST_TEST(!judge(line).verdict.hint.empty());
    }
    return true;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(expansion, Project)

BOOST_AUTO_TEST_CASE(globs_become_the_existing_names) {
  BOOST_TEST(runs("ls *.md") == "'ls' 'a.md' 'b.md'");
  BOOST_TEST(runs("ls -l src/*.c") == "'ls' '-l' 'src/m.c' 'src/n.c'");
  BOOST_TEST(runs("ls src/n.?") == "'ls' 'src/n.c' 'src/n.h'");
  BOOST_TEST(runs("ls src/[mn].c") == "'ls' 'src/m.c' 'src/n.c'");
  BOOST_TEST(runs("ls src/[!m].c") == "'ls' 'src/n.c'");
  BOOST_TEST(runs("ls src/[a-m]*") == "'ls' 'src/deep' 'src/m.c'");
  BOOST_TEST(runs("ls src/[A-Z]* [0-9] [a-cx]*") == "'ls' 'src/[A-Z]*' '[0-9]' 'a.md' 'b.md' 'x y.txt'");
  BOOST_TEST(runs("ls .*.md") == "'ls' '.hidden.md'");
  BOOST_TEST(runs("ls .*") == "'ls' '.hidden.md'");
  BOOST_TEST(runs("ls *.txt") == "'ls' 'x y.txt'");
  BOOST_TEST(runs("ls \"x y\"*") == "'ls' 'x y.txt'");
  BOOST_TEST(runs("ls 's'r\\c/*.h") == "'ls' 'src/n.h'");
  BOOST_TEST(runs("ls */*.c") == "'ls' 'src/m.c' 'src/n.c'");
  BOOST_TEST(runs("ls */") == "'ls' 'src/'");
  BOOST_TEST(runs("ls s*/deep/z*") == "'ls' 'src/deep/z.c'");
  BOOST_TEST(runs("ls ./*.md | wc -l") == "'ls' './a.md' './b.md' | 'wc' '-l'");
  BOOST_TEST(runs("ls " + path + "/*.md") == "'ls' 'DIR/a.md' 'DIR/b.md'");
  BOOST_TEST(runs("ls *.md > /dev/null 2>&1") == "'ls' 'a.md' 'b.md' >/dev/null 2>&1");
}

BOOST_AUTO_TEST_CASE(what_matches_nothing_stays_as_shells_leave_it) {
  BOOST_TEST(runs("ls *.rs") == "'ls' '*.rs'");
  BOOST_TEST(runs("ls none/*") == "'ls' 'none/*'");
  BOOST_TEST(runs("ls '*.md' \\*.md \"*.md\"") == "'ls' '*.md' '*.md' '*.md'");
  BOOST_TEST(runs("ls a[") == "'ls' 'a['");
  BOOST_TEST(runs("ls src/x[12].c") == "'ls' 'src/x[12].c'");
}

// What is judged are the names that the glob matches, whatever they look like.
BOOST_AUTO_TEST_CASE(a_name_that_looks_like_an_option_is_judged_as_one) {
  folder.file("-delete", "");
  commands.safe_arguments = true;
  BOOST_TEST(runs("find . -name a.md") == "'find' '.' '-name' 'a.md'");
  is_refused("find *", "-delete");
  commands.safe_arguments = false;
  BOOST_TEST(runs("find -d*") == "'find' '-delete'");
  commands.deny = {"rm -rf"};
  folder.file("-rf", "");
  is_refused("rm -r* x", "is denied by the entry");
}

BOOST_AUTO_TEST_CASE(a_glob_is_expanded_where_its_command_surely_runs) {
  BOOST_TEST(runs("cd src && ls *.c") == "cd -P -- 'src' && 'ls' 'm.c' 'n.c'");
  BOOST_TEST(runs("cd src && cd deep && ls *.c | wc -l") ==
             "cd -P -- 'src' && cd -P -- 'deep' && 'ls' 'z.c' | 'wc' '-l'");
  BOOST_TEST(runs("cd src; ls") == "cd -P -- 'src'; 'ls'");
  is_refused("cd src; ls *.c", "a glob after a cd that may have failed");
  is_refused("cd src && ls; ls *.c", "a glob after a cd that may have failed");
  is_refused("cd src && ls || ls *.c", "a glob after a cd that may have failed");
  is_refused("cd s* && ls $PWD || ls $PWD", "whose value is not known");
  is_refused("true || cd src && ls *.c", "a glob after a cd that may have failed");
  is_refused("true || cd src && cat $PWD/m.c", "whose value is not known");
  is_refused("echo a | cd src && ls *.c", "a glob after a cd that may have failed");
  BOOST_TEST(runs("ls && cd src && ls *.c") == "'ls' && cd -P -- 'src' && 'ls' 'm.c' 'n.c'");
}

BOOST_AUTO_TEST_CASE(a_glob_after_a_command_that_may_make_files_is_not_expanded) {
  is_refused("touch c.md && ls *.md", "a command that may change which files exist");
  is_refused("make; ls *.md", "a command that may change which files exist");
  is_refused("set -f; ls *.md", "a command that may change which files exist");
  BOOST_TEST(runs("echo a; cat b.md && ls *.md") == "'echo' 'a'; 'cat' 'b.md' && 'ls' 'a.md' 'b.md'");
  BOOST_TEST(runs("touch c && echo d") == "'touch' 'c' && 'echo' 'd'");
}

BOOST_AUTO_TEST_CASE(a_command_behind_a_wrapper_may_make_files_too) {
  for (const char* wrapper : {"env", "nice", "timeout", "tee", "sort", "head", "xargs"}) {
    commands.allow->emplace_back(wrapper);
  }
  const std::string why = "a command that may change which files exist";
  is_refused("env touch c.md; ls *.md", why);
  is_refused("nice timeout 5 touch c.md && ls *.md", why);
  is_refused("find . -exec tee c.md ';' ; ls *.md", why);
  is_refused("find . -exec sort {} + ; ls *.md", why);
  is_refused("ls | xargs sort; ls *.md", why);
  BOOST_TEST(runs("env ls; ls *.md") == "'env' 'ls'; 'ls' 'a.md' 'b.md'");
  BOOST_TEST(runs("ls | xargs wc -l; ls *.md") == "'ls' | 'xargs' 'wc' '-l'; 'ls' 'a.md' 'b.md'");
  BOOST_TEST(runs("find . -exec head -n1 {} ';' ; ls *.md") ==
             "'find' '.' '-exec' 'head' '-n1' '{}' ';'; 'ls' 'a.md' 'b.md'");
}

BOOST_AUTO_TEST_CASE(what_shells_read_differently_or_what_has_no_end_is_refused) {
  is_refused("ls [A-z]*", "shells read differently");
  is_refused("ls [z-a]*", "shells read differently");
  is_refused("ls [^a]*", "shells read differently");
  is_refused("ls [[:alpha:]]*", "shells read differently");
  is_refused("ls 'x'[ab]*", "the glob character [");
  is_refused("ls {a,b}*", "");
  is_refused("ls ~root/*", "a tilde");
  is_refused("ls $X*", "a parameter expansion");
  is_refused("ls $(echo *)", "");
  is_refused("l? a", "");
  is_refused("sh -c 'ls *'", "");
  for (int i = 0; i <= 10000; ++i) {
    BOOST_REQUIRE(::symlink("x", (path + "/src/deep/n" + std::to_string(i)).c_str()) == 0);
  }
  is_refused("ls src/deep/*", "more than 10000 names");
  BOOST_TEST(runs("ls src/deep/z*") == "'ls' 'src/deep/z.c'");
}

BOOST_AUTO_TEST_CASE(a_glob_does_not_look_out_of_the_roots) {
  const ScratchFolder outside;
  outside.file("secret-name", "");
  BOOST_REQUIRE(::symlink(outside.path().c_str(), (path + "/out").c_str()) == 0);
  directories = {{path}, true};
  BOOST_TEST(runs("ls *.md") == "'ls' 'a.md' 'b.md'");
  is_refused("ls out/*", "a glob that leads out of directories.roots");
  is_refused("ls ../*", "a glob that leads out of directories.roots");
  BOOST_TEST(runs("ls */*").find("secret-name") == std::string::npos);
  // Nor may a refusal reveal whether something exists there.
  is_refused("echo */secret-name", "a glob that leads out of directories.roots");
  is_refused("echo */no-such-name", "a glob that leads out of directories.roots");
  is_refused("echo */../*/secret-name", "a glob that leads out of directories.roots");
  is_refused("echo s*/../../*", "a glob that leads out of directories.roots");
  is_refused("echo s*/../../secret", "a glob that leads out of directories.roots");
  is_refused("echo /no-such-folder/*", "a glob that leads out of directories.roots");
  BOOST_TEST(runs("ls " + path + "/src/*.h") == "'ls' 'DIR/src/n.h'");
  BOOST_TEST(runs("ls sr*/../src/*.h") == "'ls' 'src/../src/n.h'");
}

BOOST_AUTO_TEST_CASE(a_name_that_is_not_utf8_is_not_put_into_a_line) {
  folder.file("z\xff", "");
  is_refused("ls *", "a name that is not UTF-8");
  is_refused("ls z?", "a name that is not UTF-8");
  BOOST_TEST(runs("ls *.md") == "'ls' 'a.md' 'b.md'");
}

BOOST_AUTO_TEST_CASE(home_and_the_directory_are_their_values) {
  BOOST_TEST(runs("echo $HOME") == "'echo' '/home/me'");
  BOOST_TEST(runs("ls \"$HOME/x y\" $HOME/a") == "'ls' '/home/me/x y' '/home/me/a'");
  BOOST_TEST(runs("echo $PWD \"$PWD\"") == "'echo' 'DIR' 'DIR'");
  BOOST_TEST(runs("cd src && echo $PWD") == "cd -P -- 'src' && 'echo' 'DIR/src'");
  BOOST_TEST(runs("ls $PWD/*.md") == "'ls' 'DIR/a.md' 'DIR/b.md'");
  BOOST_TEST(runs("ls ~ ~/a ~/'x y'") == "'ls' '/home/me' '/home/me/a' '/home/me/x y'");
  BOOST_TEST(runs("cd ~/src; ls") == "cd -P -- '/home/me/src'; 'ls'");
  BOOST_TEST(runs("ls a~ '~' ./~/x a~b") == "'ls' 'a~' '~' './~/x' 'a~b'");
  for (const char* line :
       {"ls ~me", "ls ~+", "ls ~-", "ls ~1", "ls ~'/x'", "ls ~\"\"/x", "ls \"\"~/x", "ls ~\\/x", "ls a:~/x", "ls x=~/x",
        "ls ~$PWD", "~/x", "~", "A=~/x ls", "ls > ~/x", "ls ~\\\n/x", "ls ~\\\nroot"}) {
    is_refused(line, "");
  }
  is_refused("echo $PATH", "a parameter expansion");
  is_refused("echo $HOMES", "a parameter expansion");
  is_refused("echo ${HOME}", "a parameter expansion");
  is_refused("echo ${HOME%x}", "a parameter expansion");
  is_refused("export A=b; echo $HOME", "whose value is not known");
  is_refused("$HOME/x", "");
  is_refused("export CI=1; ls ~", "whose value is not known");
  home = "/home/a b";
  is_refused("echo $HOME", "a shell may split or expand");
  is_refused("ls ~", "a shell may split or expand");
  home = "/home/*";
  is_refused("echo $HOME", "a shell may split or expand");
  home = "";
  is_refused("echo $HOME", "whose value is not known");
}

BOOST_AUTO_TEST_CASE(the_exit_status_stays_for_what_prints_or_compares_it) {
  BOOST_TEST(runs("ls; echo \"rc=$?\"") == "'ls'; 'echo' 'rc='\"$?\"");
  BOOST_TEST(runs("ls; echo $?") == "'ls'; 'echo' \"$?\"");
  BOOST_TEST(runs("ls; test $? -eq 0 && echo 'it'\\''s'$?") ==
             "'ls'; 'test' \"$?\" '-eq' '0' && 'echo' 'it'\\''s'\"$?\"");
  BOOST_TEST(runs("ls; exit $?") == "'ls'; 'exit' \"$?\"");
  is_refused("ls; cat f$?", "$? as an argument of a program");
  is_refused("ls; printf $?", "$? as an argument of a program");
  is_refused("ls; cd $?", "$? as an argument of a program");
  is_refused("ls; echo *$?", "$? as an argument of a program");
}

BOOST_AUTO_TEST_CASE(harmless_variables_may_come_before_a_program) {
  BOOST_TEST(runs("LC_ALL=C ls") == "LC_ALL='C' 'ls'");
  BOOST_TEST(runs("LC_ALL=C TZ='a b' ls *.md | LANG= wc -l") ==
             "LC_ALL='C' TZ='a b' 'ls' 'a.md' 'b.md' | LANG='' 'wc' '-l'");
  BOOST_TEST(runs("! CI=a=b ls && LC_ALL=C >/dev/null cat a.md") ==
             "! CI='a=b' 'ls' && LC_ALL='C' 'cat' 'a.md' >/dev/null");
  BOOST_TEST(runs("LC_ALL=C cat ~/x $PWD/y") == "LC_ALL='C' 'cat' '/home/me/x' 'DIR/y'");
  is_refused("FOO=1 ls", "the variable FOO may change what programs do");
  is_refused("LC_ALL=C FOO=1 ls", "the variable FOO may change what programs do");
  is_refused("LD_PRELOAD=x ls", "the variable LD_PRELOAD changes what programs do");
  is_refused("PATH=x ls", "the variable PATH changes what programs do");
  is_refused("ls; IFS=x ls", "the variable IFS changes what programs do");
  for (const char* assignment :
       {"LC_ALL=/tmp/evil", "LANG=x/../y", "LC_CTYPE=./x", "TZ=:/tmp/x", "TZ=/tmp/x", "TZ=../x"}) {
    is_refused(std::string(assignment) + " ls", "names a file that the C library loads");
    is_refused(std::string("export ") + assignment + " && ls", "names a file that the C library loads");
  }
  BOOST_TEST(runs("TZ=Europe/Berlin LC_ALL=de_DE.UTF-8 ls") == "TZ='Europe/Berlin' LC_ALL='de_DE.UTF-8' 'ls'");
  environment.allow = {"FOO", "LC_ALL"};
  BOOST_TEST(runs("LC_ALL=/opt/locale ls") == "LC_ALL='/opt/locale' 'ls'");
  BOOST_TEST(runs("FOO='*' ls") == "FOO='*' 'ls'");
  environment.deny = {"LC_*"};
  is_refused("LC_ALL=C ls", "is denied by the pattern LC_* of environment.deny");
  is_refused("export LC_ALL=C; ls", "export may be used here only as NAME=value");
  environment = {};
  // A shell would keep these variables, or run something else.
  is_refused("LC_ALL=C", "without a program after it");
  is_refused("LC_ALL=C; ls", "without a program after it");
  is_refused("LC_ALL=C >/dev/null; ls", "without a program after it");
  is_refused("LC_ALL=C echo a", "without a program after it");
  is_refused("LC_ALL=C cd src && ls", "without a program after it");
  is_refused("LC_ALL=C export A=b", "without a program after it");
  for (const char* line :
       {"LC_ALL=$(id) ls", "LC_ALL=$X ls", "LC_ALL=$HOME ls", "LC_ALL=* ls", "LC_ALL=[a] ls", "LC_ALL=~ ls",
        "LC_ALL=a:~/x ls", "LC_ALL={a,b} ls", "LC_ALL=(a) ls", "LC_ALL+=a ls", "LC_ALL[0]=a ls", "LC_ALL=a time ls",
        "LC_ALL=a if", "LC_ALL=a l?", "LC_ALL=a $X", "'LC_ALL'=a ls", "LC\\_ALL=a ls", "LC_ALL=a id"}) {
    is_refused(line, "");
  }
}

BOOST_AUTO_TEST_CASE(time_is_the_program_of_that_name) {
  BOOST_TEST(runs("time make") == "'time' 'make'");
  BOOST_TEST(runs("time -p make -j2 | wc -l") == "'time' '-p' 'make' '-j2' | 'wc' '-l'");
  is_refused("time id", "\"id\" is not in commands.allow");
  commands.allow = {{"make"}};
  is_refused("time make", "\"time\" is not in commands.allow");
}

BOOST_AUTO_TEST_CASE(tools_other_than_shell_execute_expand_nothing) {
  const Programs programs(std::nullopt, "/usr/bin:/bin", {});
  for (const char* line : {"ls *.md", "echo $HOME", "ls; echo $?", "time make", "ls ~", "LC_ALL=C ls"}) {
    const auto judgement = wtool::policy::judge(line, {commands, directories, programs, {}, path});
    BOOST_TEST(to_text(judgement.verdict.decision) == "deny", line);
    BOOST_TEST(!judgement.script);
  }
  // Where lines run as they are written, nothing is expanded either.
  commands = {};
  commands.deny = {"rm"};
  BOOST_TEST(!judge("ls *.md").script);
  BOOST_TEST(!judge("ls *.md").expanded);
}

BOOST_FIXTURE_TEST_CASE(a_question_mark_stands_for_a_whole_character, Project) {
  for (const char* name : {"a.one", "\xc3\xbc.one", "\xe6\xbc\xa2.one", "ab.one"}) folder.file(name, "");
  const std::string text = runs("cat ?.one");
  for (const char* name : {"a.one", "\xc3\xbc.one", "\xe6\xbc\xa2.one"}) {
    BOOST_TEST(text.find(name) != std::string::npos, text);
  }
  BOOST_TEST(text.find("ab.one") == std::string::npos, text);
}

// dash runs `ls` in the background, and then `rm`.
BOOST_FIXTURE_TEST_CASE(a_line_that_runs_as_it_is_written_is_read_as_every_shell_reads_it, Project) {
  commands.deny = {"rm"};
  commands.ask_unlisted = true;
  for (const char* line :
       {"ls &>/dev/null rm x $(date)", "ls &>>/dev/null rm x > out", "ls &>/dev/null rm ~nobody/x"}) {
    const Verdict verdict = judge(line).verdict;
    BOOST_TEST(to_text(verdict.decision) == "deny", line);
    BOOST_TEST(verdict.rule == "commands.deny: rm", line);
  }
  BOOST_TEST(to_text(judge("ls &>/dev/null *.md").verdict.decision) == "allow");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace expansion_test
