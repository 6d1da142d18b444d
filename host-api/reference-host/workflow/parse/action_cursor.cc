#include "workflow/parse/action_cursor.h"

#include <algorithm>

#include <vector>

#include "base/json.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "base/utf8.h"
#include "expressions/lexer.h"

namespace wtool::host::workflow {
namespace {

constexpr std::size_t max_json_depth = 100;

// The length of the object or list that begins with text[0]; npos: it has no end, or is nested too deeply.
std::size_t object_length(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > max_json_depth) return std::string_view::npos;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return i + 1;
    }
  }
  return std::string_view::npos;
}

// The names of an object's members, as they are written, with their places.
using NamePlaces = std::vector<std::pair<std::string, std::size_t>>;
NamePlaces names_of(std::string_view object) {
  NamePlaces found;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < object.size(); ++i) {
    const char c = object[i];
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c != '"') continue;
    const std::size_t begin = i++;
    while (i < object.size() && object[i] != '"') i += object[i] == '\\' ? 2U : 1U;
    const std::size_t behind = object.find_first_not_of(" \t\n", std::min(i + 1, object.size()));
    if (depth == 1 && behind != std::string_view::npos && object[behind] == ':') {
      found.emplace_back(object.substr(begin + 1, i - begin - 1), begin);
    }
  }
  return found;
}

// Says what is wrong with a JSON text around the byte `at`, and how to write it. `at` becomes the start of the mistake.
std::string json_mistake(std::string_view text, std::size_t& at) {
  // Find the token around the byte, then the character before it.
  std::size_t token = at;
  if (text[at] == '"') {
    token = text.rfind('"', at == 0 ? 0 : at - 1);
    if (token == std::string_view::npos) token = at;
  }
  while (token > 0 && is_word_character(text[token]) && is_word_character(text[token - 1])) --token;
  const std::size_t before = token == 0 ? std::string_view::npos : text.find_last_not_of(" \t\n", token - 1);
  const char previous = before == std::string_view::npos ? '\0' : text[before];
  const char here = text[token];
  if ((here == '}' || here == ']') && previous == ',') {
    at = before;
    return "the comma before the closing " + std::string(1, here) + " must be removed";
  }
  at = token;
  const bool ends_value = previous == '"' || previous == '}' || previous == ']' || is_word_character(previous);
  if (here == '"' && ends_value) return "a comma, or a ':' after a name, is missing before this";
  if (here == '\'') return "texts are written in double quotes";
  if (here == '$' || here == '{')
    return "a value from a variable is written inside a text, as in {\"n\": \"${count}\"}";
  if (is_word_character(here))
    return "texts and names are written in double quotes; only numbers, true, false and null have no quotes";
  return "members are written \"name\": value, with commas between them; a value from a variable is written inside a "
         "text, as in {\"n\": \"${count}\"}";
}

}  // namespace

void ActionCursor::skip_blanks() {
  while (at_ < text_.text().size() && std::string_view(" \t\n").find(text_.text()[at_]) != std::string_view::npos)
    ++at_;
}

bool ActionCursor::at_end() {
  skip_blanks();
  return at_ == text_.text().size();
}

std::string ActionCursor::peek_word() {
  skip_blanks();
  std::size_t end = at_;
  while (end < text_.text().size() && is_word_character(text_.text()[end])) ++end;
  return lowered(rest().substr(0, end - at_));
}

bool ActionCursor::take_word(std::string_view word) {
  if (peek_word() != word) return false;
  at_ += word.size();
  return true;
}

bool ActionCursor::sees(char symbol) {
  skip_blanks();
  return at_ < text_.text().size() && text_.text()[at_] == symbol;
}

bool ActionCursor::take_symbol(char symbol) {
  if (!sees(symbol)) return false;
  ++at_;
  return true;
}

std::string ActionCursor::take_name() {
  skip_blanks();
  const std::string_view from = rest();
  std::size_t size = 0;
  if (!from.empty() && expressions::is_name_start(from[0])) {
    while (size < from.size() && expressions::is_name_character(from[size])) ++size;
  }
  at_ += size;
  return std::string(from.substr(0, size));
}

std::optional<MappedText> ActionCursor::take_quoted(const std::string& what) {
  if (sees('"')) return take_between('"');
  for (const std::string_view quote : {"\u201c", "\u201d", "\u201e", "\u2018", "\u2019", "\u00ab", "\u00bb"}) {
    if (!rest().starts_with(quote)) continue;
    fail("this is a typographic quote; write " + what + " in plain quotes, as in \"text\"");
    return std::nullopt;
  }
  fail(what + " in double quotes is expected here, not " + rest_for_message());
  return std::nullopt;
}

std::optional<MappedText> ActionCursor::take_text(const std::string& what) {
  if (sees('\'')) return take_between('\'');
  return take_quoted(what);
}

std::optional<MappedText> ActionCursor::take_between(char quote) {
  const std::string_view all = text_.text();
  const std::size_t open = at_;
  MappedText value;
  std::size_t i = at_ + 1;
  while (i < all.size() && all[i] != quote) {
    // Plain stretches are appended whole, so that `value` consists of few pieces.
    std::size_t plain = i;
    while (plain < all.size() && all[plain] != quote && all[plain] != '\\' && all[plain] != '\n') ++plain;
    if (plain > i) {
      value.append(all.substr(i, plain - i), text_.locate(i));
      i = plain;
      continue;
    }
    if (all[i] == '\n' || i + 1 == all.size()) {
      value.append(all.substr(i, 1), text_.locate(i));
      ++i;
      continue;
    }
    const char next = all[i + 1];
    const std::size_t source = text_.locate(i);
    if (next == quote || next == '\\') {
      value.append(all.substr(i + 1, 1), source + 1);
    } else if (next == 'n') {
      value.append("\n", source);
    } else if (next == 't') {
      value.append("\t", source);
    } else {
      value.append(all.substr(i, 2), source);
    }
    i += 2;
  }
  if (i >= all.size()) {
    diagnostics_.add(text_.locate(open),
                     std::string("this text has no closing ") + (quote == '"' ? "double" : "single") + " quote");
    return std::nullopt;
  }
  if (value.empty()) value.append("", text_.locate(open));
  at_ = i + 1;
  text_begin_ = open;
  text_end_ = at_;
  return value;
}

bool ActionCursor::explain_quotes() {
  const std::string_view all = text_.text();
  if (text_end_ == 0 || text_end_ >= all.size() || std::string_view(" \t\n").find(all[text_end_]) < 3) return false;
  const std::string_view inside = all.substr(text_begin_ + 1, text_end_ - text_begin_ - 2);
  const std::size_t blank = inside.find_last_of(" \t\n");
  const bool ends_with_option = inside.ends_with('=') && blank != std::string_view::npos;
  std::string_view behind = all.substr(text_end_);
  behind = behind.substr(0, std::min<std::size_t>(behind.find('\n'), 40));
  while (!behind.empty() && continues_character(behind.back())) behind.remove_suffix(1);
  if (!behind.empty() && (static_cast<unsigned char>(behind.back()) & 0x80U) != 0) behind.remove_suffix(1);
  if (ends_with_option) {
    diagnostics_.add(text_.locate(text_begin_), "this text has no closing quote: the next quote is the one after `" +
                                                    std::string(inside.substr(blank + 1)) +
                                                    "`; close the text before it");
  } else {
    diagnostics_.add(text_.locate(text_begin_),
                     "this text is ended by the quote before " + expressions::quoted_for_message(behind) +
                         "; a quote inside of it is written \\\", or write the command as an "
                         "indented ```sh block");
  }
  return true;
}

std::optional<MappedText> ActionCursor::take_up_to(std::string_view open, std::string_view close) {
  skip_blanks();
  if (!rest().starts_with(open)) return std::nullopt;
  const std::size_t end = rest().find(close, open.size());
  if (end == std::string_view::npos) return std::nullopt;
  const std::size_t begin = at_;
  at_ += end + close.size();
  return text_.part(begin, at_);
}

std::optional<MappedText> ActionCursor::take_placeholder() {
  if (auto taken = take_up_to("${", "}")) return taken;
  return take_up_to("{{", "}}");
}

std::optional<MappedText> ActionCursor::take_tag() { return take_up_to("{%", "%}"); }

std::string ActionCursor::take_to_blank() {
  skip_blanks();
  const std::string word(rest().substr(0, rest().find_first_of(" \t\n")));
  at_ += word.size();
  return word;
}

std::optional<std::string> ActionCursor::take_labelled_line() {
  skip_blanks();
  const std::string_view before = std::string_view(text_.text()).substr(0, at_);
  const std::size_t last = before.find_last_not_of(" \t\n");
  const bool begins_line = last != std::string_view::npos && before.find('\n', last) != std::string_view::npos;
  const std::string_view line = rest().substr(0, rest().find('\n'));
  const std::size_t label = std::min(line.find(':'), line.size());
  const auto is_word = [](char c) { return is_word_character(c) || c == ' '; };
  if (!begins_line || label == 0 || label == line.size() ||
      !std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(label), is_word)) {
    return std::nullopt;
  }
  at_ += line.size();
  return std::string(line);
}

MappedText ActionCursor::take_rest() {
  skip_blanks();
  const std::size_t begin = at_;
  at_ = text_.text().size();
  return text_.part(begin, at_);
}

std::string ActionCursor::take_bare_word() {
  skip_blanks();
  const std::string_view from = rest();
  std::size_t size = 0;
  while (size < from.size() && (is_word_character(from[size]) || from[size] == '-' || from[size] == '.')) ++size;
  at_ += size;
  return std::string(from.substr(0, size));
}

std::string ActionCursor::take_duration() {
  std::string word = take_bare_word();
  return word.empty() ? take_to_blank() : word;
}

std::optional<std::string> ActionCursor::take_bare_literal() {
  skip_blanks();
  const std::size_t before = at_;
  std::string word = take_bare_word();
  const bool number = !word.empty() && word.find_first_not_of("0123456789.-") == std::string::npos;
  if (number || word == "true" || word == "false") return word;
  at_ = before;
  return std::nullopt;
}

std::shared_ptr<const nlohmann::json> ActionCursor::take_json_object(std::map<std::string, std::size_t>* places) {
  if (!sees('{')) {
    fail("a JSON object such as {\"name\": \"value\"} is expected here, not " + rest_for_message());
    return nullptr;
  }
  const std::size_t size = object_length(rest());
  if (size == std::string_view::npos) {
    fail("this JSON object is not closed, or is nested deeper than " + std::to_string(max_json_depth) + " levels");
    return nullptr;
  }
  const std::string_view written = rest().substr(0, size);
  try {
    auto made = std::make_shared<const nlohmann::json>(parse_json_or_throw(written));
    const std::string twice = repeated_key(written);
    if (!twice.empty()) fail("the key " + twice + " occurs twice in this JSON object");
    for (const auto& [name, place] : places == nullptr ? NamePlaces() : names_of(written)) {
      places->try_emplace(name, text_.locate(at_ + place));
    }
    at_ += size;
    return made;
  } catch (const nlohmann::json::parse_error& error) {
    // nlohmann reports the byte after the one that it could not parse.
    const std::size_t byte = std::min(error.byte == 0 ? 0 : error.byte - 1, size - 1);
    std::size_t place = byte;
    const std::string why = json_mistake(written, place);
    diagnostics_.add(text_.locate(at_ + place), "this is not valid JSON here: " + why);
    return nullptr;
  } catch (const nlohmann::json::out_of_range&) {
    fail("a number in this JSON object is too large");
    return nullptr;
  }
}

std::shared_ptr<const nlohmann::json> ActionCursor::take_text_list(const std::string& example) {
  const std::string expected = "a list of texts such as [\"" + example + "\"] is expected here";
  const std::size_t size = sees('[') ? object_length(rest()) : std::string_view::npos;
  if (size == std::string_view::npos) {
    fail(expected + ", not " + rest_for_message());
    return nullptr;
  }
  const std::string_view written = rest().substr(0, size);
  auto made = std::make_shared<nlohmann::json>(parse_json(written));
  const bool is_list =
      made->is_array() && !made->empty() && std::all_of(made->begin(), made->end(), [](const nlohmann::json& entry) {
        return entry.is_string() && !entry.get_ref<const std::string&>().empty();
      });
  const auto is_empty_text = [](const nlohmann::json& entry) { return entry == ""; };
  if (made->is_array() && std::any_of(made->begin(), made->end(), is_empty_text)) {
    fail("a text of this list is empty; write what it names, as in [\"" + example + "\"], or leave it out");
    return nullptr;
  }
  if (!is_list) {
    fail(expected + ", with texts in double quotes, not " + expressions::quoted_for_message(written));
    return nullptr;
  }
  at_ += size;
  return made;
}

std::string ActionCursor::rest_for_message() {
  skip_blanks();
  if (at_ == text_.text().size()) return "the end of the action";
  const std::string_view from = rest();
  return expressions::quoted_for_message(from.substr(0, from.find('\n')));
}

}  // namespace wtool::host::workflow
