#include "workflow/check/older_rule.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string_view>

#include "workflow/check/checker.h"
#include "workflow/check/failure_rule.h"
#include "workflow/model/edges.h"
#include "workflow/parse/markdown.h"
#include "workflow/parse/parser.h"

namespace wtool::host::workflow {
namespace {

class OlderRule {
 public:
  explicit OlderRule(const Workflow& workflow) : workflow_(workflow), states_(workflow.states) {
    fails_.resize(states_.size());
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!can_fail(states_[i])) continue;
      fails_[i] = true;
      for (std::size_t at = states_[i].around; at != no_state; at = states_[at].around) fails_[at] = true;
    }
  }

  struct Changed {
    std::size_t state;
    const Transition* exit;
  };

  std::vector<Changed> changed() const {
    std::vector<Changed> made;
    if (workflow_.continues) return made;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const State& state = states_[i];
      const bool leads_inwards = !state.hidden && state.other_half != no_state;
      if (!fails_[i] || state.kind == State::Kind::fork || leads_inwards) continue;
      for (const Transition& exit : state.exits) {
        // An exit straight to an end is the same under both rules: a failure before it remains a failure.
        if (!is_unconditional(exit) || exit.target == no_state || states_[exit.target].hidden) continue;
        if (!takes_failure(workflow_, state, exit)) made.push_back({i, &exit});
      }
    }
    return made;
  }

  void warn(bool of_older_kind, Diagnostics& diagnostics) {
    const std::vector<Changed> all = changed();
    if (all.empty()) return;
    read_names();
    for (const Changed& one : all) warn_of(one, of_older_kind, diagnostics);
  }

  bool is_looked_at_after(std::size_t state, const Transition& exit) {
    read_names();
    return who_looks({state, &exit}) != no_state;
  }

 private:
  void warn_of(const Changed& one, bool of_older_kind, Diagnostics& diagnostics) {
    const std::string arrow = shown_name(workflow_, one.state) + " --> " + shown_name(workflow_, one.exit->target);
    const std::string repair = "; write `" + arrow +
                               ": always` to take it after a failure as well, or write `failures: continue` in the "
                               "front matter to use the older rule for the file (`wtool lint --fix` adds it)";
    const std::size_t looks = who_looks(one);
    if (looks != no_state) {
      diagnostics.warn(one.exit->offset,
                       "`" + arrow + "` is taken only after a success, but '" + shown_name(workflow_, looks) +
                           "', which follows, tests how '" + shown_name(workflow_, one.state) + "' ended" + repair,
                       arrow + ": always");
    } else if (of_older_kind) {
      diagnostics.warn(one.exit->offset, "`" + arrow + "` is taken only after a success" + repair, arrow + ": always");
    }
  }

  void read_names() {
    edges_ = edges_of(workflow_);
    looks_at_last_.resize(states_.size());
    for (std::size_t i = 0; i < states_.size(); ++i) {
      looks_at_last_[i] = !states_[i].action && !states_[i].action_unread && !judges(states_[i]) &&
                          std::any_of(states_[i].exits.begin(), states_[i].exits.end(), asks_plainly);
    }
    for (const NameRead& use : name_uses(workflow_, nullptr)) {
      if (use.may_be_missing || use.state == no_state) continue;
      if (use.field.empty() && use.in_action && is_outcome_name(use.name)) looks_at_last_[use.state] = true;
      if (is_outcome_name(use.field)) readers_.emplace(use.name, use.state);
    }
    for (const State& state : states_) {
      if (state.around == no_state || !can_fail(state)) continue;
      for (const std::string& name : names_of(state)) inside_[state.around].push_back(name);
    }
  }

  // A state that comes after the exit and checks how the state before the exit ended; no_state: no state does so.
  std::size_t who_looks(const Changed& one) {
    if (judges(states_[one.exit->target])) return no_state;
    const std::size_t next = who_looks_next(one.exit->target);
    if (next != no_state) return next;
    std::vector<std::string> names = names_of(states_[one.state]);
    if (const auto found = inside_.find(one.state); found != inside_.end()) {
      names.insert(names.end(), found->second.begin(), found->second.end());
    }
    std::set<std::size_t> readers;
    for (const std::string& name : names) {
      const auto [begin, end] = readers_.equal_range(name);
      for (auto reader = begin; reader != end; ++reader) readers.insert(reader->second);
    }
    readers.erase(one.state);
    erase_those_after_failure(one.state, readers);
    if (readers.empty() || ++walks_ > max_diagnostics_shown) return no_state;
    return nearest(one.exit->target, readers);
  }

  // A state that is reached before another action runs, and that checks how the last action ended; no_state: no state
  // does so.
  std::size_t who_looks_next(std::size_t start) const {
    std::set<std::size_t> seen = {start};
    std::deque<std::size_t> todo = {start};
    while (!todo.empty() && seen.size() <= max_diagnostics_shown) {
      const std::size_t at = todo.front();
      todo.pop_front();
      if (looks_at_last_[at]) return at;
      if (states_[at].action || judges(states_[at])) continue;
      for (const Transition& exit : states_[at].exits) {
        if (exit.target != no_state && seen.insert(exit.target).second) todo.push_back(exit.target);
      }
    }
    return no_state;
  }

  // Takes out the states that a failure of `state` reaches also under the newer rule: by its own `on failure`, or by an
  // exit of a composite state around it.
  void erase_those_after_failure(std::size_t state, std::set<std::size_t>& readers) const {
    std::vector<bool> seen(states_.size());
    std::vector<std::size_t> todo;
    const auto reach = [&](std::size_t target) {
      if (target == no_state || seen[target]) return;
      seen[target] = true;
      todo.push_back(target);
    };
    if (states_[state].action) reach(workflow_.index_of(states_[state].action->options.on_failure.name));
    for (std::size_t around = states_[state].around; around != no_state; around = states_[around].around) {
      for (const Transition& exit : states_[around].exits) {
        if (exit.kind != Transition::Kind::success &&
            (!is_unconditional(exit) || takes_failure(workflow_, states_[around], exit))) {
          reach(exit.target);
        }
      }
    }
    while (!todo.empty()) {
      const std::size_t at = todo.back();
      todo.pop_back();
      readers.erase(at);
      for (const Transition& exit : states_[at].exits) reach(exit.target);
    }
  }

  std::size_t nearest(std::size_t start, const std::set<std::size_t>& wanted) const {
    std::vector<bool> seen(states_.size());
    std::deque<std::size_t> todo = {start};
    while (!todo.empty()) {
      const std::size_t at = todo.front();
      todo.pop_front();
      if (seen[at]) continue;
      if (wanted.contains(at)) return at;
      seen[at] = true;
      todo.insert(todo.end(), edges_[at].begin(), edges_[at].end());
    }
    return no_state;
  }

  // Whether the state is a join or the end of a composite state, which a failure reaches under either rule.
  static bool judges(const State& state) { return state.kind == State::Kind::join || state.hidden; }

  static bool asks_plainly(const Transition& exit) {
    if (exit.kind == Transition::Kind::success || exit.kind == Transition::Kind::failure) return true;
    const auto& names = exit.condition.names;
    return std::any_of(names.begin(), names.end(),
                       [](const auto& use) { return use.field.empty() && is_outcome_name(use.name); });
  }

  static std::vector<std::string> names_of(const State& state) {
    std::vector<std::string> names = {state.id};
    if (state.action && !state.action->options.result.name.empty()) names.push_back(state.action->options.result.name);
    return names;
  }

  const Workflow& workflow_;
  const std::vector<State>& states_;
  std::vector<bool> fails_;
  StateEdges edges_;
  std::vector<bool> looks_at_last_;
  std::multimap<std::string, std::size_t> readers_;
  std::map<std::size_t, std::vector<std::string>> inside_;  // names of outcomes, by the hidden state around them
  std::size_t walks_ = 0;
};

}  // namespace

std::vector<const Transition*> changed_exits(const Workflow& workflow) {
  std::vector<const Transition*> exits;
  for (const auto& one : OlderRule(workflow).changed()) exits.push_back(one.exit);
  return exits;
}

bool is_looked_at_after(const Workflow& workflow, std::size_t state, const Transition& exit) {
  return OlderRule(workflow).is_looked_at_after(state, exit);
}

void check_older_rule(const Workflow& workflow, const std::string& file, Diagnostics& diagnostics) {
  const bool of_older_kind = ("/" + file).find("/.swissarmyhammer/") != std::string::npos;
  OlderRule(workflow).warn(of_older_kind, diagnostics);
}

std::string with_failures_continue(const Source& source, std::string& error) {
  const std::string_view text = source.text();
  const std::size_t end_of_first = source.line_count() > 0 ? source.line(0).size() + source.line_start(0) : 0;
  std::string line_end = "\n";
  if (text.substr(end_of_first).starts_with("\r\n")) {
    line_end = "\r\n";
  } else if (text.substr(end_of_first).starts_with("\r")) {
    line_end = "\r";
  }
  Diagnostics diagnostics;
  const Document document = read_document(source, diagnostics);
  std::string made;
  if (document.front_matter) {
    const LineRange lines = *document.front_matter;
    std::string indent;
    for (std::size_t i = lines.begin; i < lines.end; ++i) {
      const std::string_view line = source.line(i);
      const std::size_t first = line.find_first_not_of(" \t");
      if (first == std::string_view::npos || line[first] == '#') continue;
      indent = line.substr(0, first);
      break;
    }
    const std::size_t at = source.line_start(lines.begin);
    made = std::string(text.substr(0, at)) + indent + "failures: continue" + line_end + std::string(text.substr(at));
  } else {
    const std::size_t at = source.content_begin();
    made = std::string(text.substr(0, at)) + "---" + line_end + "failures: continue" + line_end + "---" + line_end +
           std::string(text.substr(at));
  }
  Diagnostics before;
  Diagnostics after;
  const Workflow old = parse_workflow(source, before);
  const Workflow changed = parse_workflow(Source(source.name(), made), after);
  if (changed.continues && after.size() <= before.size() && old.parameters.size() == changed.parameters.size()) {
    return made;
  }
  error =
      "`failures: continue` could not be added to the front matter without changing something else; write it there "
      "by hand";
  return "";
}

}  // namespace wtool::host::workflow
