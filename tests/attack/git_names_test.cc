// Attacks by commands: each one makes the user's next git command, in a repository in a write root, run code outside of
// the sandbox. Each attack is made twice: without a sandbox, which shows that it works, and with one. After each
// attack, the user runs the real `git status`.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <ctime>
#include <memory>

#include "support/sandboxed.h"

BOOST_AUTO_TEST_SUITE(git_names_test)

using namespace wtool::test;

namespace {

namespace fs = std::filesystem;

boost::test_tools::assertion_result git_can_be_tested(boost::unit_test::test_unit_id) {
  static const bool able =
      has_landlock(1) && has_namespaces() && wtool::test::run({"/usr/bin/git", "--version"}).exit_code == 0;
  boost::test_tools::assertion_result result(able);
  if (!able) result.message() << "this machine has no git, no Landlock, or no namespaces for this user";
  return result;
}

struct Fixture : Sandboxed {
  const std::string home = folder("home");
  const std::string marker = outside + "/ran";
  // The program that the attack makes. It must not run outside of the sandbox.
  const std::string evil = inside + "/evil.sh";
  const Json required = {{"protect", "default"}, {"required", true}};
  ToolUnderTest held{plugin, sandbox(required)};
  ToolUnderTest free{plugin};

  // Runs the script as the user, outside of the sandbox. Ends the test if the script fails.
  std::string as_user(const std::string& script) const {
    const Finished done = wtool::test::run({"/bin/sh", "-c", "set -e\n" + script}, user());
    BOOST_REQUIRE_MESSAGE(done.exit_code == 0, script << "\n" << done.out << done.err);
    return done.out;
  }

  // What git says does not matter, only what it runs.
  void git_status(const std::string& directory) const {
    ProgramOptions options = user();
    options.directory = directory;
    wtool::test::run({"/usr/bin/git", "status"}, options);
  }

  bool runs(const std::string& directory) const {
    fs::remove(marker);
    git_status(directory);
    return fs::exists(marker);
  }

  // Runs the script as a command of the tool, with the user's variables for git.
  Answer attack(const ToolUnderTest& tool, const std::string& script) const {
    Json environment = Json::object();
    for (const auto& [name, value] : user().set) environment[name] = value;
    return tool.run(
        {{"command", "exec 2>&1; set -e\n" + script}, {"working_directory", inside}, {"environment", environment}});
  }

  void repository(const std::string& path) const {
    as_user("git init -q " + path + " && cd " + path +
            " && git config user.name n && git config user.email e@e && echo x > file && git add file && "
            "git commit -qm first");
  }

  // Shell lines that make a program which leaves the marker, and a configuration file that makes git run this program.
  // `top` is the work tree, for a repository whose folder is not named .git.
  std::string payload(const std::string& config, const std::string& top = {}) const {
    const std::string place = top.empty() ? top : "\\tbare = false\\n\\tworktree = " + top + "\\n";
    return "printf '#!/bin/sh\\ntouch " + marker + "\\n' > " + evil + "; chmod +x " + evil + "\nprintf '[core]\\n" +
           "\\trepositoryformatversion = 0\\n" + place + "\\tfsmonitor = " + evil + "\\n' >> " + config + "\n";
  }

  // Shell lines that make a repository whose configuration runs the payload.
  std::string evil_repository(const std::string& path, const std::string& top = {}) const {
    return "mkdir -p " + path + "/objects " + path + "/refs; echo 'ref: refs/heads/main' > " + path + "/HEAD\n" +
           payload(path + "/config", top);
  }

  void start_again() const { as_user("chmod -R u+rwx . && rm -rf ./* ./.[!.]*"); }

  ProgramOptions user() const {
    ProgramOptions options;
    options.directory = inside;
    options.set = {{"HOME", home}, {"GIT_CONFIG_NOSYSTEM", "1"}, {"GIT_CEILING_DIRECTORIES", scratch.path()}};
    return options;
  }
};

std::vector<std::string> changed(const Answer& answer) {
  return answer.metadata().value("protected_changed", std::vector<std::string>());
}

// The paths that were put aside, under their former names.
std::vector<std::string> aside(const Answer& answer) {
  std::vector<std::string> paths;
  for (const Json& entry : answer.metadata().value("put_aside", Json::array())) {
    const auto path = entry.at("path").get<std::string>();
    BOOST_TEST_CONTEXT(entry.dump()) {
      BOOST_REQUIRE(entry.contains("to"));
      // A link in `worktrees` goes to the folder above.
      const fs::path place = fs::path(path).parent_path();
      const fs::path target = place.filename() == "worktrees" ? place.parent_path() : place;
      BOOST_TEST(
          entry.at("to").get<std::string>().starts_with((target / fs::path(path).filename()).string() + ".put-aside-"));
      BOOST_TEST(fs::is_other(fs::symlink_status(path)) == false);
      BOOST_TEST(!fs::exists(fs::symlink_status(path)));
      BOOST_TEST(fs::exists(fs::symlink_status(entry.at("to").get<std::string>())));
    }
    paths.push_back(path);
  }
  return paths;
}

using Paths = std::vector<std::string>;

enum class Ends { held, put_aside, reported };

// One attack: the user runs `before`, and the attacker runs `command`; then the user runs git in `where`.
struct Attack {
  const char* name;
  std::string before;
  std::string command;
  std::string where;
  Ends ends;
  std::string path;  // the path that is reported, unless `ends` is held
};

void check(const Fixture& at, const Attack& attack) {
  BOOST_TEST_CONTEXT(attack.name) {
    at.start_again();
    at.as_user(attack.before);
    at.attack(at.free, attack.command);
    BOOST_TEST(at.runs(attack.where), "without a sandbox, the attack runs nothing, so it proves nothing");

    at.start_again();
    at.as_user(attack.before);
    BOOST_TEST(!at.runs(attack.where));
    const Answer answer = at.attack(at.held, attack.command);
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(at.runs(attack.where) == (attack.ends == Ends::reported));
      if (attack.ends != Ends::reported) BOOST_TEST(texts(answer.metadata(), "not_enforced").empty());
      if (attack.ends == Ends::held) {
        // The other paths that are reported are all files of the attack itself.
        for (const std::string& path : changed(answer)) BOOST_TEST(path.starts_with(at.inside + "/evil"), path);
        BOOST_TEST(answer.is_error());
        BOOST_TEST(aside(answer).empty());
      } else {
        BOOST_TEST(has(changed(answer), attack.path));
        BOOST_TEST(has(aside(answer), attack.path) == (attack.ends == Ends::put_aside));
      }
    }
  }
}

const std::string identity = "git config user.name n; git config user.email e@e\n";
const std::string commit = "echo x > file; git add file; git commit -qm first\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(git_names, *boost::unit_test::precondition(git_can_be_tested))

BOOST_FIXTURE_TEST_CASE(an_existing_repository_runs_nothing_that_a_command_planted, Fixture) {
  const std::string made = "git init -q .\n" + identity + commit;
  const std::string other = "(git init -q " + outside + "/other; cd " + outside + "/other;" + identity + commit + ")\n";
  const std::string submodule = "rm -rf " + outside + "/other\n" + other + made +
                                "git -c protocol.file.allow=always submodule --quiet add " + outside +
                                "/other sub; git commit -qm sub\n";
  const std::string worktree = "git init -q main; cd main\n" + identity + commit + "git worktree add -q ../tree\n";
  const std::string commondir = evil_repository("evil") + "cp -r .git/objects .git/refs evil/; ";
  const std::vector<Attack> attacks = {
      {"commondir of a repository", made, commondir + "echo ../evil > .git/commondir", inside, Ends::put_aside,
       inside + "/.git/commondir"},
      {"commondir that is a hard link",
       made,
       commondir + "echo ../evil > word; ln word .git/commondir",
       inside,
       Ends::held,
       {}},
      {"commondir that is a symbolic link", made, commondir + "echo ../evil > word; ln -s ../word .git/commondir",
       inside, Ends::put_aside, inside + "/.git/commondir"},
      {"the configuration", made, payload(".git/config"), inside, Ends::held, {}},
      {"the configuration of a submodule", submodule, payload(".git/modules/sub/config"), inside, Ends::held, {}},
      {"commondir of a submodule", submodule,
       evil_repository("evil") + "cp -r .git/modules/sub/objects .git/modules/sub/refs evil/; "
                                 "echo ../../../evil > .git/modules/sub/commondir",
       inside + "/sub", Ends::put_aside, inside + "/.git/modules/sub/commondir"},
      {"the file .git of a submodule",
       submodule,
       evil_repository("evil") + "echo 'gitdir: ../evil' > sub/.git",
       inside + "/sub",
       Ends::held,
       {}},
      {"the file .git of a worktree",
       worktree,
       evil_repository("evil") + "echo \"gitdir: $PWD/evil\" > tree/.git",
       inside + "/tree",
       Ends::held,
       {}},
      {"another file .git in place of that of a worktree",
       worktree,
       evil_repository("evil") + "echo \"gitdir: $PWD/evil\" > new; mv -f new tree/.git",
       inside + "/tree",
       Ends::held,
       {}},
      {"another folder in place of a worktree",
       worktree,
       evil_repository("evil/.git") + "mv tree away; mv evil tree",
       inside + "/tree",
       Ends::held,
       {}},
      {"commondir of a worktree",
       worktree,
       evil_repository("evil") + "cp -r main/.git/refs main/.git/objects evil/; "
                                 "echo ../../../../evil > main/.git/worktrees/tree/commondir",
       inside + "/tree",
       Ends::held,
       {}},
      {"another .git in place", made, evil_repository("evil") + "mv .git away; mv evil .git", inside, Ends::held, {}},
      {"another .git in place of one without any guarded name",
       "git init -q .; rm -rf .git/config .git/hooks .git/info",
       evil_repository("evil") + "mv .git away; mv evil .git",
       inside,
       Ends::held,
       {}},
      {"a repository in a folder",
       "git init -q vendor/lib",
       payload("vendor/lib/.git/config"),
       inside + "/vendor/lib",
       Ends::held,
       {}},
      {"folders above a repository",
       "git init -q vendor/lib",
       evil_repository("evil/lib/.git") + "mv vendor away; mv evil vendor",
       inside + "/vendor/lib",
       Ends::held,
       {}},
      {"a bare repository",
       "git init -q --bare bare.git",
       payload("bare.git/config", inside),
       inside + "/bare.git",
       Ends::held,
       {}},
      {"a repository around the checkout's own", made, "rm .git/HEAD\n" + evil_repository(".", inside), inside,
       Ends::put_aside, inside + "/HEAD"},
      {"a repository around a broken one", "git init -q work; cd work\n" + identity + commit,
       "rm work/.git/HEAD\n" + evil_repository(".git"), inside + "/work", Ends::put_aside, inside + "/.git"},
      {"a repository around one whose HEAD says nothing", "git init -q work; cd work\n" + identity + commit,
       "echo nothing > work/.git/HEAD\n" + evil_repository(".git"), inside + "/work", Ends::put_aside,
       inside + "/.git"},
      {"a submodule that only the index knows", made,
       "git init -q new; git -C new -c user.name=n -c user.email=e@e commit -q --allow-empty -m x\n"
       "git update-index --add --cacheinfo 160000,$(git -C new rev-parse HEAD),new\n" +
           payload("new/.git/config"),
       inside, Ends::put_aside, inside + "/new/.git"},
      {"the same with an index of version 4", made,
       "git update-index --index-version 4; echo x > nearby; git add nearby; "
       "git init -q new; git -C new -c user.name=n -c user.email=e@e commit -q --allow-empty -m x\n"
       "git update-index --add --cacheinfo 160000,$(git -C new rev-parse HEAD),new\n" +
           payload("new/.git/config"),
       inside, Ends::put_aside, inside + "/new/.git"},
      {"a file that the configuration includes",
       made + "touch team.config; git config include.path ../team.config",
       payload("team.config"),
       inside,
       Ends::held,
       {}},
      {"a file that the configuration includes and that is not there", made + "git config include.path ../team.config",
       payload("team.config"), inside, Ends::put_aside, inside + "/team.config"},
      {"a file that an included file includes",
       made +
           "touch b.config; printf '[include]\\n path = b.config\\n' > a.config; git config include.path ../a.config",
       payload("b.config"),
       inside,
       Ends::held,
       {}},
      {"a program that the configuration names",
       made + "printf '#!/bin/sh\\n' > watch.sh; chmod +x watch.sh; git config core.fsmonitor ./watch.sh",
       "echo 'touch " + marker + "' >> watch.sh",
       inside,
       Ends::held,
       {}},
      {"the configuration of a worktree", worktree + "git config extensions.worktreeConfig true",
       payload("main/.git/worktrees/tree/config.worktree"), inside + "/tree", Ends::put_aside,
       inside + "/main/.git/worktrees/tree/config.worktree"},
  };
  for (const Attack& attack : attacks) check(*this, attack);
}

BOOST_FIXTURE_TEST_CASE(a_repository_that_a_command_makes_is_reported, Fixture) {
  const std::vector<Attack> attacks = {
      {"a file .git", "", evil_repository("evil") + "echo 'gitdir: evil' > .git", inside, Ends::reported,
       inside + "/.git"},
      {"a folder .git", "", evil_repository(".git"), inside, Ends::reported, inside + "/.git"},
      {"a symbolic link .git", "", evil_repository("evil") + "ln -s evil .git", inside, Ends::reported,
       inside + "/.git"},
      {"a bare repository", "", evil_repository(".", inside), inside, Ends::reported, inside},
      {"a repository in a folder", "mkdir -p a/b", evil_repository("a/b/.git"), inside + "/a/b", Ends::reported,
       inside + "/a/b/.git"},
      {"a folder moved into a place", "mkdir -p a/b", evil_repository("x/y/.git") + "mv x a/b/x", inside + "/a/b/x/y",
       Ends::reported, inside + "/a/b/x/y/.git"},
      {"the last name that a folder lacks", "mkdir -p a/objects a/refs", evil_repository("a", inside + "/a"),
       inside + "/a", Ends::reported, inside + "/a"},
      {"a folder that cannot be listed", "mkdir a", evil_repository("a/.git") + "chmod 0311 a/.git", inside + "/a",
       Ends::reported, inside + "/a/.git"},
  };
  for (const Attack& attack : attacks) check(*this, attack);
}

BOOST_FIXTURE_TEST_CASE(hooks_in_a_folder_that_the_configuration_names_stay_as_they_are, Fixture) {
  repository(inside);
  as_user("git config core.hooksPath .githooks; mkdir .githooks; printf '#!/bin/sh\\n' > .githooks/pre-commit");
  const Answer answer = attack(held, "printf '#!/bin/sh\\ntouch " + marker +
                                         "\\n' > .githooks/pre-commit; touch .githooks/post-commit; mv .githooks away");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(content(inside + "/.githooks/pre-commit") == "#!/bin/sh\n");
    BOOST_TEST(!fs::exists(inside + "/.githooks/post-commit"));
    BOOST_TEST(changed(answer).empty());
  }
}

BOOST_FIXTURE_TEST_CASE(new_hooks_are_put_aside, Fixture) {
  repository(inside);
  as_user("rm -rf .git/hooks; git config core.hooksPath \"\"; git config --unset core.hooksPath");
  const Answer answer = attack(held, "mkdir .git/hooks; printf '#!/bin/sh\\ntouch " + marker +
                                         "\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(aside(answer) == Paths{inside + "/.git/hooks"}, boost::test_tools::per_element());
    BOOST_TEST(has(changed(answer), inside + "/.git/hooks/pre-commit"));
  }
  as_user("git commit -q --allow-empty -m second");
  BOOST_TEST(!fs::exists(marker));
}

BOOST_FIXTURE_TEST_CASE(what_is_put_aside_stays_inside_whatever_links_are_planted, Fixture) {
  repository(inside);
  scratch.file("outside/attributes", "theirs\n");
  scratch.file("outside/info/alternates", "theirs\n");
  const Answer answer = attack(held, "rm -rf .git/info .git/objects/info; ln -s " + outside + " .git/info; ln -s " +
                                         outside + "/info .git/objects/info; ln -s " + secret + " .git/commondir");
  BOOST_TEST_CONTEXT(answer.raw) {
    const Paths paths = aside(answer);
    BOOST_TEST(has(paths, inside + "/.git/info"));
    BOOST_TEST(has(paths, inside + "/.git/objects/info"));
    BOOST_TEST(has(paths, inside + "/.git/commondir"));
  }
  BOOST_TEST(content(outside + "/attributes") == "theirs\n");
  BOOST_TEST(content(outside + "/info/alternates") == "theirs\n");
  BOOST_TEST(content(secret) == "secret\n");
  BOOST_TEST(std::distance(fs::directory_iterator(outside), {}) == 3);
}

BOOST_FIXTURE_TEST_CASE(a_link_that_the_user_made_is_not_put_aside, Fixture) {
  repository(inside);
  as_user("mkdir shared; git config include.path ../conf/team.config");
  // The link is made just before the command runs. File times are so coarse that, by its times, this link may have been
  // made by the command.
  fs::create_symlink("shared", inside + "/conf");
  const Answer answer = attack(held, payload("shared/team.config"));
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(has(changed(answer), inside + "/conf/team.config"));
    BOOST_TEST(answer.metadata().at("put_aside").at(0).contains("error"));
  }
  BOOST_TEST(fs::is_symlink(inside + "/conf"));
  BOOST_TEST(fs::exists(inside + "/shared/team.config"));
}

BOOST_FIXTURE_TEST_CASE(a_link_whose_times_the_command_changed_is_not_put_aside, Fixture) {
  repository(inside);
  as_user("mkdir shared; git config include.path ../conf/team.config; ln -s shared conf");
  const Answer answer = attack(held, payload("shared/team.config") + "touch -h conf");
  BOOST_TEST(has(changed(answer), inside + "/conf/team.config"));
  BOOST_TEST(fs::is_symlink(inside + "/conf"));
}

BOOST_FIXTURE_TEST_CASE(a_link_that_the_command_moved_onto_the_way_is_put_aside, Fixture) {
  repository(inside);
  as_user("git config include.path ../conf/a/team.config; ln -s ../shared conf");
  const Answer answer =
      attack(held, "mv conf x; mkdir conf; mv x conf/a; mkdir shared\n" + payload("shared/team.config"));
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(has(changed(answer), inside + "/conf/a/team.config"));
    BOOST_TEST(!fs::exists(inside + "/conf/a/team.config"));
  }
}

// The kernel removes a bind if a program outside of the namespace puts another file in its place, as git does when it
// writes its configuration. From then on, the command may change the new file.
BOOST_FIXTURE_TEST_CASE(a_file_that_the_user_replaces_while_a_command_runs_is_reported, Fixture) {
  repository(inside);
  as_user("mkfifo go; mkdir -p .vscode; echo {} > .vscode/settings.json");
  const auto during = [&](const std::string& by_user) {
    RunningCall call(held, {{"command", "echo ready; read line < go; " + payload(".git/config") + "true"},
                            {"working_directory", inside}});
    BOOST_REQUIRE(call.wait_for_output("ready"));
    as_user(by_user + "; echo > go");
    return changed(call.wait());
  };
  BOOST_TEST(during("git config user.name other") == Paths{inside + "/.git/config"}, boost::test_tools::per_element());
  BOOST_TEST(runs(inside));
  as_user("git config --unset core.fsmonitor; rm -f evil.sh");
  BOOST_TEST(during("git status").empty());
  BOOST_TEST(during("rm -r .vscode; mkdir .vscode") == Paths{inside + "/.vscode"}, boost::test_tools::per_element());
  BOOST_TEST(during("mv .git old; cp -r old .git; rm -rf old; git config user.name third").size() > 0U);
}

BOOST_FIXTURE_TEST_CASE(a_checkout_in_which_a_command_may_not_write_stays_as_it_is, Fixture) {
  const std::string work = home + "/work";
  const std::string git = work + "/main/.git";
  as_user("mkdir ../home/work; cd ../home/work; git init -q -b main main; cd main\n" + identity + commit +
          "git worktree add -q ../tree; git worktree add -q ../other\n"
          "git -c protocol.file.allow=always submodule --quiet add -b main $PWD sub; git commit -qm sub; cd ../tree\n"
          "git merge -q main; git -c protocol.file.allow=always submodule --quiet update --init; cd sub\n" +
          identity + "cd " + work +
          "/main; echo z > other; git add other; git commit -qm z\n"
          "GIT_SEQUENCE_EDITOR='sed -i s/pick/edit/' git rebase -q -i HEAD~1 || true; test -e "
          ".git/rebase-merge/git-rebase-todo\n");
  Json section{{"write", {inside, work + "/tree", git}}, {"protect", "default"}, {"required", true}};
  const ToolUnderTest tool(plugin, {{"sandbox", section}});
  const auto command = [&](const std::string& line) { return attack(tool, "cd " + work + "/tree; " + line); };
  const std::string commit_here = "echo y >> file; git add file; git commit -qm more; git checkout -q --detach; ";
  for (int i = 0; i < 2; ++i) {
    for (const char* path :
         {"/HEAD", "/index", "/worktrees/other/HEAD", "/worktrees/other/index", "/modules/sub/HEAD"}) {
      for (const char* change : {"echo > ", "rm ", "touch new; mv -f new "}) {
        const Answer answer = command(change + git + path);
        BOOST_TEST(answer.is_error(), answer.raw);
        BOOST_TEST(changed(answer).empty(), answer.raw);
      }
    }
    // In the checkout that it may write, the command can do everything, in its submodule too.
    const Answer answer = command(commit_here + "git checkout -q tree; cd sub; " + commit_here);
    BOOST_TEST(!answer.is_error(), answer.raw);
  }
  // When the user works in the other checkout, no protected name counts as changed.
  as_user("mkfifo go");
  RunningCall call(tool, {{"command", "echo ready; read line < go"}, {"working_directory", inside}});
  BOOST_REQUIRE(call.wait_for_output("ready"));
  as_user("cd " + work + "/main; echo z > file; git add file; git commit -qm mine; git checkout -qb mine; cd " +
          inside + "; echo > go");
  BOOST_TEST(changed(call.wait()).empty());
}

BOOST_FIXTURE_TEST_CASE(a_repository_that_a_command_hides_from_the_search_stays_held, Fixture) {
  const std::string other = "(git init -q " + outside + "/other; cd " + outside + "/other;" + identity + commit + ")\n";
  const std::string git = inside + "/.git/modules/sub";
  as_user(other + "git init -q .\n" + identity + commit + "git -c protocol.file.allow=always submodule --quiet add " +
          outside + "/other sub; git commit -qm sub");
  const Answer hides = attack(held, "mv " + git + "/refs " + git + "/r");
  BOOST_TEST(has(changed(hides), git), hides.raw);
  BOOST_TEST(attack(held, payload(git + "/config")).is_error());
  BOOST_TEST(!attack(held, "mv " + git + "/r " + git + "/refs").is_error());
  BOOST_TEST(attack(held, payload(git + "/config")).is_error());

  // A folder of repositories that looks like one itself, for a host that has not seen it before.
  attack(held, "cp -r .git/HEAD .git/objects .git/refs .git/modules");
  const ToolUnderTest new_host(plugin, sandbox({{"protect", "default"}, {"required", true}, {"put_aside", true}}));
  BOOST_TEST(attack(new_host, payload(git + "/config")).is_error());
  BOOST_TEST(!runs(inside + "/sub"));
  BOOST_TEST(!runs(inside));
}

// Git follows such links when it writes or removes files.
BOOST_FIXTURE_TEST_CASE(links_that_a_command_makes_in_the_folder_of_a_repository_are_put_aside, Fixture) {
  for (const char* name :
       {"COMMIT_EDITMSG", "FETCH_HEAD", "worktrees/evil", "sequencer", "rebase-merge", "logs", "index"}) {
    start_again();
    repository(inside);
    as_user("git worktree add -q tree");
    const std::string path = inside + "/.git/" + name;
    const Answer answer = attack(held, "rm -rf " + path + "; ln -s " + outside + ' ' + path);
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(aside(answer) == Paths{path}, boost::test_tools::per_element());
      BOOST_TEST(has(changed(answer), path));
    }
    as_user("git gc -q; git worktree prune; test -e " + secret);
  }
  // Links elsewhere, and those in a new repository of a command, stay.
  start_again();
  repository(inside);
  const Answer answer =
      attack(held,
             "ln -s a link; git add link; git commit -qm link; git init -q new; ln -s a new/.git/link; "
             "git worktree add -q tree; git clone -q . clone");
  BOOST_TEST(aside(answer).empty(), answer.raw);
}

// A command in one worktree cannot have made a worktree elsewhere, so later commands may not change it.
BOOST_FIXTURE_TEST_CASE(a_worktree_that_the_user_adds_elsewhere_while_a_command_runs_is_held_from_then_on, Fixture) {
  const std::string work = home + "/work";
  const std::string git = work + "/main/.git";
  as_user("mkfifo go; mkdir " + work + "; cd " + work + "; git init -q -b main main; cd main\n" + identity + commit +
          "git worktree add -q ../tree");
  const ToolUnderTest tool(
      plugin, {{"sandbox", {{"write", {inside, work + "/tree", git}}, {"protect", "default"}, {"required", true}}}});
  RunningCall call(tool, {{"command", "echo ready; read line < go"}, {"working_directory", inside}});
  BOOST_REQUIRE(call.wait_for_output("ready"));
  as_user("git -C " + work + "/main worktree add -q ../other; echo > go");
  BOOST_TEST(has(changed(call.wait()), git + "/worktrees/other"));
  const Answer answer =
      attack(tool, evil_repository("evil") + "cp -r " + git + "/objects " + git + "/refs evil/; echo " + inside +
                       "/evil > " + git + "/worktrees/other/commondir");
  BOOST_TEST(answer.is_error(), answer.raw);
  BOOST_TEST(!runs(work + "/other"));
  // When the user removes the worktree, no protected name counts as changed.
  RunningCall later(tool, {{"command", "echo ready; read line < go"}, {"working_directory", inside}});
  BOOST_REQUIRE(later.wait_for_output("ready"));
  as_user("git -C " + work + "/main worktree remove ../other; echo > go");
  BOOST_TEST(changed(later.wait()).empty());
}

// A home folder may have been moved, with a link in its place.
BOOST_FIXTURE_TEST_CASE(a_checkout_that_git_knows_by_a_link_or_that_is_partly_open_can_be_staged, Fixture) {
  as_user("mkdir real; ln -s real link; cd link; git init -q -b main main; cd main\n" + identity + commit +
          "mkdir src; echo x > src/file; git add src; git commit -qm src; git worktree add -q $PWD/../tree\n"
          "sed -i s:/real/:/link/: .git/worktrees/tree/gitdir; grep -q /link/ .git/worktrees/tree/gitdir");
  const std::string real = inside + "/real";
  const std::string stage = "echo y >> file; git add file; git commit -qm more";
  for (const auto& [roots, directory] : {std::pair{Json{real + "/tree", real + "/main/.git"}, real + "/tree"},
                                         {Json{real + "/main/src", real + "/main/.git"}, real + "/main/src"}}) {
    const ToolUnderTest tool(plugin, {{"sandbox", {{"write", roots}, {"protect", "default"}, {"required", true}}}});
    const Answer answer = attack(tool, "cd " + directory + "; " + stage);
    BOOST_TEST(!answer.is_error(), answer.raw);
  }
}

BOOST_FIXTURE_TEST_CASE(a_write_root_that_is_a_repository_itself_is_held, Fixture) {
  as_user("git init -q --bare .");
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(attack(held, "git config user.name n").is_error());
    const Answer answer = attack(held, "echo ../evil > commondir; touch .bashrc");
    BOOST_TEST(aside(answer) == Paths{inside + "/commondir"}, boost::test_tools::per_element());
    BOOST_TEST(has(changed(answer), inside + "/.bashrc"));
    as_user("rm -f .bashrc commondir*");
  }
}

BOOST_FIXTURE_TEST_CASE(putting_aside_overwrites_nothing, Fixture) {
  repository(inside);
  // All names under which something could be put aside in the next five minutes.
  std::string taken;
  const std::time_t now = std::time(nullptr);
  for (std::time_t second = now; second < now + 300; ++second) {
    char stamp[32];
    std::strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", std::gmtime(&second));
    taken += " .git/commondir.put-aside-" + std::string(stamp);
  }
  as_user("touch" + taken);
  const Answer answer = attack(held, "echo ../evil > .git/commondir");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(aside(answer) == Paths{inside + "/.git/commondir"}, boost::test_tools::per_element());
    const std::string to = answer.metadata().at("put_aside").at(0).at("to");
    BOOST_TEST(to.ends_with("Z-2"));
    BOOST_TEST(content(to) == "../evil\n");
  }
  for (const auto& entry : fs::directory_iterator(inside + "/.git")) {
    const bool planted = entry.path().filename().string().ends_with("Z");
    if (planted) BOOST_TEST(fs::file_size(entry.path()) == 0U);
  }
}

// A command could otherwise keep what it has added in place.
BOOST_FIXTURE_TEST_CASE(what_a_command_adds_is_put_aside_even_if_it_closes_the_folder, Fixture) {
  for (const char* mode : {"0555", "0500"}) {
    start_again();
    repository(inside);
    const Answer answer = attack(held, "echo ../evil > .git/commondir; chmod " + std::string(mode) + " .git");
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(aside(answer) == Paths{inside + "/.git/commondir"}, boost::test_tools::per_element());
      BOOST_TEST(!fs::exists(inside + "/.git/commondir"));
      struct stat status {};
      BOOST_REQUIRE(::stat((inside + "/.git").c_str(), &status) == 0);
      BOOST_TEST((status.st_mode & 07777) == static_cast<mode_t>(std::stoul(mode, nullptr, 8)));
    }
  }
}

BOOST_FIXTURE_TEST_CASE(what_a_command_adds_is_put_aside_even_if_all_names_with_numbers_are_taken, Fixture) {
  repository(inside);
  const Answer answer = attack(
      held,
      "now=$(date +%s)\nfor s in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do\n"
      "  t=.git/commondir.put-aside-$(date -u -d @$((now + s)) +%Y%m%dT%H%M%SZ); touch $t $(seq -f $t-%.0f 2 101)\n"
      "done\necho ../evil > .git/commondir");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(aside(answer) == Paths{inside + "/.git/commondir"}, boost::test_tools::per_element());
    BOOST_TEST(!fs::exists(inside + "/.git/commondir"));
    BOOST_TEST(content(answer.metadata().at("put_aside").at(0).at("to")) == "../evil\n");
  }
}

BOOST_FIXTURE_TEST_CASE(nothing_is_put_aside_unless_the_configuration_says_so, Fixture) {
  const ToolUnderTest lax(plugin, sandbox({{"protect", "default"}}));
  const ToolUnderTest putting(plugin, sandbox({{"protect", "default"}, {"put_aside", true}}));
  const ToolUnderTest strict(plugin, sandbox({{"protect", "default"}, {"required", true}, {"put_aside", false}}));
  for (const auto& [tool, expected] : {std::pair{&lax, false}, {&putting, true}, {&strict, false}, {&held, true}}) {
    start_again();
    repository(inside);
    const Answer answer = attack(*tool, "echo ../evil > .git/commondir");
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(has(changed(answer), inside + "/.git/commondir"));
      BOOST_TEST(aside(answer).empty() != expected);
      BOOST_TEST(fs::exists(inside + "/.git/commondir") != expected);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_link_in_place_of_a_repository_is_refused_where_protection_is_required, Fixture) {
  as_user("git init -q elsewhere; ln -s elsewhere/.git .git");
  const Answer refused = attack(held, "true");
  BOOST_TEST(refused.code() == "policy_denied");
  BOOST_TEST(refused.text().find(inside + "/.git") != std::string::npos);
  const ToolUnderTest lax(plugin, sandbox({{"protect", "default"}}));
  const Answer answer = attack(lax, evil_repository("evil") + "ln -sfn evil .git");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(texts(answer.metadata(), "not_enforced").size() == 1U);
    BOOST_TEST(has(changed(answer), inside + "/.git"));
  }
}

BOOST_FIXTURE_TEST_CASE(git_works_in_the_sandbox, Fixture) {
  const std::string other = outside + "/other";
  as_user("git init -q --bare " + other + "; git init -q .\n" + identity + commit + "git remote add origin " + other +
          "; git push -q origin HEAD:refs/heads/main");
  const Answer answer = attack(
      held,
      "set -e; git fetch -q origin; echo 1 > one; git add one; git commit -qm one\n"
      "git checkout -q -b side HEAD~1; echo 2 > two; git add two; git commit -qm two\n"
      "git checkout -q -; git merge -q -m merged side\n"
      "echo 3 >> one; git stash -q; git stash pop -q; git checkout -q one\n"
      "git tag t; git gc -q; git reset -q --hard HEAD~1; git status --short\n"
      "git rebase -q side; git cherry-pick --allow-empty t -m 1 || git cherry-pick --skip; git log --oneline | wc -l");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.exit_code() == 0);
    BOOST_TEST(changed(answer).empty());
    BOOST_TEST(has(texts(answer.metadata(), "enforced"), "protected_names"));
  }
  as_user("git fsck --strict && test -z \"$(git status --porcelain)\"");
}

BOOST_FIXTURE_TEST_CASE(what_a_command_has_made_stays_its_own, Fixture) {
  const Answer made = attack(held, "git init -q new && git -C new config user.name n");
  BOOST_TEST(changed(made) == Paths{inside + "/new/.git"}, boost::test_tools::per_element());
  BOOST_TEST(aside(made).empty());
  const Answer again = attack(held, "git -C new config user.name m && mv new newer && rm -rf newer");
  BOOST_TEST_CONTEXT(again.raw) { BOOST_TEST(again.exit_code() == 0); }
  // The user makes a repository of the same name. It belongs to the user, not to the command.
  as_user("git init -q new");
  BOOST_TEST(attack(held, "git -C new config user.name m").is_error());
  // Neither a tool with another sandbox nor another host can find out that a command made the repository, so both treat
  // the repository as the user's.
  attack(held, "git init -q another");
  Json other = sandbox(required);
  other["sandbox"]["ipc"] = "allow";
  const ToolUnderTest later(plugin, other);
  BOOST_TEST(attack(later, "rm -rf another").is_error());
}

// The first command makes a repository, which is reported and stays. The second makes the user's git use it.
BOOST_FIXTURE_TEST_CASE(two_commands_together_do_no_more_than_one, Fixture) {
  repository(inside);
  const std::string make =
      "git init -q new; git -C new -c user.name=n -c user.email=e@e commit -q --allow-empty -m x\n" +
      payload("new/.git/config");
  const Answer first = attack(held, make);
  BOOST_TEST(has(changed(first), inside + "/new/.git"));
  BOOST_TEST(aside(first).empty());
  BOOST_TEST(!runs(inside));
  const Answer second =
      attack(held, "git update-index --add --cacheinfo 160000,$(git -c core.fsmonitor= -C new rev-parse HEAD),new");
  BOOST_TEST_CONTEXT(second.raw) {
    BOOST_TEST(aside(second) == Paths{inside + "/new/.git"}, boost::test_tools::per_element());
    BOOST_TEST(has(changed(second), inside + "/new/.git"));
  }
  BOOST_TEST(!runs(inside));

  start_again();
  repository(inside + "/work");
  BOOST_TEST(aside(attack(held, evil_repository(".git"))).empty());
  const Answer broken = attack(held, "rm work/.git/HEAD");
  BOOST_TEST_CONTEXT(broken.raw) {
    BOOST_TEST(aside(broken) == Paths{inside + "/.git"}, boost::test_tools::per_element());
  }
  BOOST_TEST(!runs(inside + "/work"));
}

BOOST_FIXTURE_TEST_CASE(a_worktree_that_a_command_makes_is_reported_and_stays, Fixture) {
  repository(inside);
  const Answer answer = attack(held, "git worktree add -q tree");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.exit_code() == 0);
    BOOST_TEST(has(changed(answer), inside + "/tree/.git"));
    BOOST_TEST(aside(answer).empty());
  }
  as_user("cd tree && git status");
}

BOOST_FIXTURE_TEST_CASE(special_files_under_the_names_of_a_repository_block_nothing, Fixture) {
  repository(inside);
  as_user("rm -rf .git/hooks; mkfifo .git/hooks .git/commondir; mv .git/config kept; mkfifo .git/config");
  const Answer pipes = attack(held, "echo ran");
  BOOST_TEST_CONTEXT(pipes.raw) { BOOST_TEST(pipes.metadata().contains("error")); }
  as_user("rm .git/config .git/commondir; mv kept .git/config; rm .git/hooks");
  // Of the pipes that the command makes, only the names are looked at; nothing is opened.
  const Answer made = attack(held, "mkfifo .git/hooks; mkfifo .git/commondir; mkdir sub; mkfifo sub/.git");
  BOOST_TEST_CONTEXT(made.raw) {
    BOOST_TEST(aside(made).size() == 2U);
    BOOST_TEST(has(changed(made), inside + "/sub/.git"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_hooks_folder_with_very_many_entries_is_searched_within_bounds, Fixture) {
  repository(inside);
  as_user("rm -rf .git/hooks");
  const Answer answer = attack(held, "mkdir .git/hooks && cd .git/hooks; seq 1 12000 | xargs touch");
  BOOST_TEST(answer.exit_code() == 0);
  BOOST_TEST(changed(answer).size() <= 10'001U);
  BOOST_TEST(aside(answer) == Paths{inside + "/.git/hooks"}, boost::test_tools::per_element());
  // Once the folder is protected, its entries are not read.
  as_user("mv .git/hooks.put-aside-* .git/hooks");
  BOOST_TEST(attack(held, "true").exit_code() == 0);
}

// The command runs as the folder's owner, so it could make the folder readable again.
BOOST_FIXTURE_TEST_CASE(a_folder_that_its_owner_has_closed_is_held_as_a_whole, Fixture) {
  if (::geteuid() == 0) return;  // Root can read every folder.
  for (const std::string mode : {"000", "300", "600"}) {
    repository(inside + "/shut");
    as_user("chmod " + mode + " shut");
    const Answer plain = attack(held, "echo ran > made; cat made");
    BOOST_TEST_CONTEXT(mode << " " << plain.raw) {
      BOOST_TEST(plain.exit_code() == 0);
      BOOST_TEST(texts(plain.metadata(), "not_enforced").empty());
    }
    const Paths scripts{"chmod u+rwx shut",
                        "echo '[core]' >> shut/.git/config",
                        "echo x > shut/.git/hooks/post-commit",
                        "mkdir shut/sub",
                        "mv shut other",
                        "rm -rf shut",
                        "chmod u+rwx shut; " + payload("shut/.git/config")};
    for (const std::string& script : scripts) {
      const Answer answer = attack(held, script);
      BOOST_TEST(answer.is_error(), mode << " " << script << " " << answer.raw);
    }
    as_user("chmod u+rwx shut");
    BOOST_TEST(!runs(inside + "/shut"), mode);
    as_user("cd shut; test ! -e sub; test ! -e .git/hooks/post-commit; test -z \"$(git status --porcelain)\"");
    start_again();
  }
}

// If a command makes a folder unreadable, the folder is reported, because the command may have made a repository in it.
// From the next command on, the folder is protected.
BOOST_FIXTURE_TEST_CASE(a_folder_that_a_command_closes_is_reported_and_held_from_then_on, Fixture) {
  if (::geteuid() == 0) return;
  const Answer closing = attack(held, "mkdir shut; chmod 000 shut");
  BOOST_TEST_CONTEXT(closing.raw) {
    BOOST_TEST(closing.exit_code() == 0);
    const Paths reasons = texts(closing.metadata(), "not_enforced");
    BOOST_REQUIRE(reasons.size() == 1U);
    BOOST_TEST(reasons.front().find("after the command, " + inside + "/shut cannot be searched") != std::string::npos);
  }
  BOOST_TEST(attack(held, "true").exit_code() == 0);
  BOOST_TEST(attack(held, "chmod 700 shut").is_error());
  start_again();
}

// Tests of other projects may make and remove repositories while a call runs. The programs of this case do the same.
BOOST_FIXTURE_TEST_CASE(repositories_of_other_programs_that_come_and_go_stop_no_command, Fixture) {
  // Each program only renames a complete repository, back and forth, so that nearly every look at the folder finds one.
  const auto others = [this](const std::string& name) {
    const std::string script = "mkdir -p " + name + "/kept/.git/objects " + name + "/kept/.git/refs " + name +
                               "/kept/.git/hooks; echo 'ref: refs/heads/main' > " + name + "/kept/.git/HEAD; : > " +
                               name + "/kept/.git/config; echo begun; while mv " + name + "/kept " + name +
                               "/shown; do mv " + name + "/shown " + name + "/kept; done";
    return std::make_unique<Program>(std::vector<std::string>{"/bin/sh", "-c", script}, Program::On::pipes, user());
  };
  std::vector<std::unique_ptr<Program>> programs;
  for (const char* name : {"one", "two"}) {
    programs.push_back(others(name));
    BOOST_REQUIRE(programs.back()->wait_for_output("begun"));
  }
  const ToolUnderTest lax(plugin, sandbox({{"protect", "default"}}));
  for (int i = 0; i < 50; ++i) {
    const Answer answer = run(lax, "true");
    BOOST_REQUIRE_MESSAGE(!answer.is_error(), answer.raw);
  }
  for (const auto& program : programs) {
    program->kill(SIGKILL);
    program->wait();
  }
}

// The folders are nested more deeply than a path can be long, so nothing in them can be found.
BOOST_FIXTURE_TEST_CASE(folders_that_cannot_be_searched_are_reported, Fixture) {
  std::string path;
  for (int i = 0; i < 25; ++i) path += std::string(200, 'd') + '/';
  const std::string deep = "mkdir -p " + path;
  const Answer made = attack(held, deep);
  BOOST_TEST_CONTEXT(made.raw) {
    BOOST_TEST(made.exit_code() == 0);
    BOOST_TEST(texts(made.metadata(), "not_enforced").size() == 1U);
  }
  const Answer refused = attack(held, "true");
  BOOST_TEST(refused.code() == "policy_denied");
  BOOST_TEST(refused.text().find("cannot be searched for repositories: File name too long") != std::string::npos);
  const ToolUnderTest lax(plugin, sandbox({{"protect", "default"}}));
  const Answer told = attack(lax, evil_repository(".git"));
  BOOST_TEST(texts(told.metadata(), "not_enforced").size() >= 1U);
  BOOST_TEST(has(changed(told), inside + "/.git"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
