// `wtool agent` with a fake host, which also sends orders that a real host never sends.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <wtool/ext/log.h>
#include <wtool/tool.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <ctime>
#include <map>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/pilot/channel.h"
#include "base/pilot/ticket.h"
#include "cluster/order.h"
#include "support/processes.h"
#include "support/program.h"

BOOST_AUTO_TEST_SUITE(pilot_agent_test)

using namespace wtool::test;
using nlohmann::json;
using std::chrono::milliseconds;
using wtool::Descriptor;
using wtool::cluster::Order;
using wtool::pilot::Channel;
using wtool::pilot::ChannelMessage;
using wtool::pilot::Ticket;
using wtool::pilot::Type;

namespace {

constexpr milliseconds patience{20'000};
constexpr std::size_t window = 128 << 10;

// What the pilot has sent about one call.
struct Reply {
  std::string output{}, errors{};
  bool started = false, running = false;
  std::optional<ChannelMessage> end{};  // of type result or failure

  std::string failure() const {
    BOOST_REQUIRE(end.has_value());
    BOOST_REQUIRE(static_cast<char>(end->type) == static_cast<char>(Type::failure));
    return end->text.substr(1);
  }
  wtool::cluster::OrderAnswer answer() const {
    BOOST_REQUIRE(end.has_value());
    BOOST_REQUIRE_MESSAGE(end->type == Type::result, end->text);
    const auto read = wtool::cluster::read_answer(std::string_view(end->text).substr(1));
    BOOST_REQUIRE(read.has_value());
    return *read;
  }
};

// Returns the port.
int bind_to_loopback(const Descriptor& socket) {
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  BOOST_REQUIRE(::bind(socket.get(), reinterpret_cast<sockaddr*>(&here), size) == 0);
  BOOST_REQUIRE(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&here), &size) == 0);
  return ntohs(here.sin_port);
}

// Listens on the loopback interface, as a host does, and gives one pilot its orders.
class FakeHost {
 public:
  FakeHost() : listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    ticket.addresses = {"127.0.0.1"};
    ticket.port = bind_to_loopback(listening_);
    BOOST_REQUIRE(::listen(listening_.get(), 8) == 0);
    ticket.idle_seconds = 20;
    ticket.directory = scratch.path();
    ticket.key = wtool::pilot::random_key();
  }

  // Starts the pilot, and writes the ticket for it. The pilot is killed when this object ends. `limit`: a command of the
  // shell that comes first.
  Program& start(std::map<std::string, std::string> variables = {}, const std::string& limit = ":") {
    ProgramOptions options;
    for (const char* name : {"SLURM_JOB_ID", "SLURM_JOB_END_TIME", "SLURM_CPUS_ON_NODE"}) {
      if (!variables.contains(name)) options.unset.emplace_back(name);
    }
    options.set = std::move(variables);
    std::string error;
    BOOST_REQUIRE_MESSAGE(wtool::pilot::write_ticket(scratch.path() + "/ticket", ticket, error), error);
    return program_.emplace(std::vector<std::string>{"/bin/sh", "-c", limit + "; exec \"$@\"", "sh", WTOOL_TEST_PROGRAM,
                                                     "agent", "--ticket", scratch.path() + "/ticket"},
                            Program::On::pipes, options);
  }

  // Accepts one connection, and returns what the pilot says about itself.
  json accept() {
    take_connection();
    const auto hello = channel_->wait(patience);
    BOOST_REQUIRE(hello.has_value());
    BOOST_REQUIRE(static_cast<char>(hello->type) == static_cast<char>(Type::hello));
    return json::parse(hello->text);
  }

  // Accepts one connection, and closes it unless both sides have the same key.
  bool shakes_hands() {
    take_connection();
    const bool open = channel_->wait(patience).has_value();
    channel_.reset();
    return open;
  }

  Channel& channel() { return *channel_; }
  Program& program() { return *program_; }
  void hang_up() { channel_.reset(); }

  void send(const std::string& call) { BOOST_REQUIRE(channel_->send(Type::call, call)); }
  void send(const Order& order) { send(head().dump() + '\0' + to_bytes(order)); }
  void cancel(int mode, const std::string& why) {
    BOOST_REQUIRE(channel_->send(Type::cancel, std::string(1, static_cast<char>(mode)) + why));
  }

  static json head(const std::string& config = "{}", int log_from = WTOOL_LOG_WARN) {
    return {{"tool", "engine_run"}, {"config", config}, {"call_id", "c-1"},
            {"log_from", log_from}, {"hold", false},    {"window", window}};
  }

  // Receives until `type` comes, and answers heartbeats.
  Reply until(Type type) {
    Reply reply;
    while (true) {
      std::optional<ChannelMessage> message = channel_->wait(patience);
      BOOST_REQUIRE_MESSAGE(message.has_value(), "nothing came; so far: " << reply.output << reply.errors);
      const Type came = message->type;
      if (came == Type::started) reply.started = true;
      if (came == Type::running) reply.running = true;
      if (came == Type::standard_output) reply.output += message->text;
      if (came == Type::standard_error) reply.errors += message->text;
      if (came == Type::standard_output || came == Type::standard_error) {
        taken_ += wtool::pilot::cost(message->text.size());
        tell_taken(false);
      }
      if (came == Type::beat) tell_taken(true);
      if (came == Type::result || came == Type::failure) reply.end = std::move(*message);
      if (came == type || reply.end) return reply;
    }
  }
  Reply reply() { return until(Type::result); }

  ScratchFolder scratch;
  Ticket ticket;

 private:
  void take_connection() {
    pollfd coming{listening_.get(), POLLIN, 0};
    BOOST_REQUIRE(::poll(&coming, 1, static_cast<int>(patience.count())) == 1);
    channel_.emplace(Descriptor(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC)), Channel::Side::host,
                     ticket.key);
  }
  void tell_taken(bool answers_beat) {
    std::string text;
    for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(taken_ >> shift & 0xffU);
    channel_->send(Type::taken, text + static_cast<char>(answers_beat ? 1 : 0));
  }

  Descriptor listening_;
  std::optional<Program> program_;
  std::optional<Channel> channel_;
  std::uint64_t taken_ = 0;
};

Order shell(const std::string& line, const std::string& mark = {}) {
  Order order;
  order.paths = {"/bin/sh"};
  order.arguments = {"sh", "-c", line};
  order.variables = {"PATH=/usr/bin:/bin"};
  if (!mark.empty()) order.variables.push_back("WTOOL_TEST_MARK=" + mark);
  order.shell = "/bin/sh";
  order.directory = "/";
  order.grace = milliseconds(100);
  order.capture_bytes = 4096;
  order.tells_start = true;
  return order;
}

template <typename Ending>
const Ending& ending(const wtool::cluster::OrderAnswer& answer) {
  const auto* outcome = std::get_if<wtool::engine::CommandOutcome>(&answer.result);
  BOOST_REQUIRE(outcome != nullptr);
  BOOST_REQUIRE(std::holds_alternative<Ending>(outcome->termination));
  return std::get<Ending>(outcome->termination);
}

void check_contains(const std::string& text, const std::string& part) {
  BOOST_TEST(text.find(part) != std::string::npos, text << " does not contain " << part);
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_order_that_is_not_understood_is_refused_and_the_next_one_runs) {
  FakeHost host;
  host.start();
  host.accept();
  const auto refusal = [&](const std::string& call) {
    host.send(call);
    const Reply reply = host.reply();
    BOOST_TEST(reply.started);
    return reply.failure();
  };
  const std::string arguments = '\0' + to_bytes(shell("echo no"));
  BOOST_TEST(refusal("no zero byte") == "the order of the call is malformed");
  BOOST_TEST(refusal("[1]" + arguments) == "the order of the call is malformed");
  BOOST_TEST(refusal("{}" + arguments).starts_with("the order of the call is malformed: "));
  auto other = FakeHost::head();
  other["tool"] = "shell_execute";
  BOOST_TEST(refusal(other.dump() + arguments) == "a pilot runs only engine_run, not shell_execute");
  other = FakeHost::head();
  other["window"] = "large";
  BOOST_TEST(refusal(other.dump() + arguments).starts_with("the order of the call is malformed: "));
  check_contains(refusal(FakeHost::head(R"({"limits": {"processes": -1}})").dump() + arguments), "limits.processes");
  check_contains(refusal(FakeHost::head().dump() + std::string(1, '\0') + "not CBOR"),
                 "the host's order is not understood");
  Order gone = shell("echo no");
  gone.ends_session = true;
  gone.session = "s-9";
  check_contains(refusal(FakeHost::head().dump() + '\0' + to_bytes(gone)), "there is no session s-9 here");

  host.send(shell("echo out; echo err >&2; exit 3"));
  const Reply reply = host.reply();
  BOOST_TEST(ending<wtool::engine::Exited>(reply.answer()).status == 3);
  BOOST_TEST(reply.output == "out\n");
  BOOST_TEST(reply.errors == "err\n");
}

BOOST_AUTO_TEST_CASE(a_command_whose_directory_is_missing_on_the_node_does_not_start) {
  FakeHost host;
  host.start();
  host.accept();
  Order order = shell("echo no");
  order.directory = host.scratch.path() + "/missing";
  host.send(order);
  const Reply reply = host.reply();
  const auto answer = reply.answer();
  BOOST_TEST(ending<wtool::engine::NotStarted>(answer).error == ENOENT);
  BOOST_TEST(reply.output == "");
}

BOOST_AUTO_TEST_CASE(a_flood_of_output_waits_for_the_host_and_comes_whole) {
  FakeHost host;
  host.start();
  host.accept();
  host.send(shell("head -c 3000000 /dev/zero"));
  const Reply reply = host.reply();
  ending<wtool::engine::Exited>(reply.answer());
  BOOST_TEST(reply.output.size() == 3'000'000U);
}

BOOST_AUTO_TEST_CASE(a_command_ends_when_its_host_cancels_it) {
  FakeHost host;
  host.start();
  host.accept();
  const Mark mark;
  host.send(shell("sleep 60 & sleep 61", mark.text()));
  BOOST_TEST(host.until(Type::running).running);
  host.cancel(WTOOL_CANCEL_NOW, "enough");
  const Reply reply = host.reply();
  BOOST_TEST(ending<wtool::engine::Cancelled>(reply.answer()).reason == "enough");
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(a_command_ends_with_the_connection_to_its_host_and_so_does_the_pilot) {
  FakeHost host;
  Program& pilot = host.start();
  host.accept();
  const Mark mark;
  host.send(shell("sleep 60 & sleep 61", mark.text()));
  host.until(Type::running);
  host.hang_up();
  BOOST_TEST(pilot.wait().exit_code == 1);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

void check_cancelled_job(const std::string& limit) {
  FakeHost host;
  Program& pilot = host.start({}, limit);
  host.accept();
  const Mark mark;
  host.send(shell("sleep 60", mark.text()));
  host.until(Type::running);
  pilot.kill(SIGTERM);
  const Reply reply = host.reply();
  BOOST_TEST(ending<wtool::engine::Cancelled>(reply.answer()).reason == "the job was cancelled or preempted");
  const auto last = host.channel().wait(patience);
  BOOST_REQUIRE(last.has_value());
  BOOST_TEST(static_cast<char>(last->type) == static_cast<char>(Type::leaving));
  const Finished finished = pilot.wait();
  BOOST_TEST(finished.exit_code == 0);
  check_contains(finished.err, "the job was cancelled or preempted");
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(a_pilot_whose_job_is_cancelled_ends_its_call_and_says_that_it_leaves) { check_cancelled_job(":"); }

// With such a limit, the pilot does not run in the first thread of its process.
BOOST_AUTO_TEST_CASE(a_pilot_with_a_low_stack_limit_notices_that_its_job_is_cancelled) {
  check_cancelled_job("ulimit -s 4096");
}

BOOST_AUTO_TEST_CASE(a_pilot_without_calls_leaves_after_its_idle_time) {
  FakeHost host;
  host.ticket.idle_seconds = 3;
  Program& pilot = host.start();
  host.accept();
  BOOST_TEST(static_cast<char>(host.channel().wait(patience).value().type) == static_cast<char>(Type::leaving));
  const Finished finished = pilot.wait();
  BOOST_TEST(finished.exit_code == 0);
  check_contains(finished.err, "no call came for 3 seconds");
}

BOOST_AUTO_TEST_CASE(a_pilot_leaves_before_its_job_ends) {
  FakeHost host;
  host.ticket.ending_seconds = 10;
  Program& pilot = host.start({{"SLURM_JOB_ID", "17"},
                               {"SLURMD_NODENAME", "n7"},
                               {"SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + 18)}});
  const json hello = host.accept();
  BOOST_TEST(hello.at("job") == "17");
  BOOST_TEST(hello.at("node") == "n7");
  BOOST_TEST(hello.at("full") <= 8);
  BOOST_TEST(hello.at("left") <= hello.at("full"));
  BOOST_TEST(static_cast<char>(host.channel().wait(patience).value().type) == static_cast<char>(Type::leaving));
  check_contains(pilot.wait().err, "the job's time is nearly over");
}

BOOST_AUTO_TEST_CASE(a_pilot_names_each_address_at_which_it_finds_no_host) {
  FakeHost host;
  host.ticket.addresses = {"localhost", "127.0.0.1", "::1"};
  host.ticket.idle_seconds = 1;
  // This socket takes a port, and does not listen there.
  const Descriptor silent(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  host.ticket.port = bind_to_loopback(silent);
  const Finished finished = host.start().wait();
  BOOST_TEST(finished.exit_code == 1);
  check_contains(
      finished.err,
      "the host cannot be reached: localhost: the address is not numeric; 127.0.0.1: Connection refused; ::1: ");
}

BOOST_AUTO_TEST_CASE(a_pilot_does_not_serve_a_host_with_another_key) {
  FakeHost host;
  Program& pilot = host.start();
  host.ticket.key = wtool::pilot::random_key();
  BOOST_TEST(!host.shakes_hands());
  const Finished finished = pilot.wait();
  BOOST_TEST(finished.exit_code == 1);
  check_contains(finished.err, "127.0.0.1: the host did not prove that it has the same key as this pilot");
}

BOOST_AUTO_TEST_CASE(a_node_without_the_working_directory_of_the_host_says_so_and_runs_nothing) {
  FakeHost host;
  host.ticket.directory = host.scratch.path() + "/missing";
  Program& pilot = host.start();
  const std::string problem = "the host's working directory " + host.ticket.directory +
                              " cannot be entered on this node: No such file or directory";
  BOOST_TEST(host.accept().at("problem") == problem);
  host.hang_up();
  const Finished finished = pilot.wait();
  BOOST_TEST(finished.exit_code == 2);
  check_contains(finished.err, problem);
}

BOOST_AUTO_TEST_CASE(a_node_with_another_folder_of_the_same_name_says_so_and_runs_nothing) {
  FakeHost host;
  host.ticket.token = host.scratch.path() + "/token";
  Program& pilot = host.start();
  BOOST_TEST(host.accept().at("problem") == "the working directory " + host.ticket.directory +
                                                " of this node is not the host's: it has no file " + host.ticket.token);
  host.hang_up();
  BOOST_TEST(pilot.wait().exit_code == 2);
}

BOOST_AUTO_TEST_CASE(a_ticket_that_cannot_be_used_is_an_error) {
  const ScratchFolder scratch;
  const auto message = [](const std::string& file) {
    const Finished finished = run({WTOOL_TEST_PROGRAM, "agent", "--ticket", file});
    BOOST_TEST(finished.exit_code == 2);
    return finished.err;
  };
  check_contains(message(scratch.path() + "/none"), "No such file or directory; is its folder shared with this node?");
  check_contains(message(scratch.file("open", "{}", 0644)), "must be a regular file that belongs to this user");
  check_contains(message(scratch.file("empty", "", 0600)), scratch.path() + "/empty");
  check_contains(message(scratch.file("odd", R"({"addresses": 7})", 0600)), scratch.path() + "/odd");
}

BOOST_AUTO_TEST_SUITE_END()
