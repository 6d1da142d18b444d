// Like words_shells_test, with more shells and many more lines: thousands of lines are one script of a shell, and the
// programs of the lines are functions of that script. If a script does not write exactly what was judged, its halves
// are run alone, down to the line that is read differently. Values that are quoted must arrive as one word each.
//
// tests/shells/run does the same with public suites: the files of the folder WTOOL_SHELL_SUITES. Their texts are
// accepted or refused in linear time; of the accepted ones, only the words reach a shell, as arguments of a function.
//
// Nothing harmful can run. PATH names no folder, no line has a path or the name of a builtin that does damage, and the
// shells run without rights in a process namespace of their own. Where that is not possible, busybox is left out,
// because its shell also has programs, and the suites are refused.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <unordered_set>

#include "base/shell_quote.h"
#include "behaviour/shell_lines.h"
#include "policy/words.h"
#include "support/program.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(words_batches_test)

using namespace wtool::policy;
using namespace wtool::test::shell_lines;
using wtool::test::ScratchFolder;

namespace {

using Words = std::vector<std::string>;
using Pipelines = std::vector<std::vector<Words>>;

struct ShellProgram {
  std::string name;
  Words argv;
  bool has_printf = true;
};

const std::vector<ShellProgram>& all_shells() {
  static const std::vector<ShellProgram> shells = {{"dash", {"/bin/dash"}},
                                                   {"bash", {"/bin/bash", "--norc"}},
                                                   {"bash --posix", {"/bin/bash", "--norc", "--posix"}},
                                                   {"busybox sh", {"/bin/busybox", "sh"}},
                                                   {"mksh", {"/bin/mksh"}, false}};
  return shells;
}

// What a shell is given of a line, and what it must write.
struct Case {
  std::string line;  // as it was judged, for messages
  std::string text;
  Pipelines judged;
  bool regenerated = false;  // it is what would run under an allow list, and no shell may read it differently
  bool apart = false;        // it has redirections or pipes
};

// Where a shell reads a line, as it was given, differently from the others. Under an allow list, no line is given to a
// shell like that: the regenerated line runs.
struct KnownDifference {
  std::string shell;
  std::string reason;
  std::string example;
  bool (*applies)(const std::string& line);
  int seen = 0;
};

bool has_document_with_byte_to_lose(const std::string& line) {
  bool found = false;
  for (std::size_t at = line.find('\n'); at < line.size() && !found; at = line.find('\n', at + 1)) {
    const std::string body = line.substr(at + 1, line.find('\n', at + 1) - at - 1);
    const auto first =
        std::find_if(body.begin(), body.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    found = first != body.end() && first != body.begin();
  }
  return found && line.find("<<") != std::string::npos;
}

std::vector<KnownDifference> known_differences() {
  const std::string doubles = "doubles the byte 1 between a backslash and the byte 127, in double quotes";
  const auto has_byte_to_double = [](const std::string& line) { return line.find("\\\x01\x7f") != std::string::npos; };
  return {{"bash", doubles, "a \"\\\x01\x7f\"", has_byte_to_double},
          {"bash --posix", doubles, "a \"\\\x01\x7f\"", has_byte_to_double},
          {"busybox sh", "reads [[ as the beginning of a condition, behind the program too: && is then a word",
           "a [[ b && a", [](const std::string& line) { return line.find("[[") != std::string::npos; }},
          {"mksh", "refuses a number before &, a line continuation and &", "a 0&\\\n& a",
           [](const std::string& line) { return line.find("&\\\n") != std::string::npos; }},
          {"dash", "loses a byte of a here-document that is not ASCII and comes behind a beginning of the delimiter",
           "a <<'E'\nE\xC3\xA9\nE\n", has_document_with_byte_to_lose}};
}

// The functions of which lines may use the names.
bool is_function(const std::string& name) {
  const auto end = programs().begin() + 8;
  return std::find(programs().begin(), end, name) != end;
}

// `p` writes its words, and `h` also its standard input as one more word. With `apart`, a line cannot change where they
// write to; otherwise, they are quicker.
std::string functions(const ShellProgram& shell, int status, bool apart) {
  const std::string to = apart ? " >&9; " : "; ";
  const std::string end = "return " + std::to_string(status) + "; }\n";
  // In other locales, `read` of bash takes a newline for a part of a character whose beginning is before it.
  const std::string all_input =
      (shell.has_printf ? "local LC_ALL=C; " : std::string()) + "D=; while IFS= read -r L; do D=\"$D$L\n\"; done; ";
  std::string text = "exec 9>&1\n";
  if (shell.has_printf) {
    text += "p() { printf '%s\\0' \"$#\" \"$@\"" + to + end;
    text += "h() { " + all_input + "printf '%s\\0' \"$(($# + 1))\" \"$@\" \"$D\"" + to + end;
    text += "q() { printf '#%s\\0' \"$1\"" + to + "}\n";
  } else {
    // One write for each record, so that those of a pipeline do not mix.
    text += "p() { R=\"$#;\"; for W; do R=\"$R${#W}:$W\"; done; print -nru9 -- \"$R\"; " + end;
    text += "h() { " + all_input + "p \"$@\" \"$D\"; }\n";
    text += "q() { print -nru9 -- \"#$1;\"; }\n";
  }
  for (std::size_t i = 0; i < 8; ++i) text += programs()[i] + "() { p " + programs()[i] + " \"$@\"; }\n";
  return text;
}

// Reads what the functions have written: for each case its records.
std::map<std::size_t, std::vector<Words>> parse_records(const std::string& out, bool has_printf) {
  std::map<std::size_t, std::vector<Words>> by_case;
  std::vector<Words> records;
  std::size_t at = 0;
  const auto until = [&](char end) {
    const std::size_t from = at;
    at = std::min(out.find(end, at), out.size());
    return out.substr(from, at++ - from);
  };
  const auto number = [](const std::string& text) { return static_cast<std::size_t>(std::atoll(text.c_str())); };
  while (at < out.size()) {
    const std::string head = until(has_printf ? '\0' : ';');
    if (!head.empty() && head.front() == '#') {
      by_case[number(head.substr(1))] = std::move(records);
      records.clear();
      continue;
    }
    Words words;
    for (std::size_t left = number(head); left > 0 && at < out.size(); --left) {
      if (has_printf) {
        words.push_back(until('\0'));
      } else {
        const std::size_t size = number(until(':'));
        words.push_back(out.substr(std::min(at, out.size()), size));
        at += size;
      }
    }
    records.push_back(std::move(words));
  }
  return by_case;
}

// Within a pipeline, the order is left to chance.
std::vector<Words> in_order(const std::vector<Words>& got, const Pipelines& judged) {
  std::vector<Words> sorted = got;
  std::size_t at = 0;
  for (const auto& pipeline : judged) {
    const std::size_t end = std::min(at + pipeline.size(), sorted.size());
    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.begin() + static_cast<std::ptrdiff_t>(end));
    at = end;
  }
  return sorted;
}

std::vector<Words> flat(const Pipelines& pipelines) {
  std::vector<Words> all;
  for (const auto& each : pipelines) all.insert(all.end(), each.begin(), each.end());
  return all;
}

std::string show(const std::vector<Words>& records) {
  std::string text;
  for (const Words& words : records) {
    for (const std::string& word : words) text += "<" + word + "> ";
    text += "\n";
  }
  return text;
}

// The line with `p` or `h` before each of its commands that is not the name of a function.
std::string with_functions(const std::string& line, const Script& script) {
  std::string text = line;
  for (std::size_t i = script.commands.size(); i > 0; --i) {
    const SimpleCommand& command = script.commands[i - 1];
    if (command.words.empty()) continue;
    const bool has_document = input_of(command).has_value();
    if (!has_document && is_function(command.words.front().text)) continue;
    text.insert(command.words.front().at.begin, has_document ? "h " : "p ");
  }
  return text;
}

Pipelines judged(const Script& script, int status) {
  Pipelines pipelines;
  const auto has_words = [](const SimpleCommand& command) { return !command.words.empty(); };
  for (const auto& pipeline : pipelines_that_run(script, status, has_words)) {
    pipelines.emplace_back();
    for (const std::size_t at : pipeline) {
      Words words = texts_of(script.commands[at].words);
      if (const auto input = input_of(script.commands[at])) words.push_back(*input);
      pipelines.back().push_back(std::move(words));
    }
    std::sort(pipelines.back().begin(), pipelines.back().end());
  }
  return pipelines;
}

// False: a descriptor is used that the shells use themselves, or that is closed.
bool has_usual_redirections(const Script& script) {
  for (const SimpleCommand& command : script.commands) {
    for (const Redirection& each : command.redirections) {
      const char from = each.text.empty() ? '<' : each.text.front();
      if (from != '<' && from != '>' &&
          (from < '0' || from > '2' || (each.text.size() > 1 && each.text[1] >= '0' && each.text[1] <= '9')))
        return false;
      if (each.is_here_document || each.target.text == "/dev/null") continue;
      if (each.target.text != "0" && each.target.text != "1" && each.target.text != "2") return false;
    }
  }
  return true;
}

bool is_harmless(const std::string& line) {
  // Even if the parser is wrong, no line has one of these words.
  for (const char* word : {"kill", "exec", "while", "until", "for", "trap", "ulimit", "eval", "source", "set", "()"}) {
    if (line.find(word) != std::string::npos) return false;
  }
  return true;
}

// The text without paths: a slash that is not part of /dev/null becomes an underscore, which means as little to shells.
std::string without_paths(std::string text) {
  constexpr std::string_view null = "/dev/null";
  for (std::size_t at = 0; (at = text.find('/', at)) != std::string::npos; ++at) {
    if (text.compare(at, null.size(), null) == 0) {
      at += null.size() - 1;
    } else {
      text[at] = '_';
    }
  }
  return text;
}

// The line with `||` and without any other `|`.
std::string without_pipes(const std::string& line) {
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const bool twice = line.compare(at, 2, "||") == 0;
    if (twice || line[at] != '|') text += line[at];
    if (twice) text += line[++at];
  }
  return text;
}

int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

struct Shells {
  ScratchFolder folder, working;  // scripts; and where they run, with names that globs would find
  Words confined;                 // before the words of a shell; empty: not possible here
  std::vector<ShellProgram> shells;
  std::vector<Case> waiting[2][2];  // by the status of their functions, and whether these write apart
  std::size_t compared = 0;
  std::size_t differences = 0;
  std::vector<KnownDifference> known_ones = known_differences();
  int batches = 0;

  Shells() {
    const rlimit small{16 << 20, 16 << 20};
    setrlimit(RLIMIT_FSIZE, &small);
    for (const char* name : {"found", "a", "b", "1"}) working.file(name, "");
    for (const auto& path : {folder.path(), working.path()}) chmod(path.c_str(), 0755);
    const Words namespaces = {"/usr/bin/unshare", "--pid", "--fork", "--kill-child", "--net"};
    Words wanted = namespaces;
    if (geteuid() == 0) {
      wanted.insert(wanted.end(),
                    {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs", "--"});
    } else {
      wanted.insert(wanted.end(), {"--user", "--map-current-user", "--"});
    }
    Words trial = wanted;
    trial.insert(trial.end(), {"/bin/sh", "-c", "exit 7"});
    if (access(wanted.front().c_str(), X_OK) == 0 && wtool::test::run(trial).exit_code == 7) confined = wanted;
    for (const ShellProgram& shell : all_shells()) {
      const bool usual = shell.name == "dash" || shell.name.starts_with("bash");
      if (access(shell.argv.front().c_str(), X_OK) == 0 && (usual || !confined.empty())) {
        shells.push_back(shell);
      } else {
        BOOST_TEST_MESSAGE(shell.name << " is not there or cannot be confined, and is left out");
        BOOST_TEST(!usual, shell.name << " is missing; install it (bash .ci/install-dependencies)");
      }
    }
  }

  wtool::test::Finished start(const ShellProgram& shell, const std::string& script, const Words& options) {
    Words argv = confined;
    argv.insert(argv.end(), shell.argv.begin(), shell.argv.end());
    argv.insert(argv.end(), options.begin(), options.end());
    argv.push_back(folder.file("script", script));
    wtool::test::ProgramOptions how;
    how.directory = working.path();
    how.limit = std::chrono::seconds(100);
    how.unset = {"ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "CDPATH", "IFS", "POSIXLY_CORRECT", "LANG"};
    // The sizes that mksh writes are those of bytes only in the C locale.
    how.set = {
        {"PATH", "/nonexistent"}, {"HOME", "home"}, {"LC_ALL", shell.has_printf && batches % 2 == 0 ? "C.UTF-8" : "C"}};
    return wtool::test::run(argv, how);
  }

  // The first case whose records are not as judged. `problem`: what else went wrong.
  const Case* first_wrong(const ShellProgram& shell, const Case* begin, const Case* end, int status, bool apart,
                          std::vector<Words>& got, std::string& problem) {
    std::string script = functions(shell, status, apart);
    for (const Case* each = begin; each != end; ++each) {
      script += "eval ";
      wtool::append_shell_quoted(script, each->text);
      script += "\nq " + std::to_string(each - begin) + "\n";
    }
    const auto finished = start(shell, script, {});
    auto records = parse_records(finished.out, shell.has_printf);
    problem.clear();
    if (finished.limit_passed) problem = "it does not end; ";
    if (!finished.err.empty()) problem += "its messages: " + finished.err;
    for (const Case* each = begin; each != end; ++each) {
      const auto found = records.find(static_cast<std::size_t>(each - begin));
      if (found != records.end() && in_order(found->second, each->judged) == flat(each->judged)) continue;
      if (found == records.end()) problem += "it does not reach the end of the line";
      got = found == records.end() ? std::vector<Words>{} : found->second;
      return each;
    }
    return problem.empty() ? nullptr : begin;
  }

  void compare(const ShellProgram& shell, const Case* begin, const Case* end, int status, bool apart) {
    std::vector<Words> got;
    std::string problem;
    const Case* wrong = first_wrong(shell, begin, end, status, apart, got, problem);
    if (wrong == nullptr || differences > 40) return;
    if (end - begin > 1) {
      const Case* const middle = begin + (end - begin) / 2;
      compare(shell, begin, middle, status, apart);
      compare(shell, middle, end, status, apart);
      return;
    }
    // Bash writes a line at a time. The records of a pipeline may therefore mix, but not every time.
    for (int tries = 0; begin->text.find('|') != std::string::npos && tries < 20; ++tries) {
      if (first_wrong(shell, begin, end, status, apart, got, problem) == nullptr) return;
    }
    for (KnownDifference& known : known_ones) {
      if (begin->regenerated || known.shell != shell.name || !known.applies(begin->line)) continue;
      ++known.seen;
      return;
    }
    ++differences;
    BOOST_ERROR(shell.name << " runs of <" << begin->line << ">, given as <" << begin->text
                           << ">, its functions returning " << status << ":\n"
                           << show(got) << "where this was judged:\n"
                           << show(flat(begin->judged)) << problem);
  }

  void compare_all(int status, bool apart) {
    const std::vector<Case>& cases = waiting[status][apart];
    for (const ShellProgram& shell : shells) {
      if (!cases.empty()) compare(shell, cases.data(), cases.data() + cases.size(), status, apart);
    }
    waiting[status][apart].clear();
    ++batches;
  }

  void add(Case each, int status) {
    ++compared;
    wait(std::move(each), status);
  }

  void wait(Case each, int status) {
    const bool apart = each.apart;
    waiting[status][apart].push_back(std::move(each));
    if (waiting[status][apart].size() >= 3000) compare_all(status, apart);
  }

  // Nothing runs yet. False: the line is not accepted, or must not be run.
  bool add_line(const std::string& line, int status, bool also_regenerated = true) {
    const Script script = parse(line);
    if (script.obstacle || script.commands.empty() || !has_usual_redirections(script) || !is_harmless(line))
      return false;
    Pipelines runs = judged(script, status);
    const bool apart = std::any_of(script.commands.begin(), script.commands.end(), [](const SimpleCommand& command) {
      return command.joint == Joint::pipe || !command.redirections.empty();
    });
    const std::string regenerated = regenerate(script);
    const Script again = parse(regenerated);
    BOOST_TEST_REQUIRE(!again.obstacle.has_value(), regenerated);
    // The `cd` of a regenerated line has other words.
    const bool has_cd = std::any_of(script.commands.begin(), script.commands.end(), [](const SimpleCommand& command) {
      return !command.words.empty() && command.words.front().text == "cd";
    });
    if (also_regenerated && !has_cd) wait({line, with_functions(regenerated, again), runs, true, apart}, status);
    add({line, with_functions(line, script), std::move(runs), false, apart}, status);
    return true;
  }

  void check_syntax(const ShellProgram& shell, const std::string* begin, const std::string* end) {
    std::string script;
    for (const std::string* each = begin; each != end; ++each) script += "{\n" + *each + "\n}\n";
    const auto finished = start(shell, script, {"-n"});
    if (finished.exit_code == 0 && finished.err.empty()) return;
    if (end - begin == 1) {
      ++differences;
      BOOST_ERROR(shell.name << " refuses <" << *begin << ">: " << finished.err);
      return;
    }
    const std::string* const middle = begin + (end - begin) / 2;
    check_syntax(shell, begin, middle);
    check_syntax(shell, middle, end);
  }

  void check_syntax(const std::vector<std::string>& lines) {
    for (const ShellProgram& shell : shells) {
      if (!lines.empty()) check_syntax(shell, lines.data(), lines.data() + lines.size());
    }
  }

  void finish() {
    for (const int status : {0, 1}) {
      for (const bool apart : {false, true}) compare_all(status, apart);
    }
    BOOST_TEST(differences == 0U);
    std::string names;
    for (const ShellProgram& shell : shells) names += (names.empty() ? "" : ", ") + shell.name;
    BOOST_TEST_MESSAGE(compared << " lines, each in " << names << ": " << differences << " differences");
    for (const KnownDifference& known : known_ones) {
      if (known.seen > 0) BOOST_TEST_MESSAGE(known.seen << " lines where " << known.shell << " " << known.reason);
    }
  }
};

template <typename Text>
char any_of(std::mt19937& random, const Text& text) {
  return text[random() % text.size()];
}

// Bytes that mean something to shells, in any order.
std::string random_bytes(std::mt19937& random, std::size_t most) {
  static const std::string special =
      "aab  ''\"\"\\\\\n\t#!~=-{}[]*?$`;|&<>()0129.,:+@%^_\r\x01\x7f\x81\x88\xa0\xc2\xc3\xa9\xff";
  std::string text;
  for (auto left = random() % (most + 1); left > 0; --left) {
    const auto kind = random() % 16;
    text += kind == 0  ? static_cast<char>(1 + random() % 255)
            : kind < 4 ? any_of(random, std::string("ab '\"\\\n"))
                       : any_of(random, special);
  }
  return text;
}

std::mt19937 seeded(unsigned more) {
  return std::mt19937(static_cast<unsigned>(setting("WTOOL_RANDOM_SEED", 20261128)) + more);
}

int lines_wanted() { return setting("WTOOL_SHELL_LINES", 2000); }

}  // namespace

BOOST_FIXTURE_TEST_CASE(accepted_lines_are_read_so_by_all_shells, Shells) {
  for (const std::string& line : accepted_lines()) {
    for (const int status : {0, 1}) add_line(without_paths(line), status);
  }
  finish();
}

BOOST_FIXTURE_TEST_CASE(lines_at_random_are_read_so_by_all_shells, Shells) {
  std::mt19937 random = seeded(0);
  const int wanted = lines_wanted();
  const auto& lines = accepted_lines();
  int run = 0;
  for (std::int64_t round = 0; run < wanted && round < 1000 * static_cast<std::int64_t>(wanted); ++round) {
    const auto kind = round % 4;
    std::string line;
    if (kind == 0) {
      line = random_line(random);
    } else if (kind == 1) {
      line = mutated(random, lines[random() % lines.size()]);
    } else if (kind == 2) {
      line = mutated(random, random_line(random));
    } else {
      line = "a " + random_bytes(random, 12);
    }
    // A pipeline costs a process for each of its commands; most lines have none, so that many lines can be run.
    if (random() % 32 != 0) line = without_pipes(line);
    if (add_line(without_paths(line), static_cast<int>(random() % 2), random() % 8 == 0)) ++run;
  }
  BOOST_TEST(run == wanted);
  finish();
}

// Without this test, nobody would notice that a shell was repaired.
BOOST_FIXTURE_TEST_CASE(each_known_difference_is_there, Shells) {
  for (const KnownDifference& known : known_differences()) {
    const bool there =
        std::any_of(shells.begin(), shells.end(), [&](const ShellProgram& shell) { return shell.name == known.shell; });
    if (!there) continue;
    const auto seen = std::find_if(known_ones.begin(), known_ones.end(), [&](const KnownDifference& each) {
      return each.reason == known.reason && each.shell == known.shell;
    });
    // Not again where another shell has the same example.
    if (seen->seen == 0) {
      BOOST_TEST(add_line(known.example, 0, false), known.example);
      finish();
    }
    BOOST_TEST(seen->seen == 1, known.shell << " " << known.reason);
  }
}

// A value in, exactly one word out.
BOOST_FIXTURE_TEST_CASE(quoted_values_are_one_word_in_all_shells, Shells) {
  std::mt19937 random = seeded(1);
  for (int left = lines_wanted(); left > 0; --left) {
    const std::string value = random_bytes(random, 24);
    if (left % 3 == 0) {
      add({value, "p " + wtool::shell_quoted(value), {{{value}}}, true}, 0);
    } else if (left % 3 == 1) {
      add({value, "p \"" + wtool::with_backslashes(value, "\\$`\"") + '"', {{{value}}}, true}, 0);
    } else {
      Words words;
      for (auto count = random() % 4; count > 0; --count) words.push_back(random_bytes(random, 6));
      add({value,
           written_out([&] {
             Words whole = {"p"};
             whole.insert(whole.end(), words.begin(), words.end());
             return whole;
           }()),
           {{words}}},
          0);
    }
  }
  finish();
}

namespace {

// The text, each of its lines and paragraphs, and what is indented by a tab, without the tab: so are scripts written in
// the suite of mksh.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts = {text};
  std::string paragraph, indented;
  const auto finish = [&](std::string& part) {
    if (!part.empty()) parts.push_back(part);
    part.clear();
  };
  for (const std::string& line : wtool::test::lines_of(text)) {
    parts.push_back(line);
    if (line.starts_with('\t')) {
      parts.push_back(line.substr(1));
      indented += line.substr(1) + '\n';
    } else {
      finish(indented);
    }
    if (line.find_first_not_of(" \t") == std::string::npos) {
      finish(paragraph);
    } else {
      paragraph += line + '\n';
    }
  }
  finish(indented);
  finish(paragraph);
  return parts;
}

double seconds_to_parse(const std::string& text) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    timespec began{}, ended{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &began);
    parse(text);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
    best = std::min(best, static_cast<double>(ended.tv_sec - began.tv_sec) +
                              static_cast<double>(ended.tv_nsec - began.tv_nsec) * 1e-9);
  }
  return best;
}

// A text that is four times as long takes four times as long.
void check_linear(const std::string& name, const std::string& file) {
  std::string text = file;
  while (text.size() < (32U << 10U)) text += '\n' + file;
  const std::string longer = text + '\n' + text + '\n' + text + '\n' + text;
  double ratio = 0;
  for (int tries = 0; tries < 5 && (tries == 0 || ratio > 8); ++tries)
    ratio = seconds_to_parse(longer) / std::max(seconds_to_parse(text), 1e-6);
  BOOST_TEST(ratio <= 8, name << " takes " << ratio << " times as long if it is four times as long");
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(an_outside_suite, Shells) {
  const char* const suites = std::getenv("WTOOL_SHELL_SUITES");
  if (suites == nullptr) return;
  BOOST_TEST_REQUIRE(!confined.empty(), "the suites need a process namespace");
  std::size_t files = 0;
  std::unordered_set<std::string> seen;
  std::vector<std::string> accepted;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(suites)) {
    if (!entry.is_regular_file()) continue;
    const std::string text = wtool::test::content_of(entry.path());
    ++files;
    check_linear(entry.path().filename(), text);
    for (const std::string& part : parts_of(text)) {
      if (!seen.insert(part).second) continue;
      // Each part as it is; and without paths, as it may be run.
      const Script script = parse(part);
      if (!script.obstacle && !script.commands.empty()) accepted.push_back(part);
      const auto status = static_cast<int>(seen.size() % 2);
      add_line(without_paths(part), status);
    }
  }
  BOOST_TEST(files > 0U);
  // What the policy accepts is no syntax error to any shell, whether it may be run or not.
  check_syntax(accepted);
  finish();
  BOOST_TEST_MESSAGE(files << " files, " << seen.size() << " different parts, of which " << accepted.size()
                           << " are accepted");
}

BOOST_AUTO_TEST_SUITE_END()
