// A folder with a workflow of one step that is skipped if it is up to date.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workflow_place.h"

namespace wtool::test {

struct UpToDate : Place {
  ProgramOptions with_cache() const {
    ProgramOptions options = here();
    options.set["XDG_CACHE_HOME"] = scratch.path() + "/cache";
    return options;
  }
  Finished wtool(std::vector<std::string> arguments, const std::map<std::string, std::string>& set = {}) const {
    arguments.insert(arguments.begin(), wtool_path);
    ProgramOptions options = with_cache();
    for (const auto& [name, value] : set) options.set[name] = value;
    return run(arguments, options);
  }
  Finished run_it(const std::vector<std::string>& more = {}, const std::map<std::string, std::string>& set = {}) const {
    std::vector<std::string> arguments{"run", "workflow.md"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = wtool(arguments, set);
    BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
    return finished;
  }
  // How often the step that adds a line to the file `ran` has run.
  std::size_t ran() const {
    const std::string text = file("ran");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  void one_step(const std::string& action, const std::string& front = "") const {
    scratch.file("workflow.md", "---\ntitle: A test\n" + front +
                                    "---\n```mermaid\nstateDiagram-v2\n[*] --> Build\nBuild --> Tell\nTell --> "
                                    "[*]\n```\n## Actions\n- Build: " +
                                    action + "\n- Tell: Log \"it says ${Build.stdout}\"\n");
  }
  void build() const {
    scratch.file("src/a.c", "int a;\n");
    one_step(
        "Shell \"mkdir -p out; cat src/*.c > out/app; echo built; echo x >> ran\" with inputs=[\"src/**\"] "
        "outputs=[\"out/app\"]");
  }
};

}  // namespace wtool::test
