#include "policy/programs/reader.h"

#include <algorithm>

namespace wtool::policy::programs {

namespace {

enum class Purpose { safe, runs, exact };

std::string_view without_dashes(std::string_view name) {
  return name.substr(name.starts_with("--") ? 2 : name.starts_with('-') ? 1 : 0);
}

bool is_digits(std::string_view text) { return text.find_first_not_of("0123456789") == text.npos; }

class ProgramReader {
 public:
  ProgramReader(Purpose purpose, ParsedCommand& parsed, std::size_t from)
      : purpose_(purpose), parsed_(parsed), words_(parsed.words), next_(from) {}

  // Sets which words are known. Without this call, all words are taken as known.
  void set_known(std::vector<bool> known) { known_ = std::move(known); }

  void run(Permuting permuting = Permuting::by_spec) {
    if (is_safe()) find_response_file();
    if (is_safe()) find_split_word();
    begin_tool(permuting);
    while (next_ < words_.size() && !parsed_.obstacle) {
      const std::string_view word = words_[next_];
      if (!is_known(next_)) {
        open_word();
      } else if (options_ended_ || !is_option(word)) {
        operand();
      } else if (word == "--") {
        const bool may_be_value = next_ == behind_unknown_ && reads_on();
        text(next_++);
        if (may_be_value) continue;
        options_ended_ = true;
        parsed_.first_operand_behind_dashes = parsed_.operands.size();
      } else if (!is_safe() && begins_number() && is_digits(word.substr(1))) {
        number(word);
      } else if (word.starts_with("--") || single_dash_) {
        long_option();
      } else {
        letters();
      }
    }
    if (is_safe()) finish();
  }

 private:
  const ProgramSpec& spec() const { return parsed_.tool->spec(); }
  Style style() const { return spec().style; }
  bool is_safe() const { return purpose_ == Purpose::safe; }
  bool has(unsigned manner) const { return purpose_ == Purpose::runs && (spec().manner & manner) != 0; }
  bool is_known(std::size_t word) const { return known_.empty() || known_[word]; }
  // True if a word that may be the value of an unknown option is also read as an option. For a wrapper, this is false,
  // because it would change where the wrapper's command begins.
  bool reads_on() const {
    return is_safe() || spec().runs == Runs::options || spec().runs == Runs::option_value || spec().runs == Runs::words;
  }
  bool begins_number() const {
    return purpose_ == Purpose::exact ? parsed_.tool->letter('0') != nullptr : has(programs::number);
  }
  bool is_option(std::string_view word) const {
    return word.size() > 1 && (word[0] == '-' || (word[0] == '+' && has(plus))) &&
           !(is_safe() && style() == Style::none);
  }

  void text(std::size_t word, bool is_text = true) {
    if (!is_safe()) return;
    const bool may_be_path =
        (spec().manner & shell_script) != 0 && word != parsed_.begin && !words_[word].starts_with('-');
    parsed_.text[word] = is_text && parsed_.complete && !may_be_path;
  }

  void complain(std::size_t word, std::string reason, std::string hint) {
    if (is_safe() && !parsed_.problem) parsed_.problem = Problem{word, std::move(reason), std::move(hint)};
  }

  void obstruct(std::size_t word, std::string reason) {
    parsed_.obstacle = word;
    parsed_.reason = std::move(reason);
  }

  // ---- Programs.

  // Before the program reads any options, values or operands, it replaces a word @FILE with the contents of the file.
  void find_response_file() {
    if (!spec().response_files) return;
    for (std::size_t i = 1; i < words_.size() && !parsed_.response_file; ++i) {
      if (words_[i].size() > 1 && words_[i][0] == '@') parsed_.response_file = i;
    }
    if (!parsed_.response_file) return;
    complain(*parsed_.response_file, std::string(words_[*parsed_.response_file]) + " names a file of further arguments",
             "write the arguments out, or ./@NAME for a file of that name");
  }

  void find_split_word() {
    if ((spec().manner & splits) == 0) return;
    for (std::size_t i = 1; i < words_.size() && !parsed_.split; ++i) {
      if (words_[i].find_first_of(" \t\n*?[") == std::string_view::npos) continue;
      parsed_.split = Problem{i, parsed_.name + " is a shell script that makes several words of this one",
                              "decompress the file with bzcat, and pipe it into the program"};
    }
    if (parsed_.split) parsed_.problem = parsed_.split;
  }

  void begin_tool(Permuting permuting) {
    single_dash_ = is_safe() ? style() == Style::go : has(single_dash);
    permutes_ = purpose_ == Purpose::exact || (is_safe() ? style() != Style::posix : has(permutes));
    if (permuting == Permuting::never) permutes_ = false;
    if (!is_safe()) return;
    text(parsed_.begin);
    if (spec().never.empty()) return;
    if (parsed_.is_alone()) {
      next_ = words_.size();
      return;
    }
    complain(parsed_.begin, parsed_.name + ' ' + std::string(spec().never), {});
  }

  // If the operand names a subcommand, continues with the spec of the subcommand, and returns true.
  bool choose(std::size_t at) {
    if (spec().operands != Operands::choose && spec().operands != Operands::may_choose) return false;
    const std::string word(words_[at]);
    // No subcommand has such a long name.
    const std::string longer = word.size() < 64 ? parsed_.name + ' ' + word : std::string();
    if (const OptionTable* chosen = find_rules(longer)) {
      parsed_.tool = chosen;
      parsed_.name = longer;
      parsed_.begin = at;
      options_ended_ = false;
      begin_tool(Permuting::by_spec);
      return true;
    }
    // A newer version may have a subcommand of this name.
    const bool is_plain = word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == word.npos;
    if (spec().operands == Operands::choose || (is_plain && !options_ended_)) {
      complain(
          at,
          parsed_.name + ' ' + word + " is not one of the commands of " + parsed_.name + " that are known to be safe",
          {});
      parsed_.complete = false;
    }
    return false;
  }

  // ---- Operands.

  void open_word() {
    if (permutes_ && !options_ended_ && !has(lenient)) {
      return obstruct(next_, "a word is known only when the command runs, and may be an option");
    }
    operand();
  }

  void operand() {
    const std::size_t at = next_++;
    if (is_safe() && parsed_.operands.empty() && choose(at)) return;
    parsed_.operands.push_back(at);
    if (is_safe() && spec().operands == Operands::command) {
      // An inner command begins, whose words are not read here.
      next_ = words_.size();
    } else if (!permutes_) {
      options_ended_ = true;
    }
  }

  // ---- Options.

  void number(std::string_view word) {
    const std::size_t at = next_++;
    if (purpose_ == Purpose::runs) return;
    given({parsed_.tool->letter('0'), "NUM", at, next_, word.substr(1), at});
  }

  Named named(std::string_view dashed, std::string_view name) const {
    if (is_safe()) return parsed_.tool->word(dashed);
    return {purpose_ == Purpose::exact ? parsed_.tool->exact(dashed) : parsed_.tool->only(name)};
  }

  void long_option() {
    const std::size_t at = next_++;
    const std::string_view word = words_[at];
    const std::size_t equals = has(no_equals) ? word.size() : std::min(word.find('='), word.size());
    const std::string_view dashed = word.substr(0, equals);
    std::string name(without_dashes(dashed));
    if (has(underscores)) std::replace(name.begin(), name.end(), '_', '-');
    auto [option, negated] = named(dashed, name);
    // If the spec does not list all options, an abbreviation may be ambiguous.
    const bool open = has(any_valued | any_long);
    const bool abbreviated = option != nullptr && without_dashes(option->name) != name;
    if (abbreviated && open) option = nullptr;
    // If the program accepts no abbreviations, the option is unknown, and is not assumed to take a value. Only an
    // abbreviated option that takes a command is still recognised.
    if (abbreviated && purpose_ == Purpose::runs && style() == Style::exact && !option->command) option = nullptr;
    if (option == nullptr && is_safe() && style() == Style::go && glued_number(at)) return;
    if (option == nullptr && !open && !has(lenient)) return unknown(at, std::string(word.substr(0, word.find('='))));
    const bool valued = option == nullptr ? has(any_valued) : option->value == OptionValue::required;
    Given given{option, option == nullptr ? name : std::string(without_dashes(option->name)), at, next_};
    given.value_word = at;
    given.negated = negated;
    if (equals < word.size()) {
      // For an option without values, an attached value is an error or a boolean.
      given.value = word.substr(equals + 1);
    } else if (option == nullptr && !valued) {
      parsed_.passed_over = parsed_.passed_over || has(lenient);
      behind_unknown_ = next_;
    } else if (valued && !negated) {
      // --no-OPTION takes no value, even if --OPTION does.
      const std::size_t after = next_;
      if (!take_values(given, option == nullptr ? 1 : option->values)) return;
      // If the spec does not list all options, this may be the full name of another one, which takes no value: --backup
      // of rsync, if only --backup-dir is listed. So the value is read as a word of its own, too.
      if (abbreviated && has(lenient) && !option->command) {
        next_ = after;
        parsed_.passed_over = true;
      }
    }
    this->given(std::move(given));
  }

  // In xxd, -l64 means -l 64.
  bool glued_number(std::size_t at) {
    const std::string_view word = words_[at];
    if (word.size() < 3 || word[2] < '0' || word[2] > '9') return false;
    const Option* option = parsed_.tool->letter(word[1]);
    if (option == nullptr || option->value != OptionValue::required) return false;
    given({option, std::string(1, word[1]), at, next_, word.substr(2), at});
    return true;
  }

  void letters() {
    const std::size_t at = next_++;
    const std::string_view word = words_[at];
    // A bundle contains no path, unless a letter turns out to take one.
    text(at);
    for (std::size_t i = 1; i < word.size() && !parsed_.obstacle; ++i) {
      const Option* option = is_safe() ? parsed_.tool->letter(word[i]) : parsed_.tool->any_letter(word[i]);
      if (option == nullptr) {
        if (has(lenient)) {
          parsed_.passed_over = true;
          behind_unknown_ = next_;
          continue;
        }
        // A part of a multi-byte character would not be valid text.
        const bool is_character = !is_safe() || (word[i] > ' ' && word[i] < 127);
        return unknown(at, is_character ? std::string{word[0], word[i]} : std::string(word));
      }
      Given given{option, {}, at, next_};
      if (word[0] == '+') given.name.push_back('+');
      given.name.push_back(word[i]);
      given.value_word = at;
      if (option->name == "-NUM") {
        while (i + 1 < word.size() && is_digits(word.substr(i + 1, 1))) ++i;
      } else if (option->value != OptionValue::none && i + 1 < word.size()) {
        if (is_safe() && style() == Style::tree && option->safe() && !is_digits(word.substr(i + 1))) {
          complain(at, "the letters after " + option->name + " in one word are options of their own",
                   "write " + option->name + " as a word of its own");
        }
        given.value = word.substr(i + 1);
        return this->given(std::move(given));
      } else if (option->value == OptionValue::required && !take_values(given, option->values)) {
        return;
      }
      this->given(std::move(given));
    }
  }

  // Takes the next words as the option's values. Only the last is kept, since no spec needs more. False: one of them is
  // an obstacle.
  bool take_values(Given& given, std::size_t count) {
    for (; count > 0 && next_ < words_.size(); --count) {
      if (given.word == behind_unknown_ && words_[next_].starts_with('-') && reads_on() &&
          (given.option == nullptr || !given.option->command)) {
        given.value_word = next_;
        given.value = words_[next_];
        break;
      }
      if (!is_known(next_) && !has(lenient)) {
        obstruct(next_, "a word is known only when the command runs, and may become several words");
        return false;
      }
      text(next_);
      given.value_word = next_;
      given.value = words_[next_++];
    }
    given.next = next_;
    return true;
  }

  // All following words belong to a COMMAND..., even if they look like options.
  void take_command(Given& given) {
    while (next_ < words_.size()) {
      text(next_, false);
      if (words_[next_++] == ";" && (spec().manner & semicolons) != 0) break;
    }
    given.next = next_;
  }

  void given(Given&& given) {
    const Option* const option = given.option;
    if (option != nullptr && option->command && given.value) {
      // Some versions take only the rest of this word as the command, and read the next words themselves.
      if (given.value_word == given.word) {
        complain(given.word,
                 "the command of " + option->name + " is in the same word, so it is not clear where the command ends",
                 "write " + option->name + " as a word of its own");
        if (!is_safe()) return obstruct(given.word, "where the command of " + option->name + " ends is not clear");
      }
      take_command(given);
    }
    if (option != nullptr && option->replaces_first) parsed_.first_replaced = true;
    if (is_safe()) {
      if (given.value_word != given.word) {
        text(given.word);
        distrust(given);
      }
      const bool slash = given.value && given.value->find('/') != std::string_view::npos;
      text(given.value_word, !given.value || !(option->path || (slash && !option->is_text)));
      // The command after the option is judged separately.
      if (!option->safe() && !option->command) complain_of(*option, given.word);
      const bool needs_value = option->value == OptionValue::required;
      if (option->chosen && (given.value || needs_value) &&
          !is_listed(option->value_name, given.value.value_or(""), '|')) {
        const std::string safe = option->name + '=' + std::string(option->value_name);
        complain(given.value_word, option->name + " of " + parsed_.name + " is known to be safe only as " + safe,
                 "leave it out, or choose one of these");
      }
    }
    parsed_.given.push_back(std::move(given));
  }

  // In another version of the tool, this option may take no value. What seems to be its value is then an option.
  void distrust(const Given& given) {
    const std::string_view value = *given.value;
    if (value.starts_with('-') &&
        find_rules(parsed_.name.substr(0, parsed_.name.find(' ')))->spec().dashes_are_options) {
      complain(given.value_word, std::string(value) + " may be an option of its own",
               "write " + given.option->name + "=VALUE");
    }
    if (value.size() < 3 || !value.starts_with("--") || given.option->replaces_first) return;
    const Option* option = parsed_.tool->word(value.substr(0, value.find('='))).option;
    if (option != nullptr && !option->safe()) complain_of(*option, given.value_word);
  }

  void complain_of(const Option& option, std::size_t word) {
    complain(word, option.name + ' ' + std::string(option.why), "leave " + option.name + " out");
  }

  void unknown(std::size_t at, std::string option) {
    if (!is_safe()) {
      obstruct(at, "the option " + option + " is not known here");
      parsed_.unknown = std::move(option);
      return;
    }
    complain(at, "the option " + option + " of " + parsed_.name + " is not known to be safe",
             "leave it out, or write it in full");
    text(at, false);
    parsed_.complete = false;
    behind_unknown_ = next_;
  }

  void finish() {
    const ProgramSpec& spec = this->spec();
    const auto& operands = parsed_.operands;
    if (!parsed_.complete) return;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      text(operands[i], spec.operands == Operands::text ||
                            (spec.operands == Operands::first_text && i == 0 && !parsed_.first_replaced));
      if (!is_listed(spec.unsafe_operands, words_[operands[i]])) continue;
      complain(operands[i], parsed_.name + ' ' + std::string(words_[operands[i]]) + ' ' + std::string(spec.unsafe_why),
               "leave it out");
    }
    if (operands.empty() && !spec.bare.empty() && !parsed_.is_alone() && !parsed_.has("-v")) {
      complain(parsed_.begin, parsed_.name + ' ' + std::string(spec.bare), {});
    }
    const std::size_t most = spec.operands == Operands::none ? 0 : spec.most;
    if (operands.size() > most) {
      complain(operands[most], spec.beyond.empty() ? parsed_.name + " takes no such operand" : std::string(spec.beyond),
               {});
    }
    if (!parsed_.problem && spec.check != nullptr) parsed_.problem = spec.check(parsed_);
    if (spec.only_with.empty() || (spec.only_operands && operands.empty()) || parsed_.is_alone()) return;
    if (parsed_.has(spec.only_with)) return;
    complain(spec.only_operands ? operands[0] : parsed_.begin, parsed_.name + ' ' + std::string(spec.without),
             std::string(spec.instead));
  }

  const Purpose purpose_;
  ParsedCommand& parsed_;
  const std::vector<std::string_view>& words_;
  std::vector<bool> known_;
  std::size_t next_;
  // The word after an unknown option. It may be the value of that option, even if it looks like an option or is "--",
  // so it is not trusted to end the options or to take the word after it.
  std::size_t behind_unknown_ = static_cast<std::size_t>(-1);
  bool single_dash_ = false;
  bool permutes_ = true;
  bool options_ended_ = false;
};

}  // namespace

bool is_listed(std::string_view list, std::string_view item, char separator) {
  if (list.empty() || item.empty() || item.find(separator) != item.npos) return false;
  for (std::size_t at = list.find(item); at != std::string_view::npos; at = list.find(item, at + 1)) {
    const std::size_t end = at + item.size();
    if ((at == 0 || list[at - 1] == separator) && (end == list.size() || list[end] == separator)) return true;
  }
  return false;
}

std::vector<std::string_view> parts_of(std::string_view list, char separator) {
  std::vector<std::string_view> parts;
  any_listed(
      list, [&](std::string_view part) { return parts.emplace_back(part).empty(); }, separator);
  return parts;
}

const Given* ParsedCommand::in_force(std::string_view options) const {
  const auto last = std::find_if(given.rbegin(), given.rend(), [&](const Given& one) {
    return one.option != nullptr && is_listed(options, one.option->name);
  });
  return last == given.rend() || last->negated ? nullptr : &*last;
}

const Given* ParsedCommand::find(std::string_view list) const {
  const auto found =
      std::find_if(given.begin(), given.end(), [&](const Given& one) { return is_listed(list, one.name); });
  return found == given.end() ? nullptr : &*found;
}

std::string_view ParsedCommand::operand(std::size_t index) const {
  return index < operands.size() ? words[operands[index]] : std::string_view();
}

ParsedCommand read_safe(std::string_view tool, const Words& words) {
  ParsedCommand parsed{.words = {words.begin(), words.end()},
                       .tool = find_rules(tool),
                       .name = std::string(tool),
                       .text = std::vector<bool>(words.size(), false)};
  ProgramReader(Purpose::safe, parsed, 1).run();
  return parsed;
}

ParsedCommand read_options(const std::vector<Word>& words, std::size_t from, const OptionTable& program,
                           Permuting permuting) {
  ParsedCommand parsed{.tool = &program};
  std::vector<bool> known;
  parsed.words.reserve(words.size());
  for (const Word& word : words) {
    parsed.words.push_back(word.text);
    known.push_back(word.literal);
  }
  ProgramReader reader(Purpose::runs, parsed, from);
  reader.set_known(std::move(known));
  reader.run(permuting);
  return parsed;
}

ParsedCommand read_exactly(const Words& words, std::size_t from, const OptionTable& program) {
  ParsedCommand parsed{.words = {words.begin(), words.end()}, .tool = &program};
  ProgramReader(Purpose::exact, parsed, from).run();
  return parsed;
}

Takes what_takes(const OptionTable& program, std::string_view text) {
  if (text.starts_with("--") || (program.spec().manner & single_dash) != 0) {
    if (text.find('=') != std::string_view::npos) return Takes::nothing;
    const Option* const known = program.only(without_dashes(text));
    return known == nullptr ? Takes::unknown : known->values > 0 ? Takes::value : Takes::nothing;
  }
  bool all_known = true;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const Option* const known = program.any_letter(text[i]);
    all_known = all_known && known != nullptr;
    if (known != nullptr && known->value != OptionValue::none) {
      // The rest of the word is the value.
      return known->values > 0 && i + 1 == text.size() ? Takes::value : Takes::nothing;
    }
  }
  return all_known ? Takes::nothing : Takes::unknown;
}

Subcommand find_subcommand(std::string_view tool, const std::vector<Word>& words, bool (*is_wanted)(std::string_view)) {
  Subcommand result{std::string(tool), 1, nullptr};
  for (const OptionTable* known = find_program(tool);
       known != nullptr && known->spec().subcommands && !is_wanted(result.name); known = find_program(result.name)) {
    const ParsedCommand reading = read_options(words, result.next, *known, Permuting::never);
    if (reading.operands.empty()) break;
    std::size_t at = reading.operands.front();
    const auto longer = [&](std::size_t operand) { return result.name + ' ' + words[operand].text; };
    // A skipped option may have taken the first of these words as its values.
    constexpr std::size_t max_values = 2;
    const std::size_t last = reading.passed_over ? std::min(at + max_values, words.size() - 1) : at;
    for (std::size_t i = at; i <= last; ++i) {
      if (words[i].literal && find_program(longer(i)) == nullptr) continue;
      at = i;
      break;
    }
    if (!words[at].literal) {
      result.obstacle = &words[at];
      break;
    }
    result.name = longer(at);
    result.next = at + 1;
  }
  return result;
}

}  // namespace wtool::policy::programs
