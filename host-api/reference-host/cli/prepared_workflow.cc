#include "cli/prepared_workflow.h"

#include <utility>

#include "base/text.h"
#include "cli/configured.h"
#include "cli/context.h"
#include "cli/explained_call.h"
#include "cli/workflow_list.h"
#include "runner/executor.h"
#include "servers/server_tools.h"
#include "terminal/terminal.h"
#include "workflow/actions/action_type.h"
#include "workflow/check/checker.h"
#include "workflow/parse/parser.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host {

std::shared_ptr<const WorkflowSetup> WorkflowSetup::make(Context& context) {
  auto made = std::make_shared<WorkflowSetup>();
  made->directory = working_directory();
  if (made->directory.empty()) return nullptr;
  const std::optional<Config> config = loaded_config(context);
  if (!config) return nullptr;
  made->prompts = configured_prompts(*config, made->directory);
  if (!made->prompts) return nullptr;
  made->servers = configured_servers(*config, made->directory);
  made->output_limits = configured_output_limits(*config);
  made->first_config = std::make_shared<const Config>(*config);
  made->cache = configured_cache(*config);
  made->cache.directory = made->directory;
  made->environment.directory = made->directory;
  for (const std::string& file : context.options.env_files) {
    std::string error;
    const auto read = workflow::read_environment_file(file, error);
    if (!read) {
      complain("--env-file: " + error);
      return nullptr;
    }
    for (const auto& [name, value] : *read) {
      std::erase_if(made->environment.given, [&given = name](const auto& known) { return known.first == given; });
      made->environment.given.emplace_back(name, value);
    }
  }
  made->shell = configured_shell(*config);
  made->tracing = &context.tracing();
  made->tools = context.workflow_toolbox();
  std::string& version = made->cache.parts["the version of wtool or of its tools"];
  version = WTOOL_VERSION;
  if (made->tools != nullptr) {
    for (const ToolDescription& tool : context.plugin()->tools()) version += " " + tool.id + "=" + tool.version;
  }
  made->config = &context.workflow_config();
  return made->tools == nullptr ? nullptr : made;
}

std::unique_ptr<PreparedWorkflow> PreparedWorkflow::open(Context& context, const std::string& file,
                                                         const std::vector<std::string>& given) {
  const std::string directory = working_directory();
  if (directory.empty()) return nullptr;
  std::unique_ptr<PreparedWorkflow> made(new PreparedWorkflow());
  // The file is loaded first: if that fails, no plugin is needed, and messages about the setup would only mislead.
  std::string error;
  const std::string path = workflow_file(file, directory, error);
  if (!path.empty()) made->source_ = workflow::load_given_source(path, error);
  if (!error.empty()) {
    complain(error);
    return nullptr;
  }
  made->setup_ = WorkflowSetup::make(context);
  return made->setup_ != nullptr && made->check(given, "run") ? std::move(made) : nullptr;
}

std::unique_ptr<PreparedWorkflow> PreparedWorkflow::open(std::shared_ptr<const WorkflowSetup> setup,
                                                         workflow::Source source, const std::string& was_not) {
  std::unique_ptr<PreparedWorkflow> made(new PreparedWorkflow());
  made->setup_ = std::move(setup);
  made->source_ = std::move(source);
  return made->check({}, was_not) ? std::move(made) : nullptr;
}

bool PreparedWorkflow::check(const std::vector<std::string>& given, const std::string& was_not) {
  library_ = std::make_shared<workflow::Library>(setup_->directory, shared_workflow_folders());
  library_->read_environment(setup_->environment);
  workflow::Diagnostics diagnostics;
  workflow_ = workflow::parse_workflow(source_, diagnostics, &setup_->environment);
  workflow::CheckContext check_context;
  const servers::ServerTools tools(*setup_->tools, setup_->servers);
  check_context.tools = &tools;
  check_context.file = source_.name();
  check_context.library = library_.get();
  check_context.must_exist = true;
  check_context.unreadable_commands = setup_->shell;
  look_for_prompts(*setup_->prompts, check_context);
  check_context.timeout_max = setup_->config->timeout_max();
  check_context.shell_problem = [this](const std::string& shell) { return setup_->config->shell_problem(shell); };
  check_context.place_problem = [this](const workflow::Placement& place, const std::string& tool) {
    return place_problem(*setup_->tools, setup_->servers, place, tool);
  };
  workflow::check_workflow(workflow_, given, check_context, diagnostics);
  expect_places(workflow_);
  std::size_t bad = 0;
  for (const workflow::CalledWorkflow& called : workflow::check_called_workflows(workflow_, check_context)) {
    const workflow::Library::Entry& entry = *called.entry;
    expect_places(entry.workflow);
    setup_->prompts->expect(entry.source.name());
    Terminal::of_process().write(entry.diagnostics.with_lines(entry.source) +
                                 called.diagnostics.with_lines(entry.source));
    if (!entry.diagnostics.empty() || !called.diagnostics.empty()) ++bad;
  }
  // Warnings do not prevent a run.
  Terminal::of_process().write(diagnostics.with_lines(source_));
  if (diagnostics.empty() && bad == 0) {
    const std::string why = setup_->tools->make_expected();
    if (!why.empty()) complain(source_.name() + ": the workflow was not " + was_not + ": " + why);
    return why.empty();
  }
  if (bad > 0) {
    complain(source_.name() + ": the workflow was not " + was_not + ": " + std::to_string(bad) +
             (bad == 1 ? " workflow that it runs has errors" : " workflows that it runs have errors"));
    return false;
  }
  complain(source_.name() + ": the workflow was not " + was_not + ": " + counted(diagnostics.size(), "error"));
  return false;
}

// Announces to the toolbox the tools that the steps call, each at the place of its step. For a step that runs a
// workflow, it announces the shell there. Tools at places that only a run determines are made when they are first
// called.
void PreparedWorkflow::expect_places(const workflow::Workflow& workflow) {
  for (std::size_t i = 0; i < workflow.states.size(); ++i) {
    const workflow::State& state = workflow.states[i];
    if (!state.action) continue;
    if (std::holds_alternative<workflow::ServiceAction>(state.action->kind)) {
      for (const workflow::ShellAction* shell : workflow::shell_commands_of(state.action->kind)) {
        setup_->tools->expect({.shell = workflow::shell_of(*shell, workflow), .on = "local"}, workflow::shell_tool);
      }
      continue;
    }
    const workflow::Placement placed = workflow::place_of(workflow, i);
    CallPlace place{.on = placed.on, .slot = placed.slot};
    const auto* const called = std::get_if<workflow::ToolAction>(&state.action->kind);
    const bool is_servers = called != nullptr && setup_->servers.find(called->tool);
    if ((placed.on.empty() ? setup_->tools->own_place() : placed.on) == "cluster" && !is_servers &&
        workflow::type_of(state.action->kind).calls_something) {
      slots_.insert(placed.slot);
    }
    std::string tool(workflow::shell_tool);
    if (const auto* shell = std::get_if<workflow::ShellAction>(&state.action->kind)) {
      place.shell = workflow::shell_of(*shell, workflow);
    } else if (is_servers) {
      place = {.on = "local"};
    } else if (called != nullptr) {
      tool = called->tool;
    } else if (!workflow::type_of(state.action->kind).calls_something) {
      continue;
    }
    setup_->tools->expect(std::move(place), tool);
  }
}

std::unique_ptr<PreparedWorkflow> PreparedWorkflow::copy() const {
  return std::unique_ptr<PreparedWorkflow>(new PreparedWorkflow(*this));
}

WorkflowConfig::InForce PreparedWorkflow::in_force() const {
  WorkflowConfig::InForce now = setup_->config->in_force();
  if (!now.config) now.config = setup_->first_config;
  return now;
}

audit::AppendOptions PreparedWorkflow::trail() const { return configured_trail(*in_force().config); }

std::string PreparedWorkflow::cut_to(const runner::RunPart& part) {
  const std::string why = runner::cut_to(workflow_, part);
  return why.empty() ? "" : source_.name() + ": the workflow was not run: " + why;
}

std::string PreparedWorkflow::shown_name() const {
  if (!workflow_.title.empty()) return workflow_.title;
  if (!workflow_.name.empty()) return workflow_.name;
  return source_.name() == workflow::standard_input ? "standard input" : source_.name();
}

runner::RunServices PreparedWorkflow::services() {
  runner::RunServices services;
  services.timeout_max = setup_->config->timeout_max();
  services.workflow = [this](const std::string& name, const std::string& from,
                             std::string& error) -> std::optional<runner::OtherWorkflow> {
    const workflow::Library::Entry* entry = library_->find(name, from, error);
    if (entry == nullptr) return std::nullopt;
    if (!entry->diagnostics.empty()) {
      error = "the workflow " + expressions::quoted_for_message(name) + " has errors:\n" +
              entry->diagnostics.text(entry->source);
      return std::nullopt;
    }
    return runner::OtherWorkflow{&entry->workflow, &entry->source};
  };
  services.prompt = [this](const std::string& prompt, bool is_inline, const std::string& from,
                           const expressions::Scope& values, const runner::PromptAddition& addition) {
    return setup_->prompts->prepare(prompt, is_inline, from, values, addition);
  };
  services.explain = [this](const CallPlace& place, const std::string& tool, const nlohmann::json& arguments,
                            std::string& why) {
    return explanation_of(tools(), servers(), place, tool, arguments, why);
  };
  services.configuration = [this] {
    const WorkflowConfig::InForce now = in_force();
    return runner::ConfigurationState{configured_work(*now.config), now.changes};
  };
  return services;
}

}  // namespace wtool::host
