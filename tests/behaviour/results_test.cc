// The result of shell_execute: exactly the keys, types and texts that are specified, for each way a command can end.
#include <unistd.h>
#include <cstdlib>

#include <boost/test/unit_test.hpp>
#include <set>

#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(results_test)

using namespace wtool::test;

namespace {

using Keys = std::set<std::string>;

const Keys finished_keys{"command", "exit_code", "stdout", "stderr", "execution_time_ms", "working_directory"};
const Keys stopped_keys{"command", "timeout_seconds", "partial_stdout", "partial_stderr", "working_directory"};
const Keys further_keys{"signal",
                        "stdout_bytes",
                        "stderr_bytes",
                        "stdout_truncated",
                        "stderr_truncated",
                        "background_processes_ended",
                        "background_processes",
                        "processes_left",
                        "processes_left_count",
                        "encoding",
                        "error",
                        "resources",
                        "limits"};

// All specified keys are there, and the only others are those that the project defines.
void check_keys(const Json& metadata, const Keys& specified) {
  for (const auto& key : specified) BOOST_TEST(metadata.contains(key), "metadata lacks " << key << ": " << metadata);
  for (const auto& item : metadata.items()) {
    // A result from a cluster names its node. (tests/cluster/suites sets this variable.)
    if (item.key() == "node" && std::getenv("WTOOL_TEST_CLUSTER") != nullptr) continue;
    BOOST_TEST((specified.count(item.key()) + further_keys.count(item.key()) == 1),
               "metadata has an unknown key " << item.key());
  }
}

void check_envelope(const Answer& answer, const std::string& text, bool is_error) {
  BOOST_TEST(answer.status == WTOOL_OK);
  BOOST_TEST(answer.result.size() == 3u);
  const Json content = Json::array({Json{{"type", "text"}, {"text", text}}});
  BOOST_TEST((answer.result.at("content") == content), answer.result.at("content") << " instead of " << content);
  BOOST_TEST((answer.result.at("is_error") == Json(is_error)));
}

void check_finished(const Answer& answer) {
  const Json& metadata = answer.metadata();
  check_keys(metadata, finished_keys);
  BOOST_TEST(metadata.at("command").is_string());
  BOOST_TEST(metadata.at("exit_code").is_number_integer());
  BOOST_TEST(metadata.at("stdout").is_string());
  BOOST_TEST(metadata.at("stderr").is_string());
  BOOST_TEST(metadata.at("execution_time_ms").is_number_unsigned());
  BOOST_TEST(metadata.at("working_directory").is_string());
}

// Every error has a stable code, a message and a hint.
void check_error(const Answer& answer, const std::string& code) {
  const Json& error = answer.metadata().at("error");
  BOOST_TEST(error.at("code").get<std::string>() == code);
  BOOST_TEST(!error.at("message").get<std::string>().empty());
  BOOST_TEST(error.at("hint").is_string());
}

std::string here() {
  char buffer[4096];
  return getcwd(buffer, sizeof buffer);
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_command_that_succeeds, ShellTool) {
  const Answer answer = tool.shell("echo hi");
  check_envelope(answer, "Command executed successfully", false);
  check_finished(answer);
  BOOST_TEST(answer.exit_code() == 0);
  BOOST_TEST(answer.out() == "hi\n");
  BOOST_TEST(answer.err() == "");
  BOOST_TEST(answer.metadata().at("command").get<std::string>() == "echo hi");
  BOOST_TEST(answer.metadata().at("working_directory").get<std::string>() == here());
  BOOST_TEST(!answer.metadata().contains("error"));
  BOOST_TEST(!answer.metadata().contains("signal"));
  BOOST_TEST(!answer.metadata().contains("background_processes_ended"));
}

BOOST_FIXTURE_TEST_CASE(a_command_that_fails, ShellTool) {
  const Answer answer = tool.shell("ls /nonexistent");
  check_envelope(answer, "Command failed with exit code 2", true);
  check_finished(answer);
  BOOST_TEST(answer.exit_code() == 2);
  BOOST_TEST(answer.out() == "");
  BOOST_TEST(answer.err().find("/nonexistent") != std::string::npos);
  check_error(answer, "exit_nonzero");
}

BOOST_FIXTURE_TEST_CASE(every_exit_code_is_reported_exactly, ShellTool) {
  // `timeout` and a kill give the exit codes 124 and 137; a command may also exit with them itself.
  for (const int code : {1, 2, 3, 42, 124, 125, 128, 129, 130, 137, 143, 254, 255}) {
    for (const std::string& command : {"exit " + std::to_string(code), "sh -c 'exit " + std::to_string(code) + "'"}) {
      BOOST_TEST_CONTEXT(command) {
        const Answer answer = tool.shell(command);
        check_envelope(answer, "Command failed with exit code " + std::to_string(code), true);
        check_finished(answer);
        BOOST_TEST(answer.exit_code() == code);
        BOOST_TEST(!answer.metadata().contains("signal"));
        check_error(answer, "exit_nonzero");
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(the_exit_code_does_not_depend_on_output_that_was_cut, ShellTool) {
  const ToolUnderTest small(plugin, Json::parse(R"({"output":{"bytes":4096}})"));
  BOOST_TEST(small.shell("seq 1 100000; exit 0").exit_code() == 0);
  BOOST_TEST(small.shell("seq 1 100000; exit 5").exit_code() == 5);
}

BOOST_FIXTURE_TEST_CASE(death_by_a_signal, ShellTool) {
  const struct {
    const char* name;
    int number;
  } signals[] = {{"SIGKILL", 9}, {"SIGTERM", 15}, {"SIGSEGV", 11}, {"SIGABRT", 6}, {"SIGPIPE", 13}, {"SIGHUP", 1}};
  for (const auto& signal : signals) {
    // `$$` is the shell, which is the command's first process, so that process itself dies of the signal.
    const Answer answer = tool.shell("kill -" + std::string(signal.name + 3) + " $$");
    BOOST_TEST_CONTEXT(answer.raw) {
      check_envelope(answer, std::string("Command killed by ") + signal.name, true);
      check_finished(answer);
      BOOST_TEST(answer.exit_code() == 128 + signal.number);
      BOOST_TEST(answer.metadata().at("signal").get<std::string>() == signal.name);
      check_error(answer, "killed_by_signal");
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_program_that_does_not_exist, ShellTool) {
  const Answer answer = tool.shell("no-such-program-x --option");
  check_envelope(answer, "Command not found: no-such-program-x", true);
  check_finished(answer);
  BOOST_TEST(answer.exit_code() == 127);
  BOOST_TEST(answer.out() == "");
  check_error(answer, "command_not_found");
  BOOST_TEST(answer.metadata().at("error").at("message").get<std::string>().find("no-such-program-x") !=
             std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_path_that_does_not_exist, ShellTool) {
  const Answer answer = tool.shell("/no/such/program");
  check_envelope(answer, "Command not found: /no/such/program", true);
  BOOST_TEST(answer.exit_code() == 127);
  check_error(answer, "command_not_found");
}

BOOST_FIXTURE_TEST_CASE(a_program_that_may_not_be_executed, ShellTool) {
  const std::string plain = scratch.file("plain", "echo never\n", 0644);
  for (const std::string& what : {plain, scratch.path()}) {
    const Answer answer = tool.shell(what);
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(answer.is_error());
      check_finished(answer);
      BOOST_TEST(answer.exit_code() == 126);
      BOOST_TEST(answer.out() == "");
      check_error(answer, "permission_denied");
      BOOST_TEST(answer.text().find(what) != std::string::npos);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_program_whose_interpreter_does_not_exist, ShellTool) {
  const std::string script = scratch.file("script", "#!/no/such/interpreter\necho never\n", 0755);
  const Answer answer = tool.shell(script);
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.is_error());
    check_finished(answer);
    BOOST_TEST((answer.exit_code() == 127 || answer.exit_code() == 126));
    BOOST_TEST(answer.out() == "");
  }
}

BOOST_FIXTURE_TEST_CASE(a_timeout, ShellTool) {
  const Answer answer = tool.run({{"command", "printf a; printf b >&2; sleep 60"}, {"timeout", 1}});
  check_envelope(answer, "Command timed out after 1 seconds", true);
  check_keys(answer.metadata(), stopped_keys);
  BOOST_TEST((answer.metadata().at("timeout_seconds") == Json(1)));
  BOOST_TEST(answer.metadata().at("partial_stdout").get<std::string>() == "a");
  BOOST_TEST(answer.metadata().at("partial_stderr").get<std::string>() == "b");
  BOOST_TEST(answer.metadata().at("working_directory").get<std::string>() == here());
  check_error(answer, "timed_out");
}

BOOST_FIXTURE_TEST_CASE(output_without_a_line_end_and_without_any, ShellTool) {
  BOOST_TEST(tool.shell("printf x").out() == "x");
  const Answer nothing = tool.shell("true");
  BOOST_TEST(nothing.out() == "");
  BOOST_TEST((nothing.metadata().at("stdout_bytes") == Json(0)));
  BOOST_TEST((nothing.metadata().at("stderr_bytes") == Json(0)));
}

BOOST_FIXTURE_TEST_CASE(the_two_streams_are_kept_apart, ShellTool) {
  const Answer answer = tool.shell("echo one; echo two >&2; echo three");
  BOOST_TEST(answer.out() == "one\nthree\n");
  BOOST_TEST(answer.err() == "two\n");
}

BOOST_FIXTURE_TEST_CASE(the_result_says_the_time_the_command_took, ShellTool) {
  const Answer answer = tool.shell("sleep 0.2");
  const auto told = answer.metadata().at("execution_time_ms").get<long>();
  BOOST_TEST(told >= 200);
  BOOST_TEST(told <= answer.took.count() + 1);
}

BOOST_FIXTURE_TEST_CASE(the_command_in_the_result_is_the_one_that_came, ShellTool) {
  const std::string command = "  printf '%s' \"a  b\"   # 漢字 \\ \t";
  const Answer answer = tool.shell(command);
  BOOST_TEST(answer.out() == "a  b");
  BOOST_TEST(answer.metadata().at("command").get<std::string>() == command);
}

BOOST_FIXTURE_TEST_CASE(many_lines_are_one_command, ShellTool) {
  BOOST_TEST(tool.shell("a=1\nb=2\necho $a$b\n").out() == "12\n");
  BOOST_TEST(tool.shell("cat <<end\nhere $((1+1))\nend\n").out() == "here 2\n");
}

BOOST_FIXTURE_TEST_CASE(a_command_longer_than_a_shell_can_get_is_refused_with_its_size, ShellTool) {
  const auto longest = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) * 32 - 1;
  const std::string frame = "echo '' | wc -c";
  const auto line = [&](std::size_t size) { return "echo '" + std::string(size - frame.size(), 'x') + "' | wc -c"; };
  const Answer answer = tool.shell(line(longest + 1));
  BOOST_TEST_CONTEXT(answer.raw.substr(0, 300)) {
    BOOST_TEST(answer.code() == "invalid_parameters");
    BOOST_TEST(answer.text() == "command: got a command of " + std::to_string(longest + 1) +
                                    " bytes; allowed is at most " + std::to_string(longest));
    BOOST_TEST(answer.metadata().at("error").at("hint") ==
               "write a file in parts (>> FILE) with several calls; nothing was run");
  }
  BOOST_TEST(tool.shell(line(longest)).out() == std::to_string(longest - frame.size() + 1) + "\n");
  BOOST_TEST(tool.shell("echo next").out() == "next\n");
}

BOOST_AUTO_TEST_SUITE_END()
