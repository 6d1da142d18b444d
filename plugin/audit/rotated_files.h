// The rotated files of an audit trail. base/audit_trail.h says how they are named.
#pragma once

#include <string>
#include <vector>

#include "system/real_folder.h"

namespace wtool::audit {

// The names of all rotated files of the trail `name` in the folder, oldest first. False, with errno, if the folder
// cannot be read.
bool find_rotated(const RealFolder& folder, const std::string& name, std::vector<std::string>& found);

}  // namespace wtool::audit
