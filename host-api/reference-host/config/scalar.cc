#include "config/scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tracing/escape.h"

namespace wtool::host {

namespace {

using nlohmann::json;

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

// std::from_chars that takes all of the text or fails.
template <typename Number, typename... How>
bool whole(std::string_view text, Number& number, How... how) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number, how...);
  return failed == std::errc{} && end == text.data() + text.size();
}

// Decimal digits with a sign, or 0o17, 0x1F without one; `value` is set for those that fit 64 bits.
bool parse_integer(std::string_view text, json& value) {
  std::uint64_t positive = 0;
  std::int64_t negative = 0;
  if (text.starts_with("0x") || text.starts_with("0o")) {
    if (!whole(text.substr(2), positive, text[1] == 'x' ? 16 : 8)) return false;
    value = positive;
  } else if (text.starts_with('-')) {
    if (!whole(text, negative)) return false;
    value = negative;
  } else {
    if (text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || text.front() < '0' || text.front() > '9' || !whole(text, positive)) return false;
    value = positive;
  }
  return true;
}

// [-+]? ( \. [0-9]+ | [0-9]+ (\. [0-9]*)? ) ([eE] [-+]? [0-9]+)?
bool parse_float(std::string_view text, json& value) {
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t mantissa = std::min(text.find_first_not_of("0123456789."), text.size());
  if (text.substr(0, mantissa).find_first_of("0123456789") == std::string_view::npos) return false;
  std::string digits(text);
  if (const auto plus = digits.find('+'); plus != std::string::npos) {
    // The grammar has a plus in the exponent alone; from_chars accepts it there too, but not in front.
    if (plus == 0) return false;
  }
  double number = 0;
  if (!whole(std::string_view(digits), number)) return false;
  value = minus ? -number : number;
  return true;
}

}  // namespace

bool parse_scalar(const std::string& text, const std::string& tag, json& value, std::string& error) {
  const std::string shown = '"' + escaped(text) + '"';
  if (tag == "!" || tag == "tag:yaml.org,2002:str") {
    value = text;
    return true;
  }
  if (!tag.empty() && tag != "?") {
    error = "the tag " + escaped(tag) + " is not supported here";
    return false;
  }
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) {
    value = nullptr;
  } else if (is_one_of(text, {"true", "True", "TRUE"})) {
    value = true;
  } else if (is_one_of(text, {"false", "False", "FALSE"})) {
    value = false;
  } else if (parse_integer(text, value)) {
  } else if (parse_float(text, value)) {
  } else if (is_one_of(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", ".nan",
                              ".NaN", ".NAN"})) {
    error = shown + " is not a number that can be used here";
    return false;
  } else {
    value = text;
  }
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    error = shown + " is too large a number";
    return false;
  }
  return true;
}

}  // namespace wtool::host
