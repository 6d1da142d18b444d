// The diagram of a workflow as text for programs that draw: mermaid and DOT.
#pragma once

#include <string>

#include "reporting/drawing.h"

namespace wtool::host::workflow {

// A stateDiagram-v2, which can stand in a workflow again. States that have a status are coloured.
std::string mermaid_text(const Drawing& drawing);

// A graph for the program `dot`.
std::string dot_text(const Drawing& drawing, const std::string& name);

// What `dot` makes of a graph in that format (svg, png). Empty: `error` says why it could not.
std::string drawn_by_dot(const std::string& graph, const std::string& format, std::string& error);

}  // namespace wtool::host::workflow
