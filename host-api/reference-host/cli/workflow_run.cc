#include "cli/workflow_run.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>

#include "base/escape.h"
#include "base/files.h"
#include "base/text.h"
#include "base/trace_context.h"
#include "cli/context.h"
#include "cli/continued_run.h"
#include "cli/detach.h"
#include "cli/interrupts.h"
#include "cli/journaled_run.h"
#include "cli/load_run.h"
#include "cli/prepared_workflow.h"
#include "cli/questions.h"
#include "cli/run_policy.h"
#include "cli/slurm.h"
#include "cli/stepping.h"
#include "cli/workflow_list.h"
#include "journal/events_file.h"
#include "journal/journal.h"
#include "journal/journal_reader.h"
#include "journal/observers.h"
#include "journal/run_collector.h"
#include "journal/run_record.h"
#include "journal/runs_folder.h"
#include "report/failed_steps.h"
#include "report/formats.h"
#include "report/progress.h"
#include "workflow/check/checker.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/parameters.h"
#include "workflow/parse/parser.h"

namespace wtool::host {
namespace {

using runner::RunReport;

int exit_status(const RunReport& report, const runner::RunPart& part, const Interrupts& interrupts) {
  switch (report.status) {
    case RunReport::Status::completed:
      return report::reached_until(report, part) ? exit_ok : exit_failed;
    case RunReport::Status::failed:
      return report.refused ? exit_refused : exit_failed;
    case RunReport::Status::suspended:
      return exit_suspended;
    case RunReport::Status::aborted:
      break;
  }
  return interrupts.signal() != 0 ? interrupts.exit_status() : exit_aborted;
}

}  // namespace

int exit_status_of(const journal::RunRecord& run) {
  if (!run.status) return exit_failed;
  switch (*run.status) {
    case RunReport::Status::completed:
      return journal::reached_until(run) ? exit_ok : exit_failed;
    case RunReport::Status::failed:
      return run.refused ? exit_refused : exit_failed;
    case RunReport::Status::suspended:
      return exit_suspended;
    case RunReport::Status::aborted:
      break;
  }
  return exit_aborted;
}

namespace {

// One run of a prepared workflow, up to its exit status.
class FileRun {
 public:
  // `basis`: the settings that apply unless the flags say otherwise, and the part that is to run.
  FileRun(PreparedWorkflow& prepared, const RunFlags& flags, std::vector<std::string> env_files,
          runner::RunSettings basis, runner::Secrets& secrets)
      : prepared_(prepared),
        flags_(flags),
        env_files_(std::move(env_files)),
        basis_(std::move(basis)),
        secrets_(secrets) {}

  // Checks the files that are to be written, and opens that of --events, before the run has an id and a journal. False:
  // the reason is on standard error.
  bool open_files(const std::string& journal = "") {
    if (!can_write_files(flags_, prepared_.source().name(), journal)) return false;
    if (flags_.events.empty()) return true;
    std::string error;
    events_ = journal::EventsFile::open(
        flags_.events, [](const std::string& text) { complain(text); }, error);
    if (!events_) complain(error);
    return events_ != nullptr;
  }

  // Call open_files() first. `pending` and `given`: questions of the run that is continued, and the answers to some of
  // them.
  int run(std::map<std::string, expressions::Value> inputs, std::unique_ptr<journal::Journal> journal,
          const runner::PastRun* past, std::int64_t started_in = 0, std::vector<PendingApproval> pending = {},
          std::vector<GivenApproval> given = {}) {
    if (flags_.detached >= 0 && !begin_detached(flags_.detached, journal.get())) return exit_unusable;
    Beginning beginning(flags_.detached);
    Stop stop;
    const Interrupts interrupts(stop, &signal_);
    // The reports are written at the end, but their paths are resolved now, before a command can put a link into them.
    const std::string junit = resolve_links_above(flags_.junit), html = resolve_links_above(flags_.html);
    const std::string run = journal ? journal->run() : "";
    const std::string file = journal ? journal->file() : "";
    const bool wants_report = !flags_.junit.empty() || !flags_.html.empty();
    const report::ProgressStyle style = progress_style();
    journal::RunCollector collector;
    report::FailedSteps failed;
    RunApprovals approvals({.run = run,
                            .journal = journal.get(),
                            .trail = prepared_.trail(),
                            .started_in = started_in,
                            .pending = std::move(pending),
                            .given = std::move(given)},
                           secrets_);
    RunReport report;
    {
      report::Progress progress(Terminal::of_process(), style);
      journal::Observers shown({&beginning, &progress, &failed, events_.get(), wants_report ? &collector : nullptr});
      report = run_journaled(prepared_, prepared_.tools(),
                             {.inputs = std::move(inputs),
                              .journal = std::move(journal),
                              .past = past,
                              .settings = settings(run),
                              .confirm = confirmation(),
                              .approve = [&approvals](const runner::ApprovalRequest& request,
                                                      Stop& asked) { return approvals.ask(request, asked); },
                              .may_begin = stepping()},
                             secrets_, stop, shown);
    }
    for (const std::string& state : approvals.unused()) {
      complain("an answer was not used, because the run did not ask its question again in the state " + state);
    }
    // If the journal has not even one record, such as on a full disk, the run can be neither resumed nor shown.
    std::string unread;
    const auto kept = report.status == RunReport::Status::completed ? std::optional<journal::RunRecord>()
                                                                    : journal::read_journal_ends(file, unread);
    const bool is_kept = report.status == RunReport::Status::completed || kept;
    // The disk may also become full after the question was asked. The journal then does not say that the run waits.
    const bool waits_in_vain =
        report.status == RunReport::Status::suspended && (!kept || kept->status != report.status);
    // On a terminal, the progress display has already shown the lines of the summary's table.
    const bool stands_above = style.live && ::isatty(STDOUT_FILENO) == 1 && !flags_.verbose;
    const std::string summary =
        report::summary_text(prepared_.workflow(), report, failed, prepared_.shown_name(),
                             is_kept && !waits_in_vain ? run : "", {!stands_above, flags_.quiet, basis_.part});
    // If the events or a report go to standard output, nothing else does.
    const bool summed_up =
        to_standard_output(flags_.files()) > 0 ? write_all(STDERR_FILENO, summary).error == 0 : print(summary);
    const bool reported = !wants_report || write_reports(collector.record(), &prepared_.workflow(), junit, html);
    if (waits_in_vain) {
      complain("the question cannot be answered, because the journal does not have it; " +
               (kept ? "`wtool resume " + run + "` asks it again" : "run the workflow again"));
    }
    const int status = waits_in_vain ? exit_failed : exit_status(report, basis_.part, interrupts);
    const bool written = summed_up && reported && (!events_ || !events_->failed());
    return written || status != exit_ok ? status : exit_unwritten;
  }

  // The first signal that came during run(); 0: none.
  int signal() const { return signal_; }

 private:
  report::ProgressStyle progress_style() const {
    auto style = report::ProgressStyle::of(STDERR_FILENO);
    // Events on the same terminal are not part of the live display, and would garble it.
    if (flags_.events == "-" && ::isatty(STDOUT_FILENO) == 1) style.live = false;
    if (flags_.verbose) style.output = report::OutputStyle::group;
    if (flags_.output) style.output = *flags_.output;
    if (flags_.verbose || flags_.quiet) {
      style.detail = flags_.verbose ? report::Detail::verbose : report::Detail::quiet;
    }
    return style;
  }

  runner::RunSettings settings(const std::string& run) const {
    runner::RunSettings settings = basis_;
    if (!prepared_.slots().empty() && !run.empty()) {
      settings.jobs = slurm_job_name(run);
      prepared_.tools().name_jobs(settings.jobs);
    }
    settings.traceparent = trace_of_process();
    if (flags_.max_parallel > 0) settings.max_parallel = flags_.max_parallel;
    settings.env_files = env_files_;
    settings.force = settings.force || flags_.force;
    if (flags_.fail_fast || flags_.no_fail_fast) settings.fail_fast = flags_.fail_fast;
    return settings;
  }

  std::function<bool(const runner::Step&, const std::string&, Stop&)> stepping() {
    if (!flags_.step) return nullptr;
    return [this](const runner::Step& step, const std::string& what, Stop& asked_to_stop) {
      return stepping_.may_begin(step, what, asked_to_stop);
    };
  }

  std::function<std::optional<bool>(const std::string&, Stop&)> confirmation() const {
    return [yes = flags_.yes](const std::string& question, Stop& asked_to_stop) -> std::optional<bool> {
      if (yes) return true;
      return confirm_on_terminal(question, asked_to_stop);
    };
  }

  PreparedWorkflow& prepared_;
  const RunFlags& flags_;
  const std::vector<std::string> env_files_;
  const runner::RunSettings basis_;
  runner::Secrets& secrets_;
  std::unique_ptr<journal::EventsFile> events_;  // null: none
  Stepping stepping_;
  int signal_ = 0;
};

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
      ->check(CLI::Range(1, 10000));
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

}  // namespace

namespace {

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
  std::error_code failed;
  const std::string directory = std::filesystem::current_path(failed).string();
  std::string error = failed ? "the working directory cannot be found: " + failed.message() : "";
  const std::string path = failed ? "" : workflow_file(file, directory, error);
  const std::string run = path.empty() ? "" : run_to_continue(directory, path, from, error);
  if (run.empty()) {
    complain(error);
    return exit_unusable;
  }
  return resume_run(context, {.run = run, .from = from, .keeps_part = false}, flags);
}

int resume_run(Context& context, const Resumed& wanted, const RunFlags& flags) {
  if (!can_begin(flags)) return exit_unusable;
  std::error_code failed;
  const std::string directory = std::filesystem::current_path(failed).string();
  if (failed) {
    complain("the working directory cannot be found: " + failed.message());
    return exit_unusable;
  }
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
