// What `wtool mcp` lets commands do by default, and with the other policies; and how many tokens its tools and results
// cost a model.
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "support/mcp_client.h"
#include "support/sandboxed.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(mcp_policy_test)

using namespace wtool::test;
using Json = nlohmann::json;

namespace {

namespace fs = std::filesystem;

boost::test_tools::assertion_result can_sandbox(boost::unit_test::test_unit_id) { return has_landlock(4); }

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

const std::vector<std::string> by_default{"--policy", "project"};

Finished refused(const Person& person, const std::string& directory, std::vector<std::string> more = {}) {
  std::vector<std::string> argv{WTOOL_TEST_PROGRAM, "mcp"};
  argv.insert(argv.end(), more.begin(), more.end());
  const Finished finished = run(argv, person.in(directory));
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(finished.out.empty());
  return finished;
}

}  // namespace

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

// `wtool approve` would offer such a run to the person.
BOOST_AUTO_TEST_CASE(no_command_can_write_the_journal_of_a_run) {
  const Person person;
  Server server(person, by_default);
  const std::string text = server.text("mkdir -p .wtool/runs; echo forged > .wtool/runs/20261130-061940-d63e.jsonl");
  BOOST_TEST(holds(text, "the sandbox refused"), text);
  server.text("mv .wtool gone; mkdir -p .wtool/runs && echo forged > .wtool/runs/20261130-061940-d63e.jsonl");
  BOOST_TEST(!fs::exists(person.project() + "/.wtool/runs/20261130-061940-d63e.jsonl"));
  BOOST_TEST(run({"/usr/bin/env", "git", "status", "--porcelain"}, person.in(person.project())).out == "");
}

BOOST_AUTO_TEST_CASE(no_command_can_write_what_a_person_decides_in_the_folder_where_the_server_was_started) {
  const Person person;
  for (const std::string folder : {"", "/src"}) {
    Server server(person, by_default, person.project() + folder);
    const std::string text = server.text(
        "echo x > .wtool/runs/made; echo x > $(git rev-parse --show-toplevel)/.clada/made; touch wtool.yaml");
    BOOST_TEST(!fs::exists(person.project() + folder + "/.wtool/runs/made"), folder);
    BOOST_TEST(fs::exists(person.project() + "/.clada"));
    BOOST_TEST(fs::is_empty(person.project() + "/.clada"), folder);
    BOOST_TEST(holds(text, person.project() + folder + "/wtool.yaml"), text);
    fs::remove(person.project() + folder + "/wtool.yaml");
  }
}

// Otherwise, a command could call any tool of a server that is not confined, and decide what an agent is asked.
BOOST_AUTO_TEST_CASE(no_command_writes_to_the_pipe_of_a_server_or_changes_a_prompt) {
  const Person person;
  const std::string place = person.project();
  const std::string wait = ": > asked; while ! test -e go; do sleep 0.05; done; ";
  Person::write(place + "/server.sh", R"(while read -r line; do
  id=$(echo "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
  case $line in
    *'"initialize"'*) r='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"box","version":"1"}}' ;;
    *tools/list*) r='{"tools":[{"name":"look","inputSchema":{"type":"object"}},{"name":"deploy","inputSchema":{"type":"object"}}]}' ;;
    *'"look"'*) )" + wait + R"(r='{"content":[{"type":"text","text":"looked"}]}' ;;
    *'"deploy"'*) : > deployed; r='{"content":[]}' ;;
    *) continue ;;
  esac
  echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$r}"
done
)");
  Person::write(place + "/wtool.yaml",
                "mcp_servers: {box: {command: sh server.sh, tools: [look]}}\nprompts: {command: '" + wait +
                    "cat {{ prompt_file }}'}\n");
  fs::create_directory(place + "/tools");
  const auto add = [&](const std::string& name, const std::string& action) {
    Person::write(
        place + "/tools/" + name + ".md",
        "---\ntool: true\n---\n\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n\n## Actions\n\n- A: " +
            action + "\n");
  };
  add("look", "Call tool \"box/look\" with {}");
  add("ask", "Prompt \"the task\"");
  const Finished locked = run({WTOOL_TEST_PROGRAM, "servers", "lock"}, person.in(place));
  BOOST_REQUIRE_MESSAGE(locked.exit_code == 0, locked.err);
  Server server(person, {"--policy", "project", "--workflows", "tools", "--tools", "shell_execute"});
  Server other(person, {"--policy", "read-only"});
  const std::string temporary = person.home() + "/.local/state/wtool/temporary";
  // The file of this process whose name and whose folder's name begin so; empty: it does not exist.
  const auto find = [&](const std::string& folder, const std::string& name) -> std::string {
    for (const auto& entry : fs::recursive_directory_iterator(temporary)) {
      const fs::path& path = entry.path();
      if (path.filename().string().starts_with(name) && path.parent_path().filename().string().starts_with(folder))
        return path;
    }
    return {};
  };
  const auto attacked = [&](const std::string& tool, const std::string& folder, const std::string& name) {
    const Json id = server.request("tools/call", {{"name", tool}, {"arguments", Json::object()}});
    BOOST_REQUIRE(wait_until([&] { return fs::exists(place + "/asked"); }, std::chrono::seconds(30)));
    const std::string path = find(folder, name);
    BOOST_TEST(!path.empty());
    const std::string evil =
        R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"deploy","arguments":{}}})";
    const std::string said = server.text("echo '" + evil + "' > " + path + "; rm " + path + "; echo x > " +
                                         fs::path(path).parent_path().string() + "/x");
    BOOST_TEST(holds(said, "the sandbox refused"), said);
    BOOST_TEST(fs::exists(path));
    BOOST_TEST(!fs::exists(fs::path(path).parent_path() / "x"));
    const std::string read = other.text("timeout 5 head -c 1 " + path);
    BOOST_TEST(holds(read, "the sandbox refused"), read);
    Person::write(place + "/go", "");
    const Json answer = server.answer(id).at("result");
    fs::remove(place + "/go");
    fs::remove(place + "/asked");
    BOOST_TEST(answer.at("isError") == false, answer);
    return answer.dump();
  };
  const std::string looked = attacked("look", "server-", "in");
  BOOST_TEST(holds(looked, "looked"), looked);
  const std::string asked = attacked("ask", "process-", "prompt-");
  BOOST_TEST(holds(asked, "the task"), asked);
  BOOST_TEST(!holds(asked, "deploy"), asked);
  BOOST_TEST(!fs::exists(place + "/deployed"));
  BOOST_TEST(find("process-", "server-") == "");
  BOOST_TEST(find("process-", "prompt-") == "");
}

BOOST_AUTO_TEST_CASE(a_server_serves_on_after_somebody_has_cleared_its_temporary_folder) {
  const Person person;
  Server server(person, {"--policy", "project"});
  BOOST_TEST(holds(server.text("echo one"), "one\n"));
  BOOST_TEST(fs::remove_all(person.home() + "/.local/state/wtool/temporary") > 0U);
  const std::string text = server.text("echo two");
  BOOST_TEST(holds(text, "two\n"), text);
}

// The answers to questions of execute_run are in the repository, and not in the folder that is served.
BOOST_AUTO_TEST_CASE(what_a_person_has_blocked_in_a_repository_stays_blocked_in_a_folder_of_it) {
  const Person person;
  fs::create_directory(person.project() + "/.clada");
  Person::write(person.project() + "/.clada/commands.json", R"({"allowed": [], "blocked": ["ls src"]})");
  for (const bool confined : {true, false}) {
    Server server(person, {"--policy", confined ? "project" : "open", "--root", person.project() + "/src"});
    const std::string text =
        server.ask("tools/call", {{"name", "execute_run"}, {"arguments", {{"command", "ls src"}}}}).dump();
    BOOST_TEST(holds(text, "Command blocked"), text);
  }
  BOOST_TEST(!fs::exists(person.project() + "/src/.clada"));
}

BOOST_AUTO_TEST_CASE(commands_have_the_network_only_where_it_is_given) {
  const Person person;
  const std::string connect = "bash -c 'exec 3<>/dev/tcp/127.0.0.1/1' 2>&1 | grep -o 'Connection refused'";
  const std::string without = Server(person, by_default).text(connect);
  BOOST_TEST(!holds(without, "Connection refused"), without);
  const std::string with = Server(person, {"--policy", "project", "--network"}).text(connect);
  BOOST_TEST(holds(with, "Connection refused"), with);
}

// The command is a `git push` to a port that accepts a connection and closes it immediately.
BOOST_AUTO_TEST_CASE(an_approved_push_has_the_network_for_this_one_call) {
  const Person person;
  fs::create_directories(person.home() + "/.config/wtool");
  Person::write(person.home() + "/.config/wtool/wtool.yaml", "commands: {ask_network: [git push]}\n");
  const int remote = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  BOOST_REQUIRE(::bind(remote, reinterpret_cast<sockaddr*>(&address), size) == 0);
  BOOST_REQUIRE(::listen(remote, 8) == 0);
  BOOST_REQUIRE(::getsockname(remote, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  const std::string url = "git://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/app";
  // True if somebody connects within `wait` milliseconds. The connection is closed again.
  const auto connected = [&](int wait) {
    pollfd ready{remote, POLLIN, 0};
    if (::poll(&ready, 1, wait) != 1) return false;
    ::close(::accept4(remote, nullptr, nullptr, SOCK_CLOEXEC));
    return true;
  };

  McpClient client(by_default, person.in(person.project()));
  client.initialize({{"elicitation", Json::object()}});
  const auto reply = [&](const std::string& answer) {
    const Json question = client.question();
    client.say({{"jsonrpc", "2.0"},
                {"id", question.at("id")},
                {"result", {{"action", "accept"}, {"content", {{"answer", answer}}}}}});
    return question.at("params").at("message").get<std::string>();
  };
  BOOST_TEST(client.run("git -c user.email=a@b commit -q --allow-empty -m x").at("isError") == false);
  const Json refused = client.call("git push " + url + " HEAD");
  const std::string question = reply("no");
  BOOST_TEST(holds(question, "A yes lifts this limit for this one call:\n  | network\n"), question);
  BOOST_TEST(client.answer(refused).at("result").at("isError") == true);
  // `git fetch` from the same place needs no approval, so it gets no network.
  BOOST_TEST(client.run("git fetch " + url).at("isError") == true);
  BOOST_TEST(!connected(0));

  const Json approved = client.call("git push " + url + " HEAD");
  reply("yes");
  BOOST_TEST(connected(20000));
  client.answer(approved);
  BOOST_TEST(client.run("git fetch " + url).at("isError") == true);
  BOOST_TEST(!connected(0));
  ::close(remote);
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

// What a confined command has written must not run with all rights of the person who approves the next step.
BOOST_AUTO_TEST_CASE(a_person_who_continues_a_run_of_a_server_is_held_to_its_policy) {
  const Person person;
  fs::create_directories(person.project() + "/tools");
  Person::write(person.project() + "/tools/a.md",
                "---\ntool: true\n---\n\n```mermaid\nstateDiagram-v2\n[*] --> Ask\nAsk --> Inside\nInside --> Outside\n"
                "Outside --> [*]\n```\n\n## Actions\n\n- Ask: Approve \"go on\"\n- Inside: Shell \"echo x > inside\"\n"
                "- Outside: Shell \"echo x > ~/outside\"\n");
  {
    Server server(person, {"--policy", "project", "--workflows", "tools"});
    const Json said = server.ask("tools/call", {{"name", "a"}, {"arguments", Json::object()}});
    BOOST_TEST(holds(said.dump(), "suspended"), said);
  }
  const Finished approved =
      run({WTOOL_TEST_PROGRAM, "approve", "last", "--answer", "yes"}, person.in(person.project()));
  BOOST_TEST(approved.exit_code == 1, approved.out << approved.err);
  BOOST_TEST(holds(approved.err, "its policy project confines the commands of this run to " + person.project()),
             approved.err);
  BOOST_TEST(fs::exists(person.project() + "/inside"));
  BOOST_TEST(!fs::exists(person.home() + "/outside"));
  const Finished resumed = run({WTOOL_TEST_PROGRAM, "resume", "last"}, person.in(person.project()));
  BOOST_TEST(resumed.exit_code == 1, resumed.out << resumed.err);
  BOOST_TEST(!fs::exists(person.home() + "/outside"));
}

BOOST_AUTO_TEST_CASE(a_client_of_another_policy_does_not_continue_the_run_of_a_server) {
  const Person person;
  fs::create_directories(person.project() + "/tools");
  Person::write(person.project() + "/tools/a.md",
                "---\ntool: true\n---\n\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n\n## Actions\n\n- A: "
                "Shell \"test -e repaired && echo x > ~/outside\"\n");
  const auto answer = [&](const std::string& policy, const Json& arguments) {
    Server server(person, {"--policy", policy, "--workflows", "tools"});
    return server.ask("tools/call", {{"name", "a"}, {"arguments", arguments}}).dump();
  };
  answer("project", Json::object());
  Person::write(person.project() + "/repaired", "");
  const std::string refused = answer("open", {{"resume", "last"}});
  BOOST_TEST(holds(refused, "it was confined by the policy project to " + person.project() + ", without network"),
             refused);
  BOOST_TEST(!fs::exists(person.home() + "/outside"));
  const std::string same = answer("project", {{"resume", "last"}});
  BOOST_TEST(!holds(same, "another policy"), same);
  BOOST_TEST(!fs::exists(person.home() + "/outside"));
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
  const Finished gone =
      run({"/bin/sh", "-c", "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" mcp", WTOOL_TEST_PROGRAM},
          person.in(nowhere.path()));
  BOOST_TEST(gone.exit_code == 2);
  BOOST_TEST(holds(gone.err, "wtool: the folder in which wtool was started cannot be found: "), gone.err);
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

BOOST_AUTO_TEST_CASE(commands_are_read_by_bash_where_there_is_one) {
  if (::access("/bin/bash", X_OK) != 0) return;
  const Person person;
  for (const char* policy : {"project", "open"}) {
    Server server(person, {"--policy", policy});
    BOOST_TEST(server.text("[[ $BASH_VERSION == [0-9]* ]] && echo yes").starts_with("yes\n"), policy);
    const Json list = server.ask("tools/list").at("result").at("tools");
    BOOST_TEST(holds(list.dump(), "Runs a shell command (/bin/bash)"));
  }
  fs::create_directories(person.home() + "/.config/wtool");
  Person::write(person.home() + "/.config/wtool/wtool.yaml", "shell: {program: /bin/sh}\n");
  Server server(person, by_default);
  BOOST_TEST(holds(server.ask("tools/list").dump(), "Runs a shell command (/bin/sh)"));
}

// A server with this value of mcp.login_environment, for a person with this profile.
struct LoginServer {
  LoginServer(const Person& person, const std::string& profile, std::vector<std::string> more,
              const std::string& value = "login") {
    fs::create_directories(person.home() + "/.config/wtool");
    fs::create_directories(person.home() + "/.nvm/bin");
    Person::write(person.home() + "/.config/wtool/wtool.yaml", "mcp: {login_environment: " + value + "}\n");
    Person::write(person.home() + "/.profile", profile);
    ProgramOptions options = person.in(person.project());
    options.set["SHELL"] = "/bin/bash";
    client.emplace(std::move(more), options);
    client->initialize();
  }
  std::string text(const std::string& command) { return client->run(command).at("content").at(0).at("text"); }
  std::string errors() {
    client->program.end_input();
    return client->program.wait().err;
  }
  std::optional<McpClient> client;
};

const std::string a_profile =
    "echo noise; printf 'PATH=/nowhere\\0'; echo more >&2; cd /\n"
    "export PATH=\"$HOME/.nvm/bin:$PATH\" A_LOGIN_TOKEN='two\nlines' A_DENIED=x HOME=/nowhere PWD=/nowhere\n"
    "a_function() { :; }; export -f a_function\n";

BOOST_AUTO_TEST_CASE(the_environment_of_a_login_shell_is_taken_where_it_is_configured) {
  if (::access("/bin/bash", X_OK) != 0) return;
  const Person person;
  const std::string show =
      "echo \"[$PATH]\" | grep -o '^.[^:]*'; echo \"($A_LOGIN_TOKEN)\"; echo $HOME $PWD $A_DENIED; type a_function";
  {
    // By default, the server uses only PATH of the login's environment.
    LoginServer server(person, a_profile, by_default);
    const std::string text = server.text(show);
    BOOST_TEST(
        text.starts_with("[" + person.home() + "/.nvm/bin\n()\n" + person.home() + " " + person.project() + "\n"),
        text);
    BOOST_TEST(!holds(text, "noise"));
    BOOST_TEST(holds(text, "a_function: not found"), text);
    BOOST_TEST(!holds(server.errors(), "login_environment"));
  }
  {
    const std::string file = person.home() + "/denied.yaml";
    Person::write(file, "environment: {deny: [A_DENIED]}\n");
    LoginServer server(person, a_profile, {"--config", file});
    const std::string text = server.text(show);
    BOOST_TEST(text.starts_with("[" + person.home() + "/.nvm/bin\n(two\nlines)\n" + person.home() + " " +
                                person.project() + "\n"),
               text);
  }
  LoginServer server(person, a_profile, {}, "none");
  BOOST_TEST(holds(server.text(show), "()"));
}

BOOST_AUTO_TEST_CASE(an_interactive_shell_reads_what_is_for_terminals_too) {
  if (::access("/bin/bash", X_OK) != 0) return;
  const Person person;
  const std::string profile = "case $- in *i*) export A_MARK=interactive;; *) export A_MARK=login;; esac\n";
  BOOST_TEST(LoginServer(person, profile, {}, "interactive").text("echo $A_MARK").starts_with("interactive\n"));
  BOOST_TEST(LoginServer(person, profile, {}, "login").text("echo $A_MARK").starts_with("login\n"));
}

BOOST_AUTO_TEST_CASE(a_login_shell_that_fails_or_does_not_end_is_reported_and_not_needed) {
  if (::access("/bin/bash", X_OK) != 0) return;
  const Person person;
  const std::string slept = "sleep 36" + std::to_string(::getpid()) + ".5";
  for (const auto& [profile, reason] : std::vector<std::pair<std::string, std::string>>{
           {"export A_MARK=x; exit 3", "exit code 3"},
           {"export A_MARK=x; exit 0", "a profile script may have ended the shell"},
           {"export A_MARK=x; " + slept + " & wait", "timed out"}}) {
    LoginServer server(person, profile, {});
    BOOST_TEST(server.text("echo \"($A_MARK)\"").starts_with("()\n"), profile);
    const std::string errors = server.errors();
    BOOST_TEST(holds(errors, "the server starts without the environment of the login shell: "), errors);
    BOOST_TEST(holds(errors, reason), errors);
    BOOST_TEST(!holds(run({"/bin/ps", "-eo", "args"}).out, slept), profile);
  }
}

BOOST_AUTO_TEST_CASE(the_project_cannot_make_a_login_shell_run) {
  const Person person;
  Person::write(person.project() + "/wtool.yaml", "mcp: {login_environment: login}\n");
  BOOST_TEST(holds(refused(person, person.project()).err, "mcp.login_environment is locked"));
}

// The test counts four characters as one token.
BOOST_AUTO_TEST_CASE(tools_and_results_cost_a_model_few_tokens) {
  const Person person;
  Server server(person, by_default);
  const Json tools = server.ask("tools/list").at("result").at("tools");
  for (const Json& tool : tools) {
    if (tool.at("name") != "shell_execute") continue;
    BOOST_TEST(tool.at("description").get<std::string>().size() + tool.at("inputSchema").dump().size() <= 260U * 4);
    BOOST_TEST(!tool.contains("outputSchema"));
  }
  BOOST_TEST(tools.dump().size() <= 900U * 4);
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
