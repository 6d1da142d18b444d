#include "workflow/legacy/legacy.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/config/yaml_mistake.h"
#include "base/edit_distance.h"
#include "base/text.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"

namespace wtool::host::workflow {
namespace {

const std::vector<std::string> known_actions = {"log",          "set_variable", "set_variables", "execute_prompt",
                                                "run_workflow", "shell",        "wait",          "abort",
                                                "user_input",   "manual_review"};
// A description that begins with one of these words and a colon is the beginning of a map.
const std::vector<std::string> leading_keys = {"action",  "type",   "description", "terminal",
                                               "message", "prompt", "workflow",    "variables"};

bool begins_map(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || (colon + 1 < text.size() && text[colon + 1] != ' ')) return false;
  return std::find(leading_keys.begin(), leading_keys.end(), text.substr(0, colon)) != leading_keys.end();
}

class DescribedState {
 public:
  DescribedState(State& state, const std::vector<DescriptionLine>& lines, std::size_t first, Workflow& workflow,
                 Diagnostics& diagnostics)
      : state_(state), lines_(lines), first_(first), workflow_(workflow), diagnostics_(diagnostics) {}

  void read() {
    std::string text;
    for (std::size_t i = first_; i < lines_.size(); ++i) text.append(lines_[i].text).append("\n");
    if (text.size() > max_description) {
      return diagnostics_.add(lines_[first_].offset, "the descriptions of '" + state_.id + "' are larger than " +
                                                         std::to_string(max_description / 1024) + " KiB");
    }
    try {
      const YAML::Node root = YAML::Load(text);
      if (!root.IsMap()) return fail(root, "the descriptions of a state must be lines of the form `State: key: value`");
      for (const auto& pair : root) {
        if (!pair.first.IsScalar()) {
          fail(pair.first, "a key must be a plain word");
        } else if (!keys_.try_emplace(pair.first.Scalar(), pair.second).second) {
          fail(pair.first, "the key '" + pair.first.Scalar() + "' occurs here a second time");
        } else {
          places_[pair.first.Scalar()] = offset(pair.first.Mark());
        }
      }
      read_keys();
    } catch (const YAML::Exception& error) {
      note_names();
      const YamlMistake mistake = explain_yaml_error(text, error.mark.line, error.mark.column, error.msg);
      const std::string_view before = std::string_view(text).substr(0, mistake.offset);
      YAML::Mark mark = error.mark;
      mark.line = static_cast<int>(std::count(before.begin(), before.end(), '\n'));
      mark.column = static_cast<int>(before.size() - (before.rfind('\n') + 1));
      diagnostics_.add(offset(mark), "the descriptions of '" + state_.id + "' are not valid YAML: " + mistake.message);
      state_.action_unread = true;
    }
  }

 private:
  std::size_t offset(const YAML::Mark& mark) const {
    if (mark.line < 0) return lines_[first_].offset;
    const DescriptionLine& line = lines_[std::min(first_ + static_cast<std::size_t>(mark.line), lines_.size() - 1)];
    return line.offset + std::min(static_cast<std::size_t>(mark.column), line.text.size());
  }
  void fail(const YAML::Node& node, std::string message) { diagnostics_.add(offset(node.Mark()), std::move(message)); }

  // Notes the variables that the action may set, so that a mistake in it is not reported again wherever they are read.
  void note_names() {
    for (const char* key : {"name", "variable", "counter"}) {
      const auto found = keys_.find(key);
      if (found != keys_.end() && found->second.IsScalar()) workflow_.ambiguous_names.insert(found->second.Scalar());
    }
  }

  // Takes the value of a key out of keys_; undefined: the key is missing.
  YAML::Node take(const std::string& key) {
    const auto found = keys_.find(key);
    if (found == keys_.end()) return YAML::Node(YAML::NodeType::Undefined);
    const YAML::Node value = found->second;
    keys_.erase(found);
    return value;
  }

  bool text(const YAML::Node& node, TemplateText& out) {
    if (!node.IsScalar()) {
      fail(node, "a plain text is expected here");
      return false;
    }
    const bool quoted = node.Tag() == "!";
    out = template_text(node.Scalar(), offset(node.Mark()) + (quoted ? 1 : 0), diagnostics_);
    return true;
  }

  bool required(const std::string& key, TemplateText& out) {
    const YAML::Node node = take(key);
    if (node.IsDefined() && !node.IsNull()) return text(node, out);
    diagnostics_.add(action_offset_, "this action needs a line `" + state_.id + ": " + key + ": ...`");
    return false;
  }

  void read_keys() {
    if (const YAML::Node type = take("type"); type.IsDefined() && type.IsScalar()) kind(lowered(type.Scalar()));
    if (const YAML::Node node = take("description"); node.IsDefined() && node.IsScalar()) {
      state_.description = node.Scalar();
    }
    if (const YAML::Node node = take("terminal"); node.IsDefined() && node.IsScalar() && node.Scalar() == "true") {
      if (state_.exits.empty()) {
        Transition end;
        end.offset = end.label_offset = offset(node.Mark());
        state_.exits.push_back(std::move(end));
      }
    }
    if (const YAML::Node node = take("action"); node.IsDefined()) {
      action_offset_ = offset(node.Mark());
      action(node);
    }
    for (const auto& [key, value] : keys_) {
      if (!understood_) break;
      diagnostics_.warn(places_[key], "'" + key + "' has no effect here" + did_you_mean(key, leading_keys));
    }
  }

  void kind(const std::string& type) {
    if (type == "choice") state_.kind = State::Kind::choice;
    if (type == "fork") state_.kind = State::Kind::fork;
    if (type == "join") state_.kind = State::Kind::join;
  }

  void action(const YAML::Node& node) {
    const std::string name = node.IsScalar() ? lowered(node.Scalar()) : "";
    Action made;
    made.offset = action_offset_;
    const std::size_t before = diagnostics_.size();
    if (name == "log") {
      made.kind = log();
    } else if (name == "set_variable" || name == "set_variables") {
      made.kind = set();
    } else if (name == "execute_prompt") {
      PromptAction prompt;
      required("prompt", prompt.prompt);
      arguments(prompt.arguments);
      made.kind = std::move(prompt);
    } else if (name == "run_workflow") {
      WorkflowAction workflow;
      required("workflow", workflow.workflow);
      arguments(workflow.arguments);
      made.kind = std::move(workflow);
    } else if (name == "shell") {
      made.kind = shell();
    } else if (name == "wait") {
      WaitAction wait;
      required("seconds", wait.amount);
      made.kind = std::move(wait);
    } else if (name == "user_input" || name == "manual_review") {
      ConfirmAction confirm;
      TemplateText asked;
      if (required("prompt", asked)) confirm.question = std::move(asked);
      made.kind = std::move(confirm);
    } else if (name == "abort") {
      AbortAction abort;
      required("message", abort.message);
      made.kind = std::move(abort);
    } else {
      understood_ = false;
      state_.action_unread = true;
      note_names();
      return fail(node, "unknown action " + expressions::quoted_for_message(name) +
                            known_names(name, "actions", known_actions));
    }
    options(made);
    state_.action_unread = diagnostics_.size() != before;
    made.sha256 = action_sha256(written());
    if (!state_.action_unread) state_.action = std::move(made);
  }

  // The lines of the action, without those that say something else about the state.
  std::string written() const {
    std::string all;
    for (std::size_t i = first_; i < lines_.size(); ++i) {
      const std::string_view line = lines_[i].text;
      const bool is_other =
          line.starts_with("description:") || line.starts_with("type:") || line.starts_with("terminal:");
      if (!is_other) all.append(line).append("\n");
    }
    return all;
  }

  void options(Action& made) {
    const bool calls = std::holds_alternative<PromptAction>(made.kind) ||
                       std::holds_alternative<WorkflowAction>(made.kind) ||
                       std::holds_alternative<ShellAction>(made.kind);
    if (!calls) return;
    if (const YAML::Node node = take("result"); node.IsDefined() && node.IsScalar()) {
      made.options.result = {node.Scalar(), offset(node.Mark())};
    }
    if (const YAML::Node node = take("timeout"); node.IsDefined()) {
      TemplateText seconds;
      if (text(node, seconds)) made.options.timeout = std::move(seconds);
    }
  }

  LogAction log() {
    LogAction made;
    required("message", made.message);
    const YAML::Node node = take("level");
    if (!node.IsDefined() || !node.IsScalar()) return made;
    const std::string level = lowered(node.Scalar());
    if (level == "error") made.level = LogAction::Level::error;
    if (level == "warning" || level == "warn") made.level = LogAction::Level::warning;
    return made;
  }

  SetAction set() {
    SetAction made;
    YAML::Node name = take("name");
    if (!name.IsDefined()) name.reset(take("variable"));
    if (name.IsDefined() && name.IsScalar()) {
      Assignment one;
      one.name = name.Scalar();
      one.offset = offset(name.Mark());
      TemplateText value;
      if (required("value", value)) one.value = std::move(value);
      made.assignments.push_back(std::move(one));
    }
    std::vector<Argument> more;
    arguments(more);
    for (Argument& one : more) made.assignments.push_back({std::move(one.name), one.offset, std::move(one.value)});
    if (made.assignments.empty()) {
      diagnostics_.add(action_offset_,
                       "this action needs lines `" + state_.id + ": name: ...` and `" + state_.id + ": value: ...`");
    }
    return made;
  }

  ShellAction shell() {
    ShellAction made;
    TemplateText command;
    if (!required("command", command)) return made;
    made.command.written = std::move(command.written);
    made.command.parsed = std::move(command.parsed);
    if (!made.command.parsed.texts.empty()) made.command.places = find_places(made.command.parsed);
    return made;
  }

  void arguments(std::vector<Argument>& out) {
    const YAML::Node map = take("variables");
    if (!map.IsDefined() || map.IsNull()) return;
    if (!map.IsMap()) return fail(map, "'variables' needs more deeply indented lines `name: value`");
    for (const auto& pair : map) {
      if (!pair.first.IsScalar() || !pair.second.IsScalar()) {
        fail(pair.first, "a variable here is a plain text; a list or a map cannot be passed on in this form");
        continue;
      }
      Argument one;
      one.name = pair.first.Scalar();
      one.offset = offset(pair.first.Mark());
      TemplateText value;
      if (text(pair.second, value)) one.value = std::move(value);
      out.push_back(std::move(one));
    }
  }

  State& state_;
  const std::vector<DescriptionLine>& lines_;
  std::size_t first_;
  Workflow& workflow_;
  Diagnostics& diagnostics_;
  std::map<std::string, YAML::Node> keys_;  // keys that have not been taken yet
  std::map<std::string, std::size_t> places_;
  std::size_t action_offset_ = 0;
  bool understood_ = true;
};

}  // namespace

void read_descriptions(std::size_t index, const std::vector<DescriptionLine>& lines, Workflow& workflow,
                       Diagnostics& diagnostics) {
  State& state = workflow.states[index];
  std::size_t first = 0;
  while (first < std::min<std::size_t>(2, lines.size()) && !begins_map(lines[first].text)) ++first;
  if (first >= std::min<std::size_t>(2, lines.size())) {
    const std::string_view words = trim(lines.back().text);
    state.description = std::string(words);
    state.description_offset = lines.back().offset + static_cast<std::size_t>(words.data() - lines.back().text.data());
    return;
  }
  if (first > 0) state.description = std::string(trim(lines[0].text));
  DescribedState(state, lines, first, workflow, diagnostics).read();
}

}  // namespace wtool::host::workflow
