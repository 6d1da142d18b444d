// Finds the parts of a workflow file: front matter, the one state diagram, the list items under `## Actions` with their
// code blocks. What the parts mean is other files' business.
//
// md4c decides what is a list item, a heading or a code block; it is given a copy in which nothing inside a line has a
// meaning to markdown, so commands are never taken for links, emphasis or HTML, and the time stays linear.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/findings.h"
#include "workflow/source.h"

namespace wtool::host::workflow {

// Lines of the source, [begin, end), counted from 0.
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
  std::size_t offset = 0;  // of the item's first character behind the list mark
  MappedText text;         // its first paragraph, as written; continuation lines without their indentation
  std::vector<CodeBlock> blocks;
};

struct Document {
  std::optional<LineRange> front_matter;  // without the fences
  std::optional<LineRange> diagram;       // from the line `stateDiagram-v2` on
  std::vector<ActionItem> items;
  bool has_actions_heading = false;
};

Document read_document(const Source& source, Findings& findings);

}  // namespace wtool::host::workflow
