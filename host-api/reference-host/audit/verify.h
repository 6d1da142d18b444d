// Verifies the chain of an audit trail. docs/guide/audit.md says what that proves, and what it cannot.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wtool::host::audit {

struct Report {
  std::string unusable;  // not empty: it could not be read to its end, and nothing else counts
  std::uint64_t lines = 0;
  std::uint64_t files = 0;
  std::string first_time;
  std::string last_time;
  std::uint64_t head_seq = 0;
  std::string head;                   // hash of the last line; empty when the trail is
  std::vector<std::string> problems;  // the first of them, each a sentence with file and line
  std::uint64_t problem_count = 0;    // of all
  std::vector<std::string> notes;     // what is no problem, but should be known
  std::uint64_t note_count = 0;

  bool good() const { return problem_count == 0; }
};

inline constexpr std::size_t max_shown = 20;  // problems, and notes

// `expected` is the hash of a line that must be in the chain, or empty. Reads each file once, in bounded memory.
Report verify(const std::string& file, const std::string& expected);

}  // namespace wtool::host::audit
