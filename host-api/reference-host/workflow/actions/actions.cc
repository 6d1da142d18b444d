#include <algorithm>
#include <type_traits>

#include "base/edit_distance.h"
#include "workflow/actions/action_type.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

namespace {

template <class... Kinds>
std::vector<ActionType> types_of(std::type_identity<std::variant<Kinds...>>) {
  return {Kinds::type()...};
}

}  // namespace

const std::vector<ActionType>& action_types() {
  static const std::vector<ActionType> types = types_of(std::type_identity<ActionKind>());
  return types;
}

const ActionType& type_of(const ActionKind& kind) { return action_types().at(kind.index()); }

const ActionType* type_named(std::string_view name) {
  const auto& types = action_types();
  const auto found =
      std::find_if(types.begin(), types.end(), [&](const ActionType& type) { return type.name == name; });
  return found == types.end() ? nullptr : &*found;
}

const std::vector<std::string>& action_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all;
    for (const ActionType& type : action_types()) all.insert(all.end(), type.words.begin(), type.words.end());
    return all;
  }();
  return words;
}

namespace {

const ActionType* type_with(const std::string& word) {
  for (const ActionType& type : action_types()) {
    if (std::find(type.words.begin(), type.words.end(), word) != type.words.end()) return &type;
  }
  return nullptr;
}

std::string allowed_actions() {
  std::vector<std::string_view> forms;
  for (const ActionType& type : action_types()) forms.insert(forms.end(), type.forms.begin(), type.forms.end());
  std::string text = "an action is ";
  for (std::size_t i = 0; i < forms.size(); ++i) {
    text.append(i == 0 ? "" : i + 1 == forms.size() ? ", or " : ", ").append(forms[i]);
  }
  return text;
}

}  // namespace

std::optional<Action> read_action(const MappedText& text, const std::vector<CodeBlock>& blocks, std::size_t offset,
                                  Diagnostics& diagnostics) {
  ActionReading in(text, blocks, diagnostics);
  const std::size_t before = diagnostics.size();
  in.word = in.cursor.peek_word();
  const ActionType* type = type_with(in.word);
  if (type == nullptr) {
    in.cursor.fail((in.cursor.at_end() ? "the action is missing" : "unknown action " + in.cursor.rest_for_message()) +
                   question_then(did_you_mean(in.word, action_words()), allowed_actions()));
    return std::nullopt;
  }
  in.cursor.take_word(in.word);
  ActionKind made = type->read(in);
  if (diagnostics.size() != before) return std::nullopt;
  if (!in.cursor.at_end()) {
    if (in.cursor.explain_quotes()) return std::nullopt;
    in.cursor.fail("this is not expected after the action: " + in.cursor.rest_for_message());
    return std::nullopt;
  }
  if (shell_commands_of(made).empty() && !blocks.empty()) {
    diagnostics.add(blocks[0].offset, "only the actions Shell and Service take a code block");
    return std::nullopt;
  }
  return Action{std::move(made), std::move(in.options), offset};
}

bool ActionReading::expect_word(const std::string& expected, const std::string& form) {
  if (cursor.take_word(expected)) return true;
  cursor.fail("this action is written " + form + did_you_mean(cursor.peek_word(), {expected}));
  return false;
}

bool ActionReading::quoted_template(const std::string& what, TemplateText& out) {
  auto text = cursor.take_text(what);
  if (!text) return false;
  out = template_text(std::move(*text), diagnostics);
  return true;
}

std::string Describer::value(const std::variant<expressions::Value, TemplateText>& value) const {
  if (const auto* literal = std::get_if<expressions::Value>(&value)) return expressions::to_json(*literal);
  return quoted(std::get<TemplateText>(value));
}

std::string Describer::arguments(const std::vector<Argument>& arguments) const {
  std::string out;
  for (const Argument& argument : arguments) {
    out += (out.empty() ? " with " : " ") + argument.name + "=" + value(argument.value);
    if (argument.guard) out += " (or without it)";
  }
  return out;
}

}  // namespace wtool::host::workflow
