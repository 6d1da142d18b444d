// The action Approve, answered on the terminal or, for a suspended run, by `wtool approve`; and who may not answer.
#include <grp.h>
#include <signal.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/time_text.h"
#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(approvals_test)

using namespace wtool::test;
using Json = nlohmann::json;

namespace {

namespace fs = std::filesystem;

constexpr int suspended = 5;

struct Asking : Place {
  // A workflow that asks between Build and Ship. After a no, Refused comes instead of Ship. Each of them writes a file.
  std::string asks(const std::string& action) const {
    return workflow(
        "    [*] --> Build\n    Build --> Ask\n    Ask --> Ship: success\n    Ask --> Refused: failure\n"
        "    Ship --> [*]\n    Refused --> [*]\n",
        "- Build: Shell \"echo x >> built\"\n- Ask: " + action +
            "\n- Ship: Shell \"printf '%s' \\\"$TEXT\\\" > shipped\" env={\"TEXT\": \"${Ask.stdout}\"}\n"
            "- Refused: Shell \"printf '%s' \\\"$TEXT\\\" > refused\" env={\"TEXT\": \"${Ask.message}\"}\n");
  }
  // The records of the journal of the only run.
  std::string journal() const {
    std::string all;
    for (const auto& entry : fs::directory_iterator(scratch.path() + "/.wtool/runs")) {
      if (entry.path().extension() == ".jsonl") all += content_of(entry.path());
    }
    return all;
  }
  // The deadline of the last question, as the journal has it: 2026-01-02T03:04:05.678Z. Empty if the question has none.
  std::string until() const {
    static const std::string key = "\"until\":\"";
    const std::string all = journal();
    const std::size_t at = all.rfind(key);
    return at == std::string::npos ? "" : all.substr(at + key.size(), 24);
  }
  std::string status() const {
    return Json::parse(wtool({"runs", "--json"}).out).at(0).at("status").get<std::string>();
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(approvals, Asking)

// All steps of a workflow that a secret step runs are secret, but a person must see what is asked.
BOOST_AUTO_TEST_CASE(a_question_inside_a_secret_workflow_can_be_answered) {
  scratch.file(
      "inner.md",
      "```mermaid\nstateDiagram-v2\n[*] --> Ask\nAsk --> [*]\n```\n\n## Actions\n\n- Ask: Approve \"Ship it?\"\n");
  workflow("    [*] --> Ship\n    Ship --> [*]\n", "- Ship: Run workflow \"inner\" secret\n");
  BOOST_TEST(wtool({"run", "workflow.md"}).exit_code == suspended);
  const std::string shown = wtool({"approve", "last"}).out;
  BOOST_TEST(holds(shown, "Ship it?"), shown);
  const Finished answered = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(answered.exit_code == 0, answered.out << answered.err);
}

BOOST_AUTO_TEST_CASE(a_very_long_question_is_cut_and_says_how_to_see_all_of_it) {
  workflow("    [*] --> List\n    List --> Ask\n    Ask --> [*]\n",
           "- List: Shell \"seq 1000\"\n- Ask: Approve \"Delete these?\\n${List}\\nAll of them?\"\n");
  BOOST_TEST(wtool({"run", "workflow.md"}).exit_code == suspended);
  const std::string shown = wtool({"approve", "last"}).out;
  BOOST_TEST(shown.size() < 1000U);
  BOOST_TEST(holds(shown, "  | Delete these?\n  | 1\n"), shown);
  BOOST_TEST(holds(shown, "\n  | 29\n  ... 3778 bytes of the question are left out here; `wtool show 20"), shown);
  BOOST_TEST(holds(shown, " --json` has all of it\n  | 992\n"), shown);
  BOOST_TEST(holds(shown, "\n  | 1000\n  | All of them?\n"), shown);
  const Json run = Json::parse(wtool({"show", "last", "--json"}).out);
  BOOST_TEST(holds(run["steps"][1]["metadata"]["question"].get<std::string>(), "\n499\n500\n501\n"));
  Program program({wtool_path, "approve", "last"}, Program::On::terminal, here());
  BOOST_REQUIRE(program.wait_for_output("Approve? [y/N"));
  program.type("y\n");
  const Finished answered = program.wait();
  BOOST_TEST(answered.exit_code == 0, answered.out);
  BOOST_TEST(holds(answered.out, "bytes of the question are left out here"), answered.out);
  // A question that is asked during the run is in no journal yet, so it is shown whole.
  Program asking({wtool_path, "run", "workflow.md"}, Program::On::terminal, here());
  BOOST_REQUIRE(asking.wait_for_output("Approve? [y/N"));
  asking.type("n\n");
  BOOST_TEST(holds(asking.wait().out, "  | 500\r\n"));
}

BOOST_AUTO_TEST_CASE(runs_that_cannot_be_read_may_wait,
                     *boost::unit_test::precondition(an_ordinary_user_may_run_wtool)) {
  BOOST_TEST(wtool({"run", asks("Approve \"Ship it?\"")}).exit_code == suspended);
  const std::string runs = scratch.path() + "/.wtool/runs";
  std::string journal;
  for (const auto& entry : fs::directory_iterator(runs)) {
    if (entry.path().extension() == ".jsonl") journal = entry.path();
  }
  const auto approve = [&] { return run(as_ordinary_user({wtool_path, "approve"}), here()); };
  const auto check = [&](const std::string& why) {
    const Finished finished = approve();
    BOOST_TEST(finished.exit_code == 2, finished.out << finished.err);
    BOOST_TEST(finished.out == "");
    BOOST_TEST(holds(finished.err, why + ": Permission denied"), finished.err);
  };
  for (const std::string& folder : {scratch.path(), scratch.path() + "/.wtool", runs}) {
    fs::permissions(folder, fs::perms(0755));
  }
  fs::permissions(journal, fs::perms(0));
  check("some journals of runs cannot be read, such as ./.wtool/runs/" + fs::path(journal).filename().string());
  fs::permissions(runs, fs::perms(0));
  check("cannot read the folder ./.wtool/runs");
  fs::permissions(runs, fs::perms(0755));
  fs::permissions(journal, fs::perms(0644));
  BOOST_TEST(holds(approve().out, "is suspended"));
}

BOOST_AUTO_TEST_CASE(a_person_on_the_terminal_approves_or_does_not) {
  const std::string file_ = asks("Approve \"Ship it?\"");
  Program yes({wtool_path, "run", file_}, Program::On::terminal, here());
  BOOST_REQUIRE(yes.wait_for_output("Approve? [y/N"));
  BOOST_TEST(holds(yes.output(), "Ship it?"), yes.output());
  yes.type("y looks good\n");
  BOOST_TEST(yes.wait().exit_code == 0);
  BOOST_TEST(holds(file("shipped"), ": looks good"), file("shipped"));
  BOOST_TEST(holds(journal(), "\"comment\":\"looks good\""), journal());
  fs::remove(scratch.path() + "/shipped");
  // Without a comment, the text of the comment is empty.
  const std::string with_comment =
      scratch.file("comment.md",
                   "```mermaid\nstateDiagram-v2\n[*] --> Ask\nAsk --> Tell\nTell --> [*]\n```\n## Actions\n"
                   "- Ask: Approve \"Ship it?\"\n- Tell: Shell \"test -z ${Ask.metadata.comment}\"\n");
  Program silent({wtool_path, "run", with_comment}, Program::On::terminal, here());
  BOOST_REQUIRE(silent.wait_for_output("Approve? [y/N"));
  silent.type("y\n");
  BOOST_TEST(silent.wait().exit_code == 0);
  // The default is no.
  Program no({wtool_path, "run", file_}, Program::On::terminal, here());
  BOOST_REQUIRE(no.wait_for_output("Approve? [y/N"));
  no.type("\n");
  BOOST_TEST(no.wait().exit_code == 0);
  BOOST_TEST(!there("shipped"));
  BOOST_TEST(holds(file("refused"), "not approved by"), file("refused"));
}

// Only the leader of a session gets a signal when its terminal is closed. Any other program reads the end of the input.
BOOST_AUTO_TEST_CASE(a_terminal_that_is_closed_while_it_asks_is_not_an_answer) {
  const auto on_terminal = [this](const std::string& words, const std::string& prompt) {
    Program program({"/bin/sh", "-c", "trap '' HUP; exec " + wtool_path + " " + words + " >>said 2>&1"},
                    Program::On::terminal, here());
    BOOST_TEST_REQUIRE(program.wait_for_output(prompt), program.output());
    program.hang_up();
    const Finished finished = program.wait();
    BOOST_TEST(!finished.limit_passed);
    return finished.exit_code;
  };
  BOOST_TEST(on_terminal("run " + asks("Approve \"Ship it?\""), "Approve? [y/N") == suspended, file("said"));
  BOOST_TEST(!there("refused"));
  BOOST_TEST(status() == "suspended");
  BOOST_TEST(holds(journal(), "\"who\":\"\""), journal());
  BOOST_TEST(on_terminal("approve last", "Approve? [y/N") == 0, file("said"));
  BOOST_TEST(holds(file("said"), "answer it with: wtool approve "), file("said"));
  BOOST_TEST(status() == "suspended");
  BOOST_TEST(wtool({"approve", "last", "--answer", "yes"}).exit_code == 0);
  BOOST_TEST(there("shipped"));
  const std::string confirms =
      workflow("    [*] --> Ask\n    Ask --> [*]\n", "- Ask: Wait for user confirmation \"Ship it?\"\n");
  BOOST_TEST(on_terminal("run " + confirms, "[y/N] ") == 1, file("said"));
  BOOST_TEST(holds(file("said"), "nobody could be asked to confirm"), file("said"));
}

BOOST_AUTO_TEST_CASE(lines_that_are_not_answers_do_not_refuse) {
  Program program({wtool_path, "run", asks("Approve \"Ship it?\"")}, Program::On::terminal, here());
  const std::string prompt = "Approve? [y/N";
  const auto asked = [&] {
    std::size_t times = 0;
    for (std::size_t at = 0; (at = program.output().find(prompt, at)) != std::string::npos; ++at) ++times;
    return times;
  };
  for (std::size_t i = 1; i <= 5; ++i) {
    BOOST_TEST_REQUIRE(program.wait_for([&] { return asked() >= i; }), program.output());
    program.type("perhaps\n");
  }
  BOOST_TEST(program.wait().exit_code == suspended);
  BOOST_TEST(!there("refused"));
}

BOOST_AUTO_TEST_CASE(programs_are_told_that_a_step_waits_for_an_approval) {
  // What waits is inside of another workflow, so the step that runs it waits, too.
  scratch.file("inner.md",
               "```mermaid\nstateDiagram-v2\n[*] --> Ask\nAsk --> [*]\n```\n## Actions\n- Ask: Approve \"Ship it?\"\n");
  const std::string file_ = workflow("    [*] --> Build\n    Build --> Outer\n    Outer --> [*]\n",
                                     "- Build: Shell \"true\"\n- Outer: Run workflow \"inner\"\n");
  const Finished first = wtool({"run", file_, "--events", "-"});
  BOOST_TEST(first.exit_code == suspended, first.out << first.err);
  std::map<std::string, std::string> ends;
  std::istringstream lines(first.out);
  for (std::string line; std::getline(lines, line);) {
    const Json event = Json::parse(line);
    if (event.at("type") != "state_ended") continue;
    ends[event.at("state")] = event.at("status");
    if (event.at("state") == "Ask") BOOST_TEST(!event.at("outcome").contains("aborted"), line);
  }
  std::map<std::string, std::string> shown;
  const Json run = Json::parse(wtool({"show", "last", "--json"}).out);
  for (const Json& step : run.at("steps")) {
    shown[step.at("state")] = step.at("status");
  }
  for (const auto& statuses : {ends, shown}) {
    BOOST_TEST_CONTEXT(Json(statuses)) {
      BOOST_REQUIRE(statuses.contains("Ask"));
      BOOST_REQUIRE(statuses.contains("Outer"));
      BOOST_TEST(statuses.at("Ask") == "waiting");
      BOOST_TEST(statuses.at("Outer") == "waiting");
      BOOST_TEST(statuses.at("Build") == "succeeded");
    }
  }
  BOOST_TEST(wtool({"report", "last", "--otlp", "telemetry"}).exit_code == 0);
  const std::string spans = file("telemetry/traces.json");
  BOOST_TEST(holds(spans, "waiting"), spans);
  BOOST_TEST(!holds(spans, "aborted"), spans);
  // In the journal, which older programs read, the step is aborted.
  BOOST_TEST(holds(journal(), "\"status\":\"aborted\""), journal());
}

BOOST_AUTO_TEST_CASE(a_suspended_run_can_be_stopped_and_asks_again_when_it_is_resumed) {
  const std::string file_ = asks("Approve \"Ship it?\"");
  BOOST_TEST(wtool({"run", file_}).exit_code == suspended);
  const Finished stopped = wtool({"stop", "last"});
  BOOST_TEST(stopped.exit_code == 0, stopped.err);
  BOOST_TEST(holds(stopped.out, ": aborted\n"), stopped.out);
  BOOST_TEST(holds(stopped.err, "`finally` states have not run"), stopped.err);
  BOOST_TEST(status() == "aborted");
  BOOST_TEST(holds(wtool({"show", "last"}).out, "stopped with `wtool stop` while it waited for an answer"));
  BOOST_TEST(!holds(wtool({"approve"}).out, "Ship it?"));
  const Finished late = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(late.exit_code == 1, late.out);
  BOOST_TEST(holds(late.err, "was stopped while it waited; `wtool resume "), late.err);
  const Finished again = wtool({"stop", "last"});
  BOOST_TEST(again.exit_code == 0, again.err);
  BOOST_TEST(holds(again.err, "is not running"), again.err);
  BOOST_TEST(wtool({"resume", "last"}).exit_code == suspended);
  BOOST_TEST(status() == "suspended");
  BOOST_TEST(wtool({"approve", "last", "--answer", "yes"}).exit_code == 0);
  BOOST_TEST(file("built") == "x\n");
  BOOST_TEST(there("shipped"));
}

BOOST_AUTO_TEST_CASE(a_run_without_a_terminal_is_suspended_and_continues_with_the_answer) {
  const std::string file_ = asks("Approve \"Ship ${Build.exit_code}?\" timeout=2h");
  const Finished first = wtool({"run", file_});
  BOOST_TEST(first.exit_code == suspended, first.out << first.err);
  BOOST_TEST(holds(first.out, "suspended"), first.out);
  BOOST_TEST(holds(first.out, "wtool approve 2"), first.out);
  BOOST_TEST(status() == "suspended");
  BOOST_TEST(holds(wtool({"approve"}).out, "Ship 0?"));
  BOOST_TEST(wtool({"approve", "--comment", "of nothing"}).exit_code == 2);
  const Finished shown = wtool({"approve", "last"});
  BOOST_TEST(shown.exit_code == 0);
  BOOST_TEST(holds(shown.out, "--answer yes|no"), shown.out);
  BOOST_TEST(!there("shipped"));
  const Finished second = wtool({"approve", "last", "--answer", "yes", "--comment", "it is time"});
  BOOST_TEST(second.exit_code == 0, second.out << second.err);
  BOOST_TEST(file("built") == "x\n");
  BOOST_TEST(holds(file("shipped"), "approved by "), file("shipped"));
  BOOST_TEST(holds(file("shipped"), ": it is time"), file("shipped"));
  BOOST_TEST(holds(journal(), "\"answered\":"), journal());
  BOOST_TEST(wtool({"approve", "last", "--answer", "yes"}).exit_code == 1);
}

BOOST_AUTO_TEST_CASE(an_answer_does_not_count_for_a_result_that_is_made_anew) {
  const std::string file_ = scratch.file(
      "release.md",
      "```mermaid\nstateDiagram-v2\n[*] --> Build\nBuild --> Ask\nAsk --> Ship\nShip --> [*]\n```\n## Actions\n"
      "- Build: Shell \"cp page built\" with inputs=[\"page\"] outputs=[\"built\"]\n- Ask: Approve \"Ship it?\"\n"
      "- Ship: Shell \"cp built shipped\"\n");
  scratch.file("page", "one");
  BOOST_TEST(wtool({"run", file_}).exit_code == suspended);
  scratch.file("page", "two");
  fs::remove(scratch.path() + "/built");
  const Finished first = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(first.exit_code == suspended, first.out << first.err);
  BOOST_TEST(holds(first.err, "is gone; from here on, every step is run"), first.err);
  BOOST_TEST(!there("shipped"));
  BOOST_TEST(wtool({"approve", "last", "--answer", "yes"}).exit_code == 0);
  BOOST_TEST(file("shipped") == "two");
}

// After a yes, the run does what the changed file says.
BOOST_AUTO_TEST_CASE(a_person_is_told_before_the_question_that_the_workflow_has_changed) {
  const std::string file_ = asks("Approve \"Ship it?\"");
  BOOST_TEST(wtool({"run", file_}).exit_code == suspended);
  std::string text = content_of(file_);
  text.replace(text.find("> shipped"), 9, "> other");
  std::ofstream(file_) << text;
  Program program({wtool_path, "approve", "last"}, Program::On::terminal, here());
  BOOST_REQUIRE(program.wait_for_output("Approve? [y/N"));
  BOOST_TEST(holds(program.output(), "has changed since the run"), program.output());
  program.type("n\n");
  program.wait();
  BOOST_TEST(program.output().find("has changed since", program.output().find("Approve?")) == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_no_is_an_outcome_that_a_transition_takes) {
  BOOST_TEST(wtool({"run", asks("Approve \"Ship it?\"")}).exit_code == suspended);
  const Finished second = wtool({"approve", "last", "--answer", "no"});
  BOOST_TEST(second.exit_code == 0, second.out << second.err);
  BOOST_TEST(!there("shipped"));
  BOOST_TEST(there("refused"));
}

BOOST_AUTO_TEST_CASE(a_no_that_nothing_handles_is_a_refusal) {
  const std::string file_ = workflow("    [*] --> Ask\n    Ask --> Ship\n    Ship --> [*]\n",
                                     "- Ask: Approve \"Ship it?\"\n- Ship: Shell \"touch shipped\"\n");
  BOOST_TEST(wtool({"run", file_, "--yes"}).exit_code == suspended);
  const Finished second = wtool({"approve", "last", "--answer", "no"});
  BOOST_TEST(second.exit_code == 3, second.out << second.err);
  BOOST_TEST(!there("shipped"));
}

BOOST_AUTO_TEST_CASE(a_yes_that_comes_after_a_recorded_no_does_not_count) {
  const std::string file_ = workflow("    [*] --> Ask\n    Ask --> Ship\n    Ship --> [*]\n",
                                     "- Ask: Approve \"Ship it?\"\n- Ship: Shell \"touch shipped\"\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == suspended);
  Program first({wtool_path, "approve", "last"}, Program::On::terminal, here());
  Program second({wtool_path, "approve", "last"}, Program::On::terminal, here());
  BOOST_REQUIRE(first.wait_for_output("Approve? [y/N"));
  BOOST_REQUIRE(second.wait_for_output("Approve? [y/N"));
  first.type("n\n");
  BOOST_TEST(first.wait().exit_code == 3);
  const std::string before = journal();
  second.type("y\n");
  const Finished late = second.wait();
  BOOST_TEST(late.exit_code == 1, late.out);
  BOOST_TEST(holds(late.out, "no longer waits for this answer"), late.out);
  BOOST_TEST(!there("shipped"));
  BOOST_TEST(journal() == before);
}

BOOST_AUTO_TEST_CASE(a_suspended_run_that_is_resumed_keeps_its_first_deadline) {
  BOOST_TEST(wtool({"run", asks("Approve \"Ship it?\" timeout=2h")}).exit_code == suspended);
  const std::string before = until();
  BOOST_TEST(!before.empty());
  BOOST_TEST(wtool({"resume", "last"}).exit_code == suspended);
  BOOST_TEST(until() == before);
  BOOST_TEST(file("built") == "x\n");
}

BOOST_AUTO_TEST_CASE(a_question_that_nobody_answers_in_time_is_refused) {
  BOOST_TEST(wtool({"run", asks("Approve \"Ship it?\" timeout=1s")}).exit_code == suspended);
  const std::string deadline = until();
  BOOST_REQUIRE(!deadline.empty());
  BOOST_REQUIRE(wait_until([&] { return wtool::iso_time(std::chrono::system_clock::now()) > deadline; },
                           std::chrono::seconds(30)));
  const Finished late = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(late.exit_code == 1, late.out << late.err);
  BOOST_TEST(!there("shipped"));
  const Finished second = wtool({"resume", "last"});
  BOOST_TEST(second.exit_code == 0, second.out << second.err);
  BOOST_TEST(holds(file("refused"), "was not given before "), file("refused"));
  // On a terminal, the question is withdrawn when its time is up.
  Program asked({wtool_path, "run", asks("Approve \"Ship it?\" timeout=1s")}, Program::On::terminal, here());
  const Finished third = asked.wait();
  BOOST_TEST(third.exit_code == 0, third.out);
  BOOST_TEST(holds(third.out, "withdrawn"), third.out);
}

BOOST_AUTO_TEST_CASE(every_answer_has_all_fields) {
  Program asked({wtool_path, "run",
                 workflow("    [*] --> Ask\n    Ask --> Tell: failure\n    Tell --> [*]\n",
                          "- Ask: Approve \"Ship it?\" timeout=1s\n"
                          "- Tell: Log \"${Ask.metadata.answer}:${Ask.metadata.who}:${Ask.metadata.comment}:"
                          "${Ask.metadata.answered}:\"\n")},
                Program::On::terminal, here());
  const Finished expired = asked.wait();
  BOOST_TEST(expired.exit_code == 0, expired.out);
  BOOST_TEST(holds(expired.out, "expired::::"), expired.out);
}

BOOST_AUTO_TEST_CASE(where_an_open_question_is_asked_is_said_and_what_to_do_after_a_kill) {
  const std::string file_ = asks("Approve \"Ship it?\"");
  Program asking({wtool_path, "run", file_}, Program::On::terminal, here());
  BOOST_REQUIRE(asking.wait_for_output("Approve? [y/N"));
  const std::string where = "asks on its own terminal (process " + std::to_string(asking.pid()) + " on ";
  const Finished one = wtool({"approve", "last"});
  BOOST_TEST(one.exit_code == 1);
  BOOST_TEST(holds(one.err, where), one.err);
  BOOST_TEST(holds(one.err, ", state Ask); answer there\n"), one.err);
  const Finished all = wtool({"approve"});
  BOOST_TEST(all.exit_code == 0);
  BOOST_TEST(holds(all.out, where), all.out);
  asking.kill(SIGKILL);
  asking.wait();
  const Finished killed = wtool({"approve", "last"});
  BOOST_TEST(killed.exit_code == 1);
  BOOST_TEST(holds(killed.err, " was interrupted; `wtool resume 2"), killed.err);
  BOOST_TEST(holds(killed.err, "` continues it, and asks again\n"), killed.err);
  BOOST_TEST(wtool({"approve"}).out == "no question waits\n");
}

BOOST_AUTO_TEST_CASE(a_long_question_is_one_line_if_nobody_reads_it_on_a_terminal) {
  const std::string question = "Deploy to staging, then to production, and tell everybody about it when it is done?";
  BOOST_TEST(wtool({"run", asks("Approve \"" + question + "\"")}).exit_code == suspended);
  const Finished shown = wtool({"approve", "last"});
  BOOST_TEST(holds(shown.out, "Ask: " + question + "\n"), shown.out);
}

BOOST_AUTO_TEST_CASE(only_the_user_or_the_group_that_is_named_may_answer) {
  BOOST_TEST(wtool({"run", asks("Approve \"Ship it?\" by=\"no-such-group\"")}).exit_code == suspended);
  const Finished refused = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(refused.exit_code == 1);
  BOOST_TEST(holds(refused.err, "there is no user and no group"), refused.err);
  BOOST_TEST(status() == "suspended");
  const std::string other = ::getuid() == 0 ? "nobody" : "root";
  BOOST_TEST(wtool({"run", asks("Approve \"Ship it?\" by=\"" + other + "\"")}).exit_code == suspended);
  BOOST_TEST(holds(wtool({"approve", "last", "--answer", "yes"}).err, "only " + other + " may answer"));
  const ::group* own = ::getgrgid(::getegid());
  if (own == nullptr) return;
  BOOST_TEST(wtool({"run", asks("Approve \"Ship it?\" by=\"" + std::string(own->gr_name) + "\"")}).exit_code ==
             suspended);
  const Finished taken = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(taken.exit_code == 0, taken.out << taken.err);
}

BOOST_AUTO_TEST_CASE(no_process_of_a_call_answers) {
  BOOST_TEST(wtool({"run", asks("Approve \"Ship it?\"")}).exit_code == suspended);
  const std::string answer = wtool_path + " approve last --answer yes 2>&1";
  for (const std::string& command : {answer, "setsid -w " + answer, "script -qec '" + answer + "' /dev/null"}) {
    const Finished call = wtool({"call", "shell_execute", Json{{"command", command}}.dump()});
    BOOST_TEST(holds(call.out, "no process of a call may answer"), command + ": " + call.out);
    BOOST_TEST(status() == "suspended");
    BOOST_TEST(!there("shipped"));
  }
  // A run in a terminal that a call has made does not ask there.
  const std::string run_ = "echo y | script -qec '" + wtool_path + " run workflow.md' /dev/null";
  wtool({"call", "shell_execute", Json{{"command", run_}}.dump()});
  BOOST_TEST(!there("shipped"));
  BOOST_TEST(wtool({"approve", "last", "--answer", "yes"}).exit_code == 0);
  BOOST_TEST(there("shipped"));
}

BOOST_AUTO_TEST_CASE(a_name_or_a_question_that_renders_to_nothing_ends_the_run) {
  for (const auto& [action, why] : std::vector<std::pair<std::string, std::string>>{
           {"Approve \"Ship it?\" by=\"${Build.stdout}\"", "`by` is empty"},
           {"Approve \"${Build.stdout}\"", "the question is empty"}}) {
    const Finished finished =
        wtool({"run", workflow("    [*] --> Build\n    Build --> Ask\n    Ask --> Ship\n    Ship --> [*]\n",
                               "- Build: Shell \"true\"\n- Ask: " + action + "\n- Ship: Shell \"touch shipped\"\n")});
    BOOST_TEST(finished.exit_code != 0);
    BOOST_TEST(finished.exit_code != suspended, finished.out << finished.err);
    BOOST_TEST(holds(finished.out + finished.err, why), finished.out << finished.err);
    BOOST_TEST(status() != "suspended");
    BOOST_TEST(!there("shipped"));
  }
}

BOOST_AUTO_TEST_CASE(a_process_that_hides_those_above_it_does_not_answer) {
  const std::vector<std::string> hidden{"unshare", "-rpf", "--mount-proc"};
  const auto in_hiding = [&](const std::string& command) {
    std::vector<std::string> argv = hidden;
    argv.insert(argv.end(), {"sh", "-c", command});
    return run(argv, here());
  };
  if (in_hiding("true").exit_code != 0) {
    BOOST_TEST_MESSAGE("skipped: no pid namespace can be made here");
    return;
  }
  BOOST_TEST(wtool({"run", asks("Approve \"Ship it?\"")}).exit_code == suspended);
  const Finished answered = in_hiding(wtool_path + " approve last --answer yes");
  BOOST_TEST(answered.exit_code == 1, answered.out << answered.err);
  BOOST_TEST(holds(answered.err, "hides the processes above it"), answered.err);
  // A process in hiding cannot answer on a terminal either, not even after it has resumed the run there.
  in_hiding("echo y | script -qec '" + wtool_path + " resume last' /dev/null");
  in_hiding(wtool_path + " approve last --answer yes");
  BOOST_TEST(!there("shipped"));
  BOOST_TEST(status() == "suspended");
  BOOST_TEST(wtool({"approve", "last", "--answer", "yes"}).exit_code == 0);
  BOOST_TEST(there("shipped"));
}

BOOST_AUTO_TEST_CASE(an_answer_is_in_the_audit_trail_before_it_counts) {
  scratch.file("wtool.yaml", "audit: {file: trail.jsonl}\n");
  const std::string file_ = asks("Approve \"Ship it?\"");
  BOOST_TEST(wtool({"run", file_}).exit_code == suspended);
  BOOST_TEST(wtool({"approve", "last", "--answer", "yes", "--comment", "fine"}).exit_code == 0);
  const Finished shown = wtool({"audit", "show", "trail.jsonl", "--event", "approval"});
  BOOST_TEST(holds(shown.out, "Ship it?"), shown.out);
  BOOST_TEST(holds(shown.out, "(fine)"), shown.out);
  BOOST_TEST(wtool({"audit", "verify", "trail.jsonl"}).exit_code == 0);
  // In a new trail, the answer is the first line.
  fs::remove(scratch.path() + "/trail.jsonl");
  fs::remove(scratch.path() + "/shipped");
  const std::string first = workflow("    [*] --> Ask\n    Ask --> [*]\n", "- Ask: Approve \"Ship it?\"\n");
  BOOST_TEST(wtool({"run", first}).exit_code == suspended);
  BOOST_TEST(wtool({"approve", "last", "--answer", "yes"}).exit_code == 0);
  BOOST_TEST(wtool({"audit", "verify", "trail.jsonl"}).exit_code == 0);
  // An answer that cannot be recorded does not count.
  BOOST_TEST(wtool({"run", first}).exit_code == suspended);
  std::ofstream(scratch.path() + "/trail.jsonl", std::ios::app) << "torn";
  const Finished torn = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(torn.exit_code == suspended, torn.out << torn.err);
  BOOST_TEST(holds(torn.out, "trail.jsonl cannot be written"), torn.out);
}

BOOST_AUTO_TEST_CASE(branches_beside_a_question_run_to_their_end) {
  const std::string file_ = workflow(
      "    [*] --> Fork\n    state Fork <<fork>>\n    state Join <<join>>\n    Fork --> Ask\n    Fork --> Other\n"
      "    Ask --> Join\n    Other --> More\n    More --> Join\n    Join --> Ship\n    Ship --> [*]\n",
      "- Ask: Approve \"Ship it?\"\n- Other: Shell \"echo x >> other\"\n- More: Shell \"echo x >> more\"\n"
      "- Ship: Shell \"echo x >> shipped\"\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == suspended);
  BOOST_TEST(file("more") == "x\n");
  BOOST_TEST(!there("shipped"));
  const Finished second = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(second.exit_code == 0, second.out << second.err);
  BOOST_TEST(file("other") == "x\n");
  BOOST_TEST(file("more") == "x\n");
  BOOST_TEST(file("shipped") == "x\n");
}

BOOST_AUTO_TEST_CASE(two_questions_at_once_are_answered_one_by_one) {
  const std::string file_ = workflow(
      "    [*] --> Fork\n    state Fork <<fork>>\n    state Join <<join>>\n    Fork --> Law\n    Fork --> Money\n"
      "    Law --> Join\n    Money --> Join\n    Join --> Ship\n    Ship --> [*]\n",
      "- Law: Approve \"May we?\"\n- Money: Approve \"Can we?\"\n- Ship: Shell \"touch shipped\"\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == suspended);
  const Finished unclear = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(unclear.exit_code == 1);
  BOOST_TEST(holds(unclear.err, "--state"), unclear.err);
  BOOST_TEST(wtool({"approve", "last", "--answer", "yes", "--state", "Law"}).exit_code == suspended);
  BOOST_TEST(!there("shipped"));
  const Finished last = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(last.exit_code == 0, last.out << last.err);
  BOOST_TEST(there("shipped"));
}

BOOST_AUTO_TEST_CASE(a_question_of_an_inner_workflow_suspends_the_run_without_its_finally) {
  scratch.file(
      "inner.md",
      "---\nparameters:\n  - {name: what}\n---\n```mermaid\nstateDiagram-v2\n[*] --> Ask\nAsk --> Done\n"
      "Done --> [*]\n```\n## Actions\n- Ask: Approve \"Ship ${what}?\"\n- Done: Shell \"echo ${what} >> done\"\n");
  const std::string file_ = scratch.file(
      "outer.md",
      "---\nfinally: Clean\n---\n```mermaid\nstateDiagram-v2\n[*] --> Run\nRun --> [*]\nClean --> [*]\n```\n"
      "## Actions\n- Run: Run workflow \"inner\" with what=\"it\"\n- Clean: Shell \"touch cleaned\"\n");
  const Finished first = wtool({"run", file_});
  BOOST_TEST(first.exit_code == suspended, first.out << first.err);
  BOOST_TEST(!there("cleaned"));
  const Finished second = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(second.exit_code == 0, second.out << second.err);
  BOOST_TEST(file("done") == "it\n");
  BOOST_TEST(there("cleaned"));
}

BOOST_AUTO_TEST_CASE(a_matrix_of_workflows_waits_for_each_answer) {
  scratch.file(
      "inner.md",
      "---\nparameters:\n  - {name: what}\n---\n```mermaid\nstateDiagram-v2\n[*] --> Ask\nAsk --> Done\n"
      "Done --> [*]\n```\n## Actions\n- Ask: Approve \"Ship ${what}?\"\n- Done: Shell \"echo ${what} >> done\"\n");
  const std::string file_ =
      workflow("    [*] --> All\n    All --> [*]\n",
               "- All: Run workflow \"inner\" with what=\"${matrix.what}\" matrix={\"what\": [\"a\"]}\n");
  const Finished first = wtool({"run", file_});
  BOOST_TEST(first.exit_code == suspended, first.out << first.err);
  const Finished second = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(second.exit_code == 0, second.out << second.err);
  BOOST_TEST(file("done") == "a\n");
}

BOOST_AUTO_TEST_CASE(questions_of_one_name_are_distinguished_by_their_branches) {
  scratch.file(
      "inner.md",
      "---\nparameters:\n  - {name: what}\n---\n```mermaid\nstateDiagram-v2\n[*] --> Ask\nAsk --> Done\n"
      "Done --> [*]\n```\n## Actions\n- Ask: Approve \"Ship ${what}?\"\n- Done: Shell \"echo ${what} >> done\"\n");
  const std::string file_ =
      workflow("    [*] --> All\n    All --> [*]\n",
               "- All: Run workflow \"inner\" with what=\"${matrix.what}\" matrix={\"what\": [\"a\", \"b\"]}\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == suspended);
  const Finished unclear = wtool({"approve", "last", "--answer", "yes", "--state", "Ask"});
  BOOST_TEST(unclear.exit_code == 1);
  const std::size_t begin = unclear.err.find('(') + 1;
  const std::string name = unclear.err.substr(begin, unclear.err.find(',', begin) - begin);
  BOOST_TEST(name.ends_with("/Ask"), unclear.err);
  BOOST_TEST(holds(wtool({"approve", "last"}).out, "--state " + name + " --answer"));
  const Finished first = wtool({"approve", "last", "--answer", "yes", "--state", name});
  BOOST_TEST(first.exit_code == suspended, first.out << first.err);
  BOOST_TEST(file("done").size() == 2U, file("done"));
  const Finished second = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(second.exit_code == 0, second.out << second.err);
  BOOST_TEST(file("done").size() == 4U, file("done"));
}

BOOST_AUTO_TEST_CASE(a_run_without_a_journal_cannot_wait) {
  const Finished finished = wtool({"run", asks("Approve \"Ship it?\""), "--no-journal"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(!there("shipped"));
  BOOST_TEST(holds(file("refused"), "without a journal"), file("refused"));
}

BOOST_AUTO_TEST_CASE(secrets_in_a_question_are_masked_and_it_can_still_be_answered) {
  const std::string file_ =
      scratch.file("secret.md",
                   "---\nparameters:\n  - {name: token, secret: true}\n---\n```mermaid\nstateDiagram-v2\n[*] --> Ask\n"
                   "Ask --> Ship\nShip --> [*]\n```\n## Actions\n- Ask: Approve \"With ${token}?\"\n"
                   "- Ship: Shell \"touch shipped\"\n");
  const std::string token = scratch.file("token", "hunter2hunter2\n");
  const Finished first = wtool({"run", file_, "--var-file", "token=" + token});
  BOOST_TEST(first.exit_code == suspended, first.out << first.err);
  BOOST_TEST(!holds(first.out + first.err + journal(), "hunter2"));
  const Finished second = wtool({"approve", "last", "--answer", "yes", "--var-file", "token=" + token});
  BOOST_TEST(second.exit_code == 0, second.out << second.err);
  BOOST_TEST(there("shipped"));
}

BOOST_AUTO_TEST_CASE(a_secret_with_its_default_is_not_asked_for_again) {
  const std::string file_ = scratch.file(
      "secret.md",
      "---\nparameters:\n  - {name: token, secret: true, default: usual-token}\n---\n```mermaid\nstateDiagram-v2\n"
      "[*] --> Ask\nAsk --> Ship\nShip --> [*]\n```\n## Actions\n- Ask: Approve \"Ship it?\"\n"
      "- Ship: Shell \"printf %s \\\"$TOKEN\\\" > shipped\" env={\"TOKEN\": \"${token}\"}\n");
  BOOST_TEST(wtool({"run", file_}).exit_code == suspended);
  BOOST_TEST(!holds(journal(), "usual-token"));
  const Finished second = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(second.exit_code == 0, second.out << second.err);
  BOOST_TEST(file("shipped") == "usual-token");
  // A token that was given for the run must be given again for the answer.
  BOOST_TEST(wtool({"run", file_, "--var-file", "token=" + scratch.file("token", "hunter2hunter2\n")}).exit_code ==
             suspended);
  const Finished third = wtool({"approve", "last", "--answer", "yes"});
  BOOST_TEST(third.exit_code == 2, third.out << third.err);
  BOOST_TEST(holds(third.err, "--var-file token=FILE"), third.err);
}

BOOST_AUTO_TEST_CASE(a_plan_names_the_question_and_lint_its_mistakes) {
  const Finished plan = wtool({"plan", asks("Approve \"Ship it?\" by=\"release\"")});
  BOOST_TEST(holds(plan.out, "asks release to approve"), plan.out << plan.err);
  for (const auto& [action, part] : std::vector<std::pair<std::string, std::string>>{
           {"Approve \"Ship it?\" retry=3", "the options of Approve are"},
           {"Approve \"Ship it?\" sandbox=\"read-only\"", "the options of Approve are"},
           {"Approve \"Ship it?\" keep=[\"dist/**\"]", "the options of Approve are"},
           {"Approve \"\"", "the question is empty"},
           {"Approve \"Ship it?\" by=release", "the user or the group who may answer"},
           {"Approve \"Ship it?\" by=\"\"", "`by` is empty"},
           {"Approve \"Ship it?\" by=\"nosuchrole\"", "no user and no group \"nosuchrole\" on this machine"},
           {"Approve", "the question of Approve"}}) {
    const Finished lint = wtool({"lint", "--strict", asks(action)});
    BOOST_TEST(lint.exit_code != 0);
    BOOST_TEST(holds(lint.out + lint.err, part), action << ": " << lint.out << lint.err);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
