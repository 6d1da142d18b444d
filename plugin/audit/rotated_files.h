// The rotated files of a trail. FILE becomes FILE.000000001234, where the number is the `seq` of its last line. So a
// rotation is one rename, a rotated file keeps its name for good, and the order of the numbers is that of the chain.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "system/real_folder.h"

namespace wtool::audit {

// The folder of an absolute path.
std::string folder_of(const std::string& file);

// The name that the file `name` gets when it is rotated.
std::string rotated_name(const std::string& name, std::uint64_t last_seq);

// The names of all rotated files of the trail `name` in the folder, oldest first; `FILE.1` or `FILE.bak` do not count.
// False, with errno, where the folder cannot be read.
bool find_rotated(const RealFolder& folder, const std::string& name, std::vector<std::string>& found);

// Renames, but never replaces an existing file. False, with errno, on failure.
bool rename_aside(const RealFolder& folder, const std::string& from, const std::string& to);

}  // namespace wtool::audit
