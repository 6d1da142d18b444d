#include "config/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/descriptor.h"
#include "base/files.h"
#include "tracing/escape.h"

namespace wtool::host {

namespace {

std::string cannot_read(const std::string& name, int number) {
  return "cannot read " + escaped(name) + ": " + ::strerror(number);
}

}  // namespace

std::optional<std::string> read_descriptor(int descriptor, const std::string& name, std::size_t limit,
                                           std::string& error) {
  std::string bytes;
  const int failed = read_all(descriptor, limit, bytes);
  if (failed == 0) return bytes;
  error = failed == EFBIG ? escaped(name) + " has more than the " + std::to_string(limit) + " bytes that are allowed"
                          : cannot_read(name, failed);
  return std::nullopt;
}

std::optional<std::string> read_file(const std::string& path, std::size_t limit, std::string& error) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (file) return read_descriptor(file.get(), path, limit, error);
  error = cannot_read(path, errno);
  return std::nullopt;
}

}  // namespace wtool::host
