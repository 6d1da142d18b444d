// Values in commands, checked with real shells: a program must get the value byte for byte, wherever the placeholder
// is; and nothing in a value may ever run.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <random>

#include "quoting_support.h"
#include "workflow/quoting/command_template.h"

namespace quoting_test {

using namespace wtool::host;
using namespace wtool::test;
using expressions::Value;

namespace {

class OneValue final : public expressions::Scope {
 public:
  explicit OneValue(std::string value) : value_(std::move(value)) {}
  const Value* find(std::string_view name) const override { return name == "x" ? &value_ : nullptr; }
  std::string why_not(std::string_view name) const override { return "no " + std::string(name); }

 private:
  Value value_;
};

// Each command prints the value and nothing else.
const char* const places[] = {
    "printf %s ${x}",
    "printf %s \"${x}\"",
    "printf %s '${x}'",
    "printf %s\"\" ${x}''\"\"",
    "v=${x}; printf %s \"$v\"",
    "v=\"${x}\"; printf %s \"$v\"",
    "v='${x}' sh -c 'printf %s \"$v\"'",
    "printf %s {{ x }} # it's a \"comment",
    "# it's\nprintf %s ${x}",
    "(printf %s ${x})",
    "{ printf %s ${x}; }",
    "if true; then printf %s ${x}; fi",
    "printf %s%s '' ${x}|cat",
    "case a in a) printf %s ${x};; esac",
    "case ${x} in ${x}) printf %s \"${x}\";; *) echo wrong;; esac",
    "for v in ${x}; do printf %s \"$v\"; done",
    "f() { printf %s \"$1\"; }; f ${x}",
    "printf %s \"$(printf %s. ${x})\" | sed '$s/\\.$//'",
    "v=\"$(printf '%s.' \"${x}\")\"; printf %s \"$${v%.}\"",
    "v=$(printf '%s.' '${x}'); printf %s \"$${v%.}\"",
    "v=\"$(printf '%s\\n' \"$(printf '%s' ${x}).\")\"; printf %s \"$${v%.}\"",
    "v=$( (printf %s. ${x}) ); printf %s \"$${v%.}\"",
    "n=$((1 + 2)); printf %s ${x}",
    "n=`echo \"it's\"`; printf %s ${x}",
    "v=z; printf %s \"$v${x}\" | sed '1s/^z//'",
    "n=$#; printf %s ${x}",
    "n=\"$$\"; printf %s ${x}",
    "echo \\' \\\" \\` >/dev/null; printf %s ${x}",
    "echo \"\\\" \\` \\$(x)\" >/dev/null; printf %s ${x}",
    "n=$${HOME##*/}; printf %s ${x}",
    "set -- ${x}; printf %s \"$1\"",
    "printf %s ${x} 2>&1 </dev/null",
    "cat <<'END' >/dev/null\nit's \"\nEND\nprintf %s ${x}",
    "cat <<END >/dev/null\nit's \" $(echo \"a ' b\" | cat)\nEND\nprintf %s ${x}",
    "cat <<A >/dev/null <<-B\nit's\nA\n\tx\"\n\tB\nprintf %s \"${x}\"",
    "sh -c \"printf %s {{ x | shell_quote }}\"",
    "sh -c 'printf %s {{ x | shell_quote }}'",
    "printf %s {{ x | shell_quote }}",
    "eval \"printf %s {{ x | shell_quote }}\"",
};

// These print the value and then a newline, as a here-document does. The one with `echo .` prints a dot between them.
const char* const here_places[] = {
    "cat <<END_OF_IT\n${x}\nEND_OF_IT\n",
    "cat <<-END_OF_IT\n${x}\n\tEND_OF_IT\n",
    "{ cat; } <<END_OF_IT; true\n${x}\nEND_OF_IT\ntrue",
    "cat <<END_OF_IT\n$(printf '%s' ${x}; echo .)\nEND_OF_IT\n",
    "(cat <<END_OF_IT\n{{ x }}\nEND_OF_IT\n)",
};

const std::vector<std::string>& nasty_values() {
  static const std::vector<std::string> values = {"",
                                                  " ",
                                                  "a",
                                                  "a b",
                                                  "  two  blanks  ",
                                                  "'",
                                                  "\"",
                                                  "\\",
                                                  "`",
                                                  "$",
                                                  "$$",
                                                  "!",
                                                  "#",
                                                  "# x",
                                                  "~",
                                                  "*",
                                                  "?",
                                                  "[a]",
                                                  "{a,b}",
                                                  "-n",
                                                  "--",
                                                  "-e x",
                                                  "$(touch PWNED)",
                                                  "`touch PWNED`",
                                                  "'; touch PWNED; '",
                                                  "\"; touch PWNED; \"",
                                                  "'\"'\"'",
                                                  "\\'; touch PWNED #",
                                                  "\\\"; touch PWNED #",
                                                  "a\nb",
                                                  "a\n\nb",
                                                  "\na",
                                                  "x\n; touch PWNED",
                                                  "$HOME",
                                                  "${HOME}",
                                                  "${x}",
                                                  "$((1+1))",
                                                  "a\\nb",
                                                  "\\\\",
                                                  "a\\",
                                                  "%s%d",
                                                  "a\tb",
                                                  "\r",
                                                  "\x01\x7f",
                                                  "Grüße 漢字",
                                                  "&& touch PWNED",
                                                  "| touch PWNED",
                                                  "> PWNED",
                                                  "& touch PWNED &",
                                                  "; touch PWNED",
                                                  "<<END",
                                                  "END_OF_IT x",
                                                  "!!",
                                                  "$'a'",
                                                  "$\"a\"",
                                                  "a'b\"c`d$e\\f",
                                                  ")",
                                                  "(",
                                                  "))",
                                                  "}",
                                                  "{",
                                                  "(touch PWNED)",
                                                  ";;",
                                                  "esac",
                                                  "\\$(touch PWNED)",
                                                  "a\\\nb",
                                                  "*/",
                                                  "$1",
                                                  "$@",
                                                  "$#",
                                                  "$?",
                                                  "'\\''",
                                                  "\\`touch PWNED\\`"};
  return values;
}

// No value ends with a newline, because some places lose trailing newlines ($(...)).
std::vector<std::string> random_values(std::size_t count) {
  static const std::string alphabet = "'\"\\`$(){}[]<>|&;#!*?~= \n\tab1-%^";
  std::mt19937 random(20240817);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < count; ++i) {
    std::string value;
    const std::size_t size = random() % 14;
    for (std::size_t k = 0; k < size; ++k) value += alphabet[random() % alphabet.size()];
    values.push_back(value + "e");
  }
  return values;
}

// Each value at the place, in one shell. The values arrive with `end` behind them.
void check(const char* shell, const std::string& place, const std::vector<std::string>& values, const std::string& end,
           const std::filesystem::path& files) {
  const workflow::CommandText command = parsed_command(place);
  std::vector<std::string> texts;
  std::vector<std::string> expected;
  for (const std::string& value : values) {
    const auto rendered = workflow::render_command(command, OneValue(value));
    if (const auto* error = std::get_if<expressions::ExpressionError>(&rendered)) {
      // What a here-document cannot carry is refused, and not changed in silence.
      const bool joined = place.find("<<END_OF_IT\n$(") != std::string::npos && value.find("\\\n") != std::string::npos;
      const bool stripped =
          place.find("<<-END_OF_IT") != std::string::npos && ("\n" + value).find("\n\t") != std::string::npos;
      if (!joined && !stripped) BOOST_ERROR(shell << " | " << place << " | " << value << ": " << error->message);
      continue;
    }
    texts.push_back(std::get<std::string>(rendered));
    expected.push_back(value + end);
  }
  const std::vector<std::string> outputs = outputs_of(shell, texts, files);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (outputs[i] != expected[i]) {
      BOOST_ERROR(shell << " | " << place << " | got " << outputs[i] << " for " << texts[i]);
    }
  }
}

// Each value in every `step`th place, which is another one for the next value.
void check_everywhere(const char* shell, const std::vector<std::string>& values, std::size_t step) {
  const InOwnDirectory files;
  // The values could do harm in the directory in which they run.
  const InOwnDirectory directory;
  std::size_t place_number = 0;
  const auto check_at = [&](const char* place, const std::string& end) {
    std::vector<std::string> some;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if ((i + place_number) % step == 0) some.push_back(values[i]);
    }
    ++place_number;
    check(shell, place, some, end, files.path);
  };
  for (const char* place : places) check_at(place, "");
  for (const char* place : here_places) {
    check_at(place, std::string(place).find("echo .") == std::string::npos ? "\n" : ".\n");
  }
  BOOST_TEST(std::filesystem::is_empty(directory.path), "a value was run");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quoting)

// All shells get the same text. So one of them reads every value in every place, and each of the others reads every value
// in a third of the places.
BOOST_AUTO_TEST_CASE(nasty_values_arrive_byte_for_byte_in_every_place) {
  for (const char* shell : shells()) check_everywhere(shell, nasty_values(), shell == shells().front() ? 1 : 3);
}

BOOST_AUTO_TEST_CASE(random_values_arrive_byte_for_byte) { check_everywhere("/bin/sh", random_values(12), 1); }

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(raw_is_inserted_as_it_is) {
  BOOST_TEST(std::get<std::string>(workflow::render_command(parsed_command("{{ x | raw }} # {{ x | raw }}"),
                                                            OneValue("echo $HOME"))) == "echo $HOME # echo $HOME");
}

BOOST_AUTO_TEST_CASE(arithmetic_takes_whole_numbers_only) {
  const auto command = parsed_command("echo $((${x} + 1))");
  BOOST_TEST(output_of("/bin/sh", std::get<std::string>(workflow::render_command(command, OneValue("41")))) == "42\n");
  BOOST_TEST(output_of("/bin/sh", std::get<std::string>(workflow::render_command(command, OneValue("-3")))) == "-2\n");
  for (const char* value : {"", "a", "1+1", "x[$(touch PWNED)]", "1 ", "0x10", "--1"}) {
    BOOST_TEST(
        std::holds_alternative<expressions::ExpressionError>(workflow::render_command(command, OneValue(value))));
  }
}

// bash evaluates some words after it has taken their quotes off: as a part of a[$(COMMAND)], a name or a number runs a
// command.
BOOST_FIXTURE_TEST_CASE(what_bash_evaluates_runs_no_value, InOwnDirectory) {
  const std::string value = "a[$(touch PWNED)]";
  const char* const evaluated[] = {"[[ ${x} -eq 1 ]]",
                                   "[[ 1 -lt ${x} ]]",
                                   "[[ \"${x}\" -gt 0 ]]",
                                   "[[ 0 -ne '${x}' ]]",
                                   "[[ a == b || ${x} -le 1 ]]",
                                   "if [[ ${x} -ge 1 ]]; then :; fi",
                                   "[[ -v ${x} ]]",
                                   "[ -v ${x} ]",
                                   "test -v \"${x}\"",
                                   "test \"-v\" ${x}",
                                   "let ${x}",
                                   "let \"n=${x}\"",
                                   "\\let ${x}",
                                   "'let' ${x}",
                                   "l\"e\"t ${x}",
                                   ">out let ${x}",
                                   "2>/dev/null let ${x}",
                                   "<<< 1 read ${x}",
                                   "read 0<&0 ${x}",
                                   "read 2>&1 ${x}",
                                   "read >&2 ${x}",
                                   "a=\"q\" let ${x}",
                                   "a='q' read ${x} <<< 1",
                                   "a=$HOME let ${x}",
                                   "a=$(date) read ${x} <<< 1",
                                   "a=`date` read ${x} <<< 1",
                                   "a+=1 let ${x}",
                                   "a[0]=1 read ${x} <<< 1",
                                   "command -p read ${x} <<< 1",
                                   "command -p printf -v ${x} 1",
                                   "builtin -- read ${x} <<< 1",
                                   "time -p let ${x}",
                                   "coproc let ${x}",
                                   "coproc X { read ${x}; }",
                                   "function f { let ${x}; }; f",
                                   "f() { local ${x}=1; }; f",
                                   "case y in y) let ${x};; esac",
                                   "[[ a == a &&\n${x} -eq 1 ]]",
                                   "[[ 1 -eq 2 ||\n-v ${x} ]]",
                                   "[[ ${x} \\\n -eq 1 ]]",
                                   "declare -i n=${x}",
                                   "declare \"-i\" n=${x}",
                                   "declare -n n=${x}",
                                   "declare ${x}",
                                   "declare -a a=\"(${x})\"",
                                   "a=([${x}]=1)",
                                   "typeset -i n=\"${x}\"",
                                   "printf -v ${x} 1",
                                   "printf -v${x} 1",
                                   "printf \"-v\" ${x} 1",
                                   "read ${x} <<< 1",
                                   "! read \"${x}\" <<< 1",
                                   "X=1 read ${x} <<< 1",
                                   "read -a ${x} <<< 1",
                                   "unset ${x}",
                                   "command unset ${x}",
                                   "export ${x}=1",
                                   "trap ${x} EXIT",
                                   "trap 'echo ${x}' EXIT",
                                   "echo $(let ${x})",
                                   "RANDOM=${x}",
                                   "export OPTIND=${x}",
                                   "wait -p ${x}",
                                   "compgen -W ${x}",
                                   "getopts ab ${x} -a"};
  for (const char* text : evaluated) {
    const auto command = parsed_command(text);
    workflow::Diagnostics diagnostics;
    check_command(command, diagnostics);
    const auto rendered = workflow::render_command(command, OneValue(value));
    BOOST_TEST((!diagnostics.empty() || std::holds_alternative<expressions::ExpressionError>(rendered)), text);
    if (const auto* line = std::get_if<std::string>(&rendered)) output_of("/bin/bash", *line);
    BOOST_TEST(std::filesystem::is_empty(path), text);
  }
  const std::pair<const char*, const char*> good[] = {
      {"[[ ${x} -eq -5 ]] && echo yes", "-5"},
      {"[[ ${x} == 'a b' ]] && echo yes", "a b"},
      {"[ ${x} -eq 7 ] && echo yes", "7"},
      {"read line <<< ${x}; [ \"$line\" = 'a b' ] && echo yes", "a b"},
      {"export n=${x}; [ \"$n\" = 'a b' ] && echo yes", "a b"},
      {"declare -r n=${x}; [ \"$n\" = 'a b' ] && echo yes", "a b"},
      {"echo read ${x} > /dev/null; echo yes", "a b"},
      {"[[ ( ${x} == 'a b' ) && 1 -lt 2 ]] && echo yes", "a b"},
      {"export \"n=${x}\"; [ \"$n\" = 'a b' ] && echo yes", "a b"},
      {"export 'n=${x}'; [ \"$n\" = 'a b' ] && echo yes", "a b"},
      {"export -n n=${x}; [ \"$n\" = 'a b' ] && echo yes", "a b"},
      {"f() { local \"n=${x}\"; [ \"$n\" = 'a b' ] && echo yes; }; f", "a b"},
      {"export PATH=\"${x}:$PATH\"; echo yes", "/a"},
      {"read -t 1 -d ${x} line <<< 'ab'; echo yes", "b"},
      {"read -p \"${x}? \" line <<< 1; echo yes", "a b"},
      {"getopts ab o ${x}; echo yes", "-a"},
      {"echo [[ 1 -eq ${x} ]] > /dev/null; echo yes", "a b"},
      {"a=(${x} 2); [ \"$a\" = 'a b' ] && echo yes", "a b"},
      {"grep -c ${x} <(echo 'a b') > /dev/null; echo yes", "a b"},
      {"true & wait ${x} 2> /dev/null; echo yes", "1"}};
  for (const auto& [text, given] : good) {
    const auto rendered = workflow::render_command(parsed_command(text), OneValue(given));
    const auto* line = std::get_if<std::string>(&rendered);
    BOOST_TEST_REQUIRE(line != nullptr, text);
    BOOST_TEST(output_of("/bin/bash", *line) == "yes\n", text);
  }
}

BOOST_AUTO_TEST_CASE(a_value_cannot_end_its_here_document) {
  const auto error = [](const std::string& place, const std::string& value) {
    const auto rendered = workflow::render_command(parsed_command(place), OneValue(value));
    return std::holds_alternative<expressions::ExpressionError>(rendered);
  };
  BOOST_TEST(error("cat <<END\n${x}\nEND\n", "a\nEND\ntouch PWNED"));
  BOOST_TEST(error("cat <<END\n${x}\nEND\n", "END"));
  BOOST_TEST(error("cat <<END\nE${x}\nEND\n", "ND"));
  BOOST_TEST(error("cat <<END\n${x}END\nEND\n", ""));
  BOOST_TEST(error("cat <<-END\n${x}\nEND\n", "\t\tEND"));
  BOOST_TEST(error("cat <<END\n$(printf %s ${x})\nEND\n", "a\nEND\ntouch PWNED"));
  BOOST_TEST(!error("cat <<END\n${x}\nEND\n", "\tEND"));
  BOOST_TEST(!error("cat <<END\n${x}\nEND\n", "a END"));
}

BOOST_AUTO_TEST_CASE(what_no_command_line_can_hold_is_an_error) {
  const auto message = [](const std::string& value) {
    const auto rendered = workflow::render_command(parsed_command("cat ${x}"), OneValue(value));
    const auto* error = std::get_if<expressions::ExpressionError>(&rendered);
    return error == nullptr ? "" : error->message;
  };
  BOOST_TEST(message(std::string("a\0b", 3)).find("NUL") != std::string::npos);
  BOOST_TEST(message(std::string(200'000, 'x')).find("${x} (200000 bytes)") != std::string::npos);
  BOOST_TEST(message(std::string(100'000, 'x')).empty());
}

}  // namespace quoting_test
