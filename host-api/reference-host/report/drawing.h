// The diagram of a workflow: its nodes and edges, written as text for other programs or as SVG, or drawn by the program
// `dot`.
//
// In the text, a composite state has no box: its inner states are drawn like all others. The arrows to its end go to a
// hidden state. A hidden state is left out if its only exit has no condition. If not, it is drawn as a choice (or as a
// join, if the composite state has regions).
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
    std::string id;                              // as in the workflow; a hidden state gets an unused id
    std::string description;                     // may be empty
    std::optional<runner::Step::Status> status;  // how its last visit ended; running: it has not ended
    bool waits = false;                          // for an approval; the status is then `aborted`
    bool acts = true;                            // it has an action; without one, a success is shown as `passed`
  };
  struct Edge {
    std::size_t from = 0;
    std::size_t to = 0;
    std::string label;  // the condition as written; may be empty
  };
  std::vector<Node> nodes;  // the first one is the start
  std::vector<Edge> edges;
};

// `run`: the run whose steps set the status of this workflow's states; nullptr: no state has a status.
Drawing drawing_of(const workflow::Workflow& workflow, const journal::RunRecord* run);

// A stateDiagram-v2, which a workflow can use again. States with a status are coloured.
std::string mermaid_text(const Drawing& drawing);

// A graph for the program `dot`.
std::string dot_text(const Drawing& drawing, const std::string& name);

// Lets the program `dot` draw a graph in `format`, such as png. Empty: `error` says why that failed.
std::string drawn_by_dot(const std::string& graph, const std::string& format, std::string& error);

// Why the drawing is too large for diagram_svg(); empty: it is not. Nobody could read a larger picture. The time and
// the memory that the drawing takes grow with the number of arrows times the number of states that each arrow passes.
std::string problem_of_size(const Drawing& drawing);

// One <svg> element, drawn by this program itself. Composite states are boxes; states that are reached only after a
// failure or at the end of a run are drawn separately. With a run, each state shows how it ended, how often it ran and
// how long, and the arrows that were taken are bold. `is_file`: the element contains its own style. Without `is_file`,
// it uses the style of its page, which must include diagram_css(), and its states link to `#step-NUMBER`.
std::string diagram_svg(const workflow::Workflow& workflow, const journal::RunRecord* run, bool is_file = false);

// The style of a page with such elements. The page may also use the style's variables, which have the colours for light
// and dark mode.
std::string diagram_css();

}  // namespace wtool::host::report
