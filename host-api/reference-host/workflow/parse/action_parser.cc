#include "workflow/parse/parser.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/edit_distance.h"
#include "base/text.h"
#include "workflow/actions/action_type.h"
#include "workflow/model/diagnostics.h"
#include "workflow/parse/action_cursor.h"
#include "workflow/parse/action_options.h"
#include "workflow/parse/defaults.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host::workflow {
namespace {

// Notes the names that might be set by an action that was not understood: every word before a '=' or ':', and every
// word after one, with or without a quote. Places that read these names are then not reported as further mistakes.
void note_ambiguous_names(std::string_view text, Workflow& workflow) {
  for (std::size_t equals = text.find_first_of("=:"); equals != std::string_view::npos;
       equals = text.find_first_of("=:", equals + 1)) {
    std::size_t begin = equals;
    while (begin > 0 && expressions::is_name_character(text[begin - 1])) --begin;
    if (begin < equals) workflow.ambiguous_names.insert(std::string(text.substr(begin, equals - begin)));
    std::size_t named = text.find_first_not_of(" \t", equals + 1);
    if (named == std::string_view::npos) continue;
    if (text[named] == '"') ++named;
    std::size_t end = named;
    while (end < text.size() && expressions::is_name_character(text[end])) ++end;
    if (end > named) workflow.ambiguous_names.insert(std::string(text.substr(named, end - named)));
  }
}

// Whether the text is prose about a state instead of an action: nothing in it looks like an action.
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

// `- on failure: State`, `- finally: State`. False: the item is neither.
bool read_setting(std::string_view id, const MappedText& text, Workflow& workflow, Diagnostics& diagnostics) {
  std::string key = lowered(id);
  std::replace(key.begin(), key.end(), '_', ' ');
  if (key != "on failure" && key != "finally") return false;
  NamedPlace& out = key == "finally" ? workflow.finally : workflow.on_failure;
  const std::size_t begin = std::min(text.text().find_first_not_of(" \t\n"), text.text().size());
  const std::size_t at = text.locate(begin);
  std::string_view name = trim(std::string_view(text.text()).substr(begin));
  if (name.size() > 1 && name.starts_with('"') && name.ends_with('"')) name = name.substr(1, name.size() - 2);
  if (name.empty()) {
    diagnostics.add(at, "the name of a state is missing after `" + key + ":`");
  } else if (!out.name.empty()) {
    diagnostics.add(at, "a second state for `" + key + "`; the first one is '" + out.name + "'");
  } else {
    out = {std::string(name), at};
  }
  return true;
}

// Notes every state whose name is a word of a text that was not understood.
void note_ambiguous_states(std::string_view text, Workflow& workflow) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = text.find_first_not_of(" \t\n:;,=\"'(){}<>", i);
    if (begin == std::string_view::npos) return;
    const std::size_t end = std::min(text.find_first_of(" \t\n:;,=\"'(){}<>", begin), text.size());
    const auto found = workflow.index.find(std::string(text.substr(begin, end - begin)));
    if (found != workflow.index.end()) workflow.ambiguous_states.insert(found->first);
    i = end;
  }
}

// Where in an item the lines begin that are other actions, whose `- ` is missing. A line is listed only if the text
// before it is a whole action, because a quoted text may contain lines that look like actions.
std::vector<std::size_t> missing_marks(const MappedText& text, const Workflow& workflow) {
  std::vector<std::size_t> found;
  const std::string_view all = text.text();
  std::size_t begin = 0;
  for (std::size_t line = all.find('\n'); line != std::string_view::npos; line = all.find('\n', line + 1)) {
    const std::size_t at = line + 1;
    const std::size_t colon = all.find(':', at);
    if (colon == std::string_view::npos) break;
    if (colon > all.find('\n', at)) continue;
    if (workflow.find(std::string(trim(all.substr(at, colon - at)))) == nullptr) continue;
    const std::size_t word = std::min(all.find_first_not_of(" \t", colon + 1), all.size());
    std::size_t end = word;
    while (end < all.size() && expressions::is_name_character(all[end])) ++end;
    const auto& known = action_words();
    if (std::find(known.begin(), known.end(), lowered(all.substr(word, end - word))) == known.end()) continue;
    const std::size_t before = all.find(':', begin);
    if (before >= line) break;
    Diagnostics ignored;
    const MappedText action = text.part(before + 1, line);
    if (!read_action(action, {}, 0, ignored)) break;
    found.push_back(at);
    begin = at;
  }
  return found;
}

bool sees_option(ActionCursor ahead) {
  const std::string word = lowered(ahead.take_bare_word());
  static const std::vector<std::string> known = {
      "on",      "slot",    "env",         "environment", "env_file", "env-file",
      "shell",   "timeout", "working_dir", "working-dir", "retry",    "working_directory",
      "sandbox", "network", "memory",      "cpu",         "processes"};
  return std::find(known.begin(), known.end(), word) != known.end() && ahead.take_symbol('=');
}

bool is_placed(const State& state) {
  return !state.place.on.name.empty() || !state.place.slot.name.empty() || state.place.limits_offset != 0 ||
         state.defaults.has_value();
}

// Takes one option of a composite state. False: a diagnostic says why.
bool take_composite_option(ActionCursor& cursor, OptionReader& options, Diagnostics& diagnostics, ActionOptions& read,
                           StepDefaults& made) {
  std::string name = options.peek_name();
  if (name == "environment") name = "env";
  if (name == "working_directory") name = "working_dir";
  if (name == "on" || name == "slot" || is_limit(name) || name == "timeout" || name == "retry") {
    return options.take(read) == OptionReader::Result::taken;
  }
  options.note(name, cursor.here());
  cursor.take_bare_word();
  cursor.take_symbol('=');
  if (name == "env") return take_environment(cursor, diagnostics, made.environment);
  if (name == "env_file") return take_environment_file(cursor, diagnostics, made.environment_files);
  const std::size_t at = cursor.here();
  std::optional<MappedText> text;
  if (name == "working_dir" || cursor.sees_text()) {
    text = cursor.take_text(name == "shell" ? "the shell" : "the directory");
    if (!text) return false;
  }
  if (name == "working_dir" && text->text().empty()) {
    diagnostics.add(at, empty_directory);
    return false;
  }
  if (name == "working_dir") {
    made.working_directory = template_text(std::move(*text), diagnostics);
    return true;
  }
  made.shell = {text ? text->text() : cursor.take_to_blank(), at};
  const std::string why = problem_of_shell(made.shell.name);
  if (!why.empty()) diagnostics.add(at, why);
  return why.empty();
}

// `- Work: on=cluster env={"CC": "clang"}`, where Work is a composite state without an action. False: the text is
// something else.
bool read_composite_options(const MappedText& text, std::size_t found, Workflow& workflow, Diagnostics& diagnostics) {
  ActionCursor cursor(text, diagnostics);
  const std::size_t begin = text.locate(std::min(text.text().find_first_not_of(" \t\n"), text.text().size()));
  OptionReader options(cursor, diagnostics);
  ActionOptions read;
  StepDefaults made;
  std::string words;
  bool has_defaults = false;
  while (sees_option(cursor)) {
    const std::string name = options.peek_name();
    const bool places = name == "on" || name == "slot";
    const bool limits = is_limit(name);
    if (!take_composite_option(cursor, options, diagnostics, read, made)) return true;
    has_defaults = has_defaults || !(places || limits);
    words += (words.empty() ? "" : " ") + name + "=" +
             (places ? (name == "on" ? read.place.on : read.place.slot).name : std::string("..."));
  }
  if (words.empty()) return false;
  if (!cursor.at_end()) {
    cursor.fail("this is not expected after " + words + ": " + cursor.rest_for_message());
    return true;
  }
  made.timeout = std::move(read.timeout);
  if (read.says_retry) made.retry = read.retry;
  State& state = workflow.states[found];
  if (state.other_half == no_state) {
    diagnostics.add(begin, "'" + state.id + "' has no action, so it takes no options; " + words +
                               " must follow an action, or be alone for a composite state");
  } else if (is_placed(state) || state.action) {
    diagnostics.add(begin, "this is a second item for the state '" + state.id + "'; " + words +
                               " must follow the action, or be alone in one item");
  } else {
    state.place = std::move(read.place);
    if (has_defaults) state.defaults = std::move(made);
  }
  return true;
}

std::string sha256_of(const MappedText& text, const std::vector<CodeBlock>& blocks) {
  std::string written(trim(text.text()));
  for (const CodeBlock& block : blocks) written += "\n```" + block.language + "\n" + block.text.text();
  return action_sha256(written);
}

void read_one(const ActionItem& item, Workflow& workflow, Diagnostics& diagnostics);

}  // namespace

std::string_view plain_state_name(std::string_view id) {
  for (const std::string_view mark : {"**", "`"}) {
    if (id.size() > 2 * mark.size() && id.starts_with(mark) && id.ends_with(mark)) {
      id = trim(id.substr(mark.size(), id.size() - 2 * mark.size()));
    }
  }
  return id;
}

void read_action_of(std::string_view id, std::size_t offset, const MappedText& text,
                    const std::vector<CodeBlock>& blocks, Workflow& workflow, Diagnostics& diagnostics) {
  const auto found = workflow.index.find(std::string(id));
  if (found != workflow.index.end() && !workflow.states[found->second].hidden && blocks.empty() &&
      read_composite_options(text, found->second, workflow, diagnostics)) {
    return;
  }
  if (found != workflow.index.end() && blocks.empty() && is_prose(text.text())) {
    State& state = workflow.states[found->second];
    state.prose_offset = offset;  // find_lost_actions() reports it
    if (state.description.empty()) state.description = std::string(trim(text.text()));
    return;
  }
  const std::size_t diagnostics_before = diagnostics.size();
  std::optional<Action> action = read_action(text, blocks, offset, diagnostics);
  if (action) action->sha256 = sha256_of(text, blocks);
  const bool is_known = found != workflow.index.end() && !workflow.states[found->second].hidden;
  if (diagnostics.size() != diagnostics_before || !is_known) {
    note_ambiguous_names(text.text(), workflow);
    note_ambiguous_states(text.text(), workflow);
  }
  if (!is_known && workflow.ambiguous_states.contains(std::string(id))) return;
  if (!is_known) {
    std::vector<std::string> known = {"finally", "on failure"};
    if (diagnostics.size() < max_diagnostics_shown) {
      for (const State& state : workflow.states) {
        if (!state.hidden) known.push_back(state.id);
      }
    }
    if (id == "[*]") return diagnostics.add(offset, "[*] is the start and the end, and has no action");
    const std::string hint = did_you_mean(id, known);
    if (const std::size_t meant = workflow.index_of(suggested_in(hint)); meant != no_state) {
      workflow.states[meant].action_unread = true;
    }
    const std::string missing = "there is no state " + expressions::quoted_for_message(id) + " in the diagram";
    // If the name is similar to a state's, it is probably a typo, and that state would lack its action: an error. Any
    // other action without a state never runs, which SwissArmyHammer allows: a warning.
    if (!hint.empty()) return diagnostics.add(offset, missing + hint);
    return diagnostics.warn(offset, missing + ", so this action never runs; add the state, or remove the action");
  }
  State& state = workflow.states[found->second];
  if (state.action || is_placed(state)) {
    return diagnostics.add(offset,
                           "this is a second action for the state '" + state.id + "'; a state may have only one");
  }
  state.action_unread = !action;
  if (action) state.action = std::move(*action);
}

void read_action(const ActionItem& item, Workflow& workflow, Diagnostics& diagnostics) {
  std::vector<std::size_t> begins = missing_marks(item.text, workflow);
  if (begins.empty()) return read_one(item, workflow, diagnostics);
  begins.insert(begins.begin(), 0);
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const bool is_last = i + 1 == begins.size();
    ActionItem one;
    one.text = item.text.part(begins[i], is_last ? item.text.text().size() : begins[i + 1] - 1);
    one.offset = one.text.locate(0);
    if (is_last) one.blocks = item.blocks;
    if (i > 0) {
      const std::string& text = one.text.text();
      diagnostics.add(one.offset, "this line is read as part of the action above; write `- ` before " +
                                      expressions::quoted_for_message(text.substr(0, text.find(':') + 1)));
    }
    read_one(one, workflow, diagnostics);
  }
}

namespace {

void read_one(const ActionItem& item, Workflow& workflow, Diagnostics& diagnostics) {
  const std::string& all = item.text.text();
  const std::size_t colon = all.find(':');
  const std::size_t line_end = std::min(all.find('\n'), all.size());
  const std::string_view line = std::string_view(all).substr(0, line_end);
  const std::size_t first = std::min(line.find_first_of(" \t"), line.size());
  const std::size_t named = workflow.index_of(std::string(line.substr(0, first)));
  const bool is_named = named != no_state && !trim(line.substr(first)).starts_with(':');
  if (colon == std::string::npos || colon > line_end || (is_named && first < colon)) {
    note_ambiguous_names(all, workflow);
    note_ambiguous_states(all, workflow);
    if (named != no_state && first < line.size()) {
      workflow.states[named].action_unread = true;
      return diagnostics.add(item.offset, "a ':' is missing after the name of the state; write `- " +
                                              workflow.states[named].id + ": " + std::string(trim(line.substr(first))) +
                                              "`");
    }
    return diagnostics.add(item.offset, "an action is written `- State: action`, and " +
                                            expressions::quoted_for_message(all.substr(0, line_end)) + " has no colon");
  }
  std::string_view id = trim(std::string_view(all).substr(0, colon));
  if (lowered(id).starts_with("[ ] ") || lowered(id).starts_with("[x] ")) {
    id = trim(id.substr(4));
    diagnostics.add(item.offset, "an action has no check box; write `- " + std::string(id) + ": ...`");
  }
  id = plain_state_name(id);
  MappedText text = item.text.part(colon + 1, all.size());
  if (colon + 1 == all.size()) {
    text = MappedText();
    // This blank is at the place of the colon, so that a missing action is reported after the colon.
    text.append(" ", item.text.locate(colon));
  }
  if (workflow.find(std::string(id)) == nullptr && read_setting(id, text, workflow, diagnostics)) return;
  read_action_of(id, item.offset, text, item.blocks, workflow, diagnostics);
}

}  // namespace

}  // namespace wtool::host::workflow
