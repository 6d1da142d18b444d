// The pilot of a node. It has one connection to the host for each of its slots. Each connection carries one call at a
// time, which the pilot runs through the plugin cluster_tools, so that a warden on this node supervises every command.
//
// - When one of its connections ends or stays silent, the pilot stops all calls that it runs, and then ends: it never
//   runs a command whose result nobody would receive.
// - On SIGTERM (scancel, the job's time limit) the pilot first gives back its free slots, then ends its calls
//   gracefully.
// - When only the ticket's `ending_seconds` are left of the job's time, the pilot does the same as on SIGTERM.
// - The pilot ends by itself when, for the ticket's idle time, no slot had a call and no session kept a slot.
// - If Slurm gave the job at least one processor for each slot, the processors are divided among the slots.
#pragma once

#include <string>

#include "base/pilot/ticket.h"
#include "loader/plugin.h"

namespace wtool::host {

// Returns the exit status of the program. Blocks SIGTERM and SIGINT in this process for good. `problem`: why this node
// cannot run calls. If that is not empty, the pilot only reports it to the host.
int run_agent(const pilot::Ticket& ticket, Plugin& plugin, const std::string& problem = {});

}  // namespace wtool::host
