#include "config/config.h"

#include <algorithm>
#include <string_view>

#include "config/keys.h"
#include "config/lock_rule.h"
#include "config/values.h"

namespace wtool::host {

namespace {

using nlohmann::json;

constexpr int timeout_max_built_in = 1800;

json built_in(const ConfigKey& key) { return json::parse(key.built_in); }

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
    // Relative paths are relative to the folder of their file, those of the defaults too.
    if (layer.sections.contains("sandbox") && !values_.contains("sandbox.write")) {
      fill_in("sandbox.write", json::array({below(layer.base, ".")}), layer.sections.at("sandbox"));
    }
    if (const auto spill = layer.settings.find("output.spill");
        spill != layer.settings.end() && !values_.contains("output.directory")) {
      fill_in("output.directory", below(layer.base, ".wtool/output"), spill->second.place);
    }
    for (const auto& [name, place] : layer.lock) locks_.emplace(name, place);
    ++layers_;
  }

  Config finish() {
    check_timeouts();
    if (sections_.contains("commands") && !values_.contains("commands.approvals") && !approvals_.empty()) {
      fill_in("commands.approvals", approvals_, {});
    }
    Config config;
    config.sandbox = sections_.contains("sandbox");
    // Its mere presence has a meaning.
    if (config.sandbox) config.json["sandbox"] = json::object();
    for (const ConfigKey& key : config_keys()) {
      EffectiveKey row{full_name(key), built_in(key), "built in", {}, {}};
      if (const Value* value = find(row.name)) {
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
  struct Value {
    json value;
    std::string layer;
    ConfigPlace place;
    std::size_t number = 0;  // of the layer
  };

  const Value* find(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }

  // Where an earlier layer has locked the key or its section; nullptr if none has.
  const ConfigPlace* lock_of(const ConfigKey& key) const {
    auto found = locks_.find(full_name(key));
    if (found == locks_.end()) found = locks_.find(std::string(key.section));
    return found == locks_.end() ? nullptr : &found->second;
  }

  // What a later layer must be as tight as. A command that is in no sandbox may write everywhere.
  json in_force(const ConfigKey& key) const {
    const Value* value = find(full_name(key));
    return value == nullptr ? built_in(key) : value->value;
  }

  void take(const ConfigKey& key, const Setting& setting, const Layer& layer) {
    json value = setting.value;
    if (const ConfigPlace* lock = lock_of(key)) {
      LockViolation violation;
      if (!is_tighter(key, in_force(key), value, violation)) {
        const ConfigPlace& place =
            violation.element < setting.elements.size() ? setting.elements[violation.element] : setting.place;
        return diagnostics_.add(place, full_name(key) + " is locked by " + to_text(*lock) + ", which allows " +
                                           violation.allowed + ", and " + violation.found);
      }
    }
    values_.insert_or_assign(full_name(key), Value{std::move(value), layer.title, setting.place, layers_});
  }

  void fill_in(const std::string& name, json value, const ConfigPlace& place) {
    values_.insert_or_assign(name, Value{std::move(value), "default", place, layers_});
  }

  // A maximum lowers the default that is built in. The plugin does so by itself; this is for those who look.
  void lower_built_in_timeout(EffectiveKey& row) const {
    const Value* most = find("limits.timeout_max");
    if (row.name != "limits.timeout_default" || find(row.name) != nullptr || most == nullptr || most->value.is_string())
      return;
    if (row.value <= most->value) return;
    row.value = most->value;
    row.layer = most->layer;
    row.place = most->place;
  }

  // The maximum of a later layer lowers an earlier default, too.
  void check_timeouts() {
    const auto standard = values_.find("limits.timeout_default");
    const Value* most = find("limits.timeout_max");
    const int limit = most == nullptr || most->value.is_string() ? timeout_max_built_in : most->value.get<int>();
    if (standard == values_.end() || standard->second.value.get<int>() <= limit) return;
    if (most != nullptr && most->number > standard->second.number) {
      standard->second = Value{limit, most->layer, most->place, most->number};
      return;
    }
    const bool elsewhere = most != nullptr && most->number != standard->second.number;
    diagnostics_.add(standard->second.place, "limits.timeout_default must not be above limits.timeout_max, which is " +
                                                 std::to_string(limit) + " seconds" +
                                                 (elsewhere ? " (" + to_text(most->place) + ')' : ""));
  }

  std::string approvals_;
  ConfigDiagnostics& diagnostics_;
  std::map<std::string, Value> values_;
  std::map<std::string, ConfigPlace> sections_;
  std::map<std::string, ConfigPlace> locks_;
  std::size_t layers_ = 0;
};

}  // namespace

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

}  // namespace wtool::host
