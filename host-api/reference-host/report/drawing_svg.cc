#include "report/drawing.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "report/text.h"
#include "terminal/text.h"

namespace wtool::host::report {
namespace {

constexpr std::size_t max_text = 32;  // columns of a node's or an edge's text
constexpr double character = 7.4;     // units a column, roughly
constexpr double node_height = 32;
constexpr double layer_gap = 84;
constexpr double node_gap = 64;
constexpr double least_width = 84;
constexpr double margin = 16;

struct Box {
  std::size_t layer = 0;
  double x = 0;  // of the middle
  double y = 0;
  double width = 0;
  double height = 0;
};

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string point(double x, double y) { return number(x) + "," + number(y); }

class Layout {
 public:
  explicit Layout(const Drawing& drawing) : drawing_(drawing), boxes_(drawing.nodes.size()) {
    size_boxes();
    find_layers();
    place_boxes();
  }
  const Box& box(std::size_t node) const { return boxes_[node]; }
  double width = 0;
  double height = 0;

 private:
  void size_boxes() {
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      const Drawing::Node& node = drawing_.nodes[i];
      const double text = static_cast<double>(std::min(display_width(node.id), max_text)) * character;
      const bool round = node.shape == Drawing::Shape::start || node.shape == Drawing::Shape::end;
      const bool bar = node.shape == Drawing::Shape::fork || node.shape == Drawing::Shape::join;
      boxes_[i].width = round ? 18 : std::max(least_width, bar ? text : text + 26);
      boxes_[i].height = round ? 18 : bar ? 8 : node_height;
    }
  }

  // The layer of a node is the longest way to it from the start, ignoring arrows that lead back. A node without arrows
  // to it (a state that only a failure leads to) starts at the top again.
  void find_layers() {
    enum class Mark { none, open, done };
    std::vector<Mark> marks(boxes_.size(), Mark::none);
    std::vector<std::vector<std::size_t>> next(boxes_.size());
    for (const Drawing::Edge& edge : drawing_.edges) next[edge.from].push_back(edge.to);
    std::vector<std::size_t> order;  // each node after all nodes that it leads to
    for (std::size_t root = 0; root < boxes_.size(); ++root) {
      if (marks[root] != Mark::none) continue;
      boxes_[root].layer = root == 0 ? 0 : 1;
      std::vector<std::pair<std::size_t, std::size_t>> path{{root, 0}};  // with how many of their arrows were followed
      marks[root] = Mark::open;
      while (!path.empty()) {
        auto& [node, followed] = path.back();
        if (followed == next[node].size()) {
          marks[node] = Mark::done;
          order.push_back(node);
          path.pop_back();
          continue;
        }
        std::size_t& other = next[node][followed++];
        if (marks[other] == Mark::open) {
          other = node;  // the arrow leads back: no layer depends on it
        } else if (marks[other] == Mark::none) {
          marks[other] = Mark::open;
          path.emplace_back(other, 0);
        }
      }
    }
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
      for (const std::size_t other : next[*node]) {
        if (other != *node) boxes_[other].layer = std::max(boxes_[other].layer, boxes_[*node].layer + 1);
      }
    }
    // The end is at the bottom, below everything else.
    std::size_t below = 1;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (drawing_.nodes[i].shape != Drawing::Shape::end) below = std::max(below, boxes_[i].layer + 1);
    }
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (drawing_.nodes[i].shape == Drawing::Shape::end) boxes_[i].layer = below;
    }
  }

  // From left to right in each layer, in the order of the nodes that lead there.
  void place_boxes() {
    std::vector<std::vector<std::size_t>> layers;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (layers.size() <= boxes_[i].layer) layers.resize(boxes_[i].layer + 1);
      layers[boxes_[i].layer].push_back(i);
    }
    std::vector<double> wanted(boxes_.size(), 0);
    std::vector<double> sum(boxes_.size(), 0);
    std::vector<int> count(boxes_.size(), 0);
    std::vector<std::vector<std::size_t>> next(boxes_.size());
    for (const Drawing::Edge& edge : drawing_.edges) {
      if (boxes_[edge.to].layer > boxes_[edge.from].layer) next[edge.from].push_back(edge.to);
    }
    for (std::size_t l = 0; l < layers.size(); ++l) {
      std::vector<std::size_t>& layer = layers[l];
      for (const std::size_t node : layer) wanted[node] = count[node] > 0 ? sum[node] / count[node] : 0;
      std::stable_sort(layer.begin(), layer.end(), [&](auto a, auto b) { return wanted[a] < wanted[b]; });
      double total = -node_gap;
      for (const std::size_t node : layer) total += boxes_[node].width + node_gap;
      double x = -total / 2;
      for (const std::size_t node : layer) {
        boxes_[node].x = x + boxes_[node].width / 2;
        boxes_[node].y = margin + node_height / 2 + static_cast<double>(l) * layer_gap;
        x += boxes_[node].width + node_gap;
        for (const std::size_t other : next[node]) {
          sum[other] += boxes_[node].x;
          ++count[other];
        }
      }
      width = std::max(width, total);
    }
    // Room at the right for the edges that lead upwards.
    const double left = width / 2 + margin;
    for (Box& box : boxes_) box.x += left;
    width += 2 * margin + 120;
    height = 2 * margin + node_height + static_cast<double>(layers.empty() ? 0 : layers.size() - 1) * layer_gap;
  }

  const Drawing& drawing_;
  std::vector<Box> boxes_;
};

std::string edge_svg(const Drawing::Edge& edge, const Layout& layout, std::size_t number_of_edge) {
  const Box& from = layout.box(edge.from);
  const Box& to = layout.box(edge.to);
  std::string path;
  double label_x;
  double label_y;
  if (to.layer > from.layer) {
    const double top = from.y + from.height / 2;
    const double bottom = to.y - to.height / 2 - 3;
    const double bend = (bottom - top) / 2;
    // An edge that passes other layers keeps to the side of their boxes.
    const double aside = to.layer - from.layer > 1 ? 60 + 14 * static_cast<double>(number_of_edge % 5) : 0;
    path = "M" + point(from.x, top) + " C" + point(from.x + aside, top + bend) + " " +
           point(to.x + aside, bottom - bend) + " " + point(to.x, bottom);
    label_x = (from.x + to.x) / 2 + aside * 0.75;
    label_y = (top + bottom) / 2;
  } else if (to.layer == from.layer && edge.to != edge.from) {
    // From side to side, in an arc below the boxes between them.
    const double side = to.x > from.x ? 1 : -1;
    const double begin = from.x + side * from.width / 2;
    const double end = to.x - side * (to.width / 2 + 3);
    path = "M" + point(begin, from.y + 6) + " C" + point(begin + side * 24, from.y + 44) + " " +
           point(end - side * 24, to.y + 44) + " " + point(end, to.y + 6);
    label_x = (begin + end) / 2;
    label_y = from.y + 40;
  } else {
    const double right = std::max(from.x + from.width / 2, to.x + to.width / 2) + 40;
    path = "M" + point(from.x + from.width / 2, from.y + 4) + " C" + point(right, from.y + 4) + " " +
           point(right, to.y - 4) + " " + point(to.x + to.width / 2 + 3, to.y - 4);
    label_x = right - 12;
    label_y = (from.y + to.y) / 2;
  }
  std::string out = "<path class=\"edge\" d=\"" + path + "\" marker-end=\"url(#arrow)\"/>\n";
  if (edge.label.empty()) return out;
  return out + "<text class=\"label\" x=\"" + number(label_x) + "\" y=\"" + number(label_y) + "\">" +
         markup_text(cut_to_width(cleaned_for_terminal(edge.label, false), max_text)) + "<title>" +
         markup_text(edge.label) + "</title></text>\n";
}

std::string node_svg(const Drawing::Node& node, const Box& box) {
  const std::string classes =
      std::string("node") + (node.status ? std::string(" ") + journal::status_word(*node.status, node.acts) : "");
  const double left = box.x - box.width / 2;
  const double top = box.y - box.height / 2;
  std::string shape;
  switch (node.shape) {
    case Drawing::Shape::start:
    case Drawing::Shape::end:
      shape = "<circle class=\"dot\" cx=\"" + number(box.x) + "\" cy=\"" + number(box.y) + "\" r=\"8\"/>";
      if (node.shape == Drawing::Shape::end) {
        shape += "<circle class=\"hole\" cx=\"" + number(box.x) + "\" cy=\"" + number(box.y) + "\" r=\"4\"/>";
      }
      return "<g>" + shape + "</g>\n";
    case Drawing::Shape::choice:
      shape = "<polygon points=\"" + point(left, box.y) + " " + point(box.x, top - 4) + " " +
              point(left + box.width, box.y) + " " + point(box.x, top + box.height + 4) + "\"/>";
      break;
    case Drawing::Shape::fork:
    case Drawing::Shape::join:
    case Drawing::Shape::state:
      shape = "<rect x=\"" + number(left) + "\" y=\"" + number(top) + "\" width=\"" + number(box.width) +
              "\" height=\"" + number(box.height) + "\" rx=\"" + (node.shape == Drawing::Shape::state ? "6" : "2") +
              "\"/>";
      break;
  }
  const bool bar = node.shape == Drawing::Shape::fork || node.shape == Drawing::Shape::join;
  const std::string title = node.id + (node.description.empty() ? "" : ": " + node.description);
  return "<g class=\"" + classes + (bar ? " bar" : "") + "\">" + shape + "<text x=\"" + number(bar ? left - 6 : box.x) +
         "\" y=\"" + number(box.y) + "\">" + markup_text(cut_to_width(cleaned_for_terminal(node.id, false), max_text)) +
         "</text><title>" + markup_text(title) + "</title></g>\n";
}

struct Colour {
  const char* name;
  const char* light;
  const char* dark;
};

constexpr std::array<Colour, 9> colours = {{{"back", "#fff", "#1c1c1e"},
                                            {"text", "#1d1d1f", "#f2f2f7"},
                                            {"faint", "#6e6e73", "#a1a1a6"},
                                            {"line", "#d2d2d7", "#48484a"},
                                            {"box", "#f5f5f7", "#2c2c2e"},
                                            {"succeeded", "#2e7d32", "#66bb6a"},
                                            {"failed", "#c62828", "#ef6f6c"},
                                            {"aborted", "#b26a00", "#ffb74d"},
                                            {"running", "#1565c0", "#64b5f6"}}};

constexpr const char* rules = R"(
svg { max-width: 100%; height: auto; font: 12px system-ui, sans-serif; }
.node rect, .node polygon { fill: var(--box); stroke: var(--faint); } .node text { fill: var(--text);
  text-anchor: middle; dominant-baseline: central; } .dot, .tip { fill: var(--text); } .hole { fill: var(--back); }
.bar.node rect { fill: var(--text); } .bar.node text { text-anchor: end; } .edge { fill: none; stroke: var(--faint); }
.label { fill: var(--faint); font-size: 11px; text-anchor: middle; paint-order: stroke; stroke: var(--back);
  stroke-width: 3px; }
.node.succeeded rect, .node.succeeded polygon { stroke: var(--succeeded); stroke-width: 2.5px; }
.node.failed rect, .node.failed polygon { stroke: var(--failed); stroke-width: 2.5px; }
.node.aborted rect, .node.aborted polygon { stroke: var(--aborted); stroke-width: 2.5px; }
.node.running rect, .node.running polygon { stroke: var(--running); stroke-width: 2.5px; }
)";

// Programs that show a single SVG file do not support variables, so the colours are in the rules.
std::string light_rules() {
  std::string css = rules;
  for (const Colour& colour : colours) {
    const std::string variable = std::string("var(--") + colour.name + ")";
    for (std::size_t at = 0; (at = css.find(variable, at)) != std::string::npos;) {
      css.replace(at, variable.size(), colour.light);
    }
  }
  return css + "svg { background: " + colours.front().light + "; }\n";
}

}  // namespace

std::string diagram_css() {
  std::string light;
  std::string dark;
  for (const Colour& colour : colours) {
    light += std::string(" --") + colour.name + ": " + colour.light + ";";
    dark += std::string(" --") + colour.name + ": " + colour.dark + ";";
  }
  return "\n:root { color-scheme: light dark;" + light + " }\n@media (prefers-color-scheme: dark) { :root {" + dark +
         " } }" + rules;
}

std::string diagram_svg(const Drawing& drawing, bool is_file) {
  const Layout layout(drawing);
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " + number(layout.width) +
                    " " + number(layout.height) + "\" width=\"" + number(layout.width) + "\">\n" +
                    (is_file ? "<style>" + light_rules() + "</style>\n" : "") +
                    "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
                    "markerHeight=\"7\" orient=\"auto\"><path class=\"tip\" d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n";
  for (std::size_t i = 0; i < drawing.edges.size(); ++i) out += edge_svg(drawing.edges[i], layout, i);
  for (std::size_t i = 0; i < drawing.nodes.size(); ++i) out += node_svg(drawing.nodes[i], layout.box(i));
  return out + "</svg>\n";
}

}  // namespace wtool::host::report
