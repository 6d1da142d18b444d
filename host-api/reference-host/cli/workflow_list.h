// The workflows that a person may run by name in a directory: what `wtool list` shows, and what `wtool run` offers if
// no workflow is named.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workflow/model/model.h"

namespace wtool::host {

struct OfferedWorkflow {
  std::string name;  // by which `wtool run` finds it
  std::string file;
  std::string where;  // project, user or system
  workflow::Workflow workflow;
  std::string problem;  // the first error of the file, with its place; empty: no error
};

// The workflows, sorted by name. Files without a state diagram, such as a README.md beside the workflows, are left out.
// Of several workflows with the same name, only the one in the nearest folder is listed.
std::vector<OfferedWorkflow> offered_workflows(const std::string& directory);

// The folders that offered_workflows() searches, in that order.
std::vector<std::string> workflow_folders(const std::string& directory);

// A message for each of workflow_folders() that cannot be read. Only `directory` itself must exist.
std::vector<std::string> unreadable_folders(const std::string& directory);

// The workflow files in the folder and below it, sorted: those with a state diagram, and those that cannot be read.
// `error` says why some of them may be missing; empty: none are.
std::vector<std::string> workflow_files_in(const std::string& folder, std::string& error);

// The folders of workflows that the user and the machine have for all projects: wtool/workflows in the user's
// configuration folder, and /etc/wtool/workflows. The user's folder comes first.
std::vector<std::string> shared_workflow_folders();

// The file that a person means by `wanted`: `-` for standard input, a file of this name, or the workflow that another workflow in `directory`
// would call by this name. A path, or a name that ends with .md, is returned even if no such file exists. Empty: there
// is no such workflow, or it cannot be read; `error` says why.
std::string workflow_file(const std::string& wanted, const std::string& directory, std::string& error);

// Lines for people. With `numbered`, each begins with its number, from 1. `whole`: no text is cut.
std::string workflow_table(const std::vector<OfferedWorkflow>& workflows, bool numbered, bool whole);

// Asks on the terminal which workflow to run. Nothing: none was chosen or nobody can be asked; the reason is on
// standard error, and `exit_status` is the program's exit status.
std::optional<std::string> choose_workflow(const std::string& directory, int& exit_status);

}  // namespace wtool::host
