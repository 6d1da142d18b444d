#include "report/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace wtool::host::report {
namespace {

constexpr double side_gap = 36;   // between two boxes of a layer
constexpr double line_gap = 14;   // between two arrows, or an arrow and a box
constexpr double layer_gap = 19;  // between two rows; layers are two rows apart, with the texts of arrows between them
constexpr double label_height = 18;
constexpr double loop_width = 44;
constexpr int order_sweeps = 12;
constexpr int place_sweeps = 48;
constexpr double kink = 6;  // a smaller bend of an arrow is straightened

// A box, or the position of an arrow in a row that the arrow passes.
struct Spot {
  std::size_t row = 0;
  double left = 0;  // how far it reaches to the left of its middle
  double right = 0;
  double height = 0;
  bool is_node = false;
  double x = 0;
  std::vector<std::size_t> above{};
  std::vector<std::size_t> below{};
};

class Layers {
 public:
  Layers(const std::vector<LayoutNode>& nodes, std::vector<LayoutEdge>& edges) : nodes_(nodes), edges_(edges) {
    turn_circles();
    find_rows();
    make_spots();
    order_rows();
    place_spots();
    straighten();
  }

  Layout layout() {
    Layout result;
    const std::vector<double> middles = row_middles(result.height);
    double left = std::numeric_limits<double>::max();
    double right = std::numeric_limits<double>::lowest();
    for (const Spot& spot : spots_) {
      left = std::min(left, spot.x - spot.left);
      right = std::max(right, spot.x + spot.right);
    }
    for (Spot& spot : spots_) spot.x -= left;
    result.width = spots_.empty() ? 0 : right - left;
    for (std::size_t i = 0; i < nodes_.size(); ++i) result.middles.push_back({spots_[i].x, middles[spots_[i].row]});
    for (std::size_t i = 0; i < edges_.size(); ++i) route(i, result.middles, middles);
    return result;
  }

 private:
  bool is_loop(const LayoutEdge& edge) const { return edge.from == edge.to; }

  // Finds the arrows that close a cycle: they lead back to a node on the path by which they were reached.
  void turn_circles() {
    enum class Mark { none, open, done };
    turned_.assign(edges_.size(), false);
    std::vector<std::vector<std::size_t>> out(nodes_.size());
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (!is_loop(edges_[i])) out[edges_[i].from].push_back(i);
    }
    std::vector<Mark> marks(nodes_.size(), Mark::none);
    for (std::size_t root = 0; root < nodes_.size(); ++root) {
      if (marks[root] != Mark::none) continue;
      marks[root] = Mark::open;
      std::vector<std::pair<std::size_t, std::size_t>> way{{root, 0}};  // a node, and its count of followed arrows
      while (!way.empty()) {
        auto& [node, followed] = way.back();
        if (followed == out[node].size()) {
          marks[node] = Mark::done;
          way.pop_back();
          continue;
        }
        const std::size_t edge = out[node][followed++];
        const std::size_t next = edges_[edge].to;
        if (marks[next] == Mark::open) turned_[edge] = true;
        if (marks[next] != Mark::none) continue;
        marks[next] = Mark::open;
        way.emplace_back(next, 0);
      }
    }
  }

  std::size_t upper(std::size_t edge) const { return turned_[edge] ? edges_[edge].to : edges_[edge].from; }
  std::size_t lower(std::size_t edge) const { return turned_[edge] ? edges_[edge].from : edges_[edge].to; }

  // A node's layer is the length of the longest path to it from the top. Then nodes without incoming arrows, except the
  // first node, move down to just above their targets. A node's row is twice its layer.
  void find_rows() {
    std::vector<std::size_t> layer(nodes_.size(), 0);
    std::vector<std::size_t> missing(nodes_.size(), 0);
    std::vector<std::vector<std::size_t>> next(nodes_.size());
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (is_loop(edges_[i])) continue;
      next[upper(i)].push_back(lower(i));
      ++missing[lower(i)];
    }
    std::vector<std::size_t> ready;
    std::vector<bool> leads(nodes_.size(), false);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (missing[i] != 0) continue;
      leads[i] = i != 0;
      ready.push_back(i);
    }
    for (std::size_t at = 0; at < ready.size(); ++at) {
      for (const std::size_t other : next[ready[at]]) {
        layer[other] = std::max(layer[other], layer[ready[at]] + 1);
        if (--missing[other] == 0) ready.push_back(other);
      }
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!leads[i] || next[i].empty()) continue;
      std::size_t nearest = std::numeric_limits<std::size_t>::max();
      for (const std::size_t other : next[i]) nearest = std::min(nearest, layer[other]);
      layer[i] = nearest - 1;
    }
    std::size_t below = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (!nodes_[i].last) below = std::max(below, layer[i] + 1);
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      row_.push_back(2 * (nodes_[i].last ? std::max(below, layer[i]) : layer[i]));
  }

  void make_spots() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      spots_.push_back({row_[i], nodes_[i].width / 2, nodes_[i].width / 2, nodes_[i].height, true});
    }
    for (const LayoutEdge& edge : edges_) {
      if (!is_loop(edge)) continue;
      Spot& spot = spots_[edge.from];
      spot.right = std::max(spot.right, nodes_[edge.from].width / 2 + loop_width + edge.label_width);
    }
    chains_.resize(edges_.size());
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (is_loop(edges_[i])) continue;
      const std::size_t top = upper(i);
      const std::size_t bottom = lower(i);
      // The label goes next to the beginning of the arrow. If the arrow leads upwards, it begins at the bottom.
      const std::size_t label_row = turned_[i] ? row_[bottom] - 1 : row_[top] + 1;
      std::size_t before = top;
      for (std::size_t row = row_[top] + 1; row < row_[bottom]; ++row) {
        const bool has_label = edges_[i].label_width > 0 && row == label_row;
        const double half = has_label ? edges_[i].label_width / 2 : 0;
        const std::size_t spot = spots_.size();
        spots_.push_back({row, half, half, has_label ? label_height : 0, false});
        chains_[i].push_back(spot);
        join(before, spot);
        before = spot;
      }
      join(before, bottom);
    }
    std::size_t count = 0;
    for (const Spot& spot : spots_) count = std::max(count, spot.row + 1);
    rows_.resize(count);
    for (std::size_t i = 0; i < spots_.size(); ++i) rows_[spots_[i].row].push_back(i);
  }

  void join(std::size_t above, std::size_t below) {
    spots_[above].below.push_back(below);
    spots_[below].above.push_back(above);
  }

  void number_row(const std::vector<std::size_t>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) position_[row[i]] = static_cast<double>(i);
  }

  // The number of crossings of two arrows between neighbouring rows, for all rows together.
  std::size_t crossings() const {
    std::size_t count = 0;
    for (const std::vector<std::size_t>& row : rows_) {
      std::vector<double> ends;  // where the arrows end, in the order in which they begin
      for (const std::size_t spot : row) {
        std::vector<double> own;
        for (const std::size_t below : spots_[spot].below) own.push_back(position_[below]);
        std::sort(own.begin(), own.end());
        for (const double end : own) {
          count +=
              static_cast<std::size_t>(std::count_if(ends.begin(), ends.end(), [end](double e) { return e > end; }));
        }
        ends.insert(ends.end(), own.begin(), own.end());
      }
    }
    return count;
  }

  void sort_row(std::vector<std::size_t>& row, std::vector<std::size_t> Spot::*neighbours) {
    std::vector<double> wanted(row.size());
    std::vector<std::size_t> order(row.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::vector<std::size_t>& others = spots_[row[i]].*neighbours;
      double sum = 0;
      for (const std::size_t other : others) sum += position_[other];
      wanted[i] = others.empty() ? position_[row[i]] : sum / static_cast<double>(others.size());
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
    std::vector<std::size_t> sorted;
    for (const std::size_t i : order) sorted.push_back(row[i]);
    row = std::move(sorted);
    number_row(row);
  }

  void order_rows() {
    position_.resize(spots_.size());
    for (const auto& row : rows_) number_row(row);
    std::vector<std::vector<std::size_t>> best = rows_;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (int sweep = 0; sweep < order_sweeps && least > 0; ++sweep) {
      if (sweep % 2 == 0) {
        for (auto& row : rows_) sort_row(row, &Spot::above);
      } else {
        for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) sort_row(*row, &Spot::below);
      }
      const std::size_t count = crossings();
      if (count < least) {
        least = count;
        best = rows_;
      }
    }
    rows_ = std::move(best);
  }

  double gap(const Spot& left, const Spot& right) const {
    return left.right + right.left + (left.is_node && right.is_node ? side_gap : line_gap);
  }

  // Finds the positions that keep the order and the gaps and are nearest to the wanted positions: from each wanted
  // position, subtracts the room that is needed to its left, and then makes the sequence ascending by weighted means
  // (pool adjacent violators).
  void place_row(const std::vector<std::size_t>& row, const std::vector<double>& wanted,
                 const std::vector<double>& weights) {
    struct Pool {
      double sum;
      double weight;
      std::size_t count;
      double mean() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    std::vector<double> room(row.size(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) room[i] = room[i - 1] + gap(spots_[row[i - 1]], spots_[row[i]]);
      pools.push_back({(wanted[i] - room[i]) * weights[i], weights[i], 1});
      while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
        const Pool last = pools.back();
        pools.pop_back();
        pools.back().sum += last.sum;
        pools.back().weight += last.weight;
        pools.back().count += last.count;
      }
    }
    std::size_t i = 0;
    for (const Pool& pool : pools) {
      for (std::size_t k = 0; k < pool.count; ++k, ++i) spots_[row[i]].x = pool.mean() + room[i];
    }
  }

  // Parts of long arrows pull most, so that long arrows become straight.
  double pull(const Spot& one, const Spot& other) const {
    return one.is_node && other.is_node ? 1 : one.is_node || other.is_node ? 2 : 8;
  }

  void place_spots() {
    for (const auto& row : rows_)
      place_row(row, std::vector<double>(row.size(), 0), std::vector<double>(row.size(), 1));
    for (int sweep = 0; sweep < place_sweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        const std::vector<std::size_t>& row = rows_[down ? r : rows_.size() - 1 - r];
        std::vector<double> wanted;
        std::vector<double> weights;
        for (const std::size_t spot : row) {
          double sum = 0;
          double weight = 0;
          const auto add = [&](const std::vector<std::size_t>& others) {
            for (const std::size_t other : others) {
              sum += spots_[other].x * pull(spots_[spot], spots_[other]);
              weight += pull(spots_[spot], spots_[other]);
            }
          };
          // The last sweeps consider the neighbours on both sides.
          if (down || sweep + 8 >= place_sweeps) add(spots_[spot].above);
          if (!down || sweep + 8 >= place_sweeps) add(spots_[spot].below);
          wanted.push_back(weight > 0 ? sum / weight : spots_[spot].x);
          weights.push_back(weight > 0 ? weight : 0.1);
        }
        place_row(row, wanted, weights);
      }
    }
  }

  // Straightens small bends of long arrows. Because `kink` is less than half of `line_gap`, arrows rarely touch their
  // neighbours.
  void straighten() {
    for (const std::vector<std::size_t>& chain : chains_) {
      for (std::size_t begin = 0, end = 0; begin < chain.size(); begin = end) {
        double sum = 0;
        for (end = begin; end < chain.size(); ++end) {
          const double x = spots_[chain[end]].x;
          if (end > begin && std::abs(x - sum / static_cast<double>(end - begin)) > kink) break;
          sum += x;
        }
        for (std::size_t i = begin; i < end; ++i) spots_[chain[i]].x = sum / static_cast<double>(end - begin);
      }
    }
  }

  std::vector<double> row_middles(double& height) {
    std::vector<double> middles;
    row_heights_.assign(rows_.size(), 0);
    height = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      for (const std::size_t spot : rows_[r]) row_heights_[r] = std::max(row_heights_[r], spots_[spot].height);
      if (r > 0) height += layer_gap;
      middles.push_back(height + row_heights_[r] / 2);
      height += row_heights_[r];
    }
    return middles;
  }

  // Arrows leave and reach a box side by side, in the order of the spots at their other ends.
  double port(std::size_t node, std::size_t neighbour, std::vector<std::size_t> Spot::*side) const {
    std::vector<std::size_t> others = spots_[node].*side;
    if (others.size() < 2) return spots_[node].x;
    std::stable_sort(others.begin(), others.end(),
                     [&](std::size_t a, std::size_t b) { return spots_[a].x < spots_[b].x; });
    const auto at = std::find(others.begin(), others.end(), neighbour) - others.begin();
    const double step = std::min(18.0, nodes_[node].width * 0.7 / static_cast<double>(others.size() - 1));
    return spots_[node].x + (static_cast<double>(at) - static_cast<double>(others.size() - 1) / 2) * step;
  }

  void route(std::size_t index, const std::vector<Point>& node_middles, const std::vector<double>& middles) {
    LayoutEdge& edge = edges_[index];
    edge.points.clear();
    if (is_loop(edge)) {
      const Point middle = node_middles[edge.from];
      const double side = middle.x + nodes_[edge.from].width / 2;
      const double reach = std::min(nodes_[edge.from].height / 4, 12.0);
      edge.points = {{side, middle.y + reach},
                     {side + loop_width, middle.y + 2 * reach},
                     {side + loop_width, middle.y - 2 * reach},
                     {side, middle.y - reach}};
      edge.label = {side + loop_width * 0.8 + edge.label_width / 2, middle.y};
      return;
    }
    const std::size_t top = upper(index);
    const std::size_t bottom = lower(index);
    const std::vector<std::size_t>& chain = chains_[index];
    const std::size_t first = chain.empty() ? bottom : chain.front();
    const std::size_t last = chain.empty() ? top : chain.back();
    edge.points.push_back({port(top, first, &Spot::below), node_middles[top].y + nodes_[top].height / 2});
    for (const std::size_t spot : chain) {
      const double half = row_heights_[spots_[spot].row] / 2;
      const double middle = middles[spots_[spot].row];
      edge.points.push_back({spots_[spot].x, middle - half});
      if (half > 0) edge.points.push_back({spots_[spot].x, middle + half});
      if (spots_[spot].right > 0) edge.label = {spots_[spot].x, middle};
    }
    edge.points.push_back({port(bottom, last, &Spot::above), node_middles[bottom].y - nodes_[bottom].height / 2});
    if (turned_[index]) std::reverse(edge.points.begin(), edge.points.end());
  }

  const std::vector<LayoutNode>& nodes_;
  std::vector<LayoutEdge>& edges_;
  std::vector<bool> turned_;
  std::vector<std::size_t> row_;  // of each node
  std::vector<Spot> spots_;       // the nodes first
  std::vector<std::vector<std::size_t>> chains_;
  std::vector<std::vector<std::size_t>> rows_;
  std::vector<double> position_;  // of each spot in its row
  std::vector<double> row_heights_;
};

}  // namespace

Layout lay_out(const std::vector<LayoutNode>& nodes, std::vector<LayoutEdge>& edges) {
  return Layers(nodes, edges).layout();
}

}  // namespace wtool::host::report
