#include <boost/test/unit_test.hpp>

#include "workflow/quoting/quoting_context.h"

namespace places_test {

using namespace wtool::host;

namespace {

// One letter for the kind of each place: b (bare), d (double quotes), s (single quotes), h (here-document),
// a (arithmetic), n (number), R (refused). D: in double quotes, directly after a variable.
std::string letters_of(const std::vector<workflow::Place>& places) {
  std::string out;
  for (const workflow::Place& place : places) {
    out += place.after_variable ? 'D' : "bdshanR"[static_cast<int>(place.kind)];
    BOOST_TEST((place.kind == workflow::Place::Kind::refused) == !place.why.empty());
  }
  return out;
}

std::vector<workflow::Place> places_in(const std::string& text) {
  auto parsed = expressions::parse_template(text);
  BOOST_REQUIRE(std::holds_alternative<expressions::Template>(parsed));
  return workflow::find_places(std::get<expressions::Template>(parsed));
}

std::string places_of(const std::string& text) { return letters_of(places_in(text)); }

using Cases = std::vector<std::pair<std::string, std::string>>;

void check_places(const Cases& cases) {
  for (const auto& [text, expected] : cases) {
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(places_of(text) == expected); }
  }
}

// Each of these texts has one place, which is refused for this reason.
void check_reasons(const Cases& cases) {
  for (const auto& [text, reason] : cases) {
    BOOST_TEST_CONTEXT(text) {
      const auto places = places_in(text);
      BOOST_TEST(letters_of(places) == "R");
      if (places.size() == 1) BOOST_TEST(places[0].why == reason);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_place_of_a_placeholder_follows_from_the_shell_text_around_it) {
  check_places({
      {"${x}", "b"},
      {"a${x}b\"${x}\"'${x}'${x}", "bdsb"},
      {"\"a '${x}' b\"", "d"},
      {"'a \"${x}\" b'", "s"},
      {"\"$(cmd ${x} '${x}' \"${x}\")${x}\" ${x}", "bsddb"},
      {"echo \\\"${x} \\'${x}", "bb"},
      {"echo a#${x} b", "b"},
      {"echo a # ${x}", "R"},
      {"echo a;# ${x}\n${x}", "Rb"},
      {"`cmd ${x}` ${x}", "Rb"},
      {"\"`cmd \\` ${x}`${x}\"", "Rd"},
      {"$${v:-${x}}${x}", "Rb"},
      {"$((${x}+1)) ${x}", "ab"},
      {"$(( $(echo ${x}) )) ${x}", "bb"},
      {"\\${x}", "R"},
      {"\"\\${x}\"", "R"},
      {"\\\\${x}", "b"},
      {"cat <<E\n${x}\nE\n${x}", "hb"},
      {"cat <<E ${x}\n'${x}'\nE\n${x}", "bhb"},
      {"cat <<'E'\n${x}\nE\n${x}", "Rb"},
      {"cat <<\\E\n${x}\nE\n${x}", "Rb"},
      {"cat <<\"E\"\n${x}\nE\n${x}", "Rb"},
      {"cat <<E\na\\\n${x}\nE\n${x}", "Rb"},
      {"cat <<E\n$(echo ${x} '${x}')${x}\nE\n${x}", "bshb"},
      {"cat <<A <<B\n${x}\nA\n${x}\nB\n${x}", "hhb"},
      {"cat <<A <<'B'\n${x}\nA\n${x}\nB\n${x}", "hRb"},
      {"v=\"$(cat <<E\n${x}\nE\n)\" ${x}", "hb"},
      {"cat <<<${x} ${x}", "bb"},
      {"cat <<${x}\na\nE", "R"},
      // Where shells differ, or where the reading is in doubt, placeholders after that place are refused. `((1))` and
      // `$(echo in case)` are not in doubt.
      {"echo $'a\\'' ${x}", "R"},
      {"echo $[1] ${x}", "R"},
      {"((1)) && echo ${x}", "b"},
      {"((echo \"a\") ) ${x}", "R"},
      {"\"$${v:-'a'}\" ${x}", "R"},
      {"$(case a in a) echo;; esac) ${x}", "R"},
      {"$(echo in case) ${x}", "b"},
      {"cat <<E\n${x}", "R"},
      {"cat <<E \"\n\" ${x}\nE\n", "R"},
      {"a[${x}]=1", "R"},
      {"ls *[${x}]", "b"},
      {"${x}${x}\"${x}${x}\"", "bbdd"},
      {"'unclosed ${x}", "s"},
      {"\"$v${x}\"", "D"},
      {"cat <<E\n$v${x}\nE\n", "R"},
  });
}

BOOST_AUTO_TEST_CASE(what_a_builtin_of_bash_evaluates_is_refused) {
  Cases cases;
  for (const char* name : {"let", "trap", "unset", "mapfile", "readarray", "compgen", "complete", "declare", "typeset",
                           "local", "readonly", "export", "read"}) {
    cases.emplace_back(name + std::string(" ${x} \"${x}\" '${x}'\necho ${x}"), "RRRb");
    cases.emplace_back(name + std::string("s ${x}"), "b");
  }
  for (const char* name : {"RANDOM", "SECONDS", "OPTIND", "HISTCMD", "PS4", "BASH_ENV", "ENV", "PROMPT_COMMAND"}) {
    for (const char* before : {"", "declare ", "typeset ", "local ", "readonly ", "export "}) {
      cases.emplace_back(before + std::string(name) + "=${x}", "R");
    }
    cases.emplace_back(name + std::string("+=${x}"), "R");
    cases.emplace_back(name + std::string("[0]=${x}"), "R");
    cases.emplace_back(name + std::string("S=${x}"), "b");
    cases.emplace_back('"' + std::string(name) + "\"=${x}", "b");
    cases.emplace_back("echo \"" + std::string(name) + "=\"${x}", "b");
    cases.emplace_back("export \"" + std::string(name) + "=\"${x}", "R");
  }
  for (const char* name : {"declare", "typeset", "local", "readonly"}) {
    cases.emplace_back(name + std::string(" a=${x}"), "b");
    for (const char* flag : {"-i", "-n", "-a", "-A", "-ri"}) {
      cases.emplace_back(name + std::string(" ") + flag + " a=${x}", "R");
    }
    cases.emplace_back(name + std::string(" -r a=${x}"), "b");
  }
  for (const char* flag : {"-d", "-i", "-n", "-N", "-p", "-t"}) {
    cases.emplace_back(std::string("read ") + flag + " ${x}", "b");
    cases.emplace_back(std::string("read ") + flag + "${x}", "b");
  }
  check_places(cases);
  check_places({
      {"read -a ${x}", "R"},
      {"read d ${x}", "R"},
      {"export a=${x}", "b"},
      {"getopts ${x}", "b"},
      {"getopts ab ${x}", "R"},
      {"getopts ab o ${x}", "b"},
      {"wait ${x}", "b"},
      {"wait -n ${x}", "b"},
      {"wait -p ${x}", "R"},
      {"printf ${x}", "b"},
      {"printf a${x}", "b"},
      {"printf -v${x}", "R"},
      {"printf -v ${x}", "R"},
      {"echo -v${x}", "b"},
      {"echo -v ${x}", "b"},
      {"test -v ${x}", "R"},
      {"test -f ${x}", "b"},
      {"[ -v ${x} ]", "R"},
      {"[[ -v ${x} ]]", "R"},
      {"[[ -f ${x} ]]", "b"},
      {"[[ -f a ]] && echo -v ${x}", "b"},
      {"printf $v-v ${x}", "b"},
      // What an expansion yields is not known: it may be nothing, or the value of an option.
      {"declare $@RANDOM=${x}", "R"},
      {"declare $*RANDOM=${x}", "R"},
      {"declare $!RANDOM=${x}", "R"},
      {"declare $#RANDOM=${x}", "R"},
      {"declare $?RANDOM=${x}", "R"},
      {"read $-d${x}", "R"},
  });
  check_reasons({
      {"let ${x}", "bash evaluates this argument of let as code, as a name or as a number, so no value is safe here"},
      {"let '${x}'", "bash evaluates this argument of let as code, as a name or as a number, so no value is safe here"},
      {"[[ -v ${x} ]]",
       "bash evaluates this argument of [[ as code, as a name or as a number, so no value is safe here"},
      {"RANDOM=${x}", "bash evaluates this value as code, as a name or as a number, so no value is safe here"},
      {"$c RANDOM=${x}", "bash evaluates this value as code, as a name or as a number, so no value is safe here"},
  });
}

BOOST_AUTO_TEST_CASE(the_name_of_a_command_is_found_as_bash_finds_it) {
  Cases cases;
  for (const char* word : {"if", "then", "elif", "else", "while", "until", "do", "!", "{", "command", "builtin", "time",
                           "coproc", "A=1", "A+=1", "A[0]=1", "A=", "a_1=''"}) {
    cases.emplace_back(word + std::string(" let ${x}"), "R");
  }
  for (const char* word : {"if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "coproc"}) {
    cases.emplace_back('"' + std::string(word) + "\" let ${x}", "b");
  }
  // These are no assignments, but names of commands.
  for (const char* word : {"A", "1A=1", "A[0=1", "A[0]b=1", "\"A\"=1", "=1", "-p", "echo", "$c", "`c`", "\\A=1"}) {
    cases.emplace_back(word + std::string(" let ${x}"), "b");
  }
  check_places(cases);
  check_places({
      {"\"command\" let ${x}", "R"},
      {"command -p let ${x}", "R"},
      {"builtin -- let ${x}", "R"},
      {"time -p let ${x}", "R"},
      {"command -p echo let ${x}", "b"},
      {"function f { let ${x}; }", "R"},
      {"function f { echo ${x}; }", "b"},
      {"function f \"{\" let ${x}", "b"},
      {"coproc N { let ${x}; }", "R"},
      {"echo { let ${x}", "b"},
      {"'let' ${x}", "R"},
      {"\"let\" ${x}", "R"},
      {"\\let ${x}", "R"},
      {"l'e't ${x}", "R"},
      {"le\\\nt ${x}", "R"},
      {"let\\\n ${x}", "R"},
      {"\"$v\"let ${x}", "b"},
      {"\"$v let\" ${x}", "b"},
      {"\"`v`let\" ${x}", "b"},
      {"`v`let ${x}", "b"},
      {"${x}let ${x}", "bb"},
      {"'${x}'let ${x}", "sb"},
      {"\"${x}\"let ${x}", "db"},
      // What ends a command, and what does not.
      {"let a ${x}", "R"},
      {"let a\t${x}", "R"},
      {"let a; ${x}", "b"},
      {"let a\n${x}", "b"},
      {"let a & ${x}", "b"},
      {"let a | ${x}", "b"},
      {"let a) ${x}", "b"},
      {"let a && ${x} || let ${x}", "bR"},
      {"echo a;let ${x}", "R"},
      {"echo a|let ${x}", "R"},
      {"echo a&let ${x}", "R"},
      {"(let ${x})", "R"},
      {"let (a) ${x}", "b"},
      {"let $(a) ${x}", "R"},
      {"let <(a ${x}) ${x}", "bR"},
      {"let >(a ${x}) ${x}", "bR"},
      {"a <(let ${x}) ${x}", "Rb"},
      {"let <(a; (b) c) ${x}", "R"},
      {"declare < <(a) ${x}", "R"},
      {"declare a=(1 2) ${x}", "R"},
      {"a=([${x}]=1)", "R"},
      {"a=(1\n[${x}]=1)", "R"},
      {"a=(1\n2) let ${x}", "R"},
      {"(\n[${x}]=1)", "b"},
      // Redirections.
      {"let > ${x}", "b"},
      {"let > a ${x}", "R"},
      {"let >${x} ${x}", "bR"},
      {"> a let ${x}", "R"},
      {"> let echo ${x}", "b"},
      {"2>a let ${x}", "R"},
      {"12<a let ${x}", "R"},
      {"a2>a let ${x}", "b"},
      {"\"2\">a let ${x}", "b"},
      {"let 2>&1 ${x}", "R"},
      {"let >& ${x}", "b"},
      {"let <& ${x}", "b"},
      {"let &> ${x}", "b"},
      {"let &> a ${x}", "R"},
      {"let >| ${x}", "b"},
      {"let >| a ${x}", "R"},
      {"let <> ${x}", "b"},
      {"let <> a ${x}", "R"},
      {"let <<< ${x}", "b"},
      {"let <<< a ${x}", "R"},
      {"let <<E ${x}\nE\n", "R"},
      {"let <<E\nE\n${x}", "b"},
      {"cat <<E\nE\nlet ${x}", "R"},
      {"<<E let ${x}\nE\n", "R"},
      // Values in double quotes and substitutions belong to the command around the quotes, or inside $( ).
      {"let \"a ${x}\"", "R"},
      {"let \"$(echo ${x})\" ${x}", "bR"},
      {"echo \"$(let ${x})\" ${x}", "Rb"},
      {"let \"$((${x}))\"", "a"},
      {"let $((${x})) ${x}", "aR"},
  });
}

BOOST_AUTO_TEST_CASE(numbers_are_compared_only_in_double_brackets) {
  Cases cases;
  for (const char* word : {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}) {
    const std::string compares = word;
    cases.emplace_back("[[ ${x} " + compares + " 1 ]]", "n");
    cases.emplace_back("[[ 1 " + compares + " ${x} ]]", "n");
    cases.emplace_back("[ ${x} " + compares + " ${x} ]", "bb");
  }
  check_places(cases);
  check_places({
      {"[[ \"${x}\" -eq 1 ]]", "n"},
      {"[[ '${x}' -eq 1 ]]", "R"},
      {"[[ 1 -eq '${x}' ]]", "R"},
      {"[[ ${x}1 -eq 1 ]]", "n"},
      {"[[ ${x}\t-eq 1 ]]", "n"},
      {"[[ ${x} \\\n -eq 1 ]]", "n"},
      {"[[ ${x}\\\n -eq 1 ]]", "n"},
      {"[[ ${x} -eq", "n"},
      {"[[ ${x} -eq\t1 ]]", "n"},
      {"[[ ${x} -eqa 1 ]]", "b"},
      {"[[ ${x} == -eq ]]", "b"},
      {"[[ ${x};-eq 1 ]]", "b"},
      {"[[ a == b || ${x} -eq 1 ]]", "n"},
      {"[[ 1 -eq 1 && ${x} ]]", "b"},
      {"[[ 1 -eq\n${x} ]]", "b"},
      {"[[ a == b ]]; test 1 -eq ${x}", "b"},
      {"[[ a == \"]]\" || 1 -eq ${x} ]]", "n"},
      {"\"[[\" 1 -eq ${x} ]]", "b"},
      {"echo [[ 1 -eq ${x} ]]", "b"},
  });
}

BOOST_AUTO_TEST_CASE(quotes_and_dollars_around_a_placeholder_are_read_as_sh_reads_them) {
  check_places({
      {"\\\n${x}", "b"},
      {"\\${x}${x}", "Rb"},
      {"\"a\\\"${x}\" ${x}", "db"},
      {"\"\\\n${x}\" ${x}", "db"},
      {"\"\\\\\"${x}", "b"},
      {"\"$v${x}${x}\"", "Dd"},
      {"\"$v ${x}\"", "d"},
      {"\"$1${x}\"", "D"},
      {"\"$v-${x}\"", "d"},
      {"\"$#${x}$?${x}$!${x}$@${x}$*${x}$-${x}\"", "dddddd"},
      {"\"$$${v}${x}\"", "d"},
      {"$v${x}", "b"},
      {"\"$'\" ${x}", "b"},
      {"\"$[\" ${x}", "b"},
      {"$' ' ${x}", "R"},
      {"$${v} ${x}", "b"},
      {"$${v:-\"a\"} ${x}", "R"},
      {"$${v:-\\'} ${x}", "b"},
      {"$${v:-`a`} ${x}", "b"},
      {"$${v:-$(echo ${x})} ${x}", "bb"},
      {"`a ${x}", "R"},
      {"`a\\`b ${x}` ${x}", "Rb"},
      {"`a`${x}", "b"},
      {"`a${x}`", "R"},
      {"a\\#${x}", "b"},
      {"''# ${x}", "b"},
      {"# a\n${x}", "b"},
      {"# ${x}\n${x}", "Rb"},
      {"a\t# ${x}", "R"},
      {"a|# ${x}", "R"},
      {"(# ${x}\n${x})", "Rb"},
      {"a ${x}# ${x}", "bb"},
      {"a[${x}]=1", "R"},
      {"a_[1${x}]=1", "R"},
      {"1[${x}]=1", "R"},
      {"\"a\"[${x}]", "b"},
      {"$a[${x}]", "b"},
      {"[${x}]", "b"},
      {"-[${x}]", "b"},
      {"$( (echo ${x}) ; echo ${x}) ${x}", "bbb"},
      {"\"$( (a) )${x}\"", "d"},
      {"\"$(a)${x}\"", "d"},
      {"\"$(a ')' \")\" \\) )${x}\"", "d"},
      {"$(\"case\" a in b) ${x}", "b"},
      {"$(in ${x}) ${x}", "bb"},
      {"case a in a) echo ${x};; esac", "b"},
      {"((${x})) && echo ${x}", "ab"},
      {"((1)) ; (a) ${x}", "b"},
      {"$((1)) ${x}", "b"},
      {"$(((1)+${x})) ${x}", "ab"},
      {"$(((1) ) ${x}", "R"},
      {"$((1) ) ${x}", "R"},
      {"$((\"1\")) ${x}", "R"},
      {"$(('1')) ${x}", "R"},
      {"$((`1`)) ${x}", "R"},
      {"$((\\1)) ${x}", "R"},
      {"$((1))# ${x}", "R"},
      {"((1))# ${x}", "R"},
      {"$((1)) # ${x}", "R"},
      {"$((1\n+${x})) ${x}", "ab"},
      {"$(($(echo ')')+${x})) ${x}", "ab"},
      {"$((v${x})) ${x}", "ab"},
  });
  // A template cannot have a `$` directly before a placeholder, but its tags can make one.
  using workflow::find_places;
  BOOST_TEST(letters_of(find_places({"echo $", ""})) == "R");
  BOOST_TEST(letters_of(find_places({"echo $", "", ""})) == "Rb");
  BOOST_TEST(letters_of(find_places({"echo $$", ""})) == "b");
  BOOST_TEST(letters_of(find_places({"echo $$$", ""})) == "R");
  BOOST_TEST(letters_of(find_places({"echo \"$$", "\""})) == "d");
  BOOST_TEST(letters_of(find_places({"echo $$a$", ""})) == "R");
  BOOST_TEST(letters_of(find_places({"echo \\$$", ""})) == "R");
  BOOST_TEST(letters_of(find_places({"\"$v", "w", "\""})) == "Dd");
  BOOST_TEST(letters_of(find_places({"a\\", ""})) == "R");
  BOOST_TEST(find_places(std::vector<std::string>{"a"}).empty());
  BOOST_TEST(find_places(std::vector<std::string>{}).empty());
  for (const auto& [text, beginning] : Cases{
           {"\\${x}", "a backslash is directly before it"},
           {"# ${x}", "it is in a comment"},
           {"`${x}`", "it is between backticks"},
           {"$${v:-${x}}", "it is inside ${...} of the shell"},
           {"a[${x}]=1", "it is in the index of an array"},
           {"cat <<'E'\n${x}\nE\n", "it is in a here-document with a quoted delimiter"},
           {"cat <<'E'\n${x}", "a here-document that is not closed by a line E"},
           {"cat <<E\n$v${x}\nE\n", "it directly follows a shell variable"},
           {"cat <<E\n${x}a\\\nb\nE\n", "the here-document has a line that ends with a backslash"},
           {"cat <<${x}E\nE\n", "it is in the delimiter of a here-document"},
       }) {
    BOOST_TEST_CONTEXT(text) {
      const auto places = places_in(text);
      BOOST_TEST_REQUIRE(places.size() == 1U);
      BOOST_TEST(places[0].why.find(beginning) != std::string::npos, places[0].why);
    }
  }
}

BOOST_AUTO_TEST_CASE(here_documents_are_read_as_sh_reads_them) {
  check_places({
      {"cat << E\n${x}\nE\n${x}", "hb"},
      {"cat <<\tE\n${x}\nE\n${x}", "hb"},
      {"cat << \t E\n${x}\nE\n${x}", "hb"},
      {"cat <<-E\n\t${x}\n\t\tE\n${x}", "hb"},
      {"cat <<- E\n${x}\n\tE\n${x}", "hb"},
      {"cat <<E\n\tE\n${x}\nE\n${x}", "hb"},
      {"cat <<-E\n E\n${x}\nE\n${x}", "hb"},
      {"cat <<E\n${x}E\nE${x}\nE\n${x}", "hhb"},
      {"cat <<E\n${x}\nE \nE\n${x}", "hb"},
      {"cat <<E\nE\n${x}", "b"},
      {"cat <<E\nE\n# ${x}", "R"},
      {"cat <<E;${x}\nE\n", "b"},
      {"cat <<E>f\n${x}\nE\n${x}", "hb"},
      {"(cat <<E)\n${x}\nE\n${x}", "hb"},
      {"cat <<'E F'\n${x}\nE F\n${x}", "Rb"},
      {"cat <<\"E'\"\n${x}\nE'\n${x}", "Rb"},
      {"cat <<'E\"'\n${x}\nE\"\n${x}", "Rb"},
      {"cat <<E'F'\n${x}\nEF\n${x}", "Rb"},
      {"cat <<'E'F\n${x}\nEF\n${x}", "Rb"},
      {"cat <<\\E\\F\n${x}\nEF\n${x}", "Rb"},
      {"cat <<'E'\nE\n${x}", "b"},
      {"cat <<'E'\n${x}", "R"},
      {"cat <<'E\\F'\n${x}\nE\\F\n${x}", "Rb"},
      {"cat <<\"E\\F\"\n${x}\nE\\F\n${x}", "RR"},
      {"cat <<$E\n${x}\n$E\n${x}", "RR"},
      {"cat <<`E`\n${x}\n`E`\n${x}", "RR"},
      {"cat <<''\n${x}\n\n${x}", "RR"},
      {"cat <<\n${x}\n\n${x}", "RR"},
      {"cat <<E${x}\n${x}\nE\n", "RR"},
      {"cat <<E\n${x}", "R"},
      {"cat <<E\n${x}\na\\\nb\nE\n${x}", "Rb"},
      {"cat <<E\n${x}\na\\b\nE\n${x}", "hb"},
      {"cat <<E\n\\${x}\nE\n${x}", "Rb"},
      {"cat <<E\n\\\\${x}.\nE\n${x}", "hb"},
      {"cat <<E\n$v ${x}\nE\n${x}", "hb"},
      {"cat <<E\n'${x}' \"${x}\"\nE\n${x}", "hhb"},
      {"cat <<E\n$((${x}))\nE\n${x}", "ab"},
      {"cat <<E\n`${x}`\nE\n${x}", "Rb"},
      {"cat <<E\n$(echo 'a\nE\n${x}", "R"},
      {"cat <<E\n$(echo \"a\nE\n${x}", "R"},
      {"cat <<E\n$(echo a\nE\n${x}", "R"},
      {"cat <<A\n$(cat <<B\n${x}\nB\n)${x}\nA\n${x}", "hhb"},
      {"cat <<A; cat <<B\n${x}\nA\n${x}\nB\n${x}", "hhb"},
      // Where shells differ about the line on which the text begins.
      {"cat <<E '\n' ${x}\nE\n", "R"},
      {"cat <<E `\n` ${x}\nE\n", "R"},
      {"cat <<E \\\n ${x}\nE\n", "R"},
      {"cat <<E $(\n) ${x}\nE\n", "R"},
      {"cat <<E $((\n1)) ${x}\nE\n", "R"},
      {"cat <<E $${v:-\n} ${x}\nE\n", "R"},
      {"$(cat <<E) ${x}\nE\n", "R"},
      {"echo '\n' ${x}", "b"},
      {"echo \"\n\" `\n` $(\n) ${x}", "b"},
  });
  const auto places = places_in("cat <<A\n$(cat <<-B\n${x}\n\tB\n)${x}\nA\n${x}");
  BOOST_TEST_REQUIRE(places.size() == 3U);
  using workflow::HereDelimiter;
  BOOST_TEST((places[0].here_documents == std::vector<HereDelimiter>{{"A", false}, {"B", true}}));
  BOOST_TEST((places[1].here_documents == std::vector<HereDelimiter>{{"A", false}}));
  BOOST_TEST(places[2].here_documents.empty());
}

BOOST_AUTO_TEST_CASE(a_command_is_read_to_a_fixed_depth) {
  const auto substitutions = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "$(";
    return places_of(text + "${x}");
  };
  BOOST_TEST(substitutions(64) == "b");
  BOOST_TEST(substitutions(65) == "R");
  const auto here_documents = [](int count) {
    std::string text;
    std::string end;
    for (int i = 0; i < count; ++i) {
      const std::string delimiter = "E" + std::to_string(i);
      text += "cat <<" + delimiter + "\n$(";
      end.insert(0, ")\n" + delimiter + "\n");
    }
    return places_of(text + "echo ${x}" + end);
  };
  BOOST_TEST(here_documents(7) == "b");
  BOOST_TEST(here_documents(8) == "R");
}

BOOST_AUTO_TEST_CASE(deep_and_long_commands_cost_linear_time_and_no_stack) {
  std::string deep;
  for (int i = 0; i < 20'000; ++i) deep += "\"$(";
  BOOST_TEST(places_of(deep + "${x}") == "R");
  std::string here;
  for (int i = 0; i < 20'000; ++i) here += "cat <<E\n$(";
  BOOST_TEST(places_of(here + "${x}") == "R");
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "${x} '";
  BOOST_TEST(places_of(many).size() == 100'000U);
}

}  // namespace places_test
