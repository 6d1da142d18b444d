#include "engine/input_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "system/real_folder.h"

namespace wtool::engine {

namespace {

// The headers of the build may be older than this flag. Where vm.memfd_noexec is 2, only files with this flag can be
// made.
constexpr unsigned not_executable = 8;  // MFD_NOEXEC_SEAL, Linux 6.3

Descriptor make_memory_file() {
  constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  Descriptor file(::memfd_create("stdin", flags | not_executable));
  if (!file && errno == EINVAL) file = Descriptor(::memfd_create("stdin", flags));
  return file;
}

}  // namespace

Descriptor make_input_file(std::string_view text, int& error) {
  Descriptor file = make_memory_file();
  if (!file) {
    error = errno;
    return {};
  }
  error = write_without_signal(file.get(), text).error;
  if (error != 0) return {};
  // Makes the file read-only. On older kernels, the mode also keeps the file from being executed.
  const bool done = ::lseek(file.get(), 0, SEEK_SET) == 0 && ::fchmod(file.get(), 0400) == 0 &&
                    ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0;
  if (done) return file;
  error = errno;
  return {};
}

}  // namespace wtool::engine
