// tools-allow.json, the list by which the terminal tools judge a command: a JSON array of program names, such as
// ["node", "npm", "git"].
//
// - A program is allowed by its name. An absolute path is judged by its last component if a search for that name finds
//   exactly this file. Any other path is not allowed.
// - Arguments must not contain characters that a shell would interpret. No shell reads the arguments, but the program
//   may pass them to one.
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

// `words`: the program and its arguments. Returns allow or deny; the reason for a refusal is a complete sentence.
Verdict judge_by_tools_allow(const std::vector<std::string>& words, const std::string& configured,
                             const Programs& programs);

}  // namespace wtool::policy
