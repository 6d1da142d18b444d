// wtool check PLUGIN.so [--tool ID] [--arguments JSON] [--timeout SECONDS] [--json], or --list: checks a plugin against
// the rules of the C interface.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/json_reader.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/table.h"
#include "cli/whole_number.h"
#include "conformance/check.h"

namespace wtool::host {

namespace {

struct CheckCommand {
  conformance::CheckOptions options;
  int seconds = 10;
  bool list = false;
  bool json = false;
};

int check(CheckCommand command) {
  if (command.list) {
    const std::string list = command.json ? conformance::list_as_json() : conformance::list_as_text();
    return print(command.json ? list : wrapped(list, output_columns(), list.find("DOES"))) ? exit_ok : exit_unusable;
  }
  command.options.limit = std::chrono::seconds(command.seconds);
  const conformance::CheckReport report = conformance::check(command.options);
  if (!report.unusable.empty()) {
    complain(report.plugin + " cannot be checked: " + report.unusable);
    return exit_unusable;
  }
  if (!print(command.json ? as_json(report) : as_text(report))) return exit_unusable;
  if (!report.loaded) return exit_unusable;
  return report.findings.empty() ? exit_ok : exit_failed;
}

}  // namespace

void add_check(CLI::App& app, Context& context) {
  auto command = std::make_shared<CheckCommand>();
  const auto object = [](const std::string& text) {
    return std::string(parse_json(text).is_object() ? "" : "must be a JSON object");
  };
  CLI::App* sub = app.add_subcommand("check", "Check a plugin against the rules of the C interface");
  sub->add_option("PLUGIN", command->options.plugin, "The library");
  sub->add_option("--tool", command->options.tool, "Check only this tool of the plugin")->type_name("ID");
  sub->add_option("--test", command->options.tests, "Only this test, and the tests that it needs; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->check([](const std::string& name) {
        const std::vector<std::string> names = conformance::test_names();
        const bool known = std::find(names.begin(), names.end(), name) != names.end();
        return known ? std::string{} : "there is no test " + name + "; `wtool check --list` lists them";
      });
  sub->add_option("--arguments", command->options.arguments,
                  "The arguments of the calls (default: an example in the tool's input schema, else the smallest "
                  "object that the schema accepts)")
      ->type_name("JSON")
      ->check(object);
  sub->add_option("--configuration", command->options.configuration,
                  "The configuration of the plugin's tools (default: {})")
      ->type_name("JSON")
      ->check(object);
  sub->add_option("--timeout", command->seconds, "How long each test may take (default: 10)")
      ->type_name("SECONDS")
      ->transform(whole_number(1, 3600));
  sub->add_flag("--list", command->list, "List the tests and the rules, and check nothing");
  sub->add_flag("--json", command->json, "Print JSON: the findings and all tests, or what --list lists");
  sub->footer(
      "Each test runs in a process of its own, so a crash or a hang of the plugin becomes a finding. The calls are\n"
      "real: the tool is called more than a hundred times. Give it arguments that do no harm.\n"
      "Exit status: 0 without a finding, 1 with one, 2 for wrong usage or a file that cannot be loaded.\n"
      "\n"
      "Examples:\n"
      "  wtool check ./hello_tools.so\n"
      "  wtool check ./hello_tools.so --tool hello --arguments '{\"name\": \"you\"}' --json\n"
      "  wtool check --list");
  sub->callback([&context, command] {
    if (command->options.plugin.empty() && !command->list) throw CLI::RequiredError("PLUGIN");
    context.command = [command] { return check(*command); };
  });
}

}  // namespace wtool::host
