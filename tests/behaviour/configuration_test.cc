// The configuration in program and plugin together: the plugin accepts what the host accepts, and a workflow that runs
// for a while follows changes of the files.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "support/shell_tool.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(configuration_test)

using namespace wtool::test;

namespace {

const std::string wtool_path = WTOOL_TEST_PROGRAM;

struct Place {
  ScratchFolder scratch;

  Place() { std::filesystem::create_directories(scratch.path() + "/config"); }

  ProgramOptions here() const {
    ProgramOptions options;
    options.directory = scratch.path();
    options.set["XDG_CONFIG_HOME"] = scratch.path() + "/config";
    return options;
  }
  Finished wtool(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), wtool_path);
    return run(arguments, here());
  }
  // Runs a workflow with one state for each action. The next state follows even if the action fails.
  Finished run_steps(const std::vector<std::string>& actions) const {
    std::string diagram = "    [*] --> s1\n";
    std::string list;
    for (std::size_t i = 1; i <= actions.size(); ++i) {
      const std::string state = "s" + std::to_string(i);
      const std::string next = i == actions.size() ? "[*]" : "s" + std::to_string(i + 1);
      diagram += "    " + state + " --> " + next + ": always\n";
      list += "- " + state + ": " + actions[i - 1] + "\n";
    }
    const std::string file = scratch.file("workflow.md",
                                          "---\ntitle: A test\ndescription: for a test\n---\n\n# A test\n\n```mermaid\n"
                                          "stateDiagram-v2\n" +
                                              diagram + "```\n\n## Actions\n\n" + list);
    return wtool({"run", file});
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(the_schema_is_printed_even_if_the_configuration_is_broken, Place) {
  scratch.file("wtool.yaml", "nonsense: 1\n");
  const Finished finished = wtool({"config", "schema"});
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(Json::parse(finished.out).at("properties").contains("limits"));
}

BOOST_FIXTURE_TEST_CASE(what_the_host_accepts_the_plugin_accepts, Place) {
  scratch.file("wtool.yaml",
               "shell: {program: /bin/sh, direct_exec: true}\n"
               "commands:\n"
               "  allow: [\"*\"]\n"
               "  deny: [no-such-program-x, \"no-such-program-y z *\"]\n"
               "  ask: [no-such-program-w]\n"
               "  arguments: any\n"
               "  unlisted: deny\n"
               "  path: default\n"
               "  approvals: config/approvals.json\n"
               "directories: {roots: [., /tmp], confine_arguments: false}\n"
               "environment: {inherit: all, deny: [\"*_NO_SUCH_NAME\"], set: {CI: 1}}\n"
               "limits: {timeout_default: 60, timeout_max: 60, grace_seconds: 1, open_files: 512}\n"
               "output: {bytes: 8192, spill: never, directory: out, max_bytes: 1048576}\n"
               "audit: {sync: none, output: none, when_unwritable: refuse, max_bytes: 1000000, keep: 2}\n"
               "lock: [commands, directories, environment, limits, output, shell, audit, sandbox]\n");
  const Finished finished = wtool({"call", "shell_execute", R"({"command":"echo hi"})"});
  BOOST_TEST(finished.exit_code == 0, finished.err << finished.out);
}

BOOST_FIXTURE_TEST_CASE(the_rules_of_a_project_apply_in_its_subfolders, Place) {
  namespace fs = std::filesystem;
  scratch.file("wtool.yaml", "commands: {deny: [ls]}\n");
  fs::create_directories(scratch.path() + "/project/.git");
  fs::create_directories(scratch.path() + "/project/src/deep");
  ProgramOptions options = here();
  options.directory = scratch.path() + "/project/src/deep";
  const auto calls = [&] {
    return run({wtool_path, "call", "shell_execute", R"({"command": "ls; rm -f x"})"}, options);
  };
  // A file in a folder above the project does not apply to the project.
  BOOST_TEST(calls().exit_code == 0);
  scratch.file("project/wtool.yaml", "commands: {deny: [rm]}\n");
  const Finished denied = calls();
  BOOST_TEST(denied.exit_code != 0);
  BOOST_TEST(holds(denied.out + denied.err, "rm"), denied.out);
  // Of several files, only the nearest one counts.
  scratch.file("project/src/wtool.yaml", "commands: {deny: [cp]}\n");
  BOOST_TEST(calls().exit_code == 0);
  fs::remove(scratch.path() + "/project/src/wtool.yaml");
  // A file is not used if other users may write to it or to its folder.
  for (const char* path : {"/project", "/project/wtool.yaml"}) {
    fs::permissions(scratch.path() + path, fs::perms::others_write, fs::perm_options::add);
    BOOST_TEST(calls().exit_code == 0);
    fs::permissions(scratch.path() + path, fs::perms::others_write, fs::perm_options::remove);
  }
  BOOST_TEST(calls().exit_code != 0);
}

BOOST_FIXTURE_TEST_CASE(a_workflow_keeps_to_a_configuration_that_changes_while_it_runs, Place) {
  scratch.file("wtool.yaml", "limits: {timeout_max: 100}\n");
  scratch.file("tighter.yaml", "limits: {open_files: 33}\n");
  const Finished finished = run_steps({
      R"(Shell "ulimit -n > before")",
      R"(Shell "mv tighter.yaml wtool.yaml")",
      R"(Shell "ulimit -n > after")",
      R"(Shell "test $(cat after) = 33 && test $(cat before) != 33")",
  });
  BOOST_TEST(finished.exit_code == 0, finished.err << finished.out);
}

BOOST_FIXTURE_TEST_CASE(a_workflow_whose_configuration_breaks_runs_no_further_command, Place) {
  scratch.file("wtool.yaml", "limits: {timeout_max: 100}\n");
  const Finished finished = run_steps({
      R"(Shell "echo x: > wtool.yaml")",
      R"(Shell "touch ran")",
  });
  BOOST_TEST(finished.exit_code == 1, finished.err << finished.out);
  BOOST_TEST(holds(finished.err + finished.out, "unknown key x"));
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/ran"));
}

BOOST_FIXTURE_TEST_CASE(a_person_is_warned_of_listed_programs_that_are_not_known, Place) {
  scratch.file("wtool.yaml",
               "commands: {allow: [ls, ./build.sh, python3.11, no-such-tool, \"other-tool *\", \"third-tool x\"]}\n");
  const Finished finished = wtool({"config", "show"});
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(holds(finished.err, "build.sh\" is not a known program"));
  BOOST_TEST(holds(finished.err, "\"no-such-tool\" is not a known program"));
  for (const char* name : {"\"ls\"", "python3.11", "other-tool", "third-tool"})
    BOOST_TEST(!holds(finished.err, name), finished.err);
  scratch.file("wtool.yaml", "commands: {allow: [ls]}\n");
  BOOST_TEST(wtool({"config", "show"}).err == "");
}

BOOST_FIXTURE_TEST_CASE(a_person_sees_the_active_configuration, Place) {
  scratch.file("config/wtool/wtool.yaml", "commands: {deny: [git push]}\nlock: [commands.deny]\n");
  scratch.file("wtool.yaml", "commands: {deny: [npm publish]}\n");
  const Finished finished = wtool({"config", "show", "--json"});
  BOOST_TEST_REQUIRE(finished.exit_code == 0, finished.err);
  const Json keys = Json::parse(finished.out).at("keys");
  BOOST_TEST((keys.at("commands.deny").at("value") == Json({"git push", "npm publish"})));
  BOOST_TEST(holds(keys.at("commands.deny").at("locked_by").get<std::string>(), "/config/wtool/wtool.yaml:2:8"));
}

BOOST_AUTO_TEST_SUITE_END()
