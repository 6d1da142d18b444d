#include "cli/workflow_run.h"
#include "cli/whole_number.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "base/escape.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/context.h"
#include "cli/continued_run.h"
#include "cli/file_run.h"
#include "cli/interrupts.h"
#include "cli/journaled_run.h"
#include "cli/load_run.h"
#include "cli/prepared_workflow.h"
#include "cli/questions.h"
#include "cli/run_policy.h"
#include "cli/slurm.h"
#include "cli/stepping.h"
#include "cli/workflow_list.h"
#include "journal/journal.h"
#include "journal/journal_reader.h"
#include "journal/run_record.h"
#include "journal/runs_folder.h"
#include "report/progress.h"
#include "workflow/model/diagnostics.h"
#include "workflow/parse/parser.h"

namespace wtool::host {

int exit_status_of(runner::RunReport::Status status, bool refused) {
  using runner::RunReport;
  switch (status) {
    case RunReport::Status::completed:
      return exit_ok;
    case RunReport::Status::failed:
      return refused ? exit_refused : exit_failed;
    case RunReport::Status::suspended:
      return exit_suspended;
    case RunReport::Status::aborted:
      break;
  }
  return exit_aborted;
}

int exit_status_of(const journal::RunRecord& run) {
  return run.status ? exit_status_of(*run.status, run.refused) : exit_failed;
}

namespace {

// The names that are not given.
std::vector<std::string> missing_of(const std::vector<std::string>& names, const std::vector<std::string>& given) {
  const std::vector<std::string> known = names_given(given);
  std::vector<std::string> missing;
  std::copy_if(names.begin(), names.end(), std::back_inserter(missing),
               [&](const std::string& name) { return std::find(known.begin(), known.end(), name) == known.end(); });
  return missing;
}

}  // namespace

void add_run_options(CLI::App& command, RunFlags& flags) {
  add_variable_options(command, flags.variables);
  add_part_options(command, flags.part);
  command.add_option("--max-parallel", flags.max_parallel, "At most N calls run at the same time (default: no limit)")
      ->type_name("N")
      ->transform(whole_number(1, 10000));
  auto* fast = command.add_flag("--fail-fast", flags.fail_fast,
                                "A branch that fails ends the others (the default, unless the file says otherwise)");
  command.add_flag("--no-fail-fast", flags.no_fail_fast, "If a branch fails, the others still run to their end")
      ->excludes(fast);
  command.add_flag("--force", flags.force, "Also run the steps that are up to date");
  command.add_flag("--yes,-y", flags.yes,
                   "Confirm in advance what `Wait for user confirmation` asks; this does not answer an `Approve`");
  command.add_flag("--step", flags.step, "Show each step on the terminal before it is run, and ask whether to run it");
  add_report_options(command, flags);
}

void add_report_options(CLI::App& command, RunFlags& flags) {
  using report::OutputStyle;
  static const std::map<std::string, OutputStyle> styles{{"group", OutputStyle::group},
                                                         {"stream", OutputStyle::stream},
                                                         {"prefixed", OutputStyle::prefixed},
                                                         {"none", OutputStyle::none}};
  command
      .add_option_function<std::string>(
          "--output", [&flags](const std::string& name) { flags.output = styles.at(name); },
          "How to show what the steps write: group (each step's output together, at its end), stream (each line as it\n"
          "comes), prefixed (like stream, with the name of the step before each line) or none (default: none on a\n"
          "terminal, else group)")
      ->type_name("STYLE")
      ->check(CLI::IsMember(styles));
  auto* verbose = command.add_flag("-v,--verbose", flags.verbose,
                                   "Show commands, the table of the states and, on a terminal, what the steps write "
                                   "and the process number\nof each command");
  command.add_flag("-q,--quiet", flags.quiet, "Show only failures, warnings and how the run ended")->excludes(verbose);
  command.add_option("--events", flags.events, "Write each record of the run as it happens; - is standard output")
      ->type_name("FILE");
  command.add_option("--junit", flags.junit, "Write a report as JUnit XML at the end; - is standard output")
      ->type_name("FILE");
  command.add_option("--html", flags.html, "Write a report as one HTML page at the end; - is standard output")
      ->type_name("FILE");
}

bool can_begin(const RunFlags& flags) {
  if (to_standard_output(flags.files()) > 1) {
    complain("only one of --events, --junit and --html can be standard output (-); name a file for the others");
    return false;
  }
  for (const auto& [option, file] :
       {std::pair("--events", &flags.events), std::pair("--junit", &flags.junit), std::pair("--html", &flags.html)}) {
    if (flags.detached < 0 || *file != "-") continue;
    complain(std::string("a detached run has no standard output for ") + option + " -: name a file with " + option);
    return false;
  }
  if (!flags.step || Stepping::is_possible()) return true;
  complain("--step asks on the terminal, but this run is not in the foreground of one");
  return false;
}

bool can_write_files(const RunFlags& flags, const std::string& workflow, const std::string& journal) {
  const std::vector<std::string> files = flags.files();
  for (const std::string& file : files) {
    if (is_the_workflow(file, workflow) || overwrites(file, journal, "the journal of the run")) return false;
  }
  if (!are_apart(files)) return false;
  for (const std::string* file : {&flags.junit, &flags.html}) {
    if (!file->empty() && *file != "-" && !can_write_report(resolve_links_above(*file))) return false;
  }
  return true;
}

FileRunEnd run_file(Context& context, const std::string& file, const RunFlags& flags) {
  constexpr FileRunEnd misused{.status = exit_unusable, .misused = true};
  if (!can_begin(flags)) return misused;
  const auto prepared = PreparedWorkflow::open(context, file, flags.variables.names());
  if (!prepared) return {.status = exit_unusable};
  if (const std::string why = prepared->cut_to(flags.part); !why.empty()) {
    complain(why);
    return misused;
  }
  if (takes_input_twice(file, flags.variables)) return misused;
  auto read = read_variables(flags.variables, prepared->workflow());
  if (!read) return misused;
  std::vector<std::string> given = std::move(*read);
  int ended = exit_ok;
  if (!ask_for_parameters(prepared->workflow(), given, ended)) return {.status = ended, .misused = true};
  auto inputs = inputs_of(*prepared, file, given, flags.variables);
  if (!inputs) return misused;
  runner::Secrets secrets;
  runner::RunSettings settings;
  settings.part = flags.part;
  FileRun run(*prepared, flags, context.options.env_files, std::move(settings), secrets);
  if (!run.open_files()) return misused;
  std::unique_ptr<journal::Journal> journal;
  if (!flags.no_journal) {
    std::string error;
    journal = journal::Journal::create(prepared->directory(), journal_options(secrets), error);
    if (!journal) complain("this run keeps no journal and cannot be resumed: " + error);
  }
  const int status = run.run(std::move(*inputs), std::move(journal), nullptr);
  return {.status = status, .signal = run.signal()};
}

namespace {

// Cancels jobs that a killed run has left. They would end by themselves, but a job that still waits in the queue would
// first occupy a node. Returns the exit status after an interrupt, else exit_ok.
int cancel_left_jobs(Context& context, const std::string& name) {
  if (name.empty()) return exit_ok;
  std::string error;
  std::optional<std::vector<std::string>> ids;
  Plugin* local = context.local_plugin(error);
  if (local != nullptr) {
    Stop stop;
    const Interrupts interrupts(stop);
    if (const auto client = SlurmClient::open(*local, error)) ids = client->cancel_all(name, stop, error);
    if (interrupts.signal() != 0) return interrupts.exit_status();
  }
  if (!ids) {
    complain("jobs that the earlier run may have left behind were not cancelled, but will end by themselves: " + error);
  } else if (!ids->empty()) {
    complain("cancelled " + counted(ids->size(), "job") + " that the earlier run had left behind: " + joined(*ids));
  }
  return exit_ok;
}

// Says that the workflow file has no such state, to begin a message; empty: it has one, or cannot be read. The state may
// still be one of a workflow that this one runs.
std::string missing_state(const std::string& file, const std::string& state) {
  std::string error;
  const workflow::Source source = workflow::load_source(file, error);
  if (!error.empty()) return "";
  workflow::Diagnostics ignored;
  const workflow::Workflow parsed = workflow::parse_workflow(source, ignored);
  const workflow::State* found = parsed.find(state);
  if (parsed.diagram_unread || (found != nullptr && !found->hidden)) return "";
  return file + " has no state \"" + state + "\"";
}

// The newest run of the file that --only did not limit. An older run is never chosen because it was in the state: it has
// the values of an earlier time. Empty: no run can be continued, and `error` says why.
std::string run_to_continue(const std::string& directory, const std::string& file, const std::string& from,
                            std::string& error) {
  std::string only;
  for (const std::string& run : runs_of_file(directory, file, error)) {
    std::string ignored;
    const auto ends = journal::read_journal_ends(journal::journal_file(directory, run), ignored);
    // A run with --only has recorded no outcomes of the other states, so the states before `from` would run, too.
    if (!ends || ends->settings.part.only.empty()) return run;
    if (only.empty()) {
      only = "the last run of this workflow, ";
      only.append(run).append(", ran only ").append(ends->settings.part.only);
      only.append("; name another run with `wtool resume RUN --from ").append(from).append("`");
    }
  }
  if (const std::string missing = missing_state(file, from); !missing.empty()) {
    error = missing;
  } else if (!only.empty()) {
    error = only;
  }
  return {};
}

// Why the part of a run cannot be continued as `part`; empty: it can. A run of --only has no other states, and any other
// run begins with another state.
std::string part_problem(const journal::RunRecord& earlier, const runner::RunPart& part) {
  if (part.only == earlier.settings.part.only) return "";
  if (!part.only.empty()) {
    return "--only " + part.only + " cannot continue the run " + earlier.run + ", which has other states; `--from " +
           part.only + " --until " + part.only + "` runs that state with the values that the run has recorded";
  }
  return "the run " + earlier.run + " ran only " + earlier.settings.part.only +
         ", so nothing of it can be continued with --until " + part.until + "; `wtool run " + earlier.file +
         " --until " + part.until + "` begins a run";
}

}  // namespace

int run_from(Context& context, const std::string& file, const std::string& from, const RunFlags& flags) {
  if (file == workflow::standard_input) {
    complain("--from continues an earlier run, but a workflow from standard input has none; name its file");
    return exit_unusable;
  }
  const std::string directory = working_directory();
  if (directory.empty()) return exit_unusable;
  std::string error;
  const std::string path = workflow_file(file, directory, error);
  const std::string run = path.empty() ? "" : run_to_continue(directory, path, from, error);
  if (run.empty()) {
    complain(error);
    return exit_unusable;
  }
  return resume_run(context, {.run = run, .from = from, .keeps_part = false}, flags);
}

int resume_run(Context& context, const Resumed& wanted, const RunFlags& flags) {
  if (!can_begin(flags)) return exit_unusable;
  const std::string directory = working_directory();
  if (directory.empty()) return exit_unusable;
  std::string error;
  const std::string id = journal::find_run(directory, wanted.run, error);
  const auto earlier =
      id.empty() ? std::nullopt : journal::read_journal_ends(journal::journal_file(directory, id), error);
  if (earlier && !(flags.part.is_whole() && wanted.keeps_part)) {
    if (const std::string problem = part_problem(*earlier, flags.part); !problem.empty()) {
      complain(problem);
      return exit_unusable;
    }
  }
  if (earlier && !has_workflow_file(*earlier)) return exit_unusable;
  runner::Secrets secrets;
  auto resumed = journal::resume_run(directory, wanted.run, wanted.from, journal_options(secrets), error);
  if (!resumed) {
    std::string ignored;
    const auto content = earlier && !wanted.from.empty()
                             ? journal::read_journal(journal::journal_file(directory, id), ignored)
                             : std::nullopt;
    const bool was_there = !content || journal::last_visit(content->run, wanted.from);
    const std::string missing = was_there ? "" : missing_state(earlier->file, wanted.from);
    complain(missing + (missing.empty() ? "" : ": ") + error);
    return exit_unusable;
  }
  if (const std::string& until = flags.part.until;
      !wanted.from.empty() && !until.empty() && journal::came_to(resumed->run, until, "")) {
    complain("in the run " + id + ", " + until + " comes before " + wanted.from +
             ", so --until would end the run before anything runs; name " + wanted.from + " or a later state");
    return exit_unusable;
  }
  return continue_run(context, std::move(*resumed), {}, flags, wanted.keeps_part, secrets);
}

int continue_run(Context& context, journal::ResumedRun resumed, std::vector<GivenApproval> given, const RunFlags& flags,
                 bool keeps_part, runner::Secrets& secrets) {
  for (const std::string& notice : resumed.notices) complain(notice);
  const journal::RunRecord& earlier = resumed.run;
  const runner::RunSettings& before = earlier.settings;
  if (context.options.on.empty()) context.options.on = before.on;
  if (context.options.env_files.empty()) context.options.env_files = before.env_files;
  if (const runner::RunPolicy& policy = before.policy; !policy.name.empty()) {
    std::string error;
    if (!confine(context, policy, error)) {
      complain("the run was started or continued under the policy " + policy.name +
               " of wtool mcp, which cannot be applied: " + error);
      return exit_unusable;
    }
    complain("the run was started or continued by wtool mcp, so its policy " + policy.name +
             " confines the commands of this run to " + escaped(policy.root));
  }
  if (const int interrupted = cancel_left_jobs(context, before.jobs); interrupted != exit_ok) return interrupted;
  std::vector<std::string> names = flags.variables.names();
  for (const auto& [name, value] : earlier.inputs) names.push_back(name);
  const auto prepared = PreparedWorkflow::open(context, earlier.file, names);
  if (!prepared) return exit_unusable;
  // If answers are given, the person already got this notice before the questions were asked.
  if (const std::string notice = changed_since(prepared->source(), earlier); given.empty() && !notice.empty()) {
    complain(notice);
  }
  int ended = exit_unusable;
  ContinuedWith with;
  if (!flags.part.is_whole() || !keeps_part) with.part = flags.part;
  with.variables = [&](const std::vector<std::string>& lost) {
    auto read = read_variables(flags.variables, prepared->workflow());
    if (read && !ask_again(prepared->workflow(), missing_of(lost, *read), *read, ended)) read.reset();
    return read;
  };
  std::vector<std::string> errors;
  auto ready = make_ready(*prepared, resumed, with, errors);
  for (const std::string& message : errors) complain(with_option_named(message, flags.variables));
  if (!ready) return ended;
  FileRun run(*prepared, flags, context.options.env_files, ready->settings, secrets);
  if (!run.open_files(resumed.journal->file())) return exit_unusable;
  return run.run(std::move(ready->inputs), std::move(resumed.journal), &resumed.past, earlier.pid_namespace,
                 pending_approvals(earlier), std::move(given));
}

}  // namespace wtool::host
