// The jobs of a pool: how many are needed, how they are submitted, and what Slurm says about those whose pilots have
// not connected.
#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "base/shell_quote.h"
#include "base/text.h"
#include "cluster/client_programs.h"
#include "cluster/pool.h"

namespace wtool::cluster {

namespace {

constexpr std::chrono::seconds first_question{2};  // after a submission
constexpr std::chrono::seconds question_every{5};
constexpr int client_seconds = 10;  // how long a client program of Slurm may take
constexpr int short_seconds = 3;    // the same, when a call was cancelled or has lost its node

// True if sbatch's message may speak of a limit of the site, such as AssocMaxSubmitJobLimit.
bool speaks_of_limit(const std::string& why) { return lowered(why).find("limit") != std::string::npos; }

// The value of KEY=VALUE in a line of scontrol.
std::string value_in(const std::string& line, const std::string& key) {
  const std::size_t at = (' ' + line).find(' ' + key + '=');
  if (at == std::string::npos) return {};
  const std::size_t from = at + key.size() + 1;
  return line.substr(from, line.find_first_of(" \n", from) - from);
}

// Releases the lock while this object exists.
struct Unlocked {
  explicit Unlocked(std::unique_lock<std::mutex>& of) : lock(of) { lock.unlock(); }
  ~Unlocked() { lock.lock(); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  std::unique_lock<std::mutex>& lock;
};

// What Slurm says about one job.
struct JobReport {
  bool ended = false;                      // the job has ended, or Slurm is ending it
  std::string state{}, reason{}, nodes{};  // empty: Slurm does not know the job
};

// Nothing: Slurm did not answer.
std::optional<JobReport> report_on(const std::string& job, int seconds, int cancel) {
  const Said said = run_here("scontrol --all --oneliner show job " + shell_quoted(job), seconds, cancel);
  if (!said.done && said.why.find("Invalid job id") == std::string::npos) return std::nullopt;
  constexpr std::array<std::string_view, 11> ends{"BOOT_FAIL", "CANCELLED", "COMPLETED", "COMPLETING",
                                                  "DEADLINE",  "FAILED",    "NODE_FAIL", "OUT_OF_MEMORY",
                                                  "PREEMPTED", "REVOKED",   "TIMEOUT"};
  JobReport report;
  report.state = value_in(said.out, "JobState");
  report.reason = value_in(said.out, "Reason");
  report.nodes = value_in(said.out, "NodeList");
  report.ended = !said.done || std::find(ends.begin(), ends.end(), report.state) != ends.end();
  return report;
}

std::string last_lines(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.size() > 500) text.erase(0, text.size() - 500);
  text.erase(text.find_last_not_of(" \n\r\t") + 1);
  return text;
}

}  // namespace

// True for the number of a job, and for an empty text, which stands for a pilot that is not a job.
bool Pool::is_job(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

// How many waiting calls cannot get a slot, because all slots of the pilots that last long enough are taken. The calls
// that need the most time are matched with the pilots that last longest.
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

// Ends a pilot that has no call: it ends as soon as it sees one of its connections closed. Returns the next pilot.
Pool::Pilots::iterator Pool::retire(Pilots::iterator pilot) {
  std::erase_if(idle_, [&](const Slot& idle) { return idle.job == pilot->first; });
  if (!pilot->first.empty()) given_up_.insert(pilot->first);
  return pilots_.erase(pilot);
}

void Pool::end_unused(int seconds) {
  Lock lock(mutex_);
  if (owner_ != ::getpid() || !waiting_.empty()) return;
  std::set<std::string> unconnected;
  for (auto pilot = pilots_.begin(); pilot != pilots_.end();) {
    const bool unused = pilot->second.busy == 0;
    if (unused && pilot->second.connections > 0) {
      pilot = retire(pilot);
      continue;
    }
    // A pilot without a connection may already run, because nobody accepts connections while no call waits.
    if (unused && !pilot->first.empty() && given_up_.insert(pilot->first).second) unconnected.insert(pilot->first);
    ++pilot;
  }
  const bool done = [&] {
    const Unlocked unlocked(lock);
    return cancel_jobs(unconnected, "", seconds);
  }();
  if (done) std::erase_if(pilots_, [&](const auto& entry) { return unconnected.contains(entry.first); });
}

// Ends an idle pilot whose remaining time is too short for every waiting call. False: there is no such pilot.
bool Pool::retire_one() {
  const auto enough = Clock::now() + *waiting_.begin();
  const auto found = std::find_if(pilots_.begin(), pilots_.end(), [&](const auto& entry) {
    return entry.second.connections > 0 && entry.second.busy == 0 && entry.second.until < enough;
  });
  if (found == pilots_.end()) return false;
  retire(found);
  return true;
}

int Pool::Caller::seconds() const {
  const auto left = std::chrono::ceil<std::chrono::seconds>(until - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 1, client_seconds));
}

void Pool::look_after_pilots(Lock& lock, const Caller& caller) {
  if (asking_) return;
  struct Reset {
    bool& flag;
    ~Reset() { flag = false; }
  } const reset{asking_ = true};
  const bool full = pilots_.size() >= static_cast<std::size_t>(options_.nodes);
  if (!uncertain_ && Clock::now() >= next_submission_ && without_hope() > 0 && (!full || retire_one())) {
    submit(lock, caller);
  } else if (Clock::now() >= next_question_) {
    ask_slurm(lock, caller);
  }
}

void Pool::submit(Lock& lock, const Caller& caller) {
  const std::string command = submission(options_, name_, comment_, program_, ticket_, here_);
  // This is set before sbatch is called, so that it stays set if the call throws: a job may then exist.
  uncertain_ = true;
  const Said said = [&] {
    const Unlocked unlocked(lock);
    return run_here(command, caller.seconds(), caller.cancel);
  }();
  const std::string job = said.out.substr(0, said.out.find_first_of(";\n"));
  if (said.done && !job.empty() && is_job(job)) {
    uncertain_ = false;
    // The job's pilot may already have connected.
    pilots_[job].submitted = Clock::now();
    known_.insert(job);
    given_up_.erase(job);  // A Slurm controller that has lost its last jobs reuses their numbers.
    next_question_ = std::max(next_question_, Clock::now() + first_question);
  } else {
    if (!said.cancelled) failed(said.done ? "sbatch did not name a job: " + said.out : said.why);
    next_question_ = Clock::now();
    // If the site limits how many jobs a user may have, another pool may make room by ending an unused job.
    if (said.cancelled || said.done || !speaks_of_limit(said.why) || waiting_.empty() || others_ == nullptr) return;
    const Unlocked unlocked(lock);
    others_->make_room(*this, caller.seconds());
  }
}

void Pool::failed(const std::string& why, Refusal::Reason reason) {
  if (failures_ == 0 || failure_.why != why) untold_ = why;
  failure_ = {reason, why};
  failures_ = std::min(failures_ + 1, 6);
  next_submission_ = Clock::now() + std::chrono::seconds(1 << (failures_ - 1));
}

// The jobs of this pool that Slurm lists, with their states. Nothing: Slurm did not answer.
std::optional<Pool::States> Pool::jobs_in_slurm(int seconds, int cancel) const {
  const Said said =
      run_here("squeue --all --noheader --name=" + shell_quoted(name_) + " --format='%i %k|%T %r'", seconds, cancel);
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

// Cancels the jobs of all pilots. If a submission is uncertain, also cancels the jobs that only Slurm lists.
void Pool::cancel_all_jobs() {
  std::set<std::string> jobs;
  for (const auto& [job, pilot] : pilots_) jobs.insert(job);
  if (uncertain_) {
    for (const auto& [job, state] : jobs_in_slurm(client_seconds, -1).value_or(States{})) jobs.insert(job);
  }
  cancel_jobs(jobs, "", client_seconds);
}

// False: scancel failed.
bool Pool::cancel_jobs(const std::set<std::string>& jobs, const std::string& option, int seconds) {
  std::string words;
  for (const std::string& job : jobs) words += job.empty() ? "" : ' ' + shell_quoted(job);
  return words.empty() || run_here("scancel --quiet" + option + words, seconds).done;
}

// If some job has not connected yet, or sbatch may have submitted a job without reporting it, asks squeue. A job that
// was not known becomes a pilot.
void Pool::ask_slurm(Lock& lock, const Caller& caller) {
  next_question_ = Clock::now() + question_every;
  const bool expected = std::any_of(pilots_.begin(), pilots_.end(), [](const auto& entry) {
    return entry.second.connections == 0 && !entry.first.empty();
  });
  if (!expected && !uncertain_) return;
  const std::optional<States> answer = [&] {
    const Unlocked unlocked(lock);
    return jobs_in_slurm(caller.seconds(), caller.cancel);
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
    } else if (pilot.connections == 0 && !job.empty() && Clock::now() - pilot.submitted >= first_question) {
      ended.push_back(job);
    }
  }
  for (const std::string& job : ended) not_listed(lock, job, caller);
  const bool queued = std::any_of(pilots_.begin(), pilots_.end(), [](const auto& entry) {
    return entry.second.connections == 0 && entry.second.state.starts_with("PENDING");
  });
  if (!queued || waiting_.empty() || others_ == nullptr) return;
  const Unlocked unlocked(lock);
  others_->make_room(*this, caller.seconds());
}

// Called when squeue does not list a job whose pilot has not connected. The pilot is given up if the job has ended. A
// job that Slurm could not start in our folder has written no log there.
void Pool::not_listed(Lock& lock, const std::string& job, const Caller& caller) {
  std::string log = log_of(job);
  const std::optional<JobReport> report = [&] {
    const Unlocked unlocked(lock);
    return report_on(job, caller.seconds(), caller.cancel);
  }();
  const auto pilot = pilots_.find(job);
  if (pilot == pilots_.end() || pilot->second.connections > 0 || !report) return;
  const std::string& state = report->state;
  if (!report->ended) {
    pilot->second.state = state + ' ' + report->reason;
    return;
  }
  pilots_.erase(pilot);
  const bool unshared = log.empty() && (state == "FAILED" || state == "COMPLETED");
  const std::string file = folder_ + "/pilot-" + job + ".log";
  if (unshared) {
    log = "; it wrote no log " + file + ": the folder does not exist on node " + report->nodes;
    ++unshared_;
  } else if (log.empty()) {
    log = "; it wrote no log";
  }
  failed(
      "job " + job + " ended before its pilot connected" + (state.empty() ? "" : " (Slurm says: " + state + ')') + log,
      unshared ? Refusal::Reason::unshared : Refusal::Reason::no_node);
}

// Called when a call was cancelled. If no other call waits, cancels the jobs that wait in Slurm's queue, including
// those that only Slurm lists.
void Pool::clear_queue(Lock& lock) {
  const bool queued = uncertain_ || std::any_of(pilots_.begin(), pilots_.end(), [](const auto& entry) {
                        return entry.second.connections == 0 && !entry.first.empty();
                      });
  if (!waiting_.empty() || !queued) return;
  std::set<std::string> jobs;
  for (const auto& [job, pilot] : pilots_) {
    if (pilot.connections == 0) jobs.insert(job);
  }
  const auto left = [&, unknown = uncertain_]() -> std::optional<States> {
    const Unlocked unlocked(lock);
    if (unknown) {
      for (const auto& [job, state] : jobs_in_slurm(short_seconds, -1).value_or(States{})) jobs.insert(job);
    }
    if (!cancel_jobs(jobs, " --state=PENDING", short_seconds)) return std::nullopt;
    // If Slurm does not say what is left, the waiting jobs are gone all the same.
    return jobs_in_slurm(short_seconds, -1).value_or(States{});
  }();
  if (!left) return;
  // A job that Slurm still lists runs already. Its pilot will connect, so it counts towards cluster.nodes.
  std::erase_if(pilots_, [&](const auto& entry) {
    const auto& [job, pilot] = entry;
    return pilot.connections == 0 && !job.empty() && jobs.contains(job) && !left->contains(job);
  });
}

// Empty: there is no log.
std::string Pool::log_of(const std::string& job) const {
  const std::string text = last_lines(folder_ + "/pilot-" + job + ".log");
  return text.empty() ? "" : "; its log says: " + text;
}

std::string Pool::end_job(const std::string& job) {
  if (job.empty()) return {};
  Said said = run_here("scancel --quiet --full --signal=KILL " + shell_quoted(job), client_seconds);
  if (said.done) return {};
  // scancel also fails if the job has already ended.
  const auto report = report_on(job, short_seconds, -1);
  return report && report->ended ? std::string() : std::move(said.why);
}

}  // namespace wtool::cluster
