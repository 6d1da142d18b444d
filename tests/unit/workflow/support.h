// What several tests of the workflow language need: a workflow from a text, and fake tools.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "loader/tool_caller.h"
#include "runner/executor.h"
#include "workflow/check/checker.h"
#include "workflow/parse/parser.h"

namespace wtool::test {

using Json = nlohmann::json;

// Answers calls from a function, and remembers them. May be called on any thread.
class FakeTools final : public host::ToolCaller {
 public:
  using Answer = std::function<host::ToolOutcome(const Json& arguments, wtool::Stop& stop, const OutputSink& output)>;

  explicit FakeTools(Answer answer = nullptr) : answer_(std::move(answer)) {}
  bool has_tool(std::string_view id) const override { return id == "shell_execute" || id == "lookup"; }
  host::ToolOutcome call(std::string_view id, const Json& arguments, wtool::Stop& stop,
                         const OutputSink& output) override {
    return call_at({}, id, arguments, stop, output, nullptr);
  }
  host::ToolOutcome call_at(const host::CallPlace& place, std::string_view id, const Json& arguments, wtool::Stop& stop,
                            const OutputSink& output, const StateSink& state) override {
    {
      const std::lock_guard lock(mutex_);
      calls.push_back(
          {std::string(id), arguments, place.shell, place.on, place.slot, place.limits, place.traceparent, place.span});
    }
    for (const host::CallState& one : states) state(one);
    return answer_ ? answer_(arguments, stop, output) : exited(0, "");
  }

  // What shell_execute says about a command that ended this way.
  static host::ToolOutcome exited(int code, const std::string& standard_output,
                                  const std::string& standard_error = "") {
    const std::string text =
        code == 0 ? "Command executed successfully" : "Command failed with exit code " + std::to_string(code);
    return {host::ToolOutcome::Kind::finished,
            {{"content", {{{"type", "text"}, {"text", text}}}},
             {"is_error", code != 0},
             {"metadata", {{"exit_code", code}, {"stdout", standard_output}, {"stderr", standard_error}}}},
            ""};
  }

  struct Call {
    std::string tool;
    Json arguments;
    std::string shell{}, on{}, slot{}, limits{}, traceparent{};
    host::CallSpan span{};
  };
  std::vector<Call> calls;                // to be read when no call is running
  std::vector<host::CallState> states{};  // what each call says about itself

 private:
  std::mutex mutex_;
  Answer answer_;
};

// A file with this diagram and these actions, each line as given.
inline std::string workflow_text(const std::string& diagram, const std::string& actions,
                                 const std::string& front_matter = "") {
  return (front_matter.empty() ? "" : "---\n" + front_matter + "---\n") + "```mermaid\nstateDiagram-v2\n" + diagram +
         "```\n\n## Actions\n\n" + actions;
}

// Every diagnostic on a line, without the file's name: "LINE:COLUMN: error: ...".
inline std::string diagnostics_of(const std::string& text, const std::vector<std::string>& given = {}) {
  const host::workflow::Source source("", text);
  host::workflow::Diagnostics diagnostics;
  const auto workflow = host::workflow::parse_workflow(source, diagnostics);
  const FakeTools tools;
  host::workflow::check_workflow(workflow, given, &tools, diagnostics);
  std::string out;
  std::string all = diagnostics.text(source);
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = all.find('\n', begin);
    out += all.substr(begin + 1, end - begin);
    begin = end + 1;
  }
  return out;
}

}  // namespace wtool::test
