#include "policy/wrappers/family.h"

namespace wtool::policy {

namespace {

// What a backslash in front of `c` means; 0: env refuses it.
char escaped(char c) {
  switch (c) {
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case '#':
    case '$':
    case '"':
    case '\'':
    case '\\':
      return c;
    default:
      return '\0';
  }
}

}  // namespace

bool split_string(const Word& text, std::vector<Word>& words) {
  const std::string& from = text.text;
  Word word{{}, true, text.at};
  bool in_word = false;
  char quote = '\0';
  const auto end_word = [&] {
    if (in_word) words.push_back(word);
    word = {{}, true, text.at};
    in_word = false;
  };
  for (std::size_t i = 0; i < from.size(); ++i) {
    const char c = from[i];
    if (quote == '\0' && (c == ' ' || (c >= '\t' && c <= '\r'))) {
      end_word();
      continue;
    }
    if (quote == '\0' && c == '#' && !in_word) break;
    in_word = true;
    if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\') {
      if (++i == from.size()) return false;
      const char next = from[i];
      if (quote == '\'' && next != '\'' && next != '\\') {
        word.text.append({c, next});
      } else if (next == '_' && quote == '\0') {
        end_word();
      } else if (next == '_') {
        word.text.push_back(' ');
      } else if (next == 'c' && quote == '\0') {
        break;
      } else if (escaped(next) != '\0') {
        word.text.push_back(escaped(next));
      } else {
        return false;
      }
    } else if (c == '$' && quote != '\'') {
      const std::size_t close = from.find('}', i);
      if (i + 1 >= from.size() || from[i + 1] != '{' || close == std::string::npos) return false;
      word.literal = false;
      i = close;
    } else {
      word.text.push_back(c);
    }
  }
  if (quote != '\0') return false;
  end_word();
  return true;
}

}  // namespace wtool::policy
