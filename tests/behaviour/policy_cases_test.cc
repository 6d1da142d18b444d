// tests/data/*.jsonl: commands that passed other tools' checks, and ordinary ones that must not be refused. Each row
// names its configuration. Rows that must be refused are only explained, never run: some of them would do harm.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "support/program.h"
#include "support/sandboxed.h"

BOOST_AUTO_TEST_SUITE(policy_cases_test)

using namespace wtool::test;

namespace {

std::vector<Json> rows_of(const std::string& name) {
  std::ifstream file(WTOOL_TEST_SOURCE_DIR "/tests/data/" + name);
  BOOST_REQUIRE_MESSAGE(file, "tests/data/" + name + " cannot be read");
  std::vector<Json> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) rows.push_back(Json::parse(line));
  }
  return rows;
}

// The configuration that a row describes by its `policy`, with the workspace in place of `<ws>`.
Json configuration_of(const Json& policy, const std::string& workspace) {
  const std::string mode = policy.at("mode");
  const auto place = [&](const std::string& path) { return path == "<ws>" ? workspace : path; };
  Json config = Json::object();
  if (mode == "allow" || mode == "exact") config["commands"]["allow"] = policy.at("commands");
  if (policy.value("args", "") == "safe") config["commands"]["arguments"] = "safe";
  if (mode == "deny") config["commands"]["deny"] = policy.at("commands");
  if (mode == "mixed") config["commands"] = {{"allow", policy.at("allow")}, {"deny", policy.at("deny")}};
  if (mode == "path_confine") {
    config["directories"] = {{"roots", {place(policy.at("root"))}}, {"confine_arguments", true}};
  }
  if (mode == "cwd_roots") config["directories"]["roots"] = policy.at("roots");
  if (mode == "sandbox_write") config["sandbox"] = {{"write", {place(policy.at("root"))}}};
  return config;
}

struct Workspace : Sandboxed {
  Workspace() {
    for (const char* name : {"file.txt", "README.md", "data.txt", "M", "f", ".bashrc"})
      scratch.file("inside/" + std::string(name), "one\n");
  }

  // Runs the command under these rules. Afterwards, has_canary() says whether it executed what makes the file `canary`.
  Answer run_under(const Json& rules, const std::string& command) {
    std::filesystem::remove(outside + "/canary");
    return run(ToolUnderTest(plugin, {{"commands", rules}}), command);
  }
  bool has_canary() const { return std::filesystem::exists(outside + "/canary"); }

  Json arguments_of(const Json& row) const {
    Json arguments{{"command", row.at("command")}, {"working_directory", inside}};
    // A folder that need not exist: it only matters that it is outside of the roots.
    if (row.contains("cwd")) arguments["working_directory"] = outside;
    return arguments;
  }
};

void check_rows(const std::string& name) {
  for (const Json& row : rows_of(name)) {
    Workspace workspace;
    const std::string mode = row.at("policy").at("mode");
    const Json config = configuration_of(row.at("policy"), workspace.inside);
    const ToolUnderTest tool(workspace.plugin, config);
    const Json arguments = workspace.arguments_of(row);
    const Json explained = tool.explain(arguments);
    BOOST_TEST_CONTEXT(row.at("id") << ": " << row.at("command") << " under " << config << ": " << explained) {
      const std::string verdict = explained.at("verdict");
      if (mode == "sandbox_write") {
        if (!has_landlock(1)) continue;
        tool.run(arguments);
        BOOST_TEST(!std::filesystem::exists("/tmp/outside"));
        BOOST_TEST(Sandboxed::content(workspace.inside + "/.bashrc") == "one\n");
      } else if (row.at("expect") == "allow") {
        BOOST_TEST(verdict == "allow");
        const std::string code = tool.run(arguments).code();
        BOOST_TEST(code != "policy_denied");
        BOOST_TEST(code != "approval_unavailable");
      } else {
        BOOST_TEST(verdict != "allow");
        BOOST_TEST(!explained.at("reason").get<std::string>().empty());
        BOOST_TEST(!explained.at("rule").get<std::string>().empty());
      }
    }
  }
}

// ---- policy-attacks.jsonl: rows {"id", "tool"?, "config", "command", "environment"?, "setup"?, "expect", "class"?,
// "hint"?}; and policy-everyday.jsonl: the same for what is typed every day.
// DIR means a scratch folder with some small files, to which `setup` (shell text) adds; OUT means a folder beside it.
// "..." in commands.allow means daily_programs. `expect` is "allow", or "refuse", which covers deny and ask.

constexpr const char* daily_programs[] = {
    "./build.sh", "./gradlew",  "[",       "awk",          "base64",    "basename",  "black",    "cal",      "cargo",
    "cat",        "cd",         "chmod",   "clang-format", "cmake",     "column",    "comm",     "cp",       "crontab",
    "ctest",      "curl",       "cut",     "date",         "df",        "diff",      "dirname",  "docker",   "du",
    "echo",       "env",        "eslint",  "file",         "find",      "fold",      "free",     "gcc",      "gh",
    "git",        "go",         "grep",    "head",         "hexdump",   "hostname",  "id",       "ip",       "jest",
    "join",       "journalctl", "jq",      "kill",         "kubectl",   "ls",        "lsof",     "make",     "man",
    "md5sum",     "mkdir",      "mv",      "mvn",          "mypy",      "netstat",   "nice",     "nl",       "node",
    "npm",        "nproc",      "npx",     "od",           "paste",     "pip",       "prettier", "printenv", "printf",
    "ps",         "psql",       "pwd",     "pytest",       "python",    "python3",   "readlink", "realpath", "rev",
    "rg",         "rm",         "ruff",    "sed",          "seq",       "sha256sum", "shuf",     "sleep",    "sort",
    "sqlite3",    "ss",         "stat",    "strings",      "systemctl", "tac",       "tail",     "tar",      "tee",
    "test",       "time",       "timeout", "touch",        "tr",        "tree",      "true",     "tsc",      "uname",
    "uniq",       "unzip",      "uptime",  "wc",           "which",     "whoami",    "xargs",    "xxd",      "yarn"};

// `value` with the paths of the scratch folders in place of DIR and OUT in its texts. Names of members stay.
Json with_folders(Json value, const Workspace& workspace) {
  if (value.is_string()) {
    auto text = value.get<std::string>();
    for (const auto& [name, folder] : {std::pair("DIR", workspace.inside), std::pair("OUT", workspace.outside)}) {
      for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += folder.size()) {
        text.replace(at, 3, folder);
      }
    }
    return text;
  }
  if (value.is_structured()) {
    for (Json& each : value) each = with_folders(each, workspace);
  }
  return value;
}

void check_attack(const Json& given) {
  Workspace workspace;
  for (const char* name : {"a", "r", "x.c"}) workspace.scratch.file(std::string("inside/") + name, "one\n");
  for (const char* name : {"evil", "build.sh"}) {
    workspace.scratch.file(std::string("inside/") + name, "#!/bin/sh\ntouch canary\n", 0755);
  }
  Json row = given;
  for (const char* key : {"config", "command", "environment", "setup"}) {
    if (row.contains(key)) row[key] = with_folders(row[key], workspace);
  }
  const std::string tool_name = row.value("tool", "shell_execute");
  std::string setup;
  const std::string command = row.at("command").dump();
  if (command.find(".gz") != std::string::npos) setup += "gzip -k f; ";
  if (command.find(".xz") != std::string::npos) setup += "xz -k a; ";
  if (tool_name == "execute_run") setup += "git init -q; ";
  setup += row.value("setup", "");
  if (!setup.empty()) {
    const Finished ready = wtool::test::run({"/bin/sh", "-c", setup}, {.directory = workspace.inside});
    BOOST_REQUIRE_MESSAGE(ready.exit_code == 0, given << ": " << ready.err);
  }

  Json& config = row["config"];
  if (config.contains("commands") && config["commands"].contains("allow")) {
    Json allow = Json::array();
    for (const Json& entry : config["commands"]["allow"]) {
      if (entry != "...") {
        allow.push_back(entry);
      } else {
        for (const char* program : daily_programs) allow.push_back(program);
      }
    }
    config["commands"]["allow"] = std::move(allow);
  }
  if (tool_name == "execute_run") config["execute_run"]["root"] = workspace.inside;
  Json arguments{{"command", row.at("command")}};
  arguments[tool_name == "execute_run" ? "cwd" : "working_directory"] = workspace.inside;
  if (row.contains("environment")) arguments["environment"] = row.at("environment");

  const ToolUnderTest tool(workspace.plugin, config, tool_name);
  const Json explained = tool.explain(arguments);
  const std::string expected = row.at("expect");
  BOOST_REQUIRE_MESSAGE(expected == "allow" || expected == "refuse", given);
  const bool holds = (explained.at("verdict") == "allow") == (expected == "allow");
  BOOST_TEST(holds, row << ": " << explained);
  if (row.contains("hint")) BOOST_TEST(explained.value("hint", "") == row.at("hint"), row << ": " << explained);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(policy_cases)

BOOST_AUTO_TEST_CASE(attacks_of_a_closed_class_are_refused_and_daily_lines_are_allowed) {
  for (const Json& row : rows_of("policy-attacks.jsonl")) check_attack(row);
}

BOOST_AUTO_TEST_CASE(everyday_lines_are_allowed_or_refused_with_an_alternative) {
  for (const Json& row : rows_of("policy-everyday.jsonl")) check_attack(row);
}

BOOST_AUTO_TEST_CASE(bypasses_of_other_tools_are_refused_and_ordinary_commands_run) {
  check_rows("command-policy.jsonl");
}

BOOST_AUTO_TEST_CASE(each_class_of_bypass_is_refused_and_its_innocent_neighbours_run) {
  check_rows("policy-classes.jsonl");
}

BOOST_AUTO_TEST_CASE(git_executes_nothing_that_a_configuration_names_where_arguments_are_safe) {
  Workspace workspace;
  const std::string evil =
      workspace.scratch.file("inside/evil", "#!/bin/sh\ntouch " + workspace.outside + "/canary\n", 0755);
  const Finished ready =
      wtool::test::run({"/bin/sh", "-c",
                        "git init -q er && cd er && echo '* diff=x' >.gitattributes && git add . && "
                        "git -c user.name=a -c user.email=a@b commit -qm x && echo changed >>.gitattributes && "
                        "git config core.fsmonitor $0 && git config diff.x.textconv $0 && git config diff.external $0",
                        evil},
                       {.directory = workspace.inside});
  BOOST_REQUIRE_MESSAGE(ready.exit_code == 0, ready.err);
  const auto executes = [&](const Json& rules, const std::string& command) {
    const Answer answer = workspace.run_under(rules, command);
    BOOST_TEST(!answer.is_error(), command << ": " << answer.raw);
    return workspace.has_canary();
  };
  for (const char* command :
       {"git -C er status", "cd er && git diff", "git -C er log -p", "git -C er show HEAD:.gitattributes"}) {
    BOOST_TEST(!executes({{"allow", {"git", "cd"}}, {"arguments", "safe"}}, command), command);
  }
  // If arguments need not be safe, git executes the program that the repository's configuration names.
  BOOST_TEST(executes({{"allow", {"git"}}}, "git -C er status"));
}

// Git fetches objects that are missing from a repository of which the configuration says that it has them.
BOOST_AUTO_TEST_CASE(git_fetches_no_missing_objects_where_arguments_are_safe) {
  for (const char* remote : {"url ext::'sh -c touch% OUT/canary'", "uploadpack 'touch OUT/canary; false'",
                             "vcs x/foo && git -C pr config protocol.x/foo.allow always && mkdir pr/git-remote-x && cd "
                             "pr/git-remote-x && echo 'touch OUT/canary' >foo && chmod +x foo"}) {
    Workspace workspace;
    const Json commands = with_folders(
        Json{"git init -q pr && cd pr && echo one >f && git add . && git -c user.name=a -c user.email=a@b commit -qm x",
             "git -C pr config remote.origin.url DIR/other && git -C pr config remote.origin." + std::string(remote),
             "git -C pr config core.repositoryFormatVersion 1 && git -C pr config extensions.partialClone origin && "
             "git -C pr config remote.origin.promisor true && git -C pr config protocol.ext.allow always && "
             "git -C pr config protocol.file.allow always",
             "cd pr && o=$(git rev-parse HEAD:f) && rm -f .git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)"},
        workspace);
    for (const Json& command : commands) {
      const Finished ready =
          wtool::test::run({"/bin/sh", "-c", command.get<std::string>()}, {.directory = workspace.inside});
      BOOST_REQUIRE_MESSAGE(ready.exit_code == 0, command << ready.err);
    }
    const auto executes = [&](const Json& rules, const std::string& command) {
      workspace.run_under(rules, command);
      return workspace.has_canary();
    };
    for (const char* command : {"git -C pr show HEAD", "git -C pr cat-file -p HEAD:f", "env -i git -C pr log -p"}) {
      BOOST_TEST(!executes({{"allow", {"git", "env"}}, {"arguments", "safe"}}, command), remote << ": " << command);
    }
    BOOST_TEST(executes({{"allow", {"git"}}}, "git -C pr show HEAD"), remote);  // if arguments need not be safe
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
