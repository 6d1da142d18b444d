#include <algorithm>
#include <array>
#include <unordered_set>

#include "base/shell_quote.h"
#include "base/text.h"
#include "policy/words.h"

namespace wtool::policy {

namespace {

// Appends a word in which status_mark stands for $?.
void append_with_status(std::string& line, std::string_view open) {
  for (std::size_t at = 0; at <= open.size();) {
    const std::size_t mark = std::min(open.find(status_mark, at), open.size());
    if (mark > at) append_shell_quoted(line, open.substr(at, mark - at));
    if (mark < open.size()) line += "\"$?\"";
    at = mark + 1;
  }
}

// True for a word that every shell reads literally, at any position.
bool is_plain_word(std::string_view word) {
  constexpr std::string_view plain = "_-./:,+@%^=";
  const bool characters = std::all_of(word.begin(), word.end(), [&](char c) {
    return is_letter_or_digit(c) || plain.find(c) != std::string_view::npos;
  });
  return characters && !word.empty();
}

// True for a word that some shell takes for a keyword if it begins a command.
bool is_keyword(std::string_view word) {
  constexpr std::string_view keywords[] = {"if",       "then",   "elif",   "else",  "fi",   "do",
                                           "done",     "case",   "esac",   "for",   "in",   "time",
                                           "function", "select", "coproc", "until", "while"};
  return std::find(std::begin(keywords), std::end(keywords), word) != std::end(keywords);
}

std::string_view operator_of(Joint joint) {
  switch (joint) {
    case Joint::end:
      return "";
    case Joint::sequence:
      return ";";
    case Joint::background:
      return " &";
    case Joint::and_then:
      return " &&";
    case Joint::or_else:
      return " ||";
    case Joint::pipe:
      return " |";
  }
  return "";
}

// A delimiter that does not occur as a line of the body. It is short, because old shells truncate long ones.
//
// Dash 0.5.12 loses a byte of the body if it is not ASCII and comes right after a beginning of the delimiter, at the
// beginning of a line. The delimiter therefore begins with a letter with which no line begins that has such a byte. A
// body in which every letter begins such a line may still lose bytes.
std::string delimiter_for(std::string_view body) {
  constexpr std::string_view letters = "EABCDFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr std::string_view rest = "ND_";
  std::unordered_set<std::string_view> taken;
  std::array<bool, 256> begins_line{};
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = std::min(body.find('\n', at), body.size());
    const std::string_view line = body.substr(at, end - at);
    if (line.substr(std::min<std::size_t>(line.size(), 1)).starts_with(rest)) taken.insert(line);
    const bool ascii =
        std::all_of(line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (!ascii) begins_line[static_cast<unsigned char>(line.front())] = true;
    at = end + 1;
  }
  const auto* const free = std::find_if(letters.begin(), letters.end(),
                                        [&](char letter) { return !begins_line[static_cast<unsigned char>(letter)]; });
  const char letter = free == letters.end() ? letters.front() : *free;
  for (std::size_t number = 0;; ++number) {
    std::string delimiter(1, letter);
    delimiter += rest;
    delimiter += std::to_string(number);
    if (taken.count(delimiter) == 0) return delimiter;
  }
}

}  // namespace

std::string written_out(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    // A shell could take the first word for a keyword or, if the word contains a `=`, for an assignment.
    const bool first = line.empty();
    if (!first) line += ' ';
    if (is_plain_word(word) && !(first && (is_keyword(word) || word.find('=') != std::string::npos))) {
      line += word;
    } else {
      append_shell_quoted(line, word);
    }
  }
  return line;
}

std::string regenerate(const Script& script) {
  std::string line;
  std::string bodies;
  for (const SimpleCommand& command : script.commands) {
    if (!line.empty()) line += ' ';
    if (command.negated) line += "! ";
    bool first = true;
    const auto separate = [&] {
      if (!first) line += ' ';
      first = false;
    };
    for (const Word& assignment : command.assignments) {
      separate();
      const std::size_t value = assignment.text.find('=') + 1;
      line.append(assignment.text, 0, value);
      append_shell_quoted(line, std::string_view(assignment.text).substr(value));
    }
    const bool is_cd = !command.words.empty() && command.words.front().text == "cd";
    if (const Word* directory = is_cd ? directory_of_cd(command.words) : nullptr) {
      // -P resolves symbolic links, and -- ends the options. CDPATH is not in the environment (environment.cc).
      separate();
      line += "cd -P -- ";
      append_shell_quoted(line, directory->text);
    } else {
      for (const Word& word : command.words) {
        separate();
        if (word.open.empty()) {
          append_shell_quoted(line, word.text);
        } else {
          append_with_status(line, word.open);
        }
      }
    }
    for (const Redirection& redirection : command.redirections) {
      separate();
      line += redirection.text;
      if (!redirection.is_here_document) continue;
      const std::string delimiter = delimiter_for(redirection.target.text);
      append_shell_quoted(line, delimiter);
      bodies += '\n' + redirection.target.text + delimiter;
    }
    line += operator_of(command.joint);
  }
  line += bodies;
  if (!bodies.empty()) line += '\n';
  return line;
}

}  // namespace wtool::policy
