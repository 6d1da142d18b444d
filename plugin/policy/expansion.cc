#include "policy/expansion.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/listing.h"
#include "base/text.h"
#include "base/utf8.h"
#include "policy/arguments.h"
#include "policy/builtins.h"
#include "policy/directories.h"
#include "policy/programs.h"
#include "policy/programs/reader.h"
#include "policy/wrappers.h"

namespace wtool::policy {

namespace {

constexpr std::size_t max_names = 10000;
constexpr std::size_t max_entries = 100000;  // how many entries of folders may be read for one line

// How many bytes the words of a line may have together. This is a quarter of the kernel's limit, because that limit
// includes the environment.
std::size_t max_word_bytes() {
  const long all = ::sysconf(_SC_ARG_MAX);
  return all > 0 ? static_cast<std::size_t>(all) / 4 : std::size_t{512} * 1024;
}

bool is_glob(char c) { return c == star_mark || c == any_mark || c == bracket_mark; }
bool has_glob(std::string_view pattern) { return std::any_of(pattern.begin(), pattern.end(), is_glob); }

// True for a value that stays one word when a shell expands it without quotes.
bool is_one_word(std::string_view value) {
  return !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
    return is_letter_or_digit(c) || std::string_view("_-./:,+@%=").find(c) != std::string_view::npos;
  });
}

// The pattern as it was written in the line.
std::string written(std::string_view pattern) {
  std::string text(pattern);
  for (char& c : text) c = c == star_mark ? '*' : c == any_mark ? '?' : c == bracket_mark ? '[' : c;
  return text;
}

std::size_t character_size(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && size < 4 && continues_character(text[size])) ++size;
  return static_cast<unsigned char>(text.front()) >= 0xC0U ? size : 1;
}

// A set in brackets: the position of its ], and whether the set matches a character.
struct Set {
  std::size_t end = std::string_view::npos;
  bool matches = false;
};

Set read_set(std::string_view pattern, std::size_t at, std::string_view c) {
  Set set;
  const bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (negated) ++at;
  bool any = false;
  for (std::size_t i = at; i < pattern.size(); ++i) {
    if (pattern[i] == ']' && i > at) {
      set.end = i;
      set.matches = any != negated;
      return set;
    }
    const bool is_range = i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']';
    if (c.size() == 1 && !is_range) any = any || c[0] == pattern[i];
    if (c.size() == 1 && is_range) any = any || (c[0] >= pattern[i] && c[0] <= pattern[i + 2]);
    if (is_range) i += 2;
  }
  return set;
}

// True if the meaning of a set depends on the shell or on the locale. The exception is a range of letters of one case,
// which is accepted even though some locales read it differently.
bool has_unclear_set(std::string_view pattern) {
  for (std::size_t at = pattern.find(bracket_mark); at != std::string_view::npos;
       at = pattern.find(bracket_mark, at + 1)) {
    const std::size_t end = std::min(pattern.find(']', std::min(at + 2, pattern.size())), pattern.size());
    const std::string_view set = pattern.substr(at + 1, end - at - 1);
    if (set.empty() || end == pattern.size()) return true;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const char c = set[i];
      const bool plain = is_word_character(c) || c == '.' || (c == '-' && i > 0) || (i == 0 && c == '!');
      if (!plain) return true;
      if (c != '-' || i + 1 == set.size()) continue;
      const auto same_kind = [](char a, char b, char low, char high) { return a >= low && a <= b && b <= high; };
      const char from = set[i - 1], to = set[i + 1];
      // A range must stay within digits, small letters or capital letters. It is read as in the C locale; in some other
      // locales, [a-z] includes capital letters.
      if (!same_kind(from, to, '0', '9') && !same_kind(from, to, 'a', 'z') && !same_kind(from, to, 'A', 'Z')) {
        return true;
      }
    }
  }
  return false;
}

// True if a name matches one component of a pattern. Only the last star is retried, so the time is at
// most proportional to the product of both lengths.
bool matches(std::string_view pattern, std::string_view name) {
  if (name.starts_with('.') && !pattern.starts_with('.')) return false;
  std::size_t p = 0, n = 0, star = std::string_view::npos, tried = 0;
  while (n < name.size()) {
    const std::size_t size = character_size(name.substr(n));
    std::size_t next = p;
    bool same = false;
    if (p < pattern.size() && pattern[p] == star_mark) {
      star = p++;
      tried = n;
      continue;
    }
    if (p < pattern.size() && pattern[p] == any_mark) {
      same = true;
      next = p + 1;
    } else if (p < pattern.size() && pattern[p] == bracket_mark) {
      const Set set = read_set(pattern, p + 1, name.substr(n, size));
      same = set.matches;
      next = set.end + 1;
    } else if (p < pattern.size() && name.substr(n, size) == pattern.substr(p, size)) {
      same = true;
      next = p + size;
    }
    if (same) {
      p = next;
      n += size;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      tried += character_size(name.substr(tried));
      n = tried;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == star_mark) ++p;
  return p == pattern.size();
}

// The names that match a pattern in a directory.
class Glob {
 public:
  Glob(const Surroundings& surroundings, std::string_view directory, std::size_t& entries)
      : surroundings_(surroundings), directory_(directory), entries_(entries) {}

  // The names, sorted. Empty: nothing matches, or problem() says why the names are not known.
  std::vector<std::string> names(std::string_view pattern) {
    // The folders before the first glob are checked as one path, because the first of them alone may be above the
    // roots.
    const std::size_t glob =
        static_cast<std::size_t>(std::find_if(pattern.begin(), pattern.end(), is_glob) - pattern.begin());
    const std::size_t slash = pattern.substr(0, glob).rfind('/');
    known_ = slash == std::string_view::npos ? 0 : slash + 1;
    if (leads_out(std::string(pattern.substr(0, known_)))) return {};
    walk("", pattern);
    std::sort(names_.begin(), names_.end());
    return std::move(names_);
  }
  const std::string& problem() const { return problem_; }

 private:
  // `done` are the leading parts of the path that have been matched, with their slashes.
  void walk(const std::string& done, std::string_view rest) {
    if (!problem_.empty()) return;
    std::size_t begin = 0;
    while (begin < rest.size() && rest[begin] == '/') ++begin;
    const std::string path = done + std::string(rest.substr(0, begin));
    rest.remove_prefix(begin);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view part = rest.substr(0, end);
    const std::string_view behind = rest.substr(end);
    if (part.empty()) return take(path);
    if (!has_glob(part)) return walk_into(path + std::string(part), behind);
    std::vector<std::string> found;
    if (!read(path, part, found)) return;
    for (const std::string& name : found) walk_into(path + name, behind);
  }

  void walk_into(const std::string& path, std::string_view behind) {
    if (behind.empty()) return take(path);
    if (path.size() > known_ && leads_out(path)) return;
    struct stat about {};
    if (::stat(absolute(path).c_str(), &about) == 0 && S_ISDIR(about.st_mode)) walk(path, behind);
  }

  void take(const std::string& path) {
    struct stat about {};
    if (::lstat(absolute(path).c_str(), &about) != 0) return;
    names_.push_back(path);
    if (names_.size() > max_names) problem_ = "a glob that matches more than " + std::to_string(max_names) + " names";
  }

  bool read(const std::string& path, std::string_view part, std::vector<std::string>& found) {
    const std::string folder = absolute(path.empty() ? "." : path);
    if (leads_out(path)) return false;
    const Listing directory(::opendir(folder.c_str()));
    if (!directory) return true;
    while (const dirent* entry = ::readdir(directory.get())) {
      if (++entries_ > max_entries) {
        problem_ = "a glob for which more than " + std::to_string(max_entries) + " names would have to be read";
        return false;
      }
      const std::string_view name = entry->d_name;
      if (name != "." && name != ".." && matches(part, name)) found.emplace_back(name);
    }
    return true;
  }

  // Not even an error may reveal whether something exists outside of the roots.
  bool leads_out(const std::string& path) {
    if (!surroundings_.confined ||
        is_within_any(resolve_path(directory_, path.empty() ? "." : path), surroundings_.roots)) {
      return false;
    }
    problem_ = "a glob that leads out of directories.roots";
    return true;
  }

  std::string absolute(const std::string& path) const {
    return path.starts_with('/') ? path : std::string(directory_) + '/' + path;
  }

  const Surroundings& surroundings_;
  std::string_view directory_;
  std::size_t& entries_;
  std::size_t known_ = 0;  // how many bytes precede the first part with a glob
  std::vector<std::string> names_;
  std::string problem_;
};

// True if the command, and everything that it runs, certainly changes no file.
bool leaves_files(const SimpleCommand& command, int depth) {
  constexpr int deepest = 16;
  if (command.words.empty() || depth > deepest) return false;
  const std::string_view tool = base_name(command.words.front().text);
  std::vector<std::string> known;
  for (const Word& word : command.words) {
    if (!word.literal) break;
    known.push_back(word.text);
  }
  if (known.size() == command.words.size()) {
    if (judge_arguments(tool, known).kind != ArgumentJudgement::Kind::safe) return false;
  } else if (known.empty() || !takes_more_arguments(tool, known)) {
    const bool only_paths = std::all_of(command.words.begin(), command.words.end(),
                                        [](const Word& word) { return word.literal || word.is_path; });
    if (!only_paths || !takes_paths(tool, command.words)) return false;
  }
  const std::vector<Inner> inners = inner_commands(tool, command);
  return std::all_of(inners.begin(), inners.end(), [&](const Inner& inner) {
    return inner.kind == Inner::Kind::command && leaves_files(inner.command, depth + 1);
  });
}

class Expander {
 public:
  Expander(Script& script, const Surroundings& surroundings)
      : script_(script), surroundings_(surroundings), directory_(surroundings.directory) {}

  std::optional<NotExpanded> run() {
    for (SimpleCommand& command : script_.commands) {
      if (auto problem = expand(command)) return problem;
      follow(command);
    }
    script_.obstacle.reset();
    return std::nullopt;
  }

 private:
  std::optional<NotExpanded> expand(SimpleCommand& command) {
    if (!command.assignments.empty() && (command.words.empty() || is_shell_word(command.words.front().text))) {
      return NotExpanded{command.assignments.front().at, "an assignment without a program after it",
                         "write export NAME=value && ..., or give the variable in the call's environment"};
    }
    if (command.words.empty()) return std::nullopt;
    const std::string program = command.words.front().text;
    std::vector<Word> words;
    for (Word& word : command.words) {
      if (word.open.empty()) {
        words.push_back(std::move(word));
      } else if (auto problem = expand(word, program, words)) {
        return problem;
      }
    }
    command.words = std::move(words);
    return std::nullopt;
  }

  std::optional<NotExpanded> expand(const Word& word, const std::string& program, std::vector<Word>& words) {
    std::string pattern;
    bool has_status = false;
    for (const char c : word.open) {
      if (c == home_mark || c == directory_mark) {
        const bool is_home = c == home_mark;
        const std::string name = is_home ? "HOME" : "PWD";
        const std::string_view value = is_home      ? std::string_view(surroundings_.home)
                                       : directory_ ? std::string_view(*directory_)
                                                    : std::string_view();
        if (sets_variables_ || value.empty()) {
          return NotExpanded{word.at, "$" + name + ", whose value is not known here", "write the directory out"};
        }
        if (!is_one_word(value)) {
          return NotExpanded{word.at, "$" + name + ", whose value a shell may split or expand",
                             "write the directory out, in quotes"};
        }
        pattern += value;
      } else {
        has_status = has_status || c == status_mark;
        pattern += c;
      }
    }
    if (has_status) return status(word, program, pattern, words);
    if (!has_glob(pattern)) {
      words.push_back({pattern, true, word.at, {}});
      return std::nullopt;
    }
    return glob(word, pattern, words);
  }

  // $? is a number whatever has run before, so a builtin that prints or compares it can do nothing else with it.
  std::optional<NotExpanded> status(const Word& word, const std::string& program, const std::string& pattern,
                                    std::vector<Word>& words) {
    const bool is_format = program == "printf" && words.size() < 2;
    if (!only_looks(program) || program == "pwd" || is_format || has_glob(pattern)) {
      return NotExpanded{word.at, "$? as an argument of a program; its value is known only when the command runs",
                         "print it with echo"};
    }
    Word known{pattern, true, word.at, pattern};
    std::replace(known.text.begin(), known.text.end(), static_cast<char>(status_mark), '0');
    words.push_back(std::move(known));
    return std::nullopt;
  }

  std::optional<NotExpanded> glob(const Word& word, const std::string& pattern, std::vector<Word>& words) {
    if (!directory_) {
      return NotExpanded{word.at, "a glob after a cd that may have failed",
                         "write cd DIRECTORY && ..., or name the directory as working_directory"};
    }
    if (changes_files_ || sets_variables_) {
      return NotExpanded{word.at, "a glob after a command that may change which files exist",
                         "give the glob in a call of its own, or write the names out"};
    }
    if (has_unclear_set(pattern)) {
      return NotExpanded{word.at, "a glob with [...] that shells read differently",
                         "write the characters out, or the names"};
    }
    Glob glob(surroundings_, *directory_, entries_);
    const std::vector<std::string> names = glob.names(pattern);
    if (!glob.problem().empty()) return NotExpanded{word.at, glob.problem(), "name fewer files"};
    for (const std::string& name : names) {
      if (!is_utf8(name)) {
        return NotExpanded{word.at, "a glob that matches a name that is not UTF-8, which nobody could approve",
                           "write the other names out, or rename that file"};
      }
      bytes_ += name.size() + 1 + sizeof(char*);
      words.push_back({name, true, word.at, {}});
    }
    if (bytes_ > max_word_bytes()) {
      return NotExpanded{word.at, "a glob that matches more names than one command can take", "name fewer files"};
    }
    if (names.empty()) words.push_back({written(pattern), true, word.at, {}});
    return std::nullopt;
  }

  // Records what later commands can rely on after this one.
  void follow(const SimpleCommand& command) {
    note(command);
    before_ = command.joint;
  }

  void note(const SimpleCommand& command) {
    if (command.words.empty()) return;
    const std::string& name = command.words.front().text;
    if (name == "cd") {
      const Word* const to = directory_of_cd(command.words);
      if (directory_ && to != nullptr && command.joint == Joint::and_then && !command.negated &&
          before_ != Joint::or_else && before_ != Joint::pipe) {
        directory_ = resolve_folder(*directory_, to->text);
        if (*directory_ == unknown_folder) directory_.reset();
      } else {
        directory_.reset();
      }
      has_moved_ = true;
    } else if (name == "set" || name == "export") {
      sets_variables_ = true;
    } else if (!only_looks(name) && !leaves_files(command, 0)) {
      changes_files_ = true;
    }
    // After `cd x && a; b`, b runs in x or, if cd failed, in the previous directory.
    if (has_moved_ && command.joint != Joint::and_then && command.joint != Joint::pipe) directory_.reset();
  }

  Script& script_;
  const Surroundings& surroundings_;
  std::optional<std::string> directory_;  // in which the next command certainly runs; absent: not certain
  Joint before_ = Joint::sequence;        // how the previous command is joined to this one
  bool has_moved_ = false;
  bool changes_files_ = false;
  bool sets_variables_ = false;
  std::size_t entries_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

std::optional<NotExpanded> expand_known(Script& script, const Surroundings& surroundings) {
  return Expander(script, surroundings).run();
}

}  // namespace wtool::policy
