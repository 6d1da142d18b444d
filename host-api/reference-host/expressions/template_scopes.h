// The scopes within a template: the names that its loops and its tags define.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "expressions/expression.h"
#include "expressions/value.h"

namespace wtool::host::expressions {

// The names in one round of a loop: the variable of the loop, and `forloop`.
class LoopScope final : public Scope {
 public:
  LoopScope(const Scope& outer, const std::string& variable) : outer_(outer), variable_(variable) {}

  void enter(const Value& value, std::size_t index, std::size_t count) {
    const auto number = [](std::size_t of) { return Value(static_cast<std::int64_t>(of)); };
    value_ = value;
    Map map;
    map.fields["index"] = number(index + 1);
    map.fields["index0"] = number(index);
    map.fields["rindex"] = number(count - index);
    map.fields["rindex0"] = number(count - index - 1);
    map.fields["length"] = number(count);
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

// The variables that {% assign %} and {% capture %} have set, on top of the values of a prompt.
class AssignedScope final : public Scope {
 public:
  explicit AssignedScope(const Scope& outer) : outer_(outer) {}

  const Value* find(std::string_view name) const override {
    const auto found = values.find(name);
    if (found != values.end()) return &found->second.first;
    if (const Value* outer = outer_.find(name)) return outer;
    // Liquid's words for null and for an empty text, to compare values with.
    static const Value nothing;
    static const Value empty("");
    if (name == "nil") return &nothing;
    return name == "empty" || name == "blank" ? &empty : nullptr;
  }
  std::string why_not(std::string_view name) const override { return outer_.why_not(name); }

  std::map<std::string, std::pair<Value, std::size_t>, std::less<>> values;  // each with its size in bytes

 private:
  const Scope& outer_;
};

// The values that a prompt is given, then those of `outer`, then the defaults of its parameters. `outer` is null for
// {% render %}, which passes on only the values that it names.
class GivenScope final : public Scope {
 public:
  GivenScope(const Scope* outer, const std::map<std::string, Value, std::less<>>& defaults)
      : outer_(outer), defaults_(defaults) {}

  const Value* find(std::string_view name) const override {
    if (const auto found = values.find(name); found != values.end()) return &found->second;
    if (const Value* outer = outer_ == nullptr ? nullptr : outer_->find(name)) return outer;
    const auto found = defaults_.find(name);
    return found == defaults_.end() ? nullptr : &found->second;
  }
  std::string why_not(std::string_view name) const override {
    if (outer_ != nullptr) return outer_->why_not(name);
    return "there is no '" + std::string(name) +
           "' in this prompt; {% render %} passes on only the values that it names: {% render " + "\"...\", " +
           std::string(name) + ": " + std::string(name) + " %}";
  }

  std::map<std::string, Value, std::less<>> values;

 private:
  const Scope* outer_;
  const std::map<std::string, Value, std::less<>>& defaults_;
};

}  // namespace wtool::host::expressions
