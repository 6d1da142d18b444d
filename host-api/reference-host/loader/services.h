// What this host offers to a plugin: the host's side of the extensions, as C functions over this host's own objects.
// The log and the approval; an extension that is not here is one that the host does not have.
#pragma once

#include <wtool/tool.h>

namespace wtool::host {

class Approver;
class Tracing;

// What wtool_host.ctx points to. Must outlive the plugin.
struct Services {
  Tracing* tracing = nullptr;
  Approver* approval = nullptr;  // NULL: nobody is ever asked
};

// The host as a plugin sees it. Borrows `services`; what is returned must stay where it is once a plugin has it.
wtool_host make_host(Services& services);

}  // namespace wtool::host
