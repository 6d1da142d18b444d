// The parameters that a command line gives a workflow: --var NAME=VALUE, --var-file NAME=FILE and --var-env
// NAME=VARIABLE.
//
// A command line can be read by every user of the machine, and stays in the shell's history. So the value of a
// parameter with `secret: true` is never taken from --var.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "expressions/value.h"
#include "runner/run_part.h"
#include "workflow/model/model.h"

namespace wtool::host {

class PreparedWorkflow;

struct GivenVariables {
  std::vector<std::string> texts;      // NAME=VALUE
  std::vector<std::string> files;      // NAME=FILE; - is standard input
  std::vector<std::string> variables;  // NAME=VARIABLE of the environment

  // The names of all given parameters.
  std::vector<std::string> names() const;
};

// Adds an option that takes one value, and that may be given several times.
void add_repeated_option(CLI::App& command, const char* name, std::vector<std::string>& values, const char* type,
                         const char* help);
// Adds --var, --var-file and --var-env.
void add_variable_options(CLI::App& command, GivenVariables& given);
// Adds --until and --only.
void add_part_options(CLI::App& command, runner::RunPart& part);
// Adds --env-file, for commands that read a workflow to run it.
void add_env_file_option(CLI::App& command, GlobalOptions& options);

// True if the workflow and the value of a parameter would both be read from standard input, which is then said on
// standard error.
bool takes_input_twice(const std::string& file, const GivenVariables& given);

// All given parameters as NAME=VALUE; values from files and from the environment have been read. Nothing: the reasons
// are on standard error.
std::optional<std::vector<std::string>> read_variables(const GivenVariables& given, const workflow::Workflow& workflow);

// The values of all parameters of a run with the given NAME=VALUE. Nothing: a value is wrong, or one that the run needs is
// missing; the reasons are on standard error. So are warnings about values that the run may need.
std::optional<std::map<std::string, expressions::Value>> inputs_of(const PreparedWorkflow& prepared,
                                                                   const std::string& file,
                                                                   const std::vector<std::string>& given,
                                                                   const GivenVariables& variables);

// Replaces the `--var` in a message of resolve_inputs() with the option that gave the value.
std::string with_option_named(const std::string& message, const GivenVariables& given);

}  // namespace wtool::host
