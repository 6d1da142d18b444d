#include "policy/covenant/git.h"

#include <algorithm>
#include <array>

#include "policy/covenant/flags.h"
#include "policy/programs/hardening.h"

namespace wtool::policy::covenant {

namespace {

struct Subcommand {
  std::string_view name;
  Flags flags;
  std::vector<std::string_view> hardening = {};  // more flags, in front of the given ones
  bool operands = true;
  bool otherwise_asks = false;  // it also writes, with other flags or operands
};

// Without these, git runs the programs of the configuration, and `git status` in each submodule, which has one of its
// own.
const std::vector<std::string_view> for_differences = {"--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty",
                                                       "--submodule=short"};

const Flags difference_flags = {.letters = "pswbMCRaz",
                                .numbers = "U",
                                .texts = "SG",
                                .names = {{"cached"},
                                          {"staged"},
                                          {"stat", 0, Value::optional_text},
                                          {"numstat"},
                                          {"shortstat"},
                                          {"summary"},
                                          {"raw"},
                                          {"patch"},
                                          {"no-patch"},
                                          {"name-only"},
                                          {"name-status"},
                                          {"diff-filter", 0, Value::text},
                                          {"unified", 0, Value::number},
                                          {"word-diff", 0, Value::optional_text},
                                          {"color", 0, Value::optional_text},
                                          {"no-color"},
                                          {"no-renames"},
                                          {"find-renames", 0, Value::optional_text},
                                          {"ignore-all-space"},
                                          {"ignore-space-change"},
                                          {"ignore-blank-lines"},
                                          {"function-context"},
                                          {"minimal"},
                                          {"check"},
                                          {"quiet"},
                                          {"exit-code"},
                                          {"merge-base"},
                                          {"full-index"},
                                          {"binary"}}};

Flags history_flags() {
  Flags flags = difference_flags;
  flags.letters = "pswbMCRaziEFc";
  flags.numbers = "nU";
  flags.texts = "SGL";
  flags.digits = 'n';
  const std::vector<LongFlag> more = {{"oneline"},
                                      {"graph"},
                                      {"all"},
                                      {"branches", 0, Value::optional_text},
                                      {"tags", 0, Value::optional_text},
                                      {"remotes", 0, Value::optional_text},
                                      {"decorate", 0, Value::optional_text},
                                      {"no-decorate"},
                                      {"max-count", 0, Value::number},
                                      {"skip", 0, Value::number},
                                      {"since", 0, Value::text},
                                      {"after", 0, Value::text},
                                      {"until", 0, Value::text},
                                      {"before", 0, Value::text},
                                      {"author", 0, Value::text},
                                      {"committer", 0, Value::text},
                                      {"grep", 0, Value::text},
                                      {"format", 0, Value::text},
                                      {"pretty", 0, Value::optional_text},
                                      {"date", 0, Value::text},
                                      {"abbrev-commit"},
                                      {"abbrev", 0, Value::optional_text},
                                      {"follow"},
                                      {"reverse"},
                                      {"merges"},
                                      {"no-merges"},
                                      {"first-parent"},
                                      {"full-history"},
                                      {"topo-order"},
                                      {"date-order"},
                                      {"left-right"},
                                      {"cherry-pick"},
                                      {"relative-date"}};
  flags.names.insert(flags.names.end(), more.begin(), more.end());
  return flags;
}

const std::vector<Subcommand>& subcommands() {
  static const std::vector<Subcommand> table = {
      {"status",
       {.letters = "sbz",
        .names = {{"short"},
                  {"long"},
                  {"branch"},
                  {"porcelain", 0, Value::optional_text},
                  {"untracked-files", 0, Value::optional_text},
                  {"ignored", 0, Value::optional_text},
                  {"show-stash"},
                  {"no-renames"}}},
       {"--ignore-submodules=dirty"}},
      {"diff", difference_flags, for_differences},
      {"log", history_flags(), for_differences},
      {"show", history_flags(), for_differences},
      {"blame",
       {.letters = "wslecntfMC",
        .texts = "L",
        .names = {{"porcelain"}, {"line-porcelain"}, {"date", 0, Value::text}, {"show-email"}, {"show-name"}}},
       {"--no-textconv"}},
      {"ls-files",
       {.letters = "cdmostz",
        .names = {{"cached"}, {"deleted"}, {"modified"}, {"others"}, {"stage"}, {"exclude-standard"}, {"ignored"}}}},
      {"ls-tree", {.letters = "rdltz", .names = {{"name-only"}, {"long"}, {"full-name"}}}},
      {"rev-parse",
       {.letters = "q",
        .names = {{"abbrev-ref"},
                  {"short", 0, Value::optional_text},
                  {"verify"},
                  {"quiet"},
                  {"symbolic-full-name"},
                  {"show-toplevel"},
                  {"show-prefix"},
                  {"git-dir"},
                  {"is-inside-work-tree"}}}},
      {"describe", {.names = {{"tags"}, {"all"}, {"always"}, {"long"}, {"abbrev", 0, Value::optional_text}}}},
      {"merge-base", {.letters = "a", .names = {{"all"}, {"is-ancestor"}}}},
      {"version", {}, {}, false},
      {"branch",
       {.letters = "arv", .names = {{"all"}, {"remotes"}, {"list"}, {"verbose"}, {"show-current"}, {"no-color"}}},
       {},
       false,
       true},
      {"tag", {.letters = "l", .names = {{"list"}}}, {}, false, true},
      {"remote", {.letters = "v", .names = {{"verbose"}}}, {}, false, true},
  };
  return table;
}

// They write, talk to others, or run what the configuration names. No alias can have one of these names.
constexpr std::array asked = std::to_array<std::string_view>(
    {"add",    "am",           "apply",  "archive",     "bisect",      "bundle",     "cat-file",  "checkout",
     "cherry", "clean",        "clone",  "cherry-pick", "commit",      "config",     "diff-tree", "diff-index",
     "fetch",  "format-patch", "fsck",   "gc",          "grep",        "help",       "init",      "maintenance",
     "merge",  "mv",           "notes",  "pull",        "push",        "range-diff", "rebase",    "reflog",
     "reset",  "restore",      "revert", "rev-list",    "rm",          "shortlog",   "show-ref",  "sparse-checkout",
     "stash",  "submodule",    "switch", "worktree",    "for-each-ref"});

}  // namespace

Reading read_git(const std::vector<std::string>& words) {
  std::size_t at = 1;
  while (at < words.size() && words[at] == "--no-pager") ++at;
  if (at == words.size()) return Reading::refuse("git requires subcommand");
  const std::string& name = words[at];
  if (name.starts_with('-')) return Reading::refuse(unknown_flag(name.substr(0, name.find('='))));
  if (std::find(asked.begin(), asked.end(), name) != asked.end()) return {};
  const auto found = std::find_if(subcommands().begin(), subcommands().end(),
                                  [&](const Subcommand& subcommand) { return subcommand.name == name; });
  if (found == subcommands().end()) return Reading::refuse("Git subcommand not allowed: " + name);

  const auto first = words.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  const Arguments arguments = read_arguments({first, words.end()}, found->flags);
  const bool extra = !found->operands && !arguments.operands.empty();
  if (found->otherwise_asks && (extra || !arguments.refusal.empty())) return {};
  if (!arguments.refusal.empty()) return Reading::refuse(arguments.refusal);
  if (extra) return Reading::refuse("git " + name + " requires exactly 0 paths");

  Reading reading{Tier::immediate, {}, {}, words_of_text(git_without_programs), true, true};
  reading.executed.insert(reading.executed.begin(), "git");
  reading.executed.push_back(name);
  reading.executed.insert(reading.executed.end(), found->hardening.begin(), found->hardening.end());
  reading.executed.insert(reading.executed.end(), arguments.flags.begin(), arguments.flags.end());
  // Whether one is a revision or a path is git's to find out; what leads out of the project is neither.
  for (std::size_t i = 0; i < arguments.operands.size(); ++i) {
    if (arguments.dashes && i == arguments.before_dashes) reading.executed.push_back("--");
    reading.executed.push_back(arguments.operands[i]);
    reading.paths.push_back({arguments.operands[i], Use::read});
  }
  if (arguments.dashes && arguments.before_dashes == arguments.operands.size()) reading.executed.push_back("--");
  // Where it looks for its repository.
  reading.paths.push_back({".", Use::read});
  return reading;
}

Variables git_environment(const std::string& root) {
  Variables variables = {{"GIT_ALLOW_PROTOCOL", "none"},
                         {"GIT_NO_LAZY_FETCH", "1"},
                         {"GIT_OPTIONAL_LOCKS", "0"},
                         {"GIT_PAGER", "cat"},
                         {"GIT_TERMINAL_PROMPT", "0"}};
  if (root != "/") {
    const std::string above = root.substr(0, root.rfind('/'));
    variables.emplace_back("GIT_CEILING_DIRECTORIES", above.empty() ? "/" : above);
  }
  return variables;
}

}  // namespace wtool::policy::covenant
