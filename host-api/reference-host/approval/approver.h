// Whoever a host asks whether a command may run: the host's side of wtool.approval/1, behind its C functions.
#pragma once

#include <cstdint>

#include "approval/question.h"

namespace wtool::host {

// The numbers are those of wtool.approval/1.
enum class Approval : std::uint32_t { unavailable = 0, yes = 1, no = 2, always = 3, never = 4, deferred = 5 };

// All members: any thread.
class Approver {
 public:
  virtual ~Approver() = default;

  // Waits for the answer. On the thread of the call that the question is about.
  virtual Approval ask(const Question& question) = 0;

  // The question must not wait any longer: it is unavailable. Never waits. May come before ask() for that question; one
  // that is over is ignored.
  virtual void withdraw(std::uint64_t id) = 0;
};

}  // namespace wtool::host
