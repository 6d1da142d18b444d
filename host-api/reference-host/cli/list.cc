// wtool list [--json]: lists the workflows that can be run by name here: those of the project, the user and the system.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/json_reader.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/table.h"
#include "cli/workflow_list.h"

namespace wtool::host {

namespace {

using nlohmann::ordered_json;

const char* type_name(workflow::Parameter::Type type) {
  switch (type) {
    case workflow::Parameter::Type::number:
      return "number";
    case workflow::Parameter::Type::boolean:
      return "boolean";
    case workflow::Parameter::Type::list:
      return "list";
    case workflow::Parameter::Type::text:
      break;
  }
  return "string";
}

// The default of a secret is never shown.
ordered_json as_json(const workflow::Parameter& parameter) {
  ordered_json made = {
      {"name", parameter.name},          {"description", parameter.description}, {"type", type_name(parameter.type)},
      {"required", parameter.required},  {"secret", parameter.secret},           {"default", nullptr},
      {"choices", ordered_json::array()}};
  if (parameter.fallback && !parameter.secret)
    made["default"] = parse_ordered_json_or_throw(expressions::to_json(*parameter.fallback));
  for (const expressions::Value& choice : parameter.choices)
    made["choices"].push_back(parse_ordered_json_or_throw(expressions::to_json(choice)));
  return made;
}

ordered_json as_json(const OfferedWorkflow& offered) {
  ordered_json parameters = ordered_json::array();
  for (const workflow::Parameter& parameter : offered.workflow.parameters) parameters.push_back(as_json(parameter));
  return {{"name", offered.name},
          {"file", offered.file},
          {"where", offered.where},
          {"title", offered.workflow.title},
          {"description", offered.workflow.description},
          {"tool", offered.workflow.is_tool},
          {"parameters", std::move(parameters)},
          {"problem", offered.problem}};
}

int list_workflows(bool as_object) {
  const std::string directory = working_directory();
  if (directory.empty()) return exit_unusable;
  const std::vector<OfferedWorkflow> workflows = offered_workflows(directory);
  const std::vector<std::string> unreadable = unreadable_folders(directory);
  for (const std::string& problem : unreadable) complain(problem);
  const int status = unreadable.empty() ? exit_ok : exit_unusable;
  if (as_object) {
    ordered_json all = ordered_json::array();
    for (const OfferedWorkflow& one : workflows) all.push_back(as_json(one));
    return print(dumped(all, 2) + '\n') ? status : exit_unusable;
  }
  if (!workflows.empty()) {
    return print(fitted(workflow_table(workflows, false, !output_is_terminal()), output_columns())) ? status
                                                                                                    : exit_unusable;
  }
  if (!unreadable.empty()) return status;
  std::string text = "There are no workflows in";
  for (const std::string& folder : workflow_folders(directory)) {
    text += (text.ends_with("in") ? " " : ", ") + cleaned_for_terminal(folder, false);
  }
  return print(text + ". `wtool init workflow` writes one.\n") ? exit_ok : exit_unusable;
}

}  // namespace

void add_list(CLI::App& app, Context& context) {
  auto as_object = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("list", "List the workflows that can be run by name here");
  command->add_flag("--json", *as_object, "As a JSON array of objects, with all parameters");
  command->footer(
      "Shows the workflows of this directory; of .swissarmyhammer/workflows, .wtool/workflows and workflows here\n"
      "and, within a repository, in the folders above; those of the user ($XDG_CONFIG_HOME/wtool/workflows, else\n"
      "~/.config/wtool/workflows); and those of the machine (/etc/wtool/workflows). If several have the same\n"
      "name, the first one runs. Parameters in brackets need no value.\n"
      "\n"
      "Examples:\n"
      "  wtool list\n"
      "  wtool list --json | jq -r '.[].name'");
  command->callback([&context, as_object] { context.command = [as_object] { return list_workflows(*as_object); }; });
}

}  // namespace wtool::host
