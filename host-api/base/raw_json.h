// Reads JSON without making a tree of it, for code that needs only a few members of a long text, or reads JSON very
// often. nlohmann's library copies every text and makes a tree, which takes up to ten times as long
// (docs/decisions/0036-steps-that-are-up-to-date.md).
//
//   const std::vector<RawJson::Member> told = members_of(R"({"verdict":"allow","argv":["ls","-l"]})");
//   find_member(told, "verdict").text() == "allow"
//   find_member(told, "argv").raw() == R"(["ls","-l"])"
//
// Reads what parse_json() reads (json_reader.h), except a text that begins with a byte order mark, and one that nests
// deeper than `max_raw_json_depth`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace wtool {

inline constexpr std::size_t max_raw_json_depth = 128;

// A JSON value that stays a part of its text. The text must outlive it.
class RawJson {
 public:
  enum class Type { missing, null, boolean, number, text, array, object };
  struct Member;

  RawJson() = default;  // Type::missing
  // Type::missing: the text is not JSON.
  static RawJson parse(std::string_view text);

  Type type() const;
  // The value's own text, without blanks around it; empty if the value is missing.
  std::string_view raw() const { return raw_; }

  // Nothing: the value has another type, or, for integer(), does not fit into `Number` or has a fraction.
  std::optional<std::string> text() const;
  std::optional<bool> boolean() const;
  std::optional<double> number() const;
  template <class Number>
  std::optional<Number> integer() const;

  // In the order of the text; empty if the value has another type.
  std::vector<Member> members() const;
  std::vector<RawJson> elements() const;

 private:
  friend class JsonCursor;
  explicit RawJson(std::string_view raw) : raw_(raw) {}

  std::string_view raw_;
};

struct RawJson::Member {
  std::string_view name;  // as it is written between its quotes, that is, with escapes
  RawJson value;
};

// Moves what was read to `to`. False: nothing was read.
template <class Read, class To>
bool take_from(std::optional<Read>&& read, To& to) {
  if (read) to = std::move(*read);
  return read.has_value();
}

// The members of an object in the order of the text; empty: the text is not a JSON object, or is an empty one.
std::vector<RawJson::Member> members_of(std::string_view text);
// The last member of this name; missing if no member has it.
RawJson find_member(const std::vector<RawJson::Member>& members, std::string_view name);

// A place in a text of JSON. Each function that reads a value returns false if the text is not JSON there, and
// otherwise moves behind the value. No value reaches below the outermost one by more than `max_raw_json_depth`.
//
//   JsonCursor cursor("[1, 2]");
//   cursor.array([&] { return cursor.value(one) && take(one); }) && cursor.is_at_end()
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) { blanks(); }

  // Of the value that begins here, as its first character says.
  RawJson::Type type() const { return RawJson(text_.substr(at_)).type(); }
  // True if only blanks follow.
  bool is_at_end() {
    blanks();
    return at_ == text_.size();
  }

  // Any value.
  bool value(RawJson& value);
  // An object. `member` is called for each member with its name, as it is written between its quotes, while the cursor
  // is at the member's value; it must read the value, and return whether to go on.
  template <class Function>
  bool object(const Function& member);
  // An array. `element` is called for each element while the cursor is there, and must read it like `member`.
  template <class Function>
  bool array(const Function& element);

 private:
  template <class Item>
  bool list(char end, const Item& item);
  bool skip();
  bool string();
  bool escape();
  bool word(std::string_view word);
  bool digits();
  bool number();
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

// The text of a JSON string, without its quotes. It must be valid.
std::string without_json_escapes(std::string_view inside);

template <class Number>
std::optional<Number> RawJson::integer() const {
  Number number{};
  if (type() != Type::number || !read_number(raw_, number)) return std::nullopt;
  return number;
}

template <class Function>
bool JsonCursor::object(const Function& member) {
  return list('}', [&] {
    const std::size_t begin = at_ + 1;
    if (!string()) return false;
    const std::string_view name = text_.substr(begin, at_ - begin - 1);
    blanks();
    if (!take(':')) return false;
    blanks();
    return member(name);
  });
}

template <class Function>
bool JsonCursor::array(const Function& element) {
  return list(']', element);
}

// The brackets, items, commas and blanks of an array or an object.
template <class Item>
bool JsonCursor::list(char end, const Item& item) {
  if (depth_ == max_raw_json_depth || !take(end == '}' ? '{' : '[')) return false;
  blanks();
  if (take(end)) return true;
  ++depth_;
  for (;;) {
    if (!item()) return false;
    blanks();
    if (take(end)) break;
    if (!take(',')) return false;
    blanks();
  }
  --depth_;
  return true;
}

}  // namespace wtool
