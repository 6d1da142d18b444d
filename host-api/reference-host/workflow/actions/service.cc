// Service "command" ready="command": a command that runs beside the states that follow. It is ended when the composite
// state around the service ends, or at the end of the run.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/edit_distance.h"
#include "expressions/lexer.h"
#include "workflow/actions/action_type.h"
#include "workflow/actions/shell_parts.h"
#include "workflow/check/checks.h"
#include "workflow/parse/action_options.h"

namespace wtool::host::workflow {
namespace {

bool read_ready(ActionReading& in, ServiceAction& made) {
  const std::size_t at = in.cursor.here();
  auto text = in.cursor.take_quoted("the command that shows whether the service is ready");
  if (!text) return false;
  if (text->text().find_first_not_of(" \t\n") == std::string::npos) {
    in.diagnostics.add(at, "the command of `ready` is empty");
    return false;
  }
  made.ready = ShellAction();
  made.ready->command.written = std::move(*text);
  parse_command(made.ready->command, in.diagnostics);
  return true;
}

bool read_ready_timeout(ActionReading& in, ServiceAction& made) {
  const std::size_t at = in.cursor.here();
  if (auto placeholder = in.cursor.take_placeholder()) {
    made.ready_timeout = template_text(std::move(*placeholder), in.diagnostics);
    return true;
  }
  std::string written;
  if (in.cursor.sees_text()) {
    auto text = in.cursor.take_text("a duration");
    if (!text) return false;
    if (text->text().find('{') != std::string::npos) {
      made.ready_timeout = template_text(std::move(*text), in.diagnostics);
      return true;
    }
    written = text->text();
  } else {
    written = in.cursor.take_duration();
  }
  std::string why;
  if (timeout_value(written, why)) {
    made.ready_timeout = template_text(written, at, in.diagnostics);
    return true;
  }
  in.diagnostics.add(at, why);
  return false;
}

bool read_restart(ActionReading& in, ServiceAction& made) {
  const std::size_t at = in.cursor.here();
  if (read_retries(in.cursor.take_bare_word(), made.restart)) return true;
  in.diagnostics.add(at,
                     "restart must be how many times a service is started again after it has ended by itself, 0 to " +
                         std::to_string(max_retries) + ", such as restart=3");
  return false;
}

bool read_free_port(ActionReading& in, ServiceAction& made) {
  const std::size_t at = in.cursor.here();
  std::string name;
  if (in.cursor.sees_text()) {
    const auto text = in.cursor.take_text("the name of the variable");
    if (!text) return false;
    name = text->text();
  } else {
    name = in.cursor.take_to_blank();
  }
  made.free_port = {name, at};
  if (!name.empty() && expressions::is_name_start(name[0]) &&
      std::all_of(name.begin(), name.end(), expressions::is_name_character)) {
    return true;
  }
  in.diagnostics.add(at, "free_port must name the variable that gets the port's number, such as free_port=port; " +
                             expressions::quoted_for_message(name) + " cannot name a variable");
  return false;
}

// The options that only a service has.
struct OwnOption {
  std::string_view name;
  std::string_view value;  // an example of its value, for messages
  bool (*read)(ActionReading& in, ServiceAction& made);
};
constexpr OwnOption own_options[] = {
    {"ready", "\"command\"", read_ready},
    {"ready_timeout", "20s", read_ready_timeout},
    {"restart", "N", read_restart},
    {"free_port", "name", read_free_port},
};

bool read_own_option(ActionReading& in, const OwnOption& option, ServiceAction& made) {
  in.cursor.take_bare_word();
  if (in.cursor.take_symbol('=')) return option.read(in, made);
  in.cursor.fail("a '=' is expected after the name of the option " + std::string(option.name));
  return false;
}

bool read_service_option(ActionReading& in, OptionReader& options, ServiceAction& made) {
  const auto outcome = options.take(in.options);
  if (outcome != OptionReader::Result::none) return outcome == OptionReader::Result::taken;
  const std::string name = options.peek_name();
  if (const std::string of_shell = shell_option_of(name); !of_shell.empty()) {
    options.note(of_shell, in.cursor.here());
    return read_shell_option(in, of_shell, made.run);
  }
  for (const OwnOption& option : own_options) {
    if (option.name != name) continue;
    options.note(name, in.cursor.here());
    return read_own_option(in, option, made);
  }
  if (in.cursor.explain_quotes()) return false;
  if (name == "timeout") {
    in.cursor.fail(
        "a service has no timeout, because it runs until it is ended; ready_timeout=20s limits the time until it is "
        "ready");
    return false;
  }
  std::vector<std::string> known = options.names();
  std::string of_service;
  for (const OwnOption& option : own_options) {
    known.emplace_back(option.name);
    of_service.append(option.name).append("=").append(option.value).append(", ");
  }
  for (const std::string_view option : shell_option_names) {
    known.emplace_back(option);
    of_service.append(option).append(", ");
  }
  const std::string meant = option_meant(name, known);
  in.cursor.fail("this is not an option: " + in.cursor.rest_for_message() +
                 (meant.empty() ? "; the options of a service are " + of_service +
                                      "retry, backoff, total_timeout, on failure, result, secret"
                                : meant));
  return false;
}

ActionKind read_service(ActionReading& in) {
  ServiceAction made;
  if (!read_shell_command(in, made.run)) return made;
  OptionReader options(in.cursor, in.diagnostics, false);
  in.cursor.take_word("with");
  while (!in.cursor.at_end()) {
    if (!read_service_option(in, options, made)) return made;
  }
  if (!made.ready) return made;
  made.ready->shell = made.run.shell;
  made.ready->working_directory = made.run.working_directory;
  made.ready->environment = made.run.environment;
  made.ready->environment_files = made.run.environment_files;
  return made;
}

void check_service(const ServiceAction& service, const Action& action, ActionCheck& check) {
  check_shell(service.run, action, check);
  if (service.ready) check_shell_command(*service.ready, check);  // its other members are copies of those of `run`
  if (!service.free_port.name.empty())
    check_own_name(service.free_port.name, service.free_port.offset, check.diagnostics);
  std::string why;
  if (service.ready_timeout && is_literal(*service.ready_timeout) &&
      !timeout_value(service.ready_timeout->written.text(), why)) {
    check.diagnostics.add(service.ready_timeout->written.locate(0), why);
  }
  const ActionOptions& options = action.options;
  if (options.matrix) {
    check.diagnostics.add(options.matrix_offset, "a service cannot have a matrix; write a state for each service");
  }
  // The step is over once the service is ready: a lock would be released then, while the service still runs.
  if (options.lock) {
    check.diagnostics.add(options.lock->written.locate(0),
                          "a service cannot have a lock; use `concurrency` in the front matter of its workflow");
  }
  if (options.output) check.diagnostics.add(options.output_offset, "a service has no answer that `output` could check");
  for (const NamedPlace* place : {&options.place.on, &options.place.slot}) {
    if (place->name.empty() || place->name == "local") continue;
    check.diagnostics.add(place->offset,
                          "a service runs on the machine of wtool, because the steps that use it must reach it; start "
                          "a service on the cluster with a Shell command");
  }
}

}  // namespace

ActionType ServiceAction::type() {
  ActionType type;
  type.name = "service";
  type.words = {"service"};
  type.forms = {"Service \"command\""};
  type.read = read_service;
  type.texts = texts_of<ServiceAction>([](const ServiceAction& service, TextVisitor& visit) {
    visit.command(service.run.command);
    if (service.ready) visit.command(service.ready->command);
    visit.text(service.ready_timeout);
    visit.text(service.run.working_directory);
    for (const auto& [name, text] : service.run.environment) visit.text(text);
  });
  type.check = check_of<ServiceAction, check_service>;
  type.describe = describe_of<ServiceAction>([](const ServiceAction& service, const Describer&) -> std::string {
    return service.ready ? "starts a service, and waits until it is ready" : "starts a service";
  });
  return type;
}

}  // namespace wtool::host::workflow
