// wtool call TOOL [JSON | - | @FILE] [--stream | --explain]: one call, or what it would do. Writes only the result's
// JSON to standard output.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/interrupts.h"
#include "cli/output.h"
#include "terminal/terminal.h"
#include "tracing/escape.h"

namespace wtool::host {

namespace {

struct CallOptions {
  std::string tool;
  std::string arguments = "{}";
  bool stream = false;
  bool explain = false;
};

// Two spaces and a newline at the end, in the plugin's order of keys, wherever it goes: a file reads like the terminal.
std::string pretty(const nlohmann::ordered_json& result) {
  return result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

int explain(Toolbox& toolbox, const CallOptions& options, const std::string& arguments) {
  Stop stop;
  std::string error;
  const nlohmann::ordered_json explained = toolbox.explain(options.tool, arguments, stop, error);
  if (explained.is_null()) {
    complain(error);
    return exit_unusable;
  }
  if (!print(pretty(explained))) return exit_unusable;
  const std::string verdict = explained.at("verdict");
  if (verdict == "allow") return exit_ok;
  return verdict == "ask" ? exit_ask : exit_deny;
}

int call(Context& context, const CallOptions& options) {
  std::string error;
  const auto arguments = read_arguments(options.arguments, error);
  if (!arguments) {
    complain(error);
    return exit_unusable;
  }
  Toolbox* toolbox = context.toolbox();
  if (toolbox == nullptr) return exit_unusable;

  if (options.explain) return explain(*toolbox, options, *arguments);

  int stream_failed = 0;
  ToolCaller::OutputSink sink;
  if (options.stream) {
    sink = [&stream_failed](OutputStream, std::string_view bytes) {
      if (stream_failed == 0) stream_failed = Terminal::of_process().pass(bytes);
    };
  }
  Stop stop;
  TextOutcome outcome;
  int interrupted = 0;
  {
    const Interrupts interrupts(stop);
    outcome = toolbox->call_text(options.tool, *arguments, stop, sink);
    if (interrupts.signal() != 0) interrupted = interrupts.exit_status();
  }
  if (outcome.kind == ToolOutcome::Kind::not_made) {
    complain(outcome.error);
    return exit_unusable;
  }
  Terminal::of_process().end_line();
  if (!print(pretty(outcome.result))) return exit_unusable;
  if (interrupted != 0) return interrupted;
  if (stream_failed != 0) {
    complain(std::string("the live output could not be written: ") + ::strerror(stream_failed));
    return exit_unusable;
  }
  return outcome.is_error ? exit_failed : exit_ok;
}

}  // namespace

void add_call(CLI::App& app, Context& context) {
  auto options = std::make_shared<CallOptions>();
  CLI::App* command = app.add_subcommand("call", "Call a tool and print its result as JSON");
  command->add_option("TOOL", options->tool, "The tool's name; `wtool tools` lists them")->required();
  command->add_option("ARGUMENTS", options->arguments,
                      "The arguments: a JSON object, - for standard input, or @FILE (default: {}, at most 16 MiB)");
  command->add_flag("--stream", options->stream, "Show the command's output on standard error as it comes");
  command
      ->add_flag("--explain", options->explain,
                 "Tell what the call would do and whether it may, without doing it or asking anybody")
      ->excludes("--stream");
  add_on_option(*command, context.options);
  command->footer(
      "The result is printed with an indent of 2. Exit status: 0 where is_error is false, 1 where it is true, 2 when\n"
      "there was no call, 130 after Ctrl-C (once: end gracefully; twice: now). With --explain: 0 it is allowed, 3 a\n"
      "person would be asked, 4 it is denied, 2 the tool cannot tell.\n"
      "\n"
      "Examples:\n"
      "  wtool call shell_execute '{\"command\": \"git status --short\", \"timeout\": 10}'\n"
      "  echo '{\"command\": \"make\"}' | wtool call shell_execute - --stream\n"
      "  wtool call shell_execute @build.json");
  command->callback([&context, options] {
    context.shows_results = true;
    context.command = [&context, options] { return call(context, *options); };
  });
}

}  // namespace wtool::host
