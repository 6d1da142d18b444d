// What a call would request from Slurm: the member `cluster` of an explanation.
#pragma once

#include <string>
#include <string_view>

#include "cluster/options.h"

namespace wtool::cluster {

// Adds {"slots", "nodes", "cpus", "minutes", "authentication", "sbatch": the command line of one pilot} to `explained`,
// the JSON text of an object. Names that are chosen only at a submission are written as TICKET, RUN and ID. Returns
// `explained` unchanged if it is not an object.
std::string with_submission(std::string_view explained, const Options& options, const char* authentication);

}  // namespace wtool::cluster
