// The project of execute_run: the folder in which its commands stay, and which has a person's answers about them, in
// .clada. The plugin judges commands by it, and the host protects the answers, so both must find the same folder.
#pragma once

#include <string>

namespace wtool {

// The nearest folder with .git or .clada, from `folder` upwards; else `folder`, which must be canonical.
std::string find_execute_run_project(const std::string& folder);

}  // namespace wtool
