// wtool call TOOL [JSON | - | @FILE | NAME=VALUE...] [--stdin FILE] [--limits JSON] [--stream | --explain | --raw]:
// makes one call, or shows what it would do. Writes only the result's JSON to standard output or, with --raw, what the
// command has written.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/escape.h"
#include "base/files.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/shell_quote.h"
#include "base/trace_context.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/interrupts.h"
#include "cli/named_arguments.h"
#include "config/files.h"
#include "loader/stdin_parameter.h"
#include "terminal/terminal.h"

namespace wtool::host {

namespace {

constexpr std::size_t arguments_size_limit = 16 << 20;  // bytes, as in tool.h

// "-" is standard input, "@FILE" the file, anything else the text itself. The text is neither changed nor checked: that
// is the plugin's task. Nothing: it cannot be read or is too large, and `error` says why.
std::optional<std::string> read_arguments(const std::string& word, std::string& error) {
  if (word == "-") return read_descriptor(STDIN_FILENO, "standard input", arguments_size_limit, error);
  if (!word.starts_with('@')) return word;
  if (word == "@") {
    error = "\"@\" must be followed by the name of a file, as in @arguments.json";
    return std::nullopt;
  }
  return read_file(word.substr(1), arguments_size_limit, error);
}

struct CallOptions {
  std::string tool;
  std::string arguments = "{}";
  std::vector<std::string> more;  // the words after the first, of the form NAME=VALUE
  std::string standard_input;     // a file, or "-"; empty: none
  std::string limits;             // wtool_request.limits; empty: none
  bool stream = false;
  bool explain = false;
  bool raw = false;
};

// The result indented by two spaces, in the plugin's order of keys, with a newline at the end.
std::string pretty(const nlohmann::ordered_json& result) { return dumped(result, 2) + '\n'; }

int explain(Toolbox& toolbox, const CallOptions& options, const std::string& arguments) {
  Stop stop;
  std::string error;
  const auto explained = toolbox.explain(options.tool, arguments, stop, error, {.limits = options.limits});
  if (!explained) {
    complain(error);
    return exit_unusable;
  }
  if (!print(pretty(parse_ordered_json(explained->json())))) return exit_unusable;
  const std::string verdict = explained->text("verdict");
  if (verdict == "allow") return exit_ok;
  return verdict == "ask" ? exit_ask : exit_deny;
}

// Adds the text that --stdin names to the arguments. False: the reason is on stderr.
bool take_standard_input(const CallOptions& options, std::string& arguments) {
  if (options.standard_input.empty()) return true;
  std::string error;
  const auto text = read_arguments((options.standard_input == "-" ? "" : "@") + options.standard_input, error);
  if (!text) {
    complain(error);
    return false;
  }
  const std::string problem = give_stdin(arguments, *text);
  if (!problem.empty()) complain("--stdin " + options.standard_input + ": " + problem);
  return problem.empty();
}

// Whether the word is probably not meant as JSON, such as `ls`.
bool is_bare_word(const std::string& word) {
  return !word.empty() && word.find_first_of("{[\"-@ \t\r\n") != 0 && !is_named_argument(word);
}

// The schema of the tool's arguments; empty: the plugin has no such tool.
std::string schema_of(const Plugin& plugin, const std::string& tool) {
  for (const ToolDescription& known : plugin.tools()) {
    if (known.id == tool) return known.input_schema;
  }
  return {};
}

// If the tool requires a single parameter, the word was probably meant as its value. The message then suggests
// NAME=WORD, unless the word cannot be shown as it is.
std::string bare_word_error(const std::string& word, const std::string& schema) {
  constexpr std::size_t max_suggested = 200;
  const std::string name = only_required_parameter(schema);
  const bool suggests = !name.empty() && word.size() <= max_suggested && escaped(word) == word;
  return show_json(to_utf8(word)) +
         " names no parameter: the arguments are one JSON object, or words of the form NAME=VALUE" +
         (suggests ? ", such as " + name + '=' + shell_quoted(word) : "");
}

// The arguments of the call, as JSON text. If there is only one word, and it does not have the form NAME=VALUE,
// read_arguments() reads it. Nothing: `error` says why; if `error` is empty, the reason is already on stderr.
std::optional<std::string> arguments_of(Context& context, const CallOptions& options, std::string& error) {
  const bool named = is_named_argument(options.arguments);
  if (!named && !options.more.empty()) {
    error = show_json(to_utf8(options.more.front())) +
            " is one word too many: the arguments are one JSON object, or words of the form NAME=VALUE, such as "
            "command='ls -l'";
    return std::nullopt;
  }
  if (!named && !is_bare_word(options.arguments)) {
    auto text = read_arguments(options.arguments, error);
    if (options.arguments == "-" && text && text->empty()) {
      error = "standard input is empty; the arguments are one JSON object, such as {\"command\": \"ls\"}";
      return std::nullopt;
    }
    return text;
  }
  const Plugin* plugin = context.plugin();
  if (plugin == nullptr) return std::nullopt;
  std::string schema = schema_of(*plugin, options.tool);
  if (schema.empty()) return "{}";  // The tool does not exist; the call reports that.
  if (!named) {
    error = bare_word_error(options.arguments, schema);
    return std::nullopt;
  }
  if (options.tool == stdin_tool) {
    auto with_stdin = parse_ordered_json_or_throw(schema);
    add_stdin(with_stdin);
    schema = with_stdin.dump();
  }
  std::vector<std::string> words{options.arguments};
  words.insert(words.end(), options.more.begin(), options.more.end());
  return object_of_named_arguments(words, schema, error);
}

// Writes the command's outputs to our own, or the text of a tool that runs no command. Returns the exit status: that of
// the command, or 1 with the reason on standard error if the call failed otherwise.
int pass_on(const nlohmann::ordered_json& result, bool is_error) {
  const auto found = result.find("metadata");
  const nlohmann::ordered_json metadata =
      found != result.end() && found->is_object() ? *found : nlohmann::ordered_json::object();
  const auto text = [&](const char* key) {
    const auto member = metadata.find(key);
    return member != metadata.end() && member->is_string() ? member->get<std::string>() : std::string();
  };
  const auto error = metadata.find("error");
  const std::string error_code = error != metadata.end() && error->is_object() ? error->value("code", "") : "";
  const auto code = metadata.find("exit_code");
  const bool ended = code != metadata.end() && code->is_number_integer();
  const bool shown = print(text(ended ? "stdout" : "partial_stdout")) &&
                     write_all(STDERR_FILENO, text(ended ? "stderr" : "partial_stderr")).error == 0;
  for (const char* cut : {"stdout_truncated", "stderr_truncated"}) {
    if (metadata.value(cut, false)) complain("the command wrote more than output.bytes, so its output has a gap");
  }
  if (metadata.value("encoding", "").find("replaced") != std::string::npos) {
    complain("the output is not UTF-8, and bytes of it were replaced; output.spill keeps all bytes in a file");
  }
  if (!shown) return exit_unusable;
  std::string said;
  for (const auto& part : result.value("content", nlohmann::ordered_json::array())) said += part.value("text", "");
  if (ended) {
    // A shell has explained on standard error why it could not run a program, but nobody else has.
    if (is_error && error_code != "exit_nonzero") complain(said);
    return code->get<int>();
  }
  if (!is_error) return print(said) ? exit_ok : exit_unusable;
  complain(said);
  return exit_failed;
}

int call(Context& context, const CallOptions& options) {
  std::string error;
  auto arguments = arguments_of(context, options, error);
  if (!arguments) {
    if (!error.empty()) complain(error);
    return exit_unusable;
  }
  if (!take_standard_input(options, *arguments)) return exit_unusable;
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
  OrderedOutcome outcome;
  int interrupted = 0;
  {
    const Interrupts interrupts(stop);
    outcome = toolbox->call_text(options.tool, *arguments, stop, sink,
                                 {.limits = options.limits, .traceparent = trace_of_process()});
    if (interrupts.signal() != 0) interrupted = interrupts.exit_status();
  }
  if (outcome.kind == ToolOutcome::Kind::not_made) {
    complain(outcome.error);
    return exit_unusable;
  }
  Terminal::of_process().end_line();
  if (options.raw) {
    const int status = pass_on(outcome.result, outcome.is_error);
    return interrupted != 0 ? interrupted : status;
  }
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
                      "The arguments: a JSON object, - for standard input, or @FILE (default: {}, at most 16 MiB);\n"
                      "or words: NAME=VALUE and NAME.KEY=VALUE, with the types of the tool's schema, and NAME:=JSON");
  const CLI::Option* more = command->add_option("MORE", options->more, "Further words NAME=VALUE");
  command
      ->add_option(
          "--stdin", options->standard_input,
          "The command's standard input: a file, or - for the input of wtool (shell_execute; UTF-8, at most 1 MiB)")
      ->type_name("FILE")
      ->check([](const std::string& file) { return std::string(file.empty() ? "must name a file, or be -" : ""); });
  command
      ->add_option("--limits", options->limits,
                   "Limits for the command, stricter than the configured ones: a JSON object with sandbox "
                   "(\"read-only\"), network (\"deny\"), cpu_seconds, memory_bytes, processes, open_files, file_bytes")
      ->type_name("JSON");
  command->add_flag("--stream", options->stream, "Show the command's output on standard error while the command runs");
  command
      ->add_flag("--explain", options->explain,
                 "Show what the call would do and whether it is allowed, without doing it or asking anybody")
      ->excludes("--stream");
  command
      ->add_flag("--raw", options->raw,
                 "Write what the command has written, instead of the result, and exit with its exit status")
      ->excludes("--stream")
      ->excludes("--explain");
  add_on_option(*command, context.options);
  command->footer(
      "The result is printed with an indent of 2. Exit status: 0 if is_error is false, 1 if it is true, 2 if no\n"
      "call was made, 130 after Ctrl-C (once: end gracefully; twice: now). With --explain: 0 if the call is allowed,\n"
      "3 if a person would be asked, 4 if the call is denied, 2 if the tool cannot explain the call.\n"
      "\n"
      "Examples:\n"
      "  wtool call shell_execute command='git status --short' timeout=10\n"
      "  wtool call shell_execute '{\"command\": \"git status --short\", \"timeout\": 10}'\n"
      "  echo '{\"command\": \"make\"}' | wtool call shell_execute - --stream\n"
      "  wtool call shell_execute @build.json\n"
      "  wtool call shell_execute command='git rev-parse HEAD' --raw\n"
      "  git diff | wtool call shell_execute '{\"command\": \"wc -l\"}' --stdin -");
  command->callback([&context, options, command, more] {
    // CLI11 reads [a,b] as two words, and [] as none.
    const std::vector<CLI::Option*>& given = command->parse_order();
    if (static_cast<std::size_t>(std::count(given.begin(), given.end(), more)) != options->more.size()) {
      throw CLI::ValidationError("ARGUMENTS", "a word in brackets does not have the form NAME=VALUE; write NAME:=JSON");
    }
    if (options->arguments == "-" && options->standard_input == "-") {
      throw CLI::ValidationError("--stdin",
                                 "the arguments already come from standard input; name a file for one of the two");
    }
    context.shows_results = true;
    context.command = [&context, options] { return call(context, *options); };
  });
}

}  // namespace wtool::host
