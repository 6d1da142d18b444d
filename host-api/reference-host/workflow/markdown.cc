#include "workflow/markdown.h"

#include <algorithm>
#include <utility>

#include "workflow/markdown_lines.h"
#include "workflow/markdown_reader.h"
#include "workflow/state_sections.h"

namespace wtool::host::workflow {
namespace {

constexpr std::string_view no_diagram =
    "there is no state diagram; a workflow needs a ```mermaid block that begins with stateDiagram-v2";

std::optional<LineRange> find_front_matter(const Source& source, Findings& findings) {
  const auto bare = [&](std::size_t i) {
    const std::string_view line = source.line(i);
    return line.substr(0, line.find_last_not_of(" \t") + 1);
  };
  if (bare(0) != "---") return std::nullopt;
  for (std::size_t i = 1; i < source.line_count(); ++i) {
    if (bare(i) == "---" || bare(i) == "...") return LineRange{1, i};
  }
  findings.add(source.content_begin(), "the front matter that begins here is not ended by a line ---");
  return LineRange{1, source.line_count()};
}

// The index of the first line of a mermaid block that is no comment and no front matter of its own; `end` if none.
std::size_t first_diagram_line(const Source& source, LineRange lines) {
  bool in_front_matter = false;
  for (std::size_t i = lines.begin; i < lines.end; ++i) {
    const std::string_view line = trim(source.line(i));
    if (line == "---") {
      in_front_matter = !in_front_matter;
    } else if (!line.empty() && !in_front_matter && !line.starts_with("%%")) {
      return i;
    }
  }
  return lines.end;
}

LineRange raw_diagram(const Source& source, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < source.line_count() && !is_heading(source.line(end)) && !is_fence(source.line(end))) ++end;
  return {begin, end};
}

class DiagramChoice {
 public:
  DiagramChoice(const Source& source, Findings& findings) : source_(source), findings_(findings) {}
  void offer(LineRange range) {
    if (!chosen_) {
      chosen_ = range;
      return;
    }
    findings_.add(source_.line_start(range.begin), "a second state diagram; the first begins in line " +
                                                       std::to_string(chosen_->begin + 1) +
                                                       ", and a workflow has exactly one");
  }
  const std::optional<LineRange>& chosen() const { return chosen_; }

 private:
  const Source& source_;
  Findings& findings_;
  std::optional<LineRange> chosen_;
};

}  // namespace

Document read_document(const Source& source, Findings& findings) {
  Document document;
  std::vector<LineRange> blank;
  document.front_matter = find_front_matter(source, findings);
  std::size_t first = 0;
  if (document.front_matter) {
    first = std::min(document.front_matter->end + 1, source.line_count());
    blank.push_back({0, first});
  }

  // A diagram without a fence would be taken for paragraphs and lists. So a first pass only says which lines are code;
  // what then is found to be a raw diagram is blanked in the second.
  DiagramChoice choice(source, findings);
  bool could_be_raw = false;
  for (std::size_t i = first; i < source.line_count() && !could_be_raw; ++i) {
    could_be_raw = is_diagram_start(source.line(i));
  }
  if (could_be_raw) {
    Findings ignored;
    const MarkdownParts parts = read_markdown(source, masked(source, blank), ignored);
    for (std::size_t i = first; i < source.line_count(); ++i) {
      if (parts.code_lines[i] || !is_diagram_start(source.line(i))) continue;
      const LineRange range = raw_diagram(source, i);
      choice.offer(range);
      blank.push_back(range);
      i = range.end - 1;
    }
  }

  MarkdownParts parts = read_markdown(source, masked(source, blank), findings);
  std::optional<std::size_t> other;
  for (const MermaidFence& fence : parts.mermaid) {
    const std::size_t line = first_diagram_line(source, fence.lines);
    if (line < fence.lines.end && trim(source.line(line)).starts_with("stateDiagram")) {
      choice.offer({line, fence.lines.end});
    } else if (fence.in_actions) {
      findings.add(fence.offset, "this block belongs to no action, and is no state diagram");
    } else if (!other) {
      other = fence.offset;
    }
  }
  document.diagram = choice.chosen();
  if (!document.diagram) {
    findings.add(other.value_or(source.content_begin()),
                 other ? "this mermaid block is no state diagram; a workflow's block begins with stateDiagram-v2"
                       : std::string(source.text().size() == source.content_begin() ? "the file is empty; " : "") +
                             std::string(no_diagram));
  }
  document.items = std::move(parts.items);
  document.has_actions_heading = parts.has_actions_heading;
  read_sections(source, first, parts.code_lines, document);
  return document;
}

}  // namespace wtool::host::workflow
