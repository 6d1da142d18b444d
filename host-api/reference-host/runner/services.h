// The services of a run: commands that run beside its steps, each as a call of its own (`Service "command"`).
//
// - A service is started by its step. The step ends when the service is ready: when the command of `ready` succeeds. If
//   there is no such command, the service is ready if it still runs a moment after its start. A service counts as
//   started when the tool reports its start, or when it writes its first output.
// - A service that was started in a composite state ends with that state, before the path enters a state outside of it.
//   Other services end with their workflow, after `finally`. Services that began later end first. A state has only one
//   service at a time: its next visit ends the service of the visit before.
// - A service is ended like any call: gracefully first. The plugin ends everything that the service has started, even
//   if wtool dies.
// - A service that ends by itself after it was ready is started again, at most `restart` times, unless its call was
//   refused. After that, it stops its workflow, which fails for that reason. If it was never ready, its step fails. `on
//   failure` and `finally` still run. A service that ends during `on failure` or `finally` is reported, but changes
//   nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runner/actions.h"
#include "runner/run.h"
#include "runner/waiting.h"

namespace wtool::host::runner {

class Service;
class ServicesOf;

// True if the state is a service that later steps still needed when the earlier part of a resumed run ended.
bool is_needed_again(Run& run, const workflow::Workflow& workflow, std::size_t state, const StepPlace& place);

// All services of a run. Any thread may call any member.
class Services {
 public:
  explicit Services(Run& run);
  Services(const Services&) = delete;
  Services& operator=(const Services&) = delete;
  ~Services();

  // Starts the service of the step, and waits until it is ready.
  ActionResult start(const Step& step, const ActionContext& context, const workflow::ServiceAction& action);

  // Call it when the branch enters the state. Ends the services of the composite states that the branch leaves by
  // entering it.
  void enter(const WorkflowInvocation& invocation, const std::string& branch, std::size_t state);

 private:
  friend class ServicesOf;

  void settle(const WorkflowInvocation& invocation);
  void end_where(const std::function<bool(const Service&)>& is_over, const std::string& why);
  ServicesOf* owner_of(const WorkflowInvocation& invocation);
  // A TCP port that nobody listens on: `preferred` if it is free, else one not returned before. 0: none was found.
  std::int64_t free_port(std::int64_t preferred);

  Run& run_;
  std::atomic<std::size_t> count_{0};
  std::mutex mutex_;
  std::vector<std::shared_ptr<Service>> services_;  // in the order in which they began
  std::vector<ServicesOf*> owners_;
  std::set<std::int64_t> ports_;
};

// The services of one workflow of the run. They end no later than this object.
class ServicesOf {
 public:
  // Both must outlive this object.
  ServicesOf(const WorkflowInvocation& invocation, Stop& stop);
  ServicesOf(const ServicesOf&) = delete;
  ServicesOf& operator=(const ServicesOf&) = delete;
  ~ServicesOf();

  // The stop for the main path of the workflow. It is also requested when a service fails.
  Stop& stop() { return work_.stop(); }

  // Call it when the main path has ended as `end` says: ends the services of all composite states. If a service has
  // failed, even during the last step, `end` becomes a failure.
  void judge(BranchResult& end);

 private:
  friend class Services;
  void failed(const std::string& why, LastStep last);

  const WorkflowInvocation& invocation_;
  Stop& outer_;
  ChildStop work_;
  std::mutex mutex_;
  std::string why_;  // why the first service failed; empty: no service has failed
  LastStep last_;
};

}  // namespace wtool::host::runner
