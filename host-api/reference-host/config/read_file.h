// Reads a whole file or stream of limited size.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace wtool::host {

// The bytes of `path`. Nothing: `error` names the path and says why; more than `limit` bytes is an error.
std::optional<std::string> read_file(const std::string& path, std::size_t limit, std::string& error);

// The same from a descriptor, which is borrowed, until its end. `name` is what errors call it.
std::optional<std::string> read_descriptor(int descriptor, const std::string& name, std::size_t limit,
                                           std::string& error);

}  // namespace wtool::host
