// Finds the parts of a workflow file: front matter, the one state diagram, the list items under `## Actions` with their
// code blocks, the sections about single states. Other files parse these parts.
//
// md4c decides what is a list item, a heading or a code block. It gets a copy without any inline markdown, so that
// commands are never taken for links, emphasis or HTML, and reading takes linear time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/source.h"

namespace wtool::host::workflow {

// The lines [begin, end) of the source, counted from 0.
struct LineRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct CodeBlock {
  std::string language;  // the first word after the fence
  std::size_t offset = 0;
  MappedText text;  // with a newline after each line
};

struct ActionItem {
  std::size_t offset = 0;  // of the item's first character after the list mark
  MappedText text;         // its first paragraph, as written; continuation lines without their indentation
  std::vector<CodeBlock> blocks;
};

// A list item outside of `## Actions`, with the line above it that a reader takes for its heading.
struct StrayItem {
  ActionItem item;
  std::size_t heading = 0;  // the index of that line
  enum class Above { nothing, heading, paragraph } above = Above::nothing;
};

// A line of text under `## Actions` that belongs to no list item, with the line of the heading above it.
struct LooseLine {
  std::size_t line = 0;
  std::size_t heading = 0;
};

// A heading that may be the name of a state, with the lines `**Action**: ...` and the like below it.
struct StateSection {
  std::string name;
  std::size_t offset = 0;
  bool in_states = false;  // it is under a heading `States`
  std::size_t action_offset = 0;
  MappedText action;  // empty: not given; the same holds for the members below
  MappedText store_as;
  MappedText type;
  MappedText description;
};

// An item `- name: description` under a heading `Parameters`.
struct ParameterItem {
  std::string name;
  std::string description;
  std::size_t offset = 0;
};

struct Document {
  std::optional<LineRange> front_matter;  // without the fences
  std::optional<LineRange> diagram;       // from the line `stateDiagram-v2` on
  std::vector<ActionItem> items;
  std::vector<StrayItem> stray_items;
  std::vector<LooseLine> loose_lines;
  bool has_actions_heading = false;
  bool is_broken = false;              // a part has no end, which was reported; the parts after it are not read
  std::vector<StateSection> sections;  // only those that have content
  std::vector<ParameterItem> parameters;
};

Document read_document(const Source& source, Diagnostics& diagnostics);

// ---- markdown_lines.cc: the kinds of single lines, and the copy of a workflow file that md4c reads.

bool is_heading(std::string_view line);
// True for a heading with the text `Actions`.
bool is_actions_heading(std::string_view line);
bool is_fence(std::string_view line);
bool is_list_line(std::string_view line);
// True for `stateDiagram-v2` or `stateDiagram`, alone on its line.
bool is_diagram_start(std::string_view line);

// The text with each character of inline markdown replaced by an x, so that all offsets remain valid. The lines in
// `blank`, which is sorted, are blanked completely.
std::string masked(const Source& source, const std::vector<LineRange>& blank);

// ---- markdown_reader.cc: what md4c finds in that copy: the lines of code, the mermaid blocks, the items under
// `## Actions`.

struct MermaidFence {
  LineRange lines;
  std::size_t offset = 0;
  bool in_actions = false;
};

struct MarkdownParts {
  std::vector<MermaidFence> mermaid;
  std::vector<bool> code_lines;  // true for each line of the source that belongs to a code block
  std::vector<ActionItem> items;
  std::vector<StrayItem> stray_items;
  std::vector<LooseLine> loose_lines;
  std::optional<std::size_t> unclosed_fence;  // the index of the line that opens a block without an end
  bool has_actions_heading = false;
};

// `text` is the copy of the source that masked() makes. Takes linear time.
MarkdownParts read_markdown(const Source& source, std::string text, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
