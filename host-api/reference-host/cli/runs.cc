// wtool runs [--limit N] [--json]: lists the runs that were started in this directory, the newest first.
// wtool runs clear --keep N: removes what the older ones left.
#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/context.h"
#include "cli/table.h"
#include "cli/whole_number.h"
#include "journal/journal_reader.h"
#include "journal/runs_folder.h"
#include "report/formats.h"
#include "report/times.h"
#include "terminal/text.h"

namespace wtool::host {

namespace {

struct RunsOptions {
  std::size_t limit = 20;
  bool json = false;
};

struct Row {
  journal::RunRecord run;
  std::string status;
};

std::string as_json(const std::vector<Row>& rows) {
  std::string out = "[";
  for (const Row& row : rows) out += (out.size() > 1 ? ",\n" : "\n") + report::run_json(row.run, row.status, false);
  return out + (rows.empty() ? "]\n" : "\n]\n");
}

constexpr std::size_t run_width = 20;
constexpr std::size_t start_width = 19;

// `columns`: the width of the terminal; 0: it does not matter. If the status would not fit, the time of the start is
// left out: the id has it, too.
//
// The column's title names the time zone of the newest run. A run before a change to or from summer time is shown in
// the zone of its own time.
std::string as_table(const std::vector<Row>& rows, bool local, std::size_t columns) {
  const std::string started = "STARTED (" + report::zone_text(rows.front().run.began, local) + ')';
  const auto clean = [](const std::string& text, std::size_t most) {
    return cut_to_width(cleaned_for_terminal(text, false), most);
  };
  std::vector<std::string> statuses;
  std::size_t status_width = 11;
  std::size_t name_width = 4;
  std::vector<std::string> times;
  std::size_t time_width = 12;
  for (const auto& [run, status] : rows) {
    times.push_back(report::time_of_run(run, status == "running"));
    time_width = std::max(time_width, display_width(times.back()));
    statuses.push_back(clean(status + report::part_text(run), 40));
    status_width = std::max(status_width, display_width(statuses.back()));
    name_width = std::max(name_width, display_width(clean(run.name, 32)));
  }
  const bool has_time = columns == 0 || run_width + 2 + start_width + 2 + status_width <= columns;
  const auto line = [&](const std::string& id, const std::string& start, const std::string& status,
                        const std::string& took, const std::string& name, const std::string& file) {
    return padded(id, run_width) + "  " + (has_time ? padded(start, start_width) + "  " : "") +
           padded(status, status_width) + "  " + padded(took, time_width) + "  " + padded(name, name_width) + "  " +
           file + "\n";
  };
  std::string out = line("RUN", started, "STATUS", "TIME", "NAME", "FILE");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const journal::RunRecord& run = rows[i].run;
    out += line(clean(run.run, run_width), report::time_text(run.began, local), statuses[i], times[i],
                clean(run.name, 32), clean(run.file, 60));
  }
  return out;
}

int runs(const RunsOptions& options) {
  std::string error;
  std::vector<std::string> ids = journal::list_runs(".", error);
  if (!error.empty()) {
    complain(error);
    return exit_unusable;
  }
  const std::size_t all = ids.size();
  if (ids.size() > options.limit) ids.resize(options.limit);
  std::vector<Row> rows;
  for (const std::string& id : ids) {
    const std::string file = journal::journal_file(".", id);
    const auto runs_at = journal::running_now(file);
    auto run = journal::read_journal_ends(file, error, runs_at);
    if (run) {
      run->run = id;  // Commands find the run by this id, whatever the journal says.
      rows.push_back({std::move(*run), ""});
      rows.back().status = report::status_text(rows.back().run, runs_at.has_value());
    } else if (!runs_at) {
      complain(error);
    }
  }
  if (rows.empty() && !ids.empty()) return exit_unusable;  // none of them could be read
  if (options.json) return print(as_json(rows)) ? exit_ok : exit_unusable;
  if (rows.empty()) {
    const std::string above = journal::runs_above(".");
    return print("No run of a workflow is recorded in this directory" +
                 (above.empty() ? "" : "; there are runs in " + cleaned_for_terminal(above, false)) + ".\n")
               ? exit_ok
               : exit_unusable;
  }
  const std::size_t columns = output_columns();
  if (!print(fitted(as_table(rows, output_is_terminal(), columns), columns))) return exit_unusable;
  if (all > ids.size()) complain("there are " + std::to_string(all) + " runs; --limit N shows more");
  return exit_ok;
}

// Removes all but the newest `keep` runs.
int clear_runs(std::size_t keep) {
  std::string error;
  const std::vector<std::string> ids = journal::list_runs(".", error);
  if (!error.empty()) {
    complain(error);
    return exit_unusable;
  }
  std::size_t removed = 0;
  bool failed = false;
  for (std::size_t i = keep; i < ids.size(); ++i) {
    const journal::Removal removal = journal::remove_run(".", ids[i]);
    removed += removal.why.empty() ? 1 : 0;
    failed = failed || removal.failed;
    if (!removal.why.empty()) complain("the run " + cleaned_for_terminal(ids[i], false) + " stays: " + removal.why);
  }
  if (!print("Removed " + counted(removed, "run") + " of " + std::to_string(ids.size()) + "\n")) return exit_unusable;
  return failed ? exit_failed : exit_ok;
}

}  // namespace

void add_runs(CLI::App& app, Context& context) {
  auto options = std::make_shared<RunsOptions>();
  CLI::App* command = app.add_subcommand("runs", "List the runs of workflows in this directory, the newest first");
  CLI::Option* limit = command->add_option("--limit", options->limit, "At most N; default: 20")
                           ->type_name("N")
                           ->transform(whole_number(1, 1000000));
  CLI::Option* json = command->add_flag("--json", options->json, "As a JSON array of objects");
  command->footer(
      "Examples:\n"
      "  wtool runs\n"
      "  wtool runs --json --limit 1 | jq -r '.[0].status'\n"
      "  wtool runs clear --keep 20");
  auto keep = std::make_shared<std::size_t>(0);
  CLI::App* clear = command->add_subcommand("clear", "Remove the journals, outputs and logs of older runs");
  clear->add_option("--keep", *keep, "How many of the newest runs stay; runs that are running or suspended always stay")
      ->type_name("N")
      ->transform(whole_number(0, 1000000))
      ->required();
  clear->excludes(limit)->excludes(json);
  clear->footer(
      "A run that was removed can no longer be shown or resumed.\n"
      "\n"
      "Example:\n"
      "  wtool runs clear --keep 20");
  clear->callback([&context, keep] { context.command = [keep] { return clear_runs(*keep); }; });
  command->callback([&context, command, options] {
    if (command->get_subcommands().empty()) context.command = [options] { return runs(*options); };
  });
}

}  // namespace wtool::host
