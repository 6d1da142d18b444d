// The answers that a person has given for good, `always` and `never`, in a file of theirs that they can read and edit.
//
// - An answer is bound to the exact command, directory, environment and standard input of the call, to the limit that it
//   lifts, and to whether more is typed to it; values of variables and the text of the input are kept only as their
//   SHA-256.
// - The file is JSON: {"always": [{"command", "directory", "environment": {NAME: SHA-256}, "stdin": SHA-256}],
//   "never": [...]}; a call without a text for its standard input has no "stdin", an answer that opens the network has
//   "lifts": ["network"], and one for a program that is typed to has "interactive": true. The file is read again for each
//   question, and replaced as a whole, under a lock, so that several processes may use it.
// - A file that cannot be read, or that other users may write, is not used: the question fails with the reason.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "policy/environment.h"

namespace wtool::policy {

// What an answer is bound to.
struct Subject {
  std::string command;
  std::string directory;                           // canonical
  Variables environment;                           // what the call adds
  std::optional<std::string> standard_input = {};  // the text that the call gives
  bool lifts_network = false;                      // a yes opens the network for the call
  bool interactive = false;                        // more is typed to it, which is not known yet
};

// Lower-case hexadecimal; the same for the same subject, and for nothing else.
std::string fingerprint(const Subject& subject);

enum class Remembered { nothing, always, never };

// Where answers for good are kept.
class RememberedAnswers {
 public:
  virtual ~RememberedAnswers() = default;

  // The answer, or a sentence that names the file and says why it gives none.
  virtual std::variant<Remembered, std::string> look_up(const Subject& subject) const = 0;

  // Replaces what was answered before. Empty: it is kept. Otherwise a sentence that says why not.
  virtual std::string remember(const Subject& subject, bool always) const = 0;

  // For messages; may be empty.
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
