#include "cli/explained_call.h"

#include "base/json.h"
#include "base/json_reader.h"
#include "base/sha256.h"
#include "base/stop.h"
#include "servers/server_tools.h"

namespace wtool::host {

std::string place_problem(Toolbox& toolbox, const servers::Catalog& servers, const workflow::Placement& place,
                          const std::string& tool) {
  const CallPlace wanted{.on = place.on, .slot = place.slot, .limits = workflow::limits_text(place.limits)};
  const auto found = servers.find(tool);
  if (!found) return toolbox.place_problem(wanted, tool);
  if (place.on == "cluster") return "the servers of mcp_servers run only on this machine";
  return toolbox.place_problem(servers::place_of(*found->settings, wanted), workflow::shell_tool);
}

std::optional<Explanation> explanation_of(Toolbox& toolbox, const servers::Catalog& servers, const CallPlace& place,
                                          const std::string& tool, const nlohmann::json& arguments, std::string& why) {
  Stop stop;
  if (const auto found = servers.find(tool)) {
    if (const std::string refused = servers::refusal(*found); !refused.empty()) {
      return Explanation::parse(dumped(nlohmann::ordered_json{{"verdict", "deny"}, {"reason", refused}}));
    }
    if (why = servers.problem(*found); !why.empty()) return std::nullopt;
    auto started = toolbox.explain(workflow::shell_tool, servers::call_of(*found->settings).dump(), stop, why,
                                   servers::place_of(*found->settings, place));
    if (!started) return started;
    // The server may answer differently in another version or with another environment, so both are added. Values of
    // the environment may be secret, so only their hash is added.
    nlohmann::ordered_json told = parse_ordered_json(started->json());
    told["argv"].push_back(found->pinned->name + " " + found->pinned->version);
    told["argv"].push_back("environment " + sha256(nlohmann::json(found->settings->env).dump()));
    return Explanation::parse(dumped(told));
  }
  return toolbox.explain(tool, dumped(arguments), stop, why, place);
}

workflow::CommandVerdict explained(Toolbox& toolbox, const servers::Catalog& servers, const std::string& tool,
                                   const nlohmann::json& arguments) {
  using Kind = workflow::CommandVerdict::Kind;
  std::string why;
  const auto explained = explanation_of(toolbox, servers, {}, tool, arguments, why);
  if (!explained) return {Kind::unknown, why};
  const std::string reason = explained->text("reason");
  if (explained->text("error") == "working_directory_invalid") return {Kind::no_directory, reason};
  const std::string verdict = explained->text("verdict");
  if (verdict == "allow") return {Kind::allow, reason};
  if (verdict == "ask") return {Kind::ask, reason};
  if (verdict == "deny") return {Kind::deny, reason};
  return {Kind::unknown,
          "the tool " + tool + " gives the verdict \"" + verdict + "\", which is not allow, ask or deny"};
}

bool allows_any_command(Toolbox& toolbox) {
  return explained(toolbox, {}, std::string(workflow::shell_tool), {{"command", "$("}}).kind ==
         workflow::CommandVerdict::Kind::allow;
}

}  // namespace wtool::host
