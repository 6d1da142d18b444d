// tools-allow.json, by which the terminal tools judge a command: a JSON array of names of programs, such as
// ["node", "npm", "git"].
//
// - A program is allowed by its name. An absolute path counts as its last part where it is the very file that is found
//   for that name; any other path is not allowed.
// - Arguments must not hold what a shell would take for anything but text, although no shell sees them: whatever is
//   handed on by the program later cannot become syntax then.
// - The file is read anew for each command. A missing one allows nothing.
#pragma once

#include <string>
#include <vector>

#include "policy/programs.h"
#include "policy/verdict.h"

namespace wtool::policy {

// The file for this host, where `configured` (sessions.tools_allow) is empty: of apps/tools/caws/tools-allow.json and
// tools-allow.json, below the host's current directory, the first that there is.
std::string tools_allow_file(const std::string& configured);

// `words`: the program and its arguments. Allow or deny; the reason of a refusal stands for itself.
Verdict judge_by_tools_allow(const std::vector<std::string>& words, const std::string& configured,
                             const Programs& programs);

}  // namespace wtool::policy
