// By which shell `wtool mcp` has commands read, and which environment it takes from a login shell.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <optional>

#include "mcp_person.h"

BOOST_AUTO_TEST_SUITE(mcp_shell_test)

using namespace wtool::test;
using namespace wtool::test::mcp_person;

namespace {

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

}  // namespace

BOOST_AUTO_TEST_SUITE(mcp_shell, *boost::unit_test::precondition(can_sandbox))

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

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
