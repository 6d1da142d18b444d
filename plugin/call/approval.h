// Settles a verdict of "ask", either with a remembered answer or by asking a person through the host.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "call/plan.h"

namespace wtool {

struct ApprovalQuestion {
  std::string tool;
  std::string call_id;
  std::string subject;      // JSON object that shows exactly what would run
  std::string reason;       // one sentence: why an approval is needed
  std::string fingerprint;  // policy::fingerprint() of everything to which the answer applies
};

enum class ApprovalReply { unavailable, yes, no, always, never, deferred, expired };

// Asks a person. It is an interface, so that this folder does not depend on the C interface to the host.
class ApprovalAsker {
 public:
  virtual ~ApprovalAsker() = default;
  // Blocks until an answer arrives or the call is cancelled. For a cancelled call, the answer is "unavailable".
  virtual ApprovalReply ask(const ApprovalQuestion& question) = 0;
};

inline constexpr std::string_view time_is_over = "the host's time limit for the call is over (deadline_ms)";

// Stops the call at a time, if the question has no answer by then. The command's own time limit is no help, because it
// counts from the start of the command.
class AskerUntil : public ApprovalAsker {
 public:
  // `abort` stops the call, and so withdraws its question. It runs on a thread that ends before ask() returns.
  AskerUntil(ApprovalAsker& asker, std::function<void(std::string_view)> abort,
             std::chrono::steady_clock::time_point latest)
      : asker_(asker), abort_(std::move(abort)), latest_(latest) {}

  ApprovalReply ask(const ApprovalQuestion& question) override;

 private:
  ApprovalAsker& asker_;
  const std::function<void(std::string_view)> abort_;
  const std::chrono::steady_clock::time_point latest_;
};

struct CallApproval {
  std::optional<CallError> refusal;  // absent: the command may run
  std::string answer;                // "yes", "always (remembered)", ..., for the audit trail
  std::string fingerprint;
  std::string not_kept;  // why a permanent answer cannot be kept; empty: it can
};

// Where permanent answers are kept for this plan; never nullptr. `why_not` says why a configured file is not used; in that
// case, and if no file is configured, the object keeps nothing.
std::shared_ptr<const policy::RememberedAnswers> remembered_answers(const CommandRequest& request,
                                                                    const CommandPlan& plan,
                                                                    const Configuration& configuration,
                                                                    std::string& why_not);

// If `approver` is nullptr, nobody can be asked.
CallApproval resolve_approval(const CommandRequest& request, const CommandPlan& plan,
                              const Configuration& configuration, std::string_view tool, std::string_view call_id,
                              ApprovalAsker* approver);

}  // namespace wtool
