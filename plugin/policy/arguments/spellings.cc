#include "policy/arguments/parts.h"

#include <algorithm>

namespace wtool::policy::programs {

namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool begins_with_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view begin) { return word.starts_with(begin); });
}

// Program text of awk may stand in options that only some awks have, and in others that one of them ignores: only these
// are read.
std::optional<Problem> find_in_awk(std::string_view tool, const std::vector<std::string>& words) {
  bool from_file = false;
  for (std::size_t i = 1; i < words.size() && words[i].size() > 1 && words[i].front() == '-'; ++i) {
    const std::string& word = words[i];
    if (word == "--") break;
    // Files of program text, by a name or as a library.
    const bool is_file = begins_with_one_of(word, {"-f", "-i", "-l", "--file=", "--include=", "--load="}) ||
                         is_one_of(word, {"--file", "--include", "--load"});
    from_file = from_file || is_file;
    if (is_one_of(word,
                  {"-F", "-v", "-f", "-i", "-l", "--file", "--include", "--load", "--field-separator", "--assign"})) {
      ++i;
    } else if ((word == "-e" || word == "--source") && tool == "gawk" && !from_file) {
      ++i;
    } else if (!is_file && !begins_with_one_of(word, {"-F", "-v", "--field-separator=", "--assign="}) &&
               !is_one_of(word, {"--version",
                                 "--help",
                                 "-V",
                                 "-h",
                                 "--posix",
                                 "-P",
                                 "--csv",
                                 "-k",
                                 "-b",
                                 "-n",
                                 "-N",
                                 "-S",
                                 "--sandbox",
                                 "-r",
                                 "--re-interval",
                                 "-c",
                                 "--traditional",
                                 "-O",
                                 "--optimize",
                                 "-s"})) {
      return Problem{i, "the option " + word + " of awk may give program text, and is not one that is read",
                     "give the program as the first word"};
    }
  }
  return std::nullopt;
}

// The index of the subcommand; the number of words when they name none.
std::size_t find_git_subcommand(const std::vector<std::string>& words) {
  std::size_t i = 1;
  while (i < words.size() && words[i].starts_with('-')) {
    i += is_one_of(words[i], {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix"})
             ? 2
             : 1;
  }
  return std::min(i, words.size());
}

// True for the option or any abbreviation of it, with a value behind `=` or without.
bool is_option(std::string_view word, std::string_view option, std::size_t shortest) {
  const std::string_view name = word.substr(0, word.find('='));
  return name.size() >= shortest && option.starts_with(name);
}

// %G?, %+G?, %- GK: a sign or a space may stand between; %(signature), %(*signature:key); to sort by one.
bool asks_for_signatures(std::string_view word, std::string_view before) {
  const bool own_value = word.starts_with("--") && word.find('=') != word.npos;
  const std::string_view option = own_value ? word : before;
  if (own_value ? is_option(option, "--sort", 4) : option.find('=') == option.npos && is_option(option, "--sort", 4)) {
    return word.find("signature") != word.npos;
  }
  if (!is_option(option, "--format", 3) && !is_option(option, "--pretty", 4)) return false;
  if (word.find("%(") != word.npos && word.find("signature") != word.npos) return true;
  for (std::size_t at = word.find('%'); at != word.npos; at = word.find('%', at + 1)) {
    const std::size_t letter = word.find_first_not_of("+- ", at + 1);
    if (letter != word.npos && word[letter] == 'G') return true;
  }
  return false;
}

std::optional<Problem> find_in_git(const std::vector<std::string>& words) {
  const std::size_t place = find_git_subcommand(words);
  for (std::size_t i = 1; i + 1 < words.size() && i < place; ++i) {
    const std::string_view setting = words[i + 1];
    if (words[i] == "-c" && setting.size() > 6 &&
        std::equal(setting.begin(), setting.begin() + 6, "alias.",
                   [](char a, char b) { return (a | 0x20) == b || a == b; })) {
      return Problem{i + 1, "an alias of git may stand for any of its commands", "write the command out"};
    }
  }
  if (place == words.size()) return std::nullopt;
  const std::string& name = words[place];
  for (std::size_t i = place + 1; i < words.size(); ++i) {
    if (asks_for_signatures(words[i], words[i - 1])) {
      return Problem{i, "a format with signatures in it makes git run the program that checks them", "leave %G out"};
    }
  }
  if (is_one_of(name, {"submodule--helper",
                       "merge-index",
                       "merge-one-file",
                       "remote-ext",
                       "remote-fd",
                       "daemon",
                       "send-email",
                       "instaweb",
                       "bisect--helper",
                       "rebase--interactive",
                       "difftool--helper",
                       "mergetool--lib",
                       "hook",
                       "for-each-repo",
                       "http-backend",
                       "shell",
                       "p4",
                       "svn",
                       "cvsserver",
                       "web--browse"})) {
    return Problem{place, "git " + name + " runs other programs", "use another command of git"};
  }
  if (!is_one_of(name, {"clone", "init"})) return std::nullopt;
  for (std::size_t i = place + 1; i < words.size(); ++i) {
    if (words[i].starts_with("--t")) {
      return Problem{i, words[i] + " of git " + name + " brings hooks, which are programs", "leave it out"};
    }
  }
  return std::nullopt;
}

// The first word that begins so.
std::optional<Problem> find_beginning(const std::vector<std::string>& words, std::string_view begin,
                                      std::string_view what) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].starts_with(begin)) return Problem{i, words[i] + ' ' + std::string(what), "leave it out"};
  }
  return std::nullopt;
}

// zip's letters stand in bundles, TT is one of them, and its long options may be abbreviated.
std::optional<Problem> find_in_zip(const std::vector<std::string>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with("--un") ||
        (word.starts_with('-') && !word.starts_with("--") && word.find("TT") != word.npos)) {
      return Problem{i, word + " runs another program", "leave it out"};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> find_odd_program(std::string_view tool, const std::vector<std::string>& words) {
  if (is_one_of(tool, {"awk", "gawk", "mawk", "nawk", "original-awk"})) return find_in_awk(tool, words);
  if (tool == "git") return find_in_git(words);
  if (is_one_of(tool, {"make", "gmake"})) return find_beginning(words, "--ev", "is text for make, which runs programs");
  if (tool == "xargs") return find_beginning(words, "--proc", "sets a variable of any name");
  if (is_one_of(tool, {"less", "more", "most"})) return find_beginning(words, "+", "is a command for the pager");
  if (tool == "zip") return find_in_zip(words);
  if (is_one_of(tool, {"npm", "pnpm", "yarn"})) {
    if (auto problem = find_beginning(words, "--shell", "names a program that runs")) return problem;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (words[i] == "explore")
        return Problem{i, "explore of " + std::string(tool) + " runs another program", "leave it out"};
    }
  }
  return std::nullopt;
}

}  // namespace wtool::policy::programs
