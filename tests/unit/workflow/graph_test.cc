// report/drawing.h: a workflow as a picture, and as text for programs that draw.
#include "report/drawing.h"

#include <stdlib.h>

#include <boost/test/unit_test.hpp>

#include "markup_check.h"
#include "report/formats.h"
#include "reporting_support.h"
#include "runner/approval.h"
#include "support.h"
#include "support/program.h"
#include "support/text.h"

namespace graph_test {

using namespace wtool::host::journal;
using namespace wtool::host::report;
using namespace wtool::host::runner;
using namespace wtool::host::workflow;
using namespace wtool::test;

namespace {

constexpr const char* diagram =
    "    [*] --> Ask\n"
    "    state Choose <<choice>>\n"
    "    Ask: asks \"somebody\"\n"
    "    Ask --> Choose\n"
    "    Choose --> Greet: success && Ask.stdout.contains(\"a\")\n"
    "    Choose --> Sorry: default\n"
    "    Greet --> Ask: failure\n"
    "    Greet --> [*]: default\n"
    "    Sorry --> [*]\n";

Workflow parsed(const std::string& text) {
  const Source source("w.md", text);
  Diagnostics diagnostics;
  Workflow workflow = parse_workflow(source, diagnostics);
  BOOST_REQUIRE_MESSAGE(diagnostics.empty(), diagnostics.text(source));
  return workflow;
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

RunRecord made_run() {
  RunRecord run;
  for (const auto& [state, status] : {std::pair("Ask", Step::Status::failed), std::pair("Ask", Step::Status::succeeded),
                                      std::pair("Sorry", Step::Status::failed)}) {
    StepRecord step;
    step.state = state;
    step.status = status;
    step.action = "shell";
    run.steps.push_back(step);
  }
  return run;
}

// A composite state as the reader of diagrams makes it: Phase leads to One, One to the hidden end, and the end to
// After.
Workflow composite(bool with_condition) {
  Workflow workflow;
  for (const char* id : {"Phase", "One", "Phase (end)", "After"}) {
    workflow.index[id] = workflow.states.size();
    workflow.states.push_back(made_state(id));
  }
  workflow.states[2].hidden = true;
  workflow.start = 0;
  const auto lead = [&](std::size_t from, std::size_t to, Transition::Kind kind, const std::string& label) {
    Transition exit;
    exit.target = to;
    exit.kind = kind;
    exit.label = label;
    workflow.states[from].exits.push_back(std::move(exit));
  };
  lead(0, 1, Transition::Kind::unconditional, "");
  lead(1, 2, Transition::Kind::unconditional, "");
  lead(2, 3, Transition::Kind::unconditional, "");
  if (with_condition) lead(2, 0, Transition::Kind::failure, "failure");
  lead(3, no_state, Transition::Kind::unconditional, "");
  return workflow;
}

}  // namespace

BOOST_AUTO_TEST_CASE(mermaid_can_be_read_again) {
  const Workflow workflow = parsed(workflow_text(diagram, "- Ask: Log \"x\"\n"));
  const RunRecord run = made_run();
  const std::string text = mermaid_text(drawing_of(workflow, &run));
  BOOST_TEST(holds(text, "    class Ask succeeded\n"));
  BOOST_TEST(holds(text, "    class Sorry failed\n"));
  BOOST_TEST(holds(text, "    classDef failed fill:"));
  const Workflow again = parsed("```mermaid\n" + text + "```\n");
  BOOST_REQUIRE(again.states.size() == workflow.states.size());
  BOOST_TEST(again.start == again.index_of("Ask"));
  for (const State& state : workflow.states) {
    const State* other = again.find(state.id);
    BOOST_REQUIRE(other != nullptr);
    BOOST_TEST(other->description == state.description);
    BOOST_TEST((other->kind == state.kind));
    BOOST_REQUIRE(other->exits.size() == state.exits.size());
    for (std::size_t i = 0; i < state.exits.size(); ++i) {
      BOOST_TEST(other->exits[i].label == state.exits[i].label);
      BOOST_TEST((other->exits[i].kind == state.exits[i].kind));
    }
  }
  BOOST_TEST(mermaid_text(drawing_of(again, nullptr)) == mermaid_text(drawing_of(workflow, nullptr)));
}

BOOST_AUTO_TEST_CASE(hidden_states_are_passed_over_or_drawn_as_choices) {
  const std::string plain = mermaid_text(drawing_of(composite(false), nullptr));
  BOOST_TEST(holds(plain, "    One --> After\n"));
  BOOST_TEST(!holds(plain, "_end"));
  const std::string choosing = mermaid_text(drawing_of(composite(true), nullptr));
  BOOST_TEST(holds(choosing, "    state Phaseend_end <<choice>>\n"));
  BOOST_TEST(holds(choosing, "    One --> Phaseend_end\n"));
  BOOST_TEST(holds(choosing, "    Phaseend_end --> Phase: failure\n"));
  parsed("```mermaid\n" + choosing + "```\n");
}

BOOST_AUTO_TEST_CASE(dot_is_quoted_and_coloured) {
  const Workflow workflow = parsed(workflow_text(diagram, ""));
  const RunRecord run = made_run();
  const std::string text = dot_text(drawing_of(workflow, &run), "a \"name\"");
  BOOST_TEST(holds(text, "digraph \"a \\\"name\\\"\" {"));
  BOOST_TEST(holds(text, "[label=\"success && Ask.stdout.contains(\\\"a\\\")\"]"));
  BOOST_TEST(holds(text, "Ask\\nasks \\\"somebody\\\""));
  BOOST_TEST(count_of(text, "fillcolor=\"#ffcdd2\"") == 1U);
  BOOST_TEST(count_of(text, " -> ") == 7U);
}

BOOST_AUTO_TEST_CASE(our_own_picture_is_well_formed) {
  const Workflow workflow = parsed(workflow_text(diagram, ""));
  const RunRecord run = made_run();
  const std::string picture = diagram_svg(workflow, &run);
  BOOST_TEST(MarkupCheck::problem(picture) == "");
  BOOST_TEST(count_of(picture, "class=\"edge") == 7U);
  BOOST_TEST(holds(picture, "class=\"node failed\""));
  BOOST_TEST(MarkupCheck::problem(diagram_svg(Workflow{}, nullptr)) == "");
  BOOST_TEST(!holds(picture, "<style>"));
  const std::string file = diagram_svg(workflow, &run, true);
  BOOST_TEST(MarkupCheck::problem(file) == "");
  BOOST_TEST(holds(file, ".node.failed rect, .node.failed polygon { stroke: #c62828;"));
  BOOST_TEST(!holds(file, "var("));
}

BOOST_AUTO_TEST_CASE(a_composite_state_is_a_box_and_what_only_ends_a_run_is_apart) {
  const std::string text =
      "---\nfinally: Clean\n---\n```mermaid\nstateDiagram-v2\n    [*] --> Phase\n    state \"First of all\" as Phase\n"
      "    state Phase {\n        [*] --> One\n"
      "        One --> [*]\n    }\n    Phase --> After: success\n    Phase --> Phase: failure\n    After --> [*]\n"
      "    Clean --> [*]\n```\n";
  const Workflow workflow = parsed(text);
  const std::string picture = diagram_svg(workflow, nullptr);
  BOOST_TEST(MarkupCheck::problem(picture) == "");
  BOOST_TEST(count_of(picture, "class=\"frame\"") == 1U);
  BOOST_TEST(holds(picture, ">First of all</text><title>Phase: First of all</title>"));
  BOOST_TEST(holds(picture, "class=\"caption\" "));
  BOOST_TEST(holds(picture, ">finally</text>"));
  BOOST_TEST(count_of(picture, "class=\"edge\"") == 7U);
  // The arrow from the composite state to itself is drawn at the box, not at a state inside.
  BOOST_TEST(count_of(picture, ">failure<title>") == 1U);
}

BOOST_AUTO_TEST_CASE(a_heading_is_cut_only_where_its_frame_has_no_room) {
  const std::string heading = "All that must be done before the release is out";
  const auto drawn = [&](const std::string& inside) {
    return diagram_svg(parsed("```mermaid\nstateDiagram-v2\n    [*] --> Phase\n    state \"" + heading +
                              "\" as Phase\n    state Phase {\n" + inside + "    }\n    Phase --> [*]\n```\n"),
                       nullptr);
  };
  BOOST_TEST(!holds(drawn("        [*] --> One\n        One --> [*]\n"), ">" + heading + "</text>"));
  std::string wide = "        [*] --> Choose\n        state Choose <<choice>>\n";
  for (const char* state : {"Documentation", "Translations", "Announcements", "Measurements", "Installations"}) {
    wide += std::string("        Choose --> ") + state + ": x == '" + state + "'\n        " + state + " --> [*]\n";
  }
  BOOST_TEST(holds(drawn(wide), ">" + heading + "</text>"));
}

BOOST_AUTO_TEST_CASE(the_path_of_a_run_is_bold_and_states_show_how_they_ended) {
  const Workflow workflow = parsed(workflow_text(diagram, "- Ask: Log \"x\"\n"));
  RunRecord run = made_run();
  run.steps[1].end.next = {"Choose"};
  run.steps[1].number = 2;
  const std::string picture = diagram_svg(workflow, &run);
  // The arrow from the start and the one after Ask have been taken.
  BOOST_TEST(count_of(picture, "class=\"edge taken\"") == 2U);
  BOOST_TEST(holds(picture, ">\u2713 asks &quot;somebody&quot;</text>"));
  BOOST_TEST(holds(picture, "<title>Ask: asks &quot;somebody&quot;, succeeded</title>"));
  BOOST_TEST(holds(picture, ">\u2717 Sorry</text>"));
  BOOST_TEST(holds(picture, "2 visits, "));
  BOOST_TEST(holds(picture, "<a href=\"#step-2\">"));
  BOOST_TEST(!holds(diagram_svg(workflow, &run, true), "<a "));
}

BOOST_AUTO_TEST_CASE(a_composite_state_that_failed_says_so_in_words_and_a_description_is_drawn) {
  const Workflow workflow = parsed(
      "```mermaid\nstateDiagram-v2\n    [*] --> Phase\n    state Phase {\n        state \"All of it\" as One\n"
      "        [*] --> One\n        One --> [*]\n    }\n    Phase --> [*]\n```\n");
  RunRecord run;
  for (const auto& [state, hidden] :
       {std::pair("Phase", false), std::pair("One", false), std::pair("Phase/end", true)}) {
    StepRecord step;
    step.place = {"", run.steps.size() + 1};
    step.state = state;
    step.hidden = hidden;
    step.status = state == std::string("Phase") ? Step::Status::succeeded : Step::Status::failed;
    if (state == std::string("One")) step.action = "shell";
    run.steps.push_back(step);
  }
  const std::string picture = diagram_svg(workflow, &run);
  BOOST_TEST(holds(picture, "class=\"frame failed\""), picture);
  BOOST_TEST(holds(picture, ">\u2717 Phase: failed</text>"), picture);
  BOOST_TEST(holds(picture, ">\u2717 All of it</text>"), picture);
  BOOST_TEST(holds(picture, "<title>One: All of it, failed</title>"), picture);
  const std::string page = html_report(run, &workflow);
  BOOST_TEST(holds(page, "Phase</td><td class=\"failed\">failed"), page);
  BOOST_TEST(holds(run_text(run, false, false), "  Phase  failed  "), run_text(run, false, false));
}

BOOST_AUTO_TEST_CASE(a_state_that_waits_for_an_approval_is_not_aborted) {
  const Workflow workflow = parsed(workflow_text(diagram, "- Ask: Approve \"x\"\n"));
  RunRecord run;
  run.status = RunReport::Status::suspended;
  StepRecord step;
  step.place = {"", 1};
  step.state = "Ask";
  step.status = Step::Status::aborted;
  step.action = "approve";
  step.end.outcome.error = approval_pending;
  step.end.outcome.message = "\"x\" waits for an approval";
  run.steps.push_back(step);
  const std::string picture = diagram_svg(workflow, &run);
  BOOST_TEST(holds(picture, "class=\"node waits\""), picture);
  BOOST_TEST(holds(picture, ", waits</title>"), picture);
  BOOST_TEST(holds(junit_xml(run), "<error message=\"&quot;x&quot; waits for an approval\" type=\"waits\">"),
             junit_xml(run));
  for (const std::string& report :
       {picture, junit_xml(run), html_report(run, &workflow), mermaid_text(drawing_of(workflow, &run)),
        dot_text(drawing_of(workflow, &run), "x"), github_page(run), run_text(run, false, false)}) {
    BOOST_TEST(!holds(report, ", aborted<"), report);
    BOOST_TEST(!holds(report, "\"aborted: "), report);
  }
  BOOST_TEST(holds(mermaid_text(drawing_of(workflow, &run)), "class Ask waits"));
}

BOOST_AUTO_TEST_CASE(combinations_of_a_matrix_are_one_visit_of_their_state) {
  const Workflow workflow = parsed(workflow_text(diagram, "- Ask: Log \"x\"\n"));
  RunRecord run;
  for (const auto& [branch, took] : {std::pair("", 800), std::pair("/1:1", 300), std::pair("/1:2", 400)}) {
    StepRecord step;
    step.place = {branch, 1};
    step.state = "Ask";
    step.status = Step::Status::succeeded;
    step.action = "log";
    step.took = std::chrono::milliseconds(took);
    run.steps.push_back(step);
  }
  const std::string picture = diagram_svg(workflow, &run);
  BOOST_TEST(holds(picture, "0.800 s"), picture);
  BOOST_TEST(!holds(picture, " visits, "), picture);
}

BOOST_AUTO_TEST_CASE(dot_is_run_without_a_shell) {
  const ScratchFolder folder;
  const std::string before = ::getenv("PATH");
  std::string error;
  ::setenv("PATH", folder.path().c_str(), 1);
  BOOST_TEST(drawn_by_dot("digraph {}", "png", error) == "");
  BOOST_TEST(holds(error, "install Graphviz (Debian: apt install graphviz)"));
  folder.file("dot", "#!/bin/sh\necho \"$# $1\"\nexec /bin/cat\n", 0755);
  const std::string large(300'000, 'x');
  BOOST_TEST(drawn_by_dot(large, "png", error = "") == "1 -Tpng\n" + large);
  BOOST_TEST(error == "");
  folder.file("dot", "#!/bin/sh\nexit 3\n", 0755);
  BOOST_TEST(drawn_by_dot("digraph {}", "png", error) == "");
  BOOST_TEST(holds(error, "could not draw the graph: exit status 3"));
  ::setenv("PATH", before.c_str(), 1);
}

BOOST_AUTO_TEST_CASE(the_drawing_of_a_drawing_is_the_same_text) {
  for (
      const std::string text :
      {"    [*] --> A\n    B --> C: success\n    A --> C\n    A --> B: failure\n    C --> [*]\n    B --> [*]: default\n"
       "    Last: cleans up\n    Last --> [*]\n",
       "    [*] --> Z\n    state F <<fork>>\n    state J <<join>>\n    Y --> J\n    X --> J\n    F --> X\n    F --> Y\n"
       "    Z --> F\n    J --> [*]\n    Alone --> Other\n    Other --> [*]\n"}) {
    const std::string drawn =
        mermaid_text(drawing_of(parsed("```mermaid\nstateDiagram-v2\n" + text + "```\n"), nullptr));
    BOOST_TEST(mermaid_text(drawing_of(parsed("```mermaid\n" + drawn + "```\n"), nullptr)) == drawn);
  }
}

BOOST_AUTO_TEST_CASE(a_diagram_of_few_states_may_have_too_many_arrows_for_a_picture) {
  const auto problem = [](int states) {
    std::string text = "    [*] --> S1\n";
    for (int from = 1; from <= states; ++from) {
      for (int to = 1; to <= states; ++to) {
        text += "    S" + std::to_string(from) + " --> S" + std::to_string(to) +
                ": result.exit_code == " + std::to_string(to) + "\n";
      }
    }
    return problem_of_size(
        drawing_of(parsed("```mermaid\nstateDiagram-v2\n" + text + "    S1 --> [*]\n```\n"), nullptr));
  };
  BOOST_TEST(problem(31) == "");
  BOOST_TEST(problem(32) == "it has 1026 arrows, and at most 1000 can be drawn legibly");
}

BOOST_AUTO_TEST_CASE(a_page_says_that_a_diagram_is_too_large_for_it) {
  std::string text = "    [*] --> S0\n";
  for (int i = 0; i < 400; ++i) text += "    S" + std::to_string(i) + " --> S" + std::to_string(i + 1) + "\n";
  const Workflow large = parsed("```mermaid\nstateDiagram-v2\n" + text + "    S400 --> [*]\n```\n");
  BOOST_TEST(holds(html_report(made_run(), &large), "The diagram is left out: it has 403 nodes"));
}

}  // namespace graph_test
