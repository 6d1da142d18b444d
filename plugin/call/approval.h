// Settles a verdict of "ask": by an answer that was kept, or by asking a person through the host.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "call/plan.h"

namespace wtool {

struct Question {
  std::string tool;
  std::string call_id;
  std::string subject;      // JSON object that shows exactly what would run
  std::string reason;       // one sentence: why an approval is needed
  std::string fingerprint;  // of command, directory, environment and standard input
};

enum class Reply { unavailable, yes, no, always, never, deferred, expired };

// Asks a person. An interface, because this folder must not know the C interface to the host.
class Approver {
 public:
  virtual ~Approver() = default;
  // Blocks until an answer arrives, or the call is cancelled; the answer is then "unavailable".
  virtual Reply ask(const Question& question) = 0;
};

struct Approval {
  std::optional<CallError> refusal;  // absent: the command may run
  std::string answer;                // "yes", "always (remembered)", ..., for the audit trail
  std::string fingerprint;
  std::string not_kept;  // why an answer for good could not be kept; empty: it was
};

// Where answers for good are kept for this plan. NULL: nowhere; if a file is configured, `why_not` says why.
std::shared_ptr<const policy::RememberedAnswers> remembered_answers(const CommandRequest& request, const Plan& plan,
                                                                    const Configuration& configuration,
                                                                    std::string& why_not);

// `approver` may be NULL: nobody can be asked then.
Approval resolve_approval(const CommandRequest& request, const Plan& plan, const Configuration& configuration,
                          std::string_view tool, std::string_view call_id, Approver* approver);

}  // namespace wtool
