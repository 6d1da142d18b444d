// Values in commands that tags make, checked with the real shell: they arrive byte for byte, and none of them ever
// runs.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "quoting_support.h"
#include "values_scope.h"
#include "workflow/quoting/command_template.h"

namespace quoting_tags_test {

using namespace wtool::host;
using namespace wtool::test;
using expressions::Value;

namespace {

using Scope = ValuesScope;

const std::vector<std::string>& hostile() {
  static const std::vector<std::string> values = {"a b",
                                                  "$(touch PWNED)",
                                                  "`touch PWNED`",
                                                  "'; touch PWNED; '",
                                                  "\"; touch PWNED; \"",
                                                  "\\'; touch PWNED #",
                                                  "x\n; touch PWNED",
                                                  "{% raw %}",
                                                  "{% endfor %}$(touch PWNED)",
                                                  "{{ x }}${x}",
                                                  "$HOME",
                                                  "a\\",
                                                  "# x",
                                                  "-n",
                                                  ""};
  return values;
}

// The command, or the message of the error.
std::string command_of(const std::string& text, const Scope& scope) {
  const auto rendered = workflow::render_command(parsed_command(text), scope);
  if (const auto* error = std::get_if<expressions::ExpressionError>(&rendered)) return "error: " + error->message;
  return std::get<std::string>(rendered);
}

std::string diagnostics_at_check(const std::string& text) {
  workflow::Diagnostics diagnostics;
  workflow::check_command(parsed_command(text), diagnostics);
  return diagnostics.text(workflow::Source("", text));
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(quoting_tags, InOwnDirectory)

BOOST_AUTO_TEST_CASE(hostile_values_in_tests_and_loops_arrive_byte_for_byte) {
  // Each command prints all values, with a dot after each.
  const char* const commands[] = {
      "{% for v in all %}printf '%s.' ${v}\n{% endfor %}",
      "printf '%s.' {% for v in all %}{{ v }} {% endfor %}",
      "{% for v in all %}printf '%s.' \"${v}\";{% endfor %}",
      "printf %s \"{% for v in all %}${v}.{% endfor %}\"",
      "printf %s '{% for v in all %}${v}.{% endfor %}'",
      "{% for v in all %}{% if v %}printf %s. ${v}{% else %}printf .{% endif %};{% endfor %}",
      "{% for v in all %}{% if forloop.first or yes %}printf '%s.' '${v}'{% endif %}\n{% endfor %}",
      "{% for v in all %}printf %s {% if yes %}\"${v}\"{% else %}'${v}'{% endif %}.\n{% endfor %}",
      // A tag chooses the quote itself.
      "{% for v in all %}printf %s. {% if yes %}\"{% else %}'{% endif %}${v}{% if yes %}\"{% else %}'{% endif %};"
      "{% endfor %}",
      "{% for v in all %}printf %s. {% if no %}\"{% else %}'{% endif %}${v}{% if no %}\"{% else %}'{% endif %};"
      "{% endfor %}",
      "{% for v in all %}sh -c \"printf %s. {{ v | shell_quote }}\"\n{% endfor %}",
      "{% for v in all -%}\n  v=${v}; printf %s. \"$v\"\n{% endfor %}",
      "printf %s. {%- for v in all %} {% for w in [v] %}${w}{% endfor %}{% endfor %}",
  };
  expressions::List all;
  std::string expected;
  for (const std::string& value : hostile()) {
    all.emplace_back(value);
    expected += value + ".";
  }
  const Scope scope({{"all", Value(std::move(all))}, {"yes", Value(true)}, {"no", Value(false)}});
  for (const char* shell : shells()) {
    for (const char* text : commands) {
      const std::string command = command_of(text, scope);
      BOOST_TEST(output_of(shell, command) == expected, text << " became " << command);
    }
  }
  BOOST_TEST(std::filesystem::is_empty(path), "a value was run");
}

BOOST_AUTO_TEST_CASE(hostile_values_in_here_documents_of_loops_arrive_byte_for_byte) {
  for (const std::string& value : hostile()) {
    const Scope scope({{"all", Value(expressions::List{Value(value), Value("end")})}, {"yes", Value(true)}});
    const std::string expected = value + "\nend\n";
    for (const char* text :
         {"cat <<END_OF_IT\n{% for v in all %}${v}\n{% endfor %}END_OF_IT\n",
          "{% if yes %}cat <<END_OF_IT\n{% else %}cat <<'END_OF_IT'\n{% endif %}{% for v in all %}{{ v }}\n{% endfor %}"
          "END_OF_IT\n",
          "{% for v in all %}cat <<END_OF_IT\n${v}\nEND_OF_IT\n{% endfor %}"}) {
      const std::string command = command_of(text, scope);
      BOOST_TEST(output_of("/bin/sh", command) == expected, value << " in " << text << " became " << command);
    }
  }
  BOOST_TEST(std::filesystem::is_empty(path), "a value was run");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(a_value_of_a_loop_cannot_end_its_here_document) {
  const std::string text = "cat <<END\n{% for v in all %}${v}{% endfor %}\nEND\n";
  const auto command = [&](const std::vector<std::string>& values) {
    expressions::List list;
    for (const std::string& value : values) list.emplace_back(value);
    return command_of(text, Scope({{"all", Value(std::move(list))}}));
  };
  BOOST_TEST(command({"END"}).starts_with("error: the value of ${v} makes a line 'END'"));
  BOOST_TEST(command({"E", "N", "D"}).starts_with("error: the value of ${v} makes a line 'END'"));
  BOOST_TEST(command({"a", "b\nEND\n"}).starts_with("error: the value of ${v} makes a line 'END'"));
  BOOST_TEST(command({"a", "\nEND"}).starts_with("error: the value of ${v} makes a line 'END'"));
  BOOST_TEST(command({"E", "ND "}) == "cat <<END\nEND \nEND\n");
}

BOOST_AUTO_TEST_CASE(places_after_tags_are_checked_before_and_while_a_command_is_made) {
  BOOST_TEST(diagnostics_at_check("{% for v in all %}echo ${v}\n{% endfor %}").empty());
  BOOST_TEST(diagnostics_at_check("{% if yes %}echo `${v}`{% endif %}").find("1:19: error: ${v} cannot be put here") !=
             std::string::npos);
  BOOST_TEST(diagnostics_at_check("{% for v in all %}# ${v}{% endfor %}").find("in a comment") != std::string::npos);
  BOOST_TEST(diagnostics_at_check("{% if yes %}a{% else %}# ${v}{% endif %}").find("a# ") == std::string::npos);
  // If a place must be refused only because of the actual values, the refusal comes when the command is made.
  const Scope scope({{"v", Value("x")}, {"yes", Value(false)}, {"no", Value(false)}});
  BOOST_TEST(command_of("{% if yes %}echo {% endif %}# ${v}", scope).starts_with("error: ${v} cannot be put here"));
  BOOST_TEST(command_of("{% if no %}'{% endif %}`${v}`", scope).starts_with("error: ${v} cannot be put here"));
  BOOST_TEST(command_of("echo {% if no %}# {% endif %}${v}", scope) == "echo 'x'");
}

BOOST_AUTO_TEST_CASE(a_command_that_grows_too_long_says_so) {
  const std::string list = "[1,2,3,4,5,6,7,8,9,10]";
  std::string text;
  std::string end;
  for (int i = 0; i < 5; ++i) {
    text += "{% for v" + std::to_string(i) + " in " + list + " %}";
    end += "{% endfor %}";
  }
  BOOST_TEST(command_of(text + "echo ${v0}\n" + end, Scope({})).starts_with("error: the command is "));
  // Very many values in one line of a here-document are examined only once.
  BOOST_TEST(command_of("cat <<END\n" + text + "{{ '' }}" + end + "\nEND\n", Scope({})) == "cat <<END\n\nEND\n");
}

}  // namespace quoting_tags_test
