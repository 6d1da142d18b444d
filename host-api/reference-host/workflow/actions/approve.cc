// Approve "question" by="release" timeout=2h: a person's yes or no, on the terminal or later.
#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "expressions/value.h"
#include "workflow/actions/action_type.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/parse/action_options.h"

namespace wtool::host::workflow {
namespace {

constexpr const char* approve_form = "Approve \"question\" by=\"user or group\" timeout=2h";

bool read_by(ActionReading& in, OptionReader& options, ApproveAction& made) {
  options.note("by", in.cursor.here());
  in.cursor.take_word("by");
  if (!in.cursor.take_symbol('=')) {
    in.cursor.fail("a '=' is expected after 'by', as in by=\"release\"");
    return false;
  }
  TemplateText by;
  if (!in.quoted_template("the user or the group who may answer", by)) return false;
  made.by = std::move(by);
  return true;
}

// A question is asked once, on this machine, and its answer is public, so options about tries, places, limits, files
// and secrets are mistakes.
bool takes_option(const std::string& name) {
  return is_one_of(name, {"by", "timeout", "result", "on_failure", "lock", "max"});
}

ActionKind read_approve(ActionReading& in) {
  ApproveAction made;
  if (!in.quoted_template("the question of " + std::string(approve_form), made.question)) return made;
  OptionReader options(in.cursor, in.diagnostics);
  const std::size_t at = in.cursor.here();
  in.cursor.take_word("with");
  while (!in.cursor.at_end()) {
    if (in.cursor.peek_word() == "by") {
      if (!read_by(in, options, made)) return made;
      continue;
    }
    const auto outcome = options.take(in.options);
    if (outcome == OptionReader::Result::failed) return made;
    if (outcome == OptionReader::Result::none) break;
  }
  if (!std::all_of(options.seen().begin(), options.seen().end(), takes_option)) {
    in.diagnostics.add(at,
                       "the options of Approve are by=\"user or group\", timeout=2h, result=\"name\", lock=\"name\", "
                       "max=N and on failure: State");
  }
  return made;
}

void check_approve(const ApproveAction& action, const Action&, ActionCheck& check) {
  if (is_literal(action.question) && action.question.written.text().find_first_not_of(" \t\n") == std::string::npos) {
    check.diagnostics.add(action.question.written.locate(0),
                          "the question is empty; say what is to be approved, as in Approve \"Deploy ${version}?\"");
  }
  if (!action.by || !is_literal(*action.by)) return;
  const std::string by = action.by->written.text();
  const std::size_t at = action.by->written.locate(0);
  if (by.empty()) {
    check.diagnostics.add(at, "`by` is empty; name the user or the group who may answer, or leave out `by`");
  } else if (::getpwnam(by.c_str()) == nullptr && ::getgrnam(by.c_str()) == nullptr) {
    // A warning, because the workflow may be meant for another machine.
    check.diagnostics.warn(at, "there is no user and no group " + expressions::quoted_for_message(by) +
                                   " on this machine, so nobody can answer here");
  }
}

}  // namespace

ActionType ApproveAction::type() {
  ActionType type;
  type.name = "approve";
  type.words = {"approve"};
  type.forms = {"Approve \"question\""};
  type.read = read_approve;
  type.texts = texts_of<ApproveAction>([](const ApproveAction& approve, TextVisitor& visit) {
    visit.text(approve.question);
    visit.text(approve.by);
  });
  type.check = check_of<ApproveAction, check_approve>;
  type.describe = describe_of<ApproveAction>([](const ApproveAction& approve, const Describer& describer) {
    return "asks " + (approve.by ? describer.text(*approve.by) : std::string("a person")) +
           " to approve: " + describer.quoted(approve.question);
  });
  return type;
}

}  // namespace wtool::host::workflow
