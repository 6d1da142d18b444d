// The examples in docs/guide are true: each is run, and does what the page says. An example that does anything else is
// reported.
#include <algorithm>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "guide_page.h"
#include "support/plugin.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(guide_test)

using namespace wtool::test;

namespace {

const std::filesystem::path guide = std::filesystem::path(WTOOL_TEST_SOURCE_DIR) / "docs/guide";

std::vector<std::string> pages() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(guide)) {
    if (file.path().extension() == ".md") names.push_back(file.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string content_of(const std::filesystem::path& file) {
  std::ostringstream content;
  content << std::ifstream(file).rdbuf();
  return content.str();
}

// The only problem of a page, "none", or "several" and the first one.
std::string problem_of(const std::string& text) {
  const PageReport report = run_page("page.md", text);
  if (report.problems.empty()) return "none";
  return report.problems.size() == 1 ? report.problems.front() : "several: " + report.problems.front();
}

// Turns ~~~ into ```: a test writes its pages with ~~~, so that they are readable.
std::string page(std::string text) {
  for (std::size_t at = text.find("~~~"); at != std::string::npos; at = text.find("~~~")) text.replace(at, 3, "```");
  return text;
}

}  // namespace

BOOST_DATA_TEST_CASE(the_examples_of_a_page_are_true, boost::unit_test::data::make(pages()), name) {
  const PageReport report = run_page(name, content_of(guide / name));
  for (const std::string& problem : report.problems) BOOST_ERROR(problem);
  BOOST_TEST_MESSAGE(name << ": " << report.called.size() << " examples");
}

BOOST_AUTO_TEST_CASE(the_page_of_execute_command_has_examples) {
  const PageReport report = run_page("execute-command.md", content_of(guide / "execute-command.md"));
  BOOST_TEST(std::count(report.called.begin(), report.called.end(), "execute_command") >= 5);
}

BOOST_AUTO_TEST_SUITE(a_page)

BOOST_AUTO_TEST_CASE(that_is_true_has_no_problem) {
  BOOST_TEST(problem_of(page(R"(# Title
~~~yaml
not: looked at
~~~
~~~sh setup
echo content > file
mkdir $FOLDER/sub
~~~
~~~env
GREETING=hello from $FOLDER
~~~
~~~json call shell_execute
{"command": "cat file; echo $GREETING"}
~~~

~~~json result
{"exit_code": 0, "stdout": "content\nhello from $FOLDER\n", "resources": {"processes": "..."}, "execution_time_ms": "..."}
~~~
~~~text result
Command executed successfully
~~~
~~~yaml config
commands: {allow: [pwd, echo]}
limits: {timeout_default: 10}
~~~
~~~json call shell_execute
{"command": "pwd", "working_directory": "sub"}
~~~
~~~json result
{"stdout": "$FOLDER/sub\n"}
~~~
~~~json call shell_execute
{"command": "echo $RESULT2.exit_code '$RESULT1.command'"}
~~~
~~~json result
{"stdout": "0 cat file; echo $GREETING\n"}
~~~
~~~json call shell_execute
{"command": "cat file"}
~~~
~~~json result
{"error": {"code": "policy_denied"}, "policy": {"word": "cat", "range": [0, 3]}}
~~~
)")) == "none");
}

BOOST_AUTO_TEST_CASE(that_is_not_true_is_reported_with_its_line_and_both_values) {
  const std::string problem = problem_of(page(R"(# Title
~~~json call shell_execute
{"command": "echo a"}
~~~
~~~json result
{"stdout": "b\n"}
~~~
)"));
  for (const char* part : {"page.md:5: ", "metadata.stdout is different", "expected", "b\\n", "got", "a\\n"}) {
    BOOST_TEST(holds(problem, part), problem << " lacks " << part);
  }
}

BOOST_AUTO_TEST_CASE(that_expects_missing_text_is_reported) {
  const auto with = [](const std::string& result) {
    return problem_of("```json call shell_execute\n{\"command\": \"true\"}\n```\n" + result);
  };
  BOOST_TEST(holds(with("```json result\n{\"signal\": \"...\"}\n```\n"), "page.md:4: metadata.signal is not there"));
  BOOST_TEST(holds(with("```json result\n{\"error\": null}\n```\n"), "metadata.error is not there"));
  BOOST_TEST(holds(with("```json result\n{\"limits\": []}\n```\n"), "metadata.limits is not there"));
  BOOST_TEST(holds(with("```text result\nother\n```\n"), "page.md:4: the text is different"));
  BOOST_TEST(holds(with("```json result\n{\n```\n"), "page.md:1: cannot be used"));
}

BOOST_AUTO_TEST_CASE(whose_call_and_result_are_apart_is_reported) {
  const std::string call = "```json call shell_execute\n{\"command\": \"true\"}\n```\n";
  const std::string result = "```json result\n{}\n```\n";
  BOOST_TEST(problem_of(call + "\n\n" + result) == "none");
  BOOST_TEST(holds(problem_of(call), "page.md:1: no result follows"));
  BOOST_TEST(holds(problem_of(call + "Words.\n" + result), "several: page.md:1: no result follows"));
  BOOST_TEST(holds(problem_of(result), "page.md:1: a result without its call"));
}

BOOST_AUTO_TEST_CASE(with_unusable_blocks_is_reported) {
  const std::string result = "```json result\n{}\n```\n";
  BOOST_TEST(holds(problem_of("```json call no_tool\n{}\n```\n" + result), "page.md:1: cannot be used"));
  BOOST_TEST(holds(problem_of("```json call shell_execute\n{\n```\n" + result), "page.md:1: cannot be used"));
  BOOST_TEST(holds(problem_of("```sh setup\necho why >&2; exit 1\n```\n"), "the setup failed: why"));
  BOOST_TEST(holds(problem_of("```env\nNAME\n```\n"), "no NAME=value"));
  BOOST_TEST(holds(problem_of("```json call shell_execute\n{\"command\": \"$RESULT1.nothing\"}\n```\n" + result),
                   "page.md:1: cannot be used"));
}

BOOST_AUTO_TEST_CASE(leaves_the_hosts_directory_and_environment_as_they_were) {
  const auto before = std::filesystem::current_path();
  problem_of("```env\nGUIDE_TEST=1\n```\n");
  BOOST_TEST(std::filesystem::current_path() == before);
  BOOST_TEST(::getenv("GUIDE_TEST") == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
