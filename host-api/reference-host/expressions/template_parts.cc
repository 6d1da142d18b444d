#include "expressions/template_parts.h"

#include "base/text.h"
#include "expressions/expression.h"

namespace wtool::host::expressions {
namespace {

// Reads the number at the cursor. Nothing: there is no number.
std::optional<Value> parse_number(TemplateCursor& cursor) {
  std::string_view written = cursor.rest().substr(0, cursor.rest().find_first_not_of("-0123456789."));
  // In a range such as (1..n), the dots are not a part of the number.
  written = written.substr(0, written.find(".."));
  cursor.take(written);
  std::int64_t whole = 0;
  if (read_number(written, whole)) return Value(whole);
  double number = 0;
  if (read_number(written, number)) return Value(number);
  return std::nullopt;
}

// Reads a quoted text, a number, true or false; in a prompt also nil (or null) and a path. False for anything else.
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
  // `${name[0]}` is an element of a shell array.
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
    return "a name is expected after '{{', such as build or build.stdout. If the name of a state cannot "
           "be written here, give its action result=\"name\". A literal '{{' is written {{ \"{{\" }}";
  }
  return parse_filters(cursor, placeholder.filters, dialect);
}

namespace {

TagMistake mistake(std::size_t offset, std::string message) { return ExpressionError{offset, std::move(message)}; }

bool at_end(const TemplateCursor& cursor) { return cursor.starts("%}") || cursor.starts("-%}"); }

// Takes `word` if it comes next, and otherwise nothing.
bool take_word(TemplateCursor& cursor, std::string_view word) {
  TemplateCursor ahead = cursor;
  ahead.skip_blanks();
  if (ahead.name() != word) return false;
  cursor = ahead;
  return true;
}

// Reads an operand and the filters after it.
TagMistake parse_value(TemplateCursor& cursor, std::size_t tag, const std::string& usage, Operand& operand) {
  if (!parse_operand(cursor, operand)) return mistake(tag, usage);
  if (auto why = parse_filters(cursor, operand.filters, Dialect::prompt)) return mistake(tag, std::move(*why));
  return std::nullopt;
}

// Takes the expression that is next.
template <typename Place>
TagMistake take_expression(TemplateCursor& cursor, TagUse use, Place& to) {
  auto parsed = parse_tag_expression(cursor.text(), cursor.at(), use);
  if (auto* error = std::get_if<ExpressionError>(&parsed)) return std::move(*error);
  auto& found = std::get<TagExpression>(parsed);
  to = std::move(found.expression);
  cursor = TemplateCursor(cursor.text(), found.end);
  return std::nullopt;
}

// Reads `(first..last)`. False: something else comes next.
bool parse_range(TemplateCursor& cursor, Loop& loop) {
  TemplateCursor ahead = cursor;
  Operand first;
  Operand last;
  if (!ahead.take("(") || !parse_operand(ahead, first)) return false;
  ahead.skip_blanks();
  if (!ahead.take("..") || !parse_operand(ahead, last)) return false;
  ahead.skip_blanks();
  if (!ahead.take(")")) return false;
  loop.range = {std::move(first), std::move(last)};
  cursor = ahead;
  return true;
}

// Whether the list is a path before `limit`, `offset` or `reversed`. parse_loop() then does not read an expression,
// which would not end before these words.
bool has_loop_options(const TemplateCursor& cursor) {
  TemplateCursor ahead = cursor;
  Placeholder path;
  if (!parse_path(ahead, path, Dialect::prompt)) return false;
  ahead.skip_blanks();
  const std::string_view word = ahead.name();
  return word == "limit" || word == "offset" || word == "reversed";
}

TagMistake parse_loop_options(TemplateCursor& cursor, Loop& loop) {
  for (;;) {
    cursor.skip_blanks();
    cursor.take(",");
    if (take_word(cursor, "reversed")) {
      loop.reversed = true;
      continue;
    }
    const bool limits = take_word(cursor, "limit");
    if (!limits && !take_word(cursor, "offset")) return std::nullopt;
    Operand value;
    cursor.skip_blanks();
    if (!cursor.take(":") || !parse_operand(cursor, value)) {
      return mistake(loop.offset, limits ? "limit is written limit: 5" : "offset is written offset: 5");
    }
    (limits ? loop.limit : loop.offset_in_list) = std::move(value);
  }
}

// `key: value { "," key: value }`
TagMistake parse_arguments(TemplateCursor& cursor, const std::string& usage, Inclusion& inclusion) {
  for (;;) {
    cursor.skip_blanks();
    if (cursor.take(",")) cursor.skip_blanks();
    if (at_end(cursor) || cursor.rest().empty()) return std::nullopt;
    std::string key(cursor.name());
    cursor.skip_blanks();
    Operand value;
    if (key.empty() || !cursor.take(":") || !parse_operand(cursor, value)) return mistake(inclusion.offset, usage);
    for (const auto& [other, unused] : inclusion.arguments) {
      if (other == key) return mistake(inclusion.offset, "the parameter '" + key + "' is given twice");
    }
    inclusion.arguments.emplace_back(std::move(key), std::move(value));
  }
}

}  // namespace

TagMistake parse_test(TemplateCursor& cursor, TemplateBranch& branch) {
  return take_expression(cursor, TagUse::test, branch.test);
}

TagMistake parse_loop(TemplateCursor& cursor, Dialect dialect, Loop& loop) {
  cursor.skip_blanks();
  loop.variable = std::string(cursor.name());
  cursor.skip_blanks();
  if (loop.variable.empty() || cursor.name() != "in") {
    return mistake(loop.offset, "a loop is written {% for x in list %}");
  }
  if (loop.variable == "forloop") {
    return mistake(loop.offset, "'forloop' has the loop's own values; choose another name");
  }
  cursor.skip_blanks();
  loop.list_offset = cursor.at();
  const bool in_prompt = dialect == Dialect::prompt;
  if (in_prompt && parse_range(cursor, loop)) return parse_loop_options(cursor, loop);
  if (in_prompt && has_loop_options(cursor)) {
    Operand path;
    parse_operand(cursor, path);
    loop.path = std::move(path);
    return parse_loop_options(cursor, loop);
  }
  if (auto error = take_expression(cursor, TagUse::value, loop.list)) return error;
  if (auto why = parse_filters(cursor, loop.filters, dialect)) return mistake(loop.offset, std::move(*why));
  return in_prompt ? parse_loop_options(cursor, loop) : std::nullopt;
}

TagMistake parse_assign(TemplateCursor& cursor, std::size_t tag, Assign& assign) {
  const std::string usage = "an assignment is written {% assign name = value %}, with filters after the value";
  cursor.skip_blanks();
  assign.variable = std::string(cursor.name());
  cursor.skip_blanks();
  if (assign.variable.empty() || !cursor.take("=")) return mistake(tag, usage);
  return parse_value(cursor, tag, usage, assign.value);
}

TagMistake parse_capture(TemplateCursor& cursor, CaptureTag& capture) {
  cursor.skip_blanks();
  if (cursor.at_quote()) {
    capture.variable = cursor.quoted().value_or("");
  } else {
    capture.variable = std::string(cursor.name());
  }
  if (!capture.variable.empty()) return std::nullopt;
  return mistake(capture.offset, "a capture is written {% capture name %} text {% endcapture %}");
}

TagMistake parse_case(TemplateCursor& cursor, std::size_t tag, Case& made) {
  return parse_value(cursor, tag, "a choice is written {% case name %} {% when \"value\" %} text {% endcase %}",
                     made.subject);
}

TagMistake parse_when(TemplateCursor& cursor, std::size_t tag, When& when) {
  do {
    Operand value;
    if (!parse_operand(cursor, value)) {
      return mistake(tag, "values are expected after {% when, separated by commas");
    }
    when.values.push_back(std::move(value));
    cursor.skip_blanks();
  } while (cursor.take(",") || take_word(cursor, "or"));
  return std::nullopt;
}

TagMistake parse_cycle(TemplateCursor& cursor, Cycle& cycle) {
  const std::size_t begin = cursor.at();
  do {
    Operand value;
    if (!parse_operand(cursor, value)) {
      return mistake(cycle.offset, "values are expected after {% cycle, separated by commas");
    }
    cursor.skip_blanks();
    if (cycle.values.empty() && !cycle.group && cursor.take(":")) {
      cycle.group = std::move(value);
      if (!parse_operand(cursor, value = Operand())) {
        return mistake(cycle.offset, "values are expected after the group of a {% cycle");
      }
      cursor.skip_blanks();
    }
    cycle.values.push_back(std::move(value));
  } while (cursor.take(","));
  cycle.written = std::string(cursor.text().substr(begin, cursor.at() - begin));
  return std::nullopt;
}

TagMistake parse_inclusion(TemplateCursor& cursor, const std::string& word, Inclusion& inclusion) {
  const std::string usage = "a prompt is inserted with {% " + word + " \"name\" %} or {% " + word +
                            " \"name\", key: value %}; a name or a value has no blanks outside quotes";
  inclusion.isolated = word == "render";
  if (!parse_operand(cursor, inclusion.name)) return mistake(inclusion.offset, usage);
  inclusion.for_each = take_word(cursor, "for");
  if (inclusion.for_each || take_word(cursor, "with")) {
    Operand value;
    if (!parse_operand(cursor, value)) return mistake(inclusion.offset, usage);
    inclusion.value = std::move(value);
  }
  if (take_word(cursor, "as")) {
    cursor.skip_blanks();
    inclusion.variable = std::string(cursor.name());
    if (inclusion.variable.empty() || !inclusion.value) return mistake(inclusion.offset, usage);
  }
  return parse_arguments(cursor, usage, inclusion);
}

}  // namespace wtool::host::expressions
