// What the policy says about a call, in one value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wtool::policy {

// Ordered by strictness: of several decisions, the greatest one applies.
enum class Decision { allow, ask, deny };

inline std::string_view to_text(Decision decision) {
  return decision == Decision::allow ? "allow" : decision == Decision::ask ? "ask" : "deny";
}

// The bytes [begin, end) of the line that was judged.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Verdict {
  Decision decision = Decision::allow;
  std::string reason;          // a sentence without its full stop: what was found, and in which word
  std::string rule;            // the key of the configuration that decided, with its entry: `commands.deny: git push`
  std::string word;            // the word that caused it, as in the line; empty: the line as a whole
  Range at;                    // the bytes of that word
  std::string hint;            // what would be allowed, or how to allow this
  std::string code;            // the error's code, if a tool's own rules refuse; empty: policy_denied
  bool opens_network = false;  // the decision is ask because of commands.ask_network; a yes opens the network
};

}  // namespace wtool::policy
