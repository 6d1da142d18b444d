// The check of an option of the command line whose value must not be empty.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace wtool::host {

inline CLI::Validator not_empty() {
  return CLI::Validator([](std::string& value) { return value.empty() ? "must not be empty" : ""; }, "");
}

}  // namespace wtool::host
