// wtool mcp: serves the tools to a client of the Model Context Protocol, on standard input and output.
//
// - Nothing but the protocol is on standard output: before anything else is opened, both ends of it move to descriptors
//   that no command inherits, and what anybody prints by mistake goes to standard error.
// - The end of the input, a client that no longer reads, SIGTERM, SIGINT and SIGHUP end every command and the program.
#include <fcntl.h>
#include <malloc.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/edit_distance.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/interrupts.h"
#include "cli/output.h"
#include "mcp/server.h"
#include "tracing/escape.h"

namespace wtool::host {

namespace {

// For a client that has ended its side and reads what is left.
constexpr std::chrono::milliseconds patience_at_the_end{1000};

// The client's two ends, and something that wakes the reader. Closed with the program.
struct Ends {
  int in = -1;
  int out = -1;
  int wake = -1;
};

// Below 3 there is no room, since wtool has filled these descriptors.
std::optional<Ends> move_standard_streams() {
  Ends ends;
  ends.in = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  ends.out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  ends.wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (ends.in < 0 || ends.out < 0 || ends.wake < 0 || nothing < 0) return std::nullopt;
  if (::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return std::nullopt;
  ::close(nothing);
  return ends;
}

// Results come and go by the megabyte, on many threads: memory that each keeps for itself would add up.
void keep_memory_small() {
  ::mallopt(M_ARENA_MAX, 2);
  ::mallopt(M_MMAP_THRESHOLD, 256 * 1024);
  ::mallopt(M_TRIM_THRESHOLD, 256 * 1024);
}

std::optional<mcp::ServerSettings> read_settings(Context& context) {
  std::string error;
  const std::optional<Config> config = context.config_files().load_config(error);
  if (!config) {
    complain(error);
    return std::nullopt;
  }
  mcp::ServerSettings settings;
  settings.version = WTOOL_VERSION;
  for (const EffectiveKey& key : config->keys) {
    if (key.name == "mcp.output_bytes") settings.output_bytes = key.value.get<std::size_t>();
    if (key.name == "mcp.max_calls") settings.max_calls = key.value.get<int>();
    if (key.name == "mcp.queue_seconds") settings.max_wait = std::chrono::seconds(key.value.get<int>());
    if (key.name == "mcp.message_bytes") settings.message_bytes = key.value.get<std::size_t>();
  }
  return settings;
}

int serve(Context& context, const std::vector<std::string>& tools) {
  keep_memory_small();
  const std::optional<Ends> ends = move_standard_streams();
  if (!ends) {
    complain(std::string("the standard streams cannot be moved: ") + ::strerror(errno));
    return exit_unusable;
  }
  std::optional<mcp::ServerSettings> settings = read_settings(context);
  if (!settings) return exit_unusable;
  Plugin* plugin = context.plugin();
  if (plugin == nullptr) return exit_unusable;
  settings->tools = tools;
  for (const std::string& tool : tools) {
    const auto& known = plugin->tools();
    if (std::any_of(known.begin(), known.end(), [&](const ToolDescription& one) { return one.id == tool; })) continue;
    std::vector<std::string> names;
    for (const ToolDescription& one : known) names.push_back(one.id);
    complain("--tools: there is no tool \"" + escaped(tool) + "\"; there are " + joined(names));
    return exit_unusable;
  }

  const auto wake = [fd = ends->wake] {
    const std::uint64_t one = 1;
    if (::write(fd, &one, sizeof one) < 0) {
    }
  };
  Stop stop;
  const Stop::Subscription listening = stop.subscribe([&](const StopRequest&) { wake(); });
  const Interrupts interrupts(stop);
  mcp::Output output(ends->out, wake);
  mcp::Elicitation elicitation(output);
  plugin->ask_through(&elicitation);
  int status = exit_ok;
  if (Toolbox* toolbox = context.toolbox()) {
    mcp::Server server(*plugin, *toolbox, elicitation, output, *settings);
    mcp::Input input(ends->in, ends->wake, ends->out, settings->message_bytes);
    if (!server.serve(input)) {
      complain("standard input cannot be read");
      status = exit_unusable;
    }
    const auto why = stop.requested();
    server.end(why ? why->reason : "the client has closed the connection");
    output.finish(patience_at_the_end);
  } else {
    status = exit_unusable;
  }
  plugin->ask_through(nullptr);
  return interrupts.signal() != 0 ? interrupts.exit_status() : status;
}

}  // namespace

void add_mcp(CLI::App& app, Context& context) {
  auto tools = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("mcp", "Serve the tools to a client of the Model Context Protocol");
  command->add_option("--tools", *tools, "Only these tools, separated by commas (default: all that the plugin has)")
      ->type_name("NAME,...")
      ->delimiter(',');
  command->footer(
      "Speaks the protocol on standard input and output, a message a line, and nothing else; logs and errors go to\n"
      "standard error. A client's configuration names this program, \"mcp\" as its argument, and what else is wanted.\n"
      "It ends, and every command with it, when its input ends or it is told to. Exit status: 0 after the end of the\n"
      "input, 2 where it cannot serve, 143 after SIGTERM (130 SIGINT, 129 SIGHUP).\n"
      "\n"
      "Examples:\n"
      "  {\"mcpServers\": {\"shell\": {\"command\": \"wtool\", \"args\": [\"mcp\"]}}}\n"
      "  wtool mcp --config strict.yaml --tools shell_execute");
  command->callback([&context, tools] { context.command = [&context, tools] { return serve(context, *tools); }; });
}

}  // namespace wtool::host
