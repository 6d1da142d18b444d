// Verifies the chain of an audit trail (verify.cc), and shows a trail to people (show.cc).
// docs/guide/audit.md says what a chain proves, and what it cannot.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::host::audit {

struct VerifyReport {
  std::string unusable;  // if not empty: why the trail could not be read to its end; ignore the other members then
  std::uint64_t lines = 0;
  std::uint64_t files = 0;
  std::string first_time;
  std::string last_time;
  std::uint64_t head_seq = 0;
  std::string head;                   // hash of the last line; empty for an empty trail
  std::vector<std::string> problems;  // the first problems, each a sentence with file and line
  std::uint64_t problem_count = 0;    // how many there are in all
  std::vector<std::string> notes;     // not problems, but worth knowing
  std::uint64_t note_count = 0;

  bool good() const { return problem_count == 0; }
};

inline constexpr std::size_t max_shown = 20;  // how many problems are listed, and how many notes

// Verifies the trail. `expected` is the hash of a line that must be in the chain, or empty. Reads each file once, in
// bounded memory.
VerifyReport verify(const std::string& file, const std::string& expected);

// The kinds of events that a trail may have (docs/guide/audit.md).
inline const std::vector<std::string> event_names{"start",  "end",   "refusal", "approval",  "up_to_date", "open",
                                                  "status", "close", "input",   "recovered", "rotated"};

// How a trail is shown: one line per event. Showing does not verify anything.
struct ShowOptions {
  std::string event{};     // only this kind; empty: all, and lines that cannot be read
  std::uint64_t last = 0;  // how many events, counted from the end; 0: all
  bool json = false;       // the lines themselves, in ASCII
};

// Calls `print` with a line of text for each event, oldest first, until `print` returns false. The line has no newline,
// and nothing that controls a terminal. Returns why the trail could not be read. Empty: all events were shown, or
// `print` returned false. Nothing is printed about a file without any event.
std::string show(const std::string& file, const ShowOptions& options,
                 const std::function<bool(std::string_view line)>& print);

// One event, in the form that show() prints. `line` is a line of a trail. For any other text, the result is empty.
std::string describe(std::string_view line);

}  // namespace wtool::host::audit
