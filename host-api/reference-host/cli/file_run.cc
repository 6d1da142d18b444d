#include "cli/file_run.h"

#include <unistd.h>

#include "base/files.h"
#include "base/trace_context.h"
#include "cli/context.h"
#include "cli/detach.h"
#include "cli/interrupts.h"
#include "cli/journaled_run.h"
#include "cli/load_run.h"
#include "cli/questions.h"
#include "cli/slurm.h"
#include "journal/journal_reader.h"
#include "journal/observers.h"
#include "journal/run_collector.h"
#include "report/failed_steps.h"
#include "report/formats.h"
#include "report/progress.h"
#include "workflow/model/source.h"

namespace wtool::host {

bool FileRun::open_files(const std::string& journal) {
  if (!can_write_files(flags_, prepared_.source().name(), journal)) return false;
  if (flags_.events.empty()) return true;
  std::string error;
  events_ = journal::EventsFile::open(
      flags_.events, [](const std::string& text) { complain(text); }, error);
  if (!events_) complain(error);
  return events_ != nullptr;
}

int FileRun::run(std::map<std::string, expressions::Value> inputs, std::unique_ptr<journal::Journal> journal,
                 const runner::PastRun* past, std::int64_t started_in, std::vector<PendingApproval> pending,
                 std::vector<GivenApproval> given) {
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
  const bool is_from_file = prepared_.source().name() != workflow::standard_input;
  RunApprovals approvals({.run = run,
                          .journal = journal.get(),
                          .can_continue = is_from_file,
                          .trail = prepared_.trail(),
                          .started_in = started_in,
                          .pending = std::move(pending),
                          .given = std::move(given)},
                         secrets_);
  runner::RunReport report;
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
  const auto kept = report.status == runner::RunReport::Status::completed ? std::optional<journal::RunRecord>()
                                                                          : journal::read_journal_ends(file, unread);
  const bool is_kept = report.status == runner::RunReport::Status::completed || kept;
  // The disk may also become full after the question was asked. The journal then does not say that the run waits.
  const bool waits_in_vain =
      report.status == runner::RunReport::Status::suspended && (!kept || kept->status != report.status);
  // On a terminal, the progress display has already shown the lines of the summary's table.
  const bool stands_above = style.live && ::isatty(STDOUT_FILENO) == 1 && !flags_.verbose;
  const std::string summary = report::summary_text(prepared_.workflow(), report, failed, prepared_.shown_name(),
                                                   is_kept && !waits_in_vain && is_from_file ? run : "",
                                                   {!stands_above, flags_.quiet, basis_.part});
  // If the events or a report go to standard output, nothing else does.
  const bool summed_up =
      to_standard_output(flags_.files()) > 0 ? write_all(STDERR_FILENO, summary).error == 0 : print(summary);
  const bool reported = !wants_report || write_reports(collector.record(), &prepared_.workflow(), junit, html);
  if (waits_in_vain) {
    complain("the question cannot be answered, because the journal does not have it; " +
             (kept ? "`wtool resume " + run + "` asks it again" : "run the workflow again"));
  }
  int status = exit_status_of(report.status, report.refused);
  if (waits_in_vain) status = exit_failed;
  if (status == exit_aborted && interrupts.signal() != 0) status = interrupts.exit_status();
  const bool written = summed_up && reported && (!events_ || !events_->failed());
  return written || status != exit_ok ? status : exit_unwritten;
}

report::ProgressStyle FileRun::progress_style() const {
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

runner::RunSettings FileRun::settings(const std::string& run) const {
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

std::function<bool(const runner::Step&, const std::string&, Stop&)> FileRun::stepping() {
  if (!flags_.step) return nullptr;
  return [this](const runner::Step& step, const std::string& what, Stop& asked_to_stop) {
    return stepping_.may_begin(step, what, asked_to_stop);
  };
}

std::function<std::optional<bool>(const std::string&, Stop&)> FileRun::confirmation() const {
  return [yes = flags_.yes](const std::string& question, Stop& asked_to_stop) -> std::optional<bool> {
    if (yes) return true;
    return confirm_on_terminal(question, asked_to_stop);
  };
}

}  // namespace wtool::host
