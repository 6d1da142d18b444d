// `wtool call` as a person uses it: arguments, the result, the exit status, and Ctrl-C on a real terminal.
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/shell_tool.h"
#include "support/text.h"
#include "wtool_program.h"

BOOST_AUTO_TEST_SUITE(cli_call_test)

using namespace wtool::test;
using namespace wtool::test::cli;

namespace {

std::string text_of(const Json& result) { return result.at("content").at(0).at("text").get<std::string>(); }

// True while a SIGINT is pending for the process.
bool interrupt_pends(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("ShdPnd:", 0) == 0) return (std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1) & 1) != 0;
  }
  return false;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_command_that_succeeds) {
  const Finished finished = call(R"({"command":"echo hi"})");
  const Json result = result_of(finished);
  BOOST_TEST(finished.exit_code == 0);
  BOOST_TEST((result.at("is_error") == Json(false)));
  BOOST_TEST((result.at("metadata").at("stdout") == Json("hi\n")));
  BOOST_TEST((result.at("metadata").at("exit_code") == Json(0)));
  BOOST_TEST(text_of(result) == "Command executed successfully");
}

BOOST_AUTO_TEST_CASE(a_command_that_fails) {
  const Finished finished = call(R"({"command":"ls /nonexistent"})");
  const Json result = result_of(finished);
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(text_of(result) == "Command failed with exit code 2");
  BOOST_TEST(holds(result.at("metadata").at("stderr").get<std::string>(), "/nonexistent"));
}

BOOST_FIXTURE_TEST_CASE(a_named_pipe_that_nobody_writes_to_is_refused_at_once, Place) {
  BOOST_REQUIRE(::mkfifo((scratch.path() + "/pipe").c_str(), 0600) == 0);
  const std::string workflow =
      scratch.file("w.md",
                   "---\nparameters:\n  - name: word\n    type: string\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\n"
                   "A --> [*]\n```\n## Actions\n- A: Log \"${word}\"\n");
  // A pipe has its name in a file system of memory, too.
  const std::string in_memory = "/dev/shm/wtool-test-" + std::to_string(::getpid());
  BOOST_REQUIRE(::mkfifo(in_memory.c_str(), 0600) == 0);
  const std::vector<std::string> lines{"--config pipe tools",
                                       "--config " + in_memory + " tools",
                                       "call shell_execute @pipe",
                                       "call shell_execute command=cat --stdin pipe",
                                       "run w.md --var-file word=pipe",
                                       "run pipe",
                                       "lint pipe",
                                       "run w.md --var word=x --env-file pipe"};
  for (const std::string& words : lines) {
    const Finished finished =
        run({"/bin/sh", "-c", std::string(WTOOL_TEST_PROGRAM) + ' ' + words}, {.directory = scratch.path()});
    BOOST_TEST(finished.exit_code != 0, words);
    BOOST_TEST(holds(finished.err + finished.out, "it is a named pipe"), words + ": " + finished.err);
  }
  ::unlink(in_memory.c_str());
}

BOOST_FIXTURE_TEST_CASE(what_bash_substitutes_for_a_command_is_read, Place) {
  const std::string line = std::string(WTOOL_TEST_PROGRAM) +
                           " --config <(echo 'commands: {allow: [cat]}') call shell_execute "
                           "@<(echo '{\"command\": \"cat\"}') --stdin <(echo hello)";
  const Finished finished = run({"/bin/bash", "-c", line}, {.directory = scratch.path()});
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST((result_of(finished).at("metadata").at("stdout") == Json("hello\n")), finished.out);
}

BOOST_FIXTURE_TEST_CASE(a_command_gets_a_file_or_standard_input_as_its_input, Place) {
  const std::string file = scratch.file("text", "one\ntwo\n");
  const auto out = [](const Finished& finished) { return result_of(finished).at("metadata").at("stdout"); };
  const std::vector<std::string> count{"call", "shell_execute", R"({"command":"wc -l"})", "--stdin"};
  const auto with = [&](const std::string& name, const ProgramOptions& options = {}) {
    std::vector<std::string> arguments = count;
    arguments.push_back(name);
    return wtool_with(arguments, options);
  };
  BOOST_TEST((out(with(file)) == Json("2\n")));
  BOOST_TEST((out(with("-", {.input = "a\nb\nc\n"})) == Json("3\n")));
  BOOST_TEST((out(with("/dev/null")) == Json("0\n")));
  BOOST_TEST((out(wtool_with({"call", "shell_execute", "-", "--stdin", file}, {.input = R"({"command":"wc -l"})"})) ==
              Json("2\n")));
  BOOST_TEST((out(call(R"({"command":"wc -l","stdin":"a\n"})")) == Json("1\n")));
  const Finished explained = wtool_with({"call", "shell_execute", R"({"command":"wc"})", "--stdin", file, "--explain"});
  BOOST_TEST((result_of(explained).at("stdin_bytes") == Json(8)));
}

BOOST_FIXTURE_TEST_CASE(a_standard_input_that_cannot_be_given_is_an_error, Place) {
  const auto says = [&](const std::vector<std::string>& more, const std::string& part, const std::string& input = "") {
    std::vector<std::string> arguments{"call"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = wtool_with(arguments, {.input = input});
    BOOST_TEST_CONTEXT(Json(arguments) << finished.out << finished.err) {
      BOOST_TEST(finished.exit_code == 2);
      BOOST_TEST(finished.out.empty());
      BOOST_TEST(holds(finished.err, part));
    }
  };
  const std::string cat = R"({"command":"cat"})";
  says({"shell_execute", cat, "--stdin", "/no/such/file"}, "/no/such/file");
  says({"shell_execute", cat, "--stdin", ""}, "must name a file");
  says({"shell_execute", "-", "--stdin", "-"}, "name a file for one of the two", cat);
  says({"shell_execute", R"({"command":"cat","stdin":"a"})", "--stdin", "-"}, "already have \"stdin\"");
  says({"shell_execute", cat, "--stdin", "-"}, "byte 2 is not UTF-8", "ab\xff");
  const Finished large =
      wtool_with({"call", "shell_execute", cat, "--stdin", scratch.file("large", std::string(1048577, 'x'))});
  BOOST_TEST(
      holds(text_of(result_of(large)), "stdin: got a text of 1048577 bytes; allowed is a text of at most 1048576"));
  const Finished other =
      wtool_with({"call", "execute_command", R"({"command":"cat"})", "--stdin", "-"}, {.input = "a"});
  BOOST_TEST(holds(text_of(result_of(other)), "there is no parameter \"stdin\""));
  const Finished wrong = wtool_with({"call", "shell_execute", "{", "--stdin", "-"}, {.input = "a"});
  BOOST_TEST((result_of(wrong).at("metadata").at("error").at("code") == Json("invalid_parameters")));
}

BOOST_FIXTURE_TEST_CASE(arguments_as_words_get_the_types_of_the_schema, Place) {
  const auto said = [&](std::vector<std::string> words, const ProgramOptions& options = {}) {
    words.insert(words.begin(), {"call", "shell_execute"});
    return result_of(wtool_with(words, options)).at("metadata");
  };
  BOOST_TEST((said({"command=echo 'a b'=c"}).at("stdout") == Json("a b=c\n")));
  BOOST_TEST((said({"command=sleep 60", "timeout=1"}).at("timeout_seconds") == Json(1)));
  BOOST_TEST((said({"command=echo $A$B", "environment.A=1", "environment.B=x y"}).at("stdout") == Json("1x y\n")));
  BOOST_TEST((said({"command=echo $A", R"(environment={"A":"2"})"}).at("stdout") == Json("2\n")));
  BOOST_TEST((said({R"(command:="echo \u0061")"}).at("stdout") == Json("a\n")));
  BOOST_TEST((said({"command=wc -l", "stdin=a\nb\n"}).at("stdout") == Json("2\n")));
  BOOST_TEST((said({"command=wc -l", "--stdin", "-"}, {.input = "a\n"}).at("stdout") == Json("1\n")));
  BOOST_TEST((said({"command="}).at("error").at("code") == Json("invalid_parameters")));  // the tool checks values
  // A word that might be JSON is passed to the tool unchanged.
  BOOST_TEST((said({"[ls"}).at("error").at("code") == Json("invalid_parameters")));
}

BOOST_AUTO_TEST_CASE(a_command_that_names_no_parameter_is_answered_with_the_right_words) {
  const Finished bare = wtool_with({"call", "shell_execute", "ls"});
  BOOST_TEST(bare.exit_code == 2);
  BOOST_TEST(bare.out == "");
  BOOST_TEST(holds(bare.err,
                   "\"ls\" names no parameter: the arguments are one JSON object, or words of the form NAME=VALUE, "
                   "such as command='ls'\n"));
  BOOST_TEST(holds(wtool_with({"call", "shell_execute", "ls -l"}).err, "such as command='ls -l'\n"));
  BOOST_TEST(holds(wtool_with({"call", "pty_list", "all"}).err, "words of the form NAME=VALUE\n"));
  // A word that cannot be shown as it is, or is long, is not suggested.
  for (const std::string& word : {std::string("l\x1b[31ms"), "ls " + std::string(1000, 'x')}) {
    BOOST_TEST(!holds(wtool_with({"call", "shell_execute", word}).err, "such as"));
  }
  BOOST_TEST(wtool_with({"call", "shell_execute", "\r\n{\"command\":\"true\"}"}).exit_code == 0);
}

BOOST_AUTO_TEST_CASE(arguments_as_words_that_mean_nothing_are_errors_with_a_hint) {
  const auto says = [](std::vector<std::string> words, const std::string& part) {
    words.insert(words.begin(), {"call", "shell_execute"});
    const Finished finished = wtool_with(words);
    BOOST_TEST_CONTEXT(Json(words)) {
      BOOST_TEST(finished.exit_code == 2);
      BOOST_TEST(finished.out.empty());
      BOOST_TEST(holds(finished.err, part), finished.err);
    }
  };
  says({"command=ls", "timeot=5"},
       "there is no parameter \"timeot\"; did you mean 'timeout'? The parameters are command, ");
  says({"command=ls", "timeout=soon"}, "timeout: got \"soon\"; it takes a value of type integer");
  says({"command=ls", "timeout:=soon"}, "timeout: \"soon\" is not JSON");
  says({"command=ls", "-l"}, "there is no option -l");
  says({"command=ls", "l"}, "\"l\" does not have the form NAME=VALUE");
  says({R"({"command":"ls"})", "timeout=5"}, "\"timeout=5\" is one word too many: the arguments are one JSON");
  says({"-", "timeout=5"}, "is one word too many");
  says({"command=ls", "command=ls"}, "command is given twice");
  says({"command=ls", "environment.A=1", "environment.A=2"}, "environment.A is given twice");
  says({"command=ls", "environment=A"}, "or one key of it: environment.KEY=VALUE");
  says({"command=ls", "timeout.x=1"}, "timeout is of type integer and has no keys");
  says({"command=ls", "[]"}, "a word in brackets");
  says({"command=ls", "[timeout=1,timeout=2]"}, "a word in brackets");
  BOOST_TEST(holds(wtool_with({"call", "shell_execute", "command=\xff"}).err, "is not UTF-8"));
  const Finished other = wtool_with({"call", "shel_execute", "command=ls"});
  BOOST_TEST(holds(other.err, "did you mean 'shell_execute'?"));
}

BOOST_AUTO_TEST_CASE(a_program_that_does_not_exist) {
  const Finished finished = call(R"({"command":"no-such-program-x"})");
  const Json result = result_of(finished);
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST((result.at("metadata").at("error").at("code") == Json("command_not_found")));
  BOOST_TEST(holds(text_of(result), "no-such-program-x"));
}

BOOST_AUTO_TEST_CASE(a_timeout) {
  const Finished finished = call(R"({"command":"printf a; sleep 60","timeout":1})");
  const Json result = result_of(finished);
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(text_of(result) == "Command timed out after 1 seconds");
  BOOST_TEST((result.at("metadata").at("partial_stdout") == Json("a")));
  BOOST_TEST(finished.took.count() < within(1500).count());
}

BOOST_AUTO_TEST_CASE(a_stack_limit_too_small_for_the_helper_is_reported) {
  if (under_sanitizer) return;  // The sanitizer itself needs more stack.
  const Finished finished =
      run({"/bin/sh", "-c", "ulimit -s 64; exec \"$0\" call shell_execute '{\"command\":\"echo hi\"}'",
           WTOOL_TEST_PROGRAM});
  const Json error = result_of(finished).at("metadata").at("error");
  BOOST_TEST((error.at("code") == Json("engine_lost")));
  BOOST_TEST(holds(error.at("message"), "the stack limit of the host is 64 KiB"));
  BOOST_TEST(holds(error.at("hint"), "ulimit -s 128"));
}

BOOST_AUTO_TEST_CASE(a_background_process) {
  const Finished finished = call(R"({"command":"sleep 30 & echo hi"})");
  const Json result = result_of(finished);
  BOOST_TEST(finished.exit_code == 0);
  BOOST_TEST((result.at("metadata").at("stdout") == Json("hi\n")));
  BOOST_TEST((result.at("metadata").at("background_processes_ended") == Json(1)));
  BOOST_TEST(finished.took.count() < within(500).count());
}

BOOST_AUTO_TEST_CASE(parameters_that_are_refused) {
  const Finished finished = call(R"({"command":"echo hi","timeout":true})");
  const Json result = result_of(finished);
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST((result.at("metadata").at("error").at("code") == Json("invalid_parameters")));
}

BOOST_FIXTURE_TEST_CASE(arguments_come_from_standard_input_or_a_file_too, Place) {
  ProgramOptions options;
  options.input = R"({"command":"echo from input"})";
  BOOST_TEST((result_of(wtool_with({"call", "shell_execute", "-"}, options)).at("metadata").at("stdout") ==
              Json("from input\n")));
  const std::string file = scratch.file("arguments.json", R"({"command":"echo from file"})");
  BOOST_TEST((result_of(wtool_with({"call", "shell_execute", "@" + file})).at("metadata").at("stdout") ==
              Json("from file\n")));
}

BOOST_AUTO_TEST_CASE(wrong_usage_and_calls_that_cannot_be_made_exit_with_2) {
  const std::vector<std::vector<std::string>> wrong = {
      {"call"},
      {"call", "no_such_tool", "{}"},
      {"call", "shell_execute", "@/no/such/file"},
      {"call", "shell_execute", R"({"command":"echo hi"})", "--no-such-option"},
      {"no-such-subcommand"},
      {"run", "/no/such/workflow.md"},
      {"--plugin", "/no/such/plugin.so", "call", "shell_execute", R"({"command":"echo hi"})"},
      {"--config", "/no/such/config.yaml", "call", "shell_execute", R"({"command":"echo hi"})"},
      {},
  };
  for (const auto& arguments : wrong) {
    const Finished finished = wtool_with(arguments);
    BOOST_TEST_CONTEXT(Json(arguments) << finished.out << finished.err) {
      BOOST_TEST(finished.exit_code == 2);
      BOOST_TEST(finished.out.empty());
      BOOST_TEST(!finished.err.empty());
    }
  }
}

BOOST_FIXTURE_TEST_CASE(live_output_goes_to_standard_error, Place) {
  const Finished finished =
      wtool_with({"call", "shell_execute", R"({"command":"echo one; echo two >&2"})", "--stream"});
  BOOST_TEST(finished.exit_code == 0);
  BOOST_TEST((result_of(finished).at("metadata").at("stdout") == Json("one\n")));
  BOOST_TEST(holds(finished.err, "one\n"));
  BOOST_TEST(holds(finished.err, "two\n"));
}

BOOST_FIXTURE_TEST_CASE(on_a_terminal_neither_log_lines_nor_the_result_are_torn_by_live_output, Place) {
  const std::string arguments = Json{{"command", "printf one; printf 'two\\nthree' >&2"}}.dump();
  Program program({wtool_path, "--log", "info", "call", "shell_execute", arguments, "--stream"}, Program::On::terminal,
                  {.columns = 400});
  const Finished finished = program.wait();
  BOOST_TEST_CONTEXT(finished.out) {
    BOOST_TEST(finished.exit_code == 0);
    // Each record, and the result, begins on a line of its own.
    std::istringstream lines(finished.out);
    std::size_t records = 0;
    for (std::string line; std::getline(lines, line);) {
      const std::size_t level = line.find(" INFO ");
      if (level == std::string::npos) continue;
      ++records;
      BOOST_TEST(line.starts_with("20"), line);
    }
    BOOST_TEST(records >= 2U);
    BOOST_TEST(holds(finished.out, "\n{\r\n"));
  }
  const Finished quiet =
      Program({wtool_path, "call", "shell_execute", arguments, "--stream"}, Program::On::terminal).wait();
  BOOST_TEST(holds(quiet.out, "\r\nthree\r\n{\r\n"), quiet.out);
  // If standard error is not a terminal, not a byte is added.
  const Finished piped = wtool_with({"call", "shell_execute", R"({"command":"printf one >&2"})", "--stream"});
  BOOST_TEST(piped.err == "one");
}

BOOST_AUTO_TEST_CASE(the_plugins_log_is_shown_as_text_and_as_json_lines) {
  const std::string arguments = R"({"command":"echo hi"})";
  const Finished text = wtool_with({"--log", "info", "call", "shell_execute", arguments});
  result_of(text);
  BOOST_TEST(holds(text.err, "echo hi"));
  BOOST_TEST(holds(text.err, "INFO"));
  const Finished json = wtool_with({"--log", "info", "--log-format", "json", "call", "shell_execute", arguments});
  result_of(json);
  std::istringstream lines(json.err);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) BOOST_TEST(Json::accept(line), line);
  BOOST_TEST(count > 0);
  ProgramOptions options;
  options.set["WTOOL_LOG"] = "info";
  BOOST_TEST(holds(call(arguments, options).err, "echo hi"));
  options.set["WTOOL_LOG"] = "error";
  BOOST_TEST(call(arguments, options).err == "");
}

BOOST_FIXTURE_TEST_CASE(raw_passes_on_what_the_command_writes_and_its_exit_status, Place) {
  const auto raw = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"call", "shell_execute"});
    words.emplace_back("--raw");
    return wtool_with(words);
  };
  const Finished both = raw({"command=printf out; printf err >&2; exit 7"});
  BOOST_TEST(both.out == "out");
  BOOST_TEST(both.err == "err");
  BOOST_TEST(both.exit_code == 7);
  const Finished late = raw({"command=echo begun; sleep 60", "timeout=1"});
  BOOST_TEST(late.out == "begun\n");
  BOOST_TEST(holds(late.err, "timed out"), late.err);
  BOOST_TEST(late.exit_code == 1);
  const Finished missing = raw({"command=true", "working_directory=/nonexistent"});
  BOOST_TEST(missing.out == "");
  BOOST_TEST(holds(missing.err, "/nonexistent does not exist"), missing.err);
  BOOST_TEST(missing.exit_code == 1);
  const Finished unknown = raw({"command=no-such-program-x"});
  BOOST_TEST(holds(unknown.err, "no-such-program-x"), unknown.err);
  BOOST_TEST(unknown.exit_code == 127);
  const Finished bytes = raw({"command=printf '\\377'"});
  BOOST_TEST(holds(bytes.err, "bytes of it were replaced"), bytes.err);
  const Finished cut = raw({"command=seq 200000"});
  BOOST_TEST(cut.exit_code == 0);
  BOOST_TEST(holds(cut.err, "has a gap"), cut.err);
}

BOOST_FIXTURE_TEST_CASE(the_configuration_file_is_handed_over, Place) {
  const std::string yaml = scratch.file("wtool.yaml", "limits: {timeout_max: 5, timeout_default: 1}\n");
  const Finished finished = wtool_with({"--config", yaml, "call", "shell_execute", R"({"command":"sleep 60"})"});
  BOOST_TEST(text_of(result_of(finished)) == "Command timed out after 1 seconds");
  const std::string json = scratch.file("wtool.json", R"({"limits":{"timeout_max":5}})");
  const Finished refused = wtool_with({"--config", json, "call", "shell_execute", R"({"command":"true","timeout":6})"});
  BOOST_TEST((result_of(refused).at("metadata").at("error").at("code") == Json("invalid_parameters")));
  const std::string wrong = scratch.file("wrong.yaml", "limits:\n  timeout_maxx: 5\n");
  const Finished unusable = wtool_with({"--config", wrong, "call", "shell_execute", R"({"command":"true"})"});
  BOOST_TEST(unusable.exit_code == 2);
  BOOST_TEST(holds(unusable.err, "timeout_maxx"));
  BOOST_TEST(holds(unusable.err, "wrong.yaml:2"));
}

BOOST_FIXTURE_TEST_CASE(ctrl_c_on_a_terminal_aborts_the_call, Place) {
  // The whole foreground group gets the signal; the command, in a session of its own, does not.
  const std::string command = marked("setsid sleep 61 & trap '' INT; echo ready; sleep 61");
  Program program({wtool_path, "call", "shell_execute", Json{{"command", command}}.dump(), "--stream"},
                  Program::On::terminal);
  BOOST_REQUIRE(program.wait_for_output("ready"));
  program.type("\x03");
  const Finished finished = program.wait();
  BOOST_TEST_CONTEXT(finished.out) {
    BOOST_TEST(!finished.limit_passed);
    BOOST_TEST(finished.exit_code == 130);
    BOOST_TEST(holds(finished.out, "Command aborted: "));
    BOOST_TEST(holds(finished.out, "\"aborted\""));
    BOOST_TEST(!holds(finished.out, "engine_lost"));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

BOOST_FIXTURE_TEST_CASE(ctrl_c_twice_does_not_wait_for_a_deaf_command, Place) {
  const std::string config = scratch.file("patient.yaml", "limits: {grace_seconds: 60}\n");
  const std::string command = marked("trap '' TERM; echo ready; while :; do sleep 0.1; done");
  Program program(
      {wtool_path, "--config", config, "call", "shell_execute", Json{{"command", command}}.dump(), "--stream"},
      Program::On::terminal);
  BOOST_REQUIRE(program.wait_for_output("ready"));
  program.type("\x03");
  // The terminal echoes what is typed: once the echo is there, the first signal has been sent.
  BOOST_REQUIRE(program.wait_for_output("^C"));
  BOOST_TEST(wait_until([&] { return !mark.bearers().empty(); }, std::chrono::seconds(1)));
  // Two pending signals merge into one, so the second one is typed after the first has been taken.
  BOOST_REQUIRE(wait_until([&] { return !interrupt_pends(program.pid()); }, std::chrono::seconds(20)));
  const auto began = std::chrono::steady_clock::now();
  program.type("\x03");
  const bool over = wait_for_end(program.pid(), std::chrono::seconds(20));
  BOOST_TEST(over);
  const Finished finished = program.wait();
  BOOST_TEST((std::chrono::steady_clock::now() - began < within(1000)));
  BOOST_TEST(finished.exit_code == 130);
  BOOST_TEST(holds(finished.out, "Command aborted: "));
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_termination_signal_ends_the_call_and_leaves_nothing, Place) {
  for (const int signal : {SIGTERM, SIGHUP, SIGKILL}) {
    const std::string command = marked("setsid sleep 61 & echo ready; sleep 61");
    Program program({wtool_path, "call", "shell_execute", Json{{"command", command}}.dump(), "--stream"},
                    Program::On::terminal);
    BOOST_REQUIRE(program.wait_for_output("ready"));
    program.kill(signal);
    const Finished finished = program.wait();
    BOOST_TEST(!finished.limit_passed);
    BOOST_TEST((finished.exit_code != 0));
    // The mark is also on the program's own command line, but the program has ended by now.
    BOOST_TEST(wait_until([&] { return mark.bearers().empty(); }, within(1000)), mark.description());
  }
}

BOOST_FIXTURE_TEST_CASE(a_closed_terminal_ends_the_call, Place) {
  const std::string command = marked("echo ready; sleep 61");
  {
    Program program({wtool_path, "call", "shell_execute", Json{{"command", command}}.dump(), "--stream"},
                    Program::On::terminal);
    BOOST_REQUIRE(program.wait_for_output("ready"));
    program.hang_up();
    BOOST_TEST(wait_for_end(program.pid(), std::chrono::seconds(20)));
  }
  BOOST_TEST(wait_until([&] { return mark.bearers().empty(); }, within(1000)), mark.description());
}

BOOST_AUTO_TEST_SUITE_END()
