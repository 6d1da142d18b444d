// The tool engine_run, which a pilot alone has: it runs on this machine what another host has judged, approved and put on
// record (order.h). The sandbox of the configuration is enforced here.
#pragma once

#include "tools/tool.h"

namespace wtool::cluster {

const tools::Tool& engine_run();

}  // namespace wtool::cluster
