// Set name="value": sets variables of the workflow.
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "workflow/actions/action_type.h"
#include "workflow/parse/action_options.h"

namespace wtool::host::workflow {
namespace {

ActionKind read_set(ActionReading& in) {
  SetAction made;
  // Skips the word in `Set variable x="1"` and `Set secret x="1"`. In `Set variable="1"`, the word is the name.
  for (const char* word : {"secret", "variable"}) {
    ActionCursor ahead = in.cursor;
    if (in.word == "set_variable" || !ahead.take_word(word) || ahead.sees('=')) continue;
    in.cursor.take_word(word);
    if (std::string_view(word) == "secret") made.secret = true;
  }
  do {
    Assignment assignment;
    assignment.offset = in.cursor.here();
    assignment.name = in.cursor.take_name();
    if (assignment.name.empty() || !in.cursor.take_symbol('=')) {
      in.diagnostics.add(assignment.offset, "this action is written Set name=\"value\"");
      return made;
    }
    auto value = take_value(in.cursor, in.diagnostics, "the value of " + assignment.name);
    if (!value) return made;
    assignment.value = std::move(*value);
    made.assignments.push_back(std::move(assignment));
  } while (!in.cursor.at_end());
  return made;
}

void check_set(const SetAction& set, const Action&, ActionCheck& check) {
  std::set<std::string_view> names;
  for (const Assignment& assignment : set.assignments) {
    if (!names.insert(assignment.name).second) {
      check.diagnostics.add(assignment.offset, "the variable " + assignment.name +
                                                   " is set twice; only the last value would remain, so remove one");
    }
    check_own_name(assignment.name, assignment.offset, check.diagnostics);
  }
}

}  // namespace

ActionType SetAction::type() {
  ActionType type;
  type.name = "set";
  type.words = {"set", "set_variable"};
  type.forms = {"Set name=\"value\""};
  type.calls_something = false;
  type.can_fail = false;
  type.read = read_set;
  type.texts = texts_of<SetAction>([](const SetAction& set, TextVisitor& visit) {
    for (const Assignment& assignment : set.assignments) visit.value(assignment.value);
  });
  type.check = check_of<SetAction, check_set>;
  type.describe = describe_of<SetAction>([](const SetAction& set, const Describer& describer) {
    std::string out = "sets";
    for (const Assignment& assignment : set.assignments) {
      out += " " + assignment.name + "=" + (set.secret ? describer.mask : describer.value(assignment.value));
    }
    return out;
  });
  return type;
}

}  // namespace wtool::host::workflow
