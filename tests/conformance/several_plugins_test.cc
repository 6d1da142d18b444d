// Plugins that are nothing like a shell, in C and in Rust, and several of them in one host.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "conformance/built_plugin.h"

using namespace wtool::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

struct Built {
  ScratchFolder scratch;
  const std::string clock = scratch.path() + "/clock_tools.so";
  const std::string greeter = scratch.path() + "/greeter.so";

  Built() {
    BOOST_REQUIRE_EQUAL(build_c_plugin("clock_tools.c", clock), "");
    BOOST_REQUIRE_EQUAL(build_c_plugin("faulty_plugin.c", greeter), "");
  }

  Finished wtool(std::vector<std::string> words) const {
    words.insert(words.begin(), WTOOL_TEST_PROGRAM);
    return run(words, {.directory = scratch.path()});
  }
};

json metadata_of(const Finished& done) {
  const json result = json::parse(done.out, nullptr, false);
  return result.is_object() ? result.value("metadata", json()) : json();
}

// A server on this machine that answers each connection with the same page, until its end.
class PageServer {
 public:
  PageServer() : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    BOOST_REQUIRE(::bind(listening_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    BOOST_REQUIRE(::listen(listening_, 64) == 0);
    ::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~PageServer() {
    ::shutdown(listening_, SHUT_RDWR);
    thread_.join();
    ::close(listening_);
  }
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/page"; }

 private:
  void serve() const {
    const std::string page = "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\na page";
    for (int peer; (peer = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; ::close(peer)) {
      char request[4096];
      if (::read(peer, request, sizeof request) > 0) ::send(peer, page.data(), page.size(), MSG_NOSIGNAL);
    }
  }

  int listening_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(tools_of_several_plugins_are_listed_and_called, Built) {
  const std::vector<std::string> both{"--plugin", clock, "--plugin", greeter};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), both.begin(), both.end());
    return wtool(words);
  };
  const json tools = json::parse(with({"tools", "--json"}).out);
  BOOST_REQUIRE(tools.size() == 3u);
  BOOST_TEST(tools.at(0).at("id") == "clock_now");
  BOOST_TEST(tools.at(1).at("id") == "file_watch");
  BOOST_TEST(tools.at(2).at("id") == "greet");
  BOOST_TEST(metadata_of(with({"call", "clock_now", "{}"})).value("seconds", 0) > 1'000'000'000);
  BOOST_TEST(metadata_of(with({"call", "greet", R"({"name":"you"})"})).value("greeting", "") == "hello you");
  BOOST_TEST(with({"call", "gret"}).err.find("did you mean 'greet'?") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(the_configuration_is_for_the_shell_tools_wherever_they_are_named, Built) {
  scratch.file("rules.yaml", "commands:\n  allow: [echo]\n");
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"--config", "rules.yaml", "--plugin", greeter, "--plugin", WTOOL_TEST_PLUGIN});
    return wtool(words);
  };
  BOOST_TEST(metadata_of(with({"call", "shell_execute", R"({"command":"echo hi"})"})).value("stdout", "") == "hi\n");
  BOOST_TEST(with({"call", "shell_execute", R"({"command":"ls"})"}).exit_code == 1);
  BOOST_TEST(metadata_of(with({"call", "greet", R"({"name":"you"})"})).value("greeting", "") == "hello you");
}

BOOST_FIXTURE_TEST_CASE(a_folder_stands_for_its_libraries, Built) {
  const std::string folder = scratch.path() + "/several";
  fs::create_directory(folder);
  const Finished empty = wtool({"--plugin", folder, "tools"});
  BOOST_TEST(empty.exit_code == 2);
  BOOST_TEST(empty.err.find(folder + " of --plugin has no *.so") != std::string::npos, empty.err);
  fs::copy_file(clock, folder + "/clock_tools.so");
  fs::copy_file(greeter, folder + "/greeter.so");
  BOOST_TEST(json::parse(wtool({"--plugin", folder, "tools", "--json"}).out).size() == 3u);
}

BOOST_FIXTURE_TEST_CASE(names_that_clash_are_refused_with_both_files, Built) {
  const std::string other = scratch.path() + "/other.so";
  fs::copy_file(greeter, other);
  const Finished done = wtool({"--plugin", greeter, "--plugin", clock, "--plugin", other, "tools"});
  BOOST_TEST(done.exit_code == 2);
  BOOST_TEST(done.out == "");
  BOOST_TEST(done.err.find("the tool greet is in two plugins, " + greeter + " and " + other) != std::string::npos,
             done.err);
}

BOOST_FIXTURE_TEST_CASE(one_plugin_that_does_not_work_stops_all, Built) {
  const Finished done = wtool({"--plugin", greeter, "--plugin", scratch.file("text.so", "no library"), "tools"});
  BOOST_TEST(done.exit_code == 2);
  BOOST_TEST(done.err.find("text.so cannot be used") != std::string::npos, done.err);
}

BOOST_FIXTURE_TEST_CASE(a_watch_sees_a_file_change, Built) {
  const std::string file = scratch.file("watched", "before");
  Program watch({WTOOL_TEST_PROGRAM, "--plugin", clock, "call", "file_watch", "--stream",
                 R"({"wait_ms":60000,"path":")" + file + "\"}"},
                Program::On::terminal);
  BOOST_REQUIRE(watch.wait_for_output("watching"));
  scratch.file("watched", "after");
  BOOST_TEST(watch.wait().exit_code == 0);
  BOOST_TEST(watch.output().find("It has changed.") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_plugin_in_rust_fetches_a_page_and_has_no_finding) {
  if (!is_installed("rustc")) {
    BOOST_TEST_MESSAGE("skipped: rustc is not installed");
    return;
  }
  const ScratchFolder scratch;
  const std::string library = scratch.path() + "/fetch_tools.so";
  BOOST_REQUIRE_EQUAL(build_rust_plugin("fetch_tools.rs", library), "");
  const PageServer server;
  const std::string arguments = R"({"url":")" + server.url() + "\"}";
  const Finished fetched = run({WTOOL_TEST_PROGRAM, "--plugin", library, "call", "http_fetch", arguments});
  BOOST_TEST(metadata_of(fetched).value("status", 0) == 200, fetched.out << fetched.err);
  BOOST_TEST(metadata_of(fetched).value("bytes", 0) == 6);
  const Finished elsewhere =
      run({WTOOL_TEST_PROGRAM, "--plugin", library, "call", "http_fetch", R"({"url":"http://10.0.0.1:80/"})"});
  BOOST_TEST(elsewhere.exit_code == 1);
  const Finished checked = run({WTOOL_TEST_PROGRAM, "check", library, "--arguments", arguments, "--timeout", "30"});
  BOOST_TEST(checked.exit_code == 0, checked.out << checked.err);
}
