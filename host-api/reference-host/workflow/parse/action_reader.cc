#include "workflow/parse/action_reader.h"

#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "workflow/model/durations.h"
#include "workflow/model/shell_choice.h"
#include "workflow/model/suggestion.h"
#include "workflow/model/template_text.h"
#include "workflow/parse/action_arguments.h"
#include "workflow/parse/action_options.h"

namespace wtool::host::workflow {
namespace {

using expressions::quoted_for_message;

constexpr std::string_view allowed_actions =
    "an action is Shell \"command\", Call tool \"name\" with {...}, Execute prompt \"name\", Prompt \"text\", Run "
    "workflow "
    "\"name\", Log \"text\", Set name=\"value\", Wait 5 seconds, Wait for user confirmation, or Abort \"message\"";

struct Unit {
  std::string_view name;
  std::int64_t milliseconds;
};
constexpr std::array<Unit, 15> units = {{{"seconds", 1000},
                                         {"second", 1000},
                                         {"secs", 1000},
                                         {"sec", 1000},
                                         {"s", 1000},
                                         {"minutes", 60'000},
                                         {"minute", 60'000},
                                         {"min", 60'000},
                                         {"m", 60'000},
                                         {"hours", 3'600'000},
                                         {"hour", 3'600'000},
                                         {"h", 3'600'000},
                                         {"milliseconds", 1},
                                         {"millisecond", 1},
                                         {"ms", 1}}};

const Unit* unit_of(std::string_view word) {
  for (const Unit& unit : units) {
    if (unit.name == word) return &unit;
  }
  return nullptr;
}

}  // namespace

const std::vector<std::string>& action_words() {
  static const std::vector<std::string> words = {"shell", "call", "execute",      "prompt", "run",  "delegate",
                                                 "log",   "set",  "set_variable", "wait",   "abort"};
  return words;
}

std::optional<Action> ActionReader::read(std::size_t offset) {
  const std::size_t before = findings_.size();
  const std::string word = cursor_.peek_word();
  const auto& known = action_words();
  if (std::find(known.begin(), known.end(), word) == known.end()) {
    cursor_.fail((cursor_.at_end() ? "the action is missing" : "unknown action " + cursor_.rest_for_message()) +
                 did_you_mean(word, known) + "; " + std::string(allowed_actions));
    return std::nullopt;
  }
  cursor_.take_word(word);
  ActionKind made = kind(word);
  if (findings_.size() != before) return std::nullopt;
  if (!cursor_.at_end()) {
    if (cursor_.explain_quotes()) return std::nullopt;
    cursor_.fail("this is not expected behind the action: " + cursor_.rest_for_message());
    return std::nullopt;
  }
  if (word != "shell" && !blocks_.empty()) {
    findings_.add(blocks_[0].offset, "a code block belongs only to the action Shell");
    return std::nullopt;
  }
  return Action{std::move(made), std::move(options_), offset};
}

ActionKind ActionReader::kind(const std::string& word) {
  if (word == "shell") return shell();
  if (word == "call") return call();
  if (word == "execute" || word == "prompt") return prompt(word == "prompt");
  if (word == "run" || word == "delegate") return workflow(word);
  if (word == "log") return log();
  if (word == "wait") return wait();
  if (word == "abort") return abort();
  return set(word == "set_variable");
}

// The word that always follows another one, as in `Call tool`.
bool ActionReader::expect_word(const std::string& word, const std::string& form) {
  if (cursor_.take_word(word)) return true;
  cursor_.fail("this action is written " + form + did_you_mean(cursor_.peek_word(), {word}));
  return false;
}

bool ActionReader::quoted_template(const std::string& what, TemplateText& out) {
  auto text = cursor_.take_text(what);
  if (!text) return false;
  out = template_text(std::move(*text), findings_);
  return true;
}

ActionKind ActionReader::shell() {
  ShellAction made;
  const std::size_t at = cursor_.here();
  if (cursor_.sees('"')) {
    auto text = cursor_.take_quoted("the command");
    if (!text) return made;
    made.command.written = std::move(*text);
    if (!blocks_.empty()) {
      findings_.add(blocks_[0].offset, "the command is given twice: in quotes and in this block");
      return made;
    }
  } else if (blocks_.empty()) {
    cursor_.fail("Shell needs a command in double quotes, or an indented ```sh block below it, and not " +
                 cursor_.rest_for_message() + command_in_quotes());
    return made;
  } else {
    script(made);
  }
  if (made.command.written.text().find_first_not_of(" \t\n") == std::string::npos) {
    findings_.add(at, "the command is empty");
    return made;
  }
  TemplateText command = template_text(std::move(made.command.written), findings_);
  made.command.written = std::move(command.written);
  made.command.parsed = std::move(command.parsed);
  if (!made.command.parsed.texts.empty()) made.command.places = find_places(made.command.parsed);
  shell_options(made);
  return made;
}

// How a command is written that stands there without quotes, or in others.
std::string ActionReader::command_in_quotes() {
  std::string text = cursor_.rest_for_message();
  ActionCursor ahead = cursor_;
  text = ahead.take_rest().text();
  text = text.substr(0, std::min(text.find(" with "), text.find('\n')));
  if (text.size() > 1 && text.front() == '\'' && text.back() == '\'') text = text.substr(1, text.size() - 2);
  if (text.empty() || text.size() > 60 || text.find_first_of("\"\\") != std::string::npos) return "";
  if ((static_cast<unsigned char>(text.front()) & 0x80U) != 0) {
    return "; these are typographic quotes, and plain ones are needed";
  }
  return "; write Shell \"" + text + "\"";
}

void ActionReader::script(ShellAction& made) {
  const CodeBlock& block = blocks_[0];
  const std::string language = lowered(block.language);
  if (blocks_.size() > 1) findings_.add(blocks_[1].offset, "an action has only one code block");
  if (language == "bash") {
    made.shell = {"bash", block.offset};
  } else if (!language.empty() && language != "sh" && language != "shell") {
    findings_.add(block.offset, "commands are run by sh or bash, so mark this block sh or bash, and not " +
                                    quoted_for_message(block.language) +
                                    "; for another interpreter, let the script call it");
  }
  made.is_block = true;
  made.command.written = block.text;
  if (block.text.text().ends_with('\n')) made.command.written.remove_suffix(1);
}

bool ActionReader::shell_options(ShellAction& made) {
  OptionReader options(cursor_, findings_);
  const bool with = cursor_.take_word("with");
  if (with && cursor_.at_end()) {
    cursor_.fail(
        "an option is missing behind `with`; the options are timeout=N, result=\"name\", working_dir=\"path\", "
        "env={\"NAME\": \"value\"}, shell=bash, shell_options=\"-eu\", retry=N, backoff=2s..60s, total_timeout=N, on "
        "failure: State, secret, "
        "matrix={...}");
    return false;
  }
  while (!cursor_.at_end()) {
    const auto outcome = options.take(options_);
    if (outcome == OptionReader::Outcome::failed) return false;
    if (outcome == OptionReader::Outcome::taken) continue;
    std::string name = options.peek_name();
    if (name == "working_directory") name = "working_dir";
    if (name == "environment") name = "env";
    if (name == "working_dir" || name == "env" || name == "shell" || name == "shell_options") {
      options.note(name, cursor_.here());
      if (!shell_option(name, made)) return false;
      continue;
    }
    if (cursor_.explain_quotes()) return false;
    std::vector<std::string> known = options.names();
    known.insert(known.end(), {"working_dir", "env", "shell", "shell_options"});
    cursor_.fail("this is no option: " + cursor_.rest_for_message() + did_you_mean(name, known) +
                 "; the options are timeout, result, working_dir, env, shell, shell_options, retry, backoff, "
                 "total_timeout, on failure, secret, "
                 "matrix");
    return false;
  }
  return true;
}

bool ActionReader::shell_option(const std::string& name, ShellAction& made) {
  cursor_.take_bare_word();
  if (!cursor_.take_symbol('=')) {
    cursor_.fail("a '=' is expected behind " + name);
    return false;
  }
  if (name == "env") return environment(made);
  if (name == "shell") return shell_name(made);
  if (name == "shell_options") return shell_settings(made);
  TemplateText directory;
  if (!quoted_template("the directory", directory)) return false;
  made.working_directory = std::move(directory);
  return true;
}

bool ActionReader::shell_name(ShellAction& made) {
  const std::size_t at = cursor_.here();
  std::string name;
  if (cursor_.sees_text()) {
    const auto text = cursor_.take_text("the shell");
    if (!text) return false;
    name = text->text();
  } else {
    name = cursor_.take_to_blank();
  }
  std::string why = problem_of_shell(name);
  if (why.empty() && made.shell.name == "bash" && name == "sh") {
    why = "the shell is given twice: shell=sh, and the block below is marked bash; mark it sh, or leave the option out";
  }
  if (!why.empty()) {
    findings_.add(at, why);
    return false;
  }
  made.shell = {name, at};
  return true;
}

bool ActionReader::shell_settings(ShellAction& made) {
  const std::size_t at = cursor_.here();
  std::string written;
  if (cursor_.sees_text()) {
    const auto text = cursor_.take_text("the options of the shell");
    if (!text) return false;
    written = text->text();
  } else {
    written = cursor_.take_to_blank();
  }
  const std::string why = read_shell_options(written, made.shell_options.emplace());
  if (why.empty()) return true;
  findings_.add(at, why);
  return false;
}

bool ActionReader::environment(ShellAction& made) {
  const std::size_t at = cursor_.here();
  const auto object = cursor_.take_json_object();
  if (!object) return false;
  for (const auto& [name, value] : object->items()) {
    if (!value.is_string()) {
      findings_.add(at, "the environment variable " + name + " must be a text in quotes");
      continue;
    }
    made.environment.emplace_back(name, template_text(value.get_ref<const std::string&>(), at, findings_));
  }
  return true;
}

ActionKind ActionReader::call() {
  ToolAction made;
  if (!expect_word("tool", "Call tool \"name\" with {...}")) return made;
  made.tool_offset = cursor_.here();
  if (cursor_.sees_text()) {
    if (auto name = cursor_.take_text("the name of the tool")) made.tool = name->text();
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
      const auto object = cursor_.take_json_object(&made.argument_places);
      if (!object) return made;
      arguments = *object;
    }
  }
  OptionReader options(cursor_, findings_, false);
  while (!cursor_.at_end()) {
    const auto outcome = options.take(options_);
    if (outcome == OptionReader::Outcome::failed) return made;
    if (outcome == OptionReader::Outcome::taken) continue;
    const std::size_t at = cursor_.here();
    const std::string key = cursor_.take_name();
    if (key.empty() || !cursor_.take_symbol('=')) {
      if (key.empty() && cursor_.explain_quotes()) return made;
      findings_.add(at,
                    "behind the tool stands `with` and a JSON object or name=\"value\" pairs, and options such as "
                    "result=\"name\"" +
                        did_you_mean(lowered(key), options.names()));
      return made;
    }
    if (arguments.contains(key)) findings_.add(at, "the argument " + key + " is given twice");
    made.argument_places.try_emplace(key, at);
    if (const auto bare = cursor_.take_bare_literal()) {
      arguments[key] = nlohmann::json::parse(*bare, nullptr, false);
      if (!arguments[key].is_discarded()) continue;
      findings_.add(at, quoted_for_message(*bare) + " is not a number");
      return made;
    }
    auto text = cursor_.take_placeholder();
    if (!text) text = cursor_.take_text("the value of " + key);
    if (!text) return made;
    arguments[key] = text->text();
  }
  made.arguments = std::make_shared<const nlohmann::json>(std::move(arguments));
  return made;
}

ActionKind ActionReader::prompt(bool is_inline) {
  PromptAction made;
  made.is_inline = is_inline;
  if (!is_inline && !expect_word("prompt", "Execute prompt \"name\" with name=\"value\"")) return made;
  if (!quoted_template(is_inline ? "the text of the prompt" : "the name of the prompt", made.prompt)) return made;
  OptionReader options(cursor_, findings_);
  take_arguments(cursor_, options, options_, made.arguments, findings_);
  return made;
}

ActionKind ActionReader::workflow(const std::string& first_word) {
  WorkflowAction made;
  if (first_word == "run") {
    if (!expect_word("workflow", std::string("Run workflow \"name\" with name=\"value\"") +
                                     (cursor_.sees_text() ? "; a command is run by Shell \"command\"" : ""))) {
      return made;
    }
  } else {
    cursor_.take_word("to");
  }
  if (!quoted_template("the name of the workflow", made.workflow)) return made;
  OptionReader options(cursor_, findings_);
  take_arguments(cursor_, options, options_, made.arguments, findings_);
  return made;
}

ActionKind ActionReader::log() {
  LogAction made;
  if (cursor_.take_word("warning") || cursor_.take_word("warn")) {
    made.level = LogAction::Level::warning;
  } else if (cursor_.take_word("error")) {
    made.level = LogAction::Level::error;
  } else {
    cursor_.take_word("info");
  }
  quoted_template("the text of Log [warning|error]" +
                      (cursor_.sees_text() ? "" : did_you_mean(cursor_.peek_word(), {"info", "warning", "error"})),
                  made.message);
  return made;
}

ActionKind ActionReader::set(bool variable_said) {
  SetAction made;
  // `Set variable x="1"`; but `Set variable="1"` sets a variable that is called so.
  for (const char* word : {"secret", "variable"}) {
    ActionCursor ahead = cursor_;
    if (variable_said || !ahead.take_word(word) || ahead.sees('=')) continue;
    cursor_.take_word(word);
    if (std::string_view(word) == "secret") made.secret = true;
  }
  do {
    Assignment assignment;
    assignment.offset = cursor_.here();
    assignment.name = cursor_.take_name();
    if (assignment.name.empty() || !cursor_.take_symbol('=')) {
      findings_.add(assignment.offset, "this action is written Set name=\"value\"");
      return made;
    }
    auto value = take_value(cursor_, findings_, "the value of " + assignment.name);
    if (!value) return made;
    assignment.value = std::move(*value);
    made.assignments.push_back(std::move(assignment));
  } while (!cursor_.at_end());
  return made;
}

ActionKind ActionReader::wait() {
  if (cursor_.take_word("for")) return confirm();
  WaitAction made;
  const std::size_t at = cursor_.here();
  std::string written;
  std::string unit_word;
  if (auto placeholder = cursor_.take_placeholder()) {
    made.amount = template_text(std::move(*placeholder), findings_);
  } else {
    written = cursor_.take_bare_word();
    const std::size_t digits = std::min(written.find_first_not_of("0123456789."), written.size());
    unit_word = lowered(written.substr(digits));
    written.resize(digits);
    if (written.empty()) {
      findings_.add(at,
                    "this action is written Wait 5 seconds (or minutes, hours, milliseconds), or Wait for user "
                    "confirmation \"question\"" +
                        did_you_mean(unit_word, {"for"}));
      return made;
    }
    made.amount = template_text(written, at, findings_);
  }
  const std::size_t unit_at = cursor_.here();
  if (unit_word.empty()) unit_word = lowered(cursor_.take_bare_word());
  const Unit* unit = unit_of(unit_word);
  if (unit == nullptr) {
    findings_.add(unit_at, "a unit is expected here: seconds, minutes, hours or milliseconds" +
                               did_you_mean(unit_word, {"seconds", "minutes", "hours", "milliseconds"}));
    return made;
  }
  made.unit = std::chrono::milliseconds(unit->milliseconds);
  if (!written.empty()) {
    const auto amount = duration_value(written);  // as seconds
    const auto longest = static_cast<double>(longest_wait) * 1000;
    if (!amount || static_cast<double>(amount->count()) / 1000 * static_cast<double>(unit->milliseconds) > longest) {
      findings_.add(at, "a wait is a number of " + unit_word + " that comes to no more than " +
                            std::to_string(longest_wait / 3600) + " hours");
    }
  }
  // A text behind it tells readers what is waited for.
  if (cursor_.sees_text()) cursor_.take_text("the reason");
  return made;
}

ActionKind ActionReader::confirm() {
  ConfirmAction made;
  const bool user_said = cursor_.take_word("user");
  if (!cursor_.take_word("confirmation") && !cursor_.take_word("input")) {
    cursor_.fail(std::string("this action is written Wait for user confirmation or Wait for user input, and a question "
                             "in quotes") +
                 did_you_mean(cursor_.peek_word(), user_said
                                                       ? std::vector<std::string>{"confirmation", "input"}
                                                       : std::vector<std::string>{"user", "confirmation", "input"}));
    return made;
  }
  if (cursor_.at_end()) return made;
  TemplateText question;
  if (cursor_.sees_text()) {
    if (!quoted_template("the question", question)) return made;
  } else {
    question = template_text(cursor_.take_rest(), findings_);
  }
  made.question = std::move(question);
  return made;
}

ActionKind ActionReader::abort() {
  AbortAction made;
  if (cursor_.take_word("with")) cursor_.take_word("message");
  quoted_template("the reason", made.message);
  return made;
}

}  // namespace wtool::host::workflow
