#include "engine/outcome.h"

#include <cstring>

#include "base/signal_name.h"

namespace wtool::engine {

namespace {

struct Words {
  std::string operator()(const Exited& how) const { return "exited with " + std::to_string(how.status); }
  std::string operator()(const Signalled& how) const { return "was killed by " + signal_name(how.signal); }
  std::string operator()(const TimedOut& how) const {
    return how.begun ? "timed out" : "did not start: its time was over";
  }
  std::string operator()(const Cancelled& how) const { return how.begun ? "aborted" : "did not start: aborted"; }
  std::string operator()(const Exhausted& how) const { return "passed " + how.key(); }
  std::string operator()(const NotStarted& how) const {
    return "did not start: " + (how.error != 0 ? std::string(std::strerror(how.error)) : how.detail);
  }
  std::string operator()(const Lost& how) const { return "was lost: " + how.detail; }
  std::string operator()(const NodeLost& how) const { return "was lost with its node: " + how.detail; }
  std::string operator()(const NoNode& how) const { return "did not start: " + how.detail; }
};

}  // namespace

std::string in_words(const Termination& how) { return std::visit(Words{}, how); }

bool has_begun(const Termination& how) {
  if (const auto* timed_out = std::get_if<TimedOut>(&how)) return timed_out->begun;
  if (const auto* cancelled = std::get_if<Cancelled>(&how)) return cancelled->begun;
  return !std::holds_alternative<NotStarted>(how) && !std::holds_alternative<NoNode>(how);
}

}  // namespace wtool::engine
