#include "config/lock_rule.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/path_text.h"
#include "config/values.h"

namespace wtool::host {

namespace {

using nlohmann::json;

// A number as people write it: 500, not 500.0.
std::string plain(const json& number) { return shown(number); }

std::string text_list(const json& list, const char* none) {
  std::string text;
  for (const json& one : list) text += (text.empty() ? "" : ", ") + shown(one);
  return text.empty() ? none : text;
}

// Whether all that the entry `later` allows is allowed by the entry `locked`.
bool covers(std::string_view locked, std::string_view later) {
  if (locked == "*" || locked == later) return true;
  if (later == "*") return false;
  // One word: the program with any arguments.
  if (locked.find(' ') == std::string_view::npos) return later.substr(0, later.find(' ')) == locked;
  if (!locked.ends_with(" *")) return false;
  locked.remove_suffix(2);
  // A single word with a trailing * means the same as the word alone, which is never an exact command.
  if (locked.find(' ') == std::string_view::npos) return later.substr(0, later.find(' ')) == locked;
  if (later.ends_with(" *")) later.remove_suffix(2);
  return later == locked || (later.starts_with(locked) && later[locked.size()] == ' ');
}

// `default`, `none` or a list, in the form of a list.
json as_list(const json& value) {
  if (value.is_array()) return value;
  return value == "none" ? json::array() : json::array({value});
}

json both(const json& locked, const json& later) {
  json all = as_list(locked);
  for (const json& one : as_list(later)) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
  // The short forms that the key has.
  if (!locked.is_array() || !later.is_array()) {
    if (all.empty()) return "none";
    if (all == json::array({"default"})) return "default";
  }
  return all;
}

// The first element of `later` that no element of `locked` covers, or the size of `later`.
template <typename Covers>
std::size_t uncovered(const json& locked, const json& later, Covers covers_it) {
  for (std::size_t i = 0; i < later.size(); ++i) {
    const auto& text = later[i].get_ref<const std::string&>();
    const bool covered = std::any_of(locked.begin(), locked.end(), [&](const json& one) {
      return covers_it(one.get_ref<const std::string&>(), text);
    });
    if (!covered) return i;
  }
  return later.size();
}

bool is_lower(const json& locked, const json& later, bool or_none, LockViolation& violation) {
  if (locked.is_string()) return true;  // "none": no limit
  if (later.is_string()) {
    violation = {"at most " + plain(locked), "this is " + later.get<std::string>()};
    return false;
  }
  const auto most = locked.get<double>();
  const auto wanted = later.get<double>();
  if (or_none && most == 0) return true;
  if (wanted <= most && !(or_none && wanted == 0)) return true;
  violation = {"at most " + plain(locked) + (or_none ? ", and not 0" : ""), "this is " + plain(later)};
  return false;
}

bool is_ranked(const ConfigKey& key, const json& locked, const json& later, LockViolation& violation) {
  const std::vector<std::string> choices = choices_of(key);
  const auto from = std::find(choices.begin(), choices.end(), locked.get<std::string>());
  if (std::find(from, choices.end(), later.get<std::string>()) != choices.end()) return true;
  violation = {"only " + alternatives({from, choices.end()}), "this is " + later.get<std::string>()};
  return false;
}

bool stays_within(const ConfigKey& key, const json& locked, const json& later, LockViolation& violation) {
  const std::size_t odd = uncovered(locked, later, covers);
  if (odd == later.size()) return true;
  const char* const none = key.type == KeyType::entries ? "no command at all" : "no name at all";
  violation = {"only what is covered by " + text_list(locked, none), "this has " + shown(later[odd]), odd};
  return false;
}

bool are_below(const json& locked, const json& later, bool empty_is_everywhere, LockViolation& violation) {
  if (empty_is_everywhere && locked.empty()) return true;
  if (empty_is_everywhere && later.empty()) {
    violation = {"only paths in or below " + text_list(locked, "none"), "this is [], which stands for everywhere"};
    return false;
  }
  const std::size_t odd =
      uncovered(locked, later, [](const std::string& root, const std::string& path) { return is_within(path, root); });
  if (odd == later.size()) return true;
  violation = {locked.empty() ? "no path at all" : "only paths in or below " + text_list(locked, ""),
               "this has " + shown(later[odd]), odd};
  return false;
}

}  // namespace

bool is_tighter(const ConfigKey& key, const json& locked, json& later, LockViolation& violation) {
  switch (key.lock_rule) {
    case LockRule::free:
      return true;
    case LockRule::lower:
      return is_lower(locked, later, false, violation);
    case LockRule::lower_limit:
      return is_lower(locked, later, true, violation);
    case LockRule::ranked:
      return is_ranked(key, locked, later, violation);
    case LockRule::stays_true:
      // Without a value of its own, another key may have made it true.
      if (locked == false || later == true) return true;
      violation = {"only true", "this is false"};
      return false;
    case LockRule::within:
      return stays_within(key, locked, later, violation);
    case LockRule::add:
      later = both(locked, later);
      return true;
    case LockRule::below:
      return are_below(locked, later, false, violation);
    case LockRule::below_roots:
      return are_below(locked, later, true, violation);
    case LockRule::equal:
      break;
  }
  if (locked == later) return true;
  if (key.type == KeyType::variables) {  // Values may be secret.
    json names = json::array();
    for (const auto& [name, value] : later.items()) names.push_back(name);
    violation = {"only the same variables and values", "this sets " + text_list(names, "none")};
    return false;
  }
  violation = {locked.is_null() ? "nothing, for it is not set there" : "only " + shown(locked),
               "this is " + shown(later)};
  return false;
}

}  // namespace wtool::host
