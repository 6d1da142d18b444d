#include "workflow/parse/markdown.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "workflow/legacy/legacy.h"

namespace wtool::host::workflow {
namespace {

constexpr std::string_view no_diagram =
    "there is no state diagram; a workflow needs a ```mermaid block that begins with stateDiagram-v2";

bool is_dashes(std::string_view line) {
  return line.size() >= 2 && line.find_first_not_of('-') == std::string_view::npos;
}

// Whether the line has a key, as in `name: x` or `on failure: State`.
bool is_key(std::string_view line) {
  const std::size_t colon = line.find(':');
  return colon != 0 && colon != std::string_view::npos &&
         line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_ ") == colon && line[0] != ' ';
}

// Reports keys that are nearly front matter. They are between two lines of dashes at the top of the file, but blanks or
// empty lines come before the first of these lines, or one of the lines does not have three dashes. The keys are still
// read, so that mistakes in them are reported, too.
std::optional<LineRange> nearly_front_matter(const Source& source, Diagnostics& diagnostics) {
  std::size_t first = 0;
  while (first < source.line_count() && trim(source.line(first)).empty()) ++first;
  if (first + 1 >= source.line_count()) return std::nullopt;
  const std::string_view begin = trim(source.line(first));
  if (!is_dashes(begin) || !is_key(source.line(first + 1))) return std::nullopt;
  for (std::size_t i = first + 1; i < source.line_count(); ++i) {
    const std::string_view line = trim(source.line(i));
    if (is_heading(line) || is_fence(line)) return std::nullopt;
    if (!is_dashes(line)) continue;
    const std::size_t odd = begin != "---" ? first : i;
    if (begin != "---" || line != "---") {
      diagnostics.add(source.line_start(odd), "the front matter must be between two lines ---; this line is " +
                                                  expressions::quoted_for_message(trim(source.line(odd))));
    } else {
      diagnostics.warn(source.line_start(first),
                       "front matter must begin in the first line of the file; this front matter is read nevertheless, "
                       "but remove what is above it");
    }
    return LineRange{first + 1, i};
  }
  return std::nullopt;
}

std::optional<LineRange> find_front_matter(const Source& source, Diagnostics& diagnostics) {
  const auto bare = [&](std::size_t i) {
    const std::string_view line = source.line(i);
    return line.substr(0, line.find_last_not_of(" \t") + 1);
  };
  if (bare(0) != "---") return nearly_front_matter(source, diagnostics);
  for (std::size_t i = 1; i < source.line_count(); ++i) {
    if (bare(i) == "---" || bare(i) == "...") return LineRange{1, i};
  }
  diagnostics.add(source.content_begin(),
                  "the front matter that begins here is not closed; add a line --- below its last key");
  return LineRange{1, source.line_count()};
}

// The index of the first line of a mermaid block that is neither a comment nor front matter of the block; `end` if
// none.
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

// Whether a block that begins in the line `open` contains other parts of the workflow, because its closing fence is
// missing. In a script, a comment looks like a heading, so a block that is not a diagram is searched only for a diagram
// and the heading of the actions.
bool swallows_parts(const Source& source, std::size_t open, std::size_t end, bool is_diagram) {
  for (std::size_t i = open + 1; i < end; ++i) {
    const std::string_view line = source.line(i);
    if (is_diagram ? is_heading(line) || is_fence(line) : is_diagram_start(line) || is_actions_heading(line))
      return true;
  }
  return false;
}

void not_closed(const Source& source, std::size_t open, Document& document, Diagnostics& diagnostics) {
  const std::string_view line = trim(source.line(open));
  diagnostics.add(static_cast<std::size_t>(line.data() - source.text().data()),
                  "this " + std::string(line) + " block is not closed; add a line " +
                      std::string(line.substr(0, line.find_first_not_of(line.front()))) + " below its last line");
  document.is_broken = true;
}

class DiagramChoice {
 public:
  DiagramChoice(const Source& source, Diagnostics& diagnostics) : source_(source), diagnostics_(diagnostics) {}
  void offer(LineRange range) {
    if (!chosen_) {
      chosen_ = range;
      return;
    }
    diagnostics_.add(source_.line_start(range.begin), "this is a second state diagram; the first begins in line " +
                                                          std::to_string(chosen_->begin + 1) +
                                                          ", and a workflow must have exactly one");
  }
  const std::optional<LineRange>& chosen() const { return chosen_; }

 private:
  const Source& source_;
  Diagnostics& diagnostics_;
  std::optional<LineRange> chosen_;
};

}  // namespace

Document read_document(const Source& source, Diagnostics& diagnostics) {
  Document document;
  std::vector<LineRange> blank;
  document.front_matter = find_front_matter(source, diagnostics);
  std::size_t first = 0;
  if (document.front_matter) {
    document.is_broken = document.front_matter->end == source.line_count();
    if (document.is_broken) return document;
    first = std::min(document.front_matter->end + 1, source.line_count());
    blank.push_back({0, first});
  }

  // A raw diagram (one without a fence) would be taken for paragraphs and lists. A first pass therefore finds out only
  // which lines are code, and each raw diagram outside of these lines is blanked for the second pass.
  DiagramChoice choice(source, diagnostics);
  bool could_be_raw = false;
  for (std::size_t i = first; i < source.line_count() && !could_be_raw; ++i) {
    could_be_raw = is_diagram_start(source.line(i));
  }
  if (could_be_raw) {
    Diagnostics ignored;
    const MarkdownParts parts = read_markdown(source, masked(source, blank), ignored);
    for (std::size_t i = first; i < source.line_count(); ++i) {
      if (parts.code_lines[i] || !is_diagram_start(source.line(i))) continue;
      const LineRange range = raw_diagram(source, i);
      choice.offer(range);
      blank.push_back(range);
      i = range.end - 1;
    }
  }

  Diagnostics of_markdown;
  MarkdownParts parts = read_markdown(source, masked(source, blank), of_markdown);
  const bool is_open = parts.unclosed_fence.has_value();
  const bool is_mermaid = is_open && lowered(source.line(*parts.unclosed_fence)).find("mermaid") != std::string::npos;
  if (is_open && swallows_parts(source, *parts.unclosed_fence, source.line_count(), is_mermaid)) {
    not_closed(source, *parts.unclosed_fence, document, diagnostics);
    return document;
  }
  std::optional<std::size_t> other;
  for (const MermaidFence& fence : parts.mermaid) {
    const std::size_t line = first_diagram_line(source, fence.lines);
    if (line < fence.lines.end && trim(source.line(line)).starts_with("stateDiagram")) {
      if (swallows_parts(source, line, fence.lines.end, true)) {
        not_closed(source, source.line_at(fence.offset), document, diagnostics);
        return document;
      }
      choice.offer({line, fence.lines.end});
    } else if (fence.in_actions) {
      diagnostics.add(fence.offset, "this code block is neither part of an action nor a state diagram");
    } else if (!other) {
      other = fence.offset;
    }
  }
  diagnostics.add_all(of_markdown);
  document.diagram = choice.chosen();
  if (!document.diagram) {
    diagnostics.add(other.value_or(source.content_begin()),
                    other ? "this mermaid block is not a state diagram; a workflow's block begins with stateDiagram-v2"
                          : std::string(source.text().size() == source.content_begin() ? "the file is empty; " : "") +
                                std::string(no_diagram));
  }
  document.items = std::move(parts.items);
  document.stray_items = std::move(parts.stray_items);
  document.loose_lines = std::move(parts.loose_lines);
  document.has_actions_heading = parts.has_actions_heading;
  read_sections(source, first, parts.code_lines, document);
  return document;
}

}  // namespace wtool::host::workflow
