// Runs Slurm's client programs (squeue, sinfo, scancel), for subcommands that ask about a cluster. They run through
// shell_execute on this machine, without the rules of the configuration, which are for a caller's commands. Each is
// bounded in time, and none can outlive this program.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "loader/toolbox.h"

namespace wtool::host {

// The name of a run's jobs: letters, digits and dashes, at most 64.
std::string slurm_job_name(const std::string& run);
inline constexpr std::string_view slurm_job_prefix = "wtool-";

class SlurmClient {
 public:
  // Uses the plugin of this machine; while this object exists, that plugin must have no other toolbox. nullptr: `error`
  // says why.
  static std::unique_ptr<SlurmClient> open(Plugin& local, std::string& error);

  // Runs the command line, and returns its standard output. Nothing: `error` says why it failed.
  std::optional<std::string> run(const std::string& command, Stop& stop, std::string& error);

  struct Job {
    std::string id{}, name{}, state{}, node{}, reason{};
    int slots = 0;  // 0: not known
  };
  // The user's own jobs with the name `name`; if it is empty, all jobs whose names look like those of pilots.
  std::optional<std::vector<Job>> jobs(const std::string& name, Stop& stop, std::string& error);
  // Cancels the jobs with the name `name`, and returns their ids.
  std::optional<std::vector<std::string>> cancel_all(const std::string& name, Stop& stop, std::string& error);

 private:
  explicit SlurmClient(std::unique_ptr<Toolbox> tools) : tools_(std::move(tools)) {}

  std::unique_ptr<Toolbox> tools_;
};

}  // namespace wtool::host
