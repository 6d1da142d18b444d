// Reads the programs of awk, as far as it takes to see whether they execute, write, or read more than their input.
#pragma once

#include "policy/arguments/script.h"
#include "policy/programs/reader.h"

namespace wtool::policy::programs {

Script read_awk(std::string_view program);

std::optional<Problem> check_awk(const ParsedCommand& reading);

}  // namespace wtool::policy::programs
