// A process as messages and results name it: its number, and the kernel's name for it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace wtool {

constexpr std::size_t max_named = 16;
constexpr std::size_t name_size = 16;  // As the kernel's: 15 bytes and a NUL.

struct NamedProcess {
  std::int32_t pid;
  char name[name_size];
};

}  // namespace wtool
