// What to run: everything a custodian needs to start one command, decided before anything is started.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::engine {

// The confinement of a command, in the form in which its custodian receives it (warden::SandboxPart).
struct Confinement {
  std::string message;
  int ruleset = -1;           // a Landlock ruleset, borrowed; -1: none
  int ruleset_in_scope = -1;  // the same ruleset without scopes, for a command in its session's scope
  // The message's filter of system calls, borrowed, if the sandbox lets the custodian enter it; empty: none.
  std::string_view shared_filter{};
};

// A plain value. Its maker must keep what is borrowed alive until the call is over.
struct Command {
  std::vector<std::string> paths;                  // Files to try to execute, in order; at least one.
  std::vector<std::string> arguments;              // argv; at least argv[0]. No NUL bytes in any of these texts.
  std::vector<std::string> variables;              // "NAME=value", each name once.
  std::string shell;                               // The absolute path of the shell for files of no known format.
  int directory = -1;                              // Descriptor of the working directory, borrowed.
  std::optional<std::string_view> standard_input;  // The whole input, borrowed; absent: the input is empty.
};

// The files that a shell would try for `name`: the name itself if it has a slash, otherwise one file for each part of
// `search_path` (an empty part is the working directory). Relative paths are relative to the working directory.
std::vector<std::string> candidate_paths(std::string_view name, std::string_view search_path);

// The search path if PATH is not set; it is the same in dash.
constexpr std::string_view default_search_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

}  // namespace wtool::engine
