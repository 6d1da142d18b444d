#include "expressions/template_renderer.h"

#include <algorithm>

#include "expressions/calls.h"

namespace wtool::host::expressions {
namespace {

constexpr std::size_t steps_of_a_round = 10;
constexpr std::size_t max_of_a_range = 100'000;

// How many bytes a value takes up, roughly.
std::size_t bytes_in(const Value& value) {
  std::size_t bytes = sizeof(Value);
  if (const std::string* text = value.as_text()) bytes += text->size();
  if (const List* list = value.as_list()) {
    for (const Value& element : *list) bytes += bytes_in(element);
  } else if (const Map* map = value.as_map()) {
    for (const auto& [key, field] : map->fields) bytes += key.size() + bytes_in(field);
  }
  return bytes;
}

}  // namespace

std::variant<Expanded, ExpressionError> TemplateRenderer::run(const Template& parsed, const Scope& scope) {
  made_.texts.emplace_back();
  if (auto error = start(parsed, scope)) return *error;
  return std::move(made_);
}

std::variant<Expanded, ExpressionError> TemplateRenderer::run(const Partial& prompt, const Scope& values) {
  const GivenScope given(&values, prompt.defaults);
  AssignedScope assigned(given);
  assigned_ = &assigned;
  inside_.push_back(&prompt);
  return run(prompt.parsed, assigned);
}

TemplateRenderer::Mistake TemplateRenderer::start(const Template& parsed, const Scope& scope) {
  return parsed.tagged ? follow(*parsed.tagged, scope) : fill(parsed, scope);
}

TemplateRenderer::Mistake TemplateRenderer::fill(const Template& parsed, const Scope& scope) {
  for (std::size_t i = 0; i < parsed.texts.size(); ++i) {
    if (auto error = add(parsed.texts[i])) return error;
    if (i == parsed.placeholders.size()) break;
    if (auto error = follow(parsed.placeholders[i], scope)) return error;
  }
  return std::nullopt;
}

TemplateRenderer::Mistake TemplateRenderer::follow(const Body& body, const Scope& scope) {
  for (const TemplatePiece& piece : body) {
    if (!budget_.spend()) return too_much(budget_.message());
    if (auto error = std::visit([&](const auto& what) { return follow(what, scope); }, piece.what)) return error;
    if (leaving_ != Leaving::nothing) break;
  }
  return std::nullopt;
}

TemplateRenderer::Mistake TemplateRenderer::follow(const Placeholder& placeholder, const Scope& scope) {
  auto value = resolve(placeholder, scope, budget_);
  if (auto* error = std::get_if<ExpressionError>(&value)) return std::move(*error);
  if (const std::string why = withheld_within(std::get<Value>(value)); !why.empty()) {
    return ExpressionError{placeholder.offset, placeholder.source + ": " + why};
  }
  made_.values.push_back({&placeholder, to_text(std::get<Value>(value))});
  made_.texts.emplace_back();
  return count(made_.values.back().text.size());
}

TemplateRenderer::Mistake TemplateRenderer::follow(const TemplateChoice& choice, const Scope& scope) {
  for (const TemplateBranch& branch : choice.branches) {
    if (branch.test) {
      const auto tested = value_of(*branch.test, scope);
      if (const auto* error = std::get_if<ExpressionError>(&tested)) return *error;
      if (*std::get<Value>(tested).as_bool() != branch.wanted) continue;
    }
    return follow(branch.body, scope);
  }
  return std::nullopt;
}

// --- loops ---

TemplateRenderer::Mistake TemplateRenderer::follow(const Loop& loop, const Scope& scope) {
  auto value = list_of(loop, scope);
  if (auto* error = std::get_if<ExpressionError>(&value)) return std::move(*error);
  const Value elements = std::get<Value>(std::move(value));
  const List* list = elements.as_list();
  static const List no_elements;
  // In a prompt, a list that was not given is an empty text or null; a loop then has no rounds.
  const bool is_empty_text = elements.as_text() != nullptr && elements.as_text()->empty();
  if (list == nullptr && partials_ != nullptr && (is_empty_text || elements.is_null())) list = &no_elements;
  if (list == nullptr) {
    return ExpressionError{
        loop.list_offset,
        "a loop needs a list, but this is " + described(elements) +
            (elements.as_text() != nullptr ? "; the filters 'lines' and 'split' make a list from a text" : "")};
  }
  const auto limits = part(loop, list->size(), scope);
  if (const auto* error = std::get_if<ExpressionError>(&limits)) return *error;
  const auto [begin, end] = std::get<std::pair<std::size_t, std::size_t>>(limits);
  if (begin == end) return follow(loop.otherwise, scope);
  LoopScope inner(scope, loop.variable);
  const std::size_t outer_loop = std::exchange(loop_offset_, loop.offset);
  for (std::size_t i = begin; i < end && leaving_ != Leaving::loop; ++i) {
    if (!budget_.spend(steps_of_a_round)) return too_much(budget_.message());
    inner.enter((*list)[loop.reversed ? begin + end - 1 - i : i], i - begin, end - begin);
    leaving_ = Leaving::nothing;
    if (auto error = follow(loop.body, inner)) return error;
  }
  leaving_ = Leaving::nothing;
  loop_offset_ = outer_loop;
  return std::nullopt;
}

TemplateRenderer::Resolved TemplateRenderer::list_of(const Loop& loop, const Scope& scope) {
  if (loop.range) return range(loop, scope);
  auto value = loop.path ? resolve(*loop.path, scope, budget_) : value_of(loop.list, scope);
  for (const Filter& filter : loop.filters) {
    if (std::holds_alternative<ExpressionError>(value)) break;
    auto filtered = apply(filter, std::get<Value>(value), scope, budget_);
    if (auto* why = std::get_if<std::string>(&filtered)) return ExpressionError{loop.list_offset, std::move(*why)};
    value = std::get<Value>(std::move(filtered));
  }
  return value;
}

TemplateRenderer::Resolved TemplateRenderer::range(const Loop& loop, const Scope& scope) {
  const auto first = whole_number(loop.range->first, scope);
  if (const auto* error = std::get_if<ExpressionError>(&first)) return *error;
  const auto last = whole_number(loop.range->second, scope);
  if (const auto* error = std::get_if<ExpressionError>(&last)) return *error;
  List numbers;
  const std::size_t begin = std::get<std::size_t>(first);
  const std::size_t end = std::get<std::size_t>(last);
  if (end >= begin && end - begin >= max_of_a_range) {
    return ExpressionError{loop.list_offset, "a range may have at most 100000 numbers, but this one has " +
                                                 std::to_string(end - begin + 1)};
  }
  if (!budget_.spend(end >= begin ? end - begin + 1 : 1)) return too_much(budget_.message());
  for (std::size_t i = begin; i <= end; ++i) numbers.emplace_back(static_cast<std::int64_t>(i));
  return Value(std::move(numbers));
}

std::variant<std::pair<std::size_t, std::size_t>, ExpressionError> TemplateRenderer::part(const Loop& loop,
                                                                                          std::size_t size,
                                                                                          const Scope& scope) {
  std::size_t begin = 0;
  std::size_t end = size;
  if (loop.offset_in_list) {
    const auto number = whole_number(*loop.offset_in_list, scope);
    if (const auto* error = std::get_if<ExpressionError>(&number)) return *error;
    begin = std::min(std::get<std::size_t>(number), size);
  }
  if (loop.limit) {
    const auto number = whole_number(*loop.limit, scope);
    if (const auto* error = std::get_if<ExpressionError>(&number)) return *error;
    end = begin + std::min(std::get<std::size_t>(number), size - begin);
  }
  return std::pair{begin, end};
}

std::variant<std::size_t, ExpressionError> TemplateRenderer::whole_number(const Operand& operand, const Scope& scope) {
  auto value = resolve(operand, scope, budget_);
  if (auto* error = std::get_if<ExpressionError>(&value)) return std::move(*error);
  const std::optional<Value> number = number_in(std::get<Value>(value));
  const std::int64_t* whole = number ? number->as_int() : nullptr;
  if (whole != nullptr && *whole >= 0) return static_cast<std::size_t>(*whole);
  return ExpressionError{operand.offset,
                         "a whole number from 0 is needed here, but this is " + described(std::get<Value>(value))};
}

TemplateRenderer::Mistake TemplateRenderer::follow(const Jump& jump, const Scope&) {
  leaving_ = jump.leaves ? Leaving::loop : Leaving::round;
  return std::nullopt;
}

TemplateRenderer::Mistake TemplateRenderer::follow(const Cycle& cycle, const Scope& scope) {
  std::string group = "," + cycle.written;
  if (cycle.group) {
    auto named = resolve(*cycle.group, scope, budget_);
    if (auto* error = std::get_if<ExpressionError>(&named)) return std::move(*error);
    group = ":" + to_text(std::get<Value>(named));
  }
  return follow(cycle.values[cycles_[group]++ % cycle.values.size()], scope);
}

// --- variables and alternatives ---

TemplateRenderer::Mistake TemplateRenderer::follow(const Assign& assign, const Scope& scope) {
  auto value = resolve(assign.value, scope, budget_);
  if (auto* error = std::get_if<ExpressionError>(&value)) return std::move(*error);
  return keep(assign.variable, std::get<Value>(std::move(value)), assign.value.offset);
}

TemplateRenderer::Mistake TemplateRenderer::follow(const CaptureTag& capture, const Scope& scope) {
  Expanded around = std::exchange(made_, {});
  made_.texts.emplace_back();
  auto error = follow(capture.body, scope);
  const Expanded captured = std::exchange(made_, std::move(around));
  if (error) return error;
  return keep(capture.variable, Value(joined(captured)), capture.offset);
}

TemplateRenderer::Mistake TemplateRenderer::keep(const std::string& variable, Value value, std::size_t offset) {
  if (!budget_.spend_value(value)) return too_much(budget_.message());
  auto& [kept, size] = assigned_->values[variable];
  kept_ -= size;
  size = bytes_in(value);
  kept_ += size;
  kept = std::move(value);
  if (kept_ <= max_text_made) return std::nullopt;
  return ExpressionError{offset, "the variables of this prompt take more than 16 MiB"};
}

TemplateRenderer::Mistake TemplateRenderer::follow(const Case& alternatives, const Scope& scope) {
  auto resolved = resolve(alternatives.subject, scope, budget_);
  if (budget_.exhausted()) return too_much(budget_.message());
  // A missing value counts as null. (In a test, it counts as false.)
  const bool missing = std::holds_alternative<ExpressionError>(resolved);
  if (missing && !alternatives.subject.filters.empty()) return std::get<ExpressionError>(std::move(resolved));
  const Value subject = missing ? Value() : std::get<Value>(std::move(resolved));
  for (const When& when : alternatives.parts) {
    const auto fitting = fits(when, subject, scope);
    if (const auto* error = std::get_if<ExpressionError>(&fitting)) return *error;
    if (std::get<bool>(fitting)) return follow(when.body, scope);
  }
  return std::nullopt;
}

std::variant<bool, ExpressionError> TemplateRenderer::fits(const When& when, const Value& subject, const Scope& scope) {
  if (when.values.empty()) return true;
  for (const Operand& operand : when.values) {
    auto value = resolve(operand, scope, budget_);
    if (budget_.exhausted()) return too_much(budget_.message());
    if (std::holds_alternative<ExpressionError>(value)) continue;
    // Values of different types are not the same.
    const auto same = compare("==", subject, std::get<Value>(value), budget_);
    if (budget_.exhausted()) return too_much(budget_.message());
    if (const auto* truth = std::get_if<bool>(&same); truth != nullptr && *truth) return true;
  }
  return false;
}

// --- other prompts ---

TemplateRenderer::Mistake TemplateRenderer::follow(const Inclusion& inclusion, const Scope& scope) {
  std::string name;
  Mistake mistake;
  const Partial* found = partial(inclusion, scope, name, mistake);
  if (found == nullptr) return mistake;
  GivenScope given(inclusion.isolated ? nullptr : &scope, found->defaults);
  for (const auto& [key, operand] : inclusion.arguments) {
    auto value = resolve(operand, scope, budget_);
    if (auto* error = std::get_if<ExpressionError>(&value)) return std::move(*error);
    given.values[key] = std::get<Value>(std::move(value));
  }
  if (!inclusion.value) return put_in(inclusion, *found, given);
  auto value = resolve(*inclusion.value, scope, budget_);
  if (auto* error = std::get_if<ExpressionError>(&value)) return std::move(*error);
  const Value& one = std::get<Value>(value);
  const std::string variable = variable_of(inclusion, name);
  const List* list = inclusion.for_each ? one.as_list() : nullptr;
  if (list == nullptr) {
    given.values[variable] = one;
    return put_in(inclusion, *found, given);
  }
  return put_in_each(inclusion, *found, variable, *list, given);
}

TemplateRenderer::Mistake TemplateRenderer::put_in_each(const Inclusion& inclusion, const Partial& partial,
                                                        const std::string& variable, const List& list,
                                                        GivenScope& given) {
  const std::size_t outer_loop = std::exchange(loop_offset_, inclusion.offset);
  LoopScope round(given, variable);
  for (std::size_t i = 0; i < list.size(); ++i) {
    round.enter(list[i], i, list.size());
    given.values[variable] = list[i];
    given.values["forloop"] = *round.find("forloop");
    if (auto error = put_in(inclusion, partial, given)) return error;
  }
  loop_offset_ = outer_loop;
  return std::nullopt;
}

const Partial* TemplateRenderer::partial(const Inclusion& inclusion, const Scope& scope, std::string& name,
                                         Mistake& mistake) {
  auto value = resolve(inclusion.name, scope, budget_);
  if (auto* error = std::get_if<ExpressionError>(&value)) {
    error->message += "; write the name of a prompt in quotes: \"" + inclusion.name.source + "\"";
    mistake = std::move(*error);
    return nullptr;
  }
  name = to_text(std::get<Value>(value));
  std::string error;
  const Partial* found = partials_ == nullptr ? nullptr : partials_->find(name, error);
  if (found == nullptr) {
    mistake = ExpressionError{inclusion.offset, std::move(error)};
  } else if (std::find(inside_.begin(), inside_.end(), found) != inside_.end()) {
    std::string circle;
    for (const Partial* one : inside_) circle += one->file + " -> ";
    mistake = ExpressionError{inclusion.offset, "prompts insert one another in a circle: " + circle + found->file};
    found = nullptr;
  } else if (inside_.size() == max_inclusion_depth) {
    mistake = ExpressionError{inclusion.offset,
                              "prompts are nested more than " + std::to_string(max_inclusion_depth) + " deep"};
    found = nullptr;
  }
  return found;
}

TemplateRenderer::Mistake TemplateRenderer::put_in(const Inclusion& inclusion, const Partial& partial,
                                                   const GivenScope& given) {
  if (!budget_.spend(steps_of_a_round)) return too_much(budget_.message());
  if (++inclusions_ > max_inclusions) {
    return ExpressionError{inclusion.offset,
                           "this prompt inserts prompts more than " + std::to_string(max_inclusions) + " times in all"};
  }
  AssignedScope own(given);
  AssignedScope* const outer = assigned_;
  std::map<std::string, std::size_t> outer_cycles;
  if (inclusion.isolated) {
    assigned_ = &own;
    outer_cycles = std::exchange(cycles_, {});
  }
  const std::size_t outer_loop = std::exchange(loop_offset_, 0);
  inside_.push_back(&partial);
  const Scope& scope = inclusion.isolated ? static_cast<const Scope&>(own) : given;
  auto error = start(partial.parsed, scope);
  inside_.pop_back();
  loop_offset_ = outer_loop;
  if (inclusion.isolated) {
    for (const auto& [name, kept] : own.values) kept_ -= kept.second;
    assigned_ = outer;
    cycles_ = std::move(outer_cycles);
  }
  if (!error) return std::nullopt;
  if (!located_) error->message = "in " + partials_->place(partial, error->offset) + ": " + error->message;
  located_ = true;
  error->offset = inclusion.offset;
  return error;
}

// --- results ---

// An expression gets a separate budget. Its steps are also charged to the template's budget.
TemplateRenderer::Resolved TemplateRenderer::value_of(const Expression& expression, const Scope& scope) {
  Budget budget(std::min(max_expression_steps, budget_.left()));
  const std::size_t before = budget.left();
  auto value = evaluate(expression, scope, budget);
  budget_.spend(before - budget.left());
  return value;
}

TemplateRenderer::Mistake TemplateRenderer::add(const std::string& text) {
  made_.texts.back() += text;
  return count(text.size());
}

TemplateRenderer::Mistake TemplateRenderer::count(std::size_t bytes) {
  bytes_ += bytes;
  if (bytes_ <= max_text_made) return std::nullopt;
  return too_much("this text becomes longer than 16 MiB");
}

}  // namespace wtool::host::expressions
