// The limits of one call (wtool_request.limits): each only tightens what the configuration allows, and applies to
// everything that the command starts. A call with a wrong limit is refused.
#include <wtool/ext/approval.h>
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include <wtool/cpp/host.hpp>

#include "support/shell_tool.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(call_limits_test)

using namespace wtool::test;

namespace {

namespace fs = std::filesystem;

struct CallLimits : ShellTool {
  Answer run_with(const ToolUnderTest& any, const char* limits, const std::string& command) {
    Json arguments = marked(command);
    arguments["working_directory"] = scratch.path();
    Answer answer = any.run(arguments, {.limits = limits});
    BOOST_TEST(mark.bearers().empty(), mark.description());
    return answer;
  }
  Answer run_with(const char* limits, const std::string& command) { return run_with(tool, limits, command); }

  static double limit_of(const Answer& answer, const char* name) {
    return answer.metadata().at("limits").at(name).at("value").get<double>();
  }

  // The error of a call that is refused; nothing is run.
  static std::string refusal(const ToolUnderTest& any, const std::string& limits) {
    const Answer answer = any.run({{"command", "true"}}, {.limits = limits});
    BOOST_TEST(answer.status == WTOOL_E_INVALID_ARGUMENT);
    BOOST_TEST(answer.raw.empty());
    return answer.error;
  }
};

constexpr const char* endless = "while :; do :; done";
// Exits with 0 if a network socket can be made.
constexpr const char* open_socket = "perl -MSocket -e 'socket(my $s, PF_INET, SOCK_DGRAM, 0) or exit 7'";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(call_limits, CallLimits)

BOOST_AUTO_TEST_CASE(a_limit_ends_what_the_command_has_started_and_the_next_call_is_free_of_it) {
  const Answer answer = run_with(R"({"cpu_seconds": 1})", std::string("sh -c '") + endless + "' & wait");
  BOOST_TEST(answer.code() == "resource_exhausted");
  BOOST_TEST(limit_of(answer, "cpu_seconds") == 1);
  BOOST_TEST(holds(answer.text(), "and the call's limit cpu_seconds is 1"), answer.text());
  BOOST_TEST(!holds(answer.text(), "configuration"), answer.text());
  BOOST_TEST(!tool.shell("true").metadata().contains("limits"));
}

BOOST_AUTO_TEST_CASE(the_stricter_of_the_calls_and_the_configurations_limits_holds) {
  const ToolUnderTest limited(plugin, {{"limits", {{"memory_bytes", 64 << 20}, {"open_files", 64}}}});
  const Answer looser = run_with(limited, R"({"memory_bytes": 1073741824, "processes": 20})", "ulimit -n");
  BOOST_TEST(limit_of(looser, "memory_bytes") == 64 << 20);
  BOOST_TEST(limit_of(looser, "processes") == 20);
  BOOST_TEST(looser.out() == "64\n");
  const Answer stricter = run_with(limited, R"({"memory_bytes": 33554432, "open_files": 32})", "ulimit -n");
  BOOST_TEST(limit_of(stricter, "memory_bytes") == 32 << 20);
  BOOST_TEST(stricter.out() == "32\n");
}

BOOST_AUTO_TEST_CASE(a_read_only_command_writes_no_file_and_neither_does_what_it_starts) {
  scratch.file("kept", "before\n");
  const Answer answer =
      run_with(R"({"sandbox": "read-only"})",
               "cat kept; echo x > kept; sh -c 'echo y > new'; rm -f kept; echo z > /dev/null && echo end");
  BOOST_TEST(answer.out() == "before\nend\n");
  BOOST_TEST(tool.run({{"command", "cat kept; ls"}, {"working_directory", scratch.path()}}).out() == "before\nkept\n");
}

BOOST_AUTO_TEST_CASE(a_read_only_command_can_still_read_what_a_sandbox_lets_others_write) {
  scratch.file("data", "text\n");
  const Json sandbox{
      {"read", {"/usr", "/bin", "/lib", "/lib64", "/etc"}}, {"write", {scratch.path()}}, {"protect", "none"}};
  const ToolUnderTest boxed(plugin, {{"sandbox", sandbox}});
  BOOST_TEST(run_with(boxed, "", "cat data; echo ok > new && cat new").out() == "text\nok\n");
  const Answer answer =
      run_with(boxed, R"({"sandbox": "read-only"})", "cat data; echo no > new; cat new; ls /proc/self");
  BOOST_TEST(answer.out() == "text\nok\n");
}

BOOST_AUTO_TEST_CASE(a_command_that_is_held_to_files_reads_lists_and_writes_only_those) {
  scratch.file("in/named", "text\n");
  scratch.file("in/other", "not this\n");
  scratch.file("out/there", "before\n");
  // A path may be named twice.
  const Json files{{"read", {"/usr", "/bin", "/lib", "/lib64", "/etc", "/usr", scratch.path() + "/in/named"}},
                   {"list", {scratch.path() + "/in"}},
                   {"write", {scratch.path() + "/out"}}};
  const Answer answer =
      run_with(Json{{"files", files}}.dump().c_str(),
               "cat in/named; cat in/other; ls in; ls .; echo x > in/new; echo y > out/new; cat out/*");
  BOOST_TEST(answer.out() == "text\nnamed\nother\ny\nbefore\n");
  const Json refused = answer.metadata().at("sandbox").at("refused");
  BOOST_TEST(holds(refused.dump(), "in/other\""), refused);
}

BOOST_AUTO_TEST_CASE(files_of_a_call_open_nothing_that_the_configuration_closes) {
  scratch.file("site/data", "text\n");
  scratch.file("secret", "hidden\n");
  fs::create_symlink(scratch.path() + "/secret", scratch.path() + "/site/link");
  const Json sandbox{
      {"read", {"/usr", "/bin", "/lib", "/lib64", "/etc"}}, {"write", {scratch.path() + "/site"}}, {"protect", "none"}};
  const ToolUnderTest boxed(plugin, {{"sandbox", sandbox}});
  const Json all{{"read", {"/"}}, {"list", {"/"}}, {"write", {"/"}}};
  const std::string look = "cat site/data; cat secret; echo x > new; echo y > site/new && cat site/new";
  BOOST_TEST(run_with(boxed, Json{{"files", all}}.dump().c_str(), look).out() == "text\ny\n");
  const Json by_ways{{"read",
                      {"/usr", "/bin", "/lib", "/lib64", "/etc", scratch.path() + "/site/link",
                       scratch.path() + "/site/../secret", scratch.path() + "/site/data"}}};
  BOOST_TEST(run_with(boxed, Json{{"files", by_ways}}.dump().c_str(), look).out() == "text\n");
}

BOOST_AUTO_TEST_CASE(what_is_protected_stays_protected_where_a_call_names_it) {
  scratch.file(".git/HEAD", "ref: refs/heads/main\n");
  for (const char* folder : {".git/objects", ".git/refs", ".git/hooks", ".ssh", "build"}) {
    fs::create_directories(scratch.path() + "/" + folder);
  }
  scratch.file(".bashrc", "");
  const ToolUnderTest boxed(plugin, {{"sandbox", {{"write", {scratch.path()}}}}});
  const std::string write =
      "for f in .git/hooks/pre-commit .ssh/config .bashrc build/new; do echo x > $f && echo $f; done";
  BOOST_TEST(run_with(boxed, "", write).out() == "build/new\n");
  Json paths = Json::array();
  for (const char* name : {".git/hooks", ".git", ".ssh", ".bashrc", "build"})
    paths.push_back(scratch.path() + "/" + name);
  const Json files{{"read", {"/"}}, {"write", paths}};
  BOOST_TEST(run_with(boxed, Json{{"files", files}}.dump().c_str(), write).out() == "build/new\n");
}

BOOST_AUTO_TEST_CASE(a_path_that_is_gone_opens_nothing_and_a_link_leads_where_it_leads_now) {
  scratch.file("data", "text\n");
  scratch.file("secret", "hidden\n");
  const Json files{
      {"read", {"/usr", "/bin", "/lib", "/lib64", "/etc", scratch.path() + "/data", scratch.path() + "/gone"}}};
  const std::string limits = Json{{"files", files}}.dump();
  BOOST_TEST(run_with(limits.c_str(), "cat data").out() == "text\n");
  fs::remove(scratch.path() + "/data");
  BOOST_TEST(run_with(limits.c_str(), "echo new > data; cat secret; echo end").out() == "end\n");
}

BOOST_AUTO_TEST_CASE(a_call_has_a_temporary_folder_of_its_own) {
  fs::create_directories(scratch.path() + "/tmp");
  const Json files{{"read", {"/usr", "/bin", "/lib", "/lib64", "/etc"}}, {"temporary", scratch.path() + "/tmp"}};
  const std::string limits = Json{{"files", files}}.dump();
  const ToolUnderTest listed(plugin, {{"commands", {{"allow", {"mktemp", "echo"}}}}});
  for (const ToolUnderTest* any : std::initializer_list<const ToolUnderTest*>{&tool, &listed}) {
    const Answer answer = any->run({{"command", "mktemp"}, {"working_directory", scratch.path()}}, {.limits = limits});
    BOOST_TEST(answer.out().starts_with(scratch.path() + "/tmp/"), answer.text());
  }
}

BOOST_AUTO_TEST_CASE(a_command_without_network_makes_no_socket_and_may_write_files) {
  BOOST_TEST(run_with("", open_socket).exit_code() == 0);
  const Answer answer =
      run_with(R"({"network": "deny"})", std::string(open_socket) + "; echo $?; echo ok > new; cat new");
  BOOST_TEST(answer.out() == "7\nok\n");
  const Answer said = run_with(R"({"network": "deny"})", "echo 'socket: Permission denied' >&2; exit 1");
  BOOST_TEST(holds(said.raw, "network access (the call's limit network is deny)"), said.raw);
}

BOOST_AUTO_TEST_CASE(wrong_limits_refuse_the_call_and_say_what_is_allowed) {
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  for (const auto& [limits, part] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"({"cpus": 1})", "there is no key \"cpus\"; the keys are files, sandbox, network"},
           {R"({"network": "allow"})", "network is \"allow\"; allowed is \"deny\""},
           {R"({"sandbox": true})", "sandbox is true; allowed is \"read-only\""},
           {R"({"memory_bytes": 5})", "memory_bytes is 5; allowed is a whole number from 1048576"},
           {R"({"memory_bytes": "1G"})", "memory_bytes is \"1G\""},
           {R"({"processes": 0})", "processes is 0"},
           {R"({"processes": 1.5})", "processes is 1.5"},
           {R"({"processes": -1})", "processes is -1"},
           {R"({"file_bytes": 1e300})", "file_bytes is 1e+300"},
           {R"({"files": []})", "files is []; allowed is {\"read\""},
           {R"({"files": {"read": ["a"]}})", "files is"},
           {R"({"files": {"read": "/"}})", "files is"},
           {R"({"files": {"all": ["/"]}})", "files is"},
           {R"({"files": {"temporary": 1}})", "files is"},
           {R"([])", "limits of the call: "},
           {"{", "limits of the call: "},
           {"\xff", "limits of the call: "}}) {
    BOOST_TEST_CONTEXT(limits) {
      const std::string error = refusal(tool, limits);
      BOOST_TEST(has(error, part), error);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_tool_that_starts_no_command_refuses_limits) {
  const ToolUnderTest list(plugin, Json::object(), "pty_list");
  BOOST_TEST((list.get().descriptor->hints & WTOOL_HINT_LIMITS) == 0u);
  BOOST_TEST((tool.get().descriptor->hints & WTOOL_HINT_LIMITS) != 0u);
  BOOST_TEST(refusal(list, R"({"network": "deny"})").find("pty_list starts no command") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_explanation_shows_the_limits_of_its_call) {
  wtool_request request = wtool::make_request(R"({"command": "true"})");
  request.limits = wtool::view(R"({"sandbox": "read-only", "network": "deny", "cpu_seconds": 3})");
  wtool::Blob result, error;
  BOOST_REQUIRE(wtool::explain_of(tool.get())->explain(&tool.get(), &request, result.out(), error.out()) == WTOOL_OK);
  const Json explained = Json::parse(result.text());
  BOOST_TEST((explained.at("limits").at("cpu_seconds") == Json(3)));
  BOOST_TEST((explained.at("sandbox").at("network") == Json("deny")));
  BOOST_TEST(explained.at("sandbox").at("write").empty());
}

BOOST_AUTO_TEST_CASE(an_explanation_without_a_request_or_a_place_for_the_result_is_refused) {
  const auto explain = wtool::explain_of(tool.get())->explain;
  const wtool_request request = wtool::make_request(R"({"command": "true"})");
  wtool_request small = request;
  small.struct_size = 4;
  wtool_blob small_result{};
  small_result.struct_size = 4;
  wtool::Blob result, error;
  BOOST_TEST(explain(nullptr, &request, result.out(), error.out()) == WTOOL_E_INVALID_ARGUMENT);
  BOOST_TEST(explain(&tool.get(), nullptr, result.out(), error.out()) == WTOOL_E_INVALID_ARGUMENT);
  BOOST_TEST(explain(&tool.get(), &small, result.out(), error.out()) == WTOOL_E_INVALID_ARGUMENT);
  BOOST_TEST(explain(&tool.get(), &request, &small_result, error.out()) == WTOOL_E_INVALID_ARGUMENT);
  BOOST_TEST(explain(&tool.get(), &request, nullptr, error.out()) == WTOOL_E_INVALID_ARGUMENT);
  BOOST_TEST(error.text() == "explain needs a tool, a request with arguments, and a blob of full size for the result");
  BOOST_TEST(!result.filled());
}

BOOST_AUTO_TEST_CASE(the_audit_trail_has_the_limits_of_a_call) {
  const std::string trail = scratch.path() + "/trail";
  const ToolUnderTest audited(plugin, {{"audit", {{"file", trail}}}});
  audited.run({{"command", "true"}}, {.limits = R"({"cpu_seconds": 3})"});
  const std::string lines = tool.run({{"command", "cat trail"}, {"working_directory", scratch.path()}}).out();
  BOOST_TEST(lines.find(R"("limits":{"cpu_seconds":3})") != std::string::npos, lines);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

// A host that says yes to every question.
struct Yes {
  Yes() {
    host_.struct_size = sizeof host_;
    host_.name = host_.version = wtool::view("yes");
    host_.get_extension = [](const wtool_host*, const char* id) noexcept -> const void* {
      static const wtool_host_approval approval{
          sizeof approval, 0,
          [](const wtool_host*, const wtool_approval_question*) noexcept -> std::uint32_t {
            return WTOOL_APPROVAL_YES;
          },
          [](const wtool_host*, std::uint64_t) noexcept {}};
      return std::string_view(id) == WTOOL_EXT_APPROVAL ? &approval : nullptr;
    };
  }
  wtool_host host_{};
};

}  // namespace

BOOST_AUTO_TEST_CASE(no_approval_opens_the_network_that_a_call_has_closed) {
  const Yes yes;
  Plugin plugin(&yes.host_);
  const ToolUnderTest tool(plugin, {{"sandbox", {{"write", {"/tmp"}}, {"protect", "none"}, {"network", "deny"}}},
                                    {"commands", {{"ask_network", {"perl"}}}}});
  BOOST_TEST(tool.shell(open_socket).exit_code() == 0);
  const Answer closed = tool.run({{"command", open_socket}}, {.limits = R"({"network": "deny"})"});
  BOOST_TEST(closed.exit_code() == 7);
}

BOOST_AUTO_TEST_SUITE_END()
