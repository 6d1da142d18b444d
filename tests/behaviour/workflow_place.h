// A scratch folder in which workflows are run by the built program.
#pragma once

#include <string>
#include <vector>

#include "support/shell_tool.h"
#include "support/text.h"

namespace wtool::test {

inline const std::string wtool_path = WTOOL_TEST_PROGRAM;

struct Place {
  Mark mark;
  ScratchFolder scratch;

  std::string workflow(const std::string& diagram, const std::string& actions) const {
    return scratch.file("workflow.md",
                        "---\ntitle: A test\ndescription: for a test\n---\n\n# A test\n\n```mermaid\n"
                        "stateDiagram-v2\n" +
                            diagram + "```\n\n## Actions\n\n" + actions);
  }
  ProgramOptions here() const {
    ProgramOptions options;
    options.directory = scratch.path();
    options.set["WTOOL_TEST_MARK"] = mark.text();
    return options;
  }
  Finished run_workflow(const std::string& file, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> argv{wtool_path, "run", file};
    argv.insert(argv.end(), more.begin(), more.end());
    return run(argv, here());
  }
  std::string file(const std::string& name) const { return content_of(scratch.path() + "/" + name); }
};

}  // namespace wtool::test
