// The table of configuration keys: which there are, and what they may be.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::host {

enum class KeyType {
  program,  // the path of a program
  boolean,
  integer,
  number,
  choice,            // one of `choices`
  path,              // a path
  text,              // any text on one line
  paths,             // a list of paths
  paths_or_default,  // the same, or `default`
  names,             // one of `choices`, or a list of relative paths, among which may be `default`
  entries,           // a list of commands in literal words
  patterns,          // a list of names of variables, with * and ?
  variables,         // a mapping of names of variables to texts
};

// What a later layer may still do with a key that an earlier one has locked.
enum class LockRule {
  equal,        // nothing
  free,         // anything: it makes nothing looser
  lower,        // a lower number
  lower_limit,  // the same, where 0 is no limit
  ranked,       // a choice that stands later in `choices`, from the loosest to the tightest
  stays_true,   // make it true
  within,       // commands that the locked ones cover
  add,          // add to the list
  below,        // paths below the locked ones
  below_roots,  // the same, where an empty list stands for everywhere
};

// One key `section.name` or, with an empty name, a key at the top level. `least` and `most` are for numbers, both
// included; with `or_none`, 0 is allowed too.
struct ConfigKey {
  std::string_view section;
  std::string_view name;
  KeyType type = KeyType::boolean;
  LockRule lock_rule = LockRule::equal;
  std::string_view built_in = "null";  // JSON text; null: none
  double least = 0;
  double most = 0;
  std::string_view unit = {};
  bool or_none = false;
  std::string_view choices = {};  // separated by spaces; of a number, words that may stand in its place
};

// All of them, section by section.
std::span<const ConfigKey> config_keys();

// "section.name", or "section" for a key at the top.
std::string full_name(const ConfigKey& key);

std::vector<std::string> choices_of(const ConfigKey& key);

// nullptr for an unknown key.
const ConfigKey* find_key(std::string_view section, std::string_view name);

// Names for "did you mean" and for lists.
std::vector<std::string> section_names();
std::vector<std::string> key_names(std::string_view section);

bool is_known_section(std::string_view section);

// Whether the plugin gets it. What is the host's own business it would not know.
bool is_for_plugin(const ConfigKey& key);

}  // namespace wtool::host
