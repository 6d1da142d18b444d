// Commands that consist of commands: subshells, control structures, functions, coprocesses.
#include <algorithm>

#include "policy/words/reader.h"

namespace wtool::policy {

// Called at a `(`. Reads a subshell, or bash's arithmetic command.
void WordReader::subshell(std::size_t begin) {
  if (peek_second() == '(') {
    const bool bash = bash_only(begin, "two parentheses, which shells read differently");
    if (bash) {
      const Mark back = mark();
      take('(');
      take('(');
      if (arithmetic('(', ')', 2) || failed()) return;
      go_back(back);
      note(begin, "two parentheses, which shells read differently");
      if (failed()) return;
    }
  }
  take('(');
  note(begin, "a subshell");
  const Nest nest(*this);
  if (failed()) return;
  const bool any = list();
  if (failed()) return;
  if (!any) return unexpected();
  if (!take(')')) fail(begin, "a ( without its )");
}

void WordReader::if_clause() {
  for (;;) {
    if (!list()) unexpected();
    if (!expect(Keyword::then, "an if without its then")) return;
    if (!list()) unexpected();
    if (failed()) return;
    std::size_t behind = 0;
    const Keyword next = keyword(behind);
    if (next == Keyword::elif) {
      at_ = behind;
      continue;
    }
    if (next == Keyword::else_) {
      at_ = behind;
      if (!list()) unexpected();
    }
    expect(Keyword::fi, "an if without its fi");
    return;
  }
}

// Reads the body of a loop: do ... done or, after for and select, { ... } as bash also allows.
void WordReader::loop() {
  if (failed()) return;
  skip_newlines();
  std::size_t behind = 0;
  const bool braces = keyword(behind) == Keyword::open_brace;
  if (braces ? bash_only(at_, "a loop in braces") : true) {
    if (braces) {
      at_ = behind;
    } else if (!expect(Keyword::do_, "a loop without its do")) {
      return;
    }
    if (!list()) unexpected();
    expect(braces ? Keyword::close_brace : Keyword::done, "a loop without its end");
    return;
  }
  fail(at_, "a loop without its do");
}

void WordReader::for_clause(std::size_t begin) {
  skip_blanks();
  if (peek() == '(') {
    step();
    if (!bash_only(begin, "an arithmetic loop") || !take('(') || !arithmetic('(', ')', 2))
      return fail(begin, "a for without its variable");
  } else {
    if (!starts_word()) return fail(begin, "a for without its variable");
    word(Place::argument);
    skip_newlines();
    std::size_t behind = 0;
    if (keyword(behind) == Keyword::in) {
      at_ = behind;
      for (skip_blanks(); starts_word() && !failed(); skip_blanks()) word(Place::argument);
    }
  }
  skip_blanks();
  if (peek() == ';' && peek_second() != ';') step();
  loop();
}

void WordReader::case_clause() {
  skip_blanks();
  if (!starts_word()) return fail(at_, "a case without its word");
  word(Place::argument);
  if (!expect(Keyword::in, "a case without its in")) return;
  while (!failed()) {
    skip_newlines();
    std::size_t behind = 0;
    if (keyword(behind) == Keyword::esac) {
      at_ = behind;
      return;
    }
    take('(');
    do {
      skip_blanks();
      if (!starts_word()) return fail(at_, "a case without its pattern, or without its esac");
      word(Place::pattern);
      skip_blanks();
    } while (!failed() && take('|'));
    if (!take(')')) return fail(at_, "a pattern of a case without its )");
    list();
    skip_blanks();
    if (peek() != ';') {
      expect(Keyword::esac, "a case without its esac");
      return;
    }
    const std::size_t begin = at_;
    step();
    const bool second = take(';');
    if (peek() == '&') {
      if (!bash_only(begin, "a case that falls through")) return unexpected();
      step();
    } else if (!second) {
      return fail(begin, "an unexpected ;");
    }
  }
}

// Reads the text after `[[`, up to its `]]`: words and operators, in which only substitutions run anything.
void WordReader::conditional(std::size_t begin) {
  while (!failed()) {
    skip_blanks();
    const char c = peek();
    if (c == '\0') return fail(begin, "a [[ without its ]]");
    if (c == '\n') {
      if (!pending_.empty()) return give_up(begin, "a here-document in front of a [[ of several lines");
      step();
    } else if (starts_word()) {
      const ReadWord read = word(Place::condition);
      if (!read.quoted && read.word.text == "]]") return;
    } else {
      step();
    }
  }
}

// Reads the text after bash's keyword `function`.
void WordReader::function(std::size_t begin) {
  skip_blanks();
  if (!starts_word()) return fail(begin, "a function without its name");
  word(Place::argument);
  skip_blanks();
  if (take('(')) {
    skip_blanks();
    if (!take(')')) return fail(begin, "a ( without its )");
  }
  function_body();
}

void WordReader::function_body() {
  skip_newlines();
  const Nest nest(*this);
  if (!failed()) command();
}

// Reads the text after bash's keyword `coproc`: a command or, if it is compound, perhaps a name and then the command.
void WordReader::coprocess() {
  skip_blanks();
  const std::size_t begin = at_;
  while (at_ < end_ && is_word_character(text_[at_])) step();
  if (at_ > begin && is_blank(peek())) {
    skip_blanks();
    std::size_t behind = 0;
    const Keyword next = keyword(behind);
    if (peek() == '(' || (next != Keyword::no && next != Keyword::bang && next != Keyword::time)) {
      command();
      return;
    }
  }
  at_ = begin;
  command();
}

// In the script, the redirections of a compound command appear as a command without words.
void WordReader::redirections_of_compound(std::size_t first_command) {
  if (failed()) return;
  skip_blanks();
  const std::size_t slot = findings_.script.commands.size();
  SimpleCommand holder;
  holder.nested = true;
  holder.reads_pipe = reads_pipe_;
  const std::size_t begin = at_;
  // The command with the redirections comes first in the list, because commands in substitutions begin after it.
  open_command(begin);
  while (!failed() && redirection(holder, slot)) skip_blanks();
  if (holder.redirections.empty()) {
    findings_.script.commands.erase(findings_.script.commands.begin() + static_cast<std::ptrdiff_t>(slot));
    findings_.begins.erase(findings_.begins.begin() + static_cast<std::ptrdiff_t>(slot));
    return;
  }
  if (std::any_of(holder.redirections.begin(), holder.redirections.end(),
                  [](const Redirection& each) { return each.is_input; })) {
    for (std::size_t i = first_command; i < slot; ++i) findings_.script.commands[i].reads_pipe = true;
  }
  findings_.script.commands[slot] = std::move(holder);
}

}  // namespace wtool::policy
