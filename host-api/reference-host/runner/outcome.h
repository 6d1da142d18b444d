// How an action ended, in the one form that conditions, templates and reports read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "expressions/value.h"

namespace wtool::host {
struct ToolOutcome;
}

namespace wtool::host::runner {

// Describes all that a command wrote to one stream. The text in the outcome may be only a part of that.
struct WholeOutput {
  std::uint64_t bytes = 0;                 // how many bytes the command wrote, if the tool says so
  bool cut = false;                        // the text lacks a part of it
  bool lossy = false;                      // bytes that are not UTF-8 were replaced in the text
  bool wanted = false;                     // the workflow reads the name of the file
  bool streamed = false;                   // the text is what the command wrote, and not a sentence of the tool
  std::string file{};                      // has the whole output; empty when no file was kept
  std::string sha256{};                    // the hash of the file
  std::string trouble{};                   // why a file that is needed is missing; a sentence
  std::uint64_t json_limit = 64ULL << 20;  // the size of the largest file from which the field `json` is read
};

struct Outcome {
  bool is_error = false;
  bool aborted = false;        // stopped from outside; the outputs end at that point
  std::int64_t exit_code = 0;  // the command's; without a command 0 or 1, after a timeout 124, when aborted 130
  std::string standard_output;
  std::string standard_error;
  std::string message;  // the tool's own sentence
  std::string error;    // the code of the error, such as policy_denied; empty: none
  std::int64_t duration_ms = 0;
  WholeOutput whole_output{};
  WholeOutput whole_error{};
  expressions::Value metadata{};   // the tool's, a map; null: the tool gave none
  expressions::Value variables{};  // if the action ran a workflow: a map of its final variables; else null
  expressions::Value answer{};     // the output, read and checked as the option `output` demands; else null
  expressions::Value matrix{};     // a list of the outcomes of a matrix's combinations; else null
};

// The `error` of a step that was not done, or not finished, because its visits or a budget are used up.
inline constexpr std::string_view exhausted_error = "exhausted";
// The `error` of a step whose output does not match its option `output`.
inline constexpr std::string_view invalid_output_error = "invalid_output";
// The `error` of a step whose command succeeded, but did not make a file that the option `outputs` names.
inline constexpr std::string_view missing_output_error = "missing_output";

// Reads the envelope that a tool returned. If its metadata has no `stdout`, the text of the content becomes the
// standard output.
Outcome to_outcome(const ToolOutcome& call);

// The JSON in the file of an output; the file is read when the value is first read.
expressions::Withheld json_of_file(const std::string& file, std::uint64_t bytes);

// True if policy, or the person who was asked, has refused the command, so that nothing was run. No later try can change
// a refusal.
bool is_refusal(const Outcome& outcome);

// True if the tool has said that it did not run the command, for whatever reason.
bool was_not_run(const Outcome& outcome);

// A map with the outcome_fields(). As a text, it is the standard output without its trailing newlines.
expressions::Value to_value(const Outcome& outcome);

// The value of an outcome, made when it is first read: most outcomes are never read, and the value has 14 fields.
// Copies share the value. Any thread may call get().
class OutcomeValue {
 public:
  explicit OutcomeValue(const Outcome& outcome);
  const expressions::Value& get() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace wtool::host::runner
