#include "expressions/tag_parser.h"

#include "expressions/parser.h"
#include "expressions/placeholder_parser.h"

namespace wtool::host::expressions {
namespace {

TagMistake mistake(std::size_t offset, std::string message) { return ExpressionError{offset, std::move(message)}; }

bool at_end(const TemplateCursor& cursor) { return cursor.starts("%}") || cursor.starts("-%}"); }

// A word that stands here; it is not taken where it is another one.
bool take_word(TemplateCursor& cursor, std::string_view word) {
  TemplateCursor ahead = cursor;
  ahead.skip_blanks();
  if (ahead.name() != word) return false;
  cursor = ahead;
  return true;
}

// An operand, followed by filters.
TagMistake parse_value(TemplateCursor& cursor, std::size_t tag, const std::string& usage, Operand& operand) {
  if (!parse_operand(cursor, operand)) return mistake(tag, usage);
  if (auto why = parse_filters(cursor, operand.filters, Dialect::prompt)) return mistake(tag, std::move(*why));
  return std::nullopt;
}

TagMistake parse_list(TemplateCursor& cursor, Loop& loop) {
  auto parsed = parse_tag_expression(cursor.text(), cursor.at(), TagUse::value);
  if (auto* error = std::get_if<ExpressionError>(&parsed)) return std::move(*error);
  auto& found = std::get<TagExpression>(parsed);
  loop.list = std::move(found.expression);
  cursor = TemplateCursor(cursor.text(), found.end);
  return std::nullopt;
}

// `(first..last)`; false where it is not there.
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

// The list ends where `limit`, `offset` or `reversed` begins: an expression would take them for a part of it.
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
  auto parsed = parse_tag_expression(cursor.text(), cursor.at(), TagUse::test);
  if (auto* error = std::get_if<ExpressionError>(&parsed)) return std::move(*error);
  auto& found = std::get<TagExpression>(parsed);
  branch.test = std::move(found.expression);
  cursor = TemplateCursor(cursor.text(), found.end);
  return std::nullopt;
}

TagMistake parse_loop(TemplateCursor& cursor, Dialect dialect, Loop& loop) {
  cursor.skip_blanks();
  loop.variable = std::string(cursor.name());
  cursor.skip_blanks();
  if (loop.variable.empty() || cursor.name() != "in") {
    return mistake(loop.offset, "a loop is written {% for x in list %}");
  }
  if (loop.variable == "forloop") {
    return mistake(loop.offset, "'forloop' is what a loop tells of itself; choose another name");
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
  if (auto error = parse_list(cursor, loop)) return error;
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

TagMistake parse_capture(TemplateCursor& cursor, Capture& capture) {
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
      return mistake(tag, "values follow {% when; several are separated by commas");
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
      return mistake(cycle.offset, "values follow {% cycle, separated by commas");
    }
    cursor.skip_blanks();
    if (cycle.values.empty() && !cycle.group && cursor.take(":")) {
      cycle.group = std::move(value);
      if (!parse_operand(cursor, value = Operand())) {
        return mistake(cycle.offset, "values follow the group of a {% cycle");
      }
      cursor.skip_blanks();
    }
    cycle.values.push_back(std::move(value));
  } while (cursor.take(","));
  cycle.written = std::string(cursor.text().substr(begin, cursor.at() - begin));
  return std::nullopt;
}

TagMistake parse_inclusion(TemplateCursor& cursor, const std::string& word, Inclusion& inclusion) {
  const std::string usage = "a prompt is put in with {% " + word + " \"name\" %} or {% " + word +
                            " \"name\", key: value %}; a name or a value has no blanks outside of quotes";
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
