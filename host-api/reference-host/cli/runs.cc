// wtool runs [--workflow NAME] [--status STATUS] [--limit N] [--json]: lists the runs that were started in this
// directory, the newest first.
// wtool runs clear --keep N: removes what the older ones left.
#include "cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/edit_distance.h"
#include "base/text.h"
#include "cli/context.h"
#include "cli/load_run.h"
#include "cli/table.h"
#include "cli/whole_number.h"
#include "cli/workflow_list.h"
#include "journal/journal_reader.h"
#include "journal/runs_folder.h"
#include "report/formats.h"
#include "report/times.h"
#include "terminal/text.h"

namespace wtool::host {

namespace {

struct RunsOptions {
  std::string workflow;  // only its runs; empty: those of all workflows
  std::string status;    // only runs with this status; empty: with any
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
    times.push_back(report::time_of_run(run, status == report::running_word));
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

// Says that no run was found. `names`: of the workflows whose runs were looked at.
bool print_none(const RunsOptions& options, const std::set<std::string>& names) {
  if (options.workflow.empty() && options.status.empty()) {
    const std::string above = journal::runs_above(".");
    return print("No run of a workflow is recorded in this directory" +
                 (above.empty() ? "" : "; there are runs in " + cleaned_for_terminal(above, false)) + ".\n");
  }
  std::string text = "No run";
  if (!options.workflow.empty()) text += " of \"" + options.workflow + '"';
  if (!options.status.empty()) text += " with the status " + options.status;
  text += " is recorded in this directory";
  const std::vector<std::string> known(names.begin(), names.end());
  if (!options.workflow.empty() && !known.empty()) {
    text += question_then(did_you_mean(options.workflow, known), "there are runs of " + joined(known));
  }
  return print(cleaned_for_terminal(text, false) + ".\n");
}

int runs(const RunsOptions& options) {
  std::string error;
  const std::vector<std::string> ids = journal::list_runs(".", error);
  if (!error.empty()) {
    complain(error);
    return exit_unusable;
  }
  std::string not_there;  // such a name may still be that of a file that has been deleted since
  const std::string workflow = options.workflow.empty() ? "" : workflow_file(options.workflow, ".", not_there);
  const bool wants_all = options.workflow.empty() && options.status.empty();
  std::vector<Row> rows;
  std::set<std::string> names;
  bool has_read = false, has_more = false;
  for (const std::string& id : ids) {
    has_more = wants_all && rows.size() == options.limit;
    if (has_more) break;
    const std::string file = journal::journal_file(".", id);
    const auto runs_at = journal::running_now(file);
    auto run = journal::read_journal_ends(file, error, runs_at);
    if (!run) {
      if (!runs_at) complain(error);
      continue;
    }
    has_read = true;
    names.insert(run->name);
    const std::string status = report::status_text(*run, runs_at.has_value());
    if (!options.workflow.empty() && !is_run_of(*run, options.workflow, workflow)) continue;
    if (!options.status.empty() && status != options.status) continue;
    has_more = rows.size() == options.limit;
    if (has_more) break;
    run->run = id;  // Commands find the run by this id, whatever the journal says.
    rows.push_back({std::move(*run), status});
  }
  if (!has_read && !ids.empty()) return exit_unusable;
  if (options.json) return print(as_json(rows)) ? exit_ok : exit_unusable;
  if (rows.empty()) return print_none(options, names) ? exit_ok : exit_unusable;
  const std::size_t columns = output_columns();
  if (!print(fitted(as_table(rows, output_is_terminal(), columns), columns))) return exit_unusable;
  if (has_more) {
    complain((wants_all ? "there are " + std::to_string(ids.size()) + " runs" : "there are more such runs") +
             "; --limit N shows more");
  }
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
  CLI::Option* workflow =
      command
          ->add_option("--workflow", options->workflow,
                       "Only runs of this workflow: its name or its file, as this command or `wtool list` shows it")
          ->type_name("WORKFLOW");
  CLI::Option* status = command->add_option("--status", options->status, "Only runs with this status")
                            ->type_name("STATUS")
                            ->check(CLI::IsMember(report::run_statuses()));
  CLI::Option* limit = command->add_option("--limit", options->limit, "At most N; default: 20")
                           ->type_name("N")
                           ->transform(whole_number(1, 1000000));
  CLI::Option* json = command->add_flag("--json", options->json, "As a JSON array of objects");
  command->footer(
      "Examples:\n"
      "  wtool runs\n"
      "  wtool runs --workflow release --status failed\n"
      "  wtool runs --json --limit 1 | jq -r '.[0].status'\n"
      "  wtool runs clear --keep 20");
  auto keep = std::make_shared<std::size_t>(0);
  CLI::App* clear = command->add_subcommand("clear", "Remove the journals, outputs and logs of older runs");
  clear->add_option("--keep", *keep, "How many of the newest runs stay; runs that are running or suspended always stay")
      ->type_name("N")
      ->transform(whole_number(0, 1000000))
      ->required();
  for (CLI::Option* listing : {workflow, status, limit, json}) clear->excludes(listing);
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
