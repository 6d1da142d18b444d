// `wtool mcp --install`, `--uninstall` and `--list`: what they do to the configuration of each client.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/program.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(mcp_install_test)

using namespace wtool::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;
namespace data = boost::unit_test::data;

namespace {

struct ClientCase {
  const char* name;
  const char* file;    // below the home folder, in which the project is `app`
  const char* filled;  // a file with other content
  const char* broken;  // a file that wtool does not understand
  const char* taken;   // a file in which a different server already has the name
  const char* list;    // the key of the servers, if the file is JSON
};

std::ostream& operator<<(std::ostream& out, const ClientCase& one) { return out << one.name; }

constexpr const char* servers =
    "{\n\t\"other\": {\"a\": [1, 2]},\n\t\"mcpServers\": {\n\t\t\"one\": {\"command\": \"x\", \"args\": "
    "[]}\n\t},\n\t\"z\": "
    "\"\\u00e9 // no comment\"\n}";
constexpr const char* broken_json = "{\"mcpServers\": {\"one\": }}\n";
constexpr const char* taken_json = "{\"mcpServers\": {\"shell\": {\"command\": \"/bin/other\"}}}\n";

const ClientCase cases[] = {
    {"claude-code", "app/.mcp.json", servers, broken_json, taken_json, "mcpServers"},
    {"claude-desktop", ".config/Claude/claude_desktop_config.json", "{\"mcpServers\":{}}", "{", taken_json,
     "mcpServers"},
    {"cursor", "app/.cursor/mcp.json", "{\"mcpServers\": {\"one\": {\"url\": \"u\"}, \"two\": {\"url\": \"u\"}}}\n",
     "[1]", taken_json, "mcpServers"},
    {"gemini", ".gemini/settings.json", "{\r\n  \"theme\": \"x\"\r\n}\r\n", "{\"mcpServers\": []}", taken_json,
     "mcpServers"},
    {"windsurf", ".codeium/windsurf/mcp_config.json", servers, "{\"a\": 1, \"a\": 2}", taken_json, "mcpServers"},
    {"vscode", "app/.vscode/mcp.json",
     "// of the team\n{\n    \"servers\": {\n        /* none \"yet\" */\n    },\n    \"inputs\": [1, 2,],\n}\n",
     "{\"servers\": {} /* no end", "{\"servers\": {\"shell\": {\"url\": \"u\"}}}\n", "servers"},
    {"zed", ".config/zed/settings.json",
     "{\n  // mine\n  \"context_servers\": {\n    \"a\": {\"command\": \"x\"} // the last \"one\"\n    // and a word\n "
     " },\n  "
     "\"b\": 1\n}\n",
     "{\"a\": \"no end}", "{\"context_servers\": {\"shell\": {\"source\": \"extension\"}}}\n", "context_servers"},
    {"opencode", "app/opencode.json", "{\"$schema\": \"s\", \"mcp\": {}}\n", "{,}",
     "{\"mcp\": {\"shell\": {\"type\": \"remote\", \"url\": \"u\"}}}\n", "mcp"},
    {"codex", ".codex/config.toml",
     "# mine\nmodel = \"m\"  # a comment\nnotes = \"\"\"\n[mcp_servers.shell]\n\"\"\"\n\n[mcp_servers.one]\ncommand = "
     "\"x\"\nargs = "
     "[\n  \"a]\", # ]\n]\n\n[profiles.'a.b']\nx = { y = 1 }",
     "[mcp_servers.one\n", "[mcp_servers.shell]\nurl = \"u\"\n", nullptr},
    {"goose", ".config/goose/config.yaml",
     "# mine\nGOOSE_MODEL: m\nextensions:\n    # of goose\n    developer:\n        enabled: true # yes\n        type: "
     "builtin\nlast: |\n  extensions:\n    shell: 1\n",
     "extensions: [\n", "extensions:\n  shell:\n    type: builtin\n", nullptr},
};

// A person with a home folder, and a project in it.
class Person {
 public:
  Person() { fs::create_directories(project() + "/.git"); }
  const std::string& home() const { return folder_.path(); }
  std::string project() const { return home() + "/app"; }
  std::string at(const char* file) const { return home() + "/" + file; }

  ProgramOptions options(const std::string& directory = {}) const {
    return {.directory = directory.empty() ? project() : directory,
            .set = {{"HOME", home()}},
            .unset = {"XDG_CONFIG_HOME", "XDG_STATE_HOME", "CODEX_HOME"}};
  }
  Finished mcp(std::vector<std::string> more) const {
    more.insert(more.begin(), {WTOOL_TEST_PROGRAM, "mcp"});
    return run(more, options());
  }
  Finished install(const char* client, std::vector<std::string> more = {"--yes"}) const {
    more.insert(more.begin(), {"--install", client});
    return mcp(std::move(more));
  }
  Finished uninstall(const char* client) const { return mcp({"--uninstall", client, "--yes"}); }

 private:
  ScratchFolder folder_;
};

void write(const std::string& file, const std::string& text) {
  fs::create_directories(fs::path(file).parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// True if every line of `part` is in `text`, in the same order. Commas are ignored.
bool keeps_lines(const std::string& text, const std::string& part) {
  const auto stripped = [](std::string line) {
    std::erase_if(line, [](char c) { return c == ',' || c == '\r'; });
    return line;
  };
  std::istringstream all(text);
  std::istringstream wanted(part);
  std::string line;
  std::string found;
  while (std::getline(wanted, line)) {
    do {
      if (!std::getline(all, found)) return false;
    } while (stripped(found) != stripped(line));
  }
  return true;
}

void check_good(const Finished& finished) { BOOST_TEST(finished.exit_code == 0, finished.err << finished.out); }

std::vector<std::string> names_beside(const std::string& file) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(file).parent_path())) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mcp_install)

BOOST_DATA_TEST_CASE(a_client_without_a_file_gets_one_and_uninstalling_removes_it, data::make(cases), one) {
  const Person person;
  const std::string file = person.at(one.file);
  const Finished installed = person.install(one.name);
  check_good(installed);
  BOOST_TEST(holds(installed.out, file + " (a new file):\n+ "), installed.out);
  BOOST_TEST(holds(installed.out, person.project()), installed.out);
  BOOST_TEST(read(file) == person.mcp({"--print-config", one.name}).out);
  BOOST_TEST(names_beside(file).size() >= 1U);
  BOOST_TEST(holds(person.mcp({"--list"}).out, "installed  " + file));
  check_good(person.uninstall(one.name));
  BOOST_TEST(!fs::exists(file));
  BOOST_TEST(!holds(person.mcp({"--list"}).out, "installed"));
}

BOOST_AUTO_TEST_CASE(a_change_beside_another_one_is_not_made_and_not_lost) {
  const Person person;
  const int folder = ::open(person.project().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  BOOST_REQUIRE(::flock(folder, LOCK_EX) == 0);
  const Finished refused = person.install("claude-code");
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(holds(refused.err, "another program is changing files in its folder; try again; nothing was changed"),
             refused.err);
  BOOST_TEST(names_beside(person.at("app/.mcp.json")) == std::vector<std::string>{".git"});
  ::close(folder);
  check_good(person.install("claude-code"));
}

BOOST_DATA_TEST_CASE(other_content_stays_and_an_undone_file_has_the_same_bytes, data::make(cases), one) {
  const Person person;
  const std::string file = person.at(one.file);
  for (const std::string before : {one.filled, "", "\n\n"}) {
    write(file, before);
    BOOST_REQUIRE(::chmod(file.c_str(), 0640) == 0);
    check_good(person.install(one.name));
    const std::string after = read(file);
    BOOST_TEST(after != before);
    if (before.find("{}") == std::string::npos && before.find("}, \"two\"") == std::string::npos) {
      BOOST_TEST(keeps_lines(after, before.find_first_not_of('\n') == std::string::npos ? "" : before), after);
    }
    BOOST_TEST((before.find("\r\n") == std::string::npos || after.find("\r\n  \"mcpServers\"") != std::string::npos));
    struct stat status {};
    BOOST_REQUIRE(::stat(file.c_str(), &status) == 0);
    BOOST_TEST((status.st_mode & 07777) == 0640U);
    const Finished again = person.install(one.name);
    check_good(again);
    BOOST_TEST(holds(again.out, "already has this server"));
    BOOST_TEST(read(file) == after);
    // No temporary file is left beside the client's file.
    for (const std::string& name : names_beside(file)) BOOST_TEST(!holds(name, ".wtool-"));
    check_good(person.uninstall(one.name));
    BOOST_TEST(read(file) == before);
  }
}

BOOST_DATA_TEST_CASE(another_folder_takes_the_place_of_the_first_and_all_of_it_can_be_undone, data::make(cases), one) {
  const Person person;
  const std::string file = person.at(one.file);
  write(file, one.filled);
  check_good(person.install(one.name));
  check_good(person.install(one.name, {"--yes", "--network"}));
  const std::string after = read(file);
  BOOST_TEST(holds(after, "--network"));
  BOOST_TEST(after.find("wtool\"") == after.rfind("wtool\""));
  check_good(person.uninstall(one.name));
  BOOST_TEST(read(file) == one.filled);
}

BOOST_DATA_TEST_CASE(what_somebody_changed_later_stays, data::make(cases), one) {
  const Person person;
  const std::string file = person.at(one.file);
  write(file, one.filled);
  check_good(person.install(one.name, {"--yes", "--name", "first"}));
  check_good(person.install(one.name, {"--yes", "--name", "second"}));
  const auto without = [&](const char* name) {
    const Finished finished = person.mcp({"--uninstall", one.name, "--yes", "--name", name});
    check_good(finished);
  };
  without("first");
  BOOST_TEST(holds(read(file), "second"));
  BOOST_TEST(!holds(read(file), "first"));
  without("second");
  BOOST_TEST(!holds(read(file), "wtool"));
}

BOOST_DATA_TEST_CASE(a_file_that_is_not_understood_stays_and_the_text_is_printed, data::make(cases), one) {
  const Person person;
  const std::string file = person.at(one.file);
  write(file, one.broken);
  const Finished finished = person.install(one.name);
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(holds(finished.err, "nothing was changed"), finished.err);
  BOOST_TEST(finished.out == person.mcp({"--print-config", one.name}).out);
  BOOST_TEST(person.uninstall(one.name).exit_code == 2);
  BOOST_TEST(read(file) == one.broken);
  BOOST_TEST(holds(person.mcp({"--list"}).out, "unclear"));
}

BOOST_DATA_TEST_CASE(another_server_with_the_same_name_stays, data::make(cases), one) {
  const Person person;
  const std::string file = person.at(one.file);
  write(file, one.taken);
  const Finished finished = person.install(one.name);
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(holds(finished.err, "--name"), finished.err);
  BOOST_TEST(person.uninstall(one.name).exit_code == 2);
  BOOST_TEST(read(file) == one.taken);
}

BOOST_DATA_TEST_CASE(what_is_written_is_what_the_client_reads, data::make(cases), one) {
  if (one.list == nullptr) return;
  const Person person;
  check_good(person.install(one.name, {"--yes", "--policy", "read-only"}));
  const Json server = Json::parse(read(person.at(one.file))).at(one.list).at("shell");
  const Json arguments{"mcp", "--root", person.project(), "--policy", "read-only"};
  if (std::string_view(one.name) == "opencode") {
    Json command = server.at("command");
    command.erase(0);
    BOOST_TEST(command == arguments);
    BOOST_TEST(server.at("type") == "local");
  } else {
    BOOST_TEST(server.at("args") == arguments);
    BOOST_TEST(fs::equivalent(server.at("command").get<std::string>(), WTOOL_TEST_PROGRAM));
  }
}

BOOST_AUTO_TEST_CASE(a_person_is_asked_and_nothing_changes_without_a_yes) {
  const Person person;
  const std::string file = person.project() + "/.mcp.json";
  const Finished unasked = person.install("claude-code", {});
  BOOST_TEST(unasked.exit_code == 2);
  BOOST_TEST(holds(unasked.err, "--yes"));
  BOOST_TEST(!fs::exists(file));
  for (const bool yes : {false, true}) {
    Program program({WTOOL_TEST_PROGRAM, "mcp", "--install", "claude-code"}, Program::On::terminal, person.options());
    BOOST_REQUIRE(program.wait_for_output("[y/N]"));
    BOOST_TEST(!fs::exists(file));
    program.type(yes ? "y\n" : "n\n");
    BOOST_TEST(program.wait().exit_code == (yes ? 0 : 1));
    BOOST_TEST(fs::exists(file) == yes);
  }
}

BOOST_AUTO_TEST_CASE(a_link_in_the_project_is_not_followed) {
  const Person person;
  write(person.home() + "/precious", "{}");
  fs::create_symlink(person.home() + "/precious", person.project() + "/.mcp.json");
  fs::create_directories(person.home() + "/elsewhere");
  fs::create_symlink(person.home() + "/elsewhere", person.project() + "/.vscode");
  for (const char* client : {"claude-code", "vscode"}) {
    const Finished finished = person.install(client);
    BOOST_TEST(finished.exit_code == 2);
    BOOST_TEST(holds(finished.err, "symbolic link"), finished.err);
  }
  BOOST_TEST(read(person.home() + "/precious") == "{}");
  BOOST_TEST(fs::is_empty(person.home() + "/elsewhere"));
}

BOOST_AUTO_TEST_CASE(a_link_of_the_users_own_stays_one) {
  const Person person;
  write(person.home() + "/dotfiles/codex.toml", "model = \"m\"\n");
  fs::create_directories(person.home() + "/.codex");
  fs::create_symlink(person.home() + "/dotfiles/codex.toml", person.home() + "/.codex/config.toml");
  check_good(person.install("codex"));
  BOOST_TEST(fs::is_symlink(person.home() + "/.codex/config.toml"));
  BOOST_TEST(holds(read(person.home() + "/dotfiles/codex.toml"), "[mcp_servers.shell]"));
  check_good(person.uninstall("codex"));
  BOOST_TEST(read(person.home() + "/dotfiles/codex.toml") == "model = \"m\"\n");
}

BOOST_AUTO_TEST_CASE(what_is_not_a_file_or_belongs_to_another_user_is_refused) {
  const Person person;
  fs::create_directories(person.at("app/.mcp.json"));
  BOOST_TEST(person.install("claude-code").exit_code == 2);
  if (::geteuid() != 0) return;
  write(person.at(".codex/config.toml"), "");
  BOOST_REQUIRE(::chown(person.at(".codex/config.toml").c_str(), 65534, 65534) == 0);
  const Finished finished = person.install("codex");
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(holds(finished.err, "belongs to another user"));
}

BOOST_AUTO_TEST_CASE(this_server_is_known_however_a_person_has_written_it_and_keeps_its_settings) {
  const struct {
    const char* client;
    const char* file;
    std::string begin;
    std::string old;
    std::string end;
  } written[] = {
      {"codex", ".codex/config.toml", "[mcp_servers.shell]\n", "args = ['mcp', '--network']\ncommand = '/a/wtool'\n",
       "startup_timeout_sec = 5\n[mcp_servers.shell.env]\nA = \"b\"\n"},
      {"codex", ".codex/config.toml", "[mcp_servers.shell]\n",
       "command = \"/a/wtool\"\nargs = [ # these\n  \"mcp\", # ]\n  '--network',\n]\n", "enabled = false\n"},
      {"goose", ".config/goose/config.yaml", "extensions:\n  shell:\n    enabled: false\n",
       "    cmd: /a/wtool\n    args:\n    - mcp\n    - --network\n", "    envs: {A: b}\n    timeout: 30\nlast: 1\n"},
      {"goose", ".config/goose/config.yaml", "extensions:\n  shell:\n",
       "    args: [mcp, --network]\n    cmd: /a/wtool\n", "    timeout: 30\n  other:\n    cmd: x\n"},
  };
  for (const auto& one : written) {
    const Person person;
    const std::string file = person.at(one.file);
    write(file, one.begin + one.old + one.end);
    BOOST_TEST(holds(person.mcp({"--list"}).out, "installed  " + file));
    check_good(person.install(one.client));
    const std::string after = read(file);
    BOOST_TEST(after.starts_with(one.begin), after);
    BOOST_TEST(after.ends_with(one.end), after);
    BOOST_TEST(holds(after, person.project()), after);
    BOOST_TEST(!holds(after, "--network"), after);
    BOOST_TEST(!holds(after, "/a/wtool"), after);
    check_good(person.uninstall(one.client));
    BOOST_TEST(!holds(read(file), "wtool"), read(file));
  }
}

BOOST_AUTO_TEST_CASE(what_could_be_read_in_two_ways_is_not_changed) {
  const std::string toml = "[mcp_servers.shell]\ncommand = \"/a/wtool\"\nargs = [\"mcp\"]\n";
  const std::string yaml = "extensions:\n  shell:\n    cmd: /a/wtool\n    args: [mcp]\n";
  const struct {
    const char* client;
    const char* file;
    std::string text;
  } unclear[] = {
      {"codex", ".codex/config.toml", toml + toml},
      {"codex", ".codex/config.toml", toml + "args = [\"mcp\"]\n"},
      {"codex", ".codex/config.toml", "a = \"\xff\"\n"},
      {"goose", ".config/goose/config.yaml", yaml + "  shell:\n    cmd: x\n"},
      {"goose", ".config/goose/config.yaml", yaml + "extensions:\n  other:\n    cmd: x\n"},
      {"goose", ".config/goose/config.yaml", "extensions:\n  shell:\n    cmd: /a/wtool\n    args: [mcp, \"\xff\"]\n"},
      // Another server has the same value, through an alias.
      {"goose", ".config/goose/config.yaml",
       "extensions:\n  shell: &a\n    cmd: /a/wtool\n    args: [mcp]\n  other: *a\n"},
      {"goose", ".config/goose/config.yaml", "extensions: ~\n"},
      {"claude-code", "app/.mcp.json", std::string("{}\0{}", 5)},
  };
  for (const auto& one : unclear) {
    const Person person;
    const std::string file = person.at(one.file);
    write(file, one.text);
    const Finished finished = person.install(one.client);
    BOOST_TEST(finished.exit_code == 2, one.text);
    BOOST_TEST(holds(finished.err, file + ": "), finished.err);
    BOOST_TEST(holds(finished.err, "nothing was changed"), finished.err);
    BOOST_TEST(!holds(finished.err, "it is not YAML"), finished.err);
    BOOST_TEST(read(file) == one.text);
  }
}

BOOST_AUTO_TEST_CASE(what_is_said_names_the_file_and_how_to_undo_it_from_anywhere) {
  const Person person;
  fs::create_directories(person.home() + "/an other");
  const Finished finished = person.install("claude-code", {"--yes", "--root", person.home() + "/an other"});
  check_good(finished);
  BOOST_TEST(holds(finished.out, "--uninstall claude-code --root '" + person.home() + "/an other'`"), finished.out);
  fs::create_directories(person.at(".codex"));
  BOOST_TEST(holds(person.mcp({"--list"}).out, person.at(".codex/config.toml") + " (not there)"));
}

BOOST_AUTO_TEST_CASE(a_server_that_could_not_start_is_not_added) {
  const Person person;
  for (const auto& [option, value, why] : {std::tuple("--tools", "foo", "there is no tool \"foo\""),
                                           {"--workflows", "nowhere", "there is no such folder: nowhere"},
                                           {"--config", "no.yaml", "cannot read no.yaml"},
                                           {"--root", "nowhere", "there is no such folder: nowhere"}}) {
    const Finished finished = person.mcp({"--install", "codex", "--yes", option, value});
    BOOST_TEST(finished.exit_code == 2);
    BOOST_TEST(holds(finished.err, why), finished.err);
  }
  BOOST_TEST(person.uninstall("codex").exit_code == 1);
}

BOOST_AUTO_TEST_CASE(options_that_make_no_sense_together_are_refused) {
  const Person person;
  BOOST_TEST(person.mcp({"--install", "codex", "--list"}).exit_code == 2);
  BOOST_TEST(person.mcp({"--yes"}).exit_code == 2);
  BOOST_TEST(person.mcp({"--name", "x"}).exit_code == 2);
  BOOST_TEST(person.mcp({"--install", "codex", "--name", "a b"}).exit_code == 2);
  BOOST_TEST(holds(person.mcp({"--install", "emacs"}).err, "windsurf"));
  BOOST_TEST(person.uninstall("codex").exit_code == 1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
