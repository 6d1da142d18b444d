#include "cli/wrong_usage.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/edit_distance.h"
#include "base/shell_quote.h"
#include "base/text.h"
#include "cli/context.h"
#include "workflow/parse/library.h"

namespace wtool::host {

namespace {

using Words = std::vector<std::string>;

Words option_names(const CLI::App& app) {
  Words names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional()) names.push_back(option->get_name());
  }
  return names;
}

// A hint that names the commands with this option, which the chosen command does not have. Empty: no command has it.
std::string who_has(const CLI::App& app, const std::string& name) {
  Words names;
  const auto look = [&](const auto& self, const CLI::App& above, const std::string& path) -> void {
    for (const CLI::App* command : above.get_subcommands([](const CLI::App*) { return true; })) {
      const std::string here = path + ' ' + command->get_name();
      const CLI::Option* option = command->get_option_no_throw(name);
      if (option != nullptr && !option->get_group().empty()) names.push_back("`wtool" + here + '`');
      self(self, *command, here);
    }
  };
  look(look, app, "");
  return names.empty() ? "" : "; it is an option of " + joined(names);
}

// A hint if a workflow has the name that was taken for a command; else empty.
std::string is_workflow(const std::string& word) {
  const Words names = workflow::Library(".").names();
  std::error_code ignored;
  const bool found = std::find(names.begin(), names.end(), word) != names.end() ||
                     std::filesystem::is_regular_file(word + ".md", ignored);
  return found ? "; `wtool run " + word + "` runs the workflow of this name" : "";
}

// If other programs use `word` for what one of our commands does, a hint that names our command. Otherwise nullptr.
// `within`: the word stands after a command, where -l and -n may mean anything.
const char* usual_name(std::string_view word, bool within) {
  if (within && word.size() == 2) return nullptr;
  constexpr const char* plan = "`wtool plan WORKFLOW` shows what a run would do, and runs nothing";
  constexpr const char* lists = "`wtool list` lists workflows, `wtool runs` lists runs, `wtool tools` lists tools";
  static constexpr std::pair<std::string_view, const char*> known[] = {
      {"--dry-run", plan},
      {"-n", plan},
      {"dry-run", plan},
      {"list", lists},
      {"ls", lists},
      {"--list", lists},
      {"-l", lists},
      {"ps", "`wtool runs` lists runs, including those that have not ended"},
      {"history", "`wtool runs` lists runs"},
      {"validate", "`wtool lint` checks workflow files"},
      {"exec", "`wtool call TOOL` calls a tool, `wtool run WORKFLOW` runs a workflow"},
      {"explain", "`wtool call TOOL JSON --explain` shows what a call would do"},
      {"new", "`wtool init KIND` writes a file to start from"},
      {"create", "`wtool init KIND` writes a file to start from"},
      {"status", "`wtool show RUN` shows a run, `wtool runs` lists runs"},
      {"kill", "`wtool stop RUN` stops a run"},
      {"clean", "`wtool runs clear` removes old runs, `wtool cache clear` kept results"},
      {"retry", "`wtool resume RUN` continues a run where it failed"},
      {"log", "`wtool logs [RUN [STATE]]` shows what the steps of a run wrote"},
      {"serve", "`wtool mcp` serves the tools to a client"},
      {"version", "use `wtool --version`"},
      {"help", "use `wtool --help` or `wtool COMMAND --help`"},
      {"start", "`wtool run WORKFLOW` runs a workflow"},
      {"man", "use `man wtool` or `wtool --help`"},
  };
  for (const auto& [name, says] : known) {
    if (word == name) return says;
  }
  return nullptr;
}

// A hint for a word that is left over, if it was probably meant as a part of the command or as a parameter; else empty.
std::string usual_form(const std::string& path, const std::string& word, const Words& options) {
  const bool is_option = word.starts_with('-');
  const std::string name = word.substr(0, word.find('='));
  if (is_option && !did_you_mean(name, options).empty()) return "";
  if (path == "call" && is_option) return "; a command is one word, as in `wtool call shell_execute command='ls -l'`";
  const bool takes_parameters = path == "run" || path == "plan" || path == "watch" || path == "lint";
  const std::string given = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  if (!takes_parameters || given.find('=') == std::string::npos || given.starts_with('=')) return "";
  return "; a parameter of the workflow is given as --var " + shell_word(given);
}

// Reads CLI11's message about a value that an option does not take ("--output: groups not in {group,none}"), and names
// the nearest value that the option takes.
std::string nearest_choice(const std::string& mistake) {
  const std::size_t end = mistake.find(" not in {");
  const std::size_t begin = end == std::string::npos ? end : mistake.rfind(": ", end);
  if (begin == std::string::npos || !mistake.ends_with('}')) return "";
  Words choices;
  std::string_view rest = std::string_view(mistake).substr(end + 9);
  while (!rest.empty()) {
    const std::size_t stop = std::min(rest.find_first_of(",}"), rest.size() - 1);
    choices.emplace_back(rest.substr(0, stop));
    rest.remove_prefix(stop + 1);
  }
  return did_you_mean(std::string_view(mistake).substr(begin + 2, end - begin - 2), choices);
}

// CLI11's message, reworded like our other messages: about a flag with a value ("Could not convert: --quiet = x"), and
// about an option without its value ("--var: 1 required NAME=VALUE missing").
std::string message_of(const CLI::App& app, const CLI::App& command, const CLI::ParseError& mistake) {
  std::string text = mistake.what();
  const auto option_of = [&](const std::string& name) {
    const CLI::Option* option = command.get_option_no_throw(name);
    return option != nullptr ? option : app.get_option_no_throw(name);
  };
  constexpr std::string_view unconverted = "Could not convert: ";
  constexpr std::string_view required = " is required";
  if (dynamic_cast<const CLI::ConversionError*>(&mistake) != nullptr && text.starts_with(unconverted)) {
    const std::size_t equals = text.find(" = ");
    const std::string name = text.substr(unconverted.size(), equals - unconverted.size());
    const CLI::Option* option = equals == std::string::npos ? nullptr : option_of(name);
    if (option != nullptr && option->get_expected_max() == 0) {
      text = name + " takes no value, but got \"" + text.substr(equals + 3) + '"';
    }
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&mistake) != nullptr && text.ends_with(" missing")) {
    const std::string name = text.substr(0, text.find(':'));
    const CLI::Option* option = option_of(name);
    // The name of the type may be followed by what the value is checked for: "N:INT in [1 - 10000]".
    const std::string type = option == nullptr ? "" : option->get_type_name();
    if (option != nullptr) text = name + " needs a value: " + name + ' ' + type.substr(0, type.find(':'));
  } else if (dynamic_cast<const CLI::RequiredError*>(&mistake) != nullptr && text.ends_with(required)) {
    const CLI::Option* option = option_of(text.substr(0, text.size() - required.size()));
    std::string what = option == nullptr ? "" : option->get_description();
    what.resize(std::min(what.find('\n'), what.size()));
    if (!what.empty()) text += ": " + lowered(what.substr(0, 1)) + what.substr(1);
  }
  return text;
}

}  // namespace

int report_wrong_usage(const CLI::App& app, const CLI::ParseError& mistake, const Words& words) {
  // The innermost chosen command, with its whole name: `audit verify`.
  std::vector<CLI::App*> chosen = app.get_subcommands();
  std::string path;
  while (!chosen.empty()) {
    path += (path.empty() ? "" : " ") + chosen.back()->get_name();
    const std::vector<CLI::App*> within = chosen.back()->get_subcommands();
    if (within.empty()) break;
    chosen = within;
  }
  const CLI::App& command = chosen.empty() ? app : *chosen.back();
  Words commands;
  for (const CLI::App* known : command.get_subcommands({})) commands.push_back(known->get_name());
  Words options = option_names(command);
  if (!chosen.empty()) {
    for (std::string& name : option_names(app)) {
      if (name != "--help" && name != "--version") options.push_back(std::move(name));
    }
  }

  std::string text = message_of(app, command, mistake);
  const Words rest = app.remaining(true);
  const bool about_words = dynamic_cast<const CLI::ExtrasError*>(&mistake) != nullptr ||
                           dynamic_cast<const CLI::RequiredError*>(&mistake) != nullptr;
  if (about_words && !rest.empty()) {
    const std::string& word = rest.front();
    const std::string name = word.substr(0, word.find('='));  // of an option, without its value
    const bool is_trial = path == "call" && (word == "--dry-run" || word == "-n");
    const char* usual =
        is_trial ? "`--explain` shows what the call would do, and runs nothing" : usual_name(name, !path.empty());
    std::string pointer = usual == nullptr ? "" : std::string("; ") + usual;
    if (pointer.empty()) pointer = usual_form(path, word, options);
    // An option of the command is also left over if it stands after `--`, so its position is compared.
    const bool before_command =
        !chosen.empty() && std::find(words.begin(), words.end(), word) <
                               std::find(words.begin(), words.end(), path.substr(0, path.find(' ')));
    if (before_command && word.starts_with('-') && command.get_option_no_throw(name) != nullptr) {
      text = name + " is an option of `wtool " + path + "`, and must follow these words";
    } else if (word.size() > 1 && word.front() == '-') {
      text = "there is no option " + word + (pointer.empty() ? did_you_mean(name, options) : pointer);
      if (!text.ends_with('?') && pointer.empty()) text += who_has(app, name);
    } else if (!commands.empty()) {
      std::string hint = path.empty() && !pointer.empty() ? pointer : did_you_mean(word, commands);
      if (hint.empty()) hint = pointer;
      text = "there is no command \"" + (path.empty() ? "" : path + ' ') + word + '"' + hint;
      if (path.empty() && pointer.empty() && !text.ends_with('?')) text += is_workflow(word);
    } else {
      text = '"' + word + "\" is one word too many for `wtool " + path + '`' + pointer;
    }
  } else if (!commands.empty() && dynamic_cast<const CLI::RequiredError*>(&mistake) != nullptr) {
    text = "a command is missing";
  }
  if (dynamic_cast<const CLI::ValidationError*>(&mistake) != nullptr) text += nearest_choice(text);
  if (!commands.empty()) text += "\ncommands: " + joined(commands);
  text += "\noptions: " + joined(options) + "\nhelp: wtool" + (path.empty() ? "" : ' ' + path) + " --help";
  complain(text);
  return exit_unusable;
}

}  // namespace wtool::host
