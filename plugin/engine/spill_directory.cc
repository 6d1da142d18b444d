#include "engine/spill_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <vector>

#include "base/descriptor.h"
#include "base/listing.h"
#include "base/text.h"

namespace wtool::engine {

namespace {

// In these patterns 0 stands for a digit, x for a hexadecimal one, and everything else for itself.
constexpr std::string_view time_pattern = "00000000T000000.000Z-";
constexpr std::string_view end_pattern = "-xxxxxxxx.out";
constexpr std::size_t max_call = 24;

constexpr std::uint64_t smallest_charge = 4096;
constexpr std::uint64_t max_look_ahead = 16ULL << 20;

bool is_safe(char c) { return is_word_character(c) || c == '-' || c == '.'; }

bool matches(std::string_view text, std::string_view pattern) {
  return std::equal(text.begin(), text.end(), pattern.begin(), pattern.end(), [](char c, char wanted) {
    if (wanted == '0') return is_digit(c);
    if (wanted == 'x') return is_digit(c) || (c >= 'a' && c <= 'f');
    return c == wanted;
  });
}

struct Spilled {
  std::string name;
  std::uint64_t bytes;
};

// Adds the spill files in the folder to `files`. Returns 0, or the errno of what failed.
int list(DIR* folder, std::vector<Spilled>& files) {
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(folder);
    if (entry == nullptr) return errno;
    struct stat about {};
    if (!is_spill_name(entry->d_name) || ::fstatat(::dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(about.st_mode)) {
      continue;
    }
    files.push_back({entry->d_name, static_cast<std::uint64_t>(about.st_size)});
  }
}

// Removes a file that nobody is writing. False: the file is being written, or cannot be removed. It is opened for
// writing, because some file systems (NFS) grant an exclusive lock only then, and non-blocking, in case a FIFO has
// replaced it since it was listed.
bool remove_finished(int folder, const std::string& name) {
  const Descriptor file(::openat(folder, name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 && ::unlinkat(folder, name.c_str(), 0) == 0;
}

}  // namespace

bool is_spill_name(std::string_view name) {
  const std::size_t fixed = time_pattern.size() + end_pattern.size();
  if (name.size() <= fixed || name.size() > fixed + max_call) return false;
  const std::string_view call = name.substr(time_pattern.size(), name.size() - fixed);
  return matches(name.substr(0, time_pattern.size()), time_pattern) && std::all_of(call.begin(), call.end(), is_safe) &&
         matches(name.substr(name.size() - end_pattern.size()), end_pattern);
}

std::string SpillDirectory::new_name(std::string_view call) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  std::tm utc{};
  ::gmtime_r(&now.tv_sec, &utc);
  std::uint32_t unique = 0;
  (void)!::getrandom(&unique, sizeof unique, 0);  // If it fails, names made in the same millisecond may be equal.

  std::string safe(call.substr(0, max_call));
  std::replace_if(
      safe.begin(), safe.end(), [](char c) { return !is_safe(c); }, '_');
  char begin[64];
  std::strftime(begin, sizeof begin, "%Y%m%dT%H%M%S", &utc);
  char name[160];
  std::snprintf(name, sizeof name, "%s.%03ldZ-%s-%08x.out", begin, now.tv_nsec / 1'000'000,
                safe.empty() ? "call" : safe.c_str(), unique);
  return name;
}

std::uint64_t SpillDirectory::charge(std::uint64_t bytes) { return std::max(bytes, smallest_charge); }

std::uint64_t SpillDirectory::reserve(std::uint64_t wanted, const RealFolder& folder, int* error) {
  const std::lock_guard lock(mutex_);
  *error = room_ < wanted ? find_room(wanted, folder) : 0;
  if (*error != 0) return 0;
  const std::uint64_t granted = std::min(wanted, room_);
  room_ -= granted;
  in_flight_ += granted;
  return granted;
}

void SpillDirectory::settle(std::uint64_t granted) {
  const std::lock_guard lock(mutex_);
  in_flight_ -= granted;
}

// Bytes in flight may already be in a file and are then counted twice, which errs on the safe side.
int SpillDirectory::find_room(std::uint64_t wanted, const RealFolder& place) {
  room_ = 0;
  std::uint64_t taken = in_flight_;
  const Listing folder = place.is_there() ? list_folder(open_for_reading(place)) : nullptr;
  if (!folder && place.is_there()) return errno;
  std::vector<Spilled> files;
  if (folder) {
    if (const int error = list(folder.get(), files); error != 0) return error;
  }
  for (const Spilled& file : files) taken += file.bytes > 0 ? charge(file.bytes) : 0;
  const auto room = [&] { return max_bytes_ > taken ? max_bytes_ - taken : 0; };
  const std::uint64_t ahead = std::max(wanted, std::min(max_bytes_ / 64, max_look_ahead));
  if (room() < wanted) {
    std::sort(files.begin(), files.end(), [](const Spilled& a, const Spilled& b) { return a.name < b.name; });
    for (const Spilled& file : files) {
      if (room() >= ahead) break;
      if (file.bytes > 0 && remove_finished(::dirfd(folder.get()), file.name)) taken -= charge(file.bytes);
    }
  }
  room_ = std::min(room(), ahead);
  return 0;
}

}  // namespace wtool::engine
