// report/layout.h: where boxes, arrows and their texts go, on random drawings.
#include "report/layout.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace layout_test {

using namespace wtool::host::report;

namespace {

struct Area {
  double left, right, top, bottom;
};

Area around(Point middle, double width, double height) {
  return {middle.x - width / 2, middle.x + width / 2, middle.y - height / 2, middle.y + height / 2};
}

bool overlap(const Area& a, const Area& b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

struct Graph {
  std::vector<LayoutNode> nodes;
  std::vector<LayoutEdge> edges;
};

Graph made_graph(unsigned seed) {
  std::mt19937 chance(seed);
  const auto up_to = [&](std::size_t most) { return static_cast<std::size_t>(chance() % most); };
  Graph graph;
  const std::size_t count = 1 + up_to(60);
  for (std::size_t i = 0; i < count; ++i) {
    graph.nodes.push_back(
        {static_cast<double>(20 + up_to(180)), static_cast<double>(8 + up_to(60)), i > 0 && up_to(20) == 0});
  }
  for (std::size_t i = 0; i + 1 < count + count / 2; ++i) {
    const std::size_t from = up_to(count);
    if (graph.nodes[from].last) continue;
    graph.edges.push_back({from, up_to(count), up_to(2) == 0 ? 0 : static_cast<double>(20 + up_to(150))});
  }
  return graph;
}

}  // namespace

BOOST_AUTO_TEST_CASE(boxes_and_texts_of_arrows_cover_nothing) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Graph graph = made_graph(seed);
    const Layout layout = lay_out(graph.nodes, graph.edges);
    std::vector<Area> areas;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      areas.push_back(around(layout.middles[i], graph.nodes[i].width, graph.nodes[i].height));
    }
    for (const LayoutEdge& edge : graph.edges) {
      if (edge.label_width > 0 && edge.from != edge.to) areas.push_back(around(edge.label, edge.label_width - 1, 12));
    }
    std::size_t covered = 0;
    for (std::size_t i = 0; i < areas.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) covered += overlap(areas[i], areas[k]) ? 1 : 0;
      const bool inside = areas[i].left > -1 && areas[i].right < layout.width + 1 && areas[i].top > -1 &&
                          areas[i].bottom < layout.height + 1;
      BOOST_TEST(inside, "seed " << seed << ": something is outside of the drawing");
    }
    BOOST_TEST(covered == 0U, "seed " << seed << ": " << covered << " pairs cover each other");
  }
}

BOOST_AUTO_TEST_CASE(arrows_join_their_boxes_and_run_through_no_other) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Graph graph = made_graph(seed);
    const Layout layout = lay_out(graph.nodes, graph.edges);
    for (const LayoutEdge& edge : graph.edges) {
      BOOST_REQUIRE(edge.points.size() >= 2);
      const auto touches = [&](std::size_t node, Point at) {
        const Area box = around(layout.middles[node], graph.nodes[node].width + 1, graph.nodes[node].height + 1);
        return at.x >= box.left && at.x <= box.right && at.y >= box.top && at.y <= box.bottom;
      };
      BOOST_TEST(touches(edge.from, edge.points.front()), "seed " << seed);
      BOOST_TEST(touches(edge.to, edge.points.back()), "seed " << seed);
      if (edge.from == edge.to) continue;
      for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const Area box = around(layout.middles[i], graph.nodes[i].width, graph.nodes[i].height);
        const bool through = std::any_of(edge.points.begin() + 1, edge.points.end() - 1, [&](Point at) {
          return at.x > box.left && at.x < box.right && at.y > box.top && at.y < box.bottom;
        });
        BOOST_TEST(!through, "seed " << seed << ": an arrow runs through node " << i);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_chain_is_straight_and_leads_downwards) {
  std::vector<LayoutEdge> edges{{0, 1}, {1, 2, 40}, {2, 3}};
  const Layout layout = lay_out({{18, 18}, {90, 32}, {120, 32}, {18, 18, true}}, edges);
  for (std::size_t i = 1; i < 4; ++i) {
    BOOST_TEST(std::abs(layout.middles[i].x - layout.middles[0].x) < 1);
    BOOST_TEST(layout.middles[i].y > layout.middles[i - 1].y);
  }
}

BOOST_AUTO_TEST_CASE(what_is_last_is_below_all_others) {
  std::vector<LayoutEdge> edges{{0, 1}, {0, 2}, {2, 3}, {3, 4}};
  const Layout layout = lay_out({{18, 18}, {18, 18, true}, {90, 32}, {90, 32}, {90, 32}}, edges);
  for (const std::size_t other : {0U, 2U, 3U, 4U}) BOOST_TEST(layout.middles[1].y > layout.middles[other].y);
}

BOOST_AUTO_TEST_CASE(nothing_is_a_drawing_without_size) {
  std::vector<LayoutEdge> edges;
  const Layout layout = lay_out({}, edges);
  BOOST_TEST(layout.width == 0);
  BOOST_TEST(layout.height == 0);
}

}  // namespace layout_test
