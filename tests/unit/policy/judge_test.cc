// policy/judge.h: which verdict, for which reason, about which word. The many lines in tests/data test the verdicts;
// the tests here are about the reasons.
#include "policy/judge.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "judge_rules.h"
#include "policy/confinement.h"
#include "policy/programs/spec.h"
#include "support/program.h"

namespace judge_test {

using namespace wtool::policy;
using namespace wtool::test::judge_rules;

BOOST_AUTO_TEST_SUITE(judge)

BOOST_AUTO_TEST_CASE(without_rules_every_line_is_allowed_and_none_is_read) {
  BOOST_TEST(!judges_lines({}, {}));
  BOOST_TEST(!judges_lines(Rules().allow({"*"}).commands, {}));
  BOOST_TEST(to_text(Rules().verdict("rm -rf $(").decision) == "allow");
}

BOOST_AUTO_TEST_CASE(an_unknown_program_gets_no_unknown_words) {
  check(Rules().allow({"xargs", "./build.sh"}), "xargs ./build.sh", Decision::deny, "./build.sh", "commands.allow",
        "\"build.sh\" gets arguments that are known only when the command runs, and some arguments may make it run "
        "programs");
  check(Rules().allow({"find", "./build.sh"}), "find . -exec ./build.sh {} ';'", Decision::deny, "./build.sh",
        "commands.allow", "may make it run programs");
  check(Rules().allow({"xargs", "./build.sh *"}), "xargs ./build.sh a", Decision::allow, "", "commands.allow: xargs",
        "");
  check(Rules().allow({"xargs", "cat"}), "xargs cat", Decision::allow, "", "commands.allow: xargs", "");
}

BOOST_AUTO_TEST_CASE(text_for_a_shell_within_another_reads_what_that_one_reads) {
  const Rules rules = Rules().allow({"cat", "sh", "bash", "xargs", "wc", "env"});
  const std::string_view unknown = "runs its standard input, which is known only when the command runs";
  check(rules, "cat x | sh -c sh", Decision::deny, "sh", "commands.allow", unknown);
  check(rules, "cat x | sh -c 'sh -c sh'", Decision::deny, "sh", "commands.allow", unknown);
  check(rules, "cat x | env bash -c 'wc; bash -s'", Decision::deny, "bash", "commands.allow", unknown);
  check(rules, "sh -c sh", Decision::allow, "", "commands.allow: sh", "");
  check(rules, "sh -c sh < /dev/null", Decision::allow, "", "commands.allow: sh", "");
  check(rules, "cat x | sh -c 'sh < /dev/null'", Decision::allow, "", "commands.allow: cat", "");
  check(rules, "cat x | sh -c 'wc -l'", Decision::allow, "", "commands.allow: cat", "");
  check(rules, "cat x | xargs sh -c sh", Decision::allow, "", "commands.allow: cat", "");
  // If a file contains the arguments, the commands get the standard input.
  check(rules, "cat x | xargs -a f -I X sh", Decision::deny, "sh", "commands.allow", unknown);
  check(rules, "xargs --arg-f=f -I X sh < x", Decision::deny, "x", "commands.allow", unknown);
  check(rules, "xargs -a f -I X sh < /dev/null", Decision::allow, "", "commands.allow: xargs", "");
  check(rules, "xargs -I X sh < x", Decision::allow, "", "commands.allow: xargs", "");
}

BOOST_AUTO_TEST_CASE(a_command_of_parallel_reads_what_parallel_does_not_take_for_arguments) {
  const Rules rules = Rules().allow({"cat", "sh *", "parallel"});
  const std::string_view unknown = "runs its standard input, which is known only when the command runs";
  check(rules, "parallel sh -s < x", Decision::allow, "", "commands.allow: parallel", "");
  check(rules, "parallel sh -s ::: a < x", Decision::deny, "x", "commands.allow", unknown);
  check(rules, "cat x | parallel -a f sh -s", Decision::deny, "sh", "commands.allow", unknown);
  check(rules, "cat x | parallel --pipe sh -s", Decision::deny, "sh", "commands.allow", unknown);
  check(rules, "parallel --pipepart -a x sh -s", Decision::deny, "sh", "commands.allow", unknown);
  check(rules, "parallel --pipepart -a x 'sh; sh'", Decision::deny, "sh", "commands.allow", unknown);
}

BOOST_AUTO_TEST_CASE(a_file_as_standard_input_is_judged_like_a_pipe_and_like_a_path) {
  const wtool::test::ScratchFolder scratch;
  const std::string unknown = "runs its standard input, which is known only when the command runs";
  const Rules rules = Rules().allow({"cat", "wc", "sh", "xargs", "sort", "python3"});
  check(rules, "wc -l < a", Decision::allow, "", "commands.allow: wc", "");
  check(rules, "sh -c 'wc -l <a'", Decision::allow, "", "commands.allow: sh", "");
  check(rules, "sh < a", Decision::deny, "a", "commands.allow", unknown);
  check(rules, "sh -c sh < a", Decision::deny, "sh", "commands.allow", unknown);
  check(rules, "xargs sort < a", Decision::deny, "sort", "commands.allow", "known only when the command runs");
  check(rules, "python3 - < a", Decision::ask, "a", "inline code", "");
  check(rules, "cat < /dev/tcp/127.0.0.1/1", Decision::deny, "< /dev/tcp/127.0.0.1/1", "commands.allow", "");
  Rules confined = Rules().allow({"cat", "cd", "mv", "sh", "env"});
  confined.directories = {{scratch.path()}, true};
  confined.directory = scratch.path();
  check(confined, "cat < a", Decision::allow, "", "commands.allow: cat", "");
  check(confined, "cd b && cat < a", Decision::allow, "", "commands.allow: cd", "");
  check(confined, "cat < ../a", Decision::deny, "../a", "commands.allow", "outside of directories.roots");
  check(confined, "env -C b cat < ../a", Decision::deny, "../a", "commands.allow", "outside of directories.roots");
  check(confined, "sh -c 'cat < /etc/passwd'", Decision::deny, "/etc/passwd", "commands.allow", "\"/etc/passwd\"");
  check(confined, "< /etc/passwd", Decision::deny, "/etc/passwd", "commands.allow", "outside of directories.roots");
  check(confined, "mv a/l l && cat < l", Decision::deny, "l", "commands.allow", "may make or move links");
}

BOOST_AUTO_TEST_CASE(what_a_name_means_to_the_shell_may_be_asked) {
  const Rules rules = Rules().allow({"command", "type", "echo"}).safe();
  check(rules, "command -v rm && echo yes", Decision::allow, "", "commands.allow: command", "");
  check(rules, "command -V rm", Decision::allow, "", "commands.allow: command", "");
  check(rules, "type rm", Decision::allow, "", "commands.allow: type", "");
  for (const char* line : {"command rm x", "command -p rm x", "command -- -v", "command", "type", "hash -p ./x echo"}) {
    check(rules, line, Decision::deny, std::string(line).substr(0, std::string(line).find(' ')), "commands.allow",
          "is a builtin of the shell");
  }
  check(Rules().allow({"echo"}), "command -v rm", Decision::deny, "command", "commands.allow", "not in commands.allow");
}

BOOST_AUTO_TEST_CASE(the_files_in_a_form_of_curl_are_found) {
  const wtool::test::ScratchFolder scratch;
  std::filesystem::create_symlink("/etc", scratch.path() + "/l");
  const auto escapes = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"curl", "-s"});
    words.emplace_back("http://x/");
    return find_escape("curl", words, scratch.path(), {scratch.path()}).has_value();
  };
  for (const char* field : {"x=@../out", "x=</etc/passwd", "x=<../out", "x=@\"/etc/passwd\"", "x=@ /etc/passwd",
                            "x=@a, \"../out\"", "x=a;headers=</etc/passwd", "x=a;headers=@ ../out", "x=@\"l/a\"",
                            "x=@l;type=a/b", "x=@l ;type=a/b", "x=<l", "x=@a,l ", "x=@\"a\\\"b\""}) {
    BOOST_TEST(escapes({"-F", field}), field);
    BOOST_TEST(escapes({"--form", field}), field);
    BOOST_TEST(escapes({"-sF", field}), field);
    BOOST_TEST(escapes({std::string("-F") + field}), field);
  }
  for (const char* field : {"x=@a.txt", "x=<b/a.txt", "x=@\"my file.txt\"", "x=@a.txt;type=text/plain",
                            "x=see /usr/bin", "x=\"/usr/bin\"", "x=a <b>c</b>"}) {
    BOOST_TEST(!escapes({"-F", field}), field);
  }
  // Elsewhere, quotes are part of a text.
  BOOST_TEST(!escapes({"-d", "[\"a\", \"/b\"]"}));
}

BOOST_AUTO_TEST_CASE(what_curl_prints_after_a_transfer_is_not_an_address) {
  const auto escapes = [](std::vector<std::string> words) {
    words.insert(words.begin(), "curl");
    return find_escape("curl", words, "/r", {"/r"}).has_value();
  };
  BOOST_TEST(!escapes({"-s", "-o", "/dev/null", "-w", "%{http_code}", "http://localhost:3000/"}));
  BOOST_TEST(!escapes({"-s", "--write-out", "%{http_code} %{time_total}\\n", "http://x/"}));
  for (const char* text : {"%output{/etc/x}", "%output{x}", "{file}:///etc/x", "%{a}{b}", "%{a,b}", "%{", "%{}", "[a]",
                           "%header{a}", "@/etc/%{a}"}) {
    BOOST_TEST(escapes({"-w", text, "http://x/"}), text);
  }
  // -w may be the value of another option.
  BOOST_TEST(escapes({"-o", "-w", "%{http_code}"}));
}

BOOST_AUTO_TEST_CASE(the_path_in_a_pathspec_of_git_is_found) {
  const auto escapes = [](const char* text) {
    return find_escape("git", {"git", "grep", "--no-index", "x", text}, "/r/a", {"/r/a"}).has_value();
  };
  for (const char* text : {":(glob)../out", ":(glob,icase)/out", ":(exclude)b/../../out", ":!../out", ":^../out",
                           ":!^../out", ":!:../out", "::../out", ":(top)b", ":(prefix:0)b", ":(glob", ":/b", ":!/b"}) {
    BOOST_TEST(escapes(text), text);
  }
  for (const char* text : {":(glob)**/b", ":(exclude,icase)b", ":!b", ":^b/c", ":(attr:x)b", ":(literal)b", ":!:b"}) {
    BOOST_TEST(!escapes(text), text);
  }
}

BOOST_AUTO_TEST_CASE(the_command_of_find_is_judged_as_a_separate_command) {
  const Rules rules = Rules().allow({"find", "grep", "rm", "sort", "ls"}).safe();
  check(rules, "find . -name '*.py' -exec grep -l foo {} +", Decision::allow, "", "commands.allow: find", "");
  check(rules, "find . -exec ls -lh {} \\;", Decision::allow, "", "commands.allow: find", "");
  check(rules, "find . -exec rm {} \\;", Decision::deny, "rm", "commands.allow", "writes files");
  check(rules, "find . -exec sort {} +", Decision::deny, "sort", "commands.allow", "known only when the command runs");
  check(rules, "find . -exec cat {} +", Decision::deny, "cat", "commands.allow", "not in commands.allow");
  check(rules, "find . -exec {} \\;", Decision::deny, "{}", "commands.allow", "");
  check(rules, "find . -execdir ls {} +", Decision::deny, "-execdir", "commands.allow", "");
}

BOOST_AUTO_TEST_CASE(git_that_is_judged_safe_runs_without_what_a_configuration_names) {
  const auto run = [](const Rules& rules, std::string_view line) {
    const LineJudgement judgement = rules.judge(line);
    BOOST_TEST_CONTEXT(line << ": " << judgement.verdict.reason) {
      BOOST_TEST(to_text(judgement.verdict.decision) == "allow");
    }
    std::string text;
    for (const SimpleCommand& command : judgement.script->commands) {
      for (const Word& word : command.words) text += (text.empty() ? "" : " ") + word.text;
    }
    const std::string environment = std::string(programs::find_program("git")->spec().launched) + ' ';
    for (std::size_t at; (at = text.find(environment)) != std::string::npos;)
      text.replace(at, environment.size(), "ENV ");
    const std::string git = " " + std::string(programs::find_program("git")->spec().hardened) + " ";
    for (std::size_t at; (at = text.find(git)) != std::string::npos;) text.replace(at, git.size(), " HARD ");
    return text;
  };
  const Rules rules = Rules().allow({"git", "timeout", "echo", "xargs"}).safe();
  BOOST_TEST(run(rules, "git status") == "ENV git HARD status --ignore-submodules=dirty");
  BOOST_TEST(run(rules, "/usr/bin/git -C / -c color.ui=never status -s") ==
             "ENV /usr/bin/git HARD -C / -c color.ui=never status --ignore-submodules=dirty -s");
  BOOST_TEST(run(rules, "git log -3 -- git") ==
             "ENV git HARD log --no-ext-diff --no-textconv --ignore-submodules=dirty --submodule=short -3 -- git");
  BOOST_TEST(run(rules, "git stash list") ==
             "ENV git HARD stash list --no-ext-diff --no-textconv --ignore-submodules=dirty --submodule=short");
  BOOST_TEST(run(rules, "git clean -nd") == "ENV git HARD clean -nd");
  BOOST_TEST(run(rules, "git blame x") == "ENV git HARD blame --no-textconv x");
  BOOST_TEST(
      run(rules, "echo git && timeout 5 git diff") ==
      "echo git timeout 5 ENV git HARD diff --no-ext-diff --no-textconv --ignore-submodules=dirty --submodule=short");
  BOOST_TEST(
      run(rules, "echo a | xargs git diff --") ==
      "echo a xargs ENV git HARD diff --no-ext-diff --no-textconv --ignore-submodules=dirty --submodule=short --");
  // These run as written: a command that an entry names in full, and one that may have any arguments.
  BOOST_TEST(run(Rules().allow({"git status"}).safe(), "git status") == "git status");
  BOOST_TEST(run(Rules().allow({"git"}), "git status") == "git status");
  check(Rules().allow({"sh *", "git"}).safe(), "sh -c 'git status'", Decision::deny, "git", "commands.allow",
        "within text for a shell");
}

BOOST_AUTO_TEST_CASE(tools_that_are_judged_safe_run_and_write_nothing_that_the_project_names) {
  const auto run = [](std::string_view line) {
    const LineJudgement judgement = Rules().allow({"go", "npm", "terraform"}).safe().judge(line);
    BOOST_TEST(to_text(judgement.verdict.decision) == "allow", line);
    std::string text;
    for (const Word& word : judgement.script->commands.front().words) text += (text.empty() ? "" : " ") + word.text;
    return text;
  };
  BOOST_TEST(run("go list ./...") == "go list -buildvcs=false ./...");
  BOOST_TEST(run("npm ls -g") == "npm --logs-max=0 --no-update-notifier ls -g");
  BOOST_TEST(run("npm --version") == "npm --logs-max=0 --no-update-notifier --version");
  BOOST_TEST(run("terraform version") == "env CHECKPOINT_DISABLE=1 terraform version");
  BOOST_TEST(run("npm query ':outdated'") == "npm --logs-max=0 --no-update-notifier query --git=/bin/false :outdated");
  BOOST_TEST(run("npm audit --json") ==
             "npm --logs-max=0 --no-update-notifier audit --package-lock=true --git=/bin/false --json");
}

BOOST_AUTO_TEST_CASE(a_refusal_is_about_the_word_that_is_not_covered) {
  const Rules rules = Rules().allow({"ls", "git log *", "npm test"});
  check(rules, "ls -l", Decision::allow, "", "commands.allow: ls", "");
  check(rules, "ls && id -u", Decision::deny, "id", "commands.allow", "\"id\" is not in commands.allow");
  check(rules, "npm tests", Decision::deny, "npm tests", "commands.allow",
        "no entry of commands.allow covers \"npm\" as it is used here");
  check(rules, "./ls", Decision::deny, "./ls", "commands.allow", "not the same program as \"ls\"");
  check(rules, "ls $HOME", Decision::deny, "$HOME", "commands.allow", "cannot be checked before it runs");
  check(rules, "ls 'x", Decision::deny, "'", "commands.allow", "cannot be read as shell text");
  check(rules, "eval ls", Decision::deny, "eval", "commands.allow", "builtin of the shell");
  check(rules, "sh -c 'id'", Decision::deny, "sh", "commands.allow", "");
  check(Rules().allow({}), "ls", Decision::deny, "ls", "commands.allow", "");
}

BOOST_AUTO_TEST_CASE(commands_inside_a_word_are_reported_at_that_words_place) {
  const Verdict verdict = Rules().allow({"sh", "ls"}).verdict("ls && sh -c 'ls; id'");
  BOOST_TEST(verdict.word == "id");
  BOOST_TEST(verdict.at.begin == 12U);
  BOOST_TEST(verdict.at.end == 20U);
}

BOOST_AUTO_TEST_CASE(an_entry_with_an_option_and_its_value_is_about_what_is_written_so) {
  const Rules rules = Rules().deny({"find -maxdepth 1", "docker --host x"});
  check(rules, "find . -maxdepth 1 -name a", Decision::deny, "find . -maxdepth 1 -name a",
        "commands.deny: find -maxdepth 1", "is denied");
  check(rules, "docker --host x ps", Decision::deny, "docker --host x ps", "commands.deny: docker --host x",
        "is denied");
  check(rules, "find . -maxdepth 2 -name 1", Decision::allow, "", "commands", "");
}

BOOST_AUTO_TEST_CASE(an_entry_whose_value_begins_with_a_minus_sign_matches_that_text) {
  const Rules rules = Rules().deny({"find -fls -n", "find src -fprint -n", "rm -r -f"});
  check(rules, "find -fls -n", Decision::deny, "find -fls -n", "commands.deny: find -fls -n", "is denied");
  check(rules, "find . -fls -n", Decision::deny, "find . -fls -n", "commands.deny: find -fls -n", "is denied");
  check(rules, "find src -fprint -n", Decision::deny, "find src -fprint -n", "commands.deny: find src -fprint -n", "");
  check(rules, "rm -- -r -f", Decision::allow, "", "commands", "");
}

BOOST_AUTO_TEST_CASE(an_option_that_only_the_program_takes_with_a_value_hides_nothing_from_an_entry) {
  const Rules rules = Rules().deny({"kubectl logs --previous", "kubectl logs db"});
  check(rules, "kubectl logs -f --previous x", Decision::deny, "kubectl logs -f --previous x",
        "commands.deny: kubectl logs --previous", "");
  check(rules, "kubectl logs -f db", Decision::deny, "kubectl logs -f db", "commands.deny: kubectl logs db", "");
  check(rules, "kubectl logs -n db x", Decision::allow, "", "commands", "");
}

BOOST_AUTO_TEST_CASE(the_strictest_rule_wins_and_an_entry_is_reported_first) {
  const Rules rules = Rules().allow({"git", "timeout"}).deny({"git push"}).ask({"git fetch", "git push"});
  check(rules, "git push origin", Decision::deny, "git push origin", "commands.deny: git push",
        "denied by the entry \"git push\"");
  check(rules, "git fetch", Decision::ask, "git fetch", "commands.ask: git fetch", "needs a person's approval");
  check(rules, "git fetch; git push", Decision::deny, "git push", "commands.deny: git push", "");
  check(rules, "nothing; git push", Decision::deny, "git push", "commands.deny: git push", "");
  check(rules, "git status", Decision::allow, "", "commands.allow: git", "");
  check(rules, "timeout 5 git push", Decision::deny, "git push", "commands.deny: git push", "");
}

BOOST_AUTO_TEST_CASE(only_an_entry_that_says_so_opens_the_network_and_only_with_a_yes) {
  const Rules rules = Rules().ask({"git fetch", "git push"}).ask_network({"git push"}).deny({"rm"});
  check(rules, "git push origin", Decision::ask, "git push origin", "commands.ask_network: git push",
        "needs a person's approval because of the entry \"git push\"");
  for (const char* line : {"git push origin", "/usr/bin/git -C x push", "sh -c 'git push'", "git fetch; git push"}) {
    BOOST_TEST(to_text(rules.verdict(line).decision) == "ask", line);
    BOOST_TEST(rules.verdict(line).opens_network, line);
  }
  // A yes to these lines does not open the network: another entry asks, it is unknown whether the entry matches, or the
  // line is refused or allowed.
  for (const char* line : {"git fetch", "git $X", "$X push", "git push; rm x", "git status", "echo git push"}) {
    BOOST_TEST(!rules.verdict(line).opens_network, line);
  }
  // Without a deny list, an unknown line is asked about, but a yes does not open the network.
  const Verdict unknown = Rules().ask_network({"git push"}).verdict("git $X");
  BOOST_TEST(to_text(unknown.decision) == "ask");
  BOOST_TEST(!unknown.opens_network);
}

BOOST_AUTO_TEST_CASE(what_the_list_does_not_cover_is_asked_about_where_it_says_so) {
  const Rules rules = Rules().allow({"ls"}).deny({"rm"}).ask_unlisted();
  check(rules, "id", Decision::ask, "id", "commands.allow", "not in commands.allow");
  check(rules, "ls > x", Decision::ask, "> x", "commands.allow", "");
  check(rules, "rm x", Decision::deny, "rm x", "commands.deny: rm", "");
}

BOOST_AUTO_TEST_CASE(safe_arguments_are_demanded_of_a_listed_program_and_not_of_exact_words) {
  const Rules rules = Rules().allow({"sort", "git *", "mytool", "yourtool *", "find . -delete"}).safe();
  check(rules, "sort -r x", Decision::allow, "", "commands.allow: sort", "");
  check(rules, "sort -o y x", Decision::deny, "-o", "commands.allow", "commands.arguments allows only safe arguments");
  check(rules, "git push", Decision::deny, "push", "commands.allow", "commands.arguments allows only safe arguments");
  check(rules, "mytool x", Decision::deny, "mytool", "commands.allow", "not known which arguments");
  check(rules, "mytool --version", Decision::allow, "", "commands.allow: mytool", "");
  check(rules, "mytool --version x", Decision::deny, "mytool", "commands.allow", "not known which arguments");
  check(rules, "yourtool x", Decision::allow, "", "commands.allow: yourtool *", "");
  check(rules, "find . -delete", Decision::allow, "", "commands.allow: find . -delete", "");
  check(rules, "find . -name x", Decision::deny, "find . -name x", "commands.allow", "no entry");
}

BOOST_AUTO_TEST_CASE(code_that_cannot_be_judged_is_asked_about_unless_an_entry_names_it_in_full) {
  const Rules rules = Rules().allow({"python3", "perl -e 1"});
  check(rules, "python3 x.py", Decision::allow, "", "commands.allow: python3", "");
  check(rules, "python3 -c x", Decision::ask, "-c", "inline code", "cannot be judged");
  check(rules, "perl -e 1", Decision::allow, "", "commands.allow: perl -e 1", "");
}

BOOST_AUTO_TEST_CASE(an_exact_entry_covers_what_its_words_run_but_not_what_is_denied) {
  const Rules rules = Rules().allow({"timeout 5 make all", "timeout 9 rm x"}).deny({"rm"});
  check(rules, "timeout 5 make all", Decision::allow, "", "commands.allow: timeout 5 make all", "");
  check(rules, "timeout 6 make all", Decision::deny, "timeout 6 make all", "commands.allow", "");
  check(rules, "timeout 9 rm x", Decision::deny, "rm x", "commands.deny: rm", "");
}

BOOST_AUTO_TEST_CASE(an_exact_entry_does_not_cover_a_file_that_its_command_reads_as_code) {
  const Rules rules = Rules().allow({"bash -s", "python3 -", "sh -c sh", "python3 x.py", "wc"});
  const std::string_view unknown = "runs its standard input, which is known only when the command runs";
  check(rules, "wc x | bash -s", Decision::allow, "", "commands.allow: wc", "");
  check(rules, "bash -s < evil.sh", Decision::deny, "evil.sh", "commands.allow", unknown);
  check(rules, "python3 - < evil.py", Decision::ask, "evil.py", "inline code", "");
  check(rules, "sh -c sh < evil.sh", Decision::deny, "sh", "commands.allow", "");
  check(rules, "python3 x.py < a", Decision::allow, "", "commands.allow: python3 x.py", "");
  check(rules, "bash -s < /dev/null", Decision::allow, "", "commands.allow: bash -s", "");
}

BOOST_AUTO_TEST_CASE(under_a_deny_list_alone_what_may_be_anything_is_refused_and_the_rest_runs) {
  const Rules rules = Rules().deny({"rm"});
  check(rules, "for i in *; do echo $i; done > x", Decision::allow, "", "commands", "");
  check(rules, "$X y", Decision::deny, "$X", "commands.deny", "known only when the command runs");
  check(rules, "if true; then rm x; fi", Decision::deny, "rm x", "commands.deny: rm", "");
  check(Rules().ask({"npm publish"}), "$X y", Decision::ask, "$X", "commands.ask", "known only when the command runs");
  check(rules, "echo 'a", Decision::deny, "'", "commands.deny", "cannot be read");
  for (const char* steered :
       {"LESSOPEN=x less y", "env GREP=x zgrep y", "export BASH_ENV=x; bash -c :", "PATH=/x", "IFS+=x; ls",
        "(EDITOR=x git commit)", "declare -x PAGER=x", "PAGER+=cat git log", "PAGER=cat$X git log"}) {
    BOOST_TEST(to_text(rules.verdict(steered).decision) == "deny", steered);
  }
  for (const char* data : {"CI=1 make", "A=b ls", "env STAGE=x ls", "export A=b; ls", "LC_ALL=C sort x", "declare -x A",
                           "PAGER=cat git log", "export GIT_PAGER=cat; git log"}) {
    BOOST_TEST(to_text(rules.verdict(data).decision) == "allow", data);
  }
}

BOOST_AUTO_TEST_CASE(wrappers_are_followed_to_a_depth_that_no_person_writes) {
  std::string line;
  for (int i = 0; i < 12; ++i) line += "env ";
  check(Rules().allow({"env", "ls"}), line + "ls", Decision::allow, "", "commands.allow: env", "");
  for (int i = 0; i < 12; ++i) line += "env ";
  BOOST_TEST(to_text(Rules().allow({"env", "ls"}).verdict(line + "ls").decision) == "deny");
  BOOST_TEST(to_text(Rules().deny({"rm"}).verdict(line + "ls").decision) == "deny");
}

BOOST_AUTO_TEST_CASE(a_relative_program_is_judged_where_it_runs) {
  const Rules rules = Rules().allow({"cmake", "env", "find", "timeout", "unshare", "git", "ls", "./x"});
  check(rules, "env -C . timeout 5 ./x", Decision::allow, "", "commands.allow: env", "");
  check(rules, "env ./x -C usr", Decision::allow, "", "commands.allow: env", "");
  check(rules, "cmake -E time ./x", Decision::allow, "", "commands.allow: cmake", "");
  check(rules, "env -C usr ls", Decision::allow, "", "commands.allow: env", "");
  for (const char* elsewhere :
       {"env -C usr ./x", "env -iCusr ./x", "env --chdir=usr ./x", "env --ch usr ./x", "env -C . -C . -C usr ./x",
        "env -C usr timeout 5 ./x", "env -S '-C usr ./x'", "unshare -w usr ./x", "git bisect run ./x",
        "find usr -execdir ./x ';'", "find usr -okdir timeout 5 ./x ';'", "cmake -E chdir usr ./x"}) {
    BOOST_TEST(to_text(rules.verdict(elsewhere).decision) != "allow", elsewhere);
  }
}

BOOST_AUTO_TEST_CASE(a_cd_is_followed_and_what_comes_after_may_run_in_either_directory) {
  const wtool::test::ScratchFolder scratch;
  Rules rules;
  rules.directories = {{scratch.path()}, true};
  const Programs programs(std::nullopt, "/usr/bin:/bin", {});
  const auto decision = [&](std::string_view line) {
    const Situation at{rules.commands, rules.directories, programs, {scratch.path()}, scratch.path() + "/a/b"};
    return std::string(to_text(wtool::policy::judge(line, at).verdict.decision));
  };
  BOOST_TEST(decision("cat ../../x") == "allow");
  BOOST_TEST(decision("cd .. && cat ../x") == "allow");
  BOOST_TEST(decision("cd .. && cat ../../x") == "deny");
  BOOST_TEST(decision("cd c && cat ../../x; cat ../../../x") == "deny");
  BOOST_TEST(decision("cd ../.. && cd .. && ls") == "deny");
  BOOST_TEST(decision("cd .. | ls") == "deny");
  // A cd with options is judged like one without, and what runs is the same.
  BOOST_TEST(decision("cd -P .. && cat ../x") == "allow");
  BOOST_TEST(decision("cd -L -P -- .. && cat ../x") == "allow");
  BOOST_TEST(decision("cd -- -x && cat ../../x") == "allow");
  for (const char* line : {"cd -P .. && cat ../../x", "cd -L ../../.. && ls", "cd -- .. ; cat ../../x", "cd -- -",
                           "cd -", "cd -P", "cd --", "cd -P -- -", "cd -e ..", "cd -x", "cd -- a b", "cd -P a -- b"}) {
    BOOST_TEST(decision(line) == "deny", line);
  }
  std::string many;
  for (int i = 0; i < 20; ++i) many += "cd " + std::to_string(i) + " && ";
  BOOST_TEST(decision(many + "ls") == "deny");
}

BOOST_AUTO_TEST_CASE(builtins_that_stay_are_judged_by_their_words) {
  const Rules rules = Rules().allow({"export", "cd", "ls", "printf"});
  check(rules, "export CI=1 && ls", Decision::allow, "", "commands.allow: export", "");
  check(rules, "export A=b && ls", Decision::deny, "A=b", "commands.allow",
        "export may be used here only as NAME=value");
  check(rules, "export PATH=x", Decision::deny, "PATH=x", "commands.allow",
        "export may be used here only as NAME=value");
  check(rules, "export A", Decision::deny, "A", "commands.allow", "export may be used here only as NAME=value");
  check(rules, "export CI", Decision::deny, "CI", "commands.allow", "export may be used here only as NAME=value");
  check(rules, "cd; ls", Decision::deny, "cd", "commands.allow", "exactly one directory");
  check(rules, "echo x", Decision::deny, "echo", "commands.allow", "");
}

// In bash, `printf x%n PATH` makes the folder 1 the search path.
BOOST_AUTO_TEST_CASE(under_an_allow_list_the_format_of_printf_sets_no_variable) {
  const Rules rules = Rules().allow({"printf", "ls"});
  for (const char* line : {"printf x%n PATH && ls", "printf -- x%n PATH; ls", "! printf 'x%-+ 05.3ln' PATH; ls"}) {
    const Verdict verdict = rules.verdict(line);
    BOOST_TEST(to_text(verdict.decision) == "deny", line);
    BOOST_TEST(verdict.reason.find("for %n in its format") != std::string::npos, line << verdict.reason);
  }
  for (const char* line :
       {"printf '100% not done\\n'; ls", "printf '%%n %s\\n' PATH; ls", "printf -- '%5.2f %d\\n' 1 2; ls"}) {
    BOOST_TEST(to_text(rules.verdict(line).decision) == "allow", line);
  }
  // Without such a list, PATH gains nothing.
  BOOST_TEST(to_text(Rules().deny({"rm"}).verdict("printf \"$GREEN%s$NC\\n\" ok").decision) == "allow");
}

BOOST_AUTO_TEST_CASE(builtins_in_text_for_a_shell_are_judged_as_builtins_whatever_runs_the_shell) {
  const Rules rules = Rules().allow({"env", "timeout", "bash", "sh", "printf", "export", "hash", "ls"});
  check(rules, "env bash -c 'printf -v PATH %s /tmp/x; ls'", Decision::deny, "-v", "commands.allow", "printf -v");
  check(rules, "timeout 5 sh -c 'export PATH=/tmp/x; ls'", Decision::deny, "PATH=/tmp/x", "commands.allow",
        "export may be used here only as NAME=value");
  check(rules, "env bash -c 'hash -p /tmp/x ls; ls'", Decision::deny, "hash", "commands.allow",
        "hash is a builtin of the shell");
  check(rules, "timeout 5 sh -c 'set -e; printf x'", Decision::allow, "", "commands.allow: timeout", "");
}

BOOST_AUTO_TEST_CASE(options_that_only_end_a_script_sooner_need_no_entry) {
  const Rules rules = Rules().allow({"ls"}).safe();
  for (const char* line :
       {"set -e\nls\nls", "set -eu\nls", "set -euo pipefail; ls", "set -e -o pipefail\nls", "set -o errexit -u\nls",
        "set +e\nls", "set -f; ls", "ls; set -e; ls", "ls && set -e && ls", "! set -e; ls"}) {
    check(rules, line, Decision::allow, "", "commands.allow: ls", "");
  }
  check(rules, "set -e", Decision::allow, "", "commands.allow", "");
  for (const char* line : {"set -x; ls", "set -ex\nls", "set\nls", "set a b; ls", "set -- a; ls", "set -e a\nls",
                           "set -o\nls", "set -o posix\nls", "set -eo\nls", "set -oe pipefail\nls", "set -; ls",
                           "set -e-; ls", "set --e; ls", "set -k; ls", "set -eo pipefail x; ls"}) {
    check(rules, line, Decision::deny, "set", "commands.allow", "set is a builtin of the shell");
  }
  // If a program runs `set`, one of its words is unknown, or an entry denies it, it is judged like any other command.
  check(rules, "env set -e", Decision::deny, "env", "commands.allow", "");
  check(rules, "set -e $x; ls", Decision::deny, "$x", "commands.allow", "");
  check(Rules().allow({"ls"}).deny({"set"}), "set -e; ls", Decision::deny, "set -e", "commands.deny: set", "");
}

BOOST_AUTO_TEST_CASE(what_a_script_sets_is_written_out_again) {
  const LineJudgement judgement = Rules().allow({"ls"}).judge("set -e\nls a\nls b");
  BOOST_REQUIRE(judgement.script.has_value());
  BOOST_TEST(regenerate(*judgement.script) == "'set' '-e'; 'ls' 'a'; 'ls' 'b'");
}

// find always puts a path in the place of {}, never an option.
BOOST_AUTO_TEST_CASE(what_find_finds_is_a_path_to_the_command_that_it_runs) {
  for (const bool is_safe : {false, true}) {
    Rules rules =
        Rules().allow({"find", "tar", "sed", "awk", "git", "test", "env", "file", "tput", "uniq", "make", "jq"});
    if (is_safe) rules.safe();
    rules.directory = "/usr";
    for (const char* line :
         {"find sub -exec tar tf {} \\;", "find . -name a -exec sed -n 1p {} \\;",
          "find /x ../y -exec awk '{print}' {} \\;", "find '(' -name a -o -name b ')' -exec file {} \\;",
          "find sub -exec awk -- '{print}' {} +"}) {
      BOOST_TEST(to_text(rules.verdict(line).decision) == "allow", line << ": " << rules.verdict(line).reason);
    }
    for (const char* line :
         {"find sub -exec tar tf {} +", "find a:b -exec tar tf {} \\;", "find sub -execdir tar tf {} \\;",
          "find -files0-from x -exec tar tf {} \\;", "find show -exec git {} \\;", "find sub -exec awk {} \\;",
          "find sub -exec sed {} a \\;", "find sub -exec tar -I {} -tf a \\;", "find sub -exec tar tf x{} \\;",
          "find sub -exec {} \\;", "find sub -exec env {} \\;", "find sub -exec make {} +",
          "find /dev -exec tar tf {} \\;", "find sub ../proc/1 -exec tar tf {} \\;", "find / -exec tar tf {} \\;",
          "find .. -exec tar tf {} \\;"}) {
      BOOST_TEST(to_text(rules.verdict(line).decision) == "deny", line);
    }
  }
  const Rules rules = Rules().allow({"find", "uniq", "tput", "fd", "cat", "rm", "sed", "unzip"}).safe();
  check(rules, "find sub -exec uniq {} \\;", Decision::allow, "", "commands.allow: find", "");
  check(rules, "find sub -exec unzip -l {} \\;", Decision::allow, "", "commands.allow: find", "");
  check(rules, "find sub -exec uniq {} +", Decision::deny, "uniq", "commands.allow",
        "known only when the command runs");
  check(rules, "find reset -exec tput {} \\;", Decision::deny, "tput", "commands.allow", "");
  check(rules, "fd -x cat {}", Decision::allow, "", "commands.allow: fd", "");
  check(rules, "fd -x cat {} \\; -x rm {}", Decision::deny, "rm", "commands.allow", "rm writes files");
  check(rules, "fd -Xrm", Decision::deny, "-Xrm", "commands.allow", "is in the same word");
  check(rules, "fd -x sed {}", Decision::deny, "sed", "commands.allow", "known only when the command runs");
  BOOST_TEST(rules.verdict("fd -x sed -n 1p").hint == "write the arguments out, or put -- in front of them");
  BOOST_TEST(to_text(rules.verdict("fd -x sed -n 1p --").decision) == "allow");
}

BOOST_AUTO_TEST_CASE(what_runs_is_there_only_where_all_words_are_known) {
  BOOST_TEST(Rules().allow({"ls"}).judge("ls 'a b'").script.has_value());
  BOOST_TEST(!Rules().allow({"ls"}).judge("ls $x").script.has_value());
  BOOST_TEST(!Rules().deny({"rm"}).judge("ls").script.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace judge_test
