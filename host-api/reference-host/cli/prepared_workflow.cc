#include "cli/prepared_workflow.h"

#include <limits.h>
#include <string.h>
#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/edit_distance.h"
#include "base/environment.h"
#include "base/files.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/secrets/secrets.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/context.h"
#include "cli/output_files.h"
#include "cli/shell_reader.h"
#include "cli/workflow_list.h"
#include "journal/observers.h"
#include "runner/abort_watcher.h"
#include "runner/executor.h"
#include "runner/up_to_date.h"
#include "servers/server_tools.h"
#include "terminal/terminal.h"
#include "workflow/actions/action_type.h"
#include "workflow/check/checker.h"
#include "workflow/parse/parser.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host {

namespace {

constexpr std::size_t max_names = 20;

// The message for a name that is neither a file nor a workflow: where it was looked for, and which workflows exist.
std::string not_found(const std::string& wanted, const std::string& directory) {
  const std::string text =
      wanted + ": there is no such file, and no workflow of that name in " + joined(workflow_folders(directory));
  std::vector<std::string> names;
  for (const OfferedWorkflow& one : offered_workflows(directory)) names.push_back(one.name);
  if (names.empty()) return text + "; there are no workflows in these folders";
  const std::string shown = joined(std::span(names).first(std::min(names.size(), max_names)));
  return text + question_then(did_you_mean(wanted, names), "the workflows are " + shown) +
         (names.size() > max_names ? ", ..." : "");
}

}  // namespace

std::vector<std::string> shared_workflow_folders() {
  std::vector<std::string> folders;
  if (const std::string user = user_config_folder(); !user.empty()) folders.push_back(user + "/workflows");
  folders.emplace_back("/etc/wtool/workflows");
  return folders;
}

std::string workflow_file(const std::string& wanted, const std::string& directory, std::string& error) {
  if (::access(wanted.c_str(), F_OK) == 0) return wanted;
  workflow::Library library(directory, shared_workflow_folders());
  if (const auto* entry = library.find(wanted, directory + "/", error)) return entry->source.name();
  if (wanted.find('/') != std::string::npos || wanted.ends_with(".md")) {
    error.clear();
    return wanted;
  }
  const std::vector<std::string> names = library.names();
  const bool there = std::find(names.begin(), names.end(), wanted) != names.end() ||
                     ::access((directory + "/" + wanted + ".md").c_str(), F_OK) == 0;
  if (!there) error = not_found(wanted, directory);
  return {};
}

std::optional<Config> loaded_config(Context& context) {
  std::string error;
  std::optional<Config> config = context.config_files().load_config(error);
  if (!config) complain(error);
  return config;
}

servers::Catalog configured_servers(const Config& config, const std::string& directory) {
  const EffectiveKey* const key = config.find("mcp_servers");
  return key == nullptr ? servers::Catalog() : servers::Catalog(key->value, directory);
}

std::string place_problem(Toolbox& toolbox, const servers::Catalog& servers, const workflow::Placement& place,
                          const std::string& tool) {
  const CallPlace wanted{.on = place.on, .slot = place.slot, .limits = workflow::limits_text(place.limits)};
  const auto found = servers.find(tool);
  if (!found) return toolbox.place_problem(wanted, tool);
  if (place.on == "cluster") return "the servers of mcp_servers run only on this machine";
  return toolbox.place_problem(servers::place_of(*found->settings, wanted), workflow::shell_tool);
}

workflow::ShellReader configured_shell(const Config& config) {
  const nlohmann::json& configured = config.value("shell.program");
  const std::string shell = configured.is_string() ? configured.get<std::string>() : "/bin/sh";
  return [shell](const std::string& wanted, const std::vector<std::string>& commands) {
    return unreadable_commands(wanted.empty() ? shell : wanted, commands);
  };
}

namespace {

// Leaves `out` as it is if the key has no value.
template <typename T>
void take_value(const Config& config, std::string_view key, T& out) {
  if (const nlohmann::json& value = config.value(key); !value.is_null()) value.get_to(out);
}

}  // namespace

std::unique_ptr<runner::Prompts> configured_prompts(const Config& config, const std::string& directory) {
  runner::PromptSettings settings;
  take_value(config, "prompts.command", settings.command);
  take_value(config, "prompts.directories", settings.directories);
  take_value(config, "prompts.timeout", settings.timeout);
  std::string error;
  auto prompts = std::make_unique<runner::Prompts>(std::move(settings), directory, error);
  if (error.empty()) return prompts;
  complain(error);
  return nullptr;
}

namespace {

void read_limits(const Config& config, OutputLimits& limits, audit::AppendOptions& trail,
                 cache::StepCache::Options& cached) {
  for (const EffectiveKey& key : config.keys) {
    // Settings that, besides the call itself, determine what a command sees.
    if (key.name.starts_with("environment.") || key.name.starts_with("shell.")) {
      cached.parts["the configuration"] += key.name + "=" + key.value.dump() + "\n";
    }
  }
  take_value(config, "cache.max_bytes", cached.max_bytes);
  take_value(config, "output.max_bytes", limits.max_bytes);
  take_value(config, "output.json_bytes", limits.json_bytes);
  take_value(config, "audit.file", trail.file);
  trail.sync_data = config.value("audit.sync") == "data";
  trail.continue_when_unwritable = config.value("audit.when_unwritable") == "continue";
}

}  // namespace

void look_for_prompts(const runner::Prompts& prompts, workflow::CheckContext& check_context) {
  check_context.prompt_problems = [&prompts](const std::string& name, const std::string& file,
                                             const std::set<std::string, std::less<>>& known) {
    return prompts.check(name, file, known);
  };
  check_context.prompt_sets = [&prompts](const std::string& prompt, bool is_inline, const std::string& file) {
    return prompts.settable_names(prompt, is_inline, file);
  };
  check_context.prompt_command_problem = [&prompts] {
    return prompts.has_command() ? std::string() : runner::Prompts::no_command();
  };
}

namespace {

// The absolute path of the working directory. Empty: the reason is on standard error.
std::string working_directory() {
  char directory[PATH_MAX];
  if (::getcwd(directory, sizeof directory) != nullptr) return directory;
  complain(std::string("the working directory cannot be found: ") + ::strerror(errno));
  return {};
}

}  // namespace

std::shared_ptr<const WorkflowSetup> WorkflowSetup::make(Context& context) {
  auto made = std::make_shared<WorkflowSetup>();
  made->directory = working_directory();
  if (made->directory.empty()) return nullptr;
  made->cache.directory = made->directory;
  const std::optional<Config> config = loaded_config(context);
  if (!config) return nullptr;
  made->prompts = configured_prompts(*config, made->directory);
  if (!made->prompts) return nullptr;
  made->servers = configured_servers(*config, made->directory);
  read_limits(*config, made->output_limits, made->trail, made->cache);
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
  if (!path.empty()) made->source_ = workflow::load_source(path, error);
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

std::string PreparedWorkflow::cut_to(const runner::RunPart& part) {
  const std::string why = runner::cut_to(workflow_, part);
  return why.empty() ? "" : source_.name() + ": the workflow was not run: " + why;
}

std::string PreparedWorkflow::shown_name() const {
  if (!workflow_.title.empty()) return workflow_.title;
  return workflow_.name.empty() ? source_.name() : workflow_.name;
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
  return services;
}

// ---- What the policy says about a call, without making it.

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

runner::RunReport run_journaled(PreparedWorkflow& prepared, ToolCaller& tools, JournaledRun run,
                                runner::Secrets& secrets, Stop& stop, runner::RunObserver& shown) {
  const auto hidden = prepared.tracing().hide([&secrets](std::string_view text) { return secrets.masked(text); });
  for (const auto& [server, settings] : prepared.servers().servers()) {
    for (const auto& [name, value] : settings.env.items()) {
      if (secrets::is_secret_name(name) && value.is_string()) secrets.add(value.get_ref<const std::string&>());
    }
  }
  runner::AbortWatcher watcher(prepared.directory(), stop);
  if (!watcher.error().empty()) complain("the abort file has no effect in this run: " + watcher.error());
  OutputFiles files(run.journal ? run.journal->file() : "", secrets, prepared.output_limits());
  journal::Masking masking(secrets, shown);
  journal::Observers all({run.journal.get(), &masking});
  if (prepared.tools().own_place() == "cluster") run.settings.on = "cluster";
  runner::RunServices services = prepared.services();
  services.confirm = std::move(run.confirm);
  services.skips_finally = std::move(run.skips_finally);
  services.approve = std::move(run.approve);
  services.may_begin = std::move(run.may_begin);
  services.before_state = [&watcher] { watcher.look(); };
  services.outputs = &files;
  cache::StepCache::Options cached = prepared.cache_options();
  cached.force = run.settings.force;
  cache::StepCache cache(std::move(cached));
  services.cache = &cache;
  if (!prepared.trail().file.empty()) {
    services.record_skipped = [&trail = prepared.trail(),
                               masker = secrets::Masker(own_environment())](nlohmann::ordered_json fields) {
      if (const auto command = fields.find("command"); command != fields.end()) {
        *command = masker.masked(command->get_ref<const std::string&>());
      }
      std::string why = audit::append(trail, "up_to_date", fields);
      if (why.empty() || !trail.continue_when_unwritable) return why;
      complain(why + "; the step is skipped nevertheless (audit.when_unwritable: continue)");
      return std::string();
    };
  }
  servers::ServerTools with_servers(tools, prepared.servers());
  runner::RunReport report =
      journal::masked(runner::run_workflow({prepared.workflow(), prepared.source(), std::move(run.inputs), with_servers,
                                            stop, all, run.settings, std::move(services), &secrets, run.past,
                                            run.journal ? run.journal->run() : "", prepared.shown_name()}),
                      secrets);
  // A result that was kept may contain a secret that became known only later.
  if (!secrets.empty()) {
    for (const std::string& step : cache.recheck([&secrets] { return runner::secret_search(&secrets); })) {
      complain("the result of '" + step + "' is not kept for later runs: it contains a secret that became known later");
    }
  }
  return report;
}

journal::Journal::Options journal_options(const runner::Secrets& secrets) {
  return {&secrets, [](const std::string& text) { complain(text); }};
}

std::vector<std::string> lost_inputs(const journal::RunRecord& run, const std::set<std::string>& given,
                                     const std::string& option) {
  std::vector<std::string> sentences;
  const auto again = [&](const std::string& name) {
    return "give it again" +
           (option.empty() ? "" : " with " + option + name + "=FILE or --var-env " + name + "=VARIABLE");
  };
  for (const std::string& name : run.secret_inputs) {
    if (!given.contains(name)) sentences.push_back("the secret '" + name + "' is not in the journal; " + again(name));
  }
  for (const std::string& name : run.masked_inputs) {
    if (given.contains(name)) continue;
    sentences.push_back("the input '" + name + "' contains a secret, which is not in the journal; " + again(name));
  }
  return sentences;
}

std::string changed_since(const workflow::Source& source, const journal::RunRecord& run) {
  if (sha256(source.text()) == run.sha256()) return {};
  return "the file " + run.file + " has changed since the run " + run.run +
         "; completed steps are not run again while the run visits the same states, with the same actions, as before";
}

}  // namespace wtool::host
