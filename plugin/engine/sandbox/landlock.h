// Landlock's constants, and the two system calls that make a ruleset. The headers of the build may be older than both.
// The third call, which enforces a ruleset, is in the warden.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace wtool::engine::landlock {

// What a process may do with files. Each right exists since the ABI version in its comment.
enum : std::uint64_t {
  execute = 1ULL << 0,       // 1
  write_file = 1ULL << 1,    // 1
  read_file = 1ULL << 2,     // 1
  read_dir = 1ULL << 3,      // 1
  remove_dir = 1ULL << 4,    // 1
  remove_file = 1ULL << 5,   // 1
  make_char = 1ULL << 6,     // 1
  make_dir = 1ULL << 7,      // 1
  make_reg = 1ULL << 8,      // 1
  make_sock = 1ULL << 9,     // 1
  make_fifo = 1ULL << 10,    // 1
  make_block = 1ULL << 11,   // 1
  make_sym = 1ULL << 12,     // 1
  refer = 1ULL << 13,        // 2: links and renames from one folder to another; without it, both are always refused
  truncate = 1ULL << 14,     // 3
  ioctl_device = 1ULL << 15  // 5
};
enum : std::uint64_t { bind_tcp = 1ULL << 0, connect_tcp = 1ULL << 1 };      // 4
enum : std::uint64_t { abstract_sockets = 1ULL << 0, signals = 1ULL << 1 };  // 6

constexpr int abi_with_truncate = 3;
constexpr int abi_with_tcp = 4;
constexpr int abi_with_ioctl = 5;
constexpr int abi_with_scopes = 6;

struct RulesetAttributes {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scopes;
};

struct [[gnu::packed]] BeneathRule {
  std::uint64_t allowed;
  std::int32_t parent;
};

constexpr long create_ruleset_number = 444;
constexpr long add_rule_number = 445;
constexpr std::uint32_t version_flag = 1;
constexpr int beneath_rule = 1;

// The version of the ABI, at least 1; or -1 with errno.
inline int abi_version() {
  return static_cast<int>(::syscall(create_ruleset_number, nullptr, std::size_t{0}, version_flag));
}

inline int create_ruleset(const RulesetAttributes& attributes, std::size_t size) {
  return static_cast<int>(::syscall(create_ruleset_number, &attributes, size, 0U));
}

inline bool add_beneath_rule(int ruleset, const BeneathRule& rule) {
  return ::syscall(add_rule_number, ruleset, beneath_rule, &rule, 0U) == 0;
}

}  // namespace wtool::engine::landlock
