// Texts made of random parts of expressions and templates: each is parsed, or has an error with a place in it, and none
// takes long. Under sanitizers, this also finds memory errors.
#include <boost/test/unit_test.hpp>
#include <random>

#include "expressions/template.h"
#include "expressions_support.h"

namespace expressions_random_test {

using namespace wtool::host::expressions;
using namespace wtool::test;

namespace {

template <std::size_t size>
std::string random_text(std::mt19937& random, const char* const (&parts)[size]) {
  std::string text;
  const std::size_t count = 1 + random() % 14;
  for (std::size_t i = 0; i < count; ++i) text += parts[random() % size];
  return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(random_expressions_are_values_or_errors) {
  static const char* const parts[] = {"items",
                                      "name",
                                      "build",
                                      "exit_code",
                                      "1",
                                      "2.5",
                                      "'a'",
                                      "\"",
                                      "'",
                                      "r'\\'",
                                      "\\",
                                      "true",
                                      "null",
                                      "+",
                                      "-",
                                      "*",
                                      "/",
                                      "%",
                                      "==",
                                      "<",
                                      "&&",
                                      "||",
                                      "!",
                                      "?",
                                      ":",
                                      ",",
                                      ".",
                                      "(",
                                      ")",
                                      "[",
                                      "]",
                                      "{",
                                      "}",
                                      " in ",
                                      "size(",
                                      ".size()",
                                      ".map(x, x",
                                      ".exists(x, x",
                                      "x",
                                      "has(build.stdout)",
                                      "has(",
                                      ".matches('",
                                      "')",
                                      "0x",
                                      "9223372036854775808",
                                      ".json",
                                      "[0]",
                                      "string(",
                                      "int(",
                                      "\xc3",
                                      "//",
                                      "\n",
                                      "`",
                                      "$",
                                      "1e9",
                                      ".all(name, "};
  std::mt19937 random(20240817);
  std::size_t values = 0;
  const ExpressionScope scope;
  for (int i = 0; i < 30'000; ++i) {
    const std::string text = random_text(random, parts);
    const auto parsed = parse_expression(text);
    if (const auto* error = std::get_if<ExpressionError>(&parsed)) {
      BOOST_REQUIRE_MESSAGE(error->offset <= text.size() && !error->message.empty(), text);
      continue;
    }
    const auto value = evaluate(std::get<Expression>(parsed), scope);
    if (const auto* error = std::get_if<ExpressionError>(&value)) {
      BOOST_REQUIRE_MESSAGE(error->offset <= text.size() && !error->message.empty(), text);
    } else {
      ++values;
    }
  }
  BOOST_TEST(values > 100U);
}

BOOST_AUTO_TEST_CASE(random_templates_are_texts_or_errors) {
  static const char* const parts[] = {"${name}",
                                      "{{ name",
                                      "{{-",
                                      "-}}",
                                      "}}",
                                      " | upcase",
                                      " | split: ",
                                      "'a'",
                                      " | join",
                                      "{% if ",
                                      "{% elsif ",
                                      "{% else %}",
                                      "{% endif %}",
                                      "{% for x in ",
                                      "items",
                                      "{% endfor %}",
                                      " %}",
                                      " -%}",
                                      "{%- ",
                                      "unless ",
                                      "endunless",
                                      "{% raw %}",
                                      "{% endraw %}",
                                      "{% comment %}",
                                      "{% endcomment %}",
                                      "x",
                                      " ",
                                      "\n",
                                      "$",
                                      "{",
                                      "%}",
                                      "build",
                                      " and ",
                                      " not ",
                                      " contains ",
                                      "name %}",
                                      "items %}",
                                      "${x}",
                                      "\"",
                                      "exit_code == 3 %}"};
  std::mt19937 random(20240818);
  std::size_t texts = 0;
  const ExpressionScope scope;
  for (int i = 0; i < 30'000; ++i) {
    const std::string text = random_text(random, parts);
    const auto parsed = parse_template(text);
    if (const auto* errors = std::get_if<std::vector<ExpressionError>>(&parsed)) {
      for (const ExpressionError& error : *errors) BOOST_REQUIRE_MESSAGE(error.offset <= text.size(), text);
      continue;
    }
    const auto& made = std::get<Template>(parsed);
    BOOST_REQUIRE_EQUAL(made.texts.size(), made.placeholders.size() + 1);
    for (const NameUse& use : names_used(made)) {
      BOOST_REQUIRE_MESSAGE(text.find(use.name, use.offset) != std::string::npos, text);
    }
    const auto rendered = render_text(made, scope);
    if (const auto* error = std::get_if<ExpressionError>(&rendered)) {
      BOOST_REQUIRE_MESSAGE(error->offset <= text.size() && !error->message.empty(), text);
    } else {
      ++texts;
    }
  }
  BOOST_TEST(texts > 100U);
}

}  // namespace expressions_random_test
