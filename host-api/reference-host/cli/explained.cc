#include "cli/explained.h"

#include <nlohmann/json.hpp>

namespace wtool::host {

std::optional<workflow::CommandVerdict> explained(Toolbox& toolbox, const std::string& tool,
                                                  const nlohmann::json& arguments, std::string& why) {
  Stop stop;
  const auto text =
      toolbox.explain(tool, arguments.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), stop, why);
  if (!text) return std::nullopt;
  const auto answer = nlohmann::json::parse(*text, nullptr, false);
  // A directory that is not there yet may be made by a state before.
  if (answer.is_object() && answer.value("error", "") == "working_directory_invalid") {
    why = answer.value("reason", "");
    return std::nullopt;
  }
  const std::string verdict = answer.is_object() ? answer.value("verdict", "") : "";
  using Kind = workflow::CommandVerdict::Kind;
  if (verdict == "allow") return workflow::CommandVerdict{Kind::allow, answer.value("reason", "")};
  if (verdict == "ask") return workflow::CommandVerdict{Kind::ask, answer.value("reason", "")};
  if (verdict == "deny") return workflow::CommandVerdict{Kind::deny, answer.value("reason", "")};
  why = "the tool " + tool + " gives no verdict that is known here";
  return std::nullopt;
}

}  // namespace wtool::host
