// wtool plan FILE [--var NAME=VALUE]... [--json] [--force]: prints to standard output what a run would do, and runs nothing.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/raw_json.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/explained_call.h"
#include "cli/prepared_workflow.h"
#include "cli/workflow_run.h"
#include "planning/plan.h"

namespace wtool::host {

namespace {

struct PlanOptions {
  std::string file;
  GivenVariables variables;
  runner::RunPart part;
  PlanStyle style{};
};

// The request that a run would make to Slurm. Nothing is submitted here.
planning::PlannedCluster asked_of_slurm(Toolbox& tools, const std::string& slot) {
  planning::PlannedCluster made{.slot = slot};
  Stop stop;
  const auto explained = tools.explain(workflow::shell_tool, R"({"command": "true"})", stop, made.problem,
                                       {.on = "cluster", .slot = slot});
  if (!explained) return made;
  const std::vector<RawJson::Member> told = explained->member("cluster").members();
  const auto number = [&](const char* key) { return find_member(told, key).integer<std::int64_t>().value_or(0); };
  made.nodes = number("nodes");
  made.slots = number("slots");
  made.cpus = number("cpus");
  made.minutes = number("minutes");
  made.sbatch = find_member(told, "sbatch").text().value_or("");
  if (made.sbatch.empty()) made.problem = "the cluster's plugin does not say what it would submit";
  return made;
}

}  // namespace

int plan_file(Context& context, const std::string& file, const GivenVariables& variables, const runner::RunPart& part,
              PlanStyle style) {
  const auto prepared = PreparedWorkflow::open(context, file, variables.names());
  if (!prepared) return exit_unusable;
  if (const std::string why = prepared->cut_to(part); !why.empty()) {
    complain(why);
    return exit_unusable;
  }
  if (takes_input_twice(file, variables)) return exit_unusable;
  const auto given = read_variables(variables, prepared->workflow());
  if (!given) return exit_unusable;
  auto inputs = inputs_of(*prepared, file, *given, variables);
  if (!inputs) return exit_unusable;

  planning::PlanServices services;
  services.workflow = prepared->services().workflow;
  services.prompt = [&](const std::string& prompt, bool is_inline, const std::string& from,
                        const expressions::Scope& values, const runner::PromptAddition* addition) {
    return prepared->prompts().preview(prompt, is_inline, from, values, addition);
  };
  services.prompt_sets = [&](const std::string& prompt, bool is_inline, const std::string& from) {
    return prepared->prompts().settable_names(prompt, is_inline, from);
  };
  cache::StepCache::Options cached = prepared->cache_options();
  cached.looks_only = true;
  cached.force = style.force;
  cache::StepCache cache(std::move(cached));
  services.cache = &cache;
  services.explain = prepared->services().explain;
  services.configuration = prepared->services().configuration;
  services.verdict = [&](const std::string& tool, const nlohmann::json& arguments) {
    return explained(prepared->tools(), prepared->servers(), tool, arguments);
  };
  planning::Plan made = planning::plan_workflow(prepared->workflow(), prepared->source(), std::move(*inputs), services);
  for (const std::string& slot : prepared->slots()) made.cluster.push_back(asked_of_slurm(prepared->tools(), slot));
  if (!print(style.json ? planning::plan_json(made) : planning::plan_text(made))) return exit_unusable;
  return planning::count(made).refused > 0 ? exit_refused : exit_ok;
}

void add_plan(CLI::App& app, Context& context) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* command = app.add_subcommand("plan", "Show what a run of a workflow would do, without running anything");
  command
      ->add_option("WORKFLOW", options->file,
                   "The workflow file, the name of one that `wtool list` shows, or - for standard input")
      ->required();
  add_variable_options(*command, options->variables);
  command->add_flag("--json", options->style.json, "Print one JSON object");
  command->add_flag("--force", options->style.force, "Plan a run that also runs the steps that are up to date");
  add_part_options(*command, options->part);
  add_env_file_option(*command, context.options);
  add_on_option(*command, context.options);
  command->footer(
      "The workflow is checked as `wtool run` checks it. Each state is shown with its command, filled in with what is\n"
      "known before a run (what only a run knows appears as <build.stdout>), and with the policy's verdict.\n"
      "For a step with `inputs` or `cache`, the plan says whether it is up to date, or why it would run, based on\n"
      "the files as they are now. If a step runs on a cluster, the plan also says what Slurm would be asked for.\n"
      "Secrets are shown as ***. Exit status: 0; 2 if the workflow is not valid; 3 if a command would be refused.\n"
      "\n"
      "Examples:\n"
      "  wtool plan release.md --var version=1.2.0\n"
      "  wtool plan release.md --json");
  command->callback([&context, options] {
    context.command = [&context, options] {
      return plan_file(context, options->file, options->variables, options->part, options->style);
    };
  });
}

}  // namespace wtool::host
