// The configuration: its layers combined, as the JSON text that the plugin's tool_new takes. The plugin checks it
// again; what is found here is reported with file, line and column.
//
// - A later layer overrides an earlier one key by key; lists and mappings are replaced whole.
// - What a layer locks, later ones may only tighten (lock_rule.h).
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "config/layer.h"

namespace wtool::host {

// A key as it is in force.
struct EffectiveKey {
  std::string name;      // "section.name"
  nlohmann::json value;  // the default where no layer sets it; null: no default
  std::string layer;     // the title of the layer that set it, "built in", or "default" for a value from elsewhere
  ConfigPlace place;     // where; of no line where no file sets it
  std::optional<ConfigPlace> lock;  // where it was locked first
};

struct Config {
  nlohmann::json json = nlohmann::json::object();  // what is set, for the plugin
  std::vector<EffectiveKey> keys;                  // all there are, in the order of their table
  bool sandbox = false;                            // whether that section is there
};

// Merges `layers`, from first to last. `approvals` is the default of commands.approvals; empty: no default. Nothing on
// failure: `diagnostics` has more entries than before.
std::optional<Config> merge(const std::vector<Layer>& layers, const std::string& approvals,
                            ConfigDiagnostics& diagnostics);

// A single layer, as JSON text. `name` is what errors call it; relative paths in it are relative to `folder`.
std::optional<std::string> parse_config(const std::string& text, const std::string& name, const std::string& folder,
                                        std::string& error);

}  // namespace wtool::host
