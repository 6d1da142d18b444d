// The pty tools: a test types to interactive programs and looks at their screens. However these programs end, none of
// their processes is left.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <set>

#include "support/asking_host.h"
#include "support/mcp_client.h"
#include "support/sandboxed.h"

BOOST_AUTO_TEST_SUITE(pty_test)

using namespace wtool::test;

namespace {

// A script that leaves processes behind in every possible way, and ignores the signals that ask it to end.
constexpr const char* stubborn =
    "trap '' HUP TERM INT\n"
    "sleep 60 &\n"
    "setsid sleep 60 &\n"
    "(setsid sh -c 'trap \"\" HUP TERM; sleep 60 & exit' &)\n"
    "nohup sleep 60 >/dev/null 2>&1 &\n"
    "echo started\n"
    "while :; do sleep 60; done\n";

struct Terminals : Sandboxed {
  Mark mark;
  Json config{{"limits", {{"grace_seconds", 0.2}}}, {"environment", {{"allow", {"WTOOL_TEST_MARK"}}}}};

  Answer call(const std::string& name, const Json& arguments) {
    return ToolUnderTest(plugin, config, "pty_" + name).run(arguments);
  }
  Json arguments(const std::string& command, const std::string& wanted) const {
    Json all{{"command", command},
             {"working_directory", inside},
             {"environment", {{"WTOOL_TEST_MARK", mark.text()}, {"PS1", ">> "}}},
             {"wait_ms", 60'000}};
    if (!wanted.empty()) all["wait_for"] = wanted;
    return all;
  }
  // Starts a terminal, and returns its name once the terminal shows `wanted`.
  std::string start(const std::string& command, const std::string& wanted, const Json& more = Json::object()) {
    Json all = arguments(command, wanted);
    all.update(more);
    const Answer answer = call("start", all);
    BOOST_REQUIRE_MESSAGE(!answer.is_error(), answer.raw);
    if (!wanted.empty()) BOOST_TEST(answer.metadata().at("seen") == "text", answer.raw);
    return answer.metadata().at("pty");
  }
  std::string script(const std::string& text, const std::string& wanted, const Json& more = Json::object()) {
    return start("sh " + scratch.file("inside/script", text), wanted, more);
  }
  // Types, and returns what is shown once the terminal shows `wanted`.
  Json type(const std::string& pty, const std::string& text, const std::vector<std::string>& keys,
            const std::string& wanted) {
    const Answer answer =
        call("send", {{"pty", pty}, {"text", text}, {"keys", keys}, {"wait_for", wanted}, {"wait_ms", 60'000}});
    BOOST_REQUIRE_MESSAGE(!answer.is_error(), answer.raw);
    BOOST_TEST(answer.metadata().at("seen") == "text", answer.raw);
    return answer.metadata();
  }
  // Types, and returns what is shown once the program has ended.
  Json type_last(const std::string& pty, const std::string& text, const std::vector<std::string>& keys) {
    const Answer answer =
        call("send",
             {{"pty", pty}, {"text", text}, {"keys", keys}, {"wait_for", "this is never shown"}, {"wait_ms", 60'000}});
    BOOST_REQUIRE_MESSAGE(!answer.is_error(), answer.raw);
    BOOST_TEST(answer.metadata().at("state") == "ended", answer.raw);
    return answer.metadata();
  }
  Json read(const std::string& pty, const Json& more = Json::object()) {
    Json all{{"pty", pty}};
    all.update(more);
    return call("read", all).metadata();
  }
  Json list() { return call("list", Json::object()).metadata().at("terminals"); }
  Answer stop(const std::string& pty) { return call("stop", {{"pty", pty}}); }
};

bool holds(const Json& text, std::string_view part) { return text.get<std::string>().find(part) != std::string::npos; }

boost::test_tools::assertion_result can_sandbox(boost::unit_test::test_unit_id) { return has_landlock(1); }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(pty, Terminals)

// ---- Programs.

BOOST_AUTO_TEST_CASE(a_shell_is_typed_to_and_keeps_what_it_was_told) {
  const std::string id = start("sh -i", ">> ");
  type(id, "x=$((6 * 7))", {"enter"}, ">> ");
  const Json shown = type(id, "echo \"[$x]\"", {"enter"}, "[42]");
  BOOST_TEST(shown.at("state") == "running");
  BOOST_TEST(shown.at("rows") == 24);
  BOOST_TEST(shown.at("columns") == 80);
  BOOST_TEST(type_last(id, "exit 3", {"enter"}).at("end").at("exit_code") == 3);
  BOOST_TEST(mark.bearers().empty(), mark.description());
  BOOST_TEST(call("send", {{"pty", id}, {"text", "x"}}).code() == "not_running");
  BOOST_TEST(read(id).at("state") == "ended");
  BOOST_TEST(!stop(id).is_error());
  BOOST_TEST(call("read", {{"pty", id}}).code() == "session_not_found");
}

BOOST_AUTO_TEST_CASE(a_wait_after_typing_ends_with_what_the_program_answers) {
  const std::string id = start("sh -i", ">> ");
  Json shown = type(id, "sleep 0.3; echo once", {"enter"}, ">> ");
  BOOST_TEST(holds(shown.at("screen"), "\nonce\n"), shown);
  shown = type(id, "sleep 0.3; echo READY", {"enter"}, "READY");
  BOOST_TEST(holds(shown.at("screen"), "\nREADY\n"), shown);
  const Json wait{{"pty", id}, {"wait_for", "READY"}, {"wait_ms", 60'000}};
  BOOST_TEST(holds(call("send", wait).text(), ", \"READY\" was there before]"));
  const Json in_vain{{"pty", id}, {"text", ":\n"}, {"wait_for", "READY"}, {"wait_ms", 1}};
  BOOST_TEST(holds(call("send", in_vain).text(), ", \"READY\" was not shown after the input]"));
}

BOOST_AUTO_TEST_CASE(a_repl_answers) {
  if (is_installed("python3")) {
    const std::string id = start("python3 -q", ">>> ");
    // ctrl+d must be typed only after the next prompt is seen. Between two prompts, the terminal collects lines for
    // Python. An end of file that is typed in that time is lost when Python begins to read single keys again.
    const Json shown = type(id, "print('a' * 5); import sys; sys.ps1 = 'next' + '> '", {"enter"}, "next> ");
    BOOST_TEST(holds(shown.at("screen"), "aaaaa"));
    type_last(id, "", {"ctrl+d"});
  }
  if (is_installed("bc")) {
    const std::string id = start("bc -q", "", {{"wait_ms", 0}});
    type(id, "2^40", {"enter"}, "1099511627776");
    stop(id);
  }
}

BOOST_AUTO_TEST_CASE(a_pager_is_paged_through) {
  if (!is_installed("less")) return;
  std::string lines;
  for (int i = 1; i <= 200; ++i) lines += "line " + std::to_string(i) + ".\n";
  scratch.file("inside/lines", lines);
  const std::string id = start("less lines", "line 23.");
  BOOST_TEST(type(id, "", {"pagedown"}, "line 46.").at("alternate_screen") == true);
  type(id, "/line 150", {"enter"}, "line 150.");
  type(id, "", {"shift+g"}, "(END)");
  BOOST_TEST(type_last(id, "q", {}).at("end").at("exit_code") == 0);
}

BOOST_AUTO_TEST_CASE(an_editor_writes_what_is_typed) {
  if (!is_installed("vim")) return;
  const std::string id = start("vim -u NONE -i NONE -n made", "made");
  type(id, "ifirst\nsecond", {"escape", "up"}, "second");
  type(id, "A line", {"escape"}, "first line");
  type_last(id, ":wq", {"enter"});
  BOOST_TEST(content(inside + "/made") == "first line\nsecond\n");
}

BOOST_AUTO_TEST_CASE(a_password_is_asked_for_on_the_terminal_and_never_seen) {
  config["audit"]["file"] = scratch.path() + "/audit.jsonl";
  const std::string id = script(
      "stty -echo; printf 'Password: ' > /dev/tty; read -r p < /dev/tty; stty echo; echo\n"
      "[ \"$p\" = s3cret-word ] && echo welcome || echo wrong\nread -r end\n",
      "Password: ");
  BOOST_TEST(!holds(type(id, "s3cret-word", {"enter"}, "welcome").at("screen"), "s3cret"));
  stop(id);
  BOOST_TEST(!holds(content(scratch.path() + "/audit.jsonl"), "s3cret"));
}

// docs/guide/pty.md says so of pty_send.
BOOST_AUTO_TEST_CASE(a_program_that_reads_lines_gets_the_first_4095_bytes_of_a_longer_one) {
  const std::string id =
      script("stty -echo; echo ready; read -r line; echo \"${#line} bytes\"; read -r line\n", "ready");
  type(id, std::string(5000, 'x'), {"enter"}, "4095 bytes");
  stop(id);
}

BOOST_AUTO_TEST_CASE(a_program_that_insists_on_a_terminal_has_one) {
  const std::string asks =
      "if [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && : 2>/dev/null > /dev/tty; then echo 'on a terminal'\n"
      "else echo 'a terminal is required'; fi\nread -r end\n";
  script(asks, "on a terminal");
  const ToolUnderTest without(plugin);
  BOOST_TEST(holds(run(without, "sh script < /dev/null").out(), "a terminal is required"));
}

BOOST_AUTO_TEST_CASE(the_window_has_a_size_and_its_program_learns_of_a_new_one) {
  const std::string id = script(
      "trap 'echo \"now $(stty size).\"' WINCH; echo \"first $(stty size).\"\n"
      "while :; do sleep 60 & wait; done\n",
      "first 30 100.", {{"rows", 30}, {"columns", 100}});
  const Answer resized = call("resize", {{"pty", id}, {"rows", 10}, {"columns", 200}});
  BOOST_TEST(resized.metadata().at("rows") == 10);
  BOOST_TEST(resized.metadata().at("columns") == 200);
  type(id, "", {}, "now 10 200.");
}

BOOST_AUTO_TEST_CASE(ctrl_c_interrupts) {
  const std::string id =
      script("trap 'echo interrupted' INT; echo ready\nwhile :; do sleep 60 & wait; done\n", "ready");
  type(id, "", {"ctrl+c"}, "interrupted");
  BOOST_TEST(read(id).at("state") == "running");
  const std::string other = start("sleep 60", "", {{"wait_ms", 0}});
  BOOST_TEST(type_last(other, "", {"ctrl+c"}).at("end").at("signal") == "SIGINT");
}

BOOST_AUTO_TEST_CASE(cells_have_colours_and_lines_that_have_left_the_screen_are_kept) {
  const std::string id = script(
      "seq -f 'number %g.' 1 100; printf '\\033[1;31mred\\033[m plain \\033]2;the title\\007done'\nread -r end\n",
      "done");
  const Json shown = read(id, {{"cells", true}, {"scrollback", 5}});
  BOOST_TEST(shown.at("title") == "the title");
  BOOST_TEST(shown.at("scrolled") == 77);
  BOOST_TEST(shown.at("scrollback") == "number 73.\nnumber 74.\nnumber 75.\nnumber 76.\nnumber 77.\n");
  BOOST_TEST(shown.at("cursor") == (Json{{"row", 24}, {"column", 15}, {"visible", true}}));
  Json red;
  for (const Json& one : shown.at("cells")) {
    if (one.at("text") == "red") red = one;
  }
  BOOST_TEST(red == (Json{{"row", 24}, {"column", 1}, {"text", "red"}, {"foreground", "1"}, {"bold", true}}));
}

BOOST_AUTO_TEST_CASE(a_text_that_has_left_the_screen_meanwhile_was_seen) {
  const std::string id = script("read -r go; seq 1 500; read -r end\n", "", {{"wait_ms", 0}});
  type(id, "", {"enter"}, "123");
}

// ---- What a program cannot do to the host.

BOOST_AUTO_TEST_CASE(a_flood_blocks_nobody_and_takes_no_memory) {
  const std::string id = start("yes a long line to fill the memory with", "long line");
  const long before = status_kib(::getpid(), "VmRSS");
  BOOST_TEST(wait_until([&] { return read(id).at("scrolled").get<long>() > 200'000; }, within(10'000)));
  // A sanitizer keeps freed memory, to detect later uses of it.
  constexpr long kept_by_sanitizer = under_sanitizer ? 256 * 1024 : 0;
  BOOST_TEST(status_kib(::getpid(), "VmRSS") - before < 32 * 1024 + kept_by_sanitizer);
  BOOST_TEST(ToolUnderTest(plugin, config).shell("echo beside it").out() == "beside it\n");
  BOOST_TEST(!stop(id).is_error());
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(random_bytes_do_no_harm) {
  const std::string id =
      start("sh -c 'head -c 3000000 /dev/urandom; reset 2>/dev/null; printf \"\\033c\\ndone\\n\"; read end'", "done");
  call("resize", {{"pty", id}, {"rows", 2}, {"columns", 2}});
  call("resize", {{"pty", id}, {"rows", 200}, {"columns", 500}});
  const Answer whole = call("read", {{"pty", id}, {"cells", true}, {"scrollback", 1000}});
  BOOST_TEST(!whole.is_error());
  stop(id);
}

BOOST_AUTO_TEST_CASE(a_screen_whose_cells_all_differ_is_shown_by_its_first_lines) {
  const std::string id = script(
      "awk 'BEGIN { for (i = 0; i < 99000; ++i) printf \"\\033[3%dmX\", i % 2 + 1 }'\n"
      "printf '\\033[mdone'\nread -r end\n",
      "done", {{"rows", 200}, {"columns", 500}});
  const Json shown = read(id, {{"cells", true}});
  BOOST_TEST(shown.at("cells").size() == 4000U);
  BOOST_TEST(shown.at("cells_lines") == 8);
  BOOST_TEST(!read(id).contains("cells_lines"));
  stop(id);
}

BOOST_AUTO_TEST_CASE(a_program_that_reads_nothing_is_reported_and_not_waited_for_forever) {
  const std::string id = script("stty raw -echo; echo ready; sleep 600\n", "ready");
  const Answer refused = call("send", {{"pty", id}, {"text", std::string(60'000, 'x')}});
  BOOST_TEST(refused.code() == "timed_out");
  BOOST_TEST(!stop(id).is_error());
}

BOOST_AUTO_TEST_CASE(stopping_leaves_nothing_of_a_program_that_ignores_every_signal_and_starts_daemons) {
  const std::string id = script(stubborn, "started");
  BOOST_TEST(wait_until([&] { return mark.bearers().size() >= 5U; }, within(5000)), mark.description());
  const Json last = stop(id).metadata();
  BOOST_TEST(holds(last.at("screen"), "started"));
  BOOST_TEST(holds(last.at("end").at("how"), "aborted: "));
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(what_outlives_a_program_is_ended_with_it) {
  const std::string id = script("setsid sleep 60 & sleep 60 & echo leaving\nread -r end\n", "leaving");
  BOOST_TEST(wait_until([&] { return mark.bearers().size() >= 3U; }, within(5000)), mark.description());
  type_last(id, "", {"enter"});
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(a_shell_that_ignores_sigterm_ends_when_its_terminal_is_closed) {
  if (!is_installed("bash")) return;
  config["limits"]["grace_seconds"] = 60;
  const std::string id = start("bash --norc -i", ">> ");
  const Answer stopped = stop(id);
  BOOST_TEST((stopped.took < within(2000)));
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(a_terminal_ends_after_its_lifetime_or_when_nobody_uses_it) {
  const std::string one = script(stubborn, "started", {{"lifetime", 1}});
  BOOST_TEST(type_last(one, "", {}).at("end").at("how") == "timed out");
  config["pty"]["idle_seconds"] = 1;
  const std::string other = script(stubborn, "started");
  // Listing a terminal does not count as using it.
  const auto state = [&] {
    for (const Json& each : list()) {
      if (each.at("pty") == other) return each.at("state").get<std::string>();
    }
    return std::string("forgotten");
  };
  BOOST_TEST(wait_until([&] { return state() == "ended"; }, within(5000)));
  BOOST_TEST(holds(read(other).at("end").at("how"), "pty.idle_seconds"));
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(the_number_of_terminals_is_limited_and_one_that_has_ended_makes_room) {
  config["pty"]["max"] = 2;
  const std::string one = start("sh -i", ">> ");
  const std::string two = start("sh -i", ">> ");
  const Answer refused = call("start", arguments("sh -i", ">> "));
  BOOST_TEST(refused.code() == "session_limit");
  BOOST_TEST(holds(refused.text(), "pty.max"));
  type_last(one, "exit", {"enter"});
  // A program that did not start does not count as a terminal.
  BOOST_TEST(call("start", {{"command", "/wtool-no-such-program"}}).code() == "command_not_found");
  BOOST_TEST(read(one).at("state") == "ended");
  const std::string three = start("sh -i", ">> ");
  std::set<std::string> names;
  for (const Json& each : list()) names.insert(each.at("pty"));
  BOOST_TEST((names == std::set<std::string>{two, three}));
}

BOOST_AUTO_TEST_CASE(limits_of_commands_hold) {
  config["limits"]["processes"] = 10;
  const std::string id =
      script("echo ready; read -r go; i=0; while [ $i -lt 50 ]; do sleep 60 & i=$((i+1)); done; wait\n", "ready");
  BOOST_TEST(holds(type_last(id, "", {"enter"}).at("end").at("how"), "limits.processes"));
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(a_call_that_waits_can_be_cancelled_and_the_program_lives_on) {
  const std::string id = start("sh -i", ">> ");
  const ToolUnderTest send(plugin, config, "pty_send");
  RunningCall running(send, {{"pty", id}, {"wait_for", "never"}, {"wait_ms", 60'000}});
  running.cancel(WTOOL_CANCEL_NOW, "enough");
  const Answer answer = running.wait();
  BOOST_TEST(answer.status == WTOOL_E_CANCELLED);
  BOOST_TEST(answer.code() == "aborted");
  BOOST_TEST(read(id).at("state") == "running");
}

BOOST_AUTO_TEST_CASE(no_call_waits_longer_than_the_host_allows) {
  config["limits"]["grace_seconds"] = 60;
  const std::string id = script(stubborn, "started");
  CallOptions short_time;
  short_time.deadline_ms = 100;
  const Answer waited = ToolUnderTest(plugin, config, "pty_send")
                            .run({{"pty", id}, {"wait_for", "never"}, {"wait_ms", 60'000}}, short_time);
  BOOST_TEST(waited.metadata().at("seen") == "time", waited.raw);
  BOOST_TEST((waited.took < within(20'000)));
  const Answer stopped = ToolUnderTest(plugin, config, "pty_stop").run({{"pty", id}}, short_time);
  BOOST_TEST(!stopped.is_error(), stopped.raw);
  BOOST_TEST((stopped.took < within(20'000)));
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(a_start_that_is_cancelled_leaves_nothing) {
  const ToolUnderTest tool(plugin, config, "pty_start");
  RunningCall running(tool, arguments("sh " + scratch.file("inside/script", stubborn), "never"));
  BOOST_TEST(wait_until([&] { return mark.bearers().size() >= 4U; }, within(5000)), mark.description());
  running.cancel(WTOOL_CANCEL_NOW, "enough");
  BOOST_TEST(running.wait().status == WTOOL_E_CANCELLED);
  BOOST_TEST(mark.bearers().empty(), mark.description());
  BOOST_TEST(list().empty());
}

BOOST_AUTO_TEST_CASE(what_cannot_be_started_is_an_error_and_no_terminal) {
  const Answer missing = call("start", arguments("/usr/bin/not-installed-anywhere", ""));
  BOOST_TEST(missing.code() == "command_not_found");
  Json elsewhere = arguments("sh", "");
  elsewhere["working_directory"] = "/nowhere";
  BOOST_TEST(call("start", elsewhere).code() == "working_directory_invalid");
  BOOST_TEST(list().empty());
}

BOOST_AUTO_TEST_CASE(wrong_parameters_are_refused_with_what_is_allowed) {
  const auto text = [&](const char* name, const Json& given) {
    const Answer answer = call(name, given);
    BOOST_TEST(answer.code() == "invalid_parameters", given);
    return answer.text();
  };
  BOOST_TEST(holds(text("start", Json::object()), "command"));
  BOOST_TEST(holds(text("start", {{"command", "sh"}, {"rows", 1}}), "from 2 to 200"));
  BOOST_TEST(holds(text("start", {{"command", "sh"}, {"columns", 501}}), "from 2 to 500"));
  BOOST_TEST(holds(text("start", {{"command", "sh"}, {"lifetime", 100'000}}), "from 1 to 1800"));
  BOOST_TEST(holds(text("send", {{"pty", "pty-1"}, {"keys", {"ctrl+enterr"}}}), "there is no key \"ctrl+enterr\""));
  BOOST_TEST(holds(text("send", {{"pty", "pty-1"}, {"keys", std::vector<std::string>(201, "a")}}),
                   "got 201 keys; at most 200 are allowed"));
  BOOST_TEST(holds(text("send", {{"pty", "pty-1"}, {"wait_for", "a\nb"}}), "one line"));
  BOOST_TEST(holds(text("send", {{"pty", "pty-1"}, {"text", std::string(65'537, 'x')}}), "65536"));
  BOOST_TEST(holds(text("read", {{"pty", "pty-1"}, {"cells", "yes"}}), "true or false"));
  BOOST_TEST(holds(text("resize", {{"pty", "pty-1"}, {"rows", 10}}), "both rows and columns"));
  BOOST_TEST(call("read", {{"pty", "pty-99"}}).code() == "session_not_found");
}

// ---- What may run.

BOOST_AUTO_TEST_CASE(where_rules_hold_a_program_must_be_listed_and_the_refusal_says_in_which_key) {
  const Json rules[] = {{{"commands", {{"allow", {"sh", "less"}}}}},
                        {{"commands", {{"deny", {"rm"}}}}},
                        {{"commands", {{"ask", {"rm"}}}}},
                        {{"directories", {{"roots", {scratch.path()}}, {"confine_arguments", true}}}}};
  for (const Json& rule : rules) {
    config = rule;
    const Json given{{"command", "sh -i"}, {"working_directory", inside}, {"wait_ms", 60'000}};
    const Answer refused = call("start", given);
    BOOST_TEST(refused.code() == "policy_denied", rule);
    BOOST_TEST(holds(refused.text(), "commands: {interactive: [sh]}"), refused.text());
    BOOST_TEST(refused.metadata().at("policy").at("rule") == "commands.interactive");
    const Json explained = ToolUnderTest(plugin, config, "pty_start").explain(given);
    BOOST_TEST(explained.at("verdict") == "deny", explained);
    config["commands"]["interactive"] = {"sh"};
    const Answer allowed = call("start", given);
    BOOST_TEST(!allowed.is_error(), allowed.raw);
    BOOST_TEST(!stop(allowed.metadata().at("pty")).is_error());
    // A line that is not just this program is refused.
    for (const char* line : {"env sh", "sh; less", "sh | cat", "less x", "./sh", "$SHELL", "(sh)", "FOO=1 sh"}) {
      BOOST_TEST(call("start", {{"command", line}, {"working_directory", inside}}).code() == "policy_denied",
                 line << " under " << rule);
    }
  }
  // A variable cannot turn a listed program into another one either.
  for (const char* name : {"PATH", "LD_PRELOAD", "BASH_ENV"}) {
    config = {{"commands", {{"deny", {"rm"}}, {"interactive", {"sh"}}}}};
    const Answer refused =
        call("start", {{"command", "sh -i"}, {"working_directory", inside}, {"environment", {{name, inside}}}});
    BOOST_TEST(refused.code() == "policy_denied", refused.raw);
    BOOST_TEST(holds(refused.text(), name), refused.text());
  }
  // `interactive` lets callers type to a program, but it does not allow a program that is denied.
  config = {{"commands", {{"deny", {"sh"}}, {"interactive", {"*"}}}}};
  BOOST_TEST(call("start", {{"command", "sh"}}).code() == "policy_denied");
}

BOOST_AUTO_TEST_CASE(a_listed_program_runs_in_its_sandbox, *boost::unit_test::precondition(can_sandbox)) {
  config.update(sandbox({{"network", "deny"}}));
  const std::string id = start("sh -i", ">> ");
  type(id, "echo no > " + outside + "/made; echo yes > made; echo on the terminal > /dev/tty", {"enter"},
       "on the terminal");
  BOOST_TEST(!std::filesystem::exists(outside + "/made"));
  BOOST_TEST(content(inside + "/made") == "yes\n");
}

BOOST_AUTO_TEST_CASE(start_input_and_end_are_on_record_with_the_name) {
  config["audit"]["file"] = scratch.path() + "/audit.jsonl";
  const std::string id = start("sh -i", ">> ");
  // The key alt+x sends two bytes, which the terminal then erases.
  type_last(id, "exit", {"alt+x", "backspace", "backspace", "enter"});
  call("send", {{"pty", "pty-77"}, {"text", "x"}});
  std::vector<std::string> events;
  std::ifstream stream(scratch.path() + "/audit.jsonl");
  for (std::string text; std::getline(stream, text);) {
    const Json line = Json::parse(text);
    events.push_back(line.at("event"));
    BOOST_TEST(line.at("pty") == (line.at("event") == "refusal" ? "pty-77" : id), text);
    if (line.at("event") == "input") BOOST_TEST(line.at("bytes") == 9);
  }
  BOOST_TEST(events == (std::vector<std::string>{"start", "input", "end", "refusal"}));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(a_person_is_asked_before_and_answers_for_a_program_that_is_typed_to) {
  AskingHost host;
  Plugin asking(host.get());
  const ScratchFolder home, scratch;
  const Json config{{"commands", {{"ask", {"sh"}}, {"interactive", {"sh"}}, {"approvals", home.path() + "/a.json"}}}};
  const Json shell{{"command", "sh"}, {"working_directory", scratch.path()}};
  const auto call = [&](const std::string& name, const Json& arguments) {
    return ToolUnderTest(asking, config, name).run(arguments);
  };
  host.answer = WTOOL_APPROVAL_NO;
  BOOST_TEST(call("pty_start", shell).code() == "approval_denied");
  BOOST_TEST(Json::parse(host.questions().back().subject).at("interactive") == true);
  BOOST_TEST(host.questions().back().reason.find("what is typed into it will not be judged") != std::string::npos);
  // An approval of the same line for a call without a terminal does not count.
  host.answer = WTOOL_APPROVAL_ALWAYS;
  call("shell_execute", shell);
  host.answer = WTOOL_APPROVAL_NO;
  BOOST_TEST(call("pty_start", shell).code() == "approval_denied");
  host.answer = WTOOL_APPROVAL_ALWAYS;
  const Answer started = call("pty_start", shell);
  BOOST_TEST(!started.is_error(), started.raw);
  const std::size_t asked = host.questions().size();
  BOOST_TEST(!call("pty_start", shell).is_error());
  BOOST_TEST(host.questions().size() == asked);
}

BOOST_AUTO_TEST_CASE(a_question_is_withdrawn_with_its_call) {
  AskingHost host;
  host.waits = true;
  Plugin asking(host.get());
  const ToolUnderTest tool(asking, {{"commands", {{"ask", {"sh"}}, {"interactive", {"sh"}}}}}, "pty_start");
  RunningCall running(tool, {{"command", "sh"}});
  host.wait_until_asked();
  running.cancel(WTOOL_CANCEL_NOW, "enough");
  BOOST_TEST(running.wait().status == WTOOL_E_CANCELLED);
}

BOOST_AUTO_TEST_CASE(a_start_that_is_cancelled_while_a_person_is_asked_is_on_record_as_cancelled) {
  AskingHost host;
  host.waits = true;
  Plugin asking(host.get());
  const ScratchFolder scratch;
  const std::string trail = scratch.path() + "/audit.jsonl";
  const ToolUnderTest tool(
      asking, {{"commands", {{"ask", {"sh"}}, {"interactive", {"sh"}}}}, {"audit", {{"file", trail}}}}, "pty_start");
  RunningCall running(tool, {{"command", "sh"}});
  host.wait_until_asked();
  running.cancel(WTOOL_CANCEL_NOW, "enough");
  BOOST_TEST(running.wait().status == WTOOL_E_CANCELLED);
  std::vector<std::string> events;
  std::ifstream stream(trail);
  Json last;
  for (std::string text; std::getline(stream, text);) {
    last = Json::parse(text);
    events.push_back(last.at("event"));
  }
  BOOST_TEST(events == (std::vector<std::string>{"approval", "refusal"}));
  BOOST_TEST(last.at("code") == "aborted");
  BOOST_TEST(last.at("reason") == "Command aborted: enough");
}

BOOST_AUTO_TEST_CASE(a_question_about_a_start_is_withdrawn_at_the_hosts_deadline) {
  AskingHost host;
  host.waits = true;
  Plugin asking(host.get());
  const Json config{{"commands", {{"ask", {"sh"}}, {"interactive", {"sh"}}}}};
  CallOptions short_time;
  short_time.deadline_ms = 100;
  const Answer answer = ToolUnderTest(asking, config, "pty_start").run({{"command", "sh"}}, short_time);
  BOOST_TEST(answer.status == WTOOL_E_CANCELLED);
  BOOST_TEST(holds(answer.text(), "deadline_ms"), answer.raw);
  BOOST_TEST(ToolUnderTest(asking, config, "pty_list").run(Json::object()).metadata().at("terminals").empty());
}

BOOST_AUTO_TEST_CASE(stopping_a_terminal_withdraws_the_question_about_its_start) {
  AskingHost host;
  host.waits = true;
  Plugin asking(host.get());
  const Json config{{"commands", {{"ask", {"sh"}}, {"interactive", {"sh"}}}}};
  const ToolUnderTest tool(asking, config, "pty_start");
  RunningCall running(tool, {{"command", "sh"}});
  host.wait_until_asked();
  const Answer stopped = ToolUnderTest(asking, config, "pty_stop").run({{"pty", "pty-1"}});
  BOOST_TEST(!stopped.is_error(), stopped.raw);
  BOOST_TEST(holds(stopped.metadata().at("end").at("how"), "aborted: "), stopped.raw);
  const Answer answer = running.wait();
  BOOST_TEST(answer.status == WTOOL_E_CANCELLED);
  BOOST_TEST(holds(answer.text(), "pty_stop"), answer.raw);
  BOOST_TEST(ToolUnderTest(asking, config, "pty_list").run(Json::object()).metadata().at("terminals").empty());
}

BOOST_AUTO_TEST_CASE(the_end_of_the_plugin_ends_every_program) {
  const Mark mark;
  {
    Terminals inner;
    for (int i = 0; i < 3; ++i) {
      inner.script(stubborn, "started", {{"environment", {{"WTOOL_TEST_MARK", mark.text()}}}});
    }
    BOOST_TEST(wait_until([&] { return mark.bearers().size() >= 15U; }, within(5000)), mark.description());
  }
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

// ---- Over MCP.

BOOST_AUTO_TEST_CASE(a_client_sees_the_tools_where_the_configuration_lists_them_and_can_use_them) {
  const ScratchFolder scratch;
  const auto listed = [&](const std::string& configuration) {
    McpClient client({"--policy", "open", "--config", scratch.file("c.yaml", configuration)});
    client.initialize();
    std::size_t count = 0;
    const Json tools = client.ask("tools/list").at("result").at("tools");
    for (const Json& tool : tools) {
      if (tool.at("name").get<std::string>().starts_with("pty_")) ++count;
    }
    return count;
  };
  BOOST_TEST(listed("{}") == 0U);
  BOOST_TEST(listed("mcp: {pty: true}") == 6U);
  BOOST_TEST(listed("mcp: {pty: true}\ncommands: {deny: [rm]}") == 0U);
  BOOST_TEST(listed("mcp: {pty: true}\ncommands: {deny: [rm], interactive: [sh]}") == 6U);
}

BOOST_AUTO_TEST_CASE(the_end_and_the_death_of_the_server_end_every_program) {
  for (const int signal : {0, SIGTERM, SIGKILL}) {
    const Mark mark;
    const ScratchFolder scratch;
    McpClient client({"--policy", "open", "--tools", "pty_start,pty_read", "--config",
                      scratch.file("c.yaml", "mcp: {results: text}\n")});
    client.initialize();
    const Json result = client
                            .ask("tools/call", {{"name", "pty_start"},
                                                {"arguments",
                                                 {{"command", "sh " + scratch.file("script", stubborn)},
                                                  {"environment", {{"WTOOL_TEST_MARK", mark.text()}}},
                                                  {"wait_for", "started"},
                                                  {"wait_ms", 60'000}}}})
                            .at("result");
    BOOST_TEST(result.at("isError") == false, result);
    // The result has the screen only once.
    BOOST_TEST(result.at("content").size() == 1U, result);
    BOOST_TEST(!result.contains("structuredContent"), result);
    BOOST_TEST(holds(result.at("content").at(0).at("text"), "started\n[pty-1: runs"), result);
    BOOST_TEST(wait_until([&] { return mark.bearers().size() >= 5U; }, within(5000)), mark.description());
    if (signal == 0) {
      client.program.end_input();
    } else {
      client.program.kill(signal);
    }
    client.program.wait();
    BOOST_TEST(wait_until([&] { return mark.bearers().empty(); }, within(1000)), mark.description());
  }
}

BOOST_AUTO_TEST_SUITE_END()
