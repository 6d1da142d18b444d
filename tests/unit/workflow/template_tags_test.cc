// Tags of templates: what they choose, repeat and refuse, and which names they read.
#include <boost/test/unit_test.hpp>
#include <map>

#include "expressions/template_renderer.h"
#include "processor_time.h"

namespace template_tags_test {

using namespace wtool::host::expressions;
using wtool::test::processor_time;

namespace {

class TestScope final : public Scope {
 public:
  TestScope() {
    values_["yes"] = Value(true);
    values_["no"] = Value(false);
    values_["text"] = Value("some text");
    values_["empty"] = Value("");
    values_["zero"] = Value(std::int64_t{0});
    values_["nothing"] = Value();
    values_["large"] = Value(std::string(1'000'000, 'x'));
    values_["names"] = Value(List{Value("a"), Value("b"), Value("c")});
    values_["none"] = Value(List{});
    Map person;
    person.fields["name"] = Value("Ada");
    person.fields["tags"] = Value(List{Value("x"), Value("y")});
    values_["people"] = Value(List{Value(person)});
    values_["person"] = Value(std::move(person));
    Map outcome;
    outcome.text = "one\ntwo";
    outcome.fields["exit_code"] = Value(std::int64_t{0});
    values_["build"] = Value(std::move(outcome));
  }
  const Value* find(std::string_view name) const override {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }
  std::string why_not(std::string_view name) const override { return "no " + std::string(name); }

 private:
  std::map<std::string, Value, std::less<>> values_;
};

std::string rendered(const std::string& text, std::size_t steps = max_template_steps) {
  const auto parsed = parse_template(text);
  if (const auto* errors = std::get_if<std::vector<ExpressionError>>(&parsed)) {
    std::string out;
    for (const auto& error : *errors) out += std::to_string(error.offset) + ": " + error.message + "\n";
    return out;
  }
  const auto result = TemplateRenderer(nullptr, steps).run(std::get<Template>(parsed), TestScope());
  if (const auto* error = std::get_if<ExpressionError>(&result)) {
    return std::to_string(error->offset) + ": " + error->message;
  }
  return joined(std::get<Expanded>(result));
}

// `name` or `name.field`, with a '?' where it is optional.
std::string names_of(const std::string& text) {
  const auto parsed = parse_template(text);
  BOOST_REQUIRE(std::holds_alternative<Template>(parsed));
  std::string out;
  for (const NameUse& use : names_used(std::get<Template>(parsed))) {
    out += (out.empty() ? "" : " ") + use.name + (use.field.empty() ? "" : "." + use.field) + (use.optional ? "?" : "");
    BOOST_TEST(text.substr(use.offset).find(use.name) != std::string::npos);
  }
  return out;
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(tests_choose_what_is_rendered) {
  const std::pair<const char*, const char*> cases[] = {
      {"{% if yes %}a{% endif %}|{% if no %}b{% endif %}", "a|"},
      {"{% if no %}a{% else %}b{% endif %}", "b"},
      {"{% if no %}a{% elsif yes %}b{% elsif yes %}c{% else %}d{% endif %}", "b"},
      {"{% if no %}a{% elsif no %}b{% else %}c{% endif %}", "c"},
      {"{% unless no %}a{% endunless %}{% unless yes %}b{% else %}c{% endunless %}", "ac"},
      {"{% unless yes %}a{% elsif yes %}b{% endunless %}", "b"},
      {"{% if yes %}{% if no %}a{% else %}b{% endif %}c{% endif %}", "bc"},
      {"{%if yes%}a{%endif%}", "a"},
      {"{% if text == 'some text' %}${text}{% endif %}", "some text"},
      {"{% if build.exit_code == 0 && names.size() > 2 %}a{% endif %}", "a"},
      {"{% if '%}' == \"%}\" %}a{% endif %}", "a"},
      {"{% if {'a': {'b': true}}.a.b %}a{% endif %}", "a"},
      {"{% if 5 % 3 == 2 %}a{% endif %}", "a"},
      {"{% if no || yes %}a{% endif %}", "a"},
      {"{% if yes %}${yes:-x} {{.Names}} $${text}{% endif %}", "${yes:-x} {{.Names}} ${text}"},
  };
  for (const auto& [text, expected] : cases) BOOST_TEST(rendered(text) == expected, text << " gave " << rendered(text));
}

BOOST_AUTO_TEST_CASE(a_test_is_true_for_any_value_that_is_not_empty) {
  const auto is_true = [](const std::string& test) {
    const std::string result = rendered("{% if " + test + " %}yes{% else %}no{% endif %}");
    BOOST_TEST((result == "yes" || result == "no"), test << " gave " << result);
    return result == "yes";
  };
  for (const char* test : {"yes",
                           "text",
                           "zero",
                           "names",
                           "person",
                           "build",
                           "person.name",
                           "names[0]",
                           "'x'",
                           "[1]",
                           "not no",
                           "not missing",
                           "not empty",
                           "!missing",
                           "not text == 'x'",
                           "not (yes and no)",
                           "yes and text",
                           "missing or text",
                           "no or names and yes",
                           "names contains 'b'",
                           "text contains 'me t'",
                           "build contains 'two'",
                           "not names contains 'z'",
                           "has(person.name)",
                           "yes ? text : no",
                           "missing ? no : yes",
                           "names.exists(n, n == 'b')",
                           "yes or missing == 1",
                           "names.exists(x, x == 'a' and yes)"}) {
    BOOST_TEST(is_true(test), test);
  }
  for (const char* test : {"no",
                           "empty",
                           "nothing",
                           "none",
                           "missing",
                           "missing.field",
                           "missing.field[0].other",
                           "person.age",
                           "person.name.first",
                           "names[7]",
                           "build.json",
                           "''",
                           "[]",
                           "{}",
                           "null",
                           "not yes",
                           "not text",
                           "text and missing",
                           "empty or none",
                           "names contains 'z'",
                           "has(person.age)",
                           "has(missing.age)",
                           "not yes or no",
                           "yes and no or no",
                           "text == 'x' or missing"}) {
    BOOST_TEST(!is_true(test), test);
  }
}

BOOST_AUTO_TEST_CASE(loops_go_through_lists) {
  const std::pair<const char*, const char*> cases[] = {
      {"{% for n in names %}<${n}>{% endfor %}", "<a><b><c>"},
      {"{% for n in names %}{{ n | upcase }}{% endfor %}", "ABC"},
      {"{% for n in none %}${n}{% else %}none{% endfor %}", "none"},
      {"{% for n in names %}${n}{% else %}none{% endfor %}", "abc"},
      {"{% for n in [1, 2].map(x, x * 10) %}${n} {% endfor %}", "10 20 "},
      {"{% for l in build | lines %}[${l}]{% endfor %}", "[one][two]"},
      {"{% for w in 'a,b' | split: ',' %}[${w}]{% endfor %}", "[a][b]"},
      {"{% for n in no || yes ? names : none %}${n}{% endfor %}", "abc"},
      {"{% for p in people %}${p.name}: {% for t in p.tags %}${t}{% endfor %}{% endfor %}", "Ada: xy"},
      {"{% for n in names %}${forloop.index}${forloop.index0}{% if forloop.first %}F{% endif %}"
       "{% if forloop.last %}L{% endif %} {% endfor %}",
       "10F 21 32L "},
      {"{% for a in names %}{% for b in [1, 2] %}${forloop.index}{% endfor %}${forloop.index};{% endfor %}",
       "121;122;123;"},
      {"{% for text in names %}${text}{% endfor %} ${text}", "abc some text"},
      {"{% for n in names %}{% if n == 'b' %}{% elsif yes %}${n}{% endif %}{% endfor %}", "ac"},
      {"{% for n in names %}{% unless forloop.last %}${n}, {% endunless %}{% endfor %}", "a, b, "},
  };
  for (const auto& [text, expected] : cases) BOOST_TEST(rendered(text) == expected, text << " gave " << rendered(text));
}

BOOST_AUTO_TEST_CASE(what_is_raw_or_a_comment_is_ignored) {
  const std::pair<const char*, const char*> cases[] = {
      {"a{% raw %}{% if x %} {{ y }} ${z} $${{% endraw %}b", "a{% if x %} {{ y }} ${z} $${b"},
      {"a{% comment %}{% if {{ {% endcomment %}b", "ab"},
      {"a {%- raw -%} b {%- endraw -%} c", "abc"},
      {"a {%- comment -%} b {%- endcomment -%} c", "ac"},
      {"{% raw %}{% endrawx %}{% endraw %}", "{% endrawx %}"},
  };
  for (const auto& [text, expected] : cases) BOOST_TEST(rendered(text) == expected, text << " gave " << rendered(text));
}

BOOST_AUTO_TEST_CASE(dashes_of_tags_take_the_blanks_on_their_side) {
  const std::pair<const char*, const char*> cases[] = {
      {"a\n  {%- if yes %} b {% endif -%}\n c", "a b c"},
      {"{% for n in names -%}\n  ${n}\n{%- endfor %}", "abc"},
      {"a {% if yes -%} b {%- endif %} c", "a b c"},
      {"{% if zero-1 == -1 -%} a {%- endif %}", "a"},
  };
  for (const auto& [text, expected] : cases) BOOST_TEST(rendered(text) == expected, text << " gave " << rendered(text));
}

BOOST_AUTO_TEST_CASE(mistakes_in_tags_are_errors_with_their_place) {
  const std::pair<const char*, const char*> cases[] = {
      {"x {% if yes %}", "2: this {% if %} has no {% endif %}"},
      {"{% for n in names %}", "0: this {% for %} has no {% endfor %}"},
      {"x{% endif %}", "1: this {% endif %} closes nothing\n"},
      {"{% if yes %}{% endfor %}{% endif %}", "12: this {% endfor %} closes nothing; {% endif %} is expected here"},
      {"{% else %}", "0: this {% else %} belongs to no {% if %}"},
      {"{% for n in names %}{% elsif yes %}{% endfor %}", "20: this {% elsif %} belongs to no {% if %}"},
      {"{% if yes %}{% else %}{% else %}{% endif %}", "22: this {% else %} follows an {% else %}"},
      {"{% if yes %}{% else %}{% elsif yes %}{% endif %}", "22: this {% elsif %} follows an {% else %}"},
      {"{% if %}a{% endif %}", "6: the expression ends where a value is expected"},
      {"{% if yes == %}a{% endif %}", "13: the expression ends"},
      {"{% if ${yes} %}a{% endif %}", "6: write a variable in a condition by its name alone"},
      {"{% if yes no %}a{% endif %}", "10: \"no\" is not expected here"},
      {"{% if yes | upcase %}a{% endif %}", "0: this {% if is not closed by '%}' after its test; filters are"},
      {"{% if yes }a{% endif %}", "10: this '}' closes nothing"},
      {"{% if text.matches('(') %}{% endif %}", "19: \"(\" is not a regular expression"},
      {"{% else x %}", "0: "},
      {"{% for names %}{% endfor %}", "0: a loop is written {% for x in list %}"},
      {"{% for n of names %}{% endfor %}", "0: a loop is written {% for x in list %}"},
      {"{% for forloop in names %}{% endfor %}", "0: 'forloop' has the loop's own values"},
      {"{% for n in names | bogus %}{% endfor %}", "0: there is no filter 'bogus'"},
      {"{% elif x %}", "0: {% elif %} is written {% elsif %}"},
      {"{% assign a = 1 %}", "0: {% assign %} is not supported; the tags are if, unless, for, comment, raw (prompt"},
      {"a{% raw %}b", "1: this {% raw %} has no {% endraw %}"},
      {"{% comment %}b", "0: this {% comment %} has no {% endcomment %}"},
      {"{% endraw %}", "0: this {% endraw %} closes nothing"},
      // These mistakes are found when the template is rendered.
      {"a {% if missing == 1 %}b{% endif %}", "8: no missing"},
      {"{% if text == 1 %}b{% endif %}", "11: the string \"some text\" and the int 1 cannot be compared"},
      {"{% if yes and text == 1 %}b{% endif %}", "19: the string"},
      {"{% for n in missing %}{% endfor %}", "12: no missing"},
      {"{% for n in person %}{% endfor %}", "12: a loop needs a list, but this is a map"},
      {"{% for n in build %}{% endfor %}", "12: a loop needs a list, but this is the string"},
      {"{% for n in person | lines %}{% endfor %}", "12: the filter 'lines' needs a text, but got a map"},
      {"{% for n in names %}${m}{% endfor %}", "20: no m"},
      {"{% for n in names %}{% endfor %}${n}", "32: no n"},
      {"${forloop.index}", "0: no forloop"},
  };
  for (const auto& [text, expected] : cases) {
    BOOST_TEST(rendered(text).starts_with(expected), text << " gave " << rendered(text));
  }
}

BOOST_AUTO_TEST_CASE(all_mistakes_of_tags_are_found_at_once) {
  const std::string all = rendered("{% if ( %}{{ a | b }}{% for %}{% endfor %}{% endif %}{% endif %}");
  for (const char* part : {"8: ", "10: there is no filter", "21: a loop is", "53: this {% endif %}"}) {
    BOOST_TEST(all.find(part) != std::string::npos, all);
  }
}

BOOST_AUTO_TEST_CASE(a_template_knows_the_names_it_reads) {
  BOOST_TEST(names_of("${a} ${b.c} {{ d | default: 'x' }} {{ \"e\" }}") == "a b.c d?");
  BOOST_TEST(names_of("{% if a %}${b}{% elsif c.d == 1 %}{% endif %}{% unless not e[f].g %}{% endunless %}") ==
             "a? b c.d e? f");
  BOOST_TEST(names_of("{% if a and b or has(c.d) and e == f %}{% endif %}") == "a? b? c.d? e f");
  BOOST_TEST(
      names_of("{% for n in a.b %}${n.x} ${forloop.index} ${c}{% if n %}{% endif %}{% else %}${n}{% endfor %}") ==
      "a.b c n");
  BOOST_TEST(names_of("${n} {% for n in [n] %}{% for m in n %}${n}${m}{% endfor %}${m}{% endfor %} ${forloop}") ==
             "n n m forloop");
  BOOST_TEST(names_of("{% if a.exists(x, x == y) %}{% endif %}{% raw %}${r}{% endraw %}") == "a y");
}

BOOST_AUTO_TEST_CASE(a_template_without_values_is_flat) {
  const auto parsed =
      parse_template("a{% if x %}b${x}{% else %}c${y}{% endif %}{% for n in z %}d${n}e{% else %}f{% endfor %}g");
  const auto& flat = std::get<Template>(parsed);
  BOOST_TEST(flat.has_tags());
  BOOST_TEST(flat.texts == std::vector<std::string>({"ab", "c", "d", "efg"}), boost::test_tools::per_element());
  BOOST_TEST(flat.placeholders.size() == 3U);
  BOOST_TEST(!std::get<Template>(parse_template("a ${b} {{ c }}")).has_tags());
}

BOOST_AUTO_TEST_CASE(tags_are_bounded) {
  const std::string deep = repeated("{% for a in names %}", 20) + "{% endfor %}";
  BOOST_TEST(rendered(deep).find("at most") == std::string::npos);
  BOOST_TEST(rendered(repeated("{% if yes %}", 20) + "x" + repeated("{% endif %}", 20)) == "x");
  BOOST_TEST(rendered(repeated("{% if yes %}", 21) + repeated("{% endif %}", 21))
                 .starts_with("240: tags may be nested at most 20 deep"));
  // 3 ^ 20 rounds would take forever, but each is counted. The bound is low here: the usual ten million rounds would
  // take minutes under a sanitizer.
  const auto nested = [](std::size_t loops, const std::string& body, std::size_t steps) {
    return rendered(repeated("{% for a in names %}", loops) + body + repeated("{% endfor %}", loops), steps);
  };
  BOOST_TEST(nested(20, "", 100'000).find("takes more than 100000 steps") != std::string::npos);
  BOOST_TEST(nested(6, "", 100'000) == "");
  // This reaches the usual bound, because each round takes many steps.
  BOOST_TEST(nested(7, "{% if large contains 'y' %}{% endif %}", max_template_steps).find("takes more than") !=
             std::string::npos);
  BOOST_TEST(nested(5, "{% if large contains 'y' %}{% endif %}", max_template_steps) == "");
  const std::string list = "[" + repeated("1,", 5000) + "1]";
  const std::string large = repeated("x", 4000);
  BOOST_TEST(rendered("{% for a in " + list + " %}" + large + "{% endfor %}").find("longer than 16 MiB") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(many_mistakes_cost_no_more_than_few) {
  for (const char* piece :
       {"{% if {% if ", "{% if '", "{% raw %}", "{% if x %}", "{{ \"", "{% for x in [", "{% if (("}) {
    const auto time_of = [piece](std::size_t bytes) {
      std::string result;
      const double took =
          processor_time([&] { result = rendered(repeated(piece, bytes / std::string(piece).size())); });
      BOOST_TEST(!result.empty());
      BOOST_TEST(std::count(result.begin(), result.end(), '\n') <= 100);
      return took;
    };
    const double few = time_of(250'000);
    const double many = time_of(1'000'000);
    // A text of four times the size takes about four times as long; quadratic work takes sixteen times as long.
    BOOST_TEST(many < 9 * few + 0.05, piece << ": " << few << " s, " << many << " s");
  }
}

}  // namespace template_tags_test
