// What a call would do, decided in full before anything runs: the verdict, the directory, the environment and what
// exactly is executed. Running it and explaining it start from the same plan.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/secrets/secrets.h"
#include "configuration/configuration.h"
#include "engine/command.h"
#include "engine/terminal.h"
#include "policy/approvals.h"
#include "policy/directories.h"
#include "policy/environment.h"
#include "policy/programs.h"
#include "policy/verdict.h"

namespace wtool {

class Session;

// Rules from a tool's own specification, besides the configured ones; the stricter verdict counts. With such rules,
// PATH is that of `programs`, and the caller cannot set variables that change what programs do. `directory` is where
// the command would run, canonical. A refusal's reason and code become the message and code of the error.
using ToolRules = std::function<policy::Verdict(const std::string& directory, const policy::Programs& programs)>;

// What a tool wants to run.
struct CommandRequest {
  std::string line;                      // shell text, without NUL
  std::vector<std::string> words;        // where not empty: run these without a shell; `line` shows them
  std::vector<std::string> executed;     // where not empty: run these for `words`, which they only make safer
  std::optional<std::string> directory;  // relative to the host's current one; absent: that one
  std::string directory_parameter = "working_directory";          // what the caller calls it, for messages
  std::optional<std::chrono::milliseconds> timeout;               // absent: the configured default
  policy::Variables environment;                                  // added to the host's own, as the caller wants it
  policy::Variables tool_environment;                             // the same, as the tool wants it
  std::optional<std::string> standard_input;                      // absent: it is empty
  ToolRules tool_rules;                                           // empty: none
  std::shared_ptr<const policy::RememberedAnswers> tool_answers;  // to what tool_rules ask; NULL: the configured file
  std::optional<std::size_t> output_bytes;                        // kept of each stream; absent: as configured
  bool expands = false;                  // globs and a few variables are expanded while the line is judged word by word
  bool interactive = false;              // it gets a terminal, and what is typed there is judged by nobody
  engine::Terminal* terminal = nullptr;  // that one, borrowed; NULL where nothing is run
  bool merged_output = false;            // standard error goes where standard output goes
  std::shared_ptr<Session> session;      // whose background processes its own become; NULL: as configured
  std::vector<std::pair<std::string, std::string>> labels;  // further keys and values for its lines in the audit trail
};

// Sets words, and the line that shows them: each is quoted where a shell would need it.
void set_words(CommandRequest& request, std::vector<std::string> words);

// Why a command did not run, or what was wrong with how it ran. `code` is one of the stable ones of
// docs/guide/results.md.
struct CallError {
  std::string code;
  std::string message;
  std::string hint;
};

struct Plan {
  std::optional<CallError> error;  // nothing can run; `verdict` says deny then
  policy::Verdict verdict;
  bool asked_by_tool_rules = false;  // it says ask, and the configured rules do not
  bool lifts_network = false;        // it says ask, and a yes opens the network that the sandbox closes
  policy::Directory directory;
  engine::Command command;                   // borrows the directory's descriptor, and the request's standard input
  std::vector<std::string> roots;            // directories.roots, canonical
  std::optional<policy::Programs> programs;  // where the line is judged
  bool through_shell = false;                // the last of its arguments is shell text
  std::string expanded;                      // the line with what its globs stand for; empty: it has none
  // The command that a person is asked about, and all that an answer is remembered for.
  const std::string& asked_line(const CommandRequest& request) const {
    return expanded.empty() ? request.line : expanded;
  }
  policy::Subject subject(const CommandRequest& request) const {
    return {asked_line(request),    directory.path, request.environment,
            request.standard_input, lifts_network,  request.interactive};
  }
  // Of what is secret in its environment and in the line.
  secrets::Masker masker(const CommandRequest& request) const;
};

// The working directory and the variables alone, judged as for a command.
Plan plan_place(const CommandRequest& request, const Configuration& configuration);

// Any thread. Nothing is started, nobody is asked.
Plan make_plan(const CommandRequest& request, const Configuration& configuration);

}  // namespace wtool
