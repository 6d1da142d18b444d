// How the regular expressions of workflows and schemas are compiled.
#pragma once

#include <re2/re2.h>

namespace wtool {

// A mistake in an expression is not logged, and a compiled expression takes at most 1 MiB of memory.
inline re2::RE2::Options re2_options() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  return options;
}

}  // namespace wtool
