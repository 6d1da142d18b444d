#include "base/pilot/ticket.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/json.h"
#include "base/json_reader.h"

namespace wtool::pilot {

namespace {

using nlohmann::json;

constexpr std::size_t max_ticket = 65536;

std::string about(const std::string& file, const char* what, int error) {
  return "the ticket " + file + ' ' + what + ": " + ::strerror(error);
}

}  // namespace

bool write_ticket(const std::string& file, const Ticket& ticket, std::string& error) {
  std::string hex(2 * key_size + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), ticket.key.data(), ticket.key.size());
  hex.pop_back();
  json all = {{"addresses", ticket.addresses}, {"port", ticket.port},           {"slots", ticket.slots},
              {"idle", ticket.idle_seconds},   {"seconds", ticket.job_seconds}, {"ending", ticket.ending_seconds},
              {"directory", ticket.directory}, {"token", ticket.token},         {"aes", ticket.aes}};
  if (ticket.munge) {
    all["munge"] = ticket.munge_socket;
  } else {
    all["key"] = hex;
  }
  const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!out) {
    error = about(file, "cannot be created", errno);
    return false;
  }
  // Nodes may read the file over a network, and must not get only half of it.
  const Written written = write_all(out.get(), dumped_as_ascii(all));
  if (written.error != 0) {
    error = about(file, "cannot be written", written.error);
    return false;
  }
  if (::fsync(out.get()) != 0) {
    error = about(file, "cannot be written", errno);
    return false;
  }
  return true;
}

std::optional<Ticket> read_ticket(const std::string& file, std::string& error) {
  const Descriptor in(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!in) {
    error = about(file, "cannot be read", errno);
    if (errno == ENOENT) error += "; is its folder shared with this node?";
    return std::nullopt;
  }
  struct stat info {};
  if (::fstat(in.get(), &info) != 0) {
    error = about(file, "cannot be examined", errno);
    return std::nullopt;
  }
  if (!S_ISREG(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 077) != 0) {
    error = "the ticket " + file + " must be a regular file that belongs to this user and has mode 0600";
    return std::nullopt;
  }
  std::string text;
  if (const int failed = read_all(in.get(), max_ticket, text)) {
    error = about(file, "cannot be read", failed);
    return std::nullopt;
  }
  try {
    const json all = parse_json_or_throw(text);
    Ticket ticket;
    ticket.addresses = all.at("addresses").get<std::vector<std::string>>();
    ticket.port = all.at("port").get<int>();
    ticket.slots = all.at("slots").get<int>();
    ticket.idle_seconds = all.at("idle").get<int>();
    ticket.job_seconds = all.at("seconds").get<int>();
    ticket.ending_seconds = all.at("ending").get<int>();
    ticket.directory = all.at("directory").get<std::string>();
    ticket.token = all.at("token").get<std::string>();
    ticket.aes = all.at("aes").get<bool>();
    ticket.munge = all.contains("munge");
    bool good = true;
    if (ticket.munge) {
      ticket.munge_socket = all.at("munge").get<std::string>();
    } else {
      const auto hex = all.at("key").get<std::string>();
      std::size_t size = 0;
      good = sodium_hex2bin(ticket.key.data(), key_size, hex.data(), hex.size(), nullptr, &size, nullptr) == 0 &&
             size == key_size;
    }
    if (good && ticket.port > 0 && ticket.port < 65536 && ticket.slots > 0 && ticket.slots <= 1024) return ticket;
  } catch (const json::exception&) {
  }
  error = "the ticket " + file + " is malformed";
  return std::nullopt;
}

}  // namespace wtool::pilot
