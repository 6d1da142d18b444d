// The pilot of a node: as many connections to the host as it has slots, and on each one call at a time, which it runs
// through the plugin cluster_tools, so that every command is in the custody of a warden on this node.
//
// - Only the connections count. When one ends or stays silent, the pilot ends all of its calls and itself: it never
//   runs a command whose result nobody would receive.
// - On SIGTERM (scancel, the job's time limit) it first gives back its free slots, then ends its calls gracefully.
// - It knows when its job's time is over, and does the same some time before that, as the ticket says.
// - It ends by itself when none of its slots had a call, or was kept by a session, for the ticket's idle time.
// - The processors that Slurm gave to the job are divided among the slots, where there are enough of them.
#pragma once

#include <string>

#include "base/pilot/ticket.h"
#include "loader/plugin.h"

namespace wtool::host {

// Returns the exit status of the program. Blocks SIGTERM and SIGINT in this process for good. If there is a `problem`,
// a reason why this node cannot run calls, it only reports that to the host.
int run_agent(const pilot::Ticket& ticket, Plugin& plugin, const std::string& problem = {});

}  // namespace wtool::host
