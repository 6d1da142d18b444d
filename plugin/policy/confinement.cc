#include "policy/confinement.h"

#include "policy/arguments.h"
#include "policy/directories.h"

namespace wtool::policy {

namespace {

// What is not a path even where it has slashes: another machine's, by a scheme that says so.
bool is_remote(std::string_view text) {
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos || colon == 0 || text.starts_with("file:")) return false;
  return text.substr(0, colon).find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-") ==
         std::string_view::npos;
}

// The places in a word where a path may begin: the word itself, and what stands behind = : @ , and an option's letter.
std::vector<std::string_view> candidates(std::string_view word) {
  std::vector<std::string_view> found{word};
  if (word.size() > 2 && word[0] == '-' && word[1] != '-') found.push_back(word.substr(2));
  if (word.starts_with("file://")) found.push_back(word.substr(7));
  // Bounded, so that a long word of separators does not cost a look at the file system for each of them.
  constexpr std::size_t most = 32;
  for (std::size_t i = 0; i + 1 < word.size() && found.size() < most; ++i) {
    if (word[i] == '=' || word[i] == ':' || word[i] == '@' || word[i] == ',') found.push_back(word.substr(i + 1));
  }
  return found;
}

// The shell leaves a quoted tilde alone, but some programs expand it themselves.
bool is_home(std::string_view text) { return text.starts_with('~') && text.find('/') != std::string_view::npos; }

}  // namespace

std::optional<Escape> find_escape(std::string_view tool, const std::vector<Word>& words, std::string_view directory,
                                  const std::vector<std::string>& roots) {
  std::vector<std::string> texts;
  for (const Word& word : words) texts.push_back(word.text);
  const std::vector<bool> is_text = text_words(tool, texts);
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (is_text[i]) continue;
    for (const std::string_view candidate : candidates(texts[i])) {
      if (candidate.empty() || is_remote(candidate)) continue;
      if (is_home(candidate)) return Escape{i, std::string(candidate)};
      const std::string path = resolve_path(directory, candidate);
      if (!is_within_any(path, roots)) return Escape{i, path};
      // host:path, a:b lists of paths: each part stands for itself.
      const std::size_t cut = candidate.find_first_of(":,");
      if (cut == std::string_view::npos || cut == 0) continue;
      const std::string part = resolve_path(directory, candidate.substr(0, cut));
      if (!is_within_any(part, roots)) return Escape{i, part};
    }
  }
  return std::nullopt;
}

}  // namespace wtool::policy
