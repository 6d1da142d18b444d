#include "workflow/action_parser.h"

#include <algorithm>

#include "workflow/action_reader.h"
#include "workflow/suggestion.h"

namespace wtool::host::workflow {
namespace {

// The names that an action would have set, had it been understood: every word before a '=', and every quoted name
// behind one. One mistake is not to be reported again for each place that reads its result.
void note_doubtful_names(std::string_view text, Workflow& workflow) {
  for (std::size_t equals = text.find('='); equals != std::string_view::npos; equals = text.find('=', equals + 1)) {
    std::size_t begin = equals;
    while (begin > 0 && expressions::is_name_character(text[begin - 1])) --begin;
    if (begin < equals) workflow.doubtful_names.insert(std::string(text.substr(begin, equals - begin)));
    if (equals + 1 >= text.size() || text[equals + 1] != '"') continue;
    std::size_t end = equals + 2;
    while (end < text.size() && expressions::is_name_character(text[end])) ++end;
    if (end > equals + 2) workflow.doubtful_names.insert(std::string(text.substr(equals + 2, end - equals - 2)));
  }
}

// Words about a state, in the place of an action: nothing in them looks like one.
bool is_prose(std::string_view text) {
  text = trim(text);
  if (text.empty() || text.find_first_of("\"`={0123456789") != std::string_view::npos) return false;
  if (text.find(" '") != std::string_view::npos) return false;
  std::size_t end = 0;
  while (end < text.size() && expressions::is_name_character(text[end])) ++end;
  const std::string word = lowered(text.substr(0, end));
  const auto& known = action_words();
  return std::find(known.begin(), known.end(), word) == known.end() && did_you_mean(word, known).empty();
}

std::string_view without_marks(std::string_view id) {
  for (const std::string_view mark : {"**", "`"}) {
    if (id.size() > 2 * mark.size() && id.starts_with(mark) && id.ends_with(mark)) {
      id = trim(id.substr(mark.size(), id.size() - 2 * mark.size()));
    }
  }
  return id;
}

// `- on failure: State`, `- finally: State`. False where the item is neither.
bool read_setting(std::string_view id, const MappedText& text, Workflow& workflow, Findings& findings) {
  std::string key = lowered(id);
  std::replace(key.begin(), key.end(), '_', ' ');
  if (key != "on failure" && key != "finally") return false;
  NamedPlace& out = key == "finally" ? workflow.finally : workflow.on_failure;
  const std::size_t begin = std::min(text.text().find_first_not_of(" \t\n"), text.text().size());
  const std::size_t at = text.locate(begin);
  std::string_view name = trim(std::string_view(text.text()).substr(begin));
  if (name.size() > 1 && name.starts_with('"') && name.ends_with('"')) name = name.substr(1, name.size() - 2);
  if (name.empty()) {
    findings.add(at, "the name of a state is missing behind `" + key + ":`");
  } else if (!out.name.empty()) {
    findings.add(at, "a second state for `" + key + "`; the first one is '" + out.name + "'");
  } else {
    out = {std::string(name), at};
  }
  return true;
}

}  // namespace

void read_action_of(std::string_view id, std::size_t offset, const MappedText& text,
                    const std::vector<CodeBlock>& blocks, Workflow& workflow, Findings& findings) {
  const auto found = workflow.index.find(std::string(id));
  if (found != workflow.index.end() && blocks.empty() && is_prose(text.text())) {
    findings.warn(offset,
                  "this says what '" + std::string(id) +
                      "' is for, and is no action: the state just passes. An action begins with Shell, Log, Set "
                      "and the like");
    State& state = workflow.states[found->second];
    if (state.description.empty()) state.description = std::string(trim(text.text()));
    return;
  }
  const std::size_t findings_before = findings.size();
  std::optional<Action> action = ActionReader(text, blocks, findings).read(offset);
  if (findings.size() != findings_before) note_doubtful_names(text.text(), workflow);
  if (found == workflow.index.end() || workflow.states[found->second].hidden) {
    std::vector<std::string> known = {"finally", "on failure"};
    if (findings.size() < most_findings_shown) {
      for (const State& state : workflow.states) {
        if (!state.hidden) known.push_back(state.id);
      }
    }
    if (id == "[*]") return findings.add(offset, "[*] is the start and the end, and has no action");
    return findings.add(offset, "there is no state " + expressions::quoted_for_message(id) + " in the diagram" +
                                    did_you_mean(id, known));
  }
  State& state = workflow.states[found->second];
  if (state.action) {
    return findings.add(offset, "a second action for the state '" + state.id + "'; a state has only one");
  }
  state.action = std::move(action);
}

void read_action(const ActionItem& item, Workflow& workflow, Findings& findings) {
  const std::string& all = item.text.text();
  const std::size_t colon = all.find(':');
  const std::size_t line_end = std::min(all.find('\n'), all.size());
  if (colon == std::string::npos || colon > line_end) {
    return findings.add(item.offset, "an action is written `- State: action`, and " +
                                         expressions::quoted_for_message(all.substr(0, line_end)) + " has no colon");
  }
  const std::string_view id = without_marks(trim(std::string_view(all).substr(0, colon)));
  MappedText text = item.text.part(colon + 1, all.size());
  if (colon + 1 == all.size()) {
    text = MappedText();
    text.append(" ", item.text.locate(colon) + 1);
  }
  if (workflow.find(std::string(id)) == nullptr && read_setting(id, text, workflow, findings)) return;
  read_action_of(id, item.offset, text, item.blocks, workflow, findings);
}

}  // namespace wtool::host::workflow
