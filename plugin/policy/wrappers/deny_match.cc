// Decides whether an entry of a deny list, read as options and operands, matches a command (arguments_match in
// policy/wrappers.h).
//
// - If the spec of the program has values_known and lists an option, it is clear which word is its value. A word after
//   any other option may be its value or an operand: the entry matches if either reading makes it match.
// - A word that is not literal may be anything: nothing, one word, or several.
#include <algorithm>
#include <utility>

#include "policy/programs/reader.h"
#include "policy/wrappers.h"

namespace wtool::policy {

namespace {

using programs::any_listed;
using programs::is_listed;
using programs::OptionTable;
using programs::parts_of;
using programs::Takes;
using programs::what_takes;

const OptionTable* find_known(std::string_view name) {
  const OptionTable* const found = programs::find_program(name);
  return found != nullptr && found->spec().values_known ? found : nullptr;
}

// Synonyms that an option has in many programs; those of a single program are in its spec.
constexpr std::string_view common_synonyms = "f=force r=recursive R=recursive y=yes a=all g=global";

// Programs that accept any unambiguous beginning of a subcommand.
constexpr std::string_view abbreviating = "npm hg ip svn apt-mark lvm nmcli iw tc bridge";

// What is known about the program, and about its subcommand.
struct Knowledge {
  std::string_view tool;
  const OptionTable* general = nullptr;  // options before the subcommand
  const OptionTable* special = nullptr;  // options of the subcommand
  const OptionTable* named = nullptr;    // the subcommand's spec, even if it lists only some options
  std::size_t named_from = 0;            // the first word after the subcommand
  bool single_dash = false;              // long options have one dash; letters are not bundled

  bool has_synonym(std::string_view one, std::string_view other) const {
    const auto in = [&](std::string_view list) {
      return any_listed(list, [&](std::string_view pair) {
        const std::size_t equals = pair.find('=');
        const std::string_view left = pair.substr(0, equals), right = pair.substr(equals + 1);
        return (left == one && right == other) || (left == other && right == one);
      });
    };
    return in(common_synonyms) || (general != nullptr && in(general->spec().synonyms)) ||
           (special != nullptr && in(special->spec().synonyms));
  }

  // The options that a letter combines: "D" is "delete+force".
  std::string_view expansion(std::string_view letter) const {
    if (special == nullptr) return {};
    for (const std::string_view pair : parts_of(special->spec().synonyms)) {
      const std::size_t equals = pair.find('=');
      if (pair.substr(0, equals) == letter && pair.find('+') != std::string_view::npos) return pair.substr(equals + 1);
    }
    return {};
  }

  // True if this is the full name of a long option, and therefore not an abbreviation of a longer one.
  bool is_long_option(std::string_view name) const {
    const std::string option = "--" + std::string(name);
    const auto in = [&](const OptionTable* known) { return known != nullptr && known->exact(option) != nullptr; };
    return in(general) || in(special);
  }

  // `at`: the index of the option's word; 0: not known.
  Takes takes(std::string_view text, std::size_t at = 0) const;
};

Knowledge know(std::string_view tool, const std::vector<Word>& words) {
  Knowledge knowledge;
  knowledge.tool = tool;
  const OptionTable* const found = find_known(tool);
  if (found == nullptr) return knowledge;
  knowledge.single_dash = (found->spec().manner & programs::single_dash) != 0;
  (found->spec().subcommands ? knowledge.general : knowledge.special) = found;
  if (found->spec().subcommands) {
    const programs::Subcommand subcommand =
        programs::find_subcommand(tool, words, [](std::string_view) { return false; });
    const OptionTable* const own = find_known(subcommand.name);
    if (subcommand.name != tool) knowledge.named = programs::find_program(subcommand.name);
    knowledge.named_from = subcommand.next;
    knowledge.special = own == found ? nullptr : own;
  }
  return knowledge;
}

Takes Knowledge::takes(std::string_view text, std::size_t at) const {
  if (text.starts_with("--") && text.find('=') != std::string_view::npos) return Takes::nothing;
  const Takes own = special == nullptr ? Takes::unknown : what_takes(*special, text);
  if (own == Takes::value || general == nullptr) return own;
  const Takes shared = what_takes(*general, text);
  // `kubectl logs` has its own -f, without a value, and kubectl has one that takes a file: -f may be either.
  if (named != nullptr && at >= named_from && shared == Takes::value && what_takes(*named, text) == Takes::nothing) {
    return Takes::unknown;
  }
  return own == Takes::unknown || shared == Takes::value ? shared : own;
}

bool is_option(std::string_view text) { return text.size() > 1 && text.front() == '-'; }

// The option's name, without dashes and value: its letters, or its long name.
std::string_view long_name(std::string_view text) {
  const std::string_view name = text.substr(text.starts_with("--") ? 2 : 1);
  return name.substr(0, name.find('='));
}

// True if `text`, a word of options, contains the option `name`, which is a letter or a long name.
bool says(const Knowledge& knowledge, std::string_view text, std::string_view name) {
  const bool is_letter = name.size() == 1;
  if (text.starts_with("--") || knowledge.single_dash) {
    const std::string_view said = long_name(text);
    if (said == name || knowledge.has_synonym(said, name)) return true;
    if (said.empty() || knowledge.single_dash || knowledge.is_long_option(said)) return false;
    // `said` may be an abbreviation of the option's name, or of a synonym.
    if (!is_letter && name.starts_with(said)) return true;
    for (const std::string_view list :
         {common_synonyms, knowledge.special ? knowledge.special->spec().synonyms : std::string_view(),
          knowledge.general ? knowledge.general->spec().synonyms : std::string_view()}) {
      const bool found = any_listed(list, [&](std::string_view pair) {
        const std::size_t equals = pair.find('=');
        return pair.substr(0, equals) == name && pair.substr(equals + 1).starts_with(said);
      });
      if (found) return true;
    }
    return false;
  }
  for (std::size_t i = 1; i < text.size(); ++i) {
    const std::string_view letter = text.substr(i, 1);
    if (letter == name || knowledge.has_synonym(letter, name)) return true;
    const auto is_meant = [&](std::string_view part) { return part == name || knowledge.has_synonym(part, name); };
    if (any_listed(knowledge.expansion(letter), is_meant, '+')) return true;
    // After a letter that takes a value, the rest of the word is the value.
    const char dashed[] = {'-', text[i]};
    if (knowledge.takes({dashed, 2}) == Takes::value) break;
  }
  return false;
}

// The single options that an entry names: "-rf" is r and f, but find's "-delete" is one option.
std::vector<std::string> names_of(const Knowledge& knowledge, const std::string& entry) {
  if (!is_option(entry)) return {entry};
  if (entry.starts_with("--") || knowledge.single_dash) return {std::string(long_name(entry))};
  std::vector<std::string> names;
  for (std::size_t i = 1; i < entry.size(); ++i) {
    const std::string letter(1, entry[i]);
    const std::vector<std::string_view> together = parts_of(knowledge.expansion(letter), '+');
    names.insert(names.end(), together.begin(), together.end());
    if (together.empty()) names.push_back(letter);
  }
  return names;
}

// The index at which the options of a command end: that of "--", unless "--" is the value of an option.
std::size_t end_of_options(const Knowledge& knowledge, const std::vector<Word>& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!words[i].literal) continue;
    if (words[i].text == "--") return i;
    if (is_option(words[i].text) && knowledge.takes(words[i].text) == Takes::value) ++i;
  }
  return words.size();
}

// In git push, operands can do what options do in other commands: +BRANCH forces, :BRANCH deletes.
bool operand_says(const Knowledge& knowledge, const std::string& text, std::string_view name) {
  if (knowledge.special == nullptr || !is_listed(knowledge.special->spec().names, "git push", ',')) return false;
  return (text.starts_with('+') && (name == "f" || name == "force")) ||
         (text.starts_with(':') && text.size() > 1 && (name == "d" || name == "delete"));
}

bool has_option(const Knowledge& knowledge, const std::vector<Word>& words, const std::string& entry) {
  const std::size_t end = end_of_options(knowledge, words);
  const std::vector<std::string> names = names_of(knowledge, entry);
  const auto is_said = [&](const std::string& name) {
    bool is_value = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const Word& word = words[i];
      if (!word.literal) {
        if (i < end) return true;
        continue;
      }
      if (operand_says(knowledge, word.text, name)) return true;
      if (i >= end) continue;
      if (std::exchange(is_value, false)) continue;
      if (!is_option(word.text)) continue;
      if (word.text == entry || says(knowledge, word.text, name)) return true;
      is_value = knowledge.takes(word.text, i) == Takes::value;
    }
    return false;
  };
  if (!names.empty() && std::all_of(names.begin(), names.end(), is_said)) return true;
  // An unknown program may have long options with a single dash.
  if (knowledge.general != nullptr || knowledge.special != nullptr) return false;
  return std::any_of(words.begin() + 1, words.begin() + static_cast<std::ptrdiff_t>(end), [&](const Word& word) {
    return word.literal && (word.text == entry || (word.text.starts_with(entry) && word.text[entry.size()] == '='));
  });
}

bool is_operand(const Knowledge& knowledge, const std::string& text, const std::string& wanted, bool first) {
  if (text == wanted) return true;
  if (const OptionTable* const known = programs::find_program(std::string(knowledge.tool) + ":commands")) {
    const std::string_view synonyms = known->spec().synonyms;
    if (is_listed(synonyms, wanted + '=' + text) || is_listed(synonyms, text + '=' + wanted)) return true;
  }
  return first && !text.empty() && wanted.starts_with(text) && is_listed(abbreviating, knowledge.tool);
}

// True if the operands of the command begin, or may begin, with the wanted ones. `matched[n]`: the first n wanted ones
// have been found, or may have been.
bool has_operands(const Knowledge& knowledge, const std::vector<Word>& words, const std::vector<std::string>& wanted) {
  std::vector<bool> matched(wanted.size() + 1, false);
  matched[0] = true;
  auto taken = Takes::nothing;  // whether the previous option takes this word as its value
  bool only_operands = false;
  for (std::size_t i = 1; i < words.size() && !matched.back(); ++i) {
    const Word& word = words[i];
    if (!word.literal) {
      // The word may become nothing, one operand, several, or an option.
      for (std::size_t n = 0; n < wanted.size(); ++n) matched[n + 1] = matched[n + 1] || matched[n];
      taken = Takes::unknown;
      continue;
    }
    if (taken == Takes::value) {
      taken = Takes::nothing;
      continue;
    }
    if (!only_operands && word.text == "--") {
      only_operands = true;
      taken = Takes::nothing;
      continue;
    }
    if (!only_operands && is_option(word.text)) {
      taken = knowledge.takes(word.text, i);
      continue;
    }
    // In cargo +nightly, the toolchain is not an operand.
    if (i == 1 && word.text.starts_with('+') && is_listed("cargo rustc rustup", knowledge.tool)) continue;
    const bool may_be_value = taken == Takes::unknown;
    for (std::size_t n = wanted.size(); n-- > 0;) {
      if (matched[n] && is_operand(knowledge, word.text, wanted[n], n == 0)) matched[n + 1] = true;
      matched[n] = matched[n] && may_be_value;
    }
    taken = Takes::nothing;
  }
  return matched.back();
}

// docker container rm means docker rm, and docker image rm means docker rmi.
std::vector<Word> without_management_word(std::string_view tool, const std::vector<Word>& words) {
  if (!is_listed("docker podman nerdctl", tool)) return {};
  std::vector<Word> shorter = words;
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (!words[i].literal || !is_listed("container image", words[i].text)) continue;
    if (words[i].text == "image") {
      if (is_listed("rm remove", words[i + 1].text)) shorter[i + 1].text = "rmi";
      if (words[i + 1].text == "ls") shorter[i + 1].text = "images";
    } else if (words[i + 1].text == "ls") {
      shorter[i + 1].text = "ps";
    }
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
    return shorter;
  }
  return {};
}

bool matches(std::string_view tool, const std::vector<Word>& words, const std::vector<std::string>& options,
             const std::vector<std::string>& operands) {
  const Knowledge knowledge = know(tool, words);
  return has_operands(knowledge, words, operands) &&
         std::all_of(options.begin(), options.end(),
                     [&](const std::string& option) { return has_option(knowledge, words, option); });
}

}  // namespace

bool arguments_match(std::string_view tool, const std::vector<Word>& words, const std::vector<std::string>& options,
                     const std::vector<std::string>& operands) {
  if (words.empty()) return false;
  if (matches(tool, words, options, operands)) return true;
  const std::vector<Word> shorter = without_management_word(tool, words);
  return !shorter.empty() && matches(tool, shorter, options, operands);
}

}  // namespace wtool::policy
