#include <algorithm>
#include <array>

#include "expressions/parser.h"
#include "expressions/placeholder_parser.h"
#include "expressions/template.h"
#include "expressions/template_cursor.h"

namespace wtool::host::expressions {
namespace {

constexpr std::size_t most_errors = 100;
constexpr std::array<std::string_view, 11> tags = {"if",  "elsif",  "else",    "endif", "unless", "endunless",
                                                   "for", "endfor", "comment", "raw",   "endraw"};
constexpr std::array<std::string_view, 12> other_tags = {"assign",    "capture",  "case",     "when",
                                                         "cycle",     "break",    "continue", "increment",
                                                         "decrement", "tablerow", "render",   "include"};

class TemplateParser {
 public:
  explicit TemplateParser(std::string_view text) : text_(text) {}

  std::variant<Template, std::vector<ExpressionError>> run() {
    while (at_ < text_.size() && errors_.size() < most_errors) {
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
      if (errors_.size() < most_errors)
        fail(open.offset, "this {% " + open.word + " %} has no {% end" + open.word + " %}");
    }
    if (!errors_.empty()) return std::move(errors_);
    flush();
    return finished();
  }

 private:
  // A tag that has not been closed yet.
  struct Open {
    std::string word;  // if, unless or for
    std::size_t offset = 0;
    Choice choice;
    Loop loop;
    Body body;  // of the branch under way
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

  // The template with its tags, and the text in which each part of them stands once.
  Template finished() {
    Template made;
    made.texts.emplace_back();
    flatten(root_, has_tags_, made);
    if (has_tags_) made.tagged = std::make_shared<const Body>(std::move(root_));
    return made;
  }

  // Without tags, nobody needs the pieces any more.
  static void flatten(Body& body, bool kept, Template& made) {
    for (Piece& piece : body) {
      if (const auto* text = std::get_if<std::string>(&piece.what)) {
        made.texts.back() += *text;
      } else if (auto* placeholder = std::get_if<Placeholder>(&piece.what)) {
        made.placeholders.push_back(kept ? *placeholder : std::move(*placeholder));
        made.texts.emplace_back();
      } else if (auto* choice = std::get_if<Choice>(&piece.what)) {
        for (Branch& branch : choice->branches) flatten(branch.body, kept, made);
      } else if (auto* loop = std::get_if<Loop>(&piece.what)) {
        flatten(loop->body, kept, made);
        flatten(loop->otherwise, kept, made);
      }
    }
  }

  // --- blanks that a dash takes away ---

  void trim_before() { literal_.erase(literal_.find_last_not_of(template_blanks) + 1); }
  void trim_after() { at_ = std::min(text_.find_first_not_of(template_blanks, at_), text_.size()); }

  // The end of a placeholder or a tag, with a dash or without; false where it is not there.
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
    keep("${", 2);
  }

  void braces() {
    TemplateCursor cursor(text_, at_ + 2);
    const bool trims = cursor.take("-");
    cursor.skip_blanks();
    if (!cursor.at_quote() && !cursor.at_name()) return keep("{{", 2);
    Placeholder placeholder;
    if (auto why = parse_braces(cursor, placeholder)) return give_up(std::move(*why));
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
    if (word == "elif" || word == "elseif") return give_up("{% " + word + " %} is written {% elsif %}");
    if (std::find(other_tags.begin(), other_tags.end(), word) != other_tags.end()) {
      return give_up("{% " + word + " %} is not supported; there are if, unless, for, comment and raw");
    }
    if (std::find(tags.begin(), tags.end(), word) == tags.end()) return keep("{%", 2);
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
    // What follows is read on, so that the mistakes in it are found as well.
    const std::size_t end = text_.find("%}", begin);
    at_ = end == std::string_view::npos ? text_.size() : end + 2;
  }

  static std::string trailing(std::string_view word) {
    if (word == "for") return " behind its list and filters";
    if (word == "if" || word == "elsif" || word == "unless") {
      return " behind its test; filters stand in {{ }} and behind the list of a loop";
    }
    return "; nothing stands behind that word";
  }

  // All of a tag but its end. The cursor stands behind the word.
  std::optional<ExpressionError> read_tag(const std::string& word, TemplateCursor& cursor) {
    flush();
    std::optional<ExpressionError> mistake;
    if (word == "if" || word == "unless") {
      mistake = open(word);
      Branch branch;
      branch.wanted = word == "if";
      if (!mistake) mistake = test(cursor, branch);
      open_.back().choice.branches.push_back(std::move(branch));
    } else if (word == "for") {
      mistake = open(word);
      if (!mistake) mistake = loop(cursor);
    } else if (word == "elsif") {
      Branch branch;
      mistake = test(cursor, branch);
      if (!mistake) mistake = next_branch(word, std::move(branch));
    } else if (word == "else") {
      mistake = next_branch(word, Branch());
    } else if (word.starts_with("end")) {
      mistake = close(word);
    }
    cursor.skip_blanks();
    return mistake;
  }

  std::optional<ExpressionError> open(const std::string& word) {
    open_.emplace_back();
    open_.back().word = word;
    open_.back().offset = at_;
    if (open_.size() <= deepest_tags) return std::nullopt;
    return ExpressionError{at_, "tags stand in each other at most " + std::to_string(deepest_tags) + " deep"};
  }

  std::optional<ExpressionError> test(TemplateCursor& cursor, Branch& branch) const {
    auto parsed = parse_tag_expression(text_, cursor.at(), TagUse::test);
    if (auto* error = std::get_if<ExpressionError>(&parsed)) return std::move(*error);
    auto& found = std::get<TagExpression>(parsed);
    branch.test = std::move(found.expression);
    cursor = TemplateCursor(text_, found.end);
    return std::nullopt;
  }

  // `x in EXPRESSION { "|" filter }`
  std::optional<ExpressionError> loop(TemplateCursor& cursor) {
    const auto mistake = [this](std::string message) { return ExpressionError{at_, std::move(message)}; };
    Loop& made = open_.back().loop;
    made.offset = at_;
    cursor.skip_blanks();
    made.variable = std::string(cursor.name());
    cursor.skip_blanks();
    if (made.variable.empty() || cursor.name() != "in") return mistake("a loop is written {% for x in list %}");
    if (made.variable == "forloop") return mistake("'forloop' is what a loop tells of itself; choose another name");
    cursor.skip_blanks();
    made.list_offset = cursor.at();
    auto parsed = parse_tag_expression(text_, cursor.at(), TagUse::value);
    if (auto* error = std::get_if<ExpressionError>(&parsed)) return std::move(*error);
    auto& found = std::get<TagExpression>(parsed);
    made.list = std::move(found.expression);
    cursor = TemplateCursor(text_, found.end);
    if (auto why = parse_filters(cursor, made.filters)) return mistake(std::move(*why));
    return std::nullopt;
  }

  // Puts what has been read since the last tag where it belongs.
  static void finish_branch(Open& open) {
    Body& to = open.word != "for" ? open.choice.branches.back().body
               : open.otherwise   ? open.loop.otherwise
                                  : open.loop.body;
    to = std::exchange(open.body, {});
  }

  std::optional<ExpressionError> next_branch(const std::string& word, Branch branch) {
    if (open_.empty() || (word == "elsif" && open_.back().word == "for")) {
      return ExpressionError{at_, "this {% " + word + " %} belongs to no {% if %}"};
    }
    Open& open = open_.back();
    if (open.otherwise) return ExpressionError{at_, "this {% " + word + " %} stands behind an {% else %}"};
    finish_branch(open);
    if (open.word != "for") open.choice.branches.push_back(std::move(branch));
    open.otherwise = word == "else";
    return std::nullopt;
  }

  std::optional<ExpressionError> close(const std::string& word) {
    const std::string closes = word.substr(3);
    if (open_.empty() || open_.back().word != closes) {
      return ExpressionError{at_, "this {% " + word + " %} closes nothing" +
                                      (open_.empty() ? "" : "; {% end" + open_.back().word + " %} is what comes next")};
    }
    Open open = std::move(open_.back());
    finish_branch(open);
    open_.pop_back();
    if (closes == "for") {
      body().push_back({std::move(open.loop)});
    } else {
      body().push_back({std::move(open.choice)});
    }
    return std::nullopt;
  }

  // Up to {% endraw %} or {% endcomment %}, whatever stands there.
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
  std::size_t at_ = 0;
  std::string literal_;
  Body root_;
  std::vector<Open> open_;
  bool has_tags_ = false;
  std::vector<ExpressionError> errors_;
};

}  // namespace

std::variant<Template, std::vector<ExpressionError>> parse_template(std::string_view text) {
  return TemplateParser(text).run();
}

}  // namespace wtool::host::expressions
