// Runs from start to end, with real commands: branches, stops, kills and resumed runs, prompts, secrets, records.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/sha256.h"
#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(workflow_runs_test)

using namespace wtool::test;

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const std::string three = "    [*] --> One\n    One --> Two: success\n    Two --> Three: success\n    Three --> [*]\n";

struct Runs : Place {
  bool comes(const std::string& name) const {
    return wait_until([&] { return there(name); }, std::chrono::seconds(30));
  }
  std::string journal() const {
    for (const auto& entry : fs::directory_iterator(scratch.path() + "/.wtool/runs")) {
      if (entry.path().extension() == ".jsonl") return entry.path().string();
    }
    return "";
  }
  std::vector<Json> records(const std::string& text) const {
    std::vector<Json> all;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) all.push_back(Json::parse(line));
    return all;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(runs, Runs)

BOOST_AUTO_TEST_CASE(a_step_whose_end_is_not_in_the_audit_trail_is_reported) {
  scratch.file("wtool.yaml", "audit: {file: trail.jsonl}\n");
  scratch.file("workflow.md",
               "```mermaid\nstateDiagram-v2\n[*] --> Break\nBreak --> [*]\n```\n## Actions\n"
               "- Break: Shell \"rm trail.jsonl && mkdir trail.jsonl\"\n");
  const Finished finished = wtool({"run", "workflow.md"});
  BOOST_TEST(finished.exit_code == 0);
  BOOST_TEST(holds(finished.err, "the end of the step 'Break' is not in the audit trail: the audit trail"),
             finished.err);
}

// What a program has written runs without a file of its own.
BOOST_AUTO_TEST_CASE(a_workflow_is_read_from_standard_input) {
  ProgramOptions options = here();
  options.input =
      "---\nparameters:\n  - {name: who, default: you}\n---\n```mermaid\nstateDiagram-v2\n[*] --> Tell\nTell --> "
      "[*]\n```\n## Actions\n- Tell: Shell \"echo hello ${who}\"\n";
  const auto with_input = [&](std::vector<std::string> words) {
    words.insert(words.begin(), wtool_path);
    return run(words, options);
  };
  const Finished ran = with_input({"run", "-", "--var", "who=me", "--strict"});
  BOOST_TEST(ran.exit_code == 0, ran.err);
  BOOST_TEST(holds(ran.err, "hello me"), ran.err);
  BOOST_TEST(ran.out.starts_with("standard input: completed"), ran.out);
  const Json shown = Json::parse(wtool({"show", "--json"}).out);
  BOOST_TEST(shown.at("file") == "-");
  BOOST_TEST(shown.at("name") == "standard input");
  BOOST_TEST(with_input({"lint", "-"}).out == "1 file: 0 errors, 0 warnings\n");
  BOOST_TEST(holds(with_input({"plan", "-"}).out, "echo hello 'you'"));
  BOOST_TEST(holds(with_input({"run", "-", "-n"}).out, "echo hello 'you'"));
  BOOST_TEST(holds(with_input({"graph", "-"}).out, "[*] --> Tell"));
  const Finished detached = with_input({"run", "-", "--detach"});
  BOOST_TEST(detached.exit_code == 0, detached.err);
  BOOST_TEST(wtool({"attach"}).exit_code == 0);
  const Finished twice = with_input({"run", "-", "--var-file", "who=-"});
  BOOST_TEST(twice.exit_code == 2);
  BOOST_TEST(holds(twice.err, "--var-file who=-: standard input is already read for the workflow"), twice.err);
  options.input = "nothing";
  const Finished wrong = with_input({"run", "-"});
  BOOST_TEST(wrong.exit_code == 2);
  BOOST_TEST(holds(wrong.err, "-:"), wrong.err);
}

BOOST_AUTO_TEST_CASE(what_needs_the_file_of_a_workflow_refuses_standard_input) {
  ProgramOptions options = here();
  options.input = "```mermaid\nstateDiagram-v2\n[*] --> Ask\nAsk --> [*]\n```\n## Actions\n- Ask: Approve \"go on?\"\n";
  const Finished failed = run({wtool_path, "run", "-"}, options);
  // The run is not suspended (5), because nothing could continue it, and no command to resume it is shown.
  BOOST_TEST((failed.exit_code == 1 || failed.exit_code == 3), failed.out << failed.err);
  BOOST_TEST(holds(failed.out + failed.err, "cannot wait, because its workflow was read from standard input"),
             failed.out << failed.err);
  BOOST_TEST(!holds(failed.out, "wtool resume"), failed.out);
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 2);
  BOOST_TEST(holds(resumed.err, "cannot be continued, because its workflow was read from standard input"), resumed.err);
  const Finished page = wtool({"report", "--html", "page.html"});
  BOOST_TEST(holds(page.err, "without the diagram: the workflow was read from standard input"), page.err);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"run", "-", "--from", "Ask"},
                                                {"graph", "-", "last"},
                                                {"watch", "-"},
                                                {"lint", "--fix", "-"}}) {
    std::vector<std::string> argv = words;
    argv.insert(argv.begin(), wtool_path);
    const Finished refused = run(argv, options);
    BOOST_TEST(refused.exit_code == 2, words.front());
    BOOST_TEST(holds(refused.err, "standard input"), refused.err);
  }
}

BOOST_AUTO_TEST_CASE(a_parameter_without_a_value_that_every_run_reads_is_refused_before_the_first_step) {
  const std::string file_ = scratch.file(
      "workflow.md",
      "---\nparameters:\n  - {name: target}\n---\n```mermaid\nstateDiagram-v2\n[*] --> Build\nBuild --> Deploy: "
      "success\n"
      "Deploy --> [*]\n```\n## Actions\n- Build: Shell \"touch began\"\n- Deploy: Shell \"echo ${target}\"\n");
  const Finished refused = run_workflow(file_);
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(!there("began"));
  BOOST_TEST(holds(refused.err,
                   "workflow.md:13:23: error: the state 'Deploy' reads the parameter 'target', which has no value in "
                   "this run, so the run would fail there; give the parameter a value with --var target=VALUE, or give "
                   "it a `default` in the front matter\n"),
             refused.err);
  BOOST_TEST(holds(refused.err, "the workflow cannot run: 1 parameter without a value"), refused.err);
  BOOST_TEST(run_workflow(file_, {"--var", "target=here"}).exit_code == 0);
  // The state that reads it is not in this part.
  const Finished part = run_workflow(file_, {"--until", "Build"});
  BOOST_TEST(part.exit_code == 0);
  BOOST_TEST(!holds(part.err, "target"), part.err);
  scratch.file("outer.md",
               "```mermaid\nstateDiagram-v2\n[*] --> Outer\nOuter --> [*]\n```\n## Actions\n"
               "- Outer: Run workflow \"workflow\"\n");
  fs::remove(scratch.path() + "/began");
  const Finished outer = wtool({"run", "outer.md"});
  BOOST_TEST(outer.exit_code == 1);
  BOOST_TEST(holds(outer.out, "give the parameter a value, or give it a `default`"), outer.out);
  BOOST_TEST(!there("began"));
}

BOOST_AUTO_TEST_CASE(a_parameter_without_a_value_that_a_run_may_read_is_told_before_the_first_step) {
  const std::string begin =
      "---\nparameters:\n  - {name: mode, default: test}\n  - {name: target}\n---\n```mermaid\nstateDiagram-v2\n"
      "[*] --> Build\n";
  const std::string actions = "```\n## Actions\n- Build: Shell \"echo ran\"\n- Deploy: Shell \"echo ${target}\"\n";
  const auto sorry = [](const std::string& exits) {
    return std::string(holds(exits, "Sorry") ? "- Sorry: Log \"sorry\"\n" : "");
  };
  const std::string says =
      "warning: the state 'Deploy' reads the parameter 'target', which has no value in this run, so the run fails if "
      "it comes to this place; give the parameter a value with --var target=VALUE";
  for (const std::string& exits :
       {std::string("Build --> Deploy: mode == \"deploy\"\nBuild --> [*]: default\nDeploy --> [*]\n"),
        std::string("Build --> Deploy: failure\nBuild --> [*]: success\nDeploy --> [*]\n"),
        // The failure of the state that reads it is handled, or that of the state before it.
        std::string("Build --> Deploy\nDeploy --> Sorry: failure\nDeploy --> [*]: success\nSorry --> [*]\n"),
        std::string("Build --> Deploy: success\nBuild --> Sorry: failure\nDeploy --> Sorry: failure\nDeploy --> [*]: "
                    "success\nSorry --> [*]\n")}) {
    const Finished finished = run_workflow(scratch.file("workflow.md", begin + exits + actions + sorry(exits)));
    BOOST_TEST(finished.exit_code == 0, finished.err);
    BOOST_TEST(holds(finished.err, says), finished.err);
    BOOST_TEST(finished.err.find(says) < finished.err.find("Build"), finished.err);
  }
  // Without a combination, the action is not done.
  const Finished matrix = run_workflow(scratch.file(
      "workflow.md", begin + "Build --> Deploy\nDeploy --> [*]\n```\n## Actions\n- Build: Shell \"echo []\"\n" +
                         "- Deploy: Shell \"echo ${target}\" matrix={\"n\": \"${Build.json}\"}\n"));
  BOOST_TEST(matrix.exit_code == 0, matrix.err);
  BOOST_TEST(holds(matrix.err, says), matrix.err);
  // The condition says that this run needs no value.
  const Finished conditional = run_workflow(scratch.file(
      "workflow.md",
      "---\nparameters:\n  - {name: mode, default: test}\n  - {name: target, condition: 'mode == \"deploy\"'}\n---\n"
      "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n"
      "- A: Shell \"echo {% if mode == 'deploy' %}${target}{% endif %}\"\n"));
  BOOST_TEST(conditional.exit_code == 0, conditional.err);
  BOOST_TEST(!holds(conditional.err, "warning"), conditional.err);
  // A text that asks first, and a branch of a tag that may not be taken, do without it.
  const std::string plain =
      "Build --> Deploy\nDeploy --> [*]\n```\n## Actions\n- Build: Shell \"echo ran\"\n- Deploy: ";
  for (const std::string& action : {std::string("Shell \"echo {{ target | default: \\\"\\\" }}\"\n"),
                                    std::string("Shell \"echo {% if mode == 'deploy' %}${target}{% endif %}\"\n")}) {
    const Finished finished = run_workflow(scratch.file("workflow.md", begin + plain + action));
    BOOST_TEST(finished.exit_code == 0, finished.err);
  }
}

BOOST_AUTO_TEST_CASE(a_visit_that_max_refuses_is_not_counted) {
  const std::string file_ = workflow(
      "    [*] --> Try\n    Try --> Sorry: exhausted\n    Try --> Again: failure\n    Try --> [*]: success\n"
      "    Again --> Try\n    Sorry --> [*]\n",
      "- Try: Shell \"false\" max=3\n- Again: Log \"again\"\n- Sorry: Log \"${Try.message}\"\n");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(holds(finished.err, "it has had its 3 visits (max=3)"), finished.err);
  for (const std::string& text : {finished.out, wtool({"show", "last"}).out}) {
    BOOST_TEST(holds(text, "  Try    failed (3 times, 3 failed, max visits reached)  "), text);
  }
  const Json shown = Json::parse(wtool({"show", "last", "--json"}).out);
  std::vector<int> tries;
  for (const Json& step : shown["steps"]) {
    if (step["state"] == "Try") tries.push_back(step["tries"]);
  }
  BOOST_TEST(tries == (std::vector<int>{1, 1, 1, 0}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(steps_from_before_an_approval_have_their_result_in_the_junit_report) {
  const std::string file_ = workflow("    [*] --> Build\n    Build --> Ask\n    Ask --> Deploy\n    Deploy --> [*]\n",
                                     "- Build: Shell \"echo built\"\n- Ask: Approve \"Deploy?\"\n"
                                     "- Deploy: Shell \"echo deployed\"\n");
  BOOST_TEST(run_workflow(file_).exit_code == 5);  // it is suspended
  const Finished approved = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(approved.exit_code == 0, approved.err);
  const std::string xml = wtool({"report", "last", "--junit", "-"}).out;
  BOOST_TEST(holds(xml, R"(tests="3" failures="0" errors="0" skipped="0")"), xml);
  BOOST_TEST(holds(xml, "<system-out>built\n</system-out>"), xml);
}

// --- stops ---

BOOST_AUTO_TEST_CASE(an_abort_in_one_branch_ends_the_commands_of_all_and_finally_runs) {
  const std::string file_ = workflow(
      "    [*] --> F\n    state F <<fork>>\n    state J <<join>>\n    F --> A\n    F --> B\n    F --> C\n    A --> J\n"
      "    B --> J\n    C --> Stop\n    Stop --> J\n    J --> [*]\n    Last --> [*]\n",
      "- A: Shell \"trap '' TERM; touch a; setsid sleep 61 & sleep 61\"\n"
      "- B: Shell \"touch b; sleep 61\"\n"
      "- C: Shell \"until test -e a && test -e b; do sleep 0.01; done\"\n"
      "- Stop: Abort \"the disk is on fire\"\n- Last: Shell \"touch last\"\n- finally: Last\n");
  const Finished finished = run_workflow(file_);
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(!finished.limit_passed);
    BOOST_TEST(finished.exit_code == 130);
    BOOST_TEST(holds(finished.out, "the disk is on fire"));
    BOOST_TEST(there("last"));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

BOOST_AUTO_TEST_CASE(ctrl_c_ends_all_branches_and_finally_runs) {
  const std::string file_ = workflow(
      "    [*] --> F\n    state F <<fork>>\n    state J <<join>>\n    F --> A\n    F --> B\n    A --> J\n    B --> J\n"
      "    J --> [*]\n    Last --> [*]\n",
      "- A: Shell \"touch a; sleep 61\"\n- B: Shell \"touch b; sleep 61\"\n- Last: Shell \"touch last\"\n"
      "- finally: Last\n");
  Program program({wtool_path, "run", file_}, Program::On::pipes, here());
  BOOST_REQUIRE(comes("a"));
  BOOST_REQUIRE(comes("b"));
  program.kill(SIGINT);
  const Finished finished = program.wait();
  BOOST_TEST(finished.exit_code == 130, finished.out << finished.err);
  BOOST_TEST(there("last"));
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(a_second_ctrl_c_ends_what_finally_runs_too) {
  const std::string file_ = workflow("    [*] --> A\n    A --> [*]\n    Last --> [*]\n",
                                     "- A: Shell \"touch a; sleep 61\"\n- Last: Shell \"touch last; sleep 61\"\n"
                                     "- finally: Last\n");
  Program program({wtool_path, "run", file_}, Program::On::pipes, here());
  BOOST_REQUIRE(comes("a"));
  program.kill(SIGINT);
  BOOST_REQUIRE(comes("last"));
  program.kill(SIGINT);
  const Finished finished = program.wait();
  BOOST_TEST(!finished.limit_passed);
  BOOST_TEST(finished.exit_code == 130, finished.out << finished.err);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

// --- resuming ---

BOOST_AUTO_TEST_CASE(a_run_whose_runner_was_killed_resumes_where_it_was) {
  const std::string file_ = workflow(three,
                                     "- One: Shell \"echo one >>log; echo output of one\" result=\"r\"\n"
                                     "- Two: Shell \"echo two >>log; touch two; test -e go || sleep 61\"\n"
                                     "- Three: Shell \"printf '%s\\n' ${r} >>log\"\n");
  Program program({wtool_path, "run", file_}, Program::On::pipes, here());
  BOOST_REQUIRE(comes("two"));
  program.kill(SIGKILL);
  program.wait();
  BOOST_TEST(wait_until([&] { return mark.bearers().empty(); }, std::chrono::seconds(30)), mark.description());
  scratch.file("go", "");
  const Finished listed = wtool({"runs"});
  BOOST_TEST(holds(listed.out, "interrupted"), listed.out);
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 0);
    BOOST_TEST(file("log") == "one\ntwo\ntwo\noutput of one\n");
  }
  BOOST_TEST(holds(wtool({"runs"}).out, "completed"));
}

BOOST_AUTO_TEST_CASE(a_completed_run_is_run_again_only_when_asked) {
  run_workflow(workflow(three,
                        "- One: Shell \"echo one >>log\"\n- Two: Shell \"echo two >>log\"\n"
                        "- Three: Shell \"echo three >>log\"\n"));
  const Finished again = wtool({"resume", "last"});
  BOOST_TEST(again.exit_code == 2);
  BOOST_TEST(holds(again.err, "has completed"), again.err);
  BOOST_TEST(wtool({"resume", "last", "--from", "Two"}).exit_code == 0);
  BOOST_TEST(file("log") == "one\ntwo\nthree\ntwo\nthree\n");
  BOOST_TEST(holds(wtool({"resume", "last", "--from", "Four"}).err, "was never in the state \"Four\""));
}

BOOST_AUTO_TEST_CASE(a_run_is_resumed_by_one_at_a_time) {
  const std::string file_ = workflow(three, "- One: Shell \"echo one >>log\"\n- Two: Shell \"touch two; sleep 61\"\n");
  Program program({wtool_path, "run", file_}, Program::On::pipes, here());
  BOOST_REQUIRE(comes("two"));
  const Finished second = wtool({"resume", "last"});
  BOOST_TEST(second.exit_code == 2);
  BOOST_TEST(holds(second.err, "PID " + std::to_string(program.pid())), second.err);
  program.kill(SIGINT);
  program.wait();
  BOOST_TEST(file("log") == "one\n");
}

BOOST_AUTO_TEST_CASE(a_resume_that_comes_second_loses_nothing_that_the_first_one_wrote) {
  run_workflow(workflow(three, "- One: Shell \"echo one >>log\"\n- Two: Shell \"echo two >>log; exit 1\"\n"));
  const std::string file_ = journal();
  // The first process is this test: it writes the end of the run while the second process waits for the lock.
  const int first = ::open(file_.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  BOOST_REQUIRE(::flock(first, LOCK_EX) == 0);
  Program second({wtool_path, "resume", "last"}, Program::On::pipes, here());
  std::this_thread::sleep_for(std::chrono::milliseconds(120));
  const std::string end =
      "{\"v\":1,\"type\":\"run_ended\",\"time\":\"2026-11-21T23:15:02.045Z\",\"status\":\"completed\"}\n";
  BOOST_REQUIRE(::write(first, end.data(), end.size()) == static_cast<ssize_t>(end.size()));
  ::close(first);
  BOOST_TEST(second.wait().exit_code == 2);
  BOOST_TEST(content_of(file_).ends_with(end));
  BOOST_TEST(file("log") == "one\ntwo\n");
}

BOOST_AUTO_TEST_CASE(branches_that_are_over_stay_so_when_the_join_has_judged_that_one_failed) {
  // When A fails, B is in the middle of its action, and C is between two of its states or has not begun.
  const std::string file_ = workflow(
      "    [*] --> F\n    state F <<fork>>\n    state J <<join>>\n    F --> A\n    F --> B\n    F --> C\n"
      "    A --> J: success\n    B --> B2\n    B2 --> J\n    C --> C2\n    C2 --> J\n    J --> Repair: failure\n"
      "    J --> Ship: success\n    Repair --> Last\n    Ship --> Last\n    Last --> E: success\n    E --> [*]\n",
      "- A: Shell \"echo A >>log; until test -e b; do sleep 0.01; done; test -e repaired\"\n"
      "- B: Shell \"echo B >>log; touch b; sleep 61\"\n- B2: Shell \"echo B2 >>log\"\n"
      "- C: Set c=\"set\"\n- C2: Wait 5 minutes\n"
      "- Repair: Shell \"echo Repair >>log; touch repaired\"\n- Ship: Shell \"echo Ship >>log\"\n"
      "- Last: Shell \"echo Last >>log; test -e go\"\n- E: Log \"${J.message}; c is ${c}\"\n");
  BOOST_TEST(run_workflow(file_).exit_code == 1);
  std::string log = file("log");
  std::sort(log.begin(), log.begin() + 4);
  scratch.file("go", "");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.err, "1 of 3 branches failed: A; ended early: B, C; c is set"), finished.err);
  BOOST_TEST(!holds(finished.err, "differs from that of the run"), finished.err);
  std::string again = file("log");
  std::sort(again.begin(), again.begin() + 4);
  BOOST_TEST(again == log + "Last\n");
}

BOOST_AUTO_TEST_CASE(a_workflow_that_has_changed_meanwhile_is_noticed) {
  run_workflow(workflow(three, "- One: Shell \"echo one >>log\"\n- Two: Shell \"exit 1\"\n"));
  workflow(three, "- One: Shell \"echo one >>log\"\n- Two: Shell \"echo repaired >>log\"\n");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.err, "has changed since the run"), finished.err);
  BOOST_TEST(file("log") == "one\nrepaired\n");
}

BOOST_AUTO_TEST_CASE(a_run_with_a_torn_journal_is_resumed) {
  run_workflow(workflow(three,
                        "- One: Shell \"echo one >>log\"\n- Two: Shell \"test -e go\"\n"
                        "- Three: Shell \"echo three >>log\"\n"));
  std::ofstream(journal(), std::ios::app) << "{\"v\":1,\"type\":\"state_en";
  scratch.file("go", "");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("log") == "one\nthree\n");
  for (const Json& record : records(content_of(journal()))) BOOST_TEST(record["v"] == 1);
}

BOOST_AUTO_TEST_CASE(a_newer_journal_is_distinguished_from_a_corrupt_one) {
  run_workflow(workflow(three, "- One: Shell \"exit 1\"\n"));
  const std::string good = content_of(journal());
  std::ofstream(journal(), std::ios::trunc) << "{\"v\":2,\"type\":\"run_started\"}\n";
  const Finished newer = wtool({"resume", "last"});
  BOOST_TEST(newer.exit_code == 2);
  BOOST_TEST(holds(newer.err, "version 2"), newer.err);
  std::ofstream(journal(), std::ios::trunc) << good.substr(0, good.find('\n') + 1) << "rubbish\n"
                                            << good.substr(good.find('\n') + 1);
  const Finished corrupt = wtool({"resume", "last"});
  BOOST_TEST(corrupt.exit_code == 2);
  BOOST_TEST(holds(corrupt.err, ":2:"), corrupt.err);
}

// --- what is left behind ---

BOOST_AUTO_TEST_CASE(secrets_are_in_nothing_that_a_run_shows_or_leaves) {
  scratch.file("w.md",
               "---\nparameters:\n  - name: token\n    secret: true\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\n"
               "A --> B\nB --> C\nC --> D: failure\nD --> [*]: failure\n```\n\n## Actions\n\n"
               "- A: Shell \"echo the token is $T; echo ${token} >&2\" env={\"T\": \"${token}\"} result=\"r\"\n"
               "- B: Log \"logged ${token}\"\n"
               "- C: Shell \"echo {\\\\\\\"t\\\\\\\": \\\\\\\"$T\\\\\\\"}; printf '%s' sesame-; sleep 0.1; printf "
               "'op\\\\n'; exit 1\" env={\"T\": \"${token}\"}\n"
               "- D: Shell \"exit 1 # ${{ token }}\"\n");
  std::string text = file("w.md");
  text.replace(text.find(" # ${{ token }}"), 15, "");
  scratch.file("w.md", text);
  const Finished finished = wtool({"run", "w.md", "--var-file", "token=" + scratch.file("token", "sesame-op\n"),
                                   "--events", "events.jsonl", "--junit", "j.xml", "--html", "r.html"});
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_REQUIRE(there("events.jsonl"));
    const Finished shown = wtool({"show", "last", "--json"});
    for (const std::string& left : {finished.out, finished.err, file("events.jsonl"), file("j.xml"), file("r.html"),
                                    content_of(journal()), shown.out}) {
      BOOST_TEST(!left.empty());
      BOOST_TEST(!holds(left, "sesame-op"), left);
    }
    BOOST_TEST(holds(file("events.jsonl"), "the token is ***"));
    BOOST_TEST(holds(finished.err, "logged ***"));
  }
}

BOOST_AUTO_TEST_CASE(what_later_steps_read_from_a_secret_outcome_is_in_nothing_that_a_run_shows_or_leaves) {
  scratch.file("reply.json", "{\"token\": \"tok-4711-abcdef\", \"list\": [\"tok-second\"]}\n");
  scratch.file(
      "inner.md",
      "---\nparameters: [{name: target, required: true}]\n---\n```mermaid\nstateDiagram-v2\n[*] --> I\nI --> L\nL --> "
      "J\nJ --> K\nK --> [*]\n```\n\n## Actions\n\n"
      "- I: Set url=\"tok-in-variable\" n=1\n- J: Shell \"echo tok-of-inner:x\"\n- K: Log \"{{ J.stdout | split: "
      "':' | first }}\"\n- L: Shell \"echo ok\" result=\"told\"\n");
  scratch.file(
      "w.md",
      "```mermaid\nstateDiagram-v2\n[*] --> Login\nLogin --> Use\nUse --> Inner\nInner --> Url\nUrl --> Plain\nPlain "
      "--> [*]\n```\n\n## Actions\n\n"
      "- Login: Shell \"cat reply.json\" secret\n"
      "- Use: Shell \"echo calling $T with $U\" env={\"T\": \"${Login.json.token}\", \"U\": "
      "\"${Login.json.list[0]}\"}\n"
      "- Inner: Run workflow \"inner\" with target=\"production\" secret\n- Url: Log \"url ${Inner.variables.url}\"\n"
      "- Plain: Shell \"echo ok 1 production landlock Command executed successfully\" memory=1G "
      "sandbox=\"read-only\"\n");
  const Finished finished = wtool({"run", "w.md", "--events", "events.jsonl", "--junit", "j.xml", "--html", "r.html"});
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 0);
    for (const std::string& left :
         {finished.out, finished.err, file("events.jsonl"), file("j.xml"), file("r.html"), content_of(journal())}) {
      BOOST_TEST(!left.empty());
      for (const char* secret : {"tok-4711", "tok-second", "tok-in-variable", "tok-of-inner"}) {
        BOOST_TEST(!holds(left, secret), secret << " in " << left);
      }
    }
    BOOST_TEST(holds(finished.err, "calling *** with ***"));
    // Nothing else has become a secret.
    BOOST_TEST(holds(finished.err, "ok 1 production landlock Command executed successfully"));
  }
}

BOOST_AUTO_TEST_CASE(what_a_command_marks_as_secret_is_in_nothing_that_a_run_shows_or_leaves) {
  scratch.file("w.md",
               "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> C\nC --> [*]\n```\n\n## Actions\n\n"
               "- A: Shell \"echo 'password: S3cretPw99'\"\n"
               "- B: Shell \"true redis-cli -a S3cretPw99; true --token abc; echo it is S3cretPw99\"\n"
               "- C: Call tool \"shell_execute\" with command=\"true --password S3cretPw99\"\n");
  const Finished finished = wtool({"run", "w.md", "--events", "events.jsonl", "--html", "r.html"});
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 0);
    for (const std::string& left :
         {finished.out, finished.err, file("events.jsonl"), file("r.html"), content_of(journal())}) {
      BOOST_TEST(!left.empty());
      BOOST_TEST(!holds(left, "S3cretPw99"), left);
    }
    // A secret that is too short to be looked for everywhere is masked in commands.
    BOOST_TEST(!holds(content_of(journal()), "--token abc"));
    BOOST_TEST(holds(content_of(journal()), "it is ***"));
  }
}

BOOST_AUTO_TEST_CASE(events_are_the_only_text_on_standard_output) {
  const Finished finished = run_workflow(workflow(three, "- One: Shell \"echo hello\"\n"), {"--events", "-"});
  BOOST_TEST(finished.exit_code == 0);
  const std::vector<Json> all = records(finished.out);
  BOOST_REQUIRE(all.size() > 4U);
  BOOST_TEST(all.front()["type"] == "run_started");
  BOOST_TEST(all.back()["type"] == "run_ended");
  BOOST_TEST(std::any_of(all.begin(), all.end(),
                         [](const Json& record) { return record["type"] == "output" && record["text"] == "hello\n"; }));
}

BOOST_AUTO_TEST_CASE(without_a_place_for_a_journal_the_run_continues_and_says_so) {
  scratch.file(".wtool", "a file where a folder should be");
  const Finished finished = run_workflow(workflow(three, "- One: Shell \"touch one\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(there("one"));
  BOOST_TEST(holds(finished.err, "cannot be resumed"), finished.err);
}

BOOST_AUTO_TEST_CASE(a_refused_command_has_a_distinct_exit_status) {
  scratch.file("wtool.yaml", "commands: {deny: [rm]}\n");
  const Finished finished = run_workflow(workflow(three, "- One: Shell \"rm -rf nothing\"\n"));
  BOOST_TEST(finished.exit_code == 3, finished.out << finished.err);
}

// --- prompts, people, other workflows, large outputs ---

BOOST_AUTO_TEST_CASE(a_prompt_goes_to_the_configured_command_with_its_values) {
  scratch.file(
      "prompts/review/code.md",
      "---\ntitle: Review\nparameters:\n  - name: language\n    default: C++\n---\nReview ${file} as {{ language }};"
      " $HOME `x` 'q'\n");
  const std::string file_ = workflow("    [*] --> One\n    One --> Two\n    Two --> [*]\n",
                                     "- One: Execute prompt \"review/code\" with file=\"a b.c\" result=\"answer\"\n"
                                     "- Two: Shell \"printf %s ${answer} >answer\"\n");
  const Finished without = run_workflow(file_);
  BOOST_TEST(without.exit_code == 2);
  BOOST_TEST(holds(without.err, "prompts: {command:"), without.err);
  for (const char* command : {"cat {{ prompt_file }}", "printf '%s' {{ prompt }}"}) {
    scratch.file("wtool.yaml", "prompts: {command: \"" + std::string(command) + "\"}\n");
    const Finished finished = run_workflow(file_);
    BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
    BOOST_TEST(file("answer") == "Review a b.c as C++; $HOME `x` 'q'");
  }
}

BOOST_AUTO_TEST_CASE(a_prompt_that_answers_abort_error_aborts_the_run) {
  scratch.file("wtool.yaml", "prompts: {command: \"cat {{ prompt_file }}\"}\n");
  scratch.file("prompts/stop.md", "ABORT ERROR: the user said no\n");
  const Finished finished = run_workflow(workflow("    [*] --> One\n    One --> Two\n    Two --> [*]\n",
                                                  "- One: execute prompt \"stop\"\n- Two: Shell \"touch two\"\n"));
  BOOST_TEST(finished.exit_code == 130);
  BOOST_TEST(holds(finished.out, "the user said no"), finished.out);
  BOOST_TEST(!there("two"));
}

BOOST_AUTO_TEST_CASE(a_confirmation_needs_a_person_or_yes) {
  const std::string file_ = workflow("    [*] --> One\n    One --> Two: success\n    Two --> [*]\n",
                                     "- One: Wait for user confirmation \"Delete it?\"\n- Two: Shell \"touch two\"\n");
  const Finished nobody = run_workflow(file_);
  BOOST_TEST(nobody.exit_code == 1);
  BOOST_TEST(holds(nobody.out, "--yes"), nobody.out);
  BOOST_TEST(!there("two"));
  BOOST_TEST(run_workflow(file_, {"--yes"}).exit_code == 0);
  BOOST_TEST(there("two"));
}

BOOST_AUTO_TEST_CASE(a_person_on_a_terminal_confirms_or_does_not) {
  const std::string file_ = workflow("    [*] --> One\n    One --> Two: success\n    Two --> [*]\n",
                                     "- One: Wait for user confirmation \"Delete it?\"\n- Two: Shell \"touch two\"\n");
  Program no({wtool_path, "run", file_}, Program::On::terminal, here());
  BOOST_REQUIRE(no.wait_for_output("Delete it? [y/N]"));
  no.type("n\n");
  BOOST_TEST(no.wait().exit_code == 1);
  BOOST_TEST(!there("two"));
  Program yes({wtool_path, "run", file_}, Program::On::terminal, here());
  BOOST_REQUIRE(yes.wait_for_output("Delete it? [y/N]"));
  yes.type("y\n");
  BOOST_TEST(yes.wait().exit_code == 0);
  BOOST_TEST(there("two"));
}

BOOST_AUTO_TEST_CASE(workflows_that_run_each_other_are_refused_before_anything_runs) {
  scratch.file("a.md",
               "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> [*]\n```\n## Actions\n"
               "- A: Shell \"touch ran\"\n- B: Run workflow \"b\"\n");
  scratch.file("b.md", "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n- A: Run workflow \"a\"\n");
  const Finished finished = wtool({"run", "a.md"});
  BOOST_TEST(finished.exit_code == 2, finished.err);
  BOOST_TEST(holds(finished.err, "a -> b -> a"), finished.err);
  BOOST_TEST(!there("ran"));
}

BOOST_AUTO_TEST_CASE(a_workflow_may_be_named_instead_of_its_file) {
  scratch.file(".swissarmyhammer/workflows/hello.md",
               "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n- A: Shell \"touch ran\"\n");
  BOOST_TEST(wtool({"run", "hello"}).exit_code == 0);
  BOOST_TEST(there("ran"));
  const Finished none = wtool({"run", "helo"});
  BOOST_TEST(none.exit_code == 2);
  BOOST_TEST(holds(none.err, "/.swissarmyhammer/workflows"), none.err);
  BOOST_TEST(holds(none.err, "did you mean 'hello'? The workflows are hello"), none.err);
}

BOOST_AUTO_TEST_CASE(a_large_output_passes_by_file) {
  const Finished finished = run_workflow(workflow("    [*] --> One\n    One --> Two\n    Two --> [*]\n",
                                                  "- One: Shell \"seq 1 100000\"\n"
                                                  "- Two: Shell \"tail -n 1 ${One.stdout_file} >last\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("last") == "100000\n");
}

BOOST_AUTO_TEST_CASE(files_of_outputs_are_private_and_those_with_secrets_do_not_outlive_the_run) {
  const Finished finished = run_workflow(
      workflow("    [*] --> A\n    A --> Token\n    Token --> Keep\n    Keep --> Use\n    Use --> [*]\n",
               "- A: Shell \"echo plain\"\n- Token: Shell \"echo 'very secret'\"\n"
               "- Keep: Set secret token=\"${Token.stdout}\"\n"
               "- Use: Shell \"cat ${Token.stdout_file} >used; cp ${A.stdout_file} .; echo 'very secret' | rev\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("used") == "very secret\n");
  const fs::path folder = fs::path(journal()).replace_extension(".outputs");
  BOOST_TEST((fs::status(folder).permissions() == fs::perms::owner_all));
  BOOST_TEST(content_of(folder / "main-1.stdout") == "plain\n");
  BOOST_TEST(!fs::exists(folder / "main-2.stdout"));
}

BOOST_AUTO_TEST_CASE(each_step_has_its_own_file_for_its_output) {
  // The branches are `A/2:B`, `A-2-B`, and one whose name is longer than a file name may be.
  const std::string length(200, 'x');
  const Finished finished = run_workflow(workflow(
      "    [*] --> F\n    state F <<fork>>\n    state J <<join>>\n    F --> A\n    F --> A-2-B\n    F --> " + length +
          "\n    A --> G\n    state G <<fork>>\n    state K <<join>>\n    G --> B\n    G --> C\n    B --> K\n"
          "    C --> K\n    K --> J\n    A-2-B --> J\n    " +
          length + " --> J\n    J --> Last\n    Last --> [*]\n",
      "- B: Shell \"echo inner\"\n- A-2-B: Shell \"echo outer\"\n- " + length +
          ": Shell \"echo long\" result=\"long\"\n- Last: Shell \"cat ${B.stdout_file} {{ long.stdout_file }} " +
          "{{ other.stdout_file | default: '/dev/null' }} >log\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("log") == "inner\nlong\n");
  const fs::path folder = fs::path(journal()).replace_extension(".outputs");
  std::size_t written = 0;
  for (const auto& entry : fs::directory_iterator(folder)) written += entry.file_size() > 0 ? 1 : 0;
  BOOST_TEST(written == 3U);
}

BOOST_AUTO_TEST_CASE(a_secret_of_an_inner_workflow_is_in_nothing_that_is_kept) {
  scratch.file("inner.md",
               "---\nparameters:\n  - name: password\n    secret: true\n    default: hunter2hunter2\n---\n"
               "```mermaid\nstateDiagram-v2\n[*] --> X\nX --> [*]\n```\n## Actions\n"
               "- X: Shell \"echo the password is ${password}; exit 4\"\n");
  const Finished finished = run_workflow(workflow("    [*] --> A\n    A --> [*]\n", "- A: Run workflow \"inner\"\n"),
                                         {"--events", "events", "--html", "page", "--junit", "junit"});
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(content_of(journal()), "the password is ***"), content_of(journal()));
  for (const std::string& text :
       {finished.out, finished.err, content_of(journal()), file("events"), file("page"), file("junit")}) {
    BOOST_TEST(!holds(text, "hunter2"), text);
  }
}

BOOST_AUTO_TEST_CASE(without_a_journal_an_output_passes_by_a_file_that_goes_with_the_run) {
  const Finished finished = run_workflow(workflow("    [*] --> One\n    One --> Two\n    Two --> [*]\n",
                                                  "- One: Shell \"seq 1 100000\"\n"
                                                  "- Two: Shell \"tail -n 1 ${One.stdout_file} >last; printf %s "
                                                  "${One.stdout_file} >name\"\n"),
                                         {"--no-journal"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("last") == "100000\n");
  BOOST_TEST(!file("name").empty());
  BOOST_TEST(!fs::exists(file("name")));
  BOOST_TEST(!there(".wtool"));
}

BOOST_AUTO_TEST_CASE(a_missing_prompt_and_a_missing_command_for_prompts_are_warnings_of_lint) {
  const std::string file_ = workflow("    [*] --> One\n    One --> [*]\n", "- One: Execute prompt \"nowhere\"\n");
  const Finished finished = wtool({"lint", file_});
  BOOST_TEST(finished.exit_code == 0);
  BOOST_TEST(holds(finished.out, "no command is configured for prompts"), finished.out);
  BOOST_TEST(holds(finished.out, "there is no prompt \"nowhere\""), finished.out);
}

BOOST_AUTO_TEST_CASE(a_large_output_in_a_command_is_an_error_that_says_how) {
  const Finished finished = run_workflow(workflow("    [*] --> One\n    One --> Two\n    Two --> [*]\n",
                                                  "- One: Shell \"seq 1 100000\"\n- Two: Shell \"echo ${One}\"\n"));
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.out, "stdout_file"), finished.out);
}

// --- what is recorded ---

BOOST_AUTO_TEST_CASE(a_text_for_standard_input_is_shown_only_by_its_size_and_hash) {
  const std::string text = "a text with s3kr1t in it";
  const std::string file_ =
      workflow("    [*] --> One\n    One --> [*]\n",
               "- One: Call tool shell_execute with command=\"wc -c && false\" stdin=\"" + text + "\"\n");
  const Finished finished = run_workflow(file_);
  const Finished planned = wtool({"plan", file_});
  const Finished shown = wtool({"show", "last"});
  const Finished html = wtool({"report", "last", "--html", "report.html"});
  const std::string recorded = content_of(journal());
  BOOST_TEST(holds(recorded, std::to_string(text.size())), recorded);
  BOOST_TEST(holds(recorded, "sha256"), recorded);
  for (const std::string& place : {recorded, finished.out + finished.err, planned.out, shown.out + shown.err,
                                   html.out + html.err + content_of(scratch.path() + "/report.html")}) {
    BOOST_TEST(!holds(place, "s3kr1t"), place);
  }
}

BOOST_AUTO_TEST_CASE(nothing_can_be_guessed_from_the_record_of_a_secret_for_standard_input) {
  scratch.file("w.md",
               "---\nparameters: [{name: token, secret: true}]\n---\n```mermaid\nstateDiagram-v2\n[*] --> One\n"
               "One --> Two\nTwo --> [*]\n```\n\n## Actions\n\n"
               "- One: Call tool shell_execute with command=\"wc -c\" stdin=\"${token}\"\n"
               "- Two: Call tool shell_execute with command=\"wc -c\" stdin=\"public\"\n");
  const Finished finished = wtool({"run", "w.md", "--var-file", "token=" + scratch.file("token", "sesame-op")});
  BOOST_TEST(finished.exit_code == 0, finished.err);
  const std::string recorded = content_of(journal());
  BOOST_TEST(holds(recorded, R"(\"stdin\":\"***\")"), recorded);
  BOOST_TEST(!holds(recorded, wtool::sha256("sesame-op")), recorded);
  BOOST_TEST(holds(recorded, wtool::sha256("public")), recorded);
}

BOOST_AUTO_TEST_CASE(binary_standard_input_is_shown_only_by_its_type_and_size) {
  const std::string written =
      workflow("    [*] --> One\n    One --> [*]\n",
               "- One: Call tool shell_execute with {\"command\": \"cat\", \"stdin\": [\"s3kr1t\"]}\n");
  for (const char* command : {"lint", "plan", "run"}) {
    const Finished refused = wtool({command, written});
    BOOST_TEST(holds(refused.out + refused.err, "must be a text, not a value of type array (10 bytes)"),
               refused.out << refused.err);
  }
  // The type of a value that is not in the file is known only when the workflow runs.
  const std::string made = scratch.file(
      "made.md",
      "---\ntitle: A test\ndescription: for a test\nparameters:\n  - {name: words, type: list, required: true}\n---\n\n"
      "# A test\n\n```mermaid\nstateDiagram-v2\n    [*] --> One\n    One --> [*]\n```\n\n## Actions\n\n"
      "- One: Call tool shell_execute with command=\"cat\" stdin=\"${words}\"\n");
  const Finished finished = wtool({"run", made, "--var", "words=s3kr1t"});
  const std::string told = finished.out + finished.err;
  BOOST_TEST(holds(told, "stdin: got a value of type array (10 bytes); allowed is a string"), told);
  BOOST_TEST(!holds(told, "s3kr1t"), told);
  const std::string recorded = content_of(journal());
  BOOST_TEST(holds(recorded, "(10 bytes)"), recorded);
  // The first record has the inputs of the run, which include this text.
  BOOST_TEST(!holds(recorded.substr(recorded.find('\n')), "s3kr1t"), recorded);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
