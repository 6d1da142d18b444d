// Shell "command", or a block below it: a command of the shell.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/edit_distance.h"
#include "base/json.h"
#include "base/text.h"
#include "workflow/actions/action_type.h"
#include "workflow/actions/shell_parts.h"
#include "workflow/check/checks.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/parse/action_options.h"
#include "workflow/parse/defaults.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host::workflow {
namespace {

using expressions::quoted_for_message;

// --- reading ---

// The end of a message: how to quote a command that has no quotes or the wrong quotes. Empty: the command is empty,
// too long to be shown, or contains characters that need a backslash.
std::string command_in_quotes(ActionReading& in) {
  ActionCursor ahead = in.cursor;
  std::string text = ahead.take_rest().text();
  text = text.substr(0, std::min(text.find(" with "), text.find('\n')));
  if (text.size() > 1 && text.front() == '\'' && text.back() == '\'') text = text.substr(1, text.size() - 2);
  if (text.empty() || text.size() > 60 || text.find_first_of("\"\\") != std::string::npos) return "";
  if ((static_cast<unsigned char>(text.front()) & 0x80U) != 0) {
    return "; these are typographic quotes; write plain quotes";
  }
  return "; write " + std::string(in.word == "service" ? "Service" : "Shell") + " \"" + text + "\"";
}

void read_script(ActionReading& in, ShellAction& made) {
  const CodeBlock& block = in.blocks[0];
  const std::string language = lowered(block.language);
  if (in.blocks.size() > 1) in.diagnostics.add(in.blocks[1].offset, "an action has only one code block");
  if (language == "bash") {
    made.shell = {"bash", block.offset};
  } else if (!language.empty() && language != "sh" && language != "shell") {
    in.diagnostics.add(block.offset, "commands are run by sh or bash, so mark this block sh or bash, not " +
                                         quoted_for_message(block.language) +
                                         "; to use another interpreter, call it in the script");
  }
  made.is_block = true;
  made.command.written = block.text;
  if (block.text.text().ends_with('\n')) made.command.written.remove_suffix(1);
}

bool read_shell_name(ActionReading& in, ShellAction& made) {
  const std::size_t at = in.cursor.here();
  std::string name;
  if (in.cursor.sees_text()) {
    const auto text = in.cursor.take_text("the shell");
    if (!text) return false;
    name = text->text();
  } else {
    name = in.cursor.take_to_blank();
  }
  std::string why = problem_of_shell(name);
  if (why.empty() && made.shell.name == "bash" && name == "sh") {
    why = "the shell is given twice: shell=sh, and the block below is marked bash; mark it sh, or leave the option out";
  }
  if (!why.empty()) {
    in.diagnostics.add(at, why);
    return false;
  }
  made.shell = {name, at};
  return true;
}

bool read_shell_settings(ActionReading& in, ShellAction& made) {
  const std::size_t at = in.cursor.here();
  std::string written;
  if (in.cursor.sees_text()) {
    const auto text = in.cursor.take_text("the options of the shell");
    if (!text) return false;
    written = text->text();
  } else {
    written = in.cursor.take_to_blank();
  }
  const std::string why = read_shell_options(written, made.shell_options.emplace());
  if (why.empty()) return true;
  in.diagnostics.add(at, why);
  return false;
}

}  // namespace

std::string shell_option_of(const std::string& name) {
  if (name == "working_directory") return "working_dir";
  if (name == "environment") return "env";
  const auto& known = shell_option_names;
  return std::find(known.begin(), known.end(), name) != known.end() ? name : "";
}

bool read_shell_option(ActionReading& in, const std::string& name, ShellAction& made) {
  in.cursor.take_bare_word();
  if (!in.cursor.take_symbol('=')) {
    in.cursor.fail("a '=' is expected after the name of the option " + name);
    return false;
  }
  if (name == "env") return take_environment(in.cursor, in.diagnostics, made.environment);
  if (name == "env_file") return take_environment_file(in.cursor, in.diagnostics, made.environment_files);
  if (name == "shell") return read_shell_name(in, made);
  if (name == "shell_options") return read_shell_settings(in, made);
  const std::size_t at = in.cursor.here();
  TemplateText directory;
  if (!in.quoted_template("the directory", directory)) return false;
  if (directory.written.text().empty()) {
    in.diagnostics.add(at, empty_directory);
    return false;
  }
  made.working_directory = std::move(directory);
  return true;
}

namespace {

std::string listed(const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& option : options) {
    if (option == "with") continue;  // not an option: this word introduces the options
    text += (text.empty() ? "the options are " : ", ") + (option == "on_failure" ? "on failure: State" : option);
  }
  return text;
}

std::vector<std::string> known_options(const OptionReader& options) {
  std::vector<std::string> known = options.names();
  known.insert(known.end(), shell_option_names.begin(), shell_option_names.end());
  return known;
}

bool read_options(ActionReading& in, ShellAction& made) {
  OptionReader options(in.cursor, in.diagnostics);
  const bool with = in.cursor.take_word("with");
  if (with && in.cursor.at_end()) {
    in.cursor.fail("an option is missing after `with`; " + listed(known_options(options)));
    return false;
  }
  while (!in.cursor.at_end()) {
    const auto outcome = options.take(in.options);
    if (outcome == OptionReader::Result::failed) return false;
    if (outcome == OptionReader::Result::taken) continue;
    const std::string name = options.peek_name();
    if (const std::string own = shell_option_of(name); !own.empty()) {
      options.note(own, in.cursor.here());
      if (!read_shell_option(in, own, made)) return false;
      continue;
    }
    if (in.cursor.explain_quotes()) return false;
    if (name == "inputs" || name == "outputs" || name == "keep") {
      in.cursor.fail(name + " is a list of paths in brackets, such as " + name + "=[\"src/**\"]");
      return false;
    }
    const std::vector<std::string> known = known_options(options);
    // The list is long, so it comes only if no option is similar.
    const std::string meant = option_meant(name, known);
    in.cursor.fail("this is not an option: " + in.cursor.rest_for_message() +
                   (meant.empty() ? "; " + listed(known) : meant));
    return false;
  }
  return true;
}

}  // namespace

void parse_command(CommandText& command, Diagnostics& diagnostics) {
  TemplateText text = template_text(std::move(command.written), diagnostics);
  command.written = std::move(text.written);
  command.parsed = std::move(text.parsed);
  if (!command.parsed.texts.empty()) command.places = find_places(command.parsed);
}

bool read_shell_command(ActionReading& in, ShellAction& made) {
  const std::size_t at = in.cursor.here();
  if (in.cursor.sees('"')) {
    auto text = in.cursor.take_quoted("the command");
    if (!text) return false;
    made.command.written = std::move(*text);
    if (!in.blocks.empty()) {
      in.diagnostics.add(in.blocks[0].offset, "the command is given twice: in quotes and in this block");
      return false;
    }
  } else if (in.blocks.empty()) {
    in.cursor.fail((in.word == "service" ? "Service" : "Shell") +
                   std::string(" needs a command in double quotes, or an indented ```sh block below it, not ") +
                   in.cursor.rest_for_message() + command_in_quotes(in));
    return false;
  } else {
    read_script(in, made);
  }
  if (made.command.written.text().find_first_not_of(" \t\n") == std::string::npos) {
    in.diagnostics.add(at, "the command is empty");
    return false;
  }
  parse_command(made.command, in.diagnostics);
  return true;
}

namespace {

ActionKind read_shell(ActionReading& in) {
  ShellAction made;
  if (read_shell_command(in, made)) read_options(in, made);
  return made;
}

// --- checking ---

// The beginning of the warning about the policy's verdict; null: no warning is needed. An unknown verdict needs a
// warning, too.
const char* problem_of(CommandVerdict::Kind kind, const ShellAction& shell) {
  const char* const unknown = "there is no way to tell whether policy allows this command: ";
  switch (kind) {
    case CommandVerdict::Kind::allow:
      return nullptr;
    case CommandVerdict::Kind::ask:
      return "a person would be asked before this command: ";
    case CommandVerdict::Kind::deny:
      return "policy would refuse this command: ";
    case CommandVerdict::Kind::no_directory:
      // A command with the option working_dir does not run in the directory that the verdict is about.
      return shell.working_directory ? nullptr : unknown;
    case CommandVerdict::Kind::unknown:
      break;
  }
  return unknown;
}

void judge(const ShellAction& shell, ActionCheck& check) {
  // The text as the shell gets it: `$${` has become `${`.
  const auto text_of = [](const auto& text) {
    return text.parsed.texts.empty() || !is_literal(text) ? std::string() : text.parsed.texts[0];
  };
  std::map<std::string, std::string> environment;
  for (const auto& [name, text] : shell.environment) environment[name] = text_of(text);
  const auto verdict = check.around.verdict(first_line_of(shell, check.workflow) + text_of(shell.command), environment);
  if (const char* const problem = problem_of(verdict.kind, shell)) {
    check.diagnostics.warn(shell.command.written.locate(0), problem + verdict.reason);
  }
}

}  // namespace

void check_shell(const ShellAction& shell, const Action& action, ActionCheck& check) {
  if (check.around.tools != nullptr && !check.around.tools->has_tool(shell_tool)) {
    check.diagnostics.add(action.offset, "Shell needs the tool shell_execute, which the plugin does not have");
  }
  if (check.around.timeout_max && action.options.timeout) {
    check_timeout(*action.options.timeout, *check.around.timeout_max, check.diagnostics);
  }
  check.shell_is_usable(shell.shell);
  for (const auto& [name, text] : shell.environment) {
    if (is_variable_name(name)) continue;
    check.diagnostics.add(text.written.locate(0), quoted_for_message(name) + " cannot name an environment variable");
  }
  check_shell_command(shell, check);
}

void check_shell_command(const ShellAction& shell, ActionCheck& check) {
  const bool good = shell.command.parsed.texts.empty() || check_command(shell.command, check.diagnostics);
  if (good && !check.around.must_exist) check_dropped_status(shell, check.workflow, check.diagnostics);
  if (good && check.around.verdict && is_literal(shell.command)) judge(shell, check);
}

ActionType ShellAction::type() {
  ActionType type;
  type.name = "shell";
  type.words = {"shell"};
  type.forms = {"Shell \"command\""};
  type.is_one_call = true;
  type.read = read_shell;
  type.texts = texts_of<ShellAction>([](const ShellAction& shell, TextVisitor& visit) {
    visit.command(shell.command);
    visit.text(shell.working_directory);
    for (const auto& [name, text] : shell.environment) visit.text(text);
  });
  type.check = check_of<ShellAction, check_shell>;
  type.describe =
      describe_of<ShellAction>([](const ShellAction&, const Describer&) -> std::string { return "runs a command"; });
  return type;
}

}  // namespace wtool::host::workflow
