// The configuration in program and plugin together: the plugin accepts what the host accepts, and a workflow that runs
// for a while follows changes of the files.
#include <unistd.h>

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
  BOOST_TEST(calls().exit_code != 0);
}

BOOST_FIXTURE_TEST_CASE(a_policy_of_the_project_that_others_may_write_stops_every_call, Place) {
  namespace fs = std::filesystem;
  const std::string project = scratch.path() + "/project";
  fs::create_directories(project + "/.git");
  fs::create_directories(project + "/src");
  const std::string file = scratch.file("project/wtool.yaml", "commands: {deny: [echo]}\n");
  ProgramOptions below = here();
  below.directory = project + "/src";
  const auto ends_with_problem = [&](const std::vector<std::string>& words, int exit_code, const std::string& why) {
    std::vector<std::string> argv{wtool_path};
    argv.insert(argv.end(), words.begin(), words.end());
    const Finished finished = run(argv, below);
    BOOST_TEST(finished.exit_code == exit_code, finished.out << finished.err);
    BOOST_TEST(holds(finished.out + finished.err, why), finished.out << finished.err);
  };
  const auto is_refused = [&](const std::string& why) {
    ends_with_problem({"call", "shell_execute", R"({"command": "echo hi"})"}, 2, why);
    ends_with_problem({"config", "show"}, 2, why);
    ends_with_problem({"doctor", "--json"}, 1, why);
    Program call({wtool_path, "call", "shell_execute", "command=echo hi"}, Program::On::terminal, below);
    BOOST_TEST(call.wait_for_output("cannot be trusted"), call.output());
    BOOST_TEST(call.wait().exit_code == 2);
  };
  fs::permissions(project, fs::perms::others_write, fs::perm_options::add);
  is_refused("every user may write to " + project + "; `chmod o-w " + project + "` corrects this");
  fs::permissions(project, fs::perms::others_write, fs::perm_options::remove);
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  is_refused("every user may write to " + file);
  // Whoever names the file trusts it.
  ends_with_problem({"call", "shell_execute", R"({"command": "echo hi"})", "--config", file}, 1, "deny");
  // A file of one's own is nearer.
  scratch.file("project/src/wtool.yaml", "{}\n");
  ends_with_problem({"call", "shell_execute", R"({"command": "echo hi"})"}, 0, "hi");
  fs::remove(project + "/src/wtool.yaml");
  fs::permissions(file, fs::perms::others_write, fs::perm_options::remove);
  ends_with_problem({"call", "shell_execute", R"({"command": "echo hi"})"}, 1, "deny");
  if (::geteuid() != 0) return;  // only root can give files away
  BOOST_TEST(::chown(project.c_str(), static_cast<uid_t>(-1), 12345) == 0);
  fs::permissions(project, fs::perms::group_write | fs::perms::set_gid, fs::perm_options::add);
  is_refused("group 12345 may write to " + project + "; `chmod g-w " + project + "` corrects this");
  fs::permissions(project, fs::perms::group_write, fs::perm_options::remove);
  BOOST_TEST(::chown(file.c_str(), 12345, static_cast<gid_t>(-1)) == 0);
  is_refused(file + " belongs to user 12345, and not to you or root");
}

BOOST_FIXTURE_TEST_CASE(a_file_that_anybody_may_have_put_above_the_current_folder_is_named_and_not_used, Place) {
  namespace fs = std::filesystem;
  const std::string shared = scratch.path() + "/shared";
  fs::create_directories(shared + "/mine");
  fs::permissions(shared, fs::perms::all | fs::perms::sticky_bit);
  const std::string file = scratch.file("shared/wtool.yaml", "commands: {deny: [echo]}\n");
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  ProgramOptions below = here();
  below.directory = shared + "/mine";
  const std::string notice = "the configuration " + file + " is not used";
  Program call({wtool_path, "call", "shell_execute", "command=echo ran"}, Program::On::terminal, below);
  BOOST_TEST(call.wait_for_output("is not used"), call.output());
  BOOST_TEST(call.wait().exit_code == 0);
  BOOST_TEST(holds(run({wtool_path, "config", "show"}, below).err, "warning: " + notice));
  BOOST_TEST(holds(run({wtool_path, "doctor", "--json"}, below).out, notice));
  // Nobody can replace a file that this user alone may write.
  fs::permissions(file, fs::perms::others_write, fs::perm_options::remove);
  BOOST_TEST(run({wtool_path, "call", "shell_execute", R"({"command": "echo ran"})"}, below).exit_code == 1);
}

BOOST_FIXTURE_TEST_CASE(a_configuration_named_yml_is_an_error_in_every_layer, Place) {
  namespace fs = std::filesystem;
  fs::create_directories(scratch.path() + "/config/wtool");
  fs::create_directories(scratch.path() + "/project/src");
  for (const char* name : {"config/wtool/wtool.yml", "project/wtool.yml", "project/src/wtool.yml"}) {
    const std::string file = scratch.file(name, "commands: {deny: [echo]}\n");
    ProgramOptions below = here();
    below.directory = scratch.path() + "/project/src";
    const Finished called = run({wtool_path, "call", "shell_execute", R"({"command": "echo hi"})"}, below);
    BOOST_TEST(called.exit_code == 2, called.out);
    BOOST_TEST(holds(called.err, "the file would be ignored, because its name does not end in .yaml; rename it: mv "),
               called.err);
    BOOST_TEST(run({wtool_path, "doctor"}, below).exit_code == 1);
    // A `mv` would replace the file that is read.
    const std::string right = scratch.file(fs::path(name).replace_extension(".yaml").string(), "");
    const Finished both = run({wtool_path, "call", "shell_execute", R"({"command": "echo hi"})"}, below);
    BOOST_TEST(both.exit_code == 2, both.out);
    BOOST_TEST(holds(both.err, "move what it says into "), both.err);
    BOOST_TEST(!holds(both.err, "mv "), both.err);
    fs::remove(right);
    fs::remove(file);
    BOOST_TEST(run({wtool_path, "call", "shell_execute", R"({"command": "echo hi"})"}, below).exit_code == 0);
  }
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
