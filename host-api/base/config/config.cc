#include "base/config/config.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/config/keys.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/paths.h"
#include "base/text.h"

namespace wtool {

namespace {

// How a value breaks a lock. A later layer may make a locked key tighter, never looser. The table in keys.cc has the
// rule for each key. Paths are compared as text, without looking at the files.
struct LockViolation {
  std::string allowed;  // what would be allowed: "at most 500"
  std::string found;    // what the layer has instead: "this is 900"
  // The index of the list element that is not allowed; npos if the violation is not about one element.
  std::size_t element = std::string::npos;
};

using nlohmann::json;

// A number as people write it: 500, not 500.0.
std::string plain(const json& number) { return shown(number); }

std::string text_list(const json& list) {
  std::string text;
  for (const json& one : list) text += (text.empty() ? "" : ", ") + shown(one);
  return text.empty() ? "none" : text;
}

// Whether the entry `locked` allows everything that the entry `later` allows.
bool covers(std::string_view locked, std::string_view later) {
  if (locked == "*" || locked == later) return true;
  if (later == "*") return false;
  // One word: the program with any arguments.
  if (locked.find(' ') == std::string_view::npos) return later.substr(0, later.find(' ')) == locked;
  if (!locked.ends_with(" *")) return false;
  locked.remove_suffix(2);
  // A single word with a trailing * means the same as the word alone: the program with any arguments.
  if (locked.find(' ') == std::string_view::npos) return later.substr(0, later.find(' ')) == locked;
  if (later.ends_with(" *")) later.remove_suffix(2);
  return later == locked || (later.starts_with(locked) && later[locked.size()] == ' ');
}

// A list as it is; `default` as a list with this word; `none` as an empty list.
json as_list(const json& value) {
  if (value.is_array()) return value;
  return value == "none" ? json::array() : json::array({value});
}

json both(const json& locked, const json& later) {
  json all = as_list(locked);
  for (const json& one : as_list(later)) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
  // The result has a short form, `none` or `default`, only if one of the two values has one.
  if (!locked.is_array() || !later.is_array()) {
    if (all.empty()) return "none";
    if (all == json::array({"default"})) return "default";
  }
  return all;
}

// The index of the first element of `later` that no element of `locked` covers; the size of `later` if all are covered.
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
  const char* const none = key.type == KeyType::entries    ? "no command at all"
                           : key.type == KeyType::programs ? "no program at all"
                                                           : "no name at all";
  violation = {locked.empty() ? none : "only what is covered by " + text_list(locked), "this has " + shown(later[odd]),
               odd};
  return false;
}

bool are_below(const json& locked, const json& later, bool empty_is_everywhere, LockViolation& violation) {
  if (empty_is_everywhere && locked.empty()) return true;
  if (empty_is_everywhere && later.empty()) {
    violation = {"only paths in or below " + text_list(locked), "this is [], which means any path"};
    return false;
  }
  const std::size_t odd =
      uncovered(locked, later, [](const std::string& root, const std::string& path) { return is_within(path, root); });
  if (odd == later.size()) return true;
  violation = {locked.empty() ? "no path at all" : "only paths in or below " + text_list(locked),
               "this has " + shown(later[odd]), odd};
  return false;
}

// Whether `later` is at least as tight as `locked`. If not, `violation` says why. If the lock lets a list only grow,
// `later` becomes the union of both. Both values have passed check_value, or are built in.
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
      // Any locked value except false is treated as true, because another key may have implied true without setting
      // this key.
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
    violation = {"only the same variables and values", "this sets " + text_list(names)};
    return false;
  }
  if (key.type == KeyType::servers) {  // The values of a server's keys may be secret, too.
    json names = json::array();
    for (const auto& [name, value] : later.items()) names.push_back(name);
    violation = {"only the same servers with the same keys", "this has " + text_list(names)};
    return false;
  }
  violation = {locked.is_null() ? "nothing, because it is not set there" : "only " + shown(locked),
               "this is " + shown(later)};
  return false;
}

constexpr int timeout_max_built_in = 1800;

json built_in(const ConfigKey& key) { return parse_json_or_throw(key.built_in); }

std::string below(const std::string& folder, const char* name) {
  json path = name;
  check_value({"", "", KeyType::path}, folder, path);
  return path;
}

class Merger {
 public:
  Merger(std::string approvals, ConfigDiagnostics& diagnostics)
      : approvals_(std::move(approvals)), diagnostics_(diagnostics) {}

  void add(const Layer& layer) {
    for (const auto& [section, place] : layer.sections) sections_.emplace(section, place);
    for (const ConfigKey& key : config_keys()) {
      if (const auto set = layer.settings.find(full_name(key)); set != layer.settings.end()) {
        take(key, set->second, layer);
      }
    }
    // Paths in default values are relative to the base folder of the layer.
    if (!layer.is_whole) fill_in_defaults(layer);
    for (const auto& [name, place] : layer.lock) locks_.emplace(name, place);
    ++layers_;
  }

  void fill_in_defaults(const Layer& layer) {
    if (layer.sections.contains("sandbox") && !values_.contains("sandbox.write")) {
      fill_in("sandbox.write", json::array({below(layer.base, ".")}), layer.sections.at("sandbox"));
    }
    if (const auto spill = layer.settings.find("output.spill");
        spill != layer.settings.end() && !values_.contains("output.directory")) {
      fill_in("output.directory", below(layer.base, ".wtool/output"), spill->second.place);
    }
  }

  Config finish() {
    check_timeouts();
    check_slot();
    if (sections_.contains("commands") && !values_.contains("commands.approvals") && !approvals_.empty()) {
      fill_in("commands.approvals", approvals_, {});
    }
    Config config;
    config.sandbox = sections_.contains("sandbox");
    // Even an empty `sandbox` section has a meaning: it turns the sandbox on.
    if (config.sandbox) config.json["sandbox"] = json::object();
    for (const ConfigKey& key : config_keys()) {
      EffectiveKey row{full_name(key), built_in(key), "built in", {}, {}};
      if (const LayerValue* value = find(row.name)) {
        if (is_for_plugin(key)) {
          json& section = config.json[std::string(key.section)];
          (key.name.empty() ? section : section[std::string(key.name)]) = value->value;
        }
        row.value = value->value;
        row.layer = value->layer;
        row.place = value->place;
      }
      lower_built_in_timeout(row);
      if (const auto* locked = lock_of(key)) row.lock = *locked;
      config.keys.push_back(std::move(row));
    }
    return config;
  }

 private:
  struct LayerValue {
    json value;
    std::string layer;
    ConfigPlace place;
    std::size_t number = 0;  // of the layer
  };

  const LayerValue* find(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }

  // Where an earlier layer has locked the key or its section; nullptr if none has.
  const ConfigPlace* lock_of(const ConfigKey& key) const {
    auto found = locks_.find(full_name(key));
    if (found == locks_.end()) found = locks_.find(std::string(key.section));
    // commands.ask_network opens what sandbox.network closes, so a lock on sandbox.network covers both keys.
    if (found == locks_.end() && key.section == "commands" && key.name == "ask_network") {
      return lock_of(*find_key("sandbox", "network"));
    }
    // `classes` and `extra` can set what other keys of the section set, so a lock on any of those keys covers these two
    // keys as well.
    if (found == locks_.end() && key.section == "cluster" && (key.name == "classes" || key.name == "extra")) {
      found = std::find_if(locks_.begin(), locks_.end(),
                           [](const auto& lock) { return lock.first.starts_with("cluster."); });
    }
    return found == locks_.end() ? nullptr : &found->second;
  }

  // The value that a later layer may only tighten: the one that a layer has set, or else the built-in one.
  json in_force(const ConfigKey& key) const {
    const LayerValue* value = find(full_name(key));
    return value == nullptr ? built_in(key) : value->value;
  }

  void take(const ConfigKey& key, const Setting& setting, const Layer& layer) {
    json value = setting.value;
    const ConfigPlace* lock = lock_of(key);
    if (layer.yields && (lock != nullptr || find(full_name(key)) != nullptr)) return;
    // If no layer sets the key, no lock applies to the value that the host itself has chosen.
    if (layer.is_whole && key.is_chosen && find(full_name(key)) == nullptr) lock = nullptr;
    if (lock != nullptr) {
      LockViolation violation;
      if (!is_tighter(key, in_force(key), value, violation)) {
        const ConfigPlace& place =
            violation.element < setting.elements.size() ? setting.elements[violation.element] : setting.place;
        return diagnostics_.add(place, full_name(key) + " is locked by " + to_text(*lock) + ", which allows " +
                                           violation.allowed + ", but " + violation.found);
      }
    }
    values_.insert_or_assign(full_name(key), LayerValue{std::move(value), layer.title, setting.place, layers_});
  }

  void fill_in(const std::string& name, json value, const ConfigPlace& place) {
    values_.insert_or_assign(name, LayerValue{std::move(value), "default", place, layers_});
  }

  // A maximum timeout lowers the built-in default timeout. The plugin does the same; the value that is set here is only
  // displayed.
  void lower_built_in_timeout(EffectiveKey& row) const {
    const LayerValue* most = find("limits.timeout_max");
    if (row.name != "limits.timeout_default" || find(row.name) != nullptr || most == nullptr || most->value.is_string())
      return;
    if (row.value <= most->value) return;
    row.value = most->value;
    row.layer = most->layer;
    row.place = most->place;
  }

  // A maximum timeout that a later layer sets lowers the default timeout that an earlier layer has set.
  void check_timeouts() {
    const auto standard = values_.find("limits.timeout_default");
    const LayerValue* most = find("limits.timeout_max");
    const int limit = most == nullptr || most->value.is_string() ? timeout_max_built_in : most->value.get<int>();
    if (standard == values_.end() || standard->second.value.get<int>() <= limit) return;
    if (most != nullptr && most->number > standard->second.number) {
      standard->second = LayerValue{limit, most->layer, most->place, most->number};
      return;
    }
    const bool elsewhere = most != nullptr && most->number != standard->second.number;
    diagnostics_.add(standard->second.place, "limits.timeout_default must not be above limits.timeout_max, which is " +
                                                 std::to_string(limit) + " seconds" +
                                                 (elsewhere ? " (" + to_text(most->place) + ')' : ""));
  }

  void check_slot() {
    const LayerValue* slot = find("cluster.slot");
    if (slot == nullptr) return;
    const LayerValue* classes = find("cluster.classes");
    const std::string problem = slot_problem(slot->value, classes == nullptr ? json::object() : classes->value);
    if (!problem.empty()) diagnostics_.add(slot->place, "cluster.slot " + problem);
  }

  std::string approvals_;
  ConfigDiagnostics& diagnostics_;
  std::map<std::string, LayerValue> values_;
  std::map<std::string, ConfigPlace> sections_;
  std::map<std::string, ConfigPlace> locks_;
  std::size_t layers_ = 0;
};

}  // namespace

const EffectiveKey* Config::find(std::string_view name) const {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const EffectiveKey& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

const nlohmann::json& Config::value(std::string_view name) const {
  static const nlohmann::json none;
  const EffectiveKey* const found = find(name);
  return found == nullptr ? none : found->value;
}

std::optional<Config> merge(const std::vector<Layer>& layers, const std::string& approvals,
                            ConfigDiagnostics& diagnostics) {
  if (!diagnostics.empty()) return std::nullopt;
  Merger merger(approvals, diagnostics);
  for (const Layer& layer : layers) merger.add(layer);
  Config config = merger.finish();
  if (!diagnostics.empty()) return std::nullopt;
  return config;
}

std::optional<std::string> parse_config(const std::string& text, const std::string& name, const std::string& folder,
                                        std::string& error) {
  Layer layer{.title = "project", .file = name, .folder = folder, .base = folder};
  ConfigDiagnostics diagnostics;
  parse_layer(text, layer, diagnostics);
  const std::optional<Config> config = merge({layer}, {}, diagnostics);
  error = diagnostics.text();
  if (!config) return std::nullopt;
  return config->json.dump();
}

}  // namespace wtool
