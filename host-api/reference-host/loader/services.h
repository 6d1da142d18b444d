// What this host offers to a plugin: the host's side of the extensions, as C functions on this host's own objects. It
// offers the log and the approval, and no other extension.
#pragma once

#include <wtool/tool.h>

namespace wtool::host {

class Approver;
class Tracing;

// What wtool_host.ctx points to. Must outlive the plugin.
struct HostServices {
  Tracing* tracing = nullptr;
  Approver* approval = nullptr;  // nullptr: nobody is ever asked
};

// The host as a plugin sees it. Borrows `services`. The returned struct must not move once a plugin has its address.
wtool_host make_host(HostServices& services);

}  // namespace wtool::host
