#include "journal/json_value.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <memory>

#include "base/json.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/time_text.h"
#include "runner/outcome.h"

namespace wtool::host::journal {
namespace {

using expressions::List;
using expressions::Map;
using expressions::Value;
using nlohmann::json;

// Deeper than nested workflows need, but not so deep that the stack could overflow.
constexpr int deepest = 1000;

void append_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += std::isnan(value) ? R"({"$double":"nan"})" : value > 0 ? R"({"$double":"inf"})" : R"({"$double":"-inf"})";
    return;
  }
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  const std::string_view written(buffer, static_cast<std::size_t>(end.ptr - buffer));
  out += written;
  if (written.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void append_fields(std::string& out, const Map& map) {
  out += '{';
  const char* separator = "";
  for (const auto& [name, item] : map.fields) {
    out += separator;
    append_json_string(out, name);
    out += ':';
    append_json_value(out, item);
    separator = ",";
  }
  out += '}';
}

void append_map(std::string& out, const Map& map) {
  if (map.text) {
    out += R"({"$text":)";
    append_json_string(out, *map.text);
    out += R"(,"fields":)";
    append_fields(out, map);
    if (map.text_withheld) {
      out += R"(,"withheld":)";
      append_json_string(out, map.text_withheld->why);
    }
    out += '}';
    return;
  }
  // The names are sorted, so the first one from "$" on begins with `$` if any name does.
  const auto first = map.fields.lower_bound("$");
  const bool looks_special = first != map.fields.end() && first->first.starts_with('$');
  if (looks_special) out += R"({"$map":)";
  append_fields(out, map);
  if (looks_special) out += '}';
}

std::optional<Value> read_object(const json& from, int depth);

constexpr expressions::JsonReading journal_form{deepest, read_object};

std::optional<Value> read_object(const json& from, int depth) {
  if (const auto text = from.find("$text"); text != from.end()) {
    const auto fields = from.find("fields");
    if (!text->is_string() || fields == from.end() || !fields->is_object()) return std::nullopt;
    auto map = expressions::map_from_json(*fields, journal_form, depth);
    if (!map) return std::nullopt;
    map->text = text->get<std::string>();
    if (const auto why = from.find("withheld"); why != from.end() && why->is_string()) {
      map->text_withheld =
          std::make_shared<const expressions::Withheld>(expressions::Withheld{why->get<std::string>()});
    }
    return Value(std::move(*map));
  }
  if (const auto why = from.find("$withheld"); why != from.end()) {
    if (!why->is_string()) return std::nullopt;
    const auto file = from.find("file");
    const auto bytes = from.find("bytes");
    if (file == from.end() || !file->is_string() || bytes == from.end() || !bytes->is_number_unsigned()) {
      return Value(expressions::Withheld{why->get<std::string>()});
    }
    return Value(runner::json_of_file(file->get<std::string>(), bytes->get<std::uint64_t>()));
  }
  if (const auto number = from.find("$double"); number != from.end()) {
    using Limits = std::numeric_limits<double>;
    if (*number == "nan") return Value(Limits::quiet_NaN());
    if (*number == "inf") return Value(Limits::infinity());
    if (*number == "-inf") return Value(-Limits::infinity());
    return std::nullopt;
  }
  const auto inner = from.find("$map");
  if (inner != from.end() && !inner->is_object()) return std::nullopt;
  auto map = expressions::map_from_json(inner != from.end() ? *inner : from, journal_form, depth);
  return map ? std::optional(Value(std::move(*map))) : std::nullopt;
}

}  // namespace

void append_json_number(std::string& out, std::int64_t number) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number);
  out.append(buffer, static_cast<std::size_t>(end.ptr - buffer));
}

// Unlike expressions::to_json(), which writes for people and tools, this function writes what value_from_json() can
// read back: both parts of a map with a text form, the kind of each number, and where a withheld value is.
void append_json_value(std::string& out, const Value& value) {
  if (const expressions::Withheld* withheld = value.as_withheld(); withheld != nullptr && value.as_map() == nullptr) {
    out += R"({"$withheld":)";
    append_json_string(out, withheld->why);
    if (withheld->read) {
      out += R"(,"file":)";
      append_json_string(out, withheld->file);
      out += R"(,"bytes":)";
      append_json_number(out, static_cast<std::int64_t>(withheld->bytes));
    }
    out += '}';
  } else if (value.is_null()) {
    out += "null";
  } else if (const bool* truth = value.as_bool()) {
    out += *truth ? "true" : "false";
  } else if (const std::int64_t* number = value.as_int()) {
    append_json_number(out, *number);
  } else if (const double* fraction = value.as_double()) {
    append_double(out, *fraction);
  } else if (const Map* map = value.as_map()) {
    append_map(out, *map);
  } else if (const std::string* text = value.as_text()) {
    append_json_string(out, *text);
  } else if (const List* list = value.as_list()) {
    out += '[';
    const char* separator = "";
    for (const Value& item : *list) {
      out += separator;
      append_json_value(out, item);
      separator = ",";
    }
    out += ']';
  }
}

void append_json_time(std::string& out, Moment at) { out += '"' + iso_time(at) + '"'; }

std::optional<Value> value_from_json(const json& json) { return expressions::from_json(json, journal_form, 0); }

std::optional<Moment> time_from_text(std::string_view text) {
  using namespace std::chrono;
  static constexpr std::string_view shape = "0000-00-00T00:00:00.000Z";
  if (text.size() != shape.size()) return std::nullopt;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == '0' ? !is_digit(text[i]) : text[i] != shape[i]) return std::nullopt;
  }
  const auto number = [text](std::size_t at, std::size_t digits) {
    int value = 0;
    for (std::size_t i = at; i < at + digits; ++i) value = value * 10 + (text[i] - '0');
    return value;
  };
  const year_month_day date{year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                            day(static_cast<unsigned>(number(8, 2)))};
  // Nanoseconds in 64 bits span 292 years. The difference of two times must fit, too.
  if (!date.ok() || date.year() < year(1970) || date.year() > year(2261)) return std::nullopt;
  return Moment(sys_days(date)) + hours(number(11, 2)) + minutes(number(14, 2)) + seconds(number(17, 2)) +
         milliseconds(number(20, 3));
}

}  // namespace wtool::host::journal
