// Settles a verdict of "ask": by what a person has answered for good, or by asking one through the host.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "call/plan.h"

namespace wtool {

struct Question {
  std::string tool;
  std::string call_id;
  std::string subject;      // JSON object: what exactly would run
  std::string reason;       // why it is asked, one sentence
  std::string fingerprint;  // of command, directory, environment and standard input
};

enum class Reply { unavailable, yes, no, always, never, deferred, expired };

// How to ask a person. An interface, because the call must not know the C interface to the host.
class Approver {
 public:
  virtual ~Approver() = default;
  // Blocks until there is an answer, or the call is cancelled (unavailable then).
  virtual Reply ask(const Question& question) = 0;
};

struct Approval {
  std::optional<CallError> refusal;  // absent: the command may run
  std::string answer;                // "yes", "always (remembered)", ..., for the audit trail
  std::string fingerprint;
  std::string not_kept;  // an answer for good could not be kept: why
};

// Where answers for good are kept for this plan. Where it is nowhere although a file is configured, `why_not` says why.
std::shared_ptr<const policy::RememberedAnswers> remembered_answers(const CommandRequest& request, const Plan& plan,
                                                                    const Configuration& configuration,
                                                                    std::string& why_not);

// `approver` may be NULL: then nobody can be asked.
Approval resolve_approval(const CommandRequest& request, const Plan& plan, const Configuration& configuration,
                          std::string_view tool, std::string_view call_id, Approver* approver);

}  // namespace wtool
