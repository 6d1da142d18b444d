// What md4c says of a workflow file: which lines are code, the mermaid blocks, and the items under `## Actions`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/source.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {

struct MermaidFence {
  LineRange lines;
  std::size_t offset = 0;
  bool in_actions = false;
};

struct MarkdownParts {
  std::vector<MermaidFence> mermaid;
  std::vector<bool> code_lines;  // for each line of the source
  std::vector<ActionItem> items;
  std::vector<StrayItem> stray_items;
  std::optional<std::size_t> unclosed_fence;  // the index of the line that opens it
  bool has_actions_heading = false;
};

// `text` is the copy of the source that markdown_lines.h makes. Linear.
MarkdownParts read_markdown(const Source& source, std::string text, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
