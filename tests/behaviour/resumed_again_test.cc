// What a run keeps that is resumed a second time, or whose steps were tried more than once: nothing that an earlier part
// of the run, or a later try, has declared invalid.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(resumed_again_test)

using namespace wtool::test;

namespace {

struct Again : Place {
  void remove(const std::string& name) const { std::filesystem::remove(scratch.path() + "/" + name); }
  void make(const std::string& name) const { scratch.file(name, ""); }
  // With a cache of steps that is empty at first.
  ProgramOptions with_cache() const {
    ProgramOptions options = here();
    options.set["XDG_CACHE_HOME"] = scratch.path() + "/cache";
    return options;
  }
};

const std::string three = "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> C\nC --> [*]\n```\n## Actions\n";
// C follows the branches of A and B, also if one of them has failed.
const std::string after_a_failure =
    "---\nfail_fast: false\n---\n```mermaid\nstateDiagram-v2\nstate F <<fork>>\nstate J <<join>>\n[*] --> F\n"
    "F --> A\nF --> B\nA --> J\nB --> J\nJ --> C: always\nC --> D\nD --> [*]\n```\n## Actions\n";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(resumed_again, Again)

BOOST_AUTO_TEST_CASE(a_second_resume_keeps_no_step_that_the_first_one_wanted_to_run_again) {
  scratch.file("w.md", "---\nparameters: [{name: v, default: \"1\"}]\n---\n" + three +
                           "- A: Shell \"echo ${v} > a; test ! -e full\"\n- B: Shell \"cp a b\"\n"
                           "- C: Shell \"test -e network\"\n");
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 1);
  make("full");
  const Finished first = wtool({"resume", "last", "--var", "v=2"});
  BOOST_TEST(first.exit_code == 1);
  BOOST_TEST(holds(first.err, "from here on, every step is run"), first.err);
  remove("full");
  make("network");
  const Finished second = wtool({"resume", "last"});
  BOOST_TEST(second.exit_code == 0, second.out << second.err);
  BOOST_TEST(file("a") == "2\n");
  BOOST_TEST(file("b") == "2\n");
}

BOOST_AUTO_TEST_CASE(what_the_first_resume_has_kept_before_the_change_stays_kept) {
  scratch.file("w.md",
               "---\nparameters: [{name: v, default: \"1\"}]\n---\n```mermaid\nstateDiagram-v2\n[*] --> F\n"
               "state F <<fork>>\nstate J <<join>>\nF --> A\nF --> B\nA --> J\nB --> J\nJ --> Inner\n"
               "Inner --> C\nC --> [*]\n```\n## Actions\n"
               "- A: Shell \"echo A >> log\"\n- B: Shell \"echo B >> log\"\n- Inner: Run workflow \"inner\"\n"
               "- C: Shell \"echo C${v} >> log; test -e network\"\n");
  scratch.file("inner.md",
               "```mermaid\nstateDiagram-v2\n[*] --> I\nI --> [*]\n```\n## Actions\n- I: Shell \"echo I >> log\"\n");
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 1);
  BOOST_TEST(wtool({"resume", "last", "--var", "v=2"}).exit_code == 1);
  make("network");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  std::string log = file("log");
  BOOST_TEST(log.substr(4) == "I\nC1\nC2\nC2\n", log);
}

BOOST_AUTO_TEST_CASE(a_yes_to_the_old_version_does_not_deploy_the_new_one) {
  scratch.file("w.md",
               "---\nparameters: [{name: v, default: \"1\"}]\n---\n```mermaid\nstateDiagram-v2\n[*] --> Build\n"
               "Build --> Ask\nAsk --> Deploy\nDeploy --> [*]\n```\n## Actions\n"
               "- Build: Shell \"echo app-${v} > app; test ! -e full && cat app\"\n"
               "- Ask: Approve \"Deploy ${Build}?\"\n"
               "- Deploy: Shell \"echo $(cat app) >> deployed; test -e network\"\n");
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 5);
  BOOST_TEST(wtool({"approve", "last", "--answer", "yes"}).exit_code == 1);
  make("full");
  BOOST_TEST(wtool({"resume", "last", "--var", "v=2"}).exit_code == 1);
  remove("full");
  make("network");
  const Finished asked = wtool({"resume", "last"});
  BOOST_TEST(asked.exit_code == 5, asked.out << asked.err);
  BOOST_TEST(holds(asked.out + asked.err, "Deploy app-2?"), asked.out << asked.err);
  BOOST_TEST(file("deployed") == "app-1\n");
}

BOOST_AUTO_TEST_CASE(a_new_value_counts_even_if_the_run_ended_before_a_step_read_it) {
  scratch.file("w.md", "---\nparameters: [{name: v, default: \"1\"}]\n---\n" + three +
                           "- A: Shell \"test ! -e full && echo s3cr3t\" secret\n- B: Shell \"echo ${v} > b\"\n"
                           "- C: Shell \"test -e network\"\n");
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 1);
  make("full");
  // A runs again, because its result is not kept, and fails before B is reached.
  BOOST_TEST(wtool({"resume", "last", "--var", "v=2"}).exit_code == 1);
  remove("full");
  make("network");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("b") == "2\n");
}

BOOST_AUTO_TEST_CASE(a_step_that_ran_with_the_new_value_is_not_run_again) {
  scratch.file("w.md", "---\nparameters: [{name: v, default: \"1\"}]\n---\n" + three +
                           "- A: Shell \"echo a >> log\"\n- B: Shell \"test -e go && echo ${v} >> log\"\n"
                           "- C: Shell \"test -e network\"\n");
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 1);
  make("go");
  BOOST_TEST(wtool({"resume", "last", "--var", "v=2"}).exit_code == 1);
  make("network");
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 0);
  BOOST_TEST(file("log") == "a\n2\n");
}

BOOST_AUTO_TEST_CASE(steps_of_an_earlier_try_are_not_kept) {
  scratch.file("w.md",
               "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n"
               "- A: Run workflow \"inner\" retry=1\n");
  scratch.file("inner.md",
               three +
                   "- A: Shell \"rm -rf out; mkdir out; test ! -e broken\"\n- B: Shell \"echo built > out/app\"\n"
                   "- C: Shell \"test -e good && exit 0; touch broken; exit 1\"\n");
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 1);
  remove("broken");
  make("good");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("out/app") == "built\n");
}

BOOST_AUTO_TEST_CASE(no_report_of_a_completed_run_shows_the_handler_of_an_earlier_failure) {
  scratch.file("w.md",
               "---\non failure: H\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\nH --> [*]\n```\n"
               "## Actions\n- A: Shell \"test -e network\"\n- H: Shell \"exit 1\"\n");
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 1);
  make("network");
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 0);
  const Finished shown = wtool({"show", "last"});
  BOOST_TEST(!holds(shown.out, "step failed"), shown.out);
  const Finished junit = wtool({"report", "last", "--junit", "-"});
  BOOST_TEST(holds(junit.out, "tests=\"1\""), junit.out);
  BOOST_TEST(!holds(junit.out, "skipped message"), junit.out);
}

BOOST_AUTO_TEST_CASE(no_report_shows_the_combinations_of_a_matrix_that_has_fewer_now) {
  scratch.file("w.md",
               "```mermaid\nstateDiagram-v2\n[*] --> L\nL --> M\nM --> [*]\n```\n## Actions\n"
               "- L: Shell \"cat list\" secret\n"
               "- M: Shell \"test ${matrix.n} != three || test -e good\" "
               "matrix={\"n\": \"{{ L | lines }}\"}\n");
  scratch.file("list", "one\ntwo\nthree\n");
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 1);
  scratch.file("list", "one\ntwo\n");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  const Finished junit = wtool({"report", "last", "--junit", "-"});
  BOOST_TEST(holds(junit.out, "failures=\"0\""), junit.out);
  BOOST_TEST(!holds(junit.out, "three"), junit.out);
}

BOOST_AUTO_TEST_CASE(a_part_that_would_end_before_it_begins_is_refused) {
  scratch.file("w.md", three + "- A: Log \"a\"\n- B: Log \"b\"\n- C: Shell \"echo c >> log\"\n");
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 0);
  const Finished refused = wtool({"run", "w.md", "--from", "C", "--until", "A"});
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(holds(refused.err, "A comes before C"), refused.err);
  BOOST_TEST(wtool({"run", "w.md", "--from", "C", "--until", "C"}).exit_code == 0);
  scratch.file("clean.md",
               "---\nfinally: Clean\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> C\nC --> [*]\nClean --> "
               "[*]\n```\n## Actions\n- A: Log \"a\"\n- C: Log \"c\"\n- Clean: Log \"clean\"\n");
  BOOST_TEST(wtool({"run", "clean.md"}).exit_code == 0);
  const Finished cleaned = wtool({"run", "clean.md", "--from", "C", "--until", "Clean"});
  BOOST_TEST(cleaned.exit_code == 0, cleaned.out << cleaned.err);
  BOOST_TEST(file("log") == "c\nc\n");
}

// A resumed run would do first what failed, so the answer would be about something else.
BOOST_AUTO_TEST_CASE(a_question_about_what_comes_after_a_failure_does_not_wait) {
  for (const char* key : {"on failure", "finally"}) {
    scratch.file("w.md", std::string("---\n") + key +
                             ": Ask\n---\n```mermaid\nstateDiagram-v2\n[*] --> Deploy\nDeploy --> [*]\nAsk --> Back\n"
                             "Back --> [*]\n```\n## Actions\n- Deploy: Shell \"echo deploy >> log; exit 1\"\n"
                             "- Ask: Approve \"Roll back?\"\n- Back: Shell \"echo back >> log\"\n");
    const Finished finished = wtool({"run", "w.md"});
    BOOST_TEST(finished.exit_code == 1, finished.out << finished.err);
    BOOST_TEST(holds(finished.out + finished.err, "a question about what comes after a failure cannot wait"),
               finished.out << finished.err);
    BOOST_TEST(wtool({"approve", "last", "--answer", "yes"}).exit_code != 0);
    BOOST_TEST(file("log") == "deploy\n");
    remove("log");
  }
}

BOOST_AUTO_TEST_CASE(a_question_of_finally_after_a_completed_path_waits_but_no_second_one) {
  scratch.file("w.md",
               "---\nfinally: First\n---\n```mermaid\nstateDiagram-v2\n[*] --> Work\nWork --> [*]\n"
               "First --> Clean\nClean --> Second\nSecond --> [*]\n```\n## Actions\n"
               "- Work: Shell \"echo work >> log\"\n- First: Approve \"remove it?\"\n"
               "- Clean: Shell \"echo clean >> log\"\n- Second: Approve \"really?\"\n");
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 5);
  const Finished second = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(second.exit_code == 3, second.out << second.err);
  BOOST_TEST(holds(second.out + second.err, "a second question of `finally` cannot wait"), second.out << second.err);
  BOOST_TEST(file("log") == "work\nclean\n");
}

BOOST_AUTO_TEST_CASE(a_resumed_run_goes_the_same_way_after_a_join_whose_action_succeeded) {
  scratch.file("w.md",
               "```mermaid\nstateDiagram-v2\n[*] --> F\nstate F <<fork>>\nstate J <<join>>\nF --> A\nF --> B\n"
               "A --> J\nB --> J\nJ --> Fix: failure\nFix --> [*]\nH --> [*]\n```\n## Actions\n"
               "- A: Shell \"false\"\n- B: Shell \"true\"\n- J: Shell \"echo collected\" on failure: H\n"
               "- Fix: Shell \"test -e network && echo ${J.success} >> log\"\n- H: Shell \"echo H >> log\"\n");
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 1);
  make("network");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("log") == "true\n");
}

BOOST_AUTO_TEST_CASE(what_the_finally_of_a_kept_workflow_has_made_is_still_known) {
  scratch.file("w.md",
               "```mermaid\nstateDiagram-v2\n[*] --> W\nW --> C\nC --> [*]\n```\n## Actions\n"
               "- W: Run workflow \"inner\"\n- C: Shell \"test -e network && cat dist\"\n");
  scratch.file("inner.md",
               "---\nfinally: Pack\n---\n```mermaid\nstateDiagram-v2\n[*] --> I\nI --> [*]\nPack --> [*]\n```\n"
               "## Actions\n- I: Log \"i\"\n- Pack: Shell \"echo x > dist\" outputs=[\"dist\"] cache=true\n");
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 1);
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 1);
  remove("dist");
  make("network");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(there("dist"));
}

BOOST_AUTO_TEST_CASE(new_steps_of_a_branch_run_if_the_join_had_handled_a_failure) {
  const std::string before =
      after_a_failure +
      "- A: Shell \"echo A >> log\"\n- B: Shell \"echo B >> log; exit 1\"\n- C: Shell \"echo C >> log\"\n"
      "- D: Shell \"echo D >> log; test -e network\"\n";
  const std::pair<std::string, std::string> edits[] = {
      {"A --> J\n", "A --> X\nX --> J\n"},
      {"F --> B\n", "F --> B\nF --> X\nX --> J\n"},
      {"B --> J\n", "B --> J\nB --> X: failure\nX --> J\n"},
  };
  for (const auto& [old, now] : edits) {
    BOOST_TEST_CONTEXT(now) {
      remove("log");
      remove("network");
      scratch.file("w.md", before);
      BOOST_TEST(wtool({"run", "w.md"}).exit_code == 1);
      make("network");
      std::string edited = before + "- X: Shell \"echo X >> log\"\n";
      edited.replace(edited.find(old), old.size(), now);
      scratch.file("w.md", edited);
      remove("log");
      const Finished finished = wtool({"resume", "last"});
      BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
      BOOST_TEST(holds(file("log"), "X\n"), finished.err);
      BOOST_TEST(holds(file("log"), "C\nD\n"), finished.err);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_follows_a_step_whose_output_is_lost_runs_again) {
  scratch.file("w.md", three +
                           "- A: Shell \"cat source\"\n- B: Shell \"cp ${A.stdout_file} copy\"\n"
                           "- C: Shell \"test -e network\"\n");
  scratch.file("source", "1\xff\n");  // A text would be in the journal.
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 1);
  scratch.file("source", "2\xff\n");
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path() + "/.wtool/runs")) {
    if (entry.is_directory()) std::filesystem::remove_all(entry.path());
  }
  make("network");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("copy") == "2\xff\n", finished.err);
}

BOOST_AUTO_TEST_CASE(a_link_among_the_outputs_that_leads_elsewhere_now_makes_its_step_run_again) {
  scratch.file("w.md", three +
                           "- A: Shell \"rm -rf o && mkdir o && echo 1 > o/v1 && echo 2 > o/v2 && ln -s v2 o/now\" "
                           "inputs=[\"w.md\"] outputs=[\"o\"]\n"
                           "- B: Shell \"true\"\n- C: Shell \"cat o/now > result && test -e network\"\n");
  BOOST_TEST(run(std::vector<std::string>{wtool_path, "run", "w.md"}, with_cache()).exit_code == 1);
  std::filesystem::remove(scratch.path() + "/o/now");
  std::filesystem::create_symlink("v1", scratch.path() + "/o/now");
  make("network");
  const Finished finished = run(std::vector<std::string>{wtool_path, "resume", "last"}, with_cache());
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("result") == "2\n", finished.err);
}

BOOST_AUTO_TEST_CASE(an_answer_does_not_count_for_a_workflow_that_was_edited_or_has_another_parameter) {
  const std::string text = "---\nparameters: [{name: target, default: staging}]\n---\n" + three +
                           "- A: Shell \"true\"\n- B: Approve \"deploy?\"\n"
                           "- C: Shell \"test -e network && echo ${target} >> log\"\n";
  const auto approved_and_failed = [&] {
    remove("network");
    scratch.file("w.md", text);
    BOOST_TEST(wtool({"run", "w.md"}).exit_code == 5);
    BOOST_TEST(wtool({"approve", "last", "--answer", "yes"}).exit_code == 1);
    make("network");
  };
  approved_and_failed();
  BOOST_TEST(wtool({"resume", "last", "--var", "target=production"}).exit_code == 5);
  BOOST_TEST(!there("log"));
  BOOST_TEST(wtool({"approve", "last", "--answer", "yes"}).exit_code == 0);
  BOOST_TEST(file("log") == "production\n");
  approved_and_failed();
  scratch.file("w.md", text + "\nMore words.\n");
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 5);
  BOOST_TEST(file("log") == "production\n");
  approved_and_failed();
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 0);
  BOOST_TEST(file("log") == "production\nstaging\n");
}

BOOST_AUTO_TEST_CASE(a_part_of_a_combination_runs_again_without_what_came_before_it) {
  scratch.file("w.md",
               "```mermaid\nstateDiagram-v2\n[*] --> I\nI --> [*]\n```\n## Actions\n"
               "- I: Run workflow \"inner\" n=\"${matrix.n}\" matrix={\"n\": [1, 2]}\n");
  scratch.file("inner.md",
               "---\nparameters: [{name: n}]\n---\n```mermaid\nstateDiagram-v2\n[*] --> P\nP --> Q\nQ --> [*]\n```\n"
               "## Actions\n- P: Shell \"echo P${n} >> log\"\n- Q: Shell \"echo Q${n} >> log\"\n");
  BOOST_TEST(wtool({"run", "w.md", "--max-parallel", "1"}).exit_code == 0);
  remove("log");
  const Finished finished = wtool({"resume", "last", "--from", "Q"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(!holds(file("log"), "P"), file("log"));
  BOOST_TEST(holds(file("log"), "Q"), file("log"));
}

BOOST_AUTO_TEST_CASE(a_question_that_is_asked_again_in_a_branch_can_be_answered_though_the_join_had_handled_a_failure) {
  const std::string text =
      "---\nfail_fast: false\n---\n```mermaid\nstateDiagram-v2\nstate F <<fork>>\nstate J <<join>>\n[*] --> F\n"
      "F --> Ask\nAsk --> Deploy\nDeploy --> J\nF --> Test\nTest --> J\nJ --> Report: always\nReport --> Upload\n"
      "Upload --> [*]\n```\n## Actions\n- Ask: Approve \"deploy?\"\n- Deploy: Shell \"echo deployed >> log\"\n"
      "- Test: Shell \"exit 1\"\n- Report: Shell \"echo report >> log\"\n- Upload: Shell \"test -e network\"\n";
  scratch.file("w.md", text);
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 5);
  BOOST_TEST(wtool({"approve", "last", "--answer", "yes"}).exit_code == 1);
  scratch.file("w.md", text + "\nMore words.\n");
  make("network");
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 5);
  const Finished finished = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("log") == "deployed\nreport\n", file("log"));
}

BOOST_AUTO_TEST_CASE(an_edit_after_a_step_with_a_secret_result_is_noticed) {
  const std::string before =
      after_a_failure +
      "- A: Shell \"echo 123456789\" secret\n- B: Shell \"exit 1\"\n- C: Shell \"echo C >> log\"\n"
      "- D: Shell \"test -e network\"\n";
  scratch.file("w.md", before);
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 1);
  make("network");
  std::string edited = before + "- X: Shell \"echo X >> log\"\n";
  const std::string old = "A --> J\n";
  edited.replace(edited.find(old), old.size(), "A --> X\nX --> J\n");
  scratch.file("w.md", edited);
  remove("log");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("log") == "X\nC\n", finished.err);
}

BOOST_AUTO_TEST_CASE(a_part_that_is_resumed_keeps_what_ended_behind_it) {
  scratch.file("w.md",
               "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> C\nC --> D\nD --> [*]\n```\n## Actions\n"
               "- A: Shell \"echo A >> log\"\n- B: Shell \"echo B >> log\"\n- C: Shell \"echo C >> log\"\n"
               "- D: Shell \"test -e network\"\n");
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 1);
  BOOST_TEST(wtool({"resume", "last", "--until", "B"}).exit_code == 0);
  make("network");
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 0);
  BOOST_TEST(file("log") == "A\nB\nC\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
