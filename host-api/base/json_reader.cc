#include "base/json_reader.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/raw_json.h"
#include "base/utf8.h"

namespace wtool {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t max_shown = 60;
constexpr std::size_t max_explained = 200;
constexpr std::size_t deepest = 64;

std::string cut(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  return text.substr(0, cut_before(text, most)) + "... (" + std::to_string(text.size()) + " bytes)";
}

// The library's message, without its error number. The library repeats all of a number or string that it cannot read.
std::string explain(const Json::exception& error) {
  const std::string text = error.what();
  const std::size_t end = text.find("] ");
  return cut(end == std::string::npos ? text : text.substr(end + 2), max_explained);
}

// Makes the tree of a text with JsonCursor, which is several times as fast as the library's own parser: that one looks
// at one character at a time.
template <class Value>
class Tree {
 public:
  // False: the text is not JSON, or is one of the few that only the library reads (raw_json.h).
  bool read(std::string_view text, Value& value) {
    JsonCursor cursor(text);
    return read(cursor, 0, value) && cursor.is_at_end();
  }

  std::size_t depth() const { return depth_; }                              // of the value that is nested most deeply
  const std::optional<std::string>& repeated() const { return repeated_; }  // a key that an object has twice

 private:
  bool read(JsonCursor& cursor, std::size_t depth, Value& value) {
    depth_ = std::max(depth_, depth);
    switch (cursor.type()) {
      case RawJson::Type::object: {
        value = Value::object();
        return cursor.object([&](std::string_view written) {
          std::string name = without_json_escapes(written);
          const std::size_t before = value.size();
          Value& member = value[name];
          if (value.size() == before && !repeated_) repeated_ = std::move(name);
          return read(cursor, depth + 1, member);
        });
      }
      case RawJson::Type::array:
        value = Value::array();
        return cursor.array([&] {
          value.push_back(nullptr);
          return read(cursor, depth + 1, value.back());
        });
      default: {
        RawJson simple;
        if (!cursor.value(simple)) return false;
        value = simple_value(simple);
        return true;
      }
    }
  }

  static Value simple_value(const RawJson& simple) {
    if (auto text = simple.text()) return std::move(*text);
    if (const auto truth = simple.boolean()) return *truth;
    if (simple.type() != RawJson::Type::number) return nullptr;
    if (const auto number = simple.integer<std::uint64_t>()) return *number;
    if (const auto number = simple.integer<std::int64_t>()) return *number;
    return *simple.number();
  }

  std::size_t depth_ = 0;
  std::optional<std::string> repeated_;
};

template <class Value>
Value parsed_or_discarded(std::string_view text) {
  Value value;
  if (Tree<Value>().read(text, value)) return value;
  if (text.find('\0') != std::string_view::npos) return Value(Value::value_t::discarded);
  return Value::parse(text, nullptr, false);
}

template <class Value>
Value parsed_or_thrown(std::string_view text) {
  Value value;
  if (Tree<Value>().read(text, value)) return value;
  constexpr int error_number = 101;
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    throw Json::parse_error::create(error_number, nul + 1, "a NUL in JSON", nullptr);
  }
  return Value::parse(text);
}

// The same as Tree finds, for texts that only the library reads.
struct LibraryWatch {
  std::size_t depth = 0;
  std::optional<std::string> repeated{};
  std::vector<std::set<std::string>> keys{};

  bool operator()(int at_depth, Json::parse_event_t event, const Json& parsed) {
    depth = std::max(depth, static_cast<std::size_t>(at_depth));
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second && !repeated) {
      repeated = parsed.get<std::string>();
    }
    return true;
  }
};

}  // namespace

std::string repeated_key(std::string_view text) {
  Json value;
  Tree<Json> tree;
  if (tree.read(text, value)) return tree.repeated() ? show_json(*tree.repeated()) : "";
  LibraryWatch watch;
  value = Json::parse(text, std::ref(watch), false);
  return watch.repeated ? show_json(*watch.repeated) : "";
}

Json parse_json_object(std::string_view text, std::string& problem) {
  // The library mistakes a NUL for the end of the text, and would not look at what follows.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    problem = "this is not JSON: byte " + std::to_string(nul + 1) + " is NUL";
    return nullptr;
  }
  Json value;
  Tree<Json> tree;
  LibraryWatch watch;
  if (tree.read(text, value)) {
    watch.depth = tree.depth();
    watch.repeated = tree.repeated();
  } else {
    try {
      value = Json::parse(text, std::ref(watch));
    } catch (const Json::exception& error) {
      problem = "this is not JSON: " + explain(error);
      return nullptr;
    }
  }
  if (watch.depth > deepest) {
    problem = "this JSON is nested deeper than " + std::to_string(deepest) + " levels";
  } else if (watch.repeated) {
    problem = "the key " + show_json(*watch.repeated) + " occurs twice; one of the two values would be lost";
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

std::string show_json(const Json& value) { return cut(dumped(value), max_shown); }

std::string describe_json(const Json& value) {
  const std::size_t bytes = dumped(value).size();
  return std::string("a value of type ") + value.type_name() + " (" + std::to_string(bytes) + " bytes)";
}

}  // namespace wtool
