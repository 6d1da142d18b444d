#include <algorithm>
#include <array>

#include "base/edit_distance.h"
#include "expressions/template.h"
#include "expressions/template_parts.h"

namespace wtool::host::expressions {
namespace {

constexpr std::size_t max_errors = 100;
constexpr std::array<std::string_view, 11> tags = {"if",  "elsif",  "else",    "endif", "unless", "endunless",
                                                   "for", "endfor", "comment", "raw",   "endraw"};
constexpr std::array<std::string_view, 12> prompt_tags = {"assign",   "capture", "endcapture", "case",
                                                          "when",     "endcase", "cycle",      "break",
                                                          "continue", "render",  "include",    "partial"};
constexpr std::array<std::string_view, 3> other_tags = {"increment", "decrement", "tablerow"};

template <class Words>
bool is_listed(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string unsupported(const std::string& word, Dialect dialect) {
  if (dialect == Dialect::prompt) {
    return "there is no tag {% " + word + " %}" +
           known_names(
               word, "tags",
               {"if", "unless", "case", "for", "cycle", "assign", "capture", "render", "include", "comment", "raw"}) +
           ". Write a literal '{%' between {% raw %} and {% endraw %}";
  }
  return "{% " + word + " %} is not supported" + known_names(word, "tags", {"if", "unless", "for", "comment", "raw"}) +
         (is_listed(prompt_tags, word) ? " (prompt files have more tags)" : "");
}

// The end of the message that the tag `word` is not closed where it should be.
std::string trailing(std::string_view word) {
  if (is_listed(prompt_tags, word)) return " after its arguments";
  if (word == "for") return " after its list and filters";
  if (word == "if" || word == "elsif" || word == "unless") {
    return " after its test; filters are allowed in {{ }} and after the list of a loop";
  }
  return "; nothing may follow that word";
}

// Adds the texts and placeholders of `body` to `made`. `kept` is false for a template without tags: its pieces are then
// no longer needed, so placeholders are moved.
void flatten(Body& body, bool kept, Template& made) {
  for (TemplatePiece& piece : body) {
    if (const auto* text = std::get_if<std::string>(&piece.what)) {
      made.texts.back() += *text;
    } else if (auto* placeholder = std::get_if<Placeholder>(&piece.what)) {
      made.placeholders.push_back(kept ? *placeholder : std::move(*placeholder));
      made.texts.emplace_back();
    } else if (auto* choice = std::get_if<TemplateChoice>(&piece.what)) {
      for (TemplateBranch& branch : choice->branches) flatten(branch.body, kept, made);
    } else if (auto* loop = std::get_if<Loop>(&piece.what)) {
      flatten(loop->body, kept, made);
      flatten(loop->otherwise, kept, made);
    } else if (auto* capture = std::get_if<CaptureTag>(&piece.what)) {
      flatten(capture->body, kept, made);
    } else if (auto* alternatives = std::get_if<Case>(&piece.what)) {
      for (When& when : alternatives->parts) flatten(when.body, kept, made);
    }
  }
}

// The template with its tags, and the text in which each branch and each loop body occurs once.
Template finished(Body root, bool has_tags) {
  Template made;
  made.texts.emplace_back();
  flatten(root, has_tags, made);
  if (has_tags) made.tagged = std::make_shared<const Body>(std::move(root));
  return made;
}

class TemplateParser {
 public:
  TemplateParser(std::string_view text, Dialect dialect) : text_(text), dialect_(dialect) {}

  std::variant<Template, std::vector<ExpressionError>> run() {
    while (at_ < text_.size() && errors_.size() < max_errors) {
      const std::size_t special = std::min(text_.find_first_of("${", at_), text_.size());
      literal_ += text_.substr(at_, special - at_);
      at_ = special;
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("$${")) {
        keep("${", 3);
      } else if (rest.starts_with("${{")) {
        give_up("a placeholder is written {{ name }} or ${name}, not ${{ name }}", 3);
      } else if (rest.starts_with("${")) {
        dollar();
      } else if (rest.starts_with("{{")) {
        braces();
      } else if (rest.starts_with("{%")) {
        tag();
      } else if (!rest.empty()) {
        keep(rest.substr(0, 1), 1);
      }
    }
    for (const Open& open : open_) {
      if (errors_.size() < max_errors)
        fail(open.offset, "this {% " + open.word + " %} has no {% end" + open.word + " %}");
    }
    if (!errors_.empty()) return std::move(errors_);
    flush();
    return finished(std::move(root_), has_tags_);
  }

 private:
  // A tag that has not been closed yet.
  struct Open {
    std::string word;  // if, unless, for, case or capture
    std::size_t offset = 0;
    TemplateChoice choice;
    Loop loop;
    Case alternatives;
    CaptureTag capture;
    Body body;  // the content of the current branch
    bool otherwise = false;
  };

  void fail(std::size_t offset, std::string message) { errors_.push_back({offset, std::move(message)}); }
  void give_up(std::string message, std::size_t bytes = 2) {
    fail(at_, std::move(message));
    at_ += bytes;
  }
  void keep(std::string_view text, std::size_t bytes) {
    literal_ += text;
    at_ += bytes;
  }

  // --- what has been read ---

  Body& body() { return open_.empty() ? root_ : open_.back().body; }

  void flush() {
    if (!literal_.empty()) body().push_back({std::exchange(literal_, {})});
  }

  // --- blanks that a dash removes ---

  void trim_before() { literal_.erase(literal_.find_last_not_of(template_blanks) + 1); }
  void trim_after() { at_ = std::min(text_.find_first_not_of(template_blanks, at_), text_.size()); }

  // Takes the end of a placeholder or a tag, with or without a dash. False: something else comes next.
  static bool take_end(TemplateCursor& cursor, std::string_view end, bool& trims) {
    trims = cursor.starts("-" + std::string(end));
    if (trims) cursor.take("-");
    return cursor.take(end);
  }

  // --- placeholders ---

  void add(Placeholder placeholder, std::size_t end) {
    placeholder.offset = at_;
    placeholder.source = std::string(text_.substr(at_, end - at_));
    flush();
    body().push_back({std::move(placeholder)});
    at_ = end;
  }

  void dollar() {
    TemplateCursor cursor(text_, at_ + 2);
    Placeholder placeholder;
    if (parse_dollar(cursor, placeholder)) return add(std::move(placeholder), cursor.at());
    // Two forms are not valid in a shell either: `${name` before a blank, a quote or an operator, and `${name` or
    // `${name.field` before a parenthesis.
    cursor = TemplateCursor(text_, at_ + 2);
    std::string name(cursor.dashed_name());
    std::size_t end = cursor.at();
    while (!name.empty() && end < text_.size() && (text_[end] == '.' || is_name_character(text_[end]))) ++end;
    const bool is_function = end < text_.size() && text_[end] == '(';
    if (is_function) name += text_.substr(cursor.at(), end - cursor.at());
    const char behind = cursor.at() < text_.size() ? text_[cursor.at()] : '\n';
    if (!name.empty() && (is_function || std::string_view(" \t\r\n\"';&|)<>").find(behind) != std::string_view::npos)) {
      return give_up("this '${' is not closed by '}' after " + name + "; a literal '${' is written $${");
    }
    keep("${", 2);
  }

  void braces() {
    TemplateCursor cursor(text_, at_ + 2);
    const bool trims = cursor.take("-");
    cursor.skip_blanks();
    if (!cursor.at_quote() && !cursor.at_name()) return keep("{{", 2);
    Placeholder placeholder;
    if (auto why = parse_braces(cursor, placeholder, dialect_)) return give_up(std::move(*why));
    bool trims_behind = false;
    if (!take_end(cursor, "}}", trims_behind)) {
      return give_up(
          "this '{{' is not closed by '}}' after a name and filters; a literal '{{' is written {{ \"{{\" }}");
    }
    if (trims) trim_before();
    add(std::move(placeholder), cursor.at());
    if (trims_behind) trim_after();
  }

  // --- tags ---

  void tag() {
    TemplateCursor cursor(text_, at_ + 2);
    const bool trims = cursor.take("-");
    cursor.skip_blanks();
    const std::string word(cursor.name());
    if (word == "else") {
      TemplateCursor behind = cursor;
      behind.skip_blanks();
      if (behind.name() == "if") return give_up("{% else if %} is written {% elsif %}");
    }
    const bool in_prompt = dialect_ == Dialect::prompt;
    if (word == "elif" || word == "elseif") return give_up("{% " + word + " %} is written {% elsif %}");
    const bool known = is_listed(tags, word) || (in_prompt && is_listed(prompt_tags, word));
    if (!known && (is_listed(prompt_tags, word) || is_listed(other_tags, word) ||
                   (in_prompt && !word.empty() && is_tag(cursor)))) {
      return give_up(unsupported(word, dialect_));
    }
    if (!known) return keep("{%", 2);
    has_tags_ = true;
    const std::size_t begin = at_;
    if (trims) trim_before();
    const auto mistake = read_tag(word, cursor);
    bool trims_behind = false;
    if (mistake) {
      fail(mistake->offset, mistake->message);
    } else if (!take_end(cursor, "%}", trims_behind)) {
      fail(begin, "this {% " + word + " is not closed by '%}'" + trailing(word));
    } else {
      at_ = cursor.at();
      if (trims_behind) trim_after();
      if (word == "raw") return verbatim(begin, "raw", true);
      if (word == "comment") return verbatim(begin, "comment", false);
      return;
    }
    // Reading continues, so that mistakes after this tag are reported, too.
    const std::size_t end = text_.find("%}", begin);
    at_ = end == std::string_view::npos ? text_.size() : end + 2;
  }

  // Whether the end of the tag is near. If it is not, the `{%` is ordinary text.
  static bool is_tag(const TemplateCursor& cursor) {
    constexpr std::size_t max_unknown_tag = 200;
    const std::string_view rest = cursor.rest().substr(0, max_unknown_tag);
    return rest.substr(0, rest.find('\n')).find("%}") != std::string_view::npos;
  }

  // Reads a tag except for its end. The cursor is after the word.
  TagMistake read_tag(const std::string& word, TemplateCursor& cursor) {
    flush();
    TagMistake mistake;
    if (word == "if" || word == "unless") {
      mistake = open(word);
      TemplateBranch branch;
      branch.wanted = word == "if";
      if (!mistake) mistake = parse_test(cursor, branch);
      open_.back().choice.branches.push_back(std::move(branch));
    } else if (word == "for") {
      mistake = open(word);
      if (!mistake) mistake = parse_loop(cursor, dialect_, open_.back().loop);
    } else if (word == "elsif") {
      TemplateBranch branch;
      mistake = parse_test(cursor, branch);
      if (!mistake) mistake = next_branch(word, std::move(branch));
    } else if (word == "else") {
      mistake = next_branch(word, TemplateBranch());
    } else if (word.starts_with("end")) {
      mistake = close(word);
    } else if (is_listed(prompt_tags, word)) {
      mistake = read_prompt_tag(word, cursor);
    }
    cursor.skip_blanks();
    return mistake;
  }

  TagMistake read_prompt_tag(const std::string& word, TemplateCursor& cursor) {
    TagMistake mistake;
    if (word == "case") {
      mistake = open(word);
      return mistake ? mistake : parse_case(cursor, at_, open_.back().alternatives);
    }
    if (word == "capture") {
      mistake = open(word);
      return mistake ? mistake : parse_capture(cursor, open_.back().capture);
    }
    if (word == "when") {
      When when;
      mistake = parse_when(cursor, at_, when);
      return mistake ? mistake : next_part(word, std::move(when));
    }
    if (word == "assign") {
      Assign assign;
      mistake = parse_assign(cursor, at_, assign);
      body().push_back({std::move(assign)});
    } else if (word == "cycle") {
      Cycle cycle;
      cycle.offset = at_;
      mistake = parse_cycle(cursor, cycle);
      body().push_back({std::move(cycle)});
    } else if (word == "break" || word == "continue") {
      const bool in_loop = std::any_of(open_.begin(), open_.end(), [](const Open& one) { return one.word == "for"; });
      if (!in_loop) return ExpressionError{at_, "this {% " + word + " %} is not inside of a {% for %}"};
      body().push_back({Jump{word == "break"}});
    } else if (word == "render" || word == "include") {
      Inclusion inclusion;
      inclusion.offset = at_;
      mistake = parse_inclusion(cursor, word, inclusion);
      body().push_back({std::move(inclusion)});
    }
    return mistake;  // {% partial %} marks a file that is meant to be included, and does nothing
  }

  TagMistake open(const std::string& word) {
    open_.emplace_back();
    open_.back().word = word;
    open_.back().offset = at_;
    open_.back().loop.offset = at_;
    open_.back().capture.offset = at_;
    if (open_.size() <= max_tags_depth) return std::nullopt;
    return ExpressionError{at_, "tags may be nested at most " + std::to_string(max_tags_depth) + " deep"};
  }

  // Moves the pieces that were read since the last tag into the branch, loop or capture that they belong to.
  static void finish_branch(Open& open) {
    Body read = std::exchange(open.body, {});
    if (open.word == "for") {
      (open.otherwise ? open.loop.otherwise : open.loop.body) = std::move(read);
    } else if (open.word == "capture") {
      open.capture.body = std::move(read);
    } else if (open.word != "case") {
      open.choice.branches.back().body = std::move(read);
    } else if (!open.alternatives.parts.empty()) {
      open.alternatives.parts.back().body = std::move(read);
    }
  }

  TagMistake next_branch(const std::string& word, TemplateBranch branch) {
    const bool is_else = word == "else";
    if (is_else && !open_.empty() && open_.back().word == "case") return next_part(word, When());
    if (open_.empty() || open_.back().word == "capture" || open_.back().word == "case" ||
        (!is_else && open_.back().word == "for")) {
      return ExpressionError{at_, "this {% " + word + " %} belongs to no {% if %}"};
    }
    Open& open = open_.back();
    if (open.otherwise) return ExpressionError{at_, "this {% " + word + " %} follows an {% else %}"};
    finish_branch(open);
    if (open.word != "for") open.choice.branches.push_back(std::move(branch));
    open.otherwise = is_else;
    return std::nullopt;
  }

  // Begins the part of a `case` that follows a `when` or `else`.
  TagMistake next_part(const std::string& word, When when) {
    if (open_.empty() || open_.back().word != "case") {
      return ExpressionError{at_, "this {% " + word + " %} belongs to no {% case %}"};
    }
    Open& open = open_.back();
    if (open.otherwise) return ExpressionError{at_, "this {% " + word + " %} follows an {% else %}"};
    if (open.alternatives.parts.empty() && !is_blank(open.body)) {
      return ExpressionError{open.offset, "a text between {% case %} and its first {% when %} would be lost"};
    }
    finish_branch(open);
    open.alternatives.parts.push_back(std::move(when));
    open.otherwise = word == "else";
    return std::nullopt;
  }

  static bool is_blank(const Body& body) {
    return std::all_of(body.begin(), body.end(), [](const TemplatePiece& piece) {
      const auto* text = std::get_if<std::string>(&piece.what);
      return text != nullptr && text->find_first_not_of(template_blanks) == std::string::npos;
    });
  }

  TagMistake close(const std::string& word) {
    const std::string closes = word.substr(3);
    if (open_.empty() || open_.back().word != closes) {
      return ExpressionError{at_, "this {% " + word + " %} closes nothing" +
                                      (open_.empty() ? "" : "; {% end" + open_.back().word + " %} is expected here")};
    }
    Open open = std::move(open_.back());
    finish_branch(open);
    open_.pop_back();
    if (closes == "for") {
      body().push_back({std::move(open.loop)});
    } else if (closes == "case") {
      body().push_back({std::move(open.alternatives)});
    } else if (closes == "capture") {
      body().push_back({std::move(open.capture)});
    } else {
      body().push_back({std::move(open.choice)});
    }
    return std::nullopt;
  }

  // Reads up to {% endraw %} or {% endcomment %}, whatever is in between.
  void verbatim(std::size_t tag, const std::string& word, bool kept) {
    const std::size_t begin = at_;
    for (std::size_t at = begin; (at = text_.find("{%", at)) != std::string_view::npos; at += 2) {
      TemplateCursor cursor(text_, at + 2);
      const bool trims = cursor.take("-");
      cursor.skip_blanks();
      if (cursor.name() != "end" + word) continue;
      cursor.skip_blanks();
      bool trims_behind = false;
      if (!take_end(cursor, "%}", trims_behind)) continue;
      if (kept) literal_ += text_.substr(begin, at - begin);
      if (trims) trim_before();
      at_ = cursor.at();
      if (trims_behind) trim_after();
      return;
    }
    fail(tag, "this {% " + word + " %} has no {% end" + word + " %}");
    at_ = text_.size();
  }

  std::string_view text_;
  Dialect dialect_;
  std::size_t at_ = 0;
  std::string literal_;
  Body root_;
  std::vector<Open> open_;
  bool has_tags_ = false;
  std::vector<ExpressionError> errors_;
};

}  // namespace

std::variant<Template, std::vector<ExpressionError>> parse_template(std::string_view text, Dialect dialect) {
  return TemplateParser(text, dialect).run();
}

}  // namespace wtool::host::expressions
