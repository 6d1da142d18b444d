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
#include <optional>
#include <sstream>

#include "base/json.h"
#include "base/json_reader.h"
#include "base/pilot/ticket.h"
#include "base/shell_quote.h"
#include "cluster/client_programs.h"

namespace wtool::cluster {

namespace {

namespace fs = std::filesystem;
using pilot::Channel;

constexpr std::size_t max_newcomers = 256;  // bounds how many descriptors strangers can take up
constexpr std::chrono::seconds newcomer_patience{5};
constexpr std::chrono::seconds question_every{5};
constexpr std::chrono::milliseconds accept_pause{200};
constexpr int client_seconds = 10;    // how long a client program of Slurm may take
constexpr int cancelled_seconds = 3;  // the same, when a call was cancelled

bool is_link_local(const in6_addr& address) { return IN6_IS_ADDR_LINKLOCAL(&address); }

// Empty: it is neither IPv4 nor IPv6, or counts on one link only.
std::string address_text(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address->sa_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text, sizeof text);
  } else if (address->sa_family == AF_INET6) {
    const in6_addr& six = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    if (!is_link_local(six)) ::inet_ntop(AF_INET6, &six, text, sizeof text);
  }
  return text;
}

// The addresses of this machine: IPv4 first, loopback addresses last.
std::vector<std::string> own_addresses(bool six) {
  std::vector<std::string> all[3];
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {"127.0.0.1"};
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || (entry->ifa_flags & IFF_UP) == 0) continue;
    const bool is_six = entry->ifa_addr->sa_family == AF_INET6;
    const std::string text = is_six && !six ? "" : address_text(entry->ifa_addr);
    if (!text.empty()) all[(entry->ifa_flags & IFF_LOOPBACK) != 0 ? 2 : is_six ? 1 : 0].push_back(text);
  }
  ::freeifaddrs(list);
  for (const auto& later : {all[1], all[2]}) all[0].insert(all[0].end(), later.begin(), later.end());
  return all[0];
}

// Where to listen: at an address, or for all of them at `::` where this machine has IPv6, and else at 0.0.0.0.
struct ListenPlace {
  sockaddr_storage at{};
  socklen_t size = 0;
  bool is_six() const { return at.ss_family == AF_INET6; }
  int port() const {
    return ntohs(is_six() ? reinterpret_cast<const sockaddr_in6&>(at).sin6_port
                          : reinterpret_cast<const sockaddr_in&>(at).sin_port);
  }
};

std::optional<ListenPlace> place_of(const std::string& address, int family) {
  ListenPlace place;
  auto& four = reinterpret_cast<sockaddr_in&>(place.at);
  auto& six = reinterpret_cast<sockaddr_in6&>(place.at);
  if (family == AF_INET6 && (address.empty() || ::inet_pton(AF_INET6, address.c_str(), &six.sin6_addr) == 1)) {
    six.sin6_family = AF_INET6;
    place.size = sizeof six;
    return place;
  }
  if (family == AF_INET && (address.empty() || ::inet_pton(AF_INET, address.c_str(), &four.sin_addr) == 1)) {
    four.sin_family = AF_INET;
    place.size = sizeof four;
    return place;
  }
  return std::nullopt;
}

// A listening socket, or none, with errno.
Descriptor listen_at(ListenPlace& place) {
  Descriptor listener(::socket(place.at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int no = 0;
  if (listener && place.is_six()) ::setsockopt(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  if (listener) pilot::make_room_for_window(listener.get());
  auto* address = reinterpret_cast<sockaddr*>(&place.at);
  if (!listener || ::bind(listener.get(), address, place.size) != 0 || ::listen(listener.get(), 4096) != 0 ||
      ::getsockname(listener.get(), address, &place.size) != 0) {
    const int error = errno;
    listener.reset();
    errno = error;
  }
  return listener;
}

// The value of KEY=VALUE in a line of scontrol.
std::string value_in(const std::string& line, const std::string& key) {
  const std::size_t at = (' ' + line).find(' ' + key + '=');
  if (at == std::string::npos) return {};
  const std::size_t from = at + key.size() + 1;
  return line.substr(from, line.find_first_of(" \n", from) - from);
}

// What a pilot needs, laid out as an installation is.
bool copy_installation(const fs::path& from, const fs::path& to, std::string& why) {
  for (const char* file :
       {"bin/wtool", "lib/wtool/shell_tools.so", "lib/wtool/cluster_tools.so", "libexec/wtool/shell-warden"}) {
    std::error_code failed;
    fs::create_directories((to / file).parent_path(), failed);
    if (!failed) fs::copy_file(from / file, to / file, failed);
    if (!failed) continue;
    why = "cluster.program is copy, and " + (from / file).string() + " cannot be copied into " + to.string() + ": " +
          failed.message();
    return false;
  }
  return true;
}

// Releases the lock while this object exists.
struct Unlocked {
  explicit Unlocked(std::unique_lock<std::mutex>& of) : lock(of) { lock.unlock(); }
  ~Unlocked() { lock.lock(); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  std::unique_lock<std::mutex>& lock;
};

std::string plural(std::int64_t count, const std::string& word) {
  return std::to_string(count) + ' ' + word + (count == 1 ? "" : "s");
}

// Whether the text is a job's number; empty for a pilot that is not a job.
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
    std::set<std::string> jobs;
    for (const auto& [job, pilot] : pilots_) jobs.insert(job);
    if (uncertain_) {
      for (const auto& [job, state] : jobs_in_slurm(client_seconds, -1).value_or(States{})) jobs.insert(job);
    }
    cancel_jobs(jobs, "", client_seconds);
    std::error_code ignored;
    if (!ticket_.empty()) fs::remove(ticket_, ignored);
    // The logs of failed pilots are kept, so that people can read them.
    if (!folder_.empty()) fs::remove_all(failure_.why.empty() ? folder_ : folder_ + "/program", ignored);
  } catch (...) {  // A pilot that could not be removed from the queue ends when it finds nobody.
  }
}

// Under the lock, in a forked child. The connections and pilots stay the parent's: two processes that encrypt with the
// same keys would reveal them. The child closes its copies of the descriptors, which the parent does not notice.
void Pool::leave_to_parent() {
  idle_.clear();
  parked_.clear();
  newcomers_.clear();
  pilots_.clear();
  known_.clear();
  waiting_.clear();
  listener_.reset();
  epoll_.reset();
  idle_event_.reset();
  folder_.clear();
  ticket_.clear();
  failure_ = {};
  failures_ = 0;
  uncertain_ = false;
  asking_ = false;
  told_ = false;
  accepting_ = true;
  started_ = false;
  owner_ = ::getpid();
}

// Under the lock. A listening socket, and the ticket.
bool Pool::start(std::string& why) {
  if (owner_ != ::getpid()) leave_to_parent();
  if (started_) return true;
  const auto fail = [&](const std::string& what, int error) { return why = what + ": " + ::strerror(error), false; };
  std::optional<ListenPlace> place = place_of(options_.address, AF_INET6);
  Descriptor listener;
  if (place) listener = listen_at(*place);
  if (!listener && (!place || options_.address.empty())) {
    place = place_of(options_.address, AF_INET);
    if (!place) return why = "cluster.address must be a numeric address, and is " + options_.address, false;
    listener = listen_at(*place);
  }
  if (!listener)
    return fail("cannot listen on " + (options_.address.empty() ? "any address" : options_.address), errno);
  Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC)), event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll || !event) return fail("cannot wait for pilots", errno);

  key_ = pilot::random_key();
  if (!find_key_by_munge(why)) return false;
  std::error_code failed;
  fs::create_directories(options_.directory, failed);
  if (failed) return why = "the folder " + options_.directory + " cannot be made: " + failed.message(), false;
  std::string pattern = options_.directory + "/pilots-XXXXXX";  // of mode 0700
  if (::mkdtemp(pattern.data()) == nullptr) return fail("a folder in " + options_.directory + " cannot be made", errno);
  const pilot::Ticket ticket{.addresses = options_.address.empty() ? own_addresses(place->is_six())
                                                                   : std::vector<std::string>{options_.address},
                             .port = place->port(),
                             .slots = options_.slots,
                             .idle_seconds = static_cast<int>(options_.idle.count()),
                             .job_seconds = options_.minutes * 60,
                             .ending_seconds = static_cast<int>(ending(options_).count()),
                             .directory = here_,
                             .aes = pilot::has_aes(),
                             .munge = munge_.has_value(),
                             .munge_socket = options_.munge_socket,
                             .key = key_};
  const fs::path installed = fs::path(local_plugin_path()).parent_path().parent_path().parent_path();
  const fs::path installation = options_.copies_program ? fs::path(pattern) / "program" : installed;
  const bool made = (!options_.copies_program || copy_installation(installed, installation, why)) &&
                    pilot::write_ticket(pattern + "/ticket", ticket, why);
  if (!made) return fs::remove_all(pattern, failed), false;
  program_ = installation / "bin/wtool";
  folder_ = pattern;
  ticket_ = folder_ + "/ticket";
  const std::string id = pattern.substr(pattern.rfind('-') + 1);
  name_ = options_.job_name.empty() ? "wtool-" + id : options_.job_name;
  comment_ = "slots:" + std::to_string(options_.slots) + " pool:" + id;
  listener_ = std::move(listener);
  epoll_ = std::move(epoll);
  idle_event_ = std::move(event);
  watch(listener_.get());
  watch(idle_event_.get());
  started_ = true;
  return true;
}

// Whether munge answers here decides about `auto`. False: it is asked for, and cannot be used.
bool Pool::find_key_by_munge(std::string& why) {
  munge_.reset();
  if (options_.auth == Auth::key) return true;
  std::string problem;
  munge_ = pilot::Munge::open(options_.munge_socket, problem);
  if (munge_ && !munge_->encode("wtool", problem)) munge_.reset();
  if (munge_ || options_.auth == Auth::automatic) return true;
  return why = "cluster.auth is munge: " + problem, false;
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
  // Has room for every newcomer: one that has sent something must be read now, or it would count as silent.
  std::array<epoll_event, max_newcomers + 64> events{};
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
  if (!accepting_ && newcomers_.size() < max_newcomers && Clock::now() >= next_accept_) {
    watch(listener_.get());
    accepting_ = true;
  }
}

void Pool::accept_all() {
  for (;;) {
    // The others wait in the queue, which is no longer watched: it would keep waking this thread.
    if (newcomers_.size() >= max_newcomers) {
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
    Channel::Introduce introduce;
    if (munge_) {
      introduce = [this](std::string_view begun) {
        std::string ignored;
        const auto credential = munge_->encode(pilot::introduced(begun, key_), ignored);
        return credential ? pilot::framed(*credential) : std::string();
      };
    }
    newcomers_[descriptor] = {
        std::make_unique<Channel>(std::move(socket), Channel::Side::host, key_, std::move(introduce)), Clock::now()};
    watch(descriptor);
  }
}

// The first record that opens proves that the other side has the key now, and is no recording.
void Pool::greet(int descriptor) {
  Newcomer& newcomer = newcomers_.at(descriptor);
  const bool answered = newcomer.channel->state() == Channel::State::open;
  const std::optional<pilot::ChannelMessage> message = newcomer.channel->next();
  // Its message may have lain unread for long, because no call waited: its patience begins with our answer.
  if (!answered && newcomer.channel->state() == Channel::State::open) newcomer.since = Clock::now();
  if (!message && newcomer.channel->state() != Channel::State::closed) return;
  const auto hello = message ? parse_json(message->text) : nlohmann::json();
  const auto has = [&](const char* key, auto is) { return hello.contains(key) && (hello[key].*is)(); };
  if (message && message->type == pilot::Type::hello && hello.is_object() &&
      has("version", &nlohmann::json::is_number_integer) && hello["version"] == pilot::protocol_version &&
      has("node", &nlohmann::json::is_string) && has("job", &nlohmann::json::is_string) &&
      is_job(hello["job"].get<std::string>())) {
    Slot slot{.channel = std::move(newcomer.channel),
              .node = hello["node"].get<std::string>(),
              .job = hello["job"].get<std::string>()};
    if (has("problem", &nlohmann::json::is_string)) {
      failed(hello["problem"].get<std::string>() + " (node " + slot.node + ", job " + slot.job + ')',
             Refusal::Reason::unshared);
      pilots_.erase(slot.job);
      known_.insert(slot.job);
      ++unshared_;
    } else {
      // Said after our answer, so the pilot lasts for at least this long.
      const auto number = [&](const char* key) {
        return has(key, &nlohmann::json::is_number_integer)
                   ? std::clamp<std::int64_t>(hello[key].get<std::int64_t>(), 0, 366 * 86400)
                   : -1;
      };
      if (number("left") >= 0) slot.until = newcomer.since + std::chrono::seconds(number("left"));
      known_.insert(slot.job);
      Pilot& pilot = pilots_[slot.job];
      if (pilot.connections == 0) came(slot, number("full"));
      ++pilot.connections;
      pilot.until = std::min(pilot.until, slot.until);
      slot.window = pilot::window_of(slot.channel->descriptor());
      slot.channel->rest();
      idle_.push_back(std::move(slot));
    }
  }
  newcomers_.erase(descriptor);
}

// Notes the first connection of a pilot, which had `full` seconds for calls when it began. A fresh pilot with too few
// for a waiting call counts as a failure, since the next one would have too few as well.
void Pool::came(const Slot& slot, std::int64_t full) {
  if (full < 0 || std::chrono::seconds(full) >= longest_call(options_)) {
    failures_ = 0;
    failure_ = {};
  } else {
    failed("job " + slot.job + " began with " + plural(full, "second") +
           " for calls, fewer than cluster.time promises: the node started it slowly, or Slurm gave it less time");
  }
}

// An idle slot has sent something: its pilot is leaving, or its connection has ended.
void Pool::drop_idle(int descriptor) {
  const auto found = std::find_if(idle_.begin(), idle_.end(),
                                  [&](const Slot& slot) { return slot.channel->descriptor() == descriptor; });
  if (found == idle_.end()) return drop_parked(descriptor);
  if (!found->channel->next() && found->channel->state() != Channel::State::closed) return;
  forget_connection(*found);
  idle_.erase(found);
}

// The same for a parked slot.
void Pool::drop_parked(int descriptor) {
  const auto found = std::find_if(parked_.begin(), parked_.end(),
                                  [&](const auto& entry) { return entry.second.channel->descriptor() == descriptor; });
  if (found == parked_.end()) return;
  Slot& slot = found->second;
  while (const std::optional<pilot::ChannelMessage> message = slot.channel->next()) {
    if (message->type == pilot::Type::leaving) slot.leaving = true;
  }
  if (const auto pilot = pilots_.find(slot.job); slot.leaving && pilot != pilots_.end()) pilot->second.leaving = true;
  if (slot.channel->state() != Channel::State::closed) return;
  taken_no_more(slot);
  forget_connection(slot);
  parked_.erase(found);
}

void Pool::forget_connection(const Slot& slot) {
  const auto pilot = pilots_.find(slot.job);
  if (pilot == pilots_.end()) return;
  // A pilot ends all of its connections when it ends one.
  pilot->second.leaving = true;
  if (--pilot->second.connections <= 0) pilots_.erase(pilot);
}

void Pool::taken_no_more(const Slot& slot) {
  if (const auto pilot = pilots_.find(slot.job); pilot != pilots_.end()) --pilot->second.busy;
}

// Keeps idle_event_ readable for as long as an idle slot fits a waiting call.
void Pool::tell_waiting() {
  const bool fits = !waiting_.empty() && find_idle(*waiting_.begin()) != idle_.end();
  if (fits == told_) return;
  eventfd_t count = 0;
  fits ? eventfd_write(idle_event_.get(), 1) : eventfd_read(idle_event_.get(), &count);
  told_ = fits;
}

Slot Pool::take(int cancel, Clock::time_point until, Refusal& refusal, const Need& need) {
  Lock lock(mutex_);
  const auto longest = longest_call(options_);
  if (need.exact && need.time > longest) {
    refusal.why = "the command may take " +
                  plural(std::chrono::ceil<std::chrono::seconds>(need.time).count(), "second") + ", and a job of " +
                  plural(options_.minutes, "minute") + " has " + plural(longest.count(), "second") +
                  " for calls; raise cluster.time, or lower the timeout";
    return {};
  }
  // A default that jobs cannot keep must not have each call wait for a new one.
  const std::chrono::milliseconds needed =
      need.exact ? need.time : std::min<std::chrono::milliseconds>(need.time, longest / 2);
  if (!start(refusal.why)) return {};
  struct Waiting {
    Pool& pool;
    std::multiset<std::chrono::milliseconds>::iterator place;
    // The next waiting call may need another length of time.
    ~Waiting() {
      pool.waiting_.erase(place);
      pool.tell_waiting();
    }
  };
  const int unshared = unshared_;
  bool cancelled = false;
  {
    const Waiting one_more{*this, waiting_.insert(needed)};
    while (!cancelled) {
      advance();
      const auto fitting = find_idle(needed);
      if (fitting != idle_.end()) {
        Slot slot = std::move(*fitting);
        idle_.erase(fitting);
        unwatch(slot.channel->descriptor());
        if (const auto pilot = pilots_.find(slot.job); pilot != pilots_.end()) ++pilot->second.busy;
        return slot;
      }
      // If other pilots are connected, one node without our folders does not mean that all nodes lack them.
      const bool hopeless =
          unshared != unshared_ &&
          std::none_of(pilots_.begin(), pilots_.end(), [](const auto& entry) { return entry.second.connections > 0; });
      if (Clock::now() >= until || hopeless) {
        refusal = situation();
        return {};
      }
      look_after_pilots(lock, cancel);
      if (find_idle(needed) != idle_.end()) continue;
      tell_waiting();
      // If there is a slot for another call, that one must be let in.
      const bool for_another = told_;
      lock.unlock();
      pollfd ready[2] = {{for_another ? -1 : epoll_.get(), POLLIN, 0}, {cancel, POLLIN, 0}};
      ::poll(ready, 2, for_another ? 5 : 250);
      lock.lock();
      cancelled = ready[1].revents != 0;
    }
  }
  clear_queue(lock);
  return {};
}

// The slot that was used last, of those that last long enough.
std::vector<Slot>::iterator Pool::find_idle(std::chrono::milliseconds needed) {
  const auto now = Clock::now();
  const auto found =
      std::find_if(idle_.rbegin(), idle_.rend(), [&](const Slot& slot) { return slot.until - now >= needed; });
  return found == idle_.rend() ? idle_.end() : std::next(found).base();
}

void Pool::give_back(Slot slot) {
  const std::scoped_lock lock(mutex_);
  taken_no_more(slot);
  slot.channel->rest();
  watch(slot.channel->descriptor());
  idle_.push_back(std::move(slot));
  tell_waiting();
}

void Pool::lost(Slot slot) {
  slot.channel->close();
  const std::scoped_lock lock(mutex_);
  taken_no_more(slot);
  forget_connection(slot);
  // A call that is tried again must not spend its time on a second dead connection of the same pilot.
  std::erase_if(idle_, [&](const Slot& idle) {
    if (slot.job.empty() || idle.job != slot.job) return false;
    forget_connection(idle);
    return true;
  });
  std::erase_if(parked_, [&](const auto& entry) {
    if (slot.job.empty() || entry.second.job != slot.job || entry.second.leaving) return false;
    taken_no_more(entry.second);
    forget_connection(entry.second);
    return true;
  });
  tell_waiting();
}

std::uint64_t Pool::park(Slot slot) {
  const std::scoped_lock lock(mutex_);
  slot.channel->rest();
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

// How many waiting calls cannot get a slot, because all slots of the pilots that last long enough are taken. The calls
// that need most time are matched with the pilots that last longest.
std::size_t Pool::without_hope() const {
  const auto now = Clock::now();
  std::vector<std::pair<Clock::time_point, int>> rooms;
  for (const auto& [job, pilot] : pilots_) {
    if (!pilot.leaving && pilot.busy < options_.slots) rooms.emplace_back(pilot.until, options_.slots - pilot.busy);
  }
  std::sort(rooms.begin(), rooms.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::size_t without = 0;
  auto room = rooms.begin();
  for (auto needed = waiting_.rbegin(); needed != waiting_.rend(); ++needed) {
    if (room == rooms.end() || room->first - now < *needed) {
      ++without;
    } else if (--room->second == 0) {
      ++room;
    }
  }
  return without;
}

// Ends an idle pilot whose remaining time is too short for every waiting call. False: there is no such pilot.
bool Pool::retire_one() {
  const auto enough = Clock::now() + *waiting_.begin();
  const auto found = std::find_if(pilots_.begin(), pilots_.end(), [&](const auto& entry) {
    return entry.second.connections > 0 && entry.second.busy == 0 && entry.second.until < enough;
  });
  if (found == pilots_.end()) return false;
  // It ends as soon as it sees one of its connections closed.
  std::erase_if(idle_, [&](const Slot& idle) { return idle.job == found->first; });
  pilots_.erase(found);
  return true;
}

void Pool::look_after_pilots(Lock& lock, int cancel) {
  if (asking_) return;
  struct Reset {
    bool& flag;
    ~Reset() { flag = false; }
  } const reset{asking_ = true};
  const bool full = pilots_.size() >= static_cast<std::size_t>(options_.nodes);
  if (!uncertain_ && Clock::now() >= next_submission_ && without_hope() > 0 && (!full || retire_one())) {
    submit(lock, cancel);
  } else if (Clock::now() >= next_question_) {
    ask_slurm(lock, cancel);
  }
}

void Pool::submit(Lock& lock, int cancel) {
  const std::string command = submission(options_, name_, comment_, program_, ticket_, here_);
  // Set before sbatch runs, so that it holds also after an exception: until sbatch has answered, a job may exist.
  uncertain_ = true;
  const Said said = [&] {
    const Unlocked unlocked(lock);
    return run_here(command, client_seconds, cancel);
  }();
  const std::string job = said.out.substr(0, said.out.find_first_of(";\n"));
  if (said.done && !job.empty() && is_job(job)) {
    uncertain_ = false;
    // It may have come already.
    pilots_[job].submitted = Clock::now();
    known_.insert(job);
    next_question_ = std::max(next_question_, Clock::now() + question_every);
  } else {
    if (!said.cancelled) failed(said.done ? "sbatch answered with no job: " + said.out : said.why);
    next_question_ = Clock::now();
  }
}

void Pool::failed(const std::string& why, Refusal::Reason reason) {
  failure_ = {reason, why};
  failures_ = std::min(failures_ + 1, 6);
  next_submission_ = Clock::now() + std::chrono::seconds(1 << (failures_ - 1));
}

// The jobs of this pool that Slurm knows, with their states. Nothing: Slurm did not answer.
std::optional<Pool::States> Pool::jobs_in_slurm(int seconds, int cancel) const {
  const Said said =
      run_here("squeue --noheader --name=" + shell_quoted(name_) + " --format='%i %k|%T %r'", seconds, cancel);
  if (!said.done) return std::nullopt;
  States states;
  std::istringstream lines(said.out);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.find(' '), bar = line.find('|');
    if (space < bar && bar != std::string::npos && line.substr(space + 1, bar - space - 1) == comment_)
      states[line.substr(0, space)] = line.substr(bar + 1);
  }
  return states;
}

// False: scancel did not run to its end.
bool Pool::cancel_jobs(const std::set<std::string>& jobs, const std::string& option, int seconds) {
  std::string words;
  for (const std::string& job : jobs) words += job.empty() ? "" : ' ' + shell_quoted(job);
  return words.empty() || run_here("scancel --quiet" + option + words, seconds).done;
}

// Asks only about jobs that have not connected yet, and looks for jobs that sbatch submitted without reporting them.
void Pool::ask_slurm(Lock& lock, int cancel) {
  next_question_ = Clock::now() + question_every;
  const bool expected = std::any_of(pilots_.begin(), pilots_.end(), [](const auto& entry) {
    return entry.second.connections == 0 && !entry.first.empty();
  });
  if (!expected && !uncertain_) return;
  const std::optional<States> answer = [&] {
    const Unlocked unlocked(lock);
    return jobs_in_slurm(client_seconds, cancel);
  }();
  if (!answer) return;
  const States& states = *answer;
  uncertain_ = false;
  for (const auto& [job, state] : states) {
    if (known_.insert(job).second) pilots_[job].submitted = Clock::now();
  }
  std::vector<std::string> ended;
  for (auto& [job, pilot] : pilots_) {
    const auto state = states.find(job);
    if (state != states.end()) {
      pilot.state = state->second;
    } else if (pilot.connections == 0 && !job.empty() && Clock::now() - pilot.submitted > question_every) {
      ended.push_back(job);
    }
  }
  for (const std::string& job : ended) ended_early(lock, job, cancel);
}

// A job ended before its pilot came. One that Slurm could not start in our folder has written no log there.
void Pool::ended_early(Lock& lock, const std::string& job, int cancel) {
  std::string log = log_of(job);
  const Said said = [&] {
    const Unlocked unlocked(lock);
    return run_here("scontrol --oneliner show job " + shell_quoted(job), client_seconds, cancel);
  }();
  const auto pilot = pilots_.find(job);
  if (pilot == pilots_.end() || pilot->second.connections > 0) return;
  pilots_.erase(pilot);
  const std::string state = said.done ? value_in(said.out, "JobState") : "";
  const bool unshared = log.empty() && (state == "FAILED" || state == "COMPLETED");
  const std::string file = folder_ + "/pilot-" + job + ".log";
  if (unshared) {
    log = "; it wrote no log " + file + ": the folder is not there on node " + value_in(said.out, "NodeList");
    ++unshared_;
  } else if (log.empty()) {
    log = "; it wrote no log";
  }
  failed("job " + job + " ended before its pilot came" + (state.empty() ? "" : " (Slurm says: " + state + ')') + log,
         unshared ? Refusal::Reason::unshared : Refusal::Reason::no_node);
}

// A call was cancelled. If no other waits, jobs that wait in Slurm's queue have no purpose, whether we know of them or not.
void Pool::clear_queue(Lock& lock) {
  const bool queued = uncertain_ || std::any_of(pilots_.begin(), pilots_.end(), [](const auto& entry) {
                        return entry.second.connections == 0 && !entry.first.empty();
                      });
  if (!waiting_.empty() || !queued) return;
  std::set<std::string> jobs;
  for (const auto& [job, pilot] : pilots_) {
    if (pilot.connections == 0) jobs.insert(job);
  }
  const bool done = [&, unknown = uncertain_] {
    const Unlocked unlocked(lock);
    if (unknown) {
      for (const auto& [job, state] : jobs_in_slurm(cancelled_seconds, -1).value_or(States{})) jobs.insert(job);
    }
    return cancel_jobs(jobs, " --state=PENDING", cancelled_seconds);
  }();
  if (!done || !waiting_.empty()) return;
  // A job that runs already is known when its pilot comes.
  std::erase_if(pilots_, [](const auto& entry) { return entry.second.connections == 0 && !entry.first.empty(); });
}

// Empty: there is no log.
std::string Pool::log_of(const std::string& job) const {
  const std::string text = last_lines(folder_ + "/pilot-" + job + ".log");
  return text.empty() ? "" : "; its log says: " + text;
}

Refusal Pool::situation() const {
  Refusal refusal = failure_;
  for (const auto& [job, pilot] : pilots_) {
    if (pilot.connections > 0) continue;
    refusal.why += (refusal.why.empty() ? "" : "; ") + ("job " + job + " has not come");
    if (!pilot.state.empty()) refusal.why += " (Slurm says: " + pilot.state + ')';
  }
  if (refusal.why.empty()) refusal.why = "all slots are busy, or their jobs end too soon";
  return refusal;
}

std::string Pool::end_job(const std::string& job) {
  if (job.empty()) return {};
  Said said = run_here("scancel --quiet --full --signal=KILL " + shell_quoted(job), client_seconds);
  return said.done ? std::string() : std::move(said.why);
}

}  // namespace wtool::cluster
