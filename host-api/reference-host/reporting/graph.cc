#include "reporting/graph.h"

#include <array>
#include <string_view>

#include "reporting/display.h"

namespace wtool::host::workflow {
namespace {

struct Look {
  Step::Status status;
  const char* fill;
  const char* line;
};

// Light fills: texts on them are black.
constexpr std::array<Look, 4> looks = {{{Step::Status::succeeded, "#c8e6c9", "#2e7d32"},
                                        {Step::Status::failed, "#ffcdd2", "#c62828"},
                                        {Step::Status::aborted, "#ffe0b2", "#ef6c00"},
                                        {Step::Status::running, "#bbdefb", "#1565c0"}}};

std::string mermaid_name(const Drawing& drawing, std::size_t node) {
  const Drawing::Node& drawn = drawing.nodes[node];
  return drawn.shape == Drawing::Shape::start || drawn.shape == Drawing::Shape::end ? "[*]" : drawn.id;
}

const char* mermaid_kind(Drawing::Shape shape) {
  switch (shape) {
    case Drawing::Shape::choice:
      return "<<choice>>";
    case Drawing::Shape::fork:
      return "<<fork>>";
    case Drawing::Shape::join:
      return "<<join>>";
    default:
      return nullptr;
  }
}

std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : cleaned_for_terminal(text, true)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + '"';
}

std::string dot_shape(const Drawing::Node& node) {
  switch (node.shape) {
    case Drawing::Shape::start:
      return "shape=circle, width=0.2, label=\"\", style=filled, fillcolor=black";
    case Drawing::Shape::end:
      return "shape=doublecircle, width=0.15, label=\"\", style=filled, fillcolor=black";
    case Drawing::Shape::choice:
      return "shape=diamond, style=filled, label=" + dot_quoted(node.id);
    case Drawing::Shape::fork:
    case Drawing::Shape::join:
      return "shape=box, style=filled, height=0.08, width=1.2, fillcolor=black, label=\"\", xlabel=" +
             dot_quoted(node.id);
    case Drawing::Shape::state:
      break;
  }
  return "label=" + dot_quoted(node.id + (node.description.empty() ? "" : "\n" + node.description));
}

}  // namespace

std::string mermaid_text(const Drawing& drawing) {
  std::string out = "stateDiagram-v2\n";
  for (const Drawing::Node& node : drawing.nodes) {
    if (const char* kind = mermaid_kind(node.shape)) out += "    state " + node.id + " " + kind + "\n";
    if (node.shape != Drawing::Shape::state || node.description.empty()) continue;
    out += "    " + node.id + ": " + cleaned_for_terminal(node.description, false) + "\n";
  }
  for (const Drawing::Edge& edge : drawing.edges) {
    out += "    " + mermaid_name(drawing, edge.from) + " --> " + mermaid_name(drawing, edge.to);
    out += (edge.label.empty() ? "" : ": " + edge.label) + "\n";
  }
  for (const Look& look : looks) {
    std::string names;
    for (const Drawing::Node& node : drawing.nodes) {
      if (node.status == look.status) names += (names.empty() ? "" : ",") + node.id;
    }
    if (names.empty()) continue;
    out += std::string("    classDef ") + word(look.status) + " fill:" + look.fill + ",stroke:" + look.line +
           ",color:#000\n    class " + names + " " + word(look.status) + "\n";
  }
  return out;
}

std::string dot_text(const Drawing& drawing, const std::string& name) {
  std::string out = "digraph " + dot_quoted(name) +
                    " {\n  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"sans-serif\"];\n"
                    "  edge [fontname=\"sans-serif\", fontsize=10];\n";
  for (std::size_t i = 0; i < drawing.nodes.size(); ++i) {
    const Drawing::Node& node = drawing.nodes[i];
    out += "  n" + std::to_string(i) + " [" + dot_shape(node);
    for (const Look& look : looks) {
      if (node.status == look.status) {
        out += std::string(", fillcolor=\"") + look.fill + "\", color=\"" + look.line + "\"";
      }
    }
    out += "];\n";
  }
  for (const Drawing::Edge& edge : drawing.edges) {
    out += "  n" + std::to_string(edge.from) + " -> n" + std::to_string(edge.to);
    out += (edge.label.empty() ? "" : " [label=" + dot_quoted(edge.label) + "]") + ";\n";
  }
  return out + "}\n";
}

}  // namespace wtool::host::workflow
