// The runner of commands on a cluster, with a fake pilot, which also sends answers that a real pilot never sends.
#include "cluster/remote_runner.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <wtool/tool.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include "audit/tracing.h"
#include "base/environment_snapshot.h"
#include "base/pilot/ticket.h"
#include "cluster/client_programs.h"
#include "cluster/order.h"
#include "engine/kept_tree.h"
#include "support/host_variable.h"

using namespace wtool;
using namespace wtool::cluster;
using pilot::Channel;
using pilot::ChannelMessage;
using pilot::Type;
using std::chrono::milliseconds;

namespace fs = std::filesystem;

namespace {

constexpr milliseconds patience{20'000};

// What the client programs of Slurm answer in this test.
using Answer = std::function<Said(const std::string& line)>;

const Said no_slurm{.why = "there is no Slurm"};

// Stands in for the client programs of Slurm.
struct ClientPrograms {
  std::mutex mutex;
  std::string lines;  // the command lines of scancel, which would have ended jobs
  int seconds = 0;    // how long the last program may take
  Answer answer;
} clients;

void answer_for_slurm(Answer answer) {
  const std::scoped_lock lock(clients.mutex);
  clients.answer = std::move(answer);
}

std::string lines_for_slurm() {
  const std::scoped_lock lock(clients.mutex);
  return clients.lines;
}

}  // namespace

namespace wtool::cluster {

const std::string& local_plugin_path() {
  static const std::string path = "/nowhere/lib/wtool/cluster_tools.so";
  return path;
}

Said run_here(const std::string& line, int seconds, int) {
  const std::scoped_lock lock(clients.mutex);
  clients.seconds = seconds;
  if (line.starts_with("scancel")) clients.lines += line + '\n';
  return clients.answer ? clients.answer(line) : no_slurm;
}

}  // namespace wtool::cluster

namespace {

std::string failure(wtool_status status, const std::string& sentence) {
  return std::string(1, static_cast<char>(status)) + sentence;
}
std::string result(const OrderAnswer& answer) { return std::string(1, '\0') + to_bytes(answer); }

OrderAnswer exited(const std::string& session = {}, bool kept = false) {
  OrderAnswer answer;
  engine::CommandOutcome outcome;
  outcome.termination = engine::Exited{0};
  answer.result = std::move(outcome);
  answer.session = session;
  answer.kept = kept;
  return answer;
}

// A pool that listens, without any pilot.
struct Host {
  explicit Host(Options options = {}) : chosen(std::move(options)) {
    std::string pattern = (fs::temp_directory_path() / "wtool-runner-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    directory = pattern;
    chosen.address = "127.0.0.1";
    chosen.directory = directory;
    chosen.auth = Auth::key;
    pool = pools.of(chosen);
    Refusal refusal;
    pool->take(-1, Clock::now(), refusal);
    std::string error;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
      if (entry.path().filename() == "ticket") ticket = pilot::read_ticket(entry.path(), error);
    }
    BOOST_REQUIRE_MESSAGE(ticket.has_value(), error);
    const std::scoped_lock lock(clients.mutex);
    clients.lines.clear();
  }
  ~Host() {
    hold.reset();
    pool.reset();
    pools.clear();
    answer_for_slurm(nullptr);
    fs::remove_all(directory);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // `variables` are the command's, and `environment` is that of the host.
  engine::CommandOutcome run(bool in_session, engine::StateSink state = {}, std::vector<std::string> variables = {},
                             const EnvironmentSnapshot* environment = nullptr) {
    RemoteRunner runner(pool, "{}");
    engine::Command command;
    command.paths = {"/bin/true"};
    command.arguments = {"true"};
    command.variables = std::move(variables);
    engine::RunOptions options;
    options.latest = Clock::now() + patience;
    options.grace = milliseconds(10);
    options.state = std::move(state);
    options.host_environment = environment;
    options.limits.memory_bytes = 112 << 20;
    if (in_session) {
      options.hold = &hold;
      options.keep = true;
    }
    engine::Cancellation cancellation;
    engine::SandboxReport report;
    auto ended = runner.run(command, "/", nullptr, options, cancellation, {}, report);
    BOOST_REQUIRE(std::holds_alternative<engine::CommandOutcome>(ended));
    return std::get<engine::CommandOutcome>(std::move(ended));
  }

  std::string directory;
  Options chosen;
  Pools pools;
  std::shared_ptr<Pool> pool;
  std::optional<pilot::Ticket> ticket;
  std::shared_ptr<engine::SessionHold> hold;
};

// One slot of a pilot, whose answers the test sends. It runs until the host closes its connection.
class FakePilot {
 public:
  // Answers the order of this number, from 0.
  using Script = std::function<void(int number, const Order& order, Channel& channel)>;

  FakePilot(const pilot::Ticket& ticket, std::string job, Script script)
      : job_(std::move(job)), script_(std::move(script)) {
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(ticket.port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // Not checks of Boost.Test: these may be used by only one thread at a time, and a script may make another pilot.
    if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
      throw std::runtime_error("the pilot cannot connect to the host");
    }
    channel_ = std::make_unique<Channel>(std::move(socket), Channel::Side::pilot, ticket.key);
    if (!channel_->begin()) throw std::runtime_error("the pilot's channel does not begin");
    thread_ = std::thread([this] { serve(); });
  }
  ~FakePilot() {
    channel_->close();
    thread_.join();
  }
  FakePilot(const FakePilot&) = delete;
  FakePilot& operator=(const FakePilot&) = delete;

  Channel& channel() { return *channel_; }
  int orders() const { return orders_; }

 private:
  void serve() {
    while (channel_->state() == Channel::State::begun) {
      pollfd ready{channel_->descriptor(), POLLIN, 0};
      ::poll(&ready, 1, -1);
      if (!channel_->take_in()) return;
    }
    channel_->send(Type::hello, "{\"version\": " + std::to_string(pilot::protocol_version) +
                                    R"(, "node": "n1", "job": ")" + job_ + R"(", "pid": 1})");
    while (channel_->state() != Channel::State::closed) {
      const std::optional<ChannelMessage> message = channel_->wait(patience);
      if (!message || message->type != Type::call) continue;
      const std::size_t cut = message->text.find('\0');
      const std::optional<Order> order = read_order(std::string_view(message->text).substr(cut + 1));
      channel_->send(Type::started, {});
      if (order) script_(orders_, *order, *channel_);
      ++orders_;
    }
  }

  const std::string job_;
  const Script script_;
  std::unique_ptr<Channel> channel_;
  std::atomic<int> orders_{0};
  std::thread thread_;
};

// The orders that the pilot got, for the thread of the test to read.
struct Seen {
  void add(const Order& order) {
    const std::scoped_lock lock(mutex);
    sessions += (order.ends_session ? "end " : "run ") + order.session + ';';
  }
  std::string text() {
    const std::scoped_lock lock(mutex);
    return sessions;
  }
  std::mutex mutex;
  std::string sessions;
};

template <typename Ending>
const Ending& ending(const engine::CommandOutcome& outcome) {
  BOOST_REQUIRE(std::holds_alternative<Ending>(outcome.termination));
  return std::get<Ending>(outcome.termination);
}

void await(const std::function<bool()>& condition) {
  const auto until = Clock::now() + patience;
  while (!condition()) {
    BOOST_REQUIRE(Clock::now() < until);
    std::this_thread::yield();
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_session_is_ended_by_the_id_that_its_first_command_got) {
  Host host;
  Seen seen;
  FakePilot pilot(*host.ticket, "7", [&](int number, const Order& order, Channel& channel) {
    seen.add(order);
    // The second command could not begin, so its result says nothing about the session.
    channel.send(Type::result, result(number == 0 ? exited("s1", true) : exited()));
  });
  host.run(true);
  host.run(true);
  host.hold.reset();
  BOOST_TEST(seen.text() == "run ;run s1;end s1;");
  BOOST_TEST(lines_for_slurm() == "");
}

BOOST_AUTO_TEST_CASE(variables_of_a_node_that_the_host_had_when_the_call_was_made_are_not_sent) {
  Host host;
  std::mutex mutex;
  std::vector<std::string> sent;
  FakePilot pilot(*host.ticket, "7", [&](int, const Order& order, Channel& channel) {
    {
      const std::scoped_lock lock(mutex);
      sent = order.variables;
    }
    channel.send(Type::result, result(exited()));
  });
  const std::vector<std::string> variables{"SLURM_JOB_ID=1", "SLURM_PROCID=of the call", "PATH=/bin"};
  const wtool::test::HostVariable job("SLURM_JOB_ID", "1"), process("SLURM_PROCID", "0"), path("PATH", "/bin");
  const auto environment = snapshot_environment();
  // The call keeps to its copy.
  const wtool::test::HostVariable other_job("SLURM_JOB_ID", "2"), same("SLURM_PROCID", "of the call");
  snapshot_environment();
  host.run(false, {}, variables, environment.get());
  const std::scoped_lock lock(mutex);
  BOOST_TEST((sent == std::vector<std::string>{"SLURM_PROCID=of the call", "PATH=/bin"}));
}

BOOST_AUTO_TEST_CASE(a_refused_command_leaves_its_session_as_it_was) {
  Host host;
  Seen seen;
  FakePilot pilot(*host.ticket, "7", [&](int number, const Order& order, Channel& channel) {
    seen.add(order);
    if (number == 1) {
      channel.send(Type::failure, failure(WTOOL_E_INVALID_ARGUMENT, "not that one"));
    } else {
      channel.send(Type::result, result(exited("s1", true)));
    }
  });
  host.run(true);
  const auto outcome = host.run(true);
  BOOST_TEST(ending<engine::NotStarted>(outcome).detail == "the node n1 refused the command: not that one");
  host.run(true);
  host.hold.reset();
  BOOST_TEST(seen.text() == "run ;run s1;run s1;end s1;");
}

BOOST_AUTO_TEST_CASE(a_node_that_refuses_to_end_a_session_is_given_up) {
  Host host;
  FakePilot pilot(*host.ticket, "7", [](int, const Order& order, Channel& channel) {
    if (order.ends_session) {
      channel.send(Type::failure, failure(WTOOL_E_INVALID_ARGUMENT, "no such session"));
    } else {
      channel.send(Type::result, result(exited("s1", true)));
    }
  });
  host.run(true);
  host.hold.reset();
  BOOST_TEST(lines_for_slurm() == "scancel --quiet --full --signal=KILL '7'\n");
  await([&] { return pilot.channel().state() == Channel::State::closed; });
}

BOOST_AUTO_TEST_CASE(a_command_that_fails_after_its_start_has_not_been_refused) {
  Host host;
  FakePilot pilot(*host.ticket, "7", [](int, const Order&, Channel& channel) {
    channel.send(Type::failure, failure(WTOOL_E_RESOURCE, "no memory"));
  });
  const auto outcome = host.run(false);
  BOOST_TEST(ending<engine::Lost>(outcome).detail == "the node n1 could not finish the command: no memory");
}

BOOST_AUTO_TEST_CASE(a_log_record_that_cannot_be_read_costs_no_more_than_itself) {
  Host host;
  FakePilot pilot(*host.ticket, "7", [](int, const Order&, Channel& channel) {
    channel.send(Type::log, R"({"level": "high", "target": [], "message": 7, "fields": 1})");
    channel.send(Type::log, std::string(100'000, '['));
    channel.send(Type::log, R"({"level": 3, "target": "t", "message": "m", "fields": {"a": )" + std::string(100, '[') +
                                std::string(100, ']') + "}}");
    channel.send(Type::result, result(exited()));
  });
  BOOST_TEST(ending<engine::Exited>(host.run(false)).status == 0);
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_nested_too_deep_is_not_a_result) {
  Host host;
  FakePilot pilot(*host.ticket, "7", [](int, const Order&, Channel& channel) {
    channel.send(Type::result, '\0' + std::string(1'000'000, '\x81'));
  });
  const auto outcome = host.run(false);
  BOOST_TEST(ending<engine::NodeLost>(outcome).detail ==
             "The node n1 (job 7) was lost: it sent something that is not a result; check what still runs there, "
             "because its job could not be ended: there is no Slurm");
}

BOOST_AUTO_TEST_CASE(a_job_that_has_already_ended_need_not_be_ended) {
  const auto message = [](const Said& scontrol) {
    Host host;
    answer_for_slurm([&](const std::string& line) { return line.starts_with("scontrol") ? scontrol : no_slurm; });
    FakePilot pilot(*host.ticket, "7", [](int, const Order&, Channel& channel) { channel.close(); });
    return ending<engine::NodeLost>(host.run(false)).detail;
  };
  const std::string lost = "The node n1 (job 7) was lost: its connection ended";
  for (const char* state : {"FAILED", "CANCELLED", "COMPLETING"}) {
    BOOST_TEST(message({.done = true, .out = std::string("JobId=7 JobState=") + state + " Reason=None\n"}) == lost);
  }
  BOOST_TEST(message({.why = "slurm_load_jobs error: Invalid job id specified"}) == lost);
  BOOST_TEST(message({.done = true, .out = "JobId=7 JobState=RUNNING Reason=None\n"}) ==
             lost + "; check what still runs there, because its job could not be ended: there is no Slurm");
}

BOOST_AUTO_TEST_CASE(a_job_that_squeue_does_not_list_has_not_ended_unless_scontrol_says_so) {
  const auto cancelled = [](const Said& scontrol) {
    Host host;
    std::atomic<bool> asked{false};
    answer_for_slurm([&](const std::string& line) {
      if (line.starts_with("sbatch")) return Said{.done = true, .out = "101\n"};
      if (line.starts_with("squeue")) return Said{.done = true};
      if (!line.starts_with("scontrol")) return no_slurm;
      asked = true;
      return scontrol;
    });
    engine::Cancellation cancellation;
    std::thread caller([&] {
      Refusal refusal;
      host.pool->take(cancellation.descriptor(), Clock::now() + patience, refusal);
    });
    await([&] { return asked.load(); });
    cancellation.request(engine::Cancellation::Mode::now, "the test is over");
    caller.join();
    return lines_for_slurm();
  };
  const std::string line = "scancel --quiet --state=PENDING '101'\n";
  BOOST_TEST(cancelled({.done = true, .out = "JobId=101 JobState=PENDING Reason=Resources\n"}) == line);
  BOOST_TEST(cancelled({.why = "scontrol took longer than 10 seconds"}) == line);
  BOOST_TEST(cancelled({.done = true, .out = "JobId=101 JobState=TIMEOUT Reason=TimeLimit\n"}) == "");
}

BOOST_AUTO_TEST_CASE(a_job_that_runs_already_counts_as_a_node_after_its_call_was_cancelled) {
  const auto submitted = [](bool runs, bool is_told = true) {
    std::atomic<int> jobs{0};
    std::string listed;  // what squeue says
    Options options;
    options.nodes = 1;
    Host host(options);
    answer_for_slurm([&](const std::string& line) {
      if (line.starts_with("squeue")) return is_told ? Said{.done = true, .out = listed} : Said{.why = "no answer"};
      if (line.starts_with("scancel")) return Said{.done = true};
      if (!line.starts_with("sbatch")) return no_slurm;
      const std::size_t from = line.find("slots:");
      if (runs) listed = "101 " + line.substr(from, line.find('\'', from) - from) + "|RUNNING None\n";
      return Said{.done = true, .out = std::to_string(101 + jobs++) + '\n'};
    });
    engine::Cancellation cancellation;
    std::thread caller([&] {
      Refusal refusal;
      host.pool->take(cancellation.descriptor(), Clock::now() + patience, refusal);
    });
    await([&] { return jobs > 0; });
    cancellation.request(engine::Cancellation::Mode::now, "enough");
    caller.join();
    Refusal refusal;
    host.pool->take(-1, Clock::now() + milliseconds(100), refusal);
    return jobs.load();
  };
  BOOST_TEST(submitted(true) == 1);
  BOOST_TEST(submitted(false) == 2);
  BOOST_TEST(submitted(false, false) == 2);
}

BOOST_AUTO_TEST_CASE(pilots_without_calls_make_room_for_a_job_of_another_class) {
  Host host;
  std::string queued;  // what squeue says
  answer_for_slurm([&](const std::string& line) {
    if (line.starts_with("squeue")) return Said{.done = true, .out = queued};
    if (line.starts_with("scancel")) return Said{.done = true};
    if (!line.starts_with("sbatch")) return no_slurm;
    const std::size_t from = line.find("slots:");
    const std::string comment = line.substr(from, line.find('\'', from) - from);
    const std::string job = comment.starts_with("slots:1 ") ? "102" : "103";
    queued = job + ' ' + comment + "|PENDING Resources\n";
    return Said{.done = true, .out = job + '\n'};
  });
  Refusal refusal;
  BOOST_TEST(!host.pool->take(-1, Clock::now() + milliseconds(100), refusal).channel);  // submits job 103
  const FakePilot::Script nothing = [](int, const Order&, Channel&) {};
  FakePilot busy(*host.ticket, "7", nothing);
  Slot slot = host.pool->take(-1, Clock::now() + patience, refusal);
  BOOST_REQUIRE(slot.channel != nullptr);
  FakePilot unused(*host.ticket, "8", nothing);
  Slot other = host.pool->take(-1, Clock::now() + patience, refusal);
  BOOST_REQUIRE(other.channel != nullptr);
  host.pool->give_back(std::move(other));
  host.chosen.slots = 1;
  engine::Cancellation cancellation;
  std::thread caller([&] {
    Refusal no_room;
    host.pools.of(host.chosen)->take(cancellation.descriptor(), Clock::now() + patience, no_room);
  });
  await([&] { return unused.channel().state() == Channel::State::closed && !lines_for_slurm().empty(); });
  BOOST_TEST(lines_for_slurm() == "scancel --quiet '103'\n");
  BOOST_TEST(slot.channel->take_in());
  cancellation.request(engine::Cancellation::Mode::now, "the test is over");
  caller.join();
  host.pool->give_back(std::move(slot));
}

BOOST_AUTO_TEST_CASE(pilots_without_calls_make_room_where_a_limit_of_the_site_refuses_a_job) {
  Host host;
  FakePilot unused(*host.ticket, "8", [](int, const Order&, Channel&) {});
  Refusal refusal;
  Slot slot = host.pool->take(-1, Clock::now() + patience, refusal);
  BOOST_REQUIRE(slot.channel != nullptr);
  host.pool->give_back(std::move(slot));
  host.chosen.slots = 2;
  const auto refused = [&](const char* message) {
    const auto asked = std::make_shared<std::atomic<bool>>(false);
    answer_for_slurm([message, asked](const std::string& line) {
      if (!line.starts_with("sbatch")) return no_slurm;
      *asked = true;
      return Said{.why = message};
    });
    const auto take = [&] { return host.pools.of(host.chosen)->take(-1, Clock::now() + milliseconds(100), refusal); };
    await([&] {
      BOOST_TEST(!take().channel);
      return asked->load();
    });
    BOOST_TEST(!take().channel);  // by now, the pool has acted on the answer
  };
  refused("sbatch: error: invalid partition specified: nosuch");
  // The pilot was not ended: otherwise, the pool would have no slot to give.
  slot = host.pool->take(-1, Clock::now(), refusal);
  BOOST_REQUIRE(slot.channel != nullptr);
  host.pool->give_back(std::move(slot));
  ++host.chosen.slots;  // another pool, which does not have to wait after a failure
  refused("sbatch: error: AssocMaxSubmitJobLimit");
  await([&] { return unused.channel().state() == Channel::State::closed; });
}

namespace {

// Keeps the errors that are logged.
class LoggedErrors final : public audit::HostTracing {
 public:
  bool enabled(audit::Level level, std::string_view /*target*/) const override { return level == audit::Level::error; }
  void emit(const audit::Record& record) override {
    const std::scoped_lock lock(mutex_);
    messages_.emplace_back(record.message);
  }
  std::uint64_t open_span(std::uint64_t, std::string_view, const audit::Fields&) override { return 0; }
  void close_span(std::uint64_t) override {}
  std::vector<std::string> messages() const {
    const std::scoped_lock lock(mutex_);
    return messages_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> messages_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_job_that_slurm_refuses_is_logged_at_once_and_only_once) {
  const auto errors = std::make_shared<LoggedErrors>();
  audit::attach(errors);
  Host host;
  std::atomic<int> submitted{0};
  answer_for_slurm([&](const std::string& line) {
    if (!line.starts_with("sbatch")) return Said{.done = true};
    ++submitted;
    return Said{.why = "sbatch: error: invalid partition specified: nosuch"};
  });
  engine::Cancellation cancellation;
  std::thread caller([&] {
    Refusal refusal;
    host.pool->take(cancellation.descriptor(), Clock::now() + patience, refusal);
  });
  await([&] { return submitted == 1 && !errors->messages().empty(); });
  await([&] { return submitted == 2; });
  cancellation.request(engine::Cancellation::Mode::now, "the test is over");
  caller.join();
  audit::detach();
  BOOST_REQUIRE(errors->messages().size() == 1U);
  const std::string message = errors->messages().front();
  BOOST_TEST(message.starts_with("no node is available yet: sbatch: error: invalid partition specified: nosuch; wtool "
                                 "tries again for up to "),
             message);
}

BOOST_AUTO_TEST_CASE(a_failure_that_comes_when_the_time_of_a_call_is_over_is_logged_for_the_next_call) {
  const auto errors = std::make_shared<LoggedErrors>();
  audit::attach(errors);
  Host host;
  const auto until = Clock::now() + milliseconds(1000);
  answer_for_slurm([&](const std::string& line) {
    if (!line.starts_with("sbatch")) return Said{.done = true};
    while (Clock::now() < until) std::this_thread::yield();
    return Said{.why = "sbatch: error: no"};
  });
  Refusal refusal;
  host.pool->take(-1, until, refusal);
  BOOST_TEST(refusal.why == "sbatch: error: no");
  BOOST_TEST(errors->messages().empty());
  engine::Cancellation cancellation;
  std::thread caller([&] {
    Refusal ignored;
    host.pool->take(cancellation.descriptor(), Clock::now() + patience, ignored);
  });
  await([&] { return !errors->messages().empty(); });
  cancellation.request(engine::Cancellation::Mode::now, "the test is over");
  caller.join();
  audit::detach();
  const std::string message = errors->messages().front();
  BOOST_TEST(message.starts_with("no node is available yet: sbatch: error: no; wtool tries again for up to "), message);
}

BOOST_AUTO_TEST_CASE(a_node_reports_a_start_only_if_the_caller_wants_to_know) {
  Host host;
  std::vector<bool> told;
  FakePilot pilot(*host.ticket, "7", [&](int, const Order& order, Channel& channel) {
    told.push_back(order.tells_start);
    channel.send(Type::result, result(exited()));
  });
  host.run(false);
  host.run(false, [](const engine::CommandState&) { return true; });
  BOOST_TEST(told == std::vector<bool>({false, true}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_file_that_shows_whether_a_folder_is_shared_is_made_and_removed) {
  const fs::path here = fs::current_path();
  std::string token;
  {
    Host host;
    token = host.ticket->token;
    BOOST_TEST(token.starts_with((here / ".wtool/cluster/shared-").string()));
    BOOST_TEST(fs::is_regular_file(token));
  }
  BOOST_TEST(!fs::exists(token));
}

BOOST_AUTO_TEST_CASE(a_command_that_its_pilot_ended_is_lost_for_the_reason_of_the_pilot) {
  const auto detail = [](bool begun) {
    Host host;
    FakePilot pilot(*host.ticket, "7", [begun](int, const Order&, Channel& channel) {
      OrderAnswer answer;
      engine::CommandOutcome outcome;
      outcome.termination = engine::Cancelled{"the job's time is nearly over", begun};
      answer.result = std::move(outcome);
      channel.send(Type::result, result(answer));
    });
    return ending<engine::NodeLost>(host.run(false)).detail;
  };
  BOOST_TEST(detail(true) ==
             "The node n1 (job 7) was taken away while the command ran; the command was ended there: the job's time is "
             "nearly over");
  BOOST_TEST(detail(false) ==
             "The node n1 (job 7) was taken away before the command began: the job's time is nearly over");
}

BOOST_AUTO_TEST_CASE(a_command_that_takes_more_than_its_slots_memory_names_that_key) {
  const auto key = [](const std::string& memory) {
    Host host({.memory = memory});
    FakePilot pilot(*host.ticket, "7", [](int, const Order&, Channel& channel) {
      OrderAnswer answer;
      engine::CommandOutcome outcome;
      outcome.termination = engine::Exhausted{engine::LimitName::memory_bytes, 2e8, {}};
      answer.result = std::move(outcome);
      channel.send(Type::result, result(answer));
    });
    return ending<engine::Exhausted>(host.run(false)).key();
  };
  BOOST_TEST(key("128M") == "cluster.memory");
  BOOST_TEST(key("64M") == "limits.memory_bytes");
}

BOOST_AUTO_TEST_CASE(programs_of_slurm_take_no_longer_than_a_call_waits) {
  Host host;
  int seconds = 0;
  answer_for_slurm([&](const std::string& line) {
    if (line.starts_with("sbatch")) seconds = clients.seconds;
    return no_slurm;
  });
  Refusal refusal;
  BOOST_TEST(!host.pool->take(-1, Clock::now() + milliseconds(1500), refusal).channel);
  BOOST_TEST(seconds >= 1);
  BOOST_TEST(seconds <= 2);
}

BOOST_AUTO_TEST_CASE(a_submission_that_fails_leaves_no_folder) {
  Host host;
  Refusal refusal;
  BOOST_TEST(!host.pool->take(-1, Clock::now() + milliseconds(100), refusal).channel);
  BOOST_TEST(refusal.why == "there is no Slurm");
  host.pool.reset();
  host.pools.clear();
  BOOST_TEST(fs::is_empty(host.directory));
}

BOOST_AUTO_TEST_CASE(what_a_session_keeps_lives_until_the_connection_of_a_leaving_node_ends) {
  Host host;
  FakePilot pilot(*host.ticket, "7",
                  [](int, const Order&, Channel& channel) { channel.send(Type::result, result(exited("s1", true))); });
  const engine::CommandOutcome outcome = host.run(true);
  BOOST_REQUIRE(outcome.kept != nullptr);
  BOOST_TEST(outcome.kept->alive());
  BOOST_REQUIRE(pilot.channel().send(Type::leaving, {}));
  // The pool looks at all connections, but no slot is free.
  Refusal refusal;
  BOOST_TEST(!host.pool->take(-1, Clock::now(), refusal).channel);
  BOOST_TEST(outcome.kept->alive());
  pilot.channel().close();
  await([&] { return !outcome.kept->alive(); });
  outcome.kept->request_end(milliseconds(0));
  outcome.kept->wait_end(nullptr);
  BOOST_TEST(pilot.orders() == 1);  // A pilot that is leaving gets no order to end a session.
}

BOOST_AUTO_TEST_CASE(a_pilot_whose_job_is_not_a_number_is_not_taken) {
  Host host;
  FakePilot pilot(*host.ticket, "7;touch x", [](int, const Order&, Channel&) {});
  Refusal refusal;
  BOOST_TEST(!host.pool->take(-1, Clock::now() + milliseconds(500), refusal).channel);
  await([&] { return pilot.channel().state() == Channel::State::closed; });
}

BOOST_AUTO_TEST_CASE(another_connection_of_a_lost_pilot_gets_no_command) {
  Host host;
  std::optional<FakePilot> second;
  FakePilot first(*host.ticket, "7", [&](int, const Order&, Channel& channel) {
    // This connection waits in the queue of the host's socket when the pilot is lost.
    second.emplace(*host.ticket, "7", [](int, const Order&, Channel&) {});
    channel.close();
  });
  ending<engine::NodeLost>(host.run(false));
  Refusal refusal;
  BOOST_TEST(!host.pool->take(-1, Clock::now() + milliseconds(500), refusal).channel);
  await([&] { return second->channel().state() == Channel::State::closed; });
}
