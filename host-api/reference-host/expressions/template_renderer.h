// Renders a template with its tags. The number of steps, the size of the text and the size of the template's variables
// are bounded.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "expressions/budget.h"
#include "expressions/template.h"
#include "expressions/template_scopes.h"

namespace wtool::host::expressions {

// ---- Where a prompt finds the prompts that it includes with {% render %} and {% include %}.

inline constexpr std::size_t max_inclusion_depth = 50;  // how deeply prompts may include prompts
inline constexpr std::size_t max_inclusions = 10'000;   // while one prompt is rendered

struct Partial {
  std::string file;
  Template parsed;
  // The defaults of the prompt's parameters, used where a value is missing.
  std::map<std::string, Value, std::less<>> defaults;
};

class Partials {
 public:
  virtual ~Partials() = default;
  // The prompt `name`; it lives as long as this object. nullptr: it was not found, and `error` says why, in a sentence.
  virtual const Partial* find(const std::string& name, std::string& error) = 0;
  // `FILE:LINE:COLUMN` of an offset in the text of the prompt.
  virtual std::string place(const Partial& partial, std::size_t offset) const = 0;
};

// Renders a prompt that `partials` has found. A mistake in an included prompt is reported at the including tag, with
// the place in the included prompt.
std::variant<std::string, ExpressionError> render_prompt(const Partial& prompt, const Scope& values,
                                                         Partials& partials);

// The value of a placeholder. The steps are charged to `budget`, which several evaluations may share.
std::variant<Value, ExpressionError> resolve(const Placeholder& placeholder, const Scope& scope, Budget& budget);

// The text of an expanded template.
std::string joined(const Expanded& expanded);

// Renders one template or, with partials, one prompt.
class TemplateRenderer {
 public:
  explicit TemplateRenderer(Partials* partials = nullptr, std::size_t steps = max_template_steps)
      : partials_(partials), budget_(steps) {}

  std::variant<Expanded, ExpressionError> run(const Template& parsed, const Scope& scope);
  std::variant<Expanded, ExpressionError> run(const Partial& prompt, const Scope& values);

 private:
  using Mistake = std::optional<ExpressionError>;
  using Resolved = std::variant<Value, ExpressionError>;
  enum class Leaving { nothing, round, loop };  // what a {% continue %} or {% break %} has ended

  Mistake start(const Template& parsed, const Scope& scope);
  Mistake fill(const Template& parsed, const Scope& scope);
  Mistake follow(const Body& body, const Scope& scope);
  Mistake follow(const std::string& text, const Scope&) { return add(text); }
  Mistake follow(const Placeholder& placeholder, const Scope& scope);
  Mistake follow(const TemplateChoice& choice, const Scope& scope);
  Mistake follow(const Loop& loop, const Scope& scope);
  Mistake follow(const Assign& assign, const Scope& scope);
  Mistake follow(const CaptureTag& capture, const Scope& scope);
  Mistake follow(const Case& alternatives, const Scope& scope);
  Mistake follow(const Cycle& cycle, const Scope& scope);
  Mistake follow(const Jump& jump, const Scope& scope);
  Mistake follow(const Inclusion& inclusion, const Scope& scope);

  Resolved list_of(const Loop& loop, const Scope& scope);
  Resolved range(const Loop& loop, const Scope& scope);
  // The elements that remain after `limit` and `offset`, as the range [first, end).
  std::variant<std::pair<std::size_t, std::size_t>, ExpressionError> part(const Loop& loop, std::size_t size,
                                                                          const Scope& scope);
  std::variant<std::size_t, ExpressionError> whole_number(const Operand& operand, const Scope& scope);
  std::variant<bool, ExpressionError> fits(const When& when, const Value& subject, const Scope& scope);

  const Partial* partial(const Inclusion& inclusion, const Scope& scope, std::string& name, Mistake& mistake);
  Mistake put_in_each(const Inclusion& inclusion, const Partial& partial, const std::string& variable, const List& list,
                      GivenScope& given);
  Mistake put_in(const Inclusion& inclusion, const Partial& partial, const GivenScope& given);

  Resolved value_of(const Expression& expression, const Scope& scope);
  Mistake keep(const std::string& variable, Value value, std::size_t offset);
  Mistake add(const std::string& text);
  Mistake count(std::size_t bytes);
  ExpressionError too_much(std::string message) const { return {loop_offset_, std::move(message)}; }

  Partials* partials_;
  Budget budget_;
  Expanded made_;
  std::size_t bytes_ = 0;
  std::size_t kept_ = 0;         // the bytes of the values that tags have assigned to variables
  std::size_t inclusions_ = 0;   // how many prompts were included so far
  std::size_t loop_offset_ = 0;  // the offset of the current loop
  bool located_ = false;         // the message about a mistake already names the prompt that contains it
  Leaving leaving_ = Leaving::nothing;
  AssignedScope* assigned_ = nullptr;
  std::map<std::string, std::size_t> cycles_;
  std::vector<const Partial*> inside_;  // the prompts that are being rendered, outermost first
};

}  // namespace wtool::host::expressions
