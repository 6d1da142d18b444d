// The tool engine_run, which only a pilot has: it runs on this machine what a host on another machine has judged,
// approved and recorded (order.h). The sandbox of the configuration is enforced here.
#pragma once

#include "tools/tool.h"

namespace wtool::cluster {

const tools::Tool& engine_run();

}  // namespace wtool::cluster
