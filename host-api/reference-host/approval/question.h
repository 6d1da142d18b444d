// The question whether a call may be made, which a person answers: its content, its text for a terminal, and the
// interface of an approver, which gets the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wtool::host {

// Where a number of columns is wanted: no terminal shows the text, so no line is broken.
inline constexpr std::size_t not_a_terminal = 0;

// A copy of the plugin's question.
struct Question {
  std::uint64_t id = 0;
  std::string tool;
  std::string subject;  // JSON object: "command", "directory", "environment_names", and whatever else the plugin adds
  std::string reason;
  std::string fingerprint{};  // equal only for the same command, directory, environment and standard input
};

// The whole question as lines of text, however long it is. Nothing in it is invisible, controls the terminal or
// imitates a line of the question: each line of the command begins with a bar, and is broken at `columns` columns, so
// that the terminal does not break it. `state`: the state of the workflow that asks; empty if unknown.
std::string question_text(const Question& question, std::size_t columns, std::string_view state = {});

// A text, such as a workflow's question, as lines that begin with a bar and fit into `columns` columns. So no part of
// the text can look like a line of this program, and every character is visible. If some are escaped, the last line says
// so. No two texts give the same lines.
std::string barred(std::string_view text, std::size_t columns);
// The same for a question that `who` asks. A question that fits on one line of the terminal, and contains nothing
// invisible, is shown without bars: "WHO: text". A `prompt` for yes or no is added to that line, or follows as the last
// line.
std::string workflow_question(std::string_view who, std::string_view text, std::size_t columns,
                              std::string_view prompt = {});

// ---- The host's side of wtool.approval/1, without its C types.

// The numbers are those of wtool.approval/1.
enum class Approval : std::uint32_t {
  unavailable = 0,
  yes = 1,
  no = 2,
  always = 3,
  never = 4,
  deferred = 5,
  expired = 6
};

// Any thread may call any member.
class Approver {
 public:
  virtual ~Approver() = default;

  // Waits for the answer, on the thread of the call that the question is about.
  virtual Approval ask(const Question& question) = 0;

  // Ends the question with the answer `unavailable`. Never waits. May be called before ask() for that question; a
  // finished question is ignored.
  virtual void withdraw(std::uint64_t id) = 0;
};

}  // namespace wtool::host
