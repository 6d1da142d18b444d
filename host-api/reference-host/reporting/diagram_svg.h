// Draws a workflow by itself, in layers from the start downwards: for reports that must need no other program.
#pragma once

#include <string>

#include "reporting/drawing.h"

namespace wtool::host::workflow {

// One <svg> element. Its colours are those of the classes node, edge and label and of the words for a status, which the
// page around it gives.
std::string diagram_svg(const Drawing& drawing);

}  // namespace wtool::host::workflow
