// Carries one call through, for every tool alike: directory, environment, shell or not, run, log. A tool hands in what
// is to run and gets back what became of it; it never talks to policy, engine or audit itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "configuration.h"
#include "engine/cancellation.h"
#include "engine/custody.h"
#include "engine/outcome.h"
#include "engine/run.h"
#include "policy/environment.h"

namespace wtool {

// What a tool wants to run.
struct CommandRequest {
  std::string line;                             // shell text, without NUL
  std::optional<std::string> directory;         // relative to the host's current one; absent: that one
  std::optional<std::chrono::seconds> timeout;  // absent: the configured default
  policy::Variables environment;                // added to the host's own
};

// The surroundings of one call.
struct CallContext {
  engine::Custody& custody;
  const Configuration& configuration;
  engine::Cancellation& cancellation;
  engine::OutputSink sink;
  std::string tool;
  std::string call_id;
  std::uint64_t parent_span = 0;
  std::optional<std::chrono::milliseconds> ceiling;  // the host's, from the start of the call
};

// Why a command did not run, or what was wrong with how it ran. `code` is one of the stable ones of
// docs/guide/results.md.
struct CallError {
  std::string code;
  std::string message;
  std::string hint;
};

struct CallResult {
  std::variant<CallError, engine::Outcome> what;
  std::string directory;  // canonical; empty when it could not be opened
  std::string program;    // argv[0], or the shell's path
  bool through_shell = false;
  engine::Limits limits;                         // that were in force
  std::optional<engine::SandboxReport> sandbox;  // where one is configured
  std::chrono::milliseconds time_limit{0};  // that was in force: the timeout, or the host's ceiling where it is shorter
};

// Blocks until all is over.
CallResult carry(const CommandRequest& request, CallContext& context);

}  // namespace wtool
