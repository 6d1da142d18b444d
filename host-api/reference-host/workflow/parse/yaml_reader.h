// YAML inside a workflow file: its nodes, and their places.
#pragma once

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "workflow/model/diagnostics.h"
#include "workflow/model/source.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {

class YamlReader {
 public:
  // `lines` are the lines of the source that contain the YAML.
  YamlReader(const Source& source, LineRange lines, Diagnostics& diagnostics)
      : source_(source), lines_(lines), diagnostics_(diagnostics) {}

  std::size_t offset(const YAML::Mark& mark) const {
    if (mark.line < 0) return source_.line_start(lines_.begin);
    const std::size_t line = std::min(lines_.begin + static_cast<std::size_t>(mark.line), source_.line_count() - 1);
    return source_.line_start(line) + std::min(static_cast<std::size_t>(mark.column), source_.line(line).size());
  }
  void fail(const YAML::Node& node, std::string message) { diagnostics_.add(offset(node.Mark()), std::move(message)); }
  void warn(const YAML::Node& node, std::string message) { diagnostics_.warn(offset(node.Mark()), std::move(message)); }

  // Calls `use(key, value node, key node)` for each pair; says which keys are no texts or come twice.
  template <class Use>
  void each(const YAML::Node& map, Use use) {
    std::set<std::string> seen;
    for (const auto& pair : map) {
      if (!pair.first.IsScalar()) {
        fail(pair.first, "a key must be a plain word");
      } else if (const std::string& key = pair.first.Scalar(); !seen.insert(key).second) {
        fail(pair.first, "the key '" + key + "' stands here a second time");
      } else {
        use(key, pair.second, pair.first);
      }
    }
  }

  // Null leaves `out` as it is.
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
};

}  // namespace wtool::host::workflow
