// Where boxes and arrows of a drawing go: in layers, from the top downwards. Pure; knows nothing of workflows.
//
// As an example, two boxes and an arrow with a text between them:
//
//   std::vector<LayoutEdge> edges{{.from = 0, .to = 1, .label_width = 60}};
//   const Layout layout = lay_out({{84, 32}, {84, 32}}, edges);   // layout.middles, edges[0].points, edges[0].label
//
// The way is the usual one (Sugiyama, Tagawa, Toda 1981): arrows that close a circle are turned round, each box stands one layer
// below the lowest that leads to it, an arrow over several layers gets a place in each of them, and so does its text. The order in
// a layer follows from the middles of the neighbours. So no arrow runs through a box, and no two texts cover each other.
#pragma once

#include <cstddef>
#include <vector>

namespace wtool::host::report {

struct Point {
  double x = 0;
  double y = 0;
};

struct LayoutNode {
  double width = 0;
  double height = 0;
  bool last = false;  // below all others; no arrow leads away from it
};

struct LayoutEdge {
  std::size_t from = 0;  // indexes of nodes; the same twice is a loop at the right side
  std::size_t to = 0;
  double label_width = 0;  // 0: no text
  // Results. A line from each point to the next; it leaves and reaches each vertically, but for a loop's four points, which are
  // the control points of one curve.
  std::vector<Point> points{};
  Point label{};  // the middle of its text
};

struct Layout {
  std::vector<Point> middles;  // of the nodes
  double width = 0;            // everything is between 0 and these
  double height = 0;
};

// The first node is at the top. Sizes are at least 0; every index is one of a node.
Layout lay_out(const std::vector<LayoutNode>& nodes, std::vector<LayoutEdge>& edges);

}  // namespace wtool::host::report
