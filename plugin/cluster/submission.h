// What a call would ask of Slurm, for people who plan: the member `cluster` of an explanation.
#pragma once

#include <string>
#include <string_view>

#include "cluster/options.h"

namespace wtool::cluster {

// `explained` is the JSON text of an object. With {"slots", "nodes", "cpus", "minutes", "sbatch": the command line of one
// pilot}; what is only known when it is submitted stands there as TICKET. Without a change if it is no object.
std::string with_submission(std::string_view explained, const Options& options);

}  // namespace wtool::cluster
