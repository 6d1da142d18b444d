// The configuration: its layers combined, as the JSON text that the plugin's tool_new takes. The plugin checks
// the text again, but mistakes that are found here are reported with file, line and column.
//
// - A later layer overrides an earlier one key by key; lists and mappings are replaced whole.
// - Later layers may only tighten what a layer has locked.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

namespace wtool {

// ---- layer.cc: one configuration file, read and checked by itself: what it sets and locks, and where.

inline constexpr std::size_t config_size_limit = 1 << 20;  // bytes

// Lines and columns are numbered from 1. Line 0 means the file as a whole; an empty `file` means no place at all.
struct ConfigPlace {
  std::string file;
  int line = 0;
  int column = 0;
};

// "FILE:LINE:COLUMN", escaped.
std::string to_text(const ConfigPlace& place);

// Collects mistakes, one on each line, but only as many as a person would read.
class ConfigDiagnostics {
 public:
  void add(const ConfigPlace& place, const std::string& what);
  bool empty() const { return count_ == 0; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

struct Setting {
  nlohmann::json value;
  ConfigPlace place;
  std::vector<ConfigPlace> elements{};  // the places of the elements of a list
};

struct Layer {
  std::string title;                              // such as "fleet", "user", "project", "--config" or "--policy"
  std::string file;                               // the layer's name in error messages
  std::string folder;                             // the folder from which the layer's relative paths are resolved
  std::string base;                               // the same for relative paths in default values
  std::map<std::string, Setting> settings{};      // by "section.name"
  std::map<std::string, ConfigPlace> sections{};  // the sections that occur in it, empty or not
  std::vector<std::pair<std::string, ConfigPlace>> lock{};  // sections and keys
  bool yields = false;    // its values for keys that an earlier layer sets or locks are ignored, without an error
  bool is_whole = false;  // a whole configuration: no defaults are filled in for it
};

// Adds the settings of `text` to `layer`, whose first four members must be set. Mistakes are added to `diagnostics`.
void parse_layer(const std::string& text, Layer& layer, ConfigDiagnostics& diagnostics);

// ---- config.cc: the layers combined.

// A key with its effective value.
struct EffectiveKey {
  std::string name;      // "section.name"
  nlohmann::json value;  // the default where no layer sets it; null: no default
  std::string layer;     // the title of the layer that set it; "built in"; or "default", if merge() filled it in
  ConfigPlace place;     // where it was set; line 0: no file sets it
  std::optional<ConfigPlace> lock;  // where it was locked first
};

struct Config {
  nlohmann::json json = nlohmann::json::object();  // the keys that are set and that the plugin takes
  std::vector<EffectiveKey> keys;                  // all keys, in the order of their table
  bool sandbox = false;                            // the `sandbox` section exists

  // The key with this full name, "section.name"; nullptr: there is no such key. merge() makes all keys.
  const EffectiveKey* find(std::string_view name) const;
  // The value of that key; null: it has none, or there is no such key.
  const nlohmann::json& value(std::string_view name) const;
};

// Merges `layers`, from first to last. `approvals` is the default of commands.approvals; empty: no default. Nothing:
// the layers could not be read or merged, and `diagnostics` has the mistakes.
std::optional<Config> merge(const std::vector<Layer>& layers, const std::string& approvals,
                            ConfigDiagnostics& diagnostics);

// The configuration that has `text` as its only layer, as JSON text. `name` is the layer's name in errors; its relative
// paths are resolved from `folder`. Nothing: `error` has the mistakes.
std::optional<std::string> parse_config(const std::string& text, const std::string& name, const std::string& folder,
                                        std::string& error);

}  // namespace wtool
