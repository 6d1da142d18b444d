// The table of configuration keys: which there are, what they may be, and which of them have an effect already.
// A key that is planned but has no effect yet is refused, so that nobody believes in a limit that is not in force.
#pragma once

#include <nlohmann/json_fwd.hpp>
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
  choice,  // one of `choices`
  folder,  // a path
  paths,   // a list of paths
  names,   // one of `choices`, or a list of relative paths
};

// One key `section.name`. `least` and `most` are for numbers, both included; with `or_none`, 0 is allowed too.
struct ConfigKey {
  std::string_view section;
  std::string_view name;
  bool supported = false;
  KeyType type = KeyType::boolean;
  double least = 0;
  double most = 0;
  std::string_view unit = {};
  bool or_none = false;
  std::string_view choices = {};  // separated by spaces
};

// nullptr: there is no such key, planned or not.
const ConfigKey* find_key(std::string_view section, std::string_view name);

// Names for "did you mean" and for lists. Supported ones alone.
std::vector<std::string> supported_sections();
std::vector<std::string> supported_names(std::string_view section);

// Whether the section is known, and whether something in it is supported.
bool is_known_section(std::string_view section);
bool is_supported_section(std::string_view section);

// Checks a value, and makes a relative path one below `folder`. Empty: it is in order; otherwise what is wrong with it,
// as the end of a sentence that begins with the key: "must be ...".
std::string check_value(const ConfigKey& key, const std::string& folder, nlohmann::json& value);

// Text of the file for an error: escaped, and cut where it is long.
std::string shown_text(std::string_view text);

}  // namespace wtool::host
