// wtool servers [list] [--json]: lists the tools that the servers of mcp_servers offer to workflows. wtool servers lock
// [NAME...]: starts these servers, and pins their names, versions and tools.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/edit_distance.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/configured.h"
#include "cli/context.h"
#include "cli/interrupts.h"
#include "cli/table.h"
#include "servers/catalog.h"
#include "servers/server_tools.h"
#include "terminal/text.h"

namespace wtool::host {
namespace {

using nlohmann::ordered_json;
using servers::Catalog;
using servers::Offer;

std::string clean(const std::string& text, std::size_t columns) {
  return cut_to_width(cleaned_for_terminal(text.substr(0, text.find('\n')), false), columns);
}

std::string as_json(const Catalog& catalog) {
  ordered_json all = ordered_json::array();
  for (const auto& [name, settings] : catalog.servers()) {
    const Offer* offer = catalog.pinned(name);
    ordered_json one = {{"server", name}, {"command", settings.command}, {"pinned", offer != nullptr}};
    ordered_json tools = ordered_json::array();
    if (offer != nullptr) {
      one.update({{"name", offer->name}, {"version", offer->version}, {"protocol", offer->protocol}});
      for (const auto& [tool, about] : offer->tools) {
        std::string id = name;
        id.append("/").append(tool);
        tools.push_back({{"id", id},
                         {"allowed", catalog.find(id)->allowed},
                         {"description", about.description},
                         {"input_schema", about.input_schema}});
      }
    }
    one["tools"] = std::move(tools);
    all.push_back(std::move(one));
  }
  return dumped(all, 2) + '\n';
}

constexpr const char* no_servers = "The configuration has no servers (mcp_servers).\n";

std::string as_table(const Catalog& catalog) {
  std::size_t width = 4;
  const auto ids = catalog.ids();
  for (const std::string& id : ids) width = std::max(width, display_width(clean(id, 48)));
  std::string out = padded("TOOL", width) + "  DESCRIPTION\n";
  for (const std::string& id : ids) {
    const auto found = catalog.find(id);
    out += padded(clean(id, 48), width) + "  " + clean(found->offered->description, 120) + '\n';
  }
  for (const auto& [name, settings] : catalog.servers()) {
    if (catalog.pinned(name) == nullptr) out += "the server " + name + " is not pinned; `wtool servers lock` pins it\n";
  }
  return out;
}

int list_tools(Context& context, bool json) {
  const auto config = loaded_config(context);
  if (!config) return exit_unusable;
  const Catalog catalog = configured_servers(*config, ".");
  if (!catalog.lock_problem().empty()) {
    complain(catalog.lock_problem());
    return exit_unusable;
  }
  if (json) return print(as_json(catalog)) ? exit_ok : exit_unusable;
  if (catalog.servers().empty()) {
    return print(no_servers) ? exit_ok : exit_unusable;
  }
  return print(fitted(as_table(catalog), output_columns())) ? exit_ok : exit_unusable;
}

// What has changed since `before`, one line for each tool.
std::string differences(const Offer* before, const Offer& now) {
  std::string out;
  const auto add = [&](const char* sign, const std::string& tool) {
    out += std::string("  ") + sign + clean(tool, 100) + '\n';
  };
  for (const auto& [name, tool] : now.tools) {
    if (before == nullptr) {
      add("+ ", name);
      continue;
    }
    const auto earlier = before->tools.find(name);
    if (earlier == before->tools.end()) add("+ ", name);
    if (earlier != before->tools.end() && !(earlier->second == tool)) add("~ ", name);
  }
  if (before == nullptr) return out;
  for (const auto& [name, tool] : before->tools) {
    if (!now.tools.contains(name)) add("- ", name);
  }
  return out;
}

// Returns why the lock file cannot be written; empty: it was written.
std::string write_lock(const std::string& text) {
  std::string why;
  bool made = false;
  const std::string file = servers::lock_file;
  const Descriptor folder = make_folder_without_links(".", file.substr(0, file.find('/')), 0755, made, why);
  if (!folder) return why;
  const std::string name = file.substr(file.find('/') + 1);
  const std::string fresh = name + ".new";
  ::unlinkat(folder.get(), fresh.c_str(), 0);
  Descriptor out(::openat(folder.get(), fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!out) return ::strerror(errno);
  int failed = write_all(out.get(), text).error;
  if (failed == 0 && ::fsync(out.get()) != 0) failed = errno;
  if (failed == 0 && ::renameat(folder.get(), fresh.c_str(), folder.get(), name.c_str()) != 0) failed = errno;
  if (failed == 0) return {};
  ::unlinkat(folder.get(), fresh.c_str(), 0);
  return ::strerror(failed);
}

// What the server offers now. Nothing: it did not answer, or a signal came; standard error says so.
std::optional<Offer> ask_server(Toolbox& toolbox, const std::string& name, const servers::Settings& settings,
                                Stop& stop, const Interrupts& interrupts) {
  // A server may take as long as a call may take, so the one that is silent is named.
  complain("asking the server " + name + " for its tools");
  std::string problem;
  std::string said;
  auto offer = servers::offer_of(
      toolbox, name, settings, stop,
      [&](OutputStream, std::string_view bytes) {
        constexpr std::size_t kept = 4096;
        said += bytes;
        if (said.size() > kept) said.erase(0, said.size() - kept);
      },
      problem);
  if (interrupts.signal() != 0) {
    complain("interrupted before the server " + name + " answered");
    return std::nullopt;
  }
  if (!offer) complain("the server " + name + ": " + problem + (said.empty() ? "" : "; it said:\n" + said));
  return offer;
}

// False: standard output cannot be written.
bool show_offer(const std::string& name, const Offer* before, const Offer& offer) {
  const std::string changes = differences(before, offer);
  const bool same = before != nullptr && before->name == offer.name && before->version == offer.version &&
                    before->protocol == offer.protocol && changes.empty();
  return print(name + ": " + clean(offer.name + " " + offer.version, 80) + ", " + offer.protocol + ", " +
               counted(offer.tools.size(), "tool") + (same ? ", as before" : "") + '\n' + changes);
}

int pin(Context& context, const std::vector<std::string>& names) {
  const auto config = loaded_config(context);
  if (!config) return exit_unusable;
  const Catalog catalog = configured_servers(*config, ".");
  // The lock file is always written as a whole. If it cannot be read now, pinning only some servers would drop the
  // others.
  if (!names.empty() && !catalog.lock_problem().empty()) {
    complain(catalog.lock_problem() + " if no server is named");
    return exit_unusable;
  }
  std::vector<std::string> known;
  for (const auto& [name, settings] : catalog.servers()) known.push_back(name);
  for (const std::string& name : names) {
    if (catalog.servers().contains(name)) continue;
    complain("the configuration has no server " + name + did_you_mean(name, known));
    return exit_unusable;
  }
  if (known.empty() && !print(no_servers)) return exit_unusable;
  Toolbox* toolbox = context.workflow_toolbox();
  if (toolbox == nullptr) return exit_unusable;
  Stop stop;
  const Interrupts interrupts(stop);
  std::map<std::string, Offer, std::less<>> all;
  bool good = true;
  for (const auto& [name, settings] : catalog.servers()) {
    const Offer* before = catalog.pinned(name);
    const bool is_meant = names.empty() || std::find(names.begin(), names.end(), name) != names.end();
    const bool is_asked = is_meant && interrupts.signal() == 0;
    std::optional<Offer> offer = is_asked ? ask_server(*toolbox, name, settings, stop, interrupts) : std::nullopt;
    if (offer) {
      if (!show_offer(name, before, *offer)) return exit_unusable;
      all.insert_or_assign(name, *std::move(offer));
    } else {
      good = good && !is_asked;
      if (before != nullptr) all.emplace(name, *before);
    }
  }
  if (!good && !catalog.lock_problem().empty()) {
    complain(catalog.lock_problem() + " when every server answers; nothing was saved");
    return interrupts.signal() != 0 ? interrupts.exit_status() : exit_failed;
  }
  if (const std::string why = write_lock(servers::lock_text(all)); !why.empty()) {
    complain(std::string("cannot write ") + servers::lock_file + ": " + why);
    return exit_unusable;
  }
  if (interrupts.signal() != 0) {
    complain(std::string("the answers of the other servers are saved in ") + servers::lock_file);
    return interrupts.exit_status();
  }
  return good ? exit_ok : exit_failed;
}

}  // namespace

void add_servers(CLI::App& app, Context& context) {
  auto json = std::make_shared<bool>(false);
  auto names = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("servers", "List or pin the tools of other servers (mcp_servers)");
  command->require_subcommand(1);
  // The footer is set before the subcommands are added, because they inherit it: without it, they would show the footer
  // of `wtool`.
  command->footer(
      "A step calls a tool with `Call tool \"SERVER/TOOL\" with {...}`. The pins are in .wtool/mcp-servers.json:\n"
      "`wtool lint` checks the calls against them, and a server whose name or version has changed is not called.\n"
      "\n"
      "Examples:\n"
      "  wtool servers lock\n"
      "  wtool servers list");
  CLI::App* listing = command->add_subcommand("list", "List the tools that workflows can call");
  listing->add_flag("--json", *json, "As a JSON array of objects");
  listing->callback([&context, json] { context.command = [&context, json] { return list_tools(context, *json); }; });
  CLI::App* locking = command->add_subcommand("lock", "Start the servers, and pin their names, versions and tools");
  locking->add_option("NAME", *names, "Only these servers (default: all)");
  locking->callback([&context, names] { context.command = [&context, names] { return pin(context, *names); }; });
}

}  // namespace wtool::host
