// The defaults that a workflow, a composite state and --env-file give to steps that set no value themselves.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(step_defaults_test)

using namespace wtool::test;

namespace {

struct Defaults : Place {
  // A workflow with the composite state Inner inside the composite state Outer.
  std::string nested(const std::string& front_matter, const std::string& actions) const {
    return scratch.file("w.md",
                        "---\n" + front_matter +
                            "---\n```mermaid\nstateDiagram-v2\n    state Outer {\n        [*] --> Inner\n"
                            "        state Inner {\n            [*] --> Deep\n            Deep --> [*]\n        }\n"
                            "        Inner --> [*]\n    }\n    [*] --> Out\n    Out --> Outer\n    Outer --> [*]\n```\n"
                            "## Actions\n" +
                            actions);
  }
  std::string seen(const std::vector<std::string>& more = {}) const {
    std::filesystem::remove(scratch.path() + "/seen");
    const Finished finished = run_workflow("w.md", more);
    BOOST_TEST(finished.exit_code == 0, finished.err);
    return file("seen");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(step_defaults, Defaults)

BOOST_AUTO_TEST_CASE(what_is_nearer_to_the_step_wins) {
  scratch.file("front.env", "A=front-file\nB=front-file\n");
  scratch.file("given.env", "A=given\nB=given\nC=given\nD=given\nE=given\nF=given\n");
  scratch.file("outer.env", "D=outer-file\nE=outer-file\nF=outer-file\n");
  const std::string print = "Shell \"echo $A $B $C $D $E $F >>seen\"";
  const auto make = [&](const std::string& own) {
    nested("env_file: front.env\nenv: {B: front, C: front}\n",
           "- Out: " + print +
               "\n- Outer: env_file=\"outer.env\" env={\"E\": \"outer\"}\n- Inner: env={\"F\": \"inner\"}\n" +
               "- Deep: " + print + own + "\n");
  };
  make("");
  BOOST_TEST(seen() == "front-file front front\nfront-file front front outer-file outer inner\n");
  BOOST_TEST(seen({"--env-file", "given.env"}) ==
             "given given given given given given\ngiven given given outer-file outer inner\n");
  make(" env={\"A\": \"own\", \"F\": \"own\"}");
  BOOST_TEST(seen({"--env-file", "given.env"}) ==
             "given given given given given given\nown given given outer-file outer own\n");
  scratch.file("own.env", "B=own-file\nF=own-file\n");
  make(" env={\"A\": \"own\", \"F\": \"own\"} env_file=\"own.env\"");
  BOOST_TEST(seen({"--env-file", "given.env", "--env-file", "front.env"}) ==
             "front-file front-file given given given given\nown own-file given outer-file outer own\n");
}

BOOST_AUTO_TEST_CASE(shell_directory_timeout_and_tries_are_handed_down) {
  std::filesystem::create_directories(scratch.path() + "/src");
  std::filesystem::create_directories(scratch.path() + "/lib");
  nested("working_dir: src\nretry: 1\ntimeout: 1h\n",
         "- Out: Shell \"pwd >>../seen; test -e again || { touch again; false; }\"\n"
         "- Outer: working_dir=\"lib\" shell=bash timeout=30s retry=0\n"
         "- Deep: Shell \"pwd >>../seen; echo ${BASH_VERSION:+bash} >>../seen\"\n");
  const std::string src = scratch.path() + "/src\n";
  BOOST_TEST(seen() == src + src + scratch.path() + "/lib\nbash\n");
  const Json plan = Json::parse(wtool({"plan", "w.md", "--json"}).out);
  BOOST_TEST(holds(plan.dump(), "60 min"), plan);
  const std::string text = wtool({"plan", "w.md"}).out;
  BOOST_TEST(holds(text, "directory: src"), text);
  BOOST_TEST(holds(text, "tries: up to 2"), text);
  BOOST_TEST(holds(text, "directory: lib"), text);
  BOOST_TEST(holds(text, "timeout: 30 s"), text);
  // Outer allows no further tries.
  nested("retry: 5\n", "- Out: Log \"x\"\n- Outer: retry=0\n- Deep: Shell \"echo try >>seen; false\"\n");
  std::filesystem::remove(scratch.path() + "/seen");
  BOOST_TEST(run_workflow("w.md").exit_code == 1);
  BOOST_TEST(file("seen") == "try\n");
}

BOOST_AUTO_TEST_CASE(a_file_of_variables_is_read_as_it_is_written) {
  scratch.file("w.env",
               "\xef\xbb\xbf# a comment\n\nexport A = one two  # said\nB='$HOME ${x} {{ y }} "
               "\\n'\nC=\"a\\\"b\\\\c\\td\\$\" # end\n"
               "D=\nA=three\nE=a#b\r\n");
  nested("env_file: w.env\n",
         "- Out: Shell \"printf '%s|' \\\"$A\\\" \\\"$B\\\" \\\"$C\\\" \\\"$D\\\" \\\"$E\\\" >>seen\"\n");
  BOOST_TEST(seen() == "three|$HOME ${x} {{ y }} \\n|a\"b\\c\td\\$||a#b|");
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_used_is_an_error_of_a_run_and_a_warning_of_lint) {
  const std::string action = "- Out: Shell \"touch seen\"\n";
  const std::pair<const char*, const char*> cases[] = {{"A=1\nnothing\n", "bad.env:2: a line must be NAME=VALUE"},
                                                       {"1A=x\n", "bad.env:1: \"1A\" cannot name"},
                                                       {"A='x\n", "bad.env:1: the quote of this value is not closed"},
                                                       {"A='x' y\n", "bad.env:1: only a comment may follow"}};
  nested("env_file: [bad.env]\n", action);
  const auto check = [&](const std::string& part) {
    const Finished finished = run_workflow("w.md");
    BOOST_TEST(finished.exit_code == 2);
    BOOST_TEST(holds(finished.err, "w.md:2:12: error: the env_file cannot be used: "), finished.err);
    BOOST_TEST(holds(finished.err, part), finished.err);
    const Finished lint = wtool({"lint", "w.md"});
    BOOST_TEST(lint.exit_code == 0);
    BOOST_TEST(holds(lint.out, "warning: the env_file cannot be used: "), lint.out);
  };
  check("there is no such file");
  for (const auto& [text, part] : cases) {
    scratch.file("bad.env", text);
    check(part);
  }
  std::filesystem::remove(scratch.path() + "/bad.env");
  std::filesystem::create_directory(scratch.path() + "/bad.env");
  check("this is a directory, not a file of variables");
  std::filesystem::remove(scratch.path() + "/bad.env");
  scratch.file("bad.env", "A='x' y\n");
  nested("", action);
  const Finished given = run_workflow("w.md", {"--env-file", "bad.env"});
  BOOST_TEST(given.exit_code == 2);
  BOOST_TEST(holds(given.err, "--env-file: bad.env:1: only a comment"), given.err);
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/seen"));
}

BOOST_AUTO_TEST_CASE(mistakes_in_defaults_have_their_places) {
  nested("env: [a]\nretry: many\ntimeout: never\nenv_file: \"\"\n",
         "- Out: Log \"x\"\n- Outer: retry=1 env={\"1A\": \"x\"}\n- Deep: Shell \"true\"\n");
  const std::string found = wtool({"lint", "w.md"}).out;
  for (const char* part :
       {":2:6: error: 'env' needs more deeply indented lines", ":3:8: error: 'retry' must be a whole number",
        ":4:10: error: a timeout must be a number", ":5:11: error: 'env_file' needs the name of a file",
        "error: \"1A\" cannot name an environment variable"}) {
    BOOST_TEST(holds(found, part), found);
  }
  nested("env: {X: \"${nothing}\"}\n", "- Out: Shell \"echo $X\"\n- Deep: Shell \"echo $X\"\n");
  const std::string unknown = wtool({"lint", "w.md"}).out;
  BOOST_TEST(holds(unknown, ":2:10: error: the variable 'nothing' is not defined"), unknown);
  BOOST_TEST(holds(unknown, "1 error"), unknown);
}

BOOST_AUTO_TEST_CASE(values_of_files_are_not_in_a_plan_and_secrets_not_in_a_run) {
  scratch.file("w.env", "API_TOKEN=open-sesame-4711\nPLAIN=visible\n");
  nested("env_file: w.env\n", "- Out: Shell \"echo $API_TOKEN $PLAIN\"\n");
  const std::string plan = wtool({"plan", "w.md"}).out;
  BOOST_TEST(holds(plan, "API_TOKEN=<from a file>"), plan);
  BOOST_TEST(!holds(plan, "visible"), plan);
  const Finished finished = run_workflow("w.md");
  BOOST_TEST(holds(finished.err, "*** visible"), finished.err);
  BOOST_TEST(!holds(wtool({"show", "last", "--json"}).out, "sesame"));
}

BOOST_AUTO_TEST_CASE(a_resumed_run_reads_its_files_again) {
  scratch.file("given.env", "A=first\n");
  nested("", "- Out: Shell \"echo $A >>seen\"\n- Deep: Shell \"echo $A >>seen; test -e go\"\n");
  BOOST_TEST(run_workflow("w.md", {"--env-file", "given.env"}).exit_code == 1);
  scratch.file("go", "");
  scratch.file("given.env", "A=second\n");
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 0, resumed.err);
  BOOST_TEST(file("seen") == "first\nfirst\nsecond\n");
  BOOST_TEST(wtool({"resume", "last", "--from", "Deep"}).exit_code == 0);
  BOOST_TEST(file("seen") == "first\nfirst\nsecond\nsecond\n");
}

BOOST_AUTO_TEST_CASE(an_inner_workflow_has_defaults_of_its_own) {
  scratch.file("given.env", "B=given\n");
  scratch.file("inner.md",
               "---\nenv: {C: inner}\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n"
               "- A: Shell \"echo $A $B $C >>seen\"\n");
  nested("env: {A: outer, C: outer}\n", "- Out: Run workflow \"inner\"\n");
  BOOST_TEST(seen({"--env-file", "given.env"}) == "given inner\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
