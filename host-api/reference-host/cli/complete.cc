// wtool complete WORD...: the words that can replace the last word of a command line, for completion in shells
// (packaging/completion). The words are those after `wtool`; the last may be empty.
//
//   $ wtool complete run --max
//   --max-parallel
//
// Prints one candidate per line. A line `:files` means that file names fit, too; in a word --option=VALUE, file names fit
// as the value. Nothing is run, and no plugin is
// initialised. Anything that cannot be read is ignored, since a message would disturb the line that a person types.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/utf8.h"
#include "cli/approve_run.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/load_run.h"
#include "cli/workflow_list.h"
#include "journal/runs_folder.h"
#include "loader/stdin_parameter.h"
#include "terminal/text.h"
#include "workflow/parse/library.h"

namespace wtool::host {

const CLI::App* subcommand(const CLI::App& command, const std::string& name) {
  const auto found = command.get_subcommands([&](const CLI::App* known) { return known->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

namespace {

using Words = std::vector<std::string>;

constexpr std::string_view files_too = ":files";

// The command line up to the word that is completed.
struct TypedLine {
  const CLI::App* command = nullptr;    // the innermost command that the words name
  Words operands;                       // of that command
  const CLI::Option* awaits = nullptr;  // the option that takes the last word as its value
  Words directories{};                  // of --directory
};

const CLI::Option* find_option(const CLI::App& app, const CLI::App& command, const std::string& name) {
  if (const CLI::Option* option = command.get_option_no_throw(name)) return option;
  return app.get_option_no_throw(name);
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

bool is_directory(const CLI::Option& option) { return option.get_name() == "--directory"; }

TypedLine read(const CLI::App& app, const Words& before) {
  TypedLine line{&app, {}, nullptr};
  bool only_operands = false;
  const auto take_value = [&](const CLI::Option& option, const std::string& value) {
    if (is_directory(option)) line.directories.push_back(value);
  };
  for (const std::string& word : before) {
    if (line.awaits != nullptr) {
      take_value(*std::exchange(line.awaits, nullptr), word);
    } else if (only_operands) {
      line.operands.push_back(word);
    } else if (word == "--") {
      only_operands = true;
    } else if (word.size() > 1 && word.front() == '-') {
      const std::size_t equals = word.find('=');
      const CLI::Option* option = find_option(app, *line.command, word.substr(0, equals));
      if (option == nullptr || !takes_value(*option)) continue;
      if (equals == std::string::npos) {
        line.awaits = option;
      } else {
        take_value(*option, word.substr(equals + 1));
      }
    } else if (const CLI::App* inner = line.operands.empty() ? subcommand(*line.command, word) : nullptr) {
      line.command = inner;
    } else {
      line.operands.push_back(word);
    }
  }
  return line;
}

void add_workflows(Words& candidates) {
  const workflow::Library library(".", shared_workflow_folders());
  const Words names = library.names();
  candidates.insert(candidates.end(), names.begin(), names.end());
  candidates.emplace_back(files_too);
}

void add_runs(Words& candidates) {
  std::string error;
  Words runs = journal::list_runs(".", error);
  if (!runs.empty()) candidates.emplace_back("last");
  candidates.insert(candidates.end(), runs.begin(), runs.end());
}

void add_suspended_runs(Words& candidates) {
  std::string error;
  const std::string last = journal::find_run(".", "last", error);
  for (const journal::RunRecord& run : runs_that_wait(error)) {
    candidates.push_back(run.run);
    if (run.run == last) candidates.emplace_back("last");
  }
}

void add_states(Words& candidates, const std::string& wanted_run) {
  const std::optional<PastRunFile> past = read_past_run(wanted_run);
  if (!past) return;
  std::set<std::string> states;
  for (const journal::StepRecord& step : past->run.steps) {
    if (!step.hidden) states.insert(step.state);
  }
  candidates.insert(candidates.end(), states.begin(), states.end());
}

// The workflow that a word of the line names. Nothing: it names none, or standard input, which is not read here.
std::optional<workflow::Workflow> workflow_named(const std::string& word) {
  std::string error;
  const std::string file = word == workflow::standard_input ? "" : workflow_file(word, ".", error);
  return file.empty() ? std::nullopt : read_workflow(file);
}

void add_parameters(Words& candidates, const Words& operands) {
  for (const std::string& operand : operands) {
    const std::optional<workflow::Workflow> workflow = workflow_named(operand);
    if (!workflow) continue;
    for (const workflow::Parameter& parameter : workflow->parameters) candidates.push_back(parameter.name + '=');
  }
}

void add_states_of_workflow(Words& candidates, const Words& operands) {
  for (const std::string& operand : operands) {
    const std::optional<workflow::Workflow> workflow = workflow_named(operand);
    if (!workflow) continue;
    for (const workflow::State& state : workflow->states) {
      if (!state.hidden) candidates.push_back(state.id);
    }
  }
}

// Adds the values of an option that takes only values of a fixed set. CLI11 keeps the set in the name of the option's
// type, such as NAME:{a,b}. False: the option has no such set.
bool add_set(Words& candidates, const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return false;
  std::string value;
  for (std::size_t i = begin + 1; i <= end; ++i) {
    if (type[i] != ',' && i != end) {
      value += type[i];
      continue;
    }
    candidates.push_back(value);
    value.clear();
  }
  return true;
}

void add_all(Words& candidates, const Words& values) {
  candidates.insert(candidates.end(), values.begin(), values.end());
}

void add_tool_names(Words& candidates, Context& context) {
  const Plugin* plugin = context.plugin();
  if (plugin == nullptr) return;
  for (const ToolDescription& tool : plugin->tools()) candidates.push_back(tool.id);
}

// Names of the parameters of the tool that the line calls, except those that the line already has.
void add_tool_parameters(Words& candidates, Context& context, const Words& operands) {
  const Plugin* plugin = operands.empty() ? nullptr : context.plugin();
  if (plugin == nullptr) return;
  for (const ToolDescription& tool : plugin->tools()) {
    if (tool.id != operands.front()) continue;
    auto schema = parse_ordered_json_or_throw(tool.input_schema);
    if (tool.id == stdin_tool) add_stdin(schema);
    const auto properties = schema.find("properties");
    if (properties == schema.end() || !properties->is_object()) continue;
    for (auto it = properties->begin(); it != properties->end(); ++it) {
      const std::string start = it.key() + '=';
      const bool is_given = std::any_of(operands.begin(), operands.end(), [&](const std::string& operand) {
        return operand.starts_with(start) || operand == it.key();  // bash splits words at =
      });
      if (!is_given) candidates.push_back(start);
    }
  }
}

void add_values(Words& candidates, Context& context, const TypedLine& line, const CLI::Option& option) {
  const std::string name = option.nonpositional() ? option.get_name() : option.get_name(true);
  if (add_set(candidates, option)) return;
  if (name == "--log-format") return add_all(candidates, {"text", "json"});
  if (name == "--log") return add_all(candidates, {"off", "error", "warn", "info", "debug", "trace"});
  if (name == "--var" || name == "--var-file" || name == "--var-env") return add_parameters(candidates, line.operands);
  if (name == "--tools" || name == "TOOL") return add_tool_names(candidates, context);
  if (name == "ARGUMENTS" || name == "MORE") return add_tool_parameters(candidates, context, line.operands);
  if (name == "WORKFLOW" || name == "--workflow" || (name == "FILE" && line.command->get_name() == "lint"))
    return add_workflows(candidates);
  if (name == "RUN") return add_runs(candidates);
  if (name == "ID" && line.command->get_name() == "approve") return add_suspended_runs(candidates);
  const bool takes_workflow = line.command->get_name() == "run" || line.command->get_name() == "plan";
  if (takes_workflow && (name == "--until" || name == "--only" || name == "--from")) {
    return add_states_of_workflow(candidates, line.operands);
  }
  const bool of_a_run = name == "STATE" || name == "--from" || name == "--until" || name == "--only" ||
                        (name == "--output" && line.command->get_name() == "show");
  if (of_a_run) {
    if (!line.operands.empty()) add_states(candidates, line.operands.front());
    return;
  }
  candidates.emplace_back(files_too);
}

// The operand that comes next; the last one again if it may be repeated. nullptr: no further operand is allowed.
const CLI::Option* next_operand(const TypedLine& line) {
  const CLI::Option* last = nullptr;
  std::size_t place = 0;
  for (const CLI::Option* option : line.command->get_options(nullptr)) {
    if (option->nonpositional()) continue;
    last = option;
    if (place++ == line.operands.size()) return option;
  }
  return last != nullptr && last->get_items_expected_max() > 1 ? last : nullptr;
}

void add_options(Words& candidates, const CLI::App& app) {
  for (const CLI::Option* option : app.get_options(nullptr)) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames()) candidates.push_back("--" + name);
  }
}

Words candidates_for(const CLI::App& app, Context& context, const TypedLine& line, const std::string& word) {
  Words candidates;
  if (line.awaits != nullptr) {
    add_values(candidates, context, line, *line.awaits);
  } else if (!word.empty() && word.front() == '-') {
    add_options(candidates, *line.command);
    if (line.command != &app) add_options(candidates, app);
  } else {
    for (const CLI::App* command : line.command->get_subcommands([](const CLI::App*) { return true; })) {
      candidates.push_back(command->get_name());
    }
    if (const CLI::Option* operand = next_operand(line)) add_values(candidates, context, line, *operand);
  }
  return candidates;
}

}  // namespace

int complete(const CLI::App& app, Context& context, std::vector<std::string> words) {
  context.options.log = "off";
  // Readers of workflows and runs report mistakes on standard error, which would disturb the command line.
  if (const Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC)); nowhere)
    ::dup2(nowhere.get(), STDERR_FILENO);
  if (words.empty()) words.emplace_back();
  const std::string word = words.back();
  words.pop_back();
  TypedLine line = read(app, words);
  // In a word --option=VALUE, only the value is completed.
  std::string before_value;
  if (const std::size_t equals = word.find('=');
      line.awaits == nullptr && word.starts_with("--") && equals != word.npos) {
    const CLI::Option* const option = find_option(app, *line.command, word.substr(0, equals));
    if (option == nullptr || !takes_value(*option)) return exit_ok;
    line.awaits = option;
    before_value = word.substr(0, equals + 1);
  }
  std::error_code ignored;
  for (const std::string& directory : line.directories) std::filesystem::current_path(directory, ignored);
  if (!context.start_tracing()) return exit_unusable;
  Words candidates = candidates_for(app, context, line, word);
  // The shell looks for files in its own directory.
  if (!line.directories.empty() && (line.awaits == nullptr || !is_directory(*line.awaits))) {
    std::erase(candidates, files_too);
  }
  for (std::string& candidate : candidates) {
    if (candidate != files_too) candidate.insert(0, before_value);
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::string text;
  for (const std::string& candidate : candidates) {
    // Names of files and runs may be anything; a shell would print control characters as they are.
    const bool is_plain = is_utf8(candidate) && cleaned_for_terminal(candidate, false) == candidate;
    if (is_plain && (candidate == files_too || candidate.starts_with(word))) text += candidate + '\n';
  }
  return print(text) ? exit_ok : exit_unusable;
}

}  // namespace wtool::host
