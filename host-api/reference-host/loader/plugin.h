// One plugin library. open() opens it and checks its entry and descriptors; from start() to its destruction it is
// initialised.
//
//   const auto plugin = Plugin::open("lib/wtool/shell_tools.so", tracing, error);
//   if (plugin == nullptr) return error;
//   for (const ToolDescription& tool : plugin->tools()) print(tool.id);
//   const auto toolbox = Toolbox::open(*plugin, "{}", error);  // starts it, and makes its tools (toolbox.h)
//   toolbox->call("shell_execute", {{"command", "git status"}}, stop, output);
//
// - Opening calls only tool_count and tool_at of the plugin; descriptors can be read from then on.
// - What the plugin says about itself is checked before it is used: sizes, pointers, names, UTF-8, JSON.
// - This class offers the host's services to the plugin (services.h): the log, and an approver. Unless another approver
//   is set, the person at the terminal is asked.
#pragma once

#include <wtool/tool.h>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::host {

class Approver;
class Tracing;

inline constexpr std::string_view local_plugin_name = "shell_tools", cluster_plugin_name = "cluster_tools";

// A descriptor, copied. The texts are valid UTF-8; the schemas are JSON texts of objects, output_schema may be empty.
struct ToolDescription {
  std::string id{}, title{}, version{}, description{}, input_schema{}, output_schema{};
  std::uint32_t hints = 0;  // WTOOL_HINT_*
};

// Only one thread at a time may call the members that are not const, and only while no call runs.
class Plugin {
 public:
  // Opens the library and checks its entry. nullptr: `error` says why that failed, and names the path. `tracing` must
  // outlive the plugin.
  static std::unique_ptr<Plugin> open(const std::string& path, Tracing& tracing, std::string& error);
  ~Plugin();  // Ends the joined plugins, calls deinit if init succeeded, and closes the library.
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  // Sets who is asked instead of the person at the terminal. `approver` must outlive all calls; nullptr: nobody is
  // asked. Call this before start().
  void ask_through(Approver* approver);

  // Initialises the plugin, and those that have joined it. A later call starts only those that have not started. False:
  // `error` says why.
  bool start(std::string& error);

  // Joins another plugin to this one, before start(): its tools are added to tools(), and it starts and ends with this
  // one. It gets no configuration. False: one of its tools has the id of an existing tool; `error` names the tool and
  // both files.
  bool join(std::unique_ptr<Plugin> other, std::string& error);
  // The plugin that has this tool: this one, or one that has joined it. nullptr: no plugin has it.
  const Plugin* owner_of(std::string_view id) const;

  const std::string& path() const { return path_; }
  // All tools: those of this plugin first, then those of joined plugins.
  const std::vector<ToolDescription>& tools() const { return tools_; }
  const wtool_entry& entry() const { return *entry_; }
  Tracing& tracing() const;
  // True if its calls run on the nodes of a cluster.
  bool is_cluster() const;

 private:
  struct Host;
  Plugin();
  bool read_entry(std::string& error);
  bool read_tools(std::string& error);

  std::string path_;
  void* library_ = nullptr;
  const wtool_entry* entry_ = nullptr;
  std::vector<ToolDescription> tools_;
  std::size_t own_tools_ = 0;  // how many of tools_ are its own; they come first
  std::vector<std::unique_ptr<Plugin>> joined_;
  std::unique_ptr<Host> host_;  // never moves: the plugin keeps its address
  bool started_ = false;
};

// ---- Finds the plugin when --plugin is not given.
//
// - First beside the program: ../lib/wtool/shell_tools.so, from the folder of the program's own file.
// - Then in the folders of WTOOL_PLUGIN_PATH, separated by colons, in their order; empty entries are skipped. In a
//   folder, shell_tools.so is used or, if the folder lacks it, the only *.so. If a folder has several libraries and no
//   shell_tools.so, that is an error, not a guess.

// The path of an existing file. Empty: `error` lists the places that were tried. `program` is the path of the running
// program, `search_path` the value of WTOOL_PLUGIN_PATH (empty if it is not set).
std::string find_plugin(const std::string& program, const std::string& search_path, std::string& error);

// The libraries that `--plugin PATH` names: the file itself or, if it is a folder, every *.so in it, sorted by name.
// Empty: `error` says why.
std::vector<std::string> plugin_files(const std::string& path, std::string& error);

// The target of /proc/self/exe; empty if it cannot be read.
std::string program_path();

}  // namespace wtool::host
