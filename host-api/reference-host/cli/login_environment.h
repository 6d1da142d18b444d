// Takes over the environment of the person's own shell: what its profile scripts set, such as the PATH of nvm or rbenv.
//
// - The shell is $SHELL, or else the login shell of the user's entry in the passwd database. It is run once, as a
//   command of the plugin: its time is limited, and everything that it started is ended.
// - It runs in the home folder, so that no project can influence it, and without a sandbox, as in a terminal.
// - Whatever its scripts print is ignored.
// - Its variables replace those of this process, and are then treated like the inherited environment
//   (environment.inherit, environment.deny). Variables that this program itself reads stay as they are.
#pragma once

#include <string>

#include "base/stop.h"
#include "loader/plugin.h"

namespace wtool::host {

enum class LoginShell {
  login,        // SHELL -l: .profile, .zprofile
  interactive,  // SHELL -l -i: also .bashrc, .zshrc
};

// Returns why nothing was taken over, as a clause; empty on success. Call it before the plugin has tools, while no
// other thread reads the environment.
std::string take_login_environment(Plugin& plugin, LoginShell kind, Stop& stop);

}  // namespace wtool::host
