#include "workflow/parse/diagram_parts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"

namespace wtool::host::workflow {

void read_condition(Transition& transition, Diagnostics& diagnostics) {
  std::string word = lowered(transition.label);
  std::erase_if(word, [](char c) { return c == ' ' || c == '\t' || c == '_'; });
  transition.always = word == "always";
  // `AllComplete` is not a condition: a join is left only when all of its branches are complete anyway.
  if (word.empty() || transition.always || word == "allcomplete") return;
  if (word == "default") {
    transition.kind = Transition::Kind::fallback;
  } else if (word == "success" || word == "onsuccess") {
    transition.kind = Transition::Kind::success;
  } else if (word == "failure" || word == "onfailure") {
    transition.kind = Transition::Kind::failure;
  } else {
    transition.kind = Transition::Kind::expression;
    auto parsed = expressions::parse_expression(transition.label);
    if (const auto* error = std::get_if<expressions::ExpressionError>(&parsed)) {
      return diagnostics.add(
          transition.label_offset + error->offset,
          "the condition is not understood: " + error->message +
              ". A condition is 'always', 'default', 'success', 'failure', or an expression such as 'exit_code == 0'");
    }
    transition.condition = std::get<expressions::Expression>(std::move(parsed));
  }
}

void Composites::open(std::size_t state, std::size_t offset) {
  if (too_deep_ > 0 || open_.size() == max_composite_depth) {
    if (too_deep_++ == 0) {
      // The block does not become a composite state, so the connections of its states are not known or checked.
      workflow_.diagram_unread = true;
      diagnostics_.add(offset,
                       "composite states are nested deeper than " + std::to_string(max_composite_depth) + " levels");
    }
    return;
  }
  if (!states_.insert(state).second) {
    diagnostics_.add(offset, "this is a second block of the composite state '" + workflow_.states[state].id + "'");
  }
  Composite made;
  made.state = state;
  made.hidden = workflow_.states.size();
  made.offset = offset;
  made.regions.push_back({no_state, offset});
  State hidden;
  hidden.id = workflow_.states[state].id + "/end";
  hidden.offset = workflow_.states[state].offset;
  hidden.hidden = true;
  hidden.other_half = state;
  workflow_.states.push_back(std::move(hidden));
  stands_here(state);
  workflow_.states[state].other_half = made.hidden;
  open_.push_back(all_.size());
  all_.push_back(std::move(made));
}

bool Composites::close() {
  if (too_deep_ > 0) {
    --too_deep_;
    return true;
  }
  if (open_.empty()) return false;
  open_.pop_back();
  return true;
}

bool Composites::divide(std::size_t offset) {
  if (open_.empty()) return false;
  all_[open_.back()].regions.push_back({no_state, offset});
  return true;
}

void Composites::start(std::size_t target, std::size_t offset) {
  if (too_deep_ > 0) return;  // the start of a block that is nested too deeply
  Composite& composite = all_[open_.back()];
  Region& region = composite.regions.back();
  if (region.start != no_state) {
    diagnostics_.add(offset, "this is a second start inside '" + workflow_.states[composite.state].id +
                                 "'; the first start leads to '" + workflow_.states[region.start].id +
                                 "'. Regions that run at the same time are divided by a line --");
    return;
  }
  region.start = target;
}

void Composites::stands_here(std::size_t state) {
  State& named = workflow_.states[state];
  if (named.around == no_state && !is_inside(state)) named.around = end();
}

// Whether the innermost open composite state is the state itself or stands inside of it, however deep.
bool Composites::is_inside(std::size_t state) const {
  for (std::size_t at = end(); at != no_state;) {
    const std::size_t outer = workflow_.states[at].other_half;
    if (outer == state) return true;
    at = workflow_.states[outer].around;
  }
  return false;
}

std::size_t Composites::end() const { return open_.empty() ? no_state : all_[open_.back()].hidden; }

void Composites::finish() {
  for (const std::size_t open : open_) {
    diagnostics_.add(all_[open].offset, "this { is not closed; add a line }");
  }
  for (const Composite& composite : all_) flatten(composite);
}

void Composites::flatten(const Composite& composite) {
  State& outer = workflow_.states[composite.state];
  State& hidden = workflow_.states[composite.hidden];
  while (!workflow_.index.try_emplace(hidden.id, composite.hidden).second) hidden.id += "/end";
  for (const Region& region : composite.regions) {
    if (region.start != no_state) continue;
    diagnostics_.add(region.offset,
                     composite.regions.size() > 1
                         ? "this region of '" + outer.id + "' has no start; add a line [*] --> State"
                         : "the composite state '" + outer.id + "' has no start inside; add a line [*] --> State");
    return;
  }
  if (outer.kind != State::Kind::plain) {
    diagnostics_.add(composite.offset,
                     "the state '" + outer.id + "' cannot be composite and also a choice, fork or join");
  }
  hidden.exits = std::exchange(outer.exits, {});
  hidden.around = outer.around;
  for (const Region& region : composite.regions) {
    Transition into;
    into.target = region.start;
    into.offset = into.label_offset = region.offset;
    outer.exits.push_back(std::move(into));
    workflow_.states[region.start].entered = true;
  }
  if (composite.regions.size() > 1) {
    outer.kind = State::Kind::fork;
    hidden.kind = State::Kind::join;
  }
}

}  // namespace wtool::host::workflow
