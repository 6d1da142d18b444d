// A regular expression in RE2's syntax. Matching takes time linear in the length of the text. Memory, and the size of
// the compiled pattern, are bounded.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace wtool::host::expressions {

class Pattern {
 public:
  // The pattern, or one sentence that says why it is not valid.
  static std::variant<std::shared_ptr<const Pattern>, std::string> compile(std::string_view text);
  // What to add to that sentence if the pattern is written in an expression.
  static constexpr const char* hint_for_expressions =
      "; double each backslash in a text, or write the text as r\"...\"";

  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // True if the pattern matches anywhere in the text.
  bool is_in(std::string_view text) const;

  // How many instructions the pattern has. Matching runs at most this many for each byte of a text.
  std::size_t size() const;

 private:
  struct Compiled;
  explicit Pattern(std::unique_ptr<const Compiled> compiled);
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace wtool::host::expressions
