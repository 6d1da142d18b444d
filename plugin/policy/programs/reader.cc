#include "policy/programs/reader.h"

#include <algorithm>

namespace wtool::policy::programs {

namespace {

class Reader {
 public:
  explicit Reader(Reading& reading) : reading_(reading), words_(reading.words), next_(reading.begin + 1) {}

  void run() {
    find_response_file();
    begin_tool();
    while (next_ < words_.size()) {
      const std::string_view word = words_[next_];
      if (options_ended_ || word.size() < 2 || word[0] != '-') {
        operand();
      } else if (style() == Style::none) {
        operand();
      } else if (word == "--") {
        text(next_++);
        options_ended_ = true;
        reading_.first_operand_behind_dashes = reading_.operands.size();
      } else if (word[1] == '-' || style() == Style::go) {
        long_option();
      } else {
        short_options();
      }
    }
    finish();
  }

 private:
  const ProgramSpec& spec() const { return reading_.tool->spec(); }
  Style style() const { return spec().style; }
  void text(std::size_t word, bool is_text = true) { reading_.text[word] = is_text && reading_.complete; }

  const std::string& name() const { return reading_.name; }

  void complain(std::size_t word, std::string reason, std::string hint) {
    if (!reading_.problem) reading_.problem = Problem{word, std::move(reason), std::move(hint)};
  }

  // It is replaced by what the file has in it before anything is read: as an option, a value or an operand.
  void find_response_file() {
    if (!spec().response_files) return;
    for (std::size_t i = 1; i < words_.size() && !reading_.response_file; ++i) {
      if (words_[i].size() > 1 && words_[i][0] == '@') reading_.response_file = i;
    }
    if (!reading_.response_file) return;
    complain(*reading_.response_file, words_[*reading_.response_file] + " names a file of further arguments",
             "write the arguments out, or ./@NAME for a file of that name");
  }

  void begin_tool() {
    text(reading_.begin);
    if (spec().never.empty()) return;
    const std::string alone = ' ' + std::string(spec().alone) + ' ';
    const bool asks_help = words_.size() == reading_.begin + 2 && alone.find(' ' + words_.back() + ' ') != alone.npos;
    if (asks_help) {
      next_ = words_.size();
      return;
    }
    complain(reading_.begin, name() + ' ' + std::string(spec().never), {});
  }

  void long_option() {
    const std::size_t at = next_++;
    const std::string_view word = words_[at];
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals);
    const auto [option, negated] = reading_.tool->word(name);
    if (option == nullptr && style() == Style::go && glued_number(at)) return;
    if (option == nullptr) return unknown(at, name);
    if (equals < word.size()) {
      // A value where none is taken is an error, or a boolean.
      given({option, at, word.substr(equals + 1), at, negated});
    } else if (negated) {
      // --no-OPTION takes no value where --OPTION does.
      given({option, at, std::nullopt, at, true});
    } else {
      separate_value(*option, at, option->value == Value::required);
    }
  }

  // xxd's -l64 is -l 64.
  bool glued_number(std::size_t at) {
    const std::string_view word = words_[at];
    if (word.size() < 3 || word[2] < '0' || word[2] > '9') return false;
    const Option* option = reading_.tool->letter(word[1]);
    if (option == nullptr || option->value != Value::required) return false;
    given({option, at, word.substr(2), at});
    return true;
  }

  void short_options() {
    const std::size_t at = next_++;
    const std::string_view word = words_[at];
    // Without a doubt a bundle contains no path, until it is seen to.
    text(at);
    for (std::size_t i = 1; i < word.size(); ++i) {
      const Option* option = reading_.tool->letter(word[i]);
      if (option == nullptr) {
        // A part of a character would be no text.
        const bool is_character = word[i] > ' ' && word[i] < 127;
        return unknown(at, is_character ? std::string{'-', word[i]} : std::string(word));
      }
      if (option->name == "-NUM") {
        while (i + 1 < word.size() && word[i + 1] >= '0' && word[i + 1] <= '9') ++i;
        given({option, at, std::nullopt, at});
      } else if (option->value == Value::none) {
        given({option, at, std::nullopt, at});
      } else if (i + 1 < word.size()) {
        if (style() == Style::tree && option->safe() && word.find_first_not_of("0123456789", i + 1) != word.npos) {
          complain(at, "the letters behind " + option->name + " in one word are options of their own",
                   "write " + option->name + " as a word of its own");
        }
        return given({option, at, word.substr(i + 1), at});
      } else {
        return separate_value(*option, at, option->value == Value::required);
      }
    }
  }

  void separate_value(const Option& option, std::size_t at, bool takes_next) {
    Given given{&option, at, std::nullopt, at};
    for (std::size_t i = 1; i < option.values && next_ < words_.size(); ++i) text(next_++);
    if (takes_next && next_ < words_.size()) {
      given.value_word = next_++;
      given.value = words_[given.value_word];
      text(at);
      distrust(given);
    }
    this->given(given);
  }

  // Should a version of the tool take no value here, then this is an option of its own.
  void distrust(const Given& given) {
    const std::string_view value = *given.value;
    if (value.size() < 3 || !value.starts_with("--") || given.option->replaces_first) return;
    const Option* option = reading_.tool->word(value.substr(0, value.find('='))).option;
    if (option != nullptr && !option->safe()) complain_of(*option, given.value_word);
  }

  void complain_of(const Option& option, std::size_t word) {
    complain(word, option.name + ' ' + std::string(option.why), "leave " + option.name + " out");
  }

  void given(const Given& given) {
    const Option& option = *given.option;
    text(given.value_word, !(option.path && given.value));
    if (option.replaces_first) reading_.first_replaced = true;
    if (!option.safe()) complain_of(option, given.word);
    reading_.given.push_back(given);
  }

  void unknown(std::size_t at, std::string_view option) {
    complain(at, "the option " + std::string(option) + " of " + name() + " is not one that is known to be safe",
             "leave it out, or write it in full");
    text(at, false);
    reading_.complete = false;
  }

  void operand() {
    const std::size_t at = next_++;
    if (reading_.operands.empty() && choose(at)) return;
    reading_.operands.push_back(at);
    if (spec().operands == Operands::command) {
      // Another command begins; what its words are is not known here.
      next_ = words_.size();
    } else if (style() == Style::posix) {
      options_ended_ = true;
    }
  }

  // True when the operand names a subcommand.
  bool choose(std::size_t at) {
    if (spec().operands != Operands::choose && spec().operands != Operands::may_choose) return false;
    // A name that is longer is none.
    const std::string longer = words_[at].size() < 64 ? name() + ' ' + words_[at] : std::string();
    if (const Compiled* chosen = find_rules(longer)) {
      reading_.tool = chosen;
      reading_.name = longer;
      reading_.begin = at;
      options_ended_ = false;
      begin_tool();
      return true;
    }
    // A newer version may have a command of this name.
    const bool is_plain = words_[at].find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == words_[at].npos;
    if (spec().operands == Operands::choose || (is_plain && !options_ended_)) {
      complain(at,
               name() + ' ' + words_[at] + " is not one of the commands of " + name() + " that are known to be safe",
               {});
      reading_.complete = false;
    }
    return false;
  }

  void finish() {
    const ProgramSpec& spec = this->spec();
    const auto& operands = reading_.operands;
    if (!reading_.complete) return;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      text(operands[i], spec.operands == Operands::text ||
                            (spec.operands == Operands::first_text && i == 0 && !reading_.first_replaced));
    }
    if (operands.empty() && !spec.bare.empty() && !reading_.has("--help") && !reading_.has("--version") &&
        !reading_.has("-v")) {
      complain(reading_.begin, name() + ' ' + std::string(spec.bare), {});
    }
    const std::size_t most = spec.operands == Operands::none ? 0 : spec.most;
    if (operands.size() > most) {
      complain(operands[most], spec.beyond.empty() ? name() + " takes no such operand" : std::string(spec.beyond), {});
    }
    if (!reading_.problem && spec.check != nullptr) reading_.problem = spec.check(reading_);
  }

  Reading& reading_;
  const Words& words_;
  std::size_t next_;
  bool options_ended_ = false;
};

}  // namespace

const Given* Reading::in_force(std::initializer_list<std::string_view> options) const {
  const auto last = std::find_if(given.rbegin(), given.rend(), [&](const Given& one) {
    return std::find(options.begin(), options.end(), one.option->name) != options.end();
  });
  return last == given.rend() || last->negated ? nullptr : &*last;
}

std::string_view Reading::operand(std::size_t index) const {
  return index < operands.size() ? std::string_view(words[operands[index]]) : std::string_view();
}

Reading read(std::string_view tool, const Words& words) {
  Reading reading{.words = words,
                  .tool = find_rules(tool),
                  .name = std::string(tool),
                  .text = std::vector<bool>(words.size(), false)};
  Reader(reading).run();
  return reading;
}

}  // namespace wtool::policy::programs
