// Variables of a test, for expressions, templates and commands.
//
//   const ValuesScope scope({{"x", Value("text")}, {"yes", Value(true)}});
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "expressions/expression.h"

namespace wtool::test {

class ValuesScope : public host::expressions::Scope {
 public:
  using Values = std::map<std::string, host::expressions::Value, std::less<>>;
  explicit ValuesScope(Values values) : values_(std::move(values)) {}
  const host::expressions::Value* find(std::string_view name) const override {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }
  std::string why_not(std::string_view name) const override { return "no " + std::string(name); }

 protected:
  Values values_;
};

}  // namespace wtool::test
