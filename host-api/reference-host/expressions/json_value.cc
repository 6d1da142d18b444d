#include "expressions/json_value.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace wtool::host::expressions {
namespace {

using nlohmann::json;

// How deeply brackets nest in it; linear, and without a look at whether it is JSON.
int depth_of(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return deepest;
}

std::optional<Value> convert(const json& from, int depth) {
  if (depth > max_json_depth) return std::nullopt;
  switch (from.type()) {
    case json::value_t::boolean:
      return Value(from.get<bool>());
    case json::value_t::number_integer:
      return Value(from.get<std::int64_t>());
    case json::value_t::number_unsigned: {
      const auto number = from.get<std::uint64_t>();
      return number <= INT64_MAX ? Value(static_cast<std::int64_t>(number)) : Value(static_cast<double>(number));
    }
    case json::value_t::number_float:
      return Value(from.get<double>());
    case json::value_t::string:
      return Value(from.get<std::string>());
    case json::value_t::array: {
      List list;
      for (const json& one : from) {
        auto value = convert(one, depth + 1);
        if (!value) return std::nullopt;
        list.push_back(std::move(*value));
      }
      return Value(std::move(list));
    }
    case json::value_t::object: {
      Map map;
      for (const auto& [key, one] : from.items()) {
        auto value = convert(one, depth + 1);
        if (!value) return std::nullopt;
        map.fields.insert_or_assign(key, std::move(*value));
      }
      return Value(std::move(map));
    }
    default:
      return Value();
  }
}

}  // namespace

std::optional<Value> from_json(const json& json) { return convert(json, 0); }

std::string quoted_json(const json& json) {
  return quoted_for_message(json.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::optional<Value> parse_json(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return std::nullopt;
  const char end = text[text.find_last_not_of(blanks)];
  // Most output is not JSON; its first and last character tell.
  const bool could_be = (text[first] == '{' && end == '}') || (text[first] == '[' && end == ']');
  if (!could_be || depth_of(text) > max_json_depth) return std::nullopt;
  const json parsed = json::parse(text, nullptr, false);
  if (parsed.is_discarded()) return std::nullopt;
  return from_json(parsed);
}

std::string why_not_json(std::string_view text) {
  if (depth_of(text) <= max_json_depth) {
    try {
      const json parsed = json::parse(text);
    } catch (const json::out_of_range& error) {
      // Python writes and reads such numbers, so its users take this text for JSON; say what is wrong with it.
      const std::string_view what = error.what();
      const std::size_t begin = std::min(what.find('\''), what.size());
      return "the output is JSON with a number that is too large for a double: " + std::string(what.substr(begin)) +
             "; write it as a string";
    } catch (const json::exception&) {
    }
  }
  return "the output is no JSON: " + quoted_for_message(text);
}

}  // namespace wtool::host::expressions
