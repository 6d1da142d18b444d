#include "engine/sandbox/real_path.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <climits>
#include <vector>

#include "base/descriptor.h"

namespace wtool::engine {

namespace {

// Ordinary paths have a few components. A path with a thousand components is meant to waste time.
constexpr int max_components = 64;  // including the components of links

// Appends the components of `path`, the last one first.
void push_components(const std::string& path, std::vector<std::string>& components) {
  for (std::size_t end = path.size(); end > 0;) {
    const std::size_t slash = path.rfind('/', end - 1);
    const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
    if (begin < end) components.push_back(path.substr(begin, end - begin));
    end = slash == std::string::npos ? 0 : slash;
  }
}

Descriptor open_root() { return Descriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)); }

// True for a folder that is mounted on demand. Opening it with O_PATH has not mounted it.
bool is_automounted(int place) {
  struct statfs status {};
  return ::fstatfs(place, &status) == 0 && status.f_type == AUTOFS_SUPER_MAGIC;
}

}  // namespace

std::string real_path(const std::string& path) {
  std::vector<std::string> rest;
  push_components(path, rest);
  std::string resolved;
  Descriptor place = open_root();
  for (int steps = 0; !rest.empty(); ++steps) {
    if (steps == max_components || rest.size() > max_components) return {};
    const std::string name = std::move(rest.back());
    rest.pop_back();
    if (name == ".") continue;
    if (name == "..") {
      resolved.erase(resolved.rfind('/') == std::string::npos ? 0 : resolved.rfind('/'));
      place = Descriptor(::openat(place.get(), "..", O_PATH | O_CLOEXEC));
      continue;
    }
    Descriptor next(::openat(place.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!next) {
      resolved += '/' + name;
      for (auto one = rest.rbegin(); one != rest.rend(); ++one) resolved += '/' + *one;
      return resolved;
    }
    if (is_automounted(next.get())) return {};
    struct stat status {};
    if (::fstat(next.get(), &status) == 0 && S_ISLNK(status.st_mode)) {
      char target[PATH_MAX];
      const ssize_t size = ::readlinkat(next.get(), "", target, sizeof target);
      if (size <= 0) return {};
      const std::string text(target, static_cast<std::size_t>(size));
      push_components(text, rest);
      if (text.front() == '/') {
        resolved.clear();
        place = open_root();
      }
      continue;
    }
    resolved += '/' + name;
    place = std::move(next);
  }
  return resolved.empty() ? "/" : resolved;
}

}  // namespace wtool::engine
