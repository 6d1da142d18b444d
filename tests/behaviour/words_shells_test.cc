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

#include "behaviour/shell_lines.h"
#include "policy/words.h"
#include "support/program.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(words_shells_test)

using namespace wtool::policy;
using wtool::test::ScratchFolder;
using namespace wtool::test::shell_lines;

namespace {

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
  const bool linked = std::find(programs().begin(), programs().end(), program) != programs().end();
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

Run expected_run(const Script& script, int status) {
  const auto is_linked = [](const SimpleCommand& command) {
    return !command.words.empty() &&
           std::find(programs().begin(), programs().end(), command.words.front().text) != programs().end();
  };
  Run run;
  for (const std::vector<std::size_t>& pipeline : pipelines_that_run(script, status, is_linked)) {
    std::vector<Record> together;
    for (const std::size_t at : pipeline) {
      Record record;
      for (const Word& word : script.commands[at].words) record.words.push_back(word.text);
      record.input = input_of(script.commands[at]).value_or("");
      together.push_back(record);
    }
    std::sort(together.begin(), together.end());
    run.push_back(together);
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
    for (const std::string& name : programs()) {
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

// Reads a number from the environment; `otherwise` if it is not set. WTOOL_RANDOM_LINES is the number of random lines
// that are run, and each WTOOL_RANDOM_SEED makes different lines.
int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(accepted_lines_mean_what_was_judged, Shells) {
  for (const std::string& line : accepted_lines()) {
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
    if (check(mutated(random, accepted_lines()[random() % accepted_lines().size()]), {round % 2})) ++run;
  }
  BOOST_TEST(run == wanted);
}

BOOST_AUTO_TEST_SUITE_END()
