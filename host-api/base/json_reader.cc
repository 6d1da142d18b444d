#include "base/json_reader.h"

#include <set>
#include <vector>

#include "base/json.h"
#include "base/utf8.h"

namespace wtool {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t max_shown = 60;
constexpr int deepest = 64;

// The library's message, without its error number.
std::string explain(const Json::exception& error) {
  std::string text = error.what();
  const std::size_t end = text.find("] ");
  return end == std::string::npos ? text : text.substr(end + 2);
}

template <class Value>
Value parsed_or_discarded(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return Value(Value::value_t::discarded);
  return Value::parse(text, nullptr, false);
}

template <class Value>
Value parsed_or_thrown(std::string_view text) {
  constexpr int error_number = 101;
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    throw Json::parse_error::create(error_number, nul + 1, "a NUL in JSON", nullptr);
  }
  return Value::parse(text);
}

// While a text is parsed, looks for keys that an object has twice.
struct KeyWatch {
  std::vector<std::set<std::string>> keys{};
  std::string repeated{};

  void see(Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second &&
        repeated.empty()) {
      repeated = parsed.get<std::string>();
    }
  }
};

}  // namespace

std::string repeated_key(std::string_view text) {
  KeyWatch watch;
  const Json value = Json::parse(
      text,
      [&](int, Json::parse_event_t event, Json& parsed) {
        watch.see(event, parsed);
        return true;
      },
      false);
  return watch.repeated.empty() ? "" : show_json(watch.repeated);
}

Json parse_json_object(std::string_view text, std::string& problem) {
  // The library mistakes a NUL for the end of the text, and would not look at what follows.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    problem = "this is not JSON: byte " + std::to_string(nul + 1) + " is NUL";
    return nullptr;
  }
  KeyWatch keys;
  bool too_deep = false;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > deepest) too_deep = true;
    keys.see(event, parsed);
    return true;
  };
  Json value;
  try {
    value = Json::parse(text, watch);
  } catch (const Json::exception& error) {
    problem = "this is not JSON: " + explain(error);
    return nullptr;
  }
  if (too_deep) {
    problem = "this JSON is nested deeper than " + std::to_string(deepest) + " levels";
  } else if (!keys.repeated.empty()) {
    problem = "the key " + show_json(keys.repeated) + " occurs twice; one of the two values would be lost";
  } else if (!value.is_object()) {
    problem = "expected a JSON object, got " + show_json(value);
  }
  return value;
}

Json parse_json(std::string_view text) { return parsed_or_discarded<Json>(text); }

OrderedJson parse_ordered_json(std::string_view text) { return parsed_or_discarded<OrderedJson>(text); }

Json parse_json_or_throw(std::string_view text) { return parsed_or_thrown<Json>(text); }

OrderedJson parse_ordered_json_or_throw(std::string_view text) { return parsed_or_thrown<OrderedJson>(text); }

bool nests_deeper(std::string_view text, std::size_t levels) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > levels) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

std::string show_json(const Json& value) {
  std::string text = dumped(value);
  if (text.size() <= max_shown) return text;
  return text.substr(0, cut_before(text, max_shown)) + "... (" + std::to_string(text.size()) + " bytes)";
}

std::string describe_json(const Json& value) {
  const std::size_t bytes = dumped(value).size();
  return std::string("a value of type ") + value.type_name() + " (" + std::to_string(bytes) + " bytes)";
}

}  // namespace wtool
