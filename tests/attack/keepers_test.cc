// A command attacks its keepers with everything that a process may do to another process of its user: signals, limits,
// priorities. No process of the command is left, its call answers in time, and other calls are not affected.
//
// A test signals only processes that its own plugin started.
#include <sys/resource.h>

#include <atomic>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "support/sandboxed.h"

BOOST_AUTO_TEST_SUITE(keepers_test)

using namespace wtool::test;

namespace {

const char* const actions[] = {"stop",  "stop-loop", "nofile", "nofile-8", "nproc",  "as",   "data",
                               "fsize", "stack",     "nice",   "affinity", "ionice", "idle", "none"};
const char* const targets[] = {"custodian", "warden", "both"};

constexpr int deadline_ms = 500;
// The deadline, the grace period of one second, and a margin. A wait for an answer that never comes would take seven
// seconds more than the deadline and the grace period, so the margin is shorter than seven seconds.
constexpr int bound_ms = deadline_ms + 1000 + 4000;

struct Keepers : ShellTool {
  ToolUnderTest hasty{plugin, Json::parse(R"({"limits":{"grace_seconds":1}})")};

  static std::string attack(const std::string& action, const std::string& target, const std::string& ending) {
    return WTOOL_ATTACKS "/attack_keepers " + action + " " + target + " " + ending;
  }

  Answer run(const std::string& command, std::uint64_t deadline = deadline_ms) const {
    return hasty.run(marked(command), {.deadline_ms = deadline});
  }

  void check_nothing_is_left() const {
    BOOST_TEST(wait_until([&] { return mark.bearers().empty(); }, within(100)), mark.description());
  }

  // Calls another tool, which has another configuration and shares the keepers.
  void check_next_call_works() const {
    for (int i = 0; i < 3; ++i) {
      const Answer answer = tool.shell("echo next; ulimit -n; (echo child)", {.deadline_ms = 20'000});
      BOOST_TEST(!answer.is_error(), answer.raw << answer.error);
      BOOST_TEST(answer.out() == "next\n" + usual_);
    }
  }

  const std::string& usual() const { return usual_; }

  static pid_t custodian_of(const ToolUnderTest& tool) {
    return static_cast<pid_t>(std::stol(tool.shell("echo $PPID").out()));
  }
  pid_t custodian() const { return custodian_of(tool); }

 private:
  static std::string usual_answer() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    return std::to_string(limit.rlim_cur) + "\nchild\n";
  }
  const std::string usual_ = usual_answer();
};

// The sanitizer maps memory while a keeper runs, and ends the keeper if no memory can be mapped. The other keeper then
// does the work.
bool may_die_of(std::string_view action) { return under_sanitizer && (action == "as" || action == "data"); }

}  // namespace

namespace data = boost::unit_test::data;

BOOST_DATA_TEST_CASE_F(Keepers, an_attack_that_ends_by_itself, data::make(actions) * data::make(targets), action,
                       target) {
  // Keepers that are stopped all the time cannot notice that the command is over.
  const bool held_up = std::string(action) == "stop-loop";
  const Answer answer = run(attack(action, target, "exit"), held_up ? deadline_ms : 20'000);
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.status == WTOOL_OK);
    BOOST_TEST(answer.took.count() < bound_ms);
    check_nothing_is_left();
    if (!held_up && !may_die_of(action)) BOOST_TEST(!answer.is_error());
  }
  check_next_call_works();
}

BOOST_DATA_TEST_CASE_F(Keepers, an_attack_that_hangs, data::make(actions) * data::make(targets), action, target) {
  const Answer answer = run(attack(action, target, "hang"));
  BOOST_TEST_CONTEXT(answer.raw) {
    const bool keeper_died = may_die_of(action) && answer.code() == "engine_lost";
    BOOST_TEST((keeper_died || answer.code() == "timed_out"), answer.code());
    BOOST_TEST(answer.took.count() < bound_ms);
    BOOST_TEST(!answer.metadata().contains("processes_left"));
  }
  check_nothing_is_left();
  check_next_call_works();
}

// The kernel kills a process that has no processor time left. If it kills only one keeper, the other one notices.
BOOST_DATA_TEST_CASE_F(Keepers, a_keeper_without_processor_time,
                       data::make({"custodian", "warden"}) * data::make({"exit", "hang"}), target, ending) {
  const Answer answer = run(attack("cpu", target, ending));
  BOOST_TEST(answer.took.count() < bound_ms);
  BOOST_TEST(answer.status == WTOOL_OK);
  check_nothing_is_left();
  check_next_call_works();
}

namespace {

boost::test_tools::assertion_result has_scopes(boost::unit_test::test_unit_id) { return has_landlock(6); }

// In a sandbox, no attack reaches a keeper, so the same custodian serves the next call.
struct InSandbox : Keepers {
  const ToolUnderTest boxed{plugin, configuration(scratch.path())};

  static Json configuration(const std::string& folder) {
    return {{"limits", {{"grace_seconds", 1}}},
            {"sandbox", {{"write", {folder}}, {"protect", "none"}, {"required", true}}}};
  }
  Answer run(const std::string& command, std::uint64_t deadline) const {
    const pid_t before = custodian_of(boxed), warden = warden_above(before);
    Json arguments = marked(command);
    arguments["working_directory"] = scratch.path();
    Answer answer = boxed.run(arguments, {.deadline_ms = deadline});
    check_nothing_is_left();
    BOOST_TEST(custodian_of(boxed) == before);
    BOOST_TEST(warden_above(before) == warden);
    check_next_call_works();
    return answer;
  }
};

const char* const worst[] = {"stop-loop", "nofile", "cpu", "kill"};

}  // namespace

BOOST_AUTO_TEST_SUITE(in_a_sandbox, *boost::unit_test::precondition(has_scopes))

BOOST_DATA_TEST_CASE_F(InSandbox, an_attack_that_ends_by_itself_changes_nothing,
                       (data::make(actions) + data::make({"cpu", "kill"})) * data::make(targets), action, target) {
  const Answer answer = run(attack(action, target, "exit"), 20'000);
  BOOST_TEST(answer.out() == "ready\n", answer.raw);
  BOOST_TEST(!answer.is_error(), answer.raw);
}

BOOST_DATA_TEST_CASE_F(InSandbox, an_attack_that_hangs_changes_nothing, data::make(worst) * data::make(targets), action,
                       target) {
  const Answer answer = run(attack(action, target, "hang"), deadline_ms);
  BOOST_TEST(answer.code() == "timed_out", answer.raw);
  BOOST_TEST(answer.took.count() < bound_ms);
  BOOST_TEST(!answer.metadata().contains("processes_left"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_CASE(two_keepers_without_processor_time, Keepers) {
  const Answer answer = run(attack("cpu", "both", "hang"));
  BOOST_TEST(answer.took.count() < bound_ms);
  // The kernel kills a keeper when it checks how much processor time the keeper has used. If it does not check before
  // the deadline, the keepers finish their work first.
  BOOST_TEST((answer.code() == "timed_out" || answer.code() == "engine_lost"), answer.raw);
  if (answer.code() == "timed_out") check_nothing_is_left();
  for (const pid_t pid : mark.bearers()) kill(pid, SIGKILL);
  check_next_call_works();
}

// Once both keepers are dead, no process can find out what the command started. The result says that custody was lost,
// and names possible survivors, so that a person can end them.
BOOST_FIXTURE_TEST_CASE(two_keepers_that_are_killed_at_once, Keepers) {
  const Answer answer = run(attack("kill", "both", "hang"), 20'000);
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.took.count() < bound_ms);
    BOOST_TEST(answer.code() == "engine_lost");
    for (const pid_t pid : mark.bearers()) {
      BOOST_TEST(answer.text().find(" " + std::to_string(pid) + " attack_keepers") != std::string::npos);
      kill(pid, SIGKILL);
    }
  }
  check_next_call_works();
}

// The request is larger than a socket's queue, and the keepers are stopped again as soon as they are continued.
BOOST_FIXTURE_TEST_CASE(a_large_request_to_stopped_keepers_ends_at_its_deadline, Keepers) {
  const pid_t its_custodian = custodian();
  const pid_t its_warden = warden_above(its_custodian);
  Json arguments = marked("echo hi");
  for (int i = 0; i < 12; ++i) arguments["environment"]["LARGE_" + std::to_string(i)] = std::string(100'000, 'x');
  std::atomic<bool> over{false};
  std::thread stopper([&] {
    while (!over) {
      kill(its_warden, SIGSTOP);
      kill(its_custodian, SIGSTOP);
    }
  });
  const Answer answer = hasty.run(arguments, {.deadline_ms = deadline_ms});
  over = true;
  stopper.join();
  BOOST_TEST(answer.took.count() < bound_ms);
  BOOST_TEST((answer.code() == "timed_out" || answer.out() == "hi\n"), answer.raw);
  check_nothing_is_left();
  check_next_call_works();
}

BOOST_FIXTURE_TEST_CASE(a_large_request_to_keepers_that_were_stopped_once_is_served, Keepers) {
  const pid_t its_custodian = custodian();
  kill(warden_above(its_custodian), SIGSTOP);
  kill(its_custodian, SIGSTOP);
  Json arguments = marked("echo hi");
  for (int i = 0; i < 12; ++i) arguments["environment"]["LARGE_" + std::to_string(i)] = std::string(100'000, 'x');
  const Answer answer = hasty.run(arguments, {.deadline_ms = 20'000});
  BOOST_TEST(answer.out() == "hi\n", answer.raw);
}

// Dead custodians are skipped, however many there are, and stopped ones are continued.
BOOST_DATA_TEST_CASE_F(Keepers, idle_custodians_that_were_killed_or_stopped_fail_no_call,
                       data::make({SIGKILL, SIGSTOP}), signal) {
  const auto run_side_by_side = [&] {
    std::vector<std::unique_ptr<RunningCall>> calls;
    Gate gate(scratch);
    for (int i = 0; i < 8; ++i) {
      calls.push_back(std::make_unique<RunningCall>(tool, marked("echo ready; " + gate.wait())));
    }
    for (auto& call : calls) BOOST_REQUIRE(call->wait_for_output("ready"));
    gate.open();
    for (auto& call : calls) BOOST_TEST(!call->wait().is_error());
  };
  run_side_by_side();
  for (const pid_t pid : children_of(warden_above(custodian()))) {
    kill(pid, signal);
    if (signal == SIGKILL) BOOST_TEST(wait_for_end(pid, within(1000)));
  }
  run_side_by_side();
  check_next_call_works();
}

namespace {

// The number of rounds, threads or seconds of an attack: `usual`, unless the environment variable sets another number.
int wanted(const char* variable, int usual) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::atoi(text) : usual;
}

}  // namespace

// Keepers are shared, so keepers that an attack has changed must not serve other calls. These variables make this test
// longer: WTOOL_ATTACK_ROUNDS (of each attack), WTOOL_ATTACK_SECONDS, and WTOOL_ATTACK_THREADS (innocent callers).
BOOST_FIXTURE_TEST_CASE(calls_beside_attackers_are_not_touched, Keepers) {
  const int rounds = wanted("WTOOL_ATTACK_ROUNDS", 1);
  const int threads = wanted("WTOOL_ATTACK_THREADS", 8);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(wanted("WTOOL_ATTACK_SECONDS", 0));
  std::atomic<bool> over{false};
  std::atomic<int> calls{0}, attacks{0};
  std::mutex mutex;
  std::vector<std::string> wrong;
  std::vector<std::thread> others;
  for (int t = 0; t < threads; ++t) {
    others.emplace_back([&] {
      while (!over) {
        const std::string number = std::to_string(++calls);
        const Answer answer =
            tool.shell("echo " + number + "; ulimit -n; (echo child)", {.deadline_ms = within(2000).count()});
        if (!answer.is_error() && answer.out().starts_with(number + "\n" + usual())) continue;
        const std::lock_guard lock(mutex);
        wrong.push_back(answer.raw + answer.error);
      }
    });
  }
  std::vector<std::thread> attackers;
  for (std::size_t t = 0; t < 4; ++t) {
    attackers.emplace_back([&, t] {
      for (int round = 0; round < rounds || std::chrono::steady_clock::now() < end; ++round) {
        for (std::size_t i = t; i < std::size(actions) * std::size(targets); i += 4) {
          run(attack(actions[i / std::size(targets)], targets[i % std::size(targets)], "exit"));
          ++attacks;
        }
      }
    });
  }
  for (std::thread& attacker : attackers) attacker.join();
  over = true;
  for (std::thread& other : others) other.join();
  BOOST_TEST(calls > 0);
  BOOST_TEST(wrong.empty(),
             wrong.size() << " of " << calls << " calls, such as " << (wrong.empty() ? "" : wrong.front()));
  check_nothing_is_left();
  BOOST_TEST_MESSAGE(calls << " calls of " << threads << " threads beside " << attacks << " attacks");
}

BOOST_FIXTURE_TEST_CASE(a_command_that_is_traced_by_its_own_child_ends_when_it_exits, Keepers) {
  const Answer answer = hasty.run(marked(WTOOL_ATTACKS "/trace_parent"), {.deadline_ms = 20'000});
  BOOST_TEST(answer.exit_code() == 0);
  BOOST_TEST(!answer.is_error(), answer.raw);
  check_nothing_is_left();
}

namespace {

pid_t number_after(const std::string& text, const std::string& word) {
  const auto at = text.find(word);
  BOOST_REQUIRE(at != std::string::npos);
  return static_cast<pid_t>(std::stol(text.substr(at + word.size())));
}

}  // namespace

namespace {

// Kills a host whose command makes this attack. Returns the host's helper processes, the warden last. `may_be_over`:
// the attack may already have ended the command, because it ends the command's keeper.
std::vector<pid_t> kill_host_of(const Mark& mark, const std::string& attack, const Json& configuration,
                                bool may_be_over = false) {
  const Json arguments{{"command", attack}, {"environment", {{"WTOOL_TEST_MARK", mark.text()}}}};
  // The mark must not be on the host's own command line, so one of its letters is written as a JSON escape.
  std::string text = arguments.dump();
  text.replace(text.find(mark.text()), 4, "\\u006dark");
  Program host({std::string(WTOOL_TEST_HOSTS) + "/dying_host", text, configuration.dump()}, Program::On::pipes);
  BOOST_REQUIRE(host.wait_for_output("ready"));
  const pid_t warden = number_after(host.output(), "warden ");
  std::vector<pid_t> helpers = children_of(warden);
  helpers.push_back(warden);
  // While a process of the command replaces its program, its environment cannot be read.
  const auto runs = [&] { return !mark.bearers().empty(); };
  BOOST_TEST((may_be_over || wait_until(runs, within(1000))));
  host.kill(SIGKILL);
  return helpers;
}

void check_all_end(const Mark& mark, const std::vector<pid_t>& helpers) {
  BOOST_TEST(wait_until([&] { return mark.bearers().empty(); }, within(1000)), mark.description());
  for (const pid_t pid : helpers) BOOST_TEST(wait_for_end(pid, within(1000)), pid << " " << name_of(pid));
}

}  // namespace

BOOST_DATA_TEST_CASE(an_attack_while_the_host_dies, data::make(actions) * data::make(targets), action, target) {
  if (std::string_view(action) == "stop-loop") return;  // See the next two tests.
  const Mark mark;
  check_all_end(mark, kill_host_of(mark, Keepers::attack(action, target, "hang"), Json::object()));
}

BOOST_DATA_TEST_CASE(a_keeper_that_is_stopped_again_and_again_while_the_host_dies, data::make({"custodian", "warden"}),
                     target) {
  const Mark mark;
  check_all_end(mark, kill_host_of(mark, Keepers::attack("stop-loop", target, "hang"), Json::object()));
}

// No process is left to end the attacker (docs/architecture.md). Once the attacker is gone, the keepers end as soon as
// somebody continues them.
BOOST_AUTO_TEST_CASE(two_keepers_that_are_stopped_again_and_again_while_the_host_dies) {
  const Mark mark;
  const std::vector<pid_t> helpers = kill_host_of(mark, Keepers::attack("stop-loop", "both", "hang"), Json::object());
  for (const pid_t pid : mark.bearers()) kill(pid, SIGKILL);
  for (const pid_t pid : helpers) kill(pid, SIGCONT);
  check_all_end(mark, helpers);
}

BOOST_DATA_TEST_CASE(a_keeper_without_processor_time_while_the_host_dies, data::make({"custodian", "warden"}), target) {
  const Mark mark;
  check_all_end(mark, kill_host_of(mark, Keepers::attack("cpu", target, "hang"), Json::object(), true));
}

namespace {

bool stop(pid_t pid) {
  return kill(pid, SIGSTOP) == 0 && wait_until([&] { return state_of(pid) == 'T'; }, within(100));
}

bool has_ended(pid_t pid) { return wait_for_end(pid, std::chrono::milliseconds(0)); }

// Stops a process again and again, as a command of another warden would. Two threads do it, because the process may
// wake up on the processor of one thread and keep that thread from running.
class StopLoop {
 public:
  explicit StopLoop(pid_t pid) {
    for (std::thread& thread : threads_) {
      thread = std::thread([this, pid] {
        while (!over_ && kill(pid, SIGSTOP) == 0) {
        }
      });
    }
  }
  ~StopLoop() {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  StopLoop(const StopLoop&) = delete;
  StopLoop& operator=(const StopLoop&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::thread threads_[2];
};

// A call whose warden is leaving: a leaving warden accepts no more requests, and ends when its last call has ended. A
// warden leaves if something has changed it, which it notices when it has to make another custodian.
struct LeavingWarden {
  std::optional<Plugin> plugin{std::in_place};
  std::optional<ToolUnderTest> tool{std::in_place, *plugin};
  ScratchFolder scratch;
  Gate gate{scratch};
  const pid_t custodian = number();
  const pid_t warden = warden_above(custodian);
  std::optional<RunningCall> call{std::in_place, *tool, Json{{"command", "echo ready; " + gate.wait()}}};

  LeavingWarden() {
    BOOST_REQUIRE(call->wait_for_output("ready"));
    BOOST_REQUIRE(setpriority(PRIO_PROCESS, static_cast<id_t>(warden), 19) == 0);
    BOOST_REQUIRE(warden_above(number()) != warden);
    BOOST_REQUIRE(!has_ended(warden));
  }

  pid_t number() const { return static_cast<pid_t>(std::stol(tool->shell("echo $PPID").out())); }

  void end_call() {
    gate.open();
    BOOST_TEST(!call->wait().is_error());
    BOOST_TEST(wait_for_end(custodian, within(1000)));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_stopped_warden_that_is_leaving_ends_with_its_last_call, LeavingWarden) {
  BOOST_REQUIRE(stop(warden));
  end_call();
  BOOST_TEST(wait_for_end(warden, within(1000)), state_of(warden));
}

BOOST_FIXTURE_TEST_CASE(a_stopped_warden_that_is_leaving_ends_when_its_custodian_is_killed, LeavingWarden) {
  BOOST_REQUIRE(stop(warden));
  kill(custodian, SIGKILL);
  BOOST_TEST(call->wait().code() == "engine_lost");
  BOOST_TEST(wait_for_end(warden, within(1000)), state_of(warden));
}

BOOST_FIXTURE_TEST_CASE(a_leaving_warden_that_is_stopped_again_and_again_is_ended_by_later_calls, LeavingWarden) {
  const StopLoop loop(warden);
  end_call();
  const auto ended_by_call = [&] {
    tool->shell("true");
    return has_ended(warden);
  };
  BOOST_TEST(wait_until(ended_by_call, within(1000)), state_of(warden));
}

BOOST_FIXTURE_TEST_CASE(a_stopped_warden_that_is_leaving_ends_with_the_plugin, LeavingWarden) {
  {
    const StopLoop loop(warden);
    end_call();
  }
  kill(warden, SIGSTOP);
  call.reset();
  tool.reset();
  plugin.reset();
  BOOST_TEST(has_ended(warden), state_of(warden));
}

// Requests that the leaving warden has received but not read are sent again, to a new warden.
BOOST_FIXTURE_TEST_CASE(requests_that_a_leaving_warden_has_not_read_are_still_served, Keepers) {
  Gate gate(scratch);
  RunningCall first(tool, marked("echo ready; " + gate.wait()));
  BOOST_REQUIRE(first.wait_for_output("ready"));
  const pid_t its_warden = warden_above(custodian());
  std::vector<std::unique_ptr<RunningCall>> calls;
  {
    const StopLoop loop(its_warden);
    BOOST_REQUIRE(setpriority(PRIO_PROCESS, static_cast<id_t>(its_warden), 19) == 0);
    for (int i = 0; i < 8; ++i) {
      calls.push_back(std::make_unique<RunningCall>(tool, marked("echo ready; " + gate.wait()),
                                                    CallOptions{.deadline_ms = 20'000}));
    }
  }
  for (auto& call : calls) BOOST_TEST(call->wait_for_output("ready"));
  gate.open();
  for (auto& call : calls) BOOST_TEST(!call->wait().is_error());
}

// The custodian is killed while the host can do nothing, so that the command passes to the stopped warden.
BOOST_AUTO_TEST_CASE(a_stopped_warden_that_is_leaving_kills_what_it_has_when_the_host_dies) {
  const Mark mark;
  const Json arguments{{"command", "echo ready; sleep 60"}};
  Program host({std::string(WTOOL_TEST_HOSTS) + "/dying_host", arguments.dump(), "leave"}, Program::On::pipes,
               {.set = {{"WTOOL_TEST_MARK", mark.text()}}});
  BOOST_REQUIRE(host.wait_for_output("leaving"));
  const pid_t warden = number_after(host.output(), "warden ");
  BOOST_REQUIRE(stop(warden));
  BOOST_REQUIRE(stop(host.pid()));
  const std::vector<pid_t> custodians = children_of(warden);
  BOOST_REQUIRE(custodians.size() == 1);
  kill(custodians.front(), SIGKILL);
  BOOST_TEST(wait_for_end(custodians.front(), within(1000)));
  host.kill(SIGKILL);
  check_all_end(mark, {warden});
}

// When a warden is dead, only the plugin is left to end the warden's idle custodian.
BOOST_FIXTURE_TEST_CASE(an_idle_custodian_that_is_stopped_again_and_again_does_not_outlive_its_warden, Keepers) {
  const pid_t its_custodian = custodian();
  const pid_t its_warden = warden_above(its_custodian);
  {
    const StopLoop loop(its_custodian);
    kill(its_warden, SIGKILL);
    BOOST_TEST(wait_for_end(its_warden, within(1000)));
    check_next_call_works();
  }
  kill(its_custodian, SIGSTOP);
  BOOST_TEST(wait_for_end(its_custodian, within(1000)), state_of(its_custodian));
}

namespace {

// Shell text that lowers another process's limit of open files by prlimit, from within the command.
std::string lower_limit_of(const std::string& process) { return "prlimit --pid " + process + " --nofile=8:8"; }

}  // namespace

// A custodian checks itself after each of its calls. A change that comes later is noticed before its next call.
BOOST_FIXTURE_TEST_CASE(an_idle_custodian_that_a_running_command_changes_serves_no_call, Keepers) {
  Gate gate(scratch);
  RunningCall attacker(
      tool, marked("echo ready; " + gate.wait() + "; " + lower_limit_of("$(cat " + scratch.path() + "/number)") +
                   "; echo changed; sleep 60"));
  BOOST_REQUIRE(attacker.wait_for_output("ready"));
  const pid_t idle = custodian();
  BOOST_REQUIRE(custodian() == idle);
  scratch.file("number", std::to_string(idle));
  gate.open();
  BOOST_REQUIRE(attacker.wait_for_output("changed"));
  check_next_call_works();
  BOOST_TEST(wait_for_end(idle, within(1000)), state_of(idle));
  attacker.cancel(WTOOL_CANCEL_NOW, "it has done its work");
}

BOOST_FIXTURE_TEST_CASE(an_idle_custodian_that_an_ended_command_changed_serves_no_call, Keepers) {
  Gate gate(scratch);
  std::optional<RunningCall> other(std::in_place, tool, marked("echo ready; " + gate.wait()));
  BOOST_REQUIRE(other->wait_for_output("ready"));
  const pid_t idle = custodian();
  gate.open();
  BOOST_TEST(!other->wait().is_error());
  other.reset();
  // The custodian that became idle last is used first.
  const pid_t used = custodian();
  BOOST_REQUIRE(used != idle);
  BOOST_TEST(!tool.shell(lower_limit_of(std::to_string(idle))).is_error());
  const ScratchFolder second;
  Gate second_gate(second);
  RunningCall beside(tool, marked("echo ready; " + second_gate.wait()));
  BOOST_REQUIRE(beside.wait_for_output("ready"));
  check_next_call_works();
  BOOST_TEST(wait_for_end(idle, within(1000)), state_of(idle));
  second_gate.open();
}

namespace {

// The configuration of a tool whose commands start so slowly that a test can stop their processes before they execute
// their programs: thousands of files are protected, each by a mount.
Json slow_start(const ScratchFolder& scratch) {
  Json names = Json::array();
  for (int i = 0; i < 3000; ++i) {
    names.push_back("kept" + std::to_string(i));
    scratch.file(names.back().get<std::string>(), "");
  }
  return {{"sandbox", {{"write", {scratch.path()}}, {"protect", names}}}};
}

boost::test_tools::assertion_result can_mount(boost::unit_test::test_unit_id) {
  return has_landlock(1) && has_namespaces();
}

// Stops the process that a custodian is about to make into a command, and returns its number; 0: `is_over` was true
// before, because this test was held up until the command had begun.
pid_t stop_before_exec(const std::function<std::vector<pid_t>()>& custodians, const std::function<bool()>& is_over) {
  pid_t child = 0;
  BOOST_REQUIRE(wait_until(
      [&] {
        for (const pid_t custodian : custodians()) {
          for (const pid_t one : children_of(custodian)) child = one;
        }
        return (child != 0 && kill(child, SIGSTOP) == 0) || is_over();
      },
      within(5000)));
  if (is_over()) return 0;
  BOOST_REQUIRE(wait_until([&] { return state_of(child) == 'T' || is_over(); }, within(1000)));
  if (name_of(child) == "custodian") return child;
  kill(child, SIGCONT);
  return 0;
}

}  // namespace

// The custodian of such a process cannot continue it, because the custodian itself waits in vfork.
BOOST_FIXTURE_TEST_CASE(a_process_that_is_stopped_before_it_executes_its_program_is_continued, Keepers,
                        *boost::unit_test::precondition(can_mount)) {
  const ToolUnderTest slow(plugin, slow_start(scratch));
  const pid_t its_warden = warden_above(custodian());
  pid_t stopped = 0;
  for (int tries = 0; tries < 50 && stopped == 0; ++tries) {
    RunningCall call(slow, {{"command", "true"}, {"working_directory", scratch.path()}}, {.deadline_ms = 60'000});
    // Usually, the idle custodian serves the call, but any may.
    stopped = stop_before_exec([&] { return children_of(its_warden); }, [&] { return call.is_over(); });
    const Answer answer = call.wait();
    BOOST_TEST(!answer.is_error(), answer.raw);
  }
  BOOST_TEST(stopped != 0, "the test was always held up until the command had begun");
  check_next_call_works();
}

BOOST_AUTO_TEST_CASE(a_process_that_is_stopped_before_it_executes_its_program_while_the_host_dies,
                     *boost::unit_test::precondition(can_mount)) {
  const ScratchFolder scratch;
  for (int tries = 0; tries < 50; ++tries) {
    // By its first call, the host finds out which process is the warden. The second call is the one that is stopped. The
    // host and its warden end after it.
    Program host({std::string(WTOOL_TEST_HOSTS) + "/dying_host", "{\"command\": \"true\"}", slow_start(scratch).dump()},
                 Program::On::pipes);
    BOOST_REQUIRE(host.wait_for_output("\n"));
    const pid_t warden = number_after(host.output(), "warden ");
    const auto is_over = [&] { return state_of(warden) == 0 || state_of(warden) == 'Z'; };
    const pid_t stopped = stop_before_exec([&] { return children_of(warden); }, is_over);
    if (stopped == 0) continue;
    std::vector<pid_t> all = children_of(warden);
    all.insert(all.end(), {warden, stopped});
    host.kill(SIGKILL);
    for (const pid_t pid : all) BOOST_TEST(wait_for_end(pid, within(2000)), pid << " " << name_of(pid));
    return;
  }
  BOOST_ERROR("the test was always held up until the command had begun");
}

BOOST_DATA_TEST_CASE(a_sandboxed_attack_while_the_host_dies, data::make(worst) * data::make(targets), action, target) {
  if (!has_landlock(6)) return;
  const Mark mark;
  const ScratchFolder scratch;
  check_all_end(mark,
                kill_host_of(mark, Keepers::attack(action, target, "hang"), InSandbox::configuration(scratch.path())));
}

BOOST_AUTO_TEST_SUITE_END()
