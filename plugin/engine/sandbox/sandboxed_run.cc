#include "engine/sandbox/sandboxed_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "engine/sandbox/real_path.h"
#include "engine/sandbox/refusals.h"

namespace wtool::engine {

namespace {

// Other processes may make, replace or remove a protected path between our check and the bind: in a temporary folder,
// another project's tests may do so all the time, and then half of the starts fail. An attempt costs milliseconds.
constexpr int max_starts = 25;

// True if a line of the shell may send standard error where standard output goes: `make 2>&1 | tail`.
bool joins_streams(const Command& command) {
  return std::any_of(command.arguments.begin(), command.arguments.end(), [](std::string_view argument) {
    return argument.find("2>&1") != std::string_view::npos || argument.find("&>") != std::string_view::npos ||
           argument.find("|&") != std::string_view::npos;
  });
}

// The folder that bash uses. It asks whether it may write there, and the sandbox does not change the answer.
std::string temporary_folder_of(const Command& command) {
  constexpr std::string_view name = "TMPDIR=";
  for (const std::string& variable : command.variables) {
    if (!variable.starts_with(name)) continue;
    std::string folder = variable.substr(name.size());
    if (folder.starts_with('/') && ::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) == 0) return folder;
  }
  return "/tmp";
}

void look_for_refusals(const PreparedSandbox& prepared, const Command& command, const std::string& directory,
                       const CommandOutcome& outcome, const Cancellation& cancellation, SandboxReport& report) {
  const auto* not_started = std::get_if<NotStarted>(&outcome.termination);
  const bool is_joined = outcome.standard_error.bytes == 0 && joins_streams(command);
  if (not_started == nullptr && outcome.standard_error.bytes == 0 && !is_joined) return;
  RefusalContext context;
  context.roots = prepared.shared->allowed;
  context.protected_paths = prepared.names.bound;
  context.protected_paths.insert(context.protected_paths.end(), prepared.names.held.begin(), prepared.names.held.end());
  context.directory = directory;
  context.files = static_cast<bool>(prepared.shared->ruleset);
  context.network_refused = prepared.shared->network_refused;
  context.network_of_call = prepared.shared->network_of_call;
  context.host_may = [](const std::string& path, int mode) {
    return ::faccessat(AT_FDCWD, path.c_str(), mode, AT_EACCESS) == 0;
  };
  context.temporary_folder = temporary_folder_of(command);
  context.ipc_refused = prepared.shared->ipc_refused;
  context.canonical = real_path;
  context.host_may_signal = [](pid_t pid) { return ::kill(pid, 0) == 0; };
  context.cancelled = [&] { return cancellation.mode() == Cancellation::Mode::now; };
  if (not_started == nullptr) {
    report.refused = find_refusals(is_joined ? outcome.standard_output.text : outcome.standard_error.text, context);
  } else if (not_started->stage == NotStarted::Stage::exec && not_started->error == EACCES) {
    std::string refused = find_refused_program(command.paths, context);
    if (!refused.empty()) report.refused.push_back(std::move(refused));
  }
}

// Forgets changes in the folder of the output files, which may be below a protected name: the host writes there, not
// the command.
void forget_output_files(const std::string& folder, SandboxReport& report) {
  std::error_code error;
  const std::string own = std::filesystem::weakly_canonical(folder, error).string() + '/';
  if (error) return;
  std::erase_if(report.protected_changed,
                [&](const std::string& path) { return (path + '/').starts_with(own) || own.starts_with(path + '/'); });
}

// The outcome if the call was cancelled, or its time was over, before anything ran.
CommandOutcome not_begun(const Cancellation& cancellation) {
  CommandOutcome outcome;
  if (cancellation.mode() != Cancellation::Mode::none) {
    outcome.termination = Cancelled{cancellation.reason(), false};
  } else {
    outcome.termination = TimedOut{false};
  }
  return outcome;
}

}  // namespace

std::variant<CommandOutcome, SandboxRefusal> run_sandboxed(WardenClient& client, Sandbox& sandbox,
                                                           const Command& command, const std::string& directory,
                                                           const RunOptions& options, Cancellation& cancellation,
                                                           const OutputSink& sink, SandboxReport& report) {
  std::string no_namespaces;
  const Patience patience{options.deadline, cancellation};
  for (int attempt = 1;; ++attempt) {
    SandboxRefusal refusal;
    auto prepared = sandbox.prepare(
        directory, no_namespaces, refusal, [&] { return patience.over(); }, options.lifts_network);
    // Whatever the refusal was, the caller no longer wants the result.
    if (patience.over()) return not_begun(cancellation);
    if (!prepared) return refusal;
    report = prepared->report;
    const FileRecord record(prepared->names.watched);
    const ReplacedNames replaced(prepared->names.bound);
    CommandOutcome outcome = run(client, command, options, cancellation, sink, &prepared->confinement);
    if (const auto* how = std::get_if<NotStarted>(&outcome.termination); how != nullptr && attempt < max_starts) {
      // Only an attempt shows whether namespaces work. Where they work, no time is lost.
      if (how->stage == NotStarted::Stage::namespaces) no_namespaces = std::strerror(how->error);
      if (how->stage == NotStarted::Stage::namespaces || how->stage == NotStarted::Stage::binds) continue;
    }
    report.protected_changed = record.changes();
    for (std::string& path : replaced.find()) report.protected_changed.push_back(std::move(path));
    sandbox.look_afterwards(*prepared, report);
    if (options.spill_directory != nullptr) forget_output_files(options.spill_directory->path(), report);
    look_for_refusals(*prepared, command, directory, outcome, cancellation, report);
    return outcome;
  }
}

}  // namespace wtool::engine
