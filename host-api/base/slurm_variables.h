// Variables of the environment that wtool keeps from Slurm's client programs.
#pragma once

#include <array>
#include <string_view>

namespace wtool {

// Prefixes of names. These variables are defaults for options. They would hide jobs, change what is printed, submit
// something other than one job, or submit it to a cluster that the other programs do not query. All other variables of
// sbatch stay: they are how sites and people choose an account or a partition.
inline constexpr std::array<std::string_view, 7> variables_kept_from_slurm{
    "SCANCEL_", "SCONTROL_", "SINFO_", "SQUEUE_", "SBATCH_ARRAY_INX", "SBATCH_CLUSTERS", "SBATCH_WAIT"};

}  // namespace wtool
