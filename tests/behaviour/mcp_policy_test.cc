// What `wtool mcp` lets commands do by default, and with the other policies; and how many tokens its tools and results
// cost a model.
#include <boost/test/unit_test.hpp>

#include "mcp_person.h"

BOOST_AUTO_TEST_SUITE(mcp_policy_test)

using namespace wtool::test;
using namespace wtool::test::mcp_person;

BOOST_AUTO_TEST_SUITE(mcp_policy, *boost::unit_test::precondition(can_sandbox))

BOOST_AUTO_TEST_CASE(by_default_commands_are_held_to_the_project) {
  const Person person;
  // Starts the server without --policy, as clients do.
  Program program({WTOOL_TEST_PROGRAM, "mcp"}, Program::On::pipes, [&] {
    ProgramOptions options = person.in(person.project() + "/src");
    options.talk = true;
    return options;
  }());
  const auto say = [&](int id, const char* method, const Json& params) {
    const Json message{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
    BOOST_REQUIRE(program.say(message.dump() + '\n'));
    std::string line;
    BOOST_REQUIRE(program.next_line(line));
    return Json::parse(line).at("result");
  };
  const Json started = say(1, "initialize", {{"protocolVersion", "2025-06-18"}, {"capabilities", Json::object()}});
  const std::string rule = "Commands can write only below " + person.project() + " and in temporary folders";
  BOOST_TEST(holds(started.dump(), rule), started);
  const std::string command =
      "pwd; echo made > ../made; cat ../made; cat ~/.ssh/id; echo x > ~/x; echo token: $A_TOKEN; "
      "git config user.name";
  const Json result = say(2, "tools/call", {{"name", "shell_execute"}, {"arguments", {{"command", command}}}});
  const std::string text = result.at("content").at(0).at("text");
  BOOST_TEST_CONTEXT(text) {
    BOOST_TEST(text.starts_with(person.project() + "/src\nmade\n"));
    BOOST_TEST(holds(text, "token:\n"));
    BOOST_TEST(holds(text, "nobody\n"));
    BOOST_TEST(holds(text, "the sandbox refused"));
    BOOST_TEST(!holds(text, "the key"));
    BOOST_TEST(!fs::exists(person.home() + "/x"));
  }
  program.end_input();
  const Finished finished = program.wait();
  BOOST_TEST(holds(finished.err, "policy project: " + rule), finished.err);
  const Finished verified = run({WTOOL_TEST_PROGRAM, "audit", "verify", person.audit()}, person.in(person.project()));
  BOOST_TEST(verified.exit_code == 0, verified.out << verified.err);
}

BOOST_AUTO_TEST_CASE(a_server_serves_on_after_somebody_has_cleared_its_temporary_folder) {
  const Person person;
  Server server(person, {"--policy", "project"});
  BOOST_TEST(holds(server.text("echo one"), "one\n"));
  BOOST_TEST(fs::remove_all(person.home() + "/.local/state/wtool/temporary") > 0U);
  const std::string text = server.text("echo two");
  BOOST_TEST(holds(text, "two\n"), text);
}

BOOST_AUTO_TEST_CASE(commands_have_the_network_only_where_it_is_given) {
  const Person person;
  const std::string connect = "bash -c 'exec 3<>/dev/tcp/127.0.0.1/1' 2>&1 | grep -o 'Connection refused'";
  const std::string without = Server(person, by_default).text(connect);
  BOOST_TEST(!holds(without, "Connection refused"), without);
  Server closed(person, by_default);
  BOOST_TEST(holds(closed.instructions(), "They have no network access, not even to this machine."));
  const std::string refused = closed.text("bash -c 'exec 3<>/dev/tcp/127.0.0.1/1'");
  BOOST_TEST(holds(refused, "the sandbox refused network access"), refused);
  BOOST_TEST(holds(refused, "unless the person starts this server with --network"), refused);
  const std::string with = Server(person, {"--policy", "project", "--network"}).text(connect);
  BOOST_TEST(holds(with, "Connection refused"), with);
}

BOOST_AUTO_TEST_CASE(a_home_folder_is_not_a_temporary_folder) {
  const Person person;
  const ScratchFolder links;
  fs::create_directory_symlink(person.home(), links.path() + "/link");
  for (const std::string& folder : {person.home(), person.home() + "/", links.path() + "/link", std::string("/")}) {
    ProgramOptions options = person.in(person.project());
    options.set["TMPDIR"] = folder;
    McpClient client(by_default, options);
    client.initialize();
    const std::string text = client.run("cat ~/.ssh/id; echo x > ~/x").at("content").at(0).at("text");
    BOOST_TEST(!holds(text, "the key"), folder << ": " << text);
    BOOST_TEST(!fs::exists(person.home() + "/x"), folder);
  }
}

BOOST_AUTO_TEST_CASE(the_server_says_so_if_git_cannot_work_in_its_root) {
  const auto said = [](const Person& person) {
    McpClient client(by_default, person.in(person.project()));
    client.initialize();
    client.program.end_input();
    return client.program.wait().err;
  };
  const Person person;
  fs::remove_all(person.project() + "/.git");
  const std::string folder = person.home() + "/main/.git/worktrees/app";
  fs::create_directories(folder);
  for (const std::string& named : {folder, std::string("../main/.git/worktrees/app")}) {
    Person::write(person.project() + "/.git", "gitdir: " + named + "\n");
    const std::string err = said(person);
    BOOST_TEST(holds(err, "mcp: every git command of the agent will fail, because " + person.project() +
                              "/.git is a file that names " + folder + ", which commands cannot reach"),
               err);
  }
  fs::create_directories(person.project() + "/inside");
  for (const char* fine : {"gitdir: inside\n", "something else\n"}) {
    Person::write(person.project() + "/.git", fine);
    BOOST_TEST(!holds(said(person), "git command"), fine);
  }
}

// Makes the repository home/main with one commit, and its worktree home/tree. The folders main and tree are given.
void add_worktree(const Person& person, const std::string& main, const std::string& tree) {
  const std::string script = "git init -q -b main " + main + " && cd " + main +
                             " && git config user.email e@e && echo x > file && " +
                             "git add file && git commit -qm first && git worktree add -q " + tree;
  const Finished made = run({"/bin/sh", "-c", script}, person.in(person.home()));
  BOOST_REQUIRE_MESSAGE(made.exit_code == 0, made.out << made.err);
}

BOOST_AUTO_TEST_CASE(in_a_worktree_git_works_and_no_other_checkout_changes) {
  const Person person;
  const std::string main = person.home() + "/main";
  const std::string tree = person.home() + "/tree";
  add_worktree(person, main, tree);
  const auto user = [&](const std::string& command) { return run({"/bin/sh", "-c", command}, person.in(main)).out; };
  user("git worktree add -q ../other; git pack-refs --all; echo staged > new; git add new");
  {
    Server server(person, by_default, tree);
    BOOST_TEST(holds(server.instructions(), "Commands can write only below " + tree + ", in its git repository " +
                                                main + "/.git, and in temporary folders."));
    const std::string text = server.text(
        "set -e; git checkout -qb topic; echo y > file; git stash -q; git stash pop -q; git add file; "
        "git commit -qm second; git branch -q -D tree; git rebase -q main; git merge -q main; git gc -q; "
        "git log --format=%s main..topic");
    BOOST_TEST(text.starts_with("second\n"), text);
    BOOST_TEST(holds(text, "exit 0"), text);
    for (const char* path : {"file", ".git/config", ".git/hooks/post-commit", ".git/worktrees/tree/commondir"}) {
      const std::string refused = server.text("echo x >> " + main + '/' + path);
      BOOST_TEST(holds(refused, "exit 1"), refused);
    }
    if (has_namespaces()) {
      for (const char* path : {"HEAD", "index", "worktrees/other/HEAD", "worktrees/other/index"}) {
        const std::string name = main + "/.git/" + path;
        const std::string refused =
            server.text("echo > new; mv -f new " + name + " || rm " + name + " || echo > " + name);
        BOOST_TEST(holds(refused, "exit 1"), refused);
      }
      const std::string aside = server.text("echo /evil > " + main + "/.git/objects/info/alternates");
      BOOST_TEST(holds(aside, "put aside"), aside);
    }
    server.program.end_input();
    const std::string err = server.program.wait().err;
    BOOST_TEST(holds(err, "mcp: " + tree + " is a worktree of git, so commands can also write in its repository, " +
                              main + "/.git"),
               err);
    BOOST_TEST(!holds(err, "will fail"), err);
  }
  // Another program of the person can stage and commit while a server runs, and afterwards.
  BOOST_TEST(user("git status --porcelain") == "A  new\n");
  BOOST_TEST(user("git log --format=%s -1 topic") == "second\n");
  BOOST_TEST(user("git -C ../other status --porcelain; git commit -qm third && echo done") == "done\n");
}

BOOST_AUTO_TEST_CASE(a_server_that_only_reads_lets_git_read_in_a_worktree) {
  const Person person;
  add_worktree(person, person.home() + "/main", person.home() + "/tree");
  Server server(person, {"--policy", "read-only"}, person.home() + "/tree");
  const std::string text = server.text("git log --format=%s; git status --porcelain");
  BOOST_TEST(text.starts_with("first\n"), text);
  BOOST_TEST(holds(server.instructions(), "They can read " + person.home() + "/tree, its git repository " +
                                              person.home() + "/main/.git, the system"));
  const std::string refused = server.text("git commit -q --allow-empty -m second || git branch topic");
  BOOST_TEST(!holds(refused, "exit 0"), refused);
}

// An archive may contain any file .git. It opens no repository that does not know the root as its worktree.
BOOST_AUTO_TEST_CASE(a_worktree_that_its_repository_does_not_know_does_not_open_it) {
  const Person person;
  const std::string main = person.home() + "/main";
  const std::string tree = person.home() + "/tree";
  const std::string own = main + "/.git/worktrees/tree";
  const auto refuses = [&](const std::string& command) {
    fs::remove_all(main);
    fs::remove_all(tree);
    add_worktree(person, main, tree);
    BOOST_REQUIRE(run({"/bin/sh", "-ec", command}, person.in(person.home())).exit_code == 0);
    Server server(person, {"--policy", "project", "--root", tree});
    const std::string text = server.text("ls " + main + "; echo > " + main + "/.git/refs/heads/new");
    BOOST_TEST_CONTEXT(command << '\n' << text) {
      BOOST_TEST(!holds(text, "exit 0"));
      BOOST_TEST(!fs::exists(main + "/.git/refs/heads/new"));
      BOOST_TEST(!holds(server.instructions(), main + "/.git"));
    }
  };
  refuses("echo gitdir: " + main + "/.git > tree/.git");
  refuses("git -C main worktree add -q ../other; echo gitdir: " + main + "/.git/worktrees/other > tree/.git");
  refuses("echo " + person.home() + "/else/.git > " + own + "/gitdir");
  refuses("rm " + own + "/gitdir");
  refuses(
      "mkdir main/.git/other; cp -r main/.git/HEAD main/.git/objects main/.git/refs main/.git/other; "
      "echo ../../other > " +
      own + "/commondir");
  // A repository of the archive, parts of which lead to that of the person.
  const std::string evil = "mkdir -p tree/evil/worktrees/t; cd tree/evil; cp ../../main/.git/HEAD .; cp -r " + own +
                           "/. worktrees/t; echo gitdir: evil/worktrees/t > ../.git; ";
  refuses(evil + "mkdir objects refs; echo " + main + "/.git > worktrees/t/commondir");
  refuses(evil + "mkdir objects; echo ../.. > worktrees/t/commondir; ln -s " + main + "/.git/refs refs");
  refuses("mv " + own + " main/own; ln -s ../../own " + own);
  refuses("mv main/.git/refs main/refs; ln -s ../refs main/.git/refs");
  refuses("mv main/.git/hooks main/hooks; ln -s ../hooks main/.git/hooks");
  refuses("rm tree/.git; mkfifo tree/.git");
  refuses("mv tree/.git tree/git; ln -s git tree/.git");
}

// An archive may contain a worktree together with its repository, under any name.
BOOST_AUTO_TEST_CASE(a_repository_inside_the_root_is_not_named_to_the_model) {
  const Person person;
  const std::string main = person.home() + "/main";
  add_worktree(person, main, main + "/tree");
  const Finished made = run({"/bin/sh", "-ec",
                             "mkdir root; cp main/tree/file root; mv main/.git 'root/a\nrepository'; cd root; "
                             "printf 'gitdir: a\\nrepository/worktrees/tree' > .git; "
                             "echo $PWD/.git > 'a\nrepository/worktrees/tree/gitdir'; git status"},
                            person.in(person.home()));
  BOOST_REQUIRE_MESSAGE(made.exit_code == 0, made.out << made.err);
  Server server(person, {"--policy", "project", "--root", person.home() + "/root"});
  BOOST_TEST(!holds(server.instructions(), "repository"), server.instructions());
  BOOST_TEST(holds(server.text("git status && git add file && echo done"), "done\n"));
}

// The folder of a bare repository may contain its worktrees.
BOOST_AUTO_TEST_CASE(a_repository_that_contains_its_worktrees_stays_closed) {
  const Person person;
  add_worktree(person, person.home() + "/main", person.home() + "/tree");
  const Finished made = run({"/bin/sh", "-ec", "git clone -q --bare main all; git -C all worktree add -q first"},
                            person.in(person.home()));
  BOOST_REQUIRE_MESSAGE(made.exit_code == 0, made.err);
  Server server(person, by_default, person.home() + "/all/first");
  const std::string text = server.text("echo > ../x || echo > ../refs/heads/x || ls ..");
  BOOST_TEST(!holds(text, "exit 0"), text);
  server.program.end_input();
  const std::string err = server.program.wait().err;
  BOOST_TEST(holds(err, "every git command of the agent will fail"), err);
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_have_temporary_files_is_replaced_and_the_server_says_so) {
  const Person person;
  const std::string odd = person.home() + "/\xff";
  // The folder that contains the home folder is not one of commands.
  const std::string other = person.home().starts_with("/tmp/") ? "/var/tmp" : "/tmp";
  fs::create_directory(odd);
  for (const auto& [folder, why] : {std::pair<std::string, std::string>{"/proc", "nothing can be made there: "},
                                    {"/nonexistent", "nothing can be made there: No such file or directory"},
                                    {"/dev/null", "nothing can be made there: Not a directory"},
                                    {odd, "its name is not valid UTF-8"},
                                    {"tmp", "it is not absolute"},
                                    {"/", "commands would write everywhere"}}) {
    ProgramOptions options = person.in(person.project());
    options.set["TMPDIR"] = folder;
    McpClient client(by_default, options);
    client.initialize();
    const std::string text =
        client.run("echo $TMPDIR; t=$(mktemp) && echo temporary && rm $t").at("content").at(0).at("text");
    BOOST_TEST(text.starts_with(other + "\ntemporary\n[exit 0"), text);
    client.program.end_input();
    const std::string err = client.program.wait().err;
    BOOST_TEST(holds(err, "which cannot have temporary files: " + why), err);
    BOOST_TEST(holds(err, "; commands get TMPDIR=" + other + " instead"), err);
  }
}

BOOST_AUTO_TEST_CASE(read_only_does_not_write_the_folder) {
  const Person person;
  Server server(person, {"--policy", "read-only", "--root", person.project()}, "/");
  const std::string text = server.text("pwd; echo x > made; t=$(mktemp) && echo temporary && rm $t");
  BOOST_TEST(holds(text, person.project() + "\n"), text);
  BOOST_TEST(holds(text, "temporary\n"), text);
  BOOST_TEST(!fs::exists(person.project() + "/made"));
  BOOST_TEST(holds(server.instructions(), "write only in temporary folders"));
}

BOOST_AUTO_TEST_CASE(read_only_does_not_write_a_folder_inside_of_a_temporary_folder) {
  const Person person;
  const ScratchFolder temporary;
  fs::create_directory(temporary.path() + "/app");
  ProgramOptions options = person.in(temporary.path());
  options.set["TMPDIR"] = temporary.path();
  McpClient client({"--policy", "read-only", "--root", temporary.path() + "/app"}, options);
  client.initialize();
  const std::string text =
      client.run("echo x > made; t=$(mktemp) && echo temporary && rm $t").at("content").at(0).at("text");
  BOOST_TEST(holds(text, "temporary\n"), text);
  BOOST_TEST(!fs::exists(temporary.path() + "/app/made"));
}

BOOST_AUTO_TEST_CASE(the_policy_open_is_announced_and_lets_commands_do_what_the_person_may) {
  const Person person;
  Server server(person, {"--policy", "open"}, person.home());
  BOOST_TEST(holds(server.text("cat .ssh/id"), "the key"));
  server.program.end_input();
  BOOST_TEST(holds(server.program.wait().err, "policy open: commands may do whatever you may do"));
  BOOST_TEST(!fs::exists(person.audit()));
}

BOOST_AUTO_TEST_CASE(a_file_that_a_command_writes_loosens_nothing) {
  for (const char* text : {"sandbox: {write: [/]}\n", "environment: {inherit: all}\n", "audit: {file: elsewhere}\n",
                           "commands: {ask_network: [curl]}\n", "commands: {approvals: mine.json}\n"}) {
    const Person person;
    Server server(person, by_default);
    server.text("printf '" + std::string(text).substr(0, std::string(text).size() - 1) + "' > wtool.yaml");
    const std::string said = server.text("echo $A_TOKEN; echo x > " + person.home() + "/x; echo done");
    BOOST_TEST(holds(said, "done"), said);
    BOOST_TEST(!holds(said, "a secret"), said);
    BOOST_TEST(!fs::exists(person.home() + "/x"));
    server.program.end_input();
    const std::string err = server.program.wait().err;
    BOOST_TEST(holds(err, "wtool.yaml has appeared since wtool began"), err);
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_appears_while_a_job_runs_delays_no_call) {
  const Person person;
  Server server(person, by_default);
  const Json job = server.run("echo begun; exec sleep 60", {{"arguments", {{"background", true}}}});
  BOOST_TEST(holds(job.dump(), "[job "), job);
  Person::write(person.project() + "/wtool.yaml", "commands: {deny: [echo]}\n");
  const std::string said = server.text("echo done");
  BOOST_TEST(holds(said, "done\n[exit 0"), said);
}

BOOST_AUTO_TEST_CASE(a_temporary_folder_is_searched_only_once) {
  const Person person;
  Server server(person, by_default);
  const std::string said = server.text("touch /etc/wtool-test-refused");
  BOOST_TEST(holds(said, "the sandbox refused a write outside "), said);
  BOOST_TEST(!holds(said, " more: /etc"), said);
}

BOOST_AUTO_TEST_CASE(a_file_of_the_project_loosens_nothing_that_the_policy_locks) {
  for (const char* text : {"sandbox: {write: [/]}\n", "environment: {inherit: all}\n"}) {
    const Person person;
    Person::write(person.project() + "/wtool.yaml", text);
    const Finished refused = run({WTOOL_TEST_PROGRAM, "mcp"}, person.in(person.project()));
    BOOST_TEST(refused.exit_code == 2);
    BOOST_TEST(holds(refused.err, "locked by --policy"), refused.err);
  }
}

// The home folder of the other cases is in the current directory, so only by chance inside of a temporary folder.
BOOST_AUTO_TEST_CASE(a_home_folder_inside_a_temporary_folder_stays_closed) {
  const ScratchFolder temporary;
  fs::create_directories(temporary.path() + "/home/app/.git");
  fs::create_directories(temporary.path() + "/home/.ssh");
  Person::write(temporary.path() + "/home/.ssh/id", "the key\n");
  const ProgramOptions options{.directory = temporary.path() + "/home/app",
                               .set = {{"HOME", temporary.path() + "/home"}, {"TMPDIR", temporary.path()}},
                               .unset = {"XDG_STATE_HOME", "XDG_CONFIG_HOME", "ALLOWED_COMMANDS"}};
  McpClient client(by_default, options);
  client.initialize();
  const std::string text =
      client.run("cat ~/.ssh/id; echo x > ~/x; f=$(mktemp) && echo temporary").at("content").at(0).at("text");
  BOOST_TEST(!holds(text, "the key"), text);
  BOOST_TEST(!fs::exists(temporary.path() + "/home/x"));
  BOOST_TEST(holds(text, "temporary"), text);
}

BOOST_AUTO_TEST_CASE(without_a_home_folder_the_trail_needs_a_place_and_the_error_says_which) {
  const Person person;
  ProgramOptions homeless = person.in(person.project());
  homeless.set.erase("HOME");
  homeless.unset.push_back("HOME");
  const Finished finished = run({WTOOL_TEST_PROGRAM, "mcp"}, homeless);
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(
      holds(finished.err, "because HOME is not the path of a folder; set HOME, or audit.file in a configuration"),
      finished.err);
  Person::write(person.home() + "/agent.yaml", "audit: {file: " + person.home() + "/mine.jsonl}\n");
  BOOST_TEST(run({WTOOL_TEST_PROGRAM, "mcp", "--config", person.home() + "/agent.yaml"}, homeless).exit_code == 0);
}

BOOST_AUTO_TEST_CASE(a_file_that_a_person_names_may_set_everything_except_the_boundary) {
  const Person person;
  Person::write(person.home() + "/agent.yaml", "environment: {inherit: all}\naudit: {file: mine.jsonl}\n");
  // Paths are relative to the folder in which the server was started, not to the root.
  Server server(person, {"--policy", "project", "--config", "agent.yaml", "--root", "app"}, person.home());
  BOOST_TEST(holds(server.text("pwd; echo $A_TOKEN"), person.project() + "\na secret\n"));
  BOOST_TEST(fs::exists(person.home() + "/mine.jsonl"));
  Person::write(person.home() + "/loose.yaml", "sandbox: {network: allow}\n");
  const Finished finished = refused(person, person.project(), {"--config", person.home() + "/loose.yaml"});
  BOOST_TEST(holds(finished.err, "sandbox.network is locked by --policy"), finished.err);
}

BOOST_AUTO_TEST_CASE(a_folder_outside_of_any_project_is_not_served_by_default) {
  const Person person;
  const ScratchFolder nowhere;
  const Finished finished = refused(person, nowhere.path());
  BOOST_TEST(holds(finished.err, "--root DIR"), finished.err);
  BOOST_TEST(holds(finished.err, "--policy open"), finished.err);
  BOOST_TEST(holds(refused(person, person.home()).err, "is in no project"));
  BOOST_TEST(holds(refused(person, "/", {"--root", person.home()}).err, "is your home folder"));
  BOOST_TEST(holds(refused(person, "/", {"--root", "/"}).err, "contains your home folder"));
  BOOST_TEST(holds(refused(person, "/", {"--root", person.home() + "/none"}).err, "there is no such folder"));
  BOOST_TEST(holds(refused(person, "/", {"--root", person.home() + "/.ssh/id"}).err, "there is no such folder"));
  for (const std::string options : {"", " --workflows ."}) {
    const Finished gone = run(
        {"/bin/sh", "-c", "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" mcp" + options, WTOOL_TEST_PROGRAM},
        person.in(nowhere.path()));
    BOOST_TEST(gone.exit_code == 2);
    BOOST_TEST(holds(gone.err, "wtool: the folder in which wtool was started cannot be found: "), gone.err);
  }
}

BOOST_AUTO_TEST_CASE(a_file_of_a_build_tool_makes_a_project_too) {
  const Person person;
  fs::create_directories(person.home() + "/other/deep");
  Person::write(person.home() + "/other/Makefile", "");
  Server server(person, by_default, person.home() + "/other/deep");
  BOOST_TEST(holds(server.instructions(), "below " + person.home() + "/other and"), server.instructions());
}

BOOST_AUTO_TEST_CASE(tools_that_cannot_run_are_not_listed) {
  const Person person;
  BOOST_TEST((Server(person, by_default).listed() == std::set<std::string>{"shell_execute", "execute_run", "job_poll",
                                                                           "job_stop", "job_list", "output_read"}));
  Person::write(person.project() + "/tools-allow.json", "[\"ls\"]");
  BOOST_TEST(Server(person, by_default).listed().size() == 10U);
  ProgramOptions options = person.in(person.project());
  std::erase(options.unset, "ALLOWED_COMMANDS");
  options.set["ALLOWED_COMMANDS"] = "ls";
  McpClient client(by_default, options);
  client.initialize();
  BOOST_TEST(client.ask("tools/list").at("result").at("tools").size() == 11U);
}

BOOST_AUTO_TEST_CASE(each_client_gets_its_configuration_to_start_the_server) {
  const Person person;
  const auto printed = [&](std::vector<std::string> more, const std::string& directory) {
    std::vector<std::string> argv{WTOOL_TEST_PROGRAM, "mcp", "--print-config"};
    argv.insert(argv.end(), more.begin(), more.end());
    const Finished finished = run(argv, person.in(directory));
    BOOST_TEST(finished.exit_code == 0, finished.err);
    BOOST_TEST(holds(finished.err, "put this text into "));
    return finished.out;
  };
  const Json claude = Json::parse(printed({"claude-code"}, person.project() + "/src")).at("mcpServers").at("shell");
  BOOST_TEST(fs::equivalent(claude.at("command").get<std::string>(), WTOOL_TEST_PROGRAM));
  BOOST_TEST((claude.at("args") == Json{"mcp", "--root", person.project()}));
  Person::write(person.home() + "/c.yaml", "limits: {timeout_max: 600}\n");
  const Json vscode = Json::parse(printed({"vscode", "--root", "app", "--policy", "read-only", "--network", "--tools",
                                           "shell_execute,execute_run", "--config", "c.yaml"},
                                          person.home()));
  BOOST_TEST((vscode.at("servers").at("shell").at("args") ==
              Json{"mcp", "--root", person.project(), "--policy", "read-only", "--network", "--tools",
                   "shell_execute,execute_run", "--config", person.home() + "/c.yaml"}));
  BOOST_TEST(printed({"codex"}, person.project()) == "[mcp_servers.shell]\ncommand = " + claude.at("command").dump() +
                                                         "\nargs = [\"mcp\",\"--root\"," +
                                                         Json(person.project()).dump() + "]\n");
  for (const char* client : {"claude-desktop", "cursor", "gemini", "goose", "opencode", "windsurf", "zed"}) {
    BOOST_TEST(holds(printed({client}, person.project()), person.project()), client);
  }
  BOOST_TEST(holds(refused(person, person.project(), {"--print-config", "emacs"}).err, "claude-code"));
}

// The test counts four characters as one token.
BOOST_AUTO_TEST_CASE(tools_and_results_cost_a_model_few_tokens) {
  const Person person;
  Server server(person, by_default);
  const Json tools = server.ask("tools/list").at("result").at("tools");
  for (const Json& tool : tools) {
    if (tool.at("name") == "execute_run") {
      BOOST_TEST(holds(tool.at("description"), "; use shell_execute for everything else: here, a person is asked"));
    }
    if (tool.at("name") != "shell_execute") continue;
    BOOST_TEST(tool.at("description").get<std::string>().size() + tool.at("inputSchema").dump().size() <= 260U * 4);
    BOOST_TEST(!tool.contains("outputSchema"));
  }
  BOOST_TEST(tools.dump().size() <= 750U * 4);
  // Other programs share /tmp. If one of them makes a repository or a protected file there during the call, the result
  // names it. So the shortest of a few results counts.
  const auto shortest = [&](const std::string& command) {
    std::string text;
    for (int call = 0; call < 5; ++call) {
      const Json result = server.run(command);
      BOOST_TEST(!result.contains("structuredContent"));
      BOOST_TEST(result.at("content").size() == 1U);
      const std::string next = result.at("content").at(0).at("text");
      if (call == 0 || next.size() < text.size()) text = next;
    }
    return text;
  };
  const auto cost = [](const std::string& text) { return Json(text).dump().size() - Json("").dump().size(); };
  BOOST_TEST(cost(shortest("echo hi")) <= 6U * 4);
  const std::string numbers = shortest("seq 1000 1059");
  BOOST_TEST(numbers.size() * 100 <= numbers.find('[') * 105 + 400);
  BOOST_TEST(cost(shortest("cat > made <<'END'\n" + std::string(5000, 'x') + "\nEND\n")) <= 20U * 4);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
