// What a resumed run uses as its inputs: never a mask in place of a secret, and lists as lists; and how it notices that
// an action has been changed.
#include <signal.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(resumed_runs_test)

using namespace wtool::test;

namespace {

namespace fs = std::filesystem;

struct Resumed : Place {
  Finished wtool(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), wtool_path);
    ProgramOptions options = here();
    options.set["XDG_CACHE_HOME"] = scratch.path() + "/cache";
    return run(arguments, options);
  }
  std::string workflow_with(const std::string& parameters, const std::string& actions) const {
    return scratch.file("workflow.md", "---\ntitle: A test\nparameters:\n" + parameters +
                                           "---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> [*]\n```\n"
                                           "## Actions\n" +
                                           actions);
  }
  // The name of the file; there is only one run.
  std::string journal_name() const {
    for (const auto& entry : fs::directory_iterator(scratch.path() + "/.wtool/runs")) {
      if (entry.path().extension() == ".jsonl") return entry.path().filename();
    }
    return {};
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(resumed_runs, Resumed)

BOOST_AUTO_TEST_CASE(an_input_that_holds_a_secret_is_asked_for_again_after_a_kill) {
  const std::string file_ =
      workflow_with("  - {name: token, secret: true}\n  - {name: url}\n  - {name: plain}\n",
                    "- A: Shell \"echo ${url} ${plain} >>seen\"\n- B: Shell \"touch ready; test -e go || sleep 61\"\n");
  const std::string token = "token=" + scratch.file("token", "hunter2hunter2\n");
  {
    Program program({wtool_path, "run", file_, "--var-file", token, "--var", "url=https://hunter2hunter2@host", "--var",
                     "plain=a word"},
                    Program::On::pipes, here());
    BOOST_REQUIRE(wait_until([&] { return fs::exists(scratch.path() + "/ready"); }, std::chrono::seconds(30)));
    program.kill(SIGKILL);
    program.wait();
  }
  scratch.file("go", "");
  const Finished refused = wtool({"resume", "last", "--var-file", token});
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(holds(refused.err, "the input 'url' contains a secret"), refused.err);
  BOOST_TEST(holds(refused.err, "--var-file url=FILE or --var-env url=VARIABLE"), refused.err);
  BOOST_TEST(!holds(refused.err, "plain"), refused.err);
  const Finished resumed =
      wtool({"resume", "last", "--from", "A", "--var-file", token, "--var", "url=https://hunter2hunter2@host"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(file("seen") == "https://hunter2hunter2@host a word\nhttps://hunter2hunter2@host a word\n");
}

BOOST_AUTO_TEST_CASE(a_step_that_a_kill_interrupted_has_no_time_and_its_output_is_said_to_be_lost) {
  const std::string file_ = workflow_with(
      "  - name: plain\n", "- A: Shell \"echo kept\"\n- B: Shell \"echo lost; touch ready; test -e go || sleep 61\"\n");
  Program program({wtool_path, "run", file_}, Program::On::pipes, here());
  BOOST_REQUIRE(wait_until([&] { return fs::exists(scratch.path() + "/ready"); }, std::chrono::seconds(30)));
  const Finished running = wtool({"show", "last"});
  BOOST_TEST(holds(running.out, "  B      not ended  "), running.out);
  BOOST_TEST(!holds(running.out, "lost"), running.out);
  program.kill(SIGKILL);
  program.wait();
  const Finished shown = wtool({"show", "last"});
  BOOST_TEST(holds(shown.out, ": interrupted after at least "), shown.out);
  BOOST_TEST(holds(shown.out, "\n  B      interrupted  not known\n"), shown.out);
  BOOST_TEST(holds(shown.out, "\n  Interrupted: B\n  What this step had written until then is lost.\n"), shown.out);
  const Json run = Json::parse(wtool({"show", "last", "--json"}).out);
  BOOST_TEST(run["steps"][0].contains("ms"));
  BOOST_TEST(!run["steps"][0].contains("interrupted"));
  BOOST_TEST(run["steps"][1]["interrupted"] == true);
  BOOST_TEST(!run["steps"][1].contains("ms"), run["steps"][1]);
  BOOST_TEST(holds(wtool({"runs"}).out, "  interrupted  at least "));
  const std::string junit = wtool({"report", "last", "--junit", "-"}).out;
  const std::size_t at = junit.find("<testcase name=\"B\"");
  BOOST_REQUIRE_MESSAGE(at != std::string::npos, junit);
  BOOST_TEST(!holds(junit.substr(at, junit.find('>', at) - at), "time="), junit);
  scratch.file("go", "");
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  const Finished later = wtool({"show", "last"});
  BOOST_TEST(!holds(later.out, "nterrupted"), later.out);
}

BOOST_AUTO_TEST_CASE(a_step_that_contains_kept_steps_is_shown_before_them) {
  scratch.file("inner.md",
               "```mermaid\nstateDiagram-v2\n[*] --> X\nX --> Y\nY --> [*]\n```\n## Actions\n"
               "- X: Shell \"true\"\n- Y: Shell \"test -e go\"\n");
  scratch.file("middle.md",
               "```mermaid\nstateDiagram-v2\n[*] --> M\nM --> [*]\n```\n## Actions\n- M: Run workflow \"inner\"\n");
  const std::string file_ = workflow_with("  - name: plain\n", "- A: Shell \"true\"\n- B: Run workflow \"middle\"\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  scratch.file("go", "");
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 0);
  std::string order;
  const Json run = Json::parse(wtool({"show", "last", "--json"}).out);
  for (const Json& step : run["steps"]) {
    order += step["state"].get<std::string>() + (step.contains("kept") ? "(kept) " : " ");
  }
  BOOST_TEST(order == "A(kept) B M X(kept) Y ");
}

BOOST_AUTO_TEST_CASE(kept_branches_are_summed_up_in_the_order_in_which_they_ran) {
  // Each branch waits until the other one has begun.
  const std::string file_ = scratch.file(
      "workflow.md",
      "---\n---\n```mermaid\nstateDiagram-v2\n[*] --> F\nstate F <<fork>>\nstate J <<join>>\nF --> A\nF --> B\n"
      "A --> A2\nB --> B2\nA2 --> J\nB2 --> J\nJ --> C\nC --> [*]\n```\n## Actions\n"
      "- A: Shell \"touch a; until test -e b; do sleep 0.02; done\"\n"
      "- B: Shell \"touch b; until test -e a; do sleep 0.02; done\"\n"
      "- A2: Shell \"true\"\n- B2: Shell \"true\"\n- C: Shell \"test -e go\"\n");
  const auto states_of = [](const Finished& finished) {
    const std::regex row("\n  ([A-Z]2?) +(?:ok|-|failed)");
    std::string states;
    for (std::sregex_iterator at(finished.out.begin(), finished.out.end(), row), end; at != end; ++at) {
      states += (*at)[1].str() + " ";
    }
    return states;
  };
  const std::string before = states_of(wtool({"run", file_}));
  BOOST_TEST(before.size() == std::string("F A B A2 B2 J C ").size(), before);
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(states_of(resumed) == before, resumed.out);
}

BOOST_AUTO_TEST_CASE(a_run_that_continues_in_another_directory_says_so) {
  const std::string file_ =
      workflow_with("  - {name: unused, default: x}\n", "- A: Shell \"echo A >>log\"\n- B: Shell \"test -e go\"\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  BOOST_TEST(!holds(wtool({"resume", "last"}).err, "was started in"));
  const std::string moved = scratch.path() + "/moved";
  fs::create_directory(moved);
  fs::copy(scratch.path() + "/.wtool", moved + "/.wtool", fs::copy_options::recursive);
  ProgramOptions there = here();
  there.directory = moved;
  const Finished resumed = run({wtool_path, "resume", "last"}, there);
  BOOST_TEST(holds(resumed.err, "was started in " + scratch.path() + ", and continues in " + moved), resumed.err);
}

BOOST_AUTO_TEST_CASE(a_list_with_choices_survives) {
  const std::string file_ = workflow_with(
      "  - name: colours\n    type: multi_choice\n    choices: [red, \"deep, blue\", green]\n    default: [red, "
      "\"deep, "
      "blue\"]\n",
      "- A: Shell \"true\"\n- B: Shell \"test -e go && printf '%s;' {{ colours | join: '+' }} >seen\"\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  scratch.file("go", "");
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(file("seen") == "red+deep, blue;");
}

BOOST_AUTO_TEST_CASE(a_list_is_handed_to_an_inner_workflow_as_it_is) {
  scratch.file("inner.md",
               "---\nparameters:\n  - name: colours\n    type: multi_choice\n    choices: [red, \"deep, blue\"]\n---\n"
               "```mermaid\nstateDiagram-v2\n[*] --> X\nX --> [*]\n```\n## Actions\n"
               "- X: Shell \"echo {{ colours | size }} {{ colours | last }} >seen\"\n");
  const std::string file_ = workflow_with(
      "  - name: picked\n    type: multi_choice\n    choices: [red, \"deep, blue\"]\n    default: [red, \"deep, "
      "blue\"]\n",
      "- A: Run workflow \"inner\" with colours=\"${picked}\"\n- B: Log \"done\"\n");
  const Finished finished = wtool({"run", file_});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("seen") == "2 deep, blue\n");
}

BOOST_AUTO_TEST_CASE(a_step_whose_action_has_been_changed_runs_again_with_all_that_follow) {
  const std::string unused = "  - {name: unused, default: x}\n";
  const std::string failing = "- B: Shell \"echo B >>log; test -e go\"\n";
  const std::string file_ = workflow_with(unused, "- A: Shell\n  ```sh\n  echo A >>log\n  ```\n" + failing);
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  // The action stays the same if only the layout of the file changes.
  workflow_with(unused, "Words before the list.\n\n" + failing + "- A:  Shell\n\n  ```sh\n  echo A >>log\n  ```\n");
  const Finished same = wtool({"resume", "last"});
  BOOST_TEST(same.exit_code == 1, same.out << same.err);
  BOOST_TEST(!holds(same.err, "differs from that of the run"), same.err);
  BOOST_TEST(file("log") == "A\nB\nB\n");
  workflow_with(unused, "- A: Shell\n  ```sh\n  echo new >>log\n  ```\n" + failing);
  const Finished changed = wtool({"resume", "last"});
  BOOST_TEST(holds(changed.err, "the action of 'A' has been changed; from here on, every step is run"), changed.err);
  BOOST_TEST(file("log") == "A\nB\nB\nnew\nB\n");
  // What counts is the action with which the step ran last.
  scratch.file("go", "");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("log") == "A\nB\nB\nnew\nB\nB\n");
}

BOOST_AUTO_TEST_CASE(a_parameter_with_another_value_makes_the_steps_that_read_it_run_again_with_all_that_follow) {
  const std::string file_ = workflow_with(
      "  - {name: version, default: \"1\"}\n  - {name: other, default: x}\n",
      "- A: Shell \"echo A >>log\"\n- B: Run workflow \"inner\" with version=${version} other=${other}\n");
  scratch.file("inner.md",
               "---\nparameters: [{name: version}, {name: other}]\n---\n```mermaid\nstateDiagram-v2\n[*] --> Build\n"
               "Build --> Ship\nShip --> [*]\n```\n## Actions\n- Build: Shell \"echo built ${version} >>log\"\n"
               "- Ship: Shell \"test -e go && echo shipped ${version} >>log\"\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  const Finished same = wtool({"resume", "last", "--var", "version=1"});
  BOOST_TEST(!holds(same.err, "another value"), same.err);
  scratch.file("go", "");
  const Finished finished = wtool({"resume", "last", "--var", "version=2"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.err, "the parameter 'version', which 'B' reads, has another value"), finished.err);
  BOOST_TEST(file("log") == "A\nbuilt 1\nbuilt 2\nshipped 2\n");
}

// A secret step runs again, so what it gives to a workflow may be something else now.
BOOST_AUTO_TEST_CASE(a_workflow_that_gets_another_value_than_before_runs_again_with_all_that_follow) {
  const std::string file_ = scratch.file(
      "workflow.md",
      "---\n---\n```mermaid\nstateDiagram-v2\n[*] --> Look\nLook --> Whole\nWhole --> Part\nPart --> [*]\n```\n"
      "## Actions\n- Look: Shell \"cat version\" secret=true\n"
      "- Whole: Run workflow \"inner\" with size=\"{{ Look.stdout | size }}\" file=\"version\"\n"
      "- Part: Run workflow \"inner\" with size=\"{{ Look.stdout | size }}\" file=\"go\"\n");
  scratch.file("inner.md",
               "---\nparameters: [{name: size}, {name: file}]\n---\n```mermaid\nstateDiagram-v2\n[*] --> X\n"
               "X --> Y\nY --> [*]\n```\n## Actions\n- X: Shell \"echo ${size} >>log\"\n"
               "- Y: Shell \"test -e ${file}\"\n");
  scratch.file("version", "abcdef");
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  BOOST_TEST(file("log") == "6\n6\n");
  const Finished same = wtool({"resume", "last"});
  BOOST_TEST(!holds(same.err, "another value"), same.err);
  BOOST_TEST(file("log") == "6\n6\n");
  scratch.file("version", "abcdefgh");
  const Finished changed = wtool({"resume", "last"});
  BOOST_TEST(holds(changed.err,
                   "the parameter 'size' of the workflow that 'Whole' runs has another value than in the run that is "
                   "resumed; from here on, every step is run"),
             changed.err);
  BOOST_TEST(file("log") == "6\n6\n8\n8\n");
  scratch.file("go", "");
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 0);
  BOOST_TEST(file("log") == "6\n6\n8\n8\n");
}

BOOST_AUTO_TEST_CASE(a_workflow_that_was_interrupted_and_now_gets_another_value_begins_again) {
  const std::string file_ = scratch.file(
      "workflow.md",
      "---\n---\n```mermaid\nstateDiagram-v2\n[*] --> Look\nLook --> Each\nEach --> [*]\n```\n## Actions\n"
      "- Look: Shell \"cat version\" secret=true\n"
      "- Each: Run workflow \"inner\" with size=\"{{ Look.stdout | size }}\" n=\"${matrix.n}\" matrix={\"n\": [7]}\n");
  scratch.file("inner.md",
               "---\nparameters: [{name: size}, {name: n}, {name: token, secret: true, default: abc}]\n---\n"
               "```mermaid\nstateDiagram-v2\n[*] --> X\nX --> Y\nY --> [*]\n```\n## Actions\n"
               "- X: Shell \"echo ${n} ${size} >>log\"\n- Y: Shell \"test -e go\"\n");
  scratch.file("version", "abcdef");
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 1);
  BOOST_TEST(file("log") == "7 6\n");
  scratch.file("version", "abcdefgh");
  scratch.file("go", "");
  const Finished changed = wtool({"resume", "last"});
  BOOST_TEST(changed.exit_code == 0, changed.out << changed.err);
  BOOST_TEST(holds(changed.err, "the parameter 'size' of the workflow that 'Each' runs has another value"),
             changed.err);
  BOOST_TEST(file("log") == "7 6\n7 8\n");
}

BOOST_AUTO_TEST_CASE(another_workflow_than_before_runs) {
  scratch.file("one.md",
               "```mermaid\nstateDiagram-v2\n[*] --> X\nX --> [*]\n```\n## Actions\n- X: Shell \"echo one >>log\"\n");
  scratch.file("three.md",
               "```mermaid\nstateDiagram-v2\n[*] --> X\nX --> [*]\n```\n## Actions\n- X: Shell \"echo three >>log\"\n");
  const std::string file_ = scratch.file(
      "workflow.md",
      "---\n---\n```mermaid\nstateDiagram-v2\n[*] --> Look\nLook --> A\nA --> B\nB --> [*]\n```\n## Actions\n"
      "- Look: Shell \"cat name\" secret=true\n"
      "- A: Run workflow \"{% if Look.stdout == 'the first' %}one{% else %}three{% endif %}\"\n- B: Shell \"test -e "
      "go\"\n");
  scratch.file("name", "the first");
  const Finished first = wtool({"run", file_});
  BOOST_TEST(first.exit_code == 1, first.out << first.err);
  scratch.file("name", "the other");
  scratch.file("go", "");
  const Finished changed = wtool({"resume", "last"});
  BOOST_TEST(changed.exit_code == 0, changed.out << changed.err);
  BOOST_TEST(holds(changed.err, "'A' now runs the workflow \"three\", and not \"one\" as in the run that is resumed"),
             changed.err);
  BOOST_TEST(file("log") == "one\nthree\n");
}

BOOST_AUTO_TEST_CASE(a_parameter_that_is_given_for_the_first_time_makes_the_steps_that_read_it_run_again) {
  const std::string file_ = workflow_with(
      "  - {name: who}\n  - {name: token, secret: true, default: none}\n",
      "- A: Shell \"echo {{ who | default: 'nobody' }} {{ token | size }} >>log\"\n- B: Shell \"test -e go\"\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  BOOST_TEST(file("log") == "nobody 4\n");
  // The journal has no value of a secret, so a default that is still the same must not count as new.
  const Finished same = wtool({"resume", "last"});
  BOOST_TEST(!holds(same.err, "another value"), same.err);
  scratch.file("go", "");
  const Finished finished = wtool({"resume", "last", "--var", "who=customer"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("log") == "nobody 4\ncustomer 4\n");
}

BOOST_AUTO_TEST_CASE(a_combination_of_a_matrix_that_was_another_one_before_runs) {
  const std::string file_ = scratch.file(
      "workflow.md",
      "---\nfail_fast: false\n---\n```mermaid\nstateDiagram-v2\n[*] --> List\nList --> Each\nEach --> [*]\n```\n"
      "## Actions\n- List: Shell \"cat names\" secret=true\n"
      "- Each: Shell \"echo ${matrix.name} >>log; test -e go || test ${matrix.name} != bad\" "
      "matrix={\"name\": \"{{ List.stdout | lines }}\"}\n");
  scratch.file("names", "a\nbad\n");
  BOOST_TEST(wtool({"run", file_, "--max-parallel", "1"}).exit_code == 1);
  scratch.file("names", "new\nbad\n");
  scratch.file("go", "");
  fs::remove(scratch.path() + "/log");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  const std::string log = file("log");
  BOOST_TEST(holds(log, "new\n"), log);
}

BOOST_AUTO_TEST_CASE(a_further_try_of_an_inner_workflow_runs_all_of_it_again) {
  const std::string file_ =
      scratch.file("workflow.md",
                   "---\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n"
                   "- A: Run workflow \"inner\" retry=1\n");
  scratch.file(
      "inner.md",
      "---\n---\n```mermaid\nstateDiagram-v2\n[*] --> Build\nBuild --> Ship\nShip --> [*]\n```\n## Actions\n"
      "- Build: Shell \"echo build >>log\"\n- Ship: Shell \"echo ship >>log; test $(grep -c build log) -ge 3\"\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  BOOST_TEST(file("log") == "build\nship\nbuild\nship\n");
  // The first try continues where the earlier run ended; the second one runs the whole workflow.
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("log") == "build\nship\nbuild\nship\nship\nbuild\nship\n");
}

BOOST_AUTO_TEST_CASE(a_resumed_run_keeps_the_option_no_fail_fast) {
  const std::string file_ =
      workflow_with("  - {name: unused, default: x}\n",
                    "- A: Shell \"true\"\n- B: Shell \"echo ${matrix.n} >>log; exit 1\" matrix={\"n\": [1, 2]}\n");
  const auto lines = [&] {
    const std::string log = file("log");
    return std::count(log.begin(), log.end(), '\n');
  };
  BOOST_TEST(wtool({"run", file_, "--no-fail-fast"}).exit_code == 1);
  BOOST_TEST(lines() == 2);
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 1);
  BOOST_TEST(lines() == 4);
  BOOST_TEST(wtool({"resume", "last", "--fail-fast"}).exit_code == 1);
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 1);
  // With --fail-fast, the second combination may begin or not, so the records say which option each run had.
  std::istringstream journal(file(".wtool/runs/" + journal_name()));
  std::string options;
  for (std::string line; std::getline(journal, line);) {
    const auto record = nlohmann::json::parse(line);
    if (record.at("type") == "run_resumed") options += record.at("fail_fast").get<bool>() ? "yes " : "no ";
  }
  BOOST_TEST(options == "no yes yes ");
}

BOOST_AUTO_TEST_CASE(a_resumed_or_approved_run_keeps_the_option_force) {
  const std::string file_ = scratch.file(
      "workflow.md",
      "---\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> Ask\nAsk --> B\nB --> [*]\n```\n## Actions\n"
      "- A: Shell \"test -e go && echo A >>log\" cache=true\n- Ask: Approve \"Go on?\"\n"
      "- B: Shell \"echo B >>log\" cache=true\n");
  scratch.file("go", "");
  BOOST_TEST(wtool({"run", file_}).exit_code == 5);
  BOOST_TEST(wtool({"approve", "last", "--answer", "yes"}).exit_code == 0);
  BOOST_TEST(file("log") == "A\nB\n");
  fs::remove(scratch.path() + "/go");
  BOOST_TEST(wtool({"run", file_, "--force"}).exit_code == 1);
  scratch.file("go", "");
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 5);
  BOOST_TEST(file("log") == "A\nB\nA\n");
  const Finished finished = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("log") == "A\nB\nA\nB\n");
}

BOOST_AUTO_TEST_CASE(a_resumed_run_keeps_the_option_max_parallel) {
  const std::string file_ = scratch.file(
      "workflow.md",
      "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> [*]\n```\n## Actions\n- A: Shell \"test -e go\"\n"
      "- B: Shell \"mkdir one && rmdir one\" matrix={\"n\": [1, 2, 3, 4, 5, 6, 7, 8]}\n");
  BOOST_TEST(wtool({"run", file_, "--max-parallel", "1"}).exit_code == 1);
  scratch.file("go", "");
  const Finished finished = wtool({"resume", "last", "--events", "events"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(file("events"), "\"max_parallel\":1,"), file("events"));
}

BOOST_AUTO_TEST_CASE(the_reports_of_a_resumed_run_list_its_states_in_the_order_of_the_workflow) {
  const std::string file_ =
      scratch.file("workflow.md",
                   "---\nfail_fast: false\n---\n```mermaid\nstateDiagram-v2\nstate F <<fork>>\nstate J <<join>>\n[*] "
                   "--> F\nF --> A1\n"
                   "F --> B1\nA1 --> A2\nA2 --> J\nB1 --> J\nJ --> [*]\n```\n## Actions\n"
                   "- A1: Shell \"test -e go && until test -e later; do sleep 0.01; done\"\n- A2: Shell \"true\"\n"
                   "- B1: Shell \"test -e go && touch later\"\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  scratch.file("go", "");
  // A2 begins after B1 has ended.
  const Finished finished = wtool({"resume", "last", "--junit", "live.xml", "--html", "live.html"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(wtool({"report", "last", "--junit", "later.xml", "--html", "later.html"}).exit_code == 0);
  for (const char* name : {"live.xml", "later.xml"}) {
    const std::string text = file(name);
    BOOST_TEST(text.find("name=\"A1\"") < text.find("name=\"A2\""), text);
    BOOST_TEST(text.find("name=\"A2\"") < text.find("name=\"B1\""), text);
  }
  for (const char* name : {"live.html", "later.html"}) {
    const std::string text = file(name).substr(file(name).find("<h2>Steps</h2>"));
    BOOST_TEST(text.find("A1</td>") < text.find("A2</td>"), text);
    BOOST_TEST(text.find("A2</td>") < text.find("B1</td>"), text);
  }
}

BOOST_AUTO_TEST_CASE(a_step_whose_output_is_gone_or_has_changed_runs_again_with_all_that_follow) {
  const std::string file_ = scratch.file(
      "workflow.md",
      "---\n---\n```mermaid\nstateDiagram-v2\n[*] --> Build\nBuild --> Copy\nCopy --> Ship\nShip --> [*]\n```\n"
      "## Actions\n- Build: Shell \"echo built >>log; cat src > app; cat src > notes\" inputs=[\"src\"] "
      "outputs=[\"app\", \"notes\"]\n- Copy: Shell \"echo copied >>log; cp app copy; echo more >>notes\" "
      "cache=false inputs=[\"app\"] outputs=[\"copy\", \"notes\"]\n- Ship: Shell \"cat app copy && test -e go\"\n");
  scratch.file("src", "source\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  BOOST_TEST(file("log") == "built\ncopied\n");
  // `notes` is as the last step that made it has left it.
  const Finished same = wtool({"resume", "last"});
  BOOST_TEST(!holds(same.err, "every step is run"), same.err);
  BOOST_TEST(file("log") == "built\ncopied\n");
  fs::remove(scratch.path() + "/copy");
  const Finished gone = wtool({"resume", "last"});
  BOOST_TEST(holds(gone.err, "the file \"copy\", an output of 'Copy', is gone; from here on, every step is run"),
             gone.err);
  BOOST_TEST(file("log") == "built\ncopied\ncopied\n");
  scratch.file("app", "something else\n");
  const Finished changed = wtool({"resume", "last"});
  BOOST_TEST(holds(changed.err, "the file \"app\", an output of 'Build', has changed since; from here on"),
             changed.err);
  BOOST_TEST(file("log") == "built\ncopied\ncopied\nbuilt\ncopied\n");
  scratch.file("go", "");
  // The same content counts as unchanged, whenever it was written.
  scratch.file("app", file("app"));
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 0);
  BOOST_TEST(file("log") == "built\ncopied\ncopied\nbuilt\ncopied\n");
}

BOOST_AUTO_TEST_CASE(what_dropped_steps_did_to_the_output_of_a_kept_step_does_not_make_it_run_again) {
  const std::string file_ = scratch.file(
      "workflow.md",
      "---\n---\n```mermaid\nstateDiagram-v2\n[*] --> Build\nBuild --> Copy\nCopy --> Ship\nShip --> [*]\n```\n"
      "## Actions\n- Build: Shell \"echo built >>log; echo built > notes\" cache=false outputs=[\"notes\"]\n"
      "- Copy: Shell \"test ! -e stop || exit 1; echo copied >>log; echo more >>notes\" cache=false "
      "outputs=[\"notes\"]\n"
      "- Ship: Shell \"true\"\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == 0);
  scratch.file("stop", "");
  const Finished stopped = wtool({"resume", "last", "--from", "Copy"});
  BOOST_TEST(stopped.exit_code == 1);
  BOOST_TEST(!holds(stopped.err, "every step is run"), stopped.err);
  fs::remove(scratch.path() + "/stop");
  // The journal says that Copy was dropped.
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(file("log") == "built\ncopied\ncopied\n");
  fs::remove(scratch.path() + "/notes");
  const Finished gone = wtool({"resume", "last", "--from", "Copy"});
  BOOST_TEST(holds(gone.err, "the file \"notes\", an output of 'Build', is gone"), gone.err);
  BOOST_TEST(file("log") == "built\ncopied\ncopied\nbuilt\ncopied\n");
}

BOOST_AUTO_TEST_CASE(a_workflow_or_a_matrix_around_a_step_whose_output_is_gone_runs_again) {
  const std::string file_ = scratch.file(
      "workflow.md",
      "---\n---\n```mermaid\nstateDiagram-v2\n[*] --> F\nstate F <<fork>>\nstate J <<join>>\nF --> A\nF --> B\n"
      "A --> J\nB --> J\nJ --> C\nC --> [*]\n```\n## Actions\n- A: Run workflow \"inner\"\n- B: Log \"b\"\n"
      "- C: Shell \"test -e go\"\n");
  scratch.file("inner.md",
               "```mermaid\nstateDiagram-v2\n[*] --> X\nX --> [*]\n```\n## Actions\n"
               "- X: Shell \"echo X >>log; mkdir -p out; echo ${matrix.n} >out/${matrix.n}\" cache=true "
               "outputs=[\"out/${matrix.n}\"] matrix={\"n\": [5]}\n");
  BOOST_TEST(wtool({"run", file_, "--force"}).exit_code == 1);
  scratch.file("go", "");
  fs::remove(scratch.path() + "/out/5");
  const Finished gone = wtool({"resume", "last"});
  BOOST_TEST(gone.exit_code == 0, gone.out << gone.err);
  BOOST_TEST(holds(gone.err, "the file \"out/5\", an output of 'X', is gone"), gone.err);
  BOOST_TEST(file("out/5") == "5\n");
  BOOST_TEST(file("log") == "X\nX\n");
}

BOOST_AUTO_TEST_CASE(a_file_beside_the_journals_that_is_none_is_not_taken_for_the_last_run) {
  const std::string file_ =
      workflow_with("  - {name: unused, default: x}\n", "- A: Shell \"echo A >>log\"\n- B: Shell \"test -e go\"\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  scratch.file(".wtool/runs/steps-of-yesterday.jsonl", "{}\n");
  scratch.file("go", "");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(!holds(wtool({"runs"}).out, "yesterday"));
  BOOST_TEST(file("log") == "A\n");
}

BOOST_AUTO_TEST_CASE(a_run_that_an_answer_continues_has_reports) {
  const std::string file_ =
      workflow_with("  - {name: unused, default: x}\n", "- A: Approve \"Ship it?\"\n- B: Shell \"echo B >>log\"\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == 5);
  const Finished both = wtool({"approve", "last", "--answer", "yes", "--junit", "-", "--html", "-"});
  BOOST_TEST(both.exit_code == 2, both.out << both.err);
  const Finished finished =
      wtool({"approve", "last", "--answer", "yes", "--junit", "run.xml", "--html", "run.html", "-q"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(file("run.xml"), "name=\"B\""), file("run.xml"));
  BOOST_TEST(holds(file("run.html"), "<html"));
  BOOST_TEST(file("log") == "B\n");
}

BOOST_AUTO_TEST_CASE(what_a_changed_action_has_outdated_is_not_taken_from_the_journal_by_a_second_resume_either) {
  const auto text = [](const std::string& word) {
    return "---\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> C\nC --> D\nD --> [*]\n```\n## Actions\n- "
           "A: Shell "
           "\"echo " +
           word +
           " >>log\"\n- B: Shell \"echo B >>log; test ! -e stop\"\n- C: Shell \"echo C >>log\"\n"
           "- D: Shell \"test -e go\"\n";
  };
  const std::string file_ = scratch.file("workflow.md", text("A"));
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  scratch.file("workflow.md", text("new"));
  scratch.file("stop", "");
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 1);
  BOOST_TEST(file("log") == "A\nB\nC\nnew\nB\n");
  fs::remove(scratch.path() + "/stop");
  scratch.file("go", "");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("log") == "A\nB\nC\nnew\nB\nB\nC\n");
}

BOOST_AUTO_TEST_CASE(a_secret_step_whose_action_has_been_changed_makes_the_later_ones_run_again) {
  const auto text = [](const std::string& word) {
    return "---\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> C\nC --> [*]\n```\n## Actions\n- A: Shell "
           "\"" +
           word + "\" secret=true\n- B: Shell \"echo B >>log\"\n- C: Shell \"test -e go\"\n";
  };
  const std::string file_ = scratch.file("workflow.md", text("true"));
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 1);
  BOOST_TEST(file("log") == "B\n");
  scratch.file("workflow.md", text("true again"));
  scratch.file("go", "");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("log") == "B\nB\n");
}

BOOST_AUTO_TEST_CASE(changed_actions_of_inner_workflows_and_matrices_are_noticed) {
  const auto inner = [&](const std::string& word) {
    scratch.file("inner.md",
                 "```mermaid\nstateDiagram-v2\n[*] --> X\nX --> Y\nY --> [*]\n```\n## Actions\n- X: Shell \"echo " +
                     word + " >>log\"\n- Y: Shell \"test -e go\"\n");
  };
  const auto outer = [&](const std::string& word) {
    return workflow_with(
        "  - {name: unused, default: x}\n",
        "- A: Run workflow \"inner\"\n- B: Shell \"echo " + word +
            "${matrix.n} >>log; test ${matrix.n} = 1 || test -e done\" matrix={\"n\": [1, 2]} lock=\"b\"\n");
  };
  inner("X");
  const std::string file_ = outer("b");
  BOOST_TEST(wtool({"run", file_, "--no-fail-fast"}).exit_code == 1);
  inner("changed");
  const Finished first = wtool({"resume", "last", "--no-fail-fast"});
  BOOST_TEST(holds(first.err, "the action of 'X' has been changed"), first.err);
  BOOST_TEST(file("log") == "X\nchanged\n");
  scratch.file("go", "");
  BOOST_TEST(wtool({"resume", "last", "--no-fail-fast"}).exit_code == 1);
  const std::string so_far = file("log");
  outer("c");
  scratch.file("done", "");
  const Finished last = wtool({"resume", "last", "--no-fail-fast"});
  BOOST_TEST(last.exit_code == 0, last.out << last.err);
  BOOST_TEST(holds(last.err, "the action of 'B' has been changed"), last.err);
  const std::string added = file("log").substr(so_far.size());
  BOOST_TEST((added == "c1\nc2\n" || added == "c2\nc1\n"), added);
}

BOOST_AUTO_TEST_CASE(a_run_of_a_file_whose_name_is_not_utf8_continues) {
  const std::string text =
      "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> [*]\n```\n## Actions\n"
      "- A: Approve \"Go on?\"\n- B: Shell \"test -e go\"\n";
  scratch.file("caf\xe9/r\xe9.md", text);
  ProgramOptions inside = here();
  inside.directory = scratch.path() + "/caf\xe9";
  const auto wtool_inside = [&](std::vector<std::string> words) {
    words.insert(words.begin(), wtool_path);
    return run(words, inside);
  };
  const Finished begun = wtool_inside({"run", "r\xe9.md"});
  BOOST_TEST(begun.exit_code == 5, begun.out << begun.err);
  const Finished approved = wtool_inside({"approve", "last", "--answer", "yes"});
  BOOST_TEST(approved.exit_code == 1, approved.out << approved.err);
  BOOST_TEST(!holds(approved.err, "was started in"), approved.err);
  scratch.file("caf\xe9/go", "");
  const Finished resumed = wtool_inside({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
}

BOOST_AUTO_TEST_CASE(changed_actions_in_descriptions_of_states_are_noticed) {
  const auto text = [](const std::string& description, const std::string& command) {
    return "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> [*]\nA: action: shell\nA: description: " +
           description + "\nA: command: " + command + "\nB: action: shell\nB: command: test -e go\n```\n";
  };
  const std::string file_ = scratch.file("workflow.md", text("One", "echo A >>log"));
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  scratch.file("workflow.md", text("Two", "echo A >>log"));
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 1);
  BOOST_TEST(file("log") == "A\n");
  scratch.file("workflow.md", text("Two", "echo new >>log"));
  BOOST_TEST(holds(wtool({"resume", "last"}).err, "the action of 'A' has been changed"));
  BOOST_TEST(file("log") == "A\nnew\n");
}

BOOST_AUTO_TEST_CASE(a_journal_that_does_not_know_the_actions_is_resumed_as_it_is) {
  const std::string unused = "  - {name: unused, default: x}\n";
  const std::string file_ = workflow_with(unused, "- A: Shell \"echo A >>log\"\n- B: Shell \"exit 1\"\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == 1);
  for (const auto& entry : fs::directory_iterator(scratch.path() + "/.wtool/runs")) {
    const std::string file = entry.path().string();
    if (!file.ends_with(".jsonl")) continue;
    const std::string old = std::regex_replace(content_of(file), std::regex(",\"action_sha256\":\"[0-9a-f]*\""), "");
    BOOST_TEST(old != content_of(file));
    std::ofstream(file) << old;
  }
  workflow_with(unused, "- A: Shell \"echo new >>log\"\n- B: Shell \"true\"\n");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("log") == "A\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
