// What the tests of failures, refusals and mistakes have in common.
#pragma once

#include <boost/test/unit_test.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "runs.h"
#include "support/text.h"

namespace wtool::test {

inline std::string command_of(const Json& arguments) { return arguments["command"].get<std::string>(); }

// The commands that were called, in any order.
inline std::multiset<std::string> commands_of(const Run& run) {
  std::multiset<std::string> commands;
  for (const auto& call : run.tools.calls) commands.insert(command_of(call.arguments));
  return commands;
}

// The commands in `bad` fail, and the others succeed. Each one prints "said COMMAND".
inline FakeTools::Answer failing(std::set<std::string> bad) {
  return [bad = std::move(bad)](const Json& arguments, Stop&, const ToolCaller::OutputSink&) {
    const std::string command = command_of(arguments);
    return FakeTools::exited(bad.contains(command) ? 1 : 0, "said " + command);
  };
}

// Policy refuses the commands in `bad`; the others succeed, and print nothing.
inline FakeTools::Answer refusing(std::set<std::string> bad) {
  return [bad = std::move(bad)](const Json& arguments, Stop&, const ToolCaller::OutputSink&) {
    const bool refused = bad.contains(command_of(arguments));
    ToolOutcome outcome = FakeTools::exited(refused ? 1 : 0, "");
    if (refused) outcome.result["metadata"]["error"] = {{"code", "policy_denied"}};
    return outcome;
  };
}

// Workflows that other workflows may run, by their names.
struct Others {
  explicit Others(std::map<std::string, std::string> texts) {
    for (auto& [name, text] : texts) {
      Diagnostics diagnostics;
      auto& made = known[name];
      made.first = std::make_unique<Source>(name + ".md", text);
      made.second = parse_workflow(*made.first, diagnostics);
      BOOST_REQUIRE_MESSAGE(diagnostics.empty(), diagnostics.text(*made.first));
    }
    around.services.workflow = [this](const std::string& name, const std::string&,
                                      std::string& error) -> std::optional<OtherWorkflow> {
      const auto found = known.find(name);
      if (found != known.end()) return OtherWorkflow{&found->second.second, found->second.first.get()};
      error = "there is no " + name;
      return std::nullopt;
    };
  }
  std::map<std::string, std::pair<std::unique_ptr<Source>, Workflow>> known;
  Around around;
};

}  // namespace wtool::test
