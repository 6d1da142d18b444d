// Log "text", Log warning "text", Log error "text".
#include <string>

#include "base/edit_distance.h"
#include "workflow/actions/action_type.h"
#include "workflow/model/diagnostics.h"

namespace wtool::host::workflow {
namespace {

ActionKind read_log(ActionReading& in) {
  LogAction made;
  if (in.cursor.take_word("warning") || in.cursor.take_word("warn")) {
    made.level = LogAction::Level::warning;
  } else if (in.cursor.take_word("error")) {
    made.level = LogAction::Level::error;
  } else {
    in.cursor.take_word("info");
  }
  in.quoted_template(
      "the text of Log [warning|error]" +
          (in.cursor.sees_text() ? "" : did_you_mean(in.cursor.peek_word(), {"info", "warning", "error"})),
      made.message);
  return made;
}

}  // namespace

ActionType LogAction::type() {
  ActionType type;
  type.name = "log";
  type.words = {"log"};
  type.forms = {"Log \"text\""};
  type.calls_something = false;
  type.can_fail = false;
  type.read = read_log;
  type.texts = texts_of<LogAction>([](const LogAction& log, TextVisitor& visit) { visit.text(log.message); });
  type.describe = describe_of<LogAction>([](const LogAction& log, const Describer& describer) {
    static constexpr const char* levels[] = {"logs ", "logs the warning ", "logs the error "};
    return levels[static_cast<int>(log.level)] + describer.quoted(log.message);
  });
  return type;
}

}  // namespace wtool::host::workflow
