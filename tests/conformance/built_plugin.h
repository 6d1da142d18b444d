// Plugins that a test builds itself, as their authors do.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/program.h"

namespace wtool::test {

inline const std::string plugin_sources = WTOOL_TEST_SOURCE_DIR "/tests/plugins/";

// Builds a library from one C file of tests/plugins. Returns what the compiler says. Empty: the library was built.
inline std::string build_c_plugin(const std::string& source, const std::string& library,
                                  const std::string& option = "-DFAULT=0") {
  const Finished done =
      run({WTOOL_TEST_C_COMPILER, "-std=gnu11", "-shared", "-fPIC", "-Wall", "-Wextra", option,
           "-I" WTOOL_TEST_SOURCE_DIR "/host-api/include", plugin_sources + source, "-o", library, "-pthread"});
  return done.exit_code == 0 ? "" : done.err + " (exit " + std::to_string(done.exit_code) + ')';
}

// Builds a library from one Rust file, in the same way.
inline std::string build_rust_plugin(const std::string& source, const std::string& library) {
  const Finished done = run({"/usr/bin/env", "rustc", "--edition", "2021", "-O", "-C", "panic=abort", "--crate-type",
                             "cdylib", plugin_sources + source, "-o", library});
  return done.exit_code == 0 ? "" : done.err + " (exit " + std::to_string(done.exit_code) + ')';
}

// True if a program of this name can be run.
inline bool is_installed(const std::string& program) {
  return run({"/bin/sh", "-c", program + " --version >/dev/null 2>&1"}).exit_code == 0;
}

}  // namespace wtool::test
