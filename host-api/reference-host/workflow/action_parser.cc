#include "workflow/action_parser.h"

#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "workflow/action_cursor.h"
#include "workflow/parameters.h"
#include "workflow/suggestion.h"

namespace wtool::host::workflow {
namespace {

using expressions::Value;

constexpr std::string_view allowed_actions =
    "an action is Shell \"command\", Call tool \"name\" with {...}, Log \"text\", Set name=\"value\", or Abort "
    "\"message\"";
constexpr std::string_view allowed_options =
    "timeout=N, result=\"name\", working_dir=\"path\", env={\"NAME\": \"value\"}";
constexpr std::array<std::string_view, 8> later_actions = {"execute",  "run",  "delegate", "wait",
                                                           "parallel", "call", "prompt",   "sub"};
constexpr std::array<std::string_view, 8> later_options = {"retry",   "backoff", "total_timeout", "on",
                                                           "finally", "secret",  "matrix",        "stdin"};

template <class List>
bool contains(const List& list, std::string_view word) {
  for (const std::string_view entry : list) {
    if (entry == word) return true;
  }
  return false;
}

class ActionReader {
 public:
  ActionReader(const ActionItem& item, MappedText text, Findings& findings)
      : item_(item), text_(std::move(text)), cursor_(text_, findings), findings_(findings) {}

  // Of the action that was read.
  Options take_options() { return std::move(options_); }

  // Nothing after a finding.
  std::optional<ActionKind> read() {
    const std::size_t before = findings_.size();
    const std::string word = cursor_.peek_word();
    std::optional<ActionKind> made;
    if (word == "shell") {
      cursor_.take_word(word);
      made = shell();
    } else if (word == "call") {
      cursor_.take_word(word);
      made = call();
    } else if (word == "log") {
      cursor_.take_word(word);
      made = log();
    } else if (word == "set" || word == "set_variable") {
      cursor_.take_word(word);
      made = set();
    } else if (word == "abort") {
      cursor_.take_word(word);
      made = abort();
    } else if (contains(later_actions, word)) {
      cursor_.fail("this action is not supported yet: " + cursor_.rest_for_message() + "; " +
                   std::string(allowed_actions));
      return std::nullopt;
    } else {
      cursor_.fail(
          (cursor_.at_end() ? std::string("the action is missing") : "unknown action " + cursor_.rest_for_message()) +
          did_you_mean(word, {"shell", "call tool", "log", "set", "abort"}) + "; " + std::string(allowed_actions));
      return std::nullopt;
    }
    if (findings_.size() != before) return std::nullopt;
    if (!cursor_.at_end()) {
      cursor_.fail("this is not expected behind the action: " + cursor_.rest_for_message());
      return std::nullopt;
    }
    if (word != "shell" && !item_.blocks.empty()) {
      findings_.add(item_.blocks[0].offset, "a code block belongs only to the action Shell");
      return std::nullopt;
    }
    return made;
  }

 private:
  TemplateText as_template(MappedText text) {
    TemplateText made;
    made.written = std::move(text);
    parse(made.written, made.parsed);
    return made;
  }

  void parse(const MappedText& written, expressions::Template& out) {
    auto parsed = expressions::parse_template(written.text());
    if (auto* errors = std::get_if<std::vector<expressions::ExpressionError>>(&parsed)) {
      for (const auto& error : *errors) findings_.add(written.locate(error.offset), error.message);
      return;
    }
    out = std::get<expressions::Template>(std::move(parsed));
  }

  std::optional<TemplateText> quoted_template(const std::string& what) {
    auto text = cursor_.take_quoted(what);
    if (!text) return std::nullopt;
    return as_template(std::move(*text));
  }

  ActionKind shell() {
    ShellAction made;
    const std::size_t at = cursor_.here();
    if (cursor_.sees('"')) {
      auto text = cursor_.take_quoted("the command");
      if (!text) return made;
      made.command.written = std::move(*text);
      if (!item_.blocks.empty()) {
        findings_.add(item_.blocks[0].offset, "the command is given twice: in quotes and in this block");
        return made;
      }
    } else if (item_.blocks.empty()) {
      cursor_.fail("Shell needs a command in double quotes, or an indented ```sh block below it, and not " +
                   cursor_.rest_for_message());
      return made;
    } else {
      script(made);
    }
    if (made.command.written.text().find_first_not_of(" \t\n") == std::string::npos) {
      findings_.add(at, "the command is empty");
      return made;
    }
    parse(made.command.written, made.command.parsed);
    made.command.places = find_places(made.command.parsed);
    if (cursor_.take_word("with") || !cursor_.at_end()) shell_options(made);
    return made;
  }

  void script(ShellAction& made) {
    const CodeBlock& block = item_.blocks[0];
    const std::string language = lowered(block.language);
    if (item_.blocks.size() > 1) findings_.add(item_.blocks[1].offset, "an action has only one code block");
    if (!language.empty() && language != "sh" && language != "shell") {
      findings_.add(block.offset, "commands are run by sh, so mark this block sh, and not " +
                                      expressions::quoted_for_message(block.language) +
                                      "; for another interpreter, let the script call it");
    }
    made.command.written = block.text;
    if (block.text.text().ends_with('\n')) made.command.written.remove_suffix(1);
  }

  void shell_options(ShellAction& made) {
    std::set<std::string> seen;
    do {
      const std::size_t at = cursor_.here();
      std::string option = cursor_.peek_word();
      if (option == "working_directory") option = "working_dir";
      if (option == "environment") option = "env";
      const bool known = option == "timeout" || option == "result" || option == "working_dir" || option == "env";
      if (!known) return unknown_option(option);
      if (!seen.insert(option).second) findings_.add(at, "the option " + option + " is given twice");
      if (!take_option_name()) return;
      if (option == "timeout") {
        if (!timeout()) return;
      } else if (option == "result") {
        if (!result(options_.result)) return;
      } else if (option == "working_dir") {
        made.working_directory = quoted_template("the directory");
        if (!made.working_directory) return;
      } else if (!environment(made)) {
        return;
      }
    } while (!cursor_.at_end());
  }

  void unknown_option(const std::string& option) {
    if (contains(later_options, option)) return cursor_.fail("the option " + option + " is not supported yet");
    cursor_.fail((cursor_.at_end() ? std::string("an option is missing behind `with`")
                                   : "this is no option: " + cursor_.rest_for_message()) +
                 did_you_mean(option, {"timeout", "result", "working_dir", "env"}) + "; the options are " +
                 std::string(allowed_options));
  }

  bool take_option_name() {
    const std::string name = cursor_.take_name();
    if (cursor_.take_symbol('=')) return true;
    cursor_.fail("a '=' is expected behind " + name);
    return false;
  }

  bool timeout() {
    const std::size_t at = cursor_.here();
    MappedText text;
    if (auto bare = cursor_.take_bare_literal()) {
      text.append(*bare, at);
    } else if (auto quoted = cursor_.take_quoted("a number of seconds, such as timeout=60, or one")) {
      text = std::move(*quoted);
    } else {
      return false;
    }
    options_.timeout = as_template(std::move(text));
    return true;
  }

  bool result(NamedPlace& out) {
    const std::size_t at = cursor_.here();
    auto text = cursor_.take_quoted("the name of the result");
    if (!text) return false;
    out = {text->text(), at};
    return true;
  }

  bool environment(ShellAction& made) {
    const std::size_t at = cursor_.here();
    const auto object = cursor_.take_json_object();
    if (!object) return false;
    for (const auto& [name, value] : object->items()) {
      if (!value.is_string()) {
        findings_.add(at, "the environment variable " + name + " must be a text in quotes");
        continue;
      }
      MappedText text;
      text.append(value.get_ref<const std::string&>(), at);
      made.environment.emplace_back(name, as_template(std::move(text)));
    }
    return true;
  }

  ActionKind call() {
    ToolAction made;
    if (!cursor_.take_word("tool")) {
      cursor_.fail("this action is written Call tool \"name\" with {...}");
      return made;
    }
    made.tool_offset = cursor_.here();
    if (cursor_.sees('"')) {
      if (auto name = cursor_.take_quoted("the name of the tool")) made.tool = name->text();
    } else {
      made.tool = cursor_.take_name();
    }
    if (made.tool.empty()) {
      findings_.add(made.tool_offset, "the name of the tool is missing");
      return made;
    }
    nlohmann::json arguments = nlohmann::json::object();
    made.arguments_offset = cursor_.here();
    if (cursor_.take_word("with")) {
      made.arguments_offset = cursor_.here();
      if (cursor_.sees('{')) {
        const auto object = cursor_.take_json_object();
        if (!object) return made;
        arguments = *object;
      }
    }
    while (!cursor_.at_end()) {
      if (!call_pair(arguments)) return made;
    }
    made.arguments = std::make_shared<const nlohmann::json>(std::move(arguments));
    return made;
  }

  bool call_pair(nlohmann::json& arguments) {
    const std::size_t at = cursor_.here();
    const std::string key = cursor_.take_name();
    if (key.empty() || !cursor_.take_symbol('=')) {
      findings_.add(at, "behind the tool stands `with` and a JSON object or name=\"value\" pairs, and result=\"name\"");
      return false;
    }
    if (key == "result") {
      if (!options_.result.name.empty()) findings_.add(at, "result is given twice");
      return result(options_.result);
    }
    if (arguments.contains(key)) findings_.add(at, "the argument " + key + " is given twice");
    if (auto bare = cursor_.take_bare_literal()) {
      arguments[key] = nlohmann::json::parse(*bare, nullptr, false);
      if (!arguments[key].is_discarded()) return true;
      findings_.add(at, expressions::quoted_for_message(*bare) + " is not a number");
      return false;
    }
    auto text = cursor_.take_quoted("the value of " + key);
    if (!text) return false;
    arguments[key] = text->text();
    return true;
  }

  ActionKind log() {
    LogAction made;
    if (cursor_.take_word("warning") || cursor_.take_word("warn")) {
      made.level = LogAction::Level::warning;
    } else if (cursor_.take_word("error")) {
      made.level = LogAction::Level::error;
    } else {
      cursor_.take_word("info");
    }
    if (auto text = quoted_template("the text of Log [warning|error]")) made.message = std::move(*text);
    return made;
  }

  ActionKind set() {
    SetAction made;
    // `Set variable x="1"`; but `Set variable="1"` sets a variable that is called so.
    ActionCursor ahead = cursor_;
    if (ahead.take_word("variable") && !ahead.sees('=')) cursor_.take_word("variable");
    do {
      Assignment assignment;
      assignment.offset = cursor_.here();
      assignment.name = cursor_.take_name();
      if (assignment.name.empty() || !cursor_.take_symbol('=')) {
        findings_.add(assignment.offset, "this action is written Set name=\"value\"");
        return made;
      }
      if (!assigned_value(assignment)) return made;
      made.assignments.push_back(std::move(assignment));
    } while (!cursor_.at_end());
    return made;
  }

  bool assigned_value(Assignment& assignment) {
    const std::size_t at = cursor_.here();
    if (auto bare = cursor_.take_bare_literal()) {
      std::string why;
      const bool truth = *bare == "true" || *bare == "false";
      auto value = parameter_value(truth ? Parameter::Type::boolean : Parameter::Type::number, *bare, why);
      if (!value) {
        findings_.add(at, why);
        return false;
      }
      assignment.value = std::move(*value);
      return true;
    }
    auto text = quoted_template("the value of " + assignment.name);
    if (!text) return false;
    assignment.value = std::move(*text);
    return true;
  }

  ActionKind abort() {
    AbortAction made;
    if (auto text = quoted_template("the reason")) made.message = std::move(*text);
    return made;
  }

  const ActionItem& item_;
  MappedText text_;
  ActionCursor cursor_;
  Findings& findings_;
  Options options_;
};

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

}  // namespace

void read_action(const ActionItem& item, Workflow& workflow, Findings& findings) {
  const std::size_t findings_before = findings.size();
  const std::string& all = item.text.text();
  const std::size_t colon = all.find(':');
  const std::size_t line_end = std::min(all.find('\n'), all.size());
  if (colon == std::string::npos || colon > line_end) {
    return findings.add(item.offset, "an action is written `- State: action`, and " +
                                         expressions::quoted_for_message(all.substr(0, line_end)) + " has no colon");
  }
  std::string_view id = trim(std::string_view(all).substr(0, colon));
  for (const std::string_view mark : {"**", "`"}) {
    if (id.size() > 2 * mark.size() && id.starts_with(mark) && id.ends_with(mark)) {
      id = trim(id.substr(mark.size(), id.size() - 2 * mark.size()));
    }
  }
  MappedText text;
  std::size_t begin = colon + 1;
  while (begin < all.size()) {
    // Line by line, so that the map stays exact over continuation lines.
    const std::size_t end = std::min(all.find('\n', begin), all.size() - 1) + 1;
    text.append(std::string_view(all).substr(begin, end - begin), item.text.locate(begin));
    begin = end;
  }
  if (text.empty()) text.append(" ", item.text.locate(colon) + 1);
  ActionReader reader(item, std::move(text), findings);
  std::optional<ActionKind> kind = reader.read();
  if (findings.size() != findings_before) note_doubtful_names(all, workflow);

  const auto found = workflow.index.find(std::string(id));
  if (found == workflow.index.end()) {
    std::vector<std::string> known;
    if (findings.size() < most_findings_shown) {
      for (const State& state : workflow.states) known.push_back(state.id);
    }
    if (id == "[*]") return findings.add(item.offset, "[*] is the start and the end, and has no action");
    return findings.add(item.offset, "there is no state " + expressions::quoted_for_message(id) + " in the diagram" +
                                         did_you_mean(id, known));
  }
  State& state = workflow.states[found->second];
  if (state.action) {
    return findings.add(item.offset, "a second action for the state '" + state.id + "'; a state has only one");
  }
  if (kind) {
    state.action = Action{std::move(*kind), reader.take_options(), item.offset};
  }
}

}  // namespace wtool::host::workflow
