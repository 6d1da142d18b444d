// The YAML between the two lines `---` at the top: the workflow's name, parameters, limits and defaults.
#pragma once

#include <yaml-cpp/yaml.h>
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {

// YAML inside a workflow file: its nodes, and their places.
class YamlReader {
 public:
  // `lines` are the lines of the source that contain the YAML.
  YamlReader(const Source& source, LineRange lines, Diagnostics& diagnostics)
      : source_(source), lines_(lines), diagnostics_(diagnostics) {}

  // The place of a node; that of its key if there is no value.
  std::size_t offset(const YAML::Node& node) const {
    // yaml-cpp places an empty value at whatever follows it, which may be after the front matter.
    const YAML::Mark mark = node.IsNull() && key_.line >= 0 ? key_ : node.Mark();
    if (mark.line < 0) return source_.line_start(lines_.begin);
    const std::size_t line = std::min(lines_.begin + static_cast<std::size_t>(mark.line), source_.line_count() - 1);
    return source_.line_start(line) + std::min(static_cast<std::size_t>(mark.column), source_.line(line).size());
  }
  // The line in the file, counted from 1.
  std::size_t line(const YAML::Node& node) const { return source_.line_at(offset(node)) + 1; }
  void fail(const YAML::Node& node, std::string message) { diagnostics_.add(offset(node), std::move(message)); }
  void warn(const YAML::Node& node, std::string message) { diagnostics_.warn(offset(node), std::move(message)); }

  // Calls `use(key, value node, key node)` for each pair; reports keys that are not texts or occur twice.
  template <class Use>
  void each(const YAML::Node& map, Use use) {
    std::set<std::string> seen;
    for (const auto& pair : map) {
      if (!pair.first.IsScalar()) {
        fail(pair.first, "a key must be a plain word");
      } else if (const std::string& key = pair.first.Scalar(); !seen.insert(key).second) {
        fail(pair.first, "the key '" + key + "' occurs here a second time");
      } else {
        const YAML::Mark around = std::exchange(key_, pair.first.Mark());
        use(key, pair.second, pair.first);
        key_ = around;
      }
    }
  }

  // Reads a text into `out`; null leaves `out` unchanged. False, after a diagnostic: the node is neither.
  bool text(const YAML::Node& node, const std::string& key, std::string& out) {
    if (node.IsNull()) return true;
    if (!node.IsScalar()) {
      fail(node, "'" + key + "' must be a text");
      return false;
    }
    out = node.Scalar();
    return true;
  }

  bool boolean(const YAML::Node& node, const std::string& key, bool& out) {
    std::string value;
    if (!text(node, key, value)) return false;
    if (value == "true" || value == "false") {
      out = value == "true";
      return true;
    }
    fail(node, "'" + key + "' must be true or false");
    return false;
  }

  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  const Source& source_;
  LineRange lines_;
  Diagnostics& diagnostics_;
  YAML::Mark key_ = YAML::Mark::null_mark();  // the place of the key that each() handles now
};

bool is_parameter_name(const std::string& text);

// parameter_reader.cc: reads one parameter of the front matter: `- name: port` with its type, default and limits.
class ParameterReader {
 public:
  explicit ParameterReader(YamlReader& yaml) : yaml_(yaml) {}

  // Reads one entry of `parameters`. The name of the parameter is empty if the written name cannot be used.
  Parameter read(const YAML::Node& entry);

 private:
  void key(const std::string& key, const YAML::Node& value, const YAML::Node& at);
  bool limit(const std::string& key, const YAML::Node& value, const YAML::Node& at);
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
  std::map<std::string, std::size_t> limits_;  // the lines of the limits that were read, by key
  bool must_choose_ = false;
  bool named_ = false;
};

inline constexpr std::size_t max_front_matter = 256 * 1024;  // bytes
inline constexpr std::int64_t max_steps_allowed = 10'000'000;

// Fills those members of `workflow` that the front matter sets. An unknown key is an error if it is similar to a known
// one, and otherwise a warning.
void read_front_matter(const Source& source, LineRange lines, Workflow& workflow, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
