// Reads what a git configuration has git execute or read: bounded, and without running git.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wtool::engine {

struct GitSetting {
  std::string key;  // "section.name" in lower case; a subsection is left out
  std::string value;
};

// Every setting of a configuration's text, in order. Stops at malformed text, because git refuses such a file.
std::vector<GitSetting> read_git_settings(std::string_view text);

// The words of a command line that look like paths: those with a slash, without quotes and a leading "!".
std::vector<std::string> paths_in_command(std::string_view line);

}  // namespace wtool::engine
