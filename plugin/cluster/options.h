// The `cluster` section of a configuration: what to request from Slurm, and for how long. `cluster.slot` names one of
// `cluster.classes`, whose keys then replace the section's.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace wtool::cluster {

enum class Auth { automatic, munge, key };

struct Options {
  std::string slot{};    // the class; empty: the section's own keys
  int slots = 4;         // calls at the same time on one node
  int nodes = 1;         // the maximum number of pilots
  int cpus = 1;          // for each slot
  std::string memory{};  // for each slot, as sbatch reads it: "512M"
  int minutes = 60;      // a pilot's time limit
  std::string partition{}, account{}, qos{}, constraint{}, gres{};
  std::string extra{};  // further options of sbatch, separated by spaces
  std::chrono::seconds wait{300};
  std::chrono::seconds idle{60};
  std::string address{};    // numeric; empty: all addresses of this machine
  std::string job_name{};   // of all jobs, by which the host can find them again; empty: the pool chooses it
  std::string node{};       // the node for every pilot, set only by a test; empty: any
  std::string directory{};  // absolute; where tickets and the pilots' logs are
  Auth auth = Auth::automatic;
  std::string munge_socket{};   // empty: the default of libmunge
  bool copies_program = false;  // copies wtool into the ticket's folder, for nodes without it

  bool operator==(const Options&) const = default;
};

// Nothing: `error` says why. Relative paths are below `here`, the working directory.
std::optional<Options> read_options(const nlohmann::json& section, const std::string& here, std::string& error);

// How many bytes of its slot's memory a call may take; the rest is for the pilot and its warden. 0: cluster.memory is
// not set, or is 0, which means all memory of the node.
std::uint64_t call_memory(const Options& options);

// How long before the end of its time a pilot stops accepting calls, and ends the calls that it has: 75 seconds, which
// leaves time for a grace period of 60 before Slurm ends the job, or a quarter of the time of a shorter job.
std::chrono::seconds ending(const Options& options);

// The longest time limit that a new pilot can promise to a call: some of the job's time is set aside for its start.
std::chrono::seconds longest_call(const Options& options);

// The command line that submits one pilot, which runs `program agent --ticket TICKET`. `comment` is the job's comment:
// it begins with "slots:", and distinguishes the jobs of this pool from jobs of other pools with the same name.
std::string submission(const Options& options, const std::string& name, const std::string& comment,
                       const std::string& program, const std::string& ticket, const std::string& here);

}  // namespace wtool::cluster
