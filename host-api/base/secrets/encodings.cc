#include "base/secrets/encodings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/text.h"

namespace wtool::secrets {

namespace {

constexpr std::size_t shortest_form = 8;

// The base64 digits that encode only bits of `value`, if `before` bytes come before it. Digits that also encode bits of
// its neighbours are left out.
std::string base64_after(std::size_t before, std::string_view value) {
  const std::size_t first = (before * 8 + 5) / 6;
  const std::size_t end = (before + value.size()) * 8 / 6;
  if (end <= first) return {};
  return base64(std::string(before, '\0').append(value)).substr(first, end - first);
}

std::string in_url_alphabet(std::string text) {
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

// Encodes all bytes as in a URL, except letters, digits, `-_.~` and those in `kept`.
std::string percent_encoded(std::string_view text, std::string_view digits, std::string_view kept) {
  std::string out;
  for (const char c : text) {
    if (is_word_character(c) || std::string_view("-.~").find(c) != std::string_view::npos ||
        kept.find(c) != std::string_view::npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return out;
}

}  // namespace

std::string base64(std::string_view bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

void append_encoded(std::string_view value, std::vector<std::string>& forms) {
  std::vector<std::string> made{base64(value)};
  for (std::size_t before = 0; before < 3; ++before) made.push_back(base64_after(before, value));
  for (std::size_t i = made.size(); i-- > 0;) made.push_back(in_url_alphabet(made[i]));
  // The lines of a long text, as base64 (76 columns) and PEM (64 columns) wrap it.
  for (const std::size_t bytes : {57U, 48U}) {
    for (std::size_t at = 0; value.size() > bytes && at < value.size(); at += bytes) {
      made.push_back(base64(value.substr(at, bytes)));
    }
  }
  for (const char* digits : {"0123456789ABCDEF", "0123456789abcdef"}) {
    for (const char* kept : {"", "/"}) {
      made.push_back(percent_encoded(value, digits, kept));
      made.push_back(made.back());  // as in an HTML form, where a blank becomes a plus
      replace_all(made.back(), "%20", "+");
    }
  }
  made.push_back(with_entities(value));
  made.push_back(with_entities(value, "&quot;", "&#x27;"));
  made.push_back(with_entities(value, "&#34;", "&#39;"));
  made.push_back(with_entities(value, "&quot;", "&apos;"));
  made.push_back(with_entities(value, "\"", "'"));
  for (std::string& form : made) {
    if (form.size() >= shortest_form && form != value) forms.push_back(std::move(form));
  }
}

}  // namespace wtool::secrets
