// The approvals of one run: the questions of its `Approve` actions, who may answer them, and the answers.
//
// - If the run is in the foreground of a terminal, a question is asked there. Otherwise the run ends as suspended, and
//   the question waits in its journal until `wtool approve RUN` answers it and continues the run. If there is no
//   journal, or it cannot be written, nobody could answer later, and the step fails.
// - If the action names a user or a group, only that user or a member of that group may answer. No process of a call
//   can answer, neither on a terminal nor with `wtool approve` (approval/question_folder.h says how that is detected).
// - Each answer is written to the audit trail, if there is one, before the run uses it; the journal records it with the
//   end of the step.
// - The timeout of a question begins when the question is first asked in this run.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "audit/append.h"
#include "base/stop.h"
#include "journal/journal.h"
#include "journal/run_record.h"
#include "runner/approval.h"
#include "runner/secrets.h"

namespace wtool::host {

struct PendingApproval {
  journal::StepPlace place;
  std::string state;
  std::string question;  // without secrets
  std::string by;
  journal::Moment asked;
  std::optional<journal::Moment> until;

  bool is_late() const { return until && *until <= std::chrono::system_clock::now(); }
};

// The questions that the run waits for.
std::vector<PendingApproval> pending_approvals(const journal::RunRecord& run);

// A question as lines for a person; safe for a terminal.
// `run`: the run whose journal has the question. A very long question is then cut, below a note that says how to see all
// of it. Empty: the question is shown whole, because nothing else has it yet.
std::string approval_text(const PendingApproval& pending, std::size_t columns, const std::string& run = {});

// True if both are the same question of a run.
bool is_same(const PendingApproval& one, const PendingApproval& other);

// Why this process must not answer for `by`; empty: it may. `started_in`: the pid namespace of the run; 0: not known.
std::string approver_problem(const std::string& by, std::int64_t started_in);

inline constexpr std::size_t max_comment = 2000;  // bytes

struct GivenApproval {
  PendingApproval pending;
  bool yes = false;
  std::string comment{};
};

// Asks on the terminal for `y` or `n`, after which a comment may follow. Enter means no. Nothing: nobody can be asked, a
// stop was requested, or nobody has answered (the terminal was closed, the input ended, or five lines were not
// understood). Any thread may call this.
std::optional<GivenApproval> ask_for_approval(const PendingApproval& pending, Stop& stop, const std::string& run = {});

// Any thread may call any member.
class RunApprovals {
 public:
  struct Setup {
    std::string run{};                          // its id; empty: it has no journal, and cannot be suspended
    const journal::Journal* journal = nullptr;  // that of the run; must live as long as questions are asked
    bool can_continue = true;                   // false: its workflow is in no file, so it cannot be suspended
    bool asks = true;                           // on the terminal
    std::string not_asked{};                    // why it does not ask on the terminal
    audit::AppendOptions trail{};
    std::int64_t started_in{};               // the pid namespace of the run that is continued; 0: not known
    std::vector<PendingApproval> pending{};  // of the run that is continued
    std::vector<GivenApproval> given{};      // the answers to some of them
  };
  // `secrets` must outlive this object.
  RunApprovals(Setup setup, const runner::Secrets& secrets) : setup_(std::move(setup)), secrets_(secrets) {}

  runner::ApprovalAnswer ask(const runner::ApprovalRequest& request, Stop& stop);

  // The states of those given answers that no question has used.
  std::vector<std::string> unused() const;

 private:
  PendingApproval question_of(const runner::ApprovalRequest& request) const;
  std::optional<GivenApproval> take_given(const PendingApproval& question);
  std::string record(const GivenApproval& given, const std::string& who, journal::Moment at) const;

  Setup setup_;
  const runner::Secrets& secrets_;
  mutable std::mutex mutex_;                         // guards setup_.given
  std::atomic<bool> has_answer_in_finally_ = false;  // an answer was used for a question of `finally`
};

}  // namespace wtool::host
