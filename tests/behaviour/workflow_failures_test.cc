// What a failure and a refusal do to a run, with real commands; and `wtool lint --fix`.
#include <sys/stat.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(workflow_failures_test)

using namespace wtool::test;

namespace {

namespace fs = std::filesystem;

const std::string natural = "    [*] --> Build\n    Build --> Test\n    Test --> Deploy\n    Deploy --> [*]\n";
const std::string build_fails =
    "- Build: Shell \"echo compiler says no; exit 1\"\n- Test: Shell \"touch tested\"\n"
    "- Deploy: Shell \"touch deployed\"\n";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(failures, Place)

BOOST_AUTO_TEST_CASE(nothing_is_deployed_after_a_build_that_failed) {
  const Finished finished = run_workflow(workflow(natural, build_fails));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 1);
    BOOST_TEST(!there("deployed"));
    BOOST_TEST(holds(finished.out, "compiler says no"));
    BOOST_TEST(holds(finished.out, "no transition handles the failure"));
    BOOST_TEST(!holds(finished.out, "always"));
  }
}

BOOST_AUTO_TEST_CASE(nothing_is_deployed_after_a_composite_state_a_join_or_an_inner_workflow_that_failed) {
  scratch.file("inner.md", "```mermaid\nstateDiagram-v2\n" + natural + "```\n## Actions\n" + build_fails);
  const std::string deploy = "- Ship: Shell \"touch deployed\"\n";
  for (const auto& [diagram, actions] :
       {std::pair<std::string, std::string>{
            "    [*] --> K\n    state K {\n        [*] --> Build\n        Build --> Test\n        Test --> [*]\n    }\n"
            "    K --> Ship\n    Ship --> [*]\n",
            "- Build: Shell \"exit 1\"\n"},
        {"    [*] --> F\n    state F <<fork>>\n    state J <<join>>\n    F --> Build\n    F --> Docs\n"
         "    Build --> J\n    Docs --> J\n    J --> Ship\n    Ship --> [*]\n",
         "- Build: Shell \"exit 1\"\n- Docs: Shell \"true\"\n"},
        {"    [*] --> M\n    M --> Ship\n    Ship --> [*]\n",
         "- M: Shell \"exit ${matrix.n}\" matrix={\"n\": [0, 1]}\n"},
        {"    [*] --> I\n    I --> Ship\n    Ship --> [*]\n", "- I: Run workflow \"inner\"\n"}}) {
    const Finished finished = run_workflow(workflow(diagram, actions + deploy));
    BOOST_TEST_CONTEXT(diagram << finished.out << finished.err) {
      BOOST_TEST(finished.exit_code == 1);
      BOOST_TEST(!there("deployed"));
    }
  }
}

BOOST_AUTO_TEST_CASE(of_two_conditions_that_cannot_be_evaluated_the_first_is_named) {
  const Finished finished = run_workflow(
      workflow("    [*] --> A\n    A --> B: A.json.x == 1\n    A --> C: A.json.y == 2\n    B --> [*]\n    C --> [*]\n",
               "- A: Shell \"echo {}\"\n- B: Shell \"touch deployed\"\n- C: Shell \"touch deployed\"\n"));
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.out, "the condition `A.json.x == 1` cannot be evaluated"), finished.out);
  BOOST_TEST(!there("deployed"));
}

BOOST_AUTO_TEST_CASE(a_command_that_policy_denies_ends_the_run_as_the_plan_says) {
  scratch.file("wtool.yaml", "commands: {deny: [\"false\"]}\n");
  const std::string file_ =
      workflow("    [*] --> A\n    A --> B\n    B --> [*]\n", "- A: Shell \"false\"\n- B: Shell \"touch deployed\"\n");
  BOOST_TEST(wtool({"plan", file_}).exit_code == 3);
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 3, finished.out << finished.err);
  BOOST_TEST(!there("deployed"));
  BOOST_TEST(holds(finished.out, "step 'A' was refused"), finished.out);
}

BOOST_AUTO_TEST_CASE(the_plan_says_which_arrows_a_failure_takes) {
  const Finished finished = wtool({"plan", workflow("    [*] --> A\n    A --> B\n    B --> C: always\n    C --> D\n"
                                                    "    D --> [*]\n    state C <<choice>>\n",
                                                    "- A: Shell \"true\"\n- B: Shell \"true\"\n- D: Log \"d\"\n")});
  BOOST_TEST(holds(finished.out, "success -> B"), finished.out);
  BOOST_TEST(holds(finished.out, "always -> C"), finished.out);
  BOOST_TEST(holds(finished.out, "always -> D"), finished.out);
}

BOOST_AUTO_TEST_CASE(the_plan_says_which_failures_reach_a_join) {
  const Finished finished =
      wtool({"plan", workflow("    state F <<fork>>\n    state J <<join>>\n    [*] --> F\n    F --> A\n    F --> B\n"
                              "    A --> J: always\n    B --> J\n    J --> [*]\n",
                              "- A: Shell \"true\"\n- B: Shell \"true\"\n")});
  BOOST_TEST(holds(finished.out, "always -> J"), finished.out);
  BOOST_TEST(holds(finished.out, "always (after a failure, the join fails) -> J"), finished.out);
}

BOOST_AUTO_TEST_CASE(the_plan_shows_what_only_a_failure_in_a_composite_state_leads_to) {
  const std::string file_ = workflow(
      "    [*] --> K\n    state K {\n        [*] --> A\n        A --> Out: success\n    }\n    K --> Bad: failure\n"
      "    Out --> [*]\n    Bad --> [*]\n",
      "- A: Shell \"exit 1\"\n- Bad: Shell \"touch bad\"\n- Out: Log \"out\"\n");
  const Finished plan = wtool({"plan", file_});
  BOOST_TEST(holds(plan.out, "touch bad"), plan.out << plan.err);
  BOOST_TEST(run_workflow(file_).exit_code == 0);
  BOOST_TEST(there("bad"));
}

BOOST_AUTO_TEST_CASE(lint_warns_where_a_file_seems_to_rely_on_the_older_rule) {
  const std::string ordinary = workflow(natural, build_fails);
  BOOST_TEST(holds(wtool({"lint", "--strict", ordinary}).out, "0 errors, 0 warnings"));
  const std::string relies =
      scratch.file("relies.md",
                   "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> Note\nNote --> Bad: failure\nNote --> [*]: success\n"
                   "Bad --> [*]\n```\n## Actions\n- A: Shell \"exit 1\"\n");
  const Finished finished = wtool({"lint", relies});
  BOOST_TEST(finished.exit_code == 0);
  BOOST_TEST(holds(finished.out,
                   "relies.md:4:1: warning: `A --> Note` is taken only after a success, but 'Note', which "
                   "follows, tests how 'A' ended"),
             finished.out);
  const std::string older = scratch.file(".swissarmyhammer/workflows/older.md",
                                         "```mermaid\nstateDiagram-v2\n" + natural + "```\n## Actions\n" + build_fails);
  const Finished all = wtool({"lint", older});
  BOOST_TEST(holds(all.out, "1 file: 0 errors, 2 warnings"), all.out);
}

BOOST_AUTO_TEST_CASE(lint_fix_adds_the_older_rule_to_a_file_and_keeps_the_rest) {
  const std::string body = "```mermaid\nstateDiagram-v2\n" + natural + "```\n## Actions\n" + build_fails;
  struct Case {
    std::string before;
    std::string after;
  };
  const std::string with_crlf = [&] {
    std::string text;
    for (const char c : "---\nname: x\n---\n" + body) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return text;
  }();
  for (const Case& one :
       {Case{body, "---\nfailures: continue\n---\n" + body},
        Case{"---\nname: x\n# a comment\n---\n" + body, "---\nfailures: continue\nname: x\n# a comment\n---\n" + body},
        Case{"\xef\xbb\xbf---\n\n  name: x\n---\n" + body,
             "\xef\xbb\xbf---\n  failures: continue\n\n  name: x\n---\n" + body},
        Case{with_crlf, "---\r\nfailures: continue\r\n" + with_crlf.substr(5)}}) {
    const std::string file_ = scratch.file(".swissarmyhammer/older.md", one.before);
    ::chmod(file_.c_str(), 0640);
    const Finished finished = wtool({"lint", "--fix", file_});
    BOOST_TEST_CONTEXT(finished.out << finished.err) {
      BOOST_TEST(finished.exit_code == 0);
      BOOST_TEST(holds(finished.out, "older.md: fixed: added `failures: continue` to the front matter"));
      BOOST_TEST(file(".swissarmyhammer/older.md") == one.after);
      BOOST_TEST((fs::status(file_).permissions() == static_cast<fs::perms>(0640)));
      const Finished again = wtool({"lint", "--fix", file_});
      BOOST_TEST(again.out == "1 file: 0 errors, 0 warnings\n");
      BOOST_TEST(run_workflow(file_).exit_code == 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(lint_fix_leaves_files_alone_that_do_not_rely_on_the_older_rule) {
  for (const std::string& text :
       {"```mermaid\nstateDiagram-v2\n" + natural + "```\n## Actions\n" + build_fails,
        std::string("```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n- A: Shell \"true\"\n"),
        "---\nfailures: stop\n---\n```mermaid\nstateDiagram-v2\n" + natural + "```\n## Actions\n" + build_fails,
        "```mermaid\nstateDiagram-v2\n" + natural + "```\n## Actions\n- Build: Shel \"x\"\n"}) {
    const std::string file_ = scratch.file("same.md", text);
    const Finished finished = wtool({"lint", "--fix", file_});
    BOOST_TEST(holds(finished.out, "fixed") == holds(text, "Shel \""), finished.out);
    BOOST_TEST(holds(finished.out, "same.md: not fixed: it has errors") == holds(text, "Shel \""), finished.out);
    BOOST_TEST(file("same.md") == text);
  }
  // Front matter that no line can be added to.
  const std::string odd =
      "---\n{name: x}\n---\n```mermaid\nstateDiagram-v2\n" + natural + "```\n## Actions\n" + build_fails;
  const std::string file_ = scratch.file(".swissarmyhammer/odd.md", odd);
  const Finished finished = wtool({"lint", "--fix", file_});
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(holds(finished.out, "odd.md: not fixed: "), finished.out);
  BOOST_TEST(file(".swissarmyhammer/odd.md") == odd);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
