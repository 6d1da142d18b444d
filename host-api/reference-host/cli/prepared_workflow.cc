#include "cli/prepared_workflow.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>

#include "cli/output.h"
#include "workflow/called_workflows.h"
#include "workflow/checker.h"
#include "workflow/parser.h"

namespace wtool::host {

namespace {

// A workflow may be named as another one names it. What is no name of one either is told of as a file.
std::string file_of(const std::string& wanted, const std::string& directory) {
  if (::access(wanted.c_str(), F_OK) == 0) return wanted;
  std::string ignored;
  workflow::Library library(directory);
  const workflow::Library::Entry* entry = library.find(wanted, directory + "/", ignored);
  return entry == nullptr ? wanted : entry->source.name();
}

}  // namespace

std::unique_ptr<workflow::Prompts> configured_prompts(Context& context, const std::string& directory) {
  std::string error;
  const std::optional<Config> config = context.config_files().load_config(error);
  if (!config) {
    complain(error);
    return nullptr;
  }
  workflow::PromptSettings settings;
  for (const EffectiveKey& key : config->keys) {
    if (key.value.is_null()) continue;
    if (key.name == "prompts.command") settings.command = key.value.get<std::string>();
    if (key.name == "prompts.directories") settings.directories = key.value.get<std::vector<std::string>>();
    if (key.name == "prompts.timeout") settings.timeout = key.value.get<std::int64_t>();
  }
  auto prompts = std::make_unique<workflow::Prompts>(std::move(settings), directory, error);
  if (error.empty()) return prompts;
  complain(error);
  return nullptr;
}

void look_for_prompts(const workflow::Prompts& prompts, workflow::Surroundings& surroundings) {
  surroundings.prompt_problem = [&prompts](const std::string& name, const std::string& file) {
    std::string problem;
    prompts.find(name, file, problem);
    return problem;
  };
  surroundings.prompt_command_problem = [&prompts] {
    return prompts.has_command() ? std::string() : workflow::Prompts::no_command();
  };
}

std::unique_ptr<PreparedWorkflow> PreparedWorkflow::open(Context& context, const std::string& file,
                                                         const std::vector<std::string>& given) {
  std::unique_ptr<PreparedWorkflow> made(new PreparedWorkflow());
  // What does not even parse is not worth a plugin, and its other findings would only mislead.
  if (!made->read(file) || !made->configure(context) || !made->check(given)) return nullptr;
  return made;
}

bool PreparedWorkflow::read(const std::string& file) {
  char directory[PATH_MAX];
  if (::getcwd(directory, sizeof directory) == nullptr) {
    complain(std::string("the working directory cannot be found: ") + ::strerror(errno));
    return false;
  }
  directory_ = directory;
  std::string error;
  source_ = workflow::load_source(file_of(file, directory_), error);
  if (!error.empty()) {
    complain(error);
    return false;
  }
  return true;
}

bool PreparedWorkflow::configure(Context& context) {
  prompts_ = configured_prompts(context, directory_);
  if (!prompts_) return false;
  library_ = std::make_unique<workflow::Library>(directory_);
  tools_ = context.toolbox();
  return tools_ != nullptr;
}

bool PreparedWorkflow::check(const std::vector<std::string>& given) {
  workflow::Findings findings;
  workflow_ = workflow::parse_workflow(source_, findings);
  workflow::Surroundings surroundings;
  surroundings.tools = tools_;
  surroundings.file = source_.name();
  surroundings.library = library_.get();
  surroundings.must_exist = true;
  look_for_prompts(*prompts_, surroundings);
  workflow::check_workflow(workflow_, given, surroundings, findings);
  std::size_t bad = 0;
  for (const workflow::CalledWorkflow& called : workflow::check_called_workflows(workflow_, surroundings)) {
    const workflow::Library::Entry& entry = *called.entry;
    write_all(STDERR_FILENO, entry.findings.text(entry.source) + called.findings.text(entry.source));
    if (!entry.findings.empty() || !called.findings.empty()) ++bad;
  }
  // Warnings forbid nothing.
  write_all(STDERR_FILENO, findings.text(source_));
  if (findings.empty() && bad == 0) return true;
  if (bad > 0) {
    complain(source_.name() + ": the workflow was not run: " + std::to_string(bad) +
             (bad == 1 ? " workflow that it runs has errors" : " workflows that it runs have errors"));
    return false;
  }
  complain(source_.name() + ": the workflow was not run: " + std::to_string(findings.size()) +
           (findings.size() == 1 ? " error" : " errors"));
  return false;
}

std::string PreparedWorkflow::shown_name() const {
  if (!workflow_.title.empty()) return workflow_.title;
  return workflow_.name.empty() ? source_.name() : workflow_.name;
}

workflow::RunWorld PreparedWorkflow::world() {
  workflow::RunWorld world;
  world.workflow = [this](const std::string& name, const std::string& from,
                          std::string& error) -> std::optional<workflow::OtherWorkflow> {
    const workflow::Library::Entry* entry = library_->find(name, from, error);
    if (entry == nullptr) return std::nullopt;
    if (!entry->findings.empty()) {
      error = "the workflow " + expressions::quoted_for_message(name) + " has errors:\n" +
              entry->findings.text(entry->source);
      return std::nullopt;
    }
    return workflow::OtherWorkflow{&entry->workflow, &entry->source};
  };
  world.prompt = [this](const std::string& prompt, bool is_inline, const std::string& from,
                        const expressions::Scope& values) {
    return prompts_->prepare(prompt, is_inline, from, values);
  };
  return world;
}

}  // namespace wtool::host
