// Services of workflows, with real processes: how they start, how they end, and that nothing of them is left.
#include <signal.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(services_test)

using namespace wtool::test;

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const std::string two = "    [*] --> Db\n    Db --> Use\n    Use --> [*]\n";
const std::string and_last = two + "    Last --> [*]\n";

struct Services : Place {
  bool comes(const std::string& name) const {
    return wait_until([&] { return there(name); }, std::chrono::seconds(30));
  }
  bool nothing_is_left() const {
    return wait_until([&] { return mark.bearers().empty(); }, std::chrono::seconds(30));
  }
  std::string run_file(const std::string& end) const {
    for (const auto& entry : fs::recursive_directory_iterator(scratch.path() + "/.wtool/runs")) {
      if (entry.path().string().ends_with(end)) return entry.path().string();
    }
    return "";
  }
  // The events of services, in order: "Db started, Db ready, Db ended".
  std::string events() const {
    std::string all;
    std::istringstream lines(content_of(run_file(".jsonl")));
    for (std::string line; std::getline(lines, line);) {
      const Json record = Json::parse(line);
      if (record["type"] != "service") continue;
      all += (all.empty() ? "" : ", ") + record["state"].get<std::string>() + " " + record["event"].get<std::string>();
      if (record.contains("failed")) all += "!";
    }
    return all;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(services, Services)

// --- start and end ---

BOOST_AUTO_TEST_CASE(a_service_that_goes_into_the_background_fails_the_run) {
  const Finished finished =
      run_workflow(workflow(two, "- Db: Service \"setsid sleep 61 & exit 0\"\n- Use: Shell \"touch used\"\n"));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 1);
    BOOST_TEST(holds(finished.err, "the service ended"));
  }
  BOOST_TEST(nothing_is_left(), mark.description());
}

// The command of `ready` succeeds only when the shell is gone; before that, nobody can tell what it is going to do.
BOOST_AUTO_TEST_CASE(a_service_that_has_gone_into_the_background_is_not_ready) {
  const Finished finished = run_workflow(
      workflow(two,
               "- Db: Service \"echo $$ >pid; setsid sleep 61 & exit 0\" ready=\"test -s pid && ! kill -0 $(cat "
               "pid) 2>/dev/null\"\n- Use: Shell \"touch used\"\n"));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 1);
    BOOST_TEST(!there("used"));
    BOOST_TEST(holds(finished.err, "the service ended before it was ready"));
  }
  BOOST_TEST(nothing_is_left(), mark.description());
}

// The last step ends as soon as the service is dead, so the two ends are told at about the same time.
BOOST_AUTO_TEST_CASE(a_service_that_dies_during_the_last_step_fails_the_run) {
  for (int round = 0; round < 10; ++round) {
    const std::string pid = "pid" + std::to_string(round);
    const Finished finished =
        run_workflow(workflow(two, "- Db: Service \"echo $$ > " + pid + "; exec sleep 61\" ready=\"test -s " + pid +
                                       "\"\n- Use: Shell \"kill -9 $(cat " + pid + "); while kill -0 $(cat " + pid +
                                       "); do :; done\" timeout=30\n"));
    BOOST_TEST(finished.exit_code == 1, finished.out << finished.err);
    BOOST_TEST(holds(finished.err, "the service ended by itself"), finished.err);
  }
}

BOOST_AUTO_TEST_CASE(a_service_is_ready_before_the_next_state_and_ended_with_the_run) {
  const Finished finished = run_workflow(
      workflow(two,
               "- Db: Service \"echo serving; touch asked; until test -e second; do sleep 0.01; done; touch up; "
               "exec sleep 61\" ready=\"test -e up || { touch second; exit 1; }\"\n"
               "- Use: Shell \"test -e up && touch used\"\n"));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 0);
    BOOST_TEST(there("used"));
    BOOST_TEST(events() == "Db started, Db ready, Db ended");
    BOOST_TEST(content_of(run_file("main-1.service.log")) == "serving\n");
    BOOST_TEST(mark.bearers().empty(), mark.description());
    BOOST_TEST(holds(finished.err, "ended Db"));
  }
}

BOOST_AUTO_TEST_CASE(without_ready_a_service_that_ends_at_once_fails_its_step) {
  const Finished finished =
      run_workflow(workflow(two, "- Db: Service \"echo no such port >&2; exit 3\"\n- Use: Shell \"touch used\"\n"));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 1);
    BOOST_TEST(!there("used"));
    BOOST_TEST(holds(
        finished.out,
        "the service ended before it was ready: Command failed with exit code 3; it last wrote \"no such port\""));
    BOOST_TEST(events() == "Db started, Db ended!");
  }
}

BOOST_AUTO_TEST_CASE(without_ready_a_service_that_runs_on_is_ready) {
  const Finished finished =
      run_workflow(workflow(two, "- Db: Service \"exec sleep 61\"\n- Use: Shell \"touch used\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(there("used"));
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(without_ready_a_service_that_ends_a_moment_later_fails_its_step) {
  const Finished finished =
      run_workflow(workflow(two, "- Db: Service \"sleep 0.01; exit 7\"\n- Use: Shell \"touch used\"\n"));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 1);
    BOOST_TEST(!there("used"));
    BOOST_TEST(holds(finished.out, "the service ended before it was ready: Command failed with exit code 7"));
  }
}

BOOST_AUTO_TEST_CASE(without_ready_a_service_that_a_person_is_asked_about_is_not_ready) {
  const std::string rules = scratch.file("rules.yaml", "commands:\n  ask: [sleep]\n");
  const std::string file_ = workflow(two, "- Db: Service \"sleep 61\" ready_timeout=1s\n- Use: Shell \"touch used\"\n");
  // The run is on a terminal, but nobody answers its question.
  ProgramOptions wide = here();
  wide.columns = 400;
  Program program({wtool_path, "--config", rules, "run", file_}, Program::On::terminal, wide);
  const Finished finished = program.wait();
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(!finished.limit_passed);
    BOOST_TEST(finished.exit_code != 0);
    BOOST_TEST(!there("used"));
    BOOST_TEST(holds(finished.out, "its command has not started"));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

// `ready` may succeed because a service of another program answers it.
BOOST_AUTO_TEST_CASE(a_service_that_cannot_start_is_not_ready_even_if_ready_succeeds) {
  workflow(two, "- Db: Service \"no-such-server\" ready=\"true\"\n- Use: Shell \"touch used\"\n");
  for (int i = 0; i < 10; ++i) {
    const Finished finished = run_workflow("workflow.md");
    BOOST_TEST(finished.exit_code == 1, finished.out << finished.err);
    BOOST_TEST(!there("used"));
  }
}

BOOST_AUTO_TEST_CASE(options_that_mean_nothing_for_a_service_are_mistakes) {
  const std::string file_ =
      workflow(two, "- Db: Service \"sleep 61\" lock=\"db\" output={\"a\": \"string\"}\n- Use: Shell \"true\"\n");
  const Finished lint = wtool({"lint", file_});
  BOOST_TEST(lint.exit_code == 2);
  BOOST_TEST(holds(lint.out, "a service cannot have a lock"), lint.out);
  BOOST_TEST(holds(lint.out, "a service has no answer that `output` could check"), lint.out);
}

BOOST_AUTO_TEST_CASE(a_service_that_is_never_ready_is_ended_and_the_run_fails) {
  const Finished finished =
      run_workflow(workflow(two,
                            "- Db: Service \"setsid sleep 61 & exec sleep 61\" ready=\"echo not yet; exit 7\" "
                            "ready_timeout=300ms\n- Use: Shell \"touch used\"\n"));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 1);
    BOOST_TEST(!there("used"));
    BOOST_TEST(holds(finished.out,
                     "the service was not ready after 300 ms: `ready` said: Command failed with exit code 7; it last "
                     "wrote \"not yet\""));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

BOOST_AUTO_TEST_CASE(a_ready_command_that_hangs_is_ended_after_ready_timeout) {
  const Finished finished = run_workflow(workflow(
      two, "- Db: Service \"exec sleep 61\" ready=\"sleep 61\" ready_timeout=300ms\n- Use: Shell \"touch used\"\n"));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 1);
    BOOST_TEST(holds(finished.out, "was not ready after 300 ms"));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

BOOST_AUTO_TEST_CASE(a_service_that_dies_while_its_ready_command_runs_fails_at_once) {
  const Finished finished = run_workflow(
      workflow(two,
               "- Db: Service \"until test -e asked; do sleep 0.01; done; exit 3\" ready=\"touch asked; sleep 61\"\n"
               "- Use: Shell \"touch used\"\n"));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(!finished.limit_passed);
    BOOST_TEST(finished.exit_code == 1);
    BOOST_TEST(holds(finished.out, "ended before it was ready: Command failed with exit code 3"));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

BOOST_AUTO_TEST_CASE(a_start_that_fails_is_tried_again) {
  const Finished finished =
      run_workflow(workflow(two,
                            "- Db: Service \"test -e once || { touch once; exit 3; }; touch up; exec sleep 61\" "
                            "ready=\"test -e up\" retry=1\n- Use: Shell \"touch used\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(there("used"));
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(a_command_that_policy_refuses_does_not_become_a_service) {
  const std::string rules = scratch.file("rules.yaml", "commands:\n  deny: [sleep]\n");
  const std::string file_ = workflow(two, "- Db: Service \"sleep 61\"\n- Use: Shell \"touch used\"\n");
  const Finished finished = wtool({"--config", rules, "run", file_});
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 3);
    BOOST_TEST(!there("used"));
  }
}

BOOST_AUTO_TEST_CASE(a_service_does_not_count_for_max_parallel) {
  const Finished finished =
      run_workflow(workflow(two, "- Db: Service \"exec sleep 61\" ready=\"true\"\n- Use: Shell \"touch used\"\n"),
                   {"--max-parallel", "1"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(there("used"));
}

BOOST_AUTO_TEST_CASE(a_free_port_has_the_same_number_everywhere) {
  const Finished finished = run_workflow(workflow(
      "    [*] --> Db\n    Db --> Other\n    Other --> Use\n    Use --> [*]\n",
      "- Db: Service \"echo ${port} >p; exec sleep 61\" free_port=port ready=\"test $(cat p) = ${port}\"\n"
      "- Other: Service \"exec sleep 61\" free_port=other\n"
      "- Use: Shell \"test $(cat p) = ${port} && test ${port} -gt 1023 && test ${port} != ${other} && touch used\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(there("used"));
}

// --- services that end by themselves ---

BOOST_AUTO_TEST_CASE(a_service_that_dies_later_ends_the_step_and_fails_the_run) {
  const Finished finished = run_workflow(workflow(
      and_last,
      "- Db: Service \"touch up; until test -e go; do sleep 0.01; done; echo out of memory; exit 4\" "
      "ready=\"test -e up\"\n"
      "- Use: Shell \"touch go; setsid sleep 61 & sleep 61\"\n- Last: Shell \"touch last\"\n- finally: Last\n"));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(!finished.limit_passed);
    BOOST_TEST(finished.exit_code == 1);
    BOOST_TEST(
        holds(finished.out,
              "the service of the state 'Db' has failed: the service ended by itself: Command failed with exit code 4; "
              "it last wrote \"out of memory\"; its output is in "));
    BOOST_TEST(holds(finished.out, "/main-1.service.log"));
    BOOST_TEST(there("last"));
    BOOST_TEST(events() == "Db started, Db ready, Db ended!");
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

BOOST_AUTO_TEST_CASE(a_service_that_dies_ends_all_branches_and_on_failure_runs) {
  const Finished finished = run_workflow(workflow(
      "    [*] --> F\n    state F <<fork>>\n    state J <<join>>\n    F --> A\n    F --> B\n    A --> Use\n   "
      " Use --> J\n"
      "    B --> J\n    J --> [*]\n    Mend --> [*]\n",
      "- A: Service \"touch up; until test -e b && test -e use; do sleep 0.01; done; exit 0\" ready=\"test -e up\"\n"
      "- Use: Shell \"touch use; sleep 61\"\n- B: Shell \"touch b; sleep 61\"\n- Mend: Shell \"touch mended\"\n"
      "- on failure: Mend\n"));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(!finished.limit_passed);
    BOOST_TEST(finished.exit_code == 1);
    BOOST_TEST(
        holds(finished.out,
              "the service of the state 'A' has failed: the service ended by itself: exit code 0, which counts as "
              "a failure with exit code 1, because a service keeps running"));
    BOOST_TEST(there("mended"));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

BOOST_AUTO_TEST_CASE(a_service_is_started_again_as_often_as_said) {
  const std::string service =
      "- Db: Service \"echo start >>starts; touch up; until test -e die; do sleep 0.01; done; rm die up; exit 1\" "
      "ready=\"test -e up\" backoff=10ms restart=";
  const std::string use =
      "- Use: Shell \"touch die; until test $(cat .wtool/runs/*.jsonl | grep -c event...ready) = 2; do sleep 0.01; "
      "done; "
      "touch used; test ! -e more || { touch die; sleep 61; }\"\n";
  const Finished finished = run_workflow(workflow(two, service + "1\n" + use));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 0);
    BOOST_TEST(there("used"));
    BOOST_TEST(file("starts") == "start\nstart\n");
    BOOST_TEST(events() == "Db started, Db ready, Db restarting!, Db started, Db ready, Db ended");
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
  for (const char* name : {"starts", "up", "used", ".wtool"}) fs::remove_all(scratch.path() + "/" + name);
  scratch.file("more", "");
  const Finished again = run_workflow(workflow(two, service + "1\n" + use));
  BOOST_TEST_CONTEXT(again.out << again.err) {
    BOOST_TEST(again.exit_code == 1);
    BOOST_TEST(events() == "Db started, Db ready, Db restarting!, Db started, Db ready, Db ended!");
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

BOOST_AUTO_TEST_CASE(a_restart_is_announced_only_in_case_that_the_service_is_still_needed) {
  const Finished finished = run_workflow(workflow(
      two,
      "- Db: Service \"touch up; until test -e die; do sleep 0.01; done; exit 1\" ready=\"test -e up\" "
      "backoff=1h restart=3\n"
      "- Use: Shell \"touch die; until grep -q event...restarting .wtool/runs/*.jsonl; do sleep 0.01; done\"\n"));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 0);
    BOOST_TEST(events() == "Db started, Db ready, Db restarting!, Db ended");
    BOOST_TEST(
        holds(finished.out + finished.err,
              "the service ended by itself: Command failed with exit code 1; if it is still needed in 60 min, it is "
              "restarted (1 of 3)"));
  }
}

BOOST_AUTO_TEST_CASE(a_service_that_ends_well_before_it_is_ready_says_why_that_is_a_failure) {
  const Finished finished =
      run_workflow(workflow(two, "- Db: Service \"exit 0\" ready=\"false\"\n- Use: Shell \"touch used\"\n"));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 1);
    BOOST_TEST(holds(finished.out,
                     "the service ended before it was ready: exit code 0, which counts as a failure with "
                     "exit code 1, because a service keeps running"));
    BOOST_TEST(holds(finished.out, "Exit code: 1"));
  }
}

BOOST_AUTO_TEST_CASE(a_service_that_dies_in_another_workflow_fails_the_step_that_runs_it) {
  scratch.file("inner.md",
               "```mermaid\nstateDiagram-v2\n    [*] --> Db\n    Db --> Use\n    Use --> [*]\n```\n\n## Actions\n\n"
               "- Db: Service \"touch up; until test -e go; do sleep 0.01; done; exit 4\" ready=\"test -e up\"\n"
               "- Use: Shell \"touch go; sleep 61\"\n");
  const Finished finished =
      run_workflow(workflow("    [*] --> In\n    In --> [*]: success\n    In --> Then: failure\n    Then --> [*]\n",
                            "- In: Run workflow \"inner.md\"\n- Then: Shell \"touch then\"\n"));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 0);
    BOOST_TEST(there("then"));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

// --- nothing is left ---

BOOST_AUTO_TEST_CASE(a_service_that_ignores_sigterm_and_its_daemons_are_ended) {
  const Finished finished = run_workflow(
      workflow(two,
               "- Db: Service \"trap '' TERM; setsid sleep 61 & (setsid sh -c 'trap \\\"\\\" TERM; sleep 61' &); "
               "touch up; while :; do sleep 0.1; done\" ready=\"test -e up\"\n- Use: Shell \"touch used\"\n"));
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(!finished.limit_passed);
    BOOST_TEST(finished.exit_code == 0);
    BOOST_TEST(there("used"));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

BOOST_AUTO_TEST_CASE(ctrl_c_ends_a_service_after_finally) {
  const std::string file_ =
      workflow(and_last,
               "- Db: Service \"trap ': >ended; exit' TERM; touch up; while :; do sleep 0.01; done\" "
               "ready=\"test -e up\"\n- Use: Shell \"touch use; sleep 61\"\n"
               "- Last: Shell \"test ! -e ended && touch last\"\n- finally: Last\n");
  Program program({wtool_path, "run", file_}, Program::On::pipes, here());
  BOOST_REQUIRE(comes("use"));
  program.kill(SIGINT);
  const Finished finished = program.wait();
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 130);
    BOOST_TEST(there("last"));
    BOOST_TEST(there("ended"));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

BOOST_AUTO_TEST_CASE(ctrl_c_ends_a_service_that_is_not_ready_yet) {
  const std::string file_ =
      workflow(two, "- Db: Service \"touch begun; sleep 61\" ready=\"sleep 61\"\n- Use: Shell \"touch used\"\n");
  Program program({wtool_path, "run", file_}, Program::On::pipes, here());
  BOOST_REQUIRE(comes("begun"));
  program.kill(SIGINT);
  const Finished finished = program.wait();
  BOOST_TEST(!finished.limit_passed);
  BOOST_TEST(finished.exit_code == 130, finished.out << finished.err);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(an_abort_ends_services) {
  const Finished finished =
      run_workflow(workflow("    [*] --> Db\n    Db --> Stop\n    Stop --> [*]\n",
                            "- Db: Service \"setsid sleep 61 & sleep 61\" ready=\"true\"\n- Stop: Abort \"enough\"\n"));
  BOOST_TEST(finished.exit_code == 130, finished.out << finished.err);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(when_wtool_is_killed_nothing_is_left_and_a_resumed_run_starts_the_service_again) {
  const std::string file_ =
      workflow("    [*] --> Db\n    Db --> Once\n    Once --> Use\n    Use --> [*]\n",
               // Without exec, the shell may still write "Killed" when its sleep was killed first.
               "- Db: Service \"echo ${port} | tee -a ports; touch up; trap '' TERM; setsid sleep 61 & exec sleep 61\" "
               "free_port=port "
               "ready=\"test -e up\"\n"
               "- Once: Shell \"echo once >>log\"\n- Use: Shell \"touch use; test -e go || sleep 61; touch used\"\n");
  Program program({wtool_path, "run", file_}, Program::On::pipes, here());
  BOOST_REQUIRE(comes("use"));
  // Output reaches the log in batches. What wtool has not written yet dies with it.
  BOOST_REQUIRE(
      wait_until([&] { return content_of(run_file(".service.log")) == file("ports"); }, std::chrono::seconds(30)));
  program.kill(SIGKILL);
  program.wait();
  BOOST_TEST(nothing_is_left(), mark.description());
  scratch.file("go", "");
  fs::remove(scratch.path() + "/up");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 0);
    BOOST_TEST(there("up"));
    BOOST_TEST(there("used"));
    BOOST_TEST(file("log") == "once\n");
    const std::string ports = file("ports");
    const std::string port = ports.substr(0, ports.find('\n') + 1);
    BOOST_TEST(ports == port + port);
    std::vector<std::string> logs;
    for (const auto& entry : fs::recursive_directory_iterator(scratch.path() + "/.wtool/runs")) {
      const std::string name = entry.path().filename().string();
      if (!holds(name, ".service.log")) continue;
      logs.push_back(name);
      BOOST_TEST(content_of(entry.path()) == port, name << ": " << content_of(entry.path()));
    }
    BOOST_TEST(logs.size() == 2U);
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

// --- composite states ---

const std::string inside =
    "    [*] --> C\n    state C {\n        [*] --> Db\n        Db --> Use\n        Use --> [*]\n    }\n    C --> "
    "After\n"
    "    After --> [*]\n";
const std::string alive =
    "- Db: Service \"trap ': >ended; exit' TERM; echo start >>starts; touch alive; "
    "while :; do sleep 0.01; done\" ready=\"test -e alive\"\n";

BOOST_AUTO_TEST_CASE(a_service_ends_with_the_composite_state_around_it) {
  const Finished finished = run_workflow(
      workflow(inside, alive + "- Use: Shell \"test ! -e ended\"\n- After: Shell \"test -e ended && touch after\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(there("after"));
}

BOOST_AUTO_TEST_CASE(a_failure_that_leaves_the_composite_state_ends_the_service) {
  const Finished finished =
      run_workflow(workflow(inside, alive + "- Use: Shell \"test ! -e ended && exit 5\" on failure: After\n"
                                            "- After: Shell \"test -e ended && touch after\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(there("after"));
}

BOOST_AUTO_TEST_CASE(a_branch_whose_name_is_the_beginning_of_another_ends_none_of_its_services) {
  const Finished finished = run_workflow(
      workflow("    [*] --> F\n    state F <<fork>>\n    state J <<join>>\n    state C/x {\n        [*] --> Db\n"
               "        Db --> Use\n        Use --> [*]\n    }\n    F --> C\n    F --> C/x\n    C --> More\n"
               "    More --> J\n    C/x --> J\n    J --> [*]\n",
               alive + "- C: Shell \"until test -e alive; do sleep 0.01; done\"\n- More: Shell \"touch more\"\n"
                       "- Use: Shell \"until test -e more; do sleep 0.01; done; test ! -e ended\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
}

BOOST_AUTO_TEST_CASE(a_service_of_one_region_serves_the_others_until_all_have_ended) {
  const Finished finished = run_workflow(
      workflow("    [*] --> C\n    state C {\n        [*] --> Db\n        Db --> [*]\n        --\n        [*] --> Use\n"
               "        Use --> [*]\n    }\n    C --> After\n    After --> [*]\n",
               alive + "- Use: Shell \"until test -e alive; do sleep 0.01; done; sleep 0.1; test ! -e ended\"\n"
                       "- After: Shell \"test -e ended && touch after\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(there("after"));
}

BOOST_AUTO_TEST_CASE(a_resumed_run_does_not_start_a_service_whose_composite_state_has_ended) {
  const Finished failed = run_workflow(workflow(
      inside, alive + "- Use: Shell \"test ! -e ended\"\n- After: Shell \"test -e go || exit 5; touch after\"\n"));
  BOOST_TEST(failed.exit_code == 1, failed.out << failed.err);
  scratch.file("go", "");
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(there("after"));
  BOOST_TEST(file("starts") == "start\n");
}

BOOST_AUTO_TEST_CASE(a_resumed_run_starts_the_service_of_a_step_whose_action_has_been_changed) {
  const std::string after = "- After: Shell \"test -e go || exit 5; touch after\"\n";
  const Finished failed = run_workflow(workflow(inside, alive + "- Use: Shell \"test ! -e ended\"\n" + after));
  BOOST_TEST(failed.exit_code == 1, failed.out << failed.err);
  scratch.file("go", "");
  fs::remove(scratch.path() + "/alive");
  workflow(inside, alive + "- Use: Shell \"test -e alive && touch used\"\n" + after);
  const Finished finished = wtool({"resume", "last"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(there("used"));
  BOOST_TEST(there("after"));
  BOOST_TEST(file("starts") == "start\nstart\n");
}

BOOST_AUTO_TEST_CASE(a_state_that_is_entered_again_ends_its_service_first) {
  scratch.file("starts", "");
  scratch.file("ends", "");
  const Finished finished =
      run_workflow(workflow("    [*] --> Db\n    Db --> Use\n    Use --> Db: failure\n    Use --> [*]: success\n",
                            "- Db: Service \"trap 'echo end >>ends; exit' TERM; test $(wc -l <starts) = $(wc -l <ends) "
                            "|| exit 9; echo start >>starts; while :; do sleep 0.01; done\" "
                            "ready=\"test $(wc -l <starts) -gt $(wc -l <ends)\"\n"
                            "- Use: Shell \"test $(wc -l <starts) = 3\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("starts") == "start\nstart\nstart\n");
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

// --- the configuration ---

BOOST_AUTO_TEST_CASE(a_changed_configuration_fails_the_next_call_and_makes_nothing_wait) {
  const std::string rules = scratch.file("rules.yaml", "limits:\n  grace_seconds: 1\n");
  const std::string file_ = workflow(
      "    [*] --> Db\n    Db --> Change\n    Change --> Use\n    Use --> [*]\n",
      "- Db: Service \"exec sleep 61\" ready=\"true\"\n"
      "- Change: Shell \"printf 'limits:\\n  grace_seconds: 2\\n' >rules.yaml\"\n- Use: Shell \"touch used\"\n");
  const Finished finished = wtool({"--config", rules, "run", file_});
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(!finished.limit_passed);
    BOOST_TEST(finished.exit_code == 1);
    BOOST_TEST(holds(finished.out, "takes effect only when no service runs"));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

BOOST_AUTO_TEST_CASE(a_service_and_a_step_may_have_shells_of_their_own) {
  const Finished finished =
      run_workflow(workflow(two,
                            "- Db: Service \"[[ 1 == 1 ]] && touch up; sleep 61\" shell=bash ready=\"[[ -e up ]]\"\n"
                            "- Use: Shell \"[[ -e up ]] && touch used\" shell=bash\n"));
  BOOST_TEST(!finished.limit_passed);
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(there("used"));
}

// --- what is shown before the run, and after it ---

BOOST_AUTO_TEST_CASE(a_plan_judges_both_commands) {
  const std::string file_ =
      workflow(two,
               "- Db: Service \"sleep 61\" ready=\"test -e up\" ready_timeout=20s restart=2 free_port=port\n"
               "- Use: Shell \"echo ${port}\"\n");
  const Finished planned = wtool({"plan", file_});
  BOOST_TEST_CONTEXT(planned.out << planned.err) {
    BOOST_TEST(planned.exit_code == 0);
    for (const char* part : {"starts a service, and waits until it is ready", "$ sleep 61", "$ test -e up",
                             "ready: within 20 s", "free port: port", "started again, at most 2 times"}) {
      BOOST_TEST(holds(planned.out, part), part);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_plan_shows_what_a_service_is_held_to) {
  scratch.file("inner.md",
               "```mermaid\nstateDiagram-v2\n[*] --> Db\nDb --> [*]\n```\n## Actions\n- Db: Service \"sleep 61\"\n");
  const Finished planned = wtool(
      {"plan", workflow("    [*] --> A\n    A --> [*]\n", "- A: Run workflow \"inner.md\" sandbox=\"read-only\"\n")});
  BOOST_TEST(planned.exit_code == 0, planned.out << planned.err);
  const std::size_t service = planned.out.find("starts a service");
  BOOST_REQUIRE(service != std::string::npos);
  BOOST_TEST(holds(planned.out.substr(service), "sandbox: read-only"), planned.out);
}

BOOST_AUTO_TEST_CASE(a_person_who_is_asked_about_each_step_sees_the_commands_of_a_service) {
  const std::string file_ = workflow(
      two, "- Db: Service \"sleep 61 ${port}\" free_port=port ready=\"echo up\"\n- Use: Shell \"touch used\"\n");
  ProgramOptions wide = here();
  wide.columns = 400;
  Program program({wtool_path, "run", file_, "--step"}, Program::On::terminal, wide);
  BOOST_REQUIRE(program.wait_for_output("Run it?"));
  BOOST_TEST(holds(program.output(), "starts the service: sleep 61 ${port}; it is ready when this succeeds: echo up"),
             program.output());
  program.type("n\n");
  BOOST_TEST(!program.wait().limit_passed);
  BOOST_TEST(!there("used"));
}

BOOST_AUTO_TEST_CASE(logs_report_services) {
  run_workflow(workflow(two, "- Db: Service \"exec sleep 61\" ready=\"true\"\n- Use: Shell \"true\"\n"));
  const Finished logs = wtool({"logs", "last"});
  BOOST_TEST(holds(logs.out, "service ready after"), logs.out << logs.err);
  BOOST_TEST(holds(logs.out, "service ended"), logs.out << logs.err);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
