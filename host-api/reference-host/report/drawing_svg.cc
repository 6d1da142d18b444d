// The picture as SVG. Each scene is laid out by itself (layout.h); a composite state is a box around the scene that it
// contains.
#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/text.h"
#include "report/drawing.h"
#include "report/layout.h"
#include "report/picture.h"
#include "report/text.h"
#include "terminal/text.h"

namespace wtool::host::report {
namespace {

constexpr std::size_t max_nodes = 300;
constexpr std::size_t max_arrows = 1000;
constexpr std::size_t max_text = 32;      // columns of a node's or an edge's text
constexpr double columns_of_status = 14;  // of a heading: the sign, and how the state ended
constexpr double character = 7.4;         // roughly the width of a column, in units
constexpr double small_character = 6.4;
constexpr double node_height = 32;
constexpr double visited_height = 44;  // with a second line
constexpr double least_width = 84;
constexpr double margin = 16;
constexpr double padding = 18;         // inside a composite state
constexpr double heading_height = 26;  // of a composite state, and of a scene that is drawn apart

using Shape = Picture::Shape;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string point(Point at) { return number(at.x) + "," + number(at.y); }

std::string label_text(const std::string& text, std::size_t columns = max_text) {
  return cut_to_width(cleaned_for_terminal(text, false), columns);
}

double width_of(const std::string& text, double column) { return static_cast<double>(display_width(text)) * column; }

std::string word_of(const Picture::Item& item) {
  return item.waits ? "waits" : journal::status_word(*item.status, item.acts);
}

// The status is shown not only by colour, but also by a sign. A state that a run only passed through has none.
std::string sign_of(const Picture::Item& item) {
  if (!item.status || (!item.acts && *item.status == runner::Step::Status::succeeded)) return {};
  if (item.waits) return "\u2016 ";
  switch (*item.status) {
    case runner::Step::Status::succeeded:
      return "\u2713 ";
    case runner::Step::Status::failed:
      return "\u2717 ";
    case runner::Step::Status::aborted:
      return "\u25a0 ";
    case runner::Step::Status::running:
      break;
  }
  return "\u25b8 ";
}

// A description is shown instead of the id, which is then only in the tooltip. A composite state that did not succeed
// has no second line, so the heading says how it ended.
std::string heading_of(const Picture::Item& item, std::size_t columns = max_text) {
  const std::string sign = sign_of(item);
  const bool says = item.shape == Shape::composite && !sign.empty();
  return sign + label_text(item.description.empty() ? item.id : item.description, columns) +
         (says ? ": " + word_of(item) : "");
}

// The line below the name, such as `3 visits, 1.2 s`.
std::string second_line(const Picture::Item& item) {
  if (item.visits == 0 || !item.acts || item.shape == Shape::composite) return {};
  return (item.visits > 1 ? std::to_string(item.visits) + " visits, " : "") + duration_text(item.took);
}

std::string label_of(const Picture::Arrow& arrow) {
  if (arrow.label.empty()) return {};
  return label_text(arrow.label);
}

std::string classes_of(const Picture::Item& item) { return item.status ? " " + word_of(item) : std::string(); }

std::string text_at(double x, double y, const std::string& text, const std::string& classes = "") {
  return "<text" + (classes.empty() ? "" : " class=\"" + classes + "\"") + " x=\"" + number(x) + "\" y=\"" + number(y) +
         "\">" + markup_text(text) + "</text>";
}

class SvgWriter {
 public:
  SvgWriter(const Picture& picture, bool links) : picture_(picture), links_(links), placed_(picture.scenes.size()) {
    // Inner scenes first, because their sizes determine the sizes of the items that contain them.
    for (std::size_t i = picture.scenes.size(); i-- > 0;) place(i);
  }

  std::string body(double& width, double& height) {
    width = placed_[0].layout.width + 2 * margin;
    height = placed_[0].layout.height + 2 * margin;
    std::string out;
    draw(0, {margin, margin}, out);
    for (const std::size_t scene : picture_.apart) width = std::max(width, placed_[scene].layout.width + 2 * margin);
    for (const std::size_t scene : picture_.apart) {
      out += "<line class=\"apart\" x1=\"" + number(margin) + "\" y1=\"" + number(height) + "\" x2=\"" +
             number(width - margin) + "\" y2=\"" + number(height) + "\"/>" +
             text_at(margin, height + 16, picture_.scenes[scene].caption, "caption") + "\n";
      draw(scene, {margin, height + heading_height}, out);
      height += heading_height + placed_[scene].layout.height + margin;
    }
    return out;
  }

 private:
  struct Placed {
    std::vector<LayoutNode> sizes;
    std::vector<LayoutEdge> edges;
    Layout layout;
  };

  void place(std::size_t index) {
    const Picture::Scene& scene = picture_.scenes[index];
    Placed& placed = placed_[index];
    for (const Picture::Item& item : scene.items) placed.sizes.push_back(size_of(item));
    for (const Picture::Arrow& arrow : scene.arrows) {
      const std::string label = label_of(arrow);
      placed.edges.push_back({arrow.from, arrow.to, label.empty() ? 0 : width_of(label, small_character) + 10});
    }
    placed.layout = lay_out(placed.sizes, placed.edges);
  }

  LayoutNode size_of(const Picture::Item& item) const {
    switch (item.shape) {
      case Shape::start:
      case Shape::end:
        return {18, 18, item.shape == Shape::end};
      case Shape::composite: {
        const Layout& inner = placed_[item.scene].layout;
        const double heading = width_of(heading_of(item), character) + 2 * padding;
        return {std::max(inner.width + 2 * padding, heading), inner.height + heading_height + padding};
      }
      case Shape::fork:
      case Shape::join:
        return {std::max(least_width, width_of(heading_of(item), character)), 8};
      case Shape::choice:
      case Shape::state:
        break;
    }
    const std::string second = second_line(item);
    const double text = std::max(width_of(heading_of(item), character), width_of(second, small_character));
    return {std::max(least_width, text + (item.shape == Shape::choice ? 44 : 26)),
            second.empty() ? node_height : visited_height};
  }

  void draw(std::size_t index, Point origin, std::string& out) const {
    const Picture::Scene& scene = picture_.scenes[index];
    const Placed& placed = placed_[index];
    for (std::size_t i = 0; i < scene.items.size(); ++i) {
      const Point middle{origin.x + placed.layout.middles[i].x, origin.y + placed.layout.middles[i].y};
      if (scene.items[i].shape == Shape::composite) draw_composite(scene.items[i], middle, placed.sizes[i], out);
    }
    for (std::size_t i = 0; i < scene.arrows.size(); ++i) draw_arrow(scene.arrows[i], placed.edges[i], origin, out);
    for (std::size_t i = 0; i < scene.items.size(); ++i) {
      const Point middle{origin.x + placed.layout.middles[i].x, origin.y + placed.layout.middles[i].y};
      if (scene.items[i].shape != Shape::composite) draw_item(scene.items[i], middle, placed.sizes[i], out);
    }
  }

  void draw_composite(const Picture::Item& item, Point middle, const LayoutNode& size, std::string& out) const {
    const Point corner{middle.x - size.width / 2, middle.y - size.height / 2};
    // A frame that is wider than its heading needs leaves room for more of it.
    const double room = (size.width - 2 * padding) / character - columns_of_status;
    const std::size_t columns = std::max(max_text, static_cast<std::size_t>(std::max(room, 0.0)));
    out += "<g><rect class=\"frame" + classes_of(item) + "\" x=\"" + number(corner.x) + "\" y=\"" + number(corner.y) +
           "\" width=\"" + number(size.width) + "\" height=\"" + number(size.height) + "\" rx=\"8\"/>" +
           text_at(corner.x + 12, corner.y + 17, heading_of(item, columns), "heading") + title_of(item) + "</g>\n";
    const double inner = placed_[item.scene].layout.width;
    draw(item.scene, {middle.x - inner / 2, corner.y + heading_height}, out);
  }

  static void draw_arrow(const Picture::Arrow& arrow, const LayoutEdge& edge, Point origin, std::string& out) {
    const auto moved = [&](Point at) { return Point{origin.x + at.x, origin.y + at.y}; };
    std::string path = "M" + point(moved(edge.points.front()));
    if (arrow.from == arrow.to) {
      path +=
          " C" + point(moved(edge.points[1])) + " " + point(moved(edge.points[2])) + " " + point(moved(edge.points[3]));
    } else {
      for (std::size_t i = 1; i < edge.points.size(); ++i) {
        const Point before = moved(edge.points[i - 1]);
        const Point at = moved(edge.points[i]);
        const double half = (before.y + at.y) / 2;
        const bool straight = before.x - at.x < 0.5 && at.x - before.x < 0.5;
        path +=
            straight ? " L" + point(at) : " C" + point({before.x, half}) + " " + point({at.x, half}) + " " + point(at);
      }
    }
    out += std::string("<path class=\"edge") + (arrow.taken > 0 ? " taken" : "") + "\" d=\"" + path +
           "\" marker-end=\"url(#arrow)\"/>\n";
    if (arrow.label.empty()) return;
    const Point at = moved(edge.label);
    out += "<text class=\"label\" x=\"" + number(at.x) + "\" y=\"" + number(at.y + 4) + "\">" +
           markup_text(label_of(arrow)) + "<title>" + markup_text(arrow.label) + "</title></text>\n";
  }

  void draw_item(const Picture::Item& item, Point middle, const LayoutNode& size, std::string& out) const {
    const double left = middle.x - size.width / 2;
    const double top = middle.y - size.height / 2;
    if (item.shape == Shape::start || item.shape == Shape::end) {
      const auto circle = [&](const char* classes, const char* radius) {
        return std::string("<circle class=\"") + classes + "\" cx=\"" + number(middle.x) + "\" cy=\"" +
               number(middle.y) + "\" r=\"" + radius + "\"/>";
      };
      out += "<g>" + circle("dot", "8") + (item.shape == Shape::end ? circle("hole", "4") : "") + "</g>\n";
      return;
    }
    const bool bar = item.shape == Shape::fork || item.shape == Shape::join;
    std::string shape;
    if (item.shape == Shape::choice) {
      shape = "<polygon points=\"" + point({left, middle.y}) + " " + point({middle.x, top - 4}) + " " +
              point({left + size.width, middle.y}) + " " + point({middle.x, top + size.height + 4}) + "\"/>";
    } else {
      shape = "<rect x=\"" + number(left) + "\" y=\"" + number(top) + "\" width=\"" + number(size.width) +
              "\" height=\"" + number(size.height) + "\" rx=\"" + (bar ? "2" : "6") + "\"/>";
    }
    const std::string second = second_line(item);
    std::string text;
    if (bar) {
      // The name of a bar is only in its tooltip: a text would cover the arrows.
    } else if (second.empty()) {
      text = text_at(middle.x, middle.y + 4, heading_of(item));
    } else {
      text = text_at(middle.x, middle.y - 3, heading_of(item)) + text_at(middle.x, middle.y + 13, second, "small");
    }
    const bool link = links_ && item.last_step > 0;
    const std::string row = std::to_string(item.last_step);
    out += (link ? "<a href=\"#step-" + row + "\">" : "") + "<g class=\"node" + classes_of(item) + (bar ? " bar" : "") +
           "\">" + shape + text + title_of(item) + "</g>" + (link ? "</a>" : "") + "\n";
  }

  static std::string title_of(const Picture::Item& item) {
    std::string title = item.id + (item.id.empty() || item.description.empty() ? "" : ": ") + item.description;
    if (item.status) title += (title.empty() ? "" : ", ") + word_of(item);
    return title.empty() ? "" : "<title>" + markup_text(title) + "</title>";
  }

  const Picture& picture_;
  bool links_;
  std::vector<Placed> placed_;
};

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
                                            {"aborted", "#9a5b00", "#ffb74d"},
                                            {"running", "#1565c0", "#64b5f6"}}};

constexpr const char* rules = R"(
svg { height: auto; font: 12px system-ui, sans-serif; }
.node rect, .node polygon { fill: var(--box); stroke: var(--faint); } .node text { fill: var(--text);
  text-anchor: middle; } .dot, .tip { fill: var(--text); } .hole { fill: var(--back); }
.bar.node rect { fill: var(--text); } .bar.node text { text-anchor: end; } .edge { fill: none; stroke: var(--faint); }
.edge.taken { stroke: var(--text); stroke-width: 2.2px; } .small { font-size: 10.5px; } .node .small { fill: var(--faint); }
.frame { fill: none; stroke: var(--faint); } .frame.failed { stroke: var(--failed); } .heading { fill: var(--text); font-weight: 600; }
.apart { stroke: var(--faint); stroke-dasharray: 6 5; } .caption { fill: var(--faint); font-style: italic; }
a:hover rect { stroke-width: 3.5px; } @media print { svg { max-width: 100%; max-height: 24cm; } }
.label { fill: var(--faint); font-size: 11px; text-anchor: middle; paint-order: stroke; stroke: var(--back);
  stroke-width: 3px; }
.node.succeeded rect, .node.succeeded polygon { stroke: var(--succeeded); stroke-width: 2.5px; }
.node.failed rect, .node.failed polygon { stroke: var(--failed); stroke-width: 2.5px; }
.node.aborted rect, .node.aborted polygon { stroke: var(--aborted); stroke-width: 2.5px; }
.node.waits rect, .node.waits polygon, .node.running rect, .node.running polygon { stroke: var(--running); stroke-width: 2.5px; }
)";

// Some programs that show SVG files do not support variables of CSS, so the colours are written into the rules.
std::string rules_with(const char* Colour::*mode) {
  std::string css = std::string(rules) + "svg { background: var(--back); }\n";
  for (const Colour& colour : colours) replace_all(css, std::string("var(--") + colour.name + ")", colour.*mode);
  return css;
}

std::string file_css() {
  return rules_with(&Colour::light) + "@media (prefers-color-scheme: dark) {" + rules_with(&Colour::dark) + "}\n";
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

std::string problem_of_size(const Drawing& drawing) {
  const auto problem = [](std::size_t count, const char* what, std::size_t most) {
    return "it has " + std::to_string(count) + what + ", and at most " + std::to_string(most) + " can be drawn legibly";
  };
  if (drawing.nodes.size() > max_nodes) return problem(drawing.nodes.size(), " nodes", max_nodes);
  if (drawing.edges.size() > max_arrows) return problem(drawing.edges.size(), " arrows", max_arrows);
  return {};
}

std::string diagram_svg(const workflow::Workflow& workflow, const journal::RunRecord* run, bool is_file) {
  const Picture picture = picture_of(workflow, run);
  double width = 0;
  double height = 0;
  const std::string body = SvgWriter(picture, run != nullptr && !is_file).body(width, height);
  const std::string& named = workflow.title.empty() ? workflow.name : workflow.title;
  const std::string name = named.empty() ? "Diagram" : "Diagram of " + markup_text(named);
  // In a page, the states are links. With the role `img`, screen readers would not see them.
  const std::string role = is_file ? "role=\"img\"" : "role=\"group\" aria-label=\"" + name + "\"";
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" " + role + " viewBox=\"0 0 " + number(width) + " " +
         number(height) + "\" width=\"" + number(width) + "\">\n" +
         (is_file ? "<title>" + name + "</title>\n<style>" + file_css() + "</style>\n" : "") +
         "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
         "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"tip\" d=\"M0,0 L8,4 L0,8 "
         "z\"/></marker></defs>\n" +
         body + "</svg>\n";
}

}  // namespace wtool::host::report
