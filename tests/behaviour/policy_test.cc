// What is judged is what runs; a refusal says why and runs nothing; an approval is bound to what was approved.
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>

#include "support/asking_host.h"
#include "support/host_variable.h"
#include "support/sandboxed.h"

BOOST_AUTO_TEST_SUITE(policy_behaviour_test)

using namespace wtool::test;

namespace {

struct Fixture : Sandboxed {
  Answer under(const Json& config, const Json& arguments) {
    Json all = arguments;
    if (!all.contains("working_directory")) all["working_directory"] = inside;
    return ToolUnderTest(plugin, config).run(all);
  }
  Answer allowing(const Json& entries, const std::string& command, const Json& environment = Json::object()) {
    return under({{"commands", {{"allow", entries}}}}, {{"command", command}, {"environment", environment}});
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(inside + '/' + name); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(policy, Fixture)

BOOST_AUTO_TEST_CASE(a_refusal_says_the_word_the_rule_and_what_would_be_allowed_and_runs_nothing) {
  const Answer answer = allowing({"touch", "git log *"}, "touch a && rm a");
  BOOST_TEST(answer.is_error());
  BOOST_TEST(answer.code() == "policy_denied");
  BOOST_TEST(answer.text() == "Command refused: \"rm\" is not in commands.allow");
  const Json& policy = answer.metadata().at("policy");
  BOOST_TEST(policy.at("verdict") == "deny");
  BOOST_TEST(policy.at("word") == "rm");
  BOOST_TEST(policy.at("range") == (Json{11, 13}));
  BOOST_TEST(policy.at("rule") == "commands.allow");
  BOOST_TEST(answer.metadata().at("error").at("hint").get<std::string>().find("touch, git log *") != std::string::npos);
  BOOST_TEST(!exists("a"));
}

BOOST_AUTO_TEST_CASE(a_line_of_several_allowed_commands_runs_with_exactly_the_words_that_were_judged) {
  const Answer answer =
      allowing({"printf", "cat", "tr"},
               "printf '%s\\n' 'it'\"'\"'s' \"a  b\" | cat - | tr a-z A-Z && ! cat nothing 2>/dev/null");
  BOOST_TEST(answer.exit_code() == 0);
  BOOST_TEST(answer.out() == "IT'S\nA  B\n");
}

BOOST_AUTO_TEST_CASE(a_variable_in_front_of_a_program_reaches_it) {
  for (const char* line :
       {"TZ=Asia/Tokyo printenv TZ", "TZ=Asia/Tokyo printenv TZ; true", "TZ='Asia/Tokyo' printenv TZ"}) {
    const Answer answer = allowing({"printenv", "true"}, line);
    BOOST_TEST(answer.out() == "Asia/Tokyo\n", line << ": " << answer.raw);
  }
}

BOOST_AUTO_TEST_CASE(a_quoted_here_document_reaches_the_command_unchanged) {
  const Answer answer = allowing({"cat"}, "cat <<'END'\n$HOME `id` \\\nEND\n");
  BOOST_TEST(answer.out() == "$HOME `id` \\\n");
}

BOOST_AUTO_TEST_CASE(a_function_in_the_hosts_environment_takes_no_programs_place) {
  const HostVariable function("BASH_FUNC_cat%%", "() { echo hijacked; }");
  const Json config{{"commands", {{"allow", {"cat", "echo"}}}}, {"shell", {{"program", "/bin/bash"}}}};
  BOOST_TEST(under(config, {{"command", "echo a | cat"}}).out() == "a\n");
}

BOOST_AUTO_TEST_CASE(a_program_in_a_folder_of_path_below_a_root_is_not_found) {
  scratch.file("inside/sort", "#!/bin/sh\necho hijacked\n", 0755);
  const HostVariable path("PATH", inside + ":" + ::getenv("PATH"));
  const Json config{{"commands", {{"allow", {"sort", "echo"}}}}, {"directories", {{"roots", {inside}}}}};
  BOOST_TEST(under(config, {{"command", "echo b | sort"}}).out() == "b\n");
  BOOST_TEST(under(config, {{"command", "sort /dev/null"}}).out() == "");
}

BOOST_AUTO_TEST_CASE(a_path_is_the_name_only_where_it_is_the_very_file) {
  scratch.file("inside/cat", "#!/bin/sh\ntouch hijacked\n", 0755);
  scratch.file("inside/f", "text\n");
  for (const std::string command : {"./cat f", "inside/cat f", scratch.path().c_str()}) {
    BOOST_TEST(allowing({"cat"}, command == scratch.path() ? inside + "/cat f" : command).code() == "policy_denied");
  }
  BOOST_TEST(allowing({"cat"}, "/bin/cat f").out() == "text\n");
  BOOST_TEST(!exists("hijacked"));
}

BOOST_AUTO_TEST_CASE(a_program_that_is_not_installed_is_not_found_rather_than_refused) {
  BOOST_TEST(allowing({"no-such-program"}, "no-such-program x").code() == "command_not_found");
  BOOST_TEST(allowing({"echo"}, "no-such-program x").code() == "policy_denied");
}

BOOST_AUTO_TEST_CASE(what_follows_a_cd_runs_there) {
  folder("inside/sub");
  scratch.file("inside/sub/f", "below\n");
  BOOST_TEST(allowing({"cd", "cat"}, "cd sub && cat f").out() == "below\n");
  BOOST_TEST(allowing({"cd", "cat"}, "cd sub; cat f").out() == "below\n");
  for (const char* command : {"cd - && cat f", "cd && cat f", "cd a b && cat f", "cd sub || cat f"}) {
    BOOST_TEST(allowing({"cd", "cat"}, command).code() == "policy_denied", command);
  }
}

BOOST_AUTO_TEST_CASE(globs_run_as_the_names_that_were_judged) {
  scratch.file("inside/a b.md", "");
  scratch.file("inside/c.md", "");
  const Answer listed = allowing({"ls"}, "ls *.md");
  BOOST_TEST(listed.out() == "a b.md\nc.md\n");
  BOOST_TEST(listed.metadata().at("command") == "ls *.md");
  BOOST_TEST(allowing({"ls", "wc"}, "ls *.md | wc -l").out() == "2\n");
  BOOST_TEST(allowing({"ls", "echo"}, "ls none; echo \"rc=$?\"").out() == "rc=2\n");
  BOOST_TEST(allowing({"echo"}, "echo $PWD").out() == inside + "\n");
  const Json config{{"commands", {{"allow", {"ls"}}}}};
  const Json explained = ToolUnderTest(plugin, config).explain({{"command", "ls *.md"}, {"working_directory", inside}});
  BOOST_TEST((explained.at("argv") == Json{"ls", "a b.md", "c.md"}));
}

BOOST_AUTO_TEST_CASE(the_caller_cannot_set_what_changes_what_programs_do) {
  for (const char* name :
       {"LD_PRELOAD", "PATH", "BASH_ENV", "ENV", "IFS", "GIT_SSH_COMMAND", "PYTHONSTARTUP", "NODE_OPTIONS"}) {
    const Answer answer = allowing({"echo"}, "echo hi", {{name, "x"}});
    BOOST_TEST(answer.code() == "policy_denied", name);
    BOOST_TEST(answer.text().find(name) != std::string::npos);
  }
  BOOST_TEST(allowing({"printenv"}, "printenv CI", {{"CI", "1"}}).out() == "1\n");
}

BOOST_AUTO_TEST_CASE(a_working_directory_outside_of_the_roots_is_refused_also_through_a_link_and_as_a_neighbour) {
  const Json config{{"directories", {{"roots", {inside}}}}};
  folder("inside-evil");
  std::filesystem::create_symlink(outside, inside + "/link");
  for (const std::string& place :
       {outside, inside + "/link", inside + "/..", scratch.path() + "/inside-evil", std::string("/")}) {
    const Answer answer = under(config, {{"command", "pwd"}, {"working_directory", place}});
    BOOST_TEST(answer.code() == "policy_denied", place);
    BOOST_TEST(answer.metadata().at("policy").at("rule") == "directories.roots");
  }
  BOOST_TEST(under(config, {{"command", "pwd"}}).out() == inside + "\n");
  // The host's own current directory is not exempt.
  BOOST_TEST(ToolUnderTest(plugin, config).shell("pwd").code() == "policy_denied");
}

BOOST_AUTO_TEST_CASE(arguments_that_lead_out_of_the_roots_are_refused_however_they_are_written) {
  const Json config{{"directories", {{"roots", {inside}}, {"confine_arguments", true}}}};
  scratch.file("inside/f", "text\n");
  std::filesystem::create_symlink(secret, inside + "/link");
  std::filesystem::create_symlink(outside + "/new", inside + "/dangling");
  for (const std::string& command : std::vector<std::string>{"cat ../outside/secret",
                                                             "cat " + secret,
                                                             "cat link",
                                                             "cat ./link",
                                                             "tee dangling",
                                                             "ls ..",
                                                             "cat -- " + secret,
                                                             "grep -f" + secret + " f",
                                                             "grep --file=" + secret + " f",
                                                             "dd if=" + secret,
                                                             "cat f/../../outside/secret",
                                                             "cd .. && cat f",
                                                             "cat < " + secret,
                                                             "cat $HOME",
                                                             "curl file://" + secret,
                                                             "tar -C/ -cf x f",
                                                             "cat '~/x'",
                                                             "sh -c 'cat " + secret + "'",
                                                             "find . -newer " + secret,
                                                             "tar --newer=" + secret + " -tf a.tar",
                                                             "tar -tf a.tar -N " + secret}) {
    BOOST_TEST(under(config, {{"command", command}}).code() == "policy_denied", command);
  }
  for (const char* command : {"cat f", "cat ./f", "ls .", "grep '/x/y' f || true", "echo /etc/passwd",
                              "sed -n '/t/p' f", "git --version", "head -n 1 f | wc -l"}) {
    BOOST_TEST(under(config, {{"command", command}}).code() != "policy_denied", command);
  }
}

BOOST_AUTO_TEST_CASE(an_address_is_a_path_to_tools_that_take_no_addresses) {
  const Json config{{"directories", {{"roots", {inside}}, {"confine_arguments", true}}}};
  scratch.file("inside/f", "text\n");
  for (const char* link : {"a:", "http:", "a..b", "p"}) std::filesystem::create_symlink("/", inside + '/' + link);
  const auto verdict = [&](const std::string& command) {
    return ToolUnderTest(plugin, config).explain({{"command", command}, {"working_directory", inside}}).at("verdict");
  };
  for (const std::string& command : std::vector<std::string>{"cat a:/" + secret,
                                                             "cat http:/" + secret,
                                                             "curl http:/" + secret,
                                                             "touch a:/" + outside + "/new",
                                                             "curl FILE://" + secret,
                                                             "curl 'f[i-i]le://" + secret + "'",
                                                             "curl -s '{file}://" + secret + "'",
                                                             "curl -d -d '{file:///etc/passwd}'",
                                                             "curl '-d --data' '{file:///etc/passwd}'",
                                                             "curl file://" + inside + "/%2e%2e/outside/secret",
                                                             "wget file://localhost/etc/passwd",
                                                             "pip download --find-links=file:///etc x",
                                                             "gcc -I/etc f",
                                                             "grep -rfp/etc/passwd f",
                                                             "sort -uop f",
                                                             "git diff --no-index a..b/etc/passwd f",
                                                             "git log a..b/etc",
                                                             "sha256sum -c f",
                                                             "md5sum --check f",
                                                             "b2sum -wc f"}) {
    BOOST_TEST(verdict(command) == "deny", command);
  }
  for (const char* command :
       {"curl -s 'https://example.org/a?b=/c,/d'", "curl -s -d '{\"a\": [\"/x\"]}' https://example.org",
        "git clone https://example.org/x.git", "git log main..topic/x", "git diff origin/x...HEAD", "sha256sum f",
        "pip install --index-url=https://example.org/simple x", "grep -c x f", "sha256sum -- f"}) {
    BOOST_TEST(verdict(command) == "allow", command);
  }
}

BOOST_AUTO_TEST_CASE(what_follows_a_command_that_may_move_links_names_no_paths) {
  const Json config{{"directories", {{"roots", {inside}}, {"confine_arguments", true}}}};
  folder("inside/a/b");
  std::filesystem::create_symlink("../../outside", inside + "/a/b/l");
  const auto verdict = [&](const std::string& command) {
    return ToolUnderTest(plugin, config).explain({{"command", command}, {"working_directory", inside}}).at("verdict");
  };
  for (const char* command :
       {"mv a/b x && cat x/secret", "mv a/b x; cd x && ls", "tar xf a.tar && cat l", "tar -x -f a.tar; head -n1 l",
        "tar --get -f a.tar && cat l", "git checkout b && cat l", "cp -r d o && cat o/l", "cp -a d o && tee -ao/l",
        "cp --archive d o && cat o/l", "env mv d/l l && cat l", "unzip a.zip && cat l", "ln -s x y && cat y",
        "find . -name y -exec mv '{}' l ';' -exec cat l ';'", "sh -c 'mv d/l l; cat l'", "git pull && npm test -f l"}) {
    BOOST_TEST(verdict(command) == "deny", command);
  }
  for (const char* command : {"cat f && mv f g", "cp f g && cat g", "tar tf a.tar && cat f", "mv f g && ls -l",
                              "mv f g && echo done", "git status && cat f", "git checkout b && git status",
                              "git pull && npm test", "unzip -l a.zip && cat f", "mv f g"}) {
    BOOST_TEST(verdict(command) == "allow", command);
  }
}

BOOST_AUTO_TEST_CASE(under_a_deny_list_every_ordinary_line_runs_unchanged) {
  const Json config{{"commands", {{"deny", {"rm", "git push"}}}}};
  const Answer answer = under(
      config, {{"command", "for i in 1 2; do echo \"$i\" > f$i; done; cat f* | sort -r; x=$(wc -l < f1); echo $x"}});
  BOOST_TEST(answer.out() == "2\n1\n1\n");
}

BOOST_AUTO_TEST_CASE(a_secret_in_a_refused_command_is_not_in_the_error) {
  const Answer answer = allowing({"echo"}, "curl --password=hunter2secret https://x");
  BOOST_TEST(answer.code() == "policy_denied");
  Json error = answer.metadata().at("error");
  BOOST_TEST(error.dump().find("hunter2secret") == std::string::npos);
}

// ---- Explain.

BOOST_AUTO_TEST_CASE(explaining_runs_nothing_and_says_what_would_run) {
  const ToolUnderTest tool(plugin, {{"commands", {{"allow", {"touch", "echo"}}}}});
  const Json one = tool.explain({{"command", "touch 'a b'"}, {"working_directory", inside}, {"timeout", 7}});
  BOOST_TEST(one.at("verdict") == "allow");
  BOOST_TEST(one.at("argv") == (Json{"touch", "a b"}));
  BOOST_TEST(one.at("rule") == "commands.allow: touch");
  BOOST_TEST(one.at("directory") == inside);
  BOOST_TEST(one.at("limits").at("timeout") == 7);
  BOOST_TEST(!exists("a b"));
  const Json two = tool.explain({{"command", "touch a && echo b"}, {"working_directory", inside}});
  BOOST_TEST(two.at("script") == "'touch' 'a' && 'echo' 'b'");
  BOOST_TEST(tool.explain({{"command", "rm a"}}).at("verdict") == "deny");
  BOOST_TEST(tool.explain({{"comand", "rm a"}}).at("verdict") == "deny");
  BOOST_TEST(tool.explain({{"command", "touch a"}, {"working_directory", "/nonexistent"}}).at("error") ==
             "working_directory_invalid");
}

BOOST_AUTO_TEST_SUITE_END()

// ---- Approvals.

namespace {

struct Asked {
  AskingHost host;
  Plugin plugin{host.get()};
  ScratchFolder scratch;
  ScratchFolder home;
  const std::string file = home.path() + "/wtool/approvals.json";
  const ToolUnderTest tool{
      plugin, {{"commands", {{"ask", {"touch"}}, {"approvals", file}}}, {"environment", {{"allow", {"API_KEY"}}}}}};

  Answer touch(const std::string& name, const Json& more = Json::object()) {
    Json arguments{{"command", "touch " + name}, {"working_directory", scratch.path()}};
    arguments.update(more);
    return tool.run(arguments, {.call_id = "c1"});
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(scratch.path() + '/' + name); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(approvals, Asked)

BOOST_AUTO_TEST_CASE(a_question_shows_what_would_run_and_yes_holds_once) {
  BOOST_TEST(!touch("a").is_error());
  BOOST_TEST(exists("a"));
  BOOST_REQUIRE(host.questions().size() == 1U);
  const auto question = host.questions().front();
  const Json subject = Json::parse(question.subject);
  BOOST_TEST(subject.at("command") == "touch a");
  BOOST_TEST(subject.at("directory") == scratch.path());
  BOOST_TEST(question.tool == "shell_execute");
  BOOST_TEST(question.call_id == "c1");
  BOOST_TEST(question.reason.find("commands") == std::string::npos);
  touch("a");
  BOOST_TEST(host.questions().size() == 2U);
  BOOST_TEST(host.questions().back().fingerprint == question.fingerprint);
}

// A yes to `touch a` is no yes to the program `touch` of another folder.
BOOST_AUTO_TEST_CASE(a_call_that_asks_sets_no_variable_that_makes_its_command_another_one) {
  scratch.file("touch", "#!/bin/sh\necho ran > ran\n");
  BOOST_REQUIRE(::chmod((scratch.path() + "/touch").c_str(), 0700) == 0);
  const Json rows{{"PATH", scratch.path() + ":/usr/bin"},
                  {"BASH_ENV", scratch.path() + "/touch"},
                  {"LD_PRELOAD", scratch.path() + "/touch"},
                  {"GIT_SSH_COMMAND", "./touch"},
                  {"MY_OWN", "x"}};
  for (const auto& [name, value] : rows.items()) {
    const Answer answer = touch("a", {{"environment", {{name, value}}}});
    BOOST_TEST(answer.code() == "policy_denied", name);
    BOOST_TEST(
        answer.text().starts_with("environment: " + name + " may not be set for a command that needs an approval"),
        answer.text());
    const Json explained =
        tool.explain({{"command", "touch a"}, {"working_directory", scratch.path()}, {"environment", {{name, value}}}});
    BOOST_TEST(explained.at("verdict") == "deny", name);
    BOOST_TEST(explained.at("rule") == "commands.ask: touch", name);
    // Without a question, nobody has answered for the command.
    BOOST_TEST(!tool.run({{"command", "true"}, {"environment", {{"MY_OWN", value}}}}).is_error(), name);
  }
  BOOST_TEST(host.questions().empty());
  BOOST_TEST(!exists("ran"));
  BOOST_TEST(!exists("a"));
}

BOOST_AUTO_TEST_CASE(a_question_shows_the_values_of_variables_and_masks_secrets) {
  BOOST_TEST(!touch("a", {{"environment",
                           {{"CI", "1"},
                            {"API_KEY", "s3cr3t-value"},
                            {"NODE_ENV", "of s3cr3t-value"},
                            {"GIT_AUTHOR_NAME", std::string(1000, 'a')}}}})
                  .is_error());
  const Json shown = Json::parse(host.questions().back().subject).at("environment");
  BOOST_TEST(shown == (Json{{"CI", "1"},
                            {"API_KEY", "[masked]"},
                            {"NODE_ENV", "of [masked]"},
                            {"GIT_AUTHOR_NAME", std::string(256, 'a') + "... (1000 bytes)"}}));
  BOOST_TEST(!touch("b").is_error());
  BOOST_TEST(!Json::parse(host.questions().back().subject).contains("environment"));
}

BOOST_AUTO_TEST_CASE(an_approval_of_a_glob_is_for_the_names_that_it_expands_to) {
  const ToolUnderTest listing{plugin, {{"commands", {{"allow", {"ls"}}, {"ask", {"ls"}}, {"approvals", file}}}}};
  const auto ask = [&] {
    listing.run({{"command", "ls *.md"}, {"working_directory", scratch.path()}});
    return Json::parse(host.questions().back().subject).at("command").get<std::string>();
  };
  scratch.file("c.md", "");
  host.answer = WTOOL_APPROVAL_ALWAYS;
  BOOST_TEST(ask() == "'ls' 'c.md'");
  ask();
  BOOST_TEST(host.questions().size() == 1U);
  // Nobody has said yes to the line with one more name.
  scratch.file("d.md", "");
  BOOST_TEST(ask() == "'ls' 'c.md' 'd.md'");
}

BOOST_AUTO_TEST_CASE(no_runs_nothing) {
  host.answer = WTOOL_APPROVAL_NO;
  const Answer answer = touch("a");
  BOOST_TEST(answer.code() == "approval_denied");
  BOOST_TEST(answer.text() == "Command not approved: touch a");
  BOOST_TEST(!exists("a"));
}

BOOST_AUTO_TEST_CASE(always_holds_only_for_this_command_directory_and_environment) {
  host.answer = WTOOL_APPROVAL_ALWAYS;
  BOOST_TEST(!touch("a", {{"environment", {{"API_KEY", "s3cr3t-value"}}}}).is_error());
  host.answer = WTOOL_APPROVAL_NO;
  BOOST_TEST(!touch("a", {{"environment", {{"API_KEY", "s3cr3t-value"}}}}).is_error());
  BOOST_TEST(host.questions().size() == 1U);
  BOOST_TEST(touch("a", {{"environment", {{"API_KEY", "other"}}}}).code() == "approval_denied");
  BOOST_TEST(touch("a").code() == "approval_denied");
  BOOST_TEST(touch("b", {{"environment", {{"API_KEY", "s3cr3t-value"}}}}).code() == "approval_denied");
  BOOST_TEST(touch("a", {{"environment", {{"API_KEY", "s3cr3t-value"}}}, {"working_directory", home.path()}}).code() ==
             "approval_denied");
  const auto explained = [&](const std::string& command) {
    return tool.explain(
        {{"command", command}, {"working_directory", scratch.path()}, {"environment", {{"API_KEY", "s3cr3t-value"}}}});
  };
  BOOST_TEST(explained("touch a").at("remembered") == "always");
  BOOST_TEST(explained("touch a").at("verdict") == "allow");
  BOOST_TEST(!explained("touch b").contains("remembered"));
  const std::string kept = Sandboxed::content(file);
  BOOST_TEST(Json::parse(kept).at("always").at(0).at("command") == "touch a");
  BOOST_TEST(kept.find("s3cr3t") == std::string::npos);
  struct stat status {};
  BOOST_TEST(::stat(file.c_str(), &status) == 0);
  BOOST_TEST((status.st_mode & 0777) == 0600);
}

BOOST_AUTO_TEST_CASE(never_holds_without_a_question_and_a_person_can_take_it_back) {
  host.answer = WTOOL_APPROVAL_NEVER;
  BOOST_TEST(touch("a").code() == "approval_denied");
  host.answer = WTOOL_APPROVAL_YES;
  const Answer again = touch("a");
  BOOST_TEST(again.code() == "approval_denied");
  BOOST_TEST(again.metadata().at("error").at("hint").get<std::string>().find(file) != std::string::npos);
  const Json explained = tool.explain({{"command", "touch a"}, {"working_directory", scratch.path()}});
  BOOST_TEST(explained.at("verdict") == "deny");
  BOOST_TEST(explained.at("remembered") == "never");
  BOOST_TEST(host.questions().size() == 1U);
  home.file("wtool/approvals.json", "{\"always\": [], \"never\": []}", 0600);
  BOOST_TEST(!touch("a").is_error());
}

BOOST_AUTO_TEST_CASE(a_file_of_approvals_that_is_broken_or_writable_by_others_approves_nothing) {
  std::filesystem::create_directories(home.path() + "/wtool");
  home.file("wtool/approvals.json", "{\"always\": [", 0600);
  BOOST_TEST(touch("a").code() == "configuration_invalid");
  home.file("wtool/approvals.json", Json{{"always", {{{"command", "touch a"}, {"directory", scratch.path()}}}}}.dump(),
            0666);
  ::chmod(file.c_str(), 0666);
  BOOST_TEST(touch("a").code() == "configuration_invalid");
  ::chmod(file.c_str(), 0600);
  BOOST_TEST(!touch("a").is_error());
  BOOST_TEST(host.questions().empty());
}

BOOST_AUTO_TEST_CASE(a_file_of_approvals_in_the_commands_own_directory_does_not_count) {
  const std::string own = scratch.path() + "/approvals.json";
  scratch.file("approvals.json", Json{{"always", {{{"command", "touch a"}, {"directory", scratch.path()}}}}}.dump(),
               0600);
  const ToolUnderTest exposed(plugin, {{"commands", {{"ask", {"touch"}}, {"approvals", own}}}});
  host.answer = WTOOL_APPROVAL_NO;
  const Answer answer = exposed.run({{"command", "touch a"}, {"working_directory", scratch.path()}});
  BOOST_TEST(answer.code() == "approval_denied");
}

BOOST_AUTO_TEST_CASE(a_file_of_approvals_that_the_sandbox_lets_commands_write_does_not_count) {
  scratch.file("work/file", "");
  const std::string work = scratch.path() + "/work";
  const std::string answers = scratch.file(
      "answers/approvals.json", Json{{"always", {{{"command", "touch a"}, {"directory", work}}}}}.dump(), 0600);
  host.answer = WTOOL_APPROVAL_NO;
  for (const bool writable : {true, false}) {
    const ToolUnderTest exposed(plugin,
                                {{"commands", {{"ask", {"touch"}}, {"approvals", answers}}},
                                 {"sandbox", {{"write", {writable ? scratch.path() : work}}, {"protect", "none"}}}});
    const Answer answer = exposed.run({{"command", "touch a"}, {"working_directory", work}});
    BOOST_TEST(answer.code() == (writable ? "approval_denied" : ""), answer.text());
  }
}

BOOST_AUTO_TEST_CASE(where_nobody_can_be_asked_the_answer_says_how_to_allow_it) {
  host.answer = WTOOL_APPROVAL_UNAVAILABLE;
  const Answer answer = touch("a");
  BOOST_TEST(answer.code() == "approval_unavailable");
  BOOST_TEST(answer.metadata().at("error").at("hint").get<std::string>().find("configuration") != std::string::npos);
  host.answer = WTOOL_APPROVAL_DEFERRED;
  BOOST_TEST(touch("a").code() == "approval_unavailable");
  host.answer = 77;
  BOOST_TEST(touch("a").code() == "approval_denied");
  BOOST_TEST(!exists("a"));
}

BOOST_AUTO_TEST_CASE(a_cancelled_call_waits_for_no_answer) {
  host.waits = true;
  RunningCall call(tool, {{"command", "touch a"}, {"working_directory", scratch.path()}});
  host.wait_until_asked();
  call.cancel(WTOOL_CANCEL_GRACEFUL, "enough");
  const Answer answer = call.wait();
  BOOST_TEST(answer.is_error());
  BOOST_TEST(!exists("a"));
}

BOOST_AUTO_TEST_CASE(unlisted_commands_are_asked_about_where_the_configuration_says_so) {
  const ToolUnderTest asking(plugin, {{"commands", {{"allow", {"ls"}}, {"unlisted", "ask"}}}});
  const auto run = [&](const char* command) {
    return asking.run({{"command", command}, {"working_directory", scratch.path()}});
  };
  BOOST_TEST(!run("touch a").is_error());
  BOOST_TEST(!run("touch $(echo b)").is_error());
  BOOST_TEST(exists("b"));
  BOOST_TEST(host.questions().size() == 2U);
  BOOST_TEST(!run("ls").is_error());
  BOOST_TEST(host.questions().size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
