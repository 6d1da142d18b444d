// Parts of a workflow: run --until, --only and --from.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(run_part_test)

using namespace wtool::test;

namespace {

struct Parts : Place {
  Parts() {
    workflow("    [*] --> A\n    A --> B\n    B --> C\n    C --> [*]\n    Last --> [*]\n",
             "- A: Shell \"echo A >>seen; printf a\"\n- B: Shell \"echo B ${A.stdout} >>seen; test ! -e bad\"\n"
             "- C: Shell \"echo C >>seen\"\n- Last: Shell \"echo Last >>seen\"\n- finally: Last\n");
  }
  // What the states have written since the last call.
  std::string seen() const {
    const std::string text = file("seen");
    std::filesystem::remove(scratch.path() + "/seen");
    return text;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(run_part, Parts)

BOOST_AUTO_TEST_CASE(a_run_ends_where_the_named_state_has_ended) {
  const Finished finished = run_workflow("workflow.md", {"--until", "B"});
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(seen() == "A\nB a\nLast\n");
  scratch.file("bad", "");
  const Finished failed = run_workflow("workflow.md", {"--until", "B"});
  BOOST_TEST(failed.exit_code == 1, failed.err);
  BOOST_TEST(seen() == "A\nB a\nLast\n");
  // When the run is resumed, the same part runs again.
  std::filesystem::remove(scratch.path() + "/bad");
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 0);
  BOOST_TEST(seen() == "B a\nLast\n");
  const Json shown = Json::parse(wtool({"show", "last", "--json"}).out);
  BOOST_TEST(shown.at("status") == "completed");
}

BOOST_AUTO_TEST_CASE(a_state_that_runs_alone_and_lacks_a_value_is_told_how_to_get_it) {
  const std::string advice =
      "the state 'A' has not run yet; --only B runs no other state: --until B runs those before it, and --from B "
      "--until "
      "B takes their values from the last run";
  const Finished alone = run_workflow("workflow.md", {"--only", "B"});
  BOOST_TEST(alone.exit_code == 1, alone.err);
  for (const std::string& text : {alone.out, wtool({"show", "last"}).out}) {
    BOOST_TEST(holds(text, advice), text);
    BOOST_TEST(!holds(text, "wtool resume"), text);
  }
  BOOST_TEST(run_workflow("workflow.md", {"--until", "B"}).exit_code == 0);
  BOOST_TEST(seen() == "A\nB a\nLast\n");
  BOOST_TEST(run_workflow("workflow.md", {"--from", "B", "--until", "B"}).exit_code == 0);
  BOOST_TEST(seen() == "B a\nLast\n");
  // A command that failed can be tried again.
  workflow("    [*] --> A\n    A --> B\n    B --> [*]\n", "- A: Log \"a\"\n- B: Shell \"test -e good\"\n");
  const Finished failed = run_workflow("workflow.md", {"--only", "B"});
  BOOST_TEST(holds(failed.out, "To resume where it ended: wtool resume "), failed.out);
}

BOOST_AUTO_TEST_CASE(a_run_that_until_ended_continues_after_that_state_when_it_is_resumed) {
  BOOST_TEST(run_workflow("workflow.md", {"--until", "A"}).exit_code == 0);
  BOOST_TEST(seen() == "A\nLast\n");
  const Finished unknown = run_workflow("workflow.md", {"--from", "B"});
  BOOST_TEST(unknown.exit_code == 2);
  BOOST_TEST(holds(unknown.err, "it ended after A, as --until said, and `wtool resume "), unknown.err);
  // The next part, which fails at first.
  scratch.file("bad", "");
  BOOST_TEST(wtool({"resume", "last", "--until", "B"}).exit_code == 1);
  BOOST_TEST(seen() == "B a\nLast\n");
  std::filesystem::remove(scratch.path() + "/bad");
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 0);
  BOOST_TEST(seen() == "B a\nLast\n");
  // The rest, with the values of the run.
  const Finished rest = wtool({"resume", "last"});
  BOOST_TEST(rest.exit_code == 0, rest.out << rest.err);
  BOOST_TEST(seen() == "C\nLast\n");
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 2);
  BOOST_TEST(Json::parse(wtool({"runs", "--json"}).out).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_run_of_a_part_says_so_wherever_it_is_shown) {
  const auto says = [&](const std::string& option, const std::string& words, bool continues) {
    const Finished finished = run_workflow("workflow.md", {"--" + option, "A", "--html", "page.html"});
    BOOST_TEST(finished.exit_code == 0, finished.err);
    const Finished shown = wtool({"show", "last"});
    for (const std::string& text : {finished.out, shown.out}) {
      BOOST_TEST(holds(text, ": completed " + words + " in "), text);
      BOOST_TEST(holds(text, "To continue after A: wtool resume 20") == continues, text);
    }
    BOOST_TEST(holds(wtool({"runs"}).out, "  completed " + words + "  "), wtool({"runs"}).out);
    BOOST_TEST(holds(file("page.html"), ">completed " + words + "</span>"), file("page.html"));
    BOOST_TEST(holds(wtool({"report", "last", "--html", "-"}).out, ">completed " + words + "</span>"));
    for (const Json& run :
         {Json::parse(wtool({"show", "last", "--json"}).out), Json::parse(wtool({"runs", "--json"}).out).at(0)}) {
      BOOST_TEST(run.at("status") == "completed");
      BOOST_TEST(run.at(option) == "A");
    }
  };
  says("until", "(until A)", true);
  says("only", "(only A)", false);
  BOOST_TEST(wtool({"run", "workflow.md", "--only", "A", "-q"}).out.find("\n\n") == std::string::npos);
  BOOST_TEST(run_workflow("workflow.md").exit_code == 0);
  BOOST_TEST(!holds(wtool({"show", "last"}).out, "completed ("));
}

BOOST_AUTO_TEST_CASE(a_run_that_never_came_to_the_named_state_says_so) {
  workflow("    [*] --> A\n    A --> B: result == \"a\"\n    A --> C\n    B --> [*]\n    C --> [*]\n",
           "- A: Shell \"printf a\"\n- B: Shell \"echo B >>seen\"\n- C: Shell \"echo C >>seen\"\n");
  const Finished finished = run_workflow("workflow.md", {"--until", "C"});
  BOOST_TEST(finished.exit_code == 1, finished.err);
  BOOST_TEST(seen() == "B\n");
  BOOST_TEST(holds(wtool({"run", "workflow.md", "--until", "C", "-q"}).out, ": failed (until C) in "));
  BOOST_TEST(seen() == "B\n");
  const std::string reason = "the run ended without reaching C, which --until names";
  for (const Json& run :
       {Json::parse(wtool({"show", "last", "--json"}).out), Json::parse(wtool({"runs", "--json"}).out).at(0)}) {
    BOOST_TEST(run.at("status") == "failed");
    BOOST_TEST(run.at("reason") == reason);
    BOOST_TEST(run.at("until_reached") == false);
  }
  BOOST_TEST(holds(wtool({"runs"}).out, "  failed (until C)  "), wtool({"runs"}).out);
  for (const std::string& text : {finished.out, wtool({"show", "last"}).out}) {
    BOOST_TEST(holds(text, "  Reason: " + reason + "\n"), text);
    BOOST_TEST(!holds(text, "wtool resume"), text);
  }
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 2);
  BOOST_TEST(holds(resumed.err, " has ended without reaching C, which --until named, so there is nothing"),
             resumed.err);
  BOOST_TEST(run_workflow("workflow.md", {"--until", "C", "--junit", "report.xml"}).exit_code == 1);
  BOOST_TEST(
      holds(file("report.xml"),
            R"(<error message="the run ended without reaching C, which --until names" type="until_not_reached"/>)"),
      file("report.xml"));
  BOOST_TEST(run_workflow("workflow.md", {"--until", "C", "--html", "report.html"}).exit_code == 1);
  BOOST_TEST(holds(file("report.html"), "<span class=\"badge failed\">failed (until C)</span>"));
  BOOST_TEST(holds(file("report.html"), "the run ended without reaching C, which --until names"));
  const Finished attached = wtool({"attach", "last"});
  BOOST_TEST(attached.exit_code == 1);
  BOOST_TEST(holds(attached.err, "failed: the run ended without reaching C"), attached.err);
}

BOOST_AUTO_TEST_CASE(a_state_of_the_same_name_in_an_inner_workflow_is_not_the_named_state) {
  scratch.file(
      "inner.md",
      "```mermaid\nstateDiagram-v2\n[*] --> C\nC --> [*]\n```\n## Actions\n- C: Shell \"echo inner >>seen\"\n");
  workflow("    [*] --> A\n    A --> B\n    B --> D: result == \"b\"\n    B --> C\n    C --> [*]\n    D --> [*]\n",
           "- A: Run workflow \"inner.md\"\n- B: Shell \"printf b\"\n- C: Shell \"echo C >>seen\"\n- D: Log \"d\"\n");
  const Finished finished = run_workflow("workflow.md", {"--until", "C"});
  BOOST_TEST(finished.exit_code == 1, finished.err);
  BOOST_TEST(seen() == "inner\n");
  BOOST_TEST(holds(finished.out, "  Reason: the run ended without reaching C, which --until names\n"), finished.out);
  BOOST_TEST(Json::parse(wtool({"show", "last", "--json"}).out).at("until_reached") == false);
}

BOOST_AUTO_TEST_CASE(a_state_of_finally_ends_a_run_that_until_limits_to_it) {
  const Finished finished = run_workflow("workflow.md", {"--until", "Last"});
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(seen() == "A\nB a\nC\nLast\n");
  for (const std::string& text : {finished.out, wtool({"show", "last"}).out}) {
    BOOST_TEST(!holds(text, "without reaching"), text);
    BOOST_TEST(holds(text, "To continue after Last: wtool resume "), text);
  }
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 0);
  BOOST_TEST(seen() == "Last\n");
}

BOOST_AUTO_TEST_CASE(a_composite_state_that_ended_a_run_is_left_when_it_is_resumed) {
  scratch.file("nested.md",
               "```mermaid\nstateDiagram-v2\n    state Work {\n        [*] --> One\n        One --> [*]\n    }\n"
               "    [*] --> Work\n    Work --> Then\n    Then --> [*]\n```\n## Actions\n"
               "- One: Shell \"echo One >>seen\"\n- Then: Shell \"echo Then >>seen\"\n");
  BOOST_TEST(run_workflow("nested.md", {"--until", "Work"}).exit_code == 0);
  BOOST_TEST(wtool({"resume", "last"}).exit_code == 0);
  BOOST_TEST(seen() == "One\nThen\n");
}

BOOST_AUTO_TEST_CASE(one_state_alone_runs_without_finally) {
  const Finished finished = run_workflow("workflow.md", {"--only", "C"});
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(seen() == "C\n");
  const Finished over = wtool({"resume", "last"});
  BOOST_TEST(over.exit_code == 2);
  BOOST_TEST(holds(over.err, "has completed the only state that --only named, C, so there is nothing"), over.err);
  BOOST_TEST(holds(over.err, "`wtool run workflow.md` runs the whole workflow"), over.err);
  // B reads the output of A, which did not run.
  const Finished reads = run_workflow("workflow.md", {"--only", "B"});
  BOOST_TEST(reads.exit_code == 1);
  BOOST_TEST(seen().empty());
}

BOOST_AUTO_TEST_CASE(from_a_state_on_with_what_the_last_run_recorded) {
  BOOST_TEST(run_workflow("workflow.md", {"--from", "B"}).exit_code == 2);
  BOOST_TEST(run_workflow("workflow.md", {"--until", "B"}).exit_code == 0);
  seen();
  const Finished finished = run_workflow("workflow.md", {"--from", "B"});
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(seen() == "B a\nC\nLast\n");
  BOOST_TEST(run_workflow("workflow.md", {"--from", "B", "--until", "B"}).exit_code == 0);
  BOOST_TEST(seen() == "B a\nLast\n");
  BOOST_TEST(run_workflow("workflow.md", {"--from", "B", "--no-journal"}).exit_code == 2);
}

BOOST_AUTO_TEST_CASE(from_a_state_of_finally_on_nothing_before_it_runs_again) {
  BOOST_TEST(run_workflow("workflow.md").exit_code == 0);
  BOOST_TEST(seen() == "A\nB a\nC\nLast\n");
  BOOST_TEST(run_workflow("workflow.md", {"--from", "Last"}).exit_code == 0);
  BOOST_TEST(seen() == "Last\n");
}

BOOST_AUTO_TEST_CASE(from_a_state_with_a_matrix_on_all_its_combinations_run_again) {
  scratch.file("many.md",
               "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> [*]\n```\n## Actions\n"
               "- A: Shell \"echo ${matrix.n} >>seen\" matrix={\"n\": [1, 2]}\n- B: Log \"x\"\n");
  BOOST_TEST(run_workflow("many.md").exit_code == 0);
  BOOST_TEST(seen().size() == 4U);
  BOOST_TEST(run_workflow("many.md", {"--from", "A"}).exit_code == 0);
  BOOST_TEST(seen().size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_run_of_one_state_cannot_be_the_beginning_for_from) {
  BOOST_TEST(run_workflow("workflow.md", {"--only", "C"}).exit_code == 0);
  seen();
  const Finished refused = run_workflow("workflow.md", {"--from", "C"});
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(holds(refused.err, "ran only C; name another run with `wtool resume RUN --from C`"), refused.err);
  BOOST_TEST(seen().empty());
}

BOOST_AUTO_TEST_CASE(a_run_of_other_states_is_not_continued_with_only_one_and_stays_as_it_was) {
  BOOST_TEST(run_workflow("workflow.md").exit_code == 0);
  seen();
  const auto refused = [&](const Finished& finished) {
    BOOST_TEST(finished.exit_code == 2);
    BOOST_TEST(holds(finished.err, "--only B cannot continue the run "), finished.err);
    BOOST_TEST(holds(finished.err, "`--from B --until B` runs that state with the values"), finished.err);
    BOOST_TEST(seen().empty());
    BOOST_TEST(holds(wtool({"show", "last"}).out, ": completed in "), wtool({"show", "last"}).out);
  };
  refused(run_workflow("workflow.md", {"--from", "B", "--only", "B"}));
  refused(wtool({"resume", "last", "--from", "B", "--only", "B"}));
  refused(wtool({"resume", "last", "--only", "B"}));
  BOOST_TEST(run_workflow("workflow.md", {"--from", "B", "--until", "B"}).exit_code == 0);
  BOOST_TEST(seen() == "B a\nLast\n");
  // A run of one state is continued as such, or not at all.
  scratch.file("bad", "");
  BOOST_TEST(run_workflow("workflow.md", {"--only", "C"}).exit_code == 0);
  BOOST_TEST(seen() == "C\n");
  const Finished until = wtool({"resume", "last", "--until", "B"});
  BOOST_TEST(until.exit_code == 2);
  BOOST_TEST(holds(until.err, " ran only C, so nothing of it can be continued with --until B"), until.err);
  BOOST_TEST(wtool({"resume", "last", "--from", "C", "--only", "C"}).exit_code == 0);
  BOOST_TEST(seen() == "C\n");
}

// An older run has the values of an earlier time, so it is never chosen without a word.
BOOST_AUTO_TEST_CASE(from_a_state_on_the_newest_run_is_continued_or_none) {
  BOOST_TEST(run_workflow("workflow.md").exit_code == 0);
  BOOST_TEST(run_workflow("workflow.md", {"--until", "A"}).exit_code == 0);
  const Finished refused = run_workflow("workflow.md", {"--from", "B"});
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(holds(refused.err, "was never in"), refused.err);
  BOOST_TEST(run_workflow("workflow.md").exit_code == 0);
  BOOST_TEST(run_workflow("workflow.md", {"--only", "C"}).exit_code == 0);
  seen();
  const Finished finished = run_workflow("workflow.md", {"--from", "B"});
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(seen() == "B a\nC\nLast\n");
  BOOST_TEST(Json::parse(wtool({"runs", "--json"}).out).size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_state_that_does_not_exist_is_named_as_such) {
  BOOST_TEST(run_workflow("workflow.md", {"--only", "C"}).exit_code == 0);
  const auto named = [&](const Finished& finished) {
    BOOST_TEST(finished.exit_code == 2);
    BOOST_TEST(holds(finished.err, "workflow.md has no state \"Nosuch\""), finished.err);
  };
  named(run_workflow("workflow.md", {"--from", "Nosuch"}));
  BOOST_TEST(run_workflow("workflow.md").exit_code == 0);
  named(run_workflow("workflow.md", {"--from", "Nosuch"}));
  named(wtool({"resume", "last", "--from", "Nosuch"}));
}

BOOST_AUTO_TEST_CASE(a_plan_shows_the_part) {
  for (const Finished& plan :
       {wtool({"plan", "workflow.md", "--until", "B"}), wtool({"run", "-n", "workflow.md", "--until", "B"})}) {
    BOOST_TEST(plan.exit_code == 0, plan.err);
    BOOST_TEST(holds(plan.out, "echo B"), plan.out);
    BOOST_TEST(!holds(plan.out, "echo C"), plan.out);
  }
}

BOOST_AUTO_TEST_CASE(a_composite_state_is_a_part_with_all_that_is_inside) {
  scratch.file(
      "nested.md",
      "```mermaid\nstateDiagram-v2\n    state Work {\n        [*] --> One\n        One --> Two\n        Two --> [*]\n"
      "    }\n    [*] --> First\n    First --> Work\n    Work --> Then\n    Then --> [*]\n```\n## Actions\n"
      "- First: Shell \"echo First >>seen\"\n- One: Shell \"echo One >>seen\"\n- Two: Shell \"echo Two >>seen\"\n"
      "- Then: Shell \"echo Then >>seen\"\n");
  BOOST_TEST(run_workflow("nested.md", {"--until", "Work"}).exit_code == 0);
  BOOST_TEST(seen() == "First\nOne\nTwo\n");
  BOOST_TEST(run_workflow("nested.md", {"--only", "Work"}).exit_code == 0);
  BOOST_TEST(seen() == "One\nTwo\n");
  BOOST_TEST(run_workflow("nested.md", {"--until", "One"}).exit_code == 0);
  BOOST_TEST(seen() == "First\nOne\n");
}

BOOST_AUTO_TEST_CASE(what_leads_out_of_a_composite_state_ends_the_part) {
  const std::string diagram =
      "    [*] --> X\n    state X {\n    [*] --> Try\n    Try --> [*]: success\n    Try --> Mend: failure\n    }\n"
      "    X --> Next\n    Mend --> Next\n    Next --> [*]\n";
  const std::string rest = "- Mend: Shell \"echo Mend >>seen\"\n- Next: Shell \"echo Next >>seen\"\n";
  for (const std::string part : {"--only", "--until"}) {
    workflow(diagram, "- Try: Shell \"echo Try >>seen; exit 3\"\n" + rest);
    BOOST_TEST(run_workflow("workflow.md", {part, "X"}).exit_code == 1);
    BOOST_TEST(seen() == "Try\n");
    workflow(diagram, "- Try: Shell \"echo Try >>seen; exit 3\" on failure: Mend\n" + rest);
    BOOST_TEST(run_workflow("workflow.md", {part, "X"}).exit_code == 1);
    BOOST_TEST(seen() == "Try\n");
    workflow(diagram, "- Try: Shell \"echo Try >>seen\"\n" + rest);
    BOOST_TEST(run_workflow("workflow.md", {part, "X"}).exit_code == 0);
    BOOST_TEST(seen() == "Try\n");
  }
}

BOOST_AUTO_TEST_CASE(a_failure_that_is_handled_inside_of_a_composite_state_does_not_fail_the_part) {
  const std::string actions = "- Try: Shell \"echo Try >>seen; exit 3\"\n- Next: Shell \"echo Next >>seen\"\n";
  const std::string always = "Try --> [*]: always\n", handled = "Try --> After: failure\n    After --> [*]\n";
  for (const std::string& inside : {always, handled}) {
    for (const std::string front : {"", "---\nfailures: continue\n---\n"}) {
      scratch.file("workflow.md",
                   front + "```mermaid\nstateDiagram-v2\n    [*] --> X\n    state X {\n    [*] --> Try\n    " + inside +
                       "    }\n    X --> Next\n    Next --> [*]\n```\n## Actions\n" + actions);
      BOOST_TEST_CONTEXT(front << inside) {
        for (const std::string part : {"--only", "--until"}) {
          const Finished finished = run_workflow("workflow.md", {part, "X"});
          BOOST_TEST(finished.exit_code == 0, finished.out);
          BOOST_TEST(seen() == "Try\n");
        }
        BOOST_TEST(run_workflow("workflow.md").exit_code == 0);
        BOOST_TEST(seen() == "Try\nNext\n");
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_failure_of_the_named_state_ends_the_part_inside_of_a_composite_state_too) {
  workflow(
      "    [*] --> X\n    state X {\n    [*] --> Y\n    state Y {\n    [*] --> Try\n    Try --> [*]\n    }\n"
      "    Y --> [*]\n    }\n    X --> Next\n    X --> Mend: failure\n    Mend --> [*]\n    Next --> [*]\n",
      "- Try: Shell \"echo Try >>seen; exit 3\"\n- Mend: Shell \"echo Mend >>seen\"\n- Next: Log \"next\"\n");
  for (const std::string part : {"--only", "--until"}) {
    for (const std::string state : {"Try", "Y", "X"}) {
      BOOST_TEST_CONTEXT(part << " " << state) {
        BOOST_TEST(run_workflow("workflow.md", {part, state}).exit_code == 1);
        BOOST_TEST(seen() == "Try\n");
        const Json plan = Json::parse(wtool({"plan", "workflow.md", part, state, "--json"}).out);
        BOOST_TEST(!holds(plan.dump(), "Mend"), plan.dump());
      }
    }
  }
  BOOST_TEST(run_workflow("workflow.md").exit_code == 0);
  BOOST_TEST(seen() == "Try\nMend\n");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_a_part_is_refused) {
  scratch.file("fork.md",
               "```mermaid\nstateDiagram-v2\n    state Fork <<fork>>\n    state Join <<join>>\n    [*] --> Fork\n"
               "    Fork --> Left\n    Fork --> Right\n    Left --> Join\n    Right --> Join\n    Join --> End\n    "
               "End --> [*]\n"
               "```\n## Actions\n- Left: Shell \"echo Left >>seen\"\n- Right: Shell \"true\"\n- End: Shell \"echo End "
               ">>seen\"\n");
  const auto refused = [&](const std::vector<std::string>& options, const std::string& part) {
    const Finished finished = run_workflow("fork.md", options);
    BOOST_TEST(finished.exit_code == 2);
    BOOST_TEST(holds(finished.err, part), finished.err);
    BOOST_TEST(seen().empty());
  };
  refused({"--until", "Left"}, "--until Left: this state is on a branch of 'Fork'");
  refused({"--until", "Fork"}, "this state only starts branches");
  for (const char* state : {"Fork", "Join"}) refused({"--only", state}, "so nothing would run");
  refused({"--until", "Lefd"}, "the workflow has no state of that name; did you mean 'Left'?");
  refused({"--until", "Left", "--only", "Left"}, "excludes");
  refused({"--only", ""}, "must not be empty");
  BOOST_TEST(run_workflow("fork.md", {"--until", "Join"}).exit_code == 0);
  BOOST_TEST(seen() == "Left\n");
  BOOST_TEST(run_workflow("fork.md", {"--only", "Left"}).exit_code == 0);
  BOOST_TEST(seen() == "Left\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
