#include "policy/wrappers/options.h"

#include <algorithm>

namespace wtool::policy {

namespace {

using programs::Compiled;
using Known = programs::Option;

std::string_view without_dashes(std::string_view name) { return name.substr(name.starts_with("--") ? 2 : 1); }

class Reader {
 public:
  Reader(const std::vector<Word>& words, std::size_t from, const Compiled& program, Permuting permuting)
      : words_(words),
        program_(program),
        manner_(program.spec().manner & ~(permuting == Permuting::never ? programs::permutes : 0U)),
        at_(from) {}

  Reading read() {
    while (at_ < words_.size() && !reading_.obstacle) {
      const Word& word = words_[at_];
      if (!word.literal) {
        if (has(programs::permutes) && !has(programs::lenient)) {
          obstruct(at_, "it is known only when it runs, and may be an option");
        } else if (!operand()) {
          break;
        }
      } else if (word.text == "--") {
        ++at_;
        rest_are_operands();
      } else if (is_option(word.text)) {
        option(word);
      } else if (!operand()) {
        break;
      }
    }
    return std::move(reading_);
  }

 private:
  bool has(unsigned manner) const { return (manner_ & manner) != 0; }

  bool is_option(std::string_view text) const {
    return text.size() > 1 && (text[0] == '-' || (text[0] == '+' && has(programs::plus)));
  }

  void obstruct(std::size_t word, std::string reason) {
    reading_.obstacle = word;
    reading_.reason = std::move(reason);
  }

  void rest_are_operands() {
    for (; at_ < words_.size(); ++at_) reading_.operands.push_back(at_);
  }

  // False: this was the end of the options.
  bool operand() {
    if (!has(programs::permutes)) {
      rest_are_operands();
      return false;
    }
    reading_.operands.push_back(at_++);
    return true;
  }

  void option(const Word& word) {
    const std::string_view text = word.text;
    if (has(programs::number) && text.find_first_not_of("0123456789", 1) == std::string_view::npos) {
      ++at_;
    } else if (text.starts_with("--")) {
      long_option(word, text.substr(2));
    } else if (has(programs::single_dash)) {
      long_option(word, text.substr(1));
    } else {
      letters(word);
    }
  }

  void long_option(const Word& word, std::string_view text) {
    const std::size_t equals = has(programs::no_equals) ? std::string_view::npos : text.find('=');
    std::string name(text.substr(0, equals));
    if (has(programs::underscores)) std::replace(name.begin(), name.end(), '_', '-');
    const Known* const found = program_.only(name);
    // A table that is not complete cannot say that an abbreviation is the only one.
    std::size_t values = found == nullptr ? 0 : found->values;
    std::string_view full = found == nullptr ? std::string_view() : without_dashes(found->name);
    if (found == nullptr || (full != name && has(programs::any_valued | programs::any_long))) {
      const bool valued = has(programs::any_valued);
      if (!valued && !has(programs::any_long | programs::lenient)) {
        return obstruct(at_, "the option " + word.text.substr(0, word.text.find('=')) + " is not known here");
      }
      reading_.passed_over =
          reading_.passed_over || (has(programs::lenient) && !valued && equals == std::string_view::npos);
      full = name;
      values = valued ? 1 : 0;
    }
    Option option{std::string(full), at_, at_ + 1, false, {}};
    ++at_;
    if (equals != std::string_view::npos) {
      option.has_value = true;
      option.value = {std::string(text.substr(equals + 1)), true, word.at};
      reading_.options.push_back(std::move(option));
      return;
    }
    take_values(std::move(option), values);
  }

  void letters(const Word& word) {
    const std::string& text = word.text;
    const std::size_t place = at_++;
    const std::string sign = text[0] == '+' ? "+" : "";
    for (std::size_t i = 1; i < text.size() && !reading_.obstacle; ++i) {
      const Known* const known = program_.any_letter(text[i]);
      Option option{sign + text[i], place, place + 1, false, {}};
      if (known == nullptr) {
        if (!has(programs::lenient)) {
          return obstruct(place, std::string("the option ") + text[0] + text[i] + " is not known here");
        }
        reading_.passed_over = true;
        continue;
      }
      if (i + 1 < text.size() && known->value != programs::Value::none) {
        option.has_value = true;
        option.value = {text.substr(i + 1), true, word.at};
        reading_.options.push_back(std::move(option));
        return;
      }
      take_values(std::move(option), known->values);
    }
  }

  // Of several values, the last is kept: no table asks for another.
  void take_values(Option option, std::size_t count) {
    for (; count > 0 && at_ < words_.size(); --count) {
      if (!words_[at_].literal && !has(programs::lenient)) {
        return obstruct(at_, "it is known only when it runs, and may become several words");
      }
      option.has_value = true;
      option.value = words_[at_++];
    }
    option.next = at_;
    reading_.options.push_back(std::move(option));
  }

  const std::vector<Word>& words_;
  const Compiled& program_;
  unsigned manner_;
  std::size_t at_;
  Reading reading_;
};

}  // namespace

const Option* Reading::find(std::string_view list) const {
  for (const Option& option : options) {
    if (is_listed(list, option.name)) return &option;
  }
  return nullptr;
}

Takes what_takes(const Compiled& program, std::string_view text) {
  if (text.starts_with("--") || (program.spec().manner & programs::single_dash) != 0) {
    const std::string_view name = text.substr(text.starts_with("--") ? 2 : 1);
    if (name.find('=') != std::string_view::npos) return Takes::nothing;
    const Known* const known = program.only(name);
    return known == nullptr ? Takes::unknown : known->values > 0 ? Takes::value : Takes::nothing;
  }
  bool all_known = true;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const Known* const known = program.any_letter(text[i]);
    all_known = all_known && known != nullptr;
    if (known != nullptr && known->value != programs::Value::none) {
      // What follows in the word is the value.
      return known->values > 0 && i + 1 == text.size() ? Takes::value : Takes::nothing;
    }
  }
  return all_known ? Takes::nothing : Takes::unknown;
}

bool is_listed(std::string_view list, std::string_view item, char separator) {
  if (item.empty()) return false;
  for (std::size_t at = list.find(item); at != std::string_view::npos; at = list.find(item, at + 1)) {
    const std::size_t end = at + item.size();
    if ((at == 0 || list[at - 1] == separator) && (end == list.size() || list[end] == separator)) return true;
  }
  return false;
}

Reading read_options(const std::vector<Word>& words, std::size_t from, const Compiled& program, Permuting permuting) {
  return Reader(words, from, program, permuting).read();
}

}  // namespace wtool::policy
