#include "runner/secrets.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/secrets/encodings.h"
#include "base/shell_quote.h"
#include "base/text.h"
#include "base/utf8.h"
#include "expressions/value.h"

namespace wtool::host::runner {
namespace {

// What replaces the middle of a long output, or the end of a long value in a message.
struct Gap {
  std::size_t begin = 0, end = 0;
  bool in_message = false;  // ordinary output may look the same, such as "Loading..."
};

// The end of `begin DIGITS end`, with which the text starts; 0: it does not start with that.
std::size_t end_of_gap(std::string_view text, std::string_view begin, std::string_view end) {
  if (!text.starts_with(begin)) return 0;
  const std::size_t after = std::min(text.find_first_not_of("0123456789", begin.size()), text.size());
  return after > begin.size() && text.substr(after).starts_with(end) ? after + end.size() : 0;
}

// The first gap in the text. A text without gaps has an empty one at its end. quoted_for_message(), show_json() and
// excerpt() cut a value before its message is masked.
Gap next_gap(std::string_view text) {
  for (std::size_t dots = text.find("..."); dots != std::string_view::npos; dots = text.find("...", dots + 1)) {
    const std::string_view rest = text.substr(dots);
    if (dots >= 2) {
      const std::size_t size = end_of_gap(text.substr(dots - 2), "\n[... ", " bytes left out ...]\n");
      if (size > 0) return {dots - 2, dots - 2 + size};
    }
    if (rest.starts_with("...\"")) return {dots, dots + 4, true};
    if (const std::size_t size = end_of_gap(rest, "... (", " bytes)"); size > 0) return {dots, dots + size, true};
  }
  return {text.size(), text.size()};
}

}  // namespace

void Secrets::add(std::string_view value) {
  std::vector<std::string> forms;
  const auto trimmed = value.substr(0, value.find_last_not_of("\r\n") + 1);
  if (trimmed.empty()) return;
  forms.emplace_back(trimmed);
  for (std::size_t begin = 0; begin < trimmed.size();) {
    const std::size_t end = std::min(trimmed.find('\n', begin), trimmed.size());
    if (end - begin >= shortest_part) forms.emplace_back(trimmed.substr(begin, end - begin));
    begin = end + 1;
  }
  const std::string as_json = expressions::to_json(expressions::Value(trimmed));
  forms.push_back(as_json.substr(1, as_json.size() - 2));
  const std::string as_ascii = dumped_as_ascii(nlohmann::json(to_utf8(std::string(trimmed))));
  forms.push_back(as_ascii.substr(1, as_ascii.size() - 2));
  forms.push_back(forms.back());
  replace_all(forms.back(), "/", "\\/");
  const std::string quoted = shell_quoted(trimmed);
  forms.push_back(quoted.substr(1, quoted.size() - 2));
  // The forms that templates write in double quotes and in here-documents, and those that `printf %q` writes.
  for (const char* special : {"\\$`\"", "\\$`", " !\"#$&'()*,;<>?[\\]^`{|}~", " !\"$&'()*,;<>?[\\]^`{|}"}) {
    forms.push_back(with_backslashes(trimmed, special));
  }
  if (trimmed.front() == '#' || trimmed.front() == '~') forms.push_back('\\' + forms.back());
  wtool::secrets::append_encoded(trimmed, forms);

  const std::unique_lock lock(mutex_);
  for (std::string& form : forms) {
    longest_ = std::max(longest_, form.size());
    begins_[static_cast<unsigned char>(form.front())] = true;
    forms_.insert(std::move(form));
  }
  any_.store(true, std::memory_order_release);
}

// Among the forms with which the text begins, the longest is the last in sort order. The form that sorts directly
// before the text (or equals it) shares with the text at least as many leading bytes as this longest form has. If the
// text does not begin with the form found, the search continues with only the bytes that both share.
std::size_t Secrets::max_at_the_beginning(std::string_view text) const {
  if (!begins_[static_cast<unsigned char>(text.front())]) return 0;
  while (!text.empty()) {
    auto form = forms_.upper_bound(text);
    if (form == forms_.begin()) return 0;
    --form;
    if (text.starts_with(*form)) return form->size();
    text = text.substr(0, static_cast<std::size_t>(std::ranges::mismatch(text, *form).in1 - text.begin()));
  }
  return 0;
}

std::string Secrets::masked_piece(std::string_view text) const {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t size = max_at_the_beginning(text.substr(at));
    if (size == 0) {
      out += text[at++];
    } else {
      out += mask;
      at += size;
    }
  }
  return out;
}

std::string Secrets::masked(std::string_view text) const {
  if (empty()) return std::string(text);
  const std::shared_lock lock(mutex_);
  std::string out;
  for (Gap gap = next_gap(text); gap.begin < text.size(); gap = next_gap(text)) {
    std::string_view head = text.substr(0, gap.begin);
    std::string_view tail = text.substr(gap.end);
    std::size_t begun = longest_beginning_at_the_end(head);
    if (gap.in_message && begun < shortest_part) begun = 0;
    const std::size_t ended = gap.in_message ? 0 : longest_end_at_the_beginning(tail);
    out += masked_piece(head.substr(0, head.size() - begun));
    if (begun > 0) out += mask;
    out += text.substr(gap.begin, gap.end - gap.begin);
    if (ended > 0) out += mask;
    text = tail.substr(ended);
  }
  return out + masked_piece(text);
}

std::size_t Secrets::longest_beginning_at_the_end(std::string_view text) const {
  for (std::size_t size = std::min(longest_ - 1, text.size()); size > 0; --size) {
    const std::string_view tail = text.substr(text.size() - size);
    if (!begins_[static_cast<unsigned char>(tail.front())]) continue;
    const auto form = forms_.upper_bound(tail);
    if (form != forms_.end() && form->starts_with(tail)) return size;
  }
  return 0;
}

std::size_t Secrets::longest_end_at_the_beginning(std::string_view text) const {
  std::size_t longest = 0;
  for (const std::string& form : forms_) {
    for (std::size_t size = std::min(form.size() - 1, text.size()); size > longest; --size) {
      if (form.ends_with(text.substr(0, size))) longest = size;
    }
  }
  return longest;
}

std::size_t Secrets::undecided_tail(std::string_view text) const {
  if (empty()) return 0;
  const std::shared_lock lock(mutex_);
  return longest_beginning_at_the_end(text);
}

}  // namespace wtool::host::runner
