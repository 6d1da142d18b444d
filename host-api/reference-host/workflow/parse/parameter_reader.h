// Reads one parameter of the front matter: `- name: port` with its type, default and limits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workflow/model/model.h"
#include "workflow/parse/yaml_reader.h"

namespace wtool::host::workflow {

bool is_parameter_name(const std::string& text);

class ParameterReader {
 public:
  explicit ParameterReader(YamlReader& yaml) : yaml_(yaml) {}

  // Without a name where that cannot be used.
  Parameter read(const YAML::Node& entry);

 private:
  void key(const std::string& key, const YAML::Node& value, const YAML::Node& at);
  bool limit(const std::string& key, const YAML::Node& value);
  void name(const YAML::Node& node);
  void type(const YAML::Node& node);
  void condition(const YAML::Node& node);
  void pattern(const YAML::Node& node);
  void bound(const YAML::Node& node, const std::string& key, std::optional<double>& out);
  void length(const YAML::Node& node, const std::string& key, std::optional<std::int64_t>& out);
  void choices();
  void fallback();
  void check_limits(const YAML::Node& entry);
  std::optional<expressions::Value> typed(const YAML::Node& node);

  YamlReader& yaml_;
  Parameter made_;
  YAML::Node fallback_;
  YAML::Node choices_;
  bool must_choose_ = false;
  bool named_ = false;
};

}  // namespace wtool::host::workflow
