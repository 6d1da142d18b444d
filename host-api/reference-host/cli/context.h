// What every subcommand of `wtool` shares: the global options, the tracing, and the plugin with its tools.
//
// A subcommand is one file with one function `void add_NAME(CLI::App& app, Context& context)` (commands.h). It
// describes its options, and its CLI11 callback only sets `context.command`, which main() runs after all options are
// parsed. The command returns the program's exit status (the constants below, or Interrupts::exit_status()).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/files.h"
#include "config/workflow_config.h"
#include "loader/plugin.h"
#include "loader/toolbox.h"
#include "tracing/tracing.h"

namespace wtool::host {

inline constexpr int exit_ok = 0;        // done, and the tool or the workflow succeeded
inline constexpr int exit_failed = 1;    // done, and it reports a failure
inline constexpr int exit_unusable = 2;  // wrong usage, or nothing could be done; the reason is on stderr
inline constexpr int exit_ask = 3;       // --explain: a person would be asked
inline constexpr int exit_deny = 4;      // --explain: the call would be refused

// Options that may be given before or after the subcommand. Empty: not given.
struct GlobalOptions {
  std::vector<std::string> directories;  // to which the program changes, one after the other, before the command runs
  std::vector<std::string> plugins;      // files and folders
  std::string config;
  std::string log;
  std::string log_format;
  std::string on;                      // "local" or "cluster", for commands that call tools
  std::vector<std::string> env_files;  // for commands that run or plan workflows
};

// One per process, on the main thread; only tracing() may be used from other threads. Destroys its parts in the right
// order: tools, plugin (deinit), tracing.
class Context {
 public:
  GlobalOptions options;
  std::function<int()> command;  // set by the subcommand that was chosen
  // Set by commands that report failures themselves. If it is true, only errors are logged on a terminal.
  bool shows_results = false;

  // Opens the tracing from --log, --log-format and WTOOL_LOG. False: the reason is on stderr. main() calls it once,
  // before the command.
  bool start_tracing();

  // Call it only after start_tracing() has succeeded.
  Tracing& tracing() { return *tracing_; }

  // The plugin whose tools are called; with --on cluster, the cluster's plugin. Named plugins that are neither for this
  // machine nor for the cluster add their tools to it. It is opened at the first use but not initialised, which is
  // enough to read descriptors. nullptr: the reason is on stderr, and the command must return exit_unusable.
  Plugin* plugin();
  // The plugin for this machine and the plugin for the cluster, opened in the same way. One of the two is plugin().
  // nullptr: `error` says why.
  Plugin* local_plugin(std::string& error);
  Plugin* cluster_plugin(std::string& error);
  // Sets who is asked instead of the person at the terminal, for the questions of all plugins. Call it before the
  // toolbox is opened.
  void ask_through(Approver* approver);

  // The plugin's tools, initialised and configured (config/files.h) at the first use. nullptr: as for plugin().
  Toolbox* toolbox();
  // The same for workflows, configured as config/workflow_config.h says. A program uses only one of the two toolboxes.
  Toolbox* workflow_toolbox();
  // The configuration that workflow_toolbox() uses.
  WorkflowConfig& workflow_config();

  // The configuration files that --config and the environment name. Do not use them together with a toolbox, which
  // reads them itself.
  ConfigFiles& config_files();

 private:
  Toolbox* toolbox(ConfigSource& source);
  bool open_plugins(std::string& error);
  std::string usual_plugin(std::string& error) const;
  Plugin* sibling(std::unique_ptr<Plugin>& place, const Plugin& of, std::string_view name, std::string& error);

  std::unique_ptr<Tracing> tracing_;
  std::unique_ptr<ConfigFiles> config_files_;
  std::unique_ptr<WorkflowConfig> workflow_config_;
  std::unique_ptr<Plugin> local_;  // for this machine
  std::unique_ptr<Plugin> cluster_;
  Plugin* plugin_ = nullptr;  // local_ or cluster_
  Approver* approver_ = nullptr;
  bool asks_through_ = false;
  std::unique_ptr<Toolbox> toolbox_;
};

// The absolute path of the working directory. Empty: it cannot be found, and the reason is on standard error.
std::string working_directory();

// ---- Writing to the standard streams so that nothing is lost silently. Nothing is buffered.

// Writes to standard output. False when that failed (closed pipe, full disk); the reason is then on stderr, and the
// program's exit status must be exit_unusable.
bool print(std::string_view text);

// One message to standard error: "wtool: MESSAGE" and a newline. Control characters are escaped. Further lines of the
// message are indented.
void complain(std::string_view message);

// Opens placeholders for standard descriptors that are closed, so that no file opened later gets their numbers. Reading
// from such a standard input and writing to such a standard output fail; writes to such a standard error are lost. Call
// it first.
void fill_closed_descriptors();

}  // namespace wtool::host
