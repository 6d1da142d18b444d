#include <boost/test/unit_test.hpp>

#include "expressions/path.h"
#include "expressions/template.h"

namespace template_test {

using namespace wtool::host::expressions;

namespace {

class TestScope : public Scope {
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

class CountingScope final : public TestScope {
 public:
  std::string why_not(std::string_view name) const override {
    ++asked;
    return TestScope::why_not(name);
  }
  mutable int asked = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(nobody_asks_why_a_name_has_no_value_if_it_has_a_default) {
  const CountingScope scope;
  const auto text_of = [&](const std::string& text) {
    return render_text(std::get<Template>(parse_template(text)), scope);
  };
  BOOST_TEST(std::get<std::string>(text_of(R"({{ none | trim | default: "a" }} {{ outcome.none | default: "b" }})")) ==
             "a b");
  BOOST_TEST(scope.asked == 0);
  const std::vector<PathStep> none{{"none", {}, false}};
  BOOST_TEST(std::get<PathMistake>(follow_path("outcome", none, scope, false)).why == "");
  BOOST_TEST(std::get<PathMistake>(follow_path("outcome", none, scope)).why != "");
  BOOST_TEST(std::get<ExpressionError>(text_of("{{ none }}")).message == "no none");
  BOOST_TEST(scope.asked == 1);
}

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
      // These texts belong to other languages, and stay as they are.
      {"$${text} $$", "${text} $$"},
      {"${text:-x} ${#text} ${1} ${}", "${text:-x} ${#text} ${1} ${}"},
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
      {"${list[1]} ${list[@]} ${list[$i]}", "${list[1]} ${list[@]} ${list[$i]}"},  // arrays of the shell
      {"${outcome.json[9]}", "0: ${outcome.json[9]}: there is no element 9; the size of the list is 2"},
      {"{{ outcome.json[9] | default: \"none\" }}", "none"},
      {"${outcome.stderr[0]}", "0: ${outcome.stderr[0]}: the string \"err\\n\" is not a list, and has no element 0"},
  };
  for (const auto& [text, expected] : cases) BOOST_TEST(rendered(text) == expected, text << " gave " << rendered(text));
}

BOOST_AUTO_TEST_CASE(mistakes_in_templates_are_errors_with_their_place) {
  const std::pair<const char*, const char*> cases[] = {
      {"a ${missing}", "2: no missing"},
      {"${text.field}", "0: ${text.field}: the string"},
      {"{{ text | upcas }}", "0: there is no filter 'upcas'; did you mean 'upcase'? The filters are default, upcase"},
      {"{{ text | default: }}", "0: what follows the ':' of the filter default is neither a text"},
      {"{{ text | default: 1, 2 }}", "0: the filter default is written"},
      {"{{ text | upcase: 1 }}", "0: the filter upcase is written upcase"},
      {"{{ text | replace: 'a' }}", "0: the filter replace is written replace: \"old\", \"new\""},
      {"{{ text | replace: '', 'b' }}", "0: the filter replace is written replace: \"old\", \"new\"; an empty"},
      {"{{ text | split: '' }}", "0: the filter split is written split: \",\"; an empty text"},
      {"{{ text | split: 3 }}", "0: the filter split is written split: \",\", with texts in quotes"},
      {"{{ text | first }}", "0: {{ text | first }}: 'first' needs a list, but got the string"},
      {"{{ number | join }}", "0: {{ number | join }}: 'join' needs a list, but got the int 7"},
      {"{{ list | lines }}", "0: {{ list | lines }}: the filter 'lines' needs a text, but got a list"},
      {"{{ number | size }}", "0: {{ number | size }}: 'size' needs a string, a list or a map"},
      {"{{ text | }}", "0: the name of a filter is expected after '|'"},
      {"{{ text | default }}", "0: the filter default is written"},
      {"ab {{ text", "3: this '{{' is not closed"},
      {"ab ${text-one other}", "3: this '${' is not closed by '}' after text-one"},
      {"ab ${text", "3: this '${' is not closed by '}' after text"},
      {"${text.trim()}", "0: this '${' is not closed by '}' after text.trim; a literal '${' is written $${"},
      {"${size(text)}", "0: this '${' is not closed by '}' after size"},
      {"{{ text other }}", "0: this '{{' is not closed"},
      {"{{ range .Items }}", "0: this '{{' is not closed"},
      {"{{ json .}}", "0: this '{{' is not closed"},
      {"{{ \"abc }}", "0: the text after '{{'"},
      {"${{ text }}", "0: a placeholder is written {{ name }}"},
      {"{{ text -}", "0: this '{{' is not closed"},
  };
  for (const auto& [text, expected] : cases) {
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(rendered(text).starts_with(expected), rendered(text)); }
  }
}

BOOST_AUTO_TEST_CASE(filters_change_values) {
  const std::pair<const char*, const char*> cases[] = {
      {"{{ text | upcase }} {{ 'ÄBC' | downcase }}", "IT'S \"X\" Äbc"},
      {"{{ 'hELLO wORLD' | capitalize }}{{ empty | capitalize }}", "Hello world"},
      {"[{{ blank | strip }}]", "[a b]"},
      {"{{ missing | upcase | default: 5 }}", "5"},
      {"{{ missing | default: -2.5 }} {{ missing | default: true }}", "-2.5 true"},
      {"{{ missing | default: 'a' | upcase }}", "A"},
      {"{{ missing | default: \"a\\tb\\q\\\\\" }}", "a\tb\\q\\"},
      {"{{ 'a\nb\n' | lines | json }}", "[\"a\",\"b\"]"},
      {"{{ 'a\n\nb' | lines | json }}", "[\"a\",\"\",\"b\"]"},
      {"{{ empty | lines | json }} {{ empty | split: ',' | json }}", "[] []"},
      {"{{ 'a,,b,' | split: ',' | json }}", "[\"a\",\"\",\"b\",\"\"]"},
      {"{{ 'a, b' | split: ', ' | join: ' + ' }}", "a + b"},
      {"{{ list | join }}|{{ list | join: '' }}", "a 1 true |a1true"},
      {"{{ list | first }}{{ list[3] | default: 'none' }}", "anone"},
      {"{{ 'a b c' | split: ' ' | last }}", "c"},
      {"{{ empty | lines | first | default: 'nothing' }}", "nothing"},
      {"{{ list | size }} {{ 'Grüße' | size }} {{ outcome | lines | size }}", "4 5 1"},
      {"{{ 'aXbXX' | replace: 'X', '--' }}", "a--b----"},
      {"{{ 'aaa' | replace: 'aa', 'a' }}", "aa"},
      {"{{ '  Hello, World! v2.0 ' | slugify }}", "hello-world-v2-0"},
      {"{{ '41' | plus: 1 }} {{ ' 7 ' | minus: 9 }} {{ '2' | times: 1.5 }} {{ '' | default: 0 | plus: 1 }}",
       "42 -2 3 1"},
      {"{{ '--' | slugify }}{{ 'Grüße' | slugify }}", "grüße"},
      {"{{ outcome | upcase }}", "OUT"},
      {"{{ number | upcase }}", "7"},
  };
  for (const auto& [text, expected] : cases) BOOST_TEST(rendered(text) == expected, text << " gave " << rendered(text));
}

BOOST_AUTO_TEST_CASE(dashes_take_the_blanks_on_their_side) {
  const std::pair<const char*, const char*> cases[] = {
      {"a \n {{- number }} b", "a7 b"}, {"a {{ number -}} \n\t b", "a 7b"},
      {"a {{- number -}} b", "a7b"},    {"a {{- .Names -}} b", "a {{- .Names -}} b"},  // other programs' text
      {"{{ blank -}} x", "  a b\nx"},                                                  // a value keeps its own blanks
  };
  for (const auto& [text, expected] : cases) BOOST_TEST(rendered(text) == expected, text << " gave " << rendered(text));
}

BOOST_AUTO_TEST_CASE(filters_cannot_make_texts_without_bound) {
  // Each filter replaces every letter a by ten of them and 200,000 more bytes.
  const std::string large = "aaaaaaaaaa" + std::string(200'000, '.');
  std::string text = "{{ 'a'";
  for (int i = 0; i < 100; ++i) text += " | replace: 'a', '" + large + "'";
  BOOST_TEST(rendered(text + " }}").find("longer than 16 MiB") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(all_mistakes_of_a_text_are_found_at_once) {
  BOOST_TEST(rendered("{{ a | b }} ${{ c }} {% if %}").find("27: ") != std::string::npos);
}

}  // namespace template_test
