// What a call would do, decided in full before anything runs: the verdict, the directory, the environment and exactly
// what is executed. Running a call and explaining it start from the same plan.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/environment_snapshot.h"
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

// Keys and values for lines of the audit trail.
using Labels = std::vector<std::pair<std::string, std::string>>;

// Rules from a tool's own specification, in addition to the configured ones; the stricter verdict applies. The command
// of such a call gets the PATH of `programs`, and its caller cannot set variables that change what programs do.
// `directory` is the canonical path of the folder where the command would run. If the verdict is deny, its reason and
// code become the message and code of the error.
using ToolRules = std::function<policy::Verdict(const std::string& directory, const policy::Programs& programs)>;

// What a tool wants to run.
struct CommandRequest {
  // A tool makes its request in call_new or explain: only there may `environ` be read.
  explicit CommandRequest(std::shared_ptr<const EnvironmentSnapshot> host = snapshot_environment())
      : host_environment(std::move(host)) {}

  std::string line;                      // shell text, without NUL
  std::vector<std::string> words;        // if not empty, these run, without a shell, and `line` only shows them
  std::vector<std::string> executed;     // a safer form of `words`, which is run instead; empty: `words` are run
  std::optional<std::string> directory;  // relative to the host's working directory; absent: that directory
  std::string directory_parameter = "working_directory";        // the caller's name for `directory`, for messages
  std::optional<std::chrono::milliseconds> timeout;             // absent: the configured default
  std::shared_ptr<const EnvironmentSnapshot> host_environment;  // the host's variables
  policy::Variables environment;                                // the caller's, in addition to the host's
  policy::Variables tool_environment;                           // the tool's, also in addition to the host's
  std::optional<std::string> standard_input;                    // absent: empty
  ToolRules tool_rules;                                         // empty: none
  // Where permanent answers to a question of `tool_rules` are kept; nullptr: in the file of commands.approvals.
  std::shared_ptr<const policy::RememberedAnswers> tool_answers;
  std::optional<std::size_t> output_bytes;  // how many bytes of each stream are kept; absent: as configured
  bool expands = false;                     // a line that is judged word by word may have globs and a few variables
  bool interactive = false;                 // the command gets a terminal, and nobody judges what is typed there
  // The terminal of an interactive command, borrowed; nullptr: the request is only explained, never run.
  engine::CommandTerminal* terminal = nullptr;
  bool merged_output = false;        // standard error and standard output become one stream
  std::shared_ptr<Session> session;  // keeps the command's background processes; nullptr: as configured
  Labels labels;                     // of the call's audit lines
};

// Sets `words`, and a `line` that shows them, with quotes where a shell would need them.
void set_words(CommandRequest& request, std::vector<std::string> words);

// Why a command did not run, or what was wrong with how it ran. `code` is one of the stable codes in
// docs/guide/results.md.
struct CallError {
  std::string code;
  std::string message;
  std::string hint;
};

struct CommandPlan {
  std::optional<CallError> error;  // nothing can run; the verdict is then deny
  policy::Verdict verdict;
  bool asked_by_tool_rules = false;  // the verdict is the tool's own: its rules ask, and the configured rules allow
  bool lifts_network = false;        // the verdict is ask, and a yes opens the network that the sandbox closes
  policy::Directory directory;
  engine::Command command;                   // borrows the directory's descriptor and the request's standard input
  std::vector<std::string> roots;            // directories.roots, canonical
  std::optional<policy::Programs> programs;  // absent: no rule of the configuration or the tool needs them
  bool through_shell = false;                // the last of the command's arguments is shell text
  std::string expanded;                      // the line after its expansion; empty: nothing in it was expanded
  // The line that a person is asked about. A remembered answer applies to exactly this line.
  const std::string& asked_line(const CommandRequest& request) const {
    return expanded.empty() ? request.line : expanded;
  }
  policy::Subject subject(const CommandRequest& request) const {
    return {asked_line(request),    directory.path, request.environment,
            request.standard_input, lifts_network,  request.interactive};
  }
  // A masker for the secrets in the environment and in the line.
  secrets::Masker masker(const CommandRequest& request) const;
};

// A plan without a command: only the working directory and the variables are judged, as strictly as for a command. Any
// thread may call this. Starts nothing, and asks nobody.
CommandPlan plan_place(const CommandRequest& request, const Configuration& configuration);

// The whole plan. Any thread may call this. Starts nothing, and asks nobody.
CommandPlan make_plan(const CommandRequest& request, const Configuration& configuration);

}  // namespace wtool
