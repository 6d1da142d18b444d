// tools-allow.json, the list by which the terminal tools judge a command: a JSON array of program names, such as
// ["node", "npm", "git"].
//
// - A program is allowed by its name. An absolute path counts as its last part if exactly this file is found for that
//   name; any other path is not allowed.
// - Arguments must not contain characters that a shell would interpret: no shell sees them, but the program may pass
//   them to one.
// - The file is read again for each command. A missing file allows nothing.
#pragma once

#include <string>
#include <vector>

#include "policy/programs.h"
#include "policy/verdict.h"

namespace wtool::policy {

// The file for this host: `configured` (sessions.tools_allow) or, if that is empty, the first that exists of
// apps/tools/caws/tools-allow.json and tools-allow.json below the host's current directory.
std::string tools_allow_file(const std::string& configured);

// `words`: the program and its arguments. Allow or deny; the reason of a refusal is a sentence of its own.
Verdict judge_by_tools_allow(const std::vector<std::string>& words, const std::string& configured,
                             const Programs& programs);

}  // namespace wtool::policy
