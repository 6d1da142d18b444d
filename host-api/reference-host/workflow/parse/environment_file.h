// Files of variables (`env_file`, `--env-file`), one NAME=VALUE a line:
//
//   # a comment
//   CC=clang
//   export FLAGS="-O2 -g"   # quotes are removed; in double quotes, \" \\ \n \t are escapes
//   LITERAL='$HOME'         # nothing is ever replaced, with or without quotes
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wtool::host::workflow {

using EnvironmentVariables = std::vector<std::pair<std::string, std::string>>;

// The variables in the order of the file, each name once, with its last value. Nothing: `error` says what is wrong,
// and in which line.
std::optional<EnvironmentVariables> read_environment_file(const std::string& path, std::string& error);

// What parse_workflow() needs to read the files that a workflow names.
struct EnvironmentSource {
  std::string directory;       // of the run; relative file names start from it
  bool must_exist = true;      // false: a file that cannot be read causes only a warning
  EnvironmentVariables given;  // what the command line gives
};

}  // namespace wtool::host::workflow
