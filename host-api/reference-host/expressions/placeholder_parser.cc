#include "expressions/placeholder_parser.h"

#include <charconv>

namespace wtool::host::expressions {
namespace {

// The number at the cursor; nothing where it is not a number.
std::optional<Value> parse_number(TemplateCursor& cursor) {
  std::string_view written = cursor.rest().substr(0, cursor.rest().find_first_not_of("-0123456789."));
  // The range (1..n) begins with a whole number.
  written = written.substr(0, written.find(".."));
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

// A text in quotes, a number, or true or false; in a prompt also nil (or null) and a path. False: it is none of these.
bool parse_operand_value(TemplateCursor& cursor, Dialect dialect, Operand& operand) {
  if (cursor.at_quote()) {
    auto text = cursor.quoted();
    if (text) operand.literal = Value(std::move(*text));
    return text.has_value();
  }
  if (!cursor.at_name()) {
    operand.literal = parse_number(cursor);
    return operand.literal.has_value();
  }
  if (dialect == Dialect::workflow) {
    const std::string_view word = cursor.name();
    if (word == "true" || word == "false") operand.literal = Value(word == "true");
    return operand.literal.has_value();
  }
  if (!parse_path(cursor, operand, dialect)) return false;
  if (!operand.path.empty()) return true;
  if (operand.name == "true" || operand.name == "false") operand.literal = Value(operand.name == "true");
  if (operand.name == "nil" || operand.name == "null") operand.literal = Value();
  return true;
}

}  // namespace

bool parse_path(TemplateCursor& cursor, Placeholder& placeholder, Dialect dialect) {
  placeholder.name = std::string(cursor.dashed_name());
  if (placeholder.name.empty()) return false;
  for (;;) {
    PathStep step;
    if (!cursor.starts("..") && cursor.take(".")) {
      step.name = std::string(cursor.dashed_name());
      if (step.name.empty()) return false;
    } else if (cursor.take("[")) {
      if (cursor.at_quote()) {
        auto key = cursor.quoted();
        if (!key) return false;
        step.name = std::move(*key);
      } else if (dialect == Dialect::prompt && cursor.at_name()) {
        step.name = std::string(cursor.name());
        step.is_variable = true;
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

bool parse_operand(TemplateCursor& cursor, Operand& operand) {
  cursor.skip_blanks();
  operand.offset = cursor.at();
  const bool read = parse_operand_value(cursor, Dialect::prompt, operand);
  operand.source = std::string(cursor.text().substr(operand.offset, cursor.at() - operand.offset));
  return read;
}

std::optional<std::string> parse_filters(TemplateCursor& cursor, std::vector<Filter>& filters, Dialect dialect) {
  cursor.skip_blanks();
  while (cursor.take("|")) {
    cursor.skip_blanks();
    WrittenFilter written;
    written.name = std::string(cursor.name());
    cursor.skip_blanks();
    if (cursor.take(":")) {
      do {
        cursor.skip_blanks();
        Operand argument;
        if (!parse_operand_value(cursor, dialect, argument)) {
          return "what follows the ':' of the filter " + written.name + " is neither a text in quotes nor a number";
        }
        if (!argument.literal) {
          written.variables.emplace_back(written.arguments.size(),
                                         Path{std::move(argument.name), std::move(argument.path)});
        }
        written.arguments.push_back(argument.literal ? *argument.literal : Value());
        cursor.skip_blanks();
      } while (cursor.take(","));
    }
    auto made = make_filter(std::move(written));
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

std::optional<std::string> parse_braces(TemplateCursor& cursor, Placeholder& placeholder, Dialect dialect) {
  if (cursor.at_quote()) {
    auto text = cursor.quoted();
    if (!text) return "the text after '{{' has no closing quote";
    placeholder.literal = Value(std::move(*text));
  } else if (!parse_path(cursor, placeholder, dialect)) {
    return "after '{{' a name is expected, such as build or build.stdout. Give the action of a state with another kind "
           "of name result=\"name\". A literal '{{' is written {{ \"{{\" }}";
  }
  return parse_filters(cursor, placeholder.filters, dialect);
}

}  // namespace wtool::host::expressions
