// One run of a workflow file from the command line: its progress, its questions, its summary and its reports.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/stop.h"
#include "cli/approvals.h"
#include "cli/prepared_workflow.h"
#include "cli/stepping.h"
#include "cli/workflow_run.h"
#include "journal/events_file.h"
#include "journal/journal.h"
#include "runner/secrets.h"

namespace wtool::host {

class FileRun {
 public:
  // `basis`: the settings that apply unless the flags say otherwise, and the part that is to run. All references must
  // outlive this object.
  FileRun(PreparedWorkflow& prepared, const RunFlags& flags, std::vector<std::string> env_files,
          runner::RunSettings basis, runner::Secrets& secrets)
      : prepared_(prepared),
        flags_(flags),
        env_files_(std::move(env_files)),
        basis_(std::move(basis)),
        secrets_(secrets) {}

  // Checks the files that are to be written, and opens that of --events, before the run has an id and a journal. False:
  // the reason is on standard error.
  bool open_files(const std::string& journal = "");

  // Returns the exit status. Call open_files() first. `pending` and `given`: questions of the run that is continued, and
  // the answers to some of them.
  int run(std::map<std::string, expressions::Value> inputs, std::unique_ptr<journal::Journal> journal,
          const runner::PastRun* past, std::int64_t started_in = 0, std::vector<PendingApproval> pending = {},
          std::vector<GivenApproval> given = {});

  // The first signal that came during run(); 0: none.
  int signal() const { return signal_; }

 private:
  report::ProgressStyle progress_style() const;
  runner::RunSettings settings(const std::string& run) const;
  std::function<bool(const runner::Step&, const std::string&, Stop&)> stepping();
  std::function<std::optional<bool>(const std::string&, Stop&)> confirmation() const;

  PreparedWorkflow& prepared_;
  const RunFlags& flags_;
  const std::vector<std::string> env_files_;
  const runner::RunSettings basis_;
  runner::Secrets& secrets_;
  std::unique_ptr<journal::EventsFile> events_;  // null: none
  Stepping stepping_;
  int signal_ = 0;
};

}  // namespace wtool::host
