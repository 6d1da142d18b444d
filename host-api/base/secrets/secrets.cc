#include "base/secrets/secrets.h"

#include <string.h>  // memmem

#include <algorithm>

#include "base/secrets/encodings.h"
#include "base/secrets/marks.h"
#include "base/text.h"

namespace wtool::secrets {

namespace {

// A shorter value may be a part of an ordinary word by chance.
constexpr std::size_t shortest_value = 6;

// The password in scheme://USER:PASSWORD@host; empty if the text has no password.
std::string_view password_in_url(std::string_view value) {
  const std::size_t begin = value.find("://");
  if (begin == std::string_view::npos) return {};
  const std::string_view authority = value.substr(begin + 3, value.find_first_of("/?#", begin + 3) - (begin + 3));
  const std::size_t at_sign = authority.rfind('@');
  const std::size_t colon = authority.find(':');
  if (at_sign == std::string_view::npos || colon > at_sign) return {};
  return authority.substr(colon + 1, at_sign - colon - 1);
}

bool is_worth_masking(std::string_view value) {
  return value.size() >= shortest_value &&
         !is_any_of({"default", "disabled", "enabled", "optional", "required", "unknown", "undefined", "keyring",
                     "password", "secret", "changeme", "example", "anonymous", "localhost"},
                    value);
}

// The value as it is, and in the encodings in which programs may print it.
void add_forms(std::string_view value, std::vector<std::string>& forms) {
  forms.emplace_back(value);
  append_encoded(value, forms);
}

void find_value(std::string_view text, const std::string& value, Marks& marks) {
  const char* const end = text.data() + text.size();
  for (const char* from = text.data(); from < end;) {
    // memmem is linear whatever the value is.
    const void* const found = ::memmem(from, static_cast<std::size_t>(end - from), value.data(), value.size());
    if (found == nullptr) return;
    const auto begin = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    marks.add({text}, begin, begin + value.size());
    from = text.data() + begin + value.size();
  }
}

Marks marks_in(std::string_view text, const std::vector<std::string>& values, bool collects_values) {
  Marks marks;
  marks.collects_values = collects_values;
  for (const std::string& value : values) find_value(text, value, marks);
  scan_text({text}, marks);
  scan_words({text}, values, marks);
  std::sort(marks.ranges.begin(), marks.ranges.end());
  return marks;
}

void sort_values(std::vector<std::string>& values) {
  std::sort(values.begin(), values.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

Masker::Masker(const std::vector<std::string>& variables) {
  for (const std::string_view variable : variables) {
    const std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view value = variable.substr(equals + 1);
    const std::string_view secret = is_secret_name(variable.substr(0, equals)) ? value : password_in_url(value);
    if (is_worth_masking(secret)) add_forms(secret, values_);
  }
  sort_values(values_);
}

void Masker::learn_from(std::string_view text) {
  std::vector<std::string> values = found_in(text);
  if (values.empty()) return;
  values_.insert(values_.end(), std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
  sort_values(values_);
}

std::string Masker::masked(std::string_view text) const {
  const Marks marks = marks_in(text, values_, false);
  std::string result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < marks.ranges.size();) {
    const std::size_t begin = marks.ranges[i].first;
    std::size_t end = marks.ranges[i].second;
    // Ranges that overlap are masked as one.
    for (++i; i < marks.ranges.size() && marks.ranges[i].first < end; ++i) end = std::max(end, marks.ranges[i].second);
    result.append(text, at, begin - at).append(mask);
    at = end;
  }
  return result.append(text, at);
}

std::vector<std::string> Masker::found_in(std::string_view text) const {
  std::vector<std::string> values = marks_in(text, values_, true).values;
  std::erase_if(values, [](const std::string& value) { return !is_worth_masking(value); });
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace wtool::secrets
