// The environment of a command: what the host has, and what the call adds. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wtool::policy {

using Variables = std::vector<std::pair<std::string, std::string>>;

// True for [A-Za-z_][A-Za-z0-9_]*, what every shell can name.
bool is_variable_name(std::string_view name);

struct EnvironmentRules;

// "NAME=value" texts: of the inherited ones, in their order and each name once (the first counts, as getenv has it),
// those that `rules.inherit` and `rules.deny` leave; then `rules.set` and `additions`, which replace what is inherited;
// then, unless one of these set them, the values that keep commands from waiting for a person (PAGER=cat, ...), and
// PATH, which a shell cannot do without, if nothing else gave it one: `fallback_path`. PWD is `directory`, whatever
// anybody says, as every shell sees to it; an inherited OLDPWD is left out, for the command has been nowhere else.
//
// `trusted_path`: for a command that an allow list allowed, PATH is this, whatever anybody says, and nothing is left by
// which a shell would run or find other programs than the line says: CDPATH, ENV, BASH_ENV, exported functions.
struct EnvironmentSources {
  const char* const* inherited = nullptr;
  const EnvironmentRules& rules;
  const Variables& additions;
  std::string_view directory;
  std::string_view fallback_path;
  std::optional<std::string_view> trusted_path;
};
std::vector<std::string> compose_environment(const EnvironmentSources& sources);

// The first of the names in `additions` that a pattern of environment.deny matches, and that pattern: such a call must
// be refused.
struct DeniedName {
  std::string name;
  std::string pattern;
};
std::optional<DeniedName> find_denied_name(const Variables& additions, const EnvironmentRules& rules);

// True for names whose values change what programs do, beyond what their arguments say: which files they load
// (LD_PRELOAD, PYTHONPATH), which programs they start (GIT_SSH_COMMAND, PAGER), which configuration they read (HOME,
// XDG_CONFIG_HOME), where they send what they know (HTTPS_PROXY). No list of them is whole: any program may heed any
// name.
bool is_steering_name(std::string_view name);

// True for names that programs are known to read as data: the locale, the terminal, colours, the time zone, CI.
bool is_harmless_name(std::string_view name);

// Why a call under an allow list may not set `name`: it is not harmless, and no pattern of environment.allow matches. A
// steering name must stand there as it is, without * and ?. What a shell finds programs by may never be set.
struct NameRefusal {
  std::string reason;  // a clause behind the name: "changes what programs do"
  std::string hint;
};
std::optional<NameRefusal> refuse_name(std::string_view name, const EnvironmentRules& rules);

// True where `pattern`, in which * stands for any characters and ? for one, matches all of `name`.
bool matches_pattern(std::string_view pattern, std::string_view name);

// The value of a name in such a list; `fallback` when it is not there.
std::string_view find_variable(const std::vector<std::string>& variables, std::string_view name,
                               std::string_view fallback);

}  // namespace wtool::policy
