#include "runner/budget.h"

#include <algorithm>
#include <mutex>

#include "base/text.h"
#include "runner/past_run.h"
#include "runner/run.h"

namespace wtool::host::runner {
namespace {

using expressions::Value;
using workflow::PromptBudget;

double in_seconds(std::chrono::milliseconds time) { return static_cast<double>(time.count()) / 1000; }

// Calls `use(budget, meter)` for the workflow and for each workflow around it.
template <class Use>
void each_level(const WorkflowInvocation& invocation, Use use) {
  for (const WorkflowInvocation* at = &invocation; at != nullptr; at = at->parent) use(at->workflow.budget, at->meter);
}

std::string used_up(const PromptBudget& budget, const Usage& spent) {
  if (budget.calls && spent.calls >= *budget.calls) {
    return "the budget of " + counted(*budget.calls, "call");
  }
  if (budget.tokens && spent.tokens >= *budget.tokens) {
    return "the budget of " + std::to_string(*budget.tokens) + " tokens";
  }
  if (budget.cost && spent.cost >= *budget.cost) {
    return "the cost budget of " + expressions::to_text(Value(*budget.cost));
  }
  if (budget.time && spent.time >= *budget.time) {
    return "the budget of " + workflow::duration_words(*budget.time) + " for prompts";
  }
  return "";
}

}  // namespace

void count_earlier_usage(const WorkflowInvocation& invocation, const std::string& branch) {
  const PastRun* past = invocation.run.request().past;
  if (past == nullptr || !past->has_usage()) return;
  const std::lock_guard lock(invocation.run.usage_mutex());
  invocation.meter.spent += past->used_in(branch);
}

void count_replayed_usage(const WorkflowInvocation& invocation, const StepPlace& place) {
  const PastRun* past = invocation.run.request().past;
  if (past == nullptr || !past->has_usage()) return;
  const Usage usage = past->used_at(place);
  const std::lock_guard lock(invocation.run.usage_mutex());
  each_level(invocation, [&](const PromptBudget&, Meter& meter) { meter.seen += usage; });
}

std::string begin_call(const WorkflowInvocation& invocation) {
  const std::lock_guard lock(invocation.run.usage_mutex());
  std::string why;
  each_level(invocation, [&](const PromptBudget& budget, const Meter& meter) {
    if (why.empty()) why = used_up(budget, meter.spent);
  });
  if (!why.empty()) return why + " is used up";
  each_level(invocation, [&](const PromptBudget&, Meter& meter) {
    meter.live = true;
    ++meter.spent.calls;
  });
  return "";
}

void count_usage(const WorkflowInvocation& invocation, const Usage& usage) {
  const std::lock_guard lock(invocation.run.usage_mutex());
  each_level(invocation, [&](const PromptBudget&, Meter& meter) { meter.spent += usage; });
}

std::optional<std::chrono::milliseconds> time_left(const WorkflowInvocation& invocation) {
  const std::lock_guard lock(invocation.run.usage_mutex());
  std::optional<std::chrono::milliseconds> least;
  each_level(invocation, [&](const PromptBudget& budget, const Meter& meter) {
    if (!budget.time) return;
    const auto left = std::max(*budget.time - meter.spent.time, std::chrono::milliseconds(1));
    if (!least || left < *least) least = left;
  });
  return least;
}

bool needs_tokens(const WorkflowInvocation& invocation) {
  bool needed = false;
  each_level(invocation, [&](const PromptBudget& budget, const Meter&) { needed = needed || budget.tokens; });
  return needed;
}

bool needs_cost(const WorkflowInvocation& invocation) {
  bool needed = false;
  each_level(invocation, [&](const PromptBudget& budget, const Meter&) { needed = needed || budget.cost; });
  return needed;
}

Value budget_value(const WorkflowInvocation& invocation) {
  expressions::Map left;
  const auto keep_least = [&](const char* name, Value value, bool less) {
    const auto [found, is_new] = left.fields.try_emplace(name, value);
    if (!is_new && less) found->second = std::move(value);
  };
  const auto whole = [&](const char* name, std::int64_t value) {
    const auto found = left.fields.find(name);
    keep_least(name, Value(value), found != left.fields.end() && value < *found->second.as_int());
  };
  const auto real = [&](const char* name, double value) {
    const auto found = left.fields.find(name);
    keep_least(name, Value(value), found != left.fields.end() && value < *found->second.as_double());
  };
  const std::lock_guard lock(invocation.run.usage_mutex());
  each_level(invocation, [&](const PromptBudget& budget, const Meter& meter) {
    const Usage& used = meter.shown();
    if (budget.calls) whole("calls", std::max<std::int64_t>(*budget.calls - used.calls, 0));
    if (budget.tokens) whole("tokens", std::max<std::int64_t>(*budget.tokens - used.tokens, 0));
    if (budget.cost) real("cost", std::max(*budget.cost - used.cost, 0.0));
    if (budget.time) real("time", in_seconds(std::max(*budget.time - used.time, std::chrono::milliseconds(0))));
  });
  const Usage& own = invocation.meter.shown();
  expressions::Map used;
  used.fields.emplace("calls", Value(own.calls));
  used.fields.emplace("tokens", Value(own.tokens));
  used.fields.emplace("cost", Value(own.cost));
  used.fields.emplace("time", Value(in_seconds(own.time)));
  left.fields.emplace("used", Value(std::move(used)));
  return Value(std::move(left));
}

}  // namespace wtool::host::runner
