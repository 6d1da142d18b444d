#include "runner/services.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <exception>
#include <thread>
#include <utility>

#include "base/descriptor.h"
#include "base/json.h"
#include "base/secrets/secrets.h"
#include "runner/steps.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host::runner {

// Not in the anonymous namespace: Service, which the header names, has members of these types.
struct ShellCall {
  nlohmann::json arguments;
  CallPlace place;
  const std::string& command() const { return arguments["command"].get_ref<const std::string&>(); }
};

struct PreparedService {
  ShellCall run;
  std::optional<ShellCall> ready;
  std::chrono::milliseconds ready_timeout = workflow::usual_ready_timeout;
  std::int64_t restart = 0;
  workflow::Backoff backoff{};  // of restarts
};

namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using workflow::no_state;
using workflow::ServiceAction;
using workflow::ShellAction;
using workflow::Workflow;

// A service without `ready` counts as ready after running this long: a command that does not exist, or is wrong, has
// ended by then.
constexpr milliseconds settling{250};
// The first pause between two checks whether a service is ready; each pause is twice the one before.
constexpr milliseconds first_pause{50};
constexpr milliseconds max_pause{1000};
// Before a service is started again, unless `backoff` says otherwise.
constexpr workflow::Backoff usual_restart_wait{milliseconds(1000), milliseconds(60'000)};
constexpr std::size_t max_variable = 100UL * 1024;   // bytes; the kernel has the same bound as for arguments
constexpr std::size_t max_log = 64UL * 1024 * 1024;  // bytes
constexpr int ports_to_try = 64;

// The composite state with which a service of that state ends; no_state: none.
std::size_t scope_of(const Workflow& workflow, std::size_t state) {
  const workflow::State& at = workflow.states[state];
  return !at.hidden && at.other_half != no_state ? at.other_half : at.around;
}

bool is_inside(const Workflow& workflow, std::size_t state, std::size_t scope) {
  for (std::size_t at = workflow.states[state].around; at != no_state; at = workflow.states[at].around) {
    if (at == scope) return true;
  }
  return false;
}

bool is_below(const std::string& branch, const std::string& above) {
  return branch.starts_with(above) && (branch.size() == above.size() || branch[above.size()] == '/');
}

// Nothing: `mistake` says what is wrong, with its place.
std::optional<ShellCall> shell_call(const ShellAction& action, const Step& step, const WorkflowInvocation& invocation,
                                    const expressions::Scope& values, std::string& mistake) {
  auto command = render_command(action.command, values);
  if (const auto* error = std::get_if<expressions::ExpressionError>(&command)) {
    mistake = with_place(invocation, action.command.written.locate(error->offset), error->message);
    return std::nullopt;
  }
  ShellCall call;
  call.arguments["command"] = first_line_of(action, invocation.workflow) + std::get<std::string>(command);
  const RunRequest& request = invocation.run.request();
  const workflow::Placement place = workflow::place_of(invocation.workflow, step.state, invocation.place);
  call.place = {.shell = shell_of(action, invocation.workflow),
                .on = "local",
                .limits = workflow::limits_text(place.limits),
                .traceparent = request.settings.traceparent,
                .span = {"service", {{"run", request.run}, {"state", step.of().id}}}};
  if (action.working_directory) {
    const auto directory = rendered_text(*action.working_directory, invocation, values, mistake);
    if (!directory) return std::nullopt;
    call.arguments["working_directory"] = *directory;
  }
  for (const auto& [name, text] : action.environment) {
    const auto value = rendered_text(text, invocation, values, mistake);
    if (!value) return std::nullopt;
    if (value->size() > max_variable) {
      mistake = with_place(invocation, text.written.locate(0),
                           "the environment variable " + name + " is " + std::to_string(value->size()) +
                               " bytes long; at most " + std::to_string(max_variable) + " can be passed");
      return std::nullopt;
    }
    if (text.from_file && secrets::is_secret_name(name)) invocation.run.hide(*value);
    call.arguments["environment"][name] = *value;
  }
  return call;
}

// Tries to bind a socket to the port on all addresses. Returns the port; 0: it is in use. `port` 0: any free port.
std::int64_t bound_port(std::int64_t port) {
  for (const int family : {AF_INET6, AF_INET}) {
    const Descriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) continue;
    // The connections of a service that has just ended do not count.
    const int on = 1, off = 0;
    if (port != 0) ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in6 six{};
    sockaddr_in four{};
    if (family == AF_INET6) ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(static_cast<std::uint16_t>(port));
    four.sin_family = AF_INET;
    four.sin_port = six.sin6_port;
    auto* address = family == AF_INET6 ? reinterpret_cast<sockaddr*>(&six) : reinterpret_cast<sockaddr*>(&four);
    socklen_t size = family == AF_INET6 ? sizeof six : sizeof four;
    if (::bind(socket.get(), address, size) != 0) continue;
    if (::getsockname(socket.get(), address, &size) != 0) continue;
    return ntohs(family == AF_INET6 ? six.sin6_port : four.sin_port);
  }
  return 0;
}

std::string last_line(const Outcome& outcome) {
  for (const std::string* text : {&outcome.standard_error, &outcome.standard_output}) {
    const std::size_t end = text->find_last_not_of(" \t\r\n");
    if (end == std::string::npos) continue;
    const std::size_t begin = text->rfind('\n', end);
    const std::size_t from = begin == std::string::npos ? 0 : begin + 1;
    return text->substr(from, end + 1 - from);
  }
  return "";
}

std::string how_it_ended(const Outcome& outcome, bool secret) {
  std::string text = outcome.error.empty() ? "exit code " + std::to_string(outcome.exit_code) : outcome.message;
  const std::string line = secret ? "" : last_line(outcome);
  if (!line.empty()) text += "; it last wrote " + expressions::quoted_for_message(line);
  return text;
}

bool cannot_succeed_later(const ToolOutcome& call, const Outcome& outcome) {
  return call.kind == ToolOutcome::Kind::not_made || is_refusal(outcome) || outcome.error == "invalid_parameters" ||
         outcome.error == "configuration_invalid";
}

}  // namespace

// One service: a thread that looks after it, and one that is in its call.
class Service {
 public:
  Service(Run& run, const Step& step, const WorkflowInvocation& invocation, ServicesOf* owner, PreparedService prepared)
      : run_(run),
        step_(step),
        invocation_(invocation),
        scope_(scope_of(*step.workflow, step.state)),
        owner_(owner),
        prepared_(std::move(prepared)),
        secret_(gives_secrets(step)) {
    // Under the lock, so that a thread cannot check before this and begin to wait after it.
    wakes_ = stop_.subscribe([this](const StopRequest&) {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      changed_.notify_all();
    });
    // When the run is stopped at once, services get no graceful end.
    at_once_ = run.stop().subscribe([this](const StopRequest& request) {
      if (request.how == StopHow::now) stop_.request(request.how, request.reason);
    });
    RunOutputStore* const store = run.request().services.outputs;
    if (store == nullptr) return;
    std::string name = (step.branch.empty() ? "main" : step.branch) + "-" + std::to_string(step.sequence) + ".service";
    if (step.tries > 1) name += ".try" + std::to_string(step.tries);
    log_ = store->create(name + ".log", secret_);
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service() { end("the service is no longer needed"); }

  void begin() {
    thread_ = std::thread([this] { attend(); });
  }

  // Waits until it is ready, or has ended before that; then the result has failed.
  ActionResult wait_until_ready(Stop& stop) {
    {
      const Stop::Subscription listening =
          stop.subscribe([this](const StopRequest& request) { stop_.request(request.how, request.reason); });
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return phase_ != Phase::starting; });
    }
    ActionResult result;
    const std::lock_guard lock(mutex_);
    if (phase_ == Phase::ready) {
      result.outcome.message = "The service is ready";
      return result;
    }
    result.outcome = end_;
    result.outcome.is_error = true;
    result.outcome.aborted = false;
    result.outcome.message = why_;
    if (result.outcome.exit_code == 0) result.outcome.exit_code = 1;
    result.refused = is_refusal(end_);
    result.fatal = end_.error == "configuration_invalid";
    if (const auto request = stop.requested()) {
      result.outcome.aborted = true;
      result.outcome.exit_code = 130;
      result.outcome.message = request->reason;
    }
    return result;
  }

  // Returns when nothing of it is left.
  void end(const std::string& why) {
    stop_.request(StopHow::graceful, why);
    if (thread_.joinable()) thread_.join();
  }

  const Step& step() const { return step_; }
  const WorkflowInvocation& invocation() const { return invocation_; }
  std::size_t scope() const { return scope_; }

 private:
  enum class Phase { starting, ready, over };

  // Whatever happens, the call has ended before its stop does.
  struct CallEnd {
    Service& service;
    Stop& stop;
    ~CallEnd() {
      if (!service.caller_.joinable()) return;
      stop.request(StopHow::graceful, "the service cannot be looked after");
      service.join_caller();
    }
  };

  void tell(ServiceEvent event) { run_.observer().service(step_, event); }

  void attend() noexcept {
    try {
      live();
    } catch (const std::exception& error) {
      join_caller();
      conclude(true, std::string("the service cannot be looked after: ") + error.what());
    }
  }

  void live() {
    for (std::int64_t again = 0;; ++again) {
      const auto began = steady_clock::now();
      tell({.kind = ServiceEvent::Kind::started});
      ChildStop life(stop_);
      const CallEnd call_end{*this, life.stop()};
      begin_call(life.stop());
      std::string why = await_ready();
      const bool was_ready = why.empty();
      if (was_ready) {
        tell({.kind = ServiceEvent::Kind::ready,
              .message = "after " + workflow::duration_words(
                                        std::chrono::duration_cast<milliseconds>(steady_clock::now() - began))});
        const std::lock_guard lock(mutex_);
        if (phase_ == Phase::starting) phase_ = Phase::ready;
        changed_.notify_all();
      } else {
        life.stop().request(StopHow::graceful, why);
      }
      join_caller();
      if (const auto request = stop_.requested()) return conclude(false, request->reason);
      if (was_ready) why = "the service ended by itself: " + how_it_ended(end_, secret_);
      const bool over = phase_ == Phase::starting || again == prepared_.restart || is_refusal(end_);
      if (over) return conclude(true, why);
      const milliseconds wait = std::min<milliseconds>(
          prepared_.backoff.first * (1LL << std::min<std::int64_t>(again, 20)), prepared_.backoff.longest);
      tell({.kind = ServiceEvent::Kind::restarting,
            .failed = true,
            .exit_code = end_.exit_code,
            .message = why + "; start " + std::to_string(again + 1) + " of " + std::to_string(prepared_.restart) +
                       " again in " + workflow::duration_words(wait)});
      if (!wait_until(steady_clock::now() + wait, stop_)) return conclude(false, stop_.requested()->reason);
    }
  }

  void begin_call(Stop& stop) {
    {
      const std::lock_guard lock(mutex_);
      call_over_ = call_started_ = false;
    }
    json arguments = prepared_.run.arguments;
    arguments["timeout"] =
        std::min(run_.request().services.timeout_max.value_or(workflow::max_timeout), workflow::max_timeout);
    caller_ = std::thread([this, &stop, arguments = std::move(arguments)] {
      ToolOutcome outcome;
      try {
        outcome = run_.request().tools.call_lasting(
            prepared_.run.place, workflow::shell_tool, arguments, stop,
            [this](OutputStream stream, std::string_view bytes) {
              log(bytes);
              run_.observer().output(step_, stream == OutputStream::standard_error, bytes);
              // Not every tool reports states, but a command that writes has started.
              note_start();
            },
            [this](const CallState& state) {
              if (state.state == "started") note_start();
            });
      } catch (const std::exception& error) {
        outcome = {ToolOutcome::Kind::not_made, nullptr, error.what()};
      }
      const std::lock_guard lock(mutex_);
      end_ = to_outcome(outcome);
      call_over_ = true;
      if (question_ != nullptr) question_->request(StopHow::now, "the service has ended");
      changed_.notify_all();
    });
  }

  void note_start() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(call_started_, true)) return;
    changed_.notify_all();
  }

  void join_caller() {
    if (caller_.joinable()) caller_.join();
  }

  // With mutex_ held.
  bool is_over() const { return call_over_ || stopped_; }

  // Waits until the service is ready. Returns why it is not; empty: it is.
  std::string await_ready() {
    const auto until = steady_clock::now() + prepared_.ready_timeout;
    std::string last = "the command of `ready` has not ended yet";
    for (milliseconds pause = first_pause;; pause = std::min(2 * pause, max_pause)) {
      bool ready = !prepared_.ready.has_value();
      if (ready) {
        std::unique_lock lock(mutex_);
        changed_.wait_until(lock, until, [this] { return is_over() || call_started_; });
        if (!is_over() && !call_started_) {
          return "the service was not ready after " + workflow::duration_words(prepared_.ready_timeout) +
                 ": its command has not started";
        }
        changed_.wait_for(lock, settling, [this] { return is_over(); });
      } else {
        const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
        if (left <= milliseconds(0)) {
          return "the service was not ready after " + workflow::duration_words(prepared_.ready_timeout) + ": " + last;
        }
        bool is_final = false;
        ready = ask(left, last, is_final);
        if (is_final) return "the service cannot be asked whether it is ready: " + last;
      }
      std::unique_lock lock(mutex_);
      if (call_over_) return "the service ended before it was ready: " + how_it_ended(end_, secret_);
      if (stopped_) return "the service was ended before it was ready";
      if (ready) return "";
      changed_.wait_for(lock, pause, [this] { return is_over(); });
    }
  }

  // Runs the command of `ready` once, for at most `longest`. `last` gets its answer.
  bool ask(milliseconds longest, std::string& last, bool& is_final) {
    ChildStop question(stop_);
    {
      const std::lock_guard lock(mutex_);
      if (is_over()) return false;
      question_ = &question.stop();
    }
    json arguments = prepared_.ready->arguments;
    if (const auto& most = run_.request().services.timeout_max) {
      longest = std::min<milliseconds>(longest, std::chrono::seconds(*most));
    }
    arguments["timeout"] = workflow::as_seconds(longest);
    const ToolOutcome call = run_.request().tools.call_at(prepared_.ready->place, workflow::shell_tool, arguments,
                                                          question.stop(), nullptr, nullptr);
    const Outcome outcome = to_outcome(call);
    {
      const std::lock_guard lock(mutex_);
      question_ = nullptr;
    }
    if (!outcome.is_error) return true;
    last = "`ready` said: " + how_it_ended(outcome, secret_);
    is_final = cannot_succeed_later(call, outcome);
    if (is_final) {
      const std::lock_guard lock(mutex_);
      if (is_over()) return is_final = false;
      refusal_ = outcome;
    }
    return false;
  }

  void log(std::string_view bytes) {
    if (log_ == nullptr || logged_ > max_log) return;
    logged_ += bytes.size();
    log_->write(logged_ <= max_log ? bytes : "\n[... the log of the service ends here, because it is too long ...]\n");
  }

  void conclude(bool failed, const std::string& why) {
    ServiceEvent event{.kind = ServiceEvent::Kind::ended, .failed = failed, .message = why};
    if (log_ != nullptr) {
      const OutputFile::Written written = log_->finish();
      log_.reset();
      event.log = written.file;
      if (written.file.empty()) run_.observer().noticed(written.trouble);
    }
    LastStep last;
    bool was_ready = false;
    {
      const std::lock_guard lock(mutex_);
      was_ready = phase_ == Phase::ready;
      if (refusal_) end_ = std::move(*refusal_);
      event.exit_code = end_.exit_code;
      last = {step_.of().id, prepared_.run.command(), end_};
    }
    tell(std::move(event));
    last.outcome.is_error = true;
    if (last.outcome.exit_code == 0) last.outcome.exit_code = 1;
    last.outcome.message = why;
    if (failed && was_ready && owner_ != nullptr) {
      owner_->failed("the service of the state '" + step_.of().id + "' has failed: " + why, std::move(last));
    }
    const std::lock_guard lock(mutex_);
    why_ = why;
    phase_ = Phase::over;
    changed_.notify_all();
  }

  Run& run_;
  const Step step_;
  const WorkflowInvocation& invocation_;
  const std::size_t scope_;
  ServicesOf* const owner_;
  const PreparedService prepared_;
  const bool secret_;
  std::unique_ptr<OutputFile> log_;  // used by the thread that is in the call, and after that has ended
  std::size_t logged_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  Phase phase_ = Phase::starting;
  bool call_over_ = false;
  bool call_started_ = false;
  bool stopped_ = false;
  Stop* question_ = nullptr;        // ends the command of `ready`; null: it is not running
  std::optional<Outcome> refusal_;  // why that command can never succeed
  Outcome end_;                     // of the last call
  std::string why_;                 // why the service has ended

  Stop stop_;
  Stop::Subscription wakes_;
  Stop::Subscription at_once_;
  std::thread caller_;
  std::thread thread_;
};

bool is_needed_again(Run& run, const Workflow& workflow, std::size_t state, const std::string& branch,
                     std::uint64_t sequence) {
  const auto& action = workflow.states[state].action;
  if (!action || !std::holds_alternative<ServiceAction>(action->kind)) return false;
  const std::size_t scope = scope_of(workflow, state);
  if (scope == no_state) return true;
  // Whether the path has left the composite state: in this branch, or in one above that its composite state is in.
  for (std::string at = branch;;) {
    while (const PastStep* later = run.request().past->find(at, ++sequence)) {
      const std::size_t index = workflow.index_of(later->state);
      if (index != no_state && !is_inside(workflow, index, scope)) return false;
    }
    const std::size_t slash = at.rfind('/');
    if (slash == std::string::npos) return true;
    sequence = 0;
    std::from_chars(at.data() + slash + 1, at.data() + at.size(), sequence);
    at.resize(slash);
  }
}

Services::Services(Run& run) : run_(run) {}

Services::~Services() {
  end_where([](const Service&) { return true; }, "the run has ended");
}

ActionResult Services::start(const Step& step, const ActionContext& context, const ServiceAction& action) {
  const WorkflowInvocation& invocation = context.invocation;
  end_where([&](const Service& one) { return &one.invocation() == &invocation && one.step().state == step.state; },
            "its state was entered again");
  ActionResult result;
  const auto mistaken = [&] {
    result.outcome.is_error = true;
    result.outcome.exit_code = 1;
    result.outcome.message = result.mistake;
    return result;
  };
  Variables values = context.variables;
  if (const std::string& name = action.free_port.name; !name.empty()) {
    std::int64_t preferred = 0;
    // Values kept from the earlier run may contain the port, so it is used again.
    if (const PastStep* past = step.tries > 1 ? nullptr : run_.past(step.branch, step.sequence, step.of())) {
      for (const auto& [set, value] : past->end.assigned) {
        if (set == name && value.as_int() != nullptr) preferred = *value.as_int();
      }
    }
    const std::int64_t port = free_port(preferred);
    if (port == 0) {
      result.mistake = with_place(invocation, action.free_port.offset, "there is no free TCP port on this machine");
      return mistaken();
    }
    values.set_local(name, expressions::Value(port));
    result.assigned.emplace_back(name, expressions::Value(port));
  }
  PreparedService prepared;
  auto run = shell_call(action.run, step, invocation, values, result.mistake);
  if (!run) return mistaken();
  prepared.run = std::move(*run);
  if (action.ready) {
    prepared.ready = shell_call(*action.ready, step, invocation, values, result.mistake);
    if (!prepared.ready) return mistaken();
  }
  if (action.ready_timeout) {
    const auto text = rendered_text(*action.ready_timeout, invocation, values, result.mistake);
    if (!text) return mistaken();
    std::string why;
    const auto timeout = workflow::timeout_value(*text, why);
    if (!timeout) {
      result.mistake = with_place(invocation, action.ready_timeout->written.locate(0), why);
      return mistaken();
    }
    prepared.ready_timeout = *timeout;
  }
  prepared.restart = action.restart;
  prepared.backoff = step.of().action->options.backoff.value_or(usual_restart_wait);
  // What the command itself marks as secret is kept from observers like any other secret.
  for (const std::string& value : secrets::Masker().found_in(prepared.run.command())) run_.hide(value);
  result.command = prepared.run.command();

  const auto service = std::make_shared<Service>(run_, step, invocation, owner_of(invocation), std::move(prepared));
  {
    const std::lock_guard lock(mutex_);
    services_.push_back(service);
    ++count_;
  }
  service->begin();
  ActionResult started = service->wait_until_ready(context.stop);
  if (started.outcome.is_error) {
    end_where([&](const Service& one) { return &one == service.get(); }, "it was not ready");
  }
  started.command = std::move(result.command);
  started.assigned = std::move(result.assigned);
  return started;
}

void Services::enter(const WorkflowInvocation& invocation, const std::string& branch, std::size_t state) {
  if (count_.load(std::memory_order_relaxed) == 0) return;
  end_where(
      [&](const Service& one) {
        return one.scope() != no_state && &one.invocation() == &invocation && is_below(one.step().branch, branch) &&
               !is_inside(invocation.workflow, state, one.scope());
      },
      "the state around it has ended");
}

void Services::end_where(const std::function<bool(const Service&)>& is_over, const std::string& why) {
  std::vector<std::shared_ptr<Service>> over;
  {
    const std::lock_guard lock(mutex_);
    const auto rest =
        std::stable_partition(services_.begin(), services_.end(), [&](const auto& one) { return !is_over(*one); });
    over.assign(rest, services_.end());
    services_.erase(rest, services_.end());
    count_ = services_.size();
  }
  // Later ones may need the earlier ones.
  for (auto one = over.rbegin(); one != over.rend(); ++one) (*one)->end(why);
}

ServicesOf* Services::owner_of(const WorkflowInvocation& invocation) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(owners_.begin(), owners_.end(),
                                  [&](const ServicesOf* one) { return &one->invocation_ == &invocation; });
  return found == owners_.end() ? nullptr : *found;
}

std::int64_t Services::free_port(std::int64_t preferred) {
  const std::lock_guard lock(mutex_);
  if (preferred > 0 && preferred < 65536 && bound_port(preferred) == preferred) {
    ports_.insert(preferred);
    return preferred;
  }
  std::int64_t port = 0;
  for (int tries = 0; tries < ports_to_try; ++tries) {
    port = bound_port(0);
    if (ports_.insert(port).second) break;
  }
  return port;
}

ServicesOf::ServicesOf(const WorkflowInvocation& invocation, Stop& stop)
    : invocation_(invocation), outer_(stop), work_(stop) {
  Services& all = invocation.run.services();
  const std::lock_guard lock(all.mutex_);
  all.owners_.push_back(this);
}

ServicesOf::~ServicesOf() {
  Services& all = invocation_.run.services();
  all.end_where([this](const Service& one) { return &one.invocation() == &invocation_; }, "its workflow has ended");
  const std::lock_guard lock(all.mutex_);
  std::erase(all.owners_, this);
}

void ServicesOf::judge(BranchResult& end) {
  invocation_.run.services().end_where(
      [this](const Service& one) { return &one.invocation() == &invocation_ && one.scope() != no_state; },
      "the state around it has ended");
  const std::lock_guard lock(mutex_);
  if (why_.empty() || end.kind != BranchResult::Kind::aborted || end.by_action || outer_.requested()) return;
  end.kind = BranchResult::Kind::failed;
  end.reason = why_;
  end.last = last_;
}

void ServicesOf::failed(const std::string& why, LastStep last) {
  {
    const std::lock_guard lock(mutex_);
    if (!why_.empty()) return;
    why_ = why;
    last_ = std::move(last);
  }
  work_.stop().request(StopHow::graceful, why);
}

}  // namespace wtool::host::runner
