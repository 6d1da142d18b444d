// Fuzzes policy/words.h. The input is a command line. Whatever the bytes are, the statements below must be true of it.
#include "policy/words.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using namespace wtool::policy;

namespace {

// Ends the program, so that the fuzzer, or ctest, notices.
void require(bool holds, const char* what, std::string_view line) {
  if (holds) return;
  std::fprintf(stderr, "It does not hold that %s: <%.*s>\n", what, static_cast<int>(line.size()), line.data());
  std::abort();
}

void check_range(const Range& range, std::string_view line) {
  require(range.begin <= range.end && range.end <= line.size(), "ranges are inside of the line", line);
}

void check_ranges(const Script& script, std::string_view line) {
  if (script.obstacle) check_range(script.obstacle->at, line);
  if (script.error) check_range(script.error->at, line);
  for (const SimpleCommand& command : script.commands) {
    for (const auto* words : {&command.assignments, &command.words}) {
      for (const Word& word : *words) check_range(word.at, line);
    }
    for (const Redirection& redirection : command.redirections) {
      check_range(redirection.at, line);
      check_range(redirection.target.at, line);
    }
  }
}

bool same_words(const std::vector<Word>& one, const std::vector<Word>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Word& a, const Word& b) { return a.text == b.text && a.literal == b.literal; });
}

// The redirections as text, because `&>/dev/null` is regenerated as two.
std::string texts_of_redirections(const std::vector<Redirection>& redirections) {
  std::string texts;
  for (const Redirection& each : redirections) {
    texts += ' ' + each.text;
    if (each.is_here_document) texts += '\n' + each.target.text;
  }
  return texts;
}

bool replaces_input(const std::vector<Redirection>& redirections) {
  return std::any_of(redirections.begin(), redirections.end(), [](const Redirection& each) { return each.is_input; });
}

// When a line is regenerated, its `cd` gets options.
std::vector<Word> as_regenerated(const std::vector<Word>& words) {
  const bool is_cd = !words.empty() && words.front().text == "cd";
  const Word* const directory = is_cd ? directory_of_cd(words) : nullptr;
  if (directory == nullptr) return words;
  return {words.front(), Word{"-P", true, {}}, Word{"--", true, {}}, *directory};
}

void check_regenerated(const Script& script, std::string_view line) {
  const std::string regenerated = regenerate(script);
  const Script again = parse(regenerated);
  require(!again.obstacle, "a regenerated line has no obstacle", line);
  require(again.commands.size() == script.commands.size(), "a regenerated line has the same commands", line);
  for (std::size_t i = 0; i < script.commands.size(); ++i) {
    const SimpleCommand& one = script.commands[i];
    const SimpleCommand& other = again.commands[i];
    require(same_words(as_regenerated(one.words), other.words), "a regenerated line has the same words", line);
    require(texts_of_redirections(one.redirections) == texts_of_redirections(other.redirections),
            "... the same redirections", line);
    require(replaces_input(one.redirections) == replaces_input(other.redirections), "... the same input", line);
    require(one.joint == other.joint && one.negated == other.negated, "... the same joints", line);
    require(one.reads_pipe == other.reads_pipe && !other.nested, "... the same pipes", line);
  }
}

// A command is shown as words that mean the same command.
void check_written_out(const SimpleCommand& command, std::string_view line) {
  if (command.words.empty()) return;
  const Script again = parse(written_out(texts_of(command.words)));
  require(!again.obstacle && again.commands.size() == 1, "words that are written out are one command", line);
  require(same_words(command.words, again.commands.front().words), "... of the same words", line);
}

void check_literal(const Script& script, std::string_view line) {
  for (const SimpleCommand& command : script.commands) {
    check_written_out(command, line);
    require(command.assignments.empty() && !command.nested, "a line without an obstacle is flat", line);
    require(!command.words.empty() || !command.redirections.empty(), "no command is empty", line);
    require(std::all_of(command.words.begin(), command.words.end(), [](const Word& word) { return word.literal; }),
            "a line without an obstacle is literal", line);
    for (const Redirection& each : command.redirections) {
      require(each.target.literal, "a line without an obstacle has literal redirections", line);
      require(!each.to_file || (each.is_input && !each.target.text.starts_with("/dev/")),
              "a line without an obstacle only reads files, and none in /dev", line);
    }
  }
}

void check_plain(const Script& script, std::string_view line) {
  const auto plain = plain_command(line);
  if (!plain) return;
  require(!script.obstacle && script.commands.size() == 1, "a plain command is one command", line);
  const SimpleCommand& command = script.commands.front();
  require(std::equal(plain->begin(), plain->end(), command.words.begin(), command.words.end(),
                     [](const std::string& one, const Word& other) { return one == other.text; }),
          "a plain command has the words that were read", line);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const Script script = parse(line);
  require(!script.error || script.obstacle, "an error is an obstacle, too", line);
  check_ranges(script, line);
  check_plain(script, line);
  for (const Shell shell : {Shell::bash, Shell::dash}) {
    const Script one = parse(line, shell);
    check_ranges(one, line);
    require(one.commands.size() <= script.commands.size() || script.error, "any shell's commands are known", line);
  }
  for (const Script& one : {script, parse(line, Shell::any, true)}) {
    if (one.obstacle) continue;
    check_literal(one, line);
    check_regenerated(one, line);
  }
  return 0;
}
