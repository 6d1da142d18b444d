#include "config/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <array>

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
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got == 0) return bytes;
    if (got > 0) {
      bytes.append(buffer.data(), static_cast<std::size_t>(got));
      if (bytes.size() <= limit) continue;
      error = escaped(name) + " has more than the " + std::to_string(limit) + " bytes that are allowed";
      return std::nullopt;
    }
    if (errno == EINTR) continue;
    if (errno == EAGAIN) {  // Standard input that somebody made non-blocking.
      pollfd ready{.fd = descriptor, .events = POLLIN, .revents = 0};
      ::poll(&ready, 1, -1);
      continue;
    }
    error = cannot_read(name, errno);
    return std::nullopt;
  }
}

std::optional<std::string> read_file(const std::string& path, std::size_t limit, std::string& error) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) {
    error = cannot_read(path, errno);
    return std::nullopt;
  }
  auto bytes = read_descriptor(descriptor, path, limit, error);
  ::close(descriptor);
  return bytes;
}

}  // namespace wtool::host
