// The plugin shell_tools in this process: the tools are described by it, what a call would do is explained by it, and the
// client programs of Slurm run through it, in the custody of its warden and bounded in time.
#pragma once

#include <wtool/tool.h>

#include <string>

namespace wtool::cluster {

// The library beside this one, opened at the first use. NULL: `error`, if it is given, says why.
const wtool_entry* local_plugin(std::string* error = nullptr);
// The path of that library.
const std::string& local_plugin_path();

// The output of a client program.
struct Said {
  bool done = false;  // it ran to its end, with exit status 0
  bool cancelled = false;
  std::string out{};
  std::string why{};  // if it is not done: its standard error, or how it ended
};

// The tool that runs client programs, made and destroyed where the interface allows it: while no call is made or run. Between
// init and deinit of the local plugin.
wtool_status open_client_tool(wtool_blob* error);
void close_client_tool();

// Runs a command line and waits for at most `seconds`. Any thread, while the client tool is open. When `cancel`, a descriptor,
// becomes readable, the command is ended; a thread watches it meanwhile, and is gone when this returns.
Said run_here(const std::string& command, int seconds, int cancel = -1);

}  // namespace wtool::cluster
