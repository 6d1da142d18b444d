// For tools that run one program without a shell: splits a command text into words, and finds parts that only a shell
// would understand. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "policy/verdict.h"

namespace wtool::policy {

// A part of a command text that only a shell understands.
struct Construct {
  std::string what;  // with its article: "the operator &&", "a command substitution", "the glob character *"
  Range at;          // its bytes in the text
};

// The first shell operator outside of quotes: one that joins or ends commands (; & | && || and a newline between
// commands), a redirection or a parenthesis. A `$` or backquote that expands is found even in double quotes. Newlines
// at the beginning and the end of the text are ignored.
std::optional<Construct> find_operator(std::string_view text);

// If the text is one command of literal words: these words, split as a shell would split them. If it has only blanks or
// a comment: no words. For any other text: the first construct that needs a shell, or that different shells read in
// different ways.
std::variant<std::vector<std::string>, Construct> only_words(std::string_view text);

}  // namespace wtool::policy
