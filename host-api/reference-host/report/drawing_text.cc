#include "report/drawing.h"

#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/files.h"
#include "terminal/text.h"

extern char** environ;

namespace wtool::host::report {
namespace {

struct StatusLook {
  std::string_view status;
  const char* fill;
  const char* line;
};

// The fills are light, because the texts on them are black.
constexpr std::array<StatusLook, 6> looks = {{{"succeeded", "#c8e6c9", "#2e7d32"},
                                              {"passed", "#eeeeee", "#616161"},
                                              {"failed", "#ffcdd2", "#c62828"},
                                              {"aborted", "#ffe0b2", "#ef6c00"},
                                              {"waits", "#bbdefb", "#1565c0"},
                                              {"running", "#bbdefb", "#1565c0"}}};

std::string_view status_of(const Drawing::Node& node) {
  if (node.waits) return "waits";
  return node.status ? std::string_view(journal::status_word(*node.status, node.acts)) : std::string_view();
}

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

// Whether the text has a line for the state itself.
bool is_declared(const Drawing::Node& node) {
  return mermaid_kind(node.shape) != nullptr || (node.shape == Drawing::Shape::state && !node.description.empty());
}

// The order in which the edges are written: the start's edges, then those of each state, with declared states first and
// the others in the order in which they are first mentioned. A parser reads the states in this order, so parsing the
// text and drawing it again gives the same text.
std::vector<std::size_t> edge_order(const Drawing& drawing) {
  std::vector<std::vector<std::size_t>> edges_of(drawing.nodes.size());
  for (std::size_t i = 0; i < drawing.edges.size(); ++i) edges_of[drawing.edges[i].from].push_back(i);
  std::vector<std::size_t> nodes;
  std::vector<bool> listed(drawing.nodes.size(), false);
  const auto mention = [&](std::size_t node) {
    if (!listed[node]) nodes.push_back(node);
    listed[node] = true;
  };
  for (std::size_t i = 0; i < drawing.nodes.size(); ++i) {
    if (drawing.nodes[i].shape == Drawing::Shape::start) mention(i);
  }
  for (std::size_t i = 0; i < drawing.nodes.size(); ++i) {
    if (is_declared(drawing.nodes[i])) mention(i);
  }
  std::vector<std::size_t> order;
  std::size_t next_unmentioned = 0;
  for (std::size_t at = 0; at < nodes.size() || next_unmentioned < drawing.nodes.size();) {
    if (at == nodes.size()) {
      mention(next_unmentioned++);
      continue;
    }
    for (const std::size_t edge : edges_of[nodes[at]]) {
      order.push_back(edge);
      mention(drawing.edges[edge].to);
    }
    ++at;
  }
  return order;
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

// Fills a file with the text, and goes back to its beginning.
bool fill(int file, std::string_view text) {
  return write_all(file, text).error == 0 && ::lseek(file, 0, SEEK_SET) == 0;
}

// Starts dot. Returns 0, or the error that prevented it.
int start(pid_t& pid, const std::string& format, int in, int out) {
  std::string option = "-T" + format;
  std::string name = "dot";
  std::array<char*, 3> words = {name.data(), option.data(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  const int failed = ::posix_spawnp(&pid, "dot", &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return failed;
}

}  // namespace

std::string mermaid_text(const Drawing& drawing) {
  std::string out = "stateDiagram-v2\n";
  for (const Drawing::Node& node : drawing.nodes) {
    if (const char* kind = mermaid_kind(node.shape)) out += "    state " + node.id + " " + kind + "\n";
    if (node.shape != Drawing::Shape::state || node.description.empty()) continue;
    out += "    " + node.id + ": " + cleaned_for_terminal(node.description, false) + "\n";
  }
  for (const std::size_t index : edge_order(drawing)) {
    const Drawing::Edge& edge = drawing.edges[index];
    out += "    " + mermaid_name(drawing, edge.from) + " --> " + mermaid_name(drawing, edge.to);
    out += (edge.label.empty() ? "" : ": " + edge.label) + "\n";
  }
  for (const StatusLook& look : looks) {
    std::string names;
    for (const Drawing::Node& node : drawing.nodes) {
      if (status_of(node) == look.status) names += (names.empty() ? "" : ",") + node.id;
    }
    if (names.empty()) continue;
    out += "    classDef " + std::string(look.status) + " fill:" + look.fill + ",stroke:" + look.line +
           ",color:#000\n    class " + names + " " + std::string(look.status) + "\n";
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
    for (const StatusLook& look : looks) {
      if (status_of(node) == look.status) {
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

std::string drawn_by_dot(const std::string& graph, const std::string& format, std::string& error) {
  const Descriptor input(::memfd_create("graph", MFD_CLOEXEC));
  std::array<int, 2> ends{-1, -1};
  if (!input || !fill(input.get(), graph) || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
    error = std::string("cannot pass the graph on to the program dot: ") + ::strerror(errno);
    return {};
  }
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  pid_t pid = -1;
  const int failed = start(pid, format, input.get(), to.get());
  to.reset();
  if (failed != 0) {
    error = failed == ENOENT ? "the format " + format +
                                   " is drawn by the program dot, which is missing; install Graphviz (Debian: apt "
                                   "install graphviz), or use --format svg"
                             : std::string("the program dot cannot be started: ") + ::strerror(failed);
    return {};
  }
  std::string drawn;
  // Even the picture of the largest workflow is far smaller.
  constexpr std::size_t max_bytes = 256UL * 1024 * 1024;
  if (const int broken = read_all(from.get(), max_bytes, drawn); broken != 0) drawn.clear();
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !drawn.empty()) return drawn;
  error = "the program dot could not draw the graph" +
          (WIFEXITED(status) ? ": exit status " + std::to_string(WEXITSTATUS(status)) : std::string(": it was killed"));
  return {};
}

}  // namespace wtool::host::report
