// For tools that run one program without a shell: which words a command text has, and which of its parts only a shell
// would understand. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "policy/verdict.h"

namespace wtool::policy {

// Something in a command text that is more than a word of it.
struct Construct {
  std::string what;  // with its article: "the operator &&", "a command substitution", "the glob character *"
  Range at;          // where it stands: bytes of the text
};

// The first shell operator outside of quotes: one that joins or ends commands (; & | && || and a newline between
// commands), a redirection, a parenthesis, or a `$` or backquote that expands (in double quotes, too). Blank space at
// the end of the text does not count.
std::optional<Construct> find_operator(std::string_view text);

// The words of a text that is one command of literal words, read as a shell reads them; no words where it has only
// blanks or a comment. Otherwise the first construct that needs a shell, or that shells read differently.
std::variant<std::vector<std::string>, Construct> only_words(std::string_view text);

}  // namespace wtool::policy
