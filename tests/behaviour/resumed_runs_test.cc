// What a resumed run uses as its inputs: never a mask in place of a secret, and lists as lists. Also which run a
// drawing shows.
#include <signal.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(resumed_runs_test)

using namespace wtool::test;

namespace {

namespace fs = std::filesystem;

struct Resumed : Place {
  Finished wtool(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), wtool_path);
    return run(arguments, here());
  }
  std::string workflow_with(const std::string& parameters, const std::string& actions) const {
    return scratch.file("workflow.md", "---\ntitle: A test\nparameters:\n" + parameters +
                                           "---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> [*]\n```\n"
                                           "## Actions\n" +
                                           actions);
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

BOOST_AUTO_TEST_CASE(a_drawing_shows_the_last_run_of_its_own_file) {
  const std::string text =
      "```mermaid\nstateDiagram-v2\n[*] --> Build\nBuild --> [*]\n```\n## Actions\n- Build: Shell \"";
  scratch.file("good.md", text + "true\"\n");
  scratch.file("bad.md", text + "false\"\n");
  const Finished never = wtool({"graph", "good.md", "last"});
  BOOST_TEST(never.exit_code == 2);
  BOOST_TEST(wtool({"run", "good.md"}).exit_code == 0);
  BOOST_TEST(wtool({"run", "bad.md"}).exit_code == 1);
  const Finished good = wtool({"graph", "good.md", "last"});
  BOOST_TEST(good.exit_code == 0, good.err);
  BOOST_TEST(holds(good.out, "class Build succeeded"), good.out);
  BOOST_TEST(holds(wtool({"graph", "./bad.md", "last"}).out, "class Build failed"));
  const auto runs = nlohmann::json::parse(wtool({"runs", "--json"}).out);
  const Finished other = wtool({"graph", "good.md", runs[0]["run"].get<std::string>()});
  BOOST_TEST(other.exit_code == 2);
  BOOST_TEST(holds(other.err, "is a run of bad.md, not of good.md"), other.err);
}

BOOST_AUTO_TEST_CASE(a_completed_run_that_could_not_write_its_reports_has_a_distinct_status) {
  const std::string file_ = workflow_with("  - {name: unused, default: x}\n", "- A: Shell \"true\"\n- B: Log \"b\"\n");
  BOOST_TEST(wtool({"run", file_, "--html", "/nowhere/page.html"}).exit_code == 4);
  BOOST_TEST(wtool({"run", file_, "--junit", "/dev/full"}).exit_code == 4);
  BOOST_TEST(wtool({"run", file_, "--events", "/dev/full"}).exit_code == 4);
  ProgramOptions full = here();
  full.output_to = "/dev/full";
  BOOST_TEST(run({wtool_path, "run", file_}, full).exit_code == 4);
  // If the file for the events cannot be opened, nothing is run.
  BOOST_TEST(wtool({"run", file_, "--events", "/nowhere/events"}).exit_code == 2);
}

BOOST_AUTO_TEST_CASE(a_failed_run_stays_failed_when_its_report_cannot_be_written) {
  const std::string file_ =
      workflow_with("  - {name: unused, default: x}\n", "- A: Shell \"true\"\n- B: Shell \"false\"\n");
  BOOST_TEST(wtool({"run", file_, "--html", "/nowhere/page.html"}).exit_code == 1);
}

BOOST_AUTO_TEST_CASE(all_reports_say_the_same_of_a_state_without_an_action) {
  const std::string file_ = workflow_with("  - {name: unused, default: x}\n", "- A: Shell \"true\"\n");
  const Finished finished = wtool({"run", file_, "--html", "page.html", "--events", "events"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.out, "B      -"), finished.out);
  BOOST_TEST(holds(wtool({"show", "last"}).out, "B      -"));
  const auto shown = nlohmann::json::parse(wtool({"show", "last", "--json"}).out);
  BOOST_TEST(shown["steps"][0]["status"] == "succeeded");
  BOOST_TEST(shown["steps"][1]["status"] == "passed");
  BOOST_TEST(holds(file("events"), "\"status\":\"passed\""), file("events"));
  BOOST_TEST(holds(file("page.html"), "<td class=\"passed\">-</td>"));
}

BOOST_AUTO_TEST_CASE(all_reports_say_the_same_of_a_join_of_which_a_branch_failed) {
  scratch.file(
      "joined.md",
      "---\nfail_fast: false\n---\n```mermaid\nstateDiagram-v2\n[*] --> F\nstate F <<fork>>\nstate J <<join>>\n"
      "F --> A\nF --> B\nA --> J\nB --> J\nJ --> Good: success\nJ --> Bad: failure\nGood --> [*]\nBad --> [*]\n"
      "```\n## Actions\n- A: Shell \"false\"\n- B: Shell \"true\"\n- Good: Log \"good\"\n- Bad: Log \"bad\"\n");
  const Finished finished =
      wtool({"run", "joined.md", "--html", "page.html", "--junit", "junit.xml", "--events", "events"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.out, "J      failed"), finished.out);
  BOOST_TEST(holds(finished.out, "(1 step failed"), finished.out);
  BOOST_TEST(holds(wtool({"show", "last"}).out, "J      failed"));
  const auto shown = nlohmann::json::parse(wtool({"show", "last", "--json"}).out);
  std::string join;
  for (const auto& step : shown["steps"]) {
    if (step["state"] == "J") join = step["status"].get<std::string>();
  }
  BOOST_TEST(join == "failed");
  const std::string page = file("page.html");
  const std::size_t row = page.find("\"><td>J");
  BOOST_REQUIRE(row != std::string::npos);
  BOOST_TEST(holds(page.substr(row, page.find("</tr>", row) - row), "<td class=\"failed\">failed"),
             page.substr(row, 600));
  BOOST_TEST(holds(file("junit.xml"), "failed, and the workflow continued: 1 of 2 branches failed: A"),
             file("junit.xml"));
  BOOST_TEST(holds(wtool({"graph", "joined.md", "last"}).out, "class J,A failed"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
