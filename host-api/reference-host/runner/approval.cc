#include "runner/approval.h"

#include <utility>

#include "base/time_text.h"
#include "expressions/value.h"

namespace wtool::host::runner {

namespace {

using expressions::Value;
using Kind = ApprovalAnswer::Kind;

const char* word_of(Kind kind) {
  switch (kind) {
    case Kind::yes:
      return "yes";
    case Kind::no:
      return "no";
    case Kind::expired:
      return "expired";
    case Kind::waits:
    case Kind::nobody:
    case Kind::stopped:
      break;
  }
  return "";
}

// The metadata of the outcome: for conditions, for reports, and for the run that resumes this one. All fields are always
// present, so that a text may use them without a default; what does not apply is empty.
Value details(const ApprovalRequest& request, const ApprovalAnswer& answer) {
  expressions::Map map;
  const auto add = [&map](const char* name, std::string text) { map.fields.emplace(name, Value(std::move(text))); };
  add("question", answer.question);
  add("by", request.by);
  add("answer", word_of(answer.kind));
  add("who", answer.who);
  add("comment", answer.comment);
  add("asked", iso_time(answer.asked));
  add("until", answer.until ? iso_time(*answer.until) : "");
  add("answered", answer.who.empty() ? "" : iso_time(answer.answered));
  return Value(std::move(map));
}

std::string with_comment(std::string text, const ApprovalAnswer& answer) {
  return answer.comment.empty() ? text : text + ": " + answer.comment;
}

void refuse(Outcome& outcome, const char* code, std::string message) {
  outcome.is_error = true;
  outcome.exit_code = 1;
  outcome.error = code;
  outcome.message = std::move(message);
}

}  // namespace

Outcome to_outcome(const ApprovalRequest& request, const ApprovalAnswer& answer) {
  Outcome outcome;
  outcome.metadata = details(request, answer);
  const std::string whom = request.by.empty() ? "" : " of " + request.by;
  const std::string until = answer.until ? utc_text(*answer.until, "%Y-%m-%d %H:%M:%S UTC") : "";
  switch (answer.kind) {
    case Kind::yes:
      outcome.message = with_comment("approved by " + answer.who, answer);
      outcome.standard_output = outcome.message;
      break;
    case Kind::no:
      refuse(outcome, "approval_denied", with_comment("not approved by " + answer.who, answer));
      break;
    case Kind::expired:
      refuse(outcome, "approval_expired", "the approval" + whom + " was not given before " + until);
      break;
    case Kind::waits:
      refuse(outcome, approval_pending,
             "\"" + answer.question + "\" waits for " + (request.by.empty() ? "an approval" : "the approval" + whom) +
                 (until.empty() ? "" : ", until " + until) +
                 (answer.why.empty() ? "" : "; the question is not asked here: " + answer.why));
      outcome.aborted = true;
      outcome.exit_code = 130;
      break;
    case Kind::nobody:
    case Kind::stopped:
      refuse(outcome, "approval_unavailable", "the approval" + whom + " cannot be given: " + answer.why);
      break;
  }
  return outcome;
}

}  // namespace wtool::host::runner
