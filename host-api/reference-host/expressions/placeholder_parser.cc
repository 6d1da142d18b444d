#include "expressions/placeholder_parser.h"

#include <charconv>

namespace wtool::host::expressions {
namespace {

// A text in quotes, a number, or true or false; nothing where none of them stands here.
std::optional<Value> parse_argument(TemplateCursor& cursor) {
  if (cursor.at_quote()) {
    auto text = cursor.quoted();
    return text ? std::optional(Value(std::move(*text))) : std::nullopt;
  }
  if (cursor.at_name()) {
    const std::string_view word = cursor.name();
    return word == "true" || word == "false" ? std::optional(Value(word == "true")) : std::nullopt;
  }
  const std::string_view written = cursor.rest().substr(0, cursor.rest().find_first_not_of("-0123456789."));
  const char* end = written.data() + written.size();
  cursor.take(written);
  std::int64_t whole = 0;
  if (const auto parsed = std::from_chars(written.data(), end, whole); parsed.ec == std::errc() && parsed.ptr == end) {
    return Value(whole);
  }
  double number = 0;
  if (const auto parsed = std::from_chars(written.data(), end, number); parsed.ec == std::errc() && parsed.ptr == end) {
    return Value(number);
  }
  return std::nullopt;
}

}  // namespace

bool parse_path(TemplateCursor& cursor, Placeholder& placeholder) {
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

std::optional<std::string> parse_filters(TemplateCursor& cursor, std::vector<Filter>& filters) {
  cursor.skip_blanks();
  while (cursor.take("|")) {
    cursor.skip_blanks();
    const std::string name(cursor.name());
    cursor.skip_blanks();
    std::vector<Value> arguments;
    if (cursor.take(":")) {
      do {
        cursor.skip_blanks();
        auto argument = parse_argument(cursor);
        if (!argument) return "what follows the ':' of the filter " + name + " is no text in quotes and no number";
        arguments.push_back(std::move(*argument));
        cursor.skip_blanks();
      } while (cursor.take(","));
    }
    auto made = make_filter(name, std::move(arguments));
    if (auto* why = std::get_if<std::string>(&made)) return std::move(*why);
    filters.push_back(std::get<Filter>(std::move(made)));
    cursor.skip_blanks();
  }
  return std::nullopt;
}

bool parse_dollar(TemplateCursor& cursor, Placeholder& placeholder) {
  const bool ours = parse_path(cursor, placeholder) && cursor.take("}");
  // `${name[0]}` is an element of an array of the shell's.
  const bool element =
      ours && !placeholder.path.empty() && cursor.text()[cursor.begin() + placeholder.name.size()] == '[';
  return ours && !element;
}

std::optional<std::string> parse_braces(TemplateCursor& cursor, Placeholder& placeholder) {
  if (cursor.at_quote()) {
    placeholder.literal = cursor.quoted();
    if (!placeholder.literal) return "the text after '{{' has no closing quote";
  } else if (!parse_path(cursor, placeholder)) {
    return "after '{{' a name such as build or build.stdout is expected; a literal '{{' is written {{ \"{{\" }}";
  }
  return parse_filters(cursor, placeholder.filters);
}

}  // namespace wtool::host::expressions
