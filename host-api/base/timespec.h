// Times in the kernel's form.
#pragma once

#include <cstdint>
#include <ctime>

namespace wtool {

constexpr std::int64_t to_ns(const timespec& time) noexcept {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace wtool
