// The table of the kinds of actions: how each kind is read, checked and described before a run. Each row is made in a
// file of this folder.
//
// To add an action, write its data in model.h (a struct, and an alternative of ActionKind), its type() in a file here,
// and its perform() in a file of runner/actions/.
//
//   const ActionType& type = type_of(action.kind);
//   journal << type.name;
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "workflow/check/checks.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/parse/action_cursor.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {

// The text of one action while it is read. Mistakes go to `diagnostics`. After a mistake, the action that
// ActionType::read returns is not used.
struct ActionReading {
  ActionReading(const MappedText& text, const std::vector<CodeBlock>& code, Diagnostics& wrong)
      : blocks(code), cursor(text, wrong), diagnostics(wrong) {}

  // Takes the word `expected`, such as `tool` in `Call tool`. False: the word is missing; the diagnostic shows `form`,
  // which is how the whole action is written.
  bool expect_word(const std::string& expected, const std::string& form);
  bool quoted_template(const std::string& what, TemplateText& out);

  std::string word;                      // the word with which the action began, in lower case; the cursor is after it
  const std::vector<CodeBlock>& blocks;  // the code blocks below the list item
  ActionCursor cursor;
  Diagnostics& diagnostics;
  ActionOptions options;
};

// Visits each template of an action.
class TextVisitor {
 public:
  virtual ~TextVisitor() = default;
  virtual void text(const TemplateText& text) = 0;
  virtual void command(const CommandText& command) = 0;
  // The strings in `value` are templates. Mistakes in them are reported at `offset`.
  virtual void json(const nlohmann::json& value, std::size_t offset) = 0;
  virtual void arguments(const std::vector<Argument>& arguments) = 0;

  void text(const std::optional<TemplateText>& one) {
    if (one) text(*one);
  }
  void value(const std::variant<expressions::Value, TemplateText>& value) {
    if (const auto* one = std::get_if<TemplateText>(&value)) text(*one);
  }
};

// Describes parts of an action in words, with the values that are known.
class Describer {
 public:
  virtual ~Describer() = default;
  virtual std::string text(const TemplateText& text) const = 0;

  std::string mask;  // shown in place of a secret
  std::string quoted(const TemplateText& one) const { return '"' + text(one) + '"'; }
  std::string value(const std::variant<expressions::Value, TemplateText>& value) const;
  std::string arguments(const std::vector<Argument>& arguments) const;
};

struct ActionType {
  std::string_view name;  // in journals, events and reports
  // The words with which the action begins, in lower case. Empty: the `read` of another row makes the action.
  std::vector<std::string_view> words;
  std::vector<std::string_view> forms;  // how the action is written, for the message about an unknown action
  bool calls_something = true;          // the action does something outside of this process, or may take long
  // The action is one call of a tool: it can be repeated, its result can be kept for a later run, and its outputs are
  // those of a program.
  bool is_one_call = false;
  bool can_fail = true;
  ActionKind (*read)(ActionReading& in) = nullptr;  // reads the action after its first word
  void (*texts)(const ActionKind& kind, TextVisitor& visit) = nullptr;
  void (*check)(const ActionKind& kind, const Action& action, ActionCheck& check) = nullptr;  // nullptr: nothing to do
  std::string (*describe)(const ActionKind& kind, const Describer& describer) = nullptr;
};

// The table: the type() of each alternative of ActionKind, in the same order.
const std::vector<ActionType>& action_types();
const ActionType& type_of(const ActionKind& kind);
const ActionType* type_named(std::string_view name);  // nullptr: no action has this name

// The words that an action begins with, in lower case.
const std::vector<std::string>& action_words();

// Reads an action from `text`, which follows `State:`, and the code blocks below it. Nothing: a diagnostic says why.
// `offset` is the place of the action.
std::optional<Action> read_action(const MappedText& text, const std::vector<CodeBlock>& blocks, std::size_t offset,
                                  Diagnostics& diagnostics);

// texts_of(), describe_of() and check_of() make the members of a row from functions that take one alternative of
// ActionKind. The first two need a lambda without captures; check_of() needs a named function.
template <class Kind, class Function>
auto texts_of(Function) -> void (*)(const ActionKind&, TextVisitor&) {
  return [](const ActionKind& kind, TextVisitor& visit) { Function{}(std::get<Kind>(kind), visit); };
}
template <class Kind, class Function>
auto describe_of(Function) -> std::string (*)(const ActionKind&, const Describer&) {
  return [](const ActionKind& kind, const Describer& describer) -> std::string {
    return Function{}(std::get<Kind>(kind), describer);
  };
}
template <class Kind, void (*function)(const Kind&, const Action&, ActionCheck&)>
void check_of(const ActionKind& kind, const Action& action, ActionCheck& check) {
  function(std::get<Kind>(kind), action, check);
}

}  // namespace wtool::host::workflow
