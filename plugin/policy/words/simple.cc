// Simple commands, their redirections, and here-documents.
#include <algorithm>

#include "base/shell_quote.h"
#include "policy/words/reader.h"

namespace wtool::policy {

// Reserves a command's place in the list, which is in the order in which the commands begin. Commands inside this one
// come later.
std::size_t WordReader::open_command(std::size_t begin) {
  findings_.script.commands.emplace_back();
  findings_.begins.push_back(range(begin, begin).begin);
  return findings_.script.commands.size() - 1;
}

std::size_t WordReader::simple_command() {
  const std::size_t slot = open_command(at_);
  SimpleCommand command;
  command.nested = findings_.depth > 0;
  command.reads_pipe = reads_pipe_;
  while (!failed()) {
    skip_blanks();
    if (redirection(command, slot)) continue;
    if (!starts_word()) break;
    const std::size_t begin = at_;
    const bool first = command.words.empty();
    // The shell recognises a keyword only at the beginning of a command. Refusing one here is stricter than
    // necessary, which does no harm.
    std::size_t behind = 0;
    if (first && !(command.assignments.empty() && command.redirections.empty()) && keyword(behind) != Keyword::no)
      note(begin, "a reserved word where the shell does not treat it as one");
    ReadWord read = word(first ? Place::first : Place::argument);
    if (read.assignment && first) {
      // Arrays, values that are not literal, and syntax that only bash accepts are already noted as lasting obstacles.
      note_open(begin, read.array ? "an array" : "an assignment");
      command.assignments.push_back(std::move(read.word));
      continue;
    }
    command.words.push_back(std::move(read.word));
    if (first && command.assignments.empty() && command.redirections.empty()) {
      skip_blanks();
      if (peek() != '(') continue;
      step();
      note(begin, "a function definition");
      skip_blanks();
      if (!take(')')) {
        fail(begin, "an unexpected (");
        break;
      }
      // The word that was read is the function's name, not a command.
      findings_.script.commands.erase(findings_.script.commands.begin() + static_cast<std::ptrdiff_t>(slot));
      findings_.begins.erase(findings_.begins.begin() + static_cast<std::ptrdiff_t>(slot));
      function_body();
      return none;
    }
  }
  findings_.script.commands[slot] = std::move(command);
  return slot;
}

// Reads a redirection if the cursor is at one. `slot` is the index that `command` will have in script.commands.
bool WordReader::redirection(SimpleCommand& command, std::size_t slot) {
  const char first = peek();
  if (first != '<' && first != '>' && first != '&' && first != '{' && !is_digit(first)) return false;
  const std::size_t begin = at_;
  std::size_t at = at_;
  std::string descriptor;
  const auto next = [&] { at = behind_continuations(at + 1); };
  const auto here = [&] { return at < end_ ? text_[at] : '\0'; };
  if (first == '&') {
    if (peek_second() != '>') return false;
    if (discards_both(command)) return true;
    if (!bash_only(begin, "the redirection &>")) return false;
    next();
  } else if (first == '{') {
    for (next(); is_word_character(here()); next()) descriptor.push_back(here());
    if (here() != '}' || descriptor.empty()) return false;
    next();
  } else {
    for (; is_digit(here()); next()) descriptor.push_back(here());
  }
  const char direction = here();
  if (direction != '<' && direction != '>') return false;
  const bool unusual = first == '{' || descriptor.size() > 1;
  if (unusual && !bash_only(begin, "a redirection of a descriptor of several characters")) return false;
  if (at + 1 < end_ && text_[at + 1] == '(' && first != '&' && bash_only(begin, "a process substitution")) return false;
  at_ = at + 1;

  std::string op = first == '&' ? std::string("&>") : std::string(1, direction);
  const auto take_more = [&](char c) {
    if (!take(c)) return false;
    op.push_back(c);
    return true;
  };
  if (first == '&') {
    take_more('>');
  } else if (direction == '<') {
    if (take_more('<')) {
      if (peek() == '<') {
        if (bash_only(begin, "a here-string")) take_more('<');
      } else {
        take_more('-');
      }
    } else if (!take_more('&')) {
      take_more('>');
    }
  } else if (!take_more('>') && !take_more('&')) {
    take_more('|');
  }

  Redirection redirection;
  redirection.is_input = direction == '<' && (descriptor.empty() || descriptor == "0");
  const std::size_t index = command.redirections.size();
  if (op == "<<" || op == "<<-") {
    redirection.text = descriptor + "<<";
    redirection.is_here_document = true;
    here_document(redirection, slot, index, op == "<<-");
    redirection.at = range(begin, at_);
  } else {
    read_target(redirection, std::move(descriptor), op, begin);
  }
  command.redirections.push_back(std::move(redirection));
  return true;
}

// In a line that is written out again, `&>/dev/null` is written in a way that every shell reads as bash reads this one.
// As it stands, dash would run the command in the background.
bool WordReader::discards_both(SimpleCommand& command) {
  constexpr std::string_view file = "/dev/null";
  if (!findings_.dialect.rebuilt) return false;
  const std::size_t begin = at_;
  std::size_t at = text_.find('>', begin) + 1;
  if (at < end_ && text_[at] == '>') ++at;
  while (at < end_ && is_blank(text_[at])) ++at;
  const std::string_view rest = text_.substr(at, end_ - at);
  if (!rest.starts_with(file) || (rest.size() > file.size() && !ends_word(rest[file.size()]))) return false;
  at_ = at + file.size();
  command.redirections.push_back(
      {.text = ">/dev/null 2>&1", .target = {std::string(file), true, range(at, at_)}, .at = range(begin, at_)});
  return true;
}

void WordReader::read_target(Redirection& redirection, std::string descriptor, std::string_view op, std::size_t begin) {
  skip_blanks();
  if (!starts_word()) return fail(begin, "a redirection without its target");
  ReadWord read = word(Place::argument);
  redirection.at = range(begin, at_);
  if (!read.quoted) note_number_before_redirection(begin, read.word.text);
  redirection.target = std::move(read.word);
  const Word& target = redirection.target;
  redirection.text = std::move(descriptor);
  redirection.text += op;
  redirection.text += target.text;
  if (op == "<<<") return;
  if (op == ">&" || op == "<&") {
    const std::string_view text = target.text;
    const bool closes = text == "-";
    const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
    if (closes) redirection.is_input = false;
    if (target.literal && !read.quoted && (closes || (digits && text.size() == 1))) return;
    // In bash, `3-` moves a descriptor. Any other target that is not a number is a file name.
    const bool moves = text.size() > 1 && text.back() == '-' && std::all_of(text.begin(), text.end() - 1, is_digit);
    redirection.to_file = !(target.literal && (closes || digits || moves));
    bash_only(begin, "a redirection to something other than a descriptor of one digit");
    return;
  }
  redirection.to_file = !target.literal || target.text != "/dev/null";
  if (!redirection.to_file) return;
  // Reading a file does no more than naming it as an argument does. In /dev, bash gives meanings of its own to names,
  // such as /dev/tcp/HOST/PORT, which opens a connection.
  if (op != "<" || !redirection.is_input || !target.literal || target.text.starts_with("/dev/")) {
    return note(begin, "a redirection to or from a file");
  }
  redirection.text = "<" + shell_quoted(target.text);
}

// In `2>&1>&2`, bash reads the 1 as the target. Other shells read it as the descriptor of the next redirection, and
// refuse the line, as bash does after other operators.
void WordReader::note_number_before_redirection(std::size_t begin, std::string_view target) {
  if (target.empty() || !std::all_of(target.begin(), target.end(), is_digit)) return;
  if (peek() == '<' || peek() == '>') note(begin, "a number right before a redirection");
}

void WordReader::here_document(Redirection& redirection, std::size_t slot, std::size_t index, bool strip_tabs) {
  const std::size_t begin = at_;
  HereDocument document{slot, index, {}, false, strip_tabs};
  skip_blanks();
  if (!starts_word() || at_process_substitution()) return fail(begin, "a here-document without its delimiter");
  if (!read_delimiter(document, redirection.target.text)) return;
  document.delimiter = redirection.target.text;
  redirection.target.text.clear();
  if (!document.quoted) note_number_before_redirection(begin, document.delimiter);
  if (++findings_.here_documents > 1) note(begin, "a second here-document");
  pending_.push_back(std::move(document));
}

// The delimiter is not expanded. Its quotes are removed; whether it had quotes decides how the body is read.
bool WordReader::read_delimiter(HereDocument& document, std::string& text) {
  const std::size_t begin = at_;
  bool unusual = false;
  for (char c = peek(); !ends_word(c); c = peek()) {
    step();
    if (c == '\'') {
      document.quoted = true;
      single_quoted(&text);
    } else if (c == '"') {
      document.quoted = true;
      const std::size_t end = std::min(text_.find('"', at_), end_);
      const std::string_view inside = text_.substr(at_, end - at_);
      unusual = unusual || inside.find_first_of("$`\\") != std::string_view::npos;
      text += inside;
      at_ = end;
      if (!take('"')) fail(begin, "a double quote that is never closed");
    } else if (c == '\\') {
      document.quoted = true;
      if (at_ < end_) text.push_back(text_[at_++]);
    } else if (c == '`' || (c == '$' && (peek() == '\'' || peek() == '"' || peek() == '{' || peek() == '('))) {
      unusual = true;
    } else {
      text.push_back(c);
    }
    if (failed()) return false;
  }
  if (unusual || text.find('\n') != std::string::npos) {
    give_up(begin, "a here-document whose delimiter shells read differently");
    return false;
  }
  if (text.empty() ||
      std::any_of(text.begin(), text.end(), [](char c) { return !is_word_character(c) && c != '-' && c != '.'; }))
    note(begin, "a here-document with an unusual delimiter");
  return true;
}

void WordReader::read_bodies() {
  const std::vector<HereDocument> documents = std::move(pending_);
  pending_.clear();
  for (const HereDocument& document : documents) {
    if (!failed()) read_body(document);
  }
}

void WordReader::read_body(const HereDocument& document) {
  const std::size_t begin = at_;
  std::size_t body_end = end_;
  std::string body;
  bool found = false;
  while (at_ < end_ && !found) {
    // Collects a line for the comparison with the delimiter. If the delimiter is not quoted, a backslash at the end of
    // a line joins it with the next line.
    const std::size_t line_begin = at_;
    std::string joined;
    bool continued = false;
    for (;;) {
      const std::size_t end = std::min(text_.find('\n', at_), end_);
      std::string_view piece = text_.substr(at_, end - at_);
      at_ = std::min(end + 1, end_);
      const std::size_t last = piece.find_last_not_of('\\');
      const std::size_t backslashes = piece.size() - (last == std::string_view::npos ? 0 : last + 1);
      const bool goes_on = !document.quoted && backslashes % 2 == 1 && at_ < end_;
      if (goes_on) piece.remove_suffix(1);
      joined += piece;
      if (!goes_on) break;
      continued = true;
    }
    if (document.strip_tabs) joined.erase(0, std::min(joined.find_first_not_of('\t'), joined.size()));
    if (joined == document.delimiter) {
      if (continued)
        return give_up(line_begin, "the end of a here-document in several lines, which shells read differently");
      body_end = line_begin;
      found = true;
    } else {
      body += joined;
      if (at_ < end_ || (end_ > begin && text_[end_ - 1] == '\n')) body += '\n';
    }
  }
  Redirection& redirection = findings_.script.commands[document.command].redirections[document.redirection];
  redirection.target.at = range(begin, body_end);
  redirection.target.text = std::move(body);
  if (!found) note(begin, "a here-document without its end");
  const std::string_view raw = text_.substr(begin, body_end - begin);
  if (document.quoted || raw.find_first_of("$`\\") == std::string_view::npos) return;
  note(begin, "a here-document whose delimiter is not quoted, with $, ` or \\ in it");
  redirection.target.literal = false;
  const std::size_t behind = at_;
  at_ = begin;
  expansions_until(body_end);
  if (!failed()) at_ = behind;
}

}  // namespace wtool::policy
