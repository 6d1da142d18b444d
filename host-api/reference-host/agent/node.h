// What a pilot needs to know about its job: when the job ends, and which processors each slot gets. Also makes the
// connections to the host.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/pilot/ticket.h"

namespace wtool::host {

// The value of the environment variable; empty if it is not set.
std::string variable(const char* name);

// When Slurm ends the job. Nothing: this process is not in a job.
std::optional<std::chrono::steady_clock::time_point> end_of_job(const pilot::Ticket& ticket);

// The processors of each slot; empty: every slot uses all processors of the job. They are divided only if no other job
// uses them, that is, if Slurm has bound the job to no more processors than it has allocated to the job.
std::vector<std::vector<int>> processors_of(int slots);

// A connected socket; if it is empty, `problem` says why. Takes only numeric addresses, so that no name is looked up.
Descriptor connect_to(const std::string& address, int port, std::string& problem);

}  // namespace wtool::host
