#include "policy/verdict.h"

namespace wtool::policy {

std::string_view to_text(Answer answer) {
  switch (answer) {
    case Answer::allow:
      return "allow";
    case Answer::ask:
      return "ask";
    case Answer::deny:
      return "deny";
  }
  return "deny";
}

}  // namespace wtool::policy
