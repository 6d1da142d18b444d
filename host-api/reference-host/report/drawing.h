// The diagram of a workflow: its nodes and edges, and the drawing as text for other programs, as SVG, and as the
// program `dot` makes it.
//
// In the text, a composite state is flat. The hidden state to which its inner ends lead is left out if its only exit is
// always open, and otherwise drawn as a choice (or as the join of its regions).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "journal/run_record.h"
#include "workflow/model/model.h"

namespace wtool::host::report {

struct Drawing {
  enum class Shape { start, end, state, choice, fork, join };
  struct Node {
    Shape shape = Shape::state;
    std::string id;                              // the workflow's id; a hidden state gets one that no other state has
    std::string description;                     // may be empty
    std::optional<runner::Step::Status> status;  // how its last visit ended; running: it has not ended
    bool acts = true;                            // it has an action; a state without one cannot succeed
  };
  struct Edge {
    std::size_t from = 0;
    std::size_t to = 0;
    std::string label;  // the condition as written; may be empty
  };
  std::vector<Node> nodes;  // the first one is the start
  std::vector<Edge> edges;
};

// `run`: the run whose steps in this workflow give the states their status; null: no status.
Drawing drawing_of(const workflow::Workflow& workflow, const journal::RunRecord* run);

// A stateDiagram-v2, which a workflow can use again. States with a status are coloured.
std::string mermaid_text(const Drawing& drawing);

// A graph for the program `dot`.
std::string dot_text(const Drawing& drawing, const std::string& name);

// Lets the program `dot` draw a graph in `format`, such as png. Empty: `error` says why that failed.
std::string drawn_by_dot(const std::string& graph, const std::string& format, std::string& error);

// One <svg> element, drawn by this program itself. Composite states are boxes; states to which only a failure or the
// end of a run leads are drawn separately. With a run, each state shows how it ended, and how often and how long it
// ran, and the arrows that were taken are bold. `is_file`: the element contains its own style. Otherwise it uses the
// style of its page, which must include diagram_css(), and its states link to `#step-NUMBER`.
std::string diagram_svg(const workflow::Workflow& workflow, const journal::RunRecord* run, bool is_file = false);

// The style of a page with such elements. The page may also use the variables of the style for colours, in light and
// dark mode.
std::string diagram_css();

}  // namespace wtool::host::report
