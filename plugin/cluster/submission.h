// What a call would request from Slurm: the member `cluster` of an explanation.
#pragma once

#include <string>
#include <string_view>

#include "cluster/options.h"

namespace wtool::cluster {

// `explained` is the JSON text of an object. With {"slots", "nodes", "cpus", "minutes", "sbatch": the command line of
// one pilot}; what is known only at submission is written as TICKET. Returns `explained` unchanged if it is not an
// object.
std::string with_submission(std::string_view explained, const Options& options);

}  // namespace wtool::cluster
