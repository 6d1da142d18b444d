// The section `cluster` of a configuration: what to ask of Slurm, and for how long.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace wtool::cluster {

struct Options {
  int slots = 4;         // calls at once on one node
  int nodes = 1;         // the most pilots
  int cpus = 1;          // for each slot
  std::string memory{};  // for each slot, as sbatch reads it: "512M"
  int minutes = 60;      // a pilot's time limit
  std::string partition{}, account{}, qos{}, constraint{};
  std::string extra{};  // further options of sbatch, in words
  std::chrono::seconds wait{300};
  std::chrono::seconds idle{60};
  std::string address{};    // numeric; empty: all of this machine's
  std::string job_name{};   // of all its jobs, set by the host that finds them again by it; empty: one is made up
  std::string directory{};  // absolute; where tickets and the pilots' logs are

  bool operator==(const Options&) const = default;
};

// Nothing: `error` says why. Relative paths are below `here`, the working directory.
std::optional<Options> read_options(const nlohmann::json& section, const std::string& here, std::string& error);

// The command line that submits one pilot, which runs `program agent --ticket TICKET`.
std::string submission(const Options& options, const std::string& name, const std::string& program,
                       const std::string& ticket, const std::string& here);

// Quotes a text as one word of a shell.
std::string shell_word(const std::string& text);

}  // namespace wtool::cluster
