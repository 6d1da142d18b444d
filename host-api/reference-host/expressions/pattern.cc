#include "expressions/pattern.h"

#include <re2/re2.h>

#include <utility>

#include "base/re2_options.h"
#include "expressions/value.h"

namespace wtool::host::expressions {

struct Pattern::Compiled {
  explicit Compiled(std::string_view text) : re(re2::StringPiece(text.data(), text.size()), re2_options()) {}
  re2::RE2 re;
};

Pattern::Pattern(std::unique_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
Pattern::~Pattern() = default;

std::variant<std::shared_ptr<const Pattern>, std::string> Pattern::compile(std::string_view text) {
  auto compiled = std::make_unique<const Compiled>(text);
  if (!compiled->re.ok()) {
    return quoted_for_message(text) + " is not a regular expression: " + compiled->re.error() +
           " (the syntax is that of RE2)";
  }
  return std::shared_ptr<const Pattern>(new Pattern(std::move(compiled)));
}

bool Pattern::is_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->re);
}

std::size_t Pattern::size() const { return static_cast<std::size_t>(compiled_->re.ProgramSize()); }

}  // namespace wtool::host::expressions
