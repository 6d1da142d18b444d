// The client programs of Slurm on this machine: run in the custody of the plugin's own warden, and bounded in time.
#pragma once

#include <string>

namespace wtool::engine {
class WardenClient;
}

namespace wtool::cluster {

// The path of this plugin, as this process has loaded it.
const std::string& local_plugin_path();

// The output of a client program.
struct Said {
  bool done = false;  // it ran to its end, with exit status 0
  std::string out{};
  std::string why{};  // if it is not done: its standard error, or how it ended
  bool cancelled = false;
};

// Sets the client whose custodians run these programs; borrowed. After NULL, none can be run. Do not call it while one
// runs.
void set_client_custody(engine::WardenClient* client);

// Runs a command line and waits for at most `seconds`. Any thread. Throws only std::bad_alloc. When the descriptor
// `cancel` becomes readable, the command is ended; a thread watches that descriptor until this returns.
Said run_here(const std::string& command, int seconds, int cancel = -1);

}  // namespace wtool::cluster
