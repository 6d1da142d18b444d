// Where a prompt finds the prompts that it puts in with {% render %} and {% include %}.
#pragma once

#include <map>
#include <string>

#include "expressions/template.h"

namespace wtool::host::expressions {

inline constexpr std::size_t max_inclusion_depth = 50;  // prompts that put in one another
inline constexpr std::size_t max_inclusions = 10'000;   // in the text of one prompt

struct Partial {
  std::string file;
  Template parsed;
  // The defaults of its own parameters, used where a value is missing.
  std::map<std::string, Value, std::less<>> defaults;
};

class Partials {
 public:
  virtual ~Partials() = default;
  // The prompt of that name; it lives as long as this does. Null: `error` is a sentence that says why it was not found.
  virtual const Partial* find(const std::string& name, std::string& error) = 0;
  // `FILE:LINE:COLUMN` of an offset in the text of the prompt.
  virtual std::string place(const Partial& partial, std::size_t offset) const = 0;
};

// The text of a prompt that `partials` has found. A mistake in another prompt that it includes is reported at the
// including tag, with the name of that prompt.
std::variant<std::string, ExpressionError> render_prompt(const Partial& prompt, const Scope& values,
                                                         Partials& partials);

}  // namespace wtool::host::expressions
