#include "expressions/filters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/edit_distance.h"
#include "base/text.h"
#include "expressions/calls.h"
#include "expressions/path.h"

namespace wtool::host::expressions {
namespace {

using Result = std::variant<Value, std::string>;

struct Known {
  std::string_view name;
  Filter::Kind kind;
  std::size_t fewest;
  std::size_t most;  // `fewest` to `most` arguments are allowed
  std::string_view usage;
};
constexpr std::array known_filters = {
    Known{"default", Filter::Kind::fallback, 1, 1, "default: \"text\", or a number"},
    Known{"upcase", Filter::Kind::upcase, 0, 0, "upcase"},
    Known{"downcase", Filter::Kind::downcase, 0, 0, "downcase"},
    Known{"capitalize", Filter::Kind::capitalize, 0, 0, "capitalize"},
    Known{"trim", Filter::Kind::trim, 0, 0, "trim"},
    Known{"strip", Filter::Kind::trim, 0, 0, "strip"},
    Known{"slugify", Filter::Kind::slugify, 0, 0, "slugify"},
    Known{"replace", Filter::Kind::replace, 2, 2, "replace: \"old\", \"new\""},
    Known{"lines", Filter::Kind::lines, 0, 0, "lines"},
    Known{"split", Filter::Kind::split, 1, 1, "split: \",\""},
    Known{"join", Filter::Kind::join, 0, 1, "join: \", \""},
    Known{"first", Filter::Kind::first, 0, 0, "first"},
    Known{"last", Filter::Kind::last, 0, 0, "last"},
    Known{"size", Filter::Kind::size, 0, 0, "size"},
    Known{"plus", Filter::Kind::plus, 1, 1, "plus: 1"},
    Known{"minus", Filter::Kind::minus, 1, 1, "minus: 1"},
    Known{"times", Filter::Kind::times, 1, 1, "times: 2"},
    Known{"json", Filter::Kind::json, 0, 0, "json"},
    Known{"shell_quote", Filter::Kind::shell_quote, 0, 0, "shell_quote"},
    Known{"raw", Filter::Kind::raw, 0, 0, "raw"},
};

// Lower case, with one dash for each run of characters that are neither letters nor digits; characters beyond ASCII
// stay.
std::string slug(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_letter_or_digit(c) || (static_cast<unsigned char>(c) & 0x80) != 0) {
      out += lower(c);
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  if (out.ends_with('-')) out.pop_back();
  return out;
}

Result text_made(std::string text, Budget& budget) {
  if (!budget.spend_text(text.size())) return budget.message();
  return Value(std::move(text));
}

std::size_t find(std::string_view text, std::string_view part, std::size_t from) {
  const void* found = ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

Result replaced(std::string_view text, const std::string& part, const std::string& other, Budget& budget) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t found; (found = find(text, part, at)) != std::string_view::npos; at = found + part.size()) {
    out += text.substr(at, found - at);
    out += other;
    if (out.size() > max_text_made) return "the result of replace would be longer than 16 MiB";
  }
  out += text.substr(at);
  return text_made(std::move(out), budget);
}

Result list_of_parts(std::string_view text, const std::string& separator, Budget& budget) {
  List parts;
  std::size_t at = 0;
  while (!text.empty()) {
    if (!budget.spend(2)) return budget.message();
    const std::size_t found = find(text, separator, at);
    parts.emplace_back(text.substr(at, found == std::string_view::npos ? found : found - at));
    if (found == std::string_view::npos) break;
    at = found + separator.size();
  }
  return Value(std::move(parts));
}

Result joined_elements(const List& list, const std::string& separator, Budget& budget) {
  std::string out;
  for (const Value& element : list) {
    if (!budget.spend_value(element)) return budget.message();
    if (&element != &list.front()) out += separator;
    out += to_text(element);
    if (out.size() > max_text_made) return "the result of join would be longer than 16 MiB";
  }
  return text_made(std::move(out), budget);
}

Result of_list(const Filter& filter, const Value& value, std::string_view name, Budget& budget) {
  const List* list = value.as_list();
  if (list == nullptr) {
    return "'" + std::string(name) + "' needs a list, but got " + described(value) +
           (value.as_text() != nullptr ? "; the filters 'lines' and 'split' make a list from a text" : "");
  }
  if (filter.kind == Filter::Kind::join) {
    if (std::string why = withheld_within(value); !why.empty()) return why;
    return joined_elements(*list, filter.arguments.empty() ? " " : *filter.arguments[0].as_text(), budget);
  }
  if (list->empty()) return Value();
  return filter.kind == Filter::Kind::first ? list->front() : list->back();
}

bool is_sum(Filter::Kind kind) {
  return kind == Filter::Kind::plus || kind == Filter::Kind::minus || kind == Filter::Kind::times;
}

Result sum(const Filter& filter, const Value& value, Budget& budget) {
  std::optional<Value> left = number_in(value);
  std::optional<Value> right = number_in(filter.arguments[0]);
  if (!left) return "plus, minus and times need a number, but got " + described(value);
  if ((left->as_double() != nullptr) != (right->as_double() != nullptr)) {
    std::optional<Value>& whole = left->as_int() != nullptr ? left : right;
    whole = Value(static_cast<double>(*whole->as_int()));
  }
  const char operation = filter.kind == Filter::Kind::plus ? '+' : filter.kind == Filter::Kind::minus ? '-' : '*';
  return calculate(operation, *left, *right, budget);
}

Result of_text(const Filter& filter, std::string text, Budget& budget) {
  switch (filter.kind) {
    case Filter::Kind::upcase:
      return Value(in_capitals(text));
    case Filter::Kind::downcase:
      return Value(lowered(text));
    case Filter::Kind::capitalize:
      text = lowered(text);
      if (!text.empty()) text[0] = upper(text[0]);
      return Value(std::move(text));
    case Filter::Kind::trim:
      return Value(std::string(trimmed(text)));
    case Filter::Kind::slugify:
      return Value(slug(text));
    case Filter::Kind::replace:
      return replaced(text, *filter.arguments[0].as_text(), *filter.arguments[1].as_text(), budget);
    case Filter::Kind::split:
      return list_of_parts(text, *filter.arguments[0].as_text(), budget);
    case Filter::Kind::lines:
      // The newline at the end does not begin another line.
      if (text.ends_with('\n')) text.pop_back();
      return list_of_parts(text, "\n", budget);
    default:
      return Value(std::move(text));
  }
}

std::string unknown(std::string_view name) {
  std::vector<std::string> names;
  for (const Known& candidate : known_filters) names.emplace_back(candidate.name);
  if (name.empty()) return "the name of a filter is expected after '|': " + joined(names);
  return "there is no filter '" + std::string(name) + "'" + known_names(name, "filters", names);
}

std::string usage_of(const Known& known) {
  return "the filter " + std::string(known.name) + " is written " + std::string(known.usage);
}

// What is wrong with the arguments; empty if nothing is wrong. Skips the arguments in `variables`, whose values are not
// known yet.
std::string wrong_arguments(const Known& known, const std::vector<Value>& arguments,
                            const std::vector<std::pair<std::size_t, Path>>& variables) {
  if (known.kind == Filter::Kind::fallback) return "";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (std::any_of(variables.begin(), variables.end(), [i](const auto& one) { return one.first == i; })) continue;
    if (is_sum(known.kind)) {
      if (!number_in(arguments[i])) return usage_of(known) + ", with a number";
      continue;
    }
    const std::string* text = arguments[i].as_text();
    if (text == nullptr) return usage_of(known) + ", with texts in quotes";
    const bool looks_for = known.kind == Filter::Kind::split || known.kind == Filter::Kind::replace;
    if (looks_for && i == 0 && text->empty()) return usage_of(known) + "; an empty text is found everywhere";
  }
  return "";
}

// The same filter with values in place of its variables, or a sentence that says what is wrong.
std::variant<Filter, std::string> with_values(const Filter& filter, const Scope& scope) {
  Filter made{filter.kind, filter.arguments, {}};
  for (const auto& [place, path] : filter.variables) {
    auto value = follow_path(path.name, path.steps, scope);
    if (auto* mistake = std::get_if<PathMistake>(&value)) return std::move(mistake->why);
    made.arguments[place] = std::get<Value>(std::move(value));
  }
  const auto* const known = std::find_if(known_filters.begin(), known_filters.end(),
                                         [&](const Known& candidate) { return candidate.kind == filter.kind; });
  std::string why = wrong_arguments(*known, made.arguments, {});
  if (!why.empty()) return why;
  return made;
}

Result apply(const Filter& filter, const Value& value, Budget& budget) {
  switch (filter.kind) {
    case Filter::Kind::shell_quote:
    case Filter::Kind::raw:
      return value;
    case Filter::Kind::fallback: {
      const std::string* text = value.as_text();
      return value.is_null() || (text != nullptr && text->empty()) ? filter.arguments[0] : value;
    }
    case Filter::Kind::first:
      return of_list(filter, value, "first", budget);
    case Filter::Kind::last:
      return of_list(filter, value, "last", budget);
    case Filter::Kind::join:
      return of_list(filter, value, "join", budget);
    default:
      break;
  }
  if (!budget.spend_value(value)) return budget.message();
  if (filter.kind == Filter::Kind::size) return size_of(value);
  if (std::string why = withheld_within(value); !why.empty()) return why;
  if (filter.kind == Filter::Kind::json) return Value(to_json(value));
  if (is_sum(filter.kind)) return sum(filter, value, budget);
  const bool splits = filter.kind == Filter::Kind::lines || filter.kind == Filter::Kind::split;
  if (splits && value.as_text() == nullptr) {
    return std::string(filter.kind == Filter::Kind::lines ? "the filter 'lines'" : "the filter 'split'") +
           " needs a text, but got " + described(value);
  }
  return of_text(filter, to_text(value), budget);
}

}  // namespace

std::variant<Filter, std::string> make_filter(WrittenFilter written) {
  const auto* const known = std::find_if(known_filters.begin(), known_filters.end(),
                                         [&](const Known& candidate) { return candidate.name == written.name; });
  if (known == known_filters.end()) return unknown(written.name);
  const std::string usage = usage_of(*known);
  if (written.arguments.size() < known->fewest || written.arguments.size() > known->most) return usage;
  std::string why = wrong_arguments(*known, written.arguments, written.variables);
  if (!why.empty()) return why;
  return Filter{known->kind, std::move(written.arguments), std::move(written.variables)};
}

std::optional<Value> number_in(const Value& value) {
  if (value.as_int() != nullptr || value.as_double() != nullptr) return value;
  const std::string* text = value.as_text();
  if (text == nullptr) return std::nullopt;
  const std::string_view written = trimmed(*text);
  std::int64_t whole = 0;
  if (read_number(written, whole)) return Value(whole);
  double number = 0;
  if (read_number(written, number) && std::isfinite(number)) return Value(number);
  return std::nullopt;
}

std::variant<Value, std::string> apply(const Filter& filter, const Value& value, const Scope& scope, Budget& budget) {
  if (filter.variables.empty()) return apply(filter, value, budget);
  const auto complete = with_values(filter, scope);
  if (const auto* why = std::get_if<std::string>(&complete)) return *why;
  return apply(std::get<Filter>(complete), value, budget);
}

}  // namespace wtool::host::expressions
