#include "cluster/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "audit/tracing.h"
#include "base/calm_poll.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/pilot/ticket.h"
#include "base/text.h"
#include "cluster/client_programs.h"
#include "cluster/listening.h"

namespace wtool::cluster {

namespace {

namespace fs = std::filesystem;
using pilot::Channel;

constexpr std::size_t max_newcomers = 256;  // bounds how many descriptors strangers can take up
constexpr std::chrono::seconds newcomer_patience{5};
constexpr std::chrono::milliseconds accept_pause{200};

// Copies what a pilot needs, laid out like an installation.
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

// Makes a file in the working directory. A pilot that finds the file knows that its node has this directory. Returns
// the path of the file. Empty: the ticket, which is in the working directory, serves the same purpose, or the file
// cannot be made.
std::string make_token(const fs::path& here, const fs::path& tickets) {
  const fs::path rest = tickets.lexically_relative(here);
  if (!rest.empty() && *rest.begin() != "..") return {};
  const fs::path folder = here / ".wtool/cluster";  // the default folder of tickets, which commands cannot change
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  std::string token = folder / "shared-XXXXXX";
  return Descriptor(::mkostemp(token.data(), O_CLOEXEC)) ? token : std::string();
}

// A call may wait for minutes, so people are told at once why. This is an error, because on a terminal only errors are
// shown by default.
void tell_failure(const std::string& why, std::chrono::seconds rest) {
  audit::log(audit::Level::error, "cluster_tools::pool",
             "no node is available yet: " + why + "; wtool tries again for up to " + counted(rest.count(), "second"),
             {}, 0);
}

}  // namespace

Pool::Pool(Options options, Pools* others) : options_(std::move(options)), others_(others), here_(fs::current_path()) {}

Pool::~Pool() {
  idle_.clear();
  parked_.clear();
  newcomers_.clear();
  listener_.reset();
  if (owner_ != ::getpid()) return;
  try {
    cancel_all_jobs();
    std::error_code ignored;
    if (!ticket_.empty()) fs::remove(ticket_, ignored);
    if (!token_.empty()) fs::remove(token_, ignored);
    if (folder_.empty()) return;
    // The logs of failed pilots stay, so that people can read them. If no pilot failed, the folder is empty now, and is
    // removed.
    fs::remove_all(failure_.why.empty() ? folder_ : folder_ + "/program", ignored);
    fs::remove(folder_, ignored);
  } catch (...) {  // A job that could not be cancelled ends when its pilot cannot connect.
  }
}

// Called under the lock, in a forked child. The connections and pilots stay with the parent, because two processes that
// encrypt with the same keys would reveal what they send. The child closes its copies of the descriptors, which the
// parent does not notice.
void Pool::leave_to_parent() {
  idle_.clear();
  parked_.clear();
  newcomers_.clear();
  pilots_.clear();
  known_.clear();
  given_up_.clear();
  waiting_.clear();
  listener_.reset();
  epoll_.reset();
  idle_event_.reset();
  folder_.clear();
  ticket_.clear();
  token_.clear();
  failure_ = {};
  untold_.clear();
  failures_ = 0;
  uncertain_ = false;
  asking_ = false;
  told_ = false;
  accepting_ = true;
  started_ = false;
  owner_ = ::getpid();
}

// Must be called under the lock. Makes the listening socket and the ticket.
bool Pool::start(std::string& why) {
  if (owner_ != ::getpid()) leave_to_parent();
  if (started_) return true;
  const auto fail = [&](const std::string& what, int error) {
    why = what + ": " + ::strerror(error);
    return false;
  };
  // Without cluster.address, listens at all addresses: `::` if this machine has IPv6, else 0.0.0.0.
  std::optional<ListenAddress> place = listen_address(options_.address, AF_INET6);
  Descriptor listener;
  if (place) listener = listen_at(*place);
  if (!listener && (!place || options_.address.empty())) {
    place = listen_address(options_.address, AF_INET);
    if (!place) {
      why = "cluster.address must be a numeric address, but is " + options_.address;
      return false;
    }
    listener = listen_at(*place);
  }
  if (!listener)
    return fail("cannot listen on " + (options_.address.empty() ? "any address" : options_.address), errno);
  Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return fail("cannot wait for pilots", errno);
  WakeUp event;
  if (!event) return fail("cannot wait for pilots", errno);

  key_ = pilot::random_key();
  if (!find_key_by_munge(why)) return false;
  std::error_code failed;
  fs::create_directories(options_.directory, failed);
  if (failed) {
    why = "the folder " + options_.directory + " cannot be created: " + failed.message();
    return false;
  }
  std::string pattern = options_.directory + "/pilots-XXXXXX";  // mkdtemp makes it with mode 0700
  if (::mkdtemp(pattern.data()) == nullptr)
    return fail("a folder in " + options_.directory + " cannot be created", errno);
  std::string token = make_token(here_, options_.directory);
  const pilot::Ticket ticket{.addresses = options_.address.empty() ? own_addresses(place->is_six())
                                                                   : std::vector<std::string>{options_.address},
                             .port = place->port(),
                             .slots = options_.slots,
                             .idle_seconds = static_cast<int>(options_.idle.count()),
                             .job_seconds = options_.minutes * 60,
                             .ending_seconds = static_cast<int>(ending(options_).count()),
                             .directory = here_,
                             .token = token,
                             .aes = pilot::has_aes(),
                             .munge = munge_.has_value(),
                             .munge_socket = options_.munge_socket,
                             .key = key_};
  const fs::path installed = fs::path(local_plugin_path()).parent_path().parent_path().parent_path();
  const fs::path installation = options_.copies_program ? fs::path(pattern) / "program" : installed;
  const bool made = (!options_.copies_program || copy_installation(installed, installation, why)) &&
                    pilot::write_ticket(pattern + "/ticket", ticket, why);
  if (!made) {
    fs::remove_all(pattern, failed);
    if (!token.empty()) fs::remove(token, failed);
    return false;
  }
  program_ = installation / "bin/wtool";
  folder_ = pattern;
  ticket_ = folder_ + "/ticket";
  token_ = std::move(token);
  const std::string id = pattern.substr(pattern.rfind('-') + 1);
  name_ = options_.job_name.empty() ? "wtool-" + id : options_.job_name;
  comment_ = "slots:" + std::to_string(options_.slots) + " pool:" + id;
  listener_ = std::move(listener);
  epoll_ = std::move(epoll);
  idle_event_ = std::move(event);
  watch(listener_.get());
  watch(idle_event_->descriptor());
  started_ = true;
  return true;
}

// With `auto`, munge is used if it answers on this machine. False: munge is required, but cannot be used.
bool Pool::find_key_by_munge(std::string& why) {
  munge_.reset();
  if (options_.auth == Auth::key) return true;
  std::string problem;
  munge_ = pilot::Munge::open(options_.munge_socket, problem);
  if (munge_ && !munge_->encode("wtool", problem)) munge_.reset();
  if (munge_ || options_.auth == Auth::automatic) return true;
  why = "cluster.auth is munge: " + problem;
  return false;
}

const char* Pool::authentication() {
  const std::scoped_lock lock(mutex_);
  std::string ignored;
  const bool found = started_ || find_key_by_munge(ignored);
  return found && !munge_ ? "key" : "munge";
}

void Pool::watch(int descriptor) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event);
}

void Pool::unwatch(int descriptor) const { ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr); }

// Must be called under the lock. Does whatever can be done without waiting.
void Pool::advance() {
  // There is room for every newcomer, because a newcomer that has sent something must be read now, or it would be
  // treated as silent.
  std::array<epoll_event, max_newcomers + 64> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const int descriptor = events[static_cast<std::size_t>(i)].data.fd;
    if (descriptor == listener_.get()) {
      accept_all();
    } else if (newcomers_.contains(descriptor)) {
      greet(descriptor);
    } else if (descriptor != idle_event_->descriptor()) {
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
    // Further connections wait in the listener's queue. The listener is no longer watched, because it would keep waking
    // this thread.
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

// The first record that can be decrypted proves that the other side has the key now, and does not replay a recording.
void Pool::greet(int descriptor) {
  Newcomer& newcomer = newcomers_.at(descriptor);
  const bool answered = newcomer.channel->state() == Channel::State::open;
  const std::optional<pilot::ChannelMessage> message = newcomer.channel->next();
  // The message may have stayed unread for a long time, because no call waited. So the time for the next message begins
  // with our answer.
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
    } else if (!given_up_.contains(slot.job)) {
      // The pilot sent `left` after our answer, so from our answer on it lasts for at least `left` seconds.
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

// Notes the first connection of a pilot. When the pilot began, it had `full` seconds for calls. If that is less than
// longest_call(), it is treated as a failure, because the next pilot would also have too few.
void Pool::came(const Slot& slot, std::int64_t full) {
  if (full < 0 || std::chrono::seconds(full) >= longest_call(options_)) {
    failures_ = 0;
    failure_ = {};
    untold_.clear();
  } else {
    failed("job " + slot.job + " began with " + counted(full, "second") +
           " for calls, fewer than cluster.time promises: the node started it slowly, or Slurm gave it less time");
  }
}

// Called when an idle slot has sent something: its pilot is leaving, or its connection has ended.
void Pool::drop_idle(int descriptor) {
  const auto found = std::find_if(idle_.begin(), idle_.end(),
                                  [&](const Slot& slot) { return slot.channel->descriptor() == descriptor; });
  if (found == idle_.end()) return drop_parked(descriptor);
  if (!found->channel->next() && found->channel->state() != Channel::State::closed) return;
  forget_connection(*found);
  idle_.erase(found);
}

// Called when a parked slot has sent something. The slot is dropped only when its connection has ended.
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
  fits ? idle_event_->signal() : idle_event_->clear();
  told_ = fits;
}

Slot Pool::take(int cancel, Clock::time_point until, Refusal& refusal, const Need& need) {
  Lock lock(mutex_);
  const auto longest = longest_call(options_);
  if (need.exact && need.time > longest) {
    refusal.why = "the command may take " +
                  counted(std::chrono::ceil<std::chrono::seconds>(need.time).count(), "second") + ", and a job of " +
                  counted(options_.minutes, "minute") + " has " + counted(longest.count(), "second") +
                  " for calls; raise cluster.time, or lower the timeout";
    return {};
  }
  // A default time limit that is longer than jobs last must not make each call wait for a new job.
  const std::chrono::milliseconds needed =
      need.exact ? need.time : std::min<std::chrono::milliseconds>(need.time, longest / 2);
  if (!start(refusal.why)) return {};
  struct Waiting {
    Pool& pool;
    std::multiset<std::chrono::milliseconds>::iterator place;
    // The next waiting call may need a different amount of time, so the idle slots are checked for it.
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
      look_after_pilots(lock, {cancel, until});
      if (find_idle(needed) != idle_.end()) continue;
      tell_waiting();
      // If an idle slot fits another call, epoll_ stays readable until that call has taken the slot. So this thread
      // must not wait for epoll_.
      const bool for_another = told_;
      // A call whose time is over says it in its result, and leaves it to another call to log it.
      const auto rest = std::chrono::ceil<std::chrono::seconds>(until - Clock::now());
      const std::string untold = rest.count() > 0 ? std::exchange(untold_, {}) : std::string();
      lock.unlock();
      // Logged without the lock, because the host's log may wait for a thread that makes a call.
      if (!untold.empty()) tell_failure(untold, rest);
      pollfd ready[2] = {{for_another ? -1 : epoll_.get(), POLLIN, 0}, {cancel, POLLIN, 0}};
      calm_poll(ready, 2, for_another ? 5 : 250);
      lock.lock();
      cancelled = ready[1].revents != 0;
    }
  }
  clear_queue(lock);
  return {};
}

// The slot that was used most recently, among those that last for at least `needed`. end(): there is no such slot.
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
  // A call that is tried again must not spend its time on a second dead connection of the same pilot, even on one that
  // has not been accepted yet.
  if (!slot.job.empty()) given_up_.insert(slot.job);
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

Refusal Pool::situation() const {
  Refusal refusal = failure_;
  for (const auto& [job, pilot] : pilots_) {
    if (pilot.connections > 0) continue;
    refusal.why += (refusal.why.empty() ? "" : "; ") + ("the pilot of job " + job + " has not connected");
    if (!pilot.state.empty()) refusal.why += " (Slurm says: " + pilot.state + ')';
  }
  if (refusal.why.empty()) refusal.why = "all slots are busy, or their jobs end too soon";
  return refusal;
}

std::shared_ptr<Pool> Pools::of(Options options) {
  const std::scoped_lock lock(mutex_);
  for (const auto& pool : pools_) {
    if (pool->options() == options) return pool;
  }
  return pools_.emplace_back(std::make_shared<Pool>(std::move(options), this));
}

void Pools::make_room(const Pool& wanting, int seconds) {
  std::list<std::shared_ptr<Pool>> others;
  {
    const std::scoped_lock lock(mutex_);
    std::copy_if(pools_.begin(), pools_.end(), std::back_inserter(others),
                 [&](const auto& pool) { return pool.get() != &wanting; });
  }
  for (const auto& pool : others) pool->end_unused(seconds);
}

void Pools::clear() {
  const std::scoped_lock lock(mutex_);
  pools_.clear();
}

}  // namespace wtool::cluster
