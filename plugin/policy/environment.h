// The environment of a command: what the host has, and what the call adds. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wtool::policy {

using Variables = std::vector<std::pair<std::string, std::string>>;

struct EnvironmentRules;

// The sources of "NAME=value" texts, in this order:
// - the inherited variables that `rules.inherit` and `rules.deny` keep, each name once (the first one is used,
//   as getenv does);
// - `rules.set` and `additions`, which replace inherited ones;
// - variables that keep commands from waiting for a person (PAGER=cat, ...), unless they are already set;
// - if PATH is not set yet, `fallback_path` as PATH, because a shell does not work without it.
//
// PWD is always `directory`, as every shell sets it. An inherited OLDPWD is left out.
//
// `trusted_path` is given for a command that an allow list has allowed. It replaces PATH, and the variables that make a
// shell run or find programs other than those that the line names are left out: CDPATH, ENV, BASH_ENV, exported
// functions.
struct EnvironmentSources {
  const char* const* inherited = nullptr;
  const EnvironmentRules& rules;
  const Variables& additions;
  std::string_view directory;
  std::string_view fallback_path;
  std::optional<std::string_view> trusted_path;
};
std::vector<std::string> compose_environment(const EnvironmentSources& sources);

// The first name in `additions` that matches a pattern of environment.deny, and that pattern. The call must be refused.
struct DeniedName {
  std::string name;
  std::string pattern;
};
std::optional<DeniedName> find_denied_name(const Variables& additions, const EnvironmentRules& rules);

// True for dangerous variables: their values change what programs do beyond their arguments, such as which files they
// load (LD_PRELOAD, PYTHONPATH), which programs they start (GIT_SSH_COMMAND, PAGER), which configuration they read
// (HOME, XDG_CONFIG_HOME) or where they send data (HTTPS_PROXY). No such list is complete: a program may use any
// variable.
bool is_dangerous_variable(std::string_view name);

// True for names that programs are known to read as data: the locale, the terminal, colours, the time zone, CI.
bool is_harmless_name(std::string_view name);

// True for the variables that keep commands from waiting for a person, with the values that compose_environment() gives
// them: PAGER=cat.
bool is_set_anyway(std::string_view name, std::string_view value);

// Why a call under an allow list may not set `name`: environment.deny matches it, or it is not harmless and no pattern
// of environment.allow matches it. A dangerous variable must be listed in environment.allow by its full name, without *
// and ?. PATH, PWD and the variables that redirect a shell (IFS, BASH_ENV, CDPATH) may never be set. Some values
// make even a harmless variable dangerous: a locale or TZ may be the path of a file that the C library loads, and a
// locale may change the encoding in which programs read text. A value that the variable has anyway makes it harmless.
struct NameRefusal {
  std::string reason;  // a clause that follows the name: "changes what programs do"
  std::string hint;
};
std::optional<NameRefusal> refuse_name(std::string_view name, const EnvironmentRules& rules,
                                       std::string_view value = {});

// True if `pattern`, in which * matches any characters and ? matches one, matches all of `name`.
bool matches_pattern(std::string_view pattern, std::string_view name);

// The value of `name` in a list of "NAME=value" texts; `fallback` if the list does not contain the name.
std::string_view find_variable(const std::vector<std::string>& variables, std::string_view name,
                               std::string_view fallback);

// Gives `name` this value in such a list, in place of any value that it has.
void set_variable(std::vector<std::string>& variables, std::string_view name, std::string_view value);

}  // namespace wtool::policy
