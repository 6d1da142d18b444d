#include "engine/sandbox/git_config.h"

#include <algorithm>

namespace wtool::engine {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }
char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

class GitConfigReader {
 public:
  explicit GitConfigReader(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }

  std::vector<GitSetting> read() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '\n' || is_blank(c)) {
        rest_.remove_prefix(1);
      } else if (c == '#' || c == ';') {
        skip_line();
      } else if (c == '[') {
        if (!section()) break;
      } else if (!setting()) {
        break;
      }
    }
    return std::move(settings_);
  }

 private:
  void skip_line() { rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size())); }

  std::string name() {
    std::string text;
    for (; !rest_.empty() && is_name(rest_.front()); rest_.remove_prefix(1)) text += to_lower(rest_.front());
    return text;
  }

  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }

  // [name], [name "subsection"] or [name.subsection]
  bool section() {
    rest_.remove_prefix(1);
    section_ = name();
    section_ = section_.substr(0, section_.find('.'));
    skip_blanks();
    if (rest_.starts_with('"')) {
      rest_.remove_prefix(1);
      while (!rest_.empty() && rest_.front() != '"' && rest_.front() != '\n') {
        rest_.remove_prefix(rest_.front() == '\\' && rest_.size() > 1 ? 2 : 1);
      }
      if (!rest_.starts_with('"')) return false;
      rest_.remove_prefix(1);
    }
    if (!rest_.starts_with(']')) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool setting() {
    if (!is_letter(rest_.front())) return false;
    GitSetting setting{section_ + '.' + name(), {}};
    skip_blanks();
    if (rest_.starts_with('=')) {
      rest_.remove_prefix(1);
      if (!value(setting.value)) return false;
    }
    settings_.push_back(std::move(setting));
    return true;
  }

  // Blanks at both ends do not count, unless they are in quotes.
  bool value(std::string& text) {
    skip_blanks();
    bool quoted = false;
    std::size_t kept = 0;
    while (!rest_.empty()) {
      char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '\n') break;
      if (!quoted && (c == '#' || c == ';')) {
        skip_line();
        break;
      }
      if (c == '"') {
        quoted = !quoted;
        kept = text.size();
        continue;
      }
      if (c == '\\') {
        if (rest_.starts_with("\r\n")) rest_.remove_prefix(1);
        if (rest_.empty()) return false;
        c = rest_.front();
        rest_.remove_prefix(1);
        if (c == '\n') continue;
        c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'b' ? '\b' : c;
        text += c;
        kept = text.size();
        continue;
      }
      text += c;
      if (quoted || !is_blank(c)) kept = text.size();
    }
    text.resize(kept);
    return !quoted;
  }

  std::string_view rest_;
  std::string section_;
  std::vector<GitSetting> settings_;
};

}  // namespace

std::vector<GitSetting> read_git_settings(std::string_view text) { return GitConfigReader(text).read(); }

std::vector<std::string> paths_in_command(std::string_view line) {
  std::vector<std::string> paths;
  std::string word;
  const auto end_word = [&] {
    if (word.starts_with('!')) word.erase(0, 1);
    if (word.find('/') != std::string::npos) paths.push_back(word);
    word.clear();
  };
  for (const char c : line) {
    if (is_blank(c) || c == '\n' || c == ';' || c == '&' || c == '|' || c == '=' || c == '<' || c == '>') {
      end_word();
    } else if (c != '"' && c != '\'') {
      word += c;
    }
  }
  end_word();
  return paths;
}

}  // namespace wtool::engine
