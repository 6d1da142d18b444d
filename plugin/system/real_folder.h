// A folder by its path, in which no component may be a symbolic link.
//
// The host writes some files itself, by names that may lie where a command may write. A command could put a link there,
// and the host, which no sandbox holds, would write or remove a file at its other end. So such a folder is opened one
// component after the other, and everything in it is done through the descriptor.
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

// Opens the folder for its list of names, and to synchronise it. None with errno.
Descriptor open_for_reading(const RealFolder& folder);

// The path where `path` leads, for a person to read.
std::string shown_real_path(const std::string& path);

// Makes what is missing, one component after the other. False with folder.error.
bool make_missing(RealFolder& folder, mode_t mode);

}  // namespace wtool
