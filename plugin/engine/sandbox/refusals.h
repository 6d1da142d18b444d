// Tells from what a command wrote on its standard error whether the sandbox was the cause of a refusal.
//
// Where it cannot be told, nothing is said: a message counts only if it speaks of a refusal as programs do, names a
// path that the sandbox keeps from the command, and the host itself could have done it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sandbox/roots.h"

namespace wtool::engine {

struct RefusalContext {
  Roots roots;
  std::vector<std::string> protected_paths;  // that were bound
  std::string directory;                     // the command's
  bool files = false;                        // Landlock was in force,
  bool network_refused = false;              // and the filter, with network: deny.
  // Whether the host itself may do what the mode says (R_OK, W_OK, X_OK, or F_OK: it exists) with a path; access(2).
  std::function<bool(const std::string&, int)> host_may;
  // The path without symbolic links, as far as it exists.
  std::function<std::string(const std::string&)> canonical;
};

// One refusal: "a write outside /site: /etc/x", to be read after "the sandbox refused ". Each once, at most ten.
std::vector<std::string> find_refusals(std::string_view standard_error, const RefusalContext& context);

// The same for a program that could not be executed (EACCES): the first of `paths` that lies outside of all roots and
// that the host itself could execute. Empty where there is none.
std::string find_refused_program(const std::vector<std::string>& paths, const RefusalContext& context);

}  // namespace wtool::engine
