// Finds the parts of a workflow file: front matter, the one state diagram, the list items under `## Actions` with their
// code blocks, the sections about single states. Other files parse these parts.
//
// md4c decides what is a list item, a heading or a code block. It gets a copy without any inline markdown, so that
// commands are never taken for links, emphasis or HTML, and the time stays linear.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/source.h"

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

// A list item outside of `## Actions`, with the line above it that a reader takes for its heading.
struct StrayItem {
  ActionItem item;
  std::size_t heading = 0;  // the index of that line
  enum class Above { nothing, heading, paragraph } above = Above::nothing;
};

// A heading that may be the name of a state, with the lines `**Action**: ...` and the like below it.
struct StateSection {
  std::string name;
  std::size_t offset = 0;
  bool in_states = false;  // it stands under a heading `States`
  std::size_t action_offset = 0;
  MappedText action;  // empty: none; so the others
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
  bool has_actions_heading = false;
  bool is_broken = false;  // where its parts end is unknown, which is a diagnostic; nothing else is worth reading
  std::vector<StateSection> sections;  // only those that say something
  std::vector<ParameterItem> parameters;
};

Document read_document(const Source& source, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
