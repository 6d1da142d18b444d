// A folder by its path, in which no component may be a symbolic link.
//
// The host itself writes some files in places where a command may write too. A command could put a link there, and the
// host, which is not sandboxed, would write or remove the file that it leads to. So the folder is opened one component
// at a time, and everything in it is done through the descriptor.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/descriptor.h"

namespace wtool {

struct RealFolder {
  Descriptor place;     // O_PATH: the folder, or the last one above it that is there; none where `error` is set
  std::string above;    // the path of `place`, without a slash at its end
  std::string missing;  // what is not there of the path, below `place`
  int error = 0;        // an errno; ELOOP: `link` is one
  std::string link;     // the path of the first symbolic link

  bool is_there() const { return place && missing.empty(); }
};

// `path` is absolute.
RealFolder open_real_folder(const std::string& path);

// Opens the folder to list its names or to sync it. Empty, with errno, on failure.
Descriptor open_for_reading(const RealFolder& folder);

// The path where `path` leads, for a person to read.
std::string shown_real_path(const std::string& path);

// Makes what is missing, one component after the other. False with folder.error.
bool make_missing(RealFolder& folder, mode_t mode);

}  // namespace wtool
