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
#include <vector>

#include "base/escape.h"
#include "base/formats.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/help_text.h"
#include "cli/not_empty.h"
#include "cli/wrong_usage.h"

namespace wtool::host {

namespace {

void add_global_options(CLI::App& app, GlobalOptions& options) {
  const auto add = [&](const char* name, std::string& value, const char* type, const char* text) {
    app.add_option(name, value, text)->type_name(type)->check(not_empty())->group("Options for every command");
  };
  app.add_option(
         "-C,--directory", options.directories,
         "Change to this directory first; all other paths begin there. May be repeated: each directory begins in\n"
         "the one before")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->check(not_empty())
      ->group("Options for every command");
  app.add_option("--plugin", options.plugins,
                 "A plugin library, or a folder with several; may be repeated\n"
                 "(default: ../lib/wtool/shell_tools.so, from the program's folder, then WTOOL_PLUGIN_PATH)")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->check(not_empty())
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
    {"tools", add_tools},     {"call", add_call},
    {"list", add_list},       {"run", add_run},
    {"resume", add_resume},   {"attach", add_attach},
    {"stop", add_stop},       {"watch", add_watch},
    {"runs", add_runs},       {"cache", add_cache},
    {"servers", add_servers}, {"show", add_show},
    {"logs", add_logs},       {"report", add_report},
    {"graph", add_graph},     {"init", add_init},
    {"lint", add_lint},       {"plan", add_plan},
    {"mcp", add_mcp},         {"approve", add_approve},
    {"cluster", add_cluster}, {"config", add_config},
    {"doctor", add_doctor},   {"check", add_check},
    {"audit", add_audit},     {"completion", add_completion},
    {"agent", add_agent},
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
    return print(fitted_help(help(app), help_columns())) ? exit_ok : exit_unusable;
  } catch (const CLI::ParseError& mistake) {
    if (commands.size() < std::size(all_commands)) return std::nullopt;
    return report_wrong_usage(app, mistake, words);
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
