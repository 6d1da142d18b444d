#include "cli/explained.h"

#include <nlohmann/json.hpp>

namespace wtool::host {

namespace {

// Empty where it is missing, or no text.
std::string text_of(const nlohmann::ordered_json& answer, const char* key) {
  const auto found = answer.find(key);
  return found != answer.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

workflow::CommandVerdict explained(Toolbox& toolbox, const std::string& tool, const nlohmann::json& arguments) {
  using Kind = workflow::CommandVerdict::Kind;
  Stop stop;
  std::string why;
  const nlohmann::ordered_json answer =
      toolbox.explain(tool, arguments.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), stop, why);
  if (answer.is_null()) return {Kind::unknown, why};
  const std::string reason = text_of(answer, "reason");
  if (text_of(answer, "error") == "working_directory_invalid") return {Kind::no_directory, reason};
  const std::string verdict = text_of(answer, "verdict");
  if (verdict == "allow") return {Kind::allow, reason};
  if (verdict == "ask") return {Kind::ask, reason};
  if (verdict == "deny") return {Kind::deny, reason};
  return {Kind::unknown,
          "the tool " + tool + " gives the verdict \"" + verdict + "\", which is not one of allow, ask and deny"};
}

bool allows_any_command(Toolbox& toolbox) {
  return explained(toolbox, std::string(workflow::shell_tool), {{"command", "$("}}).kind ==
         workflow::CommandVerdict::Kind::allow;
}

}  // namespace wtool::host
