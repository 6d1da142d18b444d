// The text that a command becomes, without a shell that runs it: what is inserted for a value, what is wrong with a
// value, and which shell gets the command, with which options.

#include "quoting_support.h"
#include "values_scope.h"

namespace command_text_test {

using namespace wtool::host;
using namespace wtool::test;
using expressions::Value;

namespace {

using Scope = ValuesScope;

// The command, or "OFFSET: MESSAGE".
std::string text_of(const std::string& text, const std::string& x, const std::string& y = "") {
  const auto rendered = workflow::render_command(parsed_command(text), Scope({{"x", Value(x)}, {"y", Value(y)}}));
  if (const auto* error = std::get_if<expressions::ExpressionError>(&rendered)) {
    return std::to_string(error->offset) + ": " + error->message;
  }
  return std::get<std::string>(rendered);
}

std::string diagnostics_of(const std::string& text) {
  workflow::Diagnostics diagnostics;
  const bool good = workflow::check_command(parsed_command(text), diagnostics);
  BOOST_TEST(good == diagnostics.empty());
  return diagnostics.text(workflow::Source("", text));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_value_is_quoted_for_its_place) {
  BOOST_TEST(text_of("a ${x} b", "it's") == "a 'it'\\''s' b");
  BOOST_TEST(text_of("a '${x}' b", "it's") == "a 'it'\\''s' b");
  BOOST_TEST(text_of("a \"${x}\" b", "\"$`\\'") == "a \"\\\"\\$\\`\\\\'\" b");
  BOOST_TEST(text_of("a \"$v${x}\" b", "w") == "a \"$v\"'w'\"\" b");
  BOOST_TEST(text_of("cat <<E\n${x}\nE\n", "\"$`\\") == "cat <<E\n\"\\$\\`\\\\\nE\n");
  BOOST_TEST(text_of("echo $((${x}))", "7") == "echo $((7))");
  BOOST_TEST(text_of("echo $((${x}))", "-7") == "echo $(((-7)))");
  BOOST_TEST(text_of("[[ ${x} -eq 1 ]]", "-7") == "[[ -7 -eq 1 ]]");
  BOOST_TEST(text_of("sh -c {{ x | shell_quote }}", "a b") == "sh -c 'a b'");
  BOOST_TEST(text_of("sh -c '{{ x | shell_quote }}'", "a b") == "sh -c ''\\''a b'\\'''");
  BOOST_TEST(text_of("sh -c \"{{ x | shell_quote }}\"", "$a") == "sh -c \"'\\$a'\"");
  BOOST_TEST(text_of("${x}${y}", "a", "b") == "'a''b'");
  BOOST_TEST(text_of("{{ x | raw }} `{{ x | raw }}`", "$a") == "$a `$a`");
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_value_is_said_with_its_placeholder) {
  BOOST_TEST(text_of("cat ${y} ${x}", std::string("a\0b", 3)) ==
             "9: the value of ${x} has a NUL byte, which no command line can contain");
  for (const char* number : {"0", "-1", "1234567890123456789", "-1234567890123456789"}) {
    BOOST_TEST(text_of("[[ ${x} -eq 1 ]]", number) == "[[ " + std::string(number) + " -eq 1 ]]");
  }
  for (const char* other : {"12345678901234567890", "-12345678901234567890", "", "-", "--1", "+1", "1a", "a1"}) {
    BOOST_TEST(text_of("echo $((${x}))", other) == "8: the value of ${x}, " + expressions::quoted_for_message(other) +
                                                       ", is used in shell arithmetic and is not a whole number");
    BOOST_TEST(text_of("[[ ${x} -eq 1 ]]", other).starts_with("3: the value of ${x}, "));
  }
  BOOST_TEST(text_of("echo `${x}`", "a").starts_with("6: ${x} cannot be put here: it is between backticks"));
}

BOOST_AUTO_TEST_CASE(what_a_here_document_would_change_is_an_error) {
  const std::string tab = "has a line that begins with a tab, which <<- would remove; write << instead";
  const std::string prefix = "the value of ${x} ";
  for (const char* text : {"cat <<-E\n${x}\n\tE\n", "cat <<-E\n\t${x}\nE\n", "cat <<-E\n\t\t${x}\nE\n",
                           "cat <<A <<-E\na\nA\n${x}\nE\n", "cat <<-E\n$(echo '\n${x}')\nE\n"}) {
    BOOST_TEST(text_of(text, "\ta").ends_with(prefix + tab), text);
    BOOST_TEST(text_of(text, "a\n\tb").ends_with(prefix + tab), text);
    BOOST_TEST(text_of(text, "a\tb").starts_with("cat"), text);
    BOOST_TEST(text_of(text, " \tb").starts_with("cat"), text);
  }
  BOOST_TEST(text_of("cat <<-E\na${x}\nE\n", "\ta") == "cat <<-E\na\ta\nE\n");
  BOOST_TEST(text_of("cat <<-E\na\t${x}\nE\n", "\ta") == "cat <<-E\na\t\ta\nE\n");
  BOOST_TEST(text_of("cat <<-E\na${x}\nE\n", "b\n\tc").ends_with(tab));
  BOOST_TEST(text_of("cat <<E\n${x}\nE\n", "\ta\n\tb") == "cat <<E\n\ta\n\tb\nE\n");
  // Inside $( ), some shells join a line that ends with a backslash to the next.
  for (const char* text : {"cat <<E\n$(echo ${x})\nE\n", "cat <<E\n$(echo '${x}')\nE\n"}) {
    BOOST_TEST(text_of(text, "a\\\nb").find(prefix + "has a line that ends with a backslash") != std::string::npos);
    BOOST_TEST(text_of(text, "a\\b\n").starts_with("cat"));
  }
  BOOST_TEST(text_of("cat <<E\n${x}\nE\n", "a\\\nb") == "cat <<E\na\\\\\nb\nE\n");
}

BOOST_AUTO_TEST_CASE(a_line_with_a_value_cannot_be_a_delimiter) {
  const auto ends_it = [](const std::string& text, const std::string& x, const std::string& y = "") {
    return text_of(text, x, y).find("which would end the here-document") != std::string::npos;
  };
  for (const char* value : {"E", "E\na", "a\nE", "a\nE\nb", "\nE", "E\n"}) {
    BOOST_TEST(ends_it("cat <<E\n${x}\nE\n", value));
    BOOST_TEST(!ends_it("cat <<F\n${x}\nF\n", value));
  }
  for (const char* value : {"", " E", "E ", "EE", "a\nE b\nc", "\tE"}) {
    BOOST_TEST(!ends_it("cat <<E\n${x}\nE\n", value));
  }
  BOOST_TEST(ends_it("cat <<EF\n${x}F\nEF\n", "E"));
  BOOST_TEST(ends_it("cat <<EF\nE${x}\nEF\n", "F"));
  BOOST_TEST(ends_it("cat <<EF\n${x}${y}\nEF\n", "E", "F"));
  BOOST_TEST(ends_it("cat <<E\na ${x}\n${y}\nE\n", "b", "E"));
  BOOST_TEST(ends_it("cat <<E\n${x} ${y}\nE\n", "b", "a\nE"));
  BOOST_TEST(ends_it("cat <<A <<B\n${x}\nA\n${y}\nB\n", "", "B"));
  BOOST_TEST(!ends_it("cat <<A <<B\n${x}\nA\n${y}\nB\n", "B", "A"));
  BOOST_TEST(ends_it("cat <<A\n$(cat <<B\n${x}\nB\n)\nA\n", "B"));
  BOOST_TEST(ends_it("cat <<A\n$(cat <<B\n${x}\nB\n)\nA\n", "A"));
  BOOST_TEST(ends_it("cat <<-E\na\n\t${x}\nE\n", "E"));
  BOOST_TEST(!ends_it("cat <<E\na\n\t${x}\nE\n", "E"));
  BOOST_TEST(text_of("cat <<E\n${x}\nE\n", "E") ==
             "8: the value of ${x} makes a line 'E', which would end the here-document; choose another delimiter");
}

BOOST_AUTO_TEST_CASE(a_command_that_is_too_long_names_its_largest_value) {
  const std::string full(workflow::max_command - 4 - 4, 'x');  // without `cat `, two quotes each and the blank
  BOOST_TEST(text_of("cat ${x}${y}", full).size() == workflow::max_command);
  const std::string ending =
      " bytes); pass it in a file: the outcome of a step has the fields stdout_file and stderr_file";
  BOOST_TEST(
      text_of("cat ${x}${y}", full + "x") ==
      "4: the command is 102401 bytes long with its values; at most 102400 can be passed to a shell. The largest "
      "value is that of ${x} (102393" +
          ending);
  BOOST_TEST(text_of("cat ${x}${y}", "a", full + "x").starts_with("8: "));
  BOOST_TEST(text_of("cat ${x}${y}", full, full).starts_with("4: "));
  const std::string loop = "{% for v in [1, 2] %}" + std::string(60'000, 'a') + "{% endfor %}";
  BOOST_TEST(text_of(loop, "") ==
             "0: the command is 120000 bytes long with its values; at most 102400 can be passed to a shell");
  const std::string most(workflow::max_command, 'a');
  BOOST_TEST(diagnostics_of(most).empty());
  BOOST_TEST(
      diagnostics_of(most + "a").find("102401 bytes long; at most 102400 can be passed to a shell; put it into") !=
      std::string::npos);
  BOOST_TEST(diagnostics_of(most + " ${x}").find("102401 bytes long, even without its values; at most") !=
             std::string::npos);
  BOOST_TEST(diagnostics_of("{% if x %}" + most + "{% endif %}a").empty());
}

BOOST_AUTO_TEST_CASE(a_placeholder_at_a_refused_place_is_reported_where_it_is) {
  BOOST_TEST(diagnostics_of("echo ${x}").empty());
  BOOST_TEST(diagnostics_of("echo `{{ x | raw }}`").empty());
  const std::string two = diagnostics_of("echo ${x} `${x}` ${x} # ${y}");
  BOOST_TEST(two.find("1:12: error: ${x} cannot be put here: it is between backticks") != std::string::npos, two);
  BOOST_TEST(two.find("1:25: error: ${y} cannot be put here: it is in a comment") != std::string::npos, two);
}

BOOST_AUTO_TEST_CASE(words_stand_for_values_where_only_the_syntax_matters) {
  const auto words = [](const std::string& text) {
    return workflow::command_with_words(parsed_command(text)).value_or("nothing");
  };
  BOOST_TEST(words("echo ${x} '${y}' $((${x}))") == "echo '1' '1' $((1))");
  BOOST_TEST(words("echo") == "echo");
  BOOST_TEST(words("echo {{ x | raw }}") == "nothing");
  BOOST_TEST(words("echo `${x}`") == "nothing");
  BOOST_TEST(words("{% if x %}echo{% endif %}") == "nothing");
}

BOOST_AUTO_TEST_CASE(the_shell_and_its_first_line_come_from_the_action_or_else_from_the_workflow) {
  workflow::ShellAction action;
  workflow::Workflow flow;
  BOOST_TEST(workflow::shell_of(action, flow).empty());
  BOOST_TEST(workflow::first_line_of(action, flow).empty());
  action.is_block = true;
  BOOST_TEST(workflow::first_line_of(action, flow) == "set -e\n");
  flow.shell.name = "bash";
  BOOST_TEST(workflow::shell_of(action, flow) == "bash");
  BOOST_TEST(workflow::first_line_of(action, flow) == "set -eo pipefail\n");
  action.shell.name = "sh";
  BOOST_TEST(workflow::shell_of(action, flow) == "sh");
  BOOST_TEST(workflow::first_line_of(action, flow) == "set -e\n");
  flow.shell_options = "-u";
  BOOST_TEST(workflow::first_line_of(action, flow) == "set -u\n");
  flow.shell_options = "";
  BOOST_TEST(workflow::first_line_of(action, flow).empty());
  action.shell_options = "-x";
  BOOST_TEST(workflow::first_line_of(action, flow) == "set -x\n");
  action.is_block = false;
  BOOST_TEST(workflow::first_line_of(action, flow) == "set -x\n");
  action.shell_options = "";
  BOOST_TEST(workflow::first_line_of(action, flow).empty());
}

BOOST_AUTO_TEST_CASE(a_shell_is_a_known_name_or_an_absolute_path) {
  for (const char* shell : {"sh", "bash", "/bin/dash", "/b", "/bin/my shell", "/bin/\x7f"}) {
    BOOST_TEST(workflow::problem_of_shell(shell).empty(), shell);
  }
  for (const char* shell : {"", "/", "dash", "bin/dash", "/bin/a\nb", "/bin/a\x1f"}) {
    BOOST_TEST(workflow::problem_of_shell(shell) ==
               "a shell must be sh, bash or an absolute path such as /bin/dash; this is " +
                   expressions::quoted_for_message(shell));
  }
}

BOOST_AUTO_TEST_CASE(shell_options_are_those_that_set_takes) {
  const std::pair<const char*, const char*> good[] = {
      {"", ""},
      {"none", ""},
      {"-e", "-e"},
      {"+e", "+e"},
      {" -eu  +x ", "-eu +x"},
      {"-abefhuvxBCEHPT", "-abefhuvxBCEHPT"},
      {"-o pipefail", "-o pipefail"},
      {"+o posix", "+o posix"},
      {"-e -o pipefail -u", "-e -o pipefail -u"},
      {"-eo pipefail", "-eo pipefail"},
      {"-o allexport -o braceexpand", "-o allexport -o braceexpand"},
  };
  for (const auto& [written, expected] : good) {
    std::string options = "left over";
    BOOST_TEST(workflow::read_shell_options(written, options).empty(), written);
    BOOST_TEST(options == expected);
  }
  const std::pair<const char*, const char*> bad[] = {
      {"-n", "-n"},
      {"-s", "-s"},
      {"-t", "-t"},
      {"-", "-"},
      {"e", "e"},
      {"-e none", "none"},
      {"-oe", "-oe"},
      {"-oe pipefail", "-oe"},
      {"-ooo", "-ooo"},
      {"-o", "-o"},
      {"-o bogus", "-o bogus"},
      {"-o pipe", "-o pipe"},
      {"-o -e", "-o -e"},
      {"--posix", "--posix"},
      {"-eo", "-eo"},
      {"-e -o pipefail x", "x"},
  };
  for (const auto& [written, named] : bad) {
    std::string options;
    BOOST_TEST(
        workflow::read_shell_options(written, options) ==
            "shell_options must be options of the shell's `set`, such as \"-eu\" or \"-e -o pipefail\", or `none`; " +
                expressions::quoted_for_message(named) + " is not such an option",
        written);
  }
}

}  // namespace command_text_test
