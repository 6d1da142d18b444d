// The messages of a pilot, which Slurm puts into the job's log.
#pragma once

#include <cstdio>
#include <string>

namespace wtool::host {

inline void say(const std::string& text) { std::fprintf(stderr, "wtool agent: %s\n", text.c_str()); }

}  // namespace wtool::host
