#include "workflow/parse/defaults.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/json.h"
#include "workflow/actions/action_type.h"

namespace wtool::host::workflow {
namespace {

using Environment = std::vector<std::pair<std::string, TemplateText>>;

// A template of the unchanged text: nothing in it is treated as a placeholder.
TemplateText literal_text(const std::string& text, std::size_t offset) {
  TemplateText made;
  made.written.append("", offset);
  made.parsed.texts = {text};
  made.from_file = true;
  return made;
}

class Defaults {
 public:
  Defaults(Workflow& workflow, const EnvironmentSource* source, Diagnostics& diagnostics)
      : workflow_(workflow), source_(source), diagnostics_(diagnostics) {}

  void apply() {
    // Every file is read, even one that no step needs, so that an unreadable file is reported.
    read_files(workflow_.defaults.environment_files, workflow_.defaults.environment);
    for (State& state : workflow_.states) {
      if (state.defaults) read_files(state.defaults->environment_files, state.defaults->environment);
    }
    for (std::size_t i = 0; i < workflow_.states.size(); ++i) {
      if (workflow_.states[i].action) apply_to(i);
    }
  }

 private:
  // Adds the files' variables to `out`, except those that `out` already has.
  void read_files(const std::vector<NamedPlace>& files, Environment& out) {
    if (source_ == nullptr) return;
    for (auto file = files.rbegin(); file != files.rend(); ++file) {
      for (const auto& [name, value] : content_of(*file)) add(name, literal_text(value, file->offset), out);
    }
  }

  const EnvironmentVariables& content_of(const NamedPlace& file) {
    const std::string path = (std::filesystem::path(source_->directory) / file.name).string();
    const auto known = files_.find(path);
    if (known != files_.end()) return known->second;
    std::string error;
    auto read = read_environment_file(path, error);
    if (!read) {
      const std::string message = "the env_file cannot be used: " + error;
      source_->must_exist ? diagnostics_.add(file.offset, message) : diagnostics_.warn(file.offset, message);
    }
    return files_.emplace(path, std::move(read).value_or(EnvironmentVariables())).first->second;
  }

  static void add(const std::string& name, TemplateText text, Environment& out) {
    const bool is_there = std::any_of(out.begin(), out.end(), [&](const auto& known) { return known.first == name; });
    if (!is_there) out.emplace_back(name, std::move(text));
  }

  void apply_to(std::size_t state) {
    Action& action = *workflow_.states[state].action;
    for (ShellAction* shell : commands_of(action)) read_files(shell->environment_files, shell->environment);
    for (std::size_t at = workflow_.states[state].around; at != no_state;) {
      if (workflow_.states[at].other_half == no_state) break;
      const State& around = workflow_.states[workflow_.states[at].other_half];
      if (around.defaults) take(*around.defaults, action);
      at = around.around;
    }
    for (ShellAction* shell : commands_of(action)) {
      if (source_ == nullptr) break;
      for (const auto& [name, value] : source_->given)
        add(name, literal_text(value, action.offset), shell->environment);
    }
    take(workflow_.defaults, action);
  }

  static void take(const StepDefaults& from, Action& action) {
    const bool is_one_call = type_of(action.kind).is_one_call;
    // A tool may have a timeout among its own arguments.
    const bool takes_timeout = is_one_call && !std::holds_alternative<ToolAction>(action.kind);
    if (takes_timeout && !action.options.timeout) action.options.timeout = from.timeout;
    if (is_one_call && from.retry && !action.options.says_retry) {
      action.options.retry = *from.retry;
      action.options.says_retry = true;
    }
    for (ShellAction* command : commands_of(action)) {
      if (command->shell.name.empty()) command->shell = from.shell;
      if (!command->working_directory) command->working_directory = from.working_directory;
      for (const auto& [name, text] : from.environment) add(name, text, command->environment);
    }
  }

  // The commands of Shell and Service, to which the defaults of commands apply. (Those of `timeout` and `retry` do not
  // apply to a service: it has no timeout, and `retry` would only repeat its start.)
  static std::vector<ShellAction*> commands_of(Action& action) {
    if (auto* shell = std::get_if<ShellAction>(&action.kind)) return {shell};
    auto* service = std::get_if<ServiceAction>(&action.kind);
    if (service == nullptr) return {};
    if (!service->ready) return {&service->run};
    return {&service->run, &*service->ready};
  }

  Workflow& workflow_;
  const EnvironmentSource* source_;
  Diagnostics& diagnostics_;
  std::map<std::string, EnvironmentVariables> files_;  // by path
};

}  // namespace

bool take_environment(ActionCursor& cursor, Diagnostics& diagnostics, Environment& out) {
  const std::size_t at = cursor.here();
  const auto object = cursor.take_json_object();
  if (!object) return false;
  for (const auto& [name, value] : object->items()) {
    if (!value.is_string()) {
      diagnostics.add(at, "the environment variable " + name + " must be a text in quotes");
      continue;
    }
    out.emplace_back(name, template_text(value.get_ref<const std::string&>(), at, diagnostics));
  }
  return true;
}

bool take_environment_file(ActionCursor& cursor, Diagnostics& diagnostics, std::vector<NamedPlace>& out) {
  const std::size_t at = cursor.here();
  const auto text = cursor.take_text("the name of a file");
  if (!text) return false;
  if (text->empty()) {
    diagnostics.add(at, "env_file needs the name of a file, such as env_file=\".env\"");
    return false;
  }
  out.push_back({text->text(), at});
  return true;
}

void apply_defaults(Workflow& workflow, const EnvironmentSource* source, Diagnostics& diagnostics) {
  Defaults(workflow, source, diagnostics).apply();
}

}  // namespace wtool::host::workflow
