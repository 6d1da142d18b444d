#include "system/real_folder.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string_view>

namespace wtool {

namespace {

Descriptor open_component(int above, const std::string& name) {
  return Descriptor(::openat(above, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool is_link(int above, const std::string& name) {
  struct stat status {};
  return ::fstatat(above, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
}

// Removes the first component from `path` and returns it. Empty: no component is left.
std::string take_component(std::string_view& path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  const std::string_view name = path.substr(0, path.find('/'));
  path.remove_prefix(name.size());
  return std::string(name);
}

// Opens the components of `path` one by one, starting in folder.place. Without `mode`, stops at the first component
// that does not exist. With `mode`, makes each folder that does not exist.
void descend(RealFolder& folder, std::string_view path, const mode_t* mode) {
  folder.missing.clear();
  for (std::string_view rest = path;;) {
    const std::string_view before = rest;
    const std::string name = take_component(rest);
    if (name.empty()) return;
    Descriptor next = open_component(folder.place.get(), name);
    if (!next && errno == ENOENT) {
      if (mode == nullptr) {
        folder.missing = before;
        return;
      }
      if (::mkdirat(folder.place.get(), name.c_str(), *mode) == 0 || errno == EEXIST) {
        next = open_component(folder.place.get(), name);
      }
    }
    if (!next) {
      folder.error = errno;
      if (is_link(folder.place.get(), name)) {
        folder.error = ELOOP;
        folder.link = folder.above + '/' + name;
      }
      folder.place.reset();
      return;
    }
    folder.place = std::move(next);
    folder.above += '/' + name;
  }
}

}  // namespace

RealFolder open_real_folder(const std::string& path) {
  RealFolder folder;
  folder.place = Descriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (folder.place) {
    descend(folder, path, nullptr);
  } else {
    folder.error = errno;
  }
  return folder;
}

Descriptor open_for_reading(const RealFolder& folder) {
  return Descriptor(::openat(folder.place.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

std::string shown_real_path(const std::string& path) {
  std::error_code error;
  const std::string real = std::filesystem::weakly_canonical(path, error).string();
  return error ? std::string("its real path") : real;
}

std::string advice_for(int error, const PlaceOption& place) {
  const std::string elsewhere =
      "name a " + std::string(place.kind) + " on another file system as " + std::string(place.name);
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "make room on its file system, or " + elsewhere;
    case EFBIG: {
      rlimit limit{};
      ::getrlimit(RLIMIT_FSIZE, &limit);
      const std::string smaller =
          place.size_option.empty() ? std::string() : "set a lower " + std::string(place.size_option);
      if (limit.rlim_cur == RLIM_INFINITY) {
        return "its file system allows no larger files; " + (smaller.empty() ? elsewhere : smaller);
      }
      return "the host may write files of " + std::to_string(limit.rlim_cur) +
             " bytes at most (RLIMIT_FSIZE); raise that limit" + (smaller.empty() ? "" : ", or " + smaller);
    }
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files, or run fewer calls at the same time";
    default:
      return "check its file system, or " + elsewhere;
  }
}

bool make_missing(RealFolder& folder, mode_t mode) {
  if (folder.place && !folder.missing.empty()) {
    const std::string missing = folder.missing;
    descend(folder, missing, &mode);
  }
  return folder.place && folder.error == 0;
}

}  // namespace wtool
