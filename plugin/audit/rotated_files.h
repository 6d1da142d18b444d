// The files that a trail was rotated to. FILE becomes FILE.000000001234, where the number is the `seq` of its last
// line: one rename is enough, names never change afterwards, and the chain's order is that of the numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "system/real_folder.h"

namespace wtool::audit {

// The folder of an absolute path.
std::string folder_of(const std::string& file);

// The name beside `name`.
std::string rotated_name(const std::string& name, std::uint64_t last_seq);

// The names in the folder of all rotated files of the trail `name`, oldest first. Others, `FILE.1` or `FILE.bak`, are
// none of them. False, with errno: the folder cannot be read.
bool find_rotated(const RealFolder& folder, const std::string& name, std::vector<std::string>& found);

// Renames, but never onto a file that is there. False, with errno.
bool rename_aside(const RealFolder& folder, const std::string& from, const std::string& to);

}  // namespace wtool::audit
