#include "cli/approvals.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <vector>

#include "approval/question.h"
#include "approval/question_folder.h"
#include "base/json.h"
#include "base/text.h"
#include "base/time_text.h"
#include "base/utf8.h"
#include "cli/context.h"
#include "journal/json_value.h"
#include "runner/waiting.h"
#include "terminal/asking.h"
#include "terminal/terminal.h"
#include "terminal/text.h"

namespace wtool::host {

namespace {

using runner::ApprovalAnswer;
using runner::ApprovalRequest;
using std::chrono::system_clock;

// The number of the machine's first pid namespace, in which all processes are visible (the kernel's PROC_PID_INIT_INO).
constexpr std::int64_t first_pid_namespace = 0xEFFFFFFC;

std::string field_of(const expressions::Value& metadata, const char* name) {
  const expressions::Map* map = metadata.as_map();
  if (map == nullptr) return {};
  const auto found = map->fields.find(name);
  const std::string* text = found == map->fields.end() ? nullptr : found->second.as_text();
  return text == nullptr ? std::string() : *text;
}

// An entry of the users or the groups, found with one of the functions whose names end in `_r`. Branches of a run ask
// at the same time, each on its own thread, and the other functions return one entry to all threads. Nothing: there is
// no such entry.
template <typename Entry, typename Key>
std::optional<Entry> entry_of(int (*find)(Key, Entry*, char*, std::size_t, Entry**), Key key,
                              std::vector<char>& texts) {
  constexpr std::size_t most = 1UL << 24;  // a group may have many members
  Entry entry{};
  Entry* found = nullptr;
  for (texts.resize(4096); find(key, &entry, texts.data(), texts.size(), &found) == ERANGE && texts.size() < most;) {
    texts.resize(2 * texts.size());
  }
  return found == nullptr ? std::nullopt : std::optional(entry);
}

std::string name_of_user(uid_t user) {
  std::vector<char> texts;
  const auto entry = entry_of(::getpwuid_r, user, texts);
  return entry ? entry->pw_name : "uid " + std::to_string(user);
}

bool is_in_group(gid_t group) {
  if (::getegid() == group) return true;
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(::getgroups(0, nullptr), 0)));
  const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
  return count > 0 && std::find(groups.begin(), groups.begin() + count, group) != groups.begin() + count;
}

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, cut_before(text, most)) + " ...";
}

// Splits "y fine with me" into the answer and its comment. Nothing: the answer is neither yes nor no.
std::optional<bool> read_answer(const std::string& line, std::string& comment) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
  const std::string word = lowered(line.substr(begin, end - begin));
  comment = line.substr(std::min(line.find_first_not_of(" \t", end), line.size()));
  if (word == "y" || word == "yes") return true;
  if (word.empty() || word == "n" || word == "no") return false;
  return std::nullopt;
}

// The position after the first `lines` lines of the text, and after at most `bytes` bytes.
std::size_t end_of_first(std::string_view text, std::size_t lines, std::size_t bytes) {
  std::size_t end = 0;
  for (; lines > 0 && end < text.size(); --lines) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return cut_before(text, std::min(end, bytes));
}

// The same from the end of the text: the position at which the last lines begin.
std::size_t begin_of_last(std::string_view text, std::size_t lines, std::size_t bytes) {
  std::size_t begin = text.size();
  for (; lines > 0 && begin > 0; --lines) {
    const std::size_t newline = begin < 2 ? std::string_view::npos : text.rfind('\n', begin - 2);
    begin = newline == std::string_view::npos ? 0 : newline + 1;
  }
  return cut_after(text, std::max(begin, text.size() - std::min(bytes, text.size())));
}

// The beginning and the end of the question if it is very long: what is asked may be in either of them.
std::string shortened_question(const PendingApproval& pending, std::size_t columns, const std::string& run) {
  const std::string_view all = pending.question;
  const std::size_t head = end_of_first(all, 30, 3000);
  const std::size_t tail = begin_of_last(all, 10, 1000);
  if (tail <= head) return workflow_question(pending.state, all, columns);
  return workflow_question(pending.state, all.substr(0, all[head - 1] == '\n' ? head - 1 : head), columns) + "  ... " +
         counted(static_cast<std::int64_t>(tail - head), "byte") + " of the question are left out here; `wtool show " +
         cleaned_for_terminal(run, false) + " --json` has all of it\n" + barred(all.substr(tail), columns);
}

}  // namespace

bool is_same(const PendingApproval& one, const PendingApproval& other) {
  return one.place == other.place && one.state == other.state && one.question == other.question && one.by == other.by;
}

std::vector<PendingApproval> pending_approvals(const journal::RunRecord& run) {
  std::vector<PendingApproval> pending;
  for (const journal::StepRecord& step : run.steps) {
    const runner::Outcome& outcome = step.end.outcome;
    if (step.action != "approve" || outcome.error != runner::approval_pending) continue;
    PendingApproval one;
    one.place = step.place;
    one.state = step.state;
    one.question = field_of(outcome.metadata, "question");
    one.by = field_of(outcome.metadata, "by");
    one.asked = journal::time_from_text(field_of(outcome.metadata, "asked")).value_or(step.began);
    one.until = journal::time_from_text(field_of(outcome.metadata, "until"));
    pending.push_back(std::move(one));
  }
  return pending;
}

std::string approval_text(const PendingApproval& pending, std::size_t columns, const std::string& run) {
  return (run.empty() ? workflow_question(pending.state, pending.question, columns)
                      : shortened_question(pending, columns, run)) +
         "  " + (pending.by.empty() ? "" : "to be answered by " + cleaned_for_terminal(pending.by, false) + "; ") +
         "asked at " + utc_text(pending.asked, "%Y-%m-%d %H:%M:%S UTC") +
         (pending.until ? ", waits until " + utc_text(*pending.until, "%Y-%m-%d %H:%M:%S UTC") : "") + "\n";
}

std::string approver_problem(const std::string& by, std::int64_t started_in) {
  if (std::string why = peer_problem(::getpid()); !why.empty()) return why;
  if (const std::int64_t own = journal::own_pid_namespace();
      started_in != 0 && own != 0 && own != started_in && own != first_pid_namespace) {
    return "there is no way to tell who answers: this pid namespace hides the processes above it, and the run was "
           "started in another pid namespace; answer where the run was started, or outside of all containers";
  }
  if (by.empty()) return {};
  std::vector<char> texts;
  const auto user = entry_of(::getpwnam_r, by.c_str(), texts);
  if (user && user->pw_uid == ::getuid()) return {};
  const auto group = entry_of(::getgrnam_r, by.c_str(), texts);
  if (group && is_in_group(group->gr_gid)) return {};
  if (!user && !group) {
    return "there is no user and no group " + expressions::quoted_for_message(by) + " on this machine";
  }
  return "only " + by + " may answer, and you are " + name_of_user(::getuid());
}

std::optional<GivenApproval> ask_for_approval(const PendingApproval& pending, Stop& stop, const std::string& run) {
  QuestionEnd end(Terminal::of_process());
  const auto subscription = stop.subscribe([&end](const StopRequest&) { end.request(); });
  Asking asking(Terminal::of_process(), end);
  if (!asking.can_ask() || stop.requested()) return std::nullopt;
  if (asking.show("\n" + approval_text(pending, asking.columns(), run)) != Asking::Event::done) return std::nullopt;
  GivenApproval given{pending};
  const auto problem = [&given](const std::string& line) -> std::string {
    std::string comment;
    const auto answer = read_answer(line, comment);
    if (!answer) return "Please answer y (yes) or n (no), and a comment after it if you like.\n";
    if (comment.size() > max_comment || !is_utf8(comment)) {
      return "The comment is longer than 2000 bytes, or not UTF-8.\n";
    }
    given.yes = *answer;
    given.comment = comment;
    return "";
  };
  const Asking::Event event = asking.ask({.prompt = "Approve? [y/N, and a comment] ", .problem = problem});
  return event == Asking::Event::done ? std::optional(given) : std::nullopt;
}

PendingApproval RunApprovals::question_of(const ApprovalRequest& request) const {
  PendingApproval question;
  question.place = request.place;
  question.state = request.state;
  question.question = secrets_.masked(request.question);
  question.by = request.by;
  for (const PendingApproval& earlier : setup_.pending) {
    if (!request.after_repeated_steps && !request.after_failure && is_same(earlier, question)) return earlier;
  }
  question.asked = system_clock::now();
  if (request.timeout) question.until = question.asked + *request.timeout;
  return question;
}

std::optional<GivenApproval> RunApprovals::take_given(const PendingApproval& question) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(setup_.given.begin(), setup_.given.end(),
                                  [&](const GivenApproval& one) { return is_same(one.pending, question); });
  if (found == setup_.given.end()) return std::nullopt;
  GivenApproval given = std::move(*found);
  setup_.given.erase(found);
  return given;
}

std::vector<std::string> RunApprovals::unused() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> states;
  for (const GivenApproval& one : setup_.given) states.push_back(one.pending.state);
  return states;
}

// Writes the answer to the audit trail. Returns why the answer must not be used; empty: it may be used.
std::string RunApprovals::record(const GivenApproval& given, const std::string& who, journal::Moment at) const {
  nlohmann::ordered_json fields{{"answer", given.yes ? "yes" : "no"},
                                {"who", who},
                                {"uid", ::getuid()},
                                {"run", setup_.run},
                                {"state", given.pending.state},
                                {"question", given.pending.question}};
  if (!given.pending.by.empty()) fields["by"] = shortened(given.pending.by, max_comment);
  if (!given.comment.empty()) fields["comment"] = secrets_.masked(given.comment);
  fields["answered"] = iso_time(at);
  std::string why = audit::append(setup_.trail, "approval", fields);
  if (why.empty() || !setup_.trail.continue_when_unwritable) return why;
  complain(why + "; the answer is used nevertheless (audit.when_unwritable: continue)");
  return {};
}

ApprovalAnswer RunApprovals::ask(const ApprovalRequest& request, Stop& stop) {
  using Kind = ApprovalAnswer::Kind;
  const PendingApproval question = question_of(request);
  ApprovalAnswer answer;
  answer.question = question.question;
  answer.asked = question.asked;
  answer.until = question.until;
  answer.kind = Kind::expired;
  if (question.is_late()) return answer;
  std::optional<GivenApproval> given;
  if (!request.after_repeated_steps && !request.after_failure) given = take_given(question);
  // A resumed run would ask this question again, so the next one must not make the run wait.
  if (given && request.in_finally) has_answer_in_finally_ = true;
  answer.why = given ? "" : setup_.asks ? approver_problem(question.by, setup_.started_in) : setup_.not_asked;
  if (!given && setup_.asks && answer.why.empty()) {
    runner::ChildStop timed(stop);
    std::optional<runner::Deadline> deadline;
    if (question.until) {
      deadline.emplace(std::chrono::steady_clock::now() + (*question.until - system_clock::now()), timed.stop(),
                       "timeout");
    }
    given = ask_for_approval(question, timed.stop());
    if (!given && stop.requested()) {
      answer.kind = Kind::stopped;
      return answer;
    }
    if (!given && deadline && deadline->passed()) return answer;
  }
  if (given) {
    answer.answered = system_clock::now();
    answer.who = name_of_user(::getuid());
    answer.why = record(*given, answer.who, answer.answered);
    if (answer.why.empty()) {
      answer.kind = given->yes ? Kind::yes : Kind::no;
      answer.comment = secrets_.masked(given->comment);
      return answer;
    }
    answer.who.clear();
  }
  const bool is_kept = setup_.journal == nullptr || setup_.journal->is_up_to_date();
  const bool is_second = request.in_finally && has_answer_in_finally_ && !given;
  const bool can_wait = !setup_.run.empty() && is_kept && setup_.can_continue && !request.after_failure && !is_second;
  answer.kind = can_wait ? Kind::waits : Kind::nobody;
  const std::string here =
      answer.why.empty() ? "this run is not in the foreground of a terminal, or nobody answered there" : answer.why;
  if (is_second) {
    answer.why =
        here + ", and a second question of `finally` cannot wait: the resumed run would ask the first one again";
  } else if (request.after_failure) {
    answer.why = here + ", and a question about what comes after a failure cannot wait";
  } else if (!is_kept) {
    answer.why = here + ", and the run cannot wait, because its journal cannot be written";
  } else if (!setup_.can_continue) {
    answer.why = here + ", and the run cannot wait, because its workflow was read from standard input";
  } else if (setup_.run.empty() && answer.why.empty()) {
    answer.why = here + ", and without a journal it cannot wait";
  }
  return answer;
}

}  // namespace wtool::host
