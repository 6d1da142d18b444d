#include "behaviour/shell_lines.h"

namespace wtool::test::shell_lines {

using policy::Joint;
using policy::Redirection;
using policy::Script;
using policy::SimpleCommand;

const std::vector<std::string>& programs() {
  static const std::vector<std::string> names = {"ls", "git", "cat", "grep", "make", "find",
                                                 "a",  "b",   "if",  "!",    "{",    "time"};
  return names;
}

const std::vector<std::string>& accepted_lines() {
  static const std::vector<std::string> lines = {
      "ls",
      "ls -la ; git log",
      "ls && git status || make all",
      "ls || git && make; cat",
      "! ls && git",
      "! ls | grep x || make",
      "ls | grep -v x | cat",
      "ls \\\n  -la \\\n  x",
      "l\\\ns -l\\\na",
      "ls &\\\n& git",
      "ls |\\\n| git",
      "ls |\ngrep x",
      "ls &&\n\n # why\n git",
      "\n\nls\n\n\ngit\n",
      "# first\nls # second\n# third",
      "ls a#b '#c' \\#d",
      "ls;git;make;",
      "\tls\t-a\t",
      "grep 'a b' \"c d\" e\\ f",
      "grep 'it'\\''s' \"it's\" \"say \\\"x\\\"\"",
      "grep '' \"\" ''\"\" a''b",
      "grep \\a\\*\\?\\[\\]\\$\\`\\\"\\'\\\\\\|\\&\\;\\<\\>\\(\\)\\{\\}\\~\\#\\!\\=\\ ",
      "grep \"\\a\\$\\`\\\\\\*\" '\\a\\$'",
      "grep \"a\\\nb\" 'a\\\nb' \"a\nb\"",
      "grep 'a|b;c&d>e<f(g)h$i`j\"k\\l'",
      "grep \"a|b;c&d>e<f(g)h'i*j?k[l]m{n,o}~p#q!\"",
      "grep ^x$ \"y$\" 'z$' $ a$ $% \"$%\" \"a$|b\" $, $. $+ $/dev/null",
      "find . -name '*.c' ! -name x",
      "find . {} + a{b {a} x} } ]",
      "git show HEAD~1 HEAD~ HEAD^ stash@{0} a~b HEAD^^2 @{u}",
      "make CC=gcc A=b -DX=1 =x x= a==b",
      "ls a:b c,d e@f g%h +i -- -",
      "git commit -m 'one\ntwo\n\nthree' --amend",
      "ls 2>&1",
      "ls >/dev/null 2>&1",
      "ls 2>/dev/null | grep x",
      "2>&1 ls >&2 -l 1>&2 x",
      "ls </dev/null",
      "ls >>/dev/null 2>>/dev/null >|/dev/null",
      "ls > /dev/null 2> '/dev/null' 2>&1 a",
      "ls 1 2 3>/dev/null 4",
      "ls a2>/dev/null",
      "ls \\2>/dev/null",
      "ls '2'>/dev/null",
      ">/dev/null",
      ">&2 ; ls",
      "cat <<'E'\nbody $x `y` \\z\nE\n",
      "cat <<\"END\"\nit's\n\ttab\nEND",
      "cat <<\\E | grep x ; ls\n'E'\n E\nE\nmake",
      "cat <<-'E' && ls\n\t\tone\n\ttwo\n\tE\ngit",
      "cat <<E\nplain text, no expansion: 'a' \"b\" (c) {d,e} ~ * ?\nE",
      "cat 0<<'E' a\nx\nE",
      "ls ; cat <<'E' b\nEND_0\nEND_1\n_\nE\nls",
      "cat <<'E' 'two\nlines' x\nbody\nE",
      "cat <<'E'\nE",
      "cat <<'E'\n\nE",
      "cat <<'X'\nE\xC3\xA9\nEND_0\nA\xC3\xA9\nX",
      "! cat <<'E' | ls || git\n! x\nE",
      "nosuchprogram || ls",
      "nosuchprogram && ls ; git",
      "'!' x ; ls",
      "\\if ; ls",
      "'{' x ; ls ; t\\ime ls",
      "ls if then { } ! [[ ]] time do done",
      "grep Übung 'n\xC2\xA0o' \"\xE2\x80\x8B\" 漢字 é\xC3\xA9",
      "grep '\x01\x02\x7F\x80\x81\x82\x88\xFF' \"\x01\x7F\x81\x88\xC3\"",
      "cat <<'E'\n\x01\x7F\x81\x88\xFF\r\nE",
      "grep 'a\rb' \"\t\r\"",
      "grep a[ [ a[b ]x",
      "grep Áい \"Á\" 'い' あ\\a ÿ\xC2\xBF",
      "ls '' ; 'ls' ; \"ls\" ; l's' ; \\ls",
  };
  return lines;
}

std::string random_line(std::mt19937& random) {
  const auto choose = [&](const std::vector<std::string>& from) { return from[random() % from.size()]; };
  static const std::vector<std::string> words = {
      "a",     "-b",       "'c d'",  "\"e f\"",  "\\g", "x=1",  "''",    "\"\"",      "'\"'",     "\"'\"",
      "a\\ b", "\"\\\"\"", "'\\'",   "\"\\\\\"", "!",   "^a$",  "{}",    "HEAD~",     "'$x'",     "\"a$\"",
      "#",     "a#b",      "é",      "[",        "]",   "\\\n", "'\n'",  "\"\n\"",    "\"\\\n\"", "\\~",
      "'~'",   "2",        "1",      "'2'",      "a:b", "if",   "'`x`'", "\"\\`\"",   "\"\\$x\"", "$",
      "%",     "\\\\",     "'\x81'", "\"\\a\"",  "'*'", "\\*",  "a,b",   "\"{a,b}\"", "-",        "--"};
  // Lines with these words must not be accepted. If one is accepted, the comparison shows what the shells make of it.
  static const std::vector<std::string> expanded = {
      "~",         "x=~",      "x=a:~",  "*",        "f*",        "?ound",  "[f]ound", "{c,d}", "{1..2}", "$HOME",
      "\"$HOME\"", "$'\\x41'", "$\"x\"", "a&>found", "x\xC2\xA0", "$((1))", "${HOME}", "`ls`",  "$(ls)",  "12>&1"};
  static const std::vector<std::string> redirections = {"2>&1",       ">/dev/null", "2>/dev/null",
                                                        "</dev/null", ">&2",        "<&0"};
  static const std::vector<std::string> joints = {" ; ",  ";",   "\n", " && ", "&&",    " || ",
                                                  "||\n", " | ", "|",  "\n\n", " # x\n"};
  std::string line;
  std::string bodies;
  for (auto commands = 1 + random() % 4; commands > 0; --commands) {
    if (random() % 8 == 0) line += "! ";
    line += programs()[random() % 8];
    for (auto count = random() % 5; count > 0; --count) {
      line += random() % 4 == 0 ? "" : " ";
      const auto kind = random() % 20;
      line += kind < 2 ? " " + choose(redirections) : kind == 2 ? choose(expanded) : choose(words);
    }
    if (bodies.empty() && random() % 6 == 0) {
      line += " <<'E'";
      bodies = "\nbody of " + choose(words) + "\n" + choose(words) + "\nE\n";
    }
    if (commands > 1) {
      std::string joint = choose(joints);
      // The body of a here-document would begin right after this newline, in the middle of the line.
      if (!bodies.empty() && joint.find('\n') != std::string::npos) joint = " ; ";
      line += joint;
    }
  }
  return line + bodies;
}

std::string mutated(std::mt19937& random, std::string line) {
  static const std::string alphabet = "ab '\"'\" \t=-.,:+@%_$\\`*~!#&|;<>{}[]?^\xC3\xA9\n\n()012\\'\"\x81\r";
  for (auto times = 1 + random() % 3; times > 0; --times) {
    const std::size_t at = random() % (line.size() + 1);
    switch (random() % 4) {
      case 0:
        line.insert(at, 1, alphabet[random() % alphabet.size()]);
        break;
      case 1:
        if (at < line.size()) line[at] = alphabet[random() % alphabet.size()];
        break;
      case 2:
        line.erase(at, 1 + random() % 2);
        break;
      default: {
        const std::string& other = accepted_lines()[random() % accepted_lines().size()];
        line.insert(at, other.substr(random() % other.size(), random() % 6));
      }
    }
  }
  return line;
}

std::optional<std::string> input_of(const SimpleCommand& command) {
  std::optional<std::string> input;
  for (const Redirection& each : command.redirections) {
    if (!each.is_input) continue;
    input.reset();
    if (each.is_here_document) input = each.target.text;
  }
  return input;
}

std::vector<std::vector<std::size_t>> pipelines_that_run(const Script& script, int status,
                                                         const std::function<bool(const SimpleCommand&)>& is_known) {
  std::vector<std::vector<std::size_t>> run;
  bool skip = false;
  bool negated = false;
  bool good = true;
  std::vector<std::size_t> together;
  for (std::size_t i = 0; i < script.commands.size(); ++i) {
    const SimpleCommand& command = script.commands[i];
    if (i == 0 || script.commands[i - 1].joint != Joint::pipe) negated = command.negated;
    const bool known = is_known(command);
    if (!skip && known) together.push_back(i);
    if (command.joint == Joint::pipe) continue;
    if (!skip) {
      const bool ended_well = command.words.empty() || (known && status == 0);
      good = ended_well != negated;
      if (!together.empty()) run.push_back(together);
      together.clear();
    }
    skip = command.joint == Joint::and_then ? !good : command.joint == Joint::or_else ? good : false;
  }
  return run;
}

}  // namespace wtool::test::shell_lines
