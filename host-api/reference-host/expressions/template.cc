#include "expressions/template.h"

#include <algorithm>
#include <array>

#include "expressions/access.h"

namespace wtool::host::expressions {
namespace {

constexpr std::string_view blanks = " \t\r\n";

struct FilterName {
  std::string_view name;
  Filter::Kind kind;
};
constexpr std::array filter_names = {FilterName{"default", Filter::Kind::fallback},
                                     FilterName{"trim", Filter::Kind::trim}, FilterName{"json", Filter::Kind::json},
                                     FilterName{"shell_quote", Filter::Kind::shell_quote},
                                     FilterName{"raw", Filter::Kind::raw}};
constexpr std::array<std::string_view, 12> tags = {"if",     "elsif",  "else",    "endif", "for",  "endfor",
                                                   "assign", "unless", "capture", "raw",   "case", "comment"};

// A cursor over the inside of one placeholder.
class Cursor {
 public:
  Cursor(std::string_view text, std::size_t at) : text_(text), at_(at) {}
  std::size_t at() const { return at_; }
  bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  void skip_blanks() {
    while (at_ < text_.size() && blanks.find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool take(std::string_view what) {
    if (!starts(what)) return false;
    at_ += what.size();
    return true;
  }
  // Empty where no name stands here.
  std::string_view name() {
    const std::size_t begin = at_;
    if (at_ < text_.size() && is_name_start(text_[at_])) {
      while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  // A whole number of at most nine digits.
  std::optional<std::size_t> number() {
    std::size_t value = 0;
    const std::size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && at_ - begin < 9; ++at_) {
      value = value * 10 + static_cast<std::size_t>(text_[at_] - '0');
    }
    return at_ == begin ? std::nullopt : std::optional(value);
  }
  bool at_quote() const { return at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\''); }
  // A quoted text; nothing where its end is missing.
  std::optional<std::string> quoted() {
    const char quote = text_[at_++];
    std::string value;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        const char next = text_[at_ + 1];
        if (next == quote || next == '\\') ++at_;
      }
      value += text_[at_];
    }
    if (at_ == text_.size()) return std::nullopt;
    ++at_;
    return value;
  }

 private:
  std::string_view text_;
  std::size_t at_;
};

class TemplateParser {
 public:
  explicit TemplateParser(std::string_view text) : text_(text) {}

  std::variant<Template, std::vector<ExpressionError>> run() {
    while (at_ < text_.size()) {
      const std::size_t special = text_.find_first_of("${", at_);
      if (special == std::string_view::npos) {
        literal_ += text_.substr(at_);
        break;
      }
      literal_ += text_.substr(at_, special - at_);
      at_ = special;
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("$${")) {
        literal_ += "${";
        at_ += 3;
      } else if (rest.starts_with("${{")) {
        fail("a placeholder is written {{ name }} or ${name}, not ${{ name }}");
        at_ += 3;
      } else if (rest.starts_with("${")) {
        dollar();
      } else if (rest.starts_with("{{")) {
        braces();
      } else if (rest.starts_with("{%")) {
        tag();
      } else {
        literal_ += text_[at_++];
      }
    }
    if (!errors_.empty()) return std::move(errors_);
    result_.texts.push_back(std::move(literal_));
    return std::move(result_);
  }

 private:
  void fail(std::string message) { errors_.push_back({at_, std::move(message)}); }

  void add(Placeholder placeholder, std::size_t end) {
    placeholder.offset = at_;
    placeholder.source = std::string(text_.substr(at_, end - at_));
    result_.placeholders.push_back(std::move(placeholder));
    result_.texts.push_back(std::move(literal_));
    literal_.clear();
    at_ = end;
  }

  // `name { . name | [ index ] | [ "key" ] }`; false where something else follows a dot or a bracket.
  static bool path(Cursor& cursor, Placeholder& placeholder) {
    placeholder.name = std::string(cursor.name());
    if (placeholder.name.empty()) return false;
    for (;;) {
      PathStep step;
      if (cursor.take(".")) {
        step.name = std::string(cursor.name());
        if (step.name.empty()) return false;
      } else if (cursor.take("[")) {
        if (cursor.at_quote()) {
          auto key = cursor.quoted();
          if (!key) return false;
          step.name = std::move(*key);
        } else if (!(step.index = cursor.number())) {
          return false;
        }
        if (!cursor.take("]")) return false;
      } else {
        return true;
      }
      placeholder.path.push_back(std::move(step));
    }
  }

  void dollar() {
    Cursor cursor(text_, at_ + 2);
    Placeholder placeholder;
    const bool ours = path(cursor, placeholder) && cursor.take("}");
    // `${name[0]}` is an element of an array of the shell's.
    const bool element = !placeholder.path.empty() && text_[at_ + 2 + placeholder.name.size()] == '[';
    if (ours && !element) return add(std::move(placeholder), cursor.at());
    literal_ += "${";  // the shell's own
    at_ += 2;
  }

  void braces() {
    Cursor cursor(text_, at_ + 2);
    cursor.take("-");
    cursor.skip_blanks();
    const bool ours = cursor.at_quote() || (cursor.at() < text_.size() && is_name_start(text_[cursor.at()]));
    if (!ours) {
      literal_ += "{{";
      at_ += 2;
      return;
    }
    Placeholder placeholder;
    if (text_[at_ + 2] == '-') return give_up("'{{-' is not supported yet");
    if (cursor.at_quote()) {
      placeholder.literal = cursor.quoted();
      if (!placeholder.literal) return give_up("the text after '{{' has no closing quote");
    } else if (!path(cursor, placeholder)) {
      return give_up(
          "after '{{' a name such as build or build.stdout is expected; a literal '{{' is written {{ \"{{\" }}");
    }
    cursor.skip_blanks();
    while (cursor.take("|")) {
      if (!filter(cursor, placeholder)) return;
      cursor.skip_blanks();
    }
    if (!cursor.take("}}")) {
      return give_up(
          "this '{{' is not closed by '}}' after a name and filters; a literal '{{' is written {{ \"{{\" }}");
    }
    add(std::move(placeholder), cursor.at());
  }

  bool filter(Cursor& cursor, Placeholder& placeholder) {
    cursor.skip_blanks();
    const std::string name(cursor.name());
    const auto* const known = std::find_if(filter_names.begin(), filter_names.end(),
                                           [&](const FilterName& candidate) { return candidate.name == name; });
    if (known == filter_names.end()) {
      give_up(name.empty()
                  ? "after '|' the name of a filter is expected: default, trim, json, shell_quote or raw"
                  : "there is no filter '" + name + "' (yet); there are default, trim, json, shell_quote and raw");
      return false;
    }
    Filter filter{known->kind, ""};
    if (known->kind == Filter::Kind::fallback) {
      cursor.skip_blanks();
      const bool colon = cursor.take(":");
      cursor.skip_blanks();
      std::optional<std::string> argument;
      if (colon && cursor.at_quote()) argument = cursor.quoted();
      if (!argument) {
        give_up("the filter default is written default: \"text\"");
        return false;
      }
      filter.argument = std::move(*argument);
    }
    placeholder.filters.push_back(std::move(filter));
    return true;
  }

  void tag() {
    Cursor cursor(text_, at_ + 2);
    cursor.take("-");
    cursor.skip_blanks();
    const std::string_view word = cursor.name();
    if (std::find(tags.begin(), tags.end(), word) != tags.end()) {
      fail("{% " + std::string(word) + " %} is not supported yet");
    }
    literal_ += "{%";
    at_ += 2;
  }

  void give_up(std::string message) {
    fail(std::move(message));
    at_ += 2;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string literal_;
  Template result_;
  std::vector<ExpressionError> errors_;
};

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(blanks) - begin + 1));
}

bool is_empty(const Value& value) {
  return value.is_null() || (value.as_text() != nullptr && value.as_text()->empty());
}

}  // namespace

bool Placeholder::has(Filter::Kind kind) const {
  return std::any_of(filters.begin(), filters.end(), [kind](const Filter& filter) { return filter.kind == kind; });
}

std::variant<Template, std::vector<ExpressionError>> parse_template(std::string_view text) {
  return TemplateParser(text).run();
}

std::variant<Value, ExpressionError> resolve(const Placeholder& placeholder, const Scope& scope) {
  Value value;
  std::optional<std::string> missing;
  if (placeholder.literal) {
    value = Value(*placeholder.literal);
  } else if (const Value* found = scope.find(placeholder.name)) {
    value = *found;
    for (const PathStep& step : placeholder.path) {
      auto next = step.index ? element_of(value, *step.index) : field_of(value, step.name);
      if (auto* why = std::get_if<std::string>(&next)) {
        missing = placeholder.source + ": " + *why;
        break;
      }
      value = std::get<Value>(std::move(next));
    }
  } else {
    missing = scope.why_not(placeholder.name);
  }
  for (const Filter& filter : placeholder.filters) {
    if (filter.kind == Filter::Kind::fallback) {
      if (missing || is_empty(value)) value = Value(filter.argument);
      missing.reset();
    } else if (filter.kind == Filter::Kind::trim) {
      value = Value(trimmed(to_text(value)));
    } else if (filter.kind == Filter::Kind::json) {
      value = Value(to_json(value));
    }
  }
  if (missing) return ExpressionError{placeholder.offset, *missing};
  return value;
}

std::variant<std::string, ExpressionError> render_text(const Template& parsed, const Scope& scope) {
  std::string out = parsed.texts[0];
  for (std::size_t i = 0; i < parsed.placeholders.size(); ++i) {
    const Placeholder& placeholder = parsed.placeholders[i];
    auto value = resolve(placeholder, scope);
    if (auto* error = std::get_if<ExpressionError>(&value)) return std::move(*error);
    const std::string text = to_text(std::get<Value>(value));
    out += placeholder.has(Filter::Kind::shell_quote) ? shell_quoted(text) : text;
    out += parsed.texts[i + 1];
  }
  return out;
}

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

}  // namespace wtool::host::expressions
