// The table of configuration keys: their names, types and allowed values.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wtool {

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
  names,             // one of `choices`, or a list of relative paths, which may contain `default`
  entries,           // a list of commands in literal words
  programs,          // a list of names of programs, or "*"
  patterns,          // a list of names of variables, with * and ?
  variables,         // a mapping of names of variables to texts
  classes,           // a mapping of names to mappings of other keys of the section
  servers,           // a mapping of names to servers of tools; servers.cc has their keys
};

// What a later layer may still do with a key that an earlier one has locked.
enum class LockRule {
  equal,        // nothing
  free,         // set it to anything, since no value is looser
  lower,        // a lower number
  lower_limit,  // the same for a limit, where 0 means no limit
  ranked,       // a choice that comes later in `choices`, which go from the loosest to the tightest
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
  std::string_view built_in = "null";  // JSON text; null: no default
  double least = 0;
  double most = 0;
  std::string_view unit = {};
  bool or_none = false;
  std::string_view choices = {};  // separated by spaces; for a number: words that may replace it
  // If no layer sets the key, the program chooses a path for the user or the project. A fleet's policy constrains the
  // key only if the policy sets it.
  bool is_chosen = false;
};

// All keys, section by section.
std::span<const ConfigKey> config_keys();

// "section.name", or "section" for a key at the top.
std::string full_name(const ConfigKey& key);

std::vector<std::string> choices_of(const ConfigKey& key);

// nullptr for an unknown key.
const ConfigKey* find_key(std::string_view section, std::string_view name);

// Whether a class of `cluster` may have the key, too.
bool is_for_class(const ConfigKey& key);

// Names for "did you mean" and for lists.
std::vector<std::string> section_names();
std::vector<std::string> key_names(std::string_view section);

bool is_known_section(std::string_view section);

// Whether the plugin gets the key. It does not know the keys that concern only the host.
bool is_for_plugin(const ConfigKey& key);

// ---- values.cc: which values a key may have, and the messages about all other values.

// Checks a value, and turns a relative path into one below `folder`. Empty if the value is valid; otherwise the end of
// a sentence that begins with the key: "must be ...".
std::string check_value(const ConfigKey& key, const std::string& folder, nlohmann::json& value);

// Whether values of this type are lists.
bool is_list(KeyType type);
std::string check_element(const ConfigKey& key, const std::string& folder, nlohmann::json& value);

// A text of the file, as an error shows it: escaped, and cut if it is long.
std::string shown_text(std::string_view text);

// Whether a class or a server may have this name.
bool is_class_name(std::string_view name);

// What is wrong with the value of a server's key; empty: nothing is wrong. If `name` is not a known key, `names` gets
// the known keys.
std::string check_server_value(std::string_view name, const nlohmann::json& value, std::vector<std::string>& names);

// A value as JSON, as an error shows it.
std::string shown(const nlohmann::json& value);

// ---- The type of a YAML scalar, by the core schema of YAML 1.2: `yes` is text, `0x10` is 16, `1e3` is a float.

// `tag` is what yaml-cpp gives: "!" for a quoted scalar, "?" or "" for a plain one, or the tag in the file. False with
// `error`: the file has a tag other than `!!str`, or the text is .inf or .nan, which JSON does not have. An integer
// beyond 64 bits becomes a float, as in JSON.
bool parse_scalar(const std::string& text, const std::string& tag, nlohmann::json& value, std::string& error);

}  // namespace wtool
