// What a call would do, decided in full before anything runs: the verdict, the directory, the environment and what
// exactly is executed. Running it and explaining it start from the same plan.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "configuration.h"
#include "engine/command.h"
#include "policy/directories.h"
#include "policy/environment.h"
#include "policy/secrets.h"
#include "policy/verdict.h"

namespace wtool {

// What a tool wants to run.
struct CommandRequest {
  std::string line;                             // shell text, without NUL
  std::optional<std::string> directory;         // relative to the host's current one; absent: that one
  std::optional<std::chrono::seconds> timeout;  // absent: the configured default
  policy::Variables environment;                // added to the host's own
};

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
  policy::Directory directory;
  engine::Command command;        // borrows the directory's descriptor
  bool through_shell = false;     // the last of its arguments is shell text
  policy::Masker masker() const;  // of what is secret in it
};

// Any thread. Nothing is started, nobody is asked.
Plan make_plan(const CommandRequest& request, const Configuration& configuration);

}  // namespace wtool
