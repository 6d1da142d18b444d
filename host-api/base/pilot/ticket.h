// What a pilot needs to find its host: a file that only their user can read, in a folder that both machines share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/pilot/noise.h"

namespace wtool::pilot {

struct Ticket {
  std::vector<std::string> addresses{};  // numeric; the pilot uses the first at which a host proves that it has the key
  int port = 0;
  int slots = 1;
  int idle_seconds = 60;
  int job_seconds = 3600;   // the job's time limit, used if Slurm does not say when the job ends
  int ending_seconds = 75;  // how long before the job's end a pilot ends its calls
  std::string directory{};  // the working directory of the host
  std::string token{};      // a file in `directory` that the host made; empty: the host made no file
  bool aes = false;         // the host can use AESGCM (noise.h)
  bool munge = false;       // the key is not here: the host sends it through munge
  std::string munge_socket{};
  Key key{};
};

// Makes the file with mode 0600; it must not exist yet. False: `error` says why.
bool write_ticket(const std::string& file, const Ticket& ticket, std::string& error);

// Nothing: `error` says why. A file that others can read, or that belongs to another user, is refused.
std::optional<Ticket> read_ticket(const std::string& file, std::string& error);

}  // namespace wtool::pilot
