// A scratch folder whose workflow files lint checks.
#pragma once

#include <string>
#include <vector>

#include "workflow_place.h"

namespace wtool::test {

struct Lint : Place {
  Finished lint(std::vector<std::string> more) const {
    more.insert(more.begin(), {wtool_path, "lint"});
    return run(more, here());
  }
  // A file that has only these states, one after the other, and these actions.
  std::string chain(const std::vector<std::string>& states, const std::string& actions,
                    const std::string& heading = "## Actions") const {
    std::string text = "```mermaid\nstateDiagram-v2\n[*] --> " + states.front() + "\n";
    for (std::size_t i = 0; i < states.size(); ++i) {
      text += states[i] + " --> " + (i + 1 == states.size() ? "[*]" : states[i + 1]) + "\n";
    }
    return scratch.file("chain.md", text + "```\n\n" + heading + "\n\n" + actions);
  }
  // The findings of a file, each as "LINE:COLUMN: MESSAGE".
  std::vector<std::string> found(const std::string& file) const {
    std::vector<std::string> all;
    const Json result = Json::parse(lint({file, "--json"}).out);
    for (const Json& one : result["files"][0]["findings"]) {
      all.push_back(std::to_string(one["line"].get<int>()) + ":" + std::to_string(one["column"].get<int>()) + ": " +
                    one["message"].get<std::string>());
    }
    return all;
  }
};

}  // namespace wtool::test
