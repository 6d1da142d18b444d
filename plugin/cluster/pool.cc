#include "cluster/pool.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/pilot/ticket.h"
#include "cluster/client_programs.h"

namespace wtool::cluster {

namespace {

namespace fs = std::filesystem;
using pilot::Channel;

constexpr std::size_t most_newcomers = 256;  // so many that strangers cannot take all descriptors
constexpr std::chrono::seconds newcomer_patience{5};
constexpr std::chrono::seconds question_every{5};
constexpr std::chrono::milliseconds accept_pause{200};
constexpr int client_seconds = 10;  // how long a client program of Slurm may take

std::string address_text(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address->sa_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
  }
  return text;
}

// The addresses of this machine, IPv4 only; loopback addresses come last.
std::vector<std::string> own_addresses() {
  std::vector<std::string> others, loopback;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {"127.0.0.1"};
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET || (entry->ifa_flags & IFF_UP) == 0)
      continue;
    ((entry->ifa_flags & IFF_LOOPBACK) != 0 ? loopback : others).push_back(address_text(entry->ifa_addr));
  }
  ::freeifaddrs(list);
  others.insert(others.end(), loopback.begin(), loopback.end());
  return others;
}

// A number, or empty for a pilot that is no job.
bool is_job(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

std::string last_lines(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.size() > 500) text.erase(0, text.size() - 500);
  text.erase(text.find_last_not_of(" \n\r\t") + 1);
  return text;
}

}  // namespace

Pool::Pool(Options options) : options_(std::move(options)), here_(fs::current_path()) {}

Pool::~Pool() {
  idle_.clear();
  parked_.clear();
  newcomers_.clear();
  listener_.reset();
  if (owner_ != ::getpid()) return;
  try {
    std::string jobs;
    for (const auto& [job, pilot] : pilots_) jobs += job.empty() ? "" : ' ' + shell_word(job);
    if (!jobs.empty()) run_here("scancel --quiet" + jobs, client_seconds);
    std::error_code ignored;
    if (!ticket_.empty()) fs::remove(ticket_, ignored);
    // The logs of failed pilots are kept, so that people can read them.
    if (!folder_.empty() && failure_.empty()) fs::remove_all(folder_, ignored);
  } catch (...) {  // A pilot that could not be removed from the queue ends when it finds nobody.
  }
}

// Under the lock. The connections and pilots are the parent's: two processes that seal with the same keys would betray them.
// Their descriptors are closed, which the parent does not notice.
void Pool::leave_to_parent() {
  idle_.clear();
  parked_.clear();
  newcomers_.clear();
  pilots_.clear();
  listener_.reset();
  epoll_.reset();
  idle_event_.reset();
  folder_.clear();
  ticket_.clear();
  failure_.clear();
  failures_ = 0;
  accepting_ = true;
  started_ = false;
  owner_ = ::getpid();
}

// Under the lock. A listening socket, and the ticket.
bool Pool::start(std::string& why) {
  if (owner_ != ::getpid()) leave_to_parent();
  if (started_) return true;
  const auto fail = [&](const std::string& what, int error) { return why = what + ": " + ::strerror(error), false; };
  Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = INADDR_ANY;
  if (!options_.address.empty() && ::inet_pton(AF_INET, options_.address.c_str(), &at.sin_addr) != 1) {
    return why = "cluster.address must be a numeric IPv4 address, and is " + options_.address, false;
  }
  socklen_t size = sizeof at;
  if (!listener || ::bind(listener.get(), reinterpret_cast<sockaddr*>(&at), size) != 0 ||
      ::listen(listener.get(), 4096) != 0 ||
      ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&at), &size) != 0) {
    return fail("cannot listen on " + (options_.address.empty() ? "any address" : options_.address), errno);
  }
  Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC)), event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE));
  if (!epoll || !event) return fail("cannot wait for pilots", errno);

  std::error_code failed;
  fs::create_directories(options_.directory, failed);
  if (failed) return why = "the folder " + options_.directory + " cannot be made: " + failed.message(), false;
  std::string pattern = options_.directory + "/pilots-XXXXXX";  // of mode 0700
  if (::mkdtemp(pattern.data()) == nullptr) return fail("a folder in " + options_.directory + " cannot be made", errno);
  key_ = pilot::random_key();
  const pilot::Ticket ticket{
      .addresses = options_.address.empty() ? own_addresses() : std::vector<std::string>{options_.address},
      .port = ntohs(at.sin_port),
      .slots = options_.slots,
      .idle_seconds = static_cast<int>(options_.idle.count()),
      .directory = here_,
      .key = key_};
  if (!pilot::write_ticket(pattern + "/ticket", ticket, why)) return false;
  folder_ = pattern;
  ticket_ = folder_ + "/ticket";
  name_ = options_.job_name.empty() ? "wtool-" + pattern.substr(pattern.rfind('-') + 1) : options_.job_name;
  listener_ = std::move(listener);
  epoll_ = std::move(epoll);
  idle_event_ = std::move(event);
  watch(listener_.get());
  watch(idle_event_.get());
  started_ = true;
  return true;
}

void Pool::watch(int descriptor) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event);
}

void Pool::unwatch(int descriptor) const { ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr); }

// Under the lock: does whatever can be done without waiting.
void Pool::advance() {
  // Room for every newcomer: one that has sent something must be read now, or it would count as silent.
  std::array<epoll_event, most_newcomers + 64> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
    if (descriptor == listener_.get()) {
      accept_all();
    } else if (newcomers_.contains(descriptor)) {
      greet(descriptor);
    } else if (descriptor != idle_event_.get()) {
      drop_idle(descriptor);
    }
  }
  std::erase_if(newcomers_, [](const auto& entry) { return Clock::now() - entry.second.since > newcomer_patience; });
  if (!accepting_ && newcomers_.size() < most_newcomers && Clock::now() >= next_accept_) {
    watch(listener_.get());
    accepting_ = true;
  }
}

void Pool::accept_all() {
  for (;;) {
    // The others wait in the queue, which is no longer watched: it would keep waking this thread.
    if (newcomers_.size() >= most_newcomers) {
      unwatch(listener_.get());
      accepting_ = false;
      return;
    }
    Descriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM) return;
      // The queue stays readable, so waiting threads would spin until a descriptor is free.
      unwatch(listener_.get());
      accepting_ = false;
      next_accept_ = Clock::now() + accept_pause;
      return;
    }
    pilot::watch_other_machine(socket.get(), pilot::host_patience);
    const int descriptor = socket.get();
    newcomers_[descriptor] = {std::make_unique<Channel>(std::move(socket), Channel::Side::host, key_), Clock::now()};
    watch(descriptor);
  }
}

// The first record that opens proves that the other side has the key now, and is no recording.
void Pool::greet(int descriptor) {
  Newcomer& newcomer = newcomers_.at(descriptor);
  const bool answered = newcomer.channel->state() == Channel::State::open;
  const std::optional<pilot::Message> message = newcomer.channel->next();
  // Perhaps nobody has read it for a long time, because no call waited: its patience begins with our answer.
  if (!answered && newcomer.channel->state() == Channel::State::open) newcomer.since = Clock::now();
  if (!message && newcomer.channel->state() != Channel::State::closed) return;
  const auto hello = message ? nlohmann::json::parse(message->text, nullptr, false) : nlohmann::json();
  const auto has = [&](const char* key, auto is) { return hello.contains(key) && (hello[key].*is)(); };
  if (message && message->type == pilot::Type::hello && hello.is_object() &&
      has("version", &nlohmann::json::is_number_integer) && hello["version"] == pilot::protocol_version &&
      has("node", &nlohmann::json::is_string) && has("job", &nlohmann::json::is_string) &&
      is_job(hello["job"].get<std::string>())) {
    Slot slot{.channel = std::move(newcomer.channel),
              .node = hello["node"].get<std::string>(),
              .job = hello["job"].get<std::string>()};
    auto& pilot = pilots_[slot.job];
    ++pilot.connections;
    failures_ = 0;
    failure_.clear();
    idle_.push_back(std::move(slot));
    eventfd_write(idle_event_.get(), 1);
  }
  newcomers_.erase(descriptor);
}

// A slot without a call has sent something: it leaves, or is gone.
void Pool::drop_idle(int descriptor) {
  const auto found = std::find_if(idle_.begin(), idle_.end(),
                                  [&](const Slot& slot) { return slot.channel->descriptor() == descriptor; });
  if (found == idle_.end()) return drop_parked(descriptor);
  if (!found->channel->next() && found->channel->state() != Channel::State::closed) return;
  eventfd_t one = 0;
  eventfd_read(idle_event_.get(), &one);
  forget_connection(*found);
  idle_.erase(found);
}

// The same for one that is kept for its user.
void Pool::drop_parked(int descriptor) {
  const auto found = std::find_if(parked_.begin(), parked_.end(),
                                  [&](const auto& entry) { return entry.second.channel->descriptor() == descriptor; });
  if (found == parked_.end()) return;
  Slot& slot = found->second;
  while (const std::optional<pilot::Message> message = slot.channel->next()) {
    if (message->type == pilot::Type::leaving) slot.leaving = true;
  }
  if (slot.channel->state() != Channel::State::closed) return;
  --busy_;
  forget_connection(found->second);
  parked_.erase(found);
}

void Pool::forget_connection(const Slot& slot) {
  const auto pilot = pilots_.find(slot.job);
  if (pilot != pilots_.end() && --pilot->second.connections <= 0) pilots_.erase(pilot);
}

Slot Pool::take(int cancel, Clock::time_point until, std::string& why) {
  std::unique_lock lock(mutex_);
  if (!start(why)) return {};
  struct Waiting {
    int& count;
    ~Waiting() { --count; }
  } const one_more{++waiting_};
  for (;;) {
    advance();
    if (!idle_.empty()) {
      Slot slot = std::move(idle_.back());
      idle_.pop_back();
      eventfd_t one = 0;
      eventfd_read(idle_event_.get(), &one);
      unwatch(slot.channel->descriptor());
      ++busy_;
      return slot;
    }
    if (Clock::now() >= until) {
      why = situation();
      break;
    }
    look_after_pilots(lock);
    if (!idle_.empty()) continue;
    lock.unlock();
    pollfd ready[2] = {{epoll_.get(), POLLIN, 0}, {cancel, POLLIN, 0}};
    ::poll(ready, 2, 250);
    lock.lock();
    if (ready[1].revents != 0) break;
  }
  return {};
}

void Pool::give_back(Slot slot) {
  const std::scoped_lock lock(mutex_);
  --busy_;
  watch(slot.channel->descriptor());
  idle_.push_back(std::move(slot));
  eventfd_write(idle_event_.get(), 1);
}

void Pool::lost(Slot slot) {
  slot.channel->close();
  const std::scoped_lock lock(mutex_);
  --busy_;
  forget_connection(slot);
  // A call that is tried again must not spend its time on a second dead connection of the same pilot.
  std::erase_if(idle_, [&](const Slot& idle) {
    if (slot.job.empty() || idle.job != slot.job) return false;
    eventfd_t one = 0;
    eventfd_read(idle_event_.get(), &one);
    forget_connection(idle);
    return true;
  });
  std::erase_if(parked_, [&](const auto& entry) {
    if (slot.job.empty() || entry.second.job != slot.job || entry.second.leaving) return false;
    --busy_;
    forget_connection(entry.second);
    return true;
  });
}

std::uint64_t Pool::park(Slot slot) {
  const std::scoped_lock lock(mutex_);
  watch(slot.channel->descriptor());
  parked_.emplace(++last_parked_, std::move(slot));
  return last_parked_;
}

Slot Pool::unpark(std::uint64_t number) {
  const std::scoped_lock lock(mutex_);
  if (owner_ != ::getpid()) leave_to_parent();
  const auto found = parked_.find(number);
  if (found == parked_.end()) return {};
  Slot slot = std::move(found->second);
  parked_.erase(found);
  unwatch(slot.channel->descriptor());
  return slot;
}

bool Pool::is_parked(std::uint64_t number) {
  const std::scoped_lock lock(mutex_);
  const auto found = parked_.find(number);
  return owner_ == ::getpid() && found != parked_.end() && found->second.channel->take_in();
}

void Pool::look_after_pilots(std::unique_lock<std::mutex>& lock) {
  if (asking_) return;
  const int needed = (waiting_ + busy_ + options_.slots - 1) / options_.slots;
  const auto wanted = static_cast<std::size_t>(std::min(options_.nodes, needed));
  struct Reset {
    bool& flag;
    ~Reset() { flag = false; }
  } const reset{asking_ = true};
  if (pilots_.size() < wanted && Clock::now() >= next_submission_) {
    submit(lock);
  } else if (Clock::now() >= next_question_) {
    ask_slurm(lock);
  }
}

void Pool::submit(std::unique_lock<std::mutex>& lock) {
  const std::string program = fs::path(local_plugin_path()).parent_path().parent_path().parent_path() / "bin/wtool";
  const std::string command = submission(options_, name_, program, ticket_, here_);
  lock.unlock();
  const Said said = run_here(command, client_seconds);
  lock.lock();
  const std::string job = said.out.substr(0, said.out.find_first_of(";\n"));
  if (said.done && !job.empty() && is_job(job)) {
    pilots_[job].submitted = Clock::now();
    next_question_ = std::max(next_question_, Clock::now() + question_every);
  } else {
    failed(said.done ? "sbatch answered with no job: " + said.out : said.why);
  }
}

void Pool::failed(const std::string& why) {
  failure_ = why;
  failures_ = std::min(failures_ + 1, 6);
  next_submission_ = Clock::now() + std::chrono::seconds(1 << (failures_ - 1));
}

// Asks only about jobs that have not connected yet.
void Pool::ask_slurm(std::unique_lock<std::mutex>& lock) {
  next_question_ = Clock::now() + question_every;
  std::string jobs;
  for (const auto& [job, pilot] : pilots_) {
    if (pilot.connections == 0 && !job.empty()) jobs += (jobs.empty() ? "" : ",") + job;
  }
  if (jobs.empty()) return;
  lock.unlock();
  const Said said = run_here("squeue --noheader --name=" + shell_word(name_) + " --format='%i %T %r'", client_seconds);
  lock.lock();
  if (!said.done) return;
  std::map<std::string, std::string> states;
  std::istringstream lines(said.out);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t cut = line.find(' ');
    if (cut != std::string::npos) states[line.substr(0, cut)] = line.substr(cut + 1);
  }
  for (auto entry = pilots_.begin(); entry != pilots_.end();) {
    auto& [job, pilot] = *entry;
    const auto state = states.find(job);
    if (pilot.connections > 0 || state != states.end()) {
      if (state != states.end()) pilot.state = state->second;
      ++entry;
    } else if (Clock::now() - pilot.submitted > question_every) {
      failed("job " + job + " ended before its pilot came" + log_of(job));
      entry = pilots_.erase(entry);
    } else {
      ++entry;
    }
  }
}

std::string Pool::log_of(const std::string& job) const {
  const std::string file = folder_ + "/pilot-" + job + ".log", text = last_lines(file);
  return text.empty() ? "; it wrote no log " + file + ", which is so where that folder is not shared with the node"
                      : "; its log says: " + text;
}

std::string Pool::situation() const {
  std::string text = failure_;
  for (const auto& [job, pilot] : pilots_) {
    if (pilot.connections > 0) continue;
    text += (text.empty() ? "" : "; ") + ("job " + job + " has not come");
    if (!pilot.state.empty()) text += " (Slurm says: " + pilot.state + ')';
  }
  return text.empty() ? "all slots are busy" : text;
}

std::string Pool::end_job(const std::string& job) {
  if (job.empty()) return {};
  Said said = run_here("scancel --quiet --full --signal=KILL " + shell_word(job), client_seconds);
  return said.done ? std::string() : std::move(said.why);
}

}  // namespace wtool::cluster
