// Help on a terminal: lines fit, nothing is lost, and examples stay as they are.
#include <boost/test/unit_test.hpp>
#include <string>

#include "cli/help_text.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(host_help_test)

using wtool::host::fitted_help;

namespace {

const std::string help =
    "Run a workflow: markdown with a mermaid state diagram\n"
    "Usage: wtool run [OPTIONS] [WORKFLOW]\n"
    "\n"
    "Positionals:\n"
    "  WORKFLOW TEXT               The workflow file, or the name of one that `wtool list` shows (default: on a "
    "terminal,\n"
    "                              you choose one)\n"
    "\n"
    "Options:\n"
    "  -h,--help                   Print this help\n"
    "  --until STATE Excludes: --only\n"
    "                              End the run after this state; `finally` still runs\n"
    "\n"
    "Progress goes to standard error, a summary to standard output. Exit status: 0 completed, 1 failed, 2 the\n"
    "workflow or the usage is invalid.\n"
    "\n"
    "Examples:\n"
    "  wtool run checks.md --max-parallel 4 --junit checks.xml --events events.jsonl --html checks.html\n";

}  // namespace

BOOST_AUTO_TEST_CASE(without_a_terminal_help_stays_as_it_is) { BOOST_TEST(fitted_help(help, 0) == help); }

BOOST_AUTO_TEST_CASE(lines_fit_a_terminal_of_80_columns) {
  BOOST_TEST(fitted_help(help, 80) ==
             "Run a workflow: markdown with a mermaid state diagram\n"
             "Usage: wtool run [OPTIONS] [WORKFLOW]\n"
             "\n"
             "Positionals:\n"
             "  WORKFLOW TEXT               The workflow file, or the name of one that `wtool\n"
             "                              list` shows (default: on a terminal, you choose\n"
             "                              one)\n"
             "\n"
             "Options:\n"
             "  -h,--help                   Print this help\n"
             "  --until STATE Excludes: --only\n"
             "                              End the run after this state; `finally` still runs\n"
             "\n"
             "Progress goes to standard error, a summary to standard output. Exit status: 0\n"
             "completed, 1 failed, 2 the workflow or the usage is invalid.\n"
             "\n"
             "Examples:\n"
             "  wtool run checks.md --max-parallel 4 --junit checks.xml --events events.jsonl --html checks.html\n");
}

BOOST_AUTO_TEST_CASE(a_wider_terminal_gets_longer_lines) {
  const std::string wide = fitted_help(help, 120);
  BOOST_TEST(wtool::test::holds(wide, "2 the workflow or the\nusage is invalid.\n"), wide);
  BOOST_TEST(wtool::test::holds(wide, "(default: on a terminal, you\n                              choose one)\n"),
             wide);
}

BOOST_AUTO_TEST_SUITE_END()
