// Places the boxes and arrows of a drawing in layers, from the top downwards. Pure functions that know nothing of
// workflows.
//
// As an example, two boxes and an arrow with a text between them:
//
//   std::vector<LayoutEdge> edges{{.from = 0, .to = 1, .label_width = 60}};
//   const Layout layout = lay_out({{84, 32}, {84, 32}}, edges);   // layout.middles, edges[0].points, edges[0].label
//
// The method is that of Sugiyama, Tagawa and Toda (1981): arrows that close a cycle are reversed, each box is one layer
// below the lowest box from which an arrow leads to it, and an arrow over several layers gets a position in each of
// them, and a position for its text. Boxes in a layer are ordered by the middles of their neighbours. So no arrow runs
// through a box, and no two texts cover each other.
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
  bool last = false;  // below all others; no arrow begins at it
};

struct LayoutEdge {
  std::size_t from = 0;  // indexes of nodes; if both are the same, the arrow is a loop at the node's right side
  std::size_t to = 0;
  double label_width = 0;  // 0: no text
  // Results. The arrow's points; each is joined to the next by a line that leaves and arrives vertically. A loop has
  // four points, which are the control points of one curve.
  std::vector<Point> points{};
  Point label{};  // the middle of its text
};

struct Layout {
  std::vector<Point> middles;  // of the nodes
  double width = 0;            // all coordinates are between 0 and the width or the height
  double height = 0;
};

// The first node is at the top. Sizes must be at least 0, and every index must be that of a node.
Layout lay_out(const std::vector<LayoutNode>& nodes, std::vector<LayoutEdge>& edges);

}  // namespace wtool::host::report
