// The table of configuration keys: their names, types and allowed values.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wtool {

// 2^53: any whole number up to it is exact in JSON.
inline constexpr double max_json_integer = 9007199254740992.0;

enum class KeyType {
  program,  // the path of a program
  boolean,
  integer,
  number,
  choice,            // one of `choices`
  path,              // the path of a file or a folder
  text,              // any text on one line
  paths,             // a list of paths
  paths_or_default,  // a list of paths, or `default`
  names,             // one of `choices`, or a list of relative paths and the word `default`
  entries,           // a list of commands in literal words
  programs,          // a list of names of programs, or "*"
  patterns,          // a list of names of variables, with * and ?
  variables,         // a mapping of names of variables to texts
  classes,           // a mapping of names to mappings of other keys of the section
  servers,           // a mapping of names to MCP servers; servers.cc has their keys
};

// Which values a later layer may give a key that an earlier layer has locked.
enum class LockRule {
  equal,        // only the same value
  free,         // any value, since no value is looser
  lower,        // a number that is not greater
  lower_limit,  // the same for a limit, where 0 means no limit
  ranked,       // the same choice or a later one in `choices`, which are listed from the loosest to the tightest
  stays_true,   // only true, unless the locked value is false
  within,       // commands that the locked ones cover
  add,          // any list: its elements are added to the locked ones
  below,        // the locked paths, and paths below them
  below_roots,  // the same, but an empty list means any path
};

// One key `section.name` or, with an empty name, a key at the top level. A number must be from `least` to `most`; with
// `or_none`, it may also be 0.
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
  // If no layer sets the key, the program chooses a path for the user or the project. A fleet policy constrains the key
  // only if the policy sets it.
  bool is_chosen = false;
};

// All keys, section by section.
std::span<const ConfigKey> config_keys();

// "section.name", or "section" for a key at the top.
std::string full_name(const ConfigKey& key);

std::vector<std::string> choices_of(const ConfigKey& key);

// The key with this name; nullptr: there is no such key.
const ConfigKey* find_key(std::string_view section, std::string_view name);
// The same for a key that is known to exist.
const ConfigKey& key_named(std::string_view section, std::string_view name);

// True if a class of the `cluster` section may set the key, too.
bool is_for_class(const ConfigKey& key);

// The names that messages suggest ("did you mean") or list.
std::vector<std::string> section_names();
std::vector<std::string> key_names(std::string_view section);

bool is_known_section(std::string_view section);

// True if the key is passed to the plugin. Keys that concern only the host are not.
bool is_for_plugin(const ConfigKey& key);

// ---- values.cc: which values a key may have, and the messages about all other values.

// What the key takes, in words that follow "must be": "a list of paths, such as [., /tmp]".
std::string wanted_value(const ConfigKey& key);

// Checks a value, and turns a relative path into one below `folder`. Returns an empty text if the value is valid. If it
// is not, returns the end of a sentence that begins with the key: "must be ...".
std::string check_value(const ConfigKey& key, const std::string& folder, nlohmann::json& value);

// True if values of this type are lists.
bool is_list(KeyType type);
std::string check_element(const ConfigKey& key, const std::string& folder, nlohmann::json& value);

// "a whole number from 1 to 1800", "a number from 0 to 60": the range of a number, which `most` may narrow.
std::string range_of(const ConfigKey& key, double most);
bool is_in_range(const ConfigKey& key, double most, double number);

// Whether the text is a relative path without `.` and `..`.
bool is_path_below(std::string_view text);
// Whether the text is the name of a variable, which may contain * and ?.
bool is_name_pattern(std::string_view text);
// What is wrong with an entry that should be a command of literal words, as the end of a sentence that begins with the
// entry. Empty: nothing is wrong.
std::string entry_problem(std::string_view entry);

// A text of the file, as an error shows it: escaped, and cut if it is long.
std::string shown_text(std::string_view text);

// True if a class or a server may have this name.
bool is_class_name(std::string_view name);

// What the text of the key cluster.NAME must be, such as "one word". Empty: the value is valid.
std::string cluster_text_wanted(std::string_view name, const nlohmann::json& value);

// What is wrong with cluster.slot, as the end of a sentence that begins with that key. Empty: it names one of the
// classes.
std::string slot_problem(const nlohmann::json& slot, const nlohmann::json& classes);

// What is wrong with the value of a server's key; empty: nothing is wrong. If `name` is not a known key, `names` gets
// the known keys.
std::string check_server_value(std::string_view name, const nlohmann::json& value, std::vector<std::string>& names);

// The keys of a server.
std::span<const std::string_view> server_keys();
// What the key of a server takes, as a JSON Schema. It accepts all that check_server_value() accepts.
nlohmann::ordered_json server_key_schema(std::string_view name);

// A value as JSON, as an error shows it.
std::string shown(const nlohmann::json& value);

// ---- The type of a YAML scalar, by the core schema of YAML 1.2: `yes` is text, `0x10` is 16, `1e3` is a float.

// `tag` is what yaml-cpp returns: "!" for a quoted scalar, "?" or "" for a plain one, or the tag in the file. False
// with `error`: the file has a tag other than `!!str`, or the text is .inf or .nan, which JSON does not have. An
// integer beyond 64 bits becomes a float, as in JSON.
bool parse_scalar(const std::string& text, const std::string& tag, nlohmann::json& value, std::string& error);

}  // namespace wtool
