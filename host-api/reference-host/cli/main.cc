// The program `wtool`: parses the command line, including the options that all subcommands share, and runs the
// subcommand.
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <wtool/tool.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iterator>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/edit_distance.h"
#include "base/escape.h"
#include "base/formats.h"
#include "base/json.h"
#include "base/shell_quote.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "workflow/parse/library.h"

namespace wtool::host {

namespace {

void add_global_options(CLI::App& app, GlobalOptions& options) {
  const CLI::Validator not_empty([](std::string& value) { return value.empty() ? "must not be empty" : ""; }, "");
  const auto add = [&](const char* name, std::string& value, const char* type, const char* text) {
    app.add_option(name, value, text)->type_name(type)->check(not_empty)->group("Options for every command");
  };
  app.add_option(
         "-C,--directory", options.directories,
         "Change to this directory first; all other paths begin there. May be repeated: each directory begins in\n"
         "the one before")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->check(not_empty)
      ->group("Options for every command");
  app.add_option("--plugin", options.plugins,
                 "A plugin library, or a folder with several; may be repeated\n"
                 "(default: ../lib/wtool/shell_tools.so, from the program's folder, then WTOOL_PLUGIN_PATH)")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->check(not_empty)
      ->group("Options for every command");
  add("--config", options.config, "FILE",
      "The configuration to use instead of the project's, YAML or JSON (default: the nearest\n"
      "wtool.yaml, from here up to the folder of the project)");
  add("--log", options.log, "FILTER",
      "The lowest level that is logged on standard error: off, error, warn, info, debug or trace. A part of\n"
      "the program may have its own level, as in info,shell_tools=debug (default: WTOOL_LOG, else warn, or error\n"
      "for call, run and resume on a terminal)");
  add("--log-format", options.log_format, "FORMAT", "text or json (default: text)");
}

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
      {"validate", "`wtool lint FILE...` checks workflow files"},
      {"exec", "`wtool call TOOL` calls a tool, `wtool run WORKFLOW` runs a workflow"},
      {"explain", "`wtool call TOOL JSON --explain` shows what a call would do"},
      {"new", "`wtool init KIND` writes a file to start from"},
      {"create", "`wtool init KIND` writes a file to start from"},
      {"status", "`wtool show RUN` shows a run, `wtool runs` lists runs"},
      {"kill", "`wtool stop RUN` stops a run"},
      {"clean", "`wtool runs clear` removes old runs, `wtool cache clear` kept results"},
      {"retry", "`wtool resume RUN` continues a run where it failed"},
      {"log", "`wtool logs RUN [STATE]` shows what the steps of a run wrote"},
      {"serve", "`wtool mcp` serves the tools to a client"},
      {"version", "use `wtool --version`"},
      {"help", "use `wtool --help` or `wtool COMMAND --help`"},
      {"start", "`wtool run WORKFLOW` runs a workflow"},
      {"completion",
       "an installation includes completion for bash, zsh and fish (guide/command-line.md of the documentation)"},
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

// Reports the mistake in the words of the command line, and lists the commands and options that exist.
int wrong_usage(const CLI::App& app, const CLI::ParseError& mistake, const Words& words) {
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

// The name of an option with an empty value, as a script passes it if a variable is not set: such an option must not be
// treated as missing. Empty: no option has an empty value.
std::string empty_option(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const std::vector<std::string>& given = option->results();
    if (option->nonpositional() && option->get_expected_max() > 0 &&
        std::find(given.begin(), given.end(), "") != given.end()) {
      return option->get_name();
    }
  }
  for (const CLI::App* chosen : app.get_subcommands()) {
    if (std::string name = empty_option(*chosen); !name.empty()) return name;
  }
  return {};
}

// What `wtool --version --json` prints, for programs and packagers.
std::string version_as_json() {
  using nlohmann::ordered_json;
#ifdef WTOOL_WITH_CLUSTER
  constexpr bool with_cluster = true;
#else
  constexpr bool with_cluster = false;
#endif
  const char* const search = std::getenv("WTOOL_PLUGIN_PATH");
  std::string error;
  const std::filesystem::path plugin = find_plugin(program_path(), search == nullptr ? "" : search, error);
  ordered_json plugins = ordered_json::array();
  std::error_code ignored;
  for (const char* name : {"shell_tools", "cluster_tools"}) {
    const std::filesystem::path path = std::filesystem::path(plugin).replace_filename(std::string(name) + ".so");
    if (!plugin.empty() && std::filesystem::exists(path, ignored)) {
      plugins.push_back({{"name", name}, {"path", path.string()}});
    }
  }
  const ordered_json all = {{"program", "wtool"},
                            {"version", WTOOL_VERSION},
                            {"interface", {{"major", WTOOL_ABI_MAJOR}, {"minor", WTOOL_ABI_MINOR}}},
                            {"formats",
                             {{"journal", formats::journal},
                              {"audit", formats::audit},
                              {"configuration", formats::configuration},
                              {"workflow", formats::workflow},
                              {"server_lock", formats::server_lock},
                              {"warden_protocol", formats::warden_protocol}}},
                            {"plugins", plugins},
                            {"features", {{"cluster", with_cluster}, {"pty", true}}}};
  return dumped(all, 2) + '\n';
}

// The help of the chosen command does not list the options that all commands share, so this function adds them.
std::string help(const CLI::App& app) {
  if (app.get_subcommands().empty()) return app.help();
  return app.help() +
         "\nOptions for every command: -C DIR, --plugin FILE, --config FILE, --log FILTER, --log-format FORMAT;\n"
         "`wtool --help` describes them.\n";
}

// Turns `help COMMAND` into `COMMAND --help`. An unknown command is kept, so that it is reported like any other unknown
// command.
Words without_help(const CLI::App& app, Words words) {
  if (words.empty() || words.front() != "help") return words;
  words.erase(words.begin());
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    command = subcommand(*command, word);
    if (command == nullptr) return words;
  }
  words.emplace_back("--help");
  return words;
}

// Changes to each of these directories, one after the other. False: the reason is on standard error.
bool change_directory(const Words& directories) {
  for (const std::string& directory : directories) {
    std::error_code failed;
    std::filesystem::current_path(directory, failed);
    if (!failed) continue;
    complain("cannot change to the directory " + escaped(directory) + ": " + failed.message());
    return false;
  }
  return true;
}

// Checks the files that options for every command name. Commands that do not read them would not notice that they do
// not exist. `wtool doctor` reports them itself. False: the reason is on standard error.
bool named_files_exist(const CLI::App& app, const GlobalOptions& options) {
  for (const CLI::App* command : app.get_subcommands()) {
    if (command->get_name() == "doctor") return true;
  }
  std::error_code ignored;
  if (!options.config.empty() && !std::filesystem::exists(options.config, ignored)) {
    complain("cannot read " + escaped(options.config) + ": No such file or directory");
    return false;
  }
  for (const std::string& plugin : options.plugins) {
    if (std::filesystem::exists(plugin, ignored)) continue;
    complain("the plugin " + escaped(std::filesystem::absolute(plugin, ignored).string()) +
             " cannot be used: there is no such file");
    return false;
  }
  return true;
}

struct Command {
  std::string_view name;
  void (*add)(CLI::App& app, Context& context);
};

constexpr Command all_commands[] = {
    {"tools", add_tools},     {"call", add_call},     {"list", add_list},       {"run", add_run},
    {"resume", add_resume},   {"attach", add_attach}, {"stop", add_stop},       {"watch", add_watch},
    {"runs", add_runs},       {"cache", add_cache},   {"servers", add_servers}, {"show", add_show},
    {"logs", add_logs},       {"report", add_report}, {"graph", add_graph},     {"init", add_init},
    {"lint", add_lint},       {"plan", add_plan},     {"mcp", add_mcp},         {"approve", add_approve},
    {"cluster", add_cluster}, {"config", add_config}, {"doctor", add_doctor},   {"check", add_check},
    {"audit", add_audit},     {"agent", add_agent},
};

void describe(CLI::App& app) {
  app.set_version_flag(
      "--version", "wtool " WTOOL_VERSION,
      "Print the version; with --json, also the plugins and the versions of the interface and the formats");
  app.set_help_flag("-h,--help", "Print this help");
  app.require_subcommand(1);
  app.fallthrough();  // Subcommands inherit this: options for every command may also follow the subcommand.
  app.footer(
      "`wtool help COMMAND` is the same as `wtool COMMAND --help`.\n"
      "\n"
      "Examples:\n"
      "  wtool tools\n"
      "  wtool call shell_execute '{\"command\": \"uname -a\"}'\n"
      "  wtool COMMAND --help");
}

// Runs the command line with only these commands, and returns the exit status. Nothing: the words cannot be parsed, and
// `commands` are not all commands, which a message about the mistake needs.
std::optional<int> run_with(std::span<const Command> commands, int argc, char** argv) {
  Context context;
  CLI::App app("Calls shell tools, and runs workflows that use them", "wtool");
  describe(app);
  add_global_options(app, context.options);
  for (const Command& command : commands) command.add(app, context);

  if (argc > 1 && std::string_view(argv[1]) == "complete") return complete(app, context, Words(argv + 2, argv + argc));
  const Words words = without_help(app, Words(argv + 1, argv + argc));
  try {
    app.parse(Words(words.rbegin(), words.rend()));
  } catch (const CLI::CallForVersion&) {
    bool as_json = false;
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      as_json = as_json || word == "--json";
      if (word == "--json" || word == "--version") continue;
      const bool is_long = word.starts_with("--");
      const std::string name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
      if (word.size() < 2 || word.front() != '-' || app.get_option_no_throw(name) == nullptr) {
        complain("--version takes --json and the options for every command, not '" + word + "'");
        return exit_unusable;
      }
      const std::string value = word != name   ? word.substr(name.size() + (is_long ? 1 : 0))
                                : i + 1 < argc ? argv[++i]
                                               : "";
      if ((name == "-C" || name == "--directory") && !change_directory({value})) return exit_unusable;
    }
    return print(as_json ? version_as_json() : app.version() + '\n') ? exit_ok : exit_unusable;
  } catch (const CLI::CallForHelp&) {
    return print(help(app)) ? exit_ok : exit_unusable;
  } catch (const CLI::ParseError& mistake) {
    if (commands.size() < std::size(all_commands)) return std::nullopt;
    return wrong_usage(app, mistake, words);
  }
  if (const std::string name = empty_option(app); !name.empty()) {
    complain("the value of " + name + " is empty; leave the option out, or give it a value");
    return exit_unusable;
  }
  if (!change_directory(context.options.directories) || !named_files_exist(app, context.options) ||
      !context.start_tracing()) {
    return exit_unusable;
  }
  return context.command();
}

// Adds only the command that the first word names, because adding all of them takes a tenth of the time of a short run.
int run_program(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  const auto* const only = std::find_if(std::begin(all_commands), std::end(all_commands),
                                        [&](const Command& each) { return each.name == first; });
  if (only != std::end(all_commands)) {
    if (const auto status = run_with({only, 1}, argc, argv)) return *status;
  }
  return *run_with(all_commands, argc, argv);
}

// The error numbers of a process or system that has no more memory, descriptors or threads.
bool is_lack_of_resources(const std::error_code& code) {
  constexpr std::errc lacks[] = {std::errc::resource_unavailable_try_again, std::errc::too_many_files_open,
                                 std::errc::too_many_files_open_in_system, std::errc::not_enough_memory};
  return std::find(std::begin(lacks), std::end(lacks), code) != std::end(lacks);
}

int run_caught(int argc, char** argv) {
  constexpr const char* lack =
      "the limits of this process leave too little memory, descriptors or threads (ulimit -a): ";
  try {
    return run_program(argc, argv);
  } catch (const std::bad_alloc& e) {
    complain(std::string(lack) + e.what());
    return exit_unusable;
  } catch (const std::system_error& e) {
    complain((is_lack_of_resources(e.code()) ? lack : "an internal error: ") + std::string(e.what()));
    return exit_unusable;
  } catch (const std::exception& e) {
    complain(std::string("an internal error: ") + e.what());
    return exit_unusable;
  }
}

// The usual stack of a thread, for which the bounds on nested texts are made.
constexpr std::size_t enough_stack = 8UL * 1024 * 1024;

struct CommandLine {
  int argc;
  char** argv;
  sigset_t mask{};  // of the signals of the thread that runs the program
};

// Runs the program with enough stack, in this thread and in all that it starts, even if the limit of this process
// (ulimit -s) is lower. The limit itself is kept, since commands inherit it.
int run_with_enough_stack(CommandLine line) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= enough_stack) return run_caught(line.argc, line.argv);
  pthread_attr_t attributes;
  pthread_t thread{};
  int failed = ::pthread_attr_init(&attributes);
  if (failed == 0) failed = ::pthread_attr_setstacksize(&attributes, enough_stack);
  if (failed == 0) failed = ::pthread_setattr_default_np(&attributes);
  if (failed == 0) {
    // The thread that only waits blocks all signals: a signal of the process must find the thread that has blocked it in
    // order to wait for it.
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &line.mask);
    // It ends the process itself: if it forks, its child has no other thread that could do so.
    const auto run = [](void* given) -> void* {
      const auto* const words = static_cast<CommandLine*>(given);
      ::pthread_sigmask(SIG_SETMASK, &words->mask, nullptr);
      std::exit(run_caught(words->argc, words->argv));
    };
    failed = ::pthread_create(&thread, &attributes, run, &line);
    if (failed == 0) failed = ::pthread_join(thread, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &line.mask, nullptr);
  }
  complain("the stack limit of " + std::to_string(limit.rlim_cur / 1024) +
           " KiB is too low, and a larger stack cannot be made: " + std::generic_category().message(failed) +
           "; raise the limit (ulimit -s 8192)");
  return exit_unusable;
}

}  // namespace

}  // namespace wtool::host

int main(int argc, char** argv) {
  wtool::host::fill_closed_descriptors();
  // A closed pipe is an error to report, and must not kill this program in the middle of a call.
  ::signal(SIGPIPE, SIG_IGN);
  // A write beyond the file size limit of this process is an error to report, too.
  ::signal(SIGXFSZ, SIG_IGN);
  return wtool::host::run_with_enough_stack({argc, argv});
}
