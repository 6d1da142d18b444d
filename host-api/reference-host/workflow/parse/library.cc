#include "workflow/parse/library.h"

#include <filesystem>
#include <set>
#include <utility>

#include "base/edit_distance.h"
#include "expressions/value.h"
#include "workflow/model/model.h"
#include "workflow/parse/parser.h"

namespace wtool::host::workflow {
namespace {

namespace fs = std::filesystem;

// The directory itself and, within a repository, its parents up to the repository's root.
std::vector<fs::path> up_to_repository(const fs::path& directory) {
  std::error_code ignored;
  std::vector<fs::path> found;
  for (fs::path at = directory;; at = at.parent_path()) {
    found.push_back(at);
    if (fs::exists(at / ".git", ignored)) return found;
    if (at == at.parent_path()) return {directory};
  }
}

bool is_name(const std::string& name) {
  if (name.empty() || name.find('\0') != std::string::npos) return false;
  const fs::path path(name);
  if (path.is_absolute()) return false;
  for (const fs::path& part : path) {
    if (part == "..") return false;
  }
  return true;
}

std::string real_path(const std::string& path) {
  std::error_code failed;
  const fs::path real = fs::canonical(path, failed);
  return failed ? path : real.string();
}

bool is_workflow_file(const fs::path& file) {
  std::error_code ignored;
  return (file.extension() == ".md" || file.extension() == ".mermaid") && fs::is_regular_file(file, ignored);
}

// The names of the workflows in the folder of the file, except its own.
std::vector<std::string> names_beside(const std::string& file) {
  std::vector<std::string> names;
  std::error_code failed;
  fs::path folder = fs::path(file).parent_path();
  if (folder.empty()) folder = ".";
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (names.size() == max_library_files) break;
    if (at->path().filename() == fs::path(file).filename() || !is_workflow_file(at->path())) continue;
    names.push_back(at->path().stem().string());
  }
  return names;
}

// The name of the workflow that a state runs, with its place; nullptr if it runs none, or a template makes the name.
const TemplateText* called(const State& state) {
  if (!state.action) return nullptr;
  const auto* action = std::get_if<WorkflowAction>(&state.action->kind);
  return action != nullptr && is_literal(action->workflow) ? &action->workflow : nullptr;
}

}  // namespace

// The chain of calls that find_loops() follows.
struct Library::Chain {
  std::vector<std::string> paths;  // real paths, beginning with the workflow that is checked
  std::vector<std::string> files;  // the paths of the same files, as they were found
  std::vector<std::string> names;  // their names in messages, as their callers write them
  std::set<std::string> done;      // files that have been followed
  std::size_t offset = 0;          // of the call in the workflow that is checked
  std::vector<Problem> problems;
};

Library::Library(std::string directory, const std::vector<std::string>& shared) {
  for (const fs::path& at : up_to_repository(fs::path(std::move(directory)))) {
    for (const char* folder : {".swissarmyhammer/workflows", ".wtool/workflows", "workflows"}) {
      folders_.push_back((at / folder).string());
    }
  }
  first_shared_ = folders_.size();
  folders_.insert(folders_.end(), shared.begin(), shared.end());
}

std::string Library::locate(const std::string& name, const std::string& from, std::string& error) const {
  if (!is_name(name)) {
    error = expressions::quoted_for_message(name) +
            " is not the name of a workflow: it is empty, or leads out of the folders of workflows";
    return {};
  }
  std::vector<std::string> folders = {fs::path(from).parent_path().string()};
  folders.insert(folders.end(), folders_.begin(), folders_.end());
  for (const std::string& folder : folders) {
    for (const char* ending : {".md", "", ".mermaid"}) {
      std::error_code ignored;
      const fs::path path = fs::path(folder) / (name + ending);
      if (fs::is_regular_file(path, ignored)) return path.string();
    }
  }
  std::vector<std::string> known = names();
  for (std::string& beside : names_beside(from)) known.push_back(std::move(beside));
  error = "there is no workflow " + expressions::quoted_for_message(name) +
          question_then(did_you_mean(name, known),
                        "it would be a file " + name +
                            ".md beside this one, or in a folder .swissarmyhammer/workflows, .wtool/workflows or "
                            "workflows/ of the current directory or, within a repository, of a directory above it");
  for (std::size_t i = first_shared_; i < folders_.size(); ++i) error += ", or in " + folders_[i];
  return {};
}

const Library::Entry* Library::find(const std::string& name, const std::string& from, std::string& error) {
  error.clear();
  const std::string path = locate(name, from, error);
  if (path.empty()) return nullptr;
  const std::string key = real_path(path);
  const std::lock_guard lock(mutex_);
  if (const auto found = entries_.find(key); found != entries_.end()) return found->second.get();
  if (entries_.size() == max_library_files) {
    error = "more than " + std::to_string(max_library_files) + " workflows run one another; " +
            expressions::quoted_for_message(name) + " is not read";
    return nullptr;
  }
  auto made = std::make_unique<Entry>();
  made->source = load_source(path, error);
  if (!error.empty()) return nullptr;
  made->workflow = parse_workflow(made->source, made->diagnostics, environment_ ? &*environment_ : nullptr);
  return entries_.emplace(key, std::move(made)).first->second.get();
}

namespace {

// Copies of workflows may be in these folders: what git keeps, and the outputs of runs.
bool holds_copies(const fs::path& folder) {
  return folder.filename() == ".git" || (folder.filename() == "runs" && folder.parent_path().filename() == ".wtool");
}

// The files of workflows in the folder and below it, by the names that they have there.
std::map<std::string, std::string> files_by_name(const std::string& folder) {
  constexpr int max_levels = 8;
  std::map<std::string, std::string> found;
  std::error_code failed;
  fs::recursive_directory_iterator files(folder, fs::directory_options::skip_permission_denied, failed);
  for (const fs::recursive_directory_iterator end; !failed && files != end; files.increment(failed)) {
    const fs::path& file = files->path();
    if (files.depth() >= max_levels || holds_copies(file)) files.disable_recursion_pending();
    if (!is_workflow_file(file)) continue;
    const std::string name = fs::path(file).replace_extension().lexically_relative(folder).string();
    // As in locate(), NAME.md takes precedence over NAME.mermaid.
    if (found.contains(name) && file.extension() != ".md") continue;
    found.insert_or_assign(name, file.string());
    if (found.size() == max_library_files) break;
  }
  return found;
}

}  // namespace

std::vector<std::string> possible_workflows(const std::string& folder) {
  std::vector<std::string> files;
  for (auto& [name, file] : files_by_name(folder)) files.push_back(std::move(file));
  return files;
}

std::vector<Library::Listed> Library::list() const {
  std::map<std::string, Listed> found;
  for (std::size_t i = 0; i < folders_.size(); ++i) {
    for (auto& [name, file] : files_by_name(folders_[i])) found.try_emplace(name, Listed{name, std::move(file), i});
  }
  std::vector<Listed> all;
  for (auto& [name, listed] : found) all.push_back(std::move(listed));
  return all;
}

std::vector<std::string> Library::names() const {
  std::vector<std::string> names;
  for (Listed& listed : list()) names.push_back(std::move(listed.name));
  return names;
}

std::vector<Library::Problem> Library::find_loops(const Workflow& workflow, const std::string& file) {
  Chain chain;
  chain.paths.push_back(real_path(file));
  chain.files.push_back(file);
  chain.names.push_back(workflow.name.empty() ? fs::path(file).stem().string() : workflow.name);
  follow(workflow, chain);
  return std::move(chain.problems);
}

void Library::follow(const Workflow& workflow, Chain& chain) {
  for (const State& state : workflow.states) {
    const TemplateText* name = called(state);
    if (name == nullptr) continue;
    if (chain.paths.size() == 1) chain.offset = name->written.locate(0);
    std::string error;
    const Entry* entry = find(name->written.text(), chain.files.back(), error);
    if (entry == nullptr) continue;
    const std::string path = real_path(entry->source.name());
    if (chain.done.contains(path)) continue;
    bool is_loop = false;
    std::string shown;
    for (std::size_t i = 0; i < chain.paths.size(); ++i) {
      is_loop = is_loop || chain.paths[i] == path;
      if (is_loop) shown += chain.names[i] + " -> ";
    }
    if (is_loop) {
      chain.problems.push_back(
          {chain.offset, "workflows run one another in a circle: " + shown + name->written.text()});
    } else if (chain.paths.size() == max_call_depth) {
      chain.problems.push_back({chain.offset, "workflows run one another deeper than " +
                                                  std::to_string(max_call_depth) + " levels, down to '" +
                                                  name->written.text() + "'"});
    } else {
      chain.paths.push_back(path);
      chain.files.push_back(entry->source.name());
      chain.names.push_back(name->written.text());
      follow(entry->workflow, chain);
      chain.paths.pop_back();
      chain.files.pop_back();
      chain.names.pop_back();
    }
    chain.done.insert(path);
  }
}

}  // namespace wtool::host::workflow
