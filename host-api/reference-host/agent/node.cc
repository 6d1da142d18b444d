#include "agent/node.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <cstdlib>

#include "base/text.h"

namespace wtool::host {

using std::chrono::steady_clock;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

namespace {

// The number in an environment variable. Nothing: its value is not a number.
std::optional<std::int64_t> number(const char* name) {
  const std::string text = variable(name);
  std::int64_t value = 0;
  return read_number(text, value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<steady_clock::time_point> end_of_job(const pilot::Ticket& ticket) {
  if (variable("SLURM_JOB_ID").empty()) return std::nullopt;
  const auto end = number("SLURM_JOB_END_TIME");  // Slurm 22.05 does not set it
  return steady_clock::now() + std::chrono::seconds(end ? *end - ::time(nullptr) : ticket.job_seconds);
}

std::vector<std::vector<int>> processors_of(int slots) {
  cpu_set_t own;
  CPU_ZERO(&own);
  if (::sched_getaffinity(0, sizeof own, &own) != 0) return {};
  const auto given = number("SLURM_CPUS_ON_NODE");
  if (CPU_COUNT(&own) < slots || !given || CPU_COUNT(&own) > *given) return {};
  std::vector<int> all;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &own)) all.push_back(i);
  }
  std::vector<std::vector<int>> parts;
  for (std::size_t i = 0, count = static_cast<std::size_t>(slots); i < count; ++i) {
    const auto at = [&](std::size_t slot) {
      return all.begin() + static_cast<std::ptrdiff_t>(all.size() * slot / count);
    };
    parts.emplace_back(at(i), at(i + 1));
  }
  return parts;
}

Descriptor connect_to(const std::string& address, int port, std::string& problem) {
  sockaddr_storage to{};
  socklen_t size = 0;
  if (auto* four = reinterpret_cast<sockaddr_in*>(&to); ::inet_pton(AF_INET, address.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(static_cast<std::uint16_t>(port));
    size = sizeof *four;
  } else if (auto* six = reinterpret_cast<sockaddr_in6*>(&to);
             ::inet_pton(AF_INET6, address.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(static_cast<std::uint16_t>(port));
    size = sizeof *six;
  } else {
    problem = "the address is not numeric";
    return {};
  }
  Descriptor socket(::socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  int error = socket ? 0 : errno;
  if (socket && ::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), size) != 0) {
    error = errno;
    if (error == EINPROGRESS) {
      pollfd ready{socket.get(), POLLOUT, 0};
      socklen_t length = sizeof error;
      if (::poll(&ready, 1, 5000) <= 0) {
        error = ETIMEDOUT;
      } else {
        ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
      }
    }
  }
  if (error == 0) return socket;
  problem = ::strerror(error);
  return {};
}

}  // namespace wtool::host
