// What a person is told about a command line that cannot be parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace wtool::host {

// Reports the mistake in the words of the command line, with the nearest command or option, or with the one that other
// programs call so. Lists the commands and options that exist. `app` must have all commands; `words` are those that it
// has parsed. Returns the exit status.
int report_wrong_usage(const CLI::App& app, const CLI::ParseError& mistake, const std::vector<std::string>& words);

}  // namespace wtool::host
