// The rules that `wtool check` checks, each with its id and its sentence, as in the table in docs/abi.md.
#pragma once

#include <span>
#include <string_view>

namespace wtool::host::conformance {

struct Rule {
  std::string_view id;
  std::string_view text;  // one sentence
};

std::span<const Rule> rules();

// The sentence of a rule; empty for an unknown id.
std::string_view rule_text(std::string_view id);

}  // namespace wtool::host::conformance
