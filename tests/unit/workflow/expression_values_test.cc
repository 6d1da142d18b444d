// What expressions have beyond the cases of CEL: values that can be used as texts, our own methods, messages, bounds.
#include <boost/test/unit_test.hpp>

#include "expressions_support.h"
#include "processor_time.h"

namespace expression_values_test {

using namespace wtool::host::expressions;
using namespace wtool::test;

BOOST_AUTO_TEST_CASE(a_map_with_a_text_form_is_a_text_for_every_method) {
  const std::pair<const char*, const char*> cases[] = {
      {"build.matches('(?i)^BUILT$')", "true"},
      {"build.startsWith('bu') && build.endsWith('lt') && build.includes('uil')", "true"},
      {"build + '!'", "\"built!\""},
      {"build in ['x', 'built']", "true"},
      {"['x', 'built'].includes(build)", "true"},
      {"size(build) == 5 && type(build) == 'string'", "true"},
      {"string(build) == 'built' && build == build", "true"},
      {"matches(build, name) || matches(build, 'u' + 'i')", "true"},
      {"{'built': 1}[build]", "1"},
      {"has(build.stdout) && !has(build.json)", "true"},
  };
  for (const auto& [text, expected] : cases)
    BOOST_TEST(result_of(text) == expected, text << " gave " << result_of(text));
}

BOOST_AUTO_TEST_CASE(lists_maps_and_texts_are_made_and_looked_through) {
  const std::pair<const char*, const char*> cases[] = {
      {"items + ['c',]", "[\"a\",\"b\",\"c\"]"},
      {"items.includes('b') && !items.includes('c')", "true"},
      {"'a' in items && !('x' in items)", "true"},
      {"{'a': 1, 'b': [true]}", "{\"a\":1,\"b\":[true]}"},
      {"{'a': {'b': 2}}.a.b", "2"},
      {"'a' in {'a': 1}", "true"},
      {"items.map(i, i + i)", "[\"aa\",\"bb\"]"},
      {"items.map(i, i != 'a', i + '!')", "[\"b!\"]"},
      {"items.filter(i, i > 'a')", "[\"b\"]"},
      {"items.exists(i, [1, 2].all(k, k > 0) && i == 'b')", "true"},
      {"items.map(name, name)[0] + name", "\"aGrüße\""},
      {"items.exists_one(i, i == 'a')", "true"},
      {"[1, 'x', 3].includes(1)", "true"},
      {"[1, 'x', 3].includes(3)", "true"},
      {"exit_code > 2 ? 'many' : 'few'", "\"many\""},
      {"false ? 1 : false ? 2 : 3", "3"},
      {"0x1F + 1", "32"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"-7 / 2 * 2 + -7 % 2", "-7"},
      {"1.5e1 / 4.0 + .25", "4"},
      {"r'a\\d' + '\\x41\\u00e9\\101' + \"\"\"b\"c\"\"\"", "\"a\\\\dAéAb\\\"c\""},
      {"bool('true') && !bool('0')", "true"},
      {"type(1.5) + type([]) + type({}) + type(null)", "\"doublelistmapnull\""},
      {"1 + // a comment\n 2", "3"},
      {"has({'a-b': 1}['a-b'])", "true"},
      {"has(unknown.a.b) || has(build.exit_code.x.y)", "false"},
      {"unknown == 1 || failure", "true"},
      {"unknown == 1 && success", "false"},
      {"items.exists(i, i < 1 || i == 'b')", "true"},
      {"items.all(i, int(i) == 1 && i == 'c')", "false"},
  };
  for (const auto& [text, expected] : cases)
    BOOST_TEST(result_of(text) == expected, text << " gave " << result_of(text));
}

BOOST_AUTO_TEST_CASE(mistakes_with_values_say_which_values) {
  const std::pair<const char*, const char*> cases[] = {
      {"1 + '1'", "2: the int 1 and the string \"1\" cannot be combined with +; string(...) makes a text"},
      {"count * 2",
       "6: the string \"12\" and the int 2 cannot be combined with *; int(...) converts a text to a number"},
      {"1 + 1.5", "2: the int 1 and the double 1.5 cannot be combined with +; double(...) makes a double"},
      {"5.0 % 2.0", "4: the double 5 and the double 2 cannot be combined with %; % needs two ints"},
      {"1 / 0", "2: 1 / 0 divides by zero"},
      {"1 % 0", "2: 1 % 0 divides by zero"},
      {"9223372036854775807 + 1", "20: 9223372036854775807 + 1 does not fit into 64 bits"},
      {"9223372036854775808", "0: the number 9223372036854775808 does not fit"},
      {"-9223372036854775809", "1: the number 9223372036854775809 does not fit"},
      {"items == 1", "6: a list and the int 1 cannot be compared with =="},
      {"[1] == ['1']", "4: the int 1 and the string \"1\" cannot be compared"},
      {"[1, 'x', 3].includes('y')", "12: the string \"y\" and the int 1 cannot be compared"},
      {"'a' in 'abc'",
       "4: 'in' needs a list or a map after it, but got the string \"abc\"; to look for a part of a text"},
      {"1 in {'a': 1}", "2: the keys of a map are strings, but got the int 1"},
      {"items.contains('a')", "6: 'contains' needs a string before the '.', but got a list; to look for an element"},
      {"{1: 2}", "1: the keys of a map are texts in quotes, not \"1\""},
      {"{'a': 1, 'a': 2}", "9: the key \"a\" occurs twice"},
      {"{'a' 1}", "5: a ':' is missing here"},
      {"{'a': 1", "0: this '{' is never closed"},
      {"[1, 2", "0: this '[' is never closed"},
      {"1 ? 2 : 3", "0: a bool is needed before '?', but this is the int 1"},
      {"true ? 2", "8: a ':' is missing here"},
      {"items.map(1, 2)", "10: 'map' takes a name and an expression"},
      {"items.filter(i)", "13: 'filter' takes a name and an expression"},
      {"items.exists(i, i)", "16: exists needs a bool for each element, but got the string \"a\""},
      {"name.all(i, true)", "5: all goes through a list, but got the string"},
      {"build.matches(1 + 1)", "16: 'matches' needs a string, but got the int 2"},
      {"build.matches('(' + '')", "18: \"(\" is not a regular expression: missing )"},
      {"exit_code.matches('x')", "10: 'matches' needs a string before"},
      {"matches(1, 'x')", "0: 'matches' needs a string, but got the int 1"},
      {"has(build)", "0: has(...) takes one field, as in"},
      {"has(exit_code.a)", "14: the int 3 has no fields"},
      {"bool('yes')", "0: bool() cannot make a bool from the string \"yes\""},
      {"int(1e19)", "0: int() cannot make a number from the double 1"},
      {"5u", "0: there are no unsigned numbers"},
      {"b'a'", "0: byte strings are not supported"},
      {"'\\ud800'", "1: no character has the number in this escape"},
      {"'\\x4'", "1: this escape needs 2 hexadecimal digits"},
      {"'''a''", "0: this text has no closing quote"},
      {"'a\\", "0: this text has no closing quote"},
      {"sice(1)", "0: there is no function 'sice'; did you mean 'size'?"},
      {"1 and 2", "2: \"and\" is written && here"},
      {"'x' && success", "0: '&&' needs bools, but got the string"},
  };
  for (const auto& [text, expected] : cases) {
    BOOST_TEST(result_of(text).starts_with(expected), text << " gave " << result_of(text));
  }
}

BOOST_AUTO_TEST_CASE(no_expression_takes_long) {
  std::string thousand = "[0";
  for (int i = 1; i < 1100; ++i) thousand += "," + std::to_string(i);
  thousand += "]";
  std::string doubled = "[name]";
  for (int i = 0; i < 60; ++i) doubled += ".map(a, [a, a])";
  std::string joined = "'" + std::string(4000, 'x') + "'";
  for (int i = 0; i < 40; ++i) joined = "[" + joined + "].map(a, a + a)[0]";
  // A bound of steps bounds the time only if no step is slow. So each of these is compared with the first one, whose
  // steps are simple.
  double simple = 0;
  for (const std::string& text : {
           thousand + ".all(a, " + thousand + ".all(b, a + b >= 0))",
           thousand + ".map(a, " + thousand + ".map(b, b))",
           thousand + ".exists(a, " + thousand + ".exists(b, a == b + 5000)) || true",
           thousand + ".map(a, string(" + thousand + ")) == []",
           doubled + ".size() > 1",
           joined + ".size() > 1",
           thousand + ".all(a, !''.matches(string(a) + '((x{30}){30})'))",
           thousand + ".all(a, has(missing.a) || ''.matches(string(a) + '(\\\\pL{30}){30}') || true)",
       }) {
    std::string result;
    const double took = processor_time([&] { result = result_of(text); });
    if (simple == 0) simple = took;
    BOOST_TEST(result.find("takes more than 1000000 steps") != std::string::npos, text.substr(text.size() - 60)
                                                                                      << " gave " << result);
    BOOST_TEST(took < 20 * simple, text.substr(text.size() - 60) << " took " << took << " s, and " << simple
                                                                 << " s is usual; without a bound it is hours");
  }
  const std::string result =
      result_of("['" + std::string(8000, 'x') + "'].map(a, a + a + a + a)[0].matches(r'\\pL{20}y')");
  BOOST_TEST(result.find("too much for this pattern") != std::string::npos, result);
}

BOOST_AUTO_TEST_CASE(the_variables_of_macros_are_not_names_and_has_makes_names_optional) {
  const auto names_of = [](const std::string& text) {
    const auto parsed = parse_expression(text);
    std::string out;
    for (const NameUse& use : std::get<Expression>(parsed).names) {
      out += use.name + (use.field.empty() ? "" : "." + use.field) + (use.optional ? "? " : " ");
    }
    return out;
  };
  BOOST_TEST(names_of("a.exists(x, x == y) && x") == "a y x ");
  BOOST_TEST(names_of("a.map(x, b.filter(y, x != y && z)).size() > y") == "a b z y ");
  BOOST_TEST(names_of("has(a.b) && has(a.b.c) && has(a['b']) && a.b") == "a.b? a.b? a? a.b ");
  BOOST_TEST(names_of("a ? b.c : d[e]") == "a b.c d e ");
}

}  // namespace expression_values_test
