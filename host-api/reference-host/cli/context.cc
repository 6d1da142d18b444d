#include "cli/context.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <wtool/cpp/plugin.hpp>

#include "base/files.h"
#include "loader/plugin.h"
#include "terminal/terminal.h"
#include "tracing/escape.h"

namespace wtool::host {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : value;
}

}  // namespace

bool Context::start_tracing() {
  // A person is told the same in plainer words.
  LogFilter filter(shows_results && ::isatty(STDERR_FILENO) == 1 ? LogLevel::error : LogLevel::warn);
  LogFormat format = LogFormat::text;
  std::string error;
  const std::string from_environment = environment("WTOOL_LOG");
  if (!options.log.empty()) {
    if (!filter.parse(options.log, error)) {
      complain("--log: " + error);
      return false;
    }
  } else if (!from_environment.empty() && !filter.parse(from_environment, error)) {
    complain("WTOOL_LOG: " + error);
    return false;
  }
  if (!options.log_format.empty() && !parse_log_format(options.log_format, format, error)) {
    complain("--log-format: " + error);
    return false;
  }
  tracing_ = std::make_unique<Tracing>(std::move(filter), format,
                                       [](std::string_view line) { Terminal::of_process().write(line); });
  return true;
}

Plugin* Context::plugin() {
  if (plugin_) return plugin_.get();
  std::string error;
  plugin_ = open_plugins(error);
  if (plugin_ && options.on_cluster && text(plugin_->entry().plugin_name) != "cluster_tools") {
    error = "--on cluster needs the plugin cluster_tools, and " + plugin_->path() + " is " +
            std::string(text(plugin_->entry().plugin_name));
    plugin_.reset();
  }
  if (!plugin_) complain(error);
  return plugin_.get();
}

// The plugin that the configuration is for comes first: shell_tools or cluster_tools, else the first that was named. The
// others join it.
std::unique_ptr<Plugin> Context::open_plugins(std::string& error) {
  std::vector<std::string> files;
  for (const std::string& path : options.plugins) {
    const std::vector<std::string> more = plugin_files(path, error);
    if (more.empty()) return nullptr;
    files.insert(files.end(), more.begin(), more.end());
  }
  if (files.empty()) files.push_back(usual_plugin(error));
  if (files.front().empty()) return nullptr;
  std::vector<std::unique_ptr<Plugin>> opened;
  for (const std::string& file : files) {
    opened.push_back(Plugin::open(file, *tracing_, error));
    if (!opened.back()) return nullptr;
  }
  const auto first = std::find_if(opened.begin(), opened.end(), [](const std::unique_ptr<Plugin>& plugin) {
    const std::string_view name = text(plugin->entry().plugin_name);
    return name == "shell_tools" || name == "cluster_tools";
  });
  if (first != opened.end()) std::rotate(opened.begin(), first, std::next(first));
  for (std::size_t i = 1; i < opened.size(); ++i) {
    if (!opened.front()->join(std::move(opened[i]), error)) return nullptr;
  }
  return std::move(opened.front());
}

// Where nobody names a plugin. Empty: `error` says why there is none.
std::string Context::usual_plugin(std::string& error) const {
  std::string path = find_plugin(program_path(), environment("WTOOL_PLUGIN_PATH"), error);
  if (options.on_cluster && !path.empty()) {
    path = std::filesystem::path(path).replace_filename("cluster_tools.so");
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      error = "--on cluster needs " + path + ", which is not there; it is built where libsodium is";
      path.clear();
    }
  }
  return path;
}

Toolbox* Context::toolbox() { return toolbox(config_files()); }

Toolbox* Context::workflow_toolbox() { return toolbox(workflow_config()); }

WorkflowConfig& Context::workflow_config() {
  if (!workflow_config_) workflow_config_ = std::make_unique<WorkflowConfig>(config_files());
  return *workflow_config_;
}

Toolbox* Context::toolbox(ConfigSource& source) {
  if (toolbox_) return toolbox_.get();
  std::string error;
  Plugin* opened = plugin();
  if (opened == nullptr) return nullptr;
  config_files().for_cluster(text(opened->entry().plugin_name) == "cluster_tools");
  toolbox_ = Toolbox::open(*opened, source, error);
  if (!toolbox_) complain(error);
  return toolbox_.get();
}

ConfigFiles& Context::config_files() {
  if (!config_files_) config_files_ = std::make_unique<ConfigFiles>(options.config);
  return *config_files_;
}

bool print(std::string_view text) {
  const int failed = write_all(STDOUT_FILENO, text).error;
  if (failed == 0) return true;
  complain(std::string("cannot write to standard output: ") + ::strerror(failed));
  return false;
}

void complain(std::string_view message) {
  std::string line = "wtool: ";
  append_escaped(line, message, "\n");
  line += '\n';
  Terminal::of_process().write(line);
}

void fill_closed_descriptors() {
  constexpr int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    // open gives the lowest number that is free, which is this one, as those below are open by now.
    if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", modes[descriptor]) < 0) return;
  }
}

}  // namespace wtool::host
