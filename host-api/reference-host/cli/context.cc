#include "cli/context.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>
#include <wtool/cpp/plugin.hpp>

#include "base/escape.h"
#include "base/files.h"
#include "loader/plugin.h"
#include "terminal/terminal.h"

namespace wtool::host {

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : value;
}

}  // namespace

bool Context::start_tracing() {
  // The command itself reports failures to the person, in plainer words than those of the log.
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
  if (plugin_ != nullptr) return plugin_;
  std::string error;
  if (!open_plugins(error)) {
    complain(error);
    return nullptr;
  }
  for (Plugin* one : {local_.get(), cluster_.get()}) {
    if (one != nullptr && asks_through_) one->ask_through(approver_);
  }
  return plugin_ = cluster_ && (options.on == "cluster" || !local_) ? cluster_.get() : local_.get();
}

// Opens all named plugins. shell_tools is used on this machine, cluster_tools on the cluster; if neither was named, the
// first plugin is used on this machine. All others join the plugin whose tools are called.
bool Context::open_plugins(std::string& error) {
  std::vector<std::string> files;
  for (const std::string& path : options.plugins) {
    const std::vector<std::string> more = plugin_files(path, error);
    if (more.empty()) return false;
    files.insert(files.end(), more.begin(), more.end());
  }
  if (files.empty()) files.push_back(usual_plugin(error));
  if (files.front().empty()) return false;
  std::unique_ptr<Plugin> local, cluster;
  std::vector<std::unique_ptr<Plugin>> others;
  for (const std::string& file : files) {
    std::unique_ptr<Plugin> opened = Plugin::open(file, *tracing_, error);
    if (!opened) return false;
    if (opened->is_cluster() && !cluster) {
      cluster = std::move(opened);
    } else if (text(opened->entry().plugin_name) == local_plugin_name && !local) {
      local = std::move(opened);
    } else {
      others.push_back(std::move(opened));
    }
  }
  if (!local && !cluster) {
    local = std::move(others.front());
    others.erase(others.begin());
  }
  const bool on_cluster = options.on == "cluster";
  if (on_cluster && !cluster) {
    error = "--on cluster needs the plugin cluster_tools, but " + local->path() + " is " +
            std::string(text(local->entry().plugin_name));
    return false;
  }
  Plugin& called = cluster && (on_cluster || !local) ? *cluster : *local;
  for (std::unique_ptr<Plugin>& other : others) {
    if (!called.join(std::move(other), error)) return false;
  }
  local_ = std::move(local);
  cluster_ = std::move(cluster);
  return true;
}

// The plugin to use if none is named. Empty: `error` says why none was found.
std::string Context::usual_plugin(std::string& error) const {
  std::string path = find_plugin(program_path(), environment("WTOOL_PLUGIN_PATH"), error);
  if (options.on == "cluster" && !path.empty()) {
    path = std::filesystem::path(path).replace_filename(std::string(cluster_plugin_name) + ".so");
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      error = "--on cluster needs " + path + ", which does not exist; it is built only where libsodium is installed";
      path.clear();
    }
  }
  return path;
}

Plugin* Context::sibling(std::unique_ptr<Plugin>& place, const Plugin& of, std::string_view name, std::string& error) {
  if (place) return place.get();
  const std::string path = std::filesystem::path(of.path()).replace_filename(std::string(name) + ".so");
  place = Plugin::open(path, *tracing_, error);
  if (place && text(place->entry().plugin_name) != name) {
    error = path + " is the plugin " + std::string(text(place->entry().plugin_name)) + ", not " + std::string(name);
    place.reset();
  }
  if (place && asks_through_) place->ask_through(approver_);
  return place.get();
}

Plugin* Context::local_plugin(std::string& error) {
  if (plugin() == nullptr) {
    error = "there is no plugin";
    return nullptr;
  }
  return sibling(local_, *plugin_, local_plugin_name, error);
}

Plugin* Context::cluster_plugin(std::string& error) {
  if (plugin() == nullptr) {
    error = "there is no plugin";
    return nullptr;
  }
  if (!plugin_->is_cluster() && text(plugin_->entry().plugin_name) != local_plugin_name) {
    error = "calls on a cluster need the plugin shell_tools, but " + plugin_->path() + " is " +
            std::string(text(plugin_->entry().plugin_name));
    return nullptr;
  }
  std::string why;
  Plugin* found = sibling(cluster_, *plugin_, cluster_plugin_name, why);
  if (found == nullptr)
    error = "calls on a cluster need cluster_tools, which is built only where libsodium is installed: " + why;
  return found;
}

void Context::ask_through(Approver* approver) {
  approver_ = approver;
  asks_through_ = true;
  for (Plugin* one : {local_.get(), cluster_.get()}) {
    if (one != nullptr) one->ask_through(approver);
  }
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
  toolbox_ = Toolbox::open(*opened, source, error);
  if (!toolbox_) {
    complain(error);
    return nullptr;
  }
  toolbox_->set_other(
      [this, opened](std::string& why) { return opened->is_cluster() ? local_plugin(why) : cluster_plugin(why); });
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
  // Names in the message may have newlines, and must not look like a message of their own: further lines are indented.
  std::string line = "wtool: ";
  message = message.substr(0, message.find_last_not_of('\n') + 1);
  for (std::size_t end = message.find('\n'); end != std::string_view::npos; end = message.find('\n')) {
    append_escaped(line, message.substr(0, end));
    line += "\n  ";
    message.remove_prefix(end + 1);
  }
  append_escaped(line, message);
  line += '\n';
  Terminal::of_process().write(line);
}

std::string working_directory() {
  std::error_code failed;
  std::string directory = std::filesystem::current_path(failed).string();
  if (!failed) return directory;
  complain("the working directory cannot be found: " + failed.message());
  return {};
}

void fill_closed_descriptors() {
  constexpr int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    // open() returns the lowest free number. That is `descriptor`, because all lower numbers are open now.
    if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", modes[descriptor]) < 0) return;
  }
}

}  // namespace wtool::host
