// The spill file: a command's whole output in a file, beside the part of it that the result shows.
#pragma once

#include <cstdint>
#include <string>

namespace wtool::engine {

struct SpillOptions {
  enum class When { never, when_cut, always };
  When when = When::never;
  std::string directory = {};               // absolute; made when it is missing
  std::uint64_t max_bytes = 1024ULL << 20;  // all spill files of the directory together
};

}  // namespace wtool::engine
