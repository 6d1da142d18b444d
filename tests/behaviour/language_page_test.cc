// The examples of docs/workflow-language.md are true: each is run, and does what the page says. An example that does
// anything else is reported.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <sstream>

#include "language_page.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(language_page_test)

using namespace wtool::test;

namespace {

// The only problem of a page, "none", or "several" and the first one.
std::string problem_of(const std::string& text) {
  const LanguagePageReport report = run_language_page("page.md", text);
  if (report.problems.empty()) return "none";
  return report.problems.size() == 1 ? report.problems.front() : "several: " + report.problems.front();
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_examples_of_the_page_are_true) {
  std::ostringstream content;
  content << std::ifstream(WTOOL_TEST_SOURCE_DIR "/docs/workflow-language.md").rdbuf();
  const LanguagePageReport report = run_language_page("workflow-language.md", content.str());
  for (const std::string& problem : report.problems) BOOST_ERROR(problem);
  BOOST_TEST(report.examples >= 15U);
}

BOOST_AUTO_TEST_SUITE(a_page)

BOOST_AUTO_TEST_CASE(that_is_true_has_no_problem) {
  BOOST_TEST(problem_of("<!-- example\nvar who=a\\nb\nsh echo c > file\n-->\n```\n- A: Log \"${who}\"\n- A: Shell "
                        "\"cat file; exit 3\"\n"
                        "```\n\n```output\nA: a\nA: b\ncompleted\nA: c\nfailed: ... 'A' failed...\n```\n") == "none");
  BOOST_TEST(problem_of("````markdown\n```mermaid\nstateDiagram-v2\n  [*] --> A\n```\n````\n```output of lint\n"
                        "3:11: error: ...A...\n```\n") == "none");
  BOOST_TEST(problem_of("```sh\n- A: no example\n```\n\n```\nneither\n```\n") == "none");
}

BOOST_AUTO_TEST_CASE(that_is_not_true_is_reported_with_its_line_and_both_texts) {
  const std::string problem = problem_of("```\n- A: Log \"a\"\n```\n```output\nA: b\ncompleted\n```\n");
  for (const char* part : {"page.md:4: ", "the output is different", "expected\nA: b\n", "got\nA: a\n"}) {
    BOOST_TEST(holds(problem, part), problem << " lacks " << part);
  }
  BOOST_TEST(holds(problem_of("```\n- A: Conjure \"a\"\n```\n```output\ncompleted\n```\n"), "Conjure"));
}

BOOST_AUTO_TEST_CASE(whose_example_and_output_are_apart_is_reported) {
  BOOST_TEST(holds(problem_of("```\n- A: Log \"a\"\n```\n"), "page.md:1: no output follows; it is\nA: a\n"));
  BOOST_TEST(holds(problem_of("```output\ncompleted\n```\n"), "page.md:1: an output without its example"));
  BOOST_TEST(holds(problem_of("<!-- example\nluck\n-->\n```\n- A: Log \"a\"\n```\n```output\nA: a\ncompleted\n```\n"),
                   "no such need: luck"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
