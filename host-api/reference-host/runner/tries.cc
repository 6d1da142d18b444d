#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "runner/kept_files.h"
#include "runner/named_lock.h"
#include "runner/secrets.h"
#include "runner/steps.h"
#include "runner/waiting.h"
#include "workflow/model/model.h"

namespace wtool::host::runner {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using workflow::ActionOptions;

bool is_final(const ActionResult& result) {
  const Outcome& outcome = result.outcome;
  return !outcome.is_error || outcome.aborted || result.abort || result.is_fatal() ||
         outcome.error == "invalid_parameters" || outcome.error == "configuration_invalid";
}

milliseconds wait_before_next(const ActionOptions& options, int tries) {
  if (!options.backoff) return milliseconds(0);
  const double factor = std::pow(2.0, std::min(tries - 1, 40));
  const double wait = static_cast<double>(options.backoff->first.count()) * factor;
  return milliseconds(std::llround(std::min(wait, static_cast<double>(options.backoff->longest.count()))));
}

ActionResult run_until(Step& step, const ActionContext& context) {
  const ActionOptions& options = step.of().action->options;
  for (step.tries = 1;; ++step.tries) {
    // The earlier run's steps inside this one belong to its last try. A further try must run all of them.
    if (step.tries > 1) {
      context.invocation.run.forget_branches(beginning_inside(step.place()));
    }
    ActionResult result = run_action(step, context);
    if (is_final(result) || step.tries > options.retry) return result;
    const milliseconds wait = wait_before_next(options, step.tries);
    context.invocation.run.observer().retrying(step, result.outcome, wait);
    if (!wait_until(steady_clock::now() + wait, context.stop)) {
      result.end_by(context.stop);
      return result;
    }
  }
}

ActionResult run_within_time(Step& step, const ActionContext& context) {
  const ActionOptions& options = step.of().action->options;
  if (!options.total_timeout) return run_until(step, context);
  ActionResult result;
  std::string mistake;
  const auto text = rendered_text(*options.total_timeout, context.invocation, context.variables, mistake);
  const auto limit = text ? workflow::duration_value(*text, workflow::max_timeout) : std::nullopt;
  if (!limit) {
    if (text) {
      mistake = with_place(context.invocation, options.total_timeout->written.locate(0),
                           "total_timeout must be a number of seconds, or a time such as 90s, 5m or 1h, not " +
                               expressions::quoted_for_message(*text));
    }
    result.fail_by_mistake(std::move(mistake));
    return result;
  }
  ChildStop timed(context.stop);
  std::optional<Deadline> deadline;
  try {
    deadline.emplace(steady_clock::now() + *limit, timed.stop(), "total_timeout");
  } catch (const std::system_error& error) {
    result.fail(std::string("total_timeout needs a thread, but no thread could be started (") + error.code().message() +
                "); run fewer branches at the same time");
    return result;
  }
  result = run_until(step, {context.invocation, context.variables, timed.stop(), context.in_fork});
  if (!deadline->passed() || context.stop.requested() || !result.outcome.aborted || result.abort) return result;
  result.outcome.aborted = false;
  result.outcome.exit_code = 124;
  result.outcome.error = "timed_out";
  result.outcome.message = "the total_timeout of " + *text + " ran out in try " + std::to_string(step.tries);
  return result;
}

// Reports that background processes were ended with a step's command. The author of the step probably expected them to
// continue.
void tell_of_ended_processes(const Step& step, const ActionContext& context, const ActionResult& result) {
  const expressions::Value* metadata = &result.outcome.metadata;
  const expressions::Value* ended = expressions::field_of(metadata, "background_processes_ended");
  const std::int64_t* count = ended == nullptr ? nullptr : ended->as_int();
  // If the command was interrupted, everybody expects that its background processes are ended, too.
  const bool by_itself = !result.outcome.aborted && expressions::field_of(metadata, "partial_stdout") == nullptr;
  if (count == nullptr || !by_itself || result.up_to_date) return;
  context.invocation.run.observer().noticed(
      "the step '" + step.of().id + "': when its command ended, " + std::to_string(*count) +
      (*count == 1 ? " background process was" : " background processes were") +
      " ended with it; let the command `wait` for what it starts, or start it with a Service");
}

// Called with the step's lock held, if it has one, because other steps may write the same files.
ActionResult run_and_keep(Step& step, const ActionContext& context) {
  ActionResult result = run_within_time(step, context);
  keep_files(step, context);
  tell_of_ended_processes(step, context, result);
  return result;
}

// The wait for the lock does not count towards the action's time limits.
ActionResult run_locked(Step& step, const ActionContext& context) {
  const std::optional<workflow::TemplateText>& lock = step.of().action->options.lock;
  if (!lock) return run_and_keep(step, context);
  const WorkflowInvocation& invocation = context.invocation;
  ActionResult result;
  std::string mistake;
  auto name = rendered_text(*lock, invocation, context.variables, mistake);
  const Secrets* const secrets = invocation.run.request().secrets;
  if (name && secrets != nullptr && secrets->masked(*name) != *name) {
    mistake = with_place(invocation, lock->written.locate(0),
                         "the name of a lock contains a secret value, but would become the name of a file; "
                         "use other values in the name");
    name.reset();
  }
  if (name) {
    const std::string here = place_name(step.place());
    std::string error;
    const NamedLock held(
        NamedLock::Kind::step, *name,
        {&invocation.run, invocation.run.request().run, here, "'" + step.of().id + "' of " + invocation.source.name()},
        context.stop,
        [&](const std::string& sentence) { invocation.run.observer().noticed("'" + step.of().id + "' " + sentence); },
        error);
    if (held.held()) return run_and_keep(step, context);
    if (error.empty()) {
      result.end_by(context.stop);
      return result;
    }
    mistake = with_place(invocation, lock->written.locate(0), error);
  }
  result.fail_by_mistake(std::move(mistake));
  return result;
}

}  // namespace

ActionResult run_tries(Step& step, const ActionContext& context) {
  // Many steps run on threads of their own, where an exception would end the program.
  try {
    const auto& may_begin = context.invocation.run.request().services.may_begin;
    if (may_begin && !may_begin(step, step_text(step, context), context.stop)) {
      ActionResult result;
      result.fail("you ended the run before the step '" + step.of().id + "' (--step)", 130);
      result.outcome.aborted = result.abort = true;
      return result;
    }
    return run_locked(step, context);
  } catch (const std::exception& error) {
    ActionResult result;
    result.fail(std::string("an unexpected error inside wtool: ") + error.what());
    return result;
  }
}

}  // namespace wtool::host::runner
