// Measures what many slots cost the host, with a pool that has no real pilots. A child process opens a connection for
// each slot, over the loopback interface, and answers each call immediately.
//
//   cluster_fake_agents [SLOTS]      10,000 slots unless given; each needs a descriptor in both processes
//
// People run this program by hand. It ends after 60 seconds at most, and each of its processes uses at most 1 GB.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/pilot/ticket.h"
#include "cluster/client_programs.h"
#include "cluster/pool.h"

namespace {

using namespace wtool;
using pilot::Channel;
using pilot::ChannelMessage;
using pilot::Type;

constexpr int slots_of_pilot = 1000;
int submissions = 0;
std::string ticket_file;

// ---- The child: all pilots in one thread.

struct Fake {
  std::unique_ptr<Channel> channel;
  bool greeted = false;
};

std::unique_ptr<Channel> connect_to(const pilot::Ticket& ticket) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(ticket.port));
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket || ::connect(socket.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) return nullptr;
  pilot::watch_other_machine(socket.get(), pilot::pilot_patience);
  auto channel = std::make_unique<Channel>(std::move(socket), Channel::Side::pilot, ticket.key);
  return channel->begin() ? std::move(channel) : nullptr;
}

void serve(Fake& fake, int number) {
  while (std::optional<ChannelMessage> message = fake.channel->next()) {
    if (message->type != Type::call) continue;
    fake.channel->send(Type::started, {});
    fake.channel->send(Type::result, std::string(1, '\0') + "{}");
  }
  if (fake.greeted || fake.channel->state() != Channel::State::open) return;
  const std::string job = std::to_string(1 + number / slots_of_pilot);
  fake.channel->send(Type::hello,
                     nlohmann::json{{"version", pilot::protocol_version}, {"job", job}, {"node", "fake" + job}}.dump());
  fake.greeted = true;
}

[[noreturn]] void pretend(const std::string& file, int count) {
  std::string error;
  const auto ticket = pilot::read_ticket(file, error);
  if (!ticket) {
    std::fprintf(stderr, "%s\n", error.c_str());
    std::_Exit(1);
  }
  std::vector<Fake> fakes(static_cast<std::size_t>(count));
  const Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  std::vector<epoll_event> events(512);
  const auto look = [&](int patience) {
    const int n = ::epoll_wait(epoll.get(), events.data(), static_cast<int>(events.size()), patience);
    for (int i = 0; i < n; ++i) {
      const auto number = events[static_cast<std::size_t>(i)].data.u32;
      serve(fakes[number], static_cast<int>(number));
      if (fakes[number].channel->state() == Channel::State::closed) std::_Exit(0);  // The host is gone.
    }
  };
  for (std::uint32_t i = 0; i < fakes.size(); ++i) {
    fakes[i].channel = connect_to(*ticket);
    if (!fakes[i].channel) {
      std::perror("cluster_fake_agents: connection");
      std::_Exit(1);
    }
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u32 = i;
    ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fakes[i].channel->descriptor(), &event);
    look(0);
  }
  for (;;) look(-1);
}

// ---- The host.

double seconds_since(cluster::Clock::time_point began) {
  return std::chrono::duration<double>(cluster::Clock::now() - began).count();
}

double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

long resident_kib() {
  std::ifstream in("/proc/self/statm");
  long pages = 0, resident = 0;
  in >> pages >> resident;
  return resident * (::sysconf(_SC_PAGESIZE) / 1024);
}

}  // namespace

// These functions replace Slurm's client programs.
namespace wtool::cluster {
const std::string& local_plugin_path() {
  static const std::string path = "/nowhere/lib/wtool/shell_tools.so";
  return path;
}
Said run_here(const std::string& command, int, int) {
  Said said{.done = true};
  if (!command.starts_with("sbatch")) return said;
  const std::string mark = "--ticket ";
  ticket_file = command.substr(command.find(mark) + mark.size());
  std::erase_if(ticket_file, [](char c) { return c == '\'' || c == '\\'; });
  said.out = std::to_string(++submissions) + '\n';
  return said;
}
}  // namespace wtool::cluster

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 10'000;
  if (count < 1 || count > 100'000) {
    std::fprintf(stderr, "usage: cluster_fake_agents [SLOTS], from 1 to 100000\n");
    return 2;
  }
  ::alarm(60);
  const rlimit memory{1UL << 30, 1UL << 30};
  ::setrlimit(RLIMIT_DATA, &memory);
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_max < static_cast<rlim_t>(count) + 100) {
    std::fprintf(stderr, "%d slots need as many descriptors, and %lu are allowed\n", count, files.rlim_max);
    return 2;
  }
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  std::string folder = (std::filesystem::temp_directory_path() / "fake-agents-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return std::perror("mkdtemp"), 1;

  cluster::Options options;
  options.slots = slots_of_pilot;
  options.nodes = (count + slots_of_pilot - 1) / slots_of_pilot;
  options.address = "127.0.0.1";
  options.directory = folder;
  options.auth = cluster::Auth::key;
  pid_t child = -1;
  {
    cluster::Pool pool(options);
    const Descriptor never(::eventfd(0, EFD_CLOEXEC));
    cluster::Refusal refusal;
    // The first call makes the pool write the ticket.
    (void)pool.take(never.get(), cluster::Clock::now(), refusal);
    for (int i = 0; i < 100 && ticket_file.empty(); ++i)
      (void)pool.take(never.get(), cluster::Clock::now() + std::chrono::milliseconds(20), refusal);
    const long before = resident_kib();
    const double used_before = processor_seconds();
    child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::alarm(60);
      pretend(ticket_file, count);
    }
    const auto began = cluster::Clock::now();
    std::vector<cluster::Slot> slots;
    slots.reserve(static_cast<std::size_t>(count));
    while (slots.size() < static_cast<std::size_t>(count)) {
      cluster::Slot slot = pool.take(never.get(), began + std::chrono::seconds(50), refusal);
      if (slot.channel == nullptr) {
        std::printf("%zu of %d slots came: %s\n", slots.size(), count, refusal.why.c_str());
        break;
      }
      slots.push_back(std::move(slot));
    }
    std::printf("%zu slots connected in %.2f s, %.2f s of processor time\n", slots.size(), seconds_since(began),
                processor_seconds() - used_before);
    std::printf("%.1f KiB of memory for each\n", static_cast<double>(resident_kib() - before) /
                                                     static_cast<double>(std::max<std::size_t>(1, slots.size())));
    for (cluster::Slot& slot : slots) pool.give_back(std::move(slot));

    constexpr int threads = 16, seconds = 5;
    std::atomic<long> calls{0};
    const double used_then = processor_seconds();
    const auto then = cluster::Clock::now();
    {
      std::vector<std::jthread> all;
      for (int i = 0; i < threads; ++i) {
        all.emplace_back([&] {
          cluster::Refusal no;
          while (cluster::Clock::now() < then + std::chrono::seconds(seconds)) {
            cluster::Slot slot = pool.take(never.get(), then + std::chrono::seconds(30), no);
            if (slot.channel == nullptr) return;
            slot.channel->send(Type::call, std::string("{}\0{}", 5));
            while (const auto message = slot.channel->wait(std::chrono::seconds(10))) {
              if (message->type == Type::result) break;
            }
            pool.give_back(std::move(slot));
            ++calls;
          }
        });
      }
    }
    const double took = seconds_since(then);
    std::printf("%.0f calls a second by %d threads, %.0f us of processor time for each\n",
                static_cast<double>(calls) / took, threads,
                (processor_seconds() - used_then) * 1e6 / static_cast<double>(std::max(1L, calls.load())));
  }
  // The child ends when its connections are closed.
  int status = 0;
  ::waitpid(child, &status, 0);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}
