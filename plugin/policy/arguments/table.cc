#include "policy/arguments/table.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

namespace wtool::policy::arguments {

namespace {

constexpr std::string_view spaces = " \n";

// Takes the text up to `separator` off `rest`, without the spaces around it.
std::string_view take(std::string_view& rest, std::string_view separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + separator.size(), rest.size()));
  const std::size_t first = part.find_first_not_of(spaces);
  if (first == part.npos) return {};
  return part.substr(first, part.find_last_not_of(spaces) - first + 1);
}

class Tables {
 public:
  Tables() {
    for (const auto family :
         {text_tools(), file_tools(), system_tools(), search_tools(), archive_tools(), language_tools(), git_tools(),
          package_tools(), container_tools(), wrapper_tools(), writing_tools()}) {
      for (const Tool& tool : family) {
        for (std::string_view rest = tool.names; !rest.empty();) tools_.emplace(take(rest, ","), &tool);
      }
    }
    // Only now, for a table may refer to one of another family.
    for (const auto& [name, tool] : tools_) {
      auto& compiled = by_tool_[tool];
      if (compiled == nullptr) compiled = &compiled_.emplace_back(*tool, tools_);
      by_name_.emplace(name, compiled);
    }
  }

  const Compiled* find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  ToolNames tools_;
  std::unordered_map<const Tool*, const Compiled*> by_tool_;
  std::unordered_map<std::string_view, const Compiled*> by_name_;
  std::deque<Compiled> compiled_;
};

}  // namespace

Compiled::Compiled(const Tool& tool, const ToolNames& tools) : tool_(&tool) {
  add_all(tool);
  for (std::string_view rest = tool.with; !rest.empty();) add_all(*tools.at(take(rest, ",")));
  if (tool.style != Style::git) {
    // Whether a tool that is not listed with them knows them is not certain.
    for (const char* name : {"--help", "--version"}) options_.push_back({.name = name, .whole = true});
  }
  // The first of two entries of one name is the more particular one.
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

void Compiled::add_all(const Tool& tool) {
  add(tool.safe, true, {});
  for (std::string_view rest = tool.unsafe; !rest.empty();) {
    std::string_view options = take(rest, ";");
    const std::string_view why = take(options, ":");
    add(options, false, why);
  }
}

void Compiled::add(std::string_view text, bool safe, std::string_view why) {
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
    if (text.empty()) return;
    std::string_view token = text.substr(0, text.find_first_of(spaces));
    text.remove_prefix(token.size());
    Option option{.safe = safe, .why = why};
    if (token.ends_with('!')) {
      option.replaces_first = true;
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
      if (const std::size_t comma = value.find(','); comma != value.npos) {
        option.two = true;
        value.remove_prefix(comma + 1);
      }
      option.value = optional ? Value::optional : Value::required;
      option.list = value == "LIST";
      option.path = option.list || value == "FILE" || value == "DIR";
      token = token.substr(0, equals - (optional ? 1 : 0));
    }
    option.name = token;
    options_.push_back(std::move(option));
  }
}

const Option* Compiled::letter(char c) const {
  const auto place = static_cast<unsigned char>(c);
  int index = place < letters_.size() ? letters_[place] : -1;
  if (index < 0 && c >= '0' && c <= '9') index = number_;
  return index < 0 ? nullptr : &options_[static_cast<std::size_t>(index)];
}

Named Compiled::word(std::string_view name) const {
  if (const Option* option = abbreviated(name)) return {option};
  if (tool_->style == Style::git && name.starts_with("--no-")) {
    return {abbreviated("--" + std::string(name.substr(5))), true};
  }
  // Go's flags have one dash or two.
  if (tool_->style == Style::go && name.starts_with("--")) return {abbreviated(name.substr(1))};
  return {};
}

const Option* Compiled::abbreviated(std::string_view name) const {
  const auto first = std::lower_bound(options_.begin(), options_.end(), name,
                                      [](const Option& option, std::string_view text) { return option.name < text; });
  if (first == options_.end()) return nullptr;
  if (first->name == name) return &*first;
  if (name.size() < 3 || !name.starts_with("--") || tool_->style == Style::exact || tool_->style == Style::go ||
      tool_->style == Style::tree) {
    return nullptr;
  }
  const Option* found = nullptr;
  for (auto it = first; it != options_.end() && it->name.starts_with(name); ++it) {
    // Whether it takes a value must be certain too, or the next word may be an option.
    if (!it->safe) return &*it;
    if (it->whole) return nullptr;
    if (found != nullptr && found->value != it->value) return nullptr;
    found = &*it;
  }
  return found;
}

bool Compiled::has_unsafe() const {
  return std::any_of(options_.begin(), options_.end(), [](const Option& option) { return !option.safe; });
}

bool Compiled::has_option_that(std::string_view why) const {
  return std::any_of(options_.begin(), options_.end(), [&](const Option& option) { return option.why == why; });
}

const Compiled* find_tool(std::string_view name) {
  static const Tables tables;
  return tables.find(name);
}

}  // namespace wtool::policy::arguments
