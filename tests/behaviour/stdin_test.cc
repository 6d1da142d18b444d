// `stdin`, the text that a call passes to its command: it arrives unchanged, the input ends after it, and each call has
// its own. The tool has the parameter only where its configuration says so.
#include <sys/resource.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/sha256.h"
#include "support/asking_host.h"
#include "support/sandboxed.h"

BOOST_AUTO_TEST_SUITE(stdin_test)

using namespace wtool::test;

namespace {

constexpr std::size_t longest = 1024UL * 1024;

Json with_stdin(Json config = Json::object()) {
  config["shell"]["stdin"] = true;
  return config;
}

std::string many_lines(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() + 16 < bytes; ++i) text += std::to_string(i) + '\n';
  text.append(bytes - text.size(), 'x');
  return text;
}

struct Given : Sandboxed {
  const ToolUnderTest tool{plugin, with_stdin()};

  static Json arguments(const std::string& command, const std::string& text) {
    return {{"command", command}, {"stdin", text}};
  }
  Answer run(const std::string& command, const std::string& text) const { return tool.run(arguments(command, text)); }
};

boost::test_tools::assertion_result can_sandbox(boost::unit_test::test_unit_id) { return has_landlock(1); }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(stdin_of_a_command, Given)

BOOST_AUTO_TEST_CASE(a_text_arrives_as_it_is_with_and_without_a_shell) {
  const std::string nothing_special = "two\nlines";
  const std::string odd = std::string("a\0b", 3) + " ä \xf0\x9f\x98\x80 $HOME `id` \\ ' \"\r\n";
  for (const std::string& text : {nothing_special, odd, std::string("\n")}) {
    for (const char* command : {"sha256sum", "sha256sum; true", "cat | sha256sum", "sha256sum < /dev/stdin"}) {
      BOOST_TEST(run(command, text).out() == wtool::sha256(text) + "  -\n", command << " with " << Json(text));
    }
  }
  BOOST_TEST(run("read -r one; cat", "first\nrest\n").out() == "rest\n");
}

BOOST_AUTO_TEST_CASE(an_empty_text_is_an_end_of_file_at_once) {
  const Answer answer = run("cat; echo $?", "");
  BOOST_TEST(answer.out() == "0\n");
}

BOOST_AUTO_TEST_CASE(a_mebibyte_arrives_and_one_byte_more_is_refused_with_size_and_limit) {
  const std::string text = many_lines(longest);
  BOOST_TEST(run("sha256sum", text).out() == wtool::sha256(text) + "  -\n");
  const Answer refused = run("touch " + inside + "/made", text + "x");
  BOOST_TEST(refused.code() == "invalid_parameters");
  BOOST_TEST(refused.text() ==
             "Invalid parameters: stdin: got a text of 1048577 bytes; allowed is a text of at most 1048576 (give "
             "it in parts, with several calls that append to a file (cat >> FILE))");
  BOOST_TEST(!std::filesystem::exists(inside + "/made"));
}

BOOST_AUTO_TEST_CASE(a_command_that_is_too_long_is_refused_with_the_advice_to_give_its_text_as_stdin) {
  const Answer refused = run("cat > made <<'END'\n" + many_lines(longest / 4) + "END\n", "");
  BOOST_TEST(refused.code() == "invalid_parameters");
  BOOST_TEST(refused.metadata().at("error").at("hint").get<std::string>().starts_with("give long text as stdin, "));
}

BOOST_AUTO_TEST_CASE(what_is_not_text_is_refused) {
  for (const Json& odd : {Json(5), Json(nullptr), Json{"a"}, Json(true)}) {
    const Answer refused = tool.run({{"command", "cat"}, {"stdin", odd}});
    BOOST_TEST(refused.code() == "invalid_parameters", odd);
    BOOST_TEST(refused.text().find("stdin: got ") != std::string::npos, refused.text());
  }
}

BOOST_AUTO_TEST_CASE(binary_content_is_shown_only_by_its_type_and_size) {
  const Answer list = tool.run({{"command", "cat"}, {"stdin", Json{"s3cret"}}});
  BOOST_TEST(list.text() == "Invalid parameters: stdin: got a value of type array (10 bytes); allowed is a string");
  const Answer object = tool.run({{"command", "cat"}, {"stdin", {{"s3cret", {1, "s3cret"}}}}});
  BOOST_TEST(object.text() == "Invalid parameters: stdin: got a value of type object (23 bytes); allowed is a string");
  BOOST_TEST(tool.run({{"command", "cat"}, {"stdin", 4711}}).text().find("4711") == std::string::npos);
  for (const Answer* answer : {&list, &object}) BOOST_TEST(answer->raw.find("s3cret") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(without_the_configuration_there_is_no_such_parameter) {
  const ToolUnderTest specified(plugin);
  const Answer refused = specified.run(arguments("cat", "text"));
  BOOST_TEST(refused.code() == "invalid_parameters");
  BOOST_TEST(refused.text().find("there is no parameter \"stdin\"") != std::string::npos, refused.text());
}

BOOST_AUTO_TEST_CASE(without_a_text_standard_input_is_the_null_device) {
  const Answer answer = tool.shell("readlink /proc/self/fd/0; cat");
  BOOST_TEST(answer.out() == "/dev/null\n");
}

BOOST_AUTO_TEST_CASE(a_command_that_reads_little_or_nothing_is_not_a_failure) {
  const std::string text = many_lines(longest);
  BOOST_TEST(run("head -n 1", text).out() == "0\n");
  BOOST_TEST(run("true", text).exit_code() == 0);
  BOOST_TEST(run("exec <&-; echo done", text).out() == "done\n");
}

BOOST_AUTO_TEST_CASE(calls_at_the_same_time_each_get_their_own_text) {
  constexpr int callers = 8;
  std::vector<std::string> wrong(callers);
  std::vector<std::thread> threads;
  threads.reserve(callers);
  for (int caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller] {
      for (int i = 0; i < repeats(10); ++i) {
        const std::string text = std::string(50'000, static_cast<char>('a' + caller)) + std::to_string(i);
        const std::string out = run("cat", text).out();
        if (out != text) wrong[static_cast<std::size_t>(caller)] = out.substr(0, 100);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& what : wrong) BOOST_TEST(what == "");
}

BOOST_AUTO_TEST_CASE(a_command_in_a_sandbox_reads_it_by_its_descriptor_and_by_its_name,
                     *boost::unit_test::precondition(can_sandbox)) {
  const ToolUnderTest confined(plugin, with_stdin(sandbox({{"network", "deny"}})));
  for (const char* command : {"cat", "cat /dev/stdin", "cat < /proc/self/fd/0", "cat | cat"}) {
    const Answer answer = confined.run({{"command", command}, {"stdin", "text\n"}, {"working_directory", inside}});
    BOOST_TEST(answer.out() == "text\n", command << ": " << answer.raw);
  }
}

BOOST_AUTO_TEST_CASE(a_host_that_may_write_no_such_file_gets_an_error_and_no_signal) {
  rlimit before{};
  BOOST_REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{4096, before.rlim_max};
  BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const Answer refused = run("cat", std::string(4097, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  BOOST_TEST(refused.code() == "spawn_failed");
  BOOST_TEST(refused.text().find("no file can be made for its standard input: File too large") != std::string::npos,
             refused.text());
  BOOST_TEST(refused.metadata().at("error").at("hint").get<std::string>().find("ulimit -f") != std::string::npos);
  BOOST_TEST(run("cat", "again").out() == "again");
}

BOOST_AUTO_TEST_CASE(what_a_call_has_given_is_gone_with_it) {
  const auto open_files = [] {
    int count = 0;
    for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      if (std::filesystem::read_symlink(file.path(), gone).string().starts_with("/memfd:stdin")) ++count;
    }
    return count;
  };
  run("cat", "text");
  BOOST_TEST(open_files() == 0);
  // The custodian, which is used again, does not keep the text either.
  BOOST_TEST(tool.shell("ls -l /proc/$PPID/fd 2>/dev/null | grep -c memfd:stdin; true").out() == "0\n");
}

// ---- What may run.

BOOST_AUTO_TEST_CASE(it_is_judged_as_a_text_that_nobody_has_read) {
  const ToolUnderTest strict(
      plugin,
      with_stdin({{"commands", {{"allow", {"wc", "cat", "sh", "xargs", "env", "timeout", "python3", "git log *"}}}}}));
  const auto verdict = [&](const std::string& command) {
    const Json explained = strict.explain(arguments(command, "text"));
    return explained.at("verdict").get<std::string>();
  };
  for (const char* command :
       {"wc -l", "cat", "xargs cat", "git log -3", "sh -c 'wc -l'", "sh < /dev/null", "cat && wc"}) {
    BOOST_TEST(verdict(command) == "allow", command);
  }
  for (const char* command : {"sh", "sh -s", "sh /dev/stdin", ". /dev/stdin", "env sh", "timeout 5 sh", "xargs sh",
                              "sh -c sh", "sh -c 'env sh'", "sh -c 'sh -c sh'", "wc; sh", "git apply"}) {
    BOOST_TEST(verdict(command) == "deny", command);
  }
  for (const char* command : {"python3", "python3 -", "timeout 5 python3 -"}) {
    BOOST_TEST(verdict(command) == "ask", command);
  }
  // Without a text, sh has nothing to run.
  BOOST_TEST(strict.explain({{"command", "sh"}}).at("verdict") == "allow");
  BOOST_TEST(strict.run(arguments("sh", "touch " + inside + "/made")).code() == "policy_denied");
  BOOST_TEST(!std::filesystem::exists(inside + "/made"));
  BOOST_TEST(strict.run(arguments("wc -l", "a\nb\n")).out() == "2\n");
}

BOOST_AUTO_TEST_CASE(under_a_deny_list_it_may_be_what_is_denied) {
  const ToolUnderTest careful(plugin, with_stdin({{"commands", {{"deny", {"rm"}}}}}));
  BOOST_TEST(careful.explain(arguments("sh", "rm -rf x")).at("verdict") == "deny");
  for (const char* command : {"cd /dev && sh stdin", "cd /proc/self/fd && sh 0", "cd \"$X\" && sh stdin"}) {
    BOOST_TEST(careful.explain(arguments(command, "rm -rf x")).at("verdict") == "deny", command);
  }
  BOOST_TEST(careful.explain(arguments("docker start -ai box", "rm -rf x")).at("verdict") == "ask");
  BOOST_TEST(careful.explain(arguments("bash -c bash", "rm -rf x")).at("verdict") == "deny");
  BOOST_TEST(careful.explain(arguments("xargs rm", "x")).at("verdict") == "deny");
  BOOST_TEST(careful.explain(arguments("wc", "rm -rf x")).at("verdict") == "allow");
}

BOOST_AUTO_TEST_CASE(explaining_says_how_much_it_is_and_not_what) {
  const Json explained = tool.explain(arguments("wc", "secret text"));
  BOOST_TEST(explained.at("stdin_bytes") == 11);
  BOOST_TEST(explained.at("stdin_sha256") == wtool::sha256("secret text"));
  BOOST_TEST(explained.dump().find("secret") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

struct AskedAndRecorded {
  AskingHost host;
  Plugin plugin{host.get()};
  ScratchFolder scratch, home;
  const std::string approvals = home.path() + "/approvals.json";
  const std::string trail = home.path() + "/audit.jsonl";
  const ToolUnderTest tool{
      plugin, with_stdin({{"commands", {{"ask", {"wc"}}, {"approvals", approvals}}}, {"audit", {{"file", trail}}}})};

  Answer count(const Json& text) const {
    Json arguments{{"command", "wc -c"}, {"working_directory", scratch.path()}};
    if (!text.is_null()) arguments["stdin"] = text;
    return tool.run(arguments);
  }
  Json shown() { return Json::parse(host.questions().back().subject).at("stdin"); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(stdin_of_a_question, AskedAndRecorded)

BOOST_AUTO_TEST_CASE(a_person_sees_the_text_or_the_beginning_of_a_long_one) {
  count("hello");
  BOOST_TEST(shown() == (Json{{"bytes", 5}, {"cut", false}, {"sha256", wtool::sha256("hello")}, {"text", "hello"}}));
  const std::string text = std::string(4095, 'x') + "äöü";
  count(text);
  BOOST_TEST(shown() ==
             (Json{{"bytes", 4101}, {"cut", true}, {"sha256", wtool::sha256(text)}, {"text", std::string(4095, 'x')}}));
  count(nullptr);
  BOOST_TEST(!Json::parse(host.questions().back().subject).contains("stdin"));
}

BOOST_AUTO_TEST_CASE(always_holds_only_for_this_text) {
  host.answer = WTOOL_APPROVAL_ALWAYS;
  BOOST_TEST(!count("the s3cret").is_error());
  host.answer = WTOOL_APPROVAL_NO;
  BOOST_TEST(count("the s3cret").out() == "10\n");
  BOOST_TEST(host.questions().size() == 1U);
  for (const Json& other : {Json("another"), Json(""), Json(nullptr)}) {
    BOOST_TEST(count(other).code() == "approval_denied", other);
    BOOST_TEST(host.questions().back().fingerprint != host.questions().front().fingerprint, other);
  }
  // The question shows only the beginning of a text. Two texts that differ only at their ends need two answers.
  host.answer = WTOOL_APPROVAL_ALWAYS;
  count(std::string(5000, 'x') + "a");
  host.answer = WTOOL_APPROVAL_NO;
  BOOST_TEST(count(std::string(5000, 'x') + "b").code() == "approval_denied");
  const std::string kept = Sandboxed::content(approvals);
  BOOST_TEST(Json::parse(kept).at("always").at(0).at("stdin") == wtool::sha256("the s3cret"));
  BOOST_TEST(kept.find("s3cret") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(its_size_and_hash_are_on_record_and_the_text_is_not) {
  count("the s3cret");
  host.answer = WTOOL_APPROVAL_NO;
  count("the s3cret");
  std::ifstream stream(trail);
  int lines = 0;
  for (std::string line; std::getline(stream, line);) {
    const Json entry = Json::parse(line);
    if (entry.at("event") == "end") continue;
    ++lines;
    BOOST_TEST(entry.at("stdin_bytes") == 10, line);
    BOOST_TEST(entry.at("stdin_sha256") == wtool::sha256("the s3cret"), line);
  }
  BOOST_TEST(lines == 4);  // an approval and a start, an approval and a refusal
  BOOST_TEST(Sandboxed::content(trail).find("s3cret") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
