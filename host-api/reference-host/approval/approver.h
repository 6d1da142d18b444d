// The interface to the person who is asked whether a command may run: the host's side of wtool.approval/1, without its
// C types.
#pragma once

#include <cstdint>

#include "approval/question.h"

namespace wtool::host {

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

// All members: any thread.
class Approver {
 public:
  virtual ~Approver() = default;

  // Waits for the answer. On the thread of the call that the question is about.
  virtual Approval ask(const Question& question) = 0;

  // Ends the question as unavailable. Never waits. May be called before ask() for that question; a finished question is
  // ignored.
  virtual void withdraw(std::uint64_t id) = 0;
};

}  // namespace wtool::host
