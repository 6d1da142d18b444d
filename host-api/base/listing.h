// A folder that is being read, entry by entry. Shared by the engine and the warden; needs nothing but libc.
//
//   const Listing listing = list_folder(Descriptor(::openat(place, "name", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
//   if (!listing) return errno;
//   while (const dirent* entry = ::readdir(listing.get())) use(entry->d_name);
#pragma once

#include <dirent.h>

#include <cerrno>
#include <memory>

#include "base/descriptor.h"

namespace wtool {

struct CloseListing {
  void operator()(DIR* folder) const noexcept { ::closedir(folder); }
};
using Listing = std::unique_ptr<DIR, CloseListing>;

// Takes over `folder`, which may be empty if it could not be opened; errno is then kept. Reading moves the offset of
// the open folder, so other descriptors of the same open folder move, too. nullptr, with errno, on failure.
inline Listing list_folder(Descriptor folder) noexcept {
  if (!folder) return nullptr;
  Listing listing(::fdopendir(folder.get()));
  if (listing) {
    (void)folder.release();
    return listing;
  }
  const int error = errno;
  folder.reset();
  errno = error;
  return nullptr;
}

}  // namespace wtool
