#include "base/text.h"
#include "planning/plan.h"
#include "terminal/text.h"

namespace wtool::host::planning {
namespace {

using workflow::State;

class PlanText {
 public:
  std::string run(const Plan& plan) {
    write(plan, "");
    for (const PlannedCluster& cluster : plan.cluster) write(cluster);
    out_ += '\n' + totals(count(plan)) + '\n';
    return std::move(out_);
  }

 private:
  // Indents further lines of the text, so that they start below the first one.
  void line(const std::string& indent, const std::string& label, const std::string& text) {
    const std::string clean = cleaned_for_terminal(text, true);
    const std::string further = "\n" + indent + std::string(label.size(), ' ');
    out_ += indent + label;
    for (const char c : clean) {
      if (c == '\n') {
        out_ += further;
      } else {
        out_ += c;
      }
    }
    out_ += '\n';
  }

  void blank(const std::string& indent) { out_ += indent.substr(0, indent.find_last_not_of(' ') + 1) + '\n'; }

  void write(const Plan& plan, const std::string& indent) {
    const std::string title = plan.name.empty() ? plan.file : plan.name + " (" + plan.file + ")";
    line(indent, "", "Plan of " + cleaned_for_terminal(title, false));
    for (const auto& [name, value] : plan.inputs) line(indent, "  with ", name + " = " + value);
    if (!plan.on_failure.empty()) line(indent, "  a failure that no exit handles leads to ", plan.on_failure);
    if (!plan.finally.empty()) line(indent, "  every run ends with ", plan.finally);
    if (!plan.budget.empty()) line(indent, "  its prompts may use ", plan.budget);
    if (!plan.concurrency.empty()) line(indent, "  only one run at a time holds the lock ", plan.concurrency);
    if (plan.max_steps) line(indent, "  ends after at most ", counted(*plan.max_steps, "step"));
    if (!plan.fail_fast) line(indent, "", "  if a branch fails, the others continue");
    PlanPart part = PlanPart::main;
    std::vector<std::string> branches;
    for (const PlannedState& state : plan.states) {
      blank(indent);
      if (state.part != part) {
        part = state.part;
        line(indent, "", part == PlanPart::finally ? "At the end of every run:" : "After a failure:");
        blank(indent);
      }
      // Each branch of a fork is indented further, below a line that names its first state.
      const std::string deeper = indent + std::string(4 * state.branches.size(), ' ');
      if (!state.branches.empty() && state.branches != branches) {
        line(deeper.substr(4), "", "in parallel, the branch that begins with " + state.branches.back() + ":");
      }
      branches = state.branches;
      write(state, deeper);
    }
  }

  void write(const PlannedCluster& cluster) {
    out_ += '\n';
    if (!cluster.problem.empty()) return line("", "", "What Slurm would be asked for is not known: " + cluster.problem);
    line("", "",
         "On the cluster" + (cluster.slot.empty() ? "" : ", slot " + cluster.slot) + ": at most " +
             counted(cluster.nodes, "job") + ", each with one node for " + std::to_string(cluster.minutes) +
             " min and room for " + counted(cluster.slots, "call") + " at a time (" +
             counted(cluster.cpus, "processor") + " per call); nothing is submitted now");
    line("  ", "$ ", cluster.sbatch);
  }

  void write(const PlannedState& state, const std::string& indent) {
    std::string title = state.id;
    if (state.kind == State::Kind::choice) title += " (only decides)";
    if (state.kind == State::Kind::fork) title += " (takes all of its exits at the same time)";
    if (state.kind == State::Kind::join) title += " (waits for all paths)";
    if (!state.description.empty() && state.description != state.id) title += ": " + state.description;
    line(indent, "", title);
    const std::string inner = indent + "  ";
    if (!state.action.empty()) line(inner, "", state.action);
    for (const auto& [name, value] : state.details) line(inner, name + ": ", value);
    for (const PlannedCommand& command : state.commands) write(command, inner);
    if (!state.remark.empty()) line(inner, "(", state.remark + ")");
    if (state.runs) {
      blank(indent);
      write(*state.runs, inner + "  | ");
      blank(indent);
    }
    for (const PlannedExit& exit : state.exits) {
      line(inner, "", exit.condition + " -> " + (exit.to == "[*]" ? "the end" : exit.to));
    }
  }

  void write(const PlannedCommand& command, const std::string& indent) {
    if (!command.combination.empty()) line(indent, "for ", command.combination);
    line(indent, "$ ", command.text);
    verdict(command, indent);
    if (!command.up_to_date) return;
    line(indent, "", *command.up_to_date ? "up to date: it would be skipped" : "it would run: " + command.why_it_runs);
  }

  void verdict(const PlannedCommand& command, const std::string& indent) {
    const std::string why = command.reason.empty() ? "" : ": " + command.reason;
    switch (command.verdict) {
      case PlannedCommand::Verdict::allow:
        return line(indent, "", "allowed");
      case PlannedCommand::Verdict::ask:
        return line(indent, "", "needs an approval" + why);
      case PlannedCommand::Verdict::deny:
        return line(indent, "", "REFUSED" + why);
      case PlannedCommand::Verdict::unknown:
        return line(indent, "", "decided when it runs" + why);
    }
  }

  static std::string totals(const PlanCounts& counts) {
    std::string out = counted(counts.states, "state") + ", " + counted(counts.commands, "command");
    auto add = [&, first = true](std::size_t number, const std::string& what) mutable {
      if (number == 0) return;
      out += (first ? ": " : ", ") + std::to_string(number) + " " + what;
      first = false;
    };
    add(counts.allowed, "allowed");
    add(counts.asked, counts.asked == 1 ? "needs approval" : "need approval");
    add(counts.refused, "refused");
    add(counts.unknown, "decided when it runs");
    add(counts.up_to_date, "up to date");
    return out;
  }

  std::string out_;
};

}  // namespace

PlanCounts count(const Plan& plan) {
  PlanCounts counts;
  for (const PlannedState& state : plan.states) {
    ++counts.states;
    for (const PlannedCommand& command : state.commands) {
      ++counts.commands;
      counts.up_to_date += command.up_to_date.value_or(false) ? 1 : 0;
      using Verdict = PlannedCommand::Verdict;
      ++(command.verdict == Verdict::allow  ? counts.allowed
         : command.verdict == Verdict::ask  ? counts.asked
         : command.verdict == Verdict::deny ? counts.refused
                                            : counts.unknown);
    }
    if (!state.runs) continue;
    const PlanCounts inner = count(*state.runs);
    counts.states += inner.states;
    counts.commands += inner.commands;
    counts.allowed += inner.allowed;
    counts.asked += inner.asked;
    counts.refused += inner.refused;
    counts.unknown += inner.unknown;
    counts.up_to_date += inner.up_to_date;
  }
  return counts;
}

std::string plan_text(const Plan& plan) { return PlanText().run(plan); }

}  // namespace wtool::host::planning
