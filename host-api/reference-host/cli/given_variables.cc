#include "cli/given_variables.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/context.h"
#include "cli/not_empty.h"
#include "cli/prepared_workflow.h"
#include "terminal/terminal.h"
#include "workflow/check/checker.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/parameters.h"

namespace wtool::host {
namespace {

constexpr std::size_t max_value = 1024UL * 1024;

// Splits `NAME=REST`.
std::pair<std::string, std::string> split(const std::string& entry) {
  const std::size_t equals = entry.find('=');
  return {entry.substr(0, equals), equals == std::string::npos ? "" : entry.substr(equals + 1)};
}

// The text of the file, without the newline that nearly every text file ends with. The file may be a pipe, such as a
// shell's <(command), but not a named one.
std::optional<std::string> content_of(const std::string& file, std::string& error) {
  const bool is_input = file == "-";
  const std::string shown = is_input ? "standard input" : file;
  std::string why;
  const Descriptor opened = is_input ? Descriptor() : open_given(file, why);
  std::string text;
  if (is_input || opened) {
    const int failed = read_all(is_input ? STDIN_FILENO : opened.get(), max_value, text);
    if (failed == EFBIG) {
      error = shown + " is larger than " + std::to_string(max_value / 1024) + " KiB";
      return std::nullopt;
    }
    if (failed != 0) why = ::strerror(failed);
  }
  if (!why.empty()) {
    error = shown + " cannot be read: " + why;
    return std::nullopt;
  }
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (text.find('\0') == std::string::npos) return text;
  error = shown + " contains a NUL byte, which a value cannot contain";
  return std::nullopt;
}

}  // namespace

std::vector<std::string> GivenVariables::names() const {
  std::vector<std::string> all;
  for (const auto* entries : {&texts, &files, &variables}) {
    for (const std::string& entry : *entries) all.push_back(split(entry).first);
  }
  return all;
}

void add_repeated_option(CLI::App& command, const char* name, std::vector<std::string>& values, const char* type,
                         const char* help) {
  command.add_option(name, values, help)->type_name(type)->expected(1)->take_all()->allow_extra_args(false);
}

void add_variable_options(CLI::App& command, GivenVariables& given) {
  add_repeated_option(command, "--var,--set", given.texts, "NAME=VALUE",
                      "A parameter of the workflow; may be given several times");
  add_repeated_option(command, "--var-file", given.files, "NAME=FILE",
                      "A parameter with the value from a file, or from standard input (-)");
  add_repeated_option(command, "--var-env", given.variables, "NAME=VARIABLE",
                      "A parameter with the value of an environment variable");
}

void add_part_options(CLI::App& command, runner::RunPart& part) {
  auto* until = command.add_option("--until", part.until, "End the run after this state; `finally` still runs");
  auto* only = command.add_option("--only", part.only, "Run only this state, and nothing before or after it");
  for (CLI::Option* option : {until, only}) option->type_name("STATE")->check(not_empty());
  only->excludes(until);
}

void add_env_file_option(CLI::App& command, GlobalOptions& options) {
  add_repeated_option(
      command, "--env-file", options.env_files, "FILE",
      "Environment variables for the commands of Shell, one NAME=VALUE per line; may be given several times");
}

std::optional<std::vector<std::string>> read_variables(const GivenVariables& given,
                                                       const workflow::Workflow& workflow) {
  std::vector<std::string> errors, all;
  std::set<std::string> named;
  for (const std::string& entry : given.texts) {
    const std::string name = split(entry).first;
    named.insert(name);
    all.push_back(entry);
    const workflow::Parameter* parameter = workflow::find_parameter(workflow, name);
    if (parameter == nullptr || !parameter->secret || entry.find('=') == std::string::npos) continue;
    errors.push_back("--var " + name +
                     ": this parameter is secret, and other users can read a command line; give it with --var-file " +
                     name + "=FILE (- is standard input) or --var-env " + name + "=VARIABLE" +
                     (parameter->required ? ", or type it when you are asked on a terminal" : ""));
  }
  bool input_is_taken = false;
  const auto take = [&](const std::string& option, const std::string& entry, const char* form, const auto& read) {
    auto [name, from] = split(entry);
    if (name.empty() || from.empty()) {
      errors.push_back(option + " takes " + form + ", but got " + expressions::quoted_for_message(entry));
    } else if (!named.insert(name).second) {
      errors.push_back(option + " " + name + ": this parameter is given twice");
    } else {
      std::string error;
      const std::optional<std::string> value = read(from, error);
      if (value) {
        all.push_back(name + "=" + *value);
      } else {
        errors.push_back(option + " " + name + ": " + error);
      }
    }
  };
  for (const std::string& entry : given.files) {
    take("--var-file", entry, "NAME=FILE", [&](const std::string& file, std::string& error) {
      if (file != "-" || !std::exchange(input_is_taken, true)) return content_of(file, error);
      error = "standard input is already read for another parameter";
      return std::optional<std::string>();
    });
  }
  for (const std::string& entry : given.variables) {
    take("--var-env", entry, "NAME=VARIABLE", [](const std::string& variable, std::string& error) {
      const char* const value = std::getenv(variable.c_str());
      if (value != nullptr) return std::optional<std::string>(value);
      error = "the environment has no variable " + variable;
      return std::optional<std::string>();
    });
  }
  for (const std::string& message : errors) complain(message);
  return errors.empty() ? std::optional(std::move(all)) : std::nullopt;
}

bool takes_input_twice(const std::string& file, const GivenVariables& given) {
  if (file != workflow::standard_input) return false;
  for (const std::string& entry : given.files) {
    if (split(entry).second != "-") continue;
    complain("--var-file " + entry + ": standard input is already read for the workflow");
    return true;
  }
  return false;
}

std::optional<std::map<std::string, expressions::Value>> inputs_of(const PreparedWorkflow& prepared,
                                                                   const std::string& file,
                                                                   const std::vector<std::string>& given,
                                                                   const GivenVariables& variables) {
  const workflow::Workflow& workflow = prepared.workflow();
  std::vector<std::string> errors;
  auto inputs = workflow::resolve_inputs(workflow, given, workflow::names_read(workflow), errors);
  for (const std::string& message : errors) complain(file + ": " + with_option_named(message, variables));
  if (!errors.empty()) return std::nullopt;
  workflow::Diagnostics needed;
  workflow::check_values(workflow, inputs, "--var ", needed);
  Terminal::of_process().write(needed.with_lines(prepared.source()));
  if (needed.empty()) return inputs;
  complain(file + ": the workflow cannot run: " + counted(needed.size(), "parameter") + " without a value");
  return std::nullopt;
}

std::string with_option_named(const std::string& message, const GivenVariables& given) {
  const auto gives = [&](const std::vector<std::string>& entries) {
    return std::any_of(entries.begin(), entries.end(), [&](const std::string& entry) {
      return message.starts_with("--var " + split(entry).first + ":");
    });
  };
  const std::string rest = message.substr(std::min<std::size_t>(message.size(), 5));
  if (gives(given.files)) return "--var-file" + rest;
  return gives(given.variables) ? "--var-env" + rest : message;
}

}  // namespace wtool::host
