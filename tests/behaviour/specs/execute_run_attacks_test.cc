// What a call must not achieve without a person: to approve itself, to have something executed, to leave the project.
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <thread>

#include "behaviour/specs/execute_run_project.h"

BOOST_AUTO_TEST_SUITE(spec_execute_run_test)

using namespace wtool::test;

namespace {

// The host answers every question with no, so whatever runs, runs without a person's approval.
struct Attacks : Project {
  Attacks() {
    host.answer = WTOOL_APPROVAL_NO;
    git({"init", "-q", "-b", "main"});
    file("x", "evil\n");
    file("src/a.txt", "one\n");
    git({"add", "."});
    git({"commit", "-q", "-m", "Begin"});
    file(".clada/commands.json", R"({"allowed": [], "blocked": []})");
    file("evil/.clada/commands.json", R"({"allowed": ["sh -c evil"]})");
    file("evil/.git/hooks/post-commit", "evil\n");
    file("evil/wtool.yaml", "evil\n");
  }
  std::string invalid(const std::string& path) const { return "Invalid path: " + path; }
  // A file that appears if a program ran that must not run.
  std::string canary() const { return scratch.path() + "/ran"; }
  std::string trap() const { return "touch " + canary() + "; cat"; }
  bool ran() const { return std::filesystem::exists(canary()); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(execute_run_attacks, Attacks)

BOOST_AUTO_TEST_CASE(nothing_is_written_by_which_a_call_would_approve_itself) {
  link(".git", "repository");
  link(".clada", "answers");
  link(".clada/commands.json", "answer");
  link("nowhere/../.wtool", "dangling");
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"cp x .clada/commands.json", ".clada/commands.json"},
      {"cp x .clada", ".clada"},
      {"cp x src/../.clada/commands.json", "src/../.clada/commands.json"},
      {"cp x " + root + "/.clada/commands.json", root + "/.clada/commands.json"},
      {"cp x .CLADA/commands.json", ".CLADA/commands.json"},
      {"cp x answers/commands.json", "answers/commands.json"},
      {"cp x answer", "answer"},
      {"mv x .git/hooks/pre-commit", ".git/hooks/pre-commit"},
      {"mv x .git/hooks", ".git/hooks"},
      {"mv x repository/hooks/pre-commit", "repository/hooks/pre-commit"},
      {"mv .git elsewhere", ".git"},
      {"mv .clada/commands.json x", ".clada/commands.json"},
      {"mv repository/config x", "repository/config"},
      {"mkdir .wtool", ".wtool"},
      {"mkdir -p src/.wtool/deep", "src/.wtool/deep"},
      {"touch dangling", "dangling"},
      {"touch wtool.yaml", "wtool.yaml"},
      {"touch -c wtool.yaml", "wtool.yaml"},
      {"touch 'WTOOL.yaml'", "WTOOL.yaml"},
      {"touch -- tools-allow.json", "tools-allow.json"},
      {"rm .clada/commands.json", ".clada/commands.json"},
      {"rm -f answers/commands.json", "answers/commands.json"},
      {"rm -rf .git", ".git"},
      {"rm -rf .", "."},
      {"rm -rf src/..", "src/.."},
      {"rm -rf src/../", "src/../"},
      {"mv . ../elsewhere", "."},
      {"cp evil/wtool.yaml .", "."},
      {"cp -r evil/. .", "."},
      {"cp -r evil/.clada src", "src"},
      {"cp -r evil copy", "copy"},
      {"cp -a evil/ src/", "src/"},
      {"mv evil moved", "moved"},
      {"mv evil/.git src", "evil/.git"},
  };
  const auto before = content(".clada/commands.json");
  for (const auto& [command, path] : rows) BOOST_TEST(run(command) == failed(invalid(path)), command);
  BOOST_TEST(content(".clada/commands.json") == before);
  BOOST_TEST(content("x") == "evil\n");
  for (const char* name : {".wtool", "wtool.yaml", "tools-allow.json", ".git/hooks/pre-commit", "src/.clada", "copy"}) {
    BOOST_TEST(!exists(name), name);
  }
  BOOST_TEST(host.questions().empty());
}

BOOST_AUTO_TEST_CASE(a_link_at_the_target_leads_nowhere_else) {
  const std::string outside = folder("outside");
  link(outside, "out");
  link(outside + "/new", "src/x");
  link(outside, "deep");
  for (const char* command : {"cp x out", "cp x out/x", "cp x src", "mkdir out/d", "touch src/x", "mv x out",
                              "rm -r out", "ls out", "cat out/../../etc/passwd", "find out -name x", "grep -r x out"}) {
    BOOST_TEST(error(command).starts_with("Invalid path: "), command);
  }
  file("tree/sub/f", "f\n");
  std::filesystem::create_directories(root + "/copy/tree");
  link(outside, "copy/tree/sub");
  BOOST_TEST(error("cp -r tree copy") == invalid("copy"));
  BOOST_TEST(std::filesystem::is_empty(outside));
}

BOOST_AUTO_TEST_CASE(another_name_of_a_kept_file_is_asked_for) {
  std::filesystem::create_hard_link(root + "/.clada/commands.json", root + "/innocent");
  for (const char* command : {"cp x innocent", "touch innocent"}) {
    BOOST_TEST(error(command) == "Command not approved: " + std::string(command));
  }
  BOOST_TEST(error("ln .clada/commands.json other") == "Command not approved: ln .clada/commands.json other");
}

BOOST_AUTO_TEST_CASE(files_in_force_are_never_written_whatever_they_are_called) {
  for (const char* name : {"policy.json", "conf/real.json", "conf/tools.json"}) file(name, "ours\n");
  link("conf/real.json", "linked.json");
  folder("project/new");
  Json all = config;
  all["in_force"]["configuration"] = {root + "/policy.json", root + "/linked.json"};
  all["commands"]["approvals"] = root + "/new/approvals.json";
  all["sessions"]["tools_allow"] = root + "/conf/tools.json";
  all["audit"]["file"] = root + "/log.jsonl";
  const ToolUnderTest strict(plugin, all, "execute_run");
  for (const std::string name : {"policy.json", "conf/real.json", "linked.json", "new/approvals.json",
                                 "conf/tools.json", "log.jsonl", "./conf/../policy.json"}) {
    BOOST_TEST(run_with(strict, "cp x " + name) == failed(invalid(name)));
    BOOST_TEST(run_with(strict, "touch " + name) == failed(invalid(name)));
    BOOST_TEST(run_with(strict, "mv " + name + " elsewhere") == failed(invalid(name)));
    BOOST_TEST(run_with(strict, "rm " + name) == failed(invalid(name)));
  }
  // The files' folders cannot be moved or removed either.
  for (const char* command : {"mv conf other", "rm -r conf"})
    BOOST_TEST(run_with(strict, command) == failed(invalid("conf")));
  file("evil2/real.json", "evil\n");
  std::filesystem::rename(root + "/evil2", root + "/evil/conf");
  BOOST_TEST(run_with(strict, "cp -r evil/conf .") == failed(invalid(".")));
  BOOST_TEST(run_with(strict, "cat policy.json") == succeeded("ours\n"));
  BOOST_TEST(run_with(strict, "cp x conf/free") == succeeded(""));
  BOOST_TEST(host.questions().empty());
  BOOST_TEST(content("policy.json") == "ours\n");
}

BOOST_AUTO_TEST_CASE(what_other_programs_run_by_themselves_is_asked_for) {
  for (const char* name : {".npmrc",
                           ".yarnrc.yml",
                           ".claude/settings.json",
                           ".cursor/mcp.json",
                           ".mise.toml",
                           ".bash_aliases",
                           ".husky/pre-commit",
                           ".pre-commit-config.yaml",
                           ".gdbinit",
                           ".exrc",
                           ".zlogout",
                           ".xprofile",
                           "src/.NPMRC",
                           ".cshrc",
                           ".tcshrc",
                           ".kshrc",
                           ".mkshrc",
                           ".login",
                           ".inputrc",
                           ".nvim.lua",
                           ".dir-locals.el",
                           ".Rprofile",
                           ".lldbinit",
                           ".tool-versions",
                           ".zed",
                           ".codex",
                           ".pnpmfile.cjs",
                           ".tmux.conf",
                           "mise.local.toml",
                           "mise/config.toml",
                           ".cargo",
                           ".cargo/config.toml",
                           ".hg/hgrc",
                           "src/.HG/HGRC",
                           ".hg/./hgrc",
                           ".config/fish/config.fish"}) {
    const std::string command = "cp x " + std::string(name);
    BOOST_TEST(error(command) == "Command not approved: " + command);
  }
  // Only the whole name counts, and only its parts one after the other.
  for (const char* name : {"hgrc", "hg.hgrc", "mise", "config.toml"}) {
    BOOST_TEST(run("cp x " + std::string(name)) == succeeded(""), name);
  }
  folder("project/made");
  file("made/hgrc", "[hooks]\n");
  BOOST_TEST(error("cp -r made .hg") == "Command not approved: cp -r made .hg");
}

BOOST_AUTO_TEST_CASE(a_relative_link_that_is_moved_is_asked_for) {
  folder("project/d/deep");
  link("../src/a.txt", "d/l");
  link("../../src/a.txt", "d/deep/l");
  link(root + "/src/a.txt", "absolute");
  for (const char* command :
       {"mv d/l l", "mv d/./l l", "cp -a d/l l", "cp -r d/l l", "cp -r d e", "mv d e", "mv d/deep e"}) {
    BOOST_TEST(error(command) == "Command not approved: " + std::string(command));
  }
  for (const char* command : {"cp d/l copy", "mv absolute other", "mv src/a.txt b"}) {
    BOOST_TEST(run(command) == succeeded(""), command);
  }
}

BOOST_AUTO_TEST_CASE(what_a_kept_name_leads_to_is_kept_too_and_a_repository_elsewhere_is_asked_for) {
  file("settings/real.yaml", "ours\n");
  link("settings/real.yaml", "wtool.yaml");
  folder("project/state");
  link("state", ".wtool");
  for (const std::string path : {"settings/real.yaml", "state/approvals.json", "state"}) {
    BOOST_TEST(error("cp x " + path) == invalid(path));
    BOOST_TEST(error("mv " + path + " elsewhere") == invalid(path));
  }
  std::filesystem::rename(root + "/.git", root + "/data");
  file(".git", "gitdir: data\n");
  git({"init", "-q", "--bare", "bare"});
  for (const char* command : {"cp x data/hooks/pre-commit", "touch data/config", "mv data/config x", "mv data moved",
                              "cp x bare/hooks/update", "rm bare/config"}) {
    BOOST_TEST(error(command) == "Command not approved: " + std::string(command));
  }
  BOOST_TEST(run("git log --format=%s") == succeeded("Begin\n"));
}

BOOST_AUTO_TEST_CASE(the_file_that_config_names_is_in_force) {
  file("policy.json", "{}");
  file("evil.json", R"({"execute_run": {"root": "/"}})");
  const Finished finished = wtool::test::run({WTOOL_TEST_PROGRAM, "--config", "policy.json", "call", "execute_run",
                                              R"({"command": "cp evil.json policy.json"})"},
                                             {.directory = root});
  BOOST_TEST(finished.out.find("Invalid path: policy.json") != std::string::npos, finished.out << finished.err);
  BOOST_TEST(content("policy.json") == "{}");
}

BOOST_AUTO_TEST_CASE(files_of_package_managers_assistants_and_debuggers_are_asked_for) {
  for (const char* command : {"cp x .envrc", "touch .bashrc", "mkdir .vscode", "mv x .gitattributes"}) {
    BOOST_TEST(error(command) == "Command not approved: " + std::string(command));
  }
}

BOOST_AUTO_TEST_CASE(a_neighbour_whose_name_begins_like_the_project_is_outside) {
  scratch.file("project-evil", "secret\n");
  for (const std::string& path : {std::string("../project-evil"), root + "-evil"}) {
    BOOST_TEST(run("cat " + path) == failed(invalid(path)));
  }
  BOOST_TEST(run("ls", scratch.path()) == failed(invalid(".")));
  BOOST_TEST(run("git status", scratch.path()) == failed(invalid(".")));
  BOOST_TEST(run("cat x", "/") == failed(invalid("x")));
}

BOOST_AUTO_TEST_CASE(find_and_grep_neither_execute_nor_write_nor_read_names_from_files) {
  for (const char* flag : {"-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fprintf", "-fls",
                           "-files0-from", "-follow", "-L", "-H"}) {
    BOOST_TEST(run("find . " + std::string(flag) + " x") == failed("Unknown flag: " + std::string(flag)));
  }
  BOOST_TEST(error("find -L . -name x") == "Unknown flag: -L");
  BOOST_TEST(error("find . -newer /etc/passwd") == invalid("/etc/passwd"));
  BOOST_TEST(error("grep -f x src/a.txt") == "Unknown flag: -f");
  BOOST_TEST(error("grep -R x .") == "Unknown flag: -R");
  BOOST_TEST(error("grep -nrf x .") == "Unknown flag: -f");
  BOOST_TEST(error("touch -r /etc/passwd new") == "Unknown flag: -r");
  BOOST_TEST(error("cp -t .git x y") == "Unknown flag: -t");
  BOOST_TEST(error("cp --targ=.git x y") == "Unknown flag: --targ=.git");
  BOOST_TEST(error("cp -s x y") == "Unknown flag: -s");
}

BOOST_AUTO_TEST_CASE(git_runs_nothing_that_the_repository_names) {
  scratch.file("trap", "#!/bin/sh\n" + trap() + "\n", 0755);
  const std::string trap_file = scratch.path() + "/trap";
  file(".gitattributes", "*.txt diff=evil\n");
  git({"add", ".gitattributes"});
  git({"commit", "-q", "-m", "Attributes"});
  for (const char* key : {"core.fsmonitor", "core.pager", "pager.log", "pager.status", "diff.external",
                          "diff.evil.textconv", "diff.evil.command", "core.sshCommand", "gpg.program", "core.editor",
                          "credential.helper", "interactive.diffFilter"}) {
    git({"config", key, trap_file});
  }
  git({"config", "alias.status", "!" + trap()});
  git({"config", "alias.evil", "!" + trap()});
  git({"config", "log.showSignature", "true"});
  git({"config", "status.submoduleSummary", "true"});
  for (const char* hook : {"post-index-change", "fsmonitor-watchman", "pre-commit", "reference-transaction"}) {
    std::filesystem::copy_file(trap_file, root + "/.git/hooks/" + hook);
  }
  file("src/a.txt", "two\n");
  git({"status"});
  BOOST_TEST(ran(), "the trap does not work");
  std::filesystem::remove(canary());
  for (const char* command : {"git status", "git status -s", "git diff", "git diff HEAD~1 -- src/a.txt", "git log -p",
                              "git log --stat", "git log '--format=%G? %s'", "git show", "git show HEAD:src/a.txt",
                              "git blame src/a.txt", "git ls-files -m", "git branch -a", "git describe --always"}) {
    BOOST_TEST(run(command).at("ok") == true, command);
    BOOST_TEST(!ran(), command);
  }
  BOOST_TEST(error("git evil") == "Git subcommand not allowed: evil");
  for (const char* command :
       {"git diff --ext-diff", "git log --textconv", "git diff --output=x", "git diff --no-index x y",
        "git -c core.pager=x log", "git --exec-path=. status", "git -C .. status", "git --git-dir=/x status",
        "git blame --contents=/etc/passwd x", "git -p log"}) {
    BOOST_TEST(error(command).starts_with("Unknown flag: "), command);
  }
  BOOST_TEST(!ran());
}

BOOST_AUTO_TEST_CASE(git_runs_nothing_that_a_submodule_names) {
  const std::string inner = folder("project/inner");
  const auto in_inner = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"/usr/bin/env", "git", "-c", "user.name=A", "-c", "user.email=a@example.org"});
    BOOST_REQUIRE(wtool::test::run(words, {.directory = inner}).exit_code == 0);
  };
  in_inner({"init", "-q"});
  in_inner({"commit", "-q", "--allow-empty", "-m", "Inner"});
  git({"add", "inner"});
  git({"commit", "-q", "-m", "Submodule"});
  scratch.file("trap", "#!/bin/sh\n" + trap() + "\n", 0755);
  in_inner({"config", "core.fsmonitor", scratch.path() + "/trap"});
  git({"config", "diff.ignoreSubmodules", "none"});
  git({"config", "diff.submodule", "diff"});
  git({"status"});
  BOOST_TEST(ran(), "the trap does not work");
  std::filesystem::remove(canary());
  for (const char* command : {"git status", "git diff", "git log -p"}) {
    BOOST_TEST(run(command).at("ok") == true, command);
    BOOST_TEST(!ran(), command);
  }
}

BOOST_AUTO_TEST_CASE(a_repository_that_names_filters_or_includes_is_asked_for) {
  git({"config", "filter.evil.clean", trap()});
  file(".gitattributes", "*.txt filter=evil\n");
  file("src/a.txt", "two\n");
  BOOST_TEST(error("git status") == "Command not approved: git status");
  BOOST_TEST(error("git diff", root + "/src") == "Command not approved: git diff");
  BOOST_TEST(!ran());
  git({"status"});
  BOOST_TEST(ran(), "the trap does not work");
  std::filesystem::remove(canary());
  git({"config", "--remove-section", "filter.evil"});
  git({"config", "include.path", "../x"});
  BOOST_TEST(error("git log") == "Command not approved: git log");
  BOOST_TEST(!ran());
}

// Git looks for the repository in the folder " g", and would run the filters of its configuration.
BOOST_AUTO_TEST_CASE(a_file_that_names_a_repository_with_a_blank_is_asked_for) {
  git({"init", "-q", "sub"});
  git({"-C", "sub", "config", "filter.evil.clean", trap()});
  std::filesystem::rename(root + "/sub/.git", root + "/sub/ g");
  std::filesystem::create_directories(root + "/sub/g");
  file("sub/g/config", "[core]\n");
  file("sub/.git", "gitdir:  g\n");
  file("sub/.gitattributes", "* filter=evil\n");
  file("sub/a.txt", "one\n");
  BOOST_TEST(error("git status", root + "/sub") == "Command not approved: git status");
  BOOST_TEST(error("git diff", root + "/sub") == "Command not approved: git diff");
  BOOST_TEST(!ran());
}

BOOST_AUTO_TEST_CASE(a_repository_above_the_project_and_a_bare_one_in_it_are_not_used) {
  Json lower = config;
  lower["execute_run"]["root"] = root + "/src";
  const ToolUnderTest below(plugin, lower, "execute_run");
  BOOST_TEST(run_with(below, "git log", root + "/src").at("error") == "Command failed with exit code 128");
  git({"init", "-q", "--bare", "bare"});
  BOOST_TEST(error("git log", root + "/bare") == "Command failed with exit code 128");
}

BOOST_AUTO_TEST_CASE(commands_of_git_that_write_are_asked_for) {
  for (const char* command : {"git add .", "git commit -m x", "git checkout main", "git push", "git config a.b c",
                              "git branch new", "git tag v1", "git stash", "git remote add a b"}) {
    BOOST_TEST(error(command) == "Command not approved: " + std::string(command));
  }
}

BOOST_AUTO_TEST_CASE(a_program_in_the_project_is_asked_for_whatever_its_name) {
  std::filesystem::create_directories(root + "/bin");
  std::filesystem::copy_file("/bin/cat", root + "/bin/cat");
  Json own = config;
  own["commands"]["path"] = {root + "/bin", "/usr/bin"};
  const ToolUnderTest tool_with_own(plugin, own, "execute_run");
  BOOST_TEST(run_with(tool_with_own, "cat x") == failed("Command not approved: cat x"));
  BOOST_TEST(error("bin/cat x") == "Command not approved: bin/cat x");
  BOOST_TEST(error("./cat x") == "Command not approved: ./cat x");
}

BOOST_AUTO_TEST_CASE(recursive_removal_is_checked_and_then_asked_for) {
  BOOST_TEST(error("rm -r src") == "Command not approved: rm -r src");
  BOOST_TEST(error("rm -rf ../outside") == invalid("../outside"));
  BOOST_TEST(exists("src/a.txt"));
  BOOST_TEST(run("rm src/a.txt") == succeeded(""));
}

BOOST_AUTO_TEST_CASE(an_allowed_command_is_asked_for_again_outside_of_the_project) {
  program("npm", "echo ran");
  file(".clada/commands.json", R"({"allowed": ["npm test"]})");
  BOOST_TEST(run("npm test") == succeeded("ran\n"));
  BOOST_TEST(run("npm test", scratch.path()) == failed("Command not approved: npm test"));
}

BOOST_AUTO_TEST_CASE(a_file_of_commands_that_is_doubtful_lets_nothing_run_and_stays) {
  host.answer = WTOOL_APPROVAL_ALWAYS;
  const std::string path = root + "/.clada/commands.json";
  for (const char* text : {"{\"allowed\": [", "[]", R"({"allowed": "npm test"})", R"({"allowed": [1]})",
                           R"({"allowed": [], "allowed": ["npm test"]})"}) {
    file(".clada/commands.json", text);
    BOOST_TEST(error("npm test").starts_with("the file of commands cannot be understood: " + path), text);
    BOOST_TEST(content(".clada/commands.json") == text);
  }
  file(".clada/commands.json", R"({"allowed": ["npm test"]})");
  ::chmod(path.c_str(), 0666);
  BOOST_TEST(error("npm test").starts_with("the file of commands may be changed by other users"));
  std::filesystem::rename(path, root + "/elsewhere.json");
  link("../elsewhere.json", ".clada/commands.json");
  BOOST_TEST(error("npm test").starts_with("the file of commands cannot be read: " + path));
  std::filesystem::remove_all(root + "/.clada");
  link("evil/.clada", ".clada");
  BOOST_TEST(error("sh -c evil").starts_with("the file of commands cannot be read: " + path));
  BOOST_TEST(host.questions().empty());
}

BOOST_AUTO_TEST_CASE(the_hint_for_a_file_of_commands_asks_for_no_more_than_the_rule_needs) {
  program("npm", "echo ran");
  file(".clada/commands.json", R"({"allowed": ["npm test"]})");
  const std::string path = root + "/.clada/commands.json";
  for (const unsigned writable : {0666U, 0662U}) {
    ::chmod(path.c_str(), writable);
    BOOST_TEST(error("npm test").ends_with(path + "; remove that permission (chmod o-w)"), error("npm test"));
    // This is what the hint advises: others may no longer write the file. The group still may.
    ::chmod(path.c_str(), writable & ~2U);
    BOOST_TEST(run("npm test") == succeeded("ran\n"));
  }
}

BOOST_AUTO_TEST_CASE(the_project_is_found_from_the_hosts_directory_and_never_from_cwd) {
  folder("other/.git");
  scratch.file("other/secret", "secret\n");
  const Finished finished =
      wtool::test::run({WTOOL_TEST_PROGRAM, "call", "execute_run",
                        Json{{"command", "cat secret"}, {"cwd", scratch.path() + "/other"}}.dump()},
                       {.directory = root + "/src"});
  BOOST_TEST(finished.out.find("Invalid path: secret") != std::string::npos);
  const Finished inside = wtool::test::run({WTOOL_TEST_PROGRAM, "call", "execute_run", R"({"command": "cat ../x"})"},
                                           {.directory = root + "/src"});
  BOOST_TEST(inside.out.find("evil\\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(two_calls_that_keep_answers_at_once_lose_no_answer) {
  host.answer = WTOOL_APPROVAL_ALWAYS;
  constexpr int each = 10;
  const ToolUnderTest second_tool(plugin, config, "execute_run");
  const auto answer_all = [&](const ToolUnderTest& which, const std::string& name) {
    for (int i = 0; i < each; ++i) which.run({{"command", name + ' ' + std::to_string(i)}, {"cwd", root}});
  };
  std::thread one([&] { answer_all(tool, "true"); });
  std::thread two([&] { answer_all(second_tool, "false"); });
  one.join();
  two.join();
  const Json kept = Json::parse(content(".clada/commands.json"));
  BOOST_TEST(kept.at("allowed").size() == static_cast<std::size_t>(2 * each));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
