#include "cli/workflow_list.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "base/edit_distance.h"
#include "base/environment.h"
#include "base/files.h"
#include "base/stop.h"
#include "base/text.h"
#include "cli/context.h"
#include "cli/interrupts.h"
#include "terminal/asking.h"
#include "terminal/text.h"
#include "workflow/parse/library.h"
#include "workflow/parse/parser.h"

namespace wtool::host {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_offered = 1000;

// Reads one file. Nothing: it is not a workflow.
std::optional<OfferedWorkflow> read_offered(std::string name, const std::string& file, std::string where) {
  OfferedWorkflow made{std::move(name), file, std::move(where), {}, {}};
  const workflow::Source source = workflow::load_source(file, made.problem);
  if (!made.problem.empty()) return made;
  if (source.text().find("stateDiagram") == std::string_view::npos) return std::nullopt;
  workflow::Diagnostics diagnostics;
  made.workflow = workflow::parse_workflow(source, diagnostics);
  if (diagnostics.empty()) return made;
  for (const workflow::PlacedDiagnostic& one : diagnostics.placed(source)) {
    if (one.diagnostic.severity != workflow::Diagnostic::Severity::error) continue;
    made.problem = file + ":" + std::to_string(one.position.line) + ":" + std::to_string(one.position.column) + ": " +
                   one.diagnostic.message;
    break;
  }
  if (made.problem.empty()) made.problem = file + ": it has errors; `wtool lint` shows them";
  return made;
}

std::string where_is(std::size_t folder, const workflow::Library& library) {
  if (folder < library.first_shared()) return "project";
  return folder + 1 == library.folders().size() ? "system" : "user";
}

// The path of the file, relative to the directory if the file is below it, so that lines stay short.
std::string shown_path(const std::string& file, const std::string& directory) {
  const std::string below = fs::path(file).lexically_relative(directory).string();
  return below.empty() || below.starts_with("..") ? file : below;
}

std::string parameters_text(const workflow::Workflow& workflow) {
  std::string text;
  for (const workflow::Parameter& parameter : workflow.parameters) {
    text += text.empty() ? "" : " ";
    text += parameter.required ? parameter.name : "[" + parameter.name + "]";
  }
  return text;
}

std::string description_of(const OfferedWorkflow& offered) {
  if (!offered.problem.empty()) return "has errors: " + offered.problem;
  const workflow::Workflow& workflow = offered.workflow;
  const std::string first = workflow.description.substr(0, workflow.description.find('\n'));
  if (workflow.title.empty()) return first;
  return first.empty() ? workflow.title : workflow.title + ": " + first;
}

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
  if (wanted == workflow::standard_input || ::access(wanted.c_str(), F_OK) == 0) return wanted;
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

std::vector<OfferedWorkflow> offered_workflows(const std::string& directory) {
  const workflow::Library library(directory, shared_workflow_folders());
  std::map<std::string, OfferedWorkflow> offered;
  std::error_code failed;
  fs::directory_iterator files(directory, failed);
  std::size_t looked_at = 0;
  for (const fs::directory_iterator end; !failed && files != end && ++looked_at <= max_offered;
       files.increment(failed)) {
    const fs::path& file = files->path();
    std::error_code ignored;
    const bool may_be = file.extension() == ".md" || file.extension() == ".mermaid";
    if (!may_be || !fs::is_regular_file(file, ignored)) continue;
    if (file.extension() == ".mermaid" && fs::exists(fs::path(file).replace_extension(".md"), ignored)) continue;
    auto made = read_offered(file.stem().string(), shown_path(file.string(), directory), "project");
    if (made) offered.emplace(made->name, std::move(*made));
  }
  for (const workflow::Library::Listed& listed : library.list()) {
    if (offered.contains(listed.name)) continue;
    auto made = read_offered(listed.name, shown_path(listed.file, directory), where_is(listed.folder, library));
    if (made) offered.emplace(made->name, std::move(*made));
  }
  std::vector<OfferedWorkflow> all;
  for (auto& [name, one] : offered) all.push_back(std::move(one));
  return all;
}

std::vector<std::string> workflow_files_in(const std::string& folder, std::string& error) {
  error.clear();
  std::error_code failed;
  fs::directory_iterator(folder, failed);
  if (failed) {
    error = "cannot read the folder " + folder + ": " + failed.message();
    return {};
  }
  std::vector<std::string> files = workflow::possible_workflows(folder);
  if (files.size() == workflow::max_library_files) {
    error = "the folder " + folder + " has too many files; name folders in it with fewer than " +
            std::to_string(workflow::max_library_files) + " files each";
  }
  std::erase_if(files, [](const std::string& file) { return !read_offered({}, file, {}); });
  return files;
}

std::vector<std::string> workflow_folders(const std::string& directory) {
  std::vector<std::string> folders{directory};
  const workflow::Library library(directory, shared_workflow_folders());
  folders.insert(folders.end(), library.folders().begin(), library.folders().end());
  return folders;
}

std::vector<std::string> unreadable_folders(const std::string& directory) {
  std::vector<std::string> problems;
  for (const std::string& folder : workflow_folders(directory)) {
    std::error_code failed;
    const bool is_searched =
        folder == directory || fs::is_directory(folder, failed) || failed == std::errc::permission_denied;
    if (is_searched) fs::directory_iterator(folder, failed);
    if (is_searched && failed) problems.push_back("cannot read the folder " + folder + ": " + failed.message());
  }
  return problems;
}

std::string workflow_table(const std::vector<OfferedWorkflow>& workflows, bool numbered, bool whole) {
  const auto clean = [whole](const std::string& text, std::size_t columns) {
    const std::string cleaned = cleaned_for_terminal(text, false);
    return whole ? cleaned : cut_to_width(cleaned, columns);
  };
  constexpr std::size_t widest_name = 40, widest_parameters = 40, widest_description = 200;
  std::size_t names = 4, parameters = 10;
  for (const OfferedWorkflow& one : workflows) {
    names = std::max(names, display_width(clean(one.name, widest_name)));
    parameters = std::max(parameters, display_width(clean(parameters_text(one.workflow), widest_parameters)));
  }
  const std::size_t digits = std::to_string(workflows.size()).size();
  const auto line = [&](const std::string& number, const std::string& name, const std::string& given,
                        const std::string& where, const std::string& about) {
    std::string text = numbered ? std::string(digits - std::min(digits, number.size()), ' ') + number + "  " : "";
    text += padded(name, names) + "  " + padded(given, parameters) + "  " + padded(where, 7) + "  " + about;
    text.erase(text.find_last_not_of(' ') + 1);
    return text + '\n';
  };
  std::string out = line("", "NAME", "PARAMETERS", "WHERE", "DESCRIPTION");
  std::size_t number = 0;
  for (const OfferedWorkflow& one : workflows) {
    out += line(std::to_string(++number), clean(one.name, widest_name),
                clean(parameters_text(one.workflow), widest_parameters), one.where,
                clean(description_of(one), widest_description));
  }
  return out;
}

namespace {

// The workflow that the answer chooses, by its number or its name. nullptr: the answer names none of the workflows.
const OfferedWorkflow* chosen(const std::vector<OfferedWorkflow>& workflows, std::string_view answer) {
  answer = trimmed(answer);
  for (const OfferedWorkflow& one : workflows) {
    if (one.name == answer) return &one;
  }
  std::size_t number = 0;
  return read_number(answer, number) && number >= 1 && number <= workflows.size() ? &workflows[number - 1] : nullptr;
}

std::string none_is_named(const std::vector<OfferedWorkflow>& workflows) {
  if (workflows.empty()) {
    return "name a workflow; this folder has none, and `wtool init workflow` writes one";
  }
  constexpr std::size_t most = 20;
  std::string text = "name a workflow, as in `wtool run " + workflows.front().name + "`; the workflows are:";
  for (std::size_t i = 0; i < std::min(most, workflows.size()); ++i) text += (i == 0 ? " " : ", ") + workflows[i].name;
  return text + (workflows.size() > most ? ", ..." : "") + " (`wtool list` describes them)";
}

}  // namespace

std::optional<std::string> choose_workflow(const std::string& directory, int& exit_status) {
  exit_status = exit_unusable;
  const std::vector<OfferedWorkflow> workflows = offered_workflows(directory);
  const std::vector<std::string> unreadable = unreadable_folders(directory);
  for (const std::string& problem : unreadable) complain(problem);
  if (workflows.empty() && !unreadable.empty()) return std::nullopt;
  const bool on_terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
  if (workflows.empty() || !on_terminal) {
    complain(none_is_named(workflows));
    return std::nullopt;
  }
  Stop stop;
  const Interrupts interrupts(stop);
  QuestionEnd end(Terminal::of_process());
  const auto subscription = stop.subscribe([&end](const StopRequest&) { end.request(); });
  std::optional<std::string> name;
  {
    Asking asking(Terminal::of_process(), end);
    if (!asking.can_ask()) {
      complain(none_is_named(workflows));
      return std::nullopt;
    }
    std::string table;
    const std::string all = workflow_table(workflows, true, false);
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t stops = all.find('\n', at);
      table += cut_to_width(std::string_view(all).substr(at, stops - at), asking.columns()) + '\n';
      at = stops + 1;
    }
    const auto problem = [&](const std::string& line) -> std::string {
      if (line.find_first_not_of(" \t") == std::string::npos) return "";
      const OfferedWorkflow* one = chosen(workflows, line);
      if (one == nullptr) return "No workflow has that number or name.\n";
      name = one->name;
      return "";
    };
    // If the table cannot be shown, no workflow is chosen, and a message below says so.
    if (asking.show(table) == Asking::Event::done) {
      asking.ask(
          {.prompt = "Run which workflow (number or name; Enter: none)? ", .problem = problem, .when_ended = "\n"});
    }
  }
  if (interrupts.signal() != 0) {
    exit_status = interrupts.exit_status();
    return std::nullopt;
  }
  if (!name) complain("no workflow was chosen, and nothing was run");
  return name;
}

}  // namespace wtool::host
