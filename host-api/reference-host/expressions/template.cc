#include "expressions/template.h"

#include <algorithm>

#include "expressions/access.h"

namespace wtool::host::expressions {
namespace {

// A round of a loop: its variable, and forloop.
class LoopScope final : public Scope {
 public:
  LoopScope(const Scope& outer, const std::string& variable) : outer_(outer), variable_(variable) {}

  void enter(const Value& value, std::size_t index, std::size_t count) {
    value_ = value;
    Map map;
    map.fields["index"] = Value(static_cast<std::int64_t>(index) + 1);
    map.fields["index0"] = Value(static_cast<std::int64_t>(index));
    map.fields["first"] = Value(index == 0);
    map.fields["last"] = Value(index + 1 == count);
    forloop_ = Value(std::move(map));
  }

  const Value* find(std::string_view name) const override {
    if (name == variable_) return &value_;
    return name == "forloop" ? &forloop_ : outer_.find(name);
  }
  std::string why_not(std::string_view name) const override { return outer_.why_not(name); }

 private:
  const Scope& outer_;
  const std::string& variable_;
  Value value_;
  Value forloop_;
};

std::variant<Value, ExpressionError> resolve(const Placeholder& placeholder, const Scope& scope, Budget& budget) {
  Value value;
  std::optional<std::string> missing;
  if (placeholder.literal) {
    value = Value(*placeholder.literal);
  } else if (const Value* found = scope.find(placeholder.name)) {
    value = *found;
    for (const PathStep& step : placeholder.path) {
      auto next = step.index ? element_of(value, *step.index) : field_of(value, step.name);
      if (auto* why = std::get_if<std::string>(&next)) {
        missing = placeholder.source + ": " + *why;
        break;
      }
      value = std::get<Value>(std::move(next));
    }
  } else {
    missing = scope.why_not(placeholder.name);
  }
  for (const Filter& filter : placeholder.filters) {
    if (missing && filter.kind != Filter::Kind::fallback) continue;
    auto filtered = apply(filter, missing ? Value() : value, budget);
    if (auto* why = std::get_if<std::string>(&filtered)) {
      return ExpressionError{placeholder.offset, placeholder.source + ": " + *why};
    }
    value = std::get<Value>(std::move(filtered));
    missing.reset();
  }
  if (missing) return ExpressionError{placeholder.offset, *missing};
  return value;
}

class Expander {
 public:
  std::variant<Expanded, ExpressionError> run(const Template& parsed, const Scope& scope) {
    made_.texts.emplace_back();
    auto error = parsed.tagged ? follow(*parsed.tagged, scope) : fill(parsed, scope);
    if (error) return *error;
    return std::move(made_);
  }

 private:
  using Mistake = std::optional<ExpressionError>;

  Mistake fill(const Template& parsed, const Scope& scope) {
    for (std::size_t i = 0; i < parsed.texts.size(); ++i) {
      if (auto error = add(parsed.texts[i])) return error;
      if (i == parsed.placeholders.size()) break;
      if (auto error = add(parsed.placeholders[i], scope)) return error;
    }
    return std::nullopt;
  }

  Mistake follow(const Body& body, const Scope& scope) {
    for (const Piece& piece : body) {
      if (!budget_.spend()) return too_much(budget_.message());
      Mistake error;
      if (const auto* text = std::get_if<std::string>(&piece.what)) {
        error = add(*text);
      } else if (const auto* placeholder = std::get_if<Placeholder>(&piece.what)) {
        error = add(*placeholder, scope);
      } else if (const auto* choice = std::get_if<Choice>(&piece.what)) {
        error = follow(*choice, scope);
      } else {
        error = follow(std::get<Loop>(piece.what), scope);
      }
      if (error) return error;
    }
    return std::nullopt;
  }

  Mistake follow(const Choice& choice, const Scope& scope) {
    for (const Branch& branch : choice.branches) {
      if (branch.test) {
        const auto tested = value_of(*branch.test, scope);
        if (const auto* error = std::get_if<ExpressionError>(&tested)) return *error;
        if (*std::get<Value>(tested).as_bool() != branch.wanted) continue;
      }
      return follow(branch.body, scope);
    }
    return std::nullopt;
  }

  Mistake follow(const Loop& loop, const Scope& scope) {
    auto value = value_of(loop.list, scope);
    if (auto* error = std::get_if<ExpressionError>(&value)) return std::move(*error);
    Value& elements = std::get<Value>(value);
    for (const Filter& filter : loop.filters) {
      auto filtered = apply(filter, elements, budget_);
      if (auto* why = std::get_if<std::string>(&filtered)) return ExpressionError{loop.list_offset, std::move(*why)};
      elements = std::get<Value>(std::move(filtered));
    }
    const List* list = elements.as_list();
    if (list == nullptr) {
      return ExpressionError{
          loop.list_offset,
          "a loop goes through a list, and this is " + described(elements) +
              (elements.as_text() != nullptr ? "; the filters lines and split make a list of a text" : "")};
    }
    if (list->empty()) return follow(loop.otherwise, scope);
    LoopScope inner(scope, loop.variable);
    const std::size_t outer_loop = std::exchange(loop_offset_, loop.offset);
    for (std::size_t i = 0; i < list->size(); ++i) {
      constexpr std::size_t steps_of_a_round = 10;
      if (!budget_.spend(steps_of_a_round)) return too_much(budget_.message());
      inner.enter((*list)[i], i, list->size());
      if (auto error = follow(loop.body, inner)) return error;
    }
    loop_offset_ = outer_loop;
    return std::nullopt;
  }

  // With a budget of its own, which counts for that of the template as well.
  std::variant<Value, ExpressionError> value_of(const Expression& expression, const Scope& scope) {
    Budget budget(std::min(most_expression_steps, budget_.left()));
    const std::size_t before = budget.left();
    auto value = evaluate(expression, scope, budget);
    budget_.spend(before - budget.left());
    return value;
  }

  Mistake add(const std::string& text) {
    made_.texts.back() += text;
    return count(text.size());
  }

  Mistake add(const Placeholder& placeholder, const Scope& scope) {
    auto value = resolve(placeholder, scope, budget_);
    if (auto* error = std::get_if<ExpressionError>(&value)) return std::move(*error);
    made_.values.push_back({&placeholder, to_text(std::get<Value>(value))});
    made_.texts.emplace_back();
    return count(made_.values.back().text.size());
  }

  Mistake count(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ <= longest_text_made) return std::nullopt;
    return too_much("this text grows beyond 16 MiB");
  }

  ExpressionError too_much(std::string message) const { return {loop_offset_, std::move(message)}; }

  Budget budget_{most_template_steps};
  Expanded made_;
  std::size_t bytes_ = 0;
  std::size_t loop_offset_ = 0;  // of the loop under way
};

// Which names a template reads, and which of them its loops make.
class NameFinder {
 public:
  std::vector<NameUse> run(const Template& parsed) {
    if (parsed.tagged) {
      find(*parsed.tagged);
    } else {
      for (const Placeholder& placeholder : parsed.placeholders) find(placeholder);
    }
    return std::move(found_);
  }

 private:
  bool is_bound(const std::string& name) const {
    return std::find(bound_.begin(), bound_.end(), name) != bound_.end() || (name == "forloop" && !bound_.empty());
  }

  void find(const Placeholder& placeholder) {
    if (placeholder.literal || is_bound(placeholder.name)) return;
    found_.push_back({placeholder.name, placeholder.path.empty() ? "" : placeholder.path[0].name, placeholder.offset,
                      placeholder.has(Filter::Kind::fallback)});
  }

  void find(const Expression& expression) {
    for (const NameUse& name : expression.names) {
      if (!is_bound(name.name)) found_.push_back(name);
    }
  }

  void find(const Body& body) {
    for (const Piece& piece : body) {
      if (const auto* placeholder = std::get_if<Placeholder>(&piece.what)) {
        find(*placeholder);
      } else if (const auto* choice = std::get_if<Choice>(&piece.what)) {
        for (const Branch& branch : choice->branches) {
          if (branch.test) find(*branch.test);
          find(branch.body);
        }
      } else if (const auto* loop = std::get_if<Loop>(&piece.what)) {
        find(loop->list);
        bound_.push_back(loop->variable);
        find(loop->body);
        bound_.pop_back();
        find(loop->otherwise);
      }
    }
  }

  std::vector<NameUse> found_;
  std::vector<std::string> bound_;
};

}  // namespace

bool Placeholder::has(Filter::Kind kind) const {
  return std::any_of(filters.begin(), filters.end(), [kind](const Filter& filter) { return filter.kind == kind; });
}

std::vector<NameUse> names_used(const Template& parsed) { return NameFinder().run(parsed); }

std::variant<Value, ExpressionError> resolve(const Placeholder& placeholder, const Scope& scope) {
  Budget budget(most_template_steps);
  return resolve(placeholder, scope, budget);
}

std::variant<Expanded, ExpressionError> expand(const Template& parsed, const Scope& scope) {
  return Expander().run(parsed, scope);
}

std::variant<std::string, ExpressionError> render_text(const Template& parsed, const Scope& scope) {
  auto expanded = expand(parsed, scope);
  if (auto* error = std::get_if<ExpressionError>(&expanded)) return std::move(*error);
  const auto& [texts, values] = std::get<Expanded>(expanded);
  std::string out = texts[0];
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += values[i].placeholder->has(Filter::Kind::shell_quote) ? shell_quoted(values[i].text) : values[i].text;
    out += texts[i + 1];
  }
  return out;
}

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace wtool::host::expressions
