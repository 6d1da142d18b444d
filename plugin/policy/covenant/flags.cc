#include "policy/covenant/flags.h"

#include <algorithm>
#include <optional>

namespace wtool::policy::covenant {

namespace {

bool holds(std::string_view letters, char letter) { return letters.find(letter) != std::string_view::npos; }

class Reader {
 public:
  Reader(const std::vector<std::string>& words, const Flags& flags) : words_(words), flags_(flags) {}

  Arguments read() {
    for (at_ = 0; at_ < words_.size() && result_.refusal.empty(); ++at_) {
      const std::string& word = words_[at_];
      if (result_.dashes || word.size() < 2 || word.front() != '-') {
        result_.operands.push_back(word);
        if (!result_.dashes) result_.before_dashes = result_.operands.size();
      } else if (word == "--") {
        result_.dashes = true;
      } else if (word.starts_with("--")) {
        read_long(word);
      } else if (flags_.digits != 0 && is_number(std::string_view(word).substr(1))) {
        result_.letters += flags_.digits;
        result_.flags.push_back(std::string("-") + flags_.digits + word.substr(1));
      } else {
        read_letters(word);
      }
    }
    return std::move(result_);
  }

 private:
  void read_letters(const std::string& word) {
    for (std::size_t i = 1; i < word.size() && result_.refusal.empty(); ++i) {
      const char letter = word[i];
      const std::string flag = std::string("-") + letter;
      const Value value = value_of(letter);
      if (value == Value::none) {
        if (!holds(flags_.letters, letter)) {
          result_.refusal = unknown_flag(flag);
          return;
        }
        result_.letters += letter;
        result_.flags.push_back(flag);
        continue;
      }
      const std::optional<std::string> attached = i + 1 < word.size() ? std::optional(word.substr(i + 1)) : next();
      if (!accept(std::string(1, letter), value, attached)) return;
      result_.letters += letter;
      if (attached->empty()) {  // Attached it would be none.
        result_.flags.insert(result_.flags.end(), {flag, ""});
      } else {
        result_.flags.push_back(flag + *attached);
      }
      return;
    }
  }

  void read_long(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    const auto found =
        std::find_if(flags_.names.begin(), flags_.names.end(), [&](const LongFlag& flag) { return flag.name == name; });
    if (found == flags_.names.end() || (found->value == Value::none && equals != std::string::npos)) {
      result_.refusal = unknown_flag(word);
      return;
    }
    std::optional<std::string> value;
    if (equals != std::string::npos) value = word.substr(equals + 1);
    if (found->value != Value::none && found->value != Value::optional_text) {
      if (!value) value = next();
      if (!accept(name, found->value, value)) return;
    }
    if (found->letter != 0) result_.letters += found->letter;
    result_.flags.push_back("--" + name + (value ? "=" + *value : ""));
  }

  Value value_of(char letter) const {
    if (holds(flags_.numbers, letter)) return Value::number;
    if (holds(flags_.signed_numbers, letter)) return Value::signed_number;
    return holds(flags_.texts, letter) ? Value::text : Value::none;
  }

  std::optional<std::string> next() {
    if (at_ + 1 >= words_.size()) return std::nullopt;
    return words_[++at_];
  }

  // False with a refusal.
  bool accept(const std::string& name, Value value, const std::optional<std::string>& given) {
    if (value == Value::text) {
      if (!given) result_.refusal = "Missing value for flag: " + name;
    } else if (!given || !is_number(*given, value == Value::signed_number)) {
      result_.refusal = invalid_number(name);
    }
    return result_.refusal.empty();
  }

  const std::vector<std::string>& words_;
  const Flags& flags_;
  std::size_t at_ = 0;
  Arguments result_;
};

}  // namespace

Arguments read_arguments(const std::vector<std::string>& words, const Flags& flags) {
  return Reader(words, flags).read();
}

bool is_number(std::string_view text, bool with_sign) {
  if (with_sign && !text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return !text.empty() && text.size() <= 18 &&
         std::all_of(text.begin(), text.end(), [](char one) { return one >= '0' && one <= '9'; });
}

std::string unknown_flag(std::string_view flag) { return "Unknown flag: " + std::string(flag); }

std::string invalid_number(std::string_view flag) { return "Invalid number for flag: " + std::string(flag); }

}  // namespace wtool::policy::covenant
