// `wtool approve`: questions of `wtool mcp` for a client without forms, answered by another process; and who may not
// answer.
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <list>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/mcp_client.h"
#include "support/text.h"
#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(approve_test)

using namespace wtool::test;
using Json = nlohmann::json;

namespace {

namespace fs = std::filesystem;

// A server that asks before it runs `touch`, a client without forms, and the person's other terminal.
struct Waiting {
  ScratchFolder folder;
  Mark mark;
  McpClient client;

  explicit Waiting(const std::string& mcp = "results: both")
      : client({"--config", folder.file("c.yaml", "commands: {ask: [touch], approvals: keep/approvals.json}\nmcp: {" +
                                                      mcp + "}\n")},
               {.set = {{"XDG_RUNTIME_DIR", folder.path()}, {"WTOOL_TEST_MARK", mark.text()}}}) {
    client.initialize();
  }
  std::string file() const { return folder.path() + "/made"; }
  bool made() const { return fs::exists(file()); }
  Json touch() { return client.call("touch " + file()); }
  std::string sockets() const { return folder.path() + "/wtool/approve"; }
  std::string socket() const { return sockets() + '/' + std::to_string(client.program.pid()) + ".sock"; }
  // The id of the next question: a server numbers its questions.
  std::string next_id() { return std::to_string(client.program.pid()) + '-' + std::to_string(++asked); }
  int asked = 0;

  ProgramOptions outside() const { return {.set = {{"XDG_RUNTIME_DIR", folder.path()}}}; }
  Finished approve(std::vector<std::string> words) const {
    words.insert(words.begin(), {WTOOL_TEST_PROGRAM, "approve"});
    return run(words, outside());
  }
  bool waits(const std::string& id) const { return holds(approve({}).out, id + ", "); }
  void wait_until_asked(const std::string& id) const {
    BOOST_REQUIRE(wait_until([&] { return waits(id); }, within(1000)));
  }
};

// A connection that the test itself makes.
class Peer {
 public:
  explicit Peer(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() { ::close(socket_); }

  void send(const Json& what) const {
    const std::string line = what.dump() + '\n';
    if (::send(socket_, line.data(), line.size(), MSG_NOSIGNAL) < 0) {
    }
  }
  // Empty at the end of the input.
  std::string read_line() const {
    std::string line;
    for (char byte = 0; ::recv(socket_, &byte, 1, 0) == 1 && byte != '\n';) line += byte;
    return line;
  }
  std::string read_until(std::string_view part) const {
    std::string line;
    do line = read_line();
    while (!line.empty() && !holds(line, part));
    return line;
  }

 private:
  const int socket_;
};

// A process that asks, but is not a server: it sends the same text to everybody who connects.
class Impostor {
 public:
  // Makes the folder, and the socket that a server with the process id `number` would have there.
  Impostor(const std::string& folder, std::string text, pid_t number = ::getpid())
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), text_(std::move(text)) {
    fs::create_directories(folder);
    fs::permissions(folder, fs::perms(0700));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (folder + '/' + std::to_string(number) + ".sock").copy(address.sun_path, sizeof address.sun_path - 1);
    BOOST_REQUIRE(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    BOOST_REQUIRE(::listen(socket_, 4) == 0);
    thread_ = std::thread([this] { serve(); });
  }
  Impostor(const Impostor&) = delete;
  Impostor& operator=(const Impostor&) = delete;
  ~Impostor() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }

 private:
  void serve() const {
    for (int peer = 0; (peer = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; ::close(peer)) {
      char byte = 0;
      if (::send(peer, text_.data(), text_.size(), MSG_NOSIGNAL) < 0 || ::recv(peer, &byte, 1, 0) < 0) continue;
    }
  }

  const int socket_;
  const std::string text_;
  std::thread thread_;
};

std::string code_of(const Json& answer) {
  return answer.at("result").at("structuredContent").at("error").at("code").get<std::string>();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_question_waits_and_is_answered_by_another_process) {
  Waiting place;
  BOOST_TEST(!fs::exists(place.sockets()));
  const std::string id = place.next_id();
  const Json call = place.touch();
  place.wait_until_asked(id);
  const Finished shown = place.approve({id});
  BOOST_TEST(holds(shown.out, "touch " + place.file()), shown.out);
  BOOST_TEST(holds(shown.out, "commands.ask"), shown.out);
  BOOST_TEST(holds(shown.out, "test"), shown.out);
  BOOST_TEST(!place.made());
  const Finished given = place.approve({id, "--answer", "yes"});
  BOOST_TEST(given.exit_code == 0, given.err);
  BOOST_TEST(place.client.answer(call).at("result").at("isError") == false);
  BOOST_TEST(place.made());
  BOOST_TEST(place.approve({}).out == "no question waits\n");
  const Finished late = place.approve({id, "--answer", "yes"});
  BOOST_TEST(late.exit_code == 1);
  BOOST_TEST(holds(late.err, id), late.err);
  place.client.program.end_input();
  const Finished end = place.client.program.wait();
  BOOST_TEST(holds(end.err, "wtool approve " + id), end.err);
  BOOST_TEST(fs::is_empty(place.sockets()));
}

BOOST_AUTO_TEST_CASE(no_is_for_once_and_always_and_never_are_kept) {
  for (const std::string word : {"no", "always", "never"}) {
    Waiting place;
    const std::string id = place.next_id();
    const Json call = place.touch();
    place.wait_until_asked(id);
    BOOST_TEST(place.approve({id, "--answer", word}).exit_code == 0);
    const Json answer = place.client.answer(call);
    BOOST_TEST(place.made() == (word == "always"));
    if (word != "always") BOOST_TEST(code_of(answer) == "approval_denied");
    const Json again = place.touch();
    if (word == "no") {
      place.wait_until_asked(place.next_id());
    } else {
      BOOST_TEST(place.client.answer(again).at("result").at("isError") == (word == "never"));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_person_answers_on_a_terminal) {
  Waiting place;
  const Json call = place.touch();
  const std::string id = place.next_id();
  place.wait_until_asked(id);
  Program person({WTOOL_TEST_PROGRAM, "approve"}, Program::On::terminal, place.outside());
  BOOST_TEST(person.wait_for_output("Allow this?"));
  BOOST_TEST(holds(person.output(), "touch"), person.output());
  person.type("yes\r");
  BOOST_TEST(person.wait().exit_code == 0);
  BOOST_TEST(place.client.answer(call).at("result").at("isError") == false);
  BOOST_TEST(place.made());
}

BOOST_AUTO_TEST_CASE(the_status_says_that_a_shown_question_was_taken_back) {
  Waiting place;
  const Json call = place.touch();
  place.wait_until_asked(place.next_id());
  Program person({WTOOL_TEST_PROGRAM, "approve"}, Program::On::terminal, place.outside());
  BOOST_TEST(person.wait_for_output("Allow this?"));
  place.client.notify("notifications/cancelled", {{"requestId", call}});
  BOOST_TEST(person.wait_for_output("withdrawn"));
  BOOST_TEST(person.wait().exit_code == 1);
}

BOOST_AUTO_TEST_CASE(watching_shows_new_questions_and_withdraws_those_that_are_over) {
  Waiting place;
  Program person({WTOOL_TEST_PROGRAM, "approve", "--watch"}, Program::On::terminal, place.outside());
  BOOST_REQUIRE(wait_until([&] { return fs::exists(place.sockets()); }, within(1000)));
  const Json first = place.touch();
  BOOST_TEST(person.wait_for_output(place.next_id()));
  BOOST_TEST(person.wait_for_output("Allow this?"));
  place.client.notify("notifications/cancelled", {{"requestId", first}});
  BOOST_TEST(person.wait_for_output("withdrawn"));
  const Json second = place.touch();
  BOOST_TEST(person.wait_for_output(place.next_id()));
  BOOST_TEST(person.wait_for([&] { return person.output().rfind("Allow this?") > person.output().find("withdrawn"); }));
  person.type("y\r");
  BOOST_TEST(place.client.answer(second).at("result").at("isError") == false);
  person.type("\x03");
  BOOST_TEST(person.wait().signal == SIGINT);
}

BOOST_AUTO_TEST_CASE(each_of_several_questions_is_shown_with_the_number_of_those_behind_it) {
  Waiting place;
  std::vector<Json> calls;
  for (int i = 0; i < 3; ++i) {
    calls.push_back(place.touch());
    place.wait_until_asked(place.next_id());
  }
  Program person({WTOOL_TEST_PROGRAM, "approve"}, Program::On::terminal, place.outside());
  const std::array<const char*, 3> headings{"; 2 more questions wait\r\n", "; 1 more question waits\r\n", " UTC\r\n"};
  const std::string process = std::to_string(place.client.program.pid()) + '-';
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::string begin = process + std::to_string(i + 1) + ", ";
    BOOST_TEST_REQUIRE(person.wait_for_output(begin), person.output());
    BOOST_TEST_REQUIRE(person.wait_for([&] {
      const std::string shown = person.output();
      const std::size_t at = shown.find(begin);
      return shown.find("[no]: ", at) != std::string::npos && shown.find(headings[i], at) != std::string::npos;
    }),
                       person.output());
    person.type("yes\r");
    BOOST_TEST(place.client.answer(calls[i]).at("result").at("isError") == false);
  }
  BOOST_TEST(person.wait().exit_code == 0);
}

BOOST_AUTO_TEST_CASE(questions_that_come_while_another_one_is_shown_are_shown_next) {
  for (const bool watches : {false, true}) {
    Waiting place;
    const Json first = place.touch();
    place.wait_until_asked(place.next_id());
    std::vector<std::string> words{WTOOL_TEST_PROGRAM, "approve"};
    if (watches) words.emplace_back("--watch");
    Program person(words, Program::On::terminal, place.outside());
    BOOST_TEST_REQUIRE(person.wait_for_output("[no]: "), person.output());
    const Json second = place.touch();
    const std::string id = place.next_id();
    place.wait_until_asked(id);
    person.type("yes\r");
    BOOST_TEST(place.client.answer(first).at("result").at("isError") == false);
    BOOST_TEST_REQUIRE(person.wait_for_output(id), person.output());
    BOOST_TEST_REQUIRE(
        person.wait_for([&] { return person.output().find("[no]: ", person.output().find(id)) != std::string::npos; }),
        person.output());
    person.type("yes\r");
    BOOST_TEST(place.client.answer(second).at("result").at("isError") == false);
    if (watches) person.type("\x03");
    person.wait();
  }
}

BOOST_AUTO_TEST_CASE(the_first_question_of_another_server_that_comes_while_one_is_shown_is_shown_next) {
  Waiting place;
  const Json first = place.touch();
  place.wait_until_asked(place.next_id());
  Program person({WTOOL_TEST_PROGRAM, "approve"}, Program::On::terminal, place.outside());
  BOOST_TEST_REQUIRE(person.wait_for_output("[no]: "), person.output());
  McpClient other({"--config", place.folder.path() + "/c.yaml"}, place.outside());
  other.initialize();
  const Json second = other.call("touch " + place.folder.path() + "/made-by-another-server");
  place.wait_until_asked(std::to_string(other.program.pid()) + "-1");
  person.type("yes\r");
  BOOST_TEST(place.client.answer(first).at("result").at("isError") == false);
  BOOST_TEST_REQUIRE(person.wait_for_output("made-by-another-server"), person.output());
  BOOST_TEST_REQUIRE(person.wait_for([&] {
    return person.output().find("[no]: ", person.output().find("made-by-another-server")) != std::string::npos;
  }),
                     person.output());
  person.type("yes\r");
  BOOST_TEST(other.answer(second).at("result").at("isError") == false);
  person.wait();
}

BOOST_AUTO_TEST_CASE(only_a_client_that_shows_no_forms_is_told_how_to_answer) {
  for (const char* version : {"2025-11-25", "2026-07-28"}) {
    for (const bool forms : {false, true}) {
      McpClient client({}, {}, version);
      const Json capabilities = forms ? Json{{"elicitation", Json::object()}} : Json::object();
      const std::string prefix = "io.modelcontextprotocol/";
      const Json said =
          std::string(version) == "2025-11-25"
              ? client.initialize(capabilities)
              : client.ask("server/discover",
                           {{"_meta",
                             {{prefix + "protocolVersion", version}, {prefix + "clientCapabilities", capabilities}}}});
      BOOST_TEST(holds(said.at("result").at("instructions").get<std::string>(), "wtool approve") == !forms);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_workflow_that_asks_is_answered_and_continues) {
  for (const char* version : {"2025-11-25", "2026-07-28"}) {
    const ScratchFolder folder;
    fs::create_directory(folder.path() + "/tools");
    folder.file(
        "tools/a.md",
        "---\ntool: true\n---\n\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> [*]\n```\n\n## Actions\n\n"
        "- A: Wait for user confirmation \"Deploy now?\"\n- B: Shell \"touch deployed\"\n");
    const ProgramOptions here{.directory = folder.path(), .set = {{"XDG_RUNTIME_DIR", folder.path()}}};
    McpClient client({"--workflows", "tools"}, here, version);
    Json params{{"name", "a"}, {"arguments", Json::object()}};
    if (std::string(version) == "2025-11-25") {
      client.initialize();
    } else {
      const std::string prefix = "io.modelcontextprotocol/";
      params["_meta"] = {{prefix + "protocolVersion", version}, {prefix + "clientCapabilities", Json::object()}};
    }
    const Json call = client.request("tools/call", params);
    const std::string id = std::to_string(client.program.pid()) + "-1";
    const auto approve = [&](std::vector<std::string> words) {
      words.insert(words.begin(), {WTOOL_TEST_PROGRAM, "approve"});
      return run(words, here);
    };
    BOOST_REQUIRE(wait_until([&] { return holds(approve({}).out, "Deploy now?"); }, within(1000)));
    BOOST_TEST(approve({id, "--answer", "yes"}).exit_code == 0);
    const Json result = client.answer(call).at("result");
    BOOST_TEST(result.at("isError") == false, result.dump());
    BOOST_TEST(fs::exists(folder.path() + "/deployed"));
  }
}

BOOST_AUTO_TEST_CASE(a_run_that_its_question_has_suspended_is_answered_before_it_continues) {
  for (const bool by_state : {false, true}) {
    const ScratchFolder folder;
    fs::create_directory(folder.path() + "/tools");
    folder.file("tools/a.md",
                "---\ntool: true\n---\n\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> [*]\n```\n\n"
                "## Actions\n\n- A: Shell \"echo a >> did\"\n- B: Shell \"touch made\"\n");
    const std::string config = folder.file("c.yaml", "commands: {ask: [touch]}\n");
    const ProgramOptions here{.directory = folder.path(), .set = {{"XDG_RUNTIME_DIR", folder.path()}}};
    McpClient client({"--config", config, "--workflows", "tools"}, here, "2026-07-28");
    const std::string prefix = "io.modelcontextprotocol/";
    Json params{{"name", "a"},
                {"arguments", Json::object()},
                {"_meta",
                 {{prefix + "protocolVersion", "2026-07-28"},
                  {prefix + "clientCapabilities", {{"elicitation", Json::object()}}}}}};
    const Json asking = client.ask("tools/call", params).at("result");
    BOOST_TEST(asking.at("resultType") == "input_required");
    const std::string id = std::to_string(client.program.pid()) + "-1";
    const Finished shown = run({WTOOL_TEST_PROGRAM, "approve", id}, here);
    BOOST_TEST(holds(shown.out, "touch made"), shown.out + shown.err);
    BOOST_TEST(holds(shown.out, "continues with its next call"), shown.out);
    BOOST_TEST(run({WTOOL_TEST_PROGRAM, "approve", id, "--answer", "yes"}, here).exit_code == 0);
    BOOST_TEST(run({WTOOL_TEST_PROGRAM, "approve"}, here).out == "no question waits\n");
    if (by_state) {
      params["requestState"] = asking.at("requestState");
    } else {
      for (const auto& file : fs::directory_iterator(folder.path() + "/.wtool/runs")) {
        if (file.path().extension() == ".jsonl") params["arguments"]["resume"] = file.path().stem().string();
      }
    }
    const Json result = client.ask("tools/call", params).at("result");
    BOOST_TEST(result.value("isError", true) == false, result.dump());
    BOOST_TEST(fs::exists(folder.path() + "/made"));
    BOOST_TEST(content_of(folder.path() + "/did") == "a\n");
  }
}

BOOST_AUTO_TEST_CASE(a_deadline_refuses_and_says_so) {
  Waiting place("results: both, approve_within: 1");
  const Json answer = place.client.answer(place.touch());
  BOOST_TEST(code_of(answer) == "approval_unavailable");
  BOOST_TEST(holds(answer.dump(), "Nobody answered in time"), answer.dump());
  BOOST_TEST(!place.made());
  BOOST_TEST(place.approve({}).out == "no question waits\n");
}

BOOST_AUTO_TEST_CASE(without_a_time_to_wait_nobody_is_asked) {
  Waiting place("results: both, approve_within: none");
  BOOST_TEST(code_of(place.client.answer(place.touch())) == "approval_unavailable");
  BOOST_TEST(!fs::exists(place.sockets()));
}

BOOST_AUTO_TEST_CASE(a_cancelled_call_takes_its_question_back) {
  Waiting place;
  const Json call = place.touch();
  const std::string id = place.next_id();
  place.wait_until_asked(id);
  place.client.notify("notifications/cancelled", {{"requestId", call}});
  BOOST_TEST(wait_until([&] { return !place.waits(id); }, within(1000)));
  BOOST_TEST(place.approve({id, "--answer", "yes"}).exit_code == 1);
  BOOST_TEST(place.client.ask("ping").contains("result"));
  BOOST_TEST(!place.client.has_answer(call));
  BOOST_TEST(!place.made());
}

BOOST_AUTO_TEST_CASE(the_end_of_the_input_ends_a_waiting_question) {
  Waiting place;
  place.touch();
  place.wait_until_asked(place.next_id());
  place.client.program.end_input();
  BOOST_TEST(place.client.program.wait().exit_code == 0);
  BOOST_TEST(!place.made());
  BOOST_TEST(fs::is_empty(place.sockets()));
}

BOOST_AUTO_TEST_CASE(a_command_becomes_a_job_while_its_question_waits) {
  Waiting place("results: both, answer_within: 1");
  const Json call = place.touch();
  BOOST_TEST(place.client.answer(call).at("result").at("structuredContent").at("job") == 1);
  const std::string id = place.next_id();
  BOOST_TEST(place.approve({id, "--answer", "yes"}).exit_code == 0);
  BOOST_TEST(wait_until([&] { return place.made(); }, within(1000)));
}

BOOST_AUTO_TEST_CASE(no_process_of_a_call_can_answer) {
  Waiting place;
  const Json call = place.touch();
  const std::string id = place.next_id();
  place.wait_until_asked(id);
  const std::string answer = std::string(WTOOL_TEST_PROGRAM) + " approve " + id + " --answer yes 2>&1";
  const std::string list = std::string(WTOOL_TEST_PROGRAM) + " approve 2>&1";
  // A daemon answers, too: its parent has ended by then, and it has a session of its own.
  place.folder.file("asks.sh", "read go < go\n" + answer + " > out\necho > done\n");
  place.folder.file("daemon.sh", "mkfifo go done\n(setsid sh asks.sh &)\necho > go\nread end < done\ncat out\n");
  for (const std::string& command : {answer, "setsid -w " + answer, list, std::string("sh daemon.sh")}) {
    const Json result = place.client.run(
        command,
        {{"arguments",
          {{"working_directory", place.folder.path()}, {"environment", {{"XDG_RUNTIME_DIR", place.folder.path()}}}}}});
    BOOST_TEST(holds(result.dump(), "no process of a call may answer"), command + ": " + result.dump());
    BOOST_TEST(!holds(result.dump(), "touch"), result.dump());
    BOOST_TEST(place.waits(id));
    BOOST_TEST(!place.made());
  }
  BOOST_TEST(place.approve({id, "--answer", "no"}).exit_code == 0);
  place.client.answer(call);
}

BOOST_AUTO_TEST_CASE(a_server_that_was_killed_leaves_nothing_in_the_way) {
  Waiting place;
  place.touch();
  place.wait_until_asked(place.next_id());
  BOOST_TEST((fs::status(place.socket()).permissions() == fs::perms(0600)));
  BOOST_TEST((fs::status(place.sockets()).permissions() == fs::perms(0700)));
  place.client.program.kill(SIGKILL);
  place.client.program.wait();
  BOOST_TEST(fs::exists(place.socket()));
  BOOST_TEST(place.approve({}).out == "no question waits\n");
  BOOST_TEST(!fs::exists(place.socket()));
}

BOOST_AUTO_TEST_CASE(a_socket_of_a_process_that_is_not_seen_stays_while_it_listens) {
  const ScratchFolder folder;
  const std::string sockets = folder.path() + "/wtool/approve";
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  ::waitpid(ended, nullptr, 0);
  const std::string socket = sockets + '/' + std::to_string(ended) + ".sock";
  const ProgramOptions here{.set = {{"XDG_RUNTIME_DIR", folder.path()}}};
  {
    const Impostor listening(sockets, "", ended);
    BOOST_TEST(run({WTOOL_TEST_PROGRAM, "approve"}, here).out == "no question waits\n");
    BOOST_TEST(fs::exists(socket));
  }
  BOOST_TEST(run({WTOOL_TEST_PROGRAM, "approve"}, here).out == "no question waits\n");
  BOOST_TEST(!fs::exists(socket));
}

BOOST_AUTO_TEST_CASE(nobody_answers_for_another_user,
                     *boost::unit_test::precondition([](boost::unit_test::test_unit_id) { return ::geteuid() == 0; })) {
  Waiting place;
  place.touch();
  const std::string id = place.next_id();
  place.wait_until_asked(id);
  // Even if the folder is open to others, the server checks who connects.
  for (const std::string& open : {place.folder.path(), place.folder.path() + "/wtool", place.sockets()}) {
    fs::permissions(open, fs::perms(0755));
  }
  fs::permissions(place.socket(), fs::perms(0666));
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  const pid_t other = ::fork();
  if (other == 0) {
    if (::setresgid(65534, 65534, 65534) == 0 && ::setresuid(65534, 65534, 65534) == 0) {
      const std::string line = Peer(place.socket()).read_line();
      if (::write(ends[1], line.data(), line.size()) < 0) {
      }
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  ::waitpid(other, nullptr, 0);
  std::string said(4096, ' ');
  said.resize(static_cast<std::size_t>(std::max<ssize_t>(::read(ends[0], said.data(), said.size()), 0)));
  ::close(ends[0]);
  BOOST_TEST(holds(said, "another user"), said);
  BOOST_TEST(!holds(said, "nonce"), said);
  // A folder that is open to others is not trusted, either.
  BOOST_TEST(!holds(place.approve({}).out, id));
}

BOOST_AUTO_TEST_CASE(an_answer_counts_only_from_the_process_that_connected) {
  Waiting place;
  place.touch();
  const std::string id = place.next_id();
  place.wait_until_asked(id);
  const Json answer{{"id", id}, {"answer", "yes"}};
  Peer without_nonce(place.socket());
  without_nonce.send(answer);
  BOOST_TEST(holds(without_nonce.read_until("refused"), "nonce"));
  Peer passed_on(place.socket());
  Json with_nonce = answer;
  with_nonce["nonce"] = Json::parse(passed_on.read_line()).at("nonce");
  const pid_t child = ::fork();
  if (child == 0) {
    passed_on.send(with_nonce);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  BOOST_TEST(holds(passed_on.read_until("refused"), "another process"));
  BOOST_TEST(place.waits(id));
  BOOST_TEST(!place.made());
}

BOOST_AUTO_TEST_CASE(an_answer_is_never_for_another_question_than_the_one_shown) {
  Waiting place;
  const Json call = place.touch();
  const std::string id = place.next_id();
  place.wait_until_asked(id);
  const Json harmless{{"id", id}, {"subject", R"({"command": "ls"})"}, {"until", 9'000'000'000'000'000'000}};
  const std::string state = place.folder.path() + "/state";
  const Impostor impostor(state + "/wtool/approve", Json{{"nonce", "1"}}.dump() + '\n' + Json{{"over", id}}.dump() +
                                                        '\n' + Json{{"asks", harmless}}.dump() + '\n' +
                                                        Json{{"ready", true}}.dump() + '\n');
  ProgramOptions outside = place.outside();
  outside.set["XDG_STATE_HOME"] = state;
  const Finished shown = run({WTOOL_TEST_PROGRAM, "approve"}, outside);
  BOOST_TEST(holds(shown.out, "touch " + place.file()), shown.out);
  BOOST_TEST(!holds(shown.out, "| ls"), shown.out);
  const Finished given = run({WTOOL_TEST_PROGRAM, "approve", id, "--answer", "no"}, outside);
  BOOST_TEST(given.exit_code == 0, given.err);
  BOOST_TEST(code_of(place.client.answer(call)) == "approval_denied");
}

BOOST_AUTO_TEST_CASE(a_process_that_says_nothing_hides_no_question) {
  Waiting place;
  const Json call = place.touch();
  const std::string id = place.next_id();
  place.wait_until_asked(id);
  const std::string runtime = place.folder.path() + "/first";
  const Impostor silent(runtime + "/wtool/approve", "");
  // The impostor's folder is searched first.
  const Finished shown = run({WTOOL_TEST_PROGRAM, "approve"},
                             {.set = {{"XDG_RUNTIME_DIR", runtime}, {"XDG_STATE_HOME", place.folder.path()}}});
  BOOST_TEST(holds(shown.err, "did not send its questions in time"), shown.err);
  BOOST_TEST(holds(shown.out, id + ", "), shown.out);
}

BOOST_AUTO_TEST_CASE(many_processes_that_say_nothing_take_no_longer_than_one) {
  const ScratchFolder folder;
  std::list<Program> processes;
  std::list<Impostor> silent;
  for (int i = 0; i < 10; ++i) {
    processes.emplace_back(std::vector<std::string>{"sleep", "61"}, Program::On::pipes);
    silent.emplace_back(folder.path() + "/wtool/approve", "", processes.back().pid());
  }
  const auto began = std::chrono::steady_clock::now();
  const Finished shown = run({WTOOL_TEST_PROGRAM, "approve"}, {.set = {{"XDG_RUNTIME_DIR", folder.path()}}});
  // One silent process alone takes five seconds.
  BOOST_TEST((std::chrono::steady_clock::now() - began < std::chrono::seconds(10)));
  std::size_t refusals = 0;
  for (std::size_t at = 0; (at = shown.err.find("did not send its questions in time", at)) != std::string::npos; ++at) {
    ++refusals;
  }
  BOOST_TEST(refusals == silent.size(), shown.err);
  for (Program& process : processes) process.kill(SIGKILL);
}

BOOST_AUTO_TEST_CASE(a_process_that_never_ends_its_line_is_given_up) {
  const ScratchFolder folder;
  const Impostor impostor(folder.path() + "/wtool/approve", std::string(std::size_t{65} << 20, ' '));
  const Finished finished = run({WTOOL_TEST_PROGRAM, "approve"}, {.set = {{"XDG_RUNTIME_DIR", folder.path()}}});
  BOOST_TEST(finished.exit_code == 1);
  // Where 65 MiB take longer than five seconds, the process is given up for its silence first.
  const bool slow = finished.took >= std::chrono::seconds(5);
  const bool in_time = !holds(finished.err, "did not send its questions in time");
  BOOST_TEST(((slow && !in_time) || holds(finished.err, "a line that is too long")), finished.err);
}

BOOST_AUTO_TEST_CASE(an_answer_without_a_question_is_wrong_usage) {
  const ScratchFolder folder;
  const ProgramOptions here{.set = {{"XDG_RUNTIME_DIR", folder.path()}}};
  const Finished finished = run({WTOOL_TEST_PROGRAM, "approve", "--answer", "yes"}, here);
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(holds(finished.err, "ID"), finished.err);
  BOOST_TEST(run({WTOOL_TEST_PROGRAM, "approve", "1-1", "--answer", "maybe"}, here).exit_code == 2);
}

BOOST_AUTO_TEST_CASE(what_only_a_run_or_only_a_question_takes_is_refused_for_the_other) {
  const ScratchFolder folder;
  const auto refusal = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {WTOOL_TEST_PROGRAM, "approve"});
    const Finished finished = run(words, {.directory = folder.path(), .set = {{"XDG_RUNTIME_DIR", folder.path()}}});
    BOOST_TEST(finished.exit_code == 2, finished.out);
    return finished.err;
  };
  folder.file(
      "w.md",
      "---\n---\n\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n\n## Actions\n\n- A: Log \"done\"\n");
  BOOST_REQUIRE(run({WTOOL_TEST_PROGRAM, "run", "w.md"}, {.directory = folder.path()}).exit_code == 0);
  BOOST_TEST(holds(refusal({"1-1", "--answer", "yes", "--comment", "fine"}),
                   "--comment, --state and --var are only for a run, but 1-1 is not a run"));
  BOOST_TEST(holds(refusal({"last", "--answer", "always"}),
                   "a run is answered with --answer yes or --answer no, not with always"));
  BOOST_TEST(holds(refusal({"last", "--comment", "fine"}), "--comment needs --answer"));
  BOOST_TEST(holds(refusal({"last", "--answer", "no", "--comment", std::string(2001, 'x')}),
                   "--comment has more than 2000 bytes"));
  BOOST_TEST(holds(refusal({"last", "--answer", "no", "--comment", "\xff"}), "--comment is not UTF-8"));
}

BOOST_AUTO_TEST_SUITE_END()
