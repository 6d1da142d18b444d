// One run of a prepared workflow with everything around it: its journal, its whole outputs, and the masking of its
// secrets. Shared by `wtool run` and `wtool mcp --workflows`. Also what is said of a journal when its run continues.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/stop.h"
#include "cli/prepared_workflow.h"
#include "journal/journal.h"
#include "journal/run_record.h"
#include "loader/tool_caller.h"
#include "runner/secrets.h"
#include "workflow/model/source.h"

namespace wtool::host {

struct JournaledRun {
  std::map<std::string, expressions::Value> inputs;
  std::unique_ptr<journal::Journal> journal;  // nullptr: none is kept
  const runner::PastRun* past = nullptr;      // what the earlier run did, if this one resumes it
  runner::RunSettings settings{};
  // The rest is as in RunServices.
  std::function<std::optional<bool>(const std::string& question, Stop& stop)> confirm;
  std::function<bool()> skips_finally{};
  runner::Approve approve{};
  std::function<bool(const runner::Step& step, const std::string& what, Stop& stop)> may_begin{};
};

// Blocks until the run is over. `shown` gets no secrets, and the returned report contains none. The file
// .swissarmyhammer/.abort stops the run.
runner::RunReport run_journaled(PreparedWorkflow& prepared, ToolCaller& tools, JournaledRun run,
                                runner::Secrets& secrets, Stop& stop, runner::RunObserver& shown);

// The options of a journal whose notices go to standard error.
journal::Journal::Options journal_options(const runner::Secrets& secrets);

// A sentence for each input of the run whose value the journal does not contain, because it is or contains a secret;
// inputs in `given` are skipped. `option` is as for resolve_inputs.
std::vector<std::string> lost_inputs(const journal::RunRecord& run, const std::set<std::string>& given,
                                     const std::string& option);

// What to say if the file has changed since the run last continued; empty: it has not.
std::string changed_since(const workflow::Source& source, const journal::RunRecord& run);

}  // namespace wtool::host
