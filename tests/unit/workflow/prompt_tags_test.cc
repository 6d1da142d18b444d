// The tags that only prompt files may use: what they render, what they refuse, and their limits.
#include <boost/test/unit_test.hpp>
#include <map>
#include <memory>

#include "expressions/template_renderer.h"
#include "values_scope.h"

namespace prompt_tags_test {

using namespace wtool::host::expressions;

namespace {

class Variables final : public wtool::test::ValuesScope {
 public:
  Variables() : ValuesScope(Values{}) {
    values_["name"] = Value("Ada");
    values_["count"] = Value(std::int64_t{2});
    values_["list"] = Value(List{Value("a"), Value("b"), Value("c")});
    values_["none"] = Value(List{});
    values_["empty_text"] = Value("");
    values_["tags"] = Value("{{ name }} {% if name %}x{% endif %} ${name} {% render 'a' %}");
    values_["key"] = Value("city");
    Map person;
    person.fields["city"] = Value("Oslo");
    values_["person"] = Value(std::move(person));
    values_["long"] = Value(std::string(1'000'000, 'x'));
  }
};

// The prompts of a test, by their names.
class Texts final : public Partials {
 public:
  explicit Texts(std::map<std::string, std::string> texts) : texts_(std::move(texts)) {}

  const Partial* find(const std::string& name, std::string& error) override {
    auto& partial = made_[name];
    if (partial) return partial.get();
    const auto text = texts_.find(name);
    if (text == texts_.end()) {
      error = "there is no " + name;
      return nullptr;
    }
    auto parsed = parse_template(text->second, Dialect::prompt);
    if (const auto* errors = std::get_if<std::vector<ExpressionError>>(&parsed)) {
      error = name + ":" + std::to_string(errors->front().offset) + ": " + errors->front().message;
      return nullptr;
    }
    partial = std::make_unique<Partial>();
    partial->file = name;
    partial->parsed = std::get<Template>(std::move(parsed));
    if (name == "with_defaults") partial->defaults["tone"] = Value("calm");
    return partial.get();
  }
  std::string place(const Partial& partial, std::size_t offset) const override {
    return partial.file + ":" + std::to_string(offset);
  }

 private:
  std::map<std::string, std::string> texts_;
  std::map<std::string, std::unique_ptr<Partial>> made_;
};

// The prompt `text`, which may include the `others`.
std::string rendered(const std::string& text, std::map<std::string, std::string> others = {},
                     std::size_t steps = max_template_steps) {
  others["main"] = text;
  Texts texts(std::move(others));
  std::string error;
  const Partial* main = texts.find("main", error);
  if (main == nullptr) return error;
  const auto result = TemplateRenderer(&texts, steps).run(*main, Variables());
  if (const auto* wrong = std::get_if<ExpressionError>(&result)) {
    return "main:" + std::to_string(wrong->offset) + ": " + wrong->message;
  }
  return joined(std::get<Expanded>(result));
}

using Cases = std::initializer_list<std::pair<const char*, const char*>>;

void check(Cases cases, const std::map<std::string, std::string>& others = {}) {
  for (const auto& [text, expected] : cases) {
    const std::string result = rendered(text, others);
    BOOST_TEST(result == expected, text << " gave " << result);
  }
}

void check_mistakes(Cases cases, const std::map<std::string, std::string>& others = {}) {
  for (const auto& [text, expected] : cases) {
    const std::string result = rendered(text, others);
    BOOST_TEST(result.starts_with(expected), text << " gave " << result);
  }
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(variables_are_assigned_and_captured) {
  check({
      {"{% assign x = 'a' %}{{ x }}", "a"},
      {"{% assign x = name | upcase | downcase %}{{ x }}", "ada"},
      {"{% assign x = 5 %}{% if x == 5 %}five{% endif %}", "five"},
      {"{% assign x = true %}{% assign x = nil %}{% if x %}a{% else %}b{% endif %}", "b"},
      {"{% assign x = person.city %}{{ x }} {{ person[key] }}", "Oslo Oslo"},
      {"{% assign x = 'a b' | split: ' ' %}{{ x | size }}{{ x.size }}{{ x.first }}{{ x.last }}{{ x[1] }}", "22abb"},
      {"{% for l in list %}{% assign last = l %}{% endfor %}{{ last }}", "c"},
      {"{% assign name = 'Bob' %}{{ name }}", "Bob"},
      {"{% capture x %}<{{ name }}>{% endcapture %}{{ x }}{{ x }}", "<Ada><Ada>"},
      {"{% capture x %}{% for l in list %}{{ l }}{% endfor %}{% endcapture %}{{ x | upcase }}", "ABC"},
      {"{% assign n = '3' | plus: count %}{{ n }}", "5"},
      {"{{ missing | default: name }}{{ name | replace: 'A', key }}", "Adacityda"},
      {"a\n{%- assign x = 1 -%}\nb", "ab"},
  });
}

BOOST_AUTO_TEST_CASE(a_case_takes_the_first_part_that_fits) {
  check({
      {"{% case name %}{% when 'Bob' %}b{% when 'Ada' %}a{% else %}e{% endcase %}", "a"},
      {"{% case name %}\n{% when 'Bob', 'Ada' %}a{% endcase %}", "a"},
      {"{% case name %}{% when 'Bob' or 'Ada' %}a{% endcase %}", "a"},
      {"{% case name %}{% when 'Bob' %}b{% else %}e{% endcase %}", "e"},
      {"{% case name %}{% when 'Bob' %}b{% endcase %}", ""},
      {"{% case name | downcase %}{% when 'ada' %}a{% endcase %}", "a"},
      {"{% case count %}{% when '2' %}text{% when 2 %}number{% endcase %}", "number"},
      {"{% case missing %}{% when 'x' %}x{% when nil %}nothing{% endcase %}", "nothing"},
      {"{% case name %}{% when 'Ada' %}{% case count %}{% when 2 %}in{% endcase %}{% endcase %}", "in"},
  });
}

BOOST_AUTO_TEST_CASE(loops_of_prompts_are_limited_left_and_counted) {
  check({
      {"{% for i in (1..3) %}{{ i }}{% endfor %}", "123"},
      {"{% for i in (count..4) %}{{ i }}{% endfor %}{% for i in (3..1) %}x{% else %}-{% endfor %}", "234-"},
      {"{% for l in list limit:2 %}{{ l }}{% endfor %}", "ab"},
      {"{% for l in list limit: 1 offset: 1 %}{{ l }}{{ forloop.last }}{% endfor %}", "btrue"},
      {"{% for l in list reversed %}{{ l }}{{ forloop.index }}{{ forloop.rindex }} {% endfor %}", "c13 b22 a31 "},
      {"{% for l in list %}{{ forloop.length }}{% break %}{% endfor %}", "3"},
      {"{% for l in list %}{% if l == 'b' %}{% continue %}{% endif %}{{ l }}{% endfor %}", "ac"},
      {"{% for l in list %}{% for k in list %}{% if k == 'b' %}{% break %}{% endif %}{{ k }}{% endfor %}{% endfor %}",
       "aaa"},
      {"{% for l in empty_text %}{{ l }}{% else %}nothing{% endfor %}", "nothing"},
      {"{% for l in list %}{% cycle 'odd', 'even' %} {% endfor %}", "odd even odd "},
      {"{% cycle 'g': 1, 2 %}{% cycle 'h': 1, 2 %}{% cycle 'g': 1, 2 %}", "112"},
      {"{% for l in 'a,b' | split: ',' %}{{ l }};{% endfor %}", "a;b;"},
  });
}

BOOST_AUTO_TEST_CASE(prompts_include_others) {
  const std::map<std::string, std::string> others = {
      {"plain", "text"},
      {"who", "I am {{ name }}"},
      {"greet", "{{ greeting }}, {{ who }}!"},
      {"parts/person", "<{{ person }}>"},
      {"item", "{{ item }}{% unless forloop.last %},{% endunless %}"},
      {"sets", "{% assign set = 'inner' %}{% assign name = 'Eve' %}"},
      {"reads", "{{ set }}"},
      {"nested", "[{% render 'plain' %}]"},
      {"with_defaults", "{{ tone }}"},
      {"marked", "{% partial %}\nbody"},
      {"counted", "{% cycle 1, 2 %}"},
  };
  check(
      {
          {"{% render \"plain\" %}|{% include 'plain' %}", "text|text"},
          {"{% include 'who' %}", "I am Ada"},
          {"{% render 'greet', greeting: 'Hello', who: name %}", "Hello, Ada!"},
          {"{% render 'greet' greeting: 'Hello', who: person.city %}", "Hello, Oslo!"},
          {"{% render 'parts/person' with name %}{% render 'who' with key as name %}", "<Ada>I am city"},
          {"{% render 'item' for list %}{% include 'item' for list as item %}", "a,b,ca,b,c"},
          {"{% assign set = 'outer' %}{% include 'sets' %}{{ set }} {{ name }}", "inner Eve"},
          {"{% assign set = 'outer' %}{% render 'sets' %}{{ set }} {{ name }}", "outer Ada"},
          {"{% assign set = 1 %}{% include 'reads' %}", "1"},
          {"{% include 'nested' %}{% assign which = 'plain' %}{% include which %}", "[text]text"},
          {"{% render 'with_defaults' %} {% render 'with_defaults', tone: 'loud' %}", "calm loud"},
          {"{% render 'marked' %}", "\nbody"},
          {"{% for l in list %}{% render 'plain' %}{% endfor %}", "texttexttext"},
          {"{% render 'counted' %}{% render 'counted' %}{% include 'counted' %}{% include 'counted' %}", "1112"},
          {"{% capture x %}{% render 'plain' %}{% endcapture %}({{ x }})", "(text)"},
          {"a {%- render 'plain' -%} b", "atextb"},
      },
      others);
}

BOOST_AUTO_TEST_CASE(a_value_never_becomes_a_tag) {
  const std::string tags = "{{ name }} {% if name %}x{% endif %} ${name} {% render 'a' %}";
  const std::map<std::string, std::string> others = {{"shows", "{{ it }}"}};
  for (const char* text :
       {"{{ tags }}", "{% assign x = tags %}{{ x }}", "{% capture x %}{{ tags }}{% endcapture %}{{ x }}",
        "{% render 'shows', it: tags %}", "{% include 'shows' with tags as it %}"}) {
    BOOST_TEST(rendered(text, others) == tags, text << " gave " << rendered(text, others));
  }
}

BOOST_AUTO_TEST_CASE(mistakes_in_tags_of_prompts_have_their_place) {
  check_mistakes({
      {"{% assign x %}", "main:0: an assignment is written {% assign name = value %}"},
      {"{% assign x = name | upcas %}", "main:0: there is no filter 'upcas'; did you mean 'upcase'?"},
      {"{% assign x = %}", "main:0: an assignment is written"},
      {"{% assign x = a b %}", "main:0: this {% assign is not closed by '%}'"},
      {"x{% capture %}y{% endcapture %}", "main:1: a capture is written"},
      {"x{% capture y %}", "main:1: this {% capture %} has no {% endcapture %}"},
      {"x{% case name %}{% when 'a' %}", "main:1: this {% case %} has no {% endcase %}"},
      {"{% case name %}lost{% when 'a' %}{% endcase %}", "main:0: a text between {% case %} and its first {% when %}"},
      {"{% when 'a' %}", "main:0: this {% when %} belongs to no {% case %}"},
      {"{% case name %}{% else %}{% when 'a' %}{% endcase %}", "main:25: this {% when %} follows an {% else %}"},
      {"{% case name %}{% elsif a %}{% endcase %}", "main:15: this {% elsif %} belongs to no {% if %}"},
      {"{% case %}{% endcase %}", "main:0: a choice is written {% case name %}"},
      {"{% break %}", "main:0: this {% break %} is not inside of a {% for %}"},
      {"{% cycle %}", "main:0: values are expected after {% cycle"},
      {"{% render %}", "main:0: a prompt is inserted with {% render \"name\" %}"},
      {"{% render 'a', b %}", "main:0: a prompt is inserted with"},
      {"{% render 'a', b: 1, b: 2 %}", "main:0: the parameter 'b' is given twice"},
      {"{% render \"a %}", "main:0: a prompt is inserted with"},
      {"{% render 'a'", "main:0: this {% render is not closed by '%}'"},
      {"{% rendr 'a' %}", "main:0: there is no tag {% rendr %}; did you mean 'render'? The tags are if, unless"},
      {"{% tablerow x in list %}", "main:0: there is no tag {% tablerow %}"},
      // These mistakes are found when the prompt is rendered.
      {"{% render a %}", "main:10: no a; write the name of a prompt in quotes: \"a\""},
      {"{% render 'nowhere' %}", "main:0: there is no nowhere"},
      {"{{ name }}{% assign x = missing %}", "main:24: no missing"},
      {"{% for i in (1..name) %}{% endfor %}", "main:16: a whole number from 0 is needed here"},
      {"{% for l in list limit: -1 %}{% endfor %}", "main:24: a whole number from 0 is needed"},
      {"{{ name | plus: person }}", "main:0: {{ name | plus: person }}: the filter plus is written plus: 1"},
  });
}

BOOST_AUTO_TEST_CASE(a_mistake_in_another_prompt_names_its_place_there) {
  const std::map<std::string, std::string> others = {
      {"reads", "a {{ name }}"},        {"outer", "xx{% render 'reads' %}"}, {"broken", "b {% if %}"},
      {"self", "{% include 'self' %}"}, {"ping", "{% render 'pong' %}"},     {"pong", "{% render 'ping' %}"},
  };
  check_mistakes(
      {
          {"x{% render 'reads' %}",
           "main:1: in reads:2: there is no 'name' in this prompt; {% render %} passes on only"},
          {"x{% include 'outer' %}", "main:1: in reads:2: there is no 'name' in this prompt"},
          {"x{% include 'broken' %}", "main:1: broken:8: the expression ends"},
          {"x{% include 'self' %}", "main:1: in self:0: prompts insert one another in a circle: main -> self -> self"},
          {"x{% render 'ping' %}", "main:1: in pong:0: prompts insert one another in a circle: main -> ping -> pong"},
          {"{% include 'main' %}", "main:0: prompts insert one another in a circle: main -> main"},
      },
      others);
}

BOOST_AUTO_TEST_CASE(prompts_are_bounded) {
  std::map<std::string, std::string> chain;
  for (int i = 0; i < 60; ++i) {
    chain["p" + std::to_string(i)] = "{% include 'p" + std::to_string(i + 1) + "' %}";
  }
  chain["p60"] = "end";
  BOOST_TEST(rendered("{% include 'p12' %}", chain) == "end");
  BOOST_TEST(rendered("{% include 'p11' %}", chain).find("more than 50 deep") != std::string::npos);
  const std::map<std::string, std::string> others = {
      {"large", std::string(1'000'000, 'y')},
      {"many", "{% for i in (1..30) %}{% for j in (1..30) %}{% endfor %}{% endfor %}"},
  };
  const std::pair<std::string, const char*> cases[] = {
      {"{% for i in (1..1000000) %}{% endfor %}", "at most 100000 numbers"},
      {"{% for i in (1..99999999999999999999) %}{% endfor %}", "whole number"},
      // This reaches the usual bound, because each round takes many steps.
      {"{% for i in (1..1000) %}{% if long contains 'y' %}{% endif %}{% endfor %}", "takes more than"},
      {"{% for i in (1..100) %}{% render 'large' %}{% endfor %}", "longer than 16 MiB"},
      {"{% for i in (1..100) %}{{ long }}{% endfor %}", "longer than 16 MiB"},
      {"{% for i in (1..100) %}{% capture x %}{{ long }}{% endcapture %}{% endfor %}", "longer than 16 MiB"},
      {"{% assign x = long %}{% for i in (1..60) %}{% assign x = x | replace: 'x', 'xx' %}{% endfor %}", "16 MiB"},
      {repeated("{% if name %}", 21) + repeated("{% endif %}", 21), "at most 20 deep"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string result = rendered(text, others);
    BOOST_TEST(result.find(expected) != std::string::npos, text.substr(0, 80) << " gave " << result.substr(0, 200));
  }
  // Each round is counted, in all prompts together. The bound is low here: the usual ten million rounds would take
  // minutes under a sanitizer.
  constexpr std::size_t steps = 100'000;
  BOOST_TEST(rendered("{% render 'many' %}{% render 'many' %}", others, steps) == "");
  for (const std::string& text : {repeated("{% for i in (1..1000) %}", 3) + repeated("{% endfor %}", 3),
                                  std::string("{% for i in (1..100) %}{% render 'many' %}{% endfor %}")}) {
    const std::string result = rendered(text, others, steps);
    BOOST_TEST(result.find("takes more than 100000 steps") != std::string::npos, text << " gave " << result);
  }
}

BOOST_AUTO_TEST_CASE(rendering_prompts_that_each_include_the_next_one_twice_ends) {
  std::map<std::string, std::string> twice;
  for (int i = 0; i < 40; ++i) {
    const std::string next = "{% include 'p" + std::to_string(i + 1) + "' %}";
    twice["p" + std::to_string(i)] = next + next;
  }
  twice["p40"] = "";
  BOOST_TEST(rendered("{% include 'p30' %}", twice) == "");
  BOOST_TEST(rendered("{% include 'p0' %}", twice).find("inserts prompts more than 10000 times in all") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(many_mistakes_in_tags_of_prompts_cost_no_more_than_few) {
  for (const char* piece : {"{% render 'a", "{% render 'a' ", "{% case x %}", "{% assign x = ", "{% capture x %}",
                            "{% unknown ", "{% unknown %}", "{% for x in (1..", "{% cycle 'a', "}) {
    BOOST_TEST(!rendered(repeated(piece, 1'000'000 / std::string(piece).size())).empty());
  }
}

BOOST_AUTO_TEST_CASE(a_workflow_does_not_have_the_tags_of_prompts) {
  for (const char* text :
       {"{% assign a = 1 %}", "{% capture a %}", "{% case a %}", "{% render 'a' %}", "{% break %}"}) {
    const auto parsed = parse_template(text);
    BOOST_REQUIRE(std::holds_alternative<std::vector<ExpressionError>>(parsed));
    const std::string& message = std::get<std::vector<ExpressionError>>(parsed)[0].message;
    BOOST_TEST(message.find("prompt files have more tags") != std::string::npos, message);
  }
}

BOOST_AUTO_TEST_CASE(a_prompt_knows_the_names_it_reads) {
  const auto names_of = [](const std::string& text) {
    const auto parsed = parse_template(text, Dialect::prompt);
    BOOST_REQUIRE(std::holds_alternative<Template>(parsed));
    std::string out;
    for (const NameUse& use : names_used(std::get<Template>(parsed))) out += use.name + (use.optional ? "? " : " ");
    return out;
  };
  BOOST_TEST(names_of("{% assign a = b | plus: c %}{{ a }}{{ d | default: e }}") == "b c d? e ");
  BOOST_TEST(names_of("{% if a %}{{ a }}{{ b }}{% if b %}{{ a }}{% endif %}{% endif %}{{ a }}") == "a? a? b b? a? a ");
  BOOST_TEST(names_of("{% unless a %}{% else %}{{ a }}{% endunless %}{% if a == 1 %}{{ a }}{% endif %}") ==
             "a? a? a a ");
  BOOST_TEST(names_of("{% case a %}{% when b %}{{ c }}{% endcase %}") == "a? b? c ");
  BOOST_TEST(names_of("{% render 'x', k: a %}{% include b with c %}") == "a b c ");
  BOOST_TEST(names_of("{% for i in (a..b) %}{{ i }}{% endfor %}{% for i in c limit: d %}{% endfor %}") == "a b c d ");
  BOOST_TEST(names_of("{% capture a %}{{ b }}{% endcapture %}{{ a }}{% cycle c, 'd' %}") == "b c ");
}

}  // namespace prompt_tags_test
