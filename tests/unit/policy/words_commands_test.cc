// policy/words.h, as deny lists use it: every simple command of a text is found, anywhere in it, as bash and as dash
// read it.
#include <boost/test/unit_test.hpp>

#include "policy/words.h"

namespace words_commands_test {

using namespace wtool::policy;

namespace {

std::string outline(const Word& word) { return word.literal ? word.text : word.text + "?"; }

// Each command in brackets, its words separated by commas. A `?` follows what is not literal. A `=` comes before an
// assignment, `>` before a redirection, `|` before a command whose standard input is a pipe, `~` before a nested one.
std::string outline(const Script& script) {
  std::string text;
  for (const SimpleCommand& command : script.commands) {
    std::string parts;
    const auto add = [&parts](const std::string& part) { parts += (parts.empty() ? "" : ",") + part; };
    for (const Word& word : command.assignments) add("=" + outline(word));
    for (const Word& word : command.words) add(outline(word));
    for (const Redirection& each : command.redirections) {
      const std::string what = each.is_here_document ? each.text + outline(each.target) : each.text;
      add(">" + what + (each.to_file ? " file" : ""));
    }
    text += (command.nested ? "~" : "") + std::string(command.reads_pipe ? "|" : "") + "[" + parts + "]";
  }
  return text;
}

struct Row {
  std::string line;
  std::string expected;
};

void check(const std::vector<Row>& rows, Shell shell = Shell::any) {
  for (const Row& row : rows) {
    const Script script = parse(row.line, shell);
    BOOST_TEST(outline(script) == row.expected,
               row.line << "\n  gave     " << outline(script) << "\n  expected " << row.expected);
    BOOST_TEST(!script.error.has_value(), row.line << ": " << script.error.value_or(Obstacle{}).what);
    BOOST_TEST(script.obstacle.has_value(), row.line);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(words_commands)

BOOST_AUTO_TEST_CASE(commands_are_found_in_substitutions) {
  check({
      {"a $(b c) d", "[a,?,d]~[b,c]"},
      {"a \"x$(b \"$(c)\")y\"", "[a,xy?]~[b,?]~[c]"},
      {"a `b \\`c \\\\\\`d\\\\\\`\\``", "[a,?]~[b,?]~[c,?]~[d]"},
      {"a \"`b \\\"c d\\\"`\"", "[a,?]~[b,c d]"},
      {"a $( (b) ) $( { c; } )", "[a,?,?]~[b]~[c]"},
      {"a $(case x in y) b;; esac)", "[a,?]~[b]"},
      {"a $(b # )\n)", "[a,?]~[b]"},
      {"a ${x:-$(b)} \"${y:+\"$(c)\"}\" ${z#`d`}", "[a,?,?,?]~[b]~[c]~[d]"},
      {"a \"${x:-'$(b)'}\" \"${x#'$(no)'}\" ${x-'$(no)'}", "[a,?,?,?]~[b]"},
      {"a $((1 + $(b) * (2 + `c`)))", "[a,?]~[b]~[c]"},
      {"a $(( \\( + $(b) ))", "[a,?]~[b]"},
      {"a <(b | c) >(d)", "[a,?,?][a,>]~[b]~|[c]~[d]"},
      {"a $x $1 $? $$ \"$@\" ${#x}", "[a,?,?,?,?,?,?]"},
      {"x=$(a) b", "[=x=?,b]~[a]"},
      {"x=(a $(b)\n# c\n[1]=d) y[$(e)]+=1 f", "[=x=?,=y+=1?,f][=x=]~[b]~[e]"},
      {"a >$(b) 2>&$x", "[a,>> file,>2>& file]~[b]"},
  });
}

BOOST_AUTO_TEST_CASE(commands_are_found_in_here_documents) {
  check({
      {"a <<E; b\n$(c) `d` \\$(no)\nE\ne", "[a,><<$(c) `d` \\$(no)\n?][b]~[c]~[d][e]"},
      {"a <<'E' <<-F\n$(no)\nE\n\t${x:-$(b)}\n\tF\nc", "[a,><<$(no)\n,><<${x:-$(b)}\n?]~[b][c]"},
      {"a $(b <<E\n$(c)\nE\n)", "[a,?]~[b,><<$(c)\n?]~[c]"},
      {"a <<E\nE\\\nE `b`\nE", "[a,><<EE `b`\n?]~[b]"},
      {"(a) <<E\n$(b)\nE", "~|[a]~[><<$(b)\n?]~[b]"},
      {"a <<'E'\nno end", "[a,><<no end]"},
      {"a <<<$(b)", "[a,><<<][a,><<]~[b]"},
  });
}

BOOST_AUTO_TEST_CASE(commands_are_found_in_control_structures) {
  check({
      {"if a; then b; elif c; then d; else e; fi; f", "~[a]~[b]~[c]~[d]~[e][f]"},
      {"while a; do b; done | until c; do d; done", "~[a]~[b]~|[c]~|[d]"},
      {"for x in a $(b); do c; done; for y do d; done; for z\nin a\ndo e\ndone", "~[b]~[c]~[d]~[e]"},
      {"case $(a) in\n b | $(c)) d\n e ;;\n (f) ;; *) g\nesac", "~[a]~[c]~[d]~[e]~[g]"},
      {"{ a; b\n} && (c; d &)", "~[a]~[b]~[c]~[d]"},
      {"f() { a; }; g() (b); h()\n{ c; }", "~[a]~[b]~[c]"},
      {"a && ! b || c & d", "[a][b][c][d]"},
      {"a | { b; c; } | d $(e)", "[a]~|[b]~|[c]|[d,?]~|[e]"},
      {"while a; do b; done <c", "~|[a]~|[b]~[><'c' file]"},
      {"{ a; } 2>&1 >/dev/null", "~[a]~[>2>&1,>>/dev/null]"},
      {"x=1 if a", "[=x=1,if,a]"},
  });
}

BOOST_AUTO_TEST_CASE(what_shells_read_differently_is_found_in_both_ways) {
  check({
      {"$'\\164ouch' M", "[touch,M][$\\164ouch,M]"},
      {"$'a\\'b\\x41\\u0041\\cA\\\\\\n\\z\\x' $'c\\0d'; e '",
       "[a'bAA\x01\\\n\\z\\x,c][$a\\bx41u0041cA\\nzx $c0d; e ][e,]"},
      {"$\"a b\"", "[a b][$a b]"},
      {"a &>f b c", "[a,b,c,>&>f file][a][b,c,>>f file]"},
      {"a >&f b", "[a,b,>>&f file]"},
      {"{x}>f a", "[a,>x>f file][{x},a,>>f file]"},
      {"12>f a", "[a,>12>f file][12,a,>>f file]"},
      {"((a b))", "~[a,b]"},
      {"((x = $(a))) && b", "~[x,=,?]~[a][b]"},
      {"((a; b) | c)", "~[a]~[b]~|[c]"},
      {"a $((b; c) | d)", "[a,?]~[b]~[c]~|[d]"},
      {"a $[1 + $(b)]", "[a,?][a,$[1,+,]?]~[b]"},
      {"[[ a && b ]]", "[[[,a][b,]]]"},
      {"[[ -n $(a) &&\n# c\n( x =~ ^(b|c)$ ) ]] && d", "[[[,-n,?]~[a]~[x,=?,^][d]"},
      {"function f { a; }; function g() { b; }", "[function,f,{,a]~[a]~[b]"},
      {"select x in a; do b; done", "[select,x,in,a]~[b]"},
      {"coproc a b; coproc N { c; }", "[coproc,a,b]~[a,b][coproc,N,{,c]~[c]"},
      {"time -p a | b; time; ! time -- c", "[time,-p,a][a]|[b][time][time,--,c][c]"},
      {"a |& b", "[a]|[b]"},
      {"case x in a) b;& c) d;;& e) f;; esac", "~[b]~[d]~[f]"},
      {"for ((i = $(a); i < 3; i++)); do b; done; for ((;;)) { c; }", "~[a]~[b]~[c]"},
      {"x+=1 a", "[=x+=1,a][x+=1,a]"},
      {"x[1 2]=a b", "[=x=a?,b][x[1,2]=a,b]"},
      {"!(a b) c", "[!?,c]~[a,b]"},
      {"a @(b|$(c)) d+(e)", "[a,@][a,@?,d+?]~[c]"},
      // A line may have a third reading, that of bash when it is called as sh: such a bash reads $'...' as bash does,
      // and a quote inside "${...}" as dash does.
      {"$'\\'' \"${x:-'}\"; a; b \"'}\"", "[',?][$\\ \"${x:-}; a; b ][a][b,'}]"},
      {"echo \"${x:-'}\"; a; b \"'}\"", "[echo,?][a][b,'}]"},
  });
}

BOOST_AUTO_TEST_CASE(a_known_shell_is_read_as_itself) {
  check({{"[[ a && b ]]; ((c)); $'\\x41'", "[A]"}, {"a &>f b", "[a,b,>&>f file]"}}, Shell::bash);
  check({{"[[ a && b ]]; ((c)); $'\\x41'", "[[[,a][b,]]]~[c][$\\x41]"}, {"a &>f b", "[a][b,>>f file]"}}, Shell::dash);
}

BOOST_AUTO_TEST_CASE(words_that_are_known_only_when_they_run_are_not_literal) {
  check({
      {"/usr/bin/su*o id", "[/usr/bin/suo?,id]"},
      {"{rm,-rf} x", "[?,x]"},
      {"a{1..3} b?c d[ef]g ~ ~x y=~ z:~", "[a?,bc?,d?,?,x?,y=?,z:?]"},
      {"$x \"$y\"z `a`", "[?,z?,?]~[a]"},
      {"$'\\u00e9' a", "[\xC3\xA9?,a][$\\u00e9,a]"},
      {"a $'\\u20ac\\U0001F600'", "[a,\xE2\x82\xAC\xF0\x9F\x98\x80?][a,$\\u20ac\\U0001F600]"},
  });
}

BOOST_AUTO_TEST_CASE(words_have_their_place_in_the_line) {
  const std::string line = "a \"$(b 'c d')\" | `e f` > g";
  const std::vector<std::string> expected = {"a", "\"$(b 'c d')\"", "b", "'c d'", "`e f`", "e", "f"};
  std::vector<std::string> got;
  const Script script = parse(line);
  for (const SimpleCommand& command : script.commands) {
    for (const Word& word : command.words) got.push_back(line.substr(word.at.begin, word.at.end - word.at.begin));
  }
  BOOST_TEST(got == expected, boost::test_tools::per_element());
  BOOST_TEST(line.substr(script.commands[2].redirections.at(0).at.begin) == "> g");
}

// Text inside nested backquotes loses its escapes when it is read, so its words have no place of their own in the line.
BOOST_AUTO_TEST_CASE(words_in_nested_backquotes_have_the_place_of_the_outer_ones) {
  const std::string line = "a `b \\`c\\`` d";
  for (const SimpleCommand& command : parse(line).commands) {
    const std::string& name = command.words.front().text;
    const Range at = command.words.front().at;
    BOOST_TEST(line.substr(at.begin, at.end - at.begin) == (name == "a" ? "a" : "`b \\`c\\``"));
  }
}

// A text that only one shell accepts is not an error. But if our own limit ends a reading, the rest is unknown.
BOOST_AUTO_TEST_CASE(another_shells_reading_does_not_hide_that_reading_was_given_up) {
  BOOST_TEST(!parse("$'\\''; (a; b '").error.has_value());
  std::string deep = "$'\\''; ";
  for (int i = 0; i < 70; ++i) deep += "{ ";
  deep += "a";
  for (int i = 0; i < 70; ++i) deep += "; }";
  BOOST_TEST(parse(deep + " '").error.has_value());
  BOOST_TEST(parse("x 'y' $'\\''; a ${ b; }; c '").error.has_value());
}

BOOST_AUTO_TEST_CASE(commands_in_front_of_an_error_are_found) {
  const Script script = parse("a; b $(c | | d)");
  BOOST_TEST(outline(script) == "[a][b,?]~[c]");
  BOOST_TEST(script.error.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace words_commands_test
