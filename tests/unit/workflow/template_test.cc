#include <boost/test/unit_test.hpp>

#include "expressions/template.h"

using namespace wtool::host::expressions;

namespace {

class TestScope final : public Scope {
 public:
  const Value* find(std::string_view name) const override {
    static const Value text("it's \"x\"");
    static const Value empty("");
    static const Value blank("  a b\n");
    static const Value number(std::int64_t{7});
    static const Value list(List{Value("a"), Value(std::int64_t{1}), Value(true), Value()});
    static const Value outcome = [] {
      Map map;
      map.text = "out";
      map.fields["stderr"] = Value("err\n");
      map.fields["json"] = Value(List{Value("first"), Value(List{Value("x"), Value("it's")})});
      return Value(std::move(map));
    }();
    if (name == "text") return &text;
    if (name == "empty") return &empty;
    if (name == "blank") return &blank;
    if (name == "number") return &number;
    if (name == "list") return &list;
    if (name == "outcome") return &outcome;
    return nullptr;
  }
  std::string why_not(std::string_view name) const override { return "no " + std::string(name); }
};

std::string rendered(const std::string& text) {
  const auto parsed = parse_template(text);
  if (const auto* errors = std::get_if<std::vector<ExpressionError>>(&parsed)) {
    std::string out;
    for (const auto& error : *errors) out += std::to_string(error.offset) + ": " + error.message + "\n";
    return out;
  }
  const auto result = render_text(std::get<Template>(parsed), TestScope());
  if (const auto* error = std::get_if<ExpressionError>(&result)) {
    return std::to_string(error->offset) + ": " + error->message;
  }
  return std::get<std::string>(result);
}

}  // namespace

BOOST_AUTO_TEST_CASE(placeholders_are_replaced_and_everything_else_stays) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},
      {"plain $HOME { } {} $ {", "plain $HOME { } {} $ {"},
      {"<${text}>", "<it's \"x\">"},
      {"${number}${number}", "77"},
      {"${outcome} ${outcome.stderr}", "out err\n"},
      {"{{ text }}{{number}}", "it's \"x\"7"},
      {"{{ outcome.stderr | trim }}", "err"},
      {"{{ blank | trim }}", "a b"},
      {"{{ text | json }}", "\"it's \\\"x\\\"\""},
      {"{{ list | json }}", "[\"a\",1,true,null]"},
      {"${list}", "[\"a\",1,true,null]"},
      {"{{ text | shell_quote }}", "'it'\\''s \"x\"'"},
      {"{{ missing | default: \"x y\" }}", "x y"},
      {"{{ empty | default: 'd' }}", "d"},
      {"{{ number | default: \"d\" }}", "7"},
      {"{{ outcome.nothing | default: \"d\" }}", "d"},
      {"{{ blank | trim | json | raw }}", "\"a b\""},
      // What belongs to others.
      {"$${text} $$", "${text} $$"},
      {"${text:-x} ${#text} ${1} ${} ${a b}", "${text:-x} ${#text} ${1} ${} ${a b}"},
      {"{{.Names}} {{}} {{ }}", "{{.Names}} {{}} {{ }}"},
      {"{{ \"{{\" }} x }}", "{{ x }}"},
      {"{%s} {% s %}", "{%s} {% s %}"},
  };
  for (const auto& [text, expected] : cases) {
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(rendered(text) == expected); }
  }
}

BOOST_AUTO_TEST_CASE(elements_of_lists_and_fields_of_any_name_are_reached) {
  const std::pair<const char*, const char*> cases[] = {
      {"${outcome.json[0]} {{ outcome.json[1][1] }}", "first it's"},
      {"{{ list[1] }}", "1"},
      {"${outcome[\"stderr\"]}|{{ outcome[\"stderr\"] | trim }}", "${outcome[\"stderr\"]}|err"},
      {"${outcome.json[1][\"x\"]}", "0: ${outcome.json[1][\"x\"]}: a list has no field 'x'"},
      {"${list[1]} ${list[@]} ${list[$i]}", "${list[1]} ${list[@]} ${list[$i]}"},  // arrays of the shell's
      {"${outcome.json[9]}", "0: ${outcome.json[9]}: there is no element 9; the list has 2"},
      {"{{ outcome.json[9] | default: \"none\" }}", "none"},
      {"${outcome.stderr[0]}", "0: ${outcome.stderr[0]}: the string \"err\\n\" is no list, and has no element 0"},
  };
  for (const auto& [text, expected] : cases) BOOST_TEST(rendered(text) == expected, text << " gave " << rendered(text));
}

BOOST_AUTO_TEST_CASE(mistakes_in_templates_are_errors_with_their_place) {
  const std::pair<const char*, const char*> cases[] = {
      {"a ${missing}", "2: no missing"},
      {"${text.field}", "0: ${text.field}: the string"},
      {"{{ text | upcase }}", "0: there is no filter 'upcase'"},
      {"{{ text | }}", "0: after '|' the name of a filter"},
      {"{{ text | default }}", "0: the filter default is written"},
      {"ab {{ text", "3: this '{{' is not closed"},
      {"{{ text other }}", "0: this '{{' is not closed"},
      {"{{ range .Items }}", "0: this '{{' is not closed"},
      {"{{ json .}}", "0: this '{{' is not closed"},
      {"{{ \"abc }}", "0: the text after '{{'"},
      {"{{- text }}", "0: '{{-' is not supported yet"},
      {"${{ text }}", "0: a placeholder is written {{ name }}"},
      {"{% if text %}", "0: {% if %} is not supported yet"},
      {"x {%- for a in b %}", "2: {% for %} is not supported yet"},
  };
  for (const auto& [text, expected] : cases) {
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(rendered(text).starts_with(expected), rendered(text)); }
  }
}

BOOST_AUTO_TEST_CASE(all_mistakes_of_a_text_are_found_at_once) {
  BOOST_TEST(rendered("{{ a | b }} ${{ c }} {% if %}").find("21: ") != std::string::npos);
}
