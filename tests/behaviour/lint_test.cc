// What lint says about a workflow file: each mistake once, at its line, with its repair. The mutations of
// tests/data/lint/release.md are rows of mutations.jsonl: a text, its replacement, the line that must be named, and
// what the message must say (one of the phrases between `|`).
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "lint_place.h"

BOOST_AUTO_TEST_SUITE(lint_test)

using namespace wtool::test;

namespace {

const std::string data = WTOOL_TEST_SOURCE_DIR "/tests/data/lint/";

std::vector<Json> mutations() {
  std::vector<Json> rows;
  std::ifstream file(data + "mutations.jsonl");
  for (std::string line; std::getline(file, line);) rows.push_back(Json::parse(line));
  return rows;
}

std::string replaced_once(std::string text, const std::string& old, const std::string& put) {
  const std::size_t at = text.find(old);
  BOOST_REQUIRE_MESSAGE(at != std::string::npos && text.find(old, at + 1) == std::string::npos,
                        "not there exactly once: " << old);
  return text.replace(at, old.size(), put);
}

bool says_one_of(const std::string& message, const std::string& phrases) {
  std::istringstream all(phrases);
  for (std::string phrase; std::getline(all, phrase, '|');) {
    if (holds(message, phrase)) return true;
  }
  return false;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(an_output_that_becomes_a_secret_too_late, Lint) {
  const std::string actions = "- A: Shell \"cat key\"%\n- B: Set secret t=\"${A}\"\n";
  const auto with = [&](const std::string& option) {
    std::string text = actions;
    return found(chain({"A", "B"}, text.replace(text.find('%'), 1, option)));
  };
  BOOST_TEST(with("") == std::vector<std::string>{"11:20: the output of 'A' has been shown and recorded before it "
                                                  "becomes a secret here; give 'A' the option `secret`"},
             boost::test_tools::per_element());
  BOOST_TEST(with(" secret").empty());
}

BOOST_FIXTURE_TEST_CASE(a_composite_state_whose_failure_leads_to_the_state_that_reads_it, Lint) {
  BOOST_TEST(
      found(scratch.file("w.md",
                         "---\ntitle: t\ndescription: d\n---\n```mermaid\nstateDiagram-v2\n[*] --> Work\nstate Work "
                         "{\n[*] --> Fetch\nFetch --> Unpack\nUnpack --> [*]\n}\nWork --> [*]\nWork --> Sorry: "
                         "failure\nSorry --> [*]\n```\n## Actions\n- Fetch: Shell \"false\"\n- Unpack: Shell "
                         "\"true\"\n- Sorry: Log \"exit code ${Fetch.exit_code}\"\n"))
          .empty());
}

BOOST_FIXTURE_TEST_CASE(an_empty_name_is_reported_at_its_place, Lint) {
  scratch.file("wtool.yaml", "prompts: {command: \"cat {{ prompt_file }}\"}\n");
  const std::vector<std::string> all = found(chain({"A", "B"}, "- A: Run workflow \"\"\n- B: Execute prompt \"\"\n"));
  BOOST_REQUIRE_EQUAL(all.size(), 2U);
  BOOST_TEST(all[0].starts_with("10:19: "), all[0]);
  BOOST_TEST(all[1].starts_with("11:21: "), all[1]);
}

BOOST_FIXTURE_TEST_CASE(each_mistake_in_a_good_workflow_is_named_once_at_its_line_with_its_repair, Lint) {
  const std::string good = content_of(data + "release.md");
  const std::vector<Json> rows = mutations();
  BOOST_TEST(rows.size() >= 80U);
  std::vector<std::string> arguments{scratch.file("good.md", good)};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    arguments.push_back(
        scratch.file("m" + std::to_string(i) + ".md", replaced_once(good, rows[i]["old"], rows[i]["new"])));
  }
  arguments.emplace_back("--json");
  const Json result = Json::parse(lint(arguments).out);
  BOOST_TEST(result["files"][0]["findings"].empty(), result["files"][0].dump(2));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Json& row = rows[i];
    const Json& findings = result["files"][i + 1]["findings"];
    BOOST_TEST_CONTEXT(row["mutation"] << "\n" << findings.dump(2)) {
      BOOST_REQUIRE(!findings.empty());
      BOOST_TEST(findings.size() == row.value("findings", 1U));
      const Json& first = findings[0];
      BOOST_TEST(first["line"] == row["line"]);
      if (row.contains("column")) BOOST_TEST(first["column"] == row["column"]);
      BOOST_TEST(says_one_of(first["message"], row["says"]));
      if (row.contains("suggestion")) BOOST_TEST(first["suggestion"] == row["suggestion"]);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_finding_is_followed_by_its_line_with_a_caret_below_the_place, Lint) {
  const std::string file = chain({"A"}, "- A: Log \"größer ${taget}\"\n");
  const Finished finished = lint({file});
  BOOST_TEST(holds(finished.out, "    9 | - A: Log \"größer ${taget}\"\n      |                  ^\n"), finished.out);
  const Finished as_run = run_workflow(file);
  BOOST_TEST(as_run.exit_code == 2);
  BOOST_TEST(holds(as_run.err, "    9 | - A: Log \"größer ${taget}\"\n      |                  ^\n"), as_run.err);
}

BOOST_FIXTURE_TEST_CASE(a_line_that_is_shown_is_cut_and_writes_no_control_characters, Lint) {
  const std::string file =
      chain({"A"}, "- A: Log \"" + std::string(5000, 'x') + "\x1b[31m\t${taget}" + std::string(5000, 'y') + "\"\n");
  const Finished finished = lint({file});
  BOOST_TEST(holds(finished.out, "?[31m\t${taget}yyy"), finished.out);
  BOOST_TEST(!holds(finished.out, "\x1b"));
  BOOST_TEST(finished.out.size() < 700U);
}

BOOST_FIXTURE_TEST_CASE(the_name_of_a_file_writes_no_control_characters_and_no_line, Lint) {
  const std::string text = content_of(chain({"A"}, "- A: Log \"${taget}\"\n"));
  const std::string file = scratch.file("a\x1b]0;b\nwtool: forged\x9b.md", text);
  const std::string shown = R"(a\x1b]0;b\nwtool: forged\x9b.md:)";
  const std::string directory = scratch.file("c\x1b\n.md/d", "");
  for (const Finished& finished : {lint({file}), run_workflow(file), wtool({"plan", file})}) {
    BOOST_TEST(holds(finished.out + finished.err, shown), finished.out << finished.err);
    BOOST_TEST(!holds(finished.out + finished.err, "\x1b"));
    BOOST_TEST(!holds(finished.out + finished.err, "\nwtool: forged"), finished.out << finished.err);
  }
  const std::string good = scratch.file("e\nwtool: forged.md", content_of(chain({"A"}, "- A: Log \"x\"\n")));
  const Finished planned = wtool({"plan", good});
  BOOST_TEST(planned.exit_code == 0, planned.err);
  BOOST_TEST(!holds(planned.out, "\nwtool: forged"), planned.out);
  const Finished unreadable = lint({directory.substr(0, directory.size() - 2)});
  BOOST_TEST(holds(unreadable.err, R"(no workflows in the folder )"), unreadable.err);
  BOOST_TEST(holds(unreadable.err, R"(c\x1b\n.md)"), unreadable.err);
}

BOOST_FIXTURE_TEST_CASE(a_workflow_without_actions_is_a_warning_of_lint_and_not_run, Lint) {
  const std::string file = chain({"A", "B"}, "Words.\n", "## Notes");
  const Finished finished = lint({file});
  BOOST_TEST(finished.exit_code == 0);
  BOOST_TEST(holds(finished.out, "warning: no state of this workflow has an action"), finished.out);
  const Finished as_run = run_workflow(file);
  BOOST_TEST(as_run.exit_code == 2);
  BOOST_TEST(holds(as_run.err, "error: no state of this workflow has an action"), as_run.err);
}

BOOST_FIXTURE_TEST_CASE(an_optional_parameter_without_a_default_that_is_read_is_a_warning, Lint) {
  const auto file = [&](const std::string& parameter, const std::string& exit, const std::string& actions) {
    return scratch.file("w.md", "---\nparameters:\n  - {name: opt" + parameter +
                                    "}\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B" + exit +
                                    (exit.empty() ? "\n" : "\nA --> [*]: default\n") + "B --> [*]\n```\n## Actions\n" +
                                    actions);
  };
  const std::string says =
      "the parameter 'opt' is optional and has no default, so a run without it fails here; give the parameter a "
      "`default` or `required: true`";
  const std::string in_text = says + ", or write {{ opt | default: \"\" }}";
  const std::string read = file("", "", "- A: Shell \"echo ${opt}\"\n- B: Log \"${opt}\"\n");
  BOOST_TEST(found(read) == std::vector<std::string>{"12:18: " + in_text}, boost::test_tools::per_element());
  BOOST_TEST(holds(run_workflow(read).err, "w.md:12:18: error: the state 'A' reads the parameter 'opt'"));
  BOOST_TEST(lint({read, "--var", "opt=x"}).exit_code == 0);
  BOOST_TEST(!holds(lint({read, "--var", "opt=x"}).out, "warning: "));
  BOOST_TEST(found(file("", ": opt == \"x\"", "- A: Shell \"true\"\n- B: Log \"b\"\n")) ==
                 std::vector<std::string>{"8:10: " + says},
             boost::test_tools::per_element());
  // It has a value, or the text can do without one.
  for (const std::string& fine : {file(", default: x", "", "- A: Shell \"echo ${opt}\"\n- B: Log \"b\"\n"),
                                  file(", required: true", "", "- A: Shell \"echo ${opt}\"\n- B: Log \"b\"\n"),
                                  file("", "", "- A: Shell \"echo {{ opt | default: \\\"\\\" }}\"\n- B: Log \"b\"\n"),
                                  file("", "", "- A: Shell \"echo {% if opt %}${opt}{% endif %}\"\n- B: Log \"b\"\n"),
                                  file("", "", "- A: Set opt=\"x\"\n- B: Log \"${opt}\"\n")}) {
    BOOST_TEST(found(fine) == std::vector<std::string>{}, boost::test_tools::per_element());
  }
}

BOOST_FIXTURE_TEST_CASE(a_literal_argument_that_the_called_workflow_does_not_take_is_found_before_the_run, Lint) {
  scratch.file("inner.md",
               "---\nparameters:\n  - {name: mode, type: choice, choices: [fast, safe], default: fast}\n"
               "  - {name: n, type: number, max: 3, default: 1}\n"
               "  - {name: all, type: multi_choice, choices: [x, y], default: [x]}\n---\n```mermaid\n"
               "stateDiagram-v2\n[*] --> I\nI --> [*]\n```\n## Actions\n- I: Log \"${mode} ${n} ${all}\"\n");
  const std::string file = chain(
      {"A", "B"}, "- A: Shell \"touch began\"\n- B: Run workflow \"inner\" with mode=\"slow\" n=\"4\" all=\"x,z\"\n");
  const std::string says = "the workflow 'inner' does not take this value for its parameter ";
  BOOST_TEST(found(file) == (std::vector<std::string>{
                                "11:32: " + says + "'mode': \"slow\" is not one of: fast, safe",
                                "11:44: " + says + "'n': \"4\" is more than the maximum 3",
                                "11:50: " + says + "'all': \"z\" is not one of: x, y",
                            }),
             boost::test_tools::per_element());
  for (const std::string command : {"run", "plan"}) {
    const Finished refused = run({wtool_path, command, file}, here());
    BOOST_TEST(refused.exit_code == 2);
    BOOST_TEST(holds(refused.err, "11:32: error: " + says + "'mode': \"slow\" is not one of: fast, safe"), refused.err);
    BOOST_TEST(!std::filesystem::exists(scratch.path() + "/began"));
  }
  BOOST_TEST(found(chain({"A", "B"},
                         "- A: Shell \"echo slow\"\n- B: Run workflow \"inner\" with mode=\"${A}\" n=3 "
                         "all=\"y,x\"\n")) == std::vector<std::string>{},
             boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(a_heading_that_is_nearly_actions_is_named_and_nothing_is_run, Lint) {
  const std::string file = chain({"A"}, "- A: Shell \"echo x > made\"\n", "## Action");
  const Finished as_run = run_workflow(file);
  BOOST_TEST(as_run.exit_code == 2);
  BOOST_TEST(holds(as_run.err, ":7:1: error: the action below this line would be lost: the line reads \"## Action\""),
             as_run.err);
  BOOST_TEST(this->file("made").empty());
}

BOOST_FIXTURE_TEST_CASE(actions_as_descriptions_of_states_are_named, Lint) {
  const std::string file = scratch.file("d.md",
                                        "```mermaid\nstateDiagram-v2\n[*] --> A\nA: Shell \"make\"\nA --> B\nB: Log "
                                        "the words\nB --> [*]\n```\n\n## Actions\n\n- B: Log \"x\"\n");
  const auto all = found(file);
  BOOST_REQUIRE(all.size() == 1U);
  BOOST_TEST(holds(all[0], "4:4: this action would be lost: in the diagram it is a description"), all[0]);
  BOOST_TEST(holds(all[0], "write `- A: Shell \"make\"`"));
  const auto single = found(scratch.file("s.md",
                                         "```mermaid\nstateDiagram-v2\n[*] --> A\nA: Shell 'make'\nA --> B\nB: Wait "
                                         "'til it is there\nB --> C\nC --> [*]\n```\n\n## Actions\n\n- C: Log "
                                         "\"x\"\n"));
  BOOST_REQUIRE(single.size() == 1U);
  BOOST_TEST(holds(single[0], "4:4: this action would be lost"), single[0]);
}

BOOST_FIXTURE_TEST_CASE(a_strict_run_runs_nothing_if_lint_warns, Lint) {
  const auto strict = [&](const std::string& file) { return run({wtool_path, "run", "--strict", file}, here()); };
  const std::string warned = chain({"A"}, "- A: Shell \"touch ran\"\n- B: Log \"never\"\n");
  const Finished refused = strict(warned);
  BOOST_TEST(refused.exit_code == 2, refused.out << refused.err);
  BOOST_TEST(holds(refused.err, ": warning: "), refused.err);
  BOOST_TEST(holds(refused.err,
                   "the workflow was not run: 0 errors, 1 warning, and with --strict a warning counts as an error"),
             refused.err);
  BOOST_TEST(refused.out == "");
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/ran"));
  const Finished allowed = strict(chain({"A"}, "- A: Shell \"touch ran\"\n"));
  BOOST_TEST(allowed.exit_code == 0, allowed.out << allowed.err);
  BOOST_TEST(std::filesystem::exists(scratch.path() + "/ran"));
}

BOOST_FIXTURE_TEST_CASE(a_broken_configuration_is_one_error_that_is_printed_once, Lint) {
  const std::string file = chain({"A"}, "- A: Log \"x\"\n");
  for (const std::string broken : {"commands: [", "comands: {}\n"}) {
    scratch.file("wtool.yaml", broken);
    for (const std::string option : {"--strict", "--json"}) {
      const Finished finished = lint({file, option});
      BOOST_TEST(finished.exit_code == 2, finished.out);
      BOOST_TEST(holds(finished.out, option == "--json" ? "\"errors\": 1" : "1 error, 0 warnings"), finished.out);
      const std::size_t first = finished.err.find("wtool.yaml");
      BOOST_REQUIRE_MESSAGE(first != std::string::npos, finished.err);
      BOOST_TEST(finished.err.find("wtool: ", 1) == std::string::npos, finished.err);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(lists_about_states_that_have_their_actions_are_documentation, Lint) {
  const std::string file = chain({"A", "B"},
                                 "- A: Shell \"true\"\n- B: Shell \"true\"\n\n## Notes\n\n- A: Shell \"true\" is "
                                 "quick\n- B: runs the tests\n- C: Log \"x\"\n");
  BOOST_TEST(found(file).empty());
}

BOOST_FIXTURE_TEST_CASE(states_with_dashes_are_read_in_commands_and_texts, Lint) {
  const std::string file = chain({"run-tests", "show", "tell"},
                                 "- run-tests: Shell \"echo 5 tests\"\n- show: Shell \"echo ${run-tests.stdout} {{ "
                                 "run-tests | upcase }} >made\"\n- tell: Log \"${run-tests.stderr}\"\n");
  BOOST_TEST(found(file).empty());
  const Finished as_run = run_workflow(file);
  BOOST_TEST(as_run.exit_code == 0, as_run.err);
  BOOST_TEST(this->file("made") == "5 tests\n 5 TESTS\n");
}

BOOST_FIXTURE_TEST_CASE(defaults_of_the_shell_for_names_that_nothing_defines_are_errors, Lint) {
  const auto all = found(chain({"A"}, "- A: Shell \"echo ${place-home} $${place-home} ${place:-home}\"\n"));
  BOOST_REQUIRE(all.size() == 1U);
  BOOST_TEST(holds(all[0], "9:18: the variable 'place-home' is not defined"), all[0]);
  BOOST_TEST(holds(all[0], "is written $${place-home}, or ${place:-home}"), all[0]);
}

BOOST_FIXTURE_TEST_CASE(dashes_in_conditions_and_dots_in_names_are_errors_that_say_how, Lint) {
  const std::string file = scratch.file("d.md",
                                        "```mermaid\nstateDiagram-v2\n[*] --> run-tests\nrun-tests --> b.c: "
                                        "run-tests.exit_code == 0\nrun-tests --> [*]: default\nb.c --> D\nD --> "
                                        "[*]\n```\n\n## Actions\n\n- run-tests: Shell \"true\"\n- b.c: Shell "
                                        "\"true\"\n- D: Log \"${b.c.stdout}\"\n");
  const auto all = found(file);
  BOOST_REQUIRE(all.size() == 2U);
  BOOST_TEST(holds(all[0], "4:20: 'run-tests' is a state, but here a dash subtracts"), all[0]);
  BOOST_TEST(holds(all[0], "result=\"run_tests\" and write run_tests.exit_code"), all[0]);
  BOOST_TEST(holds(all[1], "14:11: 'b.c' is a state, but here a dot takes a field"), all[1]);
  BOOST_TEST(holds(all[1], "result=\"b_c\" and write b_c.stdout"), all[1]);
}

BOOST_FIXTURE_TEST_CASE(states_that_no_placeholder_can_name_are_never_left_to_the_shell, Lint) {
  const auto all = found(chain({"1-build", "all/docs", "B"},
                               "- 1-build: Shell \"true\"\n- all/docs: Shell \"true\"\n- B: Shell \"echo "
                               "${1-build.stdout} ${all/docs} ${1-other} $${all/docs}\"\n"));
  BOOST_REQUIRE(all.size() == 2U);
  BOOST_TEST(holds(all[0], "13:18: '1-build' is a state, but a placeholder cannot have such a name"), all[0]);
  BOOST_TEST(holds(all[1], "13:36: 'all/docs' is a state, but a placeholder cannot have such a name"), all[1]);
  BOOST_TEST(holds(all[1], "result=\"all_docs\" and write ${all_docs}"), all[1]);
}

BOOST_FIXTURE_TEST_CASE(states_that_a_text_would_keep_as_they_are_written_are_errors, Lint) {
  const auto all =
      found(chain({"v1.2", "2", "run-tests", "B", "C", "D"},
                  "- v1.2: Shell \"true\"\n- 2: Shell \"true\"\n- run-tests: Shell \"true\"\n"
                  "- B: Shell \"echo ${v1.2} ${run-tests:-x} $2 $${v1.2} {{.Names}} ${name:-x} ${v1:-x}\"\n"
                  "- C: Log \"${v1.2.stdout} {{ 2 }} ${2} {{ 3 }} $${2} {% raw %}{{ 2 }}{% endraw %}\"\n"
                  "- D: Call tool \"shell_execute\" with {\"command\": \"echo ${v1.2}\"}\n"));
  BOOST_REQUIRE(all.size() == 6U);
  BOOST_TEST(holds(all[0], ": 'v1.2' is a state, but a placeholder cannot have such a name"), all[0]);
  BOOST_TEST(holds(all[0], "result=\"v1_2\" and write ${v1_2}"), all[0]);
  BOOST_TEST(holds(all[1], ": 'run-tests' is a state, but what follows its name here cannot be read"), all[1]);
  BOOST_TEST(holds(all[2], ": 'v1.2' is a state"), all[2]);
  BOOST_TEST(holds(all[3], "result=\"step_2\" and write {{ step_2 }}"), all[3]);
  BOOST_TEST(holds(all[4], "result=\"step_2\" and write ${step_2}"), all[4]);
  BOOST_TEST(holds(all[5], ": 'v1.2' is a state"), all[5]);
}

BOOST_FIXTURE_TEST_CASE(names_without_a_value_on_any_path_are_errors_and_others_are_not, Lint) {
  const auto wrong = found(chain({"A", "B", "C"},
                                 "- A: Log \"${B.stdout}\"\n- B: Shell \"echo ${B.stdout} ${late}\" "
                                 "result=\"b\"\n- C: Shell \"true\" result=\"late\"\n"));
  BOOST_REQUIRE(wrong.size() == 3U);
  BOOST_TEST(holds(wrong[0], "11:11: 'B' never runs before 'A'"), wrong[0]);
  BOOST_TEST(holds(wrong[1], "12:18: the outcome of 'B' does not exist before its own action has ended"), wrong[1]);
  BOOST_TEST(holds(wrong[2], "12:30: 'late' has no value here: no path leads to 'B'"), wrong[2]);
  // These uses are correct: in a loop, after a guard, with a default, and in a state that runs at the end.
  const std::string file = scratch.file(
      "l.md",
      "---\nmax_steps: 9\nfinally: Last\non failure: Sorry\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B: "
      "success\nB --> A: "
      "failure\nB --> [*]: success\nLast --> [*]\nSorry --> [*]\n```\n\n## Actions\n\n- A: Shell \"echo {{ B | "
      "default: "
      "'' }}{% if B %}${B.stdout}{% endif %}\"\n- B: Shell \"echo ${A.stdout}\"\n- Last: Log \"${B.stdout}\"\n- Sorry: "
      "Log \"${B.stderr}\"\n");
  BOOST_TEST(found(file).empty());
}

BOOST_FIXTURE_TEST_CASE(the_outcome_of_a_choice_or_a_fork_is_an_error_and_that_of_a_join_is_not, Lint) {
  const std::string file = scratch.file(
      "f.md",
      "---\nfailures: continue\n---\n```mermaid\nstateDiagram-v2\nstate F <<fork>>\nstate J <<join>>\nstate D "
      "<<choice>>\n"
      "[*] --> F\nF --> A\nF --> B\nA --> J\nB --> J\nJ --> D\nD --> C: success\nD --> C: failure\nC --> [*]\n"
      "```\n\n## Actions\n\n- A: Log \"a\"\n- B: Log \"b\"\n- C: Log \"${J.success} ${F.success} ${D.success}\"\n");
  const auto wrong = found(file);
  BOOST_REQUIRE(wrong.size() == 2U);
  BOOST_TEST(holds(wrong[0], "'F' has no action"), wrong[0]);
  BOOST_TEST(holds(wrong[1], "'D' has no action"), wrong[1]);
}

BOOST_FIXTURE_TEST_CASE(a_name_that_the_matrix_does_not_have_is_an_error, Lint) {
  const std::string matrix = " matrix={\"suite\": [\"a\", \"b\"]}\n";
  const auto wrong = found(chain({"A"}, "- A: Shell \"echo ${matrix.suit}\"" + matrix));
  BOOST_REQUIRE(wrong.size() == 1U);
  BOOST_TEST(holds(wrong[0], "the matrix of this state has no 'suit'; did you mean 'suite'? The names are suite"),
             wrong[0]);
  BOOST_TEST(found(chain({"A"}, "- A: Shell \"echo ${matrix.suite} ${matrix} {% if matrix.x %}x{% endif %}\"" + matrix))
                 .empty());
}

BOOST_FIXTURE_TEST_CASE(an_answer_that_is_compared_with_a_text_that_it_can_never_be_is_a_warning, Lint) {
  const auto with = [&](const std::string& condition, const std::string& set = "") {
    return found(scratch.file(
        "c.md", "```mermaid\nstateDiagram-v2\n[*] --> First\nFirst --> Look\nLook --> Stop: " + condition +
                    "\nLook --> [*]\nStop --> [*]\n```\n\n## Actions\n\n- First: " + (set.empty() ? "Log \"x\"" : set) +
                    "\n- Look: Shell \"cat a\" output={\"risk\": [\"low\", \"high\"], \"n\": "
                    "\"string\"}\n- Stop: Abort \"too risky\"\n"));
  };
  const auto wrong = with("Look.risk == \"hihg\"");
  BOOST_REQUIRE(wrong.size() == 1U);
  BOOST_TEST(holds(wrong[0], "5:29: 'Look.risk' is never \"hihg\"; did you mean 'high'? `output` lists low, high"),
             wrong[0]);
  BOOST_TEST(with("\"none\" != Look.risk").size() == 1U);
  BOOST_TEST(with("Look.risk == \"high\" && Look.n == \"none\"").empty());
  // If a variable and a state have the same name, the name means the variable.
  BOOST_TEST(with("Look == \"none\"", "Set Look=\"none\"").empty());
}

BOOST_FIXTURE_TEST_CASE(what_an_action_that_is_not_understood_would_have_set_is_not_reported_again, Lint) {
  const auto all = found(chain({"Db", "Use"},
                               "- Db: Service \"sleep 9\" free_port=port redy=\"true\"\n- Use: Shell "
                               "\"echo ${port}\"\n"));
  BOOST_REQUIRE(all.size() == 1U);
  BOOST_TEST(holds(all[0], "did you mean 'ready'?"), all[0]);
}

BOOST_FIXTURE_TEST_CASE(steps_that_have_the_same_output_at_the_same_time_are_a_warning, Lint) {
  const auto fork = [&](const std::string& left, const std::string& right) {
    return found(scratch.file(
        "fork.md",
        "```mermaid\nstateDiagram-v2\nstate F <<fork>>\nstate J <<join>>\n[*] --> F\nF --> A\nF --> B\nB --> C\nA --> "
        "J\nC --> J\nJ --> D\nD --> [*]\n```\n## Actions\n- A: Shell \"true\" cache=true " +
            left + "\n- B: Shell \"true\"\n- C: Shell \"true\" cache=true " + right +
            "\n- D: Shell \"true\" cache=true " + left + "\n"));
  };
  const auto warned = fork("outputs=[\"o\"]", "outputs=[\"p\", \"o\"]");
  BOOST_REQUIRE_EQUAL(warned.size(), 2U);
  BOOST_TEST(warned[0].starts_with("17:"), warned[0]);
  BOOST_TEST(holds(warned[1], "'C' and 'D' may write the same file (outputs \"o\" and \"o\")"), warned[1]);
  BOOST_TEST(holds(warned[0], "'A' and 'C' have the same output \"o\", but run at the same time"), warned[0]);
  BOOST_TEST(fork("outputs=[\"o\"]", "outputs=[\"p\"]").empty());
  BOOST_TEST(fork("outputs=[\"o\"]", "outputs=[\"o\"] working_dir=\"sub\"").empty());
  BOOST_TEST(fork("outputs=[\"o\"] lock=\"l\"", "outputs=[\"o\"] lock=\"l\"").empty());  // the same work
  const auto locked = fork("outputs=[\"o\"] lock=\"l\"", "outputs=[\"o\", \"p\"] lock=\"l\"");
  BOOST_REQUIRE_EQUAL(locked.size(), 2U);
  BOOST_TEST(holds(locked[0], "'A' and 'C' may write the same file"), locked[0]);
  const auto matrix = [&](const std::string& options) {
    return found(chain({"A"}, "- A: Shell \"true\" cache=true " + options + "\n"));
  };
  const auto all = matrix("matrix={\"n\": [1, 2]} outputs=[\"${matrix.n}/a\", \"o\"]");
  BOOST_REQUIRE_EQUAL(all.size(), 1U);
  BOOST_TEST(holds(all[0],
                   "all combinations of the matrix have the output \"o\", so none of them is ever up to date; "
                   "use a value of the matrix in it, such as ${matrix.n}"),
             all[0]);
  BOOST_TEST(matrix("matrix={\"n\": [1, 2]} outputs=[\"${matrix.n}/a\"]").empty());
  BOOST_TEST(matrix("matrix={\"n\": [1]} outputs=[\"o\"]").empty());
  BOOST_TEST(matrix("matrix={\"n\": [1, 2]} outputs=[\"o\"] working_dir=\"${matrix.n}\"").empty());
}

BOOST_FIXTURE_TEST_CASE(steps_that_may_write_the_same_file_are_a_warning, Lint) {
  const auto two = [&](const std::string& one, const std::string& other) {
    return found(chain({"A", "B"}, "- A: Shell \"echo a\" cache=true outputs=[" + one +
                                       "]\n- B: Shell \"echo b\" cache=true outputs=[" + other + "]\n"));
  };
  for (const auto& [one, other] : {std::pair{"\"build/**\"", "\"build/**\""},
                                   {"\"app\"", "\"x\", \"app\""},
                                   {"\"dist\"", "\"dist/a\""},
                                   {"\"out\"", "\"*\""},
                                   {"\"sub/o\"", "\"o\"] working_dir=\"sub\" keep=[\"x\""}}) {
    const auto all = two(one, other);
    BOOST_REQUIRE_EQUAL(all.size(), 1U);
    BOOST_TEST(holds(all[0], "'A' and 'B' may write the same file"), all[0]);
  }
  BOOST_TEST(two("\"build/app\"", "\"build/LICENSE\"").empty());
  BOOST_TEST(two("\"o\"", "\"o\"] working_dir=\"sub\" keep=[\"x\"").empty());
}

BOOST_FIXTURE_TEST_CASE(a_file_in_utf_16_is_reported_as_such, Lint) {
  for (const std::string& text : {std::string("\xFF\xFE[\0*\0", 6), std::string("\0#\0 \0A", 6)}) {
    const Finished finished = lint({scratch.file("u.md", text)});
    BOOST_TEST(holds(finished.out, "the file is UTF-16; save it as UTF-8"), finished.out);
  }
}

BOOST_FIXTURE_TEST_CASE(lint_and_graph_take_names_of_workflows, Lint) {
  std::filesystem::create_directories(scratch.path() + "/workflows");
  std::filesystem::rename(chain({"A"}, "- A: Log \"${x}\"\n"), scratch.path() + "/workflows/ship.md");
  const Finished linted = lint({"ship"});
  BOOST_TEST(holds(linted.out, "workflows/ship.md:9:11: error"), linted.out);
  const Finished drawn = run({wtool_path, "graph", "ship"}, here());
  BOOST_TEST(holds(drawn.out, "stateDiagram-v2"), drawn.out << drawn.err);
}

BOOST_FIXTURE_TEST_CASE(graph_takes_the_format_from_the_name_of_its_file, Lint) {
  const std::string workflow = chain({"A"}, "- A: Log \"x\"\n");
  const std::string picture = scratch.path() + "/g.svg";
  BOOST_TEST(run({wtool_path, "graph", workflow, "--output", picture}, here()).exit_code == 0);
  std::stringstream text;
  text << std::ifstream(picture).rdbuf();
  BOOST_TEST(holds(text.str(), "<svg"), text.str());
  const Finished torn = run({wtool_path, "graph", workflow, "--output", picture, "--format", "dot"}, here());
  BOOST_TEST(torn.exit_code == 2);
  BOOST_TEST(holds(torn.err, "a file in the format svg, but --format says dot"), torn.err);
}

BOOST_FIXTURE_TEST_CASE(graph_draws_a_diagram_whose_actions_have_mistakes, Lint) {
  const Finished drawn = run({wtool_path, "graph", chain({"A"}, "- A: Shel \"x\"\n")}, here());
  BOOST_TEST(drawn.exit_code == 0, drawn.err);
  BOOST_TEST(holds(drawn.out, "[*] --> A"), drawn.out);
}

BOOST_FIXTURE_TEST_CASE(a_chain_of_workflows_that_is_too_long_is_one_error, Lint) {
  const int length = 120;
  for (int i = 0; i <= length; ++i) {
    const std::string action = i < length ? "Run workflow \"w" + std::to_string(i + 1) + "\"" : "Log \"x\"";
    scratch.file("w" + std::to_string(i) + ".md",
                 "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n\n## Actions\n\n- A: " + action + "\n");
  }
  const auto all = found(scratch.path() + "/w0.md");
  BOOST_REQUIRE(all.size() == 1U);
  BOOST_TEST(all[0] == "9:20: workflows run one another deeper than 100 levels, down to 'w100'");
  const Finished as_run = run_workflow("w0.md");
  BOOST_TEST(as_run.exit_code == 2);
  const std::string word = "error: ";
  std::size_t errors = 0;
  for (std::size_t at = as_run.err.find(word); at != std::string::npos; at = as_run.err.find(word, at + 1)) ++errors;
  BOOST_TEST(errors == 1U, as_run.err);
}

BOOST_FIXTURE_TEST_CASE(composite_states_that_are_too_deep_are_one_error, Lint) {
  std::string open;
  std::string close;
  for (int i = 0; i < 51; ++i) {
    const std::string inner = "C" + std::to_string(i + 1);
    open += "state C" + std::to_string(i) + " {\n[*] --> " + inner + "\n" + inner + " --> [*]\n";
    close += "}\n";
  }
  const auto all = found(scratch.file("deep.md", "```mermaid\nstateDiagram-v2\n[*] --> C0\nC0 --> [*]\n" + open +
                                                     close + "```\n\n## Actions\n\n- C51: Log \"x\"\n"));
  BOOST_REQUIRE(!all.empty());
  BOOST_TEST(holds(all[0], "composite states are nested deeper than 50 levels"), all[0]);
  BOOST_TEST(all.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
