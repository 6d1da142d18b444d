// `wtool list`, and a run without a name: which workflows are found where, and what is said about them.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(workflow_list_test)

using namespace wtool::test;

namespace {

std::string workflow_of(const std::string& front_matter, const std::string& message = "done") {
  return "---\n" + front_matter +
         "---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n- A: Log \"" + message + "\"\n";
}

// A project with a repository of its own, and a user with a folder of configurations.
struct Project : Place {
  Project() {
    for (const char* folder : {"project/.git", "project/workflows/issue", "project/sub", "user/wtool/workflows"}) {
      std::filesystem::create_directories(scratch.path() + "/" + folder);
    }
  }
  void add(const std::string& file, const std::string& text) const { scratch.file(file, text); }
  ProgramOptions at(const std::string& folder = "project") const {
    ProgramOptions options = here();
    options.directory = scratch.path() + "/" + folder;
    options.set["XDG_CONFIG_HOME"] = scratch.path() + "/user";
    return options;
  }
  Finished wtool(std::vector<std::string> arguments, const std::string& folder = "project") const {
    arguments.insert(arguments.begin(), wtool_path);
    return run(arguments, at(folder));
  }
  Json listed(const std::string& folder = "project") const {
    const Finished finished = wtool({"list", "--json"}, folder);
    BOOST_REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
    return Json::parse(finished.out);
  }
};

std::string names(const Json& listed) {
  std::string all;
  for (const Json& one : listed) all += (all.empty() ? "" : " ") + one.at("name").get<std::string>();
  return all;
}

const Json& named(const Json& listed, const std::string& name) {
  for (const Json& one : listed) {
    if (one.at("name") == name) return one;
  }
  BOOST_FAIL("no workflow " << name << " in " << listed);
  return listed;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(workflow_list, Project)

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_read_is_not_called_empty,
                     *boost::unit_test::precondition(an_ordinary_user_may_run_wtool)) {
  namespace fs = std::filesystem;
  add("project/here.md", workflow_of("title: Beside me\n"));
  fs::permissions(scratch.path(), fs::perms(0711));
  fs::permissions(scratch.path() + "/project", fs::perms(0311));
  const auto list = [&](const std::vector<std::string>& words) {
    std::vector<std::string> argv{wtool_path, "list"};
    argv.insert(argv.end(), words.begin(), words.end());
    return run(as_ordinary_user(argv), at());
  };
  const std::string why = "cannot read the folder " + scratch.path() + "/project: Permission denied";
  const Finished empty = list({});
  BOOST_TEST(empty.exit_code == 2, empty.out << empty.err);
  BOOST_TEST(empty.out == "");
  BOOST_TEST(holds(empty.err, why), empty.err);
  const Finished json = list({"--json"});
  BOOST_TEST(json.exit_code == 2);
  BOOST_TEST(json.out == "[]\n");
  const Finished nameless = run(as_ordinary_user({wtool_path, "run"}), at());
  BOOST_TEST(nameless.exit_code == 2);
  BOOST_TEST(holds(nameless.err, why), nameless.err);
  // What can be read is listed.
  add("project/workflows/other.md", workflow_of("title: Other\n"));
  const Finished other = list({});
  BOOST_TEST(other.exit_code == 2);
  BOOST_TEST(holds(other.out, "other"), other.out);
  BOOST_TEST(holds(other.err, why), other.err);
  fs::permissions(scratch.path() + "/project", fs::perms(0700));
}

BOOST_AUTO_TEST_CASE(workflows_of_project_and_user_are_listed_once_each_and_run_by_their_names) {
  add("project/here.md", workflow_of("title: Beside me\n"));
  add("project/workflows/here.md", workflow_of("title: In the folder\n"));
  add("project/README.md", "# No workflow\n");
  add("project/workflows/README.md", "# No workflow either\n");
  add("project/workflows/issue/review.md", workflow_of("description: Looks at it\n"));
  add("project/workflows/both.md", workflow_of("title: of the project\n", "of the project"));
  add("user/wtool/workflows/both.md", workflow_of("title: of the user\n", "of the user"));
  add("user/wtool/workflows/mine.md", workflow_of("title: Everywhere\n", "of the user"));
  const Json all = listed();
  BOOST_TEST(names(all) == "both here issue/review mine");
  BOOST_TEST(named(all, "both").at("title") == "of the project");
  BOOST_TEST(named(all, "here").at("title") == "Beside me");
  BOOST_TEST(named(all, "both").at("where") == "project");
  BOOST_TEST(named(all, "both").at("file") == "workflows/both.md");
  BOOST_TEST(named(all, "mine").at("where") == "user");
  BOOST_TEST(named(all, "mine").at("file") == scratch.path() + "/user/wtool/workflows/mine.md");
  BOOST_TEST(names(listed("project/sub")) == "both here issue/review mine");
  for (const char* name : {"both", "here", "issue/review", "mine"}) {
    BOOST_TEST_CONTEXT(name) {
      const Finished finished = wtool({"run", name});
      BOOST_TEST(finished.exit_code == 0, finished.err);
      BOOST_TEST(holds(finished.err, std::string(name) == "both" ? "of the project" : "journal"), finished.err);
      for (const char* command : {"plan", "lint", "graph"}) BOOST_TEST(wtool({command, name}).exit_code == 0, command);
    }
  }
  // The project's workflow runs one of the user's workflows.
  add("project/caller.md",
      "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n- A: Run workflow \"mine\"\n");
  const Finished called = wtool({"run", "caller"});
  BOOST_TEST(called.exit_code == 0, called.err);
  BOOST_TEST(holds(called.err, "of the user"), called.err);
}

BOOST_AUTO_TEST_CASE(parameters_are_listed_without_the_defaults_of_secrets) {
  add("project/release.md",
      workflow_of("title: Makes a release\ndescription: |\n  Builds it.\n  And more.\nparameters:\n"
                  "  - {name: version, description: which one, required: true}\n"
                  "  - {name: coats, type: number, default: 2}\n"
                  "  - {name: stage, type: choice, choices: [a, b]}\n"
                  "  - {name: token, secret: true, default: hunter2}\n"));
  const Json parameters = listed().at(0).at("parameters");
  BOOST_TEST(parameters.at(0) == (Json{{"name", "version"},
                                       {"description", "which one"},
                                       {"type", "string"},
                                       {"required", true},
                                       {"secret", false},
                                       {"default", nullptr},
                                       {"choices", Json::array()}}));
  BOOST_TEST(parameters.at(1).at("default") == 2);
  BOOST_TEST(parameters.at(2).at("choices") == (Json{"a", "b"}));
  BOOST_TEST(parameters.at(3).at("secret") == true);
  BOOST_TEST(parameters.at(3).at("default") == nullptr);
  const Finished table = wtool({"list"});
  BOOST_TEST(holds(table.out, "version [coats] [stage] [token]"), table.out);
  BOOST_TEST(holds(table.out, "Makes a release: Builds it.\n"), table.out);
}

BOOST_AUTO_TEST_CASE(a_file_with_errors_is_listed_with_the_first_of_them) {
  add("project/workflows/bad.md",
      "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n- A: Shel \"x\"\n");
  const Json all = listed();
  BOOST_TEST(holds(named(all, "bad").at("problem").get<std::string>(), "workflows/bad.md:7:"), all);
  BOOST_TEST(holds(wtool({"list"}).out, "has errors: "));
}

BOOST_AUTO_TEST_CASE(if_no_workflow_exists_the_folders_are_named) {
  const Finished finished = wtool({"list"});
  BOOST_TEST(finished.exit_code == 0);
  for (const std::string& part : {scratch.path() + "/project/workflows", scratch.path() + "/user/wtool/workflows",
                                  std::string("/etc/wtool/workflows"), std::string("wtool init workflow")}) {
    BOOST_TEST(holds(finished.out, part), finished.out);
  }
  BOOST_TEST(wtool({"list", "--json"}).out == "[]\n");
}

BOOST_AUTO_TEST_CASE(a_misspelt_name_is_answered_with_the_nearest_workflow) {
  const Finished none = wtool({"run", "relase"});
  BOOST_TEST(none.exit_code == 2);
  BOOST_TEST(holds(none.err, "no workflow of that name in " + scratch.path() + "/project, "), none.err);
  BOOST_TEST(holds(none.err, "there are no workflows in these folders"), none.err);
  add("project/release.md", workflow_of("title: beside me\n"));
  add("project/workflows/other.md", workflow_of("title: in a folder\n"));
  for (const char* command : {"run", "plan", "lint", "graph"}) {
    const Finished near = wtool({command, "relase"});
    BOOST_TEST(near.exit_code == 2);
    BOOST_TEST(holds(near.out + near.err, "; did you mean 'release'? The workflows are other, release"), near.err);
  }
}

BOOST_AUTO_TEST_CASE(lint_without_a_file_checks_what_list_shows) {
  const std::string mistake = "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n- A: Shel \"x\"\n";
  add("project/README.md", "# No workflow\n");
  add("project/here.md", workflow_of("title: Beside me\n"));
  add("project/workflows/issue/review.md", workflow_of("title: Below\n"));
  add("user/wtool/workflows/mine.md", workflow_of("title: Everywhere\n"));
  const auto linted = [&](std::vector<std::string> words, int status) {
    words.insert(words.begin(), {"lint", "--json"});
    const Finished finished = wtool(words);
    BOOST_TEST(finished.exit_code == status, finished.out << finished.err);
    const Json printed = Json::parse(finished.out);
    std::vector<std::string> files;
    for (const Json& one : printed.at("files")) files.push_back(one.at("file"));
    return files;
  };
  std::vector<std::string> all;
  const Json shown = listed();
  for (const Json& one : shown) all.push_back(one.at("file"));
  BOOST_TEST(linted({}, 0) == all, boost::test_tools::per_element());
  // The exit status is the worst of all files.
  add("project/workflows/bad.md", mistake);
  BOOST_TEST(linted({}, 2).size() == 4U);
  const Finished text = wtool({"lint"});
  BOOST_TEST(holds(text.out, "workflows/bad.md:7:6: error: "), text.out);
  BOOST_TEST(holds(text.out, "4 files: 1 error, "), text.out);
  BOOST_TEST(
      linted({"here.md", "workflows/issue"}, 0) == (std::vector<std::string>{"here.md", "workflows/issue/review.md"}),
      boost::test_tools::per_element());
  BOOST_TEST(linted({"workflows", "here.md"}, 2) ==
                 (std::vector<std::string>{"workflows/bad.md", "workflows/issue/review.md", "here.md"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(lint_that_finds_no_workflow_to_check_is_an_error) {
  const Finished none = wtool({"lint"});
  BOOST_TEST(none.exit_code == 2);
  BOOST_TEST(holds(none.err, "there are no workflows in " + scratch.path() + "/project, "), none.err);
  add("project/sub/README.md", "# No workflow\n");
  const Finished empty = wtool({"lint", "sub"});
  BOOST_TEST(empty.exit_code == 2);
  BOOST_TEST(holds(empty.err, "there are no workflows in the folder sub"), empty.err);
}

BOOST_AUTO_TEST_CASE(copies_that_git_and_runs_keep_are_not_checked) {
  for (const char* file : {"in/.git/copy.md", "in/.wtool/runs/copy.md", "in/.wtool/workflows/ship.md"}) {
    std::filesystem::create_directories(std::filesystem::path(scratch.path() + "/project/" + file).parent_path());
    add(std::string("project/") + file, workflow_of("title: t\n"));
  }
  const Finished finished = wtool({"lint", "in"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(finished.out == "1 file: 0 errors, 0 warnings\n");
}

BOOST_AUTO_TEST_CASE(lint_changes_only_files_and_folders_that_are_named) {
  const std::string old =
      "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> [*]\n```\n## Actions\n- A: Shell \"false\"\n"
      "- B: Log \"${A.exit_code}\"\n";
  add("project/workflows/old.md", old);
  const Finished all = wtool({"lint", "--fix"});
  BOOST_TEST(all.exit_code == 2);
  BOOST_TEST(holds(all.err, "--fix changes files, so name them"), all.err);
  BOOST_TEST(file("project/workflows/old.md") == old);
  const Finished folder = wtool({"lint", "--fix", "workflows"});
  BOOST_TEST(holds(folder.out, "workflows/old.md: fixed: "), folder.out << folder.err);
  BOOST_TEST(holds(file("project/workflows/old.md"), "failures: continue"));
}

BOOST_AUTO_TEST_CASE(a_run_without_a_name_lists_the_workflows) {
  const Finished none = wtool({"run"});
  BOOST_TEST(none.exit_code == 2);
  BOOST_TEST(holds(none.err, "name a workflow; this folder has none"), none.err);
  add("project/one.md", workflow_of("title: one\n"));
  add("project/two.md", workflow_of("title: two\n"));
  const Finished some = wtool({"run"});
  BOOST_TEST(some.exit_code == 2);
  BOOST_TEST(holds(some.err, "name a workflow, as in `wtool run one`; the workflows are: one, two (`wtool list`"),
             some.err);
  BOOST_TEST(wtool({"run", ""}).exit_code == 2);
}

BOOST_AUTO_TEST_CASE(on_a_terminal_a_run_without_a_name_offers_the_workflows) {
  add("project/one.md", workflow_of("title: The first\n", "first ran"));
  add("project/two.md", workflow_of("title: The second\n", "second ran"));
  Program program({wtool_path, "run"}, Program::On::terminal, at());
  BOOST_TEST_REQUIRE(program.wait_for_output("Enter: none)? "));
  BOOST_TEST(holds(program.output(), "2  two"), program.output());
  program.type("3\n");
  // What is typed before the question is shown again does not count.
  BOOST_TEST_REQUIRE(program.wait_for([&] {
    const std::size_t told = program.output().find("No workflow has that number or name.");
    return told != std::string::npos && program.output().find("Enter: none)? ", told) != std::string::npos;
  }));
  program.type("2\n");
  const Finished chosen = program.wait();
  BOOST_TEST(chosen.exit_code == 0, chosen.out);
  BOOST_TEST(holds(chosen.out, "second ran"), chosen.out);
  BOOST_TEST(!holds(chosen.out, "first ran"), chosen.out);

  Program left({wtool_path, "run"}, Program::On::terminal, at());
  BOOST_TEST_REQUIRE(left.wait_for_output("Enter: none)? "));
  left.type("\n");
  BOOST_TEST(left.wait().exit_code == 2);
  Program interrupted({wtool_path, "run"}, Program::On::terminal, at());
  BOOST_TEST_REQUIRE(interrupted.wait_for_output("Enter: none)? "));
  interrupted.type("\x03");
  BOOST_TEST(interrupted.wait().exit_code == 130);
}

BOOST_AUTO_TEST_CASE(a_workflow_with_blanks_in_its_name_is_chosen_by_its_name) {
  add("project/my build.md", workflow_of("title: The first\n", "first ran"));
  add("project/two.md", workflow_of("title: The second\n", "second ran"));
  Program program({wtool_path, "run"}, Program::On::terminal, at());
  BOOST_TEST_REQUIRE(program.wait_for_output("Enter: none)? "));
  program.type(" my build \n");
  const Finished chosen = program.wait();
  BOOST_TEST(chosen.exit_code == 0, chosen.out);
  BOOST_TEST(holds(chosen.out, "first ran"), chosen.out);
}

BOOST_AUTO_TEST_CASE(no_name_is_cut_where_no_person_reads_it_on_a_terminal) {
  const std::string name(90, 'n');
  add("project/" + name + ".md",
      "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n- A: Log \"x\"\n");
  const std::string listed = wtool({"list"}).out;
  BOOST_TEST(holds(listed, name + " "), listed);
}

BOOST_AUTO_TEST_CASE(a_dry_run_is_a_plan) {
  add("project/touches.md",
      "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n- A: Shell \"touch ${what}\"\n");
  const std::string plan = wtool({"plan", "touches", "--var", "what=it"}).out;
  BOOST_TEST(holds(plan, "$ touch 'it'"), plan);
  for (const char* option : {"-n", "--dry-run"}) {
    const Finished dry = wtool({"run", "touches", option, "--var", "what=it"});
    BOOST_TEST(dry.exit_code == 0, dry.err);
    BOOST_TEST(dry.out == plan);
  }
  BOOST_TEST(wtool({"run", "touches", "-n", "--json", "--var", "what=it"}).out ==
             wtool({"plan", "touches", "--json", "--var", "what=it"}).out);
  BOOST_TEST(holds(wtool({"run", "touches", "--json"}).err, "--dry-run"));
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/project/it"));
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/project/.wtool"));
  BOOST_TEST(wtool({"run", "touches", "-n", "--junit", "x.xml", "--var", "what=it"}).exit_code == 2);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
