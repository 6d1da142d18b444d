// If policy/words accepts a line, dash and bash run exactly the words that were judged. Both shells run the line itself
// and the regenerated one, and the words that programs get are compared with those that were read.
//
// Nothing harmful can run. A line is run only if it has no obstacle, no path and no builtin. It runs in a separate
// folder, with a PATH in which every program is the same probe, which records its words.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <set>

#include "policy/words.h"
#include "support/program.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(words_shells_test)

using namespace wtool::policy;
using wtool::test::ScratchFolder;

namespace {

// Some of these are keywords, which name programs when they are quoted.
const std::vector<std::string> programs = {"ls", "git", "cat", "grep", "make", "find",
                                           "a",  "b",   "if",  "!",    "{",    "time"};

// One program's words, and its standard input where that is a here-document.
struct Record {
  std::vector<std::string> words;
  std::string input;
  auto operator<=>(const Record&) const = default;
};

// What would run, one pipeline after the other. Within a pipeline, the order is left to chance.
using Run = std::vector<std::vector<Record>>;

std::string show(const Record& record) {
  std::string text;
  for (const std::string& word : record.words) text += "<" + word + "> ";
  if (!record.input.empty()) text += "with <" + record.input + ">";
  return text + "\n";
}

bool is_runnable(const SimpleCommand& command) {
  for (const Redirection& each : command.redirections) {
    if (each.is_here_document || each.target.text == "/dev/null") continue;
    // Any other descriptor may be closed, and a redirection to a closed one makes the shells' own messages fail.
    if (each.target.text != "0" && each.target.text != "1" && each.target.text != "2") return false;
    const char from = each.text.front();
    if (from != '<' && from != '>' && from != '0' && from != '1' && from != '2') return false;
  }
  if (command.words.empty()) return true;
  const std::string& program = command.words.front().text;
  const bool linked = std::find(programs.begin(), programs.end(), program) != programs.end();
  return linked || (program.find('/') == std::string::npos && !program.empty() && !is_shell_word(program));
}

bool is_harmless(const std::string& line, const Script& script) {
  // Even if the parser is wrong, the line must have none of these words.
  for (const char* word : {"kill", "exec", "while", "until", "for", "trap", "ulimit", "eval", "source", "set", "()"}) {
    if (line.find(word) != std::string::npos) return false;
  }
  std::string without = line;
  for (std::size_t at = 0; (at = without.find("/dev/null", at)) != std::string::npos;) without.erase(at, 9);
  if (without.find('/') != std::string::npos) return false;
  return std::all_of(script.commands.begin(), script.commands.end(), is_runnable);
}

// The here-document that is the command's standard input. Nothing: the last redirection of the input is not a
// here-document.
std::optional<std::string> input_of(const SimpleCommand& command) {
  std::optional<std::string> input;
  for (const Redirection& each : command.redirections) {
    if (!each.is_input) continue;
    input.reset();
    if (each.is_here_document) input = each.target.text;
  }
  return input;
}

// What a shell runs of the script when every program exits with `status`.
Run expected_run(const Script& script, int status) {
  Run run;
  bool skip = false;
  bool negated = false;
  bool good = true;
  std::vector<Record> together;
  for (std::size_t i = 0; i < script.commands.size(); ++i) {
    const SimpleCommand& command = script.commands[i];
    if (i == 0 || script.commands[i - 1].joint != Joint::pipe) negated = command.negated;
    const bool known = !command.words.empty() &&
                       std::find(programs.begin(), programs.end(), command.words.front().text) != programs.end();
    if (!skip && known) {
      Record record;
      for (const Word& word : command.words) record.words.push_back(word.text);
      record.input = input_of(command).value_or("");
      together.push_back(record);
    }
    if (command.joint == Joint::pipe) continue;
    if (!skip) {
      const bool ended_well = command.words.empty() || (known && status == 0);
      good = ended_well != negated;
      std::sort(together.begin(), together.end());
      if (!together.empty()) run.push_back(together);
      together.clear();
    }
    skip = command.joint == Joint::and_then ? !good : command.joint == Joint::or_else ? good : false;
  }
  return run;
}

std::vector<Record> parse_records(const std::string& text) {
  std::vector<Record> records;
  std::size_t at = 0;
  const auto number = [&](char end) {
    std::size_t value = 0;
    for (; at < text.size() && text[at] != end; ++at) value = value * 10 + static_cast<std::size_t>(text[at] - '0');
    ++at;
    return value;
  };
  const auto bytes = [&] {
    const std::size_t size = number(':');
    std::string part = text.substr(at, size);
    at += size;
    return part;
  };
  while (at < text.size()) {
    Record record;
    for (std::size_t left = number(';'); left > 0; --left) record.words.push_back(bytes());
    record.input = bytes();
    records.push_back(std::move(record));
  }
  return records;
}

struct Shells {
  ScratchFolder folder, working;  // the programs; and a folder with nothing in it but what globs would find
  std::string record_file;
  int compared = 0;

  Shells() {
    for (const char* shell : {"/bin/dash", "/bin/bash"}) {
      if (access(shell, X_OK) != 0) {
        BOOST_FAIL(shell << " is missing; install the packages dash and bash (bash .ci/install-dependencies)");
      }
    }
    for (const std::string& name : programs) {
      if (symlink((std::string(WTOOL_TEST_HOSTS) + "/words_probe").c_str(), (folder.path() + "/" + name).c_str()) != 0)
        BOOST_FAIL("cannot make links in " << folder.path());
    }
    record_file = folder.file("records", "");
    working.file("found", "");
    const rlimit small{1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &small);
  }

  std::vector<Record> records_of(const std::vector<std::string>& shell, const std::string& line, int status,
                                 std::string& messages) {
    std::ofstream(record_file, std::ios::trunc).close();
    std::vector<std::string> argv = shell;
    // Without the two dashes, the shell would read a line that begins with a dash as options.
    argv.insert(argv.end(), {"-c", "--", line});
    wtool::test::ProgramOptions options;
    options.directory = working.path();
    options.limit = std::chrono::seconds(60);
    options.unset = {"ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "CDPATH", "IFS", "POSIXLY_CORRECT"};
    options.set = {{"PATH", folder.path()},
                   {"HOME", "home"},
                   {"LC_ALL", status == 0 ? "C.UTF-8" : "C"},
                   {"WTOOL_PROBE_FILE", record_file},
                   {"WTOOL_PROBE_STATUS", std::to_string(status)}};
    const auto finished = wtool::test::run(argv, options);
    messages = finished.err;
    BOOST_TEST(!finished.limit_passed);
    return parse_records(wtool::test::content_of(record_file));
  }

  void compare(const std::vector<std::string>& shell, const std::string& line, const Script& script, int status) {
    std::string messages;
    std::vector<Record> got = records_of(shell, line, status, messages);
    const Run expected = expected_run(script, status);
    // Standard input is compared only where the line itself provides it.
    std::set<std::vector<std::string>> without_document;
    for (const SimpleCommand& command : script.commands) {
      if (input_of(command)) continue;
      std::vector<std::string> words;
      for (const Word& word : command.words) words.push_back(word.text);
      without_document.insert(words);
    }
    std::string wanted;
    std::string had;
    std::size_t at = 0;
    for (std::vector<Record> together : expected) {
      const std::size_t end = std::min(at + together.size(), got.size());
      for (auto* records : {&together, &got}) {
        for (Record& record : *records) {
          if (without_document.count(record.words) != 0) record.input.clear();
        }
      }
      std::sort(together.begin(), together.end());
      std::sort(got.begin() + static_cast<std::ptrdiff_t>(at), got.begin() + static_cast<std::ptrdiff_t>(end));
      for (const Record& record : together) wanted += show(record);
      for (; at < end; ++at) had += show(got[at]);
    }
    for (; at < got.size(); ++at) had += show(got[at]);
    ++compared;
    BOOST_TEST(had == wanted, shell.front() << " runs of <" << line << ">, programs exiting with " << status << ":\n"
                                            << had << "where this was judged:\n"
                                            << wanted << "its messages: " << messages);
  }

  // Runs the line and the regenerated one in both shells. False if the line must not be run.
  bool check(const std::string& line, std::initializer_list<int> statuses) {
    const Script script = parse(line);
    if (script.obstacle || script.commands.empty() || !is_harmless(line, script)) return false;
    const std::string regenerated = regenerate(script);
    for (const int status : statuses) {
      for (const std::vector<std::string>& shell : {std::vector<std::string>{"/bin/dash"}, {"/bin/bash", "-p"}}) {
        compare(shell, line, script, status);
        compare(shell, regenerated, script, status);
      }
    }
    return true;
  }

  ~Shells() {
    unlink((working.path() + "/found").c_str());
    BOOST_TEST(rmdir(working.path().c_str()) == 0, "a line has written a file");
  }
};

// Lines that must be accepted. The generator makes others like them.
const std::vector<std::string> table = {
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

std::string random_line(std::mt19937& random) {
  const auto choose = [&](const std::vector<std::string>& from) { return from[random() % from.size()]; };
  const std::vector<std::string> words = {
      "a",     "-b",       "'c d'",  "\"e f\"",  "\\g", "x=1",  "''",    "\"\"",      "'\"'",     "\"'\"",
      "a\\ b", "\"\\\"\"", "'\\'",   "\"\\\\\"", "!",   "^a$",  "{}",    "HEAD~",     "'$x'",     "\"a$\"",
      "#",     "a#b",      "é",      "[",        "]",   "\\\n", "'\n'",  "\"\n\"",    "\"\\\n\"", "\\~",
      "'~'",   "2",        "1",      "'2'",      "a:b", "if",   "'`x`'", "\"\\`\"",   "\"\\$x\"", "$",
      "%",     "\\\\",     "'\x81'", "\"\\a\"",  "'*'", "\\*",  "a,b",   "\"{a,b}\"", "-",        "--"};
  // Lines with these words must not be accepted. If one is accepted, the comparison shows what the shells make of it.
  const std::vector<std::string> expanded = {
      "~",         "x=~",      "x=a:~",  "*",        "f*",        "?ound",  "[f]ound", "{c,d}", "{1..2}", "$HOME",
      "\"$HOME\"", "$'\\x41'", "$\"x\"", "a&>found", "x\xC2\xA0", "$((1))", "${HOME}", "`ls`",  "$(ls)",  "12>&1"};
  const std::vector<std::string> redirections = {"2>&1", ">/dev/null", "2>/dev/null", "</dev/null", ">&2", "<&0"};
  const std::vector<std::string> joints = {" ; ",  ";",   "\n", " && ", "&&",    " || ",
                                           "||\n", " | ", "|",  "\n\n", " # x\n"};
  std::string line;
  std::string bodies;
  for (auto commands = 1 + random() % 4; commands > 0; --commands) {
    if (random() % 8 == 0) line += "! ";
    line += programs[random() % 8];
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
  const std::string alphabet = "ab '\"'\" \t=-.,:+@%_$\\`*~!#&|;<>{}[]?^\xC3\xA9\n\n()012\\'\"\x81\r";
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
        const std::string& other = table[random() % table.size()];
        line.insert(at, other.substr(random() % other.size(), random() % 6));
      }
    }
  }
  return line;
}

// Reads a number from the environment; `otherwise` if it is not set. WTOOL_RANDOM_LINES is the number of random lines
// that are run, and each WTOOL_RANDOM_SEED makes different lines.
int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(accepted_lines_mean_what_was_judged, Shells) {
  for (const std::string& line : table) {
    const Script script = parse(line);
    BOOST_TEST(!script.obstacle.has_value(), line << ": " << script.obstacle.value_or(Obstacle{}).what);
    BOOST_TEST(check(line, {0, 1}), line);
  }
}

BOOST_FIXTURE_TEST_CASE(lines_of_a_grammar_at_random_mean_what_was_judged, Shells) {
  std::mt19937 random(static_cast<unsigned>(setting("WTOOL_RANDOM_SEED", 20240607)));
  const int wanted = setting("WTOOL_RANDOM_LINES", 120);
  int run = 0;
  for (int round = 0; run < wanted && round < 100 * wanted; ++round) {
    if (check(random_line(random), {round % 2})) ++run;
  }
  BOOST_TEST(run == wanted);
}

BOOST_FIXTURE_TEST_CASE(mutated_lines_mean_what_was_judged, Shells) {
  std::mt19937 random(static_cast<unsigned>(setting("WTOOL_RANDOM_SEED", 20240607)) + 1);
  const int wanted = setting("WTOOL_RANDOM_LINES", 120);
  int run = 0;
  for (int round = 0; run < wanted && round < 100 * wanted; ++round) {
    if (check(mutated(random, table[random() % table.size()]), {round % 2})) ++run;
  }
  BOOST_TEST(run == wanted);
}

BOOST_AUTO_TEST_SUITE_END()
