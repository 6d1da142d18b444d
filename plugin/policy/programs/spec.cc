#include "policy/programs/spec.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "base/lasting.h"
#include "policy/programs/reader.h"

namespace wtool::policy::programs {

namespace {

constexpr std::string_view spaces = " \n";

// The names of values that are never paths, whatever they contain. Any other value with a slash may be one: iconv reads
// the file that `-f CODE` names, if CODE has a slash.
constexpr std::string_view texts =
    "BYTES C CHAR CHARS COMMIT DATE EXPRESSION FIELD FIELDS FILTER FMT FORMAT FS GLOB GLOBS LABEL LABELS MARK N NUM "
    "PATTERN PREFIX QUERY RANGE RE REF REGEX REGEXP REV REVISION SCRIPT SELECTOR SEP STRING SUFFIX TEMPLATE TEXT TIME "
    "TITLE TREE WHEN X";

// Removes the text up to `separator` from `rest`, and returns it without the spaces around it.
std::string_view take(std::string_view& rest, std::string_view separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + separator.size(), rest.size()));
  const std::size_t first = part.find_first_not_of(spaces);
  if (first == part.npos) return {};
  return part.substr(first, part.find_last_not_of(spaces) - first + 1);
}

struct EffectText {
  Effect effect;
  std::string_view name, clause;
};

constexpr EffectText effect_texts[] = {
    {Effect::reads, "reads", ""},
    {Effect::writes, "writes", "writes to a file"},
    {Effect::runs_program, "runs_program", "runs another program"},
    {Effect::runs_code, "runs_code", "runs code that the policy does not read"},
    {Effect::opens_network, "opens_network", "opens a connection to another machine"},
    {Effect::privileged, "privileged", "changes the system"},
    {Effect::interactive, "interactive", "waits for a person"},
    {Effect::other, "other", ""},
};

const EffectText& text_of(Effect effect) { return effect_texts[static_cast<std::size_t>(effect)]; }

// An unknown name is a mistake in the database, and must never be treated as harmless.
Effect effect_named(std::string_view name) {
  for (const EffectText& each : effect_texts) {
    if (each.name == name) return each.effect;
  }
  return Effect::other;
}

std::array<std::span<const ProgramSpec>, 14> families() {
  return {text_programs(),     file_programs(),   system_programs(),      search_programs(),    archive_programs(),
          language_programs(), git_programs(),    package_programs(),     container_programs(), wrapper_programs(),
          writing_programs(),  runner_programs(), interpreter_programs(), variable_programs()};
}

// A table that is compiled at its first use, because a host judges few of these programs.
class LazyTable {
 public:
  explicit LazyTable(const ProgramSpec& spec) : spec_(spec) {}
  const ProgramSpec& spec() const { return spec_; }
  const OptionTable* get(const SpecNames& specs) {
    std::call_once(once_, [&] { table_ = std::make_unique<OptionTable>(spec_, specs); });
    return table_.get();
  }

 private:
  const ProgramSpec& spec_;
  std::once_flag once_;
  std::unique_ptr<OptionTable> table_;
};

// Any thread may call any member. Each process that judges a command makes one, so its constructor must be fast.
class Tables {
 public:
  Tables() {
    by_name_.reserve(2048);
    for (const auto& family : families()) {
      for (const ProgramSpec& spec : family) {
        LazyTable& table = lazy_.emplace_back(spec);
        for (std::string_view rest = spec.names; !rest.empty();) by_name_.emplace(take(rest, ","), &table);
        if (spec.covenant) add_covenant(spec);
      }
    }
  }

  const OptionTable* find(std::string_view name) const { return find(by_name_, name); }
  const OptionTable* find_covenant(std::string_view name) const { return find(by_covenant_, name); }

  std::vector<std::string_view> names() const {
    std::vector<std::string_view> names;
    for (const auto& [name, table] : by_name_) {
      if (name.find(':') == name.npos || name == ":") names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  using TableNames = std::unordered_map<std::string_view, LazyTable*>;

  void add_covenant(const ProgramSpec& spec) {
    std::string_view names = spec.names;
    const ProgramSpec& own = covenants_.emplace_back(ProgramSpec{.names = take(names, ","),
                                                                 .options = spec.covenant->options,
                                                                 .with = spec.covenant->with,
                                                                 .style = Style::exact,
                                                                 .covenant = spec.covenant});
    by_covenant_.emplace(own.names, &lazy_.emplace_back(own));
  }

  const OptionTable* find(const TableNames& tables, std::string_view name) const {
    const auto found = tables.find(name);
    return found == tables.end() ? nullptr : found->second->get(spec_named_);
  }

  TableNames by_name_;
  TableNames by_covenant_;
  std::deque<ProgramSpec> covenants_;
  std::deque<LazyTable> lazy_;
  const SpecNames spec_named_ = [this](std::string_view name) -> const ProgramSpec& {
    return by_name_.at(name)->spec();
  };
};

}  // namespace

std::string_view clause_of(Effect effect) { return text_of(effect).clause; }

std::string_view name_of(Effect effect) { return text_of(effect).name; }

OptionTable::OptionTable(const ProgramSpec& spec, const SpecNames& specs) : spec_(&spec) {
  add_all(spec);
  for (std::string_view rest = spec.with; !rest.empty();) add_all(specs(take(rest, ",")));
  if (spec.style != Style::git) {
    // These options are recognised only if they are not abbreviated: a tool that does not list them may lack them, and
    // then reads the abbreviation as a different option.
    for (const char* name : {"--help", "--version"}) options_.push_back({.name = name, .whole = true});
  }
  const std::size_t proven = options_.size();
  add(spec.unproven, Effect::other, {});
  for (std::size_t i = proven; i < options_.size(); ++i) options_[i].unproven = true;
  for (Option& option : options_) {
    if (option.whole)
      option.listed = std::count_if(options_.begin(), options_.end(),
                                    [&](const Option& other) { return other.name == option.name; }) > 1;
  }
  // The sort is stable: of two entries with the same name, the first stays, which is the more specific one.
  std::stable_sort(options_.begin(), options_.end(), [](const Option& a, const Option& b) { return a.name < b.name; });
  options_.erase(
      std::unique(options_.begin(), options_.end(), [](const Option& a, const Option& b) { return a.name == b.name; }),
      options_.end());
  letters_.fill(-1);
  for (std::size_t i = 0; i < options_.size(); ++i) {
    const std::string& name = options_[i].name;
    if (name == "-NUM") number_ = static_cast<std::int16_t>(i);
    if (name.size() == 2) letters_[static_cast<unsigned char>(name[1]) & 127] = static_cast<std::int16_t>(i);
  }
}

void OptionTable::add_all(const ProgramSpec& spec) {
  add(spec.options, Effect::reads, {});
  for (std::string_view rest = spec.effects; !rest.empty();) {
    std::string_view options = take(rest, ";");
    std::string_view clause = take(options, ":");
    const Effect effect = effect_named(take(clause, "("));
    if (clause.ends_with(')')) clause.remove_suffix(1);
    add(options, effect, clause.empty() ? clause_of(effect) : clause);
  }
}

void OptionTable::add(std::string_view text, Effect effect, std::string_view why) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
    if (text.empty()) return;
    std::string_view token = text.substr(0, text.find_first_of(spaces));
    text.remove_prefix(token.size());
    Option option{.effect = effect, .why = why};
    if (token.ends_with('!')) {
      option.replaces_first = true;
      token.remove_suffix(1);
    }
    if (token.ends_with('<')) {
      option.reads_names = true;
      token.remove_suffix(1);
    }
    if (token.ends_with('@')) {
      option.lists = true;
      token.remove_suffix(1);
    }
    if (const std::size_t equals = token.find('='); equals != token.npos) {
      const bool optional = token[equals - 1] == '[';
      std::string_view value = token.substr(equals + 1);
      if (optional) value.remove_suffix(1);
      if (value.find(',') != value.npos) {
        option.values = 1 + static_cast<std::size_t>(std::count(value.begin(), value.end(), ','));
        value.remove_prefix(value.rfind(',') + 1);
      }
      option.value_name = value;
      option.value = optional ? OptionValue::optional : OptionValue::required;
      if (option.values == 0 && !optional) option.values = 1;
      option.list = value == "LIST";
      option.chosen = value.find('|') != value.npos;
      option.command = value == "COMMAND...";
      option.path = option.list || value == "FILE" || value == "DIR";
      option.is_text = is_listed(texts, value);
      token = token.substr(0, equals - (optional ? 1 : 0));
    }
    option.name = token;
    options_.push_back(std::move(option));
  }
}

const Option* OptionTable::any_letter(char c) const {
  const auto place = static_cast<unsigned char>(c);
  const int index = place < letters_.size() ? letters_[place] : -1;
  return index < 0 ? nullptr : &options_[static_cast<std::size_t>(index)];
}

const Option* OptionTable::letter(char c) const {
  const Option* const found = any_letter(c);
  if (found != nullptr && !found->unproven) return found;
  return c >= '0' && c <= '9' && number_ >= 0 ? &options_[static_cast<std::size_t>(number_)] : nullptr;
}

Named OptionTable::word(std::string_view name) const {
  if (const Option* option = abbreviated(name)) return {option};
  if (spec_->style == Style::git && name.starts_with("--no-")) {
    return {abbreviated("--" + std::string(name.substr(5))), true};
  }
  // Go's flags may have one dash or two.
  if (spec_->style == Style::go && name.starts_with("--")) return {abbreviated(name.substr(1))};
  return {};
}

std::span<const Option> OptionTable::beginning(std::string_view name) const {
  const auto first = std::lower_bound(options_.begin(), options_.end(), name,
                                      [](const Option& option, std::string_view text) { return option.name < text; });
  auto last = first;
  while (last != options_.end() && last->name.starts_with(name)) ++last;
  return {first, last};
}

const Option* OptionTable::abbreviated(std::string_view name) const {
  const Option* found = nullptr;
  for (const Option& option : beginning(name)) {
    if (option.unproven) continue;
    if (option.name == name) return &option;
    if (spec_->style == Style::exact) {
      // Some versions abbreviate all the same, as npm and ack do.
      const bool runs = option.effect == Effect::runs_program || option.effect == Effect::runs_code;
      if (runs && !option.command && name.size() >= 3 && name.starts_with("--")) return &option;
      continue;
    }
    if (name.size() < 3 || !name.starts_with("--") || spec_->style == Style::go || spec_->style == Style::tree) {
      return nullptr;
    }
    // It must also be certain whether the option takes a value: if it takes none, the next word may be an option.
    if (!option.safe()) return &option;
    if (option.whole || (found != nullptr && found->value != option.value)) return nullptr;
    found = &option;
  }
  return found;
}

const Option* OptionTable::exact(std::string_view name) const {
  const auto found = beginning(name);
  return !found.empty() && found.front().name == name && found.front().is_own() ? &found.front() : nullptr;
}

const Option* OptionTable::only(std::string_view name) const {
  if (name.empty()) return nullptr;
  const Option* found = nullptr;
  for (const std::string_view dashes : {"--", "-"}) {
    if (dashes.size() == 1 && (spec_->manner & single_dash) == 0) break;
    const std::string wanted = std::string(dashes) + std::string(name);
    for (const Option& option : beginning(wanted)) {
      if (!option.is_own()) continue;
      if (option.name == wanted) return &option;
      if (found != nullptr) return nullptr;
      found = &option;
    }
  }
  return found;
}

bool OptionTable::has_effects() const {
  return std::any_of(options_.begin(), options_.end(),
                     [](const Option& option) { return !option.safe() && !option.unproven; });
}

bool OptionTable::has_option_that(Effect effect) const {
  return std::any_of(options_.begin(), options_.end(), [&](const Option& option) { return option.effect == effect; });
}

namespace {

const Tables& tables() {
  static const Tables& made = lasting<const Tables>();
  return made;
}

}  // namespace

const OptionTable* find_program(std::string_view name) { return tables().find(name); }

const OptionTable* find_covenant(std::string_view name) { return tables().find_covenant(name); }

const OptionTable* find_rules(std::string_view name) {
  const OptionTable* const found = find_program(name);
  return found != nullptr && found->spec().rules ? found : nullptr;
}

const std::vector<std::string_view>& program_names() {
  static const auto& names = lasting<std::vector<std::string_view>>(tables().names());
  return names;
}

std::vector<std::string_view> lists_of(std::string_view ProgramSpec::*field) {
  std::vector<std::string_view> lists;
  for (const auto& family : families()) {
    for (const ProgramSpec& spec : family) lists.push_back(spec.*field);
  }
  return lists;
}

}  // namespace wtool::policy::programs
