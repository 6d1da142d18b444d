// wtool tools [--json]: lists the tools that the plugin offers. Only reads the descriptors; the plugin is not
// initialised.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "base/escape.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/table.h"

namespace wtool::host {

namespace {

using nlohmann::ordered_json;

std::string as_json(const std::vector<ToolDescription>& tools) {
  ordered_json list = ordered_json::array();
  for (const ToolDescription& tool : tools) {
    const auto hint = [&](std::uint32_t bit) { return (tool.hints & bit) != 0; };
    list.push_back({
        {"id", tool.id},
        {"title", tool.title},
        {"version", tool.version},
        {"description", tool.description},
        {"hints",
         {{"read_only", hint(WTOOL_HINT_READ_ONLY)},
          {"destructive", hint(WTOOL_HINT_DESTRUCTIVE)},
          {"idempotent", hint(WTOOL_HINT_IDEMPOTENT)},
          {"open_world", hint(WTOOL_HINT_OPEN_WORLD)}}},
        {"input_schema", parse_ordered_json_or_throw(tool.input_schema)},
        {"output_schema",
         tool.output_schema.empty() ? ordered_json() : parse_ordered_json_or_throw(tool.output_schema)},
    });
  }
  return list.dump(2) + '\n';
}

std::string first_line(const std::string& text) { return escaped(text.substr(0, text.find('\n'))); }

// The first sentence of the first line: more would only wrap, and --json has all of it.
std::string first_sentence(const std::string& text) {
  const std::string line = first_line(text);
  return line.substr(0, std::min(line.find(". "), line.size() - 1) + 1);
}

std::string as_table(const std::vector<ToolDescription>& tools) {
  constexpr std::size_t gap = 2;
  std::size_t id_width = 4;
  std::size_t title_width = 5;
  for (const ToolDescription& tool : tools) {
    id_width = std::max(id_width, tool.id.size());
    title_width = std::max(title_width, character_count(first_line(tool.title)));
  }
  std::string table;
  const auto row = [&](const std::string& id, const std::string& title, const std::string& description) {
    table += id + std::string(id_width - id.size() + gap, ' ') + title +
             std::string(title_width - character_count(title) + gap, ' ') + description + '\n';
  };
  row("TOOL", "TITLE", "DESCRIPTION");
  for (const ToolDescription& tool : tools) row(tool.id, first_line(tool.title), first_sentence(tool.description));
  return table;
}

int tools(Context& context, bool json) {
  // To list the tools, no configuration is needed. But one that was named (--config) must be valid.
  if (!context.options.config.empty() && context.toolbox() == nullptr) return exit_unusable;
  const Plugin* plugin = context.plugin();
  if (plugin == nullptr) return exit_unusable;
  return print(json ? as_json(plugin->tools()) : fitted(as_table(plugin->tools()), output_columns())) ? exit_ok
                                                                                                      : exit_unusable;
}

}  // namespace

void add_tools(CLI::App& app, Context& context) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("tools", "List the tools that the plugin offers");
  command->add_flag("--json", *json, "Everything, schemas included, as a JSON array");
  command->footer(
      "Examples:\n"
      "  wtool tools\n"
      "  wtool tools --json | jq '.[0].input_schema'");
  command->callback([&context, json] { context.command = [&context, json] { return tools(context, *json); }; });
}

}  // namespace wtool::host
