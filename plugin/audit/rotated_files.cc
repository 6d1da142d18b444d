#include "audit/rotated_files.h"

#include <dirent.h>

#include <algorithm>
#include <cerrno>

#include "base/audit_trail.h"
#include "base/listing.h"

namespace wtool::audit {

bool find_rotated(const RealFolder& folder, const std::string& name, std::vector<std::string>& found) {
  found.clear();
  const Listing list = list_folder(open_for_reading(folder));
  if (!list) return false;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(list.get());
    if (entry == nullptr) break;
    if (is_rotated_name(entry->d_name, name)) found.emplace_back(entry->d_name);
  }
  if (errno != 0) return false;
  std::sort(found.begin(), found.end(), is_older_name);
  return true;
}

}  // namespace wtool::audit
