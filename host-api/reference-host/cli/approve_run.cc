#include "cli/approve_run.h"

#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>
#include <vector>

#include "base/stop.h"
#include "base/time_text.h"
#include "base/utf8.h"
#include "cli/approvals.h"
#include "cli/interrupts.h"
#include "cli/journaled_run.h"
#include "cli/load_run.h"
#include "cli/table.h"
#include "journal/journal_reader.h"
#include "journal/runs_folder.h"
#include "terminal/text.h"
#include "workflow/model/source.h"

namespace wtool::host {

namespace {

constexpr std::size_t max_runs_looked_at = 200;

std::string long_name_of(const PendingApproval& one) { return one.place.branch + '/' + one.state; }

// What --state calls the question: its state, preceded by its branch if several of `pending` have the same state.
std::string name_among(const PendingApproval& one, const std::vector<PendingApproval>& pending) {
  const auto count = std::count_if(pending.begin(), pending.end(),
                                   [&](const PendingApproval& other) { return other.state == one.state; });
  return count > 1 ? long_name_of(one) : one.state;
}

std::string states_of(const std::vector<PendingApproval>& pending) {
  std::string names;
  for (const PendingApproval& one : pending) names += (names.empty() ? "" : ", ") + name_among(one, pending);
  return names;
}

// What is wrong with the command line; empty: nothing.
std::string problem_of_words(const RunAnswer& answer) {
  if (!answer.word.empty() && answer.word != "yes" && answer.word != "no") {
    return "a run is answered with --answer yes or --answer no, not with " + answer.word;
  }
  if (!answer.comment.empty() && answer.word.empty()) {
    return "--comment needs --answer; on the terminal, write the comment after the answer, as in: y looks good";
  }
  if (answer.comment.size() > max_comment) return "--comment has more than " + std::to_string(max_comment) + " bytes";
  return is_utf8(answer.comment) ? "" : "--comment is not UTF-8";
}

// The states whose questions a process asks at the moment, or asked when it was killed.
std::string asking_states(const journal::RunRecord& run) {
  std::string states;
  for (const journal::StepRecord& step : run.steps) {
    if (step.action != "approve" || step.status != runner::Step::Status::running) continue;
    states += (states.empty() ? "" : ", ") + step.state;
  }
  return states;
}

// Where a person answers the question that the run asks at the moment. Empty: it asks none.
std::string asks_elsewhere(const std::string& run, const journal::RunRecord& record) {
  const std::string states = asking_states(record);
  if (states.empty()) return {};
  return "the run " + run + " asks on its own terminal (process " + std::to_string(record.pid) + " on " + record.host +
         ", state " + states + "); answer there";
}

// True if the run waited for an answer when it was stopped.
bool was_stopped(const journal::RunRecord& record) {
  return record.status == runner::RunReport::Status::aborted && !pending_approvals(record).empty();
}

// Why there is nothing to answer in the run, and what to do.
std::string nothing_to_answer(const std::string& run, const journal::RunRecord& record, bool is_running) {
  const std::string shows = "`wtool show " + run + "` shows ";
  if (!is_running && !record.status) {
    return "the run " + run + " was interrupted; `wtool resume " + run + "` continues it" +
           (asking_states(record).empty() ? "" : ", and asks again");
  }
  if (!is_running && was_stopped(record)) {
    return "the run " + run + " was stopped while it waited; `wtool resume " + run + "` continues it, and asks again";
  }
  if (!is_running) return "the run " + run + " is not waiting for an approval; " + shows + "how it ended";
  const std::string elsewhere = asks_elsewhere(run, record);
  return elsewhere.empty() ? "the run " + run + " is not waiting for an approval; " + shows + "what it does"
                           : elsewhere;
}

// The questions that the command line means. Empty: the reason is on standard error.
std::vector<PendingApproval> wanted_questions(const RunAnswer& answer, const std::string& run,
                                              const journal::RunRecord& record, bool is_running) {
  std::vector<PendingApproval> pending = pending_approvals(record);
  if (!is_running && was_stopped(record)) pending.clear();
  const std::string states = states_of(pending);
  if (pending.empty()) {
    complain(nothing_to_answer(run, record, is_running));
    return {};
  }
  if (!answer.state.empty()) {
    std::erase_if(pending, [&](const PendingApproval& one) {
      return one.state != answer.state && long_name_of(one) != answer.state;
    });
    if (pending.empty())
      complain("no state \"" + answer.state + "\" of the run " + run + " waits (the run waits for answers to " +
               states + ")");
  }
  if (pending.size() > 1 && !answer.word.empty()) {
    complain("the run " + run + " waits for several answers (" + states +
             "); use --state to choose one of the questions, or answer all of them on a terminal");
    return {};
  }
  for (const PendingApproval& one : pending) {
    std::string why = approver_problem(one.by, record.pid_namespace);
    if (why.empty() && one.is_late()) {
      why = "it waited until " + utc_text(*one.until, "%Y-%m-%d %H:%M:%S UTC") + "; `wtool resume " + run +
            "` continues the run, and the approval counts as expired";
    }
    if (why.empty()) continue;
    complain("the question of the state " + one.state + " cannot be answered: " + why);
    return {};
  }
  return pending;
}

}  // namespace

bool names_a_run(const std::string& wanted) {
  std::string error;
  return !journal::find_run(".", wanted, error).empty();
}

std::vector<journal::RunRecord> runs_that_wait(std::string& error) {
  error.clear();
  std::vector<std::string> ids = journal::list_runs(".", error);
  if (ids.size() > max_runs_looked_at) ids.resize(max_runs_looked_at);
  std::vector<journal::RunRecord> runs;
  for (const std::string& id : ids) {
    const std::string file = journal::journal_file(".", id);
    if (::access(file.c_str(), R_OK) != 0 && errno == EACCES) {
      if (error.empty()) error = "some journals of runs cannot be read, such as " + file + ": " + ::strerror(EACCES);
      continue;
    }
    std::string damage;
    auto run = journal::read_journal_ends(file, damage);
    if (!run || run->status != runner::RunReport::Status::suspended) continue;
    run->run = id;  // Commands find the run by this id, whatever the journal says.
    runs.push_back(std::move(*run));
  }
  return runs;
}

std::string suspended_runs(std::string& error) {
  std::string lines;
  for (const journal::RunRecord& run : runs_that_wait(error)) {
    lines += "the run " + cleaned_for_terminal(run.run, false) +
             " is suspended: " + cleaned_for_terminal(run.reason, false) +
             "\n  answer and continue it with: wtool approve " + cleaned_for_terminal(run.run, false) + "\n";
  }
  return lines;
}

std::string runs_that_ask() {
  std::string lines;
  std::string unread;
  std::vector<std::string> ids = journal::list_runs(".", unread);
  if (ids.size() > max_runs_looked_at) ids.resize(max_runs_looked_at);
  for (const std::string& id : ids) {
    const std::string file = journal::journal_file(".", id);
    const std::optional<journal::Moment> runs_at = journal::running_now(file);
    const auto content = runs_at ? journal::read_journal(file, unread, runs_at) : std::nullopt;
    const std::string where = content ? asks_elsewhere(id, content->run) : "";
    if (!where.empty()) lines += cleaned_for_terminal(where, false) + "\n";
  }
  return lines;
}

namespace {

// Puts the person's answers to the questions into `given`, or shows the questions if nobody can be asked. Returns the exit
// status if the command ends here.
std::optional<int> ask_person(const RunAnswer& answer, const std::string& run,
                              const std::vector<PendingApproval>& wanted, const std::vector<PendingApproval>& waiting,
                              std::vector<GivenApproval>& given) {
  for (const PendingApproval& one : wanted) {
    if (!answer.word.empty()) {
      given.push_back({one, answer.word == "yes", answer.comment});
      continue;
    }
    Stop stop;
    const Interrupts interrupts(stop);
    auto typed = ask_for_approval(one, stop, run);
    if (interrupts.signal() != 0) return interrupts.exit_status();
    if (typed) {
      given.push_back(std::move(*typed));
      continue;
    }
    // There is no terminal, or nobody has answered there, so the person is told how to answer.
    if (!print(approval_text(one, question_columns(), run) + "answer it with: wtool approve " + run +
               (waiting.size() > 1 ? " --state " + name_among(one, waiting) : "") + " --answer yes|no\n")) {
      return exit_unusable;
    }
  }
  if (!given.empty()) return std::nullopt;
  const RunFlags& flags = answer.flags;
  if (flags.events.empty() && flags.junit.empty() && flags.html.empty()) return exit_ok;
  complain("no report was written, because nobody has answered yet and the run did not continue");
  return exit_suspended;
}

}  // namespace

int approve_run(Context& context, const RunAnswer& answer) {
  if (const std::string why = problem_of_words(answer); !why.empty()) {
    complain(why);
    return exit_unusable;
  }
  if (!can_begin(answer.flags)) return exit_unusable;
  runner::Secrets secrets;
  std::string error;
  const std::string run = journal::find_run(".", answer.run, error);
  // At first the run is only read: a person who may not answer must not change it either.
  if (run.empty()) {
    complain(error);
    return exit_unusable;
  }
  const std::string file = journal::journal_file(".", run);
  const std::optional<journal::Moment> runs_at = journal::running_now(file);
  const auto content = journal::read_journal(file, error, runs_at);
  if (!content) {
    complain(error);
    return exit_unusable;
  }
  if (!has_workflow_file(content->run)) return exit_unusable;
  const std::vector<PendingApproval> wanted = wanted_questions(answer, run, content->run, runs_at.has_value());
  if (wanted.empty()) return exit_failed;
  // A person must know about a changed file before they answer, because a yes continues the run with the file as it is
  // now.
  if (const workflow::Source source = workflow::load_source(content->run.file, error); error.empty()) {
    if (const std::string notice = changed_since(source, content->run); !notice.empty()) complain(notice);
  }
  std::vector<GivenApproval> given;
  if (const auto status = ask_person(answer, run, wanted, pending_approvals(content->run), given)) return *status;
  const std::string directory = working_directory();
  if (directory.empty()) return exit_unusable;
  auto resumed = journal::resume_run(directory, run, "", journal_options(secrets), error);
  if (!resumed) {
    complain(error);
    return exit_unusable;
  }
  // The run may have continued elsewhere meanwhile, so an answer is used only if its question still waits. The answers
  // that are dropped here have not been written to the audit trail or the journal.
  const std::vector<PendingApproval> still_waiting =
      was_stopped(resumed->run) ? std::vector<PendingApproval>() : pending_approvals(resumed->run);
  std::erase_if(given, [&](const GivenApproval& one) {
    return std::none_of(still_waiting.begin(), still_waiting.end(),
                        [&](const PendingApproval& other) { return is_same(one.pending, other); });
  });
  if (given.empty()) {
    complain("the run " + run + " no longer waits for this answer; `wtool show " + run + "` shows how it ended");
    return exit_failed;
  }
  return continue_run(context, std::move(*resumed), std::move(given), answer.flags, true, secrets);
}

}  // namespace wtool::host
