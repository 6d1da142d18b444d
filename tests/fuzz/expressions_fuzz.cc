// Fuzzes expressions/expression.h and expressions/template.h. The input is read as a condition, as a template of a
// workflow, and as a template of a prompt. Whatever the bytes are, each is read and evaluated quickly; an error points
// into the text; a value can be written as JSON; and a template without "{" and "$" is rendered as it is.
// One input in: 30
#include "expressions/expression.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.h"
#include "base/json_reader.h"
#include "base/utf8.h"
#include "expressions/template.h"
#include "expressions/template_renderer.h"
#include "fuzz/require.h"

namespace {

using namespace wtool::host::expressions;

using wtool::test::require;

class GivenValues : public Scope {
 public:
  const Value* find(std::string_view name) const override {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }
  std::string why_not(std::string_view) const override { return "it is not known"; }

 private:
  const std::map<std::string, Value, std::less<>> values_{
      {"b", Value(true)},
      {"i", Value(std::int64_t{41})},
      {"d", Value(1.5)},
      {"s", Value("a \"quoted\" text\nof two lines, with \xC3\xA4")},
      {"l", Value(List{Value(std::int64_t{1}), Value("two"), Value(false)})},
      {"m", Value(Map{{{"key", Value("value")}, {"n", Value(std::int64_t{3})}}, "its text"})}};
};

// Under every name except one, a prompt finds itself.
class OwnPartials : public Partials {
 public:
  explicit OwnPartials(const Template& parsed) : own_{"fuzz.md", parsed, {}} {}
  const Partial& own() const { return own_; }
  const Partial* find(const std::string& name, std::string& error) override {
    if (name != "none") return &own_;
    error = "there is no such prompt";
    return nullptr;
  }
  std::string place(const Partial& partial, std::size_t offset) const override {
    return partial.file + ':' + std::to_string(offset);
  }

 private:
  const Partial own_;
};

void check_expression(std::string_view text, const Scope& scope) {
  const auto parsed = parse_expression(text);
  if (const auto* error = std::get_if<ExpressionError>(&parsed)) {
    require(error->offset <= text.size() && !error->message.empty());
    return;
  }
  const auto value = evaluate(std::get<Expression>(parsed), scope);
  if (const auto* error = std::get_if<ExpressionError>(&value)) {
    require(error->offset <= text.size() && !error->message.empty());
    return;
  }
  const std::string json = to_json(std::get<Value>(value));
  if (json.size() < 4096) require(!wtool::parse_json(json).is_discarded());
}

void check_template(std::string_view text, Dialect dialect, const Scope& scope) {
  const auto parsed = parse_template(text, dialect);
  if (const auto* errors = std::get_if<std::vector<ExpressionError>>(&parsed)) {
    require(!errors->empty());
    for (const ExpressionError& error : *errors) require(error.offset <= text.size() && !error.message.empty());
    return;
  }
  const auto& made = std::get<Template>(parsed);
  require(made.texts.size() == made.placeholders.size() + 1);
  names_used(made);
  OwnPartials partials(made);
  const auto rendered =
      dialect == Dialect::workflow ? render_text(made, scope) : render_prompt(partials.own(), scope, partials);
  if (const auto* error = std::get_if<ExpressionError>(&rendered)) {
    require(error->offset <= text.size() && !error->message.empty());
  } else if (text.find_first_of("{$") == std::string_view::npos) {
    require(std::get<std::string>(rendered) == text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const GivenValues scope;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (!wtool::is_utf8(text)) return 0;
  check_expression(text, scope);
  check_template(text, Dialect::workflow, scope);
  check_template(text, Dialect::prompt, scope);
  return 0;
}
