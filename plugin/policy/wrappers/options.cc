#include "policy/wrappers/options.h"

#include <algorithm>

namespace wtool::policy {

namespace {

// How many values an option takes: `optional` is one in the same word, or none.
struct Arity {
  bool known = false;
  bool optional = false;
  std::size_t values = 0;
};

Arity arity_of_letter(const Syntax& syntax, char letter) {
  if (letter == ':') return {};
  const std::size_t at = syntax.letters.find(letter);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = syntax.letters.substr(at + 1);
  if (rest.starts_with("::")) return {true, true, 0};
  return {true, false, rest.starts_with(':') ? 1U : 0U};
}

// One entry of Syntax::longs: "out=", "bind=2", "color?", "all".
struct LongOption {
  std::string_view name;
  Arity arity;
};

LongOption read_entry(std::string_view entry) {
  LongOption option{entry.substr(0, entry.find_first_of("=?")), {true, false, 0}};
  const std::string_view rest = entry.substr(option.name.size());
  option.arity.optional = rest == "?";
  if (rest.starts_with('=')) option.arity.values = rest.size() > 1 ? static_cast<std::size_t>(rest[1] - '0') : 1;
  return option;
}

// The option of this name or, where there is only one, the one that begins so.
LongOption find_long(const Syntax& syntax, std::string_view name) {
  LongOption found;
  bool several = false;
  std::string_view rest = syntax.longs;
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
    const LongOption option = read_entry(entry);
    if (option.name == name) return option;
    if (name.empty() || !option.name.starts_with(name)) continue;
    several = several || found.arity.known;
    found = option;
  }
  return several ? LongOption{} : found;
}

class Reader {
 public:
  Reader(const std::vector<Word>& words, std::size_t from, const Syntax& syntax)
      : words_(words), syntax_(syntax), at_(from) {}

  Reading read() {
    while (at_ < words_.size() && !reading_.obstacle) {
      const Word& word = words_[at_];
      if (!word.literal) {
        if (has(Syntax::permutes) && !has(Syntax::lenient)) {
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
  bool has(unsigned manner) const { return (syntax_.manner & manner) != 0; }

  bool is_option(std::string_view text) const {
    return text.size() > 1 && (text[0] == '-' || (text[0] == '+' && has(Syntax::plus)));
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
    if (!has(Syntax::permutes)) {
      rest_are_operands();
      return false;
    }
    reading_.operands.push_back(at_++);
    return true;
  }

  void option(const Word& word) {
    const std::string_view text = word.text;
    if (has(Syntax::number) && text.find_first_not_of("0123456789", 1) == std::string_view::npos) {
      ++at_;
    } else if (text.starts_with("--")) {
      long_option(word, text.substr(2));
    } else if (has(Syntax::single_dash)) {
      long_option(word, text.substr(1));
    } else {
      letters(word);
    }
  }

  void long_option(const Word& word, std::string_view text) {
    const std::size_t equals = has(Syntax::no_equals) ? std::string_view::npos : text.find('=');
    std::string name(text.substr(0, equals));
    if (has(Syntax::underscores)) std::replace(name.begin(), name.end(), '_', '-');
    LongOption found = find_long(syntax_, name);
    // A table that is not complete cannot say that an abbreviation is the only one.
    if (!found.arity.known || (found.name != name && has(Syntax::any_valued | Syntax::any_long))) {
      const bool valued = has(Syntax::any_valued);
      if (!valued && !has(Syntax::any_long | Syntax::lenient)) {
        return obstruct(at_, "the option " + word.text.substr(0, word.text.find('=')) + " is not known here");
      }
      reading_.passed_over =
          reading_.passed_over || (has(Syntax::lenient) && !valued && equals == std::string_view::npos);
      found = {name, {true, !valued, valued ? 1U : 0U}};
    }
    Option option{std::string(found.name), at_, at_ + 1, false, {}};
    ++at_;
    if (equals != std::string_view::npos) {
      option.has_value = true;
      option.value = {std::string(text.substr(equals + 1)), true, word.at};
      reading_.options.push_back(std::move(option));
      return;
    }
    take_values(std::move(option), found.arity.values);
  }

  void letters(const Word& word) {
    const std::string& text = word.text;
    const std::size_t place = at_++;
    const std::string sign = text[0] == '+' ? "+" : "";
    for (std::size_t i = 1; i < text.size() && !reading_.obstacle; ++i) {
      const Arity arity = arity_of_letter(syntax_, text[i]);
      Option option{sign + text[i], place, place + 1, false, {}};
      if (!arity.known) {
        if (!has(Syntax::lenient)) {
          return obstruct(place, std::string("the option ") + text[0] + text[i] + " is not known here");
        }
        reading_.passed_over = true;
        continue;
      }
      if (i + 1 < text.size() && (arity.optional || arity.values > 0)) {
        option.has_value = true;
        option.value = {text.substr(i + 1), true, word.at};
        reading_.options.push_back(std::move(option));
        return;
      }
      take_values(std::move(option), arity.values);
    }
  }

  // Of several values, the last is kept: no table asks for another.
  void take_values(Option option, std::size_t count) {
    for (; count > 0 && at_ < words_.size(); --count) {
      if (!words_[at_].literal && !has(Syntax::lenient)) {
        return obstruct(at_, "it is known only when it runs, and may become several words");
      }
      option.has_value = true;
      option.value = words_[at_++];
    }
    option.next = at_;
    reading_.options.push_back(std::move(option));
  }

  const std::vector<Word>& words_;
  const Syntax& syntax_;
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

Takes what_takes(const Syntax& syntax, std::string_view text) {
  if (text.starts_with("--") || (syntax.manner & Syntax::single_dash) != 0) {
    const std::string_view name = text.substr(text.starts_with("--") ? 2 : 1);
    if (name.find('=') != std::string_view::npos) return Takes::nothing;
    const Arity arity = find_long(syntax, name).arity;
    return !arity.known ? Takes::unknown : arity.values > 0 ? Takes::value : Takes::nothing;
  }
  bool known = true;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const Arity arity = arity_of_letter(syntax, text[i]);
    known = known && arity.known;
    if (arity.values > 0 || arity.optional) {
      // What follows in the word is the value.
      return arity.values > 0 && i + 1 == text.size() ? Takes::value : Takes::nothing;
    }
  }
  return known ? Takes::nothing : Takes::unknown;
}

bool is_listed(std::string_view list, std::string_view item, char separator) {
  if (item.empty()) return false;
  for (std::size_t at = list.find(item); at != std::string_view::npos; at = list.find(item, at + 1)) {
    const std::size_t end = at + item.size();
    if ((at == 0 || list[at - 1] == separator) && (end == list.size() || list[end] == separator)) return true;
  }
  return false;
}

Reading read_options(const std::vector<Word>& words, std::size_t from, const Syntax& syntax) {
  return Reader(words, from, syntax).read();
}

}  // namespace wtool::policy
