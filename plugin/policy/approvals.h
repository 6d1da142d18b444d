// The answers that a person has given for good, `always` and `never`, in a file that the person can read and edit.
//
// - An answer applies to exactly one command, directory, environment and standard input, to the limit that it lifts
//   (if any), and either to an interactive program or to one that is not interactive. Of the values of variables and
//   the text of the input, only the SHA-256 is kept.
// - The file is JSON: {"always": [{"command", "directory", "environment": {NAME: SHA-256}, "stdin": SHA-256}],
//   "never": [...]}. A call without a text for its standard input has no "stdin", an answer that opens the network has
//   "lifts": ["network"], and an answer for an interactive program has "interactive": true. The file is read again for
//   each question, and replaced as a whole, under a lock, so that several processes can use it.
// - A file that cannot be read, or that other users can write, is not used: the question fails with the reason.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "policy/environment.h"

namespace wtool::policy {

// What an answer applies to.
struct Subject {
  std::string command;
  std::string directory;                           // canonical
  Variables environment;                           // the variables that the call adds
  std::optional<std::string> standard_input = {};  // the text that the call passes
  bool lifts_network = false;                      // a yes opens the network for the call
  bool interactive = false;                        // input will be typed into the program, so it is not known yet
};

// Lower-case hexadecimal. Two subjects have the same fingerprint only if they are equal.
std::string fingerprint(const Subject& subject);

enum class Remembered { nothing, always, never };

// Where permanent answers are kept.
class RememberedAnswers {
 public:
  virtual ~RememberedAnswers() = default;

  // The answer, or a sentence that names the file and says why the file cannot be used.
  virtual std::variant<Remembered, std::string> look_up(const Subject& subject) const = 0;

  // Replaces an earlier answer. Returns why the answer could not be kept; empty: it is kept.
  virtual std::string remember(const Subject& subject, bool always) const = 0;

  // The file's name, for messages; may be empty.
  virtual const std::string& file() const = 0;
};

class Approvals : public RememberedAnswers {
 public:
  explicit Approvals(std::string file) : file_(std::move(file)) {}

  std::variant<Remembered, std::string> look_up(const Subject& subject) const override;
  std::string remember(const Subject& subject, bool always) const override;
  const std::string& file() const override { return file_; }

 private:
  std::string file_;
};

}  // namespace wtool::policy
