#include "workflow/parse/condition_label.h"

#include <algorithm>
#include <string>
#include <utility>

#include "workflow/model/source.h"

namespace wtool::host::workflow {

void read_condition(Transition& transition, Diagnostics& diagnostics) {
  std::string word = lowered(transition.label);
  std::erase_if(word, [](char c) { return c == ' ' || c == '\t' || c == '_'; });
  transition.always = word == "always";
  // What all paths into a join have done when it is left is complete.
  if (word.empty() || transition.always || word == "allcomplete") return;
  if (word == "default") {
    transition.kind = Transition::Kind::fallback;
  } else if (word == "success" || word == "onsuccess") {
    transition.kind = Transition::Kind::success;
  } else if (word == "failure" || word == "onfailure") {
    transition.kind = Transition::Kind::failure;
  } else {
    transition.kind = Transition::Kind::expression;
    auto parsed = expressions::parse_expression(transition.label);
    if (const auto* error = std::get_if<expressions::ExpressionError>(&parsed)) {
      return diagnostics.add(
          transition.label_offset + error->offset,
          "the condition is not understood: " + error->message +
              ". A condition is always, default, success, failure, or an expression such as exit_code == 0");
    }
    transition.condition = std::get<expressions::Expression>(std::move(parsed));
  }
}

}  // namespace wtool::host::workflow
