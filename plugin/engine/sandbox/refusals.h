// Finds out, from a command's standard error, whether the sandbox caused an error.
//
// When in doubt, it reports nothing. A message about a file is evidence only if it is worded as programs report a
// refusal and names a path that the sandbox denies to the command, although the host may use it (a few messages name no
// path, but are always about the same folder); a message about a process, only if the host may signal it. Messages about
// the network or shared memory are judged by their words alone.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sandbox/roots.h"

namespace wtool::engine {

struct RefusalContext {
  Roots roots;
  std::vector<std::string> protected_paths;  // the paths that were protected by a bind
  std::string directory;                     // the command's working directory
  bool files = false;                        // Landlock was active
  bool network_refused = false;              // the filter was active, with network: deny
  bool ipc_refused = false;                  // the filter was active, with ipc: deny
  // True if the host itself may use the path as the mode of access(2) says: R_OK, W_OK, X_OK, or F_OK (it exists).
  std::function<bool(const std::string&, int)> host_may;
  // The path without symbolic links, as far as it exists. Empty if the path cannot be resolved.
  std::function<std::string(const std::string&)> canonical;
  // True if the host itself may send a signal to this process, as kill(2) with signal 0 says.
  std::function<bool(pid_t)> host_may_signal;
  // True once nobody waits for the answer.
  std::function<bool()> cancelled;
  bool network_of_call = false;           // network: deny was a limit of the call, not of the configuration
  std::string temporary_folder = "/tmp";  // where a shell makes its temporary files
};

// The refusals, each once and at most ten, such as "a write outside /site: /etc/x". Each one completes the sentence
// "the sandbox refused ...". The time is bounded, whatever the text is, because the text that is read, the paths that
// are looked up and the lengths of these paths are bounded.
std::vector<std::string> find_refusals(std::string_view standard_error, const RefusalContext& context);

// Like find_refusals, for a program that could not be executed (EACCES). Returns the refusal of the first of `paths`
// that is outside of all roots and that the host itself could execute. Empty: there is no such path.
std::string find_refused_program(const std::vector<std::string>& paths, const RefusalContext& context);

}  // namespace wtool::engine
