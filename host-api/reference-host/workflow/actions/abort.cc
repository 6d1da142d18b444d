// Abort "reason": ends the run as aborted.
#include "workflow/actions/action_type.h"

namespace wtool::host::workflow {
namespace {

ActionKind read_abort(ActionReading& in) {
  AbortAction made;
  if (in.cursor.take_word("with")) in.cursor.take_word("message");
  in.quoted_template("the reason", made.message);
  return made;
}

}  // namespace

ActionType AbortAction::type() {
  ActionType type;
  type.name = "abort";
  type.words = {"abort"};
  type.forms = {"Abort \"message\""};
  type.calls_something = false;
  type.can_fail = false;
  type.read = read_abort;
  type.texts = texts_of<AbortAction>([](const AbortAction& abort, TextVisitor& visit) { visit.text(abort.message); });
  type.describe = describe_of<AbortAction>([](const AbortAction& abort, const Describer& describer) {
    return "aborts the run: " + describer.quoted(abort.message);
  });
  return type;
}

}  // namespace wtool::host::workflow
