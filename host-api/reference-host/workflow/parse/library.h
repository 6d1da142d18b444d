// The workflows that other workflows run by name.
//
// NAME is looked for in these folders, in this order, as NAME.md, NAME and NAME.mermaid:
// - in the folder of the file that names it,
// - in .swissarmyhammer/workflows, .wtool/workflows and workflows of the library's directory, then of its parents, up
//   to the root of the repository (the first that has a .git); outside of a repository, only of that directory,
// - in the shared folders (the user's and the machine's), which the creator of the library names.
//
// A name may contain folders (`issue/review`), but cannot lead out of the folders in which it is looked for.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"
#include "workflow/parse/environment_file.h"

namespace wtool::host::workflow {

inline constexpr std::size_t max_call_depth = 100;  // workflows in a chain of calls
inline constexpr std::size_t max_library_files = 1000;

// Any thread may call any member. The entries that find() returns live as long as this object.
class Library {
 public:
  struct Entry {
    Source source;  // its name is the path of the file
    Workflow workflow;
    Diagnostics diagnostics;  // from reading the file, and not from a check
  };
  // What is wrong with a call, and the place of the call in the calling file.
  struct Problem {
    std::size_t offset = 0;
    std::string message;
  };

  // A workflow that a person may run by its name.
  struct Listed {
    std::string name;
    std::string file;
    std::size_t folder = 0;  // the index in folders()
  };

  explicit Library(std::string directory, const std::vector<std::string>& shared = {});

  // Sets how the env_files of workflows are read from now on. Without this call, these files are not read.
  void read_environment(EnvironmentSource source) { environment_ = std::move(source); }

  // The workflow that the file `from` means by `name`. nullptr: `error` is a sentence with the reason.
  const Entry* find(const std::string& name, const std::string& from, std::string& error);

  // list() returns the workflows in all folders, sorted by name. A file is left out if an earlier folder has a file of
  // the same name. Only the first max_library_files of a folder are listed, at most 8 folders deep. names() returns
  // only the names. folders() returns the folders in which workflows are looked for, including those that do not exist.
  // The shared folders begin at the index first_shared().
  std::vector<Listed> list() const;
  std::vector<std::string> names() const;
  const std::vector<std::string>& folders() const { return folders_; }
  std::size_t first_shared() const { return first_shared_; }

  // Workflows that run themselves, directly or through others (`a -> b -> a`), and chains longer than `max_call_depth`.
  // Names that are templates are not followed. Missing workflows are reported elsewhere.
  std::vector<Problem> find_loops(const Workflow& workflow, const std::string& file);

 private:
  struct Chain;

  std::string locate(const std::string& name, const std::string& from, std::string& error) const;
  void follow(const Workflow& workflow, Chain& chain);

  std::vector<std::string> folders_;  // where a name is looked for, after the folder of the calling file
  std::size_t first_shared_ = 0;
  std::optional<EnvironmentSource> environment_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<const Entry>> entries_;  // by real path
};

// The files in the folder and below it that may be workflows, sorted; with the limits of Library::list(). What git and
// runs keep in folders of their own is left out.
std::vector<std::string> possible_workflows(const std::string& folder);

}  // namespace wtool::host::workflow
