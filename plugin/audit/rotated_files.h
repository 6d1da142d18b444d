// The files that a trail was rotated to. FILE becomes FILE.000000001234, where the number is the `seq` of its last
// line: one rename is enough, names never change afterwards, and the chain's order is that of the numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wtool::audit {

// The folder of an absolute path.
std::string folder_of(const std::string& file);

std::string rotated_name(const std::string& file, std::uint64_t last_seq);

// The paths of all rotated files of this trail, oldest first. Others, `FILE.1` or `FILE.bak`, are none of them. False,
// with errno: the folder cannot be read.
bool find_rotated(const std::string& file, std::vector<std::string>& found);

// Renames, but never onto a file that is there. False, with errno.
bool rename_aside(const std::string& from, const std::string& to);

}  // namespace wtool::audit
