#include "policy/environment.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_set>

#include "base/lasting.h"
#include "base/text.h"
#include "policy/programs/reader.h"
#include "policy/rules.h"

namespace wtool::policy {

namespace {

// True for variables that programs need to run at all, and to use the person's language and terminal.
bool is_core_name(std::string_view name) {
  return name.starts_with("LC_") ||
         programs::is_listed("HOME USER LOGNAME SHELL PATH LANG LANGUAGE TERM TZ TMPDIR TMP TEMP COLORTERM NO_COLOR",
                             name);
}

// True for variables that make a shell run or find something other than what its line names.
bool redirects_shell(std::string_view name) {
  return name.starts_with("BASH_FUNC_") ||
         programs::is_listed("CDPATH OLDPWD ENV BASH_ENV SHELLOPTS BASHOPTS PS4 IFS", name);
}

// Variables that keep commands from waiting for a person, without changing their results. EDITOR is not one of them: an
// editor that changes nothing, such as `true`, would change the result of a command that needs an editor.
constexpr std::pair<std::string_view, std::string_view> unattended[] = {{"PAGER", "cat"},
                                                                        {"GIT_PAGER", "cat"},
                                                                        {"MANPAGER", "cat"},
                                                                        {"SYSTEMD_PAGER", "cat"},
                                                                        {"GIT_TERMINAL_PROMPT", "0"}};

// A set of names; the texts belong to the caller. Every call needs a new environment. With a standard set, which
// allocates memory for each name, composing it would take longer than everything else that is done to plan the call.
class NameSet {
 public:
  // False if the set already has the name.
  bool insert(std::string_view name) {
    if (names_.size() * 2 >= slots_.size()) grow();
    std::uint32_t& slot = find(name);
    if (slot != 0) return false;
    names_.push_back(name);
    slot = static_cast<std::uint32_t>(names_.size());
    return true;
  }

 private:
  // The name's slot or, if the set does not have the name, the free slot for it. A slot is an index into names_ plus 1;
  // 0 is free.
  std::uint32_t& find(std::string_view name) {
    for (std::size_t at = std::hash<std::string_view>{}(name);; ++at) {
      std::uint32_t& slot = slots_[at % slots_.size()];
      if (slot == 0 || names_[slot - 1] == name) return slot;
    }
  }

  void grow() {
    slots_.assign(std::max<std::size_t>(128, slots_.size() * 2), 0);
    names_.reserve(slots_.size() / 2);
    for (std::uint32_t i = 0; i < names_.size(); ++i) find(names_[i]) = i + 1;
  }

  std::vector<std::string_view> names_;
  std::vector<std::uint32_t> slots_;
};

const std::string* denying_pattern(const EnvironmentRules& rules, std::string_view name) {
  const auto found = std::find_if(rules.deny.begin(), rules.deny.end(),
                                  [&](const std::string& pattern) { return matches_pattern(pattern, name); });
  return found == rules.deny.end() ? nullptr : &*found;
}

// The names and patterns in one field of all specs of programs.
class Names {
 public:
  explicit Names(std::string_view programs::ProgramSpec::*field) {
    for (const std::string_view list : programs::lists_of(field)) {
      for (const std::string_view name : programs::parts_of(list)) {
        if (name.find('*') == name.npos) {
          exact_.insert(name);
        } else {
          patterns_.push_back(name);
        }
      }
    }
  }

  bool has(std::string_view name) const {
    return exact_.contains(name) || std::any_of(patterns_.begin(), patterns_.end(), [&](std::string_view pattern) {
             return matches_pattern(pattern, name);
           });
  }

 private:
  std::unordered_set<std::string_view> exact_;
  std::vector<std::string_view> patterns_;
};

}  // namespace

bool is_harmless_name(std::string_view name) {
  static const auto& names = lasting<const Names>(&programs::ProgramSpec::harmless_variables);
  return names.has(name);
}

bool is_set_anyway(std::string_view name, std::string_view value) {
  return std::any_of(std::begin(unattended), std::end(unattended),
                     [&](const auto& each) { return each.first == name && each.second == value; });
}

bool is_dangerous_variable(std::string_view name) {
  static const auto& names = lasting<const Names>(&programs::ProgramSpec::variables);
  if (is_harmless_name(name)) return false;
  if (names.has(name)) return true;
  // npm and its relatives accept their settings in upper and lower case, and many programs accept a proxy in both.
  const std::string capitals = in_capitals(name);
  return programs::any_listed("NPM_* PNPM_* YARN_* *_PROXY",
                              [&](std::string_view pattern) { return matches_pattern(pattern, capitals); });
}

std::vector<std::string> compose_environment(const EnvironmentSources& sources) {
  const EnvironmentRules& rules = sources.rules;
  std::vector<std::string> variables;
  variables.reserve(64);
  NameSet settled;
  settled.insert("PWD");
  settled.insert("OLDPWD");
  if (sources.trusted_path) settled.insert("PATH");
  for (const auto& [name, value] : sources.additions) settled.insert(name);
  for (const auto& [name, value] : rules.set) settled.insert(name);
  const auto stays = [&](std::string_view name) {
    if (rules.inherit == EnvironmentRules::Inherit::none) return false;
    if (rules.inherit == EnvironmentRules::Inherit::core && !is_core_name(name)) return false;
    return !(sources.trusted_path && redirects_shell(name)) && denying_pattern(rules, name) == nullptr;
  };
  for (const char* const* each = sources.inherited; each != nullptr && *each != nullptr; ++each) {
    const std::string_view variable(*each);
    const std::size_t end = variable.find('=');
    if (end == std::string_view::npos) continue;
    const std::string_view name = variable.substr(0, end);
    if (stays(name) && settled.insert(name)) variables.emplace_back(variable);
  }
  const auto put = [&](std::string_view name, std::string_view value) {
    variables.emplace_back().append(name).append("=").append(value);
  };
  const auto put_given = [&](std::string_view name, std::string_view value) {
    if (name != "PWD" && !(sources.trusted_path && (name == "PATH" || redirects_shell(name)))) put(name, value);
  };
  const auto is_added = [&](const std::string& name) {
    return std::any_of(sources.additions.begin(), sources.additions.end(),
                       [&](const auto& addition) { return addition.first == name; });
  };
  for (const auto& [name, value] : rules.set) {
    if (!is_added(name)) put_given(name, value);
  }
  for (const auto& [name, value] : sources.additions) put_given(name, value);
  for (const auto& [name, value] : unattended) {
    if (settled.insert(name)) put(name, value);
  }
  if (sources.trusted_path) {
    put("PATH", *sources.trusted_path);
  } else if (settled.insert("PATH")) {
    put("PATH", sources.fallback_path);
  }
  put("PWD", sources.directory);
  return variables;
}

std::optional<DeniedName> find_denied_name(const Variables& additions, const EnvironmentRules& rules) {
  for (const auto& [name, value] : additions) {
    if (const std::string* pattern = denying_pattern(rules, name)) return DeniedName{name, *pattern};
  }
  return std::nullopt;
}

namespace {

bool is_locale(std::string_view name) { return name.starts_with("LC_") || name == "LANG"; }

// True if the value makes the C library load a file: a locale, or a time zone, whose name is a path.
bool names_file(std::string_view name, std::string_view value) {
  if (name == "TZ") return value.starts_with(':') || value.starts_with('/') || value.find("..") != value.npos;
  return (is_locale(name) || name == "LANGUAGE") && value.find('/') != value.npos;
}

// True if programs may read text in another encoding than the policy does. In some encodings, a backslash is a part of
// another character, so that a script of sed or awk that only reads can become one that runs commands.
bool changes_encoding(std::string_view name, std::string_view value) {
  const bool chooses = name == "LC_ALL" || name == "LC_CTYPE" || name == "LANG";
  if (!chooses || value.empty() || value == "C" || value == "POSIX") return false;
  const std::size_t dot = std::min(value.find('.'), value.size());
  const std::string encoding = lowered(value.substr(dot, value.find('@', dot) - dot));
  return encoding != ".utf-8" && encoding != ".utf8";
}

}  // namespace

std::optional<NameRefusal> refuse_name(std::string_view name, const EnvironmentRules& rules, std::string_view value) {
  if (name == "PATH" || name == "PWD" || redirects_shell(name)) {
    return NameRefusal{"changes what programs do", "leave it out; commands.path says where programs are looked for"};
  }
  if (const std::string* pattern = denying_pattern(rules, name)) {
    return NameRefusal{"is denied by the pattern " + *pattern + " of environment.deny", "leave it out"};
  }
  if (is_set_anyway(name, value)) return std::nullopt;
  // Some shells evaluate these numbers, and run the commands in them.
  const bool is_number = value.find_first_not_of("0123456789") == std::string_view::npos;
  if ((name == "COLUMNS" || name == "LINES") && !is_number) {
    return NameRefusal{"must be a number, but is " + std::string(value), "give a number of columns or lines"};
  }
  const bool is_path = names_file(name, value);
  const bool is_encoding = !is_path && changes_encoding(name, value);
  if (is_harmless_name(name) && !is_path && !is_encoding) return std::nullopt;
  const bool steers = is_path || is_encoding || is_dangerous_variable(name);
  const bool allowed = std::any_of(rules.allow.begin(), rules.allow.end(), [&](const std::string& pattern) {
    return steers ? pattern == name : matches_pattern(pattern, name);
  });
  if (allowed) return std::nullopt;
  if (is_path) {
    return NameRefusal{"names a file that the C library loads: " + std::string(value),
                       "give the name of an installed " +
                           std::string(name == "TZ" ? "time zone, such as Europe/Berlin" : "locale, such as C.UTF-8")};
  }
  if (is_encoding) {
    return NameRefusal{"may make programs read text in another encoding than the policy does: " + std::string(value),
                       "give C, POSIX, or a locale whose name ends in .UTF-8"};
  }
  return NameRefusal{steers ? "changes what programs do" : "may change what programs do",
                     "leave it out; " + std::string(name) +
                         " in environment.allow of the configuration would let calls set it, and environment.set can "
                         "set it for every command"};
}

bool matches_pattern(std::string_view pattern, std::string_view name) {
  // The position of the last * so far, and the position in the name at which that star's match is assumed to end.
  std::size_t star = std::string_view::npos, tried = 0;
  std::size_t p = 0, n = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      tried = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++tried;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::string_view find_variable(const std::vector<std::string>& variables, std::string_view name,
                               std::string_view fallback) {
  for (const std::string_view variable : variables) {
    if (variable.size() > name.size() && variable[name.size()] == '=' && variable.starts_with(name)) {
      return variable.substr(name.size() + 1);
    }
  }
  return fallback;
}

void set_variable(std::vector<std::string>& variables, std::string_view name, std::string_view value) {
  std::string made = std::string(name) + '=';
  std::erase_if(variables, [&](const std::string& variable) { return variable.starts_with(made); });
  variables.push_back(made.append(value));
}

}  // namespace wtool::policy
