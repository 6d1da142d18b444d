// wtool cache list [--json], wtool cache clear: lists or removes the kept results of steps. A step that is up to date
// is skipped, and its kept result is used.
#include "base/json.h"
#include "cache/store.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/time_text.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/table.h"
#include "report/formats.h"
#include "terminal/text.h"

namespace wtool::host {
namespace {

using nlohmann::ordered_json;

journal::Moment moment_of(std::int64_t seconds) { return journal::Moment(std::chrono::seconds(seconds)); }

std::string size_text(std::uint64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < std::size(units)) {
    amount /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", amount, units[unit]);
  return text;
}

std::string cached_json(const std::vector<cache::ListedEntry>& all) {
  ordered_json rows = ordered_json::array();
  for (const cache::ListedEntry& one : all) {
    ordered_json outputs = ordered_json::array();
    for (const cache::CachedOutput& output : one.entry.outputs) outputs.push_back(output.path);
    rows.push_back({{"key", one.entry.key},
                    {"step", one.entry.step},
                    {"file", one.entry.file},
                    {"run", one.entry.run},
                    {"made", iso_time(moment_of(one.entry.made))},
                    {"used", iso_time(moment_of(one.entry.used))},
                    {"bytes", one.bytes},
                    {"outputs", std::move(outputs)}});
  }
  return dumped(rows, 2) + '\n';
}

std::string cached_table(const std::vector<cache::ListedEntry>& all, bool local) {
  const auto clean = [](const std::string& text, std::size_t columns) {
    return cut_to_width(cleaned_for_terminal(text, false), columns);
  };
  std::size_t width = 4;
  for (const cache::ListedEntry& one : all) width = std::max(width, display_width(clean(one.entry.step, 32)));
  std::string out = padded("KEY", 12) + "  " + padded("STEP", width) + "  " + padded("MADE", 19) + "  " +
                    padded("LAST USED", 19) + "  " + padded("SIZE", 10) + "  FILE\n";
  for (const cache::ListedEntry& one : all) {
    out += one.entry.key.substr(0, 12) + "  " + padded(clean(one.entry.step, 32), width) + "  " +
           padded(report::time_text(moment_of(one.entry.made), local), 19) + "  " +
           padded(report::time_text(moment_of(one.entry.used), local), 19) + "  " + padded(size_text(one.bytes), 10) +
           "  " + clean(one.entry.file, 60) + "\n";
  }
  return out;
}

int list_cached(bool json) {
  const cache::Store store(cache::Store::usual_folder(), cache::usual_max_bytes);
  if (const std::string problem = store.problem(); !problem.empty()) {
    complain(problem);
    return exit_unusable;
  }
  const std::vector<cache::ListedEntry> all = store.list();
  if (json) return print(cached_json(all)) ? exit_ok : exit_unusable;
  if (all.empty()) return print("No results of steps are kept.\n") ? exit_ok : exit_unusable;
  return print(fitted(cached_table(all, output_is_terminal()), output_columns())) ? exit_ok : exit_unusable;
}

int clear_cached() {
  const cache::Store store(cache::Store::usual_folder(), cache::usual_max_bytes);
  std::string problem;
  const std::uint64_t bytes = store.clear(problem);
  if (!problem.empty()) {
    complain("not all kept results of steps can be removed: " + problem);
    return exit_failed;
  }
  return print("Removed " + size_text(bytes) + " from " + store.folder() + "\n") ? exit_ok : exit_unusable;
}

}  // namespace

void add_cache(CLI::App& app, Context& context) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("cache", "List or remove the kept results of steps");
  command->require_subcommand(1);
  CLI::App* list = command->add_subcommand("list", "List the kept results, the most recently used first");
  list->add_flag("--json", *json, "As a JSON array of objects");
  list->callback([&context, json] { context.command = [json] { return list_cached(*json); }; });
  list->footer(
      "Examples:\n"
      "  wtool cache list\n"
      "  wtool cache list --json | jq -r '.[].outputs[]'");
  CLI::App* clear = command->add_subcommand("clear", "Remove all kept results, so every step runs again");
  clear->footer(
      "Example:\n"
      "  wtool cache clear");
  clear->callback([&context] { context.command = [] { return clear_cached(); }; });
  command->footer(
      "A step with `inputs` or `cache` is skipped while it is up to date. Its results are in "
      "$XDG_CACHE_HOME/wtool/steps,\n"
      "else ~/.cache/wtool/steps. At most cache.max_bytes are kept; the results unused for longest are removed first.\n"
      "\n"
      "Examples:\n"
      "  wtool cache list\n"
      "  wtool cache clear");
}

}  // namespace wtool::host
