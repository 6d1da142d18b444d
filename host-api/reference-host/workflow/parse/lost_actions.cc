#include "workflow/parse/parser.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "workflow/actions/action_type.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {
namespace {

using expressions::quoted_for_message;

// Whether a text is an action. The first word of an action and a quote are enough, even if the rest has a mistake, as
// in `Shell "make` and `Shell 'make'`.
bool is_action(const MappedText& text, const std::vector<CodeBlock>& blocks) {
  const std::string_view all = text.text();
  const std::size_t begin = all.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return false;
  std::size_t end = begin;
  while (end < all.size() && expressions::is_name_character(all[end])) ++end;
  const auto& words = action_words();
  const std::string word = lowered(all.substr(begin, end - begin));
  if (std::find(words.begin(), words.end(), word) == words.end()) return false;
  const std::size_t next = all.find_first_not_of(" \t\n", end);
  if (next != std::string_view::npos && (all[next] == '"' || (word == "shell" && all[next] == '\''))) return true;
  Diagnostics ignored;
  return read_action(text, blocks, 0, ignored).has_value();
}

// `Action`, `Actions:`, `**Workflow Actions**`, `##Actions`: few words, one of which is `action` or `actions`.
bool is_nearly_actions(std::string_view line) {
  std::string letters;
  std::size_t words = 0;
  for (const char c : lowered(line)) {
    if (c >= 'a' && c <= 'z') {
      words += letters.empty() || letters.back() == ' ' ? 1 : 0;
      letters += c;
    } else if (!letters.empty() && letters.back() != ' ') {
      letters += ' ';
    }
  }
  letters = " " + letters + " ";
  return words <= 3 &&
         (letters.find(" action ") != std::string::npos || letters.find(" actions ") != std::string::npos);
}

class LostActions {
 public:
  LostActions(const Source& source, Workflow& workflow, Diagnostics& diagnostics)
      : source_(source), workflow_(workflow), diagnostics_(diagnostics) {}

  void items(const std::vector<StrayItem>& all) {
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i;
      while (end < all.size() && all[end].above == all[i].above && all[end].heading == all[i].heading) ++end;
      group(all, i, end);
      i = end;
    }
  }

  // Lines under `## Actions` that are actions except that they are not list items, such as `Deploy: Shell "make"`,
  // `**Deploy**: Shell "make"`, a row of a table, or `Shell "make"` below a heading `### Deploy`.
  void loose_lines(const std::vector<LooseLine>& all) {
    for (const LooseLine& one : all) {
      const std::string_view line = trim(source_.line(one.line));
      const std::string_view text = without_marks(line);
      const std::string_view first = text.substr(0, std::min(text.find_first_of(" \t:|*`"), text.size()));
      std::string_view action = without_marks(text.substr(first.size()));
      std::string name(first);
      if (is_action_line(text)) {
        name = std::string(without_marks(source_.line(one.heading)));
        if (workflow_.find(name) == nullptr) name = "STATE";
        action = text;
      } else if (workflow_.find(name) == nullptr || !is_action_line(action)) {
        continue;
      }
      while (!action.empty() && (action.back() == '|' || action.back() == '`' || action.back() == ' ')) {
        action.remove_suffix(1);
      }
      const std::string item = "- " + name + ": " + std::string(action);
      diagnostics_.add(static_cast<std::size_t>(line.data() - source_.text().data()),
                       "this action would be lost, because it is not a list item; write `" + item + "`", item);
      if (const std::size_t state = workflow_.index_of(name); state != no_state) {
        workflow_.states[state].action_unread = true;
      }
    }
  }

  // Items for states that have no other action, and that are text about the state instead of an action.
  void prose() {
    for (const State& state : workflow_.states) {
      if (state.prose_offset == 0) continue;
      const std::string what = "this text describes '" + state.id + "' and is not an action";
      if (state.action || state.action_unread) {
        diagnostics_.warn(state.prose_offset, what + "; write it as text outside of the list items");
        continue;
      }
      diagnostics_.add(state.prose_offset, what +
                                               ", so the state would do nothing. An action begins with a word such as "
                                               "Shell, Log or Set, as in `- " +
                                               state.id + ": Shell \"...\"`; a description is a line `" + state.id +
                                               ": TEXT` of the diagram");
    }
  }

  void descriptions() {
    for (State& state : workflow_.states) {
      if (state.hidden || state.action || state.action_unread || state.description_offset == 0) continue;
      MappedText text;
      text.append(state.description, state.description_offset);
      if (!is_action(text, {})) continue;
      const std::string line = "- " + state.id + ": " + state.description;
      diagnostics_.add(state.description_offset,
                       "this action would be lost: in the diagram it is a description, and is not run; write `" + line +
                           "` under a heading `## Actions`",
                       line);
      state.action_unread = true;
    }
  }

 private:
  // The text without the signs of headings, quotes, tables and bold text before it, and without a colon.
  static std::string_view without_marks(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t#>|*`:=-");
    return begin == std::string_view::npos ? std::string_view() : trim(text.substr(begin));
  }

  static bool is_action_line(std::string_view line) {
    MappedText text;
    text.append(line, 0);
    return is_action(text, {});
  }

  // Handles the items below one heading. One diagnostic covers all of them.
  void group(const std::vector<StrayItem>& all, std::size_t begin, std::size_t end) {
    std::vector<const StrayItem*> lost;
    for (std::size_t i = begin; i < end; ++i) {
      if (is_lost(all[i].item)) lost.push_back(&all[i]);
    }
    if (lost.empty()) return;
    const StrayItem& first = *lost.front();
    const std::string_view above =
        first.above == StrayItem::Above::nothing ? std::string_view() : trim(source_.line(first.heading));
    const bool is_near = is_nearly_actions(above);
    const std::string what = lost.size() == 1 ? "this action would be lost" : "these actions would be lost";
    if (is_near) {
      diagnostics_.add(
          static_cast<std::size_t>(above.data() - source_.text().data()),
          (lost.size() == 1 ? std::string("the action") : "the " + std::to_string(lost.size()) + " actions") +
              " below this line would be lost: the line reads " + quoted_for_message(above) + "; write `## Actions`",
          "## Actions");
    } else if (first.above == StrayItem::Above::heading) {
      diagnostics_.add(first.item.offset,
                       what + ": actions belong under a heading `## Actions`, but the heading above is " +
                           quoted_for_message(above) + "; put a line `## Actions` above this one",
                       "## Actions");
    } else {
      diagnostics_.add(first.item.offset,
                       what + ": there is no heading `## Actions` above; put that line above this one", "## Actions");
    }
    for (const StrayItem* one : lost) read_action(one->item, workflow_, diagnostics_);
    // With the right heading, all items would be actions, so mistakes in the other items are reported, too.
    for (std::size_t i = begin; is_near && i < end; ++i) {
      if (std::find(lost.begin(), lost.end(), &all[i]) == lost.end()) read_action(all[i].item, workflow_, diagnostics_);
    }
  }

  bool is_lost(const ActionItem& item) const {
    const std::string& all = item.text.text();
    const std::size_t colon = all.find(':');
    if (colon == std::string::npos) return false;
    const State* state = workflow_.find(std::string(plain_state_name(trim(std::string_view(all).substr(0, colon)))));
    if (state == nullptr || state->hidden || state->action || state->action_unread) return false;
    return is_action(item.text.part(colon + 1, all.size()), item.blocks);
  }

  const Source& source_;
  Workflow& workflow_;
  Diagnostics& diagnostics_;
};

}  // namespace

void find_lost_actions(const Source& source, const Document& document, Workflow& workflow, Diagnostics& diagnostics) {
  LostActions lost(source, workflow, diagnostics);
  lost.items(document.stray_items);
  lost.loose_lines(document.loose_lines);
  lost.descriptions();
  lost.prose();
}

}  // namespace wtool::host::workflow
