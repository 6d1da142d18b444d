#include "engine/run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/calm_poll.h"
#include "base/utf8.h"
#include "engine/backstop.h"
#include "engine/input_file.h"
#include "engine/kept_tree.h"
#include "engine/output_pipe.h"
#include "engine/start_request.h"
#include "warden/protocol.h"

namespace wtool::engine {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// After the command's own end, how long other processes of its tree may keep the pipes open before they are ended.
constexpr milliseconds drain_time{250};
// How long the run waits for the last output if the other processes are kept. They may keep the pipes open for longer.
constexpr milliseconds kept_drain_time{50};

// How long the plugin waits, after the grace period of an end, before it helps the keepers to kill. They are usually
// done by then.
constexpr milliseconds help_after{200};
// How long the plugin waits between two rounds of help.
constexpr milliseconds help_interval{20};
// After a round that found no new process, the plugin waits longer, by this many times the length of the round.
constexpr int help_cost_factor = 5;
// After this many rounds in a row in which no process of the command lived and the custodian was stopped, the custodian
// is given up.
constexpr int rounds_to_give_up = 5;
// A command is handed over at most this many times. The pool may contain many custodians that a command has crippled.
constexpr int max_attempts = 40;

// How long after the deadline the custodian ends the call by itself. The plugin is earlier, unless it is held up.
constexpr milliseconds custodian_after{200};

// The stack that the keepers need, in bytes. With a smaller one, the kernel kills them.
constexpr rlim_t least_stack = 128UL * 1024;

// The outcome if the host's stack limit is too small for keepers, so that the kernel kills them. Nothing: it is large
// enough.
std::optional<Lost> lost_for_want_of_stack() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= least_stack) return std::nullopt;
  return Lost{"the stack limit of the host is " + std::to_string(limit.rlim_cur / 1024) +
                  " KiB, too little for the helper program that supervises commands",
              "raise the stack limit to at least 128 KiB before the host starts (ulimit -s 128)"};
}

// The end of a sentence that begins with "what it had started may ".
std::string list_suspects(const std::vector<ProcessName>& suspects) {
  if (suspects.empty()) return "still be running, but no process was found that may belong to it";
  std::string text = "still be running; these processes may belong to the command:";
  for (const ProcessName& suspect : suspects) {
    text += (text.back() == ':' ? " " : ", ") + std::to_string(suspect.pid) + " " + to_utf8(suspect.name);
  }
  return text;
}

// The status as a shell shows it.
int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

// One run of one command. Once the custodian has the whole command, the run ends only when the custodian reports,
// confirms that it keeps the tree, dies or is given up.
class CommandRun {
 public:
  CommandRun(WardenClient& client, const Command& command, const RunOptions& options, Cancellation& cancellation,
             const OutputSink& sink, const Confinement* sandbox)
      : client_(client),
        command_(command),
        sandbox_(sandbox),
        options_(options),
        cancellation_(cancellation),
        events_(sink),
        output_(options.capture_bytes),
        error_(options.capture_bytes),
        spill_(options.spill, options.spill_directory, options.name, output_.captured(), error_.captured()),
        awaits_start_(static_cast<bool>(options.state)),
        in_scope_(options.scope && sandbox != nullptr && sandbox->ruleset_in_scope >= 0),
        request_(command, options.limits, sandbox, in_scope_) {
    if (options.terminal != nullptr) request_.set_terminal();
    if (options.state) request_.ask_for_start();
    if (options.deadline) request_.set_deadline(*options.deadline + custodian_after, options.grace);
  }

  // Makes sure that no process of the command is left, even if the run ends by an exception.
  ~CommandRun() {
    direct_.reset();
    if (in_custody_) client_.kill_tree(std::move(custodian_), request_.call(), started_);
  }
  CommandRun(const CommandRun&) = delete;
  CommandRun& operator=(const CommandRun&) = delete;

  // Nothing: no custodian read the command, so it may be tried again.
  std::optional<CommandOutcome> go();

 private:
  // Why the tree is ended or, for `keep`, left to the custodian. Later reasons do not replace the first one.
  enum class Reason { none, sweep, keep, timeout, cancelled };

  bool start();
  void hand_over();
  void watch();
  void end_directly();
  void check_cancellation();
  void check_clock();
  void check_leftovers(Clock::time_point now);
  void on_custodian_message();
  void end(Reason reason, milliseconds grace);
  void keep();
  void tell(const CommandState& state);
  void note(const warden::Report& report);
  void take_flow(OutputPipe& pipe, Stream stream);
  void take_output(OutputPipe& pipe, Stream stream);
  bool take_shown();
  void read_shown_rest();
  void check_receiver(bool content);
  void read_rest();
  void help();
  void end_before_start();
  // `error`: why its messages cannot be read; 0: it is gone.
  void lose_custodian(int error = 0);
  void take_report(const warden::Report& report);
  Termination termination_of(const warden::Report& report) const;
  Exhausted exhausted(const warden::Report& report) const;
  static Exhausted exhausted_limit(const warden::Report& report);
  int time_left() const;

  WardenClient& client_;
  const Command& command_;
  const Confinement* const sandbox_;
  const RunOptions& options_;
  Cancellation& cancellation_;
  EventBatch events_;
  Descriptor input_;  // empty: the command gets no input
  OutputPipe output_;
  OutputPipe error_;
  Spill spill_;
  bool shown_ended_ = true;  // Nothing more will be shown in the terminal.
  bool awaits_start_;        // Output is not read until the receiver has been told that the command has started.
  const bool in_scope_;
  StartRequest request_;
  std::string filter_;  // the filter that the command can share with its custodian; empty: none
  Custodian custodian_;
  std::optional<Cancellation::Direct> direct_;  // while the custodian serves this call
  std::optional<Backstop> backstop_;
  Clock::time_point started_ = Clock::now();
  bool in_custody_ = false;   // The custodian may have processes of the command.
  bool handed_over_ = false;  // The custodian has received the whole request.
  bool over_ = false;
  bool never_read_ = false;
  bool leader_exited_ = false;
  Clock::time_point leader_exit_{};
  Clock::time_point drain_deadline_{};
  Reason reason_ = Reason::none;
  Clock::time_point report_deadline_{};
  Clock::time_point next_help_{};
  int quiet_rounds_ = 0;
  Cancellation::Mode seen_cancellation_ = Cancellation::Mode::none;
  CommandOutcome outcome_;
};

std::optional<CommandOutcome> CommandRun::go() {
  if (cancellation_.mode() != Cancellation::Mode::none) {
    outcome_.termination = Cancelled{cancellation_.reason(), false};
  } else if (start()) {
    while (!over_) watch();
    if (never_read_) return std::nullopt;
    read_rest();
    read_shown_rest();
    check_receiver(events_.end(Clock::now()));
  }
  outcome_.standard_output = output_.take();
  outcome_.standard_error = error_.take();
  outcome_.output_file = spill_.finish();
  // If processes are kept, the wait for their last output is not part of the command's duration.
  const auto ended = outcome_.kept ? leader_exit_ : Clock::now();
  outcome_.duration = std::chrono::duration_cast<milliseconds>(ended - started_);
  return std::move(outcome_);
}

// Takes a custodian and begins to hand the command over. If the custodian dies before it has read the message, its
// socket shows that (ECONNRESET or EPIPE instead of end of file). Nothing has run then, so another custodian is tried.
bool CommandRun::start() {
  shown_ended_ = options_.terminal == nullptr;
  int failed = options_.terminal != nullptr ? 0 : output_.open();
  if (failed == 0 && options_.terminal == nullptr && !options_.merged) failed = error_.open();
  if (failed != 0) {
    outcome_.termination = NotStarted{NotStarted::Stage::custody, failed,
                                      std::string("no pipe can be made for its output: ") + std::strerror(failed)};
    return false;
  }
  if (command_.standard_input) input_ = make_input_file(*command_.standard_input, failed);
  if (failed != 0) {
    outcome_.termination =
        NotStarted{NotStarted::Stage::custody, failed,
                   std::string("no file can be made for its standard input: ") + std::strerror(failed)};
    return false;
  }
  const Patience patience{options_.deadline, cancellation_};
  CustodyError error;
  // With a limit on memory, the custodian cannot share the filter, because the filter refuses a call (kcmp) that the
  // monitor needs.
  if (sandbox_ != nullptr && options_.limits.memory_bytes == 0) filter_ = sandbox_->shared_filter;
  if (!client_.acquire(custodian_, patience, error, filter_, in_scope_ ? options_.scope : nullptr)) {
    end_before_start();
    if (over_) return false;
    outcome_.termination = NotStarted{NotStarted::Stage::custody, error.error, std::move(error.detail)};
    if (auto lost = lost_for_want_of_stack(); lost && error.error == 0) outcome_.termination = *std::move(lost);
    return false;
  }
  hand_over();
  return !over_ || never_read_;
}

// Sends as much of the command as the custodian's queue takes.
void CommandRun::hand_over() {
  const int terminal = options_.terminal != nullptr ? options_.terminal->slave() : -1;
  const int out = terminal >= 0 ? terminal : output_.writer();
  const int descriptors[] = {out, options_.merged || terminal >= 0 ? out : error_.writer(), command_.directory};
  in_custody_ = true;
  request_.let_inspect_itself(custodian_.alone);
  const auto sending = request_.send(custodian_.socket.get(), descriptors, terminal >= 0 ? terminal : input_.get());
  if (sending == StartRequest::Sending::complete) {
    handed_over_ = true;
    end_directly();
    input_.reset();
    output_.close_writer();
    error_.close_writer();
  } else if (sending == StartRequest::Sending::failed) {
    const int failed = errno;
    in_custody_ = false;
    over_ = true;
    if (failed == EPIPE || failed == ECONNRESET) {
      never_read_ = true;
    } else {
      outcome_.termination = NotStarted{NotStarted::Stage::custody, failed,
                                        std::string("it cannot be handed to its custodian: ") + std::strerror(failed)};
    }
  }
}

void CommandRun::watch() {
  const short on_socket = handed_over_ ? POLLIN : POLLIN | POLLOUT;
  pollfd watched[] = {{awaits_start_ ? -1 : output_.reader(), POLLIN, 0},
                      {awaits_start_ ? -1 : error_.reader(), POLLIN, 0},
                      {custodian_.socket.get(), on_socket, 0},
                      {cancellation_.descriptor(), POLLIN, 0},
                      {shown_ended_ ? -1 : options_.terminal->master(), POLLIN, 0}};
  const int ready = calm_poll(watched, 5, time_left());
  if (ready > 0) {
    if (watched[0].revents != 0) take_flow(output_, Stream::standard_output);
    if (watched[1].revents != 0) take_flow(error_, Stream::standard_error);
    if ((watched[2].revents & POLLOUT) != 0) hand_over();
    if (!over_ && (watched[2].revents & ~POLLOUT) != 0) on_custodian_message();
    if (watched[3].revents != 0) cancellation_.acknowledge();
    if (watched[4].revents != 0 && !over_) take_shown();
  } else if (ready == 0) {
    custodian_.wake();
  }
  if (over_) return;
  if (options_.terminal != nullptr) options_.terminal->look();
  if (events_.next_due()) check_receiver(events_.deliver_due(Clock::now()));
  check_cancellation();
  if (!over_) check_clock();
}

int CommandRun::time_left() const {
  Clock::time_point next = Clock::time_point::max();
  if (reason_ != Reason::none) {
    next = std::min(next_help_, report_deadline_);
  } else if (leader_exited_) {
    next = drain_deadline_;
  } else if (options_.deadline) {
    next = *options_.deadline;
  }
  if (const auto due = events_.next_due()) next = std::min(next, *due);
  // While no event comes, SIGCONT is sent to the keepers from time to time: a command may have stopped them.
  if (next == Clock::time_point::max()) return wake_interval.count();
  const auto left = std::chrono::ceil<milliseconds>(next - Clock::now()).count();
  return static_cast<int>(std::clamp<decltype(left)>(left, 0, wake_interval.count()));
}

// Lets a cancellation reach the custodian also while the receiver of the output holds up this thread.
void CommandRun::end_directly() {
  direct_.emplace(cancellation_, [this](Cancellation::Mode how) {
    custodian_.tell_end(request_.call(), how == Cancellation::Mode::now ? short_grace : options_.grace);
  });
}

void CommandRun::check_cancellation() {
  const Cancellation::Mode how = cancellation_.mode();
  if (how <= seen_cancellation_) return;
  seen_cancellation_ = how;
  if (!handed_over_) return end_before_start();
  end(Reason::cancelled, how == Cancellation::Mode::now ? short_grace : options_.grace);
}

void CommandRun::check_clock() {
  const auto now = Clock::now();
  const bool is_ending = reason_ != Reason::none;
  if (!is_ending && leader_exited_) return check_leftovers(now);
  const auto due =
      is_ending ? std::min(report_deadline_, next_help_) : options_.deadline.value_or(Clock::time_point::max());
  if (now < due) return;
  // The receiver of the output may have held up this thread. What the custodian has said meanwhile comes first.
  if (has_event(custodian_.socket.get(), POLLIN)) return;
  if (!is_ending) {
    if (!handed_over_) return end_before_start();
    end(Reason::timeout, options_.grace);
  } else if (now >= report_deadline_) {
    lose_custodian();
  } else {
    help();
  }
}

// The command itself has ended. What it has left behind is kept or ended as soon as all of its output has come, or no
// more is waited for.
void CommandRun::check_leftovers(Clock::time_point now) {
  const bool drained = !output_.open_for_reading() && !error_.open_for_reading() && shown_ended_;
  if (!drained && now < drain_deadline_) return;
  if (options_.keep) {
    keep();
  } else {
    end(Reason::sweep, short_grace);
  }
}

// Ends the call if it is cancelled or its time is up. No custodian has read the whole command yet, so nothing of the
// command has run. Nor will it run, because the custodian sees that its socket is closed.
void CommandRun::end_before_start() {
  if (cancellation_.mode() != Cancellation::Mode::none) {
    outcome_.termination = Cancelled{cancellation_.reason(), false};
  } else if (options_.deadline && Clock::now() >= *options_.deadline) {
    outcome_.termination = TimedOut{false};
  } else {
    return;
  }
  in_custody_ = false;
  over_ = true;
}

// Called when the report is overdue after an end was requested. Perhaps there are only many processes to kill, but the
// command may also have stopped or starved its keepers, so the plugin helps to kill. After a keep, it only sends
// SIGCONT.
void CommandRun::help() {
  const auto began = Clock::now();
  next_help_ = began + help_interval;
  if (reason_ == Reason::keep) return custodian_.wake();
  if (!backstop_) backstop_.emplace(custodian_);
  const bool stands_still = custodian_.stopped();
  quiet_rounds_ = backstop_->kill_once() == 0 && stands_still ? quiet_rounds_ + 1 : 0;
  if (quiet_rounds_ >= rounds_to_give_up) return lose_custodian();
  // A process that has already been sent SIGKILL does not die sooner because of another round, and a round over a large
  // tree takes processor time from it.
  if (!backstop_->found_new()) next_help_ += (Clock::now() - began) * help_cost_factor;
}

void CommandRun::end(Reason reason, milliseconds grace) {
  if (reason_ == Reason::none && reason != Reason::sweep) {
    tell({.name = CommandState::Name::stopping, .reason = reason == Reason::timeout ? "timeout" : "cancelled"});
  }
  if (reason_ == Reason::none) reason_ = reason;
  const auto deadline = Clock::now() + grace + report_slack;
  report_deadline_ = report_deadline_ == Clock::time_point{} ? deadline : std::min(report_deadline_, deadline);
  next_help_ = report_deadline_ - report_slack + help_after;
  custodian_.send_end(request_.call(), grace);
  if (options_.terminal == nullptr || reason == Reason::sweep) return;
  shown_ended_ = true;
  options_.terminal->hang_up();
}

void CommandRun::tell(const CommandState& state) {
  if (options_.state) check_receiver(options_.state(state));
}

// Hands the tree and the pipes over to the custodian for good. The command's own output is still in the pipes, and must
// be read first.
void CommandRun::keep() {
  read_rest();
  // The receiver of that output may have asked to stop.
  if (cancellation_.mode() > seen_cancellation_) return check_cancellation();
  int ends[2];
  std::size_t open = 0;
  for (const OutputPipe* pipe : {&output_, &error_}) {
    if (pipe->open_for_reading()) ends[open++] = pipe->reader();
  }
  const warden::Header message{warden::Kind::keep, 0, request_.call()};
  // The kernel limits how many descriptors of a user are on their way, and a command may have used them up.
  if (!warden::send_message(custodian_.socket.get(), &message, sizeof message, ends, open)) {
    return end(Reason::sweep, short_grace);
  }
  reason_ = Reason::keep;
  report_deadline_ = Clock::now() + report_slack;
  next_help_ = Clock::now() + help_after;
  custodian_.wake();
  output_.close_reader();
  error_.close_reader();
}

// Takes the output that is available now. If there is much output and only the capture, which is never slow, receives
// it, the pipe is read several times in a row: asking the kernel before each read what else is ready would slow down a
// large output by a tenth.
void CommandRun::take_flow(OutputPipe& pipe, Stream stream) {
  constexpr int most = 16;  // reads: a few megabytes, in about a millisecond
  for (int i = 0; i < most; ++i) {
    take_output(pipe, stream);
    if (!pipe.flows() || events_.wanted() || spill_.wanted()) return;
  }
}

void CommandRun::take_output(OutputPipe& pipe, Stream stream) {
  const auto parts = pipe.read_some();
  for (const std::string_view bytes : parts) {
    if (bytes.empty()) break;
    spill_.add(pipe.captured(), bytes);
    pipe.keep(bytes);
    if (events_.wanted()) check_receiver(events_.add(stream, bytes, Clock::now()));
  }
  if (parts[0].empty() && !pipe.open_for_reading()) check_receiver(events_.end(stream, Clock::now()));
}

// Reads what the command has written to the terminal, at most as much as the terminal accepts in one call, and passes
// it on. False if nothing is there now, or the terminal has ended.
bool CommandRun::take_shown() {
  char buffer[16 * 1024];
  const std::size_t most = std::min(sizeof buffer, options_.terminal->max_at_once());
  ssize_t got;
  do {
    got = ::read(options_.terminal->master(), buffer, most);
  } while (got < 0 && errno == EINTR);
  if (got > 0) {
    options_.terminal->take({buffer, static_cast<std::size_t>(got)});
    return true;
  }
  // EIO: the leader of the terminal's process session has ended, and with it the terminal. Our own slave end keeps the
  // terminal open until then.
  shown_ended_ = got == 0 || errno != EAGAIN;
  return false;
}

// Takes what the last processes of the command have shown. None of them is alive now, and the kernel buffers little.
void CommandRun::read_shown_rest() {
  constexpr int most = 256;  // reads; bounded, since another process may still write to the terminal
  for (int i = 0; i < most && !shown_ended_; ++i) {
    if (!take_shown()) return;
  }
}

void CommandRun::check_receiver(bool content) {
  if (!content) cancellation_.request(Cancellation::Mode::graceful, "the receiver of the output asked to stop");
}

// Reads what the command left in the pipes. Other processes may hold a pipe open and even keep writing, so only what is
// in the pipe now is taken as the command's output. (The pipe's size is no bound: the command may have enlarged it.)
void CommandRun::read_rest() {
  for (const auto& [pipe, stream] : {std::pair{&output_, Stream::standard_output}, {&error_, Stream::standard_error}}) {
    std::size_t most = pipe->waiting();
    while (pipe->open_for_reading()) {
      const std::uint64_t before = pipe->bytes();
      take_output(*pipe, stream);
      const auto got = static_cast<std::size_t>(pipe->bytes() - before);
      // Nothing is left, or these bytes came later. The read after the last byte finds the end of the stream.
      if (got == 0 || got > most) break;
      most -= got;
    }
  }
}

void CommandRun::on_custodian_message() {
  warden::Report report{};
  const warden::Received received = custodian_.receive(report);
  if (received.size < static_cast<ssize_t>(sizeof(warden::Header))) {
    const bool unread = received.size < 0 && errno == ECONNRESET;
    const int error = received.size < 0 && !unread ? errno : 0;
    // After a request to end, what is unread may be that request, so the command may have run.
    const bool was_asked_to_end = reason_ != Reason::none || cancellation_.mode() != Cancellation::Mode::none;
    if (handed_over_ && (!unread || leader_exited_ || was_asked_to_end)) return lose_custodian(error);
    // The custodian was about to end and has not read the whole command: nothing has run, so another custodian may run
    // it.
    in_custody_ = false;
    over_ = never_read_ = true;
    direct_.reset();
    return;
  }
  if (report.header.kind == warden::Kind::custodian_spawned) return;
  if (report.header.kind == warden::Kind::running && report.header.call == request_.call()) {
    warden::Running running{};
    std::memcpy(&running, &report, sizeof running);
    awaits_start_ = false;
    if (options_.terminal != nullptr) options_.terminal->started();
    return tell({.name = CommandState::Name::started, .pid = running.pid});
  }
  if (report.header.call != request_.call() && report.header.call != 0) return;
  if (report.header.kind == warden::Kind::leader_exited) {
    leader_exited_ = true;
    leader_exit_ = Clock::now();
    drain_deadline_ = leader_exit_ + (options_.keep ? kept_drain_time : drain_time);
  } else if (report.header.kind == warden::Kind::report) {
    take_report(report);
  } else if (report.header.kind == warden::Kind::kept && reason_ == Reason::keep) {
    over_ = true;
    direct_.reset();
    outcome_.termination = termination_of(report);
    note(report);
    outcome_.kept = std::make_shared<LocalKeptTree>(client_, custodian_, request_.call(), started_);
    in_custody_ = false;
  }
}

void CommandRun::lose_custodian(int error) {
  over_ = true;
  direct_.reset();
  if (reason_ == Reason::none && cancellation_.mode() != Cancellation::Mode::none) reason_ = Reason::cancelled;
  in_custody_ = false;
  backstop_.reset();
  const TreeEnd tree_killed = client_.kill_tree(std::move(custodian_), request_.call(), started_);
  outcome_.unkillable = tree_killed.unkillable;
  if (tree_killed.certain) {
    const std::string cause =
        error == 0 ? "the process that had custody of the command was killed"
                   : std::string("the report of the process that has custody of the command cannot be read: ") +
                         std::strerror(error);
    outcome_.termination = Lost{cause + "; all that the command had started has been ended"};
  } else {
    outcome_.termination = Lost{
        "the processes that had custody of the command were killed, so what it had started may " +
            list_suspects(tree_killed.suspects),
        "a command that kills processes by name, or all processes that it may kill, can cause this; end what is left "
        "by hand; the next call will work"};
  }
  if (auto lost = lost_for_want_of_stack()) outcome_.termination = *std::move(lost);
  // If the call was being ended, and nothing of the command is left, the outcome is the reason for that end, and not
  // the loss of the custodian.
  if (reason_ == Reason::timeout && tree_killed.certain) outcome_.termination = TimedOut{};
  if (reason_ == Reason::cancelled && tree_killed.certain) outcome_.termination = Cancelled{cancellation_.reason()};
}

void CommandRun::take_report(const warden::Report& report) {
  over_ = true;
  in_custody_ = false;
  direct_.reset();
  // The custodian may have ended the call while this thread was held up.
  if (reason_ != Reason::timeout && reason_ != Reason::cancelled) {
    const bool was_late = report.ended_by == warden::EndedBy::deadline;
    // The end of a sweep is the plugin's own.
    const bool was_cancelled = report.ended_by == warden::EndedBy::end && reason_ != Reason::sweep &&
                               cancellation_.mode() != Cancellation::Mode::none;
    if (was_late || was_cancelled) {
      reason_ = was_late ? Reason::timeout : Reason::cancelled;
      tell({.name = CommandState::Name::stopping, .reason = was_late ? "timeout" : "cancelled"});
    }
  }
  outcome_.termination = termination_of(report);
  note(report);
  backstop_.reset();
  client_.take_back(std::move(custodian_), report);
}

// Notes the processes and the usage from the report, and what it says about the custodian.
void CommandRun::note(const warden::Report& report) {
  if (reason_ == Reason::sweep || report.header.kind == warden::Kind::kept) {
    outcome_.background_count = report.background_count;
    outcome_.background_names = names_of(report.background, report.background_count);
  }
  outcome_.unkillable = {report.unkillable_count, names_of(report.unkillable, report.unkillable_count)};
  outcome_.resources = {std::chrono::microseconds(report.user_us), std::chrono::microseconds(report.system_us),
                        std::max(report.max_rss_kib, report.tree_kib), report.processes};
  outcome_.in_cgroup = report.in_cgroup != 0;
  if (report.in_filter != 0) custodian_.filter = std::move(filter_);
}

Termination CommandRun::termination_of(const warden::Report& report) const {
  using Stage = NotStarted::Stage;
  const std::string no_sandbox = "its sandbox cannot be set up: ";
  switch (report.failed_stage) {
    case warden::Stage::none:
      break;
    case warden::Stage::fork:
      return NotStarted{Stage::fork, report.error, {}};
    case warden::Stage::setup:
      return NotStarted{Stage::setup, report.error, {}};
    case warden::Stage::directory:
      return NotStarted{Stage::directory, report.error, {}};
    case warden::Stage::exec:
      // The command's arguments and variables alone exceeded the limit.
      if (report.exceeded == warden::Limit::memory_bytes) return exhausted(report);
      return NotStarted{Stage::exec, report.error, {}};
    case warden::Stage::namespaces:
      return NotStarted{Stage::namespaces, report.error, no_sandbox + std::strerror(report.error)};
    case warden::Stage::binds:
      return NotStarted{Stage::binds, report.error, no_sandbox + std::strerror(report.error)};
    case warden::Stage::sandbox:
      return NotStarted{Stage::sandbox, report.error, no_sandbox + std::strerror(report.error)};
  }
  if (reason_ == Reason::timeout) return TimedOut{};
  if (reason_ == Reason::cancelled) return Cancelled{cancellation_.reason()};
  if (report.abandoned != 0) {
    return Lost{"the warden was killed while the command ran; all that the command had started has been ended"};
  }
  if (report.exceeded != warden::Limit::none) return exhausted(report);
  if (WIFSIGNALED(report.wait_status)) return Signalled{WTERMSIG(report.wait_status)};
  return Exited{WEXITSTATUS(report.wait_status)};
}

Exhausted CommandRun::exhausted(const warden::Report& report) const {
  Exhausted how = exhausted_limit(report);
  how.of_call = is_of_call(options_.limits, how.limit);
  return how;
}

Exhausted CommandRun::exhausted_limit(const warden::Report& report) {
  const auto used = static_cast<double>(report.used);
  switch (report.exceeded) {
    case warden::Limit::cpu_seconds:
      return {LimitName::cpu_seconds, used / 1e6, {}};
    case warden::Limit::processes:
      return {LimitName::processes, used, {}};
    case warden::Limit::file_bytes:
      return {LimitName::file_bytes, used, status_of(report.wait_status)};
    case warden::Limit::memory_bytes:
    case warden::Limit::none:
      break;
  }
  return {LimitName::memory_bytes, used, {}};
}

}  // namespace

CommandOutcome run(WardenClient& client, const Command& command, const RunOptions& options, Cancellation& cancellation,
                   const OutputSink& sink, const Confinement* sandbox) {
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    if (auto outcome = CommandRun(client, command, options, cancellation, sink, sandbox).go())
      return std::move(*outcome);
  }
  CommandOutcome outcome;
  outcome.termination = NotStarted{NotStarted::Stage::custody, 0, "each custodian was killed before the command began"};
  return outcome;
}

}  // namespace wtool::engine
