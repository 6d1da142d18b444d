// Runs the client programs of Slurm on this machine, in the custody of the plugin's own warden and for a limited time.
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
  std::string why{};  // if `done` is false: its standard error, or how it ended
  bool cancelled = false;
};

// Sets the client whose custodians run the client programs. The client is borrowed. nullptr: no program can be run from
// now on. Must not be called while a program runs.
void set_client_custody(engine::WardenClient* client);

// Runs a command line, and ends it after `seconds`, to which its grace period is added. Any thread may call it. Throws
// only std::bad_alloc. When the descriptor `cancel` becomes readable, the command is ended; a thread watches the
// descriptor until run_here returns. If that thread cannot be made, only the time ends the command.
Said run_here(const std::string& command, int seconds, int cancel = -1);

}  // namespace wtool::cluster
