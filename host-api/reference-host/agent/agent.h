// The pilot of a node. It has one connection to the host for each of its slots. Each connection carries one call at a
// time, which the pilot runs through the plugin cluster_tools, so that a warden on this node supervises every command.
//
// - When a connection ends or stays silent, the pilot ends all of its calls and itself: it never runs a command whose
//   result nobody would receive.
// - On SIGTERM (scancel, the job's time limit) it first gives back its free slots, then ends its calls gracefully.
// - It knows when its job's time ends, and does the same `ending_seconds` (of the ticket) before that.
// - It ends by itself when, for the ticket's idle time, no slot had a call and no session kept a slot.
// - The processors that Slurm gave to the job are divided among the slots, if there is at least one for each.
#pragma once

#include <string>

#include "base/pilot/ticket.h"
#include "loader/plugin.h"

namespace wtool::host {

// Returns the exit status of the program. Blocks SIGTERM and SIGINT in this process for good. `problem`: why this node
// cannot run calls; then the pilot only reports it to the host.
int run_agent(const pilot::Ticket& ticket, Plugin& plugin, const std::string& problem = {});

}  // namespace wtool::host
