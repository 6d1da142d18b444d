#include "policy/confinement.h"

#include <algorithm>

#include "policy/arguments.h"
#include "policy/directories.h"

namespace wtool::policy {

namespace {

// What is not a path even where it has slashes: another machine's, by a scheme that says so. One with `..` in it is a
// path to those who take no URL.
bool is_remote(std::string_view text) {
  const std::size_t colon = text.find("://");
  if (colon == std::string_view::npos || colon == 0 || text.starts_with("file:")) return false;
  return text.find("..") == std::string_view::npos &&
         text.substr(0, colon).find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-") ==
             std::string_view::npos;
}

// The places in a word where a path may begin: the word itself, what stands behind = : @ and ,, and in a bundle of
// options the first slash, dots or tilde. Nothing where there are more than are looked at.
std::optional<std::vector<std::string_view>> candidates(std::string_view word, bool is_bundle) {
  constexpr std::size_t most = 64;
  std::vector<std::string_view> found{word};
  if (is_bundle) {
    found.push_back(word.substr(std::min<std::size_t>(word.size(), 2)));
    for (const std::string_view begin : {"/", "..", "~"}) {
      if (const std::size_t at = word.find(begin); at != std::string_view::npos) found.push_back(word.substr(at));
    }
  }
  if (word.starts_with("file://")) found.push_back(word.substr(7));
  for (std::size_t i = 0; i + 1 < word.size(); ++i) {
    if (word[i] != '=' && word[i] != ':' && word[i] != '@' && word[i] != ',') continue;
    if (is_remote(word.substr(0, i + 3)) || word.substr(i).starts_with("://")) continue;
    if (found.size() == most) return std::nullopt;
    found.push_back(word.substr(i + 1));
  }
  return found;
}

// Options for the directory that a command works in.
constexpr std::string_view directory_options[] = {"directory",        "chdir", "cwd", "prefix", "wd", "workdir",
                                                  "working-directory"};

// Programs that run others in a directory of their own.
constexpr std::string_view elsewhere[] = {
    "bwrap", "chroot",  "daemonize", "fakechroot",        "firejail", "git",         "machinectl", "nsenter",
    "proot", "runuser", "schroot",   "start-stop-daemon", "su",       "systemd-run", "unshare"};

// The shell leaves a quoted tilde alone, but some programs expand it themselves.
bool is_home(std::string_view text) { return text.starts_with('~') && text.find('/') != std::string_view::npos; }

}  // namespace

std::optional<std::vector<std::string>> working_directories(const std::vector<Word>& words, std::size_t count,
                                                            const std::vector<std::string>& directories) {
  constexpr std::size_t most = 16;
  std::vector<std::string> all = directories;
  const auto add = [&](std::string_view path) {
    const std::size_t before = all.size();
    for (std::size_t i = 0; i < before; ++i) {
      std::string led = resolve_path(all[i], path);
      if (std::find(all.begin(), all.end(), led) == all.end()) all.push_back(std::move(led));
    }
  };
  for (std::size_t i = 1; i < std::min(count, words.size()); ++i) {
    const std::string_view word = words[i].text;
    const std::string_view next = i + 1 < words.size() ? std::string_view(words[i + 1].text) : std::string_view();
    if (word.starts_with("--")) {
      const std::size_t equals = word.find('=');
      const std::string_view name = word.substr(2, equals == std::string_view::npos ? equals : equals - 2);
      const bool leads =
          std::any_of(std::begin(directory_options), std::end(directory_options),
                      [&](std::string_view option) { return !name.empty() && option.starts_with(name); });
      if (leads) add(equals == std::string_view::npos ? next : word.substr(equals + 1));
    } else if (const std::size_t letter = word.find_first_of("CD"); word.starts_with('-') && letter != word.npos) {
      add(letter + 1 < word.size() ? word.substr(letter + 1) : next);
    }
    if (all.size() > most) return std::nullopt;
  }
  return all;
}

bool runs_elsewhere(std::string_view tool, const std::vector<Word>& words) {
  if (std::find(std::begin(elsewhere), std::end(elsewhere), tool) != std::end(elsewhere)) return true;
  return std::any_of(words.begin() + 1, words.end(), [&](const Word& word) {
    const std::string_view text = word.text;
    if (tool == "find") return text == "-execdir" || text == "-okdir";
    // Its options in one word, of which only the parts are read elsewhere.
    if (tool == "env") return text.starts_with("-") && text.find_first_of("sS") != text.npos;
    if (tool == "sudo") return text == "-i" || text == "--login" || text.starts_with("-R") || text.starts_with("--chr");
    return false;
  });
}

std::optional<Escape> find_escape(std::string_view tool, const std::vector<std::string>& texts,
                                  std::string_view directory, const std::vector<std::string>& roots) {
  const std::vector<bool> is_text = text_words(tool, texts);
  for (std::size_t i = 1; i < texts.size(); ++i) {
    if (is_text[i]) continue;
    const bool is_short = texts[i].size() > 2 && texts[i][0] == '-' && texts[i][1] != '-';
    const bool is_old_bundle = i == 1 && (tool == "tar" || tool == "gtar" || tool == "bsdtar" || tool == "ar");
    const auto places = candidates(texts[i], is_short || is_old_bundle);
    if (!places) return Escape{i, "more places than are looked at"};
    for (const std::string_view candidate : *places) {
      if (candidate.empty() || candidate == "/dev/null" || is_remote(candidate)) continue;
      if (is_home(candidate)) return Escape{i, std::string(candidate)};
      const std::string path = resolve_path(directory, candidate);
      if (!is_within_any(path, roots)) return Escape{i, path};
      // host:path, a:b lists of paths: each part stands for itself.
      const std::size_t cut = candidate.find_first_of(":,");
      if (cut == std::string_view::npos || cut == 0) continue;
      const std::string part = resolve_path(directory, candidate.substr(0, cut));
      if (!is_within_any(part, roots)) return Escape{i, part};
    }
    // A link's target is meant from where the link is.
    if (tool == "ln" && texts[i].find("..") != std::string::npos) return Escape{i, "another place than it says"};
  }
  return std::nullopt;
}

}  // namespace wtool::policy
