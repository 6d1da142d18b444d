// Commands of `wtool mcp` that run on after their call was answered: jobs, and the outputs that can be read later.
#include <sys/resource.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "mcp_session.h"

BOOST_AUTO_TEST_SUITE(mcp_jobs_test)

using namespace wtool::test;
using namespace wtool::test::mcp_session;

namespace {

// From now on, the program cannot write a file, as on a full disk. Call it while the program runs: the runtime of a
// sanitizer writes a file when it starts.
void let_it_write_no_file(pid_t program) {
  rlimit limit{};
  BOOST_REQUIRE(::prlimit(program, RLIMIT_FSIZE, nullptr, &limit) == 0);
  limit.rlim_cur = 0;
  BOOST_REQUIRE(::prlimit(program, RLIMIT_FSIZE, &limit, nullptr) == 0);
}

// The output in a text: all of it except the last line, which the server adds.
std::string output_of(const std::string& text) { return text.substr(0, text.rfind('[')); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_command_in_the_background_is_polled_to_its_end) {
  Session client;
  const Json id = client.call("echo one; " + client.gate.wait() + "; echo two; echo no >&2; exit 3", in_background);
  const int job = Session::job_of(text_of(client.answer(id).at("result")));
  BOOST_TEST(job == 1);
  BOOST_TEST(client.poll(job).starts_with("[job 1 has been running for "));
  BOOST_TEST(holds(text_of(client.use("job_list")), "1 runs for "));
  client.gate.open();
  const std::string end = client.poll(job, 40);
  BOOST_TEST(end.starts_with("two\n[stderr]\nno\n[exit 3, "), end);
  client.ask("ping");
  BOOST_TEST(!client.has_answer(id));  // no second answer
  BOOST_TEST(text_of(client.use("job_list")) == "no jobs");
  const Json gone = client.use("job_poll", {{"job", job}});
  BOOST_TEST(gone.at("isError") == true);
  BOOST_TEST(holds(text_of(gone), "there is no job 1"), text_of(gone));
  // Output that a poll has already returned can be read again.
  BOOST_TEST(client.read({{"output", job}}).starts_with("one\ntwo\n[stdout, bytes 0 to 8 of 8]"));
  BOOST_TEST(client.read({{"output", job}, {"stream", "stderr"}}).starts_with("no\n[stderr, bytes 0 to 3 of 3]"));
}

BOOST_AUTO_TEST_CASE(the_output_of_another_tool_can_be_read_too) {
  const ScratchFolder project;
  project.file("long", std::string(5000, 'x') + "\nend\n");
  Session client("results: text, output_bytes: 1024}\nexecute_run: {root: " + project.path());
  const Json result = client.use("execute_run", {{"command", "cat long"}, {"cwd", project.path()}});
  const std::string last = result.at("content").back().at("text");
  BOOST_TEST(holds(last, "[the whole output: output_read {\"output\":1}]"), result.dump());
  BOOST_TEST(holds(client.read({{"output", 1}, {"tail", 1}}), "end\n[stdout, bytes "));
}

BOOST_AUTO_TEST_CASE(a_call_of_another_tool_becomes_a_job_when_its_client_would_stop_waiting) {
  const ScratchFolder project;
  std::filesystem::create_directory(project.path() + "/.clada");
  project.file(".clada/commands.json", R"({"allowed": ["sleep 61"]})");
  for (const std::string style : {"text", "structured"}) {
    Session client("results: " + style + ", answer_within: 1}\nexecute_run: {root: " + project.path());
    const Json answer = client.use("execute_run", {{"command", "sleep 61"}, {"cwd", project.path()}});
    BOOST_TEST(answer.at("isError") == false, answer.dump());
    BOOST_TEST(holds(answer.dump(), style == "text" ? "[job 1 has been running for " : R"("status":"running")"),
               answer.dump());
    BOOST_TEST(holds(text_of(client.use("job_list")), ": sleep 61"));
    const Json end = client.use("job_stop", {{"job", 1}});
    BOOST_TEST(holds(text_of(end), "Command aborted: job_stop has ended the job"), end.dump());
    BOOST_TEST(text_of(client.use("job_list")) == "no jobs");
  }
}

BOOST_AUTO_TEST_CASE(a_terminal_waits_no_longer_than_its_client) {
  Session client("results: text, answer_within: 5", {"--tools", "shell_execute,pty_start"});
  const auto begun = std::chrono::steady_clock::now();
  const Json answer = client.use("pty_start", {{"command", "cat"}, {"wait_for", "never"}, {"wait_ms", 60'000}});
  BOOST_TEST((std::chrono::steady_clock::now() - begun < std::chrono::seconds(50)));
  BOOST_TEST(holds(text_of(answer), "\"never\" was not shown"), answer.dump());
}

BOOST_AUTO_TEST_CASE(a_command_that_ends_at_once_is_answered_as_usual) {
  Session client;
  // On a busy machine, the command may take longer than the server waits for it.
  std::string text;
  for (int i = 0; i < 20 && !text.starts_with("hi\n[exit 0, "); ++i) {
    text = text_of(client.run("echo hi", in_background));
    if (holds(text, "[job ")) client.poll(Session::job_of(text), 40);
  }
  BOOST_TEST(text.starts_with("hi\n[exit 0, "), text);
  BOOST_TEST(text_of(client.run("echo hi", {{"arguments", {{"background", false}}}})).starts_with("hi\n[exit 0, "));
  const Json odd = client.run("echo hi", {{"arguments", {{"background", "yes"}}}});
  BOOST_TEST(odd.at("isError") == true);
  BOOST_TEST(holds(text_of(odd), "background must be true or false, but is \"yes\""), text_of(odd));
  BOOST_TEST(text_of(client.use("job_list")) == "no jobs");
}

BOOST_AUTO_TEST_CASE(a_command_that_runs_longer_than_the_client_waits_becomes_a_job) {
  Session client("results: text, answer_within: 1");
  const std::string first = text_of(client.run("echo one; " + client.gate.wait() + "; echo two"));
  BOOST_TEST(first.starts_with("one\n[job "), first);
  client.gate.open();
  const int job = Session::job_of(first);
  std::string end;
  do end = client.poll(job, 1);
  while (holds(end, "[job "));
  BOOST_TEST(end.starts_with("two\n[exit 0, "), end);
}

BOOST_AUTO_TEST_CASE(if_so_configured_no_call_becomes_a_job_by_itself) {
  Session client("results: text, answer_within: none");
  BOOST_TEST(text_of(client.run("sleep 1.5; echo hi")).starts_with("hi\n[exit 0, "));
}

BOOST_AUTO_TEST_CASE(no_progress_is_sent_after_the_answer) {
  Session client;
  const Json more{{"arguments", {{"background", true}}}, {"_meta", {{"progressToken", 7}}}};
  const int job = client.begin("echo one; " + client.gate.wait() + "; echo two", more);
  BOOST_TEST(!client.news.empty());
  client.news.clear();
  client.gate.open();
  BOOST_TEST(holds(client.poll(job, 40), "two\n"));
  client.read_for(std::chrono::milliseconds(300));
  BOOST_TEST(client.news.empty());
}

BOOST_AUTO_TEST_CASE(polls_together_show_every_byte_once) {
  Session client("results: text, output_bytes: 65536");
  std::string text = text_of(client.run(
      "seq 1 2000; for i in 1 2 3 4 5 6 7 8 9; do printf '漢字漢字漢字%s' $i; sleep 0.1; done", in_background));
  const int job = Session::job_of(text);
  std::string all;
  while (true) {
    std::string piece = output_of(text);
    // The server ends a text with a newline if the output does not end with one.
    const bool is_end = holds(text, "[exit 0, ");
    if (!piece.empty() && (is_end || holds(text, "; the last line of stdout is not complete yet]"))) piece.pop_back();
    all += piece;
    if (is_end) break;
    text = client.poll(job);
  }
  std::string expected;
  for (int i = 1; i <= 2000; ++i) expected += std::to_string(i) + '\n';
  for (int i = 1; i <= 9; ++i) expected += "漢字漢字漢字" + std::to_string(i);
  BOOST_TEST(all == expected);
}

BOOST_AUTO_TEST_CASE(a_poll_ends_after_a_line_unless_there_is_none) {
  Session client;
  const int job = client.begin(client.gate.wait() + "; printf 'one\\nDownlo'; exec sleep 60");
  client.gate.open();
  client.wait_for(job, "Downlo");
  BOOST_TEST(client.poll(job).starts_with("one\n[job 1 has been running for "));
  // The line may stay as it is, such as a question, so it is shown then.
  const std::string line = client.poll(job);
  BOOST_TEST(line.starts_with("Downlo\n[job 1 has been running for "), line);
  BOOST_TEST(line.ends_with("; the last line of stdout is not complete yet]"), line);
  BOOST_TEST(client.poll(job).starts_with("[job 1 has been running for "));
}

BOOST_AUTO_TEST_CASE(of_a_job_with_a_binary_output_the_beginning_is_shown) {
  Session client("results: text");
  const ScratchFolder folder;
  Gate begin(folder);
  const int job =
      client.begin(begin.wait() + "; head -c 100000 /dev/zero; " + client.gate.wait() + "; head -c 2000 /dev/zero");
  begin.open();
  client.wait_for(job, " of 100000;");
  const std::string begun = client.poll(job);
  const std::string beginning = std::string(512, '\0') + "\n[... ";
  BOOST_TEST((begun.starts_with(beginning + "99488 bytes left out ...]\n[job 1 has been running for ")));
  BOOST_TEST(
      holds(begun, "; stdout is binary and had 100000 bytes; the rest: output_read {\"output\":1,\"offset\":512}]"));
  client.gate.open();
  const std::string end = client.poll(job, 40);
  BOOST_TEST((end.starts_with(beginning + "1488 bytes left out ...]\n[exit 0, ")));
  BOOST_TEST(
      holds(end, "; stdout is binary and had 2000 bytes; the rest: output_read {\"output\":1,\"offset\":100512}]"));
}

BOOST_AUTO_TEST_CASE(a_character_that_comes_in_two_parts_is_shown_when_it_is_whole) {
  Session client;
  const std::string text =
      text_of(client.run("printf 'a\\346\\274'; " + client.gate.wait() + "; printf '\\242b\\n'", in_background));
  BOOST_TEST(text.starts_with("a\n[job 1 has been running for "), text);
  client.gate.open();
  BOOST_TEST(client.poll(1, 40).starts_with("漢b\n[exit 0, "));
}

BOOST_AUTO_TEST_CASE(a_search_in_a_running_job_says_that_its_last_line_is_not_complete_yet) {
  Session client;
  const int job = client.begin("printf 'test 1 ok\\ntest 2 o'; " + client.gate.wait() + "; echo k");
  client.wait_for(job, "test 2 o");
  const Json search{{"output", job}, {"grep", "ok$"}};
  BOOST_TEST(client.read(search) ==
             "0:test 1 ok\n[stdout, bytes 0 to 10 of 18; the last line is not complete yet; "
             "offset 10 continues]");
  client.gate.open();
  client.poll(job, 40);
  BOOST_TEST(client.read(search) == "0:test 1 ok\n10:test 2 ok\n[stdout, bytes 0 to 20 of 20]");
}

BOOST_AUTO_TEST_CASE(a_job_is_stopped_with_all_that_it_has_started) {
  Session client;
  const int job = client.begin("setsid sleep 61 & echo ready; sleep 61");
  client.wait_for(job, "ready\n");
  BOOST_TEST(!client.mark.bearers().empty());
  const Json stopped = client.use("job_stop", {{"job", job}});
  BOOST_TEST(stopped.at("isError") == false);
  BOOST_TEST(holds(text_of(stopped), "job_stop has ended the job"), text_of(stopped));
  BOOST_TEST(client.mark.bearers().empty(), client.mark.description());
  BOOST_TEST(text_of(client.use("job_list")) == "no jobs");
  BOOST_TEST(client.use("job_stop", {{"job", job}}).at("isError") == true);
}

BOOST_AUTO_TEST_CASE(a_job_ends_with_the_server) {
  Session client;
  client.wait_for(client.begin("trap '' TERM; setsid sleep 61 & echo ready; while :; do sleep 1; done"), "ready\n");
  client.program.end_input();
  const Finished ended = client.program.wait();
  BOOST_TEST(ended.exit_code == 0, ended.err);
  BOOST_TEST(client.nothing_is_left(), client.mark.description());
}

BOOST_AUTO_TEST_CASE(a_cancellation_stops_a_command_until_it_is_a_job) {
  Session client("results: text, answer_within: 3");
  Json more;
  more["arguments"]["environment"] = {{"WTOOL_TEST_MARK", client.mark.text()}};
  more["_meta"]["progressToken"] = 1;
  const Json early = client.call("echo ready; sleep 61", more);
  client.wait_for_news("notifications/progress");
  client.notify("notifications/cancelled", {{"requestId", early}});
  BOOST_TEST(client.nothing_is_left(), client.mark.description());
  BOOST_TEST(text_of(client.use("job_list")) == "no jobs");
  BOOST_TEST(!client.has_answer(early));

  const Json late = client.call("echo ready; " + client.gate.wait() + "; echo end", more);
  const int job = Session::job_of(text_of(client.answer(late).at("result")));
  client.notify("notifications/cancelled", {{"requestId", late}});
  client.ask("ping");
  client.gate.open();
  BOOST_TEST(client.poll(job, 3).starts_with("end\n[exit 0, "));
}

BOOST_AUTO_TEST_CASE(jobs_count_as_calls_that_run_and_are_never_waited_for) {
  Session client("results: text, max_calls: 1");
  const int job = client.begin("echo ready; sleep 61");
  const Json waiting = client.call("echo hi");
  BOOST_TEST(holds(client.poll(job), "has been running"));
  BOOST_TEST(holds(text_of(client.use("job_list")), "1 runs for "));
  client.wait_for(job, "ready\n");
  BOOST_TEST(!client.has_answer(waiting));
  client.use("job_stop", {{"job", job}});
  BOOST_TEST(text_of(client.answer(waiting).at("result")).starts_with("hi\n"));
}

BOOST_AUTO_TEST_CASE(a_call_that_needs_a_changed_configuration_does_not_wait_for_jobs) {
  const ScratchFolder place;
  McpClient client({"--config", place.file("c.yaml", "mcp: {results: text}\n")});
  client.initialize();
  Gate gate(place);
  BOOST_TEST(holds(text_of(client.run(gate.wait(), in_background)), "[job 1 has been running for "));
  place.file("c.yaml", "mcp: {results: text}\ncommands: {deny: [uname]}\n");
  const Json refused = client.run("uname");
  BOOST_TEST(refused.at("isError") == true);
  BOOST_TEST(text_of(refused) ==
             "the configuration has changed, and takes effect only when no job runs; end the jobs, or wait for their "
             "ends, and call again");
  gate.open();
  client.ask("tools/call", {{"name", "job_poll"}, {"arguments", {{"job", 1}, {"wait", 20}}}});
  BOOST_TEST(holds(text_of(client.run("uname")), "commands.deny"));
}

BOOST_AUTO_TEST_CASE(a_poll_that_was_cancelled_has_taken_nothing) {
  Session client;
  const ScratchFolder other_folder;
  Gate other(other_folder);
  const int job = client.begin(client.gate.wait() + "; echo one; " + other.wait() + "; echo end");
  const Json poll = client.request("tools/call", {{"name", "job_poll"}, {"arguments", {{"job", job}, {"wait", 40}}}});
  client.gate.open();
  BOOST_TEST(wait_until([&] { return holds(client.read({{"output", job}}), "one\n"); }, within(5000)));
  client.notify("notifications/cancelled", {{"requestId", poll}});
  BOOST_TEST(client.poll(job).starts_with("one\n[job 1 has been running for "));
  other.open();
  BOOST_TEST(client.poll(job, 40).starts_with("end\n[exit 0, "));
  BOOST_TEST(!client.has_answer(poll));
}

BOOST_AUTO_TEST_CASE(the_hundred_and_first_job_does_not_begin_and_nothing_is_lost) {
  Session client("results: text, max_calls: 128, answer_within: 3");
  client.run("true");
  std::vector<Json> ids;
  for (int i = 0; i < 100; ++i) {
    ids.push_back(client.call("echo job; " + client.gate.wait(), in_background));
  }
  std::vector<int> jobs;
  for (const Json& id : ids) jobs.push_back(Session::job_of(text_of(client.answer(id).at("result"))));
  const Json refused = client.run("touch " + client.folder.path() + "/made", in_background);
  BOOST_TEST(refused.at("isError") == true);
  BOOST_TEST(holds(text_of(refused), "there are already 100 jobs and tasks"), text_of(refused));
  BOOST_TEST(!std::filesystem::exists(client.folder.path() + "/made"));
  // A command that outlasts `answer_within` would become one more job. Because there are too many jobs, the command is
  // stopped, and its result has the output so far.
  const Json stopped = client.run("echo so far; sleep 61");
  BOOST_TEST(stopped.at("isError") == true);
  BOOST_TEST(text_of(stopped).starts_with("so far\n[Command aborted: there are already 100 jobs and tasks"),
             text_of(stopped));
  client.gate.open();
  for (const int job : jobs) BOOST_TEST(holds(client.poll(job, 3), "[exit 0, "));
  BOOST_TEST(text_of(client.use("job_list")) == "no jobs");
  BOOST_TEST(holds(text_of(client.run("echo hi", in_background)), "hi\n"));
}

BOOST_AUTO_TEST_CASE(a_batch_is_answered_when_its_last_call_is_a_job) {
  const ScratchFolder folder;
  Gate gate(folder);
  McpClient client({}, {}, "2025-03-26");
  client.initialize();
  const auto one = [](int id, const std::string& command, bool background) {
    return Json{
        {"jsonrpc", "2.0"},
        {"id", id},
        {"method", "tools/call"},
        {"params", {{"name", "shell_execute"}, {"arguments", {{"command", command}, {"background", background}}}}}};
  };
  BOOST_REQUIRE(client.program.say(
      Json::array({one(51, "echo hi", false), one(52, "echo one; " + gate.wait(), true)}).dump() + '\n'));
  std::string line;
  BOOST_REQUIRE(client.program.next_line(line));
  const Json answers = Json::parse(line);
  BOOST_REQUIRE(answers.is_array());
  BOOST_TEST(answers.size() == 2U);
  BOOST_TEST(holds(line, "job 1 has been running"), line);
}

BOOST_AUTO_TEST_CASE(the_rest_of_a_cut_result_can_be_read) {
  Session client("results: text, output_bytes: 4096");
  const std::string text = text_of(client.run("seq 1 100000; echo bad >&2"));
  const std::size_t begin = text.find("the rest: output_read {");
  BOOST_REQUIRE_MESSAGE(begin != std::string::npos, text.substr(text.size() - 300));
  const std::string arguments = text.substr(begin + 22, text.find('}', begin) - begin - 21);
  Json next = Json::parse(arguments);
  // Reads the rest of the output, piece by piece, from the place at which the result is cut.
  std::string all = text.substr(0, next.at("offset").get<std::size_t>());
  for (int i = 0; i < 1000; ++i) {
    const std::string part = client.read(next);
    const std::size_t last = part.rfind("[stdout, bytes ");
    all.append(part, 0, last);
    const std::size_t go_on = part.find("; offset ", last);
    if (go_on == std::string::npos) break;
    next["offset"] = std::stoul(part.substr(go_on + 9));
  }
  std::string expected;
  for (int i = 1; i <= 100000; ++i) expected += std::to_string(i) + '\n';
  BOOST_TEST((all == expected));

  const int output = next.at("output");
  BOOST_TEST(client.read({{"output", output}, {"tail", 2}}).starts_with("99999\n100000\n[stdout, bytes "));
  BOOST_TEST(client.read({{"output", output}, {"lines", 2}}) ==
             "1\n2\n[stdout, bytes 0 to 4 of 588895; offset 4 continues]");
  BOOST_TEST(client.read({{"output", output}, {"grep", "^4242.?$"}}).starts_with("20098:4242\n"));
  BOOST_TEST(client.read({{"output", output}, {"stream", "stderr"}}).starts_with("bad\n[stderr, bytes 0 to 4 of 4]"));
}

BOOST_AUTO_TEST_CASE(the_end_of_an_output_that_does_not_fit_can_be_read_and_the_gap_is_named) {
  Session client("results: text, stored_bytes: 16777216");
  const std::string text = text_of(client.run("seq 1 3000000"));  // 22,888,896 bytes
  const std::string lost = " bytes were not kept (mcp.stored_bytes)";
  BOOST_TEST(holds(text, lost), text.substr(text.size() - 300));
  const auto read = [&](Json more) {
    more["output"] = 1;
    return client.read(more);
  };
  const std::string end = read({{"tail", 2}});
  BOOST_TEST(end.starts_with("2999999\n3000000\n[stdout, bytes 22888880 to 22888896 of 22888896; bytes "), end);
  const std::size_t named = end.find("; bytes ") + 8;
  const std::size_t gap_begin = std::stoul(end.substr(named));
  const std::size_t gap_end = std::stoul(end.substr(end.find(" to ", named) + 4));
  BOOST_TEST(holds(text, std::to_string(gap_end - gap_begin) + lost), text.substr(text.size() - 300));
  // An answer ends at the gap, and its offset leads to the other side.
  const std::string before = read({{"offset", gap_begin - 5}});
  BOOST_TEST(holds(before, "[stdout, bytes " + std::to_string(gap_begin - 5) + " to " + std::to_string(gap_begin) +
                               " of 22888896; offset " + std::to_string(gap_end) + " continues; bytes "),
             before);
  // Offsets behind the gap are those of the whole output.
  BOOST_TEST(read({{"grep", "^2999990$"}}).starts_with("22888808:2999990\n"));
  BOOST_TEST(read({{"offset", 22888808}, {"lines", 1}}).starts_with("2999990\n[stdout, bytes 22888808 to 22888816 of"));
}

BOOST_AUTO_TEST_CASE(the_last_poll_of_an_output_that_does_not_fit_shows_its_end) {
  Session client("results: text, stored_bytes: 16777216, output_bytes: 1024");
  const int job = client.begin("echo begin; " + client.gate.wait() + "; seq 1 3000000");
  client.wait_for(job, "begin\n");
  client.poll(job);
  client.gate.open();
  const std::string end = client.poll(job, 40);
  BOOST_TEST(end.starts_with("1\n2\n3\n"), end);
  BOOST_TEST(holds(end, "\n2999999\n3000000\n[exit 0, "), end);
  // Without `begin`, which was shown before.
  BOOST_TEST(holds(end, "; stdout had 22888896 bytes; the rest: output_read {\"output\":1,\"offset\":51"), end);
  BOOST_TEST(holds(end, " bytes were not kept (mcp.stored_bytes)]"), end);
}

BOOST_AUTO_TEST_CASE(a_job_whose_output_cannot_be_kept_names_only_the_bytes_that_it_does_not_show) {
  const ScratchFolder place;
  const std::string file = place.file("c.yaml", "mcp: {results: text}\n");
  Gate gate(place);
  McpClient client({"--config", file}, ProgramOptions{.set = {{"XDG_CONFIG_HOME", "/none"}}});
  client.initialize();
  let_it_write_no_file(client.program.pid());
  client.run("true");
  const std::string begun = text_of(client.run("echo one; " + gate.wait() + "; echo two", in_background));
  BOOST_TEST(begun.starts_with("[... 4 bytes left out ...]\n[job "), begun);
  BOOST_TEST(holds(begun, "; 4 bytes were not kept ("), begun);
  gate.open();
  const Json poll{{"name", "job_poll"}, {"arguments", {{"job", Session::job_of(begun)}, {"wait", 40}}}};
  const std::string end = text_of(client.ask("tools/call", poll).at("result"));
  BOOST_TEST(end.starts_with("one\ntwo\n[exit 0, "), end);
  BOOST_TEST(!holds(end, "not kept"), end);
}

BOOST_AUTO_TEST_CASE(only_outputs_of_this_session_are_read_and_only_by_their_number) {
  Session client("results: text, output_bytes: 1024");
  for (const Json& arguments :
       {Json::object(), Json{{"output", 0}}, Json{{"output", 1}}, Json{{"output", "/etc/passwd"}}, Json{{"output", -1}},
        Json{{"output", 4294967297LL}}, Json{{"path", "/etc/passwd"}}, Json{{"output", 1}, {"grep", "("}},
        Json{{"output", 1}, {"lines", 0}}, Json{{"output", 1}, {"stream", "out"}},
        Json{{"output", 1}, {"tail", 1}, {"offset", 1}}}) {
    BOOST_TEST(client.use("output_read", arguments).at("isError") == true, arguments.dump());
  }
  // If the result has the whole output, the output gets no number.
  client.run("echo hi");
  BOOST_TEST(client.use("output_read", {{"output", 1}}).at("isError") == true);
  BOOST_TEST(holds(text_of(client.run("seq 1 1000")), "output_read {\"output\":1,"));
  BOOST_TEST(client.use("output_read", {{"output", 1}}).at("isError") == false);
  const std::uint64_t far = 9223372036854775809U;
  BOOST_TEST(client.read({{"output", far}}) == "there is no output 9223372036854775809 of this session");
  Session other;
  BOOST_TEST(other.use("output_read", {{"output", 1}}).at("isError") == true);
  for (const Json& arguments : {Json::object(), Json{{"job", "1"}}, Json{{"job", 1}, {"seconds", 1}}}) {
    BOOST_TEST(other.use("job_poll", arguments).at("isError") == true, arguments.dump());
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_parameter_is_answered_with_the_known_ones) {
  Session client("results: text");
  BOOST_TEST(text_of(client.use("job_stop", {{"id", 1}})) == "there is no parameter id; the parameters are job");
  BOOST_TEST(text_of(client.use("output_read", {{"path", "/etc/passwd"}})) ==
             "there is no parameter path; the parameters are output, stream, offset, lines, tail, grep");
}

BOOST_AUTO_TEST_CASE(a_pattern_that_is_wrong_is_refused_without_advice_about_expressions) {
  Session client("results: text");
  BOOST_TEST(text_of(client.use("output_read", {{"output", 1}, {"grep", "("}})) ==
             "grep: \"(\" is not a regular expression: missing ): ( (the syntax is that of RE2)");
}

BOOST_AUTO_TEST_CASE(the_rest_of_both_streams_is_named_if_both_are_cut) {
  Session client("results: text, output_bytes: 1024");
  const std::string text = text_of(client.run("seq 1 1000; seq 2000 3000 >&2"));
  BOOST_TEST(holds(text, "the rest: output_read {\"output\":1,\"offset\":"), text);
  BOOST_TEST(holds(text, "} and {\"output\":1,\"stream\":\"stderr\",\"offset\":"), text);
  const std::string bytes = text_of(client.run("head -c 20000 /dev/zero | tr '\\0' '\\377'"));
  BOOST_TEST(holds(bytes, "bytes left out ...]"), bytes);
  BOOST_TEST(!holds(bytes, "[... 2"), bytes);
  BOOST_TEST(text_of(client.use("job_list", {{"bogus", 1}})) == "there is no parameter bogus; there are no parameters");
}

BOOST_AUTO_TEST_CASE(a_number_that_makes_no_sense_is_refused_and_a_long_wait_is_shortened) {
  Session client("results: text, answer_within: 1");
  const auto poll = [&](Json arguments) { return text_of(client.use("job_poll", std::move(arguments))); };
  BOOST_TEST(poll({{"job", 1}, {"wait", -3}}) == "wait must be a whole number from 0, but is -3");
  BOOST_TEST(poll({{"job", 1}, {"wait", 1.5}}) == "wait must be a whole number from 0, but is 1.5");
  BOOST_TEST(poll({{"job", 0}}) == "job must be a whole number from 1, but is 0");
  BOOST_TEST(holds(poll({{"job", std::uint64_t{18446744073709551615U}}}), "there is no job 18446744073709551615"));
  client.run("sleep 1.5; echo done");
  BOOST_TEST(holds(poll({{"job", 1}, {"wait", std::uint64_t{18446744073709551615U}}}), "done"));
}

BOOST_AUTO_TEST_CASE(without_their_tools_there_are_no_jobs_and_no_outputs) {
  Session client("results: text, answer_within: 1, output_bytes: 1024", {"--tools", "shell_execute"});
  const Json tools = client.ask("tools/list").at("result").at("tools");
  BOOST_TEST(tools.size() == 1U);
  BOOST_TEST(!holds(tools.dump(), "background"));
  BOOST_TEST(holds(text_of(client.run("echo hi", in_background)), "background"));
  const std::string text = text_of(client.run("sleep 1.5; seq 1 1000"));
  BOOST_TEST(holds(text, "[exit 0, "), text);
  BOOST_TEST(!holds(text, "output_read"), text);
}

// The server replaces a sentence of the plugin's own description, and so must find it there.
BOOST_AUTO_TEST_CASE(where_there_are_jobs_shell_execute_says_how_to_run_a_server) {
  Session client("results: text");
  BOOST_TEST(holds(client.ask("tools/list").dump(), "run a server with \\\"background\\\""));
}

BOOST_AUTO_TEST_CASE(a_structured_result_has_the_number_of_the_job) {
  Session client("results: both, output_bytes: 1024");
  const ScratchFolder folder;
  Gate begin(folder);
  const Json begun = client.run(begin.wait() + "; seq 1 1000; " + client.gate.wait() + "; echo end", in_background);
  BOOST_TEST(begun.at("structuredContent").at("job") == 1);
  BOOST_TEST(begun.at("structuredContent").at("status") == "running");
  begin.open();
  client.wait_for(1, "1\n2\n");
  const Json shown = client.use("job_poll", {{"job", 1}});
  const Json& data = shown.at("structuredContent");
  BOOST_TEST(data.at("job") == 1);
  BOOST_TEST(data.at("status") == "running");
  BOOST_TEST(data.at("output_read").at("output") == 1);
  BOOST_TEST(data.at("stdout").get<std::string>().starts_with("1\n2\n"));
  client.gate.open();
  const Json end = client.use("job_poll", {{"job", 1}, {"wait", 40}}).at("structuredContent");
  BOOST_TEST(end.at("exit_code") == 0);
  BOOST_TEST(end.at("stdout") == "end\n");
}

BOOST_AUTO_TEST_CASE(a_person_may_take_longer_to_approve_than_the_client_waits) {
  const ScratchFolder folder;
  McpClient client({"--config", folder.file("c.yaml", "commands: {ask: [touch]}\nmcp: {answer_within: 1}\n")});
  client.initialize({{"elicitation", Json::object()}});
  const Json id = client.call("touch " + folder.path() + "/made");
  const Json question = client.question();
  BOOST_TEST(client.answer(id).at("result").at("structuredContent").at("job") == 1);
  BOOST_TEST(!std::filesystem::exists(folder.path() + "/made"));
  client.say({{"jsonrpc", "2.0"},
              {"id", question.at("id")},
              {"result", {{"action", "accept"}, {"content", {{"answer", "yes"}}}}}});
  Json end;
  do {
    const Json poll{{"name", "job_poll"}, {"arguments", {{"job", 1}, {"wait", 1}}}};
    end = client.ask("tools/call", poll).at("result").at("structuredContent");
  } while (end.contains("status"));
  BOOST_TEST(end.at("exit_code") == 0);
  BOOST_TEST(std::filesystem::exists(folder.path() + "/made"));
}

BOOST_AUTO_TEST_CASE(a_job_that_waits_for_the_answer_to_a_form_says_so) {
  const ScratchFolder folder;
  McpClient client(
      {"--config", folder.file("c.yaml", "commands: {ask: [touch]}\nmcp: {answer_within: 1, results: text}\n")});
  client.initialize({{"elicitation", Json::object()}});
  const std::string text = text_of(client.run("touch " + folder.path() + "/made"));
  BOOST_TEST(holds(text, "[job 1 waits for the person's answer to a form that the client shows"), text);
  const Json list = client.ask("tools/call", {{"name", "job_list"}, {"arguments", Json::object()}});
  BOOST_TEST(holds(text_of(list.at("result")), "(it waits for the person's answer to a form)"));
  BOOST_TEST(text_of(list.at("result")).starts_with("1 has waited for an answer for "));
}

BOOST_AUTO_TEST_CASE(a_parameter_that_does_not_exist_is_refused_with_all_that_do) {
  Session client("results: both");
  const Json odd = client.run("true", {{"arguments", {{"backgroud", true}}}});
  BOOST_TEST(odd.at("isError") == true);
  BOOST_TEST(odd.at("structuredContent").at("error").at("code") == "invalid_parameters");
  const std::string message = odd["structuredContent"]["error"].at("message");
  BOOST_TEST(
      holds(message, "there is no parameter \"backgroud\"; did you mean 'background'? The parameters are command, "),
      message);
  // A server without jobs does not have the parameter.
  Session without("results: both", {"--tools", "shell_execute"});
  const std::string other = without.run("true", {{"arguments", {{"backgroud", true}}}}).dump();
  BOOST_TEST(holds(other, "the parameters are command, "), other);
  BOOST_TEST(!holds(other, "background"), other);
}

BOOST_AUTO_TEST_CASE(a_job_that_is_stopped_while_a_person_is_asked_was_never_started) {
  const ScratchFolder folder;
  const std::string trail = folder.path() + "/trail";
  McpClient client(
      {"--config",
       folder.file("c.yaml", "commands: {ask: [touch]}\nmcp: {answer_within: 1}\naudit: {file: " + trail + "}\n")},
      {.set = {{"XDG_RUNTIME_DIR", folder.path()}}});
  client.initialize();
  const std::string begun = text_of(client.run("touch " + folder.path() + "/made"));
  BOOST_TEST(holds(begun, "[job 1 waits until a person allows it"), begun);
  const Json stopped = client.ask("tools/call", {{"name", "job_stop"}, {"arguments", {{"job", 1}}}}).at("result");
  BOOST_TEST(holds(text_of(stopped), "the command was not started"), text_of(stopped));
  std::string events;
  std::ifstream stream(trail);
  for (std::string line; std::getline(stream, line);) {
    const Json event = Json::parse(line);
    events += event.at("event").get<std::string>() + ' ' + event.value("answer", event.value("code", "")) + '\n';
  }
  BOOST_TEST(events == "approval withdrawn\nrefusal aborted\n");
}

BOOST_AUTO_TEST_CASE(a_job_is_recorded_as_any_call_is) {
  const ScratchFolder folder;
  Gate gate(folder);
  const std::string trail = folder.path() + "/trail";
  McpClient client({"--config", folder.file("c.yaml", "audit: {file: " + trail + "}\n")});
  client.initialize();
  const Json begun = client.run("echo one; " + gate.wait(), in_background);
  BOOST_TEST(begun.at("structuredContent").at("job") == 1);
  gate.open();
  client.ask("tools/call", {{"name", "job_poll"}, {"arguments", {{"job", 1}, {"wait", 40}}}});
  const Finished shown = run({WTOOL_TEST_PROGRAM, "audit", "verify", trail});
  BOOST_TEST(holds(shown.out, "good: 2 lines"), shown.out);
}

BOOST_AUTO_TEST_SUITE_END()
