// wtool mcp: serves the tools to a client of the Model Context Protocol, on standard input and output.
//
// - Only the protocol goes to standard output: before anything else is opened, standard input and output move to
//   descriptors that no command inherits, and anything printed by mistake goes to standard error.
// - By default, the kernel's sandbox confines commands to the project (config/policy_preset.h).
// - The end of the input, a client that no longer reads, SIGTERM, SIGINT and SIGHUP end every command and the program.
#include <fcntl.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/edit_distance.h"
#include "base/escape.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/wake_up.h"
#include "cli/client_setup.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/interrupts.h"
#include "cli/login_environment.h"
#include "cli/mcp_settings.h"
#include "cli/not_empty.h"
#include "cli/run_policy.h"
#include "cli/workflow_tools.h"
#include "config/policy_preset.h"
#include "loader/plugin.h"
#include "mcp/client_config.h"
#include "mcp/server.h"
#include "terminal/dropping_output.h"

namespace wtool::host {

namespace {

// How long the client may take to read the rest of the output when the server ends.
constexpr std::chrono::milliseconds patience_at_the_end{1000};

// The descriptors to and from the client, which are closed when the program ends, and what wakes the reader.
struct Ends {
  int in = -1;
  int out = -1;
  WakeUp wake{};
};

// fill_closed_descriptors() has opened the descriptors 0 to 2, so `nothing` has a higher number and may be closed.
std::optional<Ends> move_standard_streams() {
  Ends ends;
  ends.in = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  ends.out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (ends.in < 0 || ends.out < 0 || !ends.wake || !nothing) return std::nullopt;
  if (::dup2(nothing.get(), STDIN_FILENO) < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return std::nullopt;
  return ends;
}

// Limits how much freed memory malloc keeps for each thread: many threads allocate and free results of megabytes, and
// the kept memory would add up.
void keep_memory_small() {
  ::mallopt(M_ARENA_MAX, 2);
  ::mallopt(M_MMAP_THRESHOLD, 256 * 1024);
  ::mallopt(M_TRIM_THRESHOLD, 256 * 1024);
}

struct McpOptions {
  std::vector<std::string> tools;
  std::string workflows;  // a folder
  std::string root;
  std::string policy = "project";
  bool network = false;
  runner::RunPolicy applied{};  // set by set_policy(); without a name if the policy is open
  std::string print_config;     // a client
  std::string install;          // a client
  std::string uninstall;        // a client
  std::string name;             // what the client calls this server
  bool list = false;
  bool yes = false;
};

std::string absolute(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path made = std::filesystem::absolute(path, failed);
  return path.empty() || failed ? path : made.lexically_normal().string();
}

// The folder to which the policy confines commands; empty if it needs none. Nothing: the reason is on stderr.
std::optional<std::string> root_of(const McpOptions& options) {
  std::error_code failure;
  const bool is_named = !options.root.empty();
  if (!is_named && options.policy == "open") return std::string();
  const std::filesystem::path folder = std::filesystem::canonical(is_named ? options.root : ".", failure);
  if (failure || !std::filesystem::is_directory(folder, failure)) {
    complain(is_named ? "--root: there is no such folder: " + options.root
                      : "the folder in which wtool was started cannot be found: " + failure.message() +
                            "; start it in another folder, or name a folder with --root DIR");
    return std::nullopt;
  }
  if (is_named) return folder.string();
  std::string project = project_of(folder.string());
  if (!project.empty()) return project;
  complain("the folder " + folder.string() +
           " is in no project: name the folder that commands may write in (--root DIR), or let them do whatever you "
           "may (--policy open)");
  return std::nullopt;
}

// Sets the policy and the folder of the commands. Returns the text about the policy that models get. Nothing: the
// reason is on stderr.
std::optional<std::string> set_policy(Context& context, McpOptions& options) {
  const std::optional<std::string> root = root_of(options);
  if (!root) return std::nullopt;
  // Relative paths are relative to the folder in which this program was started.
  context.options.config = absolute(context.options.config);
  for (std::string& plugin : context.options.plugins) plugin = absolute(plugin);
  options.workflows = absolute(options.workflows);
  if (!options.root.empty()) {
    std::error_code failure;
    std::filesystem::current_path(*root, failure);
    if (failure) {
      complain("--root: the folder " + *root + " cannot be entered: " + failure.message());
      return std::nullopt;
    }
  }
  if (options.policy == "open") {
    complain("mcp: policy open: commands may do whatever you may do, except for what your configuration forbids");
    return std::string();
  }
  std::string error;
  options.applied = {options.policy, *root, options.network};
  const auto preset = confine(context, options.applied, error);
  if (!preset) {
    complain("--policy " + options.policy + ": " + error);
    return std::nullopt;
  }
  complain("mcp: policy " + options.policy + ": " + preset->summary);
  for (const std::string& notice : preset->notices) complain("mcp: " + notice);
  return preset->summary;
}

// Makes bash the default shell, since models write command lines for bash. With --workflows, the default stays that of
// `wtool run`.
void set_shell(Context& context, const McpOptions& options) {
  if (!options.workflows.empty()) return;
  for (const char* bash : {"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/run/current-system/sw/bin/bash"}) {
    if (::access(bash, X_OK) != 0) continue;
    return context.config_files().add_defaults("wtool mcp", std::string("shell: {program: ") + bash + "}");
  }
}

// Workflows are served in addition to the tools that --tools names. Without --tools, a model can run only workflows,
// which a person has reviewed. The tools that show and stop long-running workflows are then served, too, since they
// run nothing.
void add_workflows(mcp::ServerSettings& settings, WorkflowTools& workflows, bool are_alone) {
  settings.about.workflows_alone = are_alone;
  if (are_alone) {
    for (const std::string_view tool : {"job_poll", "job_stop", "job_list"}) settings.served.emplace_back(tool);
  }
  for (mcp::ServerTool& tool : workflows.tools()) {
    settings.served.push_back(tool.description.id);
    settings.tools.push_back(std::move(tool));
  }
}

// The command line that starts this server with the same options, wherever the client is.
std::vector<std::string> argv_of(const Context& context, const McpOptions& options, const std::string& root) {
  std::vector<std::string> argv{program_path(), "mcp"};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) argv.insert(argv.end(), {option, value});
  };
  add("--root", root);
  if (options.policy != "project") add("--policy", options.policy);
  if (options.network) argv.emplace_back("--network");
  add("--tools", joined(options.tools, ","));
  add("--workflows", absolute(options.workflows));
  add("--config", absolute(context.options.config));
  for (const std::string& plugin : context.options.plugins) add("--plugin", absolute(plugin));
  add("--on", context.options.on);
  return argv;
}

std::string server_name(const McpOptions& options) {
  if (!options.name.empty()) return options.name;
  return options.workflows.empty() || !options.tools.empty() ? "shell" : "workflows";
}

// The names of all tools: those of the plugin, and the server's own.
std::vector<std::string> names_of_tools(const Plugin& plugin) {
  std::vector<std::string> names;
  for (const ToolDescription& tool : plugin.tools()) names.push_back(tool.id);
  names.insert(names.end(), mcp::own_tools.begin(), mcp::own_tools.end());
  return names;
}

// False: --tools names a tool that does not exist, which stderr says.
bool are_tools(const std::vector<std::string>& wanted, const std::vector<std::string>& names) {
  for (const std::string& tool : wanted) {
    if (std::find(names.begin(), names.end(), tool) != names.end()) continue;
    complain("--tools: there is no tool \"" + escaped(tool) + "\"" + known_names(tool, "tools", names));
    return false;
  }
  return true;
}

// What a client needs to start this server. A mistake in the options would show only in the client's log, so it is
// found here. Nothing: the reason is on stderr.
std::optional<mcp::ClientServer> server_for_client(Context& context, const McpOptions& options) {
  const std::optional<std::string> root = root_of(options);
  if (!root) return std::nullopt;
  std::error_code ignored;
  if (!options.workflows.empty() && !std::filesystem::is_directory(options.workflows, ignored)) {
    complain("--workflows: there is no such folder: " + options.workflows);
    return std::nullopt;
  }
  if (!options.tools.empty()) {
    const Plugin* plugin = context.plugin();
    if (plugin == nullptr || !are_tools(options.tools, names_of_tools(*plugin))) return std::nullopt;
  }
  mcp::ClientServer server{server_name(options), argv_of(context, options, *root)};
  if (!server.argv.front().empty() &&
      std::all_of(server.argv.begin(), server.argv.end(), [](const auto& word) { return is_utf8(word); })) {
    return server;
  }
  complain(
      "a client cannot be configured to start this server: a path is not valid UTF-8, or wtool's own path is not "
      "known");
  return std::nullopt;
}

// The project's folder, for clients that have a configuration in each project.
std::string folder_for_client(const McpOptions& options) {
  std::error_code failure;
  const bool is_named = !options.root.empty();
  const std::string folder = std::filesystem::canonical(is_named ? options.root : ".", failure).string();
  return failure || is_named ? folder : project_of(folder);
}

bool is_about_clients(const McpOptions& options) {
  return options.list || !options.print_config.empty() || !options.install.empty() || !options.uninstall.empty();
}

int set_up_client(Context& context, const McpOptions& options) {
  const std::string folder = folder_for_client(options);
  if (options.list) return list_clients(folder, server_name(options));
  if (!options.uninstall.empty()) {
    return uninstall_server({mcp::find_client(options.uninstall), folder, options.yes}, server_name(options));
  }
  const std::optional<mcp::ClientServer> server = server_for_client(context, options);
  if (!server) return exit_unusable;
  if (!options.install.empty()) {
    return install_server({mcp::find_client(options.install), folder, options.yes}, *server);
  }
  const mcp::Client& client = *mcp::find_client(options.print_config);
  complain("put this text into " + client_file(client, folder) + ":");
  return print(snippet(client, *server)) ? exit_ok : exit_unusable;
}

// Takes the environment of the person's login shell. Without it, the server still starts.
void take_environment(Context& context, LoginShell shell, Stop& stop) {
  // The login shell runs on this machine, even if commands run on a cluster.
  std::string error;
  Plugin* local = context.local_plugin(error);
  const std::string problem = local == nullptr ? error : take_login_environment(*local, shell, stop);
  if (problem.empty()) return;
  complain("mcp.login_environment: the server starts without the environment of the login shell: " + problem);
}

// Answers the client's messages until the input ends or `stop` is requested. Returns the exit status.
int answer_messages(mcp::Server& server, mcp::Input& input, mcp::Output& output, const Ends& ends, const Stop& stop) {
  int status = exit_ok;
  input.hold_while([&output] { return output.is_full(); }, output.room());
  if (::isatty(ends.in) == 1) {
    complain(
        "mcp: waiting for messages of a client on standard input; Ctrl-D ends the server, and `wtool mcp --install "
        "CLIENT` adds it to a client");
  }
  if (!server.serve(input)) {
    complain("standard input cannot be read");
    status = exit_unusable;
  }
  const auto why = stop.requested();
  server.end(why ? why->reason : "the client has closed the connection");
  output.finish(patience_at_the_end);
  if (const int failure = output.failure(); failure != 0) {
    complain(std::string("standard output cannot be written: ") + ::strerror(failure));
    status = exit_unusable;
  }
  return status;
}

int serve(Context& context, McpOptions& options) {
  keep_memory_small();
  const std::optional<Ends> ends = move_standard_streams();
  if (!ends) {
    complain(std::string("the standard streams cannot be moved: ") + ::strerror(errno));
    return exit_unusable;
  }
  // Calls write to standard error, too. A client that does not read it must not keep them from their end.
  never_wait_for_standard_error();
  std::optional<std::string> policy = set_policy(context, options);
  if (!policy) return exit_unusable;
  set_shell(context, options);
  std::optional<McpSettings> all = read_mcp_settings(context, options.tools, options.policy == "open");
  if (!all) return exit_unusable;
  mcp::ServerSettings* const settings = &all->server;
  settings->about.policy = std::move(*policy);
  settings->results.network_is_option = options.policy != "open" && !options.network;
  Plugin* plugin = context.plugin();
  if (plugin == nullptr) return exit_unusable;
  const std::vector<std::string> names = names_of_tools(*plugin);
  if (!are_tools(options.tools, names)) return exit_unusable;

  const auto wake = [&ends] { ends->wake.signal(); };
  Stop stop;
  const Stop::Subscription listening = stop.subscribe([&](const StopRequest&) { wake(); });
  const Interrupts interrupts(stop);
  if (all->login_shell) take_environment(context, *all->login_shell, stop);
  mcp::Output output(ends->out, wake);
  std::optional<WaitingQuestions> waiting;
  if (settings->approve_within) {
    waiting.emplace(*settings->approve_within, [](const std::string& what) { complain("mcp: " + what); });
  }
  mcp::Elicitation elicitation(output, waiting ? &*waiting : nullptr);
  context.ask_through(&elicitation);
  int status = exit_unusable;
  std::unique_ptr<WorkflowTools> workflows;
  if (!options.workflows.empty()) {
    workflows = WorkflowTools::open(context, options.workflows, names, elicitation, settings->results.output_bytes,
                                    options.applied);
  }
  // With workflows, one toolbox serves the workflows and the tools. A timeout then has an upper limit only if the
  // configuration sets one.
  Toolbox* toolbox = options.workflows.empty() ? context.toolbox() : workflows ? context.workflow_toolbox() : nullptr;
  if (toolbox != nullptr) {
    if (workflows) add_workflows(*settings, *workflows, options.tools.empty());
    mcp::Server server(*plugin, *toolbox, elicitation, output, *settings);
    mcp::Input input(ends->in, ends->wake.descriptor(), ends->out, settings->message_bytes);
    status = answer_messages(server, input, output, *ends, stop);
  }
  context.ask_through(nullptr);
  return interrupts.signal() != 0 ? interrupts.exit_status() : status;
}

// Throws if an option is given that has no meaning beside the others.
void check(const McpOptions& options) {
  if (options.network && options.policy == "open") {
    throw CLI::ValidationError("--network", "with --policy open, commands can use the network anyway");
  }
  const int tasks = static_cast<int>(options.list) + static_cast<int>(!options.print_config.empty()) +
                    static_cast<int>(!options.install.empty()) + static_cast<int>(!options.uninstall.empty());
  if (tasks > 1) {
    throw CLI::ValidationError("mcp", "only one of --install, --uninstall, --list and --print-config can be given");
  }
  if (options.yes && options.install.empty() && options.uninstall.empty()) {
    throw CLI::ValidationError("--yes", "can be used only with --install or --uninstall");
  }
  if (!options.name.empty() && tasks == 0) {
    throw CLI::ValidationError("--name", "can be used only with --install, --uninstall, --list or --print-config");
  }
}

}  // namespace

void add_mcp(CLI::App& app, Context& context) {
  auto options = std::make_shared<McpOptions>();
  CLI::App* command = app.add_subcommand("mcp", "Serve the tools to a client of the Model Context Protocol");
  command
      ->add_option("--root", options->root,
                   "The folder in which commands run, and to which the policy applies (default: the project of "
                   "the working directory)")
      ->type_name("DIR");
  command
      ->add_option("--policy", options->policy,
                   "project: commands write only in the folder and in temporary folders, can read these, the system "
                   "and toolchains, and have no network, not even to this machine; read-only: the same, but the folder "
                   "cannot be written; open: "
                   "commands may do whatever you may do (default: project)")
      ->check(CLI::IsMember({"project", "read-only", "open"}))
      ->type_name("NAME");
  command->add_flag("--network", options->network, "Let commands use the network");
  command
      ->add_option("--tools", options->tools,
                   "Only these tools, separated by commas (default: all that can run with this configuration)")
      ->type_name("NAME,...")
      ->delimiter(',');
  command
      ->add_option(
          "--workflows", options->workflows,
          "Serve as a tool each workflow in this folder whose front matter has `tool: true`; other tools that run "
          "something are served only if --tools names them")
      // An empty value would count as absent, and everything would be served.
      ->check(not_empty())
      ->type_name("DIR");
  command
      ->add_option("--print-config", options->print_config,
                   "Print what the client needs in its configuration to start this server, with these options")
      ->check(CLI::IsMember(mcp::known_clients()))
      ->type_name("CLIENT");
  command
      ->add_option("--install", options->install,
                   "Put this server, with these options, into the client's configuration, after showing the change and "
                   "asking")
      ->check(CLI::IsMember(mcp::known_clients()))
      ->type_name("CLIENT");
  command->add_option("--uninstall", options->uninstall, "Remove this server from the client's configuration")
      ->check(CLI::IsMember(mcp::known_clients()))
      ->type_name("CLIENT");
  command->add_flag("--list", options->list, "Show the clients, their files, and which of them have this server");
  command
      ->add_option(
          "--name", options->name,
          "With --install, --uninstall, --list and --print-config: what the client calls this server (default: "
          "shell, or workflows)")
      ->check([](const std::string& name) {
        return std::string(mcp::is_server_name(name) ? "" : "must have at most 64 letters, digits, _ and -");
      })
      ->type_name("NAME");
  command->add_flag("--yes,-y", options->yes, "With --install and --uninstall: change the file without a question");
  add_on_option(*command, context.options);
  command->footer(
      "Standard input and output are only for the messages of the protocol, one per line; logs and errors go to\n"
      "standard error. A client's configuration names this program, with \"mcp\" as its first argument, and options.\n"
      "When the input ends, or on a signal, the server and all its commands end. Exit status: 0 after the end of the\n"
      "input, 2 if it cannot serve, 143 after SIGTERM (130 SIGINT, 129 SIGHUP).\n"
      "\n"
      "Every call is recorded in $XDG_STATE_HOME/wtool/mcp-audit.jsonl (else ~/.local/state/wtool/mcp-audit.jsonl),\n"
      "unless the policy is open or audit.file is set.\n"
      "\n"
      "Examples:\n"
      "  {\"mcpServers\": {\"shell\": {\"command\": \"wtool\", \"args\": [\"mcp\", \"--root\", \"/home/me/app\"]}}}\n"
      "  wtool mcp --root . --install claude-code\n"
      "  wtool mcp --root . --print-config codex\n"
      "  wtool mcp --root . --policy read-only --tools shell_execute\n"
      "  wtool mcp --root . --workflows workflows");
  command->callback([&context, options] {
    check(*options);
    context.command = [&context, options] {
      return is_about_clients(*options) ? set_up_client(context, *options) : serve(context, *options);
    };
  });
}

}  // namespace wtool::host
