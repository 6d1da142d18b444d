#include "audit/rotated_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string_view>

#include "base/text.h"

namespace wtool::audit {

namespace {

// Enough digits that names sort like numbers, for as many lines as a trail will ever have.
constexpr std::size_t digits = 12;

bool is_number(std::string_view text) {
  return text.size() >= digits && std::all_of(text.begin(), text.end(), is_digit);
}

struct Close {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

}  // namespace

std::string folder_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  return slash == 0 ? "/" : file.substr(0, slash);
}

std::string rotated_name(const std::string& name, std::uint64_t last_seq) {
  const std::string number = std::to_string(last_seq);
  return name + '.' + std::string(digits - std::min(digits, number.size()), '0') + number;
}

bool find_rotated(const RealFolder& folder, const std::string& name, std::vector<std::string>& found) {
  found.clear();
  Descriptor opened = open_for_reading(folder);
  const std::unique_ptr<DIR, Close> list(opened ? ::fdopendir(opened.get()) : nullptr);
  if (!list) return false;
  opened.release();
  const std::string start = name + '.';
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(list.get());
    if (entry == nullptr) break;
    const std::string_view other = entry->d_name;
    if (other.starts_with(start) && is_number(other.substr(start.size()))) found.emplace_back(other);
  }
  if (errno != 0) return false;
  // By number: of two names, the longer one has the greater number.
  std::sort(found.begin(), found.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return true;
}

bool rename_aside(const RealFolder& folder, const std::string& from, const std::string& to) {
  const int place = folder.place.get();
  if (::renameat2(place, from.c_str(), place, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // For file systems without a rename that refuses to replace. The lock keeps other processes from rotating meanwhile.
  if (::faccessat(place, to.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return false;
  }
  return errno == ENOENT && ::renameat(place, from.c_str(), place, to.c_str()) == 0;
}

}  // namespace wtool::audit
