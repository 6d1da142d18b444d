#include "runner/secrets.h"

#include <algorithm>
#include <mutex>

#include "expressions/template.h"
#include "expressions/value.h"

namespace wtool::host::workflow {
namespace {

// A line of a secret of several lines is one itself only from this length on: `}` or `--` would hide half the output.
constexpr std::size_t shortest_line = 6;

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

}  // namespace

void Secrets::add(std::string_view value) {
  std::vector<std::string> forms;
  const auto trimmed = value.substr(0, value.find_last_not_of("\r\n") + 1);
  if (trimmed.empty()) return;
  forms.emplace_back(trimmed);
  for (std::size_t begin = 0; begin < trimmed.size();) {
    const std::size_t end = std::min(trimmed.find('\n', begin), trimmed.size());
    if (end - begin >= shortest_line) forms.emplace_back(trimmed.substr(begin, end - begin));
    begin = end + 1;
  }
  const std::string json = expressions::to_json(expressions::Value(trimmed));
  forms.push_back(json.substr(1, json.size() - 2));
  const std::string quoted = expressions::shell_quoted(trimmed);
  forms.push_back(quoted.substr(1, quoted.size() - 2));
  if (trimmed.size() >= shortest_line) forms.push_back(base64(trimmed));

  const std::unique_lock lock(mutex_);
  for (std::string& form : forms) {
    if (std::find(forms_.begin(), forms_.end(), form) == forms_.end()) forms_.push_back(std::move(form));
  }
  std::stable_sort(forms_.begin(), forms_.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  any_.store(true, std::memory_order_release);
}

std::string Secrets::masked(std::string_view text) const {
  if (empty()) return std::string(text);
  const std::shared_lock lock(mutex_);
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto form = std::find_if(forms_.begin(), forms_.end(),
                                   [&](const std::string& secret) { return text.substr(at).starts_with(secret); });
    if (form == forms_.end()) {
      out += text[at++];
    } else {
      out += mask;
      at += form->size();
    }
  }
  return out;
}

std::size_t Secrets::undecided_tail(std::string_view text) const {
  if (empty()) return 0;
  const std::shared_lock lock(mutex_);
  const std::size_t longest = forms_.empty() ? 0 : forms_.front().size() - 1;
  for (std::size_t size = std::min(longest, text.size()); size > 0; --size) {
    const std::string_view tail = text.substr(text.size() - size);
    if (std::any_of(forms_.begin(), forms_.end(),
                    [&](const std::string& secret) { return secret.size() > size && secret.starts_with(tail); })) {
      return size;
    }
  }
  return 0;
}

}  // namespace wtool::host::workflow
