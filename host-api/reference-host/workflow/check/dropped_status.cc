#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "base/utf8.h"
#include "workflow/check/checks.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host::workflow {
namespace {

constexpr std::size_t longest_shown = 40;  // bytes of a command in a message

// Reads the commands of a line one after the other, as far as needed to see whose status is dropped. In doubt, it finds
// nothing: after a here-document, inside parentheses, and for commands whose failure does not matter.
class DroppedStatus {
 public:
  explicit DroppedStatus(std::string_view text) : text_(text) { read(); }

  // The first command whose status is dropped by the one after it, as a part of the text. Nothing: no status is dropped,
  // or the text is in doubt.
  std::optional<std::string_view> found() const { return found_; }
  // The same for the first command whose output goes to `tee`: a pipeline has the status of its last command.
  std::optional<std::string_view> found_before_tee() const { return found_before_tee_; }

 private:
  // One command, with all that `&&`, `||` and `|` join to it.
  struct Command {
    std::size_t begin = std::string_view::npos;  // npos: it has no word yet
    std::string name;                            // its first word, without assignments before it
    std::string_view before_pipe;                // what stands before the last `|`; empty: nothing
    std::string last_name;                       // the first word after that
    bool is_harmless = false;                    // its status is handled, or does not matter
  };

  void read() {
    while (at_ < text_.size()) {
      if (!step() || in_doubt_) return;
    }
    end_word();
    if (!in_doubt_ && depth_ == 0) end_command();
  }

  char look(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool sees(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  // False: the text is in doubt.
  bool step() {
    const char c = look();
    if (c == ' ' || c == '\t' || sees("\\\n")) {
      end_word();
      at_ += c == '\\' ? 2 : 1;
      return true;
    }
    if (c == '#' && word_begin_ == std::string_view::npos) {
      at_ = std::min(text_.find('\n', at_), text_.size());
      return true;
    }
    if (c == ';' || c == '\n') return separator();
    if (c == '&' || c == '|') return joint(c);
    if (sees("<<") && !sees("<<<")) return false;
    if (c == '(') {
      end_word();
      begin_command();
      command_.is_harmless = true;
      is_first_word_ = true;
      return skip_one();
    }
    if (c == ')') {  // of a pattern of `case`
      end_word();
      is_first_word_ = true;
      ++at_;
      return true;
    }
    if (c == '<' || c == '>') end_word();
    if (word_begin_ == std::string_view::npos) word_begin_ = at_;
    begin_command();
    return skip_one();
  }

  void begin_command() {
    if (command_.begin == std::string_view::npos) command_.begin = at_;
  }

  // Skips a character, or a quote or an expansion as a whole.
  bool skip_one() {
    const char c = look();
    if (c == '\\') {
      at_ += 2;
      return at_ <= text_.size();
    }
    if (c == '\'' || c == '`') return skip_to(c == '`' ? "`" : "'", 1);
    if (sees("{{")) return skip_to("}}", 2);
    if (c == '"') return skip_nested('"', 1);
    if (sees("${")) return skip_nested('}', 2);
    if (sees("$(")) return skip_nested(')', 2);
    if (c == '(') return skip_nested(')', 1);
    ++at_;
    return true;
  }

  bool skip_to(std::string_view end, std::size_t from) {
    const std::size_t found = text_.find(end, at_ + from);
    if (found == std::string_view::npos) return false;
    at_ = found + end.size();
    return true;
  }

  bool skip_nested(char end, std::size_t opened) {
    if (++nesting_ > 50) return false;
    at_ += opened;
    while (at_ < text_.size() && look() != end) {
      if (end == '"' && (look() == '\'' || look() == '(')) {
        ++at_;  // an ordinary character
      } else if (!skip_one()) {
        return false;
      }
    }
    --nesting_;
    return at_++ < text_.size();
  }

  bool separator() {
    end_word();
    const bool is_case = sees(";;");
    at_ += is_case ? 2 : 1;
    is_first_word_ = true;
    if (depth_ == 0) end_command();
    return !is_case || depth_ > 0;
  }

  bool joint(char c) {
    const bool redirects =
        c == '&' && (look(1) == '>' || (at_ > 0 && (text_[at_ - 1] == '>' || text_[at_ - 1] == '<')));
    if (redirects) {
      ++at_;
      return true;
    }
    end_word();
    const bool is_double = look(1) == c;
    end_pipeline();
    if (depth_ == 0 && c == '|' && !is_double && command_.begin != std::string_view::npos) {
      command_.before_pipe = trim(text_.substr(command_.begin, at_ - command_.begin));
      command_.last_name.clear();
    }
    if (depth_ == 0 && sees("||")) command_.is_harmless = true;
    if (depth_ == 0 && c == '&' && !is_double) {
      command_ = {};  // it runs in the background
      previous_.reset();
    }
    at_ += is_double || sees("|&") ? 2 : 1;
    is_first_word_ = true;
    return true;
  }

  void end_word() {
    if (word_begin_ == std::string_view::npos) return;
    const std::string_view word = text_.substr(word_begin_, at_ - word_begin_);
    word_begin_ = std::string_view::npos;
    const std::size_t equals = word.find('=');
    if (!is_first_word_ || (equals != std::string_view::npos && is_variable_name(word.substr(0, equals)))) {
      if (command_.name == "set" && is_errexit(word)) in_doubt_ = true;
      return;
    }
    is_first_word_ = is_one_of(word, {"!", "do", "then", "else", "elif", "if", "while", "until", "{", "time"});
    if (depth_ == 0 && command_.name.empty()) command_.name = word;
    if (depth_ == 0) command_.last_name = word;
    // A keyword that ends nothing makes no command that a shell can read.
    const bool is_stray = depth_ == 0 && is_one_of(word, {"fi", "done", "esac", "}", "do", "then", "else", "elif"});
    in_doubt_ = in_doubt_ || is_stray || word == "function";
    if (is_one_of(word, {"if", "for", "while", "until", "case", "select", "{"})) {
      ++depth_;
      command_.is_harmless = true;
    } else if (depth_ > 0 && is_one_of(word, {"fi", "done", "esac", "}"})) {
      --depth_;
    }
  }

  static bool is_errexit(std::string_view word) {
    return word == "errexit" || (word.starts_with('-') && !word.starts_with("--") && word.find('e') != word.npos);
  }

  void end_pipeline() {
    const bool is_harmless = is_one_of(command_.name, {"echo", "printf", "true", ":"});
    if (found_before_tee_ || command_.last_name != "tee" || command_.before_pipe.empty() || is_harmless) return;
    found_before_tee_ = command_.before_pipe;
  }

  void end_command() {
    end_pipeline();
    if (command_.begin == std::string_view::npos) return;
    std::string_view all = trim(text_.substr(command_.begin, at_ - command_.begin));
    while (all.ends_with(';')) all = trim(all.substr(0, all.size() - 1));
    // `make; true` says that a failure does not matter, and `make; test $? = 2` looks at the status.
    const bool uses_status = all.find("$?") != all.npos || is_one_of(command_.name, {"true", ":", "exit", "return"});
    if (previous_ && !uses_status && !found_ && !in_doubt_) found_ = previous_;
    const bool cannot_matter =
        command_.is_harmless || command_.name.empty() ||
        is_one_of(command_.name, {"!",      "[",        "[[",    "test",  "set",    "shopt", "trap",
                                  "export", "readonly", "unset", "umask", "ulimit", "alias", "echo",
                                  "printf", "true",     ":",     "sleep", "wait",   "exit",  "exec"});
    previous_ = cannot_matter ? std::nullopt : std::optional(all);
    command_ = {};
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::size_t word_begin_ = std::string_view::npos;  // npos: no word is being read
  bool is_first_word_ = true;                        // the next word begins a command
  std::size_t depth_ = 0;                            // of `if`, `for`, `case`, ...
  int nesting_ = 0;                                  // of quotes and expansions
  Command command_;
  std::optional<std::string_view> previous_;  // the command before, if its status matters
  std::optional<std::string_view> found_;
  std::optional<std::string_view> found_before_tee_;
  bool in_doubt_ = false;  // or after `set -e`: the line stops at a failure
};

// True if the text turns on the option: `set -o pipefail`, `bash -euo pipefail`.
bool sets_pipefail(const std::string& text) {
  static const RE2 option(R"((?:^|[\s;&|({])-[A-Za-z]*o[A-Za-z]*\s+pipefail(?:[\s;&|)}]|$))");
  return RE2::PartialMatch(text, option);
}

}  // namespace

void check_dropped_status(const ShellAction& shell, const Workflow& workflow, Diagnostics& diagnostics) {
  const std::string& written = shell.command.written.text();
  // What a tag makes is known only during a run.
  if (written.find("{%") != std::string::npos) return;
  const auto tell = [&](std::optional<std::string_view> lost, const std::string& why) {
    if (!lost) return;
    std::string shown(lost->substr(0, lost->find('\n')));
    if (shown.size() > longest_shown) shown = shown.substr(0, cut_before(shown, longest_shown)) + "...";
    diagnostics.warn(shell.command.written.locate(static_cast<std::size_t>(lost->data() - written.data())),
                     "a failure of `" + shown + "` is lost, because " + why);
  };
  const DroppedStatus status(written);
  if (!sets_pipefail(first_line_of(shell, workflow) + written)) {
    tell(status.found_before_tee(),
         "a pipeline has the status of its last command; write it in a ```bash block, where a failure of any of its "
         "commands counts");
  }
  // Whoever writes shell_options has decided what a failure does.
  if (shell.is_block || shell.shell_options) return;
  tell(
      status.found(),
      "the command continues after it; join the commands with `&&`, or write them in a ```sh block, which stops at the "
      "first failure");
}

}  // namespace wtool::host::workflow
