#include "runner/services.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/descriptor.h"
#include "base/secrets/secrets.h"
#include "runner/service.h"
#include "runner/shell_arguments.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host::runner {

namespace {

using std::chrono::milliseconds;
using workflow::no_state;
using workflow::ServiceAction;
using workflow::ShellAction;
using workflow::Workflow;

// The wait before a service is started again, unless `backoff` says otherwise.
constexpr workflow::Backoff usual_restart_wait{milliseconds(1000), milliseconds(60'000)};
constexpr int ports_to_try = 64;

// The composite state whose end also ends a service that `state` started; no_state: only the end of the run ends
// it.
std::size_t scope_of(const Workflow& workflow, std::size_t state) {
  const workflow::State& at = workflow.states[state];
  return !at.hidden && at.other_half != no_state ? at.other_half : at.around;
}

// The call that runs the command of the action, with its values filled in. Nothing: `mistake` says what is wrong, with
// its place.
std::optional<ShellCall> shell_call(const ShellAction& action, const Step& step, const WorkflowInvocation& invocation,
                                    const expressions::Scope& values, std::string& mistake) {
  const auto command = shell_command(action, invocation, values, mistake);
  if (!command) return std::nullopt;
  auto arguments = shell_arguments(*command, action, invocation, values, mistake);
  if (!arguments) return std::nullopt;
  ShellCall call;
  call.arguments = std::move(*arguments);
  const RunRequest& request = invocation.run.request();
  const workflow::Placement place = workflow::place_of(invocation.workflow, step.state, invocation.place);
  call.place = {.shell = shell_of(action, invocation.workflow),
                .on = "local",
                .limits = workflow::limits_text(place.limits),
                .traceparent = request.settings.traceparent,
                .span = {"service", {{"run", request.run}, {"state", step.of().id}}}};
  return call;
}

// The service of the action, with all values filled in. Nothing: `mistake` says what is wrong, with its place.
std::optional<PreparedService> prepare(const ServiceAction& action, const Step& step,
                                       const WorkflowInvocation& invocation, const expressions::Scope& values,
                                       std::string& mistake) {
  PreparedService prepared;
  auto run = shell_call(action.run, step, invocation, values, mistake);
  if (!run) return std::nullopt;
  prepared.run = std::move(*run);
  if (action.ready) {
    prepared.ready = shell_call(*action.ready, step, invocation, values, mistake);
    if (!prepared.ready) return std::nullopt;
  }
  if (action.ready_timeout) {
    const auto text = rendered_text(*action.ready_timeout, invocation, values, mistake);
    if (!text) return std::nullopt;
    std::string why;
    const auto timeout = workflow::timeout_value(*text, why);
    if (!timeout) {
      mistake = with_place(invocation, action.ready_timeout->written.locate(0), why);
      return std::nullopt;
    }
    prepared.ready_timeout = *timeout;
  }
  prepared.restart = action.restart;
  prepared.backoff = step.of().action->options.backoff.value_or(usual_restart_wait);
  return prepared;
}

// Tries to bind a socket to the port (0: to any free port) on all addresses. Returns the port; 0: it cannot be bound.
std::int64_t bound_port(std::int64_t port) {
  for (const int family : {AF_INET6, AF_INET}) {
    const Descriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) continue;
    // With SO_REUSEADDR, old connections of a service that has just ended do not keep the port in use.
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

}  // namespace

bool is_needed_again(Run& run, const Workflow& workflow, std::size_t state, const StepPlace& place) {
  const auto& action = workflow.states[state].action;
  if (!action || !std::holds_alternative<ServiceAction>(action->kind)) return false;
  const std::size_t scope = scope_of(workflow, state);
  if (scope == no_state) return true;
  // Looks for a later step outside of the composite state, in this branch and in the branches above it. If there is
  // one, the service had already ended.
  for (StepPlace at = place;;) {
    while (const PastStep* later = run.request().past->find({at.branch, ++at.sequence})) {
      const std::size_t index = workflow.index_of(later->state);
      // From a changed step on, every step runs again, and may need the service.
      if (index != no_state && later->is_of_other_action(workflow.states[index])) return true;
      if (index != no_state && !is_inside(workflow, index, scope)) return false;
    }
    auto above = parent_of(at.branch);
    if (!above) return true;
    at = std::move(*above);
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
  std::string mistake;
  const auto mistaken = [&] {
    result.fail_by_mistake(mistake);
    return result;
  };
  Variables values = context.variables;
  if (const std::string& name = action.free_port.name; !name.empty()) {
    std::int64_t preferred = 0;
    // Values kept from the earlier run may contain the port of that run, so the same port is preferred.
    if (const PastStep* past = step.tries > 1 ? nullptr : run_.past(step.place(), step.of())) {
      for (const auto& [set, value] : past->end.assigned) {
        if (set == name && value.as_int() != nullptr) preferred = *value.as_int();
      }
    }
    const std::int64_t port = free_port(preferred);
    if (port == 0) {
      mistake = with_place(invocation, action.free_port.offset, "there is no free TCP port on this machine");
      return mistaken();
    }
    values.set_local(name, expressions::Value(port));
    result.assigned.emplace_back(name, expressions::Value(port));
  }
  std::optional<PreparedService> prepared = prepare(action, step, invocation, values, mistake);
  if (!prepared) return mistaken();
  // A value that looks secret is hidden from observers like any other secret, even if it is written in the command.
  for (const std::string& value : secrets::Masker().found_in(prepared->run.command())) run_.hide(value);
  result.command = prepared->run.command();

  Service::OnFailure on_failure;
  if (ServicesOf* const owner = owner_of(invocation)) {
    on_failure = [owner](const std::string& why, LastStep last) { owner->failed(why, std::move(last)); };
  }
  const auto service = std::make_shared<Service>(run_, step, invocation, scope_of(*step.workflow, step.state),
                                                 std::move(on_failure), *std::move(prepared));
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
        return one.scope() != no_state && &one.invocation() == &invocation &&
               is_on_or_below(one.step().branch, branch) && !is_inside(invocation.workflow, state, one.scope());
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
  // Later services may need the earlier ones, so the later ones end first.
  for (auto one = over.rbegin(); one != over.rend(); ++one) (*one)->end(why);
}

void Services::settle(const WorkflowInvocation& invocation) {
  std::vector<std::shared_ptr<Service>> live;
  {
    const std::lock_guard lock(mutex_);
    std::copy_if(services_.begin(), services_.end(), std::back_inserter(live),
                 [&](const auto& one) { return &one->invocation() == &invocation; });
  }
  for (const auto& one : live) one->settle();
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
  for (int tries = 0; tries < ports_to_try; ++tries) {
    const std::int64_t port = bound_port(0);
    if (port == 0 || ports_.insert(port).second) return port;
  }
  return 0;
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
  invocation_.run.services().settle(invocation_);
  const std::lock_guard lock(mutex_);
  if (why_.empty() || outer_.requested() || end.by_action) return;
  if (end.kind != BranchResult::Kind::aborted && end.kind != BranchResult::Kind::ended) return;
  end.kind = BranchResult::Kind::failed;
  end.suspended = false;  // a run that has failed waits for no answer
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
